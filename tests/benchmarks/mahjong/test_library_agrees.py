"""That what is measured is right: the library beside us sees the same distances and the same wins.

Skipped where the dependency group `bench` is not installed.
"""

from importlib import import_module
from random import Random
from typing import Any

import pytest

from floorbook.games.mahjong.config import Config
from floorbook.games.mahjong.distance import shanten
from floorbook.games.mahjong.hand import Setting
from floorbook.games.mahjong.tiles import FORTUNE
from floorbook.games.mahjong.variant import SIDES, TRADITIONAL
from floorbook.games.mahjong.winning import judge
from tests.benchmarks.mahjong.hands import Held, awkward, dealt, in_play, wins
from tests.benchmarks.mahjong.nearest import AS_MANY_AS_NEEDED, nearest

pytestmark = pytest.mark.slow

HANDS = 40_000
SETTING = Setting(TRADITIONAL, Config(), SIDES, "E")


def library(name: str) -> Any:
    pytest.importorskip("mahjong")
    return import_module(f"mahjong.{name}")


@pytest.mark.parametrize("kind", ["dealt", "in play", "awkward"])
def test_shanten_differs_only_where_a_fifth_copy_would_be_needed(kind: str) -> None:
    theirs = library("shanten").Shanten.calculate_shanten
    random = Random(14)
    hands = {
        "dealt": lambda: dealt(random, HANDS),
        "in play": lambda: in_play(random, HANDS, range(5)),
        "awkward": lambda: awkward(random, HANDS),
    }[kind]()
    differ = 0
    for held in hands:
        ours = shanten(TRADITIONAL, held.concealed, held.declared, held.melds)
        other = theirs(held.their_counts, use_chiitoitsu=False, use_kokushi=True)
        if ours != other:
            differ += 1
            assert other == ours - 1, held
            assert nearest(held) == ours, held
            assert nearest(held, copies=AS_MANY_AS_NEEDED) == other, held
    # The awkward ones are there so that the two do differ.
    assert bool(differ) or kind != "awkward"


def test_the_slow_definition_is_ours() -> None:
    random = Random(15)
    for held in (*dealt(random, 500), *in_play(random, 500, range(5)), *awkward(random, 1_000)):
        assert shanten(TRADITIONAL, held.concealed, held.declared, held.melds) == nearest(held)


def test_the_one_difference() -> None:
    """A lone 發 beside a pong of the other three: a fifth would complete it, and there is none."""
    theirs = library("shanten").Shanten.calculate_shanten
    declared = (FORTUNE,) * 3 + (0, 1, 2) + (3, 4, 5) + (6, 7, 8)
    held = Held((FORTUNE,), declared, 4)
    assert shanten(TRADITIONAL, held.concealed, held.declared, held.melds) == 1
    assert theirs(held.their_counts, use_chiitoitsu=False, use_kokushi=True) == 0


def test_wins_are_wins() -> None:
    estimate = library("hand_calculating.hand").HandCalculator.estimate_hand_value
    for won in wins(Random(16), 20_000):
        assert judge(SETTING, won.declared).status == "win"
        # Without an element of its own list a hand is worth nothing there; here it is a chicken hand.
        assert estimate(*won.theirs).error in (None, "no_yaku"), won.declared
