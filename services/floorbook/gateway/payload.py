"""Decides how a reading lies in a frame's payload, and which facts a kind of device may report.

A payload is the device's clock (8 bytes), a tag (1 byte) and the fact's own fields (dice.py, shoe.py, shuffler.py).
"""

from types import MappingProxyType
from typing import Any

import msgspec

from floorbook.gateway import dice, shoe, shuffler
from floorbook.gateway.layout import Cursor, Layout, Short, number
from floorbook.table.events import DeckOpened, EquipmentKind, Fact, SourceStarted, UnknownFact
from floorbook.wire.quarantine import Unreadable

_CLOCK_BYTES = 8
_LARGEST_CLOCK = (1 << 63) - 1


def _read_started(cursor: Cursor) -> dict[str, Any]:
    return {"last_acknowledged": cursor.number(8)}


def _write_started(fact: SourceStarted) -> bytes:
    return number(fact.last_acknowledged, 8)


_STARTED = Layout(0x01, SourceStarted, _read_started, _write_started)
_LAYOUTS = (_STARTED, *dice.LAYOUTS, *shuffler.LAYOUTS, *shoe.LAYOUTS)
_BY_TAG = MappingProxyType({layout.tag: layout for layout in _LAYOUTS})
_BY_FACT = MappingProxyType({layout.fact: layout for layout in _LAYOUTS})

FACTS: MappingProxyType[EquipmentKind, frozenset[type[Fact]]] = MappingProxyType(
    {
        EquipmentKind.DICE: frozenset(each.fact for each in (_STARTED, *dice.LAYOUTS)),
        EquipmentKind.SHOE: frozenset(each.fact for each in (_STARTED, *shoe.LAYOUTS)),
        EquipmentKind.SHUFFLER: frozenset(each.fact for each in (_STARTED, *shuffler.LAYOUTS)),
    }
)
"""What each kind of device may report."""
FACES: frozenset[type[Fact]] = frozenset((DeckOpened, *(each.fact for each in shoe.LAYOUTS)))
"""Facts with faces that nobody may see before the table lets him."""


def write(fact: Fact, device_time_ms: int = 0) -> bytes:
    """Return the payload of a reading; KeyError for a fact that no device reports."""
    layout = _BY_FACT[type(fact)]
    return number(device_time_ms, _CLOCK_BYTES) + number(layout.tag, 1) + layout.write(fact)


def read(payload: bytes) -> tuple[int, Fact | Unreadable]:
    """Return the device's clock in milliseconds and the fact in `payload`, or why there is none.

    A tag that this code does not know is an `UnknownFact`, as an unknown field is over gRPC.
    """
    cursor = Cursor(payload)
    try:
        clock = cursor.number(_CLOCK_BYTES)
        if clock > _LARGEST_CLOCK:
            return 0, Unreadable("BAD_FIELD", "the device's clock is above 2^63 - 1 ms")
        return clock, _fact(cursor, cursor.number(1))
    except Short as error:
        return 0, Unreadable("BAD_FIELD", f"the payload is too short: {error}")


def _fact(cursor: Cursor, tag: int) -> Fact | Unreadable:
    layout = _BY_TAG.get(tag)
    if layout is None:
        return UnknownFact()
    try:
        fact = msgspec.convert(layout.read(cursor), layout.fact)
    except msgspec.ValidationError as error:
        return Unreadable("BAD_FIELD", f"{layout.fact.__name__}: {error}")
    if cursor.left:
        return Unreadable("BAD_FIELD", f"{cursor.left} bytes follow after the fact")
    return fact
