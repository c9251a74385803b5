"""A gateway whose clock is more than 250 ms off the broker's is not ready, and becomes so again."""

from floorbook.gateway.clock import ClockCheck
from floorbook.probes import Condition


def test_a_stamp_between_sending_and_learning_is_right_however_long_it_took() -> None:
    condition = Condition("clock")
    check = ClockCheck(condition)
    assert condition.reason is None
    for _ in range(20):
        check.note(sent_ms=10_000, stamped_ms=13_000, learned_ms=16_000)
    assert (check.skew_ms, condition.reason) == (0, None)


def test_only_several_bad_ones_in_a_row_count() -> None:
    condition = Condition("clock")
    check = ClockCheck(condition)
    for _ in range(4):
        check.note(10_300, 10_000, 10_310)
    check.note(10_250, 10_000, 10_260)
    for _ in range(4):
        check.note(10_300, 10_000, 10_310)
    assert (check.skew_ms, condition.reason) == (300, None)
    check.note(10_300, 10_000, 10_310)
    assert condition.reason is not None
    assert "300 ms" in condition.reason
    check.note(10_200, 10_000, 10_210)
    assert condition.reason is None


def test_a_clock_that_is_behind_counts_as_well() -> None:
    condition = Condition("clock")
    check = ClockCheck(condition)
    for _ in range(5):
        check.note(9_000, 10_000, 9_010)
    assert check.skew_ms == -990
    assert condition.reason is not None


def test_without_events_a_clock_gets_another_chance() -> None:
    condition = Condition("clock")
    check = ClockCheck(condition)
    for _ in range(5):
        check.note(10_300, 10_000, 10_310)
    check.forget(now_ms=20_000)
    assert condition.reason is not None
    check.forget(now_ms=50_000)
    assert condition.reason is None
