"""Decides how far behind the end of a partition its reader is, in records and in seconds."""

from msgspec import Struct


class Lag(Struct):
    """One partition from its assignment on; all times are Unix time.

    Behind by seconds is a reader since the moment in which it had read everything, or since the writing of
    the last record it read, whichever is later: after a quiet hour the next record is not an hour late.
    """

    since: float
    read_at: float = 0.0
    records: int = 0
    seconds: float = 0.0

    def read(self, written_ms: int) -> None:
        """Return after noting when the last record read was written."""
        self.read_at = written_ms / 1000

    def look(self, now: float, position: int, end: int) -> None:
        """Return after comparing the next offset to be read with the partition's end."""
        self.records = max(0, end - position)
        if self.records == 0:
            self.since, self.seconds = now, 0.0
            return
        self.seconds = max(0.0, now - max(self.since, self.read_at))
