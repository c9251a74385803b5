"""One round has one trace id, wherever and however often it is asked for."""

import re

import pytest

from floorbook import trace


def test_a_round_has_one_trace_id_and_no_other_round_has_it() -> None:
    rounds = [f"T{table}/{number}" for table in range(20) for number in range(1, 50)]
    found = {trace.trace_id(round_id) for round_id in rounds}
    assert len(found) == len(rounds)
    assert all(re.fullmatch(r"[0-9a-f]{32}", each) for each in found)
    # Kept in logs and spans for years: another way to make them would tear old from new.
    assert trace.trace_id("T12/431") == "39deebe15f1ff29430d7feceb224197d"


def test_headers_say_round_and_trace() -> None:
    headers = trace.headers("T12/431")
    assert trace.round_of(headers) == "T12/431"
    parent = trace.parent_of(headers)
    assert parent == trace.Parent(trace.trace_id("T12/431"), "d8a69ebc48be7467", False)


def test_what_belongs_to_no_round_has_no_headers() -> None:
    assert trace.headers("") == trace.round_header("") == trace.no_headers("T1/1") == []
    assert trace.round_of([]) == ""
    assert trace.parent_of([]) is None


@pytest.mark.parametrize(
    "text",
    [
        "",
        "00",
        "01-" + "a" * 32 + "-" + "b" * 16 + "-01",
        "00-" + "A" * 32 + "-" + "b" * 16 + "-01",
    ],
)
def test_what_is_no_trace_context_is_taken_for_none(text: str) -> None:
    assert trace.parse(text) is None


def test_a_span_that_is_recorded_says_so() -> None:
    parent = trace.parse(f"00-{'a' * 32}-{'b' * 16}-01")
    assert parent == trace.Parent("a" * 32, "b" * 16, True)
