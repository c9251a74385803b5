"""What cannot be is refused with its reason, and whatever JSON arrives is answered."""

import copy
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from floorbook.games.game import Evaluated, Refused, evaluate, explain
from floorbook.games.mahjong.variant import VARIANTS

from .test_mahjong_vectors import VECTORS

HAND = ["1s", "2s", "3s", "4m", "5m", "6m", "7p", "8p", "9p", "3m", "4m", "5s", "5s"]
WIN: dict[str, Any] = {
    "op": "win",
    "seat": "S",
    "round_wind": "E",
    "concealed": HAND,
    "win_tile": "5m",
    "win": {"kind": "discard", "from": "W"},
}
TURN: dict[str, Any] = {
    "op": "turn",
    "query": "legal",
    "seat": "S",
    "round_wind": "E",
    "concealed": [*HAND, "5m"],
    "began": "draw",
    "drawn": "5m",
    "wall_remaining": 40,
}
LOG: dict[str, Any] = {
    "op": "hand_log",
    "round_wind": "E",
    "start": {"hands": {"E": [*HAND, "5m"]}},
    "events": [],
}
PAY: dict[str, Any] = {
    "op": "payment",
    "winner": "S",
    "faan": 1,
    "win": {"kind": "discard", "from": "E"},
    "stakes": {"E": 10, "S": 10, "W": 10, "N": 10},
}
CLAIMS: dict[str, Any] = {
    "op": "priority",
    "round_wind": "E",
    "wall_remaining": 40,
    "event": {"kind": "discard", "seat": "E", "tile": "5m"},
    "hands": {"S": {"concealed": HAND}},
    "claims": [{"seat": "S", "action": "win"}],
}
KONG = {"kind": "kong", "tiles": ["C"] * 4, "open": False}


def ask(request: dict[str, Any], rule_set: str = "mahjong.traditional") -> Evaluated | Refused:
    answer = evaluate(rule_set, "1", request)
    assert isinstance(answer, Evaluated | Refused)
    return answer


def changed(request: dict[str, Any], path: str, value: Any) -> dict[str, Any]:
    request = copy.deepcopy(request)
    *above, last = path.split(".")
    holder = request
    for name in above:
        holder = holder.setdefault(name, {})
    holder[last] = value
    return request


@pytest.mark.parametrize(
    ("path", "value", "reason"),
    [
        ("rule_set", "mahjong.simplified", "bad_rule_set"),
        ("config", {"cap": 1}, "bad_config"),
        ("config", [], "bad_config"),
        ("seats", ["E", "S", "W"], "bad_seat"),
        ("seats", ["E", "S", "W", "W"], "bad_seat"),
        ("seat", "C", "bad_seat"),
        ("seat", ["S"], "bad_seat"),
        ("round_wind", None, "bad_seat"),
        ("win_tile", "5q", "bad_tile"),
        ("win_tile", {}, "bad_tile"),
        ("concealed", [*HAND[:-1], 7], "bad_tile"),
        ("melds", [{"kind": "pong", "tiles": ["10m"]}], "bad_tile"),
        ("melds", [{"kind": "pong", "tiles": ["5s"] * 3, "from": "E"}], "too_many_copies"),
        ("win", {"kind": "loan", "from": "W"}, "bad_win"),
        ("win", {"kind": "discard"}, "bad_win"),
        ("win", {"kind": "discard", "from": "S"}, "bad_win"),
        ("win", {"kind": "self_draw", "from": "W"}, "bad_win"),
        ("win", {"kind": "discard", "from": "W", "kong_chain": 1}, "bad_win"),
        ("win", {"kind": "self_draw", "kong_chain": -1}, "bad_win"),
        ("win", {"kind": "self_draw", "kong_chain": True}, "bad_win"),
        ("win", {"kind": "self_draw", "last_tile": 1}, "bad_win"),
        ("win", {"kind": "self_draw", "earthly": True}, "bad_win"),
        ("win", "discard", "bad_win"),
    ],
)
def test_a_contradictory_win_is_an_error(path: str, value: Any, reason: str) -> None:
    for op in ("win", "liability"):
        answer = ask(changed(WIN, path, value) | {"op": op})
        assert isinstance(answer, Evaluated)
        assert (answer.result["status"], answer.result["reason"]) == ("error", reason)
        assert answer.result["detail"].endswith(".")
        assert "payments" not in answer.result
        assert answer.result.get("liable") is None


def test_the_first_fault_in_order_is_named() -> None:
    faults = [
        ("win", {"kind": "loan"}, "bad_win"),
        ("concealed", [*HAND, "5s", "5s", "5s"], "too_many_copies"),
        ("win_tile", "E5", "bad_tile"),
        ("seat", "X", "bad_seat"),
        ("config", {"unit": 0}, "bad_config"),
        ("rule_set", "mahjong", "bad_rule_set"),
    ]
    request = WIN
    for path, value, reason in faults:
        request = changed(request, path, value)
        answer = ask(request)
        assert isinstance(answer, Evaluated)
        assert answer.result["reason"] == reason


