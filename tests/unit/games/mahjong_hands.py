"""Random tiles and hands of both games for the tests, and a plain second opinion on winning."""

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations_with_replacement
from random import Random

from hypothesis import strategies as st

from floorbook.games.mahjong.tiles import COPIES, ORPHANS, SUITED, Tile
from floorbook.games.mahjong.variant import Variant


def sets_of(variant: Variant) -> list[tuple[Tile, ...]]:
    """Every triplet and chow of a game."""
    triplets = [(tile, tile, tile) for tile in variant.kinds]
    chows = [(t, t + 1, t + 2) for t in range(SUITED) if t % 9 <= 6]
    return [*triplets, *chows]


def fits(tiles: Sequence[Tile]) -> bool:
    """Whether one set of tiles holds all these."""
    return max(Counter(tiles).values(), default=0) <= COPIES


def tiles(variant: Variant, count: int) -> st.SearchStrategy[tuple[Tile, ...]]:
    """Some tiles of one set; often of few kinds, where hands are near to winning."""
    return st.builds(partial(_shuffled, variant, count), st.integers(0, 2**32), st.integers(0, 3))


def _shuffled(variant: Variant, count: int, seed: int, near: int) -> tuple[Tile, ...]:
    kinds = (variant.kinds, variant.kinds[:18], variant.kinds[:9], variant.kinds[-7:])[near]
    wall = [tile for tile in kinds for _ in range(COPIES)]
    return tuple(Random(seed).sample(wall, count))


def winning_tiles(variant: Variant) -> st.SearchStrategy[tuple[Tile, ...]]:
    """The tiles of a winning hand without declared sets; often of one suit, split in many ways."""
    return st.builds(partial(_winning, variant), st.integers(0, 2**32), st.booleans())


def _winning(variant: Variant, seed: int, one_suit: bool) -> tuple[Tile, ...]:
    random = Random(seed)
    every = [one for one in sets_of(variant) if not one_suit or max(one) < 9]
    hand = [0] * 5
    while not fits(hand):
        pair = random.choice(variant.kinds[:9] if one_suit else variant.kinds)
        hand = [pair, pair, *(t for one in random.choices(every, k=variant.sets) for t in one)]
    random.shuffle(hand)
    return tuple(hand)


def is_winning(hand: Sequence[Tile], sets: int, orphans: bool) -> bool:
    """Whether tiles are so many sets and a pair, or thirteen orphans: by trying everything."""
    if orphans and len(hand) == 14 and set(hand) == set(ORPHANS):
        return True
    held = Counter(hand)
    return len(hand) == 3 * sets + 2 and any(
        count >= 2 and _are_sets(held - Counter({pair: 2})) for pair, count in held.items()
    )


def _are_sets(held: Counter[Tile]) -> bool:
    if not held:
        return True
    tile = min(held)
    if held[tile] >= 3 and _are_sets(held - Counter({tile: 3})):
        return True
    chow = Counter((tile, tile + 1, tile + 2))
    in_suit = tile < SUITED and tile % 9 <= 6
    return in_suit and all(held[t] for t in chow) and _are_sets(held - chow)


def shapes(variant: Variant, sets: int) -> Iterator[Counter[Tile]]:
    """Every multiset of so many sets and a pair."""
    for chosen in combinations_with_replacement(sets_of(variant), sets):
        for pair in variant.kinds:
            yield Counter([tile for one in chosen for tile in one] + [pair, pair])
