"""Every conformance vector of Pai Kau."""

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
from floorbook.games.pai_kau.operations import operations

VECTORS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "vectors" / "pai_kau.json").read_text()
)["vectors"]


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
    answer = evaluate("pai_kau", "1", vector["input"])
    if isinstance(answer, Refused):
        assert vector["expected"] == {"error": answer.code}, (vector["why"], answer.detail)
        assert answer.detail.endswith(".")
        return
    assert isinstance(answer, Evaluated)
    assert agrees(vector["expected"], answer.result), (vector["why"], answer.result)
    assert answer.explanation
    if vector["input"]["op"] == "settle_round":
        assert sorted(answer.explanation) == answer.result["explanation"]


def test_the_vectors_ask_for_every_operation() -> None:
    assert {vector["input"]["op"] for vector in VECTORS} - set(operations()) == {"rank_pairs"}
    assert set(operations()) <= {vector["input"]["op"] for vector in VECTORS}


def test_rule_set_and_version() -> None:
    assert "pai_kau" in rule_set_ids()
    assert rules_versions("pai_kau") == ("1",)
    answer = evaluate("pai_kau", "2", {"op": "rank_pair"})
    assert answer == UnknownVersion(rule_set="pai_kau", version="2", known=("1",))
