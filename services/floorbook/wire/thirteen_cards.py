"""Thirteen Cards on the wire: its facts, and what is shown of its rounds."""

from types import MappingProxyType

from msgspec import Struct

from floorbook.table.events import Fact
from floorbook.table.thirteen_cards import facts

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
    }
)
SCHEMAS: MappingProxyType[type[Struct], int] = MappingProxyType({})
"""Facts newer than schema 1, with the schema that introduced them."""
