"""Decides what `floorbook drill` does: a casino at play, a fault, its alert, the fault healed, the books balanced.

Exit codes: 0 when for every fault each of its alerts came to the webhook, was resolved after healing, and log and
ledger agree to the cent in the end; 1 with what was missing; 130 after Ctrl-C. Broker, database, services,
Prometheus and Alertmanager are always the drill's own.
"""

import argparse
import asyncio
import shutil
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Final

import msgspec
from msgspec import Struct

from floorbook.arguments import whole
from floorbook.demo import command, proof
from floorbook.demo.casino import build
from floorbook.demo.drill_faults import FAULTS, Scene
from floorbook.demo.drill_webhook import Message, Webhook
from floorbook.demo.floor import SimulatedFloor, run_tables
from floorbook.demo.games import plans_of, rule_sets
from floorbook.demo.processes import ProgramFailed, Supervisor, private_folder
from floorbook.demo.progress import Display, display
from floorbook.demo.prometheus import Monitoring
from floorbook.demo.report import Report
from floorbook.demo.services import Rig

SHORTER: Final = 60
"""By how much waits and windows of the rules are divided: an hour becomes a minute."""
# With fewer tables one silent device is a tenth of all, which is another alert.
TABLES: Final = 6

_START_SECONDS: Final = 120.0
# No alert of a drill looks back or waits longer where it is deployed.
_LONGEST_SECONDS: Final = 7_200.0
_LOOK_SECONDS: Final = 0.1
_ROUNDS_BEFORE: Final = 2 * TABLES
_PAUSE_SECONDS: Final = 0.5


class DrillFailed(Exception):
    """An alert did not come or did not go, or play did not go on."""


class Wait(Struct, frozen=True):
    """How long something is waited for."""

    seconds: float
    what: str

    def line(self) -> str:
        """Return the wait in one line."""
        return f"{self.seconds:5.0f} s  waiting {self.what}"


class Times(Struct, frozen=True):
    """What one drill took: everything in seconds since the fault was made."""

    fault: str
    came: dict[str, float]
    """When each alert's message came to the webhook."""
    healed: float
    """When everything was ready again; an alert may be resolved a little before."""
    resolved: dict[str, float]
    """When the message came that the alert is over."""
    also: tuple[str, ...] = ()
    """Other alerts that came while the fault lasted."""

    def line(self) -> str:
        """Return the times in one line."""
        also = f"; also {', '.join(self.also)}" if self.also else ""
        return (
            f"{self.fault}: {_listed(self.came)} at the webhook; healed {self.healed:.1f} s; "
            f"resolved {_listed(self.resolved)}{also}"
        )


class Outcome(Struct, frozen=True):
    """All drills of one run and the books after them."""

    shorter: int
    drills: tuple[Times, ...]
    books: Report


