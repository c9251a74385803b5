"""What a table plays by: its terms read as Thirteen Cards, and what follows from them alone."""

from functools import cache

import msgspec

from floorbook.games.game import Refused
from floorbook.games.thirteen_cards.config import Config, config_of
from floorbook.games.thirteen_cards.holders import Bet, Holders, holders
from floorbook.games.thirteen_cards.procedure import Procedure, procedure_of
from floorbook.games.thirteen_cards.variants import special_of
from floorbook.table.events import Event, TableOpened
from floorbook.table.state import Reason, TableState, Terms, running_timer
from floorbook.table.thirteen_cards.shapes import ThirteenCardsOptions
from floorbook.table.thirteen_cards.state import ThirteenCards, gates_with_bets, laid_at

HOUSE = "house"
"""The dealer, where he banks, holds a gate or shakes; no player may have this id."""

_LONGEST_LIMIT_MS = 24 * 60 * 60 * 1000
_LONGEST_FAULT = 200
_HOUSE_BANKS = frozenset(("thirteen_cards", "declare_2"))
"""Where the dealer is the banker: one of the four banks in 相公 (ENC-B)."""


@cache
def _config(rule_set: str, flags: str) -> Config | str:
    """Return the flags of a table, or the sentence that says what is wrong with them."""
    try:
        decoded = msgspec.json.decode(flags.encode() or b"{}", type=dict)
    except (msgspec.DecodeError, RecursionError) as error:
        return f"flags are no JSON object: {error}"
    found = config_of(rule_set, decoded)
    if isinstance(found, Refused):
        return found.detail[:_LONGEST_FAULT]
    if found.arrange_limit_ms > _LONGEST_LIMIT_MS:
        return "config.arrange_limit_ms is more than a day."
    return found


def config(terms: Terms) -> Config:
    """Return the flags of an open table."""
    found = _config(terms.rule_set, terms.flags)
    assert isinstance(found, Config), "checked when the table was opened"
    return found


def refuse_terms(opened: TableOpened) -> Reason | None:
    """Return why a table cannot be opened like that, or None."""
    found = _config(opened.rule_set, opened.flags)
    if isinstance(found, str):
        return Reason("BAD_CONFIG", (found,))
    options = opened.thirteen_cards
    if options is None:
        return Reason("OPTIONS_MISSING")
    if 0 < options.maximum_unit_minor < options.minimum_unit_minor:
        return Reason("BAD_LIMITS")
    return None


def game_of(state: TableState) -> ThirteenCards:
    """Return the game's part of an open table's state."""
    assert isinstance(state.game, ThirteenCards), "an open table has its game"
    return state.game


def terms_of(state: TableState) -> Terms:
    """Return the terms of an open table."""
    assert state.terms is not None, "an open table has terms"
    return state.terms


def options_of(state: TableState) -> ThirteenCardsOptions:
    """Return what an open table has of its own."""
    options = terms_of(state).thirteen_cards
    assert options is not None, "checked when the table was opened"
    return options


def procedure(state: TableState) -> Procedure:
    """Return which steps a round has at this table."""
    return procedure_of(terms_of(state).rule_set)


def banker_gate(state: TableState) -> int:
    """Return the banker's gate (莊家), fixed when the table was opened (TC-01)."""
    return options_of(state).banker_gate


def house_gate(state: TableState) -> int | None:
    """Return the gate that is the dealer's own, or None where a player banks or nobody does."""
    return banker_gate(state) if terms_of(state).rule_set in _HOUSE_BANKS else None


def players_now(state: TableState) -> dict[int, str]:
    """Return who would play which gate of a variant if the round were locked now."""
    seats = dict(game_of(state).seats)
    house = house_gate(state)
    return dict(sorted({**seats, **({house: HOUSE} if house is not None else {})}.items()))


def holders_now(game: ThirteenCards) -> Holders:
    """Return who would hold and shake if the bets were locked now (TC-06, TC-14)."""
    return holders(
        [
            Bet(b.bet_id, b.player_id, b.gate, b.unit_minor, b.units, b.player_id in game.places)
            for b in game.bets
        ]
    )


def special_at(state: TableState, gate: int) -> str | None:
    """Return the special hand that a gate's thirteen cards are in a variant, or None."""
    terms = terms_of(state)
    return special_of(terms.rule_set, game_of(state).hands[gate], config(terms))


def waited_for(state: TableState) -> tuple[int, ...]:
    """Return the gates that the round still waits for once it is dealt, ascending.

    In the official game those with bets (TC-46), in a variant all that play, but none whose
    special hand needs no laying (TV-10, TV-58), and none where nothing is arranged (B4, B5).
    """
    game, steps = game_of(state), procedure(state)
    if not steps.arranged:
        return ()
    playing = gates_with_bets(game) if steps.dice else tuple(game.holders)
    return tuple(
        gate
        for gate in playing
        if laid_at(game, gate) is None
        and not (steps.special_is_laid and special_at(state, gate) is not None)
    )


def elapsed_ms(state: TableState, event: Event) -> int | None:
    """Return how long after the banker's opening `event` comes, in table time; None without a clock.

    Time in which the table was suspended does not count: the timer stood still.
    """
    timer = running_timer(state)
    if timer is None:
        return None
    now = max(state.table_time_ms, event.observe_time_ms)
    limit = config(terms_of(state)).arrange_limit_ms
    return max(now - (timer.due_ms - limit - 1), 0)