@pytest.mark.parametrize(
    ("request_", "path", "value", "code"),
    [
        (WIN, "concealed", None, "BAD_REQUEST"),
        (WIN, "melds", [3], "BAD_REQUEST"),
        (WIN, "barred", "no", "BAD_REQUEST"),
        (WIN, "facts", {"turns_since_fourth_meld": -1}, "BAD_FACTS"),
        (WIN, "facts", {"discarder_concealed": ["1s"] * 3}, "BAD_FACTS"),
        (WIN, "facts", {"discarder_concealed": ["5m"]}, "BAD_FACTS"),
        (WIN, "stakes", {"E": 1, "S": 1}, "BAD_AMOUNT_OR_SEAT"),
        (WIN, "stakes", {"E": 1, "S": 1, "W": 1, "N": -1}, "BAD_AMOUNT"),
        (TURN, "began", "theft", "BAD_TURN"),
        (TURN, "drawn", None, "BAD_TURN"),
        (TURN, "drawn", "C", "BAD_TURN"),
        (TURN, "began", "deal", "BAD_TURN"),
        (TURN, "began", "pong", "BAD_TURN"),
        (TURN, "began", "replacement", "BAD_TURN"),
        (TURN, "kong_chain", 1, "BAD_TURN"),
        (TURN, "kong_chain", "1", "BAD_TURN"),
        (TURN, "wall_remaining", 84, "BAD_WALL"),
        (TURN, "wall_remaining", -1, "BAD_WALL"),
        (TURN, "wall_remaining", None, "BAD_REQUEST"),
        (TURN, "concealed", ["5m"] * 5, "TOO_MANY_COPIES"),
        (TURN, "query", "guess", "BAD_REQUEST"),
        (TURN | {"query": "attempt"}, "attempt", None, "BAD_REQUEST"),
        (TURN | {"query": "attempt"}, "attempt", {"action": "pass"}, "BAD_REQUEST"),
        (TURN | {"query": "attempt"}, "attempt", {"action": "discard"}, "BAD_TILE"),
        (LOG, "start.hands", {}, "BAD_TURN"),
        (LOG, "start.hands", {"C": []}, "BAD_SEAT"),
        (LOG, "start.turn", {"seat": "S", "began": "draw", "drawn": "5m"}, "BAD_TURN"),
        (LOG, "start.face_up", ["9m"], "BAD_TURN"),  # before the first discard
        (LOG, "start.melds", {"N": [{"kind": "pong", "tiles": ["5s"] * 3}]}, "TOO_MANY_COPIES"),
        (LOG, "start.wall_remaining", 900, "BAD_WALL"),
        (LOG, "events", [{"type": "sleep", "seat": "E"}], "BAD_REQUEST"),
        (LOG, "events", [{"seat": "E"}], "BAD_REQUEST"),
        (LOG, "events", [{"type": "discard", "seat": "Q", "tile": "5m"}], "BAD_SEAT"),
        (LOG, "events", [{"type": "discard", "seat": "E"}], "BAD_TILE"),
        (LOG, "events", ["discard"], "BAD_REQUEST"),
        (PAY, "faan", 3, "BAD_REQUEST"),
        (PAY, "faan", -1, "BAD_REQUEST"),
        (PAY, "winner", "C", "BAD_SEAT"),
        (PAY, "liable", "S", "BAD_SEAT"),
        (PAY, "liable", "N", "BAD_SEAT"),
        (PAY, "win", {"kind": "discard", "from": "S"}, "BAD_WIN"),
        (PAY, "win", {"kind": "self_draw", "from": "E"}, "BAD_WIN"),
        (PAY, "stakes", {"E": 10, "S": True, "W": 1, "N": 1}, "BAD_AMOUNT"),
        (PAY, "stakes", {"E": 10, "S": 10**16, "W": 1, "N": 1}, "BAD_AMOUNT"),
        (PAY, "false_win", "Z", "BAD_SEAT"),
        (CLAIMS, "event", {"kind": "deal"}, "BAD_REQUEST"),
        (CLAIMS, "event.seat", "X", "BAD_SEAT"),
        (
            CLAIMS,
            "event",
            {"kind": "discard", "seat": "S", "tile": "5m", "first_discard": True},
            "BAD_REQUEST",
        ),
        (CLAIMS, "claims", [{"seat": "N", "action": "win"}], "BAD_REQUEST"),
        (
            CLAIMS,
            "claims",
            [{"seat": "S", "action": "win"}, {"seat": "S", "action": "pong"}],
            "BAD_REQUEST",
        ),
        (CLAIMS, "claims", [{"seat": "S", "action": "steal"}], "BAD_REQUEST"),
        (CLAIMS, "hands.S", {"concealed": [*HAND, "5m", "5m", "5m"]}, "TOO_MANY_COPIES"),
        ({"op": "waits"}, "concealed", HAND[:12], "TILE_COUNT"),
        ({"op": "waits"}, "concealed", ["5m"] * 13, "TOO_MANY_COPIES"),
        (
            {"op": "waits", "concealed": HAND[:10]},
            "melds",
            [{"kind": "pong", "tiles": ["E"]}],
            "MELD_INVALID",
        ),
        ({"op": "deal", "query": "layout"}, "dice", [1, 2], "BAD_DICE"),
        ({"op": "deal", "query": "layout"}, "dice", [1, 2, 7], "BAD_DICE"),
        ({"op": "deal", "query": "layout"}, "dice", [1, 2, True], "BAD_DICE"),
        ({"op": "deal"}, "query", None, "BAD_REQUEST"),
        ({"op": "deal", "query": "next_hand"}, "players", 3, "BAD_SEAT"),
    ],
)
def test_what_cannot_be_is_refused(
    request_: dict[str, Any], path: str, value: Any, code: str
) -> None:
    answer = ask(changed(request_, path, value))
    if code == "BAD_AMOUNT_OR_SEAT":
        # The occupied seats are the four of the game: stakes of two are an error of the seats.
        assert isinstance(answer, Evaluated)
        assert answer.result["reason"] == "bad_seat"
        return
    assert isinstance(answer, Refused), answer
    assert answer.code == code
    assert answer.detail.endswith(".")


