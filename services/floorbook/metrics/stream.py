"""Decides what the metrics service reads and commits: beside each offset, as its text, the mark of what was counted."""

from collections.abc import Callable, Iterable, Mapping
from typing import NamedTuple

from kafka import TopicPartition
from kafka.structs import OffsetAndMetadata

from floorbook import topics
from floorbook.member import Member
from floorbook.settings import Settings
from floorbook.topics import Place

GROUP = "floorbook-metrics"
MOST_RECORDS = 5000

_COMMIT_MS = 2000


class Committed(NamedTuple):
    """What the group has committed for a partition; the next offset is -1 where it has nothing."""

    next_offset: int = -1
    mark: str = ""


class Stream(Member):
    """The service's consumer and producer, from a working connection until `close`."""

    def __init__(self, settings: Settings) -> None:
        """Return a member of the group; a `KafkaError` or `TopicsError` if that cannot be."""
        super().__init__(
            settings,
            GROUP,
            [topic for topic in topics.ALL if "metrics" in topic.readers],
            # What the broker keeps no more cannot be counted: begin with what is left.
            auto_offset_reset="earliest",
            max_poll_records=MOST_RECORDS,
            # Figures may be a quarter of a second old, and to fetch each record as it comes costs more
            # than to count it.
            fetch_min_bytes=262_144,
            # Computed in Python it costs more than all the rest; the broker has looked, and so does TCP.
            check_crcs=False,
        )

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
