"""The demo as people run it: on servers that exist, through crashes of services, and stopped with Ctrl-C."""

import asyncio
import contextlib
import json
import os
import signal
import sys
from collections.abc import Iterator
from pathlib import Path
from shutil import rmtree
from typing import Any

import psutil
import pytest

from floorbook.demo.casino import build
from floorbook.demo.command import Options
from floorbook.demo.floor import SimulatedFloor, run_tables
from floorbook.demo.games import ALL, plans_of, rule_sets
from floorbook.demo.processes import Supervisor, private_folder
from floorbook.demo.progress import PlainDisplay
from floorbook.demo.proof import reconcile, wait_until_posted
from floorbook.demo.servers import Server
from floorbook.demo.services import Rig

pytestmark = [pytest.mark.system, pytest.mark.asyncio(loop_scope="session")]

DEMO = (sys.executable, "-m", "floorbook.cli", "demo")


@pytest.fixture
def folder() -> Iterator[Path]:
    made = private_folder("floorbook-tests-")
    yield made
    rmtree(made, ignore_errors=True)


async def started(
    *arguments: str, environment: dict[str, str] | None = None
) -> asyncio.subprocess.Process:
    return await asyncio.create_subprocess_exec(
        *DEMO,
        *arguments,
        env={**os.environ, **(environment or {})},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )


async def reported(
    broker: Server, database: Server, file: Path, *arguments: str
) -> tuple[dict[str, Any], str]:
    """Return the report of a demo on servers that exist, which must end well, and what it said."""
    process = await started(
        *arguments,
        *("--keep", "", "--report", str(file)),
        environment={"FLOORBOOK_KAFKA": broker.address, "FLOORBOOK_DATABASE": database.address},
    )
    output, _ = await process.communicate()
    said = output.decode()
    assert process.returncode == 0, said
    report = json.loads(await asyncio.to_thread(file.read_bytes))
    assert report["reconciled"] is True
    assert report["faults"] == []
    assert report["settlements_posted"] == report["rounds_settled"]
    assert report["differences"] == report["trial_balance"] == 0
    assert "RECONCILED" in said
    assert "kept in" not in said
    return report, said


async def test_every_rule_set_is_played_in_one_casino_and_reconciles(
    broker: Server, database: Server, tmp_path: Path
) -> None:
    tables = 2 * len(rule_sets())
    report, said = await reported(
        *(broker, database, tmp_path / "report.json"),
        *("--rule-set", "all", "--tables", str(tables), "--rounds", "2", "--seed", "5"),
    )
    assert report["rounds_settled_by_rule_set"] == dict.fromkeys(rule_sets(), 4)
    assert report["refusals"] == report["quarantined"] == 0
    assert all(f"{rule_set} 4" in said for rule_set in rule_sets())


async def test_every_rule_set_misbehaves_and_reconciles(
    broker: Server, database: Server, tmp_path: Path
) -> None:
    tables = len(rule_sets())
    report, _ = await reported(
        *(broker, database, tmp_path / "report.json"),
        *("--rule-set", "all", "--tables", str(tables), "--rounds", "3", "--seed", "4"),
        *("--misbehave", "0.3"),
    )
    assert report["rounds_opened"] == 3 * tables
    assert report["rounds_settled"] + report["rounds_void"] == 3 * tables
    assert report["refusals"] > 0
    assert report["quarantined"] > 0


async def test_it_reconciles_though_services_are_killed(
    broker: Server, database: Server, folder: Path
) -> None:
    plans = plans_of(ALL)
    casino = build(len(plans), 6, f"{os.getpid():x}-", plans)
    options = Options(len(plans), 3, 6, ALL, False, 0.0, None)
    async with Supervisor(folder) as supervisor:
        rig = Rig(
            supervisor,
            casino.registry(),
            kafka=broker.address,
            database=database.address,
            table_workers=2,
            gateways=2,
        )
        await rig.start()
        floor = SimulatedFloor(casino, rig.floor_addresses, rig.device_addresses)

        async def drill() -> None:
            for number, name in enumerate(("table-0", "gateway-0", "ledger-0", "evaluator"), 1):
                await until(lambda number=number: floor.tally.rounds_played >= 3 * number)
                assert rig.child(name).kill()
                await rig.child(name).started(2)

        async with floor:
            drilling = asyncio.create_task(drill())
            await run_tables(floor, options.rounds)
            await drilling
        await rig.ready()
        await wait_until_posted(rig, casino)
        await rig.stop_services()
        report = await reconcile(options, rig, casino, floor.tally, PlainDisplay())
    assert report.faults == []
    assert report.rounds_settled == options.tables * options.rounds


async def until(holds: object) -> None:
    """Return when `holds()`; the test's own time limit ends waiting in vain."""
    assert callable(holds)
    while not holds():  # noqa: ASYNC110 -- the tally tells nobody
        await asyncio.sleep(0.05)


async def test_ctrl_c_leaves_no_process_and_no_folder() -> None:
    process = await started("--tables", "1", "--rounds", "1000")
    assert process.stdout is not None
    children: list[psutil.Process] = []
    try:
        async for line in process.stdout:
            if line.startswith(b"playing:"):
                break
        children = psutil.Process(process.pid).children(recursive=True)
        assert len(children) >= 7
        process.send_signal(signal.SIGINT)
        rest = (await process.stdout.read()).decode()
        assert await process.wait() == 130, rest
        assert "Traceback" not in rest
        assert "kept in" not in rest
        assert not [child for child in children if child.is_running()]
    finally:
        with contextlib.suppress(ProcessLookupError):
            process.kill()
