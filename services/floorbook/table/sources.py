"""Which events of a source are new, known, in conflict or out of turn.

A source counts from 1 at each table without gaps. What it has sent is remembered as 8 bytes each,
one for a terminal, as many as may be unacknowledged for a device; an older repeat is only counted.
"""

from enum import Enum, auto

from msgspec import Struct
from msgspec.structs import replace

from floorbook.table.events import DEVICES, Event, SourceStarted
from floorbook.table.state import Reason, Source, TableState

WINDOW = 32
"""Readings that a device may have unacknowledged."""
_BYTES = 8


class Turn(Enum):
    """How an event stands to what its source sent before."""

    NEXT = auto()
    KNOWN = auto()
    CONFLICT = auto()
    GAP = auto()
    LOST = auto()
    STALE_BOOT = auto()


class Heard(Struct, frozen=True):
    """What is known of an event's source before it."""

    turn: Turn
    first: Reason | None = None
    forgotten: bool = False


def source_of(state: TableState, equipment_id: str) -> Source | None:
    """Return what the table remembers of a source, or None if it was never heard."""
    for source in state.sources:
        if source.equipment_id == equipment_id:
            return source
    return None


def hear(state: TableState, event: Event) -> Heard:
    """Return how `event` stands to what its source sent before."""
    source = source_of(state, event.equipment_id)
    if source is not None and event.boot < source.boot:
        return Heard(Turn.STALE_BOOT)
    if source is None or event.boot > source.boot:
        return Heard(_first_turn(source, event))
    if event.sequence == source.sequence + 1:
        return Heard(Turn.NEXT)
    if event.sequence > source.sequence:
        return Heard(Turn.GAP)
    back = source.sequence - event.sequence
    kept = len(source.recent) // _BYTES
    if back >= kept:
        return Heard(Turn.KNOWN, forgotten=True)
    start = (kept - 1 - back) * _BYTES
    if source.recent[start : start + _BYTES] != event.fingerprint:
        return Heard(Turn.CONFLICT)
    # Only the newest event's verdict is kept.
    return Heard(Turn.KNOWN, forgotten=True) if back else Heard(Turn.KNOWN, source.refusal)


def _first_turn(source: Source | None, event: Event) -> Turn:
    """Return the turn of the first event heard of a boot: it must be the boot's first fact."""
    if event.sequence != 1 or not isinstance(event.fact, SourceStarted):
        return Turn.GAP
    if event.fact.last_acknowledged > (source.sequence if source is not None else 0):
        # What was acknowledged to it is in the log or was lost: it is not here.
        return Turn.LOST
    return Turn.NEXT


def count(state: TableState, event: Event, refusal: Reason | None) -> TableState:
    """Return the state in which `event` is its source's last, with that verdict."""
    old = source_of(state, event.equipment_id)
    same = old is not None and old.boot == event.boot
    keep = WINDOW if event.equipment_kind in DEVICES else 1
    recent = (old.recent if old is not None and same else b"") + event.fingerprint
    new = Source(event.equipment_id, event.boot, event.sequence, recent[-keep * _BYTES :], refusal)
    if old is None:
        return replace(state, sources=(*state.sources, new))
    return replace(state, sources=tuple(new if s is old else s for s in state.sources))


def continue_at(state: TableState, equipment_id: str, boot: int, next_sequence: int) -> TableState:
    """Return the state in which a source goes on with `next_sequence`; what is missing is given up.

    A source that has started again since then goes on by itself.
    """
    old = source_of(state, equipment_id)
    if old is not None and old.boot > boot:
        return state
    new = Source(equipment_id, boot, next_sequence - 1, b"")
    if old is None:
        return replace(state, sources=(*state.sources, new))
    return replace(state, sources=tuple(new if s is old else s for s in state.sources))
