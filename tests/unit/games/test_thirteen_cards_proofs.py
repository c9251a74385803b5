"""What is proved of every lane there is, and what holds for every round whoever sits where."""

from collections import Counter
from itertools import combinations, combinations_with_replacement, permutations
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from floorbook.games.game import Evaluated, evaluate
from floorbook.games.thirteen_cards.config import Config
from floorbook.games.thirteen_cards.four_player import lane_bonus
from floorbook.games.thirteen_cards.lanes import (
    LANES,
    LOW_ACE_LOWEST,
    LOW_ACE_SECOND,
    OFFICIAL,
    Ranking,
    class_id,
    lane_units,
    strength,
)
from floorbook.games.thirteen_cards.official import Judged, by_lanes
from floorbook.games.thirteen_cards.variant import Meeting
from tests.unit.games import slow_thirteen_cards as slow
from tests.unit.games import thirteen_cards_rounds as rounds

PACK = rounds.PACK
RANKINGS = {
    "thirteen_cards": OFFICIAL,
    "compare_size": LOW_ACE_SECOND,
    "four_player": LOW_ACE_LOWEST,
}
# How many different strengths the rules tell apart: suits and ignored cards make no difference.
DISTINCT = {
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
seeds = st.integers(0, 2**32)


def kinds_of_lanes(size: int) -> list[tuple[str, ...]]:
    """One lane of each set of ranks there can be, and of one suit where that is possible."""
    found = []
    for ranks in combinations_with_replacement(rounds.RANKS, size):
        if max(Counter(ranks).values()) > 4:
            continue
        # The last card is of another suit than the first, or the ranks are all equal.
        suits = ["s"] * size
        for place in range(1, size):
            if ranks[place] == ranks[place - 1]:
                suits[place] = rounds.SUITS[rounds.SUITS.index(suits[place - 1]) + 1]
        if len(set(ranks)) == size:
            found.append(tuple(rank + "s" for rank in ranks))
            suits[-1] = "h"
        found.append(tuple(rank + suit for rank, suit in zip(ranks, suits, strict=True)))
    return found


@pytest.mark.parametrize("rule_set", RANKINGS)
def test_all_kinds_of_lanes_have_one_order_that_is_the_rules(rule_set: str) -> None:
    ranking = RANKINGS[rule_set]
    lanes = kinds_of_lanes(5) + kinds_of_lanes(3)
    pairs = sorted({(slow.key(lane, rule_set), strength(lane, ranking)) for lane in lanes})
    # A front is never as strong as a five, unless three of a rank: two gates cannot both have it.
    in_front = {strength(lane, ranking) for lane in kinds_of_lanes(3)}
    assert len(in_front) == 286 + 156 + 13
    keys, strengths = zip(*pairs, strict=True)
    assert len(set(keys)) == len(keys), "equal by the rules, different strengths"
    assert list(strengths) == sorted(set(strengths)), "another order than the rules'"


def test_all_22_100_fronts_are_of_the_class_that_is_known() -> None:
    fronts = list(combinations(PACK, 3))
    strengths = [strength(front, OFFICIAL) for front in fronts]
    assert Counter(map(class_id, strengths)) == {
        "three_of_a_kind": 52,
        "one_pair": 3_744,
        "high_card": 18_304,
    }
    assert len(set(strengths)) == 13 + 156 + 286


def test_five_cards_taken_at_random_are_as_strong_as_their_kind() -> None:
    random = Random(5)
    for _ in range(5_000):
        cards = random.sample(PACK, 5)
        for rule_set, ranking in RANKINGS.items():
            found = strength(cards, ranking)
            assert class_id(found) == slow.class_name(slow.key(tuple(cards), rule_set))
            assert found == strength(random.sample(cards, 5), ranking)


@pytest.mark.slow
def test_all_2_598_960_fives_are_of_the_class_that_is_known() -> None:
    hands: Counter[int] = Counter(strength(five, OFFICIAL) for five in combinations(PACK, 5))
    classes: Counter[str] = Counter()
    for found, number in hands.items():
        classes[class_id(found)] += number
    assert classes == {
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
    assert Counter(map(class_id, hands)) == DISTINCT


def test_a_better_lane_never_scores_less() -> None:
    for lane in LANES:
        kinds = kinds_of_lanes(3 if lane == "front" else 5)
        for ranking in RANKINGS.values():
            ordered = sorted({strength(kind, ranking) for kind in kinds})
            units = [lane_units(lane, one) for one in ordered]
            assert units == sorted(units)
        # The last ranking is that of the rule set with bonuses. Won over nothing: only the own
        # class counts.
        bonus = [lane_bonus(Meeting(lane, one, 0, 1)) for one in ordered]
        assert bonus == sorted(bonus)


def laid_in_order(random: Random, hand: list[str], ranking: Ranking) -> tuple[int, int, int]:
    lanes = rounds.laid(random, hand, "thirteen_cards").values()
    front, middle, back = (strength(lane, ranking) for lane in lanes)
    return front, middle, back


@given(seeds)
def test_a_hand_with_no_lane_worse_never_does_worse(seed: int) -> None:
    random = Random(seed)
    one, other, banker = (laid_in_order(random, hand, OFFICIAL) for hand in rounds.hands(random, 3))
    pairs = list(zip(one, other, strict=True))
    lower, upper = (
        Judged("ok", None, (front, middle, back), ())
        for front, middle, back in (map(min, pairs), map(max, pairs))
    )
    bank = Judged("ok", None, banker, ())
    worse, better = (by_lanes(1, hand, bank, Config()) for hand in (lower, upper))
    assert better.player_units >= worse.player_units
    assert better.banker_units <= worse.banker_units


def settled(rule_set: str, request: dict[str, Any]) -> dict[str, Any]:
    answer = evaluate(rule_set, "1", request)
    assert isinstance(answer, Evaluated), answer
    return answer.result


MIRRORED = {"a": "b", "b": "a", "draw": "draw", "equal": "equal"}
SEATED = tuple(
    name for name in rounds.RULE_SETS if name not in ("thirteen_cards", *slow.BANKER_GAMES)
)


@given(st.sampled_from(SEATED), seeds, st.sampled_from(list(permutations(range(4)))))
def test_whoever_sits_elsewhere_wins_there(rule_set: str, seed: int, to: tuple[int, ...]) -> None:
    request = rounds.settlement(Random(seed), rule_set)
    moved = [{**gate, "gate": to[gate["gate"]]} for gate in request["gates"]]
    before, after = settled(rule_set, request), settled(rule_set, {**request, "gates": moved})
    there = {gate["gate"]: gate for gate in after["gates"]}
    for gate in before["gates"]:
        assert {**gate, "gate": to[gate["gate"]]} == there[to[gate["gate"]]]
    assert sum(gate["units"] for gate in after["gates"]) == 0
    met = {(pair["a"], pair["b"]): pair for pair in after["pairs"]}
    for pair in before["pairs"]:
        a, b = to[pair["a"]], to[pair["b"]]
        if (a, b) in met:
            assert met[a, b]["units_a"] == pair["units_a"]
            continue
        mirrored = met[b, a]
        assert mirrored["units_a"] == -pair["units_a"]
        assert [lane["winner"] for lane in mirrored["lanes"]] == [
            MIRRORED[lane["winner"]] for lane in pair["lanes"]
        ]
        for part, units in pair.get("breakdown", {}).items():
            assert mirrored["breakdown"][part] == -units


@given(st.sampled_from(("thirteen_cards", *slow.BANKER_GAMES)), seeds)
def test_player_gates_may_change_places(rule_set: str, seed: int) -> None:
    random = Random(seed)
    request = rounds.settlement(random, rule_set)
    if request.get("void"):
        return
    to = random.sample(range(4), 4)
    moved = {
        **request,
        "banker_gate": to[request["banker_gate"]],
        "gates": [{**gate, "gate": to[gate["gate"]]} for gate in request["gates"]],
        "bets": [{**bet, "gate": to[bet["gate"]]} for bet in request["bets"]],
    }
    before, after = settled(rule_set, request), settled(rule_set, moved)
    there = {gate["gate"]: gate for gate in after["gates"]}
    assert len(there) == len(before["gates"])
    for gate in before["gates"]:
        assert {**gate, "gate": to[gate["gate"]]} == there[to[gate["gate"]]]
    assert after["banker_net"] == before["banker_net"]
    for bet, again in zip(before["bets"], after["bets"], strict=True):
        assert {**bet, "gate": to[bet["gate"]]} == again


@given(st.sampled_from(rounds.RULE_SETS), seeds)
def test_swapping_sides_mirrors_a_comparison(rule_set: str, seed: int) -> None:
    for request in rounds.on_hands(Random(seed), rule_set):
        if request["op"] == "compare":
            before = settled(rule_set, request)
            after = settled(rule_set, {**request, "a": request["b"], "b": request["a"]})
            assert after == {
                "a_class": before["b_class"],
                "b_class": before["a_class"],
                "result": MIRRORED[before["result"]],
            }


@given(st.sampled_from(("thirteen_cards", *slow.BANKER_GAMES)), seeds)
def test_only_equal_lanes_are_the_bankers_whichever_side_he_is(rule_set: str, seed: int) -> None:
    random = Random(seed)
    hands = [rounds.laid(random, hand, rule_set) for hand in rounds.hands(random, 2)]
    gates = [{"gate": gate, "arrangement": hand} for gate, hand in enumerate(hands)]
    one, other = (
        settled(rule_set, {"op": "settle", "banker_gate": banker, "gates": gates, "bets": []})
        for banker in (0, 1)
    )
    lanes = zip(LANES, one["gates"][0]["lanes"], other["gates"][0]["lanes"], strict=False)
    for lane, here, there in lanes:
        compared = settled(
            rule_set, {"op": "compare", "lane": lane, "a": hands[0][lane], "b": hands[1][lane]}
        )
        assert here["lane"] == there["lane"] == lane
        if "foul" in (here["player_class"], here["banker_class"]):
            if here["player_class"] != here["banker_class"]:
                assert {here["winner"], there["winner"]} == {"player", "banker"}
        elif compared["result"] == "equal":
            assert here["winner"] == there["winner"] == "banker"
        else:
            # Gate 0 is the banker here, and the player there.
            banks = compared["result"] == "a"
            assert here["winner"] == ("banker" if banks else "player")
            assert there["winner"] == ("player" if banks else "banker")
            assert here["units"] == there["units"]
