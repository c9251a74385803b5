"""Decides how the table processor itself reads the log and quarantine, beside what Faust delivers.

Only the offsets that the processor names count here: no group, nothing committed.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Iterable, Mapping
from typing import Any

from aiokafka import AIOKafkaConsumer
from aiokafka.structs import TopicPartition

from floorbook import topics
from floorbook.settings import Settings
from floorbook.table.batch import SERVICE
from floorbook.table.store import Store, is_of_log, watermark_key
from floorbook.wire import quarantine
from floorbook.wire.quarantine import Quarantined

_READ_TIMEOUT_SECONDS = 30.0
_CLOCKS_DIFFER_MS = 600_000
"""By how much less than this the clocks of those who write to quarantine and of the brokers differ."""


class LogIncomplete(Exception):
    """The log lacks events that were folded, or that come next: to go on would leave them out unseen."""


class Log:
    """What the broker has of table-events, for one reader at a time."""

    def __init__(self, settings: Settings) -> None:
        """Return a reader that is not started; needs a running loop."""
        self.heard = time.monotonic()
        self.started = asyncio.Event()
        self._consumer = AIOKafkaConsumer(
            bootstrap_servers=",".join(settings.kafka),
            **settings.login.aiokafka(),
            enable_auto_commit=False,
            auto_offset_reset="earliest",
        )

    async def start(self) -> None:
        """Return once the broker has answered."""
        await self._consumer.start()
        self.started.set()

    async def ends(self, partitions: Iterable[int]) -> dict[int, int]:
        """Return the offset after the last event of each partition."""
        found = await self._consumer.end_offsets([_events(each) for each in partitions])
        return {tp.partition: end for tp, end in found.items()}

    async def stretch(self, partition: int, first: int, last: int) -> list[Any]:
        """Return the records from `first` to `last`.

        Raises TimeoutError when the broker does not give them, LogIncomplete when it no longer has
        them.
        """
        tp = _events(partition)
        self._consumer.assign([tp])
        self._consumer.seek(tp, first)
        found: list[Any] = []
        async with asyncio.timeout(_READ_TIMEOUT_SECONDS):
            while not found or found[-1].offset < last:
                found += (await self._consumer.getmany(tp, timeout_ms=500)).get(tp, [])
        wanted = [record for record in found if record.offset <= last]
        if len(wanted) != last - first + 1:
            raise LogIncomplete(
                f"partition {partition} of {tp.topic} holds {len(wanted)} of the events {first} to "
                f"{last}, which are to be folded next: bring the others back before starting again"
            )
        return wanted

    async def check(self, store: Store, partitions: Iterable[int]) -> dict[int, int]:
        """Return when the last events folded came into the log, in ms, by partition.

        Raises LogIncomplete where other events lie: a log that was set back and has grown again
        since has them at known offsets.
        """
        since: dict[int, int] = {}
        tps = [_events(partition) for partition in sorted(partitions)]
        firsts = await self._consumer.beginning_offsets(tps) if tps else {}
        for tp, first in firsts.items():
            offset = store.watermark(tp.partition)
            if offset < first:
                continue  # nothing is folded, or somebody has deleted what was
            (last,) = await self.stretch(tp.partition, offset, offset)
            since[tp.partition] = last.timestamp
            if not is_of_log(store.data[watermark_key(tp.partition)], last.value):
                raise LogIncomplete(
                    f"partition {tp.partition} of {tp.topic} has at {offset} another event than the one "
                    "that was folded: bring back what the broker has lost before starting again"
                )
        return since

    async def quarantined(
        self, store: Store, partitions: Iterable[int], since: Mapping[int, int]
    ) -> dict[tuple[int, int], str]:
        """Return partition and offset of the events above the watermarks that a fold could not read.

        What was told of them then counts, even where this code could read them: they are folded
        again after a crash, or after the loss of the changelog. They came after the last one that
        was folded, at `since`.
        """
        times = {
            TopicPartition(topics.QUARANTINE.name, partition): max(
                since.get(partition, 0) - _CLOCKS_DIFFER_MS, 0
            )
            for partition in sorted(partitions)
        }
        found: dict[tuple[int, int], str] = {}
        async for record in self._from(times):
            one = quarantine.decode(record.value or b"")
            if (
                isinstance(one, Quarantined)
                and (one.topic, one.service) == (topics.TABLE_EVENTS.name, SERVICE)
                and one.offset > store.watermark(one.partition)
            ):
                found[one.partition, one.offset] = one.reason
        return found

    async def _from(self, times: dict[Any, int]) -> AsyncIterator[Any]:
        """Yield what partitions hold now from each one's time, in ms, on; TimeoutError as `stretch`."""
        if not times:
            return
        tps = list(times)
        found = await self._consumer.offsets_for_times(times)
        ends = await self._consumer.end_offsets(tps)
        firsts = {tp: found[tp].offset if found[tp] is not None else ends[tp] for tp in tps}
        self._consumer.assign(tps)
        for tp in tps:
            self._consumer.seek(tp, firsts[tp])
        left = {tp for tp in tps if ends[tp] > firsts[tp]}
        while left:
            async with asyncio.timeout(_READ_TIMEOUT_SECONDS):
                batches: dict[Any, list[Any]] = {}
                while not batches:
                    batches = await self._consumer.getmany(*left, timeout_ms=500)
            self.heard = time.monotonic()
            for tp, records in batches.items():
                for record in records:
                    yield record
                if records[-1].offset + 1 >= ends[tp]:
                    left.discard(tp)


def _events(partition: int) -> Any:
    return TopicPartition(topics.TABLE_EVENTS.name, partition)
