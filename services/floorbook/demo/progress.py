"""Decides how a run is shown while it goes on: one live line at a terminal, else a line now and then."""

import asyncio
import contextlib
import sys
import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Protocol, Self

from aiokafka.errors import KafkaError
from msgspec import Struct
from psycopg import OperationalError

from floorbook.demo.evidence import LedgerView, LogView
from floorbook.demo.tally import Tally

_LOOK_SECONDS = 1.0
_PLAIN_SECONDS = 5.0


class Figures(Struct, frozen=True):
    """How far a run is."""

    seconds: float
    rounds: int
    rounds_played: int
    rounds_settled: int
    settlements_posted: int
    events: int
    events_per_second: float
    settle_seconds_p50: float
    settle_seconds_p99: float

    def line(self) -> str:
        """Return the figures in one line; some games play on where others would stop."""
        of = f"/{self.rounds}" if self.rounds_played <= self.rounds else ""
        return (
            f"{self.seconds:5.0f} s  rounds {self.rounds_played}{of} played, "
            f"{self.rounds_settled} settled, {self.settlements_posted} settlements posted  "
            f"events {self.events} ({self.events_per_second:.0f}/s)  settling "
            f"{self.settle_seconds_p50 * 1000:.0f} ms p50, {self.settle_seconds_p99 * 1000:.0f} ms p99"
        )


class Line(Protocol):
    """Something that is shown while it changes."""

    @property
    def seconds(self) -> float:
        """Return how long it has gone on."""
        ...

    def line(self) -> str:
        """Return it in one line."""
        ...


class Display(Protocol):
    """Where a run is shown."""

    def say(self, line: str) -> None:
        """Return after showing a line that stays."""

    def show(self, figures: Line) -> None:
        """Return after showing how far the run is."""

    def close(self) -> None:
        """Return when nothing is shown live any more."""


class PlainDisplay:
    """Lines, for logs and pipes."""

    def __init__(self, write: Callable[[str], object] | None = None) -> None:
        """Return a display that has shown nothing; without `write` to the standard output."""
        self._write = write or _print
        self._shown = 0.0

    def say(self, line: str) -> None:
        """Return after writing a line."""
        self._write(line + "\n")

    def show(self, figures: Line) -> None:
        """Return after writing the figures, if it was some seconds ago."""
        if figures.seconds - self._shown >= _PLAIN_SECONDS or figures.seconds < self._shown:
            self._shown = figures.seconds
            self.say(figures.line())

    def close(self) -> None:
        """Return at once."""


class LiveDisplay:
    """Lines that stay and below them one that changes, for terminals."""

    def __init__(self) -> None:
        """Return a display that has shown nothing."""
        from rich.console import Console

        self._console = Console(highlight=False)
        self._live: Any = None

    def say(self, line: str) -> None:
        """Return after showing a line that stays."""
        self._console.print(line, markup=False)

    def show(self, figures: Line) -> None:
        """Return after showing the figures in place of the last ones."""
        from rich.live import Live
        from rich.text import Text

        if self._live is None:
            self._live = Live(console=self._console, transient=True, auto_refresh=False)
            self._live.start()
        self._live.update(Text(figures.line()), refresh=True)

    def close(self) -> None:
        """Return when the live line is gone."""
        if self._live is not None:
            self._live.stop()
            self._live = None


def _print(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def display() -> Display:
    """Return the display that suits where the output goes."""
    return LiveDisplay() if sys.stdout.isatty() else PlainDisplay()


class Watch:
    """Looks at log and ledger every second and shows how far a run is, while the block lasts."""

    def __init__(
        self,
        shown: Display,
        tally: Tally,
        rounds: int,
        log: LogView,
        ledger: LedgerView,
        tables: list[str],
    ) -> None:
        """Return a watch over `tables`, which are to play `rounds` altogether."""
        self._display, self._tally, self._rounds = shown, tally, rounds
        self._log, self._ledger, self._tables = log, ledger, tables
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        """Return the watch, which looks from now on."""
        self._task = asyncio.create_task(self._look())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Return when it looks no more."""
        assert self._task is not None, "entered"
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task
        self._display.close()

    async def _look(self) -> None:
        began = before_time = time.monotonic()
        before_events = 0
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            try:
                events = await self._log.events()
                settled = await self._ledger.settled(self._tables)
            except (KafkaError, OperationalError):
                continue  # a drill has taken a server down: there is nothing to show
            now = time.monotonic()
            self._display.show(
                Figures(
                    now - began,
                    self._rounds,
                    self._tally.rounds_played,
                    self._tally.rounds_settled,
                    settled.settlements,
                    events,
                    (events - before_events) / (now - before_time),
                    settled.seconds_p50,
                    settled.seconds_p99,
                )
            )
            before_time, before_events = now, events