def main(argv: Sequence[str]) -> int:
    """Return the exit code of `floorbook drill` with the arguments `argv`."""
    options = _options(argv)
    shown = display()
    folder = private_folder("floorbook-drill-")
    keep = True
    try:
        outcome = asyncio.run(run(options, folder, shown))
        keep = options.keep or not outcome.books.reconciled
        _conclude(options, outcome, shown)
        return 0 if outcome.books.reconciled else 1
    except SystemExit:
        # Ctrl-C: all children have stopped.
        keep = options.keep
        raise
    except (DrillFailed, *command.FAULTS, ExceptionGroup) as error:
        command.complain(error, DrillFailed)
        return 1
    finally:
        shown.close()
        if keep:
            shown.say(f"data and logs are kept in {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


class Options(Struct, frozen=True):
    """What the drill was asked for."""

    faults: tuple[str, ...]
    tables: int
    seed: int
    shorter: int
    keep: bool
    report: Path | None
    rule_set: str
    misbehave: float = 0.0

    @property
    def limit_seconds(self) -> float:
        """Return how long an alert may take to come or to go."""
        return _START_SECONDS + _LONGEST_SECONDS / self.shorter


async def run(options: Options, folder: Path, shown: Display) -> Outcome:
    """Return what came of all faults asked for, one after the other; every child has ended then."""
    casino = build(options.tables, options.seed, "", plans_of(options.rule_set))
    over = False
    async with (
        Supervisor(folder, progress=shown.say, handle_signals=True) as supervisor,
        Webhook(lambda message: _tell(shown, message)) as webhook,
    ):
        rig = Rig(supervisor, casino.registry())
        # Before the broker, so that a program that is missing is named at once.
        monitoring = Monitoring(supervisor, rig, webhook=webhook.url, shorter=options.shorter)
        await rig.start()
        await monitoring.start()
        floor = SimulatedFloor(
            casino,
            rig.floor_addresses,
            rig.device_addresses,
            # A table waits while its device, the broker or the evaluator is away: its people are patient.
            patience_seconds=3 * options.limit_seconds,
        )
        shown.say(f"the floor's page: {monitoring.page}")
        shown.say(_about_times(options.shorter))
        async with floor:
            play = asyncio.create_task(
                run_tables(floor, sys.maxsize, stopping=lambda: over, pause_seconds=_PAUSE_SECONDS)
            )
            scene = Scene(rig, floor, shown.say)
            drills = Drills(scene, webhook, shown, play, options.limit_seconds)
            try:
                times = tuple([await drills.drill(name) for name in options.faults])
                over = True
                shown.say("the last rounds are played and the tables closed")
                await play
            finally:
                for task in (play, *scene.tasks):
                    task.cancel()
                await asyncio.gather(play, *scene.tasks, return_exceptions=True)
        # What is stopped from here on is no fault.
        await monitoring.stop()
        await proof.wait_until_posted(rig, casino)
        await rig.stop_services()
        books = await proof.reconcile(options, rig, casino, floor.tally, shown)
    return Outcome(options.shorter, times, books)


class Drills:
    """Drills, one at a time, on a floor that plays."""

    def __init__(
        self,
        scene: Scene,
        webhook: Webhook,
        shown: Display,
        play: "asyncio.Task[None]",
        limit_seconds: float,
    ) -> None:
        """Return the drills on this scene; `play` must not end meanwhile, no wait exceeds the limit."""
        self._scene = scene
        self._webhook = webhook
        self._limit_seconds = limit_seconds
        self._shown = shown
        self._play = play

    async def drill(self, name: str) -> Times:
        """Return the times of one drill; `DrillFailed` if it does not go as it must."""
        fault, firing = FAULTS[name], self._webhook.firing_since
        await self._rounds(_ROUNDS_BEFORE, "for rounds to be settled before there is a fault")
        await self._until(
            f"for {', '.join(fault.alerts)} to be quiet before there is a fault",
            lambda: not set(fault.alerts) & firing.keys(),
        )
        before = set(firing)
        self._shown.say(f"FAULT     {name}")
        began = time.monotonic()
        heal = await fault.make(self._scene)
        came: dict[str, float] = {}
        also: set[str] = set()

        def all_came() -> bool:
            also.update(firing)
            came.update(
                (each, firing[each] - began)
                for each in fault.alerts
                if each in firing and each not in came
            )
            return len(came) == len(fault.alerts)

        await self._until(f"for {', '.join(fault.alerts)} at the webhook", all_came)
        await heal()
        healed = time.monotonic()
        self._shown.say(f"HEALED    {name}, {healed - began:.1f} s after it was made")
        await self._until(
            f"for {', '.join(fault.alerts)} to be resolved",
            lambda: not set(fault.alerts) & firing.keys(),
        )
        resolved = {each: self._webhook.resolved_at[each] - began for each in fault.alerts}
        await self._rounds(len(self._scene.floor.tables), "for play to go on")
        others = tuple(sorted(also - before - set(fault.alerts)))
        times = Times(name, came, healed - began, resolved, others)
        self._shown.say(f"DRILLED   {times.line()}")
        return times

    async def _rounds(self, more: int, what: str) -> None:
        tally = self._scene.floor.tally
        wanted = tally.rounds_settled + more
        await self._until(what, lambda: tally.rounds_settled >= wanted)

    async def _until(self, what: str, holds: Callable[[], bool]) -> None:
        """Return as soon as `holds`; `DrillFailed` if it takes too long, or what ended play."""
        began = time.monotonic()
        hopeless = asyncio.create_task(self._scene.rig.supervisor.gives_up())
        try:
            while not holds():
                waited = time.monotonic() - began
                if self._play.done():
                    self._play.result()
                    raise DrillFailed("play has ended by itself")
                if hopeless.done():
                    raise ProgramFailed(hopeless.result().explain("ends again and again"))
                if waited > self._limit_seconds:
                    raise DrillFailed(
                        f"waited {self._limit_seconds:g} s {what}; "
                        f"firing: {', '.join(sorted(self._webhook.firing_since)) or 'nothing'}"
                    )
                self._shown.show(Wait(waited, what))
                await asyncio.sleep(_LOOK_SECONDS)
        finally:
            hopeless.cancel()
            await asyncio.gather(hopeless, return_exceptions=True)
            self._shown.close()


def _listed(times: Mapping[str, float]) -> str:
    return ", ".join(f"{name} {seconds:.1f} s" for name, seconds in times.items())


def _tell(shown: Display, message: Message) -> None:
    shown.say(f"{'ALERT     ' if message.firing else 'RESOLVED  '}{message.line()}")


def _about_times(shorter: int) -> str:
    if shorter == 1:
        return "the rules and Alertmanager wait as they do where they are deployed"
    return (
        f"for this drill the waits and windows of the rules and of Alertmanager are divided by {shorter}, and every "
        "second is looked; limits are as deployed. --shorter 1 changes nothing and takes longer"
    )


def _conclude(options: Options, outcome: Outcome, shown: Display) -> None:
    for line in outcome.books.lines():
        shown.say(line)
    if options.report is not None:
        written = msgspec.json.format(msgspec.json.encode(outcome), indent=2)
        options.report.write_bytes(written + b"\n")
    for times in outcome.drills:
        shown.say(times.line())
    if outcome.books.reconciled:
        shown.say("DRILLED AND RECONCILED: every alert came and went, ledger and log agree")
    else:
        shown.say(f"NOT RECONCILED: {len(outcome.books.faults)} faults")


def _options(argv: Sequence[str]) -> Options:
    parser = argparse.ArgumentParser(
        prog="floorbook drill",
        description="Make a fault on a floor at play; show its alert, heal it, balance the books.",
    )
    parser.add_argument(
        "faults",
        nargs="+",
        choices=FAULTS,
        metavar="FAULT",
        help=f"one or more, drilled in turn: {', '.join(FAULTS)}",
    )
    parser.add_argument("--tables", type=whole(2, 99), default=TABLES, metavar="N")
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="same seed, same play")
    parser.add_argument(
        "--shorter",
        type=whole(1, 60),
        default=SHORTER,
        metavar="N",
        help=f"divide the rules' waits and windows by N; {SHORTER} if not given, 1: as deployed",
    )
    parser.add_argument("--keep", action="store_true", help="keep the folder with data and logs")
    parser.add_argument("--report", type=Path, metavar="FILE", help="also write the result as JSON")
    given = parser.parse_args(argv)
    return Options(
        tuple(given.faults),
        given.tables,
        given.seed,
        given.shorter,
        given.keep,
        given.report,
        rule_sets()[0],
    )
