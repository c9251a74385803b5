"""Why an event is not taken: authority, suspension and what all games have in common.

Tested in this order: equipment, authority, suspension, the fact's own conditions, the game's. The
first that applies is the verdict. Codes that rest on no article are the house's own and are
explained, by code, in docs/floor.md.
"""

from types import MappingProxyType
from typing import Protocol

from msgspec import Struct

from floorbook import ids
from floorbook.table import events, sources
from floorbook.table.events import Decision, EquipmentKind, Event, Fact, Role
from floorbook.table.game import Game, games
from floorbook.table.state import (
    CORRECTABLE,
    ROUNDS_KEPT,
    CauseKind,
    Evaluation,
    Reason,
    RoundRecord,
    TableState,
)

_ROLES = MappingProxyType(
    {
        EquipmentKind.SHUFFLER: frozenset((Role.DEVICE,)),
        EquipmentKind.DICE: frozenset((Role.DEVICE,)),
        EquipmentKind.SHOE: frozenset((Role.DEVICE,)),
        EquipmentKind.DEALER_TERMINAL: frozenset((Role.DEALER, Role.SUPERVISOR)),
        EquipmentKind.SEAT_TERMINAL: frozenset((Role.PLAYER,)),
        EquipmentKind.PIT_TERMINAL: frozenset((Role.SUPERVISOR,)),
    }
)
"""In which roles one may act at a piece of equipment."""

SUPERVISOR_FACTS: frozenset[type[Fact]] = frozenset(
    (
        events.TableOpened,
        events.TableClosed,
        events.EquipmentChanged,
        events.TableSuspended,
        events.SuspensionResolved,
        events.ReadingCorrected,
        events.RoundVoided,
        events.SettledRoundVoided,
        events.SettledRoundCorrected,
    )
)
_DEVICE_FACTS: MappingProxyType[type[Fact], EquipmentKind] = MappingProxyType(
    {
        events.ShuffleSealed: EquipmentKind.SHUFFLER,
        events.DeckCut: EquipmentKind.SHUFFLER,
        events.DeckOpened: EquipmentKind.SHUFFLER,
        events.DeckFaulty: EquipmentKind.SHUFFLER,
    }
)
"""Facts that only one kind of device can read."""
_DICE_FACTS = frozenset((events.DiceThrown, events.ThrowVoid))
PROCESSOR_FACTS = frozenset((events.RoundEvaluated, events.EvaluationRefused, events.TimerExpired))
_STATUS = frozenset((events.SourceStarted, events.DeckFaulty))
"""Device status: taken while suspended."""


class Records(Protocol):
    """Where settled rounds are kept: a mapping, or a store that reads them when asked."""

    def get(self, slot: int, /) -> RoundRecord | None:
        """Return the record kept in a slot, or None."""


class Recall(Struct, frozen=True):
    """The settled rounds of a table that are still kept, by number modulo ROUNDS_KEPT.

    They are as the state of the same event left them: both are stored whole or not at all.
    """

    records: Records

    def round(self, number: int) -> RoundRecord | None:
        """Return the record of that round, or None when it is not kept."""
        record = self.records.get(number % ROUNDS_KEPT)
        return record if record is not None and record.round_number == number else None


NOTHING_KEPT = Recall({})


def refuse(state: TableState, event: Event, game: Game | None, recall: Recall) -> Reason | None:
    """Return why `event` is refused, or None when the table takes it."""
    if is_stranger(state, event):
        return Reason("UNKNOWN_EQUIPMENT")
    if (reason := _refuse_author(event)) is not None:
        return reason
    fact = event.fact
    if isinstance(fact, events.ViewAsked):
        return None
    if state.causes and not _is_supervisors(fact) and type(fact) not in _STATUS:
        return Reason("SUSPENDED")
    if isinstance(fact, events.SourceStarted):
        return None if event.sequence == 1 else Reason("LATE_SOURCE_START")
    if isinstance(fact, events.TableOpened):
        return _refuse_opening(state, event, fact, game)
    if state.terms is None or game is None:
        return Reason("TABLE_CLOSED")
    match fact:
        case events.TableClosed():
            if not game.is_resting(state):
                return Reason("ROUND_IN_PROGRESS")
            return Reason("STILL_OWING") if state.obligations else game.refuse(state, event)
        case events.EquipmentChanged(equipment):
            if not (state.causes or game.is_resting(state)):
                return Reason("ROUND_IN_PROGRESS")
            return _refuse_equipment(event, equipment)
        case events.TableSuspended():
            return None
        case events.SuspensionResolved():
            return _refuse_resolution(state, fact)
        case events.SettledRoundVoided(round_id):
            record = find_round(state, round_id, recall)
            return record if isinstance(record, Reason) else None
        case events.SettledRoundCorrected(round_id):
            record = find_round(state, round_id, recall)
            if isinstance(record, Reason):
                return record
            if not record.in_force:
                return Reason("ROUND_UNDER_CORRECTION")
            corrected = games()[record.rule_set].correct(record, fact)
            return corrected if isinstance(corrected, Reason) else None
        case _:
            return game.refuse(state, event)


