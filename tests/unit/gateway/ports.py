"""A log in memory, and what every log must hold: the real one passes the same suite in the system tests."""

import asyncio
import time
from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from typing import NamedTuple

import pytest
from prometheus_client import CollectorRegistry

from floorbook import topics, trace
from floorbook.gateway.clock import ClockCheck
from floorbook.gateway.intake import Intake, Log, LogUnavailable, Outage, Placed
from floorbook.gateway.refusals import Refusal
from floorbook.gateway.registry import Registry
from floorbook.gateway.watch import CursorOutOfRange, History
from floorbook.metrics.catalogue import GatewayMetrics
from floorbook.probes import Condition
from floorbook.table.events import Event
from floorbook.wire import envelope

PARTITIONS = 4
NOW_MS = 1_700_000_000_000

Lying = tuple[bytes, bytes, int, int]
"""Key, value, partition and offset of a record in the log."""


class Place(NamedTuple):
    """Where a record lies, and since when."""

    partition: int
    offset: int
    timestamp: int


class FakeLog:
    """A log whose confirmations the test may hold back or let fail."""

    def __init__(self, partitions: int = PARTITIONS) -> None:
        self.records: list[Lying] = []
        self.headers: list[trace.Headers] = []
        self.held: list[tuple[asyncio.Future[Placed], Place]] | None = None
        self.down = False
        self.appended = asyncio.Event()
        self._partitions = partitions
        self._ends = [0] * partitions

    async def append(
        self, table_id: str, value: bytes, headers: trace.Headers
    ) -> "asyncio.Future[Placed]":
        if self.down:
            raise LogUnavailable("the broker takes nothing")
        partition = topics.partition_of(table_id, self._partitions)
        place = Place(partition, self._ends[partition], int(time.time() * 1000))
        self._ends[partition] += 1
        self.records.append((table_id.encode(), value, partition, place.offset))
        self.headers.append(headers)
        self.appended.set()
        future: asyncio.Future[Placed] = asyncio.get_running_loop().create_future()
        if self.held is None:
            future.set_result(place)
        else:
            self.held.append((future, place))
        return future

    def confirm(self, count: int) -> None:
        """Confirm the `count` oldest records that are held back."""
        assert self.held is not None
        now, self.held = self.held[:count], self.held[count:]
        for future, place in now:
            future.set_result(place)

    def fail(self) -> None:
        """Let all that is held back fail."""
        assert self.held is not None
        for future, _ in self.held:
            future.set_exception(ConnectionError("the broker is gone"))
        self.held = []

    def events(self) -> list[Event]:
        """Return all events appended, in order."""
        found = [envelope.decode(value, key, p, o) for key, value, p, o in self.records]
        assert all(isinstance(each, Event) for each in found)
        return [each for each in found if isinstance(each, Event)]


class FakeQuarantine:
    """Keeps what was quarantined."""

    def __init__(self) -> None:
        self.put_so_far: list[tuple[Refusal, str, bytes]] = []

    def put(self, refusal: Refusal, source: str, payload: bytes) -> None:
        self.put_so_far.append((refusal, source, payload))


class FakeHeard:
    """Says for all tables the same schema, and rounds as the test sets them."""

    def __init__(self, schema: int = 1) -> None:
        self.schema = schema
        self.rounds: dict[str, str] = {}

    def round_of(self, table_id: str) -> str:
        return self.rounds.get(table_id, "")

    def fold_schema(self, table_id: str) -> int:
        return self.schema


class Desk:
    """An intake with everything behind it faked but the metrics."""

    def __init__(self, registry: Registry) -> None:
        self.log = FakeLog()
        self.quarantine = FakeQuarantine()
        self.heard = FakeHeard()
        self.outage = Outage()
        self.prometheus = CollectorRegistry()
        self.intake = Intake(
            registry,
            self.log,
            self.quarantine,
            self.heard,
            GatewayMetrics(self.prometheus),
            ClockCheck(Condition("clock")),
            self.outage,
        )

    def counted(self, metric: str, **labels: str) -> float:
        value = self.prometheus.get_sample_value(metric, labels)
        assert value is not None, f"no series {metric} {labels}"
        return value


async def check_log(
    log: Log, partitions: int, tables: list[str], read: Callable[[], Awaitable[list[Lying]]]
) -> None:
    """Return if the log keeps its promises; it may hold other tables' records."""
    values = {table: [f"{table} {n}".encode() for n in range(50)] for table in tables}
    futures: dict[bytes, asyncio.Future[Placed]] = {}
    before_ms = int(time.time() * 1000)
    for number in range(50):
        for table in tables:
            value = values[table][number]
            futures[value] = await log.append(table, value, trace.headers(f"{table}/1"))
    places = dict(zip(futures, await asyncio.gather(*futures.values()), strict=True))
    after_ms = int(time.time() * 1000)
    lying = await read()
    for table in tables:
        mine = [each for each in lying if each[0] == table.encode()]
        assert [value for _, value, _, _ in mine] == values[table], "in the order of the calls"
        for _, value, partition, offset in mine:
            assert (places[value].partition, places[value].offset) == (partition, offset)
            assert partition == topics.partition_of(table, partitions)
            assert before_ms - 1_000 <= places[value].timestamp <= after_ms + 1_000


class FloorLine(NamedTuple):
    """One record of the topic floor."""

    key: bytes | None
    value: bytes | None
    offset: int
    headers: trace.Headers = []  # noqa: RUF012 -- nobody changes it


class FakeHistory:
    """One partition of the topic floor; what lies before `kept_from` is gone."""

    def __init__(self, lines: Sequence[FloorLine], kept_from: int = 0) -> None:
        self.lines = list(lines)
        self.kept_from = kept_from

    async def read(
        self, partition: int, start: int, end: int
    ) -> AsyncGenerator[list[FloorLine], None]:
        if start < self.kept_from:
            raise CursorOutOfRange("gone")
        for each in self.lines[start:end]:
            yield [each]

    async def end(self, partition: int) -> int:
        return len(self.lines)


async def check_history(history: History, partition: int, kept_from: int, end: int) -> None:
    """Return if the history of a partition that holds `kept_from` to `end` keeps its promises."""
    middle = (kept_from + end) // 2
    assert kept_from < middle < end, "the partition must hold something"
    assert await history.end(partition) == end
    for start, stop in ((kept_from, end), (middle, end), (kept_from, middle), (middle, middle + 1)):
        read = [
            each.offset async for batch in history.read(partition, start, stop) for each in batch
        ]
        assert read == list(range(start, stop))
    if kept_from:
        with pytest.raises(CursorOutOfRange):
            await anext(history.read(partition, kept_from - 1, end))
