"""The 32 dominoes (天九牌): what each is worth and how it ranks (A1, Table I)."""

from collections.abc import Mapping, Sequence
from typing import TypeGuard

Tile = str
"""Two pip counts, the larger first."""

TABLE_I: tuple[tuple[str, str, tuple[Tile, ...]], ...] = (
    ("TIN", "天牌", ("66", "66")),
    ("DEI", "地牌", ("11", "11")),
    ("YAN", "人牌", ("44", "44")),
    ("NGO", "娥牌", ("31", "31")),
    ("MUI", "梅牌", ("55", "55")),
    ("CHS", "長衫", ("33", "33")),
    ("BAN", "板凳", ("22", "22")),
    ("FU", "斧頭", ("65", "65")),
    ("HUNG", "紅頭", ("64", "64")),
    ("GOK", "高腳七", ("61", "61")),
    ("LING", "擰冧六", ("51", "51")),
    ("C9", "雜九", ("63", "54")),
    ("C8", "雜八", ("62", "53")),
    ("C7", "雜七", ("52", "43")),
    ("BIG6", "大雞六", ("42",)),
    ("C5", "雜五", ("41", "32")),
    ("SML3", "細雞", ("21",)),
)
"""Every group of equal rank, the highest first, with its tiles (PK-08)."""

SET: tuple[Tile, ...] = tuple(tile for _, _, tiles in TABLE_I for tile in tiles)
"""All tiles in canonical order."""
HAND_SIZE = 4
SMALL_CHICKEN, BIG_CHICKEN = "21", "42"
CHICKENS = frozenset((SMALL_CHICKEN, BIG_CHICKEN))
"""They are 3 and 6 and never change (大雞、細雞無變, A9.2, PK-04)."""

GROUP_OF: Mapping[Tile, str] = {tile: group for group, _, tiles in TABLE_I for tile in tiles}
RANK_OF: Mapping[str, int] = {group: rank for rank, (group, _, _) in enumerate(TABLE_I, start=1)}
"""The rank of a group in Table I, 1 the highest."""
NAME_OF: Mapping[str, str] = {group: name for group, name, _ in TABLE_I}
POINTS_OF: Mapping[Tile, int] = {tile: (int(tile[0]) + int(tile[1])) % 10 for tile in SET}
INDEX_OF: Mapping[Tile, int] = {tile: index for index, tile in enumerate(dict.fromkeys(SET), 1)}
"""The place in canonical order: for printing and for ties that nothing else settles."""
_COPIES: Mapping[Tile, int] = {tile: SET.count(tile) for tile in SET}


def are_tiles(codes: Sequence[object]) -> TypeGuard[Sequence[Tile]]:
    """Return whether all `codes` are tiles."""
    return all(isinstance(code, str) and code in _COPIES for code in codes)


def fit_one_set(tiles: Sequence[Tile]) -> bool:
    """Return whether one set of tiles holds all these together (A1)."""
    if len(set(tiles)) == len(tiles):
        return True
    left = dict(_COPIES)
    for tile in tiles:
        left[tile] -= 1
        if left[tile] < 0:
            return False
    return True


def rest_of_set(tiles: Sequence[Tile]) -> tuple[Tile, ...]:
    """Return what one set holds beside `tiles`, in canonical order."""
    left = dict(_COPIES)
    for tile in tiles:
        left[tile] -= 1
    return tuple(tile for tile, copies in left.items() for _ in range(copies))
