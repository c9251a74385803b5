"""Decides how the ledger takes part in Kafka: a place in the group, records from where the database says.

The group only shares out the partitions; nothing is ever committed to it. A newly assigned partition stands
still until it has been placed at the database's offset. What is sent counts only once the broker has confirmed it.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from itertools import count
from typing import Any, Protocol

from kafka import ConsumerRebalanceListener, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.errors import KafkaError, KafkaTimeoutError, OffsetOutOfRangeError

from floorbook import topics, trace
from floorbook.settings import Settings

GROUP = "floorbook-ledger"
MOST_RECORDS = 2000

_BOOTSTRAP_MS = 3000
_REQUEST_MS = 5000
_CONFIRM_SECONDS = 8.0
_SLICE_SECONDS = 0.1


class Unconfirmed(Exception):
    """The broker did not confirm in time what was sent: it must be sent again."""


class Forgotten(Exception):
    """The topic does not hold what is to be booked next."""


class Record(Protocol):
    """One record of the movements topic, as far as the ledger looks at it."""

    @property
    def partition(self) -> int:
        """Return its partition."""
        ...

    @property
    def offset(self) -> int:
        """Return its offset."""
        ...

    @property
    def key(self) -> bytes | None:
        """Return its key."""
        ...

    @property
    def value(self) -> bytes | None:
        """Return its value."""
        ...

    @property
    def timestamp(self) -> int:
        """Return when it was written, in milliseconds since the Unix epoch."""
        ...

    @property
    def headers(self) -> trace.Headers:
        """Return its headers."""
        ...


class Stream:
    """The ledger's consumer and producer, from a working connection until `close`."""

    def __init__(self, settings: Settings) -> None:
        """Return a member of the group; a `KafkaError` or `TopicsError` if that cannot be."""
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
            # A position that the topic no longer has is a loss: stop, never begin elsewhere.
            auto_offset_reset="none",
            max_poll_records=MOST_RECORDS,
            max_poll_interval_ms=60_000,
            session_timeout_ms=round(settings.session_timeout_seconds * 1000),
            heartbeat_interval_ms=round(settings.session_timeout_seconds * 1000 / 6),
            fetch_max_wait_ms=250,
        )
        try:
            topics.check(settings.kafka, settings.login)
            read = topics.heard_of(self._consumer, [topics.MOVEMENTS.name])
            self._producer = KafkaProducer(
                **shared,
                acks="all",
                enable_idempotence=True,
                max_block_ms=_REQUEST_MS,
                delivery_timeout_ms=round(_CONFIRM_SECONDS * 1000),
                batch_size=256 * 1024,
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

    def assigned(self) -> frozenset[int]:
        """Return the partitions that are this member's."""
        return frozenset(each.partition for each in self._consumer.assignment() or ())

    def poll(self, timeout_seconds: float) -> list[Record]:
        """Return the next records of all partitions that are placed; none after the timeout.

        `Forgotten` if the topic does not go back as far as the database.
        """
        try:
            by_partition = self._consumer.poll(round(timeout_seconds * 1000))
        except OffsetOutOfRangeError as error:
            raise Forgotten(
                f"{topics.MOVEMENTS.name} does not hold the offset that the database wants next ({error}): "
                "records were deleted, or the topic was made anew. Bring them back, or rebuild the books "
                "into an empty database"
            ) from error
        return [record for records in by_partition.values() for record in records]

    def place(self, offsets: Mapping[int, int]) -> None:
        """Return with each partition's records following from its offset on."""
        for partition, offset in offsets.items():
            where = _movements(partition)
            # One that was lost at this moment comes back, if at all, with another generation.
            with suppress(ValueError, KeyError):
                self._consumer.seek(where, offset)
                self._consumer.resume(where)

    def halt(self) -> None:
        """Return with every partition standing still until it is placed again."""
        for where in self._consumer.assignment() or ():
            with suppress(KeyError):
                self._consumer.pause(where)

    def ends(self, partitions: Iterable[int]) -> dict[int, int]:
        """Return the offset after the last record of each partition, asked from the broker."""
        wanted = [_movements(partition) for partition in partitions]
        if not wanted:
            wanted = [_movements(0)]  # the question still shows whether the broker answers
        found = self._consumer.end_offsets(wanted, timeout_ms=1000)
        return {where.partition: offset for where, offset in found.items()}

    def send(
        self, topic: topics.Topic, records: Iterable[tuple[bytes, bytes, trace.Headers]]
    ) -> list[Any]:
        """Return what `confirm` waits for, after handing over keys, values and headers."""
        return [
            self._producer.send(topic.name, value=value, key=key, headers=headers)
            for key, value, headers in records
        ]

    def confirm(self, sent: Iterable[Any], waiting: Callable[[], None]) -> None:
        """Return once the broker has confirmed all of `sent`; call `waiting` while it has not.

        `Unconfirmed` if it takes too long: what was sent may or may not be there.
        """
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


class _Listener(ConsumerRebalanceListener):  # type: ignore[misc]
    """Hears of assignments, on the consumer's own thread: it must not wait for anything."""

    def __init__(self) -> None:
        self.generation = 0
        self.consumer: Any = None
        self._next = count(1)

    def on_partitions_revoked(self, revoked: Iterable[TopicPartition]) -> None:
        self.generation = next(self._next)

    def on_partitions_lost(self, lost: Iterable[TopicPartition]) -> None:
        self.generation = next(self._next)

    def on_partitions_assigned(self, assigned: Iterable[TopicPartition]) -> None:
        for each in assigned:
            self.consumer.pause(each)
            # Any position will do until it is placed: without one the group's would be asked for.
            self.consumer.seek(each, 0)
        self.generation = next(self._next)


def _movements(partition: int) -> TopicPartition:
    return TopicPartition(topics.MOVEMENTS.name, partition)
