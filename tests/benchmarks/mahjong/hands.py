"""The hands that are measured, and how the library `mahjong` writes them.

Its tiles are in another order, and of each kind it numbers the four copies. What is drawn at random
is what comes up at a table: hands as dealt, hands near to winning, with declared sets and without.
"""

from collections import Counter
from collections.abc import Sequence
from importlib import import_module
from random import Random
from typing import Any

from msgspec import Struct

from floorbook.games.mahjong.hand import Declared, Win
from floorbook.games.mahjong.melds import Meld
from floorbook.games.mahjong.tiles import CODES, COPIES, KINDS, ORPHANS, SUITED, Tile
from floorbook.games.mahjong.variant import SIDES

Set = tuple[Tile, ...]

WALL = [tile for tile in range(KINDS) for _ in range(COPIES)]
TRIPLETS: list[Set] = [(tile,) * 3 for tile in range(KINDS)]
CHOWS: list[Set] = [(tile, tile + 1, tile + 2) for tile in range(SUITED) if tile % 9 <= 6]
THEIRS = [f"{rank}{suit}" for suit in "mps" for rank in range(1, 10)] + list("ESWNBFC")
"""The library's kinds in its own order: characters, dots, bamboo, winds, 白, 發, 中."""
THEIR_KIND = tuple(THEIRS.index(code) for code in CODES)


class Held(Struct, frozen=True):
    """Concealed tiles beside so many declared sets, as shanten is asked for."""

    concealed: tuple[Tile, ...]
    declared: tuple[Tile, ...] = ()
    melds: int = 0

    @property
    def their_counts(self) -> list[int]:
        """Return the concealed tiles as the library wants them: how many of each of its kinds."""
        counts = [0] * KINDS
        for tile in self.concealed:
            counts[THEIR_KIND[tile]] += 1
        return counts


def _fits(tiles: Sequence[Tile]) -> bool:
    return max(Counter(tiles).values()) <= COPIES


def _winning_sets(random: Random, kinds: Sequence[Tile]) -> tuple[Tile, list[Set]]:
    """Return a pair and four sets of such kinds, of which one set of tiles is enough."""
    every = [one for one in (*TRIPLETS, *CHOWS) if set(one) <= set(kinds)]
    while True:
        pair, sets = random.choice(kinds), random.choices(every, k=4)
        if _fits([pair, pair, *(tile for one in sets for tile in one)]):
            return pair, sets


def _kinds(random: Random) -> Sequence[Tile]:
    """Return the kinds that a player goes for: all of them, one suit with honours, or one suit."""
    suit = 9 * random.randrange(3)
    own = range(suit, suit + 9)
    return random.choice([range(KINDS), range(KINDS), [*own, *range(SUITED, KINDS)], own])


# Shanten


def dealt(random: Random, number: int) -> list[Held]:
    """Return hands of thirteen tiles as they are dealt."""
    return [Held(tuple(random.sample(WALL, 13))) for _ in range(number)]


def in_play(random: Random, number: int, melds: Sequence[int]) -> list[Held]:
    """Return hands some tiles from winning, before or after a draw, with so many declared sets."""
    return [_near(random, random.choice(melds)) for _ in range(number)]


def _near(random: Random, melds: int) -> Held:
    pair, sets = _winning_sets(random, _kinds(random))
    declared = [tile for one in sets[:melds] for tile in one]
    concealed = [pair, pair, *(tile for one in sets[melds:] for tile in one)]
    random.shuffle(concealed)
    size = len(concealed) - random.randrange(2)
    kept = concealed[: max(1, size - random.randrange(5))]
    rest = list((Counter(WALL) - Counter(declared + kept)).elements())
    return Held((*kept, *random.sample(rest, size - len(kept))), tuple(declared), melds)


def awkward(random: Random, number: int) -> list[Held]:
    """Return hands full of fours and of few kinds, with and without declared sets and kongs."""
    return [_of_few_kinds(random) for _ in range(number)]


def _of_few_kinds(random: Random) -> Held:
    while True:
        start = 9 * random.randrange(3)
        kinds = random.choice(
            [range(start, start + 9), range(start, start + 6), range(SUITED, KINDS), ORPHANS]
        )
        sets = [one for one in (*TRIPLETS, *CHOWS) if set(one) <= set(kinds)]
        laid = random.choices(sets, k=random.randrange(5))
        laid = [one + one[:1] if one in TRIPLETS and random.random() < 0.4 else one for one in laid]
        declared = [tile for one in laid for tile in one]
        if declared and not _fits(declared):
            continue
        near = [tile for tile in kinds for _ in range(COPIES - declared.count(tile))]
        far = list((Counter(WALL) - Counter(declared) - Counter(near)).elements())
        near += random.sample(far, random.randrange(4))
        size = 14 - 3 * len(laid) - random.randrange(2)
        if len(near) >= size:
            return Held(tuple(random.sample(near, size)), tuple(declared), len(laid))


# Wins


class Won(Struct, frozen=True):
    """A winning hand as declared here, and the same as the library takes it."""

    declared: Declared
    theirs: tuple[Any, ...]


def wins(random: Random, number: int) -> list[Won]:
    """Return winning hands in the round of the East wind, self-drawn or from a discard."""
    return [_won(random) for _ in range(number)]


def _won(random: Random) -> Won:
    pair, sets = _winning_sets(random, _kinds(random))
    seat = random.choice(SIDES)
    upper = SIDES[SIDES.index(seat) - 1]
    melds = tuple(
        Meld("chow" if one in CHOWS else "pong", one, source=upper)
        for one in sets[: random.choice([0, 0, 0, 1, 2, 3])]
    )
    concealed = [pair, pair, *(tile for one in sets[len(melds) :] for tile in one)]
    random.shuffle(concealed)
    win = random.choice([Win("self_draw"), Win("discard", upper)])
    declared = Declared(seat, tuple(concealed[1:]), melds, concealed[0], win)
    return Won(declared, _as_theirs(declared))


def _as_theirs(declared: Declared) -> tuple[Any, ...]:
    """Return the arguments of the library's estimate, all of them made beforehand."""
    config_of = import_module("mahjong.hand_calculating.hand_config").HandConfig
    meld_of = import_module("mahjong.meld").Meld
    used: Counter[Tile] = Counter()

    def numbered(tile: Tile) -> int:
        used[tile] += 1
        return COPIES * THEIR_KIND[tile] + used[tile] - 1

    won, *concealed = map(numbered, (declared.win_tile, *declared.concealed))
    laid = [
        meld_of(
            meld_of.CHI if meld.kind == "chow" else meld_of.PON, [numbered(t) for t in meld.tiles]
        )
        for meld in declared.melds
    ]
    config = config_of(
        is_tsumo=declared.win.kind == "self_draw",
        player_wind=THEIRS.index(declared.seat),
        round_wind=THEIRS.index("E"),
    )
    every = [won, *concealed, *(tile for meld in laid for tile in meld.tiles)]
    return every, won, laid, None, config
