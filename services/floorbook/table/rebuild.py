"""`floorbook rebuild`: folds the log again from its beginning and compares with what is stored.

Every table's state and kept rounds must be equal to the byte to what the changelog holds at the
same offset, and every movement to what the log makes of it. What quarantine names is folded as the
live fold did, even where this code could read it. It may run beside a working processor.
"""

import argparse
import math
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from kafka import KafkaConsumer, TopicPartition
from msgspec import Struct

from floorbook import logs, topics
from floorbook.login import NOBODY, Login
from floorbook.settings import Settings
from floorbook.table.batch import SERVICE, Batch
from floorbook.table.store import (
    Store,
    is_newer,
    is_stored,
    offset_of,
    state_key,
    stored_record,
    stored_state,
    watermark_key,
)
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


def read(bootstrap: Sequence[str], topic: Topic, login: Login = NOBODY) -> Iterator[Any]:
    """Return every record that a topic has now, each partition in the order of its offsets.

    Raises LogUnreadable when nothing comes for 30 s though there is more.
    """
    consumer = KafkaConsumer(
        bootstrap_servers=list(bootstrap),
        enable_auto_commit=False,
        max_poll_records=_BATCH,
        **login.kafka_python(),
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


def quarantined_events(
    bootstrap: Sequence[str], login: Login = NOBODY
) -> dict[tuple[int, int], str]:
    """Return partition and offset of every event that the live fold could not read, and why."""
    found: dict[tuple[int, int], str] = {}
    for record in read(bootstrap, topics.QUARANTINE, login):
        one = quarantine.decode(record.value or b"")
        if (
            isinstance(one, Quarantined)
            and one.topic == topics.TABLE_EVENTS.name
            and one.service == SERVICE
        ):
            found[one.partition, one.offset] = one.reason
    return found


def stored(bootstrap: Sequence[str], login: Login = NOBODY) -> dict[bytes, bytes]:
    """Return what recovery would find: of each key the value with the highest offset."""
    best: dict[bytes, bytes] = {}
    for record in read(bootstrap, topics.TABLE_STATES, login):
        if is_stored(record.key, record.value) and is_newer(record.value, best.get(record.key)):
            best[record.key] = record.value
    return best


class Published(Struct, frozen=True):
    """What is on the movements topic: the first record of each id, and what is wrong with others."""

    movements: dict[str, bytes]
    faults: tuple[Difference, ...]


class Comparison:
    """Folds again and compares as it goes.

    What is stored lies at different offsets from key to key, up to the watermark or, for what a
    working processor has just written, above it: each value is compared with the one that the log
    makes at its own offset, and it must be the last one up to the watermark.
    """

    def __init__(
        self, live: dict[bytes, bytes], published: dict[str, bytes], partitions: int
    ) -> None:
        """Return a comparison with what is stored (`live`) and published, by movement id."""
        self._live = live
        self._published = published
        self._partitions = partitions
        self._store = Store({})
        self._found: dict[bytes, bool] = {key: False for key in live if not key.startswith(b"@")}
        """Whether the log makes what is stored under each key, as far as it was folded."""
        self._missing: set[bytes] = set()
        self._ends: dict[int, int] = {}
        self.events = 0
        self.movements = 0
        self.differences: list[Difference] = []

    def fold(self, records: Sequence[Any], unread: dict[tuple[int, int], str]) -> None:
        """Return after folding `records` and comparing what came out."""
        batch = Batch(self._store, self._partitions, 0)
        for record in records:
            self.events += 1
            self._ends[record.partition] = record.offset
            taken = batch.take(
                record.key,
                record.value,
                record.partition,
                record.offset,
                quarantined_as=unread.get((record.partition, record.offset)),
            )
            if taken is None:
                continue
            done = record.offset <= self._watermark(record.partition)
            table_id = taken.state.table_id
            if table_id in batch.states and taken.state.offset == record.offset:
                self._compare(state_key(table_id), stored_state(taken.state), done=done)
            for kept in taken.effects.records:
                self._compare(*stored_record(kept, record.offset), done=done)
            for one in taken.effects.movements:
                self._compare_movement(one.movement_id, movement.encode(one), done=done)
        self._store.keep({**batch.rounds, **batch.values()}, batch.states)

    def finish(self) -> Rebuilt:
        """Return what was found, with what is stored but was never reached."""
        for key, found in sorted(self._found.items()):
            if not found:
                at = offset_of(self._live[key])
                self._differ("stored", key.decode(), f"is not what the log makes (offset {at})")
        for partition in range(self._partitions):
            end, mark = self._ends.get(partition, -1), self._watermark(partition)
            if mark > end:
                self._differ("watermark", f"@{partition}", f"is {mark}, the log ends at {end}")
        for key in sorted(self._missing):
            self._differ("stored", key.decode(), "the changelog does not have it")
        for movement_id in sorted(self._published):
            self._differ("movement", movement_id, "no event of the log leads to this")
        keys = [key for key in self._store.data if not key.startswith(b"@")]
        return Rebuilt(
            self.events,
            sum(b"/" not in key for key in keys),
            sum(b"/" in key for key in keys),
            self.movements,
            tuple(self.differences),
        )

    def _compare(self, key: bytes, value: bytes, *, done: bool) -> None:
        live = self._live.get(key)
        if live is None:
            if done:
                self._missing.add(key)
        elif live == value:
            self._found[key] = True
        elif done or offset_of(value) == offset_of(live):
            # What comes later must be stored instead, or what is stored is not what came.
            self._found[key] = False

    def _watermark(self, partition: int) -> int:
        mark = self._live.get(watermark_key(partition))
        return -1 if mark is None else offset_of(mark)

    def _compare_movement(self, movement_id: str, value: bytes, *, done: bool) -> None:
        self.movements += 1
        published = self._published.pop(movement_id, None)
        if published is None and done:
            self._differ("movement", movement_id, "was never published")
        if published is not None and published != value:
            self._differ("movement", movement_id, "was published with other content")

    def _differ(self, what: str, which: str, detail: str) -> None:
        self.differences.append(Difference(what, which, detail))


def rebuild(bootstrap: Sequence[str], say: Any, login: Login = NOBODY) -> Rebuilt:
    """Return what folding the whole log again came to, compared with what is stored.

    Raises TopicsError for topics that cannot be used, LogUnreadable for a broker that does not
    give what it has.
    """
    partitions = topics.check(bootstrap, login)
    live = stored(bootstrap, login)
    unread = quarantined_events(bootstrap, login)
    published = published_movements(bootstrap, login)
    say(f"stored: {len(live)} values; published: {len(published.movements)} movements")
    comparison = Comparison(live, published.movements, partitions)
    comparison.differences += published.faults
    chunk: list[Any] = []
    reported = time.monotonic()
    for record in read(bootstrap, topics.TABLE_EVENTS, login):
        chunk.append(record)
        if len(chunk) >= _BATCH:
            comparison.fold(chunk, unread)
            chunk = []
            if time.monotonic() - reported > _REPORT_SECONDS:
                reported = time.monotonic()
                say(f"{comparison.events} events folded")
    comparison.fold(chunk, unread)
    return comparison.finish()


def published_movements(bootstrap: Sequence[str], login: Login = NOBODY) -> Published:
    """Return every movement published, by its id, and what no processor would have published."""
    found: dict[str, bytes] = {}
    faults: list[Difference] = []
    for record in read(bootstrap, topics.MOVEMENTS, login):
        one = movement.decode(record.value or b"")
        if isinstance(one, Unreadable):
            place = f"{record.partition}@{record.offset}"
            faults.append(Difference("movement", place, f"cannot be read: {one.detail}"))
        elif found.setdefault(one.movement_id, record.value) != record.value:
            detail = f"was published again with other content, at {record.offset}"
            faults.append(Difference("movement", one.movement_id, detail))
    return Published(found, tuple(faults))


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not 1 <= seconds <= threading.TIMEOUT_MAX:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds from 1")
    return seconds


def _say_nothing(line: str) -> None:
    """Return at once: the metrics and the log say it."""


def main(argv: list[str], settings: Settings) -> int:
    """Return 0 when live equals rebuilt, 1 when it does not."""
    parser = argparse.ArgumentParser(
        prog="floorbook rebuild",
        description="Fold the event log again and compare with what the processor has stored.",
    )
    parser.add_argument("--quiet", action="store_true", help="print only differences")
    parser.add_argument(
        "--every",
        metavar="SECONDS",
        type=_seconds,
        help="check again and again, with a pause of so long, and tell by metrics and log lines",
    )
    options = parser.parse_args(argv)
    if options.every is not None:
        logs.configure("rebuild", form=settings.log_format, level=settings.log_level)
        check = partial(rebuild, settings.kafka, _say_nothing, settings.login)
        from floorbook.table import recheck  # it needs what is above

        return recheck.run(settings, options.every, check)

    def say(line: str) -> None:
        if not options.quiet:
            sys.stdout.write(line + "\n")
            sys.stdout.flush()

    try:
        found = rebuild(settings.kafka, say, settings.login)
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
