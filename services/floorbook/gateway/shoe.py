"""Decides what a reading shoe or tile reader may report, and how its facts lie in a payload."""

from typing import Any

from floorbook.gateway.layout import Cursor, Layout, number
from floorbook.table.pai_kau.facts import TilesDealt
from floorbook.table.thirteen_cards.facts import PackDealt

_CARD_BYTES = 2
_TILE_BYTES = 2


def _card(cursor: Cursor) -> dict[str, Any]:
    # Latin-1 reads any byte; what is no card is the fold's to refuse.
    card = cursor.take(_CARD_BYTES).decode("latin-1")
    return {"card": card, "gate": cursor.number(1)}


def _read_dealt(cursor: Cursor) -> dict[str, Any]:
    return {"dealt": [_card(cursor) for _ in range(cursor.number(1))]}


def _write_dealt(fact: PackDealt) -> bytes:
    parts = [number(len(fact.dealt), 1)]
    for each in fact.dealt:
        parts += (each.card.encode("latin-1"), number(each.gate, 1))
    return b"".join(parts)


def _hand(cursor: Cursor) -> dict[str, Any]:
    gate = cursor.number(1)
    count = cursor.number(1)
    return {
        "gate": gate,
        "tiles": [cursor.take(_TILE_BYTES).decode("latin-1") for _ in range(count)],
    }


def _read_tiles(cursor: Cursor) -> dict[str, Any]:
    return {"hands": [_hand(cursor) for _ in range(cursor.number(1))]}


def _write_tiles(fact: TilesDealt) -> bytes:
    parts = [number(len(fact.hands), 1)]
    for hand in fact.hands:
        parts += (number(hand.gate, 1), number(len(hand.tiles), 1))
        parts += (tile.encode("latin-1") for tile in hand.tiles)
    return b"".join(parts)


LAYOUTS = (
    Layout(0x40, PackDealt, _read_dealt, _write_dealt),
    Layout(0x41, TilesDealt, _read_tiles, _write_tiles),
)
