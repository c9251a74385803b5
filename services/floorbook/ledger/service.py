"""Decides in which order the ledger reads, books and publishes, and what it does while something is down.

Records are booked from the database's offset on; entries are published once they are committed, in order, and only
then counts as published what the broker has confirmed. The database keeps from where on they are not: what a ledger finds there when it takes a partition it reads and
publishes first; what it commits itself it has in hand. While the database or the broker is down the ledger
waits and is not ready. Whatever else goes wrong ends the process with exit code 70: the next one begins at
what is committed, and nothing is lost or booked twice.
"""

import random
import signal
import time
from collections import deque
from collections.abc import Iterable
from threading import Event

import psycopg
from kafka.errors import KafkaError

from floorbook import crash, ending, spans, topics
from floorbook.lag import Lag
from floorbook.ledger.booking import Received
from floorbook.ledger.journal import Conflict, Entry
from floorbook.ledger.layouts import OpenLayouts
from floorbook.ledger.store import Batch, Fenced, Outcome, Position, Store, WrongSchema
from floorbook.ledger.stream import MOST_RECORDS, Stream
from floorbook.ledger.tracing import Tracing
from floorbook.logs import logger
from floorbook.member import OUTAGES, Record, passes
from floorbook.metrics.catalogue import LedgerMetrics, new_registry
from floorbook.money import Movement, MovementKind
from floorbook.probes import Probes
from floorbook.settings import Settings
from floorbook.wire import entry as entry_wire
from floorbook.wire import movement as movement_wire
from floorbook.wire import quarantine as quarantine_wire
from floorbook.wire.quarantine import EMPTY, WRONG_KEY, Quarantined, Unreadable

EXIT_FAULT = 70  # EX_SOFTWARE of sysexits.h: the supervisor restarts the process

_POLL_SECONDS = 0.1
_LOOK_SECONDS = 1.0
_STOP_SLICES = 20  # of a tenth of a second: how long a stopping ledger still waits for the broker


class Hole(Exception):
    """Records that were to come are not in the topic: whatever they would book is missing."""


class TooMuchQuarantine(Exception):
    """More cannot be read than may go by without somebody looking at it."""


class _Stopped(Exception):
    """The process shall end and the broker does not answer."""


class Pauses:
    """When to try again what is down: later each time up to a limit, and never all at once."""

    def __init__(self, first_seconds: float = 0.2, longest_seconds: float = 5.0) -> None:
        """Return pauses before the first fault."""
        self._first, self._longest = first_seconds, longest_seconds
        self._faults = 0
        self._due = 0.0

    def fault(self) -> bool:
        """Return whether this is the first fault of an outage; the next try is put off."""
        grown = min(self._first * 2.0 ** min(self._faults, 20), self._longest)
        self._due = time.monotonic() + random.uniform(0.5, 1.0) * grown  # noqa: S311 -- no secret
        self._faults += 1
        return self._faults == 1

    def due(self) -> bool:
        """Return whether it is time to try."""
        return time.monotonic() >= self._due

    def over(self) -> None:
        """Return after noting that it works."""
        self._faults, self._due = 0, 0.0


