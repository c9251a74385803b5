"""A vector file says what an evaluator must answer, and every difference is found and named."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from floorbook import settings
from floorbook.evaluator.conformance import difference, main

DEAL = {"op": "deal", "banker_gate": 0, "dice": [1, 1, 1, 2]}
GOOD = {
    "id": "a",
    "rule_set": "thirteen_cards",
    "input": DEAL,
    "expected": {"dice_total": 5, "first_gate": 0},
    "cites": ["TC-03"],
    "why": "total 5 comes round to the banker",
}


def run(tmp_path: Path, content: object, *options: str) -> int:
    file = tmp_path / "vectors.json"
    file.write_text(content if isinstance(content, str) else json.dumps(content))
    read = settings.read({})
    assert isinstance(read, settings.Settings)
    return main([str(file), *options], read)


def test_vectors_that_hold_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, [GOOD, GOOD | {"id": "b", "expected": {"first_gate": 0}}]) == 0
    assert capsys.readouterr().out == "2 passed, 0 failed\n"


@pytest.mark.parametrize(
    "content",
    [
        {"rule_set": "thirteen_cards", "about": "…", "vectors": [GOOD | {"why": ""}]},
        {
            "rule_set": "thirteen_cards",
            "vectors": [{"id": "a", "input": DEAL, "expected": {"dice_total": 5}}],
        },
        [GOOD | {"op": "deal", "input": {"banker_gate": 0, "dice": [1, 1, 1, 2]}}],
        [GOOD | {"input": DEAL | {"dice": [1, 1, 1, 7]}, "expected": {"error": "BAD_DICE"}}],
        [GOOD | {"rule_set": "baccarat", "expected": {"error": "UNKNOWN_RULE_SET"}}],
        [GOOD | {"expected": {}}],
    ],
)
def test_every_form_of_a_file_is_read(tmp_path: Path, content: object) -> None:
    assert run(tmp_path, content) == 0


@pytest.mark.parametrize(
    ("vector", "said"),
    [
        ({"expected": {"dice_total": 5, "first_gate": 1}}, "first_gate: expected 1, got 0"),
        ({"expected": {"dice_total": 5.0}}, "dice_total: expected 5.0, got 5"),
        ({"expected": {"first_gate": False}}, "first_gate: expected false, got 0"),
        ({"expected": {"hands": None}}, "hands: expected null, got nothing"),
        ({"expected": {"error": "BAD_DICE"}}, 'error: expected "BAD_DICE", got a result'),
        (
            {"input": DEAL | {"dice": []}, "expected": {"error": "BAD_DECK"}},
            'error: expected "BAD_DECK", got BAD_DICE: ',
        ),
        ({"input": DEAL | {"dice": []}}, "expected a result, got the refusal BAD_DICE: "),
    ],
)
def test_a_vector_that_fails_is_named_with_its_first_difference(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], vector: dict[str, Any], said: str
) -> None:
    assert run(tmp_path, [GOOD, GOOD | {"id": "wrong-1"} | vector]) == 1
    line, summary = capsys.readouterr().out.splitlines()
    assert f"vectors.json: wrong-1: {said}" in line
    assert summary == "1 passed, 1 failed"


def test_machines_get_one_json_object(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    wrong = GOOD | {"id": "wrong-1", "expected": {"first_gate": 3}}
    assert run(tmp_path, [GOOD, wrong], "--json") == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["passed"], report["failed"]) == (1, 1)
    (failure,) = report["failures"]
    assert failure["id"] == "wrong-1"
    assert (failure["path"], failure["expected"], failure["got"]) == ("first_gate", "3", "0")


def test_a_version_that_nobody_knows_fails_every_vector(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, [GOOD], "--rules-version", "1999-1") == 1
    assert "UNKNOWN_RULES_VERSION" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("", "not JSON"),
        ("[" * 100_000, "not JSON"),
        ("{}", "neither a list"),
        ('"a"', "neither a list"),
        ("[]", "there are no vectors"),
        ('{"vectors": []}', "there are no vectors"),
        ([1], "vector 1 is not an object"),
        ([GOOD, {}], "vector 2 has no id"),
        ([{"id": "a"}], "a has no rule_set"),
        ([GOOD | {"input": None}], "a needs the objects"),
        ([GOOD | {"expected": None}], "a needs the objects"),
    ],
)
def test_a_file_that_is_no_vector_file_is_a_named_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], content: object, said: str
) -> None:
    assert run(tmp_path, content) == 1
    printed = capsys.readouterr()
    assert printed.out == ""
    assert "vectors.json: " in printed.err
    assert said in printed.err


def test_a_file_that_is_not_there_is_a_named_fault(capsys: pytest.CaptureFixture[str]) -> None:
    read = settings.read({})
    assert isinstance(read, settings.Settings)
    assert main(["/nowhere/vectors.json"], read) == 1
    assert "/nowhere/vectors.json: No such file" in capsys.readouterr().err


def test_a_server_that_does_not_answer_is_a_named_fault(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(tmp_path, [GOOD], "--server", "127.0.0.1:1") == 1
    assert "UNAVAILABLE" in capsys.readouterr().err


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-3, 3) | st.floats(-3, 3) | st.text(max_size=2),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=2), inner),
    max_leaves=15,
)


@given(JSON)
def test_everything_is_equal_to_itself(value: object) -> None:
    assert difference(value, value) is None


@given(st.dictionaries(st.text(max_size=2), JSON), st.dictionaries(st.text(max_size=2), JSON))
def test_what_else_a_result_has_does_not_matter(
    expected: dict[str, object], more: dict[str, object]
) -> None:
    assert difference(expected, more | expected) is None
    assert difference([{"a": expected}], [{"a": more | expected}]) is None


@given(JSON, JSON)
def test_two_values_without_objects_fit_only_if_their_json_is_the_same(
    one: object, other: object
) -> None:
    texts = json.dumps(one), json.dumps(other)
    if "{" not in texts[0] + texts[1] and "-0.0" not in texts[0] + texts[1]:
        assert (difference(one, other) is None) == (texts[0] == texts[1])


@pytest.mark.parametrize(
    ("expected", "got", "path"),
    [
        ({"a": {"b": [1, {"c": 2}]}}, {"a": {"b": [1, {"c": 3}]}}, "a.b[1].c"),
        ([1, 2], [2, 1], "[0]"),
        ([1, 2], [1], ""),
        ([1], [1, 2], ""),
        ({"a": []}, {"a": {}}, "a"),
        ({"a": 1}, {"a": True}, "a"),
        ({"a": True}, {"a": 1}, "a"),
        ({"a": 0}, {"a": None}, "a"),
        ({"a": "1"}, {"a": 1}, "a"),
    ],
)
def test_the_path_of_the_first_difference_is_told(expected: object, got: object, path: str) -> None:
    found = difference(expected, got)
    assert found is not None
    assert found.path == path
