"""Every conformance vector of Thirteen Cards that belongs to an operation that is built."""

import json
from pathlib import Path
from typing import Any

import pytest

from floorbook.games.game import Evaluated, Refused, evaluate

VECTORS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "vectors" / "thirteen_cards.json").read_text()
)
# Vectors that only ask for a refusal of an id or an operation that there is not.
UNKNOWN = {
    ("thirteen_cards", "shuffle"),
    ("big_two", "settle"),
}
BUILT = UNKNOWN | {
    ("thirteen_cards", op)
    for op in (
        "deal",
        "check_deal",
        "holders",
        "classify",
        "compare",
        "legal",
        "special",
        "settle",
    )
}


def pair(vector: dict[str, Any]) -> tuple[str, str]:
    return vector["rule_set"], vector["input"]["op"]


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


@pytest.mark.parametrize(
    "vector", [v for v in VECTORS if pair(v) in BUILT], ids=lambda vector: vector["id"]
)
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
