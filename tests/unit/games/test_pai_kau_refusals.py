"""What a request is refused for, which of several faults is named, and that nothing is ever raised."""

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from floorbook.games.game import Evaluated, Refused, evaluate, explain
from floorbook.games.pai_kau.operations import operations

VECTORS: dict[str, dict[str, Any]] = {
    vector["id"]: vector
    for vector in json.loads((Path(__file__).parents[2] / "vectors" / "pai_kau.json").read_text())[
        "vectors"
    ]
}
ROUND = VECTORS["pk-169"]["input"]
WALL = VECTORS["pk-114"]["input"]


def changed(request: dict[str, Any], *changes: tuple[str, Any]) -> dict[str, Any]:
    """A copy of `request` with values replaced at dotted paths."""
    copy = deepcopy(request)
    for path, value in changes:
        *way, last = path.split(".")
        holder: Any = copy
        for step in way:
            holder = holder[int(step) if isinstance(holder, list) else step]
        if isinstance(holder, list):
            holder[int(last)] = value
        else:
            holder[last] = value
    return copy


def refusal(request: dict[str, Any]) -> str:
    answer = evaluate("pai_kau", "1", request)
    assert isinstance(answer, Refused), answer
    return answer.code


# One fault for each code, in the order of section 12.5.
FAULTS: list[tuple[str, tuple[str, Any]]] = [
    ("BAD_CONFIG", ("config", {"small_chicken": "wild"})),
    ("BAD_GATE", ("gates", 6)),
    ("BAD_DICE", ("throws", [])),
    ("BAD_TILES", ("hands.1.tiles", ["66", "66", "66", "66"])),
    ("BAD_ARRANGEMENT", ("hands.3.front", ["53"])),
    ("BAD_AMOUNT", ("bets.0.amount", 0)),
    ("BAD_ID", ("banker.player_id", "")),
    ("BET_ON_BANKER_GATE", ("bets.1.gate", 1)),
    ("BANKER_BETS", ("bets.2.player_id", "bank")),
    ("COBANKER_BETS", ("cobanks", [{"id": "ann", "stake": 1}])),
    ("DUPLICATE_BET", ("bets.3.player_id", "bob")),
    ("NOT_HOLDER", ("hands.2.set_by", "friend")),
]


@pytest.mark.parametrize(("code", "change"), FAULTS, ids=[code for code, _ in FAULTS])
def test_each_fault_has_its_code(code: str, change: tuple[str, Any]) -> None:
    assert refusal(changed(ROUND, change)) == code


@pytest.mark.parametrize("later", range(1, len(FAULTS)))
def test_of_several_faults_the_first_in_order_is_answered(later: int) -> None:
    for earlier in range(later):
        first, second = FAULTS[earlier], FAULTS[later]
        assert refusal(changed(ROUND, second[1], first[1])) == first[0]


@pytest.mark.parametrize(
    ("path", "value", "code"),
    [
        ("config", {"set_rule": "loose"}, "BAD_CONFIG"),
        ("config", {"cap_mode": True}, "BAD_CONFIG"),
        ("config", [], "BAD_REQUEST"),
        ("gates", "4", "BAD_GATE"),
        ("gates", 4.0, "BAD_GATE"),
        ("gates", True, "BAD_GATE"),
        ("banker.gate", 0, "BAD_GATE"),
        ("banker.gate", True, "BAD_GATE"),
        ("hands.1.gate", 1, "BAD_GATE"),
        ("hands.1.gate", 5, "BAD_GATE"),
        ("cobanks", [{"id": "x", "stake": 1, "gate": 1}], "BAD_GATE"),
        ("cobanks", [{"id": "x", "stake": 1, "gate": 5}], "BAD_GATE"),
        ("cobanks", [{"id": "x", "stake": 0}], "BAD_AMOUNT"),
        ("cobanks", [{"id": "", "stake": 1}], "BAD_ID"),
        ("cobanks", [{"id": "bank", "stake": 1}], "BAD_ID"),
        ("cobanks", [{"id": "x", "stake": 1}, {"id": "x", "stake": 1}], "BAD_ID"),
        ("cobanks", [{"id": "x", "stake": 1, "house": 1}], "BAD_REQUEST"),
        ("throws", [{"values": [1, 2, 3, 4], "void": True}], "BAD_DICE"),
        ("throws", [{"values": [1, 2, 3, True]}], "BAD_DICE"),
        ("throws", [{"values": None}], "BAD_DICE"),
        ("throws", [{"values": [1, 1, 1, 1], "void": "no"}], "BAD_REQUEST"),
        ("throws", {}, "BAD_REQUEST"),
        ("hands.0.tiles", [51, "61", "22", "42"], "BAD_TILES"),
        ("hands.0.tiles", [["51"], "61", "22", "42"], "BAD_TILES"),
        ("used_tiles", ["66"] * 15, "BAD_TILES"),
        ("hands.0.front", [], "BAD_ARRANGEMENT"),
        ("hands.0.front", [["22"], "42"], "BAD_ARRANGEMENT"),
        ("hands.0.front", "22", "BAD_REQUEST"),
        ("banker.stake", 10**15 + 1, "BAD_AMOUNT"),
        ("banker.stake", True, "BAD_AMOUNT"),
        ("bets.0.amount", "100", "BAD_AMOUNT"),
        ("bets.0.amount", 1.0, "BAD_AMOUNT"),
        ("bets.0.player_id", "", "BAD_ID"),
        ("bets.0.player_id", 7, "BAD_REQUEST"),
        ("bets.0.player_id", "\ud800", "BAD_REQUEST"),
        ("bets.0", "ann", "BAD_REQUEST"),
        ("hands.1.set_by", "ann", "NOT_HOLDER"),
        ("hands.1.set_by", "cat", "NOT_HOLDER"),  # as much as the holder, but later
        ("hands", None, "BAD_REQUEST"),
        ("banker", "bank", "BAD_REQUEST"),
    ],
)
def test_faulty_values_of_a_round(path: str, value: Any, code: str) -> None:
    assert refusal(changed(ROUND, (path, value))) == code


