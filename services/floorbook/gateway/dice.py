"""Decides what a dice reader may report, and how its facts lie in a payload."""

from typing import Any

from floorbook.gateway.layout import Cursor, Layout, number
from floorbook.table.events import DiceThrown, ThrowVoid


def _faces(cursor: Cursor) -> list[int]:
    return list(cursor.take(cursor.number(1)))


def _read_thrown(cursor: Cursor) -> dict[str, Any]:
    return {"values": _faces(cursor)}


def _write_thrown(fact: DiceThrown) -> bytes:
    return number(len(fact.values), 1) + bytes(fact.values)


def _read_void(cursor: Cursor) -> dict[str, Any]:
    return {"fault": cursor.number(1), "values": _faces(cursor)}


def _write_void(fact: ThrowVoid) -> bytes:
    return number(fact.fault, 1) + number(len(fact.values), 1) + bytes(fact.values)


LAYOUTS = (
    Layout(0x30, DiceThrown, _read_thrown, _write_thrown),
    Layout(0x31, ThrowVoid, _read_void, _write_void),
)
