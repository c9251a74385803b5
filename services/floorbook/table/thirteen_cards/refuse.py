"""Which acts a Thirteen Cards table takes in which phase, and the code of those it does not (A12).

Authority first, then the phase, then the codes of the act's line in the specification's order.
A dealer may report what players do at his table (places, bets, cuts, the shake); a hand is taken
and set by its holder, and by the dealer only where the house holds.
"""

from functools import cache

import msgspec

from floorbook.games.game import Refused
from floorbook.games.thirteen_cards.arrangement import Arrangement, check_arrangement
from floorbook.games.thirteen_cards.config import Config, config_of
from floorbook.games.thirteen_cards.deal import (
    check_deck,
    check_dice,
    hands_of,
    is_gate,
    misdealt,
)
from floorbook.games.thirteen_cards.holders import Bet, Holders, holders
from floorbook.games.thirteen_cards.official import is_foul
from floorbook.table import events
from floorbook.table.events import EquipmentKind, Event, Role, TableOpened
from floorbook.table.state import (
    Reason,
    TableState,
    Terms,
    running_timer,
    would_forget_correction,
)
from floorbook.table.thirteen_cards import facts
from floorbook.table.thirteen_cards.state import (
    RESTING,
    LaidBet,
    Phase,
    ThirteenCards,
    gates_with_bets,
    laid_at,
)

HOUSE = "house"
"""The dealer, where he holds a gate or shakes; no player may have this id."""
PACK = 52

_LONGEST_LIMIT_MS = 24 * 60 * 60 * 1000
_LONGEST_FAULT = 200
_MOST_BETS = 200
_MOST_PLACES = 200
_MOST_CUTS = 20
# What can be sent again and again has an end, so that a table's state, its rounds and their
# settlements stay what can be stored and booked.
_TOO_MANY = Reason("TOO_MANY")
_LARGEST_UNIT = 10**15  # three of them, and what they win, are amounts that a ledger can hold
_WRONG_PHASE = Reason("WRONG_PHASE")
_NOT_ALLOWED = Reason("NOT_ALLOWED")
_BETS_LOCKED = Reason("BETS_LOCKED", ("Art.2(b)", "TC-08"))
_NOT_OPENED = Reason("BANKER_NOT_OPENED", ("Art.2(d)",))
_TIME_UP = Reason("TIME_UP", ("Art.2(d)", "TC-50"))
_LOCKED_PHASES = frozenset(
    (Phase.LOCKED, Phase.DEALING, Phase.DEALT, Phase.OPENED, Phase.COMPLETE, Phase.REDEAL)
)
_BETTING_FACTS = (facts.BetPlaced, facts.BetWithdrawn, facts.BetMoved)
_HAND_FACTS = (facts.HandTaken, facts.HandSet)


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
    assert state.game is not None, "an open table has a game"
    return state.game


def terms_of(state: TableState) -> Terms:
    """Return the terms of an open table."""
    assert state.terms is not None, "an open table has terms"
    return state.terms


def banker_gate(state: TableState) -> int:
    """Return the banker's gate (莊家), fixed when the table was opened (TC-01)."""
    options = terms_of(state).thirteen_cards
    assert options is not None, "checked when the table was opened"
    return options.banker_gate


