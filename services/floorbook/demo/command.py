"""Decides what `floorbook demo` does: servers, services, a casino at play, and the proof that every cent is right.

Exit codes: 0 when log and ledger agree in everything; 1 with the faults named; 130 after Ctrl-C. The folder
with logs and data is private, kept on request and after every fault, and else removed.
"""

import argparse
import asyncio
import shutil
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Final

import psycopg
from aiokafka.errors import KafkaError
from msgspec import Struct
from msgspec.structs import replace

from floorbook import settings
from floorbook.arguments import share, whole
from floorbook.demo.at_table import PlayFault
from floorbook.demo.casino import Casino, build
from floorbook.demo.client import Stranger
from floorbook.demo.database import PostgresMissing
from floorbook.demo.devices import ReadingRefused
from floorbook.demo.evidence import LedgerView, LogView
from floorbook.demo.floor import SimulatedFloor, run_tables
from floorbook.demo.games import ALL, plans_of, rule_sets
from floorbook.demo.java import JarsUnusable, JavaMissing
from floorbook.demo.processes import (
    ProgramFailed,
    ProgramNotFound,
    Supervisor,
    UnsupportedMachine,
    private_folder,
)
from floorbook.demo.progress import Display, Watch, display
from floorbook.demo.prometheus import Monitoring
from floorbook.demo.proof import NotPosted, conclude, reconcile, wait_until_posted
from floorbook.demo.report import Report
from floorbook.demo.seen import NotSeen
from floorbook.demo.services import Rig
from floorbook.demo.tally import Tally
from floorbook.demo.terminals import NotTaken
from floorbook.settings import EXIT_BAD_SETTINGS, Settings
from floorbook.topics import TopicsError

_LONGEST_LINE: Final = 400


# What can go wrong on a machine or in a run, as opposed to in this program: shown as a sentence.
FAULTS: Final = (
    JarsUnusable,
    JavaMissing,
    KafkaError,
    NotPosted,
    NotSeen,
    NotTaken,
    PlayFault,
    PostgresMissing,
    ProgramFailed,
    ProgramNotFound,
    ReadingRefused,
    Stranger,
    TopicsError,
    UnsupportedMachine,
    psycopg.Error,
    OSError,
)


class Options(Struct, frozen=True):
    """What the demo was asked for."""

    tables: int
    rounds: int
    seed: int
    rule_set: str
    keep: bool
    misbehave: float
    report: Path | None
    page: bool | None = None
    """Whether Prometheus serves the floor's page; None: if it is installed."""


