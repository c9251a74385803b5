"""The table processor: reads table-events with Faust, folds batches, and sends and stores in order.

Effects, then states, then the partition's watermark, each confirmed before the next; the local
store last. Meanwhile the next batch is folded over this one, but nothing of it is sent before. The watermark is the only position: a record that is not the watermark plus one shows a
hole in what Faust delivered, and the hole is read from the log and folded in place. Any exception
ends the process; whoever runs it starts it again.
"""

import asyncio
import contextlib
import gc
import os
import signal
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from typing import Any

import faust
import uvloop
from aiokafka.errors import KafkaError

from floorbook import crash, ending, ids, logs, spans, topics, trace
from floorbook.evaluator.client import Client
from floorbook.lag import Lag
from floorbook.metrics.catalogue import TableMetrics, new_registry
from floorbook.probes import Probes
from floorbook.settings import Settings
from floorbook.table import delivery
from floorbook.table.batch import Batch, Out, packed, with_watermarks
from floorbook.table.events import Event
from floorbook.table.gather import Gather
from floorbook.table.log import Log, LogIncomplete
from floorbook.table.obligations import Obligations, now_ms
from floorbook.table.state import TableState
from floorbook.table.step import Step
from floorbook.table.store import Store, newest
from floorbook.table.tracing import Tracing
from floorbook.wire import envelope, floor

EXIT_CRASHED = 70
EXIT_AFTER_SESSION = 75
"""Start again only when the group has forgotten this member: its assignment was of no use."""

_BATCH = 1000
_BUFFERED = 16_384
_LARGEST_GROUP_BYTES = 1_000_000
"""What is stored of one table at once may be so long, whatever a request is to hold."""
_FOLDED_AT_ONCE = 32
"""Events folded before the batch that is being confirmed may go on."""
_MOST_READ_AT_ONCE = 5000
"""Events of a hole folded in one batch: a long one must not keep the group waiting."""
_STALL_SECONDS = 2.0
_RECOVERY_STALL_SECONDS = 15.0
_SILENT_BROKER_SECONDS = 3.0
_STOP_SECONDS = 3.0
_COLLECT_AFTER = (50_000, 20, 100)
"""Objects made before Python looks for cycles, and how often it then looks further."""


class TooLarge(Exception):
    """What must be stored together is larger than a request may be."""


