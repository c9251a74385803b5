"""What a declared win consists of, and what its patterns are judged by (13.1, section 8)."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from floorbook.games.mahjong.config import Config
from floorbook.games.mahjong.melds import Meld
from floorbook.games.mahjong.seats import Seat, wind_of
from floorbook.games.mahjong.splits import CHOW, TRIPLET, Set
from floorbook.games.mahjong.tiles import Tile, kinds_in
from floorbook.games.mahjong.variant import Variant

WinKind = Literal["self_draw", "discard", "robbed_kong"]


class Setting(msgspec.Struct, frozen=True):
    """What does not change during a hand: the game, the house's flags, who sits, the round."""

    variant: Variant
    config: Config
    seats: tuple[Seat, ...]  # occupied, counter-clockwise from East
    round_wind: Seat


class Win(msgspec.Struct, frozen=True, array_like=True):
    """How the winning tile came: self-drawn (自摸), a discard (食糊), or a robbed kong (搶槓)."""

    kind: WinKind
    source: Seat | None = None  # the discarder (出沖者) or robbed seat
    kong_chain: int = 0  # kongs of the turn before a replacement tile; 0 is no replacement tile
    last_tile: bool = False  # its drawing emptied the wall
    heavenly: bool = False
    earthly: bool = False

    @property
    def is_unusual(self) -> bool:
        """Return whether the way in which the tile came may be worth faan by itself."""
        chance = self.kong_chain or self.last_tile or self.heavenly or self.earthly
        return bool(chance) or self.kind == "robbed_kong"


class Holding(msgspec.Struct, frozen=True, array_like=True):
    """What a seat holds, and the penalties it is under until the end of the hand."""

    concealed: tuple[Tile, ...] = ()
    melds: tuple[Meld, ...] = ()
    barred: bool = False  # 叫碰不碰，食糊無效 (PEN-CALLPONG)
    no_kong: bool = False  # 該局不能槓牌 (PEN-LOOK)
    turns_since_fourth_meld: int | None = None  # MJ-40


class Declared(msgspec.Struct, frozen=True, array_like=True):
    """A win as a seat declares it, whatever it is worth."""

    seat: Seat
    concealed: tuple[Tile, ...]  # without the winning tile
    melds: tuple[Meld, ...]
    win_tile: Tile
    win: Win
    barred: bool = False  # 叫碰不碰 (PEN-CALLPONG)


class WinningHand:
    """A winning hand split in one way, with what the patterns ask about worked out once.

    Sets of kinds are one bit for each tile in tile order.
    """

    __slots__ = (
        "chows",
        "config",
        "kinds",
        "open",
        "pair",
        "round_wind",
        "seat_wind",
        "sets",
        "triplets",
        "win",
        "win_tile",
    )

    def __init__(
        self,
        setting: Setting,
        declared: Declared,
        kinds: int,
        pair: Tile,
        sets: Sequence[Set],
    ) -> None:
        self.config = setting.config
        self.win = declared.win
        self.win_tile = declared.win_tile
        self.kinds = kinds  # of all tiles
        self.pair = pair
        self.sets = sets  # declared ones and concealed ones
        self.triplets = kinds_in([tile for tile, form in sets if form == TRIPLET])
        self.chows = sum([form for _, form in sets])
        self.open = any(meld.open for meld in declared.melds)
        self.seat_wind = wind_of(declared.seat)
        self.round_wind = wind_of(setting.round_wind)


def declared_sets(melds: Sequence[Meld]) -> tuple[Set, ...]:
    """Return declared sets as patterns see them: a kong counts as a triplet (MJ-15)."""
    return tuple((meld.tile, CHOW if meld.kind == "chow" else TRIPLET) for meld in melds)
