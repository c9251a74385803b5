"""That what is measured is right: batches, and the libraries beside us, see the same lanes as the rules do.

Skipped where the dependency group `bench` is not installed.
"""

from collections.abc import Callable
from itertools import combinations
from random import Random
from typing import Any

import pytest

from floorbook.games.thirteen_cards.cards import PACK
from floorbook.games.thirteen_cards.lanes import OFFICIAL, class_id, strength
from tests.benchmarks.thirteen_cards.batch import NUMBER_OF, Batch

pytestmark = pytest.mark.slow

CLASS_OF_EVAL7 = {
    "High Card": {"high_card"},
    "Pair": {"one_pair"},
    "Two Pair": {"two_pairs"},
    "Trips": {"three_of_a_kind"},
    "Straight": {"straight"},
    "Flush": {"flush"},
    "Full House": {"full_house"},
    "Quads": {"four_of_a_kind"},
    "Straight Flush": {"straight_flush", "royal_flush"},
}
LOW_ACE = {"A", "2", "3", "4", "5"}  # the smallest straight elsewhere, the second here


def random_fives(number: int) -> list[tuple[str, ...]]:
    random = Random(7)
    return [tuple(random.sample(PACK, 5)) for _ in range(number)]


def test_batches_are_as_strong_as_their_hands_one_by_one() -> None:
    numpy = pytest.importorskip("numpy")
    hands = list(combinations(PACK, 5))
    numbers = (NUMBER_OF[card] for hand in hands for card in hand)
    rows = numpy.fromiter(numbers, dtype=numpy.uint8, count=5 * len(hands)).reshape(-1, 5)
    found = Batch(numpy, OFFICIAL).strengths(numpy.ascontiguousarray(rows.T))
    assert found.tolist() == [strength(hand, OFFICIAL) for hand in hands]


def test_eval7_sees_the_same_classes() -> None:
    eval7 = pytest.importorskip("eval7")
    for hand in random_fives(20_000):
        theirs = eval7.handtype(eval7.evaluate([eval7.Card(card) for card in hand]))
        assert class_id(strength(hand, OFFICIAL)) in CLASS_OF_EVAL7[theirs], hand


@pytest.mark.parametrize("library", ["eval7", "treys", "phevaluator"])
def test_libraries_have_the_same_order(library: str) -> None:
    value = evaluator(pytest.importorskip(library), library)
    seen = [
        (strength(hand, OFFICIAL), value(hand))
        for hand in random_fives(20_000)
        if {card[0] for card in hand} != LOW_ACE
    ]
    seen.sort()
    best_below = lowest = -(10**9)
    below = seen[0][0]
    for ours, theirs in seen:
        if ours > below:
            best_below, below = max(best_below, lowest), ours
        # What is stronger here is stronger there; they may tell apart what is equal here (TC-29).
        assert theirs > best_below, (ours, theirs)
        lowest = max(lowest, theirs)


def evaluator(module: Any, library: str) -> Callable[[tuple[str, ...]], int]:
    """What tells how strong a library finds five cards: the larger the stronger."""
    if library == "eval7":
        return lambda hand: int(module.evaluate([module.Card(card) for card in hand]))
    if library == "treys":
        treys, card_of = module.Evaluator(), module.Card.new
        return lambda hand: -int(treys.evaluate([], [card_of(card) for card in hand]))
    return lambda hand: -int(module.evaluate_cards(*hand))
