"""Decides when the metrics service reads, commits and shows what it has counted.

Figures are shown only after the offsets behind them are committed, together with the mark of what was seen. So
nothing is counted twice, whatever is killed: a successor goes on behind everything that was ever shown, with
its counters at zero as every counter after a restart. What a killed process had committed and was never
scraped for is lost with it; these are charts, the ledger is the truth.

While the broker is down the service waits and is not ready. Whatever else goes wrong ends the process with
exit code 70. It starts with the earliest records that the broker keeps; `floor` is kept for a week only.
"""

import random
import signal
import time
from collections import deque
from threading import Event

from google.protobuf.message import DecodeError
from kafka.errors import (
    CommitFailedError,
    IllegalGenerationError,
    KafkaError,
    RebalanceInProgressError,
    UnknownMemberIdError,
)

from floorbook import crash, ending, topics, trace
from floorbook.lag import Lag
from floorbook.logs import logger
from floorbook.member import OUTAGES, Record, Unconfirmed, passes
from floorbook.metrics.catalogue import (
    OTHER,
    RULE_SETS,
    BusinessMetrics,
    new_registry,
)
from floorbook.metrics.count import (
    AFTER_SETTLEMENT,
    BEFORE_SETTLEMENT,
    Booked,
    Count,
    Folded,
)
from floorbook.metrics.show import show, show_lags, show_partitions
from floorbook.metrics.stream import Committed, Stream
from floorbook.money import Movement, MovementKind
from floorbook.probes import Probes
from floorbook.settings import Settings
from floorbook.topics import Place
from floorbook.v1 import floor_pb2, ledger_pb2
from floorbook.wire import movement as movement_wire
from floorbook.wire import quarantine as quarantine_wire
from floorbook.wire.quarantine import EMPTY, NOT_DECODABLE, WRONG_KEY, Quarantined, Unreadable

EXIT_FAULT = 70  # EX_SOFTWARE of sysexits.h: the supervisor restarts the process

_POLL_SECONDS = 0.1
_COMMIT_SECONDS = 0.5
_LOOK_SECONDS = 1.0
_FIRST_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS = 0.2, 5.0
_STOP_SECONDS = 2.0  # how long a stopping service still waits for the broker

# Another member may have the partitions by now: what was not committed is counted there.
_REBALANCED = (
    CommitFailedError,
    IllegalGenerationError,
    RebalanceInProgressError,
    UnknownMemberIdError,
)
_GAMES = {rule_set: game for game, rule_set in RULE_SETS.values}
_KINDS = {
    ledger_pb2.ENTRY_KIND_HOLD: MovementKind.HOLD,
    ledger_pb2.ENTRY_KIND_SETTLEMENT: MovementKind.SETTLEMENT,
    ledger_pb2.ENTRY_KIND_RELEASE: MovementKind.RELEASE,
    ledger_pb2.ENTRY_KIND_REVERSAL: MovementKind.REVERSAL,
}


class TooMuchQuarantine(Exception):
    """More cannot be read than may go by without somebody looking at it."""


class _Stopped(Exception):
    """The process shall end and the broker does not answer."""