class Processor:
    """One worker: the folding of the partitions assigned to it."""

    def __init__(
        self,
        app: faust.App,
        partitions: int,
        settings: Settings,
        metrics: TableMetrics,
        recorded: spans.Spans | None = None,
    ) -> None:
        """Return a worker that owns nothing yet; needs a running loop."""
        self.app = app
        self.metrics = metrics
        self.owned: set[int] = set()
        self.assigned = asyncio.Event()
        self._partitions = partitions
        self._gather = Gather(_BATCH, lambda: len(self._open))
        self._lock = asyncio.Lock()
        # What is folded and not in the store yet, and what is getting it there.
        self._folded: Batch | None = None
        self._confirming: asyncio.Task[None] | None = None
        self.log = Log(settings)
        self._request_bytes = settings.request_bytes
        self._quarantine_limit = settings.quarantine_limit_per_minute
        self._quarantine_times: list[float] = []
        self._recovery_started = time.monotonic()
        self._recovery_limit_seconds = max(
            _RECOVERY_STALL_SECONDS, 2 * settings.session_timeout_seconds
        )
        self._recovery_seen: tuple[int, float] = (-1, time.monotonic())
        self._progress: dict[int, tuple[int, float]] = {}
        self._in_group = False
        self.table = app.Table(
            topics.TABLE_STORE, key_type=bytes, value_type=bytes, partitions=partitions
        )
        self.stale_keys: set[bytes] = set()
        self._open: set[str] = set()
        self._lags: dict[int, Lag] = {}
        # Since when the broker owes an answer; None once it has given it.
        self.broker_asked: float | None = time.monotonic()
        self._unread: dict[tuple[int, int], str] = {}
        self.store = Store({})
        client = Client(str(settings.evaluator), settings.evaluate_deadline_seconds)
        self.client = client
        self.tracing = Tracing(recorded)
        # For each record about a round: the usual headers take no detour.
        self._headers = trace.headers if recorded is None else self.tracing.headers
        self.obligations = Obligations(client, self._append, metrics, exit_on, self.tracing)
        self._install()

    def _install(self) -> None:
        """Hang the fold, the recovery and the assignment on Faust's hooks."""
        events = self.app.topic(
            topics.TABLE_EVENTS.name,
            key_type=bytes,
            value_type=bytes,
            key_serializer="raw",
            value_serializer="raw",
        )

        delivery.hand_over(self.app, events, self._gather.put)
        self.table.on_recover(self._recovered)
        self.app.on_partitions_revoked.connect(self._revoked, weak=False)
        self.app.on_partitions_assigned.connect(self._assigned, weak=False)
        base = self.table.apply_changelog_batch

        def highest_wins(batch: Iterable[Any]) -> None:
            winners, self.stale_keys, foreign = newest(batch, self.table.data.data, self.stale_keys)
            if foreign:
                logs.logger().error(
                    "the changelog holds what no table processor wrote: who else may write to it?",
                    records=foreign,
                )
            base(winners)

        self.table.apply_changelog_batch = highest_wins

    @contextlib.asynccontextmanager
    async def _standing_still(self) -> AsyncIterator[None]:
        """Hold the lock with all that was folded confirmed."""
        async with self._lock:
            await self._confirmed()
            yield

    async def _confirmed(self) -> None:
        """Return once the batch before is confirmed, whoever stops waiting for it. Under the lock only."""
        if self._confirming is not None:
            await asyncio.shield(self._confirming)

    async def _revoked(self, *_: Any, **__: Any) -> None:
        async with self._standing_still():  # a running batch ends before the group goes on
            self.owned.clear()
            self._gather.forget()
            self.assigned.clear()
            self._in_group = False
            self._recovery_started = time.monotonic()

    async def _assigned(self, *_: Any, **__: Any) -> None:
        self._in_group = True

    async def _recovered(self) -> None:
        await or_exit(self._take_over())

    async def _take_over(self) -> None:
        """Return once the partitions assigned are this worker's to fold."""
        async with self._standing_still():
            if not self._in_group:
                return  # a recovery that ended after the next rebalance began
            assignment = self.app.consumer.assignment()
            events = {tp.partition for tp in assignment if tp.topic == topics.TABLE_EVENTS.name}
            changelog = {
                tp
                for tp in assignment
                if tp.topic == topics.TABLE_STATES.name and tp.partition in events
            }
            if events - {tp.partition for tp in changelog}:
                logs.logger().error("the changelog is not assigned here; leaving the group")
                os._exit(EXIT_AFTER_SESSION)
            if not all(map(self._is_recovered, changelog)):
                return  # this recovery was for an assignment before: another one has begun
            self.owned = events
            if self.store.data is not self.table.data.data:
                self.store = Store(self.table.data.data)
            await self._rewrite_stale()
            await self.log.started.wait()
            since = await self.log.check(self.store, self.owned)
            self._unread = await self.log.quarantined(self.store, self.owned, since)
            announced = [
                (None, floor.encode_announcement(p, self.store.watermark(p)), p, "")
                for p in sorted(self.owned)
            ]
            await self._send(topics.FLOOR.name, [[one] for one in announced])
            self._progress = {p: (self.store.watermark(p), time.monotonic()) for p in self.owned}
            self._lags = {p: Lag(time.time()) for p in self.owned}
            self._take_up_obligations()
            self.metrics.recovery_seconds.set(time.monotonic() - self._recovery_started)
            self.metrics.partitions.set(len(self.owned))
            self.assigned.set()
        logs.logger().info("partitions taken over", partitions=sorted(self.owned))

    def _is_recovered(self, changelog: Any) -> bool:
        """Return whether a partition of the changelog was read to the end that it had."""
        recovery = self.app.tables.recovery
        end, read = recovery.active_highwaters.get(changelog), recovery.active_offsets[changelog]
        return end is not None and read is not None and read >= end

    async def _rewrite_stale(self) -> None:
        """Write again what an older record hides, before compaction could keep the older one."""
        data = self.store.data
        # What of another's partition is still here is older than what he has written since.
        stale = [
            key
            for key in sorted(self.stale_keys)
            if key in data and self._partition_of(key) in self.owned
        ]
        self.stale_keys.difference_update(stale)
        await self._send(
            topics.TABLE_STATES.name,
            [[(key, data[key], self._partition_of(key), "")] for key in stale],
        )

    def _partition_of(self, key: bytes) -> int:
        if key.startswith(b"@"):
            return int(key[1:])
        return topics.partition_of(key.decode().partition("/")[0], self._partitions)

    def _take_up_obligations(self) -> None:
        held: set[str] = set()
        self.metrics.suspended.forget_all()
        self._open.clear()
        for state in self.store.states():
            if state.partition in self.owned:
                held.add(state.table_id)
                self._follow(state)
        self.obligations.keep_only(held)
        for state in self.store.states():
            if state.partition in self.owned:
                self.obligations.follow(state)
        self.metrics.tables.set(len(self._open))

    def _follow(self, state: TableState) -> None:
        if state.terms is None:
            self._open.discard(state.table_id)
        else:
            self._open.add(state.table_id)
        if state.causes:
            self.metrics.suspended.set(state.table_id, 1)
        else:
            self.metrics.suspended.forget(state.table_id)

    async def work(self) -> None:
        """Return never: fold what is delivered, and acknowledge what is confirmed."""
        while True:
            messages = await self._gather.take()

            def acknowledge(messages: list[Any] = messages) -> None:
                for message in messages:
                    message.ack(self.app.consumer)

            await self.fold(messages, acknowledge)

    async def fold(
        self, messages: Sequence[Any], confirmed: Callable[[], None] = lambda: None
    ) -> None:
        """Return once `messages`, and whatever is missing before them, are folded.

        What was folded before them is confirmed then; when they are, `confirmed` is called.
        """
        while messages:
            async with self._lock:
                messages = await self._fold_some(messages, confirmed)

    async def _fold_some(
        self, messages: Sequence[Any], confirmed: Callable[[], None]
    ) -> Sequence[Any]:
        """Return the messages that are left: none, unless a hole is too long for one batch."""
        started = time.monotonic()
        batch = Batch(self.store, self._partitions, now_ms(), self._folded)
        take = self._take_told if self.tracing.is_on else self._take
        taken = 0
        written: dict[int, float | int] = {}
        left: Sequence[Any] = ()
        for index, message in enumerate(messages):
            if index % _FOLDED_AT_ONCE == 0:
                await asyncio.sleep(0)
            partition, offset = message.partition, message.offset
            if partition not in self.owned:
                continue
            position = batch.position(partition)
            if offset <= position:
                continue
            if offset > position + 1:
                last = min(offset - 1, position + _MOST_READ_AT_ONCE)
                taken += await self._heal(batch, partition, position + 1, last)
                if last < offset - 1:
                    left = messages[index:]
                    break
            take(batch, message)
            written[partition] = message.timestamp
            taken += 1
        await self._confirmed()
        if not taken:
            confirmed()
        else:
            batch.forget_before()
            self._folded = batch
            told = self.tracing.batch()

            async def finish() -> None:
                await self._confirm(batch)
                self._folded = self._confirming = None
                told()
                for partition, at in written.items():
                    # Faust has seconds, what we read ourselves milliseconds.
                    self._lags[partition].read(round(at * 1000) if isinstance(at, float) else at)
                self._measure(batch, taken, time.monotonic() - started)
                if not left:
                    confirmed()

            self._confirming = asyncio.create_task(or_exit(finish()))
        return left

    def _take(self, batch: Batch, message: Any) -> Step | None:
        partition, offset = message.partition, message.offset
        unread = self._unread.get((partition, offset)) if self._unread else None
        return batch.take(message.key, message.value, partition, offset, quarantined_as=unread)

    def _take_told(self, batch: Batch, message: Any) -> None:
        """Return after folding a record, and telling so."""
        began_ns = time.time_ns()
        if (step := self._take(batch, message)) is not None:
            self.tracing.folded(message, step, began_ns)

    async def _heal(self, batch: Batch, partition: int, first: int, last: int) -> int:
        """Return how many events of a hole were read from the log and folded."""
        missing = await self.log.stretch(partition, first, last)
        take = self._take_told if self.tracing.is_on else self._take
        for message in missing:
            take(batch, message)
        self.metrics.holes_healed.add(1)
        self.metrics.hole_events.add(len(missing))
        logs.logger().warning(
            "a hole in what was delivered is healed from the log",
            partition=partition,
            first=first,
            last=last,
        )
        return len(missing)

    async def _confirm(self, batch: Batch) -> None:
        """Return once effects, states and watermarks are with the broker, in this order.

        A partition's watermark goes in one Kafka batch with its states where they fit: as good as
        after them, and one confirmation less to wait for.
        """
        if batch.quarantined:
            self._hold_to_limit(len(batch.quarantined))
            await self._send(topics.QUARANTINE.name, [[one] for one in batch.quarantined])
        await asyncio.gather(
            self._send(topics.MOVEMENTS.name, [[one] for one in batch.movements], self._headers),
            self._send(topics.FLOOR.name, [[one] for one in batch.floor], trace.round_header),
        )
        crash.point("table-after-effects")
        states, marks = batch.values(), batch.watermarks()
        before, last = with_watermarks(
            batch.changes(states),
            [(key, value, self._partition_of(key), "") for key, value in marks.items()],
            self._request_bytes,
        )
        if before:
            await self._send(topics.TABLE_STATES.name, before)
            crash.point("table-after-states")
        await self._send(topics.TABLE_STATES.name, last)
        crash.point("table-after-watermark")
        self.store.keep({**batch.rounds, **states, **marks}, batch.states)
        now = time.monotonic()
        for partition, offset in batch.positions.items():
            self._progress[partition] = (offset, now)
        for state in batch.states.values():
            self._follow(state)
            self.obligations.follow(state)
        self.metrics.tables.set(len(self._open))

    async def _send(
        self,
        topic: str,
        groups: Sequence[Sequence[Out]],
        headers: Callable[[str], trace.Headers] = trace.no_headers,
    ) -> None:
        """Return once the broker has confirmed every record; it takes each group whole or not.

        What goes in one request to one partition is one Kafka batch: whole or not at all. It is
        also the cheapest way: one future for hundreds of records, and nothing of Faust.
        """
        producer = self.app.producer._producer
        waiting = []
        for records in packed(groups, self._request_bytes):
            batch = producer.create_batch()
            for key, value, _, round_id in records:
                given = headers(round_id)
                if batch.append(timestamp=None, key=key, value=value, headers=given) is None:
                    raise TooLarge(
                        f"{topic}: {key!r} and what belongs to it does not fit a request"
                    )
            waiting.append(await producer.send_batch(batch, topic, partition=records[0][2]))
        await asyncio.gather(*waiting)

    async def _append(self, event: Event) -> None:
        send = self.app.producer._producer.send  # gathers what several tasks send at a time
        key, value = event.table_id.encode(), envelope.encode(event)
        headers = self._headers(ids.round_of(event.obligation_id))
        try:
            await (
                await send(
                    topics.TABLE_EVENTS.name,
                    value,
                    key=key,
                    partition=event.partition,
                    headers=headers,
                )
            )
        except KafkaError as error:
            raise ConnectionError(str(error)) from error

    def _hold_to_limit(self, more: int) -> None:
        """End the process when more goes to quarantine in a minute than somebody allowed."""
        now = time.monotonic()
        self._quarantine_times = [t for t in self._quarantine_times if t > now - 60] + [now] * more
        if len(self._quarantine_times) > self._quarantine_limit:
            logs.logger().critical(
                "more records cannot be read than FLOORBOOK_QUARANTINE_LIMIT_PER_MINUTE allows: "
                "look at the topic's writers before starting again",
                in_a_minute=len(self._quarantine_times),
            )
            os._exit(EXIT_CRASHED)

    async def watch(self) -> None:
        """Return never: each second look whether the log is ahead and nothing comes."""
        await self.log.start()
        while True:
            await asyncio.sleep(1)
            self.obligations.measure()
            for partition, position, last in await self._stalled():
                async with self._standing_still():
                    if partition not in self.owned or self.store.watermark(partition) > position:
                        continue
                    messages = await self.log.stretch(partition, last, last)
                self.metrics.watchdog_reads.add(1)
                logs.logger().warning("the log is ahead and nothing comes", partition=partition)
                await self.fold(messages)
            self._give_up_stuck_recovery()

    async def _stalled(self) -> list[tuple[int, int, int]]:
        """Return each partition without progress though the log goes on: its position and end.

        Raises LogIncomplete for a log that ends before what was folded of it: the next events would
        lie where others lay, and be taken for known.
        """
        folded = {partition: self.store.watermark(partition) for partition in sorted(self.owned)}
        self.broker_asked = time.monotonic()
        # Whoever owns nothing still asks whether the broker answers.
        ends = await self.log.ends(folded or [0])
        self.broker_asked = None
        if not folded:
            return []
        now = time.monotonic()
        behind = 0
        stalled = []
        for partition, end in ends.items():
            if end <= folded[partition]:
                raise LogIncomplete(
                    f"partition {partition} of {topics.TABLE_EVENTS.name} ends at {end}, and "
                    f"{folded[partition]} was folded: bring back what the broker has lost before starting "
                    "again"
                )
            position = self.store.watermark(partition)
            behind += max(end - 1 - position, 0)
            if (lag := self._lags.get(partition)) is not None:
                lag.look(time.time(), position + 1, end)
            known, since = self._progress.get(partition, (-2, now))
            if end - 1 <= position or known != position:
                self._progress[partition] = (position, now)
            elif now - since > _STALL_SECONDS:
                stalled.append((partition, position, end - 1))
        self.metrics.lag_records.set(behind)
        self.metrics.lag_seconds.set(max((lag.seconds for lag in self._lags.values()), default=0.0))
        return stalled

    def _give_up_stuck_recovery(self) -> None:
        """End the process when partitions are neither taken over nor recovered any further.

        Faust can hang so after a rebalance, without a word.
        """
        now = time.monotonic()
        offsets = self.app.tables.recovery.active_offsets.values()
        read = sum(offset or 0 for offset in offsets)
        if self.assigned.is_set() or self._recovery_seen[0] != read:
            self._recovery_seen = (read, now)
        elif now - max(self._recovery_seen[1], self.log.heard) > self._recovery_limit_seconds:
            logs.logger().error("recovery does not move; leaving the group")
            os._exit(EXIT_AFTER_SESSION)

    def _measure(self, batch: Batch, taken: int, seconds: float) -> None:
        metrics = self.metrics
        metrics.batch_seconds.observe(seconds)
        metrics.batch_events.observe(taken)
        for verdict, count in batch.verdicts.items():
            metrics.events_folded.add(count, verdict=verdict)
        for reason, count in batch.unreadable.items():
            metrics.quarantined.add(count, reason=reason)
        for kind, count in batch.conflicts.items():
            metrics.conflicts.add(count, kind=kind)
        if batch.verdicts["applied"]:
            metrics.last_applied_timestamp_seconds.set(time.time())

    async def close(self) -> None:
        """Return once the running batch is confirmed and nothing is worked off any more."""
        await self._lock.acquire()  # for good: nothing is folded or acknowledged any more
        await self._confirmed()
        await self.obligations.close()
        await self.client.close()
        self.tracing.close()


