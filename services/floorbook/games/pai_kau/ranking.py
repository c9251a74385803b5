"""How strong a pair is (A7, Tables I and II): one order of 118 ranks for all 496 selections.

The rule of section 3.1 is applied to every pair of codes once; afterwards a pair's rank is one
look-up. Nothing but the order is ever compared (PK-07).
"""

from collections.abc import Mapping
from functools import cache
from itertools import combinations

import msgspec

from floorbook.games.pai_kau.tiles import (
    BIG_CHICKEN,
    GROUP_OF,
    INDEX_OF,
    NAME_OF,
    POINTS_OF,
    RANK_OF,
    SET,
    SMALL_CHICKEN,
    Tile,
)

KINDS = ("supreme", "pair", "tin-gau-wong", "gong", "points")
"""The kinds of pairs, the strongest first."""
EIGHTS = frozenset(("44", "62", "53"))  # what makes a gong (PK-02)
NUMERALS = ("密", "一", "二", "三", "四", "五", "六", "七", "八", "九")

# Possible pairs that Table II forgot, all with the small chicken, by points and high tile (PK-01).
SUPPLEMENTARY: Mapping[tuple[int, str], str] = {
    (5, "TIN"): "56a",
    (5, "DEI"): "56b",
    (4, "FU"): "72a",
    (3, "MUI"): "80a",
    (3, "HUNG"): "82a",
    (1, "YAN"): "97a",
    (0, "C7"): "111a",
}
# Rows that Table II does not name after the high tile (PK-05, PK-06).
_NAMES: Mapping[tuple[int, str], str] = {
    (8, "C5"): "雜牌",
    (7, "C9"): "雜牌",
    (6, "C9"): "雜牌",
    (1, "BIG6"): NAME_OF["C5"],
}
_SHORT_NAMES: Mapping[str, str] = {**NAME_OF, "CHS": "長牌"}


class Rank(msgspec.Struct, frozen=True):
    """What decides about a pair: its kind, its points (-1 unless they count) and its high tile."""

    kind: str
    points: int
    high_tile: str

    @property
    def strength(self) -> tuple[int, int, int]:
        """Return what ranks are sorted by, the strongest first."""
        return KINDS.index(self.kind), -self.points, RANK_OF[self.high_tile]

    @property
    def name_zh(self) -> str:
        """Return the name in Table II, for a row that it forgot the name that it would have."""
        match self.kind:
            case "supreme":
                return "至尊寶"
            case "pair":
                return f"{NAME_OF[self.high_tile]}寶"
            case "tin-gau-wong":
                return "天九皇"
            case "gong":
                return f"{NAME_OF[self.high_tile][0]}槓"
        name = _NAMES.get((self.points, self.high_tile), _SHORT_NAMES[self.high_tile])
        return f"{name}{NUMERALS[self.points]}"


class Pair(msgspec.Struct, frozen=True):
    """Two tiles (對), in canonical order, and where they stand in Table II."""

    tiles: tuple[Tile, Tile]
    row: int  # 0 where Table II has none
    label: str
    order: int  # 1 is the strongest; the only key of comparison
    kind: str
    points: int
    high_tile: str
    name_zh: str


def rank_of(a: Tile, b: Tile) -> Rank:
    """Return the rank of two tiles: the first case of 3.1 that applies (A7.2)."""
    tiles = {a, b}
    groups = {GROUP_OF[a], GROUP_OF[b]}
    high = min(groups, key=RANK_OF.__getitem__)
    if tiles == {BIG_CHICKEN, SMALL_CHICKEN}:
        return Rank("supreme", -1, high)  # 至尊寶
    if len(groups) == 1:
        return Rank("pair", -1, high)  # 寶
    if groups == {"TIN", "C9"}:
        return Rank("tin-gau-wong", -1, high)  # 天九皇 (PK-03)
    if high in ("TIN", "DEI") and tiles & EIGHTS:
        return Rank("gong", -1, high)  # 天槓, 地槓 (PK-02)
    # Tens and twenties are dropped (凡十點或廿點均從總數減去, PK-09).
    return Rank("points", (POINTS_OF[a] + POINTS_OF[b]) % 10, high)


@cache
def pairs() -> Mapping[tuple[Tile, Tile], Pair]:
    """Return every possible pair by its tiles, in either order of them."""
    ranks = {tiles: rank_of(*tiles) for tiles in combinations(SET, 2)}
    found: dict[tuple[Tile, Tile], Pair] = {}
    row = 0
    strongest_first = sorted(set(ranks.values()), key=lambda rank: rank.strength)
    places: dict[Rank, tuple[int, int, str]] = {}
    for order, rank in enumerate(strongest_first, start=1):
        label = SUPPLEMENTARY.get((rank.points, rank.high_tile))
        if label is None:
            row += 1
        places[rank] = (order, 0 if label else row, label or str(row))
    for (a, b), rank in ranks.items():
        order, number, label = places[rank]
        tiles = (a, b) if INDEX_OF[a] <= INDEX_OF[b] else (b, a)
        pair = Pair(
            tiles, number, label, order, rank.kind, rank.points, rank.high_tile, rank.name_zh
        )
        found[a, b] = found[b, a] = pair
    return found


def pair_of(a: Tile, b: Tile) -> Pair:
    """Return two tiles of one set as a pair."""
    return pairs()[a, b]


def stronger(a: Pair, b: Pair) -> int:
    """Return 1 if `a` is the stronger pair, -1 if `b` is, 0 if they tie (A7.2, PK-07)."""
    return (b.order > a.order) - (b.order < a.order)
