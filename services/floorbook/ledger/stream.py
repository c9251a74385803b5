"""Decides how the ledger takes part in Kafka: it reads movements from where the database says.

The group only shares out the partitions; nothing is ever committed to it.
"""

from collections.abc import Iterable, Mapping

from kafka.errors import OffsetOutOfRangeError

from floorbook import topics
from floorbook.member import Member, Record
from floorbook.settings import Settings
from floorbook.topics import Place

GROUP = "floorbook-ledger"
MOST_RECORDS = 2000


class Forgotten(Exception):
    """The topic does not hold what is to be booked next."""


class Stream(Member):
    """The ledger's consumer and producer, from a working connection until `close`."""

    def __init__(self, settings: Settings) -> None:
        """Return a member of the group; a `KafkaError` or `TopicsError` if that cannot be."""
        super().__init__(
            settings,
            GROUP,
            [topics.MOVEMENTS],
            # A position that the topic no longer has is a loss: stop, never begin elsewhere.
            auto_offset_reset="none",
            max_poll_records=MOST_RECORDS,
        )

    def partitions(self) -> frozenset[int]:
        """Return the partitions that are this member's."""
        return frozenset(partition for _, partition in self.assigned())

    def records(self, timeout_seconds: float) -> list[Record]:
        """Return the next records of all partitions that are placed; none after the timeout.

        `Forgotten` if the topic does not go back as far as the database; `Unassigned` as for `poll`.
        """
        try:
            polled = self.poll(timeout_seconds)
        except OffsetOutOfRangeError as error:
            raise Forgotten(
                f"{topics.MOVEMENTS.name} does not hold the offset that the database wants next ({error}): "
                "records were deleted, or the topic was made anew. Bring them back, or rebuild the books "
                "into an empty database"
            ) from error
        return [record for records in polled.values() for record in records]

    def read_from(self, offsets: Mapping[int, int]) -> None:
        """Return with each partition's records following from its offset on."""
        self.place({_movements(partition): offset for partition, offset in offsets.items()})

    def lasts(self, partitions: Iterable[int]) -> dict[int, int]:
        """Return the offset after the last record of each partition, asked from the broker."""
        found = self.ends(map(_movements, partitions))
        return {partition: offset for (_, partition), offset in found.items()}


def _movements(partition: int) -> Place:
    return (topics.MOVEMENTS.name, partition)