async def or_exit(work: Awaitable[None]) -> None:
    """Return what `work` does; any exception ends the process before Faust acknowledges the batch."""
    try:
        await work
    except asyncio.CancelledError:
        raise
    except Exception as fault:  # noqa: BLE001 -- whatever it was, Faust would acknowledge the batch
        exit_on(fault)


def exit_on(fault: BaseException) -> None:
    """End the process over `fault`; the next one begins at the watermark."""
    logs.logger().critical("the table processor cannot go on", exc_info=fault)
    os._exit(EXIT_CRASHED)


def make_app(settings: Settings, partitions: int) -> faust.App:
    """Return the Faust application as stack measurements ask for it (docs/architecture.md)."""
    datadir = os.path.join(settings.datadir, f"table-{settings.slot}")
    os.makedirs(datadir, exist_ok=True)
    session = settings.session_timeout_seconds
    app = faust.App(
        topics.TABLE_APP_ID,
        broker=[f"kafka://{server}" for server in settings.kafka],
        broker_credentials=settings.login.faust(),
        store="memory://",
        datadir=datadir,
        web_enabled=False,
        topic_partitions=partitions,
        topic_allow_declare=False,
        topic_disable_leader=True,
        consumer_auto_offset_reset="earliest",
        consumer_group_instance_id=f"{topics.TABLE_APP_ID}-{settings.slot}",
        producer_acks=-1,
        producer_max_batch_size=max(2 * settings.request_bytes, _LARGEST_GROUP_BYTES),
        broker_session_timeout=session,
        broker_rebalance_timeout=session,
        broker_heartbeat_interval=max(session / 6, 0.5),
        broker_request_timeout=max(session + 4, 10),
        stream_wait_empty=False,
        # Of what is read back in a recovery; when it is full Faust sleeps for a second.
        stream_buffer_maxsize=_BUFFERED,
        table_standby_replicas=0,  # the memory store forgets what is not its own
    )
    delivery.quicken(app)
    return app


