"""The tiles (牌) of both games, their order, and the groups that patterns speak of (RULE-TILES).

A tile is a small number, its place in tile order: cheap to keep in a table's state, to count and to
sort. Codes such as `5m` or `E` are for JSON and for people.
"""

from collections.abc import Iterable, Mapping

Tile = int

CODES: tuple[str, ...] = (
    *(f"{rank}{suit}" for suit in "smp" for rank in range(1, 10)),  # 索子, 萬子, 筒子
    *"ESWN",  # 門風牌 東南西北
    *"CFB",  # 番子 中發白
)
"""The code of every tile, in tile order."""
TILE_OF: Mapping[str, Tile] = {code: tile for tile, code in enumerate(CODES)}

KINDS = len(CODES)
COPIES = 4
SUITED = 27  # tiles below are suited, the others honours
GROUPS = ((0, 9), (9, 18), (18, 27), (27, 34))
"""Where the three suits and the honours begin and end."""
WINDS: tuple[Tile, ...] = tuple(range(27, 31))
RED, FORTUNE, WHITE = 31, 32, 33  # 中, 發, 白
DRAGONS: tuple[Tile, ...] = (RED, FORTUNE, WHITE)
HONOURS: tuple[Tile, ...] = (*WINDS, *DRAGONS)
TERMINALS: tuple[Tile, ...] = (0, 8, 9, 17, 18, 26)  # 么九: suited 1 and 9
ORPHANS: tuple[Tile, ...] = (*TERMINALS, *HONOURS)
"""The thirteen kinds of 十三么."""


def kinds_in(tiles: Iterable[Tile]) -> int:
    """Return the set of kinds in `tiles`, one bit for each: a pattern is one look at it."""
    kinds = 0
    for tile in tiles:
        kinds |= 1 << tile
    return kinds


SUIT_KINDS: tuple[int, ...] = tuple(kinds_in(range(*suit)) for suit in GROUPS[:3])
ALL_SUITED = kinds_in(range(SUITED))
WIND_KINDS, DRAGON_KINDS, HONOUR_KINDS = map(kinds_in, (WINDS, DRAGONS, HONOURS))
TERMINAL_KINDS, ORPHAN_KINDS = map(kinds_in, (TERMINALS, ORPHANS))


def is_honour(tile: Tile) -> bool:
    """Return whether `tile` is a wind or a dragon."""
    return tile >= SUITED


def counts_of(tiles: Iterable[Tile]) -> list[int]:
    """Return how many of each kind are in `tiles`, in tile order."""
    counts = [0] * KINDS
    for tile in tiles:
        counts[tile] += 1
    return counts


def is_chow(tiles: Iterable[Tile]) -> bool:
    """Return whether three tiles are a chow (順子): consecutive ranks of one suit, in any order.

    Nothing follows a nine, and honours have no ranks.
    """
    low, *others = sorted(tiles)
    return others == [low + 1, low + 2] and others[-1] < SUITED and low % 9 <= 6


def codes_of(tiles: Iterable[Tile]) -> list[str]:
    """Return `tiles` as they are written, in the order given."""
    return [CODES[tile] for tile in tiles]
