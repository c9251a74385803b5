"""Decides how a gateway uses Kafka: an idempotent producer, and consumers of `floor` without a group.

Here are the real ends of the ports Log and Quarantine (intake.py) and History (watch.py).
"""

import asyncio
import time
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, TypeVar

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, ConsumerRecord, TopicPartition
from aiokafka.errors import KafkaError, OffsetOutOfRangeError
from msgspec import Struct

from floorbook import topics, trace
from floorbook.gateway.floor import Floor, FloorFault
from floorbook.gateway.intake import LogUnavailable, Outage, Placed
from floorbook.gateway.refusals import Refusal
from floorbook.gateway.watch import CursorOutOfRange
from floorbook.login import NOBODY, Login
from floorbook.metrics.catalogue import GatewayMetrics
from floorbook.wire import quarantine as quarantine_wire
from floorbook.wire.quarantine import NOT_DECODABLE, Quarantined

_SERVICE = "gateway"
_MOST_RECORD_BYTES = 2_097_152
_HISTORY_READERS = 4
_MOST_AT_ONCE = 2_000  # records handled before others get their turn
_GATHER_SECONDS = 0.012
_MOST_GATHERED = 4_000  # records of a partition; then whoever brings more waits
_BACKOFF_MS = 500  # while a broker is down its clients try twice a second, and log each try

_Client = TypeVar("_Client", AIOKafkaProducer, AIOKafkaConsumer)


async def producer(bootstrap: Sequence[str], login: Login = NOBODY) -> AIOKafkaProducer:
    """Return a started producer whose sends are confirmed by all replicas and never doubled."""
    made = AIOKafkaProducer(
        bootstrap_servers=list(bootstrap),
        client_id="floorbook-gateway",
        **login.aiokafka(),
        acks="all",
        enable_idempotence=True,
        max_batch_size=131_072,
        max_request_size=_MOST_RECORD_BYTES,
        request_timeout_ms=10_000,
        retry_backoff_ms=_BACKOFF_MS,
    )
    return await _started(made)


async def consumer(
    bootstrap: Sequence[str], partitions: Sequence[int], login: Login = NOBODY
) -> AIOKafkaConsumer:
    """Return a started consumer of `floor` that belongs to no group and commits nothing."""
    made = AIOKafkaConsumer(
        bootstrap_servers=list(bootstrap),
        client_id="floorbook-gateway",
        **login.aiokafka(),
        group_id=None,
        enable_auto_commit=False,
        auto_offset_reset="none",  # a position that is gone is an error, never a silent jump
        max_partition_fetch_bytes=_MOST_RECORD_BYTES,
        request_timeout_ms=10_000,
        retry_backoff_ms=_BACKOFF_MS,
    )
    started = await _started(made)
    started.assign([TopicPartition(topics.FLOOR.name, each) for each in partitions])
    return started


async def _started(made: _Client) -> _Client:
    try:
        await made.start()
    except BaseException:
        await made.stop()  # else its connections are left open
        raise
    return made


class Place(Struct, frozen=True):
    """Where the broker put a record, and when."""

    partition: int
    offset: int
    timestamp: int


_Record = tuple[bytes, bytes, trace.Headers, "asyncio.Future[Placed]"]


