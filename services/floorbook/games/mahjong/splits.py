"""Every way to split tiles into sets and a pair (RULE-BEST, section 10)."""

from collections.abc import Iterator, Sequence
from functools import lru_cache

from floorbook.games.mahjong.tiles import GROUPS, SUITED, Tile

TRIPLET, CHOW = 0, 1
Set = tuple[Tile, int]
"""The lowest tile, and whether it is a triplet or a chow: they compare as section 10 wants it."""

_Split = tuple[int, tuple[Set, ...]]
_NO_PAIR = -1  # below every tile


@lru_cache(maxsize=1 << 14)
def _suit_splits(counts: bytes, start: Tile) -> tuple[_Split, ...]:
    """Return all splits of one suit, or of the honours, into sets and at most one pair.

    Its first tile is `start`.
    """
    found = _splits(list(counts), 0, start < SUITED, _NO_PAIR)
    # A pair and a chow that begin at the same tile are met in either order.
    return tuple(
        dict.fromkeys(
            (
                pair if pair == _NO_PAIR else pair + start,
                tuple(sorted((tile + start, form) for tile, form in sets)),
            )
            for pair, sets in found
        )
    )


def _splits(counts: list[int], tile: int, chows: bool, pair: int) -> Iterator[_Split]:
    while tile < len(counts) and not counts[tile]:
        tile += 1
    if tile == len(counts):
        yield pair, ()
        return
    if counts[tile] >= 3:
        counts[tile] -= 3
        for found, sets in _splits(counts, tile, chows, pair):
            yield found, ((tile, TRIPLET), *sets)
        counts[tile] += 3
    if chows and tile + 2 < len(counts) and counts[tile + 1] and counts[tile + 2]:
        for other in (tile, tile + 1, tile + 2):
            counts[other] -= 1
        for found, sets in _splits(counts, tile, chows, pair):
            yield found, ((tile, CHOW), *sets)
        for other in (tile, tile + 1, tile + 2):
            counts[other] += 1
    if pair == _NO_PAIR and counts[tile] >= 2:
        counts[tile] -= 2
        yield from _splits(counts, tile, chows, tile)
        counts[tile] += 2


def splits(counts: Sequence[int]) -> list[tuple[Tile, tuple[Set, ...]]]:
    """Return every pair and sorted list of sets that `counts` are exactly; none if there is none.

    The same tiles may be split in several ways: which of them counts is for the faan to say.
    """
    held = bytes(counts)
    found: Sequence[_Split] = [(_NO_PAIR, ())]
    for start, end in GROUPS:
        found = [
            (max(pair, more), sets + added)
            for more, added in _suit_splits(held[start:end], start)
            for pair, sets in found
            if pair == _NO_PAIR or more == _NO_PAIR
        ]
    return [split for split in found if split[0] != _NO_PAIR]
