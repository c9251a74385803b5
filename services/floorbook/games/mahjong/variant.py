"""What the two games differ in (甲 傳統麻雀, 乙 簡易麻雀): sections 1 to 7, as data."""

from collections.abc import Mapping
from functools import cache

import msgspec

from floorbook.games.mahjong.tiles import CODES, COPIES, FORTUNE, KINDS, SUITED, Tile

SIDES = ("E", "S", "W", "N")
"""Seats and walls counter-clockwise; the dealer (莊家) is East (RULE-SEATS)."""


class Variant(msgspec.Struct, frozen=True):
    """One of the two games."""

    id: str
    kinds: tuple[Tile, ...]  # in tile order
    sets: int  # of a winning hand, beside the pair (RULE-WINSHAPE)
    dice: int
    stacks: int  # 戙, in each of the four walls (RULE-BREAK)
    seat_counts: tuple[int, ...]
    claims_sets: bool  # chow, pong and added kong exist (MJ-16)
    orphans: bool  # thirteen orphans (十三么) is a winning hand

    @property
    def is_traditional(self) -> bool:
        """Return whether this is 甲, whose faan, liability and false wins are not those of 乙."""
        return self.orphans

    @property
    def hand_size(self) -> int:
        """Return how many tiles a hand has that waits for one."""
        return 3 * self.sets + 1

    @property
    def wall_size(self) -> int:
        """Return how many tiles the four walls hold."""
        return len(self.kinds) * COPIES

    def remaining_after_deal(self, seats: int) -> int:
        """Return how many tiles lie in the wall once `seats` players have theirs (RULE-DEAL)."""
        return self.wall_size - seats * self.hand_size - 1


TRADITIONAL = Variant(
    id="mahjong.traditional",
    kinds=tuple(range(KINDS)),
    sets=4,
    dice=3,
    stacks=17,
    seat_counts=(4,),
    claims_sets=True,
    orphans=True,
)
SIMPLIFIED = Variant(
    id="mahjong.simplified",
    kinds=(*range(SUITED), FORTUNE),
    sets=1,
    dice=2,
    stacks=14,
    seat_counts=(2, 3, 4),
    claims_sets=False,
    orphans=False,
)
VARIANTS = (TRADITIONAL, SIMPLIFIED)


def variant_of(rule_set: str) -> Variant:
    """Return the game of a rule set id, which must be one of the two."""
    return {variant.id: variant for variant in VARIANTS}[rule_set]


@cache
def tiles_by_code(variant: Variant) -> Mapping[str, Tile]:
    """Return the tiles of a game by their codes."""
    return {CODES[tile]: tile for tile in variant.kinds}
