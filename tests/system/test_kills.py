"""A floor at play while everything that can die dies: nothing is lost, nothing settled twice.

Each test plays rounds over the real interfaces on a broker and a database of its own, does harm, and then
holds the ledger against the log and the processor's states against a rebuild. `-s` shows what was done.
"""

import asyncio
import os
import random
import signal
import sys
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from shutil import rmtree

import pytest

from floorbook import topics
from floorbook.demo.broker import Broker
from floorbook.demo.casino import build
from floorbook.demo.command import Options
from floorbook.demo.floor import SimulatedFloor, run_tables
from floorbook.demo.processes import Restarts, Supervisor, private_folder
from floorbook.demo.progress import PlainDisplay
from floorbook.demo.proof import reconcile, wait_until_posted
from floorbook.demo.report import Report
from floorbook.demo.services import Rig
from tests.system.table_rig import until

pytestmark = [pytest.mark.system, pytest.mark.asyncio(loop_scope="function")]

TABLES = 12
SEED = 11
PATIENCE_SECONDS = 240.0
RESTING = {"", "IDLE", "SETTLED", "VOID", "CLOSED"}
RESTARTS = Restarts(most_in_a_row=100_000, longest_pause_seconds=1.0)


class Drill:
    """A floor at play, and the means to do harm to what it runs on."""

    def __init__(self, rig: Rig, floor: SimulatedFloor) -> None:
        self.rig = rig
        self.floor = floor
        self.kills: Counter[str] = Counter()
        self.under_way = 0

    @property
    def rounds(self) -> int:
        return self.floor.tally.rounds_played

    def rounds_under_way(self) -> int:
        return sum(at.pit.seen.phase not in RESTING for at in self.floor.tables.values())

    async def kill(self, name: str) -> None:
        """Kill a service with -9 as soon as it runs; its supervisor starts it again."""
        child = self.rig.child(name)
        while not child.kill(signal.SIGKILL):  # noqa: ASYNC110 -- between two runs there is nothing
            await asyncio.sleep(0.05)
        self.kills[name] += 1
        self.under_way += self.rounds_under_way()

    async def rounds_reach(self, number: int) -> None:
        while self.rounds < number:  # noqa: ASYNC110 -- the tally tells nobody
            await asyncio.sleep(0.05)

    def say(self) -> str:
        each = ", ".join(f"{name} {count}" for name, count in sorted(self.kills.items()))
        return (
            f"{sum(self.kills.values())} kills ({each}) over {self.rounds} rounds; "
            f"{self.under_way} rounds were under way when something was killed"
        )


@asynccontextmanager
async def casino_at_play(folder: Path) -> AsyncIterator[tuple[Rig, SimulatedFloor]]:
    casino = build(TABLES, SEED)
    async with Supervisor(folder) as supervisor:
        rig = Rig(
            supervisor,
            casino.registry(),
            table_workers=2,
            gateways=2,
            restarts=RESTARTS,
            environment={"FLOORBOOK_SESSION_TIMEOUT_SECONDS": "6"},
        )
        await rig.start()
        floor = SimulatedFloor(
            casino,
            rig.floor_addresses,
            rig.device_addresses,
            rule_set="thirteen_cards",
            patience_seconds=PATIENCE_SECONDS,
        )
        yield rig, floor


async def harmed(folder: Path, harm: Callable[[Drill], Awaitable[None]]) -> tuple[Report, Drill]:
    """Return what log and ledger came to after `harm` was done to a floor at play."""
    async with casino_at_play(folder) as (rig, floor):
        drill = Drill(rig, floor)
        done = asyncio.Event()

        async def do_harm() -> None:
            try:
                await harm(drill)
            finally:
                done.set()

        async with floor:
            doing = asyncio.create_task(do_harm())
            await run_tables(floor, 1_000_000, stopping=done.is_set)
            await doing
        await rig.ready(seconds=120)
        await wait_until_posted(rig, floor.casino, 120)
        await rebuilt(rig)
        await rig.stop_services()
        options = Options(TABLES, 0, SEED, "thirteen_cards", False, 0.0, None)
        report = await reconcile(options, rig, floor.casino, floor.tally, PlainDisplay())
    return report, drill


