"""What a table remembers: its terms, its sources, why it is suspended, what it owes, its round.

Stored as MessagePack arrays, so a field added later stands last and has a default; VERSION grows
when an older form must be changed at load. Also the changes that every game makes alike: opening
a round, owing an evaluation, starting a timer, suspending and going on.
"""

from enum import StrEnum
from functools import cache
from typing import TypeVar

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from floorbook import ids
from floorbook.money import Transfer
from floorbook.table.events import EquipmentKind
from floorbook.table.mahjong.state import Mahjong
from floorbook.table.pai_kau.state import PaiKau
from floorbook.table.thirteen_cards.shapes import ThirteenCardsOptions
from floorbook.table.thirteen_cards.state import ThirteenCards

VERSION = 1
CORRECTABLE = 10
"""How many of a table's last rounds can still be voided or corrected."""
ROUNDS_KEPT = CORRECTABLE + 1
"""How many are kept: those, and the one in progress once it is settled."""

MOST_CAUSES = 32
"""How many causes a table keeps at once, the supervisor's own apart."""

_DAY_MINUTES = 24 * 60
_MINUTE_MS = 60_000
_EPOCH_ORDINAL = 719_163  # 1970-01-01 as a proleptic Gregorian ordinal


class StateTooNew(Exception):
    """Stored state was written by a newer version: roll back by rebuilding from the log."""


class Terms(Struct, frozen=True, array_like=True):
    """What TableOpened laid down; nothing else decides how the table plays."""

    rule_set: str
    rules_version: str
    flags: str
    currency: str
    utc_offset_minutes: int
    day_start_minute: int
    thirteen_cards: ThirteenCardsOptions | None = None


class Station(Struct, frozen=True, array_like=True):
    """One piece of equipment that may speak at the table."""

    equipment_id: str
    kind: EquipmentKind


class Reason(Struct, frozen=True, array_like=True):
    """Why something is refused: an UPPER_SNAKE code and the rules that say so."""

    code: str
    rules: tuple[str, ...] = ()


class Source(Struct, frozen=True, array_like=True):
    """How far one piece of equipment has been heard since its last start.

    `recent` holds 8 bytes for each of the last events, the newest last; `refusal` is the verdict
    on the newest one, None when it was applied.
    """

    equipment_id: str
    boot: int
    sequence: int
    recent: bytes
    refusal: Reason | None = None


class CauseKind(StrEnum):
    """What the id of a cause begins with: why a supervisor must look."""

    HOLE = "hole"
    LOST = "lost"
    CONFLICT = "conflict"
    UNKNOWN = "unknown"
    OPENING = "opening"
    DECK = "deck"
    EVALUATION = "evaluation"
    SUPERVISOR = "supervisor"


class Cause(Struct, frozen=True, array_like=True):
    """One reason for which a table is suspended."""

    cause_id: str


class Evaluation(Struct, frozen=True, array_like=True, tag="evaluation"):
    """The table owes a judgement: `request` is the JSON text for the evaluator.

    `settlement` is the number that its settlement will have, `completed_time_ms` the observe time
    of the event that made it due, from which finance's waiting time is counted.
    """

    round_number: int
    n: int
    settlement: int
    rule_set: str
    rules_version: str
    request: str
    completed_time_ms: int


class Timer(Struct, frozen=True, array_like=True, tag="timer"):
    """The table owes a signal at `due_ms` of table time; `left_ms` while suspension stops it."""

    round_number: int
    n: int
    due_ms: int
    left_ms: int = 0


Obligation = Evaluation | Timer


class TableState(Struct, frozen=True, array_like=True):
    """Everything the fold knows of one table, after the event at `offset`."""

    version: int
    table_id: str
    partition: int
    offset: int = -1
    table_time_ms: int = 0
    terms: Terms | None = None
    stations: tuple[Station, ...] = ()
    sources: tuple[Source, ...] = ()
    causes: tuple[Cause, ...] = ()
    obligations: tuple[Obligation, ...] = ()
    round_number: int = 0
    gaming_day: str = ""
    movements: int = 0
    evaluations: int = 0
    timers: int = 0
    game: ThirteenCards | PaiKau | Mahjong | None = None


class RoundRecord(Struct, frozen=True, array_like=True):
    """A settled round as it can still be voided or corrected.

    `settlement` counts its settlements; `fingerprint` is the last one's. `in_force` is False
    while a correction is being evaluated and for good after a void.
    """

    version: int
    table_id: str
    round_number: int
    gaming_day: str
    rule_set: str
    rules_version: str
    currency: str
    request: str
    held: tuple[Transfer, ...]
    settlement: int
    transfers: tuple[Transfer, ...]
    fingerprint: bytes
    evaluations: int
    in_force: bool = True
    void: bool = False


def fresh(table_id: str, partition: int) -> TableState:
    """Return the state of a table that nobody has spoken of yet."""
    return TableState(VERSION, table_id, partition)


T = TypeVar("T", bound=TableState | RoundRecord)


@cache
def _decoder(kind: type[T]) -> msgspec.msgpack.Decoder[T]:
    return msgspec.msgpack.Decoder(kind)


@cache
def _encoder() -> msgspec.msgpack.Encoder:
    return msgspec.msgpack.Encoder()


def encode(value: TableState | RoundRecord) -> bytes:
    """Return the canonical stored form: equal values have equal bytes."""
    return _encoder().encode(value)


def decode(stored: bytes, kind: type[T]) -> T:
    """Return the value behind its stored form.

    Raises StateTooNew for a form of a later version. Nothing older than version 1 exists.
    """
    value: T = _decoder(kind).decode(stored)  # type: ignore[arg-type]
    if value.version > VERSION:
        raise StateTooNew(f"{value.table_id}: stored version {value.version}, known {VERSION}")
    return value


