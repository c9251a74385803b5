"""Decides how many of the delivered events are folded at once: few come at once, of many more are waited for.

What is done once for each batch (three confirmed writes, and whatever every reader of them does) is shared by
the batch's events. Where little happens nothing waits; where thousands of events come in a second each waits
for a part of the time that its table takes to the next, and nobody at the table is kept waiting by it.
"""

import asyncio
import math
import time
from collections.abc import Callable
from typing import Any

_HELD = 16_384
_FEW_PER_SECOND = 1_000
"""As long as no more come they are folded as they come."""
_SHARE = 0.2
"""Of the time in which a table has its next event, on average, so much may be waited for more."""
_LONGEST_SECONDS = 0.15
_REMEMBERED_SECONDS = 0.5


class Gather:
    """The events that are delivered and not yet folded, in their order."""

    def __init__(
        self, most: int, tables: Callable[[], int], clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Return an empty one that gives at most `most` at once; `tables` says how many are open."""
        self._most, self._tables, self._clock = most, tables, clock
        self._waiting: asyncio.Queue[Any] = asyncio.Queue(_HELD)
        self._per_second, self._taken_at = 0.0, clock()
        self._first_at = 0.0

    async def put(self, event: Any) -> None:
        """Return once there is room for `event`."""
        if self._waiting.empty():
            self._first_at = self._clock()
        await self._waiting.put(event)

    async def take(self) -> list[Any]:
        """Return the next events, at least one."""
        taken = [await self._waiting.get()]
        left = self._first_at + self.pause_seconds() - self._clock()
        if self._waiting.qsize() < self._most and left > 0:
            await asyncio.sleep(left)
        while len(taken) < self._most and not self._waiting.empty():
            taken.append(self._waiting.get_nowait())
        self._count(len(taken))
        return taken

    def pause_seconds(self) -> float:
        """Return how long the first may wait for more, by how many came lately and of how many tables."""
        if self._per_second <= _FEW_PER_SECOND:
            return 0.0
        return min(_SHARE * self._tables() / self._per_second, _LONGEST_SECONDS)

    def forget(self) -> None:
        """Return with nothing waiting: what was delivered before partitions were given away comes again."""
        while not self._waiting.empty():
            self._waiting.get_nowait()

    def _count(self, number: int) -> None:
        now = self._clock()
        passed = max(now - self._taken_at, 1e-6)
        self._taken_at = now
        weight = 1 - math.exp(-passed / _REMEMBERED_SECONDS)
        self._per_second += (number / passed - self._per_second) * weight
