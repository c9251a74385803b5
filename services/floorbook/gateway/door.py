"""Decides whether a gateway takes anything in at this moment."""

import asyncio
from collections.abc import Callable
from typing import Any


class Door:
    """Whether the gateway takes anything in now: not when it is not ready, not when it stops."""

    def __init__(self, fault: Callable[[], str | None]) -> None:
        """Return an open door; `fault` says why the gateway is not ready, or None."""
        self._fault = fault
        self._stopping = False
        self._tasks: set[asyncio.Task[Any]] = set()

    @property
    def fault(self) -> str | None:
        """Return why nothing may come in now, None if it may."""
        if self._stopping:
            return "this gateway stops: use another one"
        fault = self._fault()
        return (
            f"this gateway is not ready ({fault}): use another one, or try again" if fault else None
        )

    @property
    def is_closed(self) -> bool:
        """Return whether the gateway stops."""
        return self._stopping

    def close(self) -> None:
        """Return after ending whatever reads: what is under way is finished, nothing new is taken."""
        self._stopping = True
        for task in list(self._tasks):
            task.cancel()

    def holds(self, task: asyncio.Task[Any]) -> None:
        """Return after noting a task that reads from outside, to be ended with the door."""
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        if self._stopping:
            task.cancel()
