"""Which acts a Pai Kau table takes in which phase, and the code of those it does not (5.1).

Authority first, then the phase, then the codes of the act's line in the specification's order:
those are the rules' own answers, from `games/pai_kau/procedure.py`. What the house adds comes last.
"""

from types import MappingProxyType

from floorbook.games.pai_kau import procedure
from floorbook.games.pai_kau.banking import Candidate
from floorbook.games.pai_kau.gates import FOUR_GATE_TILES, is_gate
from floorbook.games.pai_kau.round import LARGEST_AMOUNT, Bet, CoBank
from floorbook.games.pai_kau.tiles import SET, are_tiles, fit_one_set
from floorbook.table import events
from floorbook.table.events import EquipmentKind, Event, Fact, Role
from floorbook.table.pai_kau import facts
from floorbook.table.pai_kau.state import LOCKED, RESTING, SETTING, PaiKau, Phase
from floorbook.table.pai_kau.terms import game_of, laying, turn_of
from floorbook.table.state import Reason, TableState, would_forget_correction

MOST_REMEMBERED = 200
"""How many people who have bet are remembered (PK-53)."""
_MOST_GATES = 8
_MOST_BETS = 200
_MOST_COBANKS = 20
_MOST_ANSWERS = 200
_MOST_VOID_THROWS = 20
# What can be sent again and again has an end, so that a table's state, its rounds and their
# settlements stay what can be stored and booked.
_TOO_MANY = Reason("TOO_MANY")
_WRONG_PHASE = Reason("WRONG_PHASE")
_NOT_ALLOWED = Reason("NOT_ALLOWED")

_BEFORE_BETTING = RESTING | {Phase.SHUFFLED}
_BETTING = frozenset((Phase.BETTING,))
_SHUFFLED = frozenset((Phase.SHUFFLED,))
_LOCKED = frozenset((Phase.LOCKED,))
_DEALT = frozenset((Phase.DEALT,))

PHASES: MappingProxyType[type[Fact], frozenset[Phase]] = MappingProxyType(
    {
        events.TableClosed: RESTING,
        events.RoundVoided: frozenset(Phase) - RESTING,
        events.ShuffleSealed: _BEFORE_BETTING,
        events.DeckOpened: _DEALT,
        events.DeckFaulty: frozenset(Phase),
        events.DiceThrown: _LOCKED,
        events.ThrowVoid: _LOCKED,
        events.ReadingCorrected: frozenset(Phase),
        facts.TilesShuffled: RESTING,
        facts.TilesCarriedOver: RESTING,
        facts.GatesAnnounced: _SHUFFLED,
        facts.BankLeft: _BEFORE_BETTING,
        facts.ConsentGiven: _BEFORE_BETTING,
        facts.BankAnswered: _SHUFFLED,
        facts.BankAssigned: _SHUFFLED,
        facts.BettingOpened: _SHUFFLED,
        facts.BetChanged: _BETTING,
        facts.StakePosted: _BETTING,
        facts.CoBankPosted: _BETTING,
        facts.TilesMoved: _BETTING,
        facts.HeadTilesPut: _BETTING,
        facts.DiceShaken: _BETTING,
        facts.TilesDealt: _DEALT,
        facts.TileExposed: SETTING | {Phase.DEALT},
        facts.PairsSet: SETTING,
        facts.PairsNotSet: SETTING,
        facts.PairsOpened: frozenset((Phase.BANKER_SETTING,)),
        facts.BankCorrected: _BEFORE_BETTING,
        facts.HeldTilesCorrected: RESTING,
    }
)
"""In which phases an act is looked at at all."""


def refuse(state: TableState, event: Event) -> Reason | None:
    """Return why the table does not take `event` now, or None."""
    fact = event.fact
    phases = PHASES.get(type(fact))
    if phases is None:
        return Reason("FACT_OF_ANOTHER_GAME")
    if not _is_allowed(event):
        return _NOT_ALLOWED
    game = game_of(state)
    if game.phase not in phases:
        return _out_of_phase(game, fact)
    match fact:
        case facts.TilesShuffled() | facts.TilesCarriedOver() | events.ShuffleSealed():
            return _refuse_tiles(state, game, fact)
        case events.DeckOpened():
            if game.opened:
                return _WRONG_PHASE
            return None if game.root else Reason("DECK_NOT_SEALED")
        case events.ThrowVoid():
            return _TOO_MANY if len(game.throws) >= _MOST_VOID_THROWS else None
        case events.ReadingCorrected():
            return _refuse_correction(game, fact)
        case facts.TilesDealt(hands):
            dealt = [(hand.gate, hand.tiles) for hand in hands]
            used = game.used_tiles
            if (objection := procedure.object_to_hands(game.gates, dealt, used)) is not None:
                return _reason(objection)
            sealed = game.root and not game.opened
            return Reason("DECK_NOT_OPENED") if sealed else None
        case facts.BankCorrected():
            return _refuse_bank(game, fact)
        case facts.HeldTilesCorrected(used):
            return _refuse_held(used)
        case _:
            return _reason(_object(game, fact)) or _refuse_more(game, fact)


