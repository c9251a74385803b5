"""How strong lanes are: counted against the known numbers of poker hands, and in order."""

from collections import Counter
from itertools import combinations_with_replacement
from math import comb, prod

from floorbook.games.thirteen_cards.lanes import (
    CLASSES,
    LOW_ACE_LOWEST,
    LOW_ACE_SECOND,
    OFFICIAL,
    Ranking,
    class_id,
    strength,
    strength_of_five,
    strength_of_three,
)

RANKS = range(14, 1, -1)


def test_every_five_cards_are_of_the_class_that_is_known() -> None:
    found: Counter[str] = Counter()
    strengths: dict[str, set[int]] = {name: set() for name in CLASSES}
    for ranks in combinations_with_replacement(RANKS, 5):
        counts = Counter(ranks)
        if max(counts.values()) > 4:
            continue
        hands = prod(comb(4, count) for count in counts.values())
        if len(counts) == 5:
            suited = strength_of_five(ranks, True, OFFICIAL.low_ace, OFFICIAL.royals)
            found[class_id(suited)] += 4
            strengths[class_id(suited)].add(suited)
            hands -= 4
        mixed = strength_of_five(ranks, False, OFFICIAL.low_ace, OFFICIAL.royals)
        found[class_id(mixed)] += hands
        strengths[class_id(mixed)].add(mixed)
    assert found == {
        "royal_flush": 4,
        "straight_flush": 36,
        "four_of_a_kind": 624,
        "full_house": 3_744,
        "flush": 5_108,
        "straight": 10_200,
        "three_of_a_kind": 54_912,
        "two_pairs": 123_552,
        "one_pair": 1_098_240,
        "high_card": 1_302_540,
    }
    # Ignored cards make no difference (TC-29), all others do (TC-30).
    assert {name: len(kinds) for name, kinds in strengths.items() if kinds} == {
        "royal_flush": 1,
        "straight_flush": 9,
        "four_of_a_kind": 13,
        "full_house": 13,
        "flush": 1_277,
        "straight": 10,
        "three_of_a_kind": 13,
        "two_pairs": 858,
        "one_pair": 2_860,
        "high_card": 1_277,
    }


def test_every_front_is_a_high_card_a_pair_or_three() -> None:
    found = Counter(
        class_id(strength_of_three(ranks)) for ranks in combinations_with_replacement(RANKS, 3)
    )
    assert found == {"high_card": comb(13, 3), "one_pair": 13 * 12, "three_of_a_kind": 13}


STRAIGHTS = [
    "5432A",
    "65432",
    "76543",
    "87654",
    "98765",
    "T9876",
    "JT987",
    "QJT98",
    "KQJT9",
    "AKQJT",
]


def in_order(ranking: Ranking, suits: str) -> list[str]:
    def value(ranks: str) -> int:
        return strength([rank + suit for rank, suit in zip(ranks, suits, strict=True)], ranking)

    return sorted(STRAIGHTS, key=value)


def test_the_low_ace_stands_where_the_rule_set_puts_it() -> None:
    for suits in ("sssss", "ssssh"):
        assert in_order(OFFICIAL, suits) == [*STRAIGHTS[1:9], "5432A", "AKQJT"]
        assert in_order(LOW_ACE_SECOND, suits) == [*STRAIGHTS[1:9], "5432A", "AKQJT"]
        assert in_order(LOW_ACE_LOWEST, suits) == STRAIGHTS


def test_a_royal_is_a_class_of_the_official_game_only() -> None:
    royal = ["As", "Ks", "Qs", "Js", "Ts"]
    assert class_id(strength(royal, OFFICIAL)) == "royal_flush"
    assert class_id(strength(royal, LOW_ACE_SECOND)) == "straight_flush"


def test_a_front_that_begins_like_a_five_is_smaller() -> None:
    five = ["As", "Kh", "Qd", "4c", "2s"]
    assert strength(["Ac", "Kd", "Qs"], OFFICIAL) < strength(five, OFFICIAL)
    assert strength(["Ac", "Kd", "Qs"], OFFICIAL) > strength(
        [*five[:2], "Jd", "Tc", "9s"], OFFICIAL
    )
    assert strength(["Kc", "Ks", "As"], OFFICIAL) > strength(
        ["Kd", "Kh", "Qs", "Jc", "Th"], OFFICIAL
    )