def test_a_fifth_copy_in_the_course_of_a_log_is_refused() -> None:
    request = changed(
        LOG,
        "events",
        [
            {"type": "discard", "seat": "E", "tile": "5s"},
            {"type": "draw", "seat": "S", "tile": "9m"},
            {"type": "discard", "seat": "S", "tile": "9m"},
        ],
    )
    request["start"] |= {"face_up": ["9m"] * 4, "first_discard": False}
    answer = ask(request)
    assert isinstance(answer, Refused)
    assert answer.code == "TOO_MANY_COPIES"
    assert "events[1]" in answer.detail


def test_the_simplified_game_has_its_own_tiles_and_sets() -> None:
    request = {"op": "waits", "concealed": ["E"], "melds": [KONG | {"tiles": ["F"] * 4}]}
    answer = ask(request, "mahjong.simplified")
    assert isinstance(answer, Refused)
    assert answer.code == "BAD_TILE"
    request = {"op": "waits", "concealed": ["1s"], "melds": [{"kind": "pong", "tiles": ["F"] * 3}]}
    answer = ask(request, "mahjong.simplified")
    assert isinstance(answer, Refused)
    assert answer.code == "MELD_INVALID"


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-3, 10**20)
    | st.floats(allow_nan=False)
    | st.sampled_from(["E", "S", "5m", "F", "win", "kong", "discard", "", "x"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["kind", "tiles", "seat", "from", "x"]), inner, max_size=3
        )
    ),
    max_leaves=5,
)


def places_in(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [path] if path else []
    items = value.items() if isinstance(value, dict) else enumerate(value)
    if isinstance(value, dict | list):
        for key, inner in items:
            found += (
                places_in(inner, (*path, key)) if isinstance(inner, dict | list) else [(*path, key)]
            )
    return found


def _is_index(holder: Any, key: Any) -> bool:
    return isinstance(holder, list) and isinstance(key, int) and key < len(holder)


@settings(max_examples=400)
@given(st.sampled_from(VECTORS), st.data())
def test_no_request_raises(vector: dict[str, Any], data: st.DataObject) -> None:
    request = copy.deepcopy({"op": vector["op"], **vector["input"]})
    places = [place for place in places_in(request) if place != ("op",)]
    for place in data.draw(st.lists(st.sampled_from(places), min_size=1, max_size=2)):
        holder: Any = request
        for depth, key in enumerate(place, 1):
            # What came before may have put something else in its way.
            held = key in holder if isinstance(holder, dict) else _is_index(holder, key)
            if not held:
                break
            if depth == len(place):
                if isinstance(holder, dict) and data.draw(st.booleans()):
                    del holder[key]
                else:
                    holder[key] = data.draw(json_values)
                break
            holder = holder[key]
    rule_set = data.draw(st.sampled_from(VARIANTS)).id
    answer = evaluate(rule_set, "1", request)
    if isinstance(answer, Refused):
        assert answer.code.isupper()
        assert answer.detail.endswith(".")
        return
    assert isinstance(answer, Evaluated)
    msgspec.json.encode(answer.result)
    assert explain(rule_set, request, answer, "en")