class Ledger:
    """One ledger writer."""

    def __init__(
        self,
        settings: Settings,
        metrics: LedgerMetrics,
        probes: Probes,
        stop: Event,
        recorded: spans.Spans | None = None,
    ) -> None:
        """Return a ledger that is connected to nothing yet; it ends when `stop` is set."""
        self._tracing = Tracing(recorded)
        self._settings, self._metrics, self._probes, self._stop = settings, metrics, probes, stop
        self._assigned = probes.condition("assigned")
        self._database = probes.condition("database")
        self._broker = probes.condition("broker")
        self._database_pauses, self._broker_pauses = Pauses(), Pauses()
        self._store: Store | None = None
        self._stream: Stream | None = None
        self._generation = 0
        # What is placed, by partition; and which next offsets may be found there after an outage.
        self._held: dict[int, Position] = {}
        self._possible: dict[int, tuple[int, int]] = {}
        self._lags: dict[int, Lag] = {}
        # Where the database has entries to publish, and those just committed where it has no others.
        self._unpublished: set[int] = set()
        self._fresh: dict[int, list[Entry]] = {}
        self._layouts = OpenLayouts()
        self._quarantined: deque[float] = deque()
        self._looked = 0.0
        self._slices_left = _STOP_SLICES

    def run(self) -> None:
        """Return when the ledger was told to stop, with the batch in hand finished."""
        try:
            while not self._stop.is_set():
                self._probes.beat()
                try:
                    self._turn()
                except (psycopg.OperationalError, psycopg.InterfaceError, WrongSchema) as fault:
                    self._lose_database(fault)
                except OUTAGES as fault:
                    if not passes(fault):
                        raise
                    self._lose_broker(fault)
        except _Stopped:
            logger().warning("stopped while the broker does not answer: nothing is lost")
        finally:
            if self._stream is not None:
                self._stream.close()
            if self._store is not None:
                self._store.close()
            self._tracing.close()

    def _turn(self) -> None:
        stream = self._stream or self._join()
        if stream is None:
            self._stop.wait(_POLL_SECONDS)
            return
        records = stream.records(_POLL_SECONDS)
        if stream.generation != self._generation:
            self._adopt(stream)
        store = self._store or self._open(stream)
        if store is not None:
            self._place(stream, store)
            if records:
                self._book(stream, store, records)
            if self._unpublished or self._fresh:
                self._publish(stream, store)
        if time.monotonic() - self._looked >= _LOOK_SECONDS:
            self._look(stream)

    def _join(self) -> Stream | None:
        """Return the stream if it is time to try and the broker answers."""
        if not self._broker_pauses.due():
            return None
        self._stream = Stream(self._settings)
        self._broker_pauses.over()
        self._broker.hold()
        self._generation = 0
        logger().info("the broker answers")
        return self._stream

    def _open(self, stream: Stream) -> Store | None:
        """Return the store if it is time to try and the database answers."""
        if not self._database_pauses.due():
            return None
        self._store = Store.open(self._settings.database)
        self._database_pauses.over()
        self._database.hold()
        self._metrics.database_up.set(1)
        logger().info("the database answers")
        return self._store

    def _adopt(self, stream: Stream) -> None:
        """Return after taking note of a new assignment: nothing of the old one holds."""
        self._generation = stream.generation
        self._held.clear()
        self._possible.clear()
        self._lags.clear()
        self._unpublished.clear()
        self._fresh.clear()
        self._layouts.clear()
        if not stream.is_assigned:
            self._assigned.fail("the group shares out its partitions")
            return
        self._assigned.hold()
        logger().info("assigned", partitions=sorted(stream.partitions()))

    def _place(self, stream: Stream, store: Store) -> None:
        """Return with every assigned partition read from where the database is."""
        missing = stream.partitions() - self._held.keys()
        if not missing or self._generation == 0:
            return
        positions = store.positions(missing)
        for partition, position in positions.items():
            possible = self._possible.get(partition)
            if possible is not None and position.next_offset not in possible:
                raise Fenced(
                    f"partition {partition} is at {position.next_offset} after an outage, not at one of "
                    f"{possible}: another ledger writer moved it, this one stops"
                )
            self._possible[partition] = (position.next_offset, position.next_offset)
            self._lags.setdefault(partition, Lag(time.time()))
        self._held |= positions
        self._unpublished |= positions.keys()
        stream.read_from({partition: each.next_offset for partition, each in positions.items()})

    def _book(self, stream: Stream, store: Store, records: Iterable[Record]) -> None:
        """Return with `records` booked or in quarantine, and the positions after them."""
        received: list[Received] = []
        poison: list[tuple[Record, Unreadable]] = []
        moves: dict[int, tuple[int, int]] = {}
        written: dict[int, int] = {}
        for record in records:
            held = self._held.get(record.partition)
            if held is None:
                continue
            old, expected = moves.get(record.partition, (held.next_offset, held.next_offset))
            if record.offset < expected:
                continue
            if record.offset > expected:
                raise Hole(
                    f"partition {record.partition} of {topics.MOVEMENTS.name} goes on at {record.offset} "
                    f"and {expected} was to come: if a restart finds the same, what lay between is gone"
                )
            moves[record.partition] = (old, record.offset + 1)
            written[record.partition] = record.timestamp
            movement = read(record)
            if isinstance(movement, Unreadable):
                poison.append((record, movement))
            else:
                self._tracing.received(movement.movement_id, record.headers)
                received.append(
                    Received(movement, record.partition, record.offset, record.value or b"")
                )
        if poison:
            self._quarantine(stream, poison)
        if moves:
            self._commit(store, Batch(received, moves))
        for partition, written_ms in written.items():
            self._lags[partition].read(written_ms)

    def _commit(self, store: Store, batch: Batch) -> None:
        self._possible |= batch.positions
        begun, begun_ns = time.perf_counter(), time.time_ns()
        outcome = store.post(batch)
        crash.point("ledger-after-commit")
        self._metrics.batch_seconds.observe(time.perf_counter() - begun)
        self._metrics.batch_movements.observe(len(batch.received))
        for partition, (old, new) in batch.positions.items():
            published = self._held[partition].published_offset
            self._held[partition] = Position(new, published)
            self._possible[partition] = (new, new)
            if published == old and partition not in self._unpublished:
                self._fresh[partition] = []
            else:
                self._unpublished.add(partition)
        for each in outcome.posted:
            if each.partition in self._fresh:
                self._fresh[each.partition].append(each.entry)
        self._tracing.posted([each.entry for each in outcome.posted], begun_ns)
        self._report(outcome)

    def _report(self, outcome: Outcome) -> None:
        now = time.time()
        for entry in (each.entry for each in outcome.posted):
            self._metrics.entries_posted.add(kind=entry.kind.value)
            self._layouts.note(entry)
            if entry.kind is MovementKind.SETTLEMENT and entry.completed_time_ms:
                self._metrics.settle_seconds.observe(
                    max(0.0, now - entry.completed_time_ms / 1000),
                    game=entry.game,
                    rule_set=entry.rule_set,
                )
        self._metrics.layouts_open.set(self._layouts.tables())
        if outcome.duplicates:
            self._metrics.duplicates.add(outcome.duplicates)
        for conflict in outcome.conflicts:
            self._metrics.conflicts.add()
            _log_conflict(conflict)

    def _quarantine(self, stream: Stream, poison: list[tuple[Record, Unreadable]]) -> None:
        """Return when the broker has confirmed that `poison` is in quarantine."""
        now = time.monotonic()
        while self._quarantined and self._quarantined[0] < now - 60:
            self._quarantined.popleft()
        limit = self._settings.quarantine_limit_per_minute
        if len(self._quarantined) + len(poison) > limit:
            raise TooMuchQuarantine(
                f"{len(self._quarantined) + len(poison)} records within a minute cannot be read, {limit} "
                f"are allowed; the next is at offset {poison[0][0].offset} of partition "
                f"{poison[0][0].partition}: {poison[0][1].detail}"
            )
        time_ms = time.time_ns() // 1_000_000
        sent = stream.send(
            topics.QUARANTINE,
            [
                (
                    record.key or b"ledger",
                    quarantine_wire.encode(_quarantined(record, why, time_ms)),
                    [],
                )
                for record, why in poison
            ],
        )
        stream.confirm(sent, self._waiting)
        for record, why in poison:
            self._quarantined.append(now)
            self._metrics.quarantined.add(reason=why.reason)
            logger().error(
                "quarantined",
                topic=topics.MOVEMENTS.name,
                partition=record.partition,
                offset=record.offset,
                reason=why.reason,
            )

    def _publish(self, stream: Stream, store: Store) -> None:
        """Return with the next entries of each partition confirmed by the broker and noted as such."""
        moves: dict[int, tuple[int, int]] = {}
        entries: list[Entry] = []
        for partition in sorted(self._unpublished & self._held.keys()):
            held = self._held[partition]
            chunk = store.unpublished(partition, MOST_RECORDS)
            end = chunk[-1].offset + 1 if chunk else 0
            if len(chunk) < MOST_RECORDS:
                self._unpublished.discard(partition)
                end = max(end, held.next_offset)
            if end > held.published_offset:
                moves[partition] = (held.published_offset, end)
            entries += [each.entry for each in chunk]
        for partition, fresh in self._fresh.items():
            held = self._held[partition]
            moves[partition] = (held.published_offset, held.next_offset)
            entries += fresh
        self._fresh.clear()
        if not moves:
            return
        begun_ns = time.time_ns()
        sent = stream.send(
            topics.LEDGER_ENTRIES,
            [
                (each.table_id.encode(), entry_wire.encode(each), self._tracing.headers(each))
                for each in entries
            ],
        )
        stream.confirm(sent, self._waiting)
        self._tracing.published(entries, begun_ns)
        crash.point("ledger-after-publish")
        store.published(moves)
        for partition, (_, new) in moves.items():
            self._held[partition] = Position(self._held[partition].next_offset, new)

    def _look(self, stream: Stream) -> None:
        """Return after asking broker and database how they are, and how much is still to do.

        What is not booked is counted while the database is down, too.
        """
        self._looked = time.monotonic()
        if self._store is not None:
            # Mostly nothing is behind; then nobody looks through the entries for it.
            behind = [
                partition
                for partition, held in self._held.items()
                if held.published_offset < held.next_offset
            ]
            entries, seconds = self._store.backlog(behind) if behind else (0, 0.0)
            self._metrics.publish_lag_entries.set(entries)
            self._metrics.publish_lag_seconds.set(seconds)
        try:
            ends = stream.lasts(self._lags)
        except KafkaError as fault:
            # The consumer reconnects by itself; only who watches must know.
            self._broker.fail(f"the broker does not answer: {type(fault).__name__}")
            return
        self._broker.hold()
        now = time.time()
        for partition, lag in self._lags.items():
            lag.look(now, self._possible[partition][0], ends.get(partition, 0))
        lags = self._lags.values()
        self._metrics.lag_records.set(sum(lag.records for lag in lags))
        self._metrics.lag_seconds.set(max((lag.seconds for lag in lags), default=0.0))

    def _lose_database(self, fault: Exception) -> None:
        """Return with all partitions standing still until the database is back."""
        self._database.fail(str(fault) if isinstance(fault, WrongSchema) else "no connection")
        self._metrics.database_up.set(0)
        if self._database_pauses.fault():
            logger().error("the database does not answer: waiting", error=fault)
        if self._store is not None:
            self._store.close()
            self._store = None
        self._stand_still()

    def _lose_broker(self, fault: Exception) -> None:
        """Return with nothing left of the connection to the broker: another one is made later."""
        self._broker.fail("no connection")
        self._assigned.fail("no connection to the broker")
        if self._broker_pauses.fault():
            logger().error("the broker does not answer: waiting", error=fault)
        if self._stream is not None:
            self._stream.close()
            self._stream = None
        self._stand_still()

    def _stand_still(self) -> None:
        self._held.clear()
        self._fresh.clear()
        if self._stream is not None:
            self._stream.halt()

    def _waiting(self) -> None:
        """Return, unless the process was told to stop and has waited for the broker long enough."""
        self._probes.beat()
        if self._stop.is_set():
            self._slices_left -= 1
            if self._slices_left < 0:
                raise _Stopped


