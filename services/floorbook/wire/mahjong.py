"""Macau Mahjong on the wire: its facts, and what is shown of its hands."""

from types import MappingProxyType

from floorbook.table.events import Fact
from floorbook.table.mahjong import facts
from floorbook.table.mahjong.shown import MahjongShown
from floorbook.wire.game import GameWire

FACTS: MappingProxyType[str, type[Fact]] = MappingProxyType(
    {
        "seat_taken": facts.SeatTaken,
        "seat_left": facts.SeatLeft,
        "chips_added": facts.ChipsAdded,
        "chips_taken": facts.ChipsTaken,
        "dealer_named": facts.DealerNamed,
        "tile_discarded": facts.TileDiscarded,
        "concealed_kong_declared": facts.ConcealedKongDeclared,
        "added_kong_declared": facts.AddedKongDeclared,
        "win_declared": facts.WinDeclared,
        "tile_claimed": facts.TileClaimed,
        "pong_withdrawn": facts.PongWithdrawn,
        "hand_looked_at": facts.HandLookedAt,
        "player_barred": facts.PlayerBarred,
    }
)
WIRE = GameWire("mahjong", FACTS, MahjongShown, schemas=MappingProxyType({}))
