"""What winning hands are worth: every split is looked at, the best counts, the sum is capped."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from floorbook.games.mahjong.config import Config
from floorbook.games.mahjong.faan import Valued, value
from floorbook.games.mahjong.hand import Declared, Setting, Win
from floorbook.games.mahjong.melds import Meld
from floorbook.games.mahjong.patterns import (
    CHICKEN,
    ORPHANS_PATTERNS,
    SIMPLIFIED_PATTERNS,
    TRADITIONAL_PATTERNS,
)
from floorbook.games.mahjong.splits import CHOW, Set, splits
from floorbook.games.mahjong.tiles import TILE_OF, Tile, counts_of
from floorbook.games.mahjong.variant import SIMPLIFIED, TRADITIONAL, VARIANTS, Variant

from .mahjong_hands import is_winning, tiles, winning_tiles

by_variant = pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.id)
FOUR = ("E", "S", "W", "N")


def tiles_of(pair: Tile, sets: tuple[Set, ...]) -> Counter[Tile]:
    used = Counter({pair: 2})
    for tile, form in sets:
        used += Counter((tile, tile + 1, tile + 2) if form == CHOW else (tile,) * 3)
    return used


def declared(hand: str, won: str, win: Win, *melds: Meld) -> Declared:
    concealed = tuple(TILE_OF[code] for code in hand.split())
    return Declared("S", concealed, melds, TILE_OF[won], win)


def codes(valued: Valued | None) -> list[str]:
    assert valued is not None
    return [pattern.code for pattern in valued.patterns]


@by_variant
@given(st.data())
def test_splits_use_exactly_the_tiles(variant: Variant, data: st.DataObject) -> None:
    hand = data.draw(st.one_of(winning_tiles(variant), tiles(variant, variant.hand_size + 1)))
    found = splits(counts_of(hand))
    for pair, sets in found:
        assert tiles_of(pair, sets) == Counter(hand)
        assert list(sets) == sorted(sets)
    assert len(set(found)) == len(found)
    assert bool(found) is is_winning(hand, variant.sets, orphans=False)


@given(winning_tiles(TRADITIONAL), st.booleans())
def test_the_best_split_counts(hand: tuple[Tile, ...], drawn: bool) -> None:
    win = Win("self_draw") if drawn else Win("discard", "E")
    setting = Setting(TRADITIONAL, Config(faan_cap=99), FOUR, "E")
    best = value(setting, Declared("S", hand[1:], (), hand[0], win))
    assert best is not None
    assert best.total == best.raw == sum(pattern.faan for pattern in best.patterns)
    assert (CHICKEN in best.patterns) is (best.raw == 0)
    assert tiles_of(best.pair, best.concealed_sets) == Counter(hand)
    every = splits(counts_of(hand))
    assert (best.pair, best.concealed_sets) in every
    if len(every) == 1:
        return
    # With sets laid open in each other way nothing is worth more, except what must be concealed.
    for pair, sets in every:
        melds = tuple(_laid(one) for one in sets)
        rest = Declared("S", (pair,), melds, pair, win)
        other = value(setting, rest)
        assert other is not None
        assert other.raw <= best.raw


def _laid(one: Set) -> Meld:
    tile, form = one
    if form == CHOW:
        return Meld("chow", (tile, tile + 1, tile + 2), source="E")
    return Meld("pong", (tile,) * 3, source="E")


@given(winning_tiles(TRADITIONAL), st.integers(0, 4))
def test_faan_never_exceed_the_cap(hand: tuple[Tile, ...], cap: int) -> None:
    setting = Setting(TRADITIONAL, Config(faan_cap=cap), FOUR, "S")
    valued = value(setting, Declared("S", hand[1:], (), hand[0], Win("self_draw")))
    assert valued is not None
    assert valued.total == min(valued.raw, cap)


@pytest.mark.parametrize(
    ("hand", "won", "pair", "sets"),
    [
        # All triplets are worth more than three equal chows.
        (
            "1s 1s 1s 2s 2s 2s 3s 3s 3s 7m 7m 7m 5p",
            "5p",
            "5p",
            ["1s", "2s", "3s", "7m"],
        ),
        # Worth the same either way: the lowest pair counts.
        (
            "2s 2s 3s 3s 4s 4s 5s 5s 6s 6s 7s 7s 8s",
            "8s",
            "2s",
            ["3s", "3s", "6s", "6s"],
        ),
    ],
)
def test_which_split_is_named(hand: str, won: str, pair: str, sets: list[str]) -> None:
    setting = Setting(TRADITIONAL, Config(), FOUR, "E")
    valued = value(setting, declared(hand, won, Win("discard", "E")))
    assert valued is not None
    assert valued.pair == TILE_OF[pair]
    assert [tile for tile, _ in valued.concealed_sets] == [TILE_OF[code] for code in sets]


def test_thirteen_orphans_name_the_doubled_tile() -> None:
    setting = Setting(TRADITIONAL, Config(), FOUR, "E")
    hand = "1s 9s 1m 9m 1p 9p E S W N C F B"
    for won in hand.split():
        valued = value(setting, declared(hand, won, Win("discard", "E")))
        assert valued is not None
        assert valued.form == "thirteen_orphans"
        assert valued.pair == TILE_OF[won]
        assert codes(valued) == ["THIRTEEN_ORPHANS"]


def test_an_open_set_makes_triplets_ordinary() -> None:
    setting = Setting(TRADITIONAL, Config(), FOUR, "E")
    rest, won = "2s 2s 2s 4m 4m 4m 6p 6p 6p 8p", "8p"
    pong = Meld("pong", (0, 0, 0), source="E")
    kong = Meld("kong", (0, 0, 0, 0), open=False)
    win = Win("discard", "E")
    assert codes(value(setting, declared(rest, won, win, pong))) == ["ALL_TRIPLETS"]
    assert codes(value(setting, declared(rest, won, win, kong))) == ["CONCEALED_TRIPLETS"]
    strict = Setting(TRADITIONAL, Config(kankan_self_draw_only=True), FOUR, "E")
    assert codes(value(strict, declared(rest, won, win, kong))) == ["ALL_TRIPLETS"]


def test_simplified_knows_two_elements_only() -> None:
    setting = Setting(SIMPLIFIED, Config(), FOUR, "E")
    win = Win("self_draw", last_tile=True)
    valued = value(setting, declared("1s 1s F F", "F", win))
    assert codes(valued) == ["FORTUNE_TILE", "LAST_TILE"]
    heavenly = value(setting, declared("1s 1s F F", "1s", Win("self_draw", heavenly=True)))
    assert codes(heavenly) == ["CHICKEN"]


def test_every_pattern_has_its_own_name_and_worth() -> None:
    for patterns in (TRADITIONAL_PATTERNS, ORPHANS_PATTERNS, SIMPLIFIED_PATTERNS):
        named = [(pattern.code, pattern.chinese) for pattern in patterns]
        assert len(set(named)) == len(named)
        assert all(pattern.faan in (1, 2) and pattern.holds.__doc__ for pattern in patterns)
