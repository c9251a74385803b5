"""Which acts a Thirteen Cards table takes in which phase, and the code of those it does not (A12, B10).

Authority first, then the phase, then the codes of the act's line in the specification's order. An
act that a rule set does not have belongs to none of its phases. A dealer may report what players
do at his table (places, bets, cuts, the shake); a hand is taken and set by its holder, and by the
dealer only where the house holds. Cards and hands are in refuse_cards.py.
"""

from floorbook.games.thirteen_cards.deal import check_dice, is_gate
from floorbook.games.thirteen_cards.procedure import Procedure
from floorbook.table import events
from floorbook.table.events import EquipmentKind, Event, Fact, Role
from floorbook.table.state import Reason, TableState, would_forget_correction
from floorbook.table.thirteen_cards import facts, refuse_cards
from floorbook.table.thirteen_cards.state import RESTING, Phase, ThirteenCards
from floorbook.table.thirteen_cards.terms import (
    HOUSE,
    banker_gate,
    game_of,
    holders_now,
    house_gate,
    options_of,
    players_now,
    procedure,
)

PACK = 52
_FEWEST_GATES = 2
_MOST_BETS = 200
_MOST_PLACES = 200
_MOST_CUTS = 20
# What can be sent again and again has an end, so that a table's state, its rounds and their
# settlements stay what can be stored and booked.
_TOO_MANY = Reason("TOO_MANY")
_LARGEST_UNIT = 10**15  # a hundred times that, and more, is an amount that a ledger can hold
_WRONG_PHASE = Reason("WRONG_PHASE")
_NOT_ALLOWED = Reason("NOT_ALLOWED")
_UNKNOWN_GATE = Reason("UNKNOWN_GATE")
_LOCKED_PHASES = frozenset(
    (Phase.LOCKED, Phase.DEALING, Phase.DEALT, Phase.OPENED, Phase.COMPLETE, Phase.REDEAL)
)


def refuse(state: TableState, event: Event) -> Reason | None:
    """Return why the table does not take `event` now, or None."""
    fact = event.fact
    if (reason := _refuse_actor(event)) is not None:
        return reason
    if not _has_act(procedure(state), fact):
        return _WRONG_PHASE
    game = game_of(state)
    match fact:
        case facts.PlaceTaken():
            return _refuse_place(state, game, fact)
        case facts.PlaceLeft(player_id):
            seated = player_id in (*game.places, *game.seats.values())
            return None if seated else Reason("NO_PLACE")
        case facts.PackShuffled():
            if game.phase in RESTING or game.phase is Phase.REDEAL:
                return _refuse_round(state, game)
            return _WRONG_PHASE
        case events.ShuffleSealed(_, positions):
            return _refuse_seal(state, game, positions)
        case facts.PackCut(_, depth) | events.DeckCut(depth):
            return _refuse_cut(game, depth)
        case facts.PackBoxed():
            return _refuse_boxing(state, game)
        case facts.UnitSet(unit_minor):
            if not (game.phase in RESTING or (game.phase is Phase.SHUFFLED and not game.locked)):
                return _WRONG_PHASE
            return None if _is_amount(state, unit_minor) else Reason("BAD_BET", ("TV-02",))
        case facts.BetPlaced() | facts.BetWithdrawn() | facts.BetMoved():
            return _refuse_bet(state, game, fact)
        case facts.ShakeStarted(player_id):
            if game.phase is not Phase.BETTING:
                return _WRONG_PHASE
            shaker = holders_now(game).dice_shaker
            return None if player_id == shaker else Reason("NOT_SHAKER", ("Art.2(b)", "TC-06"))
        case facts.DealStarted():
            return _refuse_start(state, game)
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
        case events.RoundVoided():
            return Reason("WRONG_PHASE", ("TC-45",)) if game.phase in RESTING else None
        case events.TableClosed():
            return None
        case _:
            return refuse_cards.refuse(state, event)


def _has_act(steps: Procedure, fact: Fact) -> bool:
    """Return whether a round of that procedure knows such an act at all."""
    match fact:
        case facts.BetPlaced() | facts.BetWithdrawn() | facts.BetMoved():
            return steps.bets
        case facts.ShakeStarted():
            return steps.dice
        case facts.DealStarted():
            return steps.bets and not steps.dice
        case facts.UnitSet():
            return not steps.bets
        case facts.BankerArranged() | facts.BankerOpened() | facts.HandTaken():
            return steps.banker_opens_first
        case facts.HandSet():
            return steps.arranged
        case facts.HandNotSet():
            return steps.arranged and not steps.banker_opens_first
        case _:
            return True


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
            | facts.UnitSet()
            | facts.DealStarted()
            | facts.CardExposed()
            | facts.MisdealReported()
            | facts.BankerArranged()
            | facts.BankerOpened()
            | facts.HandNotSet()
        ):
            allowed = event.role is Role.DEALER
        case _:
            allowed = True  # the table has looked at devices and supervisors already
    return None if allowed else _NOT_ALLOWED


