"""What a table plays by: its terms read as Pai Kau, and what follows from them alone."""

from collections.abc import Mapping
from functools import cache

import msgspec

from floorbook.games.game import Refused
from floorbook.games.pai_kau.config import Config, config_of
from floorbook.games.pai_kau.gates import holders
from floorbook.games.pai_kau.procedure import Laying
from floorbook.table.events import TableOpened
from floorbook.table.pai_kau.shapes import PaiKauOptions
from floorbook.table.pai_kau.state import HeldTurn, PaiKau
from floorbook.table.state import Reason, TableState, Terms

_LONGEST_FAULT = 200


@cache
def _config(flags: str) -> Config | str:
    """Return the flags of a table, or the sentence that says what is wrong with them."""
    try:
        decoded = msgspec.json.decode(flags.encode() or b"{}", type=dict)
    except (msgspec.DecodeError, RecursionError) as error:
        return f"flags are no JSON object: {error}"[:_LONGEST_FAULT]
    found = config_of(decoded)
    return found.detail[:_LONGEST_FAULT] if isinstance(found, Refused) else found


def refuse_terms(opened: TableOpened) -> Reason | None:
    """Return why a table cannot be opened like that, or None."""
    found = _config(opened.flags)
    if isinstance(found, str):
        return Reason("BAD_CONFIG", (found,))
    options = opened.pai_kau or PaiKauOptions()
    if 0 < options.maximum_bet_minor < options.minimum_bet_minor:
        return Reason("BAD_LIMITS")
    return None


def terms_of(state: TableState) -> Terms:
    """Return the terms of an open table."""
    assert state.terms is not None, "an open table has terms"
    return state.terms


def game_of(state: TableState) -> PaiKau:
    """Return the game's part of an open table's state."""
    assert isinstance(state.game, PaiKau), "an open table has its game"
    return state.game


def turn_of(game: PaiKau) -> HeldTurn:
    """Return the turn of the banker, without whom no bets are opened."""
    assert game.turn is not None, "nobody bets at a vacant bank"
    return game.turn


def holders_of(game: PaiKau) -> Mapping[int, str]:
    """Return who holds each gate with bets, by gate (PK-34)."""
    return dict(sorted(holders(game.bets).items()))


def laying(game: PaiKau) -> Laying:
    """Return how far the laying of hands has come."""
    done = tuple(laid.gate for laid in game.laid)
    return Laying(game.gates, turn_of(game).gate, holders(game.bets), done)
