"""How far behind a reader is."""

from floorbook.lag import Lag


def test_a_reader_at_the_end_is_not_behind() -> None:
    lag = Lag(since=1000.0)
    lag.look(1010.0, 7, 7)
    assert (lag.records, lag.seconds) == (0, 0.0)


def test_after_a_quiet_hour_the_next_record_is_not_an_hour_late() -> None:
    lag = Lag(since=0.0)
    lag.read(100_000)
    lag.look(3_700.0, 7, 7)
    lag.look(3_701.0, 7, 8)
    assert (lag.records, lag.seconds) == (1, 1.0)


def test_a_reader_that_catches_up_is_as_far_behind_as_what_it_reads_is_old() -> None:
    lag = Lag(since=1000.0)
    lag.look(1005.0, 0, 50)
    assert lag.seconds == 5.0
    lag.read(1_020_000)
    lag.look(1100.0, 20, 60)
    assert (lag.records, lag.seconds) == (40, 80.0)


def test_a_clock_that_is_ahead_makes_no_negative_lag() -> None:
    lag = Lag(since=1000.0)
    lag.read(2_000_000)
    lag.look(1001.0, 1, 2)
    assert lag.seconds == 0.0