def _object(game: PaiKau, fact: Fact) -> procedure.Objection | None:
    """Return what the rules object to in an act that comes in its phase."""
    match fact:
        case events.TableClosed():
            return procedure.object_to_opening_table(game.turn)
        case events.DiceThrown(values):
            return procedure.object_to_throw(values)
        case facts.GatesAnnounced(gates):
            return procedure.object_to_gates(gates, game.carried_over, game.turn)
        case facts.BankLeft(player_id):
            return procedure.object_to_leaving_bank(game.turn, player_id or None)
        case facts.ConsentGiven(player_id):
            return procedure.object_to_consent(game.turn, player_id, game.last_bettors)
        case facts.BankAnswered(gate, player_id, accepts):
            answer = Candidate(gate, player_id, accepts, player_id in game.has_bet)
            return procedure.object_to_answer(
                game.turn, game.gates, answer, game.last_gate, game.opening
            )
        case facts.BankAssigned():
            return procedure.object_to_assigning_bank(
                game.turn, game.gates, game.candidates, game.last_gate, game.opening
            )
        case facts.BettingOpened():
            return procedure.object_to_betting(
                game.turn, game.gates, game.last_bettors, game.consents
            )
        case facts.PairsSet(gate, player_id, front, back):
            tiles = game.hands[gate - 1] if is_gate(gate, game.gates) else ()
            return procedure.object_to_setting(laying(game), gate, player_id, tiles, front, back)
        case facts.PairsNotSet(gate):
            return procedure.object_to_not_setting(laying(game), gate)
        case facts.PairsOpened():
            return procedure.object_to_opening_pairs(laying(game))
        case _:
            return _object_while_betting(game, fact)


def _object_while_betting(game: PaiKau, fact: Fact) -> procedure.Objection | None:
    match fact:
        case facts.BetChanged(gate, player_id, amount):
            bet = Bet(gate, player_id, amount)
            return procedure.object_to_bet(game.gates, turn_of(game), game.bets, game.cobanks, bet)
        case facts.StakePosted(player_id, amount):
            return procedure.object_to_stake(turn_of(game), player_id, amount)
        case facts.CoBankPosted(co_bank_id, amount, house, gate):
            cobank = CoBank(co_bank_id, amount, house, gate)
            return procedure.object_to_cobank(
                game.gates, turn_of(game), game.bets, game.cobanks, cobank
            )
        case facts.TilesMoved(player_id):
            return procedure.object_to_moving(
                turn_of(game), game.moves, game.head_tiles_out, player_id
            )
        case facts.HeadTilesPut(player_id):
            return procedure.object_to_head_tiles(
                turn_of(game), player_id, game.stake, game.head_tiles_out
            )
        case facts.DiceShaken(player_id):
            return procedure.object_to_shake(turn_of(game), player_id, game.head_tiles_out)
        case _:
            return None


def _reason(objection: procedure.Objection | None) -> Reason | None:
    return None if objection is None else Reason(objection.code, objection.cites)


def _out_of_phase(game: PaiKau, fact: Fact) -> Reason:
    if isinstance(fact, events.RoundVoided):
        return Reason("WRONG_PHASE", ("PK-43",))
    stakes = (facts.BetChanged, facts.StakePosted, facts.CoBankPosted)
    if isinstance(fact, stakes) and game.phase in LOCKED:
        return Reason("BETS_LOCKED", ("A2.7",))
    return _WRONG_PHASE


