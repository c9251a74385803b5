"""How far a hand is from winning: against the definition, and against each single exchange."""

from collections import Counter
from collections.abc import Iterator
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from floorbook.games.mahjong.distance import is_complete, is_ready, shanten, waits
from floorbook.games.mahjong.tiles import COPIES, ORPHANS, TILE_OF, Tile
from floorbook.games.mahjong.variant import SIMPLIFIED, TRADITIONAL, VARIANTS, Variant

from .mahjong_hands import fits, is_winning, shapes, tiles, winning_tiles

by_variant = pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.id)


def defined(variant: Variant, hand: tuple[Tile, ...], declared: tuple[Tile, ...], sets: int) -> int:
    """Shanten word for word: the least that any shape needs more than the hand has, less one."""
    held, fixed = Counter(hand), Counter(declared)
    return (
        min(
            (shape - held).total()
            for shape in shapes(variant, sets)
            if all(count + fixed[tile] <= COPIES for tile, count in shape.items())
        )
        - 1
    )


def exchanges(variant: Variant, hand: tuple[Tile, ...]) -> Iterator[tuple[Tile, ...]]:
    for place in range(len(hand)):
        for tile in variant.kinds:
            changed = (*hand[:place], tile, *hand[place + 1 :])
            if tile != hand[place] and fits(changed):
                yield changed


@given(tiles(SIMPLIFIED, 4))
def test_simplified_is_the_definition(hand: tuple[Tile, ...]) -> None:
    assert shanten(SIMPLIFIED, hand) == defined(SIMPLIFIED, hand, (), 1)


@st.composite
def with_declared(draw: st.DrawFn) -> tuple[tuple[Tile, ...], tuple[Tile, ...]]:
    """Four concealed tiles beside three declared sets, often of the same kinds."""
    near = draw(st.integers(0, 28))
    kinds = range(near, near + 6)
    declared: list[Tile] = []
    for tile in draw(st.lists(st.sampled_from(kinds), min_size=3, max_size=3, unique=True)):
        declared += [tile] * draw(st.sampled_from([3, 4]))
    wall = [t for t in range(34) for _ in range(COPIES - declared.count(t))]
    close = [tile for tile in wall if tile in kinds]
    seed = draw(st.integers(0, 2**32))
    concealed = Random(seed).sample(close if len(close) >= 4 else wall, 4)
    return tuple(concealed), tuple(declared)


@settings(max_examples=40)
@given(with_declared())
def test_declared_tiles_cannot_be_used_again(
    hand: tuple[tuple[Tile, ...], tuple[Tile, ...]],
) -> None:
    concealed, declared = hand
    expected = defined(TRADITIONAL, concealed, declared, 1)
    assert shanten(TRADITIONAL, concealed, declared, 3) == expected
    assert bool(waits(TRADITIONAL, concealed, declared, 3)) is (expected == 0)


@pytest.mark.parametrize("hand", ["2s 4s 5m 5m 9p 9p E", "1s 1s 1s 1s 3m 6m C"])
def test_two_declared_sets_leave_the_definition(hand: str) -> None:
    concealed = tuple(TILE_OF[code] for code in hand.split())
    declared = (TILE_OF["3s"],) * 4 + (TILE_OF["F"],) * 3
    expected = defined(TRADITIONAL, concealed, declared, 2)
    assert shanten(TRADITIONAL, concealed, declared, 2) == expected


# A whole hand has too many shapes to try. But a number that is 0 exactly for ready hands, that one
# exchange never changes by more than one, and that some exchange lowers, is the number of exchanges.


@settings(max_examples=25)
@given(tiles(TRADITIONAL, 13))
def test_shanten_is_the_number_of_exchanges(hand: tuple[Tile, ...]) -> None:
    own = shanten(TRADITIONAL, hand)
    others = {shanten(TRADITIONAL, changed) for changed in exchanges(TRADITIONAL, hand)}
    assert max(others) <= own + 1
    assert min(others) >= own - 1
    if own > 0:
        assert own - 1 in others


@by_variant
@settings(max_examples=40)
@given(st.data())
def test_ready_is_waiting_for_a_tile(variant: Variant, data: st.DataObject) -> None:
    complete = data.draw(winning_tiles(variant))
    hand = (
        complete[1:] if data.draw(st.booleans()) else data.draw(tiles(variant, len(complete) - 1))
    )
    wanted = tuple(
        tile
        for tile in variant.kinds
        if hand.count(tile) < COPIES and is_winning((*hand, tile), variant.sets, variant.orphans)
    )
    assert waits(variant, hand) == wanted
    assert is_ready(variant, hand) is bool(wanted)
    assert (shanten(variant, hand) == 0) is bool(wanted)


@by_variant
@given(st.data())
def test_complete_is_below_zero(variant: Variant, data: st.DataObject) -> None:
    size = variant.hand_size + 1
    hand = data.draw(st.one_of(winning_tiles(variant), tiles(variant, size)))
    won = is_winning(hand, variant.sets, variant.orphans)
    assert (shanten(variant, hand) == -1) is won
    assert is_complete(variant, hand) is won


@given(st.lists(st.sampled_from(ORPHANS), min_size=13, max_size=13).filter(fits))
def test_orphans_are_counted_by_their_kinds(hand: list[Tile]) -> None:
    kinds = set(hand)
    by_kinds = 13 - len(kinds) - (len(kinds) < len(hand))
    assert shanten(TRADITIONAL, hand) <= by_kinds
    if len(kinds) > 10:
        assert shanten(TRADITIONAL, hand) == by_kinds


def test_a_hand_of_the_wrong_size_waits_for_nothing() -> None:
    hand = tuple(TILE_OF[code] for code in ("1s", "2s", "3s", "F"))
    assert waits(SIMPLIFIED, hand) == (TILE_OF["F"],)
    assert not waits(SIMPLIFIED, hand[:3])
    assert not is_ready(SIMPLIFIED, (*hand, 0))
    assert not is_complete(SIMPLIFIED, hand)
    assert not is_complete(SIMPLIFIED, (), (0,) * 8, 2)
