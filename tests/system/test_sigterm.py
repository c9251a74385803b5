"""Every service as a container's first process: told to end amid play it ends in time, and nothing is lost.

`unshare` gives a service a namespace of its own in which it is process 1, for which the kernel keeps a signal
without a handler. Whoever runs containers kills what has not ended after a grace period: then the exit code is
not the service's own.
"""

import asyncio
import dataclasses
import re
import signal
import socket
import time
from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from shutil import rmtree

import psutil
import pytest

from floorbook.demo.broker import Broker, free_ports
from floorbook.demo.casino import Casino, build
from floorbook.demo.command import Options
from floorbook.demo.floor import SimulatedFloor, run_tables
from floorbook.demo.processes import Child, Program, Supervisor, private_folder
from floorbook.demo.progress import PlainDisplay
from floorbook.demo.proof import reconcile, wait_until_posted
from floorbook.demo.servers import Server
from floorbook.demo.services import Rig, console, get

pytestmark = [
    pytest.mark.system,
    pytest.mark.timeout(240),
    pytest.mark.asyncio(loop_scope="session"),
]

GRACE_SECONDS = 5.0
TABLES = 4
SEED = 5
RESTING = {"", "IDLE", "SETTLED", "VOID", "CLOSED"}
ALONE = ("unshare", "--pid", "--fork", "--kill-child", "--")
SERVICES = ("gateway-0", "table-0", "evaluator", "ledger-0", "metrics")
OF_BROKER = ("gateway-0", "table-0", "ledger-0", "metrics")
STARTING = 128 + signal.SIGTERM  # a service that had nothing under way yet


class ContainedRig(Rig):
    """Services of which some are the first processes of namespaces of their own."""

    contained: Sequence[str] = ()

    def _program(self, name: str) -> Program:
        program = super()._program(name)
        if name not in self.contained:
            return program
        return dataclasses.replace(program, arguments=(*ALONE, *program.arguments))

    async def stop_services(self) -> None:
        """Return when all services have stopped, the contained ones by their own signals."""
        for name in self.contained:
            child = self.child(name)
            child.program = dataclasses.replace(child.program, restarts=None)
            assert await told_to_end(child) == 0
        await super().stop_services()


def first_process(child: Child) -> psutil.Process:
    """Return what is process 1 in the namespace of a contained child."""
    assert child.pid is not None, child.explain("does not run")
    inside = psutil.Process(child.pid).children()
    assert len(inside) == 1, child.explain(
        "is not in a namespace of its own: this test needs the right to make one"
    )
    return inside[0]


async def told_to_end(child: Child) -> int:
    """Return with which code a contained child ended on SIGTERM; it fails when that takes too long."""
    number = child.starts
    first_process(child).send_signal(signal.SIGTERM)
    began = time.monotonic()
    try:
        async with asyncio.timeout(GRACE_SECONDS):
            end = await child.exited(number)
    except TimeoutError:
        pytest.fail(child.explain(f"has not ended {GRACE_SECONDS:g} s after SIGTERM"))
    print(f"{child.name} ended {time.monotonic() - began:.2f} s after SIGTERM")
    return end.code


class AtPlay:
    """A floor at play until the block ends, and then its books held against its log."""

    def __init__(
        self, rig: ContainedRig, floor: SimulatedFloor, playing: "asyncio.Task[None]"
    ) -> None:
        self.rig = rig
        self.floor = floor
        self._playing = playing

    @property
    def rounds(self) -> int:
        return self.floor.tally.rounds_played

    @property
    def under_way(self) -> int:
        return sum(at.pit.seen.phase not in RESTING for at in self.floor.tables.values())

    async def work_under_way(self) -> None:
        """Return when every table has played, and most are in the middle of a round."""
        before = self.rounds
        while self.rounds < before + TABLES or self.under_way <= TABLES // 2:
            if self._playing.done():
                await self._playing
            await asyncio.sleep(0.02)

    async def on_again(self) -> None:
        """Return when all services are there again and play has gone on."""
        await self.rig.ready()
        await self.work_under_way()


