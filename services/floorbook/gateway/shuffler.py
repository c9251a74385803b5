"""Decides what a shuffler may report, and how its facts lie in a payload."""

from typing import Any

from floorbook.gateway.layout import Cursor, Layout, number
from floorbook.seal import HASH_BYTES, SALT_BYTES
from floorbook.table.events import DeckCut, DeckFaulty, DeckOpened, ShuffleSealed


def _read_sealed(cursor: Cursor) -> dict[str, Any]:
    return {"positions": cursor.number(2), "root": cursor.take(HASH_BYTES)}


def _write_sealed(fact: ShuffleSealed) -> bytes:
    return number(fact.positions, 2) + fact.root


def _read_cut(cursor: Cursor) -> dict[str, Any]:
    return {"depth": cursor.number(1)}


def _write_cut(fact: DeckCut) -> bytes:
    return number(fact.depth, 1)


def _opening(cursor: Cursor) -> tuple[int, str, bytes]:
    position = cursor.number(2)
    # Latin-1 reads any byte; a face that is not ASCII cannot fit the sealed deck, and the fold says so.
    face = cursor.take(cursor.number(1)).decode("latin-1")
    return position, face, cursor.take(SALT_BYTES)


def _read_opened(cursor: Cursor) -> dict[str, Any]:
    openings = [_opening(cursor) for _ in range(cursor.number(2))]
    return {
        "openings": openings,
        "hashes": [cursor.take(HASH_BYTES) for _ in range(cursor.number(2))],
    }


def _write_opened(fact: DeckOpened) -> bytes:
    parts = [number(len(fact.openings), 2)]
    for each in fact.openings:
        face = each.face.encode("latin-1")
        parts += (number(each.position, 2), number(len(face), 1), face, each.salt)
    parts += (number(len(fact.hashes), 2), *fact.hashes)
    return b"".join(parts)


def _read_faulty(cursor: Cursor) -> dict[str, Any]:
    return {"fault": cursor.number(1), "counted": cursor.number(2)}


def _write_faulty(fact: DeckFaulty) -> bytes:
    return number(fact.fault, 1) + number(fact.counted, 2)


LAYOUTS = (
    Layout(0x20, ShuffleSealed, _read_sealed, _write_sealed),
    Layout(0x21, DeckCut, _read_cut, _write_cut),
    Layout(0x22, DeckOpened, _read_opened, _write_opened),
    Layout(0x23, DeckFaulty, _read_faulty, _write_faulty),
)