def _is_self_or_dealer(event: Event, player_id: str | None) -> bool:
    if event.role is Role.DEALER:
        return True
    return event.role is Role.PLAYER and event.person_id == player_id != HOUSE


def _refuse_place(state: TableState, game: ThirteenCards, fact: facts.PlaceTaken) -> Reason | None:
    if fact.player_id in (*game.places, *game.seats.values()):
        return Reason("HAS_PLACE")
    if procedure(state).dice:
        return _TOO_MANY if len(game.places) >= _MOST_PLACES else None
    if fact.gate is None or not is_gate(fact.gate):
        return _UNKNOWN_GATE
    taken = fact.gate in game.seats or fact.gate == house_gate(state)
    return Reason("GATE_TAKEN") if taken else None


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


def _refuse_boxing(state: TableState, game: ThirteenCards) -> Reason | None:
    """Where there are no bets, boxing locks the round: what for and among whom must stand."""
    if game.phase is not Phase.SHUFFLED:
        return _WRONG_PHASE
    steps = procedure(state)
    if steps.dice and not game.cuts:
        return Reason("CUT_MISSING", ("Art.2(a)", "TC-05"))
    if steps.bets or game.redealing:
        return None
    if not game.unit_minor:
        return Reason("UNIT_MISSING", ("TV-02",))
    return _refuse_few(state)


def _refuse_start(state: TableState, game: ThirteenCards) -> Reason | None:
    if game.phase is not Phase.BETTING:
        return _WRONG_PHASE
    playing = players_now(state)
    if banker_gate(state) not in playing:
        return Reason("BANKER_MISSING")
    if any(bet.gate not in playing for bet in game.bets):
        return _UNKNOWN_GATE
    return _refuse_few(state)


def _refuse_few(state: TableState) -> Reason | None:
    enough = len(players_now(state)) >= _FEWEST_GATES
    return None if enough else Reason("NOT_ENOUGH_GATES", ("TV-54",))


def _refuse_gate(state: TableState, gate: int) -> Reason | None:
    if not is_gate(gate):
        return _UNKNOWN_GATE
    if gate == banker_gate(state):
        return Reason("BET_ON_BANKER", ("Art.3", "TC-02"))
    if not procedure(state).dice and gate not in game_of(state).seats:
        return _UNKNOWN_GATE
    return None


def _refuse_bet(
    state: TableState,
    game: ThirteenCards,
    fact: facts.BetPlaced | facts.BetWithdrawn | facts.BetMoved,
) -> Reason | None:
    official = procedure(state).dice
    if game.phase in _LOCKED_PHASES or (game.phase is Phase.SHUFFLED and game.redealing):
        return Reason("BETS_LOCKED", ("Art.2(b)", "TC-08") if official else ("TV-61",))
    if game.phase is not Phase.BETTING:
        return _WRONG_PHASE
    if isinstance(fact, facts.BetPlaced):
        return _refuse_gate(state, fact.gate) or _refuse_amount(state, game, fact)
    if not any(b.bet_id == fact.bet_id and b.player_id == fact.player_id for b in game.bets):
        return Reason("UNKNOWN_BET")
    return _refuse_gate(state, fact.gate) if isinstance(fact, facts.BetMoved) else None


def _refuse_amount(state: TableState, game: ThirteenCards, fact: facts.BetPlaced) -> Reason | None:
    if procedure(state).dice:
        rules: tuple[str, ...] = ("Art.11", "TC-37")
        amount, fits = fact.unit_minor, 1 <= fact.units <= 3 and not fact.stake_minor
    else:
        rules = ()
        amount, fits = fact.stake_minor, not (fact.unit_minor or fact.units)
    fresh = all(bet.bet_id != fact.bet_id for bet in game.bets)
    if not (fits and fresh and _is_amount(state, amount)):
        return Reason("BAD_BET", rules)
    return _TOO_MANY if len(game.bets) >= _MOST_BETS else None


def _is_amount(state: TableState, amount: int) -> bool:
    """Return whether a unit or stake lies within the table's limits and the ledger's."""
    options = options_of(state)
    most = min(options.maximum_unit_minor or _LARGEST_UNIT, _LARGEST_UNIT)
    return max(options.minimum_unit_minor, 1) <= amount <= most


def _refuse_correction(game: ThirteenCards, fact: events.ReadingCorrected) -> Reason | None:
    """Dice may be put right until the pack is dealt; afterwards people have seen what rests on them."""
    if fact.dice_thrown is None:
        return Reason("NOTHING_CORRECTED")
    if not game.dice_event or fact.event_id != game.dice_event:
        return Reason("UNKNOWN_READING")
    if game.phase is not Phase.DEALING or game.redealing:
        return Reason("READING_IN_USE")
    return Reason("BAD_DICE", ("TC-07",)) if check_dice(fact.dice_thrown.values) else None