@asynccontextmanager
async def at_play(rig: ContainedRig, casino: Casino) -> AsyncIterator[AtPlay]:
    floor = SimulatedFloor(
        casino, rig.floor_addresses, rig.device_addresses, patience_seconds=120.0
    )
    ended = asyncio.Event()
    async with floor:
        playing = asyncio.create_task(run_tables(floor, 1_000_000, stopping=ended.is_set))
        try:
            yield AtPlay(rig, floor, playing)
            ended.set()
            await playing
        finally:
            playing.cancel()
            await asyncio.gather(playing, return_exceptions=True)
    await wait_until_posted(rig, casino)
    await rig.stop_services()
    asked = Options(TABLES, 0, SEED, "thirteen_cards", False, 0.0, None)
    report = await reconcile(asked, rig, casino, floor.tally, PlainDisplay())
    assert report.faults == []
    assert report.reconciled
    assert report.rounds_opened == report.rounds_settled + report.rounds_void
    assert report.settlements_posted == report.rounds_settled == floor.tally.rounds_settled


@pytest.fixture
def folder() -> Iterator[Path]:
    made = private_folder("floorbook-tests-")
    yield made
    rmtree(made, ignore_errors=True)


async def counted(rig: Rig) -> int:
    """Return how many settlements the metrics service shows."""
    found = await get(rig.probes_of("metrics"), "/metrics")
    assert found is not None
    figures = re.findall(r"^floorbook_rounds_settled_total\{.*\} (\S+)$", found[1], re.MULTILINE)
    return int(sum(map(float, figures)))


@pytest.mark.parametrize("name", SERVICES)
async def test_told_amid_play_it_ends_in_time_and_nothing_is_lost(
    name: str, folder: Path, broker: Server, database: Server
) -> None:
    casino = build(TABLES, SEED, f"end-{name[:3]}-")
    async with Supervisor(folder) as supervisor:
        rig = ContainedRig(
            supervisor,
            casino.registry(),
            kafka=broker.address,
            database=database.address,
        )
        rig.contained = (name,)
        await rig.start()
        async with at_play(rig, casino) as play:
            await play.work_under_way()
            shown = await counted(rig)
            assert await told_to_end(rig.child(name)) == 0
            await play.on_again()
            if name == "metrics":
                # Its successor begins behind what was shown: no round is counted by both.
                assert shown + await counted(rig) <= play.rounds


async def test_told_while_the_broker_is_silent_they_end_in_time_and_nothing_is_lost(
    folder: Path,
) -> None:
    casino = build(TABLES, SEED, "mute-")
    async with Supervisor(folder) as supervisor:
        # Of its own: a database belongs to the broker whose offsets it keeps.
        rig = ContainedRig(supervisor, casino.registry())
        rig.contained = OF_BROKER
        await rig.start()
        assert isinstance(rig.broker, Broker)
        async with at_play(rig, casino) as play:
            await play.work_under_way()
            rig.broker.child.kill(signal.SIGSTOP)
            try:
                codes = await asyncio.gather(*(told_to_end(rig.child(name)) for name in OF_BROKER))
            finally:
                rig.broker.child.kill(signal.SIGCONT)
            assert dict(zip(OF_BROKER, codes, strict=True)) == dict.fromkeys(OF_BROKER, 0)
            await play.on_again()


async def test_told_before_anything_has_answered_they_end_in_time(folder: Path) -> None:
    with socket.socket() as silent:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        silent.setblocking(False)
        registry = folder / "registry.json"
        registry.write_bytes(build(1, SEED).registry())
        server = f"127.0.0.1:{silent.getsockname()[1]}"
        ports = free_ports(4)
        settings = {
            "FLOORBOOK_KAFKA": server,
            "FLOORBOOK_DATABASE": f"host=127.0.0.1 port={silent.getsockname()[1]}",
            "FLOORBOOK_REGISTRY": str(registry),
            "FLOORBOOK_DATADIR": str(folder),
            "FLOORBOOK_GATEWAY_LISTEN": f"127.0.0.1:{ports[0]}",
            "FLOORBOOK_DEVICE_LISTEN": f"127.0.0.1:{ports[1]}",
        }
        async with Supervisor(folder) as supervisor:
            for service in ("gateway", "table", "ledger serve", "metrics"):
                (probes,) = free_ports(1)
                child = await supervisor.start(
                    Program(
                        service.split()[0],
                        (*ALONE, *console(), *service.split()),
                        {**settings, "FLOORBOOK_PROBES_LISTEN": f"127.0.0.1:{probes}"},
                    )
                )
                loop = asyncio.get_running_loop()
                connection, _ = await asyncio.wait_for(loop.sock_accept(silent), 60)
                code = await told_to_end(child)
                connection.close()
                assert code in (0, STARTING), child.explain("has failed instead")