def round_id_of(state: TableState) -> str:
    """Return the id of the round in progress or of the last one; empty before the first."""
    return ids.round_id(state.table_id, state.round_number) if state.round_number else ""


def obligation_id(state: TableState, owed: Obligation) -> str:
    """Return the id under which `owed` is answered."""
    round_ = ids.round_id(state.table_id, owed.round_number)
    if isinstance(owed, Evaluation):
        return ids.evaluation_id(round_, owed.n)
    return ids.timer_id(round_, owed.n)


def owed_as(state: TableState, answer_id: str) -> Obligation | None:
    """Return what the table owes under `answer_id`, or None."""
    for owed in state.obligations:
        if obligation_id(state, owed) == answer_id:
            return owed
    return None


def without(state: TableState, owed: Obligation) -> TableState:
    """Return the state that no longer owes `owed`."""
    return replace(state, obligations=tuple(o for o in state.obligations if o is not owed))


def gaming_day_at(terms: Terms, table_time_ms: int) -> str:
    """Return the gaming day (YYYY-MM-DD) that a moment belongs to.

    >>> gaming_day_at(Terms("", "", "", "MOP", 480, 360), 1_700_000_000_000)
    '2023-11-14'
    """
    minutes = table_time_ms // _MINUTE_MS + terms.utc_offset_minutes - terms.day_start_minute
    return _iso_date(minutes // _DAY_MINUTES)


@cache
def _iso_date(day: int) -> str:
    from datetime import date

    return date.fromordinal(_EPOCH_ORDINAL + day).isoformat()


def would_forget_correction(state: TableState) -> bool:
    """Return whether the next round would take the place of one whose correction is still owed."""
    return any(
        isinstance(owed, Evaluation) and state.round_number + 1 - owed.round_number >= ROUNDS_KEPT
        for owed in state.obligations
    )


def open_round(state: TableState) -> TableState:
    """Return the state with the next round begun; the round belongs whole to today's gaming day."""
    assert state.terms is not None, "only an open table opens rounds"
    return replace(
        state,
        round_number=state.round_number + 1,
        gaming_day=gaming_day_at(state.terms, state.table_time_ms),
        evaluations=0,
        timers=0,
    )


def owe_evaluation(state: TableState, request: str, completed_time_ms: int) -> TableState:
    """Return the state that owes the judgement of the round in progress."""
    assert state.terms is not None, "only an open table plays rounds"
    n = state.evaluations + 1
    owed = Evaluation(
        state.round_number,
        n,
        1,
        state.terms.rule_set,
        state.terms.rules_version,
        request,
        completed_time_ms,
    )
    return replace(state, obligations=(*state.obligations, owed), evaluations=n)


def start_timer(state: TableState, limit_ms: int) -> TableState:
    """Return the state whose timer is due at the first millisecond after `limit_ms` from now."""
    n = state.timers + 1
    owed = Timer(state.round_number, n, state.table_time_ms + limit_ms + 1)
    return replace(state, obligations=(*state.obligations, owed), timers=n)


def running_timer(state: TableState) -> Timer | None:
    """Return the timer of the round in progress, or None."""
    for owed in state.obligations:
        if isinstance(owed, Timer) and owed.round_number == state.round_number:
            return owed
    return None


def cancel_round(state: TableState) -> TableState:
    """Return the state that owes nothing for the round in progress any more."""
    return replace(
        state,
        obligations=tuple(o for o in state.obligations if o.round_number != state.round_number),
    )


def cancel_timer(state: TableState) -> TableState:
    """Return the state whose round in progress has no timer."""
    timer = running_timer(state)
    return without(state, timer) if timer is not None else state


def suspend(state: TableState, cause_id: str) -> TableState:
    """Return the state suspended for one more cause; what is owed rests, clocks stand still.

    Equipment that is broken may go on giving causes for as long as nobody comes: above a number
    they stand in the log alone.
    """
    if any(cause.cause_id == cause_id for cause in state.causes):
        return state
    if len(state.causes) >= MOST_CAUSES and not cause_id.startswith(CauseKind.SUPERVISOR):
        return state
    obligations = state.obligations
    if not state.causes:
        obligations = tuple(_rest(o, state.table_time_ms) for o in obligations)
    return replace(state, causes=(*state.causes, Cause(cause_id)), obligations=obligations)


def end_cause(state: TableState, cause_id: str) -> TableState:
    """Return the state without that cause; after the last, what was owed is owed anew."""
    causes = tuple(cause for cause in state.causes if cause.cause_id != cause_id)
    if causes or not state.causes:
        return replace(state, causes=causes)
    now = state.table_time_ms
    obligations = tuple(_owe_anew(o, now) for o in state.obligations)
    evaluations, timers = state.evaluations, state.timers
    for owed in obligations:
        if owed.round_number == state.round_number:
            if isinstance(owed, Timer):
                timers = max(timers, owed.n)
            else:
                evaluations = max(evaluations, owed.n)
    return replace(
        state, causes=(), obligations=obligations, evaluations=evaluations, timers=timers
    )


def _rest(owed: Obligation, now: int) -> Obligation:
    if isinstance(owed, Timer):
        return replace(owed, due_ms=0, left_ms=max(owed.due_ms - now, 0))
    return owed


def _owe_anew(owed: Obligation, now: int) -> Obligation:
    if isinstance(owed, Timer):
        return replace(owed, n=owed.n + 1, due_ms=now + owed.left_ms, left_ms=0)
    return replace(owed, n=owed.n + 1)
