"""Decides how the metrics service takes part in Kafka: what it reads, from where, and what it commits.

The group shares out the partitions. A newly assigned one stands still until it has been placed at what is
committed for it: the offset, and beside it, as the commit's metadata, the mark of what was counted.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from itertools import count
from typing import Any, NamedTuple, Protocol

from kafka import ConsumerRebalanceListener, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.errors import KafkaError, KafkaTimeoutError
from kafka.structs import OffsetAndMetadata

from floorbook import topics
from floorbook.metrics.count import Place
from floorbook.settings import Settings

GROUP = "floorbook-metrics"
MOST_RECORDS = 5000

_BOOTSTRAP_MS = 2000
_REQUEST_MS = 5000
_COMMIT_MS = 2000
_LOOK_MS = 1000
_CONFIRM_SECONDS = 8.0
_SLICE_SECONDS = 0.1


class Unconfirmed(Exception):
    """The broker did not confirm in time what was sent: it must be sent again."""


class Committed(NamedTuple):
    """What the group has committed for a partition; the next offset is -1 where it has nothing."""

    next_offset: int = -1
    mark: str = ""


class Record(Protocol):
    """One record, as far as it is looked at."""

    @property
    def offset(self) -> int:
        """Return its offset."""
        ...

    @property
    def timestamp(self) -> int:
        """Return when it was written, in milliseconds since the Unix epoch."""
        ...

    @property
    def key(self) -> bytes | None:
        """Return its key."""
        ...

    @property
    def value(self) -> bytes | None:
        """Return its value."""
        ...


class Stream:
    """The service's consumer and producer, from a working connection until `close`."""

    def __init__(self, settings: Settings) -> None:
        """Return a member of the group; a `KafkaError` if that cannot be."""
        shared: dict[str, Any] = {
            "bootstrap_servers": list(settings.kafka),
            "client_id": f"{GROUP}-{settings.slot}",
            "bootstrap_timeout_ms": _BOOTSTRAP_MS,
            "request_timeout_ms": _REQUEST_MS,
            "reconnect_backoff_max_ms": 1000,
            "allow_auto_create_topics": False,
            "metrics_enabled": False,
            **settings.login.kafka_python(),
        }
        self._listener = _Listener()
        self._consumer = KafkaConsumer(
            **shared,
            group_id=GROUP,
            group_instance_id=f"{GROUP}-{settings.slot}",
            enable_auto_commit=False,
            # What the broker keeps no more cannot be counted: begin with what is left.
            auto_offset_reset="earliest",
            max_poll_records=MOST_RECORDS,
            max_poll_interval_ms=60_000,
            session_timeout_ms=round(settings.session_timeout_seconds * 1000),
            heartbeat_interval_ms=round(settings.session_timeout_seconds * 1000 / 6),
            # Figures may be a quarter of a second old, and to fetch each record as it comes costs more
            # than to count it.
            fetch_max_wait_ms=250,
            fetch_min_bytes=262_144,
            # Computed in Python it costs more than all the rest; the broker has looked, and so does TCP.
            check_crcs=False,
        )
        wanted = [topic.name for topic in topics.ALL if "metrics" in topic.readers]
        try:
            read = topics.heard_of(self._consumer, wanted)
            self._producer = KafkaProducer(
                **shared,
                acks="all",
                enable_idempotence=True,
                max_block_ms=_REQUEST_MS,
                delivery_timeout_ms=round(_CONFIRM_SECONDS * 1000),
                linger_ms=2,
            )
        except BaseException:
            self._consumer.close(autocommit=False, timeout_ms=0)
            raise
        self._listener.consumer = self._consumer
        self._consumer.subscribe(read, listener=self._listener)

    @property
    def generation(self) -> int:
        """Return a number that changes with every assignment; 0 before the first."""
        return self._listener.generation

    @property
    def is_assigned(self) -> bool:
        """Return whether the group has given this member its share, which may be nothing."""
        return self._listener.is_assigned

    def assigned(self) -> frozenset[Place]:
        """Return the partitions that are this member's."""
        return frozenset((each.topic, each.partition) for each in self._consumer.assignment() or ())

    def poll(self, timeout_seconds: float) -> dict[Place, list[Record]]:
        """Return the next records of all partitions that are placed; none after the timeout."""
        polled = self._consumer.poll(round(timeout_seconds * 1000))
        return {(each.topic, each.partition): records for each, records in polled.items()}

    def committed(
        self, places: Iterable[Place], waiting: Callable[[], None]
    ) -> dict[Place, Committed]:
        """Return what the group has committed for `places`; call `waiting` before each is asked for."""
        found: dict[Place, Committed] = {}
        for place in places:
            waiting()
            one = self._consumer.committed(
                TopicPartition(*place), metadata=True, timeout_ms=_COMMIT_MS
            )
            found[place] = Committed() if one is None else Committed(one.offset, one.metadata or "")
        return found

    def commit(self, offsets: Mapping[Place, Committed]) -> None:
        """Return once the group has committed `offsets`; a `KafkaError` if it may not have."""
        self._consumer.commit(
            {
                TopicPartition(*place): OffsetAndMetadata(each.next_offset, each.mark, -1)
                for place, each in offsets.items()
            },
            timeout_ms=_COMMIT_MS,
        )

    def place(self, offsets: Mapping[Place, int]) -> None:
        """Return with each partition's records following from its offset on."""
        for place, offset in offsets.items():
            where = TopicPartition(*place)
            # One that was lost at this moment comes back, if at all, with another generation.
            with suppress(ValueError, KeyError):
                self._consumer.seek(where, offset)
                self._consumer.resume(where)

    def firsts(self, places: Iterable[Place]) -> dict[Place, int]:
        """Return the offset of the first record that the broker keeps of each partition."""
        found = self._consumer.beginning_offsets(
            [TopicPartition(*each) for each in places], timeout_ms=_COMMIT_MS
        )
        return {(where.topic, where.partition): offset for where, offset in found.items()}

    def ends(self, places: Iterable[Place]) -> dict[Place, int]:
        """Return the offset after the last record of each partition, asked from the broker."""
        wanted = [TopicPartition(*each) for each in places]
        if not wanted:
            wanted = [
                TopicPartition(topics.FLOOR.name, 0)
            ]  # still shows whether the broker answers
        found = self._consumer.end_offsets(wanted, timeout_ms=_LOOK_MS)
        return {(where.topic, where.partition): offset for where, offset in found.items()}

    def quarantine(
        self, records: Iterable[tuple[bytes, bytes]], waiting: Callable[[], None]
    ) -> None:
        """Return once the broker has confirmed keys and values in quarantine; call `waiting` meanwhile.

        `Unconfirmed` if it takes too long: they may or may not be there.
        """
        topic = topics.QUARANTINE.name
        sent = [self._producer.send(topic, value=value, key=key) for key, value in records]
        deadline = time.monotonic() + _CONFIRM_SECONDS
        for future in sent:
            while not future.is_done:
                waiting()
                if time.monotonic() > deadline:
                    raise Unconfirmed(f"no confirmation within {_CONFIRM_SECONDS:.0f} s")
                with suppress(KafkaTimeoutError):
                    future.get(timeout=_SLICE_SECONDS)
            if future.failed():
                raise Unconfirmed(f"not confirmed: {future.exception!r}") from future.exception

    def close(self) -> None:
        """Return once nothing of it runs any more; the place in the group is kept for a restart."""
        with suppress(KafkaError):
            self._producer.close(timeout=0.5)
        with suppress(KafkaError):
            self._consumer.close(autocommit=False, timeout_ms=500)


class _Listener(ConsumerRebalanceListener):  # type: ignore[misc]  # kafka-python has no types
    """Hears of assignments, on the consumer's own thread: it must not wait for anything."""

    def __init__(self) -> None:
        self.generation = 0
        self.is_assigned = False
        self.consumer: Any = None
        self._next = count(1)

    def on_partitions_revoked(self, revoked: Iterable[TopicPartition]) -> None:
        self.is_assigned = False
        self.generation = next(self._next)

    def on_partitions_lost(self, lost: Iterable[TopicPartition]) -> None:
        self.is_assigned = False
        self.generation = next(self._next)

    def on_partitions_assigned(self, assigned: Iterable[TopicPartition]) -> None:
        for each in assigned:
            self.consumer.pause(each)
            # Any position will do until it is placed: without one the group's would be asked for.
            self.consumer.seek(each, 0)
        self.is_assigned = True
        self.generation = next(self._next)