def refuse_answer(
    fact: events.RoundEvaluated, owed: Evaluation, game: Game
) -> tuple[Reason, str] | None:
    """Return why the evaluator's answer does not fit what was asked, or None.

    The sentence beside the reason may name a player: it is the supervisor's alone.
    """
    if (fact.rule_set, fact.rules_version) != (owed.rule_set, owed.rules_version):
        return Reason("ANSWER_OF_OTHER_RULES"), f"{fact.rule_set} {fact.rules_version}"
    if (fault := game.answer_fault(owed.request, fact.result)) is not None:
        return Reason("ANSWER_UNFIT"), fault
    return None


def find_round(state: TableState, round_id: str, recall: Recall) -> RoundRecord | Reason:
    """Return the settled round that can still be voided or corrected, or why it cannot."""
    table, _, number_text = round_id.partition("/")
    if table != state.table_id or not (number_text.isascii() and number_text.isdecimal()):
        return Reason("UNKNOWN_ROUND")
    number = int(number_text)
    if not 1 <= number <= state.round_number or ids.round_id(table, number) != round_id:
        return Reason("UNKNOWN_ROUND")
    if _last_over(state) - number >= CORRECTABLE:
        return Reason("ROUND_TOO_OLD")
    record = recall.round(number)
    if record is None:
        return Reason("ROUND_NOT_SETTLED")
    return Reason("ROUND_VOID") if record.void else record


def _last_over(state: TableState) -> int:
    """Return the number of the last round that is over."""
    in_progress = state.terms and not games()[state.terms.rule_set].is_resting(state)
    return state.round_number - 1 if in_progress else state.round_number


def is_stranger(state: TableState, event: Event) -> bool:
    """Return whether an open table does not have the equipment that `event` comes from."""
    if state.terms is None:
        return False
    for station in state.stations:
        if station.equipment_id == event.equipment_id:
            return station.kind is not event.equipment_kind
    return True


def _is_supervisors(fact: Fact) -> bool:
    return type(fact) in SUPERVISOR_FACTS or isinstance(fact, events.SupervisorFact)


def _refuse_author(event: Event) -> Reason | None:
    """Return why in this role, at such equipment, nobody may report such a fact, or None."""
    kind = event.equipment_kind
    if kind is None or event.role not in _ROLES[kind]:
        return Reason("NOT_ALLOWED")
    fact = type(event.fact)
    if fact in PROCESSOR_FACTS:
        return Reason("NOT_ALLOWED")
    if _is_supervisors(event.fact) and event.role is not Role.SUPERVISOR:
        return Reason("NOT_ALLOWED")
    if (device := _DEVICE_FACTS.get(fact)) is not None and kind is not device:
        return Reason("NOT_ALLOWED")
    if fact in _DICE_FACTS and not (
        kind is EquipmentKind.DICE or event.role in (Role.DEALER, Role.SUPERVISOR)
    ):
        return Reason("NOT_ALLOWED")
    return None


def _refuse_opening(
    state: TableState, event: Event, fact: events.TableOpened, game: Game | None
) -> Reason | None:
    if state.terms is not None:
        return Reason("ALREADY_OPEN")
    if game is None:
        return Reason("UNKNOWN_RULE_SET")
    if (reason := game.refuse_terms(fact)) is not None:
        return reason
    return _refuse_equipment(event, fact.equipment)


def _refuse_equipment(event: Event, equipment: tuple[events.Equipment, ...]) -> Reason | None:
    """Return why a table cannot have that equipment: nobody may lock himself out."""
    names = [e.equipment_id for e in equipment]
    if len(set(names)) != len(names):
        return Reason("EQUIPMENT_TWICE")
    own = (event.equipment_id, event.equipment_kind)
    if own not in [(e.equipment_id, e.kind) for e in equipment]:
        return Reason("OWN_TERMINAL_MISSING")
    return None


def _refuse_resolution(state: TableState, fact: events.SuspensionResolved) -> Reason | None:
    if not any(cause.cause_id == fact.cause_id for cause in state.causes):
        return Reason("UNKNOWN_CAUSE")
    kind, *rest = fact.cause_id.split("/")
    if (kind == CauseKind.HOLE) != (fact.decision is Decision.CONTINUE_AT):
        return Reason("WRONG_DECISION")
    if kind == CauseKind.HOLE:
        source = sources.source_of(state, rest[0])
        boot = int(rest[1])
        if source is not None and source.boot == boot and fact.next_sequence <= source.sequence:
            return Reason("SEQUENCE_PASSED")
        if fact.next_sequence < 1:
            return Reason("SEQUENCE_PASSED")
    return None