async def rebuilt(rig: Rig) -> None:
    """Fold the log again with the tool; it must find what the processor has."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "floorbook.cli", "rebuild"),
        env={**os.environ, "FLOORBOOK_KAFKA": rig.kafka},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await process.communicate()
    assert process.returncode == 0, said.decode()
    assert "live equals rebuilt" in said.decode()


def check(report: Report, drill: Drill, at_least: int) -> None:
    print(drill.say())
    assert report.faults == []
    assert report.reconciled
    assert report.rounds_opened == report.rounds_settled + report.rounds_void
    assert report.rounds_settled >= at_least
    assert report.settlements_posted == report.rounds_settled
    assert report.differences == report.trial_balance == report.quarantined == 0
    assert drill.under_way > 0


@pytest.fixture
def folder() -> Iterator[Path]:
    made = private_folder("floorbook-tests-")
    yield made
    rmtree(made, ignore_errors=True)


async def kill_everybody(drill: Drill, times: int, rounds: int) -> None:
    """Kill every service `times` times at random moments, and go on until `rounds` are played."""
    chance = random.Random(SEED)
    order = [name for name in drill.rig.services for _ in range(times)]
    chance.shuffle(order)
    await drill.rounds_reach(TABLES)
    for name in order:
        await asyncio.sleep(chance.expovariate(1.0))
        await drill.kill(name)
    await drill.rounds_reach(rounds)


@pytest.mark.timeout(600)
async def test_every_service_is_killed_at_random_moments(folder: Path) -> None:
    report, drill = await harmed(folder, lambda drill: kill_everybody(drill, 3, 60))

    check(report, drill, 60)
    assert set(drill.kills.values()) == {3}


@pytest.mark.slow
@pytest.mark.timeout(1800)
async def test_every_service_is_killed_twenty_times_over_three_hundred_rounds(folder: Path) -> None:
    report, drill = await harmed(folder, lambda drill: kill_everybody(drill, 20, 300))

    check(report, drill, 300)
    assert set(drill.kills.values()) == {20}


async def take_servers_away(drill: Drill, database_seconds: float) -> None:
    rig = drill.rig
    await drill.rounds_reach(TABLES)
    drill.under_way += drill.rounds_under_way()
    assert isinstance(rig.broker, Broker)
    await rig.broker.kill9()
    await asyncio.sleep(2)
    await rig.broker.start()
    await drill.rounds_reach(drill.rounds + TABLES)

    await rig.database.stop()
    before = drill.rounds
    await asyncio.sleep(database_seconds)
    # The tables play on without the ledger; what they want booked waits in the log.
    assert drill.rounds > before
    await rig.database.start()
    await drill.rounds_reach(drill.rounds + TABLES)


@pytest.mark.timeout(600)
async def test_broker_and_database_go_away_and_come_back(folder: Path) -> None:
    report, drill = await harmed(folder, lambda drill: take_servers_away(drill, 30.0))

    check(report, drill, 3 * TABLES)


async def freeze_and_move(drill: Drill) -> None:
    """A worker is paused past its session and goes on; then it leaves and joins again."""
    rig = drill.rig
    await drill.rounds_reach(TABLES)
    worker = rig.child("table-1")
    partitions = await held_by(rig, "table-0")
    theirs = [t for t in drill.floor.casino.table_ids if partition(t, rig) in partitions]
    assert worker.kill(signal.SIGSTOP)
    drill.under_way += drill.rounds_under_way()
    before = {t: drill.floor.tables[t].pit.seen.round_id for t in theirs}
    await asyncio.sleep(5)
    # Within the session the group has not moved: the other worker's tables are not disturbed.
    assert any(drill.floor.tables[t].pit.seen.round_id != before[t] for t in theirs)
    await asyncio.sleep(9)

    async def all_go_on() -> bool:
        return all(drill.floor.tables[t].pit.seen.round_id != before[t] for t in theirs)

    await until(all_go_on, lambda: "a table of another partition stands still", 30)
    worker.kill(signal.SIGCONT)
    await rig.ready(seconds=120)
    await drill.rounds_reach(drill.rounds + TABLES)

    await worker.stop()
    await drill.rounds_reach(drill.rounds + TABLES)
    worker.start()
    await rig.ready(seconds=120)
    await drill.rounds_reach(drill.rounds + TABLES)


def partition(table_id: str, rig: Rig) -> int:
    return topics.partition_of(table_id, rig.partitions)


async def held_by(rig: Rig, name: str) -> set[int]:
    """Return the partitions that a worker has said it took over last."""
    for line in reversed(rig.child(name).log_tail(5000)):
        if "partitions taken over" in line:
            found = line.split("partitions", 2)[2]
            return {int(text) for text in found if text.isdigit()}
    raise AssertionError(f"{name} has taken nothing over")


@pytest.mark.timeout(600)
async def test_a_worker_is_frozen_past_its_session_leaves_and_joins(folder: Path) -> None:
    report, drill = await harmed(folder, freeze_and_move)

    check(report, drill, 3 * TABLES)
