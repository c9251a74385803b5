"""Declared sets (上牌, 碰牌, 開槓): what one is, and whether it is a proper one (RULE-SETS, 13.3)."""

from collections.abc import Sequence

import msgspec

from floorbook.games.mahjong.seats import Seat, next_seat
from floorbook.games.mahjong.tiles import Tile, is_chow
from floorbook.games.mahjong.variant import Variant


class Meld(msgspec.Struct, frozen=True, array_like=True):
    """A set as it was declared. A wrong one can stand until somebody notices (FALSE-T7)."""

    kind: str  # chow, pong, kong; anything else is invalid
    tiles: tuple[Tile, ...]
    open: bool = True  # false for a concealed kong (暗槓) only
    source: Seat | None = None  # whose discard it took; of the pong, if a fourth tile was added
    added: bool = False  # 碰出再開槓

    @property
    def tile(self) -> Tile:
        """Return the lowest tile, after which the set is named."""
        return min(self.tiles)


def is_set(variant: Variant, meld: Meld) -> bool:
    """Return whether the tiles are a set of the game: 上牌, 碰牌 or 開槓 by their faces alone."""
    count = {"chow": 3, "pong": 3, "kong": 4}.get(meld.kind, 0)
    if not count or len(meld.tiles) != count:
        return False
    if meld.kind == "chow":
        return variant.claims_sets and is_chow(meld.tiles)
    alike = len(set(meld.tiles)) == 1
    return alike and (meld.kind == "kong" or variant.claims_sets)


def is_valid(variant: Variant, seats: Sequence[Seat], seat: Seat, meld: Meld) -> bool:
    """Return whether `seat` can have declared this set (MJ-48).

    A chow comes from the upper seat (上家), a pong or open kong from anybody else.
    """
    if not is_set(variant, meld):
        return False
    if meld.kind == "kong" and not meld.open:
        return meld.source is None and not meld.added
    if not meld.open or meld.source is None or meld.source not in seats or meld.source == seat:
        return False
    if meld.kind == "chow":
        return not meld.added and next_seat(seats, meld.source) == seat
    return not meld.added or (meld.kind == "kong" and variant.claims_sets)


def tiles_of(melds: Sequence[Meld]) -> list[Tile]:
    """Return the tiles of all `melds`."""
    return [tile for meld in melds for tile in meld.tiles]
