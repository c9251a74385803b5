"""Thirteen Cards on the wire: its facts, and what is shown of its rounds."""

from types import MappingProxyType

from floorbook.table.events import Fact
from floorbook.table.thirteen_cards import facts
from floorbook.table.thirteen_cards.shown import ThirteenCardsShown
from floorbook.wire.game import GameWire

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
WIRE = GameWire("thirteen_cards", FACTS, ThirteenCardsShown, schemas=MappingProxyType({}))
