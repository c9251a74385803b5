"""Text in, text out: every question has an answer, and equal answers are equal text."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from floorbook.evaluator.answers import MOST_INPUT_BYTES, Answer, Refusal, VersionUnknown
from floorbook.evaluator.judge import judge, read
from floorbook.games import game

CARDS = "thirteen_cards"
VERSION = game.rules_versions(CARDS)[-1]
DEAL = {"op": "deal", "banker_gate": 0, "dice": [1, 1, 1, 2]}


def test_an_answer_is_compact_json_with_sorted_keys_and_says_by_which_rules() -> None:
    answer = judge(CARDS, VERSION, DEAL)
    assert isinstance(answer, Answer)
    assert answer.result == '{"dice_total":5,"first_gate":0}'
    assert (answer.rule_set, answer.rules_version) == (CARDS, VERSION)
    assert answer.explanation


def test_numbers_keep_their_kind_on_the_way_in() -> None:
    assert read('{"a":1,"b":1.0,"c":true,"d":123456789012345678901234567890}') == {
        "a": 1,
        "b": 1.0,
        "c": True,
        "d": 123456789012345678901234567890,
    }
    assert isinstance(judge(CARDS, VERSION, DEAL | {"dice": [1, 1, 1, 1.0]}), Refusal)
    assert isinstance(judge(CARDS, VERSION, DEAL | {"dice": [1, 1, 1, True]}), Refusal)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "not JSON"),
        ("{", "not JSON"),
        ("{} x", "not JSON"),
        ('{"a": NaN}', "not JSON"),
        ('{"a": "\\ud800"}', "not JSON"),
        ('"deal"', "not an object"),
        ("[]", "not an object"),
        ("null", "not an object"),
        ("[" * 100_000, "nested too deeply"),
        ('{"a":' * 100_000 + "1" + "}" * 100_000, "nested too deeply"),
        ('{"a":"' + "x" * MOST_INPUT_BYTES + '"}', "1048584 bytes; at most 1048576"),
    ],
)
def test_what_is_no_json_object_is_a_bad_request_that_says_why(text: str, said: str) -> None:
    refusal = read(text)
    assert isinstance(refusal, Refusal)
    assert refusal.code == "BAD_REQUEST"
    assert said in refusal.detail


def test_an_input_of_exactly_the_limit_is_read() -> None:
    text = '{"a":"' + "x" * (MOST_INPUT_BYTES - 8) + '"}'
    assert len(text) == MOST_INPUT_BYTES
    assert isinstance(read(text), dict)


def test_an_unknown_version_is_answered_with_those_that_are_known() -> None:
    answer = judge(CARDS, "1999-1", DEAL)
    assert isinstance(answer, VersionUnknown)
    assert "1999-1" in answer.detail
    assert all(version in answer.detail for version in game.rules_versions(CARDS))


def test_an_unknown_rule_set_or_operation_is_refused_by_its_code() -> None:
    for rule_set, question, code in (
        ("baccarat", DEAL, "UNKNOWN_RULE_SET"),
        (CARDS, DEAL | {"op": "juggle"}, "UNKNOWN_OP"),
        (CARDS, {}, "BAD_REQUEST"),
    ):
        answer = judge(rule_set, VERSION, question)
        assert isinstance(answer, Refusal)
        assert answer.code == code


def test_a_refusal_that_quotes_a_long_name_stays_short() -> None:
    answer = judge(CARDS, VERSION, {"op": "x" * 100_000})
    assert isinstance(answer, Refusal)
    assert len(answer.detail) <= 500
    assert answer.detail.endswith("…")


JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text("Asx09", max_size=3),
    lambda inner: (
        st.lists(inner, max_size=5)
        | st.dictionaries(
            st.sampled_from(["gate", "cards", "bet_id", "units", "front", "0"]), inner, max_size=4
        )
    ),
    max_leaves=20,
)


@given(
    st.sampled_from(["deal", "check_deal", "holders", "classify", "compare", "legal", "settle"]),
    st.dictionaries(
        st.sampled_from(
            [
                "banker_gate",
                "dice",
                "deck",
                "dealt",
                "gates",
                "bets",
                "lane",
                "a",
                "b",
                "void",
                "config",
            ]
        ),
        JSON,
    ),
)
def test_whatever_json_arrives_is_answered(op: str, fields: dict[str, object]) -> None:
    question = read(msgspec.json.encode(fields | {"op": op}).decode())
    assert isinstance(question, dict)
    answer = judge(CARDS, VERSION, question)
    if isinstance(answer, Answer):
        assert msgspec.json.decode(answer.result, type=dict)
    else:
        assert isinstance(answer, Refusal)
        assert answer.code.isupper()


@given(st.text())
def test_whatever_text_arrives_is_read_or_refused(text: str) -> None:
    found = read(text)
    assert isinstance(found, dict) or found.code == "BAD_REQUEST"
