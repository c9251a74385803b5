"""Decides what one viewer of a table knows: what he was shown and nothing else.

Simulated people wait here until they have seen what they need before they act, as real ones do. What
is common to all games is here; a game's own view learns from `learn`.
"""

import asyncio
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable

from msgspec import Struct

from floorbook.table.effects import Resumed, Shown, Suspended, TableView

_EVENTS_REMEMBERED = 500


class NotSeen(Exception):
    """Somebody waited too long for what he should have been shown."""


class Update(Struct, frozen=True):
    """One event as a viewer is told of it; `refusal` is empty when it was applied."""

    event_id: str
    fact: str
    refusal: str
    known: bool
    round_id: str
    phase: str
    shown: tuple[Shown, ...] = ()


class Seen(ABC):
    """What one viewer has been shown of one table so far."""

    def __init__(self, who: str, patience_seconds: float = 60.0) -> None:
        """Return a viewer who has seen nothing and waits at most so long for anything."""
        self.who = who
        self.phase = ""
        self.round_id = ""
        self.causes: list[str] = []
        self.evaluations: Counter[str] = Counter()
        self.folded: dict[str, str] = {}
        self.updates = 0
        self._patience_seconds = patience_seconds
        self._waiting: list[tuple[Callable[[], bool], asyncio.Future[None]]] = []

    @abstractmethod
    def learn(self, update: Update, shown: Shown) -> None:
        """Return after learning from one thing shown; `phase` and `round_id` are the update's."""

    def hear(self, update: Update) -> None:  # noqa: B027 -- most games learn from what is shown alone
        """Return after learning from what happened itself, before anything of it that is shown."""

    def take(self, update: Update) -> None:
        """Return after learning from one update; whoever waited for it goes on."""
        self.updates += 1
        self.phase, self.round_id = update.phase, update.round_id
        if not update.known:
            self.folded[update.event_id] = update.refusal
            if len(self.folded) > _EVENTS_REMEMBERED:
                del self.folded[next(iter(self.folded))]
        self.hear(update)
        for shown in update.shown:
            match shown:
                case Suspended(cause_id):
                    self.causes.append(cause_id)
                case Resumed(cause_id):
                    self.causes = [each for each in self.causes if each != cause_id]
                case TableView():
                    self.causes = list(shown.causes)
            self.learn(update, shown)
        if update.fact == "round_evaluated" and not (update.refusal or update.known):
            self.evaluations[update.event_id.partition("/evaluation/")[0]] += 1
        self._wake()

    async def until(self, what: str, holds: Callable[[], bool]) -> None:
        """Return as soon as `holds`; `NotSeen` when patience ends before."""
        if holds():
            return
        waiter = asyncio.get_running_loop().create_future()
        self._waiting.append((holds, waiter))
        try:
            async with asyncio.timeout(self._patience_seconds):
                await waiter
        except TimeoutError:
            causes = f", suspended for {', '.join(self.causes)}" if self.causes else ""
            raise NotSeen(
                f"{self.who} waited {self._patience_seconds:g} s for {what}; "
                f"the last seen is {self.round_id or 'no round'} in {self.phase or 'no phase'}{causes}"
            ) from None

    async def outcome(self, event_id: str) -> str:
        """Return the code with which an event was refused, empty if it was applied."""
        await self.until(f"the verdict on {event_id}", lambda: event_id in self.folded)
        return self.folded[event_id]

    def _wake(self) -> None:
        still = []
        for holds, waiter in self._waiting:
            if waiter.done():
                continue
            if holds():
                waiter.set_result(None)
            else:
                still.append((holds, waiter))
        self._waiting = still