class Service:
    """One metrics service."""

    def __init__(
        self, settings: Settings, metrics: BusinessMetrics, probes: Probes, stop: Event
    ) -> None:
        """Return a service that is connected to nothing yet; it ends when `stop` is set."""
        self._settings, self._metrics, self._probes, self._stop = settings, metrics, probes, stop
        self._assigned = probes.condition("assigned")
        self._broker = probes.condition("broker")
        self._stream: Stream | None = None
        self._generation = 0
        self._is_placed = False
        self._count = Count()
        # The next offset of each partition that is placed, and of those with figures that are not shown yet.
        self._next: dict[Place, int] = {}
        self._pending: dict[Place, int] = {}
        # A commit was not answered: it may have been done.
        self._is_uncertain = False
        self._lags: dict[Place, Lag] = {}
        self._committed_at = self._looked_at = self._try_at = 0.0
        self._outage_tries = 0
        self._quarantined_at: deque[float] = deque()
        self._stop_by: float | None = None

    def run(self) -> None:
        """Return when the service was told to stop, with what it has counted committed if that can be."""
        try:
            while not self._stop.is_set():
                self._probes.beat()
                self._guarded_turn()
            if self._stream is not None and self._is_placed:
                self._commit(self._stream)
        except _Stopped:
            logger().warning("stopped while the broker does not answer: the next one counts again")
        except (KafkaError, Unconfirmed) as fault:
            if not (self._stop.is_set() and passes(fault)):
                raise
            logger().warning("not committed, the next one counts again", error=fault)
        finally:
            if self._stream is not None:
                self._stream.close()

    def _guarded_turn(self) -> None:
        try:
            self._turn()
        except OUTAGES as fault:
            if not passes(fault):
                raise
            self._lose_broker(fault)

    def _turn(self) -> None:
        stream = self._stream or self._join()
        if stream is None:
            self._stop.wait(_POLL_SECONDS)
            return
        polled = stream.poll(_POLL_SECONDS)
        if stream.generation != self._generation:
            # All is placed anew, so what was polled meanwhile comes again.
            self._generation, self._is_placed = stream.generation, False
            polled = {}
        if stream.is_assigned and not self._is_placed:
            self._place(stream)
        too_much = self._take(stream, polled)
        now = time.monotonic()
        if too_much is not None or now - self._committed_at >= _COMMIT_SECONDS:
            self._commit(stream)
        if too_much is not None:
            raise too_much
        if now - self._looked_at >= _LOOK_SECONDS:
            self._look(stream)

    def _join(self) -> Stream | None:
        """Return the stream if it is time to try and the broker answers."""
        if time.monotonic() < self._try_at:
            return None
        stream = self._stream = Stream(self._settings)
        self._outage_tries = 0
        self._broker.hold()
        self._generation = 0
        logger().info("the broker answers")
        return stream

    def _place(self, stream: Stream) -> None:
        """Return with every assigned partition read from what is committed for it."""
        places = stream.assigned()
        committed = stream.committed(sorted(places | self._pending.keys()), self._waiting)
        self._resolve(committed)
        self._count.forget()
        firsts = stream.firsts(places) if places else {}
        self._next = {}
        for place in places:
            there = committed[place]
            self._next[place] = max(there.next_offset, firsts[place])
            ordered = place[0] != topics.QUARANTINE.name
            if not self._count.resume(place, there.mark, ordered=ordered):
                logger().warning(
                    "what is committed has no mark that is understood: repeats may be counted",
                    topic=place[0],
                    partition=place[1],
                )
        stream.place(self._next)
        self._lags = {place: Lag(time.time()) for place in places}
        show_partitions(self._next, self._metrics)
        self._is_placed = True
        self._assigned.hold()
        logger().info("assigned", partitions=len(places))

    def _resolve(self, committed: dict[Place, Committed]) -> None:
        """Return after showing what was counted if a commit without an answer was done after all.

        If not, it is dropped: whoever has the partitions now counts it again.
        """
        if self._is_uncertain and all(
            committed[place].next_offset == offset for place, offset in self._pending.items()
        ):
            show(self._count.take(), self._metrics)
        self._pending.clear()
        self._is_uncertain = False

    def _take(self, stream: Stream, polled: dict[Place, list[Record]]) -> TooMuchQuarantine | None:
        """Return why no more may be read, after counting what was polled; None if all is well."""
        poison: list[tuple[Place, Record, Unreadable]] = []
        too_much = None
        for place, records in polled.items():
            expected = self._next.get(place)
            if expected is None or too_much is not None:
                continue
            if records[0].offset > expected:
                logger().warning(
                    "records are gone before they were counted",
                    topic=place[0],
                    partition=place[1],
                    first=expected,
                    next=records[0].offset,
                )
            for record in records:
                if record.offset < expected:
                    continue
                why = count_record(self._count, place, record)
                if why is not None:
                    too_much = self._is_too_much(place, record, why)
                    if too_much is not None:
                        break
                    poison.append((place, record, why))
                self._next[place] = self._pending[place] = record.offset + 1
                self._lags[place].read(record.timestamp)
        if poison:
            self._quarantine(stream, poison)
        return too_much

    def _is_too_much(
        self, place: Place, record: Record, why: Unreadable
    ) -> TooMuchQuarantine | None:
        """Return the fault if one more unreadable record is above the limit; note it if not."""
        if place[0] == topics.QUARANTINE.name:
            return None  # nothing is sent for it
        now = time.monotonic()
        while self._quarantined_at and self._quarantined_at[0] < now - 60:
            self._quarantined_at.popleft()
        limit = self._settings.quarantine_limit_per_minute
        if len(self._quarantined_at) < limit:
            self._quarantined_at.append(now)
            return None
        return TooMuchQuarantine(
            f"more than {limit} records within a minute cannot be read; the next is at offset "
            f"{record.offset} of partition {place[1]} of {place[0]}: {why.detail}"
        )

    def _quarantine(self, stream: Stream, poison: list[tuple[Place, Record, Unreadable]]) -> None:
        """Return with `poison` counted, and in quarantine unless it came from there."""
        time_ms = time.time_ns() // 1_000_000
        sent: list[tuple[bytes, bytes, trace.Headers]] = []
        for place, record, why in poison:
            logger().error(
                "cannot be read",
                topic=place[0],
                partition=place[1],
                offset=record.offset,
                reason=why.reason,
            )
            self._count.tally.unreadable[(place[0],)] += 1
            if place[0] != topics.QUARANTINE.name:
                self._count.tally.own_quarantined[(why.reason,)] += 1
                value = quarantine_wire.encode(_quarantined(place, record, why, time_ms))
                sent.append((record.key or b"metrics", value, []))
        if sent:
            stream.confirm(stream.send(topics.QUARANTINE, sent), self._waiting)

    def _commit(self, stream: Stream) -> None:
        """Return with everything counted committed, and then shown."""
        self._committed_at = time.monotonic()
        if not self._pending:
            return
        crash.point("metrics-before-commit")
        try:
            stream.commit(
                {
                    place: Committed(offset, self._count.mark(place))
                    for place, offset in self._pending.items()
                }
            )
        except _REBALANCED as fault:
            logger().info("not committed: the group shares out its partitions anew", error=fault)
            return
        except KafkaError:
            self._is_uncertain = True
            raise
        crash.point("metrics-after-commit")
        show(self._count.take(), self._metrics)
        self._pending.clear()
        self._is_uncertain = False

    def _look(self, stream: Stream) -> None:
        """Return after asking the broker how much is still to be read."""
        self._looked_at = time.monotonic()
        try:
            ends = stream.ends(self._next)
        except KafkaError as fault:
            # The consumer reconnects by itself; only who watches must know.
            self._broker.fail(f"the broker does not answer: {type(fault).__name__}")
            return
        self._broker.hold()
        now = time.time()
        for place, lag in self._lags.items():
            lag.look(now, self._next[place], ends.get(place, 0))
        show_lags(self._lags, self._metrics)

    def _lose_broker(self, fault: Exception) -> None:
        """Return with nothing left of the connection to the broker: another one is made later."""
        self._broker.fail("no connection")
        self._assigned.fail("no connection to the broker")
        grown = min(
            _FIRST_PAUSE_SECONDS * 2.0 ** min(self._outage_tries, 20), _LONGEST_PAUSE_SECONDS
        )
        self._try_at = time.monotonic() + random.uniform(0.5, 1.0) * grown  # noqa: S311 -- no secret
        self._outage_tries += 1
        if self._outage_tries == 1:
            logger().error("the broker does not answer: waiting", error=fault)
        if self._stream is not None:
            self._stream.close()
            self._stream = None
        self._is_placed = False
        self._next, self._lags = {}, {}
        show_partitions(self._next, self._metrics)

    def _waiting(self) -> None:
        """Return, unless the process was told to stop and has waited for the broker long enough."""
        self._probes.beat()
        if self._stop.is_set():
            self._stop_by = self._stop_by or time.monotonic() + _STOP_SECONDS
            if time.monotonic() > self._stop_by:
                raise _Stopped


