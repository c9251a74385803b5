"""Which deals, misdeals and hands a Thirteen Cards table does not take, and why (A12, B10)."""

from floorbook.games.thirteen_cards.arrangement import Arrangement, check_arrangement
from floorbook.games.thirteen_cards.deal import (
    check_deck,
    check_hands,
    hands_of,
    is_gate,
    misdealt,
)
from floorbook.games.thirteen_cards.official import is_foul
from floorbook.table.events import Event
from floorbook.table.state import Reason, TableState
from floorbook.table.thirteen_cards import facts
from floorbook.table.thirteen_cards.state import Phase, ThirteenCards, gates_with_bets, laid_at
from floorbook.table.thirteen_cards.terms import (
    banker_gate,
    config,
    elapsed_ms,
    game_of,
    procedure,
    special_at,
    terms_of,
)

NO_LANES = Arrangement((), (), ())
_WRONG_PHASE = Reason("WRONG_PHASE")
_UNKNOWN_GATE = Reason("UNKNOWN_GATE")
_NOT_OPENED = Reason("BANKER_NOT_OPENED", ("Art.2(d)",))
_TIME_UP = Reason("TIME_UP", ("Art.2(d)", "TC-50"))


def refuse(state: TableState, event: Event) -> Reason | None:
    """Return why the table does not take an act on cards now, or None."""
    game, fact = game_of(state), event.fact
    match fact:
        case facts.PackDealt(dealt):
            if game.phase is not Phase.DEALING:
                return _WRONG_PHASE
            return _refuse_dealt(state, game, dealt) or (
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
        case facts.HandSet() if not procedure(state).banker_opens_first:
            return _refuse_setting(state, game, fact)
        case facts.HandTaken() | facts.HandSet():
            return _refuse_hand(state, game, event, fact)
        case facts.HandNotSet(gate):
            if game.phase is not Phase.DEALT:
                return _WRONG_PHASE
            if gate not in game.holders:
                return _UNKNOWN_GATE
            return Reason("ALREADY_SET") if laid_at(game, gate) is not None else None
        case _:
            return Reason("FACT_OF_ANOTHER_GAME")


def by_gate(dealt: tuple[facts.DealtCard, ...]) -> dict[int, tuple[str, ...]]:
    """Return the cards that lie at each gate, in the order dealt."""
    found: dict[int, list[str]] = {}
    for one in dealt:
        found.setdefault(one.gate, []).append(one.card)
    return {gate: tuple(cards) for gate, cards in sorted(found.items())}


def _refuse_dealt(
    state: TableState, game: ThirteenCards, dealt: tuple[facts.DealtCard, ...]
) -> Reason | None:
    gates_there = all(is_gate(card.gate) for card in dealt)
    if procedure(state).dice:
        if check_deck([card.card for card in dealt]):
            return Reason("BAD_DECK", ("Art.2(c)",))
        return None if gates_there else _UNKNOWN_GATE
    hands = by_gate(dealt)
    if check_hands(hands):
        return Reason("BAD_DECK")
    if not gates_there:
        return _UNKNOWN_GATE
    return None if hands.keys() == game.holders.keys() else Reason("BAD_DECK")


def _refuse_misdeal(
    state: TableState, game: ThirteenCards, fact: facts.MisdealReported
) -> Reason | None:
    if game.phase not in (Phase.DEALT, Phase.OPENED):
        return _WRONG_PHASE
    if not procedure(state).dice:
        # No order of dealing says what belongs where, and every hand was seen when it was dealt.
        return Reason("HAND_SEEN") if fact.recoverable else None
    if (reason := _refuse_dealt(state, game, fact.dealt)) is not None:
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
    """Return why a hand of the official game is not taken or set: against a clock, by the holder."""
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
        return _UNKNOWN_GATE
    if game.holders.get(gate) != fact.player_id:
        return Reason("NOT_HOLDER", ("Art.5", "TC-14", "TC-15"))
    if isinstance(fact, facts.HandTaken):
        return Reason("CARDS_TAKEN") if gate in game.taken else None
    if laid_at(game, gate) is not None:
        return Reason("ALREADY_SET", ("TC-49",))
    return _refuse_lanes(fact.arrangement or NO_LANES, game.hands[gate], ("Art.7", "TC-44"))


def _refuse_setting(state: TableState, game: ThirteenCards, fact: facts.HandSet) -> Reason | None:
    """Return why a hand of a variant is not set: all at the same time, without a clock."""
    gate = fact.gate
    if game.phase is not Phase.DEALT:
        return _WRONG_PHASE
    if not is_gate(gate):
        return _UNKNOWN_GATE
    if game.holders.get(gate) != fact.player_id:
        return Reason("NOT_HOLDER")
    if laid_at(game, gate) is not None:
        return Reason("ALREADY_SET")
    if fact.arrangement is None:
        declined = procedure(state).declinable and not fact.declare
        announced = not declined and special_at(state, gate) is not None
        return None if announced else Reason("NO_SPECIAL", ("TV-57", "TV-60"))
    return _refuse_lanes(fact.arrangement, game.hands[gate], ("ENC-0",))
