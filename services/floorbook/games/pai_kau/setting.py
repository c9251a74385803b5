"""How four tiles are split into a front and a back pair, and when the croupier sets them again.

The smaller pair is the front (細對為前對), the larger the back (大對為後對), A6.1, A6.2.
"""

from collections.abc import Sequence

import msgspec

from floorbook.games.pai_kau.config import Config
from floorbook.games.pai_kau.ranking import Pair, pair_of
from floorbook.games.pai_kau.tiles import INDEX_OF, Tile, are_tiles

NOT_SET, BACK_SMALLER, BACK_NOT_MAXIMAL = "not_set", "back_smaller", "back_not_maximal"

# Which two of four tiles make one pair of a split; the others make the other.
_SPLITS = ((0, 1, 2, 3), (0, 2, 1, 3), (0, 3, 1, 2))


class Split(msgspec.Struct, frozen=True):
    """Four tiles as two pairs, the back not weaker than the front."""

    front: Pair
    back: Pair


class Setting(msgspec.Struct, frozen=True):
    """A hand as it counts (擺牌), and why the croupier set it, if he did (重擺)."""

    front: Pair
    back: Pair
    reset_reason: str = ""

    @property
    def reset(self) -> bool:
        """Return whether the croupier set the hand."""
        return bool(self.reset_reason)

    @property
    def pairs(self) -> tuple[Pair, Pair]:
        """Return the front and the back."""
        return self.front, self.back


def splits(tiles: Sequence[Tile]) -> tuple[Split, ...]:
    """Return the two or three ways to split a hand, the house way first (9.1, 9.2).

    House way is the strongest back, then the strongest front, then fixed tile order (PK-13).
    """
    ways = {_split(*(tiles[place] for place in places)) for places in _SPLITS}
    return tuple(sorted(ways, key=_house_order))


def house_way(tiles: Sequence[Tile]) -> Split:
    """Return how the croupier sets a hand (盡量將後對擺大, PK-13)."""
    return splits(tiles)[0]


def _split(a: Tile, b: Tile, c: Tile, d: Tile) -> Split:
    one, other = pair_of(a, b), pair_of(c, d)
    if (one.order, _indices(one)) <= (other.order, _indices(other)):
        return Split(front=other, back=one)
    return Split(front=one, back=other)


def _house_order(split: Split) -> tuple[int, int, tuple[int, int], tuple[int, int]]:
    front, back = split.front, split.back
    return back.order, front.order, _indices(back), _indices(front)


def _indices(pair: Pair) -> tuple[int, int]:
    return INDEX_OF[pair.tiles[0]], INDEX_OF[pair.tiles[1]]


def check_arrangement(
    tiles: Sequence[Tile], front: Sequence[object], back: Sequence[object]
) -> str | None:
    """Return `BAD_ARRANGEMENT` unless front and back are two tiles each, together the hand (9.4).

    Empty pairs are refused too: a hand that is not set has none.
    """
    if len(front) != 2 or len(back) != 2:
        return "BAD_ARRANGEMENT"
    laid = (*front, *back)
    if are_tiles(laid) and sorted(laid) == sorted(tiles):
        return None
    return "BAD_ARRANGEMENT"


def reset_reason(
    tiles: Sequence[Tile], front: Sequence[Tile], back: Sequence[Tile], config: Config
) -> str:
    """Return why the croupier must set a hand again, empty if it stands as submitted (9.3, 9.4).

    Equal pairs are legal (PK-15). The banker is bound like everybody (PK-14).
    """
    if not front and not back:
        return NOT_SET  # PK-16
    in_front, behind = pair_of(*front), pair_of(*back)
    if behind.order > in_front.order:
        return BACK_SMALLER
    if config.set_rule == "back_maximal" and behind.order > house_way(tiles).back.order:
        return BACK_NOT_MAXIMAL  # PK-11
    return ""


def final_setting(
    tiles: Sequence[Tile], front: Sequence[Tile], back: Sequence[Tile], config: Config
) -> Setting:
    """Return how a hand counts: as submitted, or as the croupier sets it (重擺, A6.2).

    `front` and `back` have passed `check_arrangement`, or both are empty.
    """
    reason = reset_reason(tiles, front, back, config)
    if not reason:
        return Setting(pair_of(*front), pair_of(*back))
    swaps = config.reset_method == "swap" and config.set_rule == "back_not_smaller"
    if reason == BACK_SMALLER and swaps:
        return Setting(pair_of(*back), pair_of(*front), reason)  # PK-12
    way = house_way(tiles)
    return Setting(way.front, way.back, reason)
