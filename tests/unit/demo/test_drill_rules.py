"""A drill's copy of the rules is the deployed text but for its waits and windows."""

import re
from pathlib import Path

import pytest

from floorbook.demo.drill_rules import LEAST_WAIT_MS, LEAST_WINDOW_MS, sooner
from tests.unit import expressions
from tests.unit.expressions import PROMETHEUS

FILES = [*expressions.RULES, PROMETHEUS / "alertmanager.yml"]
UNITS = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
# Not the limits: those of PromQL and of Alertmanager's settings only.
DURATION = re.compile(r"(?<=\[|\s)(\d+)(ms|[smhd])(?=[\])\s]|$)", re.MULTILINE)


def durations(text: str) -> list[int]:
    code = re.sub(r"^\s*(#|summary:).*$", "", text, flags=re.MULTILINE)
    return [int(number) * UNITS[unit] for number, unit in DURATION.findall(code)]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_every_wait_and_window_is_divided_and_nothing_else_changes(path: Path) -> None:
    deployed = path.read_text(encoding="utf-8")
    copy = sooner(deployed, 60)
    before, after = durations(deployed), durations(copy)
    assert before
    assert len(before) == len(after)
    for was_ms, is_ms in zip(before, after, strict=True):
        assert is_ms in {was_ms // 60, min(was_ms, LEAST_WAIT_MS), min(was_ms, LEAST_WINDOW_MS)}
        assert is_ms < was_ms or was_ms <= LEAST_WAIT_MS
    assert re.sub(r"\d+(ms|[smhd])\b", "", copy) == re.sub(r"\d+(ms|[smhd])\b", "", deployed)


def test_every_shortened_expression_is_one() -> None:
    for _, rule in expressions.rules():
        assert expressions.faults(sooner(rule["expr"], 60)) == []


def test_what_is_compared_with_stays() -> None:
    text = "expr: max(floorbook_ledger_publish_lag_seconds) > 60\nfor: 1m"
    assert sooner(text, 60) == "expr: max(floorbook_ledger_publish_lag_seconds) > 60\nfor: 1000ms"


def test_a_window_still_holds_some_scrapes_and_a_short_wait_is_not_made_longer() -> None:
    assert sooner("rate(x[1m])", 60) == "rate(x[5000ms])"
    assert sooner("rate(x[2s])", 60) == "rate(x[2000ms])"
    assert sooner("for: 500ms", 60) == "for: 500ms"


def test_divided_by_one_it_is_the_deployed_text() -> None:
    for path in FILES:
        assert sooner(path.read_text(encoding="utf-8"), 1) == path.read_text(encoding="utf-8")
