"""Few events are folded as they come; of many more are waited for, and none is lost or turned round."""

import asyncio

import pytest
from hypothesis import given
from hypothesis import strategies as st

from floorbook.table.gather import Gather


class Clock:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


async def taken(gather: Gather, clock: Clock, per_second: float, seconds: float) -> float:
    """Return the pause after so many events a second came for a while, as they come every 5 ms."""
    for _ in range(round(seconds / 0.005)):
        clock.now += 0.005
        for _ in range(round(per_second * 0.005)):
            await gather.put(None)
        await gather.take()
    return gather.pause_seconds()


@pytest.fixture
def no_sleep(monkeypatch: pytest.MonkeyPatch) -> None:
    async def sleep(_: float) -> None:
        return

    monkeypatch.setattr(asyncio, "sleep", sleep)


@pytest.mark.usefixtures("no_sleep")
@pytest.mark.parametrize(
    ("per_second", "tables", "seconds"),
    [
        (200, 1000, 0),
        (800, 6000, 0),
        (3000, 100, 0.2 * 100 / 3000),
        (3000, 1000, 0.2 * 1000 / 3000),
        (3000, 6000, 0.15),
        (9000, 1000, 0.2 * 1000 / 9000),
    ],
)
async def test_of_many_each_waits_a_part_of_the_time_to_its_tables_next(
    per_second: float, tables: int, seconds: float
) -> None:
    clock = Clock()
    gather = Gather(1000, lambda: tables, clock)

    assert await taken(gather, clock, per_second, 3) == pytest.approx(seconds, rel=0.02)

    clock.now += 3
    await gather.put(None)
    await gather.take()
    assert gather.pause_seconds() == 0, "after a quiet time nothing is waited for"


@pytest.mark.usefixtures("no_sleep")
async def test_one_burst_is_not_taken_for_many() -> None:
    clock = Clock()
    gather = Gather(1000, lambda: 1000, clock)
    clock.now += 5
    for _ in range(60):
        await gather.put(None)
    await gather.take()
    clock.now += 0.001
    await gather.put(None)
    await gather.take()
    assert gather.pause_seconds() == 0


@given(st.lists(st.integers(1, 60), min_size=1, max_size=20), st.integers(1, 50))
def test_all_are_taken_in_their_order_and_never_too_many(bursts: list[int], most: int) -> None:
    async def run() -> None:
        gather = Gather(most, lambda: 8, Clock())
        number, expected = 0, 0
        for burst in bursts:
            for _ in range(burst):
                await gather.put(number)
                number += 1
            while expected < number:
                some = await gather.take()
                assert some == list(range(expected, expected + len(some)))
                assert len(some) <= most
                expected += len(some)

    asyncio.run(run())


async def test_what_came_while_others_were_folded_has_waited_already(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    slept: list[float] = []

    async def sleep(seconds: float) -> None:
        slept.append(seconds)

    monkeypatch.setattr(asyncio, "sleep", sleep)
    clock = Clock()
    gather = Gather(1000, lambda: 1000, clock)
    await taken(gather, clock, 3000, 3)
    await gather.put(None)
    slept.clear()
    clock.now += gather.pause_seconds() - 0.01
    await gather.take()
    assert slept == [pytest.approx(0.01)]
    await gather.put(None)
    slept.clear()
    clock.now += 0.1
    await gather.take()
    assert slept == []
