"""What is appended is written together, in order, and not at all once a write has failed."""

import asyncio
from types import SimpleNamespace
from typing import Any

import pytest

from floorbook import topics
from floorbook.gateway.intake import LogUnavailable, Placed
from floorbook.gateway.kafka import KafkaLog


class Batch:
    """A Kafka batch in which two records have room."""

    def __init__(self) -> None:
        self.values: list[bytes] = []

    def append(self, *, timestamp: int | None, key: bytes, value: bytes, headers: object) -> object:
        if len(self.values) == 2:
            return None
        self.values.append(value)
        return value

    def close(self) -> None:
        pass


class Producer:
    """Takes batches; from number `fails_at` on the broker confirms none."""

    def __init__(self, fails_at: int | None = None) -> None:
        self.written: list[tuple[int, list[bytes]]] = []
        self._fails_at = fails_at

    def create_batch(self) -> Batch:
        return Batch()

    async def send_batch(
        self, batch: Batch, topic: str, *, partition: int
    ) -> "asyncio.Future[Any]":
        assert topic == topics.TABLE_EVENTS.name
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        offset = sum(len(values) for where, values in self.written if where == partition)
        number = len(self.written)
        self.written.append((partition, batch.values))
        if self._fails_at is not None and number >= self._fails_at:
            future.set_exception(OSError("broker gone"))
        else:
            future.set_result(SimpleNamespace(offset=offset, timestamp=7))
        await asyncio.sleep(0)
        return future


async def appended(log: KafkaLog, *values: bytes) -> "list[asyncio.Future[Placed]]":
    return [await log.append("T1", value, []) for value in values]


async def test_what_comes_together_is_written_together_and_in_order() -> None:
    producer = Producer()
    log = KafkaLog(producer, 1)

    places = await appended(log, b"1", b"2", b"3")
    places += await appended(log, b"4")
    found = await asyncio.gather(*places)

    assert producer.written == [(0, [b"1", b"2"]), (0, [b"3", b"4"])]
    assert [(each.offset, each.timestamp) for each in found] == [(n, 7) for n in range(4)]


async def test_a_stopping_gateway_writes_what_it_has_gathered() -> None:
    producer = Producer()
    log = KafkaLog(producer, 1)

    places = await appended(log, b"1")
    await log.flush()

    assert producer.written == [(0, [b"1"])]
    assert (await places[0]).offset == 0


async def test_nothing_follows_a_write_that_failed() -> None:
    producer = Producer(fails_at=1)
    log = KafkaLog(producer, 1)

    places = await appended(log, b"1", b"2", b"3", b"4")
    ends = await asyncio.gather(*places, return_exceptions=True)

    assert [getattr(end, "offset", type(end)) for end in ends[:2]] == [0, 1]
    assert all(isinstance(end, OSError) for end in ends[2:])
    with pytest.raises(LogUnavailable, match="OSError"):
        await log.append("T1", b"5", [])
    await log.flush()
    assert producer.written == [(0, [b"1", b"2"]), (0, [b"3", b"4"])]
