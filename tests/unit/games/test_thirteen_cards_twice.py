"""That two implementations, written apart from the same rules, agree on rounds nobody thought of."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from random import Random
from typing import Any

import pytest

from floorbook.games.game import Evaluated, evaluate
from floorbook.games.thirteen_cards.arrangement import Arrangement
from floorbook.games.thirteen_cards.arranging import best_response, house_way, pareto
from floorbook.games.thirteen_cards.config import Config
from floorbook.games.thirteen_cards.lanes import OFFICIAL, strength
from floorbook.games.thirteen_cards.official import judge_laid
from tests.unit.games import slow_thirteen_cards as slow
from tests.unit.games import thirteen_cards_rounds as rounds
from tests.unit.games.test_thirteen_cards_vectors import agrees

SLOW = {
    "classify": slow.classify,
    "compare": slow.compare,
    "legal": slow.legal,
    "special": slow.special_of,
    "settle": slow.settle,
}


def both(rule_set: str, request: dict[str, Any]) -> dict[str, Any]:
    """What both say, if they say the same."""
    answer = evaluate(rule_set, "1", request)
    assert isinstance(answer, Evaluated), (answer, request)
    slowly = SLOW[request["op"]](rule_set, request)
    assert agrees(slowly, answer.result), (rule_set, request, slowly, answer.result)
    return slowly


def facts(value: Any) -> Iterator[str]:
    """Every fact of a result that a rule may decide, wherever it stands."""
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
        if isinstance(inner, dict | list):
            yield from facts(inner)
        elif key in ("special", "status", "winner", "outcome", "decided_by", "tier", "b_class"):
            yield f"{key} {inner}"
        elif key in ("gun", "home_run", "bonus", "fee") and inner:
            yield key


@pytest.mark.parametrize("rule_set", rounds.RULE_SETS)
def test_two_implementations_settle_alike(rule_set: str) -> None:
    compare_settlements(rule_set, range(100))


@pytest.mark.slow
@pytest.mark.parametrize("rule_set", rounds.RULE_SETS)
def test_two_implementations_settle_many_rounds_alike(rule_set: str) -> None:
    seen = compare_settlements(rule_set, range(1_000, 5_000))
    missing = EXPECTED[rule_set] - set(seen)
    assert not missing, f"no round had {sorted(missing)}"


def compare_settlements(rule_set: str, seeds: range) -> Counter[str]:
    seen: Counter[str] = Counter()
    for seed in seeds:
        request = rounds.settlement(Random(f"{rule_set}/{seed}"), rule_set)
        seen.update(facts(both(rule_set, request)))
    return seen


@pytest.mark.parametrize("rule_set", rounds.RULE_SETS)
def test_two_implementations_see_lanes_and_hands_alike(rule_set: str) -> None:
    compare_hands(rule_set, range(20))


@pytest.mark.slow
@pytest.mark.parametrize("rule_set", rounds.RULE_SETS)
def test_two_implementations_see_many_lanes_and_hands_alike(rule_set: str) -> None:
    compare_hands(rule_set, range(1_000, 5_000))


def compare_hands(rule_set: str, seeds: range) -> None:
    for seed in seeds:
        for request in rounds.on_hands(Random(f"{rule_set}/{seed}"), rule_set):
            both(rule_set, request)


# What the many rounds must have had in them, or they prove less than they seem to.
_ORDINARY = {"status ok", "status foul", "special None", "decided_by lanes"}
_PAIRS = {"winner a", "winner b", "winner draw"}
_AGAINST_BANKER = {"winner player", "winner banker"}
_SPECIAL = _ORDINARY | {"decided_by special"}
EXPECTED: dict[str, set[str]] = {
    "thirteen_cards": _AGAINST_BANKER
    | {"status ok", "status foul", "status timeout"}
    | {f"outcome {name}" for name in ("win", "lose", "tie", "void")}
    | {f"special {name}" for name in ("dragon", "six_and_a_half_pairs", "three_flushes")}
    | {"special three_straights"},
    "compare_size": _ORDINARY | _PAIRS,
    "no_arranging": _SPECIAL | _PAIRS | {"special straight_flush", "special four_of_a_kind"},
    "declare": _SPECIAL
    | _PAIRS
    | {f"special {name}" for name in ("suited_dragon", "dragon", "three_straights")},
    "hundred_change": {f"tier {tier}" for tier in range(1, 8)},
    "shaoxing": {f"tier {tier}" for tier in range(1, 8)},
    "compare_size_2": _ORDINARY | _PAIRS,
    "declare_2": _SPECIAL | _AGAINST_BANKER | {f"special {name}" for name in slow.DECLARE_2},
    "banker_xianggong": _SPECIAL
    | _AGAINST_BANKER
    | {"winner draw"}
    | {f"special {name}" for name in slow.XIANGGONG},
    "four_player": _SPECIAL
    | _PAIRS
    | {"gun", "home_run", "bonus", "fee"}
    | {f"special {name}" for name in slow.FOUR_PLAYER},
}


def compare_ways(seed: int) -> None:
    random = Random(seed)
    mine, bank = rounds.hands(random, 2)
    cards, strict = tuple(mine), random.random() < 0.2
    config, flags = Config(equal_lanes_foul=strict), {"equal_lanes_foul": strict}
    triples = slow.ordered_triples(cards, flags)
    legal = evaluate("thirteen_cards", "1", {"op": "count_legal", "cards": mine, "config": flags})
    assert isinstance(legal, Evaluated)
    assert legal.result["legal"] == len(triples)
    as_ours = {
        slow.key(lane, "thirteen_cards"): strength(lane, OFFICIAL)
        for size in (3, 5)
        for lane in combinations(cards, size)
    }
    assert pareto(cards, config) == {
        tuple(as_ours[lane] for lane in triple) for triple in slow.undominated(triples)
    }
    found = house_way(cards, config)
    if found.special is None and triples:
        top = max(triples, key=lambda triple: triple[::-1])
        assert tuple(slow.key(lane, "thirteen_cards") for lane in found.laid.lanes) == top
    banker = rounds.lanes_of(bank)
    while (judged := judge_laid(Arrangement(*map(tuple, banker.values())), config)).status != "ok":
        banker = rounds.lanes_of(random.sample(bank, 13))
    best = best_response(cards, judged, config)
    assert best.margin == slow.best_margin(cards, banker, flags)


@pytest.mark.parametrize("seed", range(1, 3))
def test_searches_find_what_trying_every_way_finds(seed: int) -> None:
    compare_ways(seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(100, 140))
def test_searches_find_what_trying_every_way_finds_for_many_hands(seed: int) -> None:
    compare_ways(seed)
