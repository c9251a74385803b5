"""Decides which loads `make bench` measures, and says what came out.

    python -m tests.benchmarks.path [--quick] [--workers N] [--step TABLES:RATE ...]

Exit code 0 if every round was settled exactly once and posted, whatever the speed; else 1.
"""

import argparse
import asyncio
import os
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

import msgspec

from floorbook.demo.processes import Supervisor, private_folder
from floorbook.demo.services import Rig
from tests.benchmarks.path import report
from tests.benchmarks.path.measure import Bench, Step, register

_RATE = 3_000.0
_AIM = 5_000.0
_STEPS = (
    Step(8, 0, 10, 20),
    Step(100, _RATE, 10, 20),
    Step(1_000, _RATE, 10, 20),
    Step(6_000, _RATE, 10, 30),
    Step(1_000, _AIM, 10, 20),
)
_BACKLOG_OF = 2
_BACKLOG_EVENTS = 80_000
_QUICK_STEPS = (Step(8, 0, 2, 5), Step(100, 1_000.0, 2, 5))
_QUICK_BACKLOG_OF = 1
_QUICK_BACKLOG_EVENTS = 30_000


def main(argv: Sequence[str]) -> int:
    """Return the exit code of one run of the benchmark."""
    options = _options(argv)
    folder = private_folder("floorbook-bench-")
    faults: list[str] = ["it did not end"]
    try:
        faults = asyncio.run(_run(options, folder))
    finally:
        if options.keep or faults:
            _say(f"data and logs are kept in {folder}")
        else:
            shutil.rmtree(folder, ignore_errors=True)
    for fault in faults:
        _say(f"FAULT: {fault}")
    return 1 if faults else 0


async def _run(options: argparse.Namespace, folder: Path) -> list[str]:
    steps: Sequence[Step] = _QUICK_STEPS if options.quick else _STEPS
    if options.step:
        seconds = 5 if options.quick else 25
        steps = [Step(tables, rate, 10, seconds) for tables, rate in options.step]
    backlog_of = _QUICK_BACKLOG_OF if options.quick else _BACKLOG_OF
    backlog_events = _QUICK_BACKLOG_EVENTS if options.quick else _BACKLOG_EVENTS
    registered = register(steps)
    measured: list[report.Measured] = []
    faults: list[str] = []
    found: report.Backlog | None = None
    _say(f"{os.cpu_count()} processors, load {os.getloadavg()[0]:.1f} before the first step")
    async with Supervisor(folder, progress=_say, handle_signals=True) as supervisor:
        rig = Rig(
            supervisor,
            registered.registry,
            table_workers=options.workers,
            environment={"FLOORBOOK_LOG_LEVEL": "warning"} if not options.keep else {},
        )
        await rig.start()
        bench = Bench(supervisor, rig, registered, _say)
        for number, step in enumerate(steps):
            one = await bench.load(number, step)
            measured.append(one)
            _say("\n".join(report.loads([one])[2:]) + f"  load {os.getloadavg()[0]:.1f}")
            faults += [f"{step.tables} tables: {fault}" for fault in one.faults]
        if not options.no_backlog:
            found, more = await bench.backlog(min(backlog_of, len(steps) - 1), backlog_events)
            faults += more
    _say("")
    for line in report.loads(measured):
        _say(line)
    if found is not None:
        _say("")
        for line in report.backlog(found):
            _say(line)
    _say("")
    for line in report.aims(measured, found):
        _say(line)
    if options.json:
        options.json.write_bytes(msgspec.json.encode({"loads": measured, "backlog": found}))
    return faults


def _options(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.path", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a small try of everything")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="table processors")
    parser.add_argument(
        "--step",
        type=_step,
        action="append",
        metavar="TABLES:RATE",
        help="these loads and no others; a rate of 0 is as fast as it goes",
    )
    parser.add_argument("--no-backlog", action="store_true", help="only the loads")
    parser.add_argument("--keep", action="store_true", help="keep the folder with data and logs")
    parser.add_argument("--json", type=Path, metavar="FILE", help="also write all figures as JSON")
    return parser.parse_args(argv)


def _step(text: str) -> tuple[int, float]:
    tables, _, rate = text.partition(":")
    return int(tables), float(rate)


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