def main(argv: Sequence[str]) -> int:
    """Return the exit code of `floorbook demo` with the arguments `argv`."""
    options = _options(argv)
    read = settings.from_environment("demo")
    if not isinstance(read, Settings):
        for fault in read:
            sys.stderr.write(f"floorbook: {fault}\n")
        return EXIT_BAD_SETTINGS
    shown = display()
    folder = private_folder("floorbook-demo-")
    keep = True
    try:
        outcome = asyncio.run(run(options, read, folder, shown))
        keep = options.keep or not outcome.reconciled
        if options.report is not None:
            options.report.write_bytes(outcome.json())
        conclude(outcome, shown)
        return 0 if outcome.reconciled else 1
    except SystemExit:
        # Ctrl-C: all children have stopped.
        keep = options.keep
        raise
    except (*FAULTS, ExceptionGroup) as error:
        complain(error)
        return 1
    finally:
        shown.close()
        if keep:
            shown.say(f"data and logs are kept in {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)


async def run(options: Options, read: Settings, folder: Path, shown: Display) -> Report:
    """Return the report of one run; every child has ended then."""
    kafka, database = ",".join(read.kafka) or None, read.database or None
    # Servers with a past know tables of earlier runs: ids are set apart by the time.
    prefix = f"{int(time.time()):x}-" if kafka or database else ""
    casino = build(options.tables, options.seed, prefix, plans_of(options.rule_set))
    async with Supervisor(folder, progress=shown.say, handle_signals=True) as supervisor:
        rig = Rig(supervisor, casino.registry(), kafka=kafka, database=database)
        # Before the broker, so that a program that is asked for and missing is named at once.
        monitoring = _monitoring(options, supervisor, rig)
        await rig.start()
        if monitoring is not None:
            await _serve_page(options, monitoring, shown)
        floor = SimulatedFloor(
            casino,
            rig.floor_addresses,
            rig.device_addresses,
            misbehave=options.misbehave,
        )
        shown.say(
            f"playing: {options.tables} tables, {options.rounds} rounds each, seed {options.seed}, "
            f"rule set {options.rule_set}"
            + (f", misbehaving at {options.misbehave:g}" if options.misbehave else "")
        )
        play = asyncio.create_task(_play(options, rig, floor, shown))
        hopeless = asyncio.create_task(supervisor.gives_up())
        try:
            await asyncio.wait((play, hopeless), return_when=asyncio.FIRST_COMPLETED)
            if not play.done():
                raise ProgramFailed(hopeless.result().explain("ends again and again"))
            await play
        finally:
            for task in (play, hopeless):
                task.cancel()
            await asyncio.gather(play, hopeless, return_exceptions=True)
        return await _reconcile(options, rig, casino, floor.tally, shown)


def _monitoring(options: Options, supervisor: Supervisor, rig: Rig) -> Monitoring | None:
    """Return what serves the floor's page; None if it cannot and was not asked for."""
    if options.page is False:
        return None
    try:
        return Monitoring(supervisor, rig)
    except ProgramNotFound as fault:
        if options.page:
            raise
        supervisor.progress(f"no page of the floor: {fault}")
    return None


async def _serve_page(options: Options, monitoring: Monitoring, shown: Display) -> None:
    """Return when the floor's page can be seen; a demo that was not asked for it goes on without."""
    try:
        await monitoring.start()
    except ProgramFailed as fault:
        if options.page:
            raise
        shown.say(f"no page of the floor: {str(fault).splitlines()[0]}")
    else:
        shown.say(f"the floor's page: {monitoring.page}")


async def _play(options: Options, rig: Rig, floor: SimulatedFloor, shown: Display) -> None:
    """Return when all rounds are played, the tables are closed and the devices have gone."""
    tables = sorted(floor.casino.table_ids)
    log = await LogView.open(rig.kafka, rig.log_start)
    ledger = await LedgerView.open(rig.dsn)
    try:
        rounds = options.tables * options.rounds
        async with Watch(shown, floor.tally, rounds, log, ledger, tables), floor:
            await run_tables(floor, options.rounds)
    finally:
        await log.close()
        await ledger.close()
    shown.say(
        f"played: {floor.tally.rounds_settled} rounds settled, {floor.tally.rounds_void} void; "
        "tables closed, nothing is owed"
    )


async def _reconcile(
    options: Options, rig: Rig, casino: Casino, tally: Tally, shown: Display
) -> Report:
    await wait_until_posted(rig, casino)
    shown.say("posted: the ledger has booked every movement of the log")
    bad_frames = await rig.bad_frames()
    started_once = all(rig.child(name).restarts == 0 for name in rig.services)
    await rig.stop_services()
    result = await reconcile(options, rig, casino, tally, shown)
    # A gateway that was started again has forgotten what it counted.
    if started_once and bad_frames != tally.bad_frames:
        fault = f"{tally.bad_frames} frames were sent broken, the gateways counted {bad_frames}"
        return _with_fault(result, fault)
    return result


def _with_fault(result: Report, fault: str) -> Report:
    return replace(result, reconciled=False, faults=[*result.faults, fault])


def complain(error: Exception, *more: type[Exception]) -> None:
    """Return after saying what went wrong, or raise it again if it is none of `FAULTS` and `more`."""
    for fault in _named(error, more):
        # The end of a log is part of some: nobody reads lines without end.
        lines = [line[:_LONGEST_LINE] for line in fault.splitlines()]
        sys.stderr.write("floorbook: " + "\n  ".join(lines) + "\n")


def _named(error: Exception, more: Sequence[type[Exception]]) -> Iterator[str]:
    """Yield what went wrong, a sentence each; what nobody foresaw is raised again."""
    if isinstance(error, ExceptionGroup):
        for each in error.exceptions:
            yield from _named(each, more)
    elif isinstance(error, (*FAULTS, *more)):
        yield str(error)
    else:
        raise error


def _options(argv: Sequence[str]) -> Options:
    parser = argparse.ArgumentParser(
        prog="floorbook demo",
        description="Run everything on this machine, play, and reconcile the ledger to the cent.",
    )
    parser.add_argument("--tables", type=whole(1, 999), default=8, metavar="N")
    parser.add_argument(
        "--rounds",
        type=whole(1, 100_000),
        default=25,
        metavar="N",
        help="rounds at each table; mahjong goes on until a cycle of hands ends, from 16 on",
    )
    parser.add_argument("--seed", type=int, default=1, metavar="N", help="same seed, same play")
    parser.add_argument(
        "--rule-set",
        choices=(*rule_sets(), ALL),
        default=rule_sets()[0],
        metavar="ID",
        help=f"what is played: {', '.join(rule_sets())}; {ALL}: the tables play them in turn",
    )
    parser.add_argument(
        "--keep",
        type=_yes,
        nargs="?",
        const=True,
        default=False,
        metavar="YES",
        help="keep the folder with data and logs",
    )
    parser.add_argument(
        "--misbehave",
        type=share,
        default=0.0,
        metavar="RATE",
        help="how often each kind of trouble happens in a round, 0 to 1",
    )
    parser.add_argument("--report", type=Path, metavar="FILE", help="also write the result as JSON")
    parser.add_argument(
        "--page",
        type=_yes,
        nargs="?",
        const=True,
        metavar="YES",
        help="have Prometheus serve the floor's page; if not given: when it is installed",
    )
    given = parser.parse_args(argv)
    return Options(
        given.tables,
        given.rounds,
        given.seed,
        given.rule_set,
        given.keep,
        given.misbehave,
        given.report,
        given.page,
    )


def _yes(text: str) -> bool:
    return text.lower() not in ("", "0", "no", "false", "off")
