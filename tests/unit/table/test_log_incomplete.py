"""A log that has lost events stops the processor by name: nothing is taken for known that is not."""

from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import faust
import pytest
import pytest_asyncio
from prometheus_client import CollectorRegistry

from floorbook import settings, topics
from floorbook.metrics.catalogue import TableMetrics
from floorbook.table.log import LogIncomplete
from floorbook.table.service import Processor
from floorbook.table.store import Store, pack, stored_watermark, watermark_key

NEEDED = {"FLOORBOOK_KAFKA": "127.0.0.1:9", "FLOORBOOK_EVALUATOR": "127.0.0.1:9"}


class Reader:
    """The log as a broker gives it: what lies in front of its first offset is gone."""

    def __init__(self, first: int, end: int) -> None:
        self.first, self.end = first, end
        self.position = 0

    def assign(self, tps: list[Any]) -> None:
        self.position = 0

    def seek(self, tp: Any, offset: int) -> None:
        self.position = offset if self.first <= offset <= self.end else self.first

    async def getmany(self, tp: Any, *, timeout_ms: int) -> dict[Any, list[Any]]:
        records = [
            SimpleNamespace(offset=at, value=b"%d" % at, timestamp=1000 + at)
            for at in range(self.position, self.end)
        ][:3]
        self.position += len(records)
        return {tp: records}

    async def beginning_offsets(self, tps: list[Any]) -> dict[Any, int]:
        return dict.fromkeys(tps, self.first)

    async def end_offsets(self, tps: list[Any]) -> dict[Any, int]:
        return dict.fromkeys(tps, self.end)

    async def stop(self) -> None: ...


@pytest_asyncio.fixture
async def processor() -> AsyncIterator[Any]:
    """A processor of two partitions without a broker, which owns the first."""
    found = settings.read(NEEDED)
    assert isinstance(found, settings.Settings), found
    app = faust.App("log-incomplete", broker="kafka://127.0.0.1:9", store="memory://")
    made: Any = Processor(app, 2, found, TableMetrics(CollectorRegistry()))
    made.owned = {0}
    yield made
    await made.client.close()


def folded_to(offset: int) -> Store:
    return Store({watermark_key(0): pack(offset, b"")})


async def test_a_stretch_is_read_whole(processor: Any) -> None:
    processor.log._consumer = Reader(0, 20)

    assert [record.offset for record in await processor.log.stretch(0, 4, 11)] == list(range(4, 12))


async def test_a_stretch_whose_beginning_is_gone_is_not_folded(processor: Any) -> None:
    processor.log._consumer = Reader(6, 20)

    with pytest.raises(LogIncomplete, match=r"partition 0 .* holds 6 of the events 4 to 11"):
        await processor.log.stretch(0, 4, 11)


async def test_a_log_at_its_end_or_ahead_is_no_fault(processor: Any) -> None:
    processor.store = folded_to(9)
    processor.log._consumer = Reader(0, 10)
    assert await processor._stalled() == []
    processor.log._consumer = Reader(0, 15)
    assert await processor._stalled() == []


async def test_a_log_that_ends_before_what_was_folded_stops_the_processor(processor: Any) -> None:
    processor.store = folded_to(9)
    processor.log._consumer = Reader(0, 9)

    with pytest.raises(LogIncomplete, match="ends at 9, and 9 was folded"):
        await processor._stalled()


@pytest.mark.parametrize("first", [0, 9, 10])
async def test_a_log_that_has_what_was_folded_or_was_trimmed_is_no_fault(
    processor: Any, first: int
) -> None:
    processor.store = Store({watermark_key(0): stored_watermark(9, b"9")})
    processor.log._consumer = Reader(first, 20)

    await processor.log.check(processor.store, {0})


async def test_a_log_that_was_set_back_and_grew_again_stops_the_processor(processor: Any) -> None:
    processor.store = Store({watermark_key(0): stored_watermark(9, b"another event")})
    processor.log._consumer = Reader(0, 20)

    with pytest.raises(LogIncomplete, match="has at 9 another event than the one that was folded"):
        await processor.log.check(processor.store, {0})


async def test_what_is_folded_while_the_end_is_asked_is_no_fault(processor: Any) -> None:
    processor.store = folded_to(9)
    reader: Any = Reader(0, 10)
    asked = reader.end_offsets

    async def slowly(tps: list[Any]) -> dict[Any, int]:
        ends: dict[Any, int] = await asked(tps)
        processor.store = folded_to(12)
        return ends

    reader.end_offsets = slowly
    processor.log._consumer = reader

    assert await processor._stalled() == []


async def test_only_the_owner_writes_an_older_state_again(processor: Any) -> None:
    """Another's is newer by now, and compaction would keep what was written last."""
    here = next(t for t in map(str, range(99)) if topics.partition_of(t, 2) == 0).encode()
    there = next(t for t in map(str, range(99)) if topics.partition_of(t, 2) == 1).encode()
    processor.store = Store({here: pack(1, b""), there: pack(1, b"")})
    processor.stale_keys = {here, there}
    sent: list[bytes] = []

    async def send(topic: str, groups: list[Any], headers: Any = None) -> None:
        sent.extend(key for group in groups for key, *_ in group)

    processor._send = send
    await processor._rewrite_stale()

    assert sent == [here]
    assert processor.stale_keys == {there}