def count_record(count: Count, place: Place, record: Record) -> Unreadable | None:
    """Return why `record` cannot be read; None once it is counted."""
    topic, partition = place
    count.tally.records[(topic,)] += 1
    if record.value is None:
        return Unreadable(EMPTY, "the record's value is null")
    if topic == topics.FLOOR.name:
        folded = read_floor(partition, record.key, record.value)
        if isinstance(folded, Unreadable):
            return folded
        if folded is not None:
            count.folded(place, folded)
    elif topic == topics.MOVEMENTS.name:
        movement = movement_wire.decode(record.value)
        if isinstance(movement, Unreadable):
            return movement
        if (fault := _misplaced(movement, partition, record.key)) is not None:
            return fault
        count.movement(place, movement)
    elif topic == topics.LEDGER_ENTRIES.name:
        entry = read_entry(partition, record.key, record.value)
        if isinstance(entry, Unreadable):
            return entry
        count.entry(place, entry)
    else:
        quarantined = quarantine_wire.decode(record.value)
        if isinstance(quarantined, Unreadable):
            return quarantined
        count.quarantined(place, quarantined)
    return None


def read_floor(partition: int, key: bytes | None, value: bytes) -> Folded | Unreadable | None:
    """Return what is counted of a floor record, None if nothing is, or why it cannot be read.

    A record of a newer schema is no fault: what is looked at here keeps its meaning.
    """
    if not value:
        return Unreadable(EMPTY, "the record has no bytes")
    try:
        record = floor_pb2.FloorRecord.FromString(value)
    except DecodeError as error:
        return Unreadable(NOT_DECODABLE, f"these bytes are no FloorRecord: {error}")
    which = record.WhichOneof("record")
    if which == "announced":
        return None
    if which is None:
        return Unreadable("UNKNOWN_KIND", "the record is of no kind that this version knows")
    if (fault := _misplaced(record, partition, key)) is not None:
        return fault
    folded = record.folded
    verdict = folded.verdict
    position = (record.offset, 0)
    rule_set = (_GAMES.get(folded.rule_set, OTHER), folded.rule_set)
    if verdict.known or verdict.outcome == floor_pb2.OUTCOME_KNOWN:
        return Folded(position, rule_set)
    if verdict.outcome == floor_pb2.OUTCOME_REFUSED:
        return Folded(position, rule_set, verdict.reason or OTHER)
    if verdict.outcome != floor_pb2.OUTCOME_APPLIED:
        return Unreadable(
            "UNKNOWN_KIND", f"outcome {verdict.outcome} is none that this version knows"
        )
    shown = {each.WhichOneof("shown") for each in folded.disclosures}
    void = ""
    if "round_voided" in shown:
        void = BEFORE_SETTLEMENT
    elif "settled_round_voided" in shown:
        void = AFTER_SETTLEMENT
    return Folded(position, rule_set, "", "round_opened" in shown, void)


