"""Decides whether the gateway's clock agrees with the broker's well enough to stamp events.

The broker stamps a record between our sending it and our learning of it. A stamp outside of that time
shows by how much the clocks differ at least, however long the way there and back took.
"""

from floorbook.probes import Condition

MOST_SKEW_MS = 250
_BAD_IN_A_ROW = 5
_STALE_MS = 30_000


class ClockCheck:
    """Watches acknowledgements; fails its condition after several bad ones in a row."""

    def __init__(self, condition: Condition) -> None:
        """Return a check that holds until it knows better."""
        self._condition = condition
        self._bad = 0
        self._noted_ms = 0
        self.skew_ms = 0
        condition.hold()

    def note(self, sent_ms: int, stamped_ms: int, learned_ms: int) -> None:
        """Return after taking one acknowledgement into account; `stamped_ms` is the broker's."""
        self._noted_ms = learned_ms
        # Positive: our clock is ahead.
        self.skew_ms = max(sent_ms - stamped_ms, 0) or min(learned_ms - stamped_ms, 0)
        if abs(self.skew_ms) <= MOST_SKEW_MS:
            self._bad = 0
            self._condition.hold()
            return
        self._bad += 1
        if self._bad >= _BAD_IN_A_ROW:
            self._condition.fail(
                f"this clock is {self.skew_ms} ms ahead of the broker's, allowed are {MOST_SKEW_MS}: "
                "set the clocks of both machines"
            )

    def forget(self, now_ms: int) -> None:
        """Return after giving the clock another chance if nothing has been heard for long.

        A gateway that is not ready may get no events, and without them nobody would ever see the clock put right.
        """
        if self._bad and now_ms - self._noted_ms > _STALE_MS:
            self._bad = 0
            self._condition.hold()