class KafkaLog:
    """The topic table-events.

    What comes in a few milliseconds is written at once, one Kafka batch for each partition and all of
    them in one request: many small writes cost a third of as many alone, here, at the broker and at the fold.
    Once a write has failed nothing is written any more: what follows it would leave a hole.
    """

    def __init__(self, producer: AIOKafkaProducer, partitions: int) -> None:
        """Return a log that is written with a started producer."""
        self._producer = producer
        self._partitions = partitions
        self._gathered: dict[int, list[_Record]] = {}
        self._timer: asyncio.TimerHandle | None = None
        # One a partition: its batches stay in their order.
        self._writing: dict[int, asyncio.Task[None]] = {}
        self._room = asyncio.Event()
        self._fault: BaseException | None = None

    async def append(
        self, table_id: str, value: bytes, headers: trace.Headers
    ) -> "asyncio.Future[Placed]":
        """Return a future of the record's place, done when the broker has it; or `LogUnavailable`."""
        partition = topics.partition_of(table_id, self._partitions)
        while len(self._gathered.get(partition, ())) >= _MOST_GATHERED:
            self._room.clear()
            await self._room.wait()
        if self._fault is not None:
            raise LogUnavailable(f"the broker takes nothing ({type(self._fault).__name__})")
        loop = asyncio.get_running_loop()
        place: asyncio.Future[Placed] = loop.create_future()
        self._gathered.setdefault(partition, []).append((table_id.encode(), value, headers, place))
        if self._timer is None:
            self._timer = loop.call_later(_GATHER_SECONDS, self._write_gathered)
        return place

    async def flush(self) -> None:
        """Return when everything appended so far is with the producer, or has failed."""
        while self._gathered or self._writing:
            self._write_gathered()
            await asyncio.wait(self._writing.values())

    def _write_gathered(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        for partition in self._gathered.keys() - self._writing.keys():
            writing = self._write(partition, self._gathered.pop(partition))
            self._writing[partition] = asyncio.create_task(writing)

    async def _write(self, partition: int, records: list[_Record]) -> None:
        """Return when the producer has taken `records`, in their order; each one's place comes later."""
        try:
            start = 0
            while start < len(records):
                if self._fault is not None:
                    raise self._fault
                batch, end = self._batch(records, start)
                places = [place for _, _, _, place in records[start:end]]
                written = await self._producer.send_batch(
                    batch, topics.TABLE_EVENTS.name, partition=partition
                )
                written.add_done_callback(partial(self._tell, partition, places))
                start = end
        except Exception as fault:  # noqa: BLE001 -- whoever appended must know, whatever it is
            self._fail([place for _, _, _, place in records[start:]], fault)
        finally:
            del self._writing[partition]
            self._room.set()
            if partition in self._gathered and self._timer is None:
                self._timer = asyncio.get_running_loop().call_later(0, self._write_gathered)

    def _batch(self, records: list[_Record], start: int) -> tuple[Any, int]:
        """Return a Kafka batch of records from `start` on, and where the next one begins."""
        batch = self._producer.create_batch()
        for index in range(start, len(records)):
            key, value, headers, _ = records[index]
            if batch.append(timestamp=None, key=key, value=value, headers=headers) is None:
                assert index > start, "a batch takes its first record, whatever its size"
                return batch, index
        batch.close()
        return batch, len(records)

    def _tell(
        self,
        partition: int,
        places: "list[asyncio.Future[Placed]]",
        written: "asyncio.Future[Any]",
    ) -> None:
        """Return after telling each record's place, or what has failed."""
        if written.cancelled():
            self._fail(places, LogUnavailable("the producer was closed"))
        elif (fault := written.exception()) is not None:
            self._fail(places, fault)
        else:
            first = written.result()
            for index, place in enumerate(places):
                if not place.done():
                    place.set_result(Place(partition, first.offset + index, first.timestamp))

    def _fail(self, places: "list[asyncio.Future[Placed]]", fault: BaseException) -> None:
        self._fault = self._fault or fault
        for place in places:
            if not place.done():
                place.set_exception(fault)


class KafkaQuarantine:
    """The topic quarantine, with a limit on how much is written to it in a minute.

    What is above the limit is counted and not written: whoever floods a gateway with what it refuses must
    neither fill the topic nor stop the devices that are in order.
    """

    def __init__(
        self,
        producer: AIOKafkaProducer,
        partitions: int,
        metrics: GatewayMetrics,
        outage: Outage,
        most_per_minute: int,
    ) -> None:
        """Return a quarantine that is written with a started producer."""
        self._outage = outage
        self._producer = producer
        self._partitions = partitions
        self._metrics = metrics
        self._most_per_minute = most_per_minute
        self._minute = 0
        self._in_minute = 0
        self._writing: set[asyncio.Task[None]] = set()

    def put(self, refusal: Refusal, source: str, payload: bytes) -> None:
        """Return at once; the record is written as soon as the broker takes it."""
        self._put(
            source,
            Quarantined(
                topic="",
                partition=0,
                offset=0,
                reason=refusal.reason.value,
                detail=refusal.detail,
                service=_SERVICE,
                source=source,
                payload=payload,
                time_ms=int(time.time() * 1000),
            ),
        )

    def put_floor(self, fault: FloorFault) -> None:
        """Return at once; a floor record that cannot be read is written with its place."""
        self._put(
            topics.FLOOR.name,
            Quarantined(
                topic=topics.FLOOR.name,
                partition=fault.partition,
                offset=fault.offset,
                reason=NOT_DECODABLE,
                detail=fault.detail,
                service=_SERVICE,
                time_ms=int(time.time() * 1000),
            ),
        )

    async def flush(self) -> None:
        """Return when everything put so far is written or has failed."""
        if self._writing:
            await asyncio.wait(self._writing)

    def _put(self, key: str, record: Quarantined) -> None:
        self._metrics.quarantined.add(reason=record.reason)
        minute = int(time.monotonic() // 60)
        if minute != self._minute:
            self._minute, self._in_minute = minute, 0
        self._in_minute += 1
        if self._in_minute > self._most_per_minute:
            return
        task = asyncio.create_task(self._write(key, quarantine_wire.encode(record)))
        self._writing.add(task)
        task.add_done_callback(self._writing.discard)

    async def _write(self, key: str, value: bytes) -> None:
        try:
            await self._producer.send_and_wait(
                topics.QUARANTINE.name,
                value,
                key=key.encode(),
                partition=topics.partition_of(key, self._partitions),
            )
        except KafkaError as fault:
            self._outage.note(fault)


class FloorReader:
    """The live end of the topic floor."""

    def __init__(
        self, consumer: AIOKafkaConsumer, floor: Floor, quarantine: KafkaQuarantine
    ) -> None:
        """Return a reader that hands everything to `floor`."""
        self._consumer = consumer
        self._floor = floor
        self._quarantine = quarantine

    async def start(self) -> None:
        """Return when every partition stands at its end, and what its last record says is known."""
        parts = sorted(self._consumer.assignment())
        firsts = await self._consumer.beginning_offsets(parts)
        ends = await self._consumer.end_offsets(parts)
        for part in parts:
            self._consumer.seek(part, max(ends[part] - 1, firsts[part]))
            if ends[part] == firsts[part]:
                self._floor.start(part.partition, ends[part], None)
        missing = {part for part in parts if ends[part] > firsts[part]}
        while missing:
            batches = await self._consumer.getmany(*missing, timeout_ms=1000)
            for part, records in batches.items():
                # What came after the end that we asked for is live already: nobody waits for it yet.
                last: ConsumerRecord[Any, Any] = records[-1]
                self._note(self._floor.start(part.partition, last.offset + 1, last))
                missing.discard(part)

    async def follow(self) -> None:
        """Hand on records for ever; an error of the consumer ends it."""
        while True:
            batches = await self._consumer.getmany(timeout_ms=1000, max_records=_MOST_AT_ONCE)
            for part, records in batches.items():
                for fault in self._floor.take(part.partition, records):
                    self._note(fault)

    async def lag(self) -> int:
        """Return how many records this gateway has not read yet; KafkaError if the broker is silent."""
        ends = await self._consumer.end_offsets(sorted(self._consumer.assignment()))
        return sum(max(end - self._floor.position(part.partition), 0) for part, end in ends.items())

    def _note(self, fault: FloorFault | None) -> None:
        if fault is not None:
            self._quarantine.put_floor(fault)


class KafkaHistory:
    """The topic floor as it was, read by a few consumers of its own that viewers share in turn."""

    def __init__(self, bootstrap: Sequence[str], login: Login = NOBODY) -> None:
        """Return a history of which nothing has been read."""
        self._bootstrap = tuple(bootstrap)
        self._login = login
        self._idle: list[AIOKafkaConsumer] = []
        self._turns = asyncio.Semaphore(_HISTORY_READERS)

    async def read(
        self, partition: int, start: int, end: int
    ) -> AsyncGenerator[Sequence[ConsumerRecord[Any, Any]], None]:
        """Yield the records at offsets from `start` to before `end`; see `History`."""
        part = TopicPartition(topics.FLOOR.name, partition)
        async with self._turn() as reader:
            try:
                first = (await reader.beginning_offsets([part]))[part]
                if start < first:
                    raise _too_old()
                reader.assign([part])
                reader.seek(part, start)
                while start < end:
                    batches = await reader.getmany(part, timeout_ms=1000, max_records=_MOST_AT_ONCE)
                    records = batches.get(part, [])
                    if records:
                        start = records[-1].offset + 1
                        yield [each for each in records if each.offset < end]
            except OffsetOutOfRangeError:
                raise _too_old() from None
            finally:
                reader.assign([])

    async def end(self, partition: int) -> int:
        """Return the offset after the partition's last record."""
        part = TopicPartition(topics.FLOOR.name, partition)
        async with self._turn() as reader:
            return int((await reader.end_offsets([part]))[part])

    async def stop(self) -> None:
        """Return when all its consumers are closed."""
        while self._idle:
            await self._idle.pop().stop()

    @asynccontextmanager
    async def _turn(self) -> AsyncIterator[AIOKafkaConsumer]:
        """Return a consumer that nobody else uses meanwhile."""
        async with self._turns:
            reader: AIOKafkaConsumer | None = None
            try:
                reader = (
                    self._idle.pop()
                    if self._idle
                    else await consumer(self._bootstrap, [], self._login)
                )
                yield reader
            except KafkaError as fault:
                name = type(fault).__name__
                raise LogUnavailable(f"the broker does not give what was ({name})") from fault
            finally:
                if reader is not None:
                    self._idle.append(reader)


def _too_old() -> CursorOutOfRange:
    return CursorOutOfRange("what follows the cursor is not kept any more: start without a cursor")
