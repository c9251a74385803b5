"""`floorbook rebuild`: folds the log again from its beginning and compares with what is stored.

Every table's state and kept rounds must be equal to the byte to what the changelog holds at the
same offset, and every movement to what the log makes of it. What quarantine names is folded as the
live fold did, even where this code could read it. It may run beside a working processor.
"""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from typing import Any

from kafka import KafkaConsumer, TopicPartition
from msgspec import Struct

from floorbook import topics
from floorbook.settings import Settings
from floorbook.table.batch import SERVICE, Batch
from floorbook.table.store import Store, is_newer, offset_of, state_key, stored_record, stored_state
from floorbook.topics import Topic
from floorbook.wire import movement, quarantine
from floorbook.wire.quarantine import Quarantined, Unreadable

_BATCH = 2000
_POLL_MS = 1000
_PATIENCE_SECONDS = 30.0
_REPORT_SECONDS = 2.0


class LogUnreadable(Exception):
    """The broker did not give the records that it says it has."""


class Difference(Struct, frozen=True):
    """One thing that is stored or published otherwise than the log says."""

    what: str
    which: str
    detail: str


class Rebuilt(Struct, frozen=True):
    """What a rebuild found."""

    events: int
    tables: int
    rounds: int
    movements: int
    differences: tuple[Difference, ...]


def read(bootstrap: Sequence[str], topic: Topic) -> Iterator[Any]:
    """Return every record that a topic has now, each partition in the order of its offsets.

    Raises LogUnreadable when nothing comes for 30 s though there is more.
    """
    consumer = KafkaConsumer(
        bootstrap_servers=list(bootstrap), enable_auto_commit=False, max_poll_records=_BATCH
    )
    try:
        partitions = consumer.partitions_for_topic(topic.name) or set()
        tps = [TopicPartition(topic.name, p) for p in sorted(partitions)]
        consumer.assign(tps)
        starts, ends = consumer.beginning_offsets(tps), consumer.end_offsets(tps)
        left = {tp for tp in tps if ends[tp] > starts[tp]}
        consumer.seek_to_beginning(*tps)
        waited_since = time.monotonic()
        while left:
            for tp, records in consumer.poll(timeout_ms=_POLL_MS).items():
                waited_since = time.monotonic()
                for record in records:
                    if record.offset < ends[tp]:
                        yield record
                if consumer.position(tp) >= ends[tp]:
                    left.discard(tp)
            if time.monotonic() - waited_since > _PATIENCE_SECONDS:
                raise LogUnreadable(f"{topic.name}: nothing comes, {len(left)} partitions missing")
    finally:
        consumer.close()


def quarantined_events(bootstrap: Sequence[str]) -> dict[tuple[int, int], str]:
    """Return partition and offset of every event that the live fold could not read, and why."""
    found: dict[tuple[int, int], str] = {}
    for record in read(bootstrap, topics.QUARANTINE):
        one = quarantine.decode(record.value or b"")
        if (
            isinstance(one, Quarantined)
            and one.topic == topics.TABLE_EVENTS.name
            and one.service == SERVICE
        ):
            found[one.partition, one.offset] = one.reason
    return found


def stored(bootstrap: Sequence[str]) -> dict[bytes, bytes]:
    """Return what recovery would find: of each key the value with the highest offset."""
    best: dict[bytes, bytes] = {}
    for record in read(bootstrap, topics.TABLE_STATES):
        if record.value is not None and is_newer(record.value, best.get(record.key)):
            best[record.key] = record.value
    return best


