"""Thirteen Cards on the wire: its facts, and what is shown of its rounds."""

from functools import cache
from types import MappingProxyType
from typing import Any

from msgspec import Struct

from floorbook.table.events import Fact
from floorbook.table.thirteen_cards import facts
from floorbook.table.thirteen_cards.shown import ThirteenCardsShown
from floorbook.wire import codec

FIELD = "thirteen_cards"
"""The game's field in every oneof of facts, options and disclosures."""

FACTS: MappingProxyType[str, type[Fact]] = MappingProxyType(
    {
        "place_taken": facts.PlaceTaken,
        "place_left": facts.PlaceLeft,
        "pack_shuffled": facts.PackShuffled,
        "pack_cut": facts.PackCut,
        "pack_boxed": facts.PackBoxed,
        "bet_placed": facts.BetPlaced,
        "bet_withdrawn": facts.BetWithdrawn,
        "bet_moved": facts.BetMoved,
        "shake_started": facts.ShakeStarted,
        "pack_dealt": facts.PackDealt,
        "card_exposed": facts.CardExposed,
        "misdeal_reported": facts.MisdealReported,
        "banker_arranged": facts.BankerArranged,
        "banker_opened": facts.BankerOpened,
        "hand_taken": facts.HandTaken,
        "hand_set": facts.HandSet,
        "unit_set": facts.UnitSet,
        "deal_started": facts.DealStarted,
        "hand_not_set": facts.HandNotSet,
    }
)
SCHEMAS: MappingProxyType[type[Struct], int] = MappingProxyType({})
"""Facts newer than schema 1, with the schema that introduced them."""


@cache
def _names() -> dict[type[Fact], str]:
    return codec.by_type(FACTS)


def shown(value: ThirteenCardsShown) -> dict[str, Any]:
    """Return one thing shown as the content of its message."""
    if value.fact is not None:
        return {"fact": {_names()[type(value.fact)]: codec.builtins(value.fact)}}
    for name in ("hand", "holders", "first_gate", "round", "gate_set"):
        content: Struct | None = getattr(value, name)
        if content is not None:
            return {name: codec.builtins(content)}
    raise AssertionError("something is shown")
