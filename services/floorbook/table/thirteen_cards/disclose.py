"""Who may see what of a Thirteen Cards round, and when (the last line of A12, B10).

Nobody learns the order of the pack before the lock; after the deal only the dealer sees the
banker's hand; after the opening everybody sees it, and a gate's hand is seen by its holder and
those who bet on it; when the round is complete all hands are open. In the variants nobody opens
first: from the deal each sees his own hand alone, the dealer that of the house.
"""

from collections.abc import Sequence

from floorbook.games.thirteen_cards.arrangement import Arrangement
from floorbook.games.thirteen_cards.deal import first_gate
from floorbook.table import events
from floorbook.table.effects import (
    DEALER,
    EVERYBODY,
    Audience,
    Disclosure,
    player_audience,
)
from floorbook.table.events import Event, Fact, Role
from floorbook.table.state import TableState, running_timer
from floorbook.table.thirteen_cards import facts
from floorbook.table.thirteen_cards.shown import (
    FirstGateShown,
    GateHolder,
    GateSet,
    HandShown,
    HoldersShown,
    RoundShown,
    ThirteenCardsShown,
    ThirteenCardsState,
)
from floorbook.table.thirteen_cards.state import Lanes, Phase, ThirteenCards, laid_at
from floorbook.table.thirteen_cards.terms import HOUSE, banker_gate, game_of, procedure

_SEEN_BY_ALL = (
    facts.PlaceTaken,
    facts.PlaceLeft,
    facts.PackShuffled,
    facts.PackCut,
    facts.PackBoxed,
    facts.BetPlaced,
    facts.BetWithdrawn,
    facts.BetMoved,
    facts.UnitSet,
    facts.ShakeStarted,
    facts.DealStarted,
    facts.CardExposed,
    facts.BankerOpened,
    facts.HandTaken,
    facts.HandNotSet,
)
_DEVICE_FACTS_SEEN = (
    events.ShuffleSealed,
    events.DeckCut,
    events.DeckFaulty,
    events.DiceThrown,
    events.ThrowVoid,
)
_OPEN = frozenset((Phase.COMPLETE, Phase.SETTLED))


def disclose(before: TableState, event: Event, after: TableState) -> Sequence[Disclosure]:
    """Return what an applied event shows, and to whom."""
    if after.game is None or before.game is None:
        return ()
    was, now = game_of(before), game_of(after)
    fact = event.fact
    shown: list[Disclosure] = []
    if isinstance(fact, _SEEN_BY_ALL):
        shown.append(_to((EVERYBODY,), fact=fact))
    elif isinstance(fact, _DEVICE_FACTS_SEEN):
        shown.append(Disclosure((EVERYBODY,), fact))
    match fact:
        case events.DiceThrown() | events.ReadingCorrected():
            gate = FirstGateShown(first_gate(banker_gate(after), now.dice))
            if isinstance(fact, events.ReadingCorrected):
                shown.append(Disclosure((EVERYBODY,), events.DiceThrown(now.dice)))
            shown.append(_to((EVERYBODY,), first_gate=gate))
        case facts.PackDealt():
            shown += [_to((EVERYBODY,), fact=facts.PackDealt()), *_dealt(before, after)]
        case facts.MisdealReported(_, recoverable):
            # That it happened is seen by all; which cards lie where is not.
            reported = facts.MisdealReported(recoverable=recoverable)
            shown += [_to((EVERYBODY,), fact=reported), *_dealt(before, after)]
        case facts.BankerArranged():
            who = EVERYBODY if now.phase is Phase.OPENED else DEALER
            shown.append(_to((who,), hand=_hand(now, banker_gate(after))))
        case facts.BankerOpened():
            shown.append(_to((EVERYBODY,), hand=_hand(now, banker_gate(after))))
            shown += [
                _to((DEALER,), hand=_hand(now, gate))
                for gate, holder in now.holders.items()
                if holder == HOUSE
            ]
        case facts.HandTaken(gate):
            shown.append(_to(_who_sees(after, gate), hand=_hand(now, gate)))
        case facts.HandSet(_, gate):
            shown.append(_to((EVERYBODY,), gate_set=GateSet(gate)))
            shown.append(_to(_who_sees(after, gate), hand=_hand(now, gate)))
    if now.locked and not was.locked:
        shown.append(_to((EVERYBODY,), holders=_holders(now)))
    if now.phase is Phase.COMPLETE and was.phase is not Phase.COMPLETE:
        shown += [_to((EVERYBODY,), hand=_hand(now, gate)) for gate in _dealt_gates(now)]
    return shown


def show_result(round_id: str, answer: events.RoundEvaluated) -> Disclosure:
    """Return a settlement as everybody sees it: its hands are open."""
    settled = RoundShown(answer.result, answer.explanation, round_id)
    return _to((EVERYBODY,), round=settled)