def read(record: Record) -> Movement | Unreadable:
    """Return the movement in `record`, or why it goes to quarantine."""
    if record.value is None:
        return Unreadable(EMPTY, "the record's value is null")
    movement = movement_wire.decode(record.value)
    if isinstance(movement, Movement) and record.key != movement.table_id.encode():
        return Unreadable(WRONG_KEY, f"the key of {movement.movement_id} is not its table")
    return movement


def main(settings: Settings) -> int:
    """Return 0 after SIGTERM or SIGINT, 70 after a fault that a restart may heal."""
    stop = Event()

    def told(*_: object) -> None:
        stop.set()
        ending.limit()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, told)
    registry = new_registry("ledger")
    metrics = LedgerMetrics(registry)
    probes = Probes(registry, settings.probes_listen)
    try:
        probes.start()
        logger().info("started", probes=str(probes.address))
        Ledger(settings, metrics, probes, stop, spans.start("ledger", settings)).run()
    except Exception:  # noqa: BLE001 -- whatever it is, the next process begins at what is committed
        logger().exception("the ledger ends")
        return EXIT_FAULT
    finally:
        probes.stop()
    logger().info("stopped")
    return 0


def _quarantined(record: Record, why: Unreadable, time_ms: int) -> Quarantined:
    return Quarantined(
        topic=topics.MOVEMENTS.name,
        partition=record.partition,
        offset=record.offset,
        reason=why.reason,
        detail=why.detail,
        service="ledger",
        time_ms=time_ms,
    )


def _log_conflict(conflict: Conflict) -> None:
    movement = conflict.movement
    logger().error(
        "conflict: not booked, somebody must look at it",
        table=movement.table_id,
        round_id=movement.round_id,
        movement_id=movement.movement_id,
        reason=conflict.reason,
        detail=conflict.detail,
    )
