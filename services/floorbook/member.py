"""Decides how a service takes part in Kafka beside others of its kind: as a member of a group, with a producer.

The group shares out the partitions. A newly assigned one stands still until it is placed at an offset of the
service's own knowledge. What is sent counts only once the broker has confirmed it.
"""

import time
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from itertools import count
from typing import Any, Protocol

from kafka import ConsumerRebalanceListener, KafkaConsumer, KafkaProducer, TopicPartition
from kafka.errors import KafkaError, KafkaTimeoutError

from floorbook import topics, trace
from floorbook.settings import Settings
from floorbook.topics import Place, TopicsError

_BOOTSTRAP_MS = 2000
_REQUEST_MS = 5000
_LOOK_MS = 1000
_CONFIRM_SECONDS = 8.0
_SLICE_SECONDS = 0.1
# A dead member is waited for as long as its session lasts; then the group must share out.
_SESSIONS_TO_WAIT = 2


class Unconfirmed(Exception):
    """The broker did not confirm in time what was sent: it must be sent again."""


class Unassigned(Exception):
    """The group has not shared out its partitions for too long: join it again."""


OUTAGES = (Unassigned, Unconfirmed, KafkaError, TopicsError)
"""What a member may raise; not all of it passes."""


class Record(Protocol):
    """One record, as far as the services look at it."""

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


class Member:
    """One member of a group, from a working connection until `close`."""

    def __init__(
        self, settings: Settings, group: str, read: Iterable[topics.Topic], **reading: Any
    ) -> None:
        """Return a member of `group` that reads some topics; `reading` are the consumer's own settings.

        A `KafkaError` or `TopicsError` if that cannot be.
        """
        name = f"{group}-{settings.slot}"
        shared: dict[str, Any] = {
            "bootstrap_servers": list(settings.kafka),
            "client_id": name,
            "bootstrap_timeout_ms": _BOOTSTRAP_MS,
            "request_timeout_ms": _REQUEST_MS,
            "reconnect_backoff_max_ms": 1000,
            "allow_auto_create_topics": False,
            "metrics_enabled": False,
            **settings.login.kafka_python(),
        }
        self._longest_wait = _SESSIONS_TO_WAIT * settings.session_timeout_seconds
        self._consumer = KafkaConsumer(
            **shared,
            group_id=group,
            group_instance_id=name,
            enable_auto_commit=False,
            max_poll_interval_ms=60_000,
            session_timeout_ms=round(settings.session_timeout_seconds * 1000),
            heartbeat_interval_ms=round(settings.session_timeout_seconds * 1000 / 6),
            fetch_max_wait_ms=250,
            **reading,
        )
        self._listener = _Listener(self._consumer)
        try:
            topics.check(settings.kafka, settings.login)
            self._consumer.subscribe([each.name for each in read], listener=self._listener)
            # A leader that learns of the topics only after it has shared them out joins a second time, and
            # kafka-python 3.0.12 forgets that it did if the answer comes while nobody polls.
            self._consumer.topics()
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

    @property
    def generation(self) -> int:
        """Return a number that changes with every assignment; 0 before the first."""
        return self._listener.generation

    @property
    def is_assigned(self) -> bool:
        """Return whether the group has given this member its share, which may be nothing."""
        return self._listener.waits_since is None

    def assigned(self) -> frozenset[Place]:
        """Return the partitions that are this member's."""
        if not self.is_assigned:
            return frozenset()
        return frozenset((each.topic, each.partition) for each in self._consumer.assignment() or ())

    def poll(self, timeout_seconds: float) -> dict[Place, list[Record]]:
        """Return the next records of all partitions that are placed; none after the timeout.

        `Unassigned` if the group has given this member no share for two sessions.
        """
        polled = self._consumer.poll(round(timeout_seconds * 1000))
        since = self._listener.waits_since
        if since is not None and time.monotonic() - since > self._longest_wait:
            raise Unassigned(f"no share of the partitions within {self._longest_wait:.0f} s")
        return {(each.topic, each.partition): records for each, records in polled.items()}

    def place(self, offsets: Mapping[Place, int]) -> None:
        """Return with each partition's records following from its offset on."""
        for place, offset in offsets.items():
            where = TopicPartition(*place)
            # One that was lost at this moment comes back, if at all, with another generation.
            with suppress(ValueError, KeyError):
                self._consumer.seek(where, offset)
                self._consumer.resume(where)

    def halt(self) -> None:
        """Return with every partition standing still until it is placed again."""
        for where in self._consumer.assignment() or ():
            with suppress(KeyError):
                self._consumer.pause(where)

    def firsts(self, places: Iterable[Place]) -> dict[Place, int]:
        """Return the offset of the first record that the broker keeps of each partition."""
        return _by_place(self._consumer.beginning_offsets(_where(places), timeout_ms=_REQUEST_MS))

    def ends(self, places: Iterable[Place]) -> dict[Place, int]:
        """Return the offset after the last record of each partition, asked from the broker."""
        # Without a share the question still shows whether the broker answers.
        wanted = _where(places) or [TopicPartition(topics.FLOOR.name, 0)]
        return _by_place(self._consumer.end_offsets(wanted, timeout_ms=_LOOK_MS))

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


def passes(fault: Exception) -> bool:
    """Return whether `fault` is an outage, which passes, and not a fault that stays."""
    if isinstance(fault, TopicsError):
        return isinstance(fault.__cause__, KafkaError)
    return isinstance(fault, Unassigned | Unconfirmed) or bool(getattr(fault, "retriable", False))


class _Listener(ConsumerRebalanceListener):  # type: ignore[misc]  # kafka-python has no types
    """Hears of assignments, on the consumer's own thread: it must not wait for anything."""

    def __init__(self, consumer: Any) -> None:
        self.generation = 0
        self.waits_since: float | None = time.monotonic()
        self._consumer = consumer
        self._next = count(1)

    def on_partitions_revoked(self, revoked: Iterable[TopicPartition]) -> None:
        self._wait()

    def on_partitions_lost(self, lost: Iterable[TopicPartition]) -> None:
        self._wait()

    def on_partitions_assigned(self, assigned: Iterable[TopicPartition]) -> None:
        for each in assigned:
            self._consumer.pause(each)
            # Any position will do until it is placed: without one the group's would be asked for.
            self._consumer.seek(each, 0)
        self.waits_since = None
        self.generation = next(self._next)

    def _wait(self) -> None:
        self.waits_since = time.monotonic()
        self.generation = next(self._next)


def _where(places: Iterable[Place]) -> list[TopicPartition]:
    return [TopicPartition(*each) for each in places]


def _by_place(found: Mapping[TopicPartition, int]) -> dict[Place, int]:
    return {(where.topic, where.partition): offset for where, offset in found.items()}
