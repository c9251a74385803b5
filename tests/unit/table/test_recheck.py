"""Repeated checks: what the last whole one found stays shown, and its age is known."""

import time

import pytest
from prometheus_client import CollectorRegistry

from floorbook import settings
from floorbook.settings import Settings
from floorbook.table.rebuild import Difference, LogUnreadable, Rebuilt, main
from floorbook.table.recheck import Check

SOUND = Rebuilt(500, 3, 9, 12, ())
WRONG = Rebuilt(
    500,
    3,
    9,
    12,
    (
        Difference("movement", "T1/2/hold", "was never published"),
        Difference("movement", "T1/3/hold", "was never published"),
        Difference("stored", "T1", "is not what the log makes (offset 4)"),
    ),
)


class Checks:
    """A check of a log that is as the test says."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.found: Rebuilt | Exception = SOUND
        self.check = Check(self.registry, self._rebuild)

    def _rebuild(self) -> Rebuilt:
        if isinstance(self.found, Exception):
            raise self.found
        return self.found

    def value(self, name: str, **labels: str) -> float:
        value = self.registry.get_sample_value(f"floorbook_rebuild_{name}", labels)
        assert value is not None
        return value

    def differences(self) -> list[float]:
        return [self.value("differences", what=w) for w in ("stored", "movement", "watermark")]


def test_differences_are_there_before_any_check_and_none_is_found() -> None:
    checks = Checks()
    assert checks.differences() == [0, 0, 0]
    assert checks.value("checked_timestamp_seconds") == pytest.approx(time.time(), abs=60)
    assert checks.check.once() is None
    assert checks.differences() == [0, 0, 0]
    assert checks.value("events") == 500


def test_each_difference_is_counted_by_its_kind_until_a_check_finds_none() -> None:
    checks = Checks()
    checks.found = WRONG
    assert checks.check.once() is None
    assert checks.differences() == [1, 2, 0]
    checks.found = SOUND
    checks.check.once()
    assert checks.differences() == [0, 0, 0]


def test_a_check_that_fails_changes_nothing_but_the_failures() -> None:
    checks = Checks()
    checks.found = WRONG
    checks.check.once()
    before = checks.value("checked_timestamp_seconds")
    checks.found = LogUnreadable("nothing comes")
    assert checks.check.once() == "LogUnreadable: nothing comes"
    assert checks.differences() == [1, 2, 0]
    assert checks.value("checked_timestamp_seconds") == before
    assert checks.value("failures_total") == 1


@pytest.mark.parametrize("pause", ["0", "-5", "soon", "nan", "inf"])
def test_a_pause_that_is_none_is_named(pause: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = settings.read({"FLOORBOOK_KAFKA": "127.0.0.1:9092"})
    assert isinstance(found, Settings)
    with pytest.raises(SystemExit) as ended:
        main(["--every", pause], found)
    assert ended.value.code == 2
    assert "no number of seconds" in capsys.readouterr().err
