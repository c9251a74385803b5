"""Decides what a reading shoe may report, and how its facts lie in a payload."""

from typing import Any

from floorbook.gateway.layout import Cursor, Layout, number
from floorbook.table.thirteen_cards.facts import PackDealt

_CARD_BYTES = 2


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


LAYOUTS = (Layout(0x40, PackDealt, _read_dealt, _write_dealt),)