def holders_now(game: ThirteenCards) -> Holders:
    """Return who would hold and shake if the bets were locked now (TC-06, TC-14)."""
    return holders(
        [
            Bet(b.bet_id, b.player_id, b.gate, b.unit_minor, b.units, b.player_id in game.places)
            for b in game.bets
        ]
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


def refuse(state: TableState, event: Event) -> Reason | None:
    """Return why the table does not take `event` now, or None."""
    game = game_of(state)
    fact = event.fact
    if (reason := _refuse_actor(event)) is not None:
        return reason
    match fact:
        case facts.PlaceTaken(player_id):
            if player_id in game.places:
                return Reason("HAS_PLACE")
            return _TOO_MANY if len(game.places) >= _MOST_PLACES else None
        case facts.PlaceLeft(player_id):
            return None if player_id in game.places else Reason("NO_PLACE")
        case facts.PackShuffled():
            if game.phase in RESTING or game.phase is Phase.REDEAL:
                return _refuse_round(state, game)
            return _WRONG_PHASE
        case events.ShuffleSealed(_, positions):
            return _refuse_seal(state, game, positions)
        case facts.PackCut(_, depth) | events.DeckCut(depth):
            return _refuse_cut(game, depth)
        case facts.PackBoxed():
            if game.phase is not Phase.SHUFFLED:
                return _WRONG_PHASE
            return None if game.cuts else Reason("CUT_MISSING", ("Art.2(a)", "TC-05"))
        case facts.BetPlaced() | facts.BetWithdrawn() | facts.BetMoved():
            return _refuse_bet(state, game, fact)
        case facts.ShakeStarted(player_id):
            if game.phase is not Phase.BETTING:
                return _WRONG_PHASE
            shaker = holders_now(game).dice_shaker
            return None if player_id == shaker else Reason("NOT_SHAKER", ("Art.2(b)", "TC-06"))
        case events.DiceThrown(values):
            if game.phase is not Phase.LOCKED:
                return _WRONG_PHASE
            return Reason("BAD_DICE", ("TC-07",)) if check_dice(values) else None
        case events.ThrowVoid():
            return None if game.phase is Phase.LOCKED else _WRONG_PHASE
        case events.DeckFaulty():
            return None
        case events.DeckOpened():
            if game.phase is not Phase.DEALING or game.pack:
                return _WRONG_PHASE
            return None if game.root else Reason("DECK_NOT_SEALED")
        case events.ReadingCorrected():
            return _refuse_correction(game, fact)
        case facts.PackDealt(dealt):
            if game.phase is not Phase.DEALING:
                return _WRONG_PHASE
            return _refuse_dealt(game, dealt) or (
                Reason("DECK_NOT_OPENED") if game.root and not game.pack else None
            )
        case facts.CardExposed():
            dealing = (Phase.DEALING, Phase.DEALT, Phase.OPENED)
            return None if game.phase in dealing else _WRONG_PHASE
        case facts.MisdealReported():
            return _refuse_misdeal(state, game, fact)
        case facts.BankerArranged(arrangement):
            return _refuse_banker(state, game, arrangement)
        case facts.BankerOpened():
            return _refuse_opening(state, game)
        case facts.HandTaken() | facts.HandSet():
            return _refuse_hand(state, game, event, fact)
        case _:
            return Reason("FACT_OF_ANOTHER_GAME")


def _refuse_actor(event: Event) -> Reason | None:
    """Return NOT_ALLOWED when this role may not report such a fact, or not for this player."""
    fact = event.fact
    player_id = getattr(fact, "player_id", None)
    match fact:
        case facts.PlaceTaken() | facts.PlaceLeft() | facts.BetPlaced():
            allowed = _is_self_or_dealer(event, player_id) and player_id != HOUSE
        case facts.BetWithdrawn() | facts.BetMoved():
            allowed = _is_self_or_dealer(event, player_id)
        case facts.ShakeStarted() | facts.PackCut():
            allowed = _is_self_or_dealer(event, player_id)
        case facts.HandTaken() | facts.HandSet():
            if event.role is Role.DEALER:
                allowed = player_id == HOUSE
            else:
                allowed = event.role is Role.PLAYER and event.person_id == player_id
        case facts.PackDealt():
            allowed = event.role is Role.DEALER or event.equipment_kind is EquipmentKind.SHOE
        case (
            facts.PackShuffled()
            | facts.PackBoxed()
            | facts.CardExposed()
            | facts.MisdealReported()
            | facts.BankerArranged()
            | facts.BankerOpened()
        ):
            allowed = event.role is Role.DEALER
        case _:
            allowed = True  # the table has looked at devices and supervisors already
    return None if allowed else _NOT_ALLOWED


def _is_self_or_dealer(event: Event, player_id: str | None) -> bool:
    if event.role is Role.DEALER:
        return True
    return event.role is Role.PLAYER and event.person_id == player_id != HOUSE


def _refuse_round(state: TableState, game: ThirteenCards) -> Reason | None:
    """Return why no further round may be opened, or None."""
    opens = game.phase in RESTING
    return Reason("STILL_OWING") if opens and would_forget_correction(state) else None


def _refuse_seal(state: TableState, game: ThirteenCards, positions: int) -> Reason | None:
    shuffling = game.phase is Phase.SHUFFLED and not game.root and not game.cuts
    if not (game.phase in RESTING or game.phase is Phase.REDEAL or shuffling):
        return _WRONG_PHASE
    if positions != PACK:
        return Reason("BAD_DECK", ("Art.1",))
    return _refuse_round(state, game)


def _refuse_cut(game: ThirteenCards, depth: int) -> Reason | None:
    if game.phase is not Phase.SHUFFLED:
        return _WRONG_PHASE
    if not 10 <= depth <= 42:
        return Reason("BAD_CUT", ("Art.2(a)", "TC-05"))
    return _TOO_MANY if len(game.cuts) >= _MOST_CUTS else None


def _refuse_gate(state: TableState, gate: int) -> Reason | None:
    if not is_gate(gate):
        return Reason("UNKNOWN_GATE")
    if gate == banker_gate(state):
        return Reason("BET_ON_BANKER", ("Art.3", "TC-02"))
    return None


def _refuse_bet(
    state: TableState,
    game: ThirteenCards,
    fact: facts.BetPlaced | facts.BetWithdrawn | facts.BetMoved,
) -> Reason | None:
    if game.phase in _LOCKED_PHASES or (game.phase is Phase.SHUFFLED and game.redealing):
        return _BETS_LOCKED
    if game.phase is not Phase.BETTING:
        return _WRONG_PHASE
    if isinstance(fact, facts.BetPlaced):
        return _refuse_gate(state, fact.gate) or _refuse_amount(state, game, fact)
    if not any(b.bet_id == fact.bet_id and b.player_id == fact.player_id for b in game.bets):
        return Reason("UNKNOWN_BET")
    return _refuse_gate(state, fact.gate) if isinstance(fact, facts.BetMoved) else None


def _refuse_amount(state: TableState, game: ThirteenCards, fact: facts.BetPlaced) -> Reason | None:
    options = terms_of(state).thirteen_cards
    assert options is not None, "checked when the table was opened"
    most = options.maximum_unit_minor
    fits = (
        1 <= fact.units <= 3
        and fact.unit_minor >= max(options.minimum_unit_minor, 1)
        and fact.unit_minor <= min(most or _LARGEST_UNIT, _LARGEST_UNIT)
        and all(bet.bet_id != fact.bet_id for bet in game.bets)
    )
    if not fits:
        return Reason("BAD_BET", ("Art.11", "TC-37"))
    return _TOO_MANY if len(game.bets) >= _MOST_BETS else None


def _refuse_correction(game: ThirteenCards, fact: events.ReadingCorrected) -> Reason | None:
    """Dice may be put right until the pack is dealt; afterwards people have seen what rests on them."""
    if fact.dice_thrown is None:
        return Reason("NOTHING_CORRECTED")
    if not game.dice_event or fact.event_id != game.dice_event:
        return Reason("UNKNOWN_READING")
    if game.phase is not Phase.DEALING or game.redealing:
        return Reason("READING_IN_USE")
    return Reason("BAD_DICE", ("TC-07",)) if check_dice(fact.dice_thrown.values) else None


def _refuse_dealt(game: ThirteenCards, dealt: tuple[facts.DealtCard, ...]) -> Reason | None:
    if check_deck([card.card for card in dealt]):
        return Reason("BAD_DECK", ("Art.2(c)",))
    if not all(is_gate(card.gate) for card in dealt):
        return Reason("UNKNOWN_GATE")
    return None


def _refuse_misdeal(
    state: TableState, game: ThirteenCards, fact: facts.MisdealReported
) -> Reason | None:
    if game.phase not in (Phase.DEALT, Phase.OPENED):
        return _WRONG_PHASE
    if (reason := _refuse_dealt(game, fact.dealt)) is not None:
        return reason
    banker = banker_gate(state)
    moves = misdealt(banker, game.dice, [(card.card, card.gate) for card in fact.dealt])
    if not moves:
        return Reason("NO_MISDEAL", ("Art.4",))
    if fact.recoverable:
        seen = {*game.taken, *((banker,) if game.phase is Phase.OPENED else ())}
        if seen & changed_gates(game, banker, fact.dealt):
            return Reason("HAND_SEEN", ("Art.4", "TC-12"))
    return None


def changed_gates(
    game: ThirteenCards, banker: int, dealt: tuple[facts.DealtCard, ...]
) -> frozenset[int]:
    """Return the gates whose cards change when a misdeal is put right.

    A card may have to go to or from a gate, or the order dealt is reported anew and gives a gate
    other cards than it was thought to have.
    """
    moves = misdealt(banker, game.dice, [(card.card, card.gate) for card in dealt])
    right = hands_of(banker, game.dice, [card.card for card in dealt])
    return frozenset(gate for move in moves for gate in (move.source, move.target)) | frozenset(
        gate for gate, hand in right.items() if set(hand) != set(game.hands[gate])
    )


def _refuse_lanes(
    arrangement: Arrangement, hand: tuple[str, ...], rules: tuple[str, ...]
) -> Reason | None:
    code = check_arrangement(arrangement.front, arrangement.middle, arrangement.back, hand)
    return Reason(code, rules) if code else None


def _is_foul(state: TableState, lanes: Arrangement) -> bool:
    return is_foul(lanes.front, lanes.middle, lanes.back, config(terms_of(state)))


def _refuse_banker(
    state: TableState, game: ThirteenCards, arrangement: Arrangement
) -> Reason | None:
    if game.phase not in (Phase.DEALT, Phase.OPENED):
        return _WRONG_PHASE
    if game.taken:
        return Reason("CARDS_TAKEN", ("TC-10",))
    hand = game.hands[banker_gate(state)]
    if (reason := _refuse_lanes(arrangement, hand, ("Art.7", "TC-44"))) is not None:
        return reason
    rejects = config(terms_of(state)).banker_foul == "reject"
    if game.phase is Phase.OPENED and rejects and _is_foul(state, arrangement):
        return Reason("BANKER_FOUL", ("TC-35",))
    return None


def _refuse_opening(state: TableState, game: ThirteenCards) -> Reason | None:
    if game.phase is not Phase.DEALT:
        return _WRONG_PHASE
    if game.banker is None:
        return Reason("BANKER_NOT_ARRANGED", ("Art.2(d)",))
    lanes = Arrangement(game.banker.front, game.banker.middle, game.banker.back)
    if config(terms_of(state)).banker_foul == "reject" and _is_foul(state, lanes):
        return Reason("BANKER_FOUL", ("TC-35",))
    return None


def _refuse_hand(
    state: TableState,
    game: ThirteenCards,
    event: Event,
    fact: facts.HandTaken | facts.HandSet,
) -> Reason | None:
    gate = fact.gate
    if game.phase in (Phase.DEALING, Phase.DEALT):
        return _NOT_OPENED
    if game.phase is Phase.COMPLETE:
        late = gate in gates_with_bets(game) and laid_at(game, gate) is None
        return _TIME_UP if late else _WRONG_PHASE
    if game.phase is not Phase.OPENED:
        return _WRONG_PHASE
    elapsed = elapsed_ms(state, event)
    assert elapsed is not None, "an opening with bets has a clock"
    if elapsed > config(terms_of(state)).arrange_limit_ms:
        return _TIME_UP
    if not is_gate(gate):
        return Reason("UNKNOWN_GATE")
    if game.holders.get(gate) != fact.player_id:
        return Reason("NOT_HOLDER", ("Art.5", "TC-14", "TC-15"))
    if isinstance(fact, facts.HandTaken):
        return Reason("CARDS_TAKEN") if gate in game.taken else None
    if laid_at(game, gate) is not None:
        return Reason("ALREADY_SET", ("TC-49",))
    return _refuse_lanes(fact.arrangement, game.hands[gate], ("Art.7", "TC-44"))


def bet_of(fact: facts.BetPlaced) -> LaidBet:
    """Return a bet as it lies on the layout."""
    return LaidBet(fact.bet_id, fact.player_id, fact.gate, fact.unit_minor, fact.units)
