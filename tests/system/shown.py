"""Decides whether every expression of rules, dashboards and the floor's page finds what services really show.

`python -m tests.system.shown gather FOLDER` starts the floor, plays, has one table late and one suspended, and keeps
each service's /metrics as a file. `python -m tests.system.shown check FOLDER` holds the expressions against these.
"""

import asyncio
import json
import re
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from shutil import rmtree
from signal import Signals
from typing import Any

from prometheus_client.parser import text_string_to_metric_families

from floorbook.demo.at_table import AtTable
from floorbook.demo.broker import free_ports
from floorbook.demo.casino import build
from floorbook.demo.floor import SimulatedFloor
from floorbook.demo.processes import Program, ProgramFailed, Supervisor, private_folder
from floorbook.demo.services import Rig, console, get
from floorbook.settings import Address
from floorbook.table.events import Decision, SuspensionResolved, TableSuspended
from tests.unit import expressions
from tests.unit.expressions import OF_THE_TARGET, PROMETHEUS, ROOT, Series

_LATE_SECONDS = 60.0


def main(arguments: Sequence[str]) -> int:
    """Return 0 when all was gathered, or when every expression finds what it asks for."""
    match arguments:
        case ["gather", folder]:
            asyncio.run(gather(Path(folder)))
            return 0
        case ["check", folder]:
            return check(Path(folder))
    sys.stderr.write("usage: python -m tests.system.shown gather|check FOLDER\n")
    return 2


async def gather(kept: Path) -> None:
    """Return when the folder has a file for each service, with what it showed."""
    folder = private_folder("floorbook-shown-")
    try:
        async with Supervisor(folder, handle_signals=True) as supervisor:
            casino = build(2, 1)
            rig = Rig(supervisor, casino.registry())
            await rig.start()
            async with SimulatedFloor(casino, rig.floor_addresses, rig.device_addresses) as floor:
                await floor.run(_play(rig, floor, kept))
            await _check_again(rig, kept)
            await rig.stop_services()
    finally:
        rmtree(folder)


async def _play(rig: Rig, floor: SimulatedFloor, kept: Path) -> None:
    """Return when a round was played at each table and everything was written down while two were in trouble."""
    late, suspended = floor.tables.values()
    for at in (late, suspended):
        for actor in (at.dealer, at.pit, *at.players):
            await actor.seen.until("the first view", lambda seen=actor.seen: seen.updates > 0)
        await at.open()
        await at.round(1)
    await suspended.must(suspended.pit, TableSuspended("DRILL"))
    evaluator = rig.child("evaluator")
    evaluator.kill(Signals.SIGSTOP)
    try:
        waiting = asyncio.create_task(late.round(2))
        async with asyncio.timeout(_LATE_SECONDS):
            await _until_in_trouble(rig)
        for name in rig.services:
            if name != evaluator.name:
                await _keep(rig, name, kept)
    finally:
        evaluator.kill(Signals.SIGCONT)
    # Halted it could not have said anything.
    await _keep(rig, evaluator.name, kept)
    await waiting
    await _resolve(suspended)
    for at in (late, suspended):
        await at.close()


async def _check_again(rig: Rig, kept: Path) -> None:
    """Return when the log was folded again by a process of its own, whose metrics are kept too."""
    (port,) = free_ports(1)
    address = Address("127.0.0.1", port)
    program = Program(
        "rebuild",
        (*console(), "rebuild", "--every", "600"),
        environment={"FLOORBOOK_KAFKA": rig.kafka, "FLOORBOOK_PROBES_LISTEN": str(address)},
        folder=rig.supervisor.folder,
    )
    child = await rig.supervisor.start(program)
    async with asyncio.timeout(_LATE_SECONDS):
        while True:
            if child.exits:
                raise ProgramFailed(child.explain("has ended"))
            found = await get(address, "/metrics")
            if found and re.search(r"^floorbook_rebuild_checked_\w+ [1-9]", found[1], re.MULTILINE):
                (kept / "rebuild.prom").write_text(found[1], encoding="utf-8")
                return
            await asyncio.sleep(0.2)


async def _until_in_trouble(rig: Rig) -> None:
    """Return when the table processor shows a table that is late and one that is suspended."""
    open_gauges = ("floorbook_table_owing_seconds{", "floorbook_table_suspended{")
    while True:
        shown = await _metrics(rig, "table-0")
        if all(each in shown for each in open_gauges):
            return
        await asyncio.sleep(0.2)


async def _resolve(at: AtTable[Any]) -> None:
    seen = at.pit.seen
    await seen.until("the suspension", lambda: bool(seen.causes))
    await at.must(at.pit, SuspensionResolved(Decision.RESUME, seen.causes[0]))


async def _keep(rig: Rig, name: str, kept: Path) -> None:
    (kept / f"{name}.prom").write_text(await _metrics(rig, name), encoding="utf-8")


async def _metrics(rig: Rig, name: str) -> str:
    found = await get(rig.probes_of(name), "/metrics")
    if found is None:
        raise RuntimeError(f"{name} does not show its metrics")
    return found[1]


def check(folder: Path) -> int:
    """Return 1 if an expression finds nothing of what the files in `folder` show; each fault is a line."""
    shown = series_of(sorted(folder.glob("*.prom")))
    faults = [
        f"{where}: {fault}"
        for where, expression in every_expression()
        for fault in expressions.faults(expression, shown)
    ]
    sys.stderr.writelines(f"{each}\n" for each in faults)
    count = len(list(every_expression()))
    sys.stdout.write(f"{count} expressions, {len(shown)} names, {len(faults)} faults\n")
    return 1 if faults or not count else 0


def series_of(files: Sequence[Path]) -> Mapping[str, Series]:
    """Return every name that the files show, with the labels and values that it has there."""
    values: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for file in files:
        for family in text_string_to_metric_families(file.read_text(encoding="utf-8")):
            for sample in family.samples:
                of_name = values[sample.name]
                for label, value in sample.labels.items():
                    of_name[label].add(value)
    found = {
        name: Series(
            OF_THE_TARGET | labels.keys(),
            {label: frozenset(each) for label, each in labels.items()},
        )
        for name, labels in values.items()
    }
    # What Prometheus makes: of targets, of alerts, and by our own rules, which are sums over everything.
    found["up"] = Series(OF_THE_TARGET)
    found["ALERTS"] = Series(frozenset({"alertname", "alertstate", "severity"}))
    found |= {
        rule["record"]: Series(frozenset()) for _, rule in expressions.rules() if "record" in rule
    }
    return found


def every_expression() -> Iterator[tuple[str, str]]:
    """Yield where each expression stands, and the expression."""
    for path, rule in expressions.rules():
        yield f"{path.name}, {rule.get('alert') or rule['record']}", rule["expr"]
    for path in sorted((ROOT / "deploy" / "dashboards").glob("*.json")):
        dashboard = json.loads(path.read_text(encoding="utf-8"))
        for panel in _panels(dashboard["panels"]):
            for target in panel.get("targets", []):
                yield f"{path.name}, {panel['title']}", target["expr"]
        for variable in dashboard["templating"]["list"]:
            if asked := re.fullmatch(r"label_values\((.+), \w+\)", str(variable.get("query"))):
                yield f"{path.name}, ${variable['name']}", asked[1]
    page = PROMETHEUS / "consoles" / "floor.html"
    for expression in re.findall(r":= query `([^`]*)`", page.read_text(encoding="utf-8")):
        yield page.name, expression


def _panels(panels: Sequence[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for panel in panels:
        yield panel
        yield from _panels(panel.get("panels") or [])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