def _is_allowed(event: Event) -> bool:
    """Return whether such a fact may come from this role, and for this player."""
    fact, role = event.fact, event.role
    match fact:
        case facts.CoBankPosted(co_bank_id, _, house):
            if house:
                return role in (Role.DEALER, Role.SUPERVISOR)
            return _is_self_or_dealer(event, co_bank_id)
        case (
            facts.BankLeft(player_id)
            | facts.ConsentGiven(player_id)
            | facts.StakePosted(player_id)
            | facts.TilesMoved(player_id)
            | facts.HeadTilesPut(player_id)
            | facts.DiceShaken(player_id)
            | facts.BankAnswered(_, player_id)
            | facts.BetChanged(_, player_id)
            | facts.PairsSet(_, player_id)
        ):
            return _is_self_or_dealer(event, player_id)
        case facts.TilesDealt():
            return role is Role.DEALER or event.equipment_kind is EquipmentKind.SHOE
        case (
            facts.TilesShuffled()
            | facts.TilesCarriedOver()
            | facts.GatesAnnounced()
            | facts.BankAssigned()
            | facts.BettingOpened()
            | facts.TileExposed()
            | facts.PairsNotSet()
            | facts.PairsOpened()
        ):
            return role is Role.DEALER
        case _:
            return True  # the table has looked at devices and supervisors already


def _is_self_or_dealer(event: Event, player_id: str) -> bool:
    if event.role is Role.DEALER:
        return True
    return event.role is Role.PLAYER and event.person_id == player_id != ""


def _refuse_tiles(state: TableState, game: PaiKau, fact: Fact) -> Reason | None:
    """Return why a round cannot begin with such tiles, or a machine not seal what was shuffled."""
    begins = game.phase in RESTING
    held_over = bool(game.used_tiles)
    objection = None
    match fact:
        case facts.TilesShuffled(new_tiles):
            objection = procedure.object_to_shuffle(held_over, new_tiles)
        case facts.TilesCarriedOver():
            objection = procedure.object_to_carrying_over(held_over)
        case events.ShuffleSealed(_, positions):
            if not begins and (game.root or game.carried_over):
                return _WRONG_PHASE
            if positions != len(SET):
                return Reason("BAD_DECK", ("A1.1",))
            objection = procedure.object_to_shuffle(begins and held_over, new_tiles=False)
    if objection is not None:
        return _reason(objection)
    return Reason("STILL_OWING") if begins and would_forget_correction(state) else None


def _refuse_more(game: PaiKau, fact: Fact) -> Reason | None:
    """Return what the house objects to where the rules do not: its limits, and too many."""
    match fact:
        case facts.BetChanged(gate, player_id, amount) if amount:
            most = game.maximum_bet or LARGEST_AMOUNT
            if not game.minimum_bet <= amount <= most:
                return Reason("OUTSIDE_LIMITS")
            lies = any((bet.gate, bet.player_id) == (gate, player_id) for bet in game.bets)
            return None if lies or len(game.bets) < _MOST_BETS else _TOO_MANY
        case facts.CoBankPosted(co_bank_id, _, house):
            before = [posted for posted in game.cobanks if posted.id == co_bank_id]
            if before and before[0].house != house:
                return Reason("BAD_ID", ("A5.5",))  # the house's money and a customer's are two
            return None if before or len(game.cobanks) < _MOST_COBANKS else _TOO_MANY
        case facts.BankAnswered(_, player_id) if all(
            one.player_id != player_id for one in game.answers
        ):
            return _TOO_MANY if len(game.answers) >= _MOST_ANSWERS else None
        case _:
            return None


def _refuse_correction(game: PaiKau, fact: events.ReadingCorrected) -> Reason | None:
    """Dice may be put right until the tiles are dealt; afterwards people have seen their own."""
    if fact.dice_thrown is None:
        return Reason("NOTHING_CORRECTED")
    if not game.dice_event or fact.event_id != game.dice_event:
        return Reason("UNKNOWN_READING")
    if game.phase is not Phase.DEALT:
        return Reason("READING_IN_USE")
    return _reason(procedure.object_to_throw(fact.dice_thrown.values))


def _refuse_bank(game: PaiKau, fact: facts.BankCorrected) -> Reason | None:
    """Return why the bank cannot stand as a supervisor says."""
    if not is_gate(fact.gate, _MOST_GATES) and (fact.gate or fact.player_id):
        return Reason("BAD_GATE", ("A5.1",))
    if fact.last_gate > _MOST_GATES:
        return Reason("BAD_GATE", ("A5.1",))
    if fact.gate and not fact.player_id:
        return Reason("BAD_ID")
    if not 0 <= fact.minimum_stake_minor <= LARGEST_AMOUNT:
        return Reason("BAD_AMOUNT", ("A5.4",))
    if fact.gate > (game.gates or _MOST_GATES):
        return Reason("BANKER_OUTSIDE", ("PK-51",))
    return None


def _refuse_held(used: tuple[str, ...]) -> Reason | None:
    whole = len(used) in (0, FOUR_GATE_TILES) and are_tiles(used) and fit_one_set(used)
    return None if whole else Reason("BAD_TILES", ("A2.4", "PK-33"))