@pytest.mark.parametrize(
    ("path", "value"),
    [
        ("cobanks", None),
        ("used_tiles", None),
        ("config", None),
        ("hands.1.set_by", ""),
        ("hands.1.set_by", None),
        ("hands.0.set_by", "anybody"),
        ("throws", [{"void": True}, {"values": [9], "void": True}, {"values": [1, 1, 1, 1]}]),
        ("bets", []),
        ("bets", None),
        ("banker.stake", 10**15),
    ],
)
def test_values_that_may_be_missing_or_empty(path: str, value: Any) -> None:
    request = changed(ROUND, (path, value))
    if path == "bets":
        request = changed(request, ("hands.1.set_by", ""))
    assert isinstance(evaluate("pai_kau", "1", request), Evaluated)


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        ({"op": "deal"}, "BAD_REQUEST"),
        ({"op": "rank_pairs", "config": 1}, "BAD_OP"),
        ({"op": None}, "BAD_REQUEST"),
        ({"op": "next_stake", "stake": -1, "delta": 0, "new_stake": 1}, "BAD_AMOUNT"),
        ({"op": "next_stake", "stake": 1, "delta": -2, "new_stake": 1}, "BAD_AMOUNT"),
        ({"op": "next_stake", "stake": 1, "delta": 0, "new_stake": -1}, "BAD_AMOUNT"),
        ({"op": "next_stake", "stake": 1.5, "delta": 0, "new_stake": 1}, "BAD_AMOUNT"),
        ({"op": "bank_turn", "rounds_done": -1, "all_agree": True}, "BAD_REQUEST"),
        ({"op": "bank_turn", "rounds_done": 1}, "BAD_REQUEST"),
        ({**WALL, "wall": WALL["wall"][:31]}, "BAD_TILES"),
        ({**WALL, "wall": ["66"] * 32}, "BAD_TILES"),
        ({**WALL, "gates": 8, "wall": WALL["wall"][:16]}, "BAD_TILES"),
        ({**WALL, "used_tiles": WALL["wall"][16:]}, "BAD_TILES"),
    ],
)
def test_faulty_requests_of_other_operations(request_: dict[str, Any], code: str) -> None:
    assert refusal(request_) == code


@pytest.mark.parametrize(
    ("answer", "opening", "code"),
    [
        ({"gate": 2, "player_id": "a", "accepts": True}, False, "BAD_GATE"),
        ({"gate": 5, "player_id": "a", "accepts": True}, True, "BAD_GATE"),
        ({"gate": 1, "player_id": "", "accepts": True}, False, "BAD_ID"),
        ({"gate": 1, "player_id": "a", "accepts": 1}, False, "BAD_REQUEST"),
    ],
)
def test_faulty_candidates(answer: dict[str, Any], opening: bool, code: str) -> None:
    request = {"op": "next_banker", "gates": 4, "banker_gate": 2, "candidates": [answer]}
    assert refusal({**request, "table_opening": opening}) == code


def test_while_the_table_opens_the_gate_asked_last_is_the_bankers() -> None:
    request = {
        "op": "next_banker",
        "gates": 4,
        "banker_gate": 2,
        "table_opening": True,
        "candidates": [
            {"gate": 2, "player_id": "b", "accepts": True},
            {"gate": 1, "player_id": "a", "accepts": True},
        ],
    }
    answer = evaluate("pai_kau", "1", request)
    assert isinstance(answer, Evaluated)
    assert answer.result == {"gate": 1, "player_id": "a"}


JUNK = st.recursive(
    st.one_of(
        st.none(),
        st.booleans(),
        st.integers(),
        st.floats(),
        st.text(max_size=3),
        st.sampled_from(["66", "11", "42", "\ud800", 4, 8, 10**400, "house_way"]),
    ),
    lambda inner: st.one_of(
        st.lists(inner, max_size=4), st.dictionaries(st.text(max_size=8), inner, max_size=4)
    ),
    max_leaves=8,
)


@given(st.data())
def test_garbage_is_answered_and_never_raises(data: st.DataObject) -> None:
    source = data.draw(st.sampled_from(sorted(VECTORS)))
    request = deepcopy(VECTORS[source]["input"])
    for _ in range(data.draw(st.integers(1, 3))):
        holder: Any = request
        while True:
            keys = sorted(holder) if isinstance(holder, dict) else range(len(holder))
            if not keys:
                break
            key = data.draw(st.sampled_from(keys))
            inner = holder[key]
            if not isinstance(inner, dict | list) or data.draw(st.integers(0, 2)) == 0:
                if key != "op":
                    holder[key] = data.draw(JUNK)
                break
            holder = inner
    answered(request)


@given(st.sampled_from(sorted(operations())), st.dictionaries(st.text(max_size=8), JUNK))
def test_a_request_of_nothing_but_garbage_is_refused(op: str, request: dict[str, Any]) -> None:
    answered({**request, "op": op})


def answered(request: dict[str, Any]) -> None:
    answer = evaluate("pai_kau", "1", request)
    if isinstance(answer, Refused):
        assert answer.code.isupper()
        assert answer.detail.encode().endswith(b".")
        return
    assert isinstance(answer, Evaluated)
    json.dumps(answer.result).encode()
    assert explain("pai_kau", request, answer, "en")