def view(state: TableState, role: Role, person_id: str) -> ThirteenCardsState:
    """Return what one viewer may see of the round as it stands."""
    game = game_of(state)
    timer = running_timer(state)
    thrown = bool(game.dice)
    steps = procedure(state)
    return ThirteenCardsState(
        banker_gate=banker_gate(state),
        places=game.places,
        bets=tuple(
            facts.BetPlaced(b.bet_id, b.player_id, b.gate, b.unit_minor, b.units)
            if steps.dice
            else facts.BetPlaced(b.bet_id, b.player_id, b.gate, stake_minor=b.stake)
            for b in game.bets
        ),
        holders=_holders(game) if game.locked else None,
        dice=game.dice,
        first_gate=FirstGateShown(first_gate(banker_gate(state), game.dice)) if thrown else None,
        hands=tuple(
            _hand(game, gate)
            for gate in _dealt_gates(game)
            if _sees(state, game, gate, role, person_id)
        ),
        taken=game.taken,
        set=tuple(laid.gate for laid in game.laid),
        arrange_until_ms=timer.due_ms - 1 if timer and timer.due_ms else 0,
        seats=tuple(GateHolder(gate, who) for gate, who in game.seats.items()),
        unit_minor=game.unit_minor,
    )


def _sees(state: TableState, game: ThirteenCards, gate: int, role: Role, person_id: str) -> bool:
    """Return whether a viewer may see the hand of `gate` now."""
    if game.phase in _OPEN:
        return True
    mine = role is Role.PLAYER and player_audience(person_id) in _who_sees(state, gate)
    house = role is Role.DEALER and game.holders.get(gate) == HOUSE
    if not procedure(state).banker_opens_first:
        return game.phase is Phase.DEALT and (mine or house)
    if gate == banker_gate(state):
        return game.phase is Phase.OPENED or (game.phase is Phase.DEALT and role is Role.DEALER)
    if game.phase is not Phase.OPENED:
        return False
    return house or (mine and gate in game.taken)


def _who_sees(state: TableState, gate: int) -> tuple[Audience, ...]:
    """Return who may see a gate's hand before it is open.

    Where the banker has opened its holder and those who bet on it, who may advise (Art.5);
    elsewhere the holder alone.
    """
    game = game_of(state)
    holder = game.holders.get(gate)
    if not procedure(state).banker_opens_first:
        if holder is None or holder == HOUSE:
            return () if holder is None else (DEALER,)
        return (player_audience(holder),)
    players = {bet.player_id: None for bet in game.bets if bet.gate == gate}
    audiences = tuple(player_audience(player_id) for player_id in players)
    return (*audiences, DEALER) if holder == HOUSE else audiences


def _dealt(before: TableState, after: TableState) -> list[Disclosure]:
    """Return the new hands for whom may see them at once: the banker's for the dealer, or each his own."""
    was, now = game_of(before), game_of(after)
    if not procedure(after).banker_opens_first:
        gates = _dealt_gates(now) if now.hands != was.hands else ()
        return [_to(_who_sees(after, gate), hand=_hand(now, gate)) for gate in gates]
    banker = banker_gate(after)
    if now.phase is not Phase.DEALT or (was.hands and was.hands[banker] == now.hands[banker]):
        return []
    return [_to((DEALER,), hand=_hand(now, banker))]


def _hand(game: ThirteenCards, gate: int) -> HandShown:
    laid = laid_at(game, gate)
    lanes: Lanes | None = laid.lanes if laid is not None else None
    if lanes is None and game.banker is not None and _is_banker(game, gate):
        lanes = game.banker
    arrangement = Arrangement(lanes.front, lanes.middle, lanes.back) if lanes else None
    return HandShown(gate, game.hands[gate], arrangement)


def _dealt_gates(game: ThirteenCards) -> tuple[int, ...]:
    return tuple(gate for gate, hand in enumerate(game.hands) if hand)


def _is_banker(game: ThirteenCards, gate: int) -> bool:
    assert game.banker is not None, "asked only when the banker has arranged"
    return game.banker.front[0] in game.hands[gate]


def _holders(game: ThirteenCards) -> HoldersShown:
    return HoldersShown(
        tuple(GateHolder(gate, who) for gate, who in game.holders.items()), game.shaker
    )


def _to(
    audiences: tuple[Audience, ...],
    *,
    fact: Fact | None = None,
    hand: HandShown | None = None,
    holders: HoldersShown | None = None,
    first_gate: FirstGateShown | None = None,
    round: RoundShown | None = None,
    gate_set: GateSet | None = None,
) -> Disclosure:
    return Disclosure(
        audiences, ThirteenCardsShown(fact, hand, holders, first_gate, round, gate_set)
    )
