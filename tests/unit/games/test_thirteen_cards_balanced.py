"""That the balanced way keeps to the rules of every blind way, and that it is worth laying."""

from random import Random

import pytest

from floorbook.games.thirteen_cards.arrangement import Arrangement, in_order
from floorbook.games.thirteen_cards.arranging import house_way, pareto
from floorbook.games.thirteen_cards.balanced import balanced_way, expected_units
from floorbook.games.thirteen_cards.config import Config
from floorbook.games.thirteen_cards.lanes import OFFICIAL
from floorbook.games.thirteen_cards.official import against_banker, judge_laid
from tests.unit.games import thirteen_cards_rounds as rounds

STRICT = Config(equal_lanes_foul=True)
CONFIG = Config()


@pytest.mark.parametrize("config", [CONFIG, STRICT], ids=["loose", "strict"])
def test_it_is_in_order_and_dominated_by_nothing(config: Config) -> None:
    random = Random(13)
    for _ in range(25):
        for hand in rounds.hands(random, 2):
            cards = tuple(hand)
            laid = balanced_way(cards, config)
            strengths = laid.strengths(OFFICIAL)
            assert sorted(laid.cards) == sorted(cards)
            found = pareto(cards, config)
            assert not found or strengths in found
            assert not found or in_order(strengths, config.equal_lanes_foul)


def test_the_order_of_the_cards_has_no_meaning() -> None:
    random = Random(14)
    cards = random.sample(rounds.PACK, 13)
    laid = balanced_way(tuple(cards), CONFIG)
    random.shuffle(cards)
    again = balanced_way(tuple(cards), CONFIG)
    assert again.strengths(OFFICIAL) == laid.strengths(OFFICIAL)


def test_no_other_way_is_expected_to_win_more() -> None:
    cards = ("As", "Ad", "Kh", "Kd", "9c", "9d", "Js", "7s", "7c", "5d", "Ts", "3h", "2c")
    best = expected_units(balanced_way(cards, CONFIG).strengths(OFFICIAL))
    assert best == max(map(expected_units, pareto(cards, CONFIG)))
    assert best > expected_units(house_way(cards, CONFIG).laid.strengths(OFFICIAL))


def test_three_flushes_are_laid_as_such_if_nothing_dominates_them() -> None:
    cards = ("Qs", "Js", "4s", "Kh", "9h", "6h", "5h", "2h", "Ad", "Kd", "8d", "7d", "3d")
    laid = judge_laid(balanced_way(cards, CONFIG), CONFIG)
    assert (laid.status, laid.special) == ("ok", "three_flushes")


def test_what_is_worth_more_otherwise_is_not_laid_as_a_fixed_combination() -> None:
    # Three kings in front of two full houses: laid as three straights they would win three units.
    cards = ("Ks", "Kh", "Kd", "Qs", "Qh", "Qc", "Js", "Jh", "Jd", "Tc", "Th", "9s", "9h")
    laid = judge_laid(balanced_way(cards, CONFIG), CONFIG)
    assert (laid.status, laid.special) == ("ok", None)


def test_it_beats_the_house_way_from_either_side() -> None:
    random, ahead = Random(15), {"banker": 0, "player": 0}
    for _ in range(60):
        dealt = random.sample(rounds.PACK, 26)
        one, other = tuple(dealt[:13]), tuple(dealt[13:])
        ahead["player"] += margin(balanced_way(one, CONFIG), house_way(other, CONFIG).laid)
        ahead["banker"] -= margin(house_way(one, CONFIG).laid, balanced_way(other, CONFIG))
    assert min(ahead.values()) > 0, ahead


def margin(player: Arrangement, banker: Arrangement) -> int:
    result = against_banker(1, judge_laid(player, CONFIG), judge_laid(banker, CONFIG), CONFIG)
    return result.player_units - result.banker_units
