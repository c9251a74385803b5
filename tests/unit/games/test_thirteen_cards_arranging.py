"""That the searches for a best way find what looking at every way finds."""

from itertools import combinations

import pytest

from floorbook.games.thirteen_cards.arrangement import Arrangement, in_order
from floorbook.games.thirteen_cards.arranging import (
    best_response,
    count_legal,
    house_way,
    pareto,
)
from floorbook.games.thirteen_cards.cards import ranks_of
from floorbook.games.thirteen_cards.config import Config
from floorbook.games.thirteen_cards.lanes import LANES, OFFICIAL, lane_units, strength
from floorbook.games.thirteen_cards.official import against_banker, judge_laid

HANDS = (
    "As Ad Kh Kd 9c 9d Js 7s 7c 5d Ts 3h 2c",
    "Ks Kh Kd Qs Qh Qc Js Jh Jd Tc Th 9s 9h",  # three straights, and more laid otherwise
    "Ks Kh Kd 9s 9h 9d 5s 5c 4c 4d 3s 2h 2d",
)
BANKER = Arrangement(
    ("Ac", "4s", "3d"), ("6c", "6h", "6d", "2s", "7h"), ("8h", "8d", "8c", "4h", "5h")
)
Triple = tuple[int, int, int]


def every_way(cards: tuple[str, ...]) -> dict[Triple, Arrangement]:
    """One way of laying the cards for each triple of strengths that is in order."""
    fives: dict[tuple[str, ...], int] = {
        five: strength(five, OFFICIAL) for five in combinations(cards, 5)
    }
    found = {}
    for front in combinations(cards, 3):
        rest = [card for card in cards if card not in front]
        three = strength(front, OFFICIAL)
        for middle in combinations(rest, 5):
            back = tuple(card for card in rest if card not in middle)
            triple = (three, fives[middle], fives[back])
            if in_order(triple, strict=False):
                found[triple] = Arrangement(front, middle, back)
    return found


@pytest.mark.parametrize("hand", HANDS[::2])
def test_searches_agree_with_looking_at_every_way(hand: str) -> None:
    cards, config = tuple(hand.split()), Config()
    ways = every_way(cards)
    front_runners = pareto(cards, config)
    assert front_runners == {
        triple
        for triple in ways
        if not any(one != triple and dominates(one, triple) for one in front_runners)
    }
    bank = BANKER.strengths(OFFICIAL)
    assert best_response(cards, judge_laid(BANKER, config), config).margin == max(
        margin(triple, bank) for triple in ways
    )
    front, middle, back = max(ways, key=lambda triple: triple[::-1])
    assert house_way(cards, config).laid.strengths(OFFICIAL) == (front, middle, back)


def dominates(one: Triple, other: Triple) -> bool:
    return all(mine >= theirs for mine, theirs in zip(one, other, strict=True))


def margin(player: Triple, bank: Triple) -> int:
    return sum(
        lane_units(lane, ours) if ours > theirs else -lane_units(lane, theirs)
        for lane, ours, theirs in zip(LANES, player, bank, strict=True)
    )


@pytest.mark.parametrize("hand", HANDS)
@pytest.mark.parametrize("strict", [False, True])
def test_what_is_laid_reaches_what_is_promised(hand: str, strict: bool) -> None:
    cards, config = tuple(hand.split()), Config(equal_lanes_foul=strict)
    bank = judge_laid(BANKER, config)
    best = best_response(cards, bank, config)
    assert sorted(best.laid.cards) == sorted(cards)
    settled = against_banker(1, judge_laid(best.laid, config), bank, config)
    assert settled.player_units - settled.banker_units == best.margin
    assert settled.outcome == best.outcome


def test_a_split_into_straights_is_laid_as_it_is_worth_most() -> None:
    cards, config = tuple(HANDS[1].split()), Config()
    assert house_way(cards, config).special == "three_straights"
    bank = judge_laid(BANKER, config)
    assert best_response(cards, bank, config).margin > 3


def test_against_a_fixed_combination_an_ordinary_hand_loses_three() -> None:
    config = Config()
    dragon = Arrangement(
        ("2d", "3s", "4d"), ("5d", "6d", "7d", "8d", "9s"), ("Td", "Js", "Qs", "Kc", "Ac")
    )
    cards = ("Ks", "Kh", "Kd", "8s", "8h", "8c", "5s", "5h", "4c", "4s", "3h", "2h", "2s")
    best = best_response(cards, judge_laid(dragon, config), config)
    assert (best.outcome, best.margin) == ("lose", -3)
    assert judge_laid(best.laid, config).status == "ok"


def test_strict_order_leaves_fewer_ways() -> None:
    cards = ("As", "Ks", "Qs", "Js", "Ts", "Ah", "Kh", "Qh", "Jh", "Th", "2d", "3d", "5c")
    assert count_legal(cards, Config(equal_lanes_foul=True)) < count_legal(cards, Config())


def test_the_house_keeps_ignored_cards_low_at_the_back() -> None:
    cards = ("As", "Ah", "Ad", "Kc", "Kd", "Qs", "Qh", "9d", "7c", "6h", "4s", "3d", "2c")
    laid = house_way(cards, Config()).laid
    assert ranks_of(laid.back) == (14, 14, 14, 12, 12)
    assert ranks_of(laid.middle) == (13, 13, 9, 7, 6)