def main(settings: Settings) -> int:
    """Return the exit code of the table processor, once it was told to end."""
    try:
        partitions = topics.check(settings.kafka, settings.login)
    except topics.TopicsError as error:
        for fault in error.faults:
            logs.logger().error("the topics cannot be used", fault=fault)
        return EXIT_CRASHED
    return uvloop.run(_serve(settings, partitions))


async def _serve(settings: Settings, partitions: int) -> int:
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    registry = new_registry("table")
    probes = Probes(registry, settings.probes_listen)
    conditions = {name: probes.condition(name) for name in ("assigned", "broker", "evaluator")}
    conditions["assigned"].fail("no partition is taken over yet")
    probes.start()
    logs.logger().info("table processor starts", probes=str(probes.address), slot=settings.slot)
    app = make_app(settings, partitions)
    recorded = spans.start("table", settings)
    processor = Processor(app, partitions, settings, TableMetrics(registry), recorded)
    app.finalize()
    # States make no cycles and are many: to look for some among all of them again and again took a
    # third of the fold's time at 3,000 tables.
    gc.freeze()
    gc.set_threshold(*_COLLECT_AFTER)
    # Faust's start ends only with the first recovery, which may take long or never end.
    tasks = [
        asyncio.create_task(or_exit(work))
        for work in (app.start(), processor.watch(), processor.work())
    ]
    while not ended.is_set():
        probes.beat()
        if app.should_stop:
            logs.logger().critical("Faust has crashed", error=repr(app.crash_reason))
            os._exit(EXIT_CRASHED)
        _set_conditions(conditions, processor)
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(ended.wait(), 0.25)
    await _stop(processor, tasks)
    return 0


def _set_conditions(conditions: dict[str, Any], processor: Processor) -> None:
    if processor.assigned.is_set():
        conditions["assigned"].hold()
    else:
        conditions["assigned"].fail("no partition is taken over yet")
    asked = processor.broker_asked
    if asked is None:
        conditions["broker"].hold()
    elif time.monotonic() - asked > _SILENT_BROKER_SECONDS:
        conditions["broker"].fail("the broker does not answer")
    if processor.obligations.evaluator_fault is None:
        conditions["evaluator"].hold()
    else:
        conditions["evaluator"].fail(processor.obligations.evaluator_fault)


async def _stop(processor: Processor, tasks: Sequence[asyncio.Task[None]]) -> None:
    """End the process once the running batch is confirmed, or after seconds all the same.

    Faust is not asked to stop: it would only commit offsets, which are a hint, and wait for the
    broker. A static member does not leave its group; the next start takes its place.
    """
    ending.limit()
    try:
        async with asyncio.timeout(_STOP_SECONDS):
            await processor.close()
    except TimeoutError:
        logs.logger().warning("the running batch was not confirmed in time; it is folded again")
    for task in tasks:
        task.cancel()
    logs.logger().info("table processor stopped")
    os._exit(0)
