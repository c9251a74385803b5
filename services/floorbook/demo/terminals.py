"""Decides how a terminal sends acts: one under way, numbered without gaps, repeated until there is a verdict."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Final

from floorbook.demo.casino import Person
from floorbook.demo.client import Act, Broken, FloorLine, Told
from floorbook.demo.tally import Tally
from floorbook.gateway.refusals import Reason
from floorbook.table.events import Fact, SourceStarted

_PAUSES_SECONDS: Final = (0.05, 0.1, 0.2, 0.5, 1.0)
_PASSING: Final = frozenset(
    (
        Reason.DEADLINE_EXCEEDED,
        Reason.UNAVAILABLE,
        Reason.REQUEST_UNDER_WAY,
        Reason.FOLD_TOO_OLD,
    )
)

Send = Callable[[Act], Awaitable[Told]]


class NotTaken(Exception):
    """A gateway does not take an act, and would not if it were repeated."""

    def __init__(self, reason: str, detail: str) -> None:
        """Return the error for the gateway's reason."""
        super().__init__(f"{reason}: {detail}")
        self.reason = reason


class Terminal:
    """One terminal at one table."""

    def __init__(
        self, person: Person, table_id: str, send: Send, tally: Tally, boot: int = 1
    ) -> None:
        """Return a terminal that has started and not yet said so; `send` carries one act."""
        self.person = person
        self.table_id = table_id
        self.boot = boot
        self.sequence = 0
        self._send = send
        self._tally = tally
        self._one_at_a_time = asyncio.Lock()
        self._last: Act | None = None

    async def act(self, fact: Fact) -> str:
        """Return the code with which the act was refused, empty if it was applied."""
        async with self._one_at_a_time:
            if self.sequence == 0:
                await self._next(SourceStarted())
            return (await self._next(fact)).refusal

    async def repeat(self) -> Told:
        """Return what the terminal is told when it sends its last act once more."""
        async with self._one_at_a_time:
            assert self._last is not None, "there is no act to repeat"
            return await self._until_told(self._last)

    async def _next(self, fact: Fact) -> Told:
        act = Act(
            self.table_id,
            self.person.equipment_id,
            self.boot,
            self.sequence + 1,
            self.person.person_id,
            self.person.role,
            fact,
        )
        told = await self._until_told(act)
        # Only now: what no gateway took has used up no number.
        self.sequence += 1
        self._last = act
        self._tally.told[told.event_id] = told.refusal
        return told

    async def _until_told(self, act: Act) -> Told:
        tries = 0
        while True:
            try:
                told = await self._send(act)
                if not told.not_taken:
                    return told
                if told.not_taken not in _PASSING:
                    raise NotTaken(told.not_taken, told.detail)
            except Broken:
                pass
            self._tally.acts_repeated += 1
            await asyncio.sleep(_PAUSES_SECONDS[min(tries, len(_PAUSES_SECONDS) - 1)])
            tries += 1


def sender(line: FloorLine, person: Person) -> Send:
    """Return how the acts of a person's terminal go to the gateways."""
    return line.submit if person.one_by_one else line.stream
