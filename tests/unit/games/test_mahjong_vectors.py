"""Every conformance vector of mahjong."""

import json
from pathlib import Path
from typing import Any

import pytest

from floorbook.games.game import (
    Evaluated,
    UnknownVersion,
    evaluate,
    rule_set_ids,
    rules_versions,
)
from floorbook.games.mahjong.operations import operations
from floorbook.games.mahjong.variant import VARIANTS

VECTORS: list[dict[str, Any]] = json.loads(
    (Path(__file__).parents[2] / "vectors" / "mahjong.json").read_text()
)


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
    answer = evaluate(vector["rule_set"], "1", {"op": vector["op"], **vector["input"]})
    assert isinstance(answer, Evaluated), (vector["why"], answer)
    assert agrees(vector["expected"], answer.result), (vector["why"], answer.result)
    assert answer.explanation
    assert len(set(answer.explanation)) == len(answer.explanation)


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.id)
def test_the_vectors_ask_for_every_operation(variant: Any) -> None:
    asked = {vector["op"] for vector in VECTORS if vector["rule_set"] == variant.id}
    assert asked == set(operations(variant))


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.id)
def test_rule_set_and_version(variant: Any) -> None:
    assert variant.id in rule_set_ids()
    assert rules_versions(variant.id) == ("1",)
    assert evaluate(variant.id, "2", {"op": "win"}) == UnknownVersion(variant.id, "2", ("1",))