def read_entry(partition: int, key: bytes | None, value: bytes) -> Booked | Unreadable:
    """Return what is counted of a journal entry, or why it cannot be read."""
    if not value:
        return Unreadable(EMPTY, "the record has no bytes")
    try:
        entry = ledger_pb2.LedgerEntry.FromString(value)
    except DecodeError as error:
        return Unreadable(NOT_DECODABLE, f"these bytes are no LedgerEntry: {error}")
    kind = _KINDS.get(entry.kind)
    if kind is None:
        return Unreadable("UNKNOWN_KIND", f"kind {entry.kind} is none that this version knows")
    if (fault := _misplaced(entry, partition, key)) is not None:
        return fault
    postings = tuple([(each.account, each.amount) for each in entry.postings])
    # A round in which nobody bet is settled by an entry without postings, and such a one can be reversed.
    moves = kind in (MovementKind.HOLD, MovementKind.RELEASE)
    if (moves and not postings) or sum([amount for _, amount in postings]) != 0:
        return Unreadable("UNBALANCED", "the postings do not sum to zero")
    settled_after = None
    if kind is MovementKind.SETTLEMENT and entry.completed_time_ms and entry.booked_time_us:
        settled_after = max(0, entry.booked_time_us - entry.completed_time_ms * 1000)
    return Booked(
        (entry.offset, entry.index),
        kind,
        (entry.game, entry.rule_set),
        entry.currency,
        postings,
        settled_after,
    )


def main(settings: Settings) -> int:
    """Return 0 after SIGTERM or SIGINT, 70 after a fault that a restart may heal."""
    stop = Event()

    def told(*_: object) -> None:
        stop.set()
        ending.limit()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, told)
    registry = new_registry("metrics")
    metrics = BusinessMetrics(registry)
    probes = Probes(registry, settings.probes_listen)
    try:
        probes.start()
        logger().info("started", probes=str(probes.address))
        Service(settings, metrics, probes, stop).run()
    except Exception:  # noqa: BLE001 -- it is logged and the process ends
        logger().exception("the metrics service ends")
        return EXIT_FAULT
    finally:
        probes.stop()
    logger().info("stopped")
    return 0


def _misplaced(
    record: Movement | floor_pb2.FloorRecord | ledger_pb2.LedgerEntry,
    partition: int,
    key: bytes | None,
) -> Unreadable | None:
    """Return why a record cannot belong where it lies; None if it can.

    Positions of two partitions' events cannot be compared: one of another would hide what follows it.
    """
    if key is None or key != record.table_id.encode():
        return Unreadable(WRONG_KEY, f"the key is not the table {record.table_id[:60]!r}")
    if record.partition != partition:
        return Unreadable(
            "WRONG_PARTITION", f"the event behind it lies in partition {record.partition}"
        )
    if record.offset < 0:
        return Unreadable("BAD_NUMBER", f"offset {record.offset} is out of range")
    return None


def _quarantined(place: Place, record: Record, why: Unreadable, time_ms: int) -> Quarantined:
    return Quarantined(
        topic=place[0],
        partition=place[1],
        offset=record.offset,
        reason=why.reason,
        detail=why.detail,
        service="metrics",
        time_ms=time_ms,
    )
