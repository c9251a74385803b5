"""Every conformance vector of Thirteen Cards that belongs to an operation that is built."""

import json
from pathlib import Path
from typing import Any

import pytest

from floorbook.games.game import (
    Evaluated,
    Refused,
    UnknownVersion,
    evaluate,
    rule_set_ids,
    rules_versions,
)

VECTORS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "vectors" / "thirteen_cards.json").read_text()
)
# What a vector may ask for although there is no such id or operation.
UNKNOWN = {
    ("thirteen_cards", "shuffle"),
    ("compare_size", "deal"),
    ("hundred_change", "compare"),
    ("big_two", "settle"),
}
LANES = ("classify", "compare", "legal", "special", "settle")
BUILT = {
    "thirteen_cards": (
        "deal",
        "check_deal",
        "holders",
        *LANES,
        "count_legal",
        "pareto",
        "best_response",
        "house_way",
    ),
    "compare_size": LANES,
    "no_arranging": LANES,
    "declare": LANES,
    "hundred_change": ("special", "settle"),
    "shaoxing": ("special", "settle"),
    "compare_size_2": LANES,
    "declare_2": LANES,
    "banker_xianggong": LANES,
    "four_player": LANES,
}


def agrees(expected: Any, result: Any) -> bool:
    """Whether every key in `expected` equals the result's, recursively and exactly."""
    if isinstance(expected, dict):
        return isinstance(result, dict) and all(
            key in result and agrees(value, result[key]) for key, value in expected.items()
        )
    if isinstance(expected, list):
        return (
            isinstance(result, list)
            and len(expected) == len(result)
            and all(map(agrees, expected, result))
        )
    return type(expected) is type(result) and expected == result


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector["id"])
def test_answer_is_the_vectors(vector: dict[str, Any]) -> None:
    answer = evaluate(vector["rule_set"], "1", vector["input"])
    if isinstance(answer, Refused):
        assert vector["expected"] == {"error": answer.code}, vector["why"]
        assert answer.detail.endswith(".")
        return
    assert isinstance(answer, Evaluated)
    assert agrees(vector["expected"], answer.result), (vector["why"], answer.result)
    if vector["input"]["op"] == "settle":
        assert answer.explanation


def test_every_vector_asks_for_what_is_offered_or_known_to_be_refused() -> None:
    asked = {(vector["rule_set"], vector["input"]["op"]) for vector in VECTORS}
    assert asked - {(rule_set, op) for rule_set, ops in BUILT.items() for op in ops} == UNKNOWN


@pytest.mark.parametrize("rule_set", BUILT)
def test_rule_set_offers_these_operations(rule_set: str) -> None:
    refused = {
        op
        for op in BUILT["thirteen_cards"]
        if isinstance(answer := evaluate(rule_set, "1", {"op": op}), Refused)
        and answer.code == "UNKNOWN_OP"
    }
    assert set(BUILT["thirteen_cards"]) - refused == set(BUILT[rule_set])


def test_rule_sets_and_versions() -> None:
    assert set(BUILT) <= set(rule_set_ids())
    assert all(rules_versions(rule_set) == ("1",) for rule_set in BUILT)
    assert rules_versions("big_two") == ()
    answer = evaluate("declare", "2", {"op": "settle"})
    assert answer == UnknownVersion(rule_set="declare", version="2", known=("1",))