class Comparison:
    """Folds again and compares as it goes."""

    def __init__(
        self, live: dict[bytes, bytes], published: dict[str, bytes], partitions: int
    ) -> None:
        """Return a comparison with what is stored (`live`) and published, by movement id."""
        self._live = live
        self._published = published
        self._partitions = partitions
        self._open = {key for key in live if not key.startswith(b"@")}
        self._store = Store({})
        self.events = 0
        self.movements = 0
        self.differences: list[Difference] = []

    def fold(self, records: Sequence[Any], unread: dict[tuple[int, int], str]) -> None:
        """Return after folding `records` and comparing what came out."""
        batch = Batch(self._store, self._partitions, 0)
        for record in records:
            self.events += 1
            taken = batch.take(
                record.key,
                record.value,
                record.partition,
                record.offset,
                quarantined_as=unread.get((record.partition, record.offset)),
            )
            if taken is None:
                continue
            table_id = taken.state.table_id
            if table_id in batch.states:
                self._compare(state_key(table_id), stored_state(taken.state))
            for kept in taken.effects.records:
                self._compare(*stored_record(kept, record.offset))
            for one in taken.effects.movements:
                self._compare_movement(one.movement_id, movement.encode(one))
        self._store.keep({**batch.rounds, **batch.values()}, batch.states)

    def finish(self) -> Rebuilt:
        """Return what was found, with what is stored but was never reached."""
        for key in sorted(self._open):
            self._differ("stored", key.decode(), "no event of the log leads to this")
        for movement_id in sorted(self._published):
            self._differ("movement", movement_id, "no event of the log leads to this")
        return Rebuilt(
            self.events,
            sum(b"/" not in key for key in self._store.data),
            sum(b"/" in key for key in self._store.data),
            self.movements,
            tuple(self.differences),
        )

    def _compare(self, key: bytes, value: bytes) -> None:
        live = self._live.get(key)
        if live is None:
            if offset_of(value) <= self._watermark(key):
                self._differ("stored", key.decode(), "the changelog does not have it")
            return
        if offset_of(live) != offset_of(value):
            return
        self._open.discard(key)
        if live != value:
            self._differ("stored", key.decode(), f"differs at offset {offset_of(value)}")

    def _watermark(self, key: bytes) -> int:
        table_id = key.decode().partition("/")[0]
        partition = topics.partition_of(table_id, self._partitions)
        mark = self._live.get(b"@%d" % partition)
        return -1 if mark is None else offset_of(mark)

    def _compare_movement(self, movement_id: str, value: bytes) -> None:
        self.movements += 1
        published = self._published.pop(movement_id, None)
        if published is not None and published != value:
            self._differ("movement", movement_id, "was published with other content")

    def _differ(self, what: str, which: str, detail: str) -> None:
        self.differences.append(Difference(what, which, detail))


def rebuild(bootstrap: Sequence[str], say: Any) -> Rebuilt:
    """Return what folding the whole log again came to, compared with what is stored.

    Raises TopicsError for topics that cannot be used, LogUnreadable for a broker that does not
    give what it has.
    """
    partitions = topics.check(bootstrap)
    live = stored(bootstrap)
    unread = quarantined_events(bootstrap)
    published = published_movements(bootstrap)
    say(f"stored: {len(live)} values; published: {len(published)} movements")
    comparison = Comparison(live, published, partitions)
    chunk: list[Any] = []
    reported = time.monotonic()
    for record in read(bootstrap, topics.TABLE_EVENTS):
        chunk.append(record)
        if len(chunk) >= _BATCH:
            comparison.fold(chunk, unread)
            chunk = []
            if time.monotonic() - reported > _REPORT_SECONDS:
                reported = time.monotonic()
                say(f"{comparison.events} events folded")
    comparison.fold(chunk, unread)
    return comparison.finish()


def published_movements(bootstrap: Sequence[str]) -> dict[str, bytes]:
    """Return every movement published, by its id; of repeats the first."""
    found: dict[str, bytes] = {}
    for record in read(bootstrap, topics.MOVEMENTS):
        one = movement.decode(record.value or b"")
        if not isinstance(one, Unreadable):
            found.setdefault(one.movement_id, record.value)
    return found


def main(argv: list[str], settings: Settings) -> int:
    """Return 0 when live equals rebuilt, 1 when it does not."""
    parser = argparse.ArgumentParser(
        prog="floorbook rebuild",
        description="Fold the event log again and compare with what the processor has stored.",
    )
    parser.add_argument("--quiet", action="store_true", help="print only differences")
    options = parser.parse_args(argv)

    def say(line: str) -> None:
        if not options.quiet:
            sys.stdout.write(line + "\n")
            sys.stdout.flush()

    try:
        found = rebuild(settings.kafka, say)
    except (topics.TopicsError, LogUnreadable) as error:
        sys.stderr.write(f"floorbook rebuild: {error}\n")
        return 1
    for one in found.differences:
        sys.stdout.write(f"DIFFERENT {one.what} {one.which}: {one.detail}\n")
    say(
        f"{found.events} events, {found.tables} tables, {found.rounds} kept rounds, "
        f"{found.movements} movements: "
        + ("live equals rebuilt" if not found.differences else f"{len(found.differences)} differ")
    )
    return 1 if found.differences else 0
