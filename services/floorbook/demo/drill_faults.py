"""Decides which faults can be drilled: what is done, which alerts must come of it, and how it is healed.

Only processes that the drill itself started are touched. An alert listed here must arrive, and be resolved after the
fault is healed; others may come beside it, because few faults have one consequence only.
"""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from signal import Signals
from types import MappingProxyType
from typing import Final

from aiokafka import AIOKafkaProducer

from floorbook import topics
from floorbook.demo.broker import Broker
from floorbook.demo.database import Database
from floorbook.demo.devices import OwnLine
from floorbook.demo.floor import SimulatedFloor
from floorbook.demo.processes import Program
from floorbook.demo.services import Rig, console

_STOPPED_SECONDS: Final = 1.5
_RUNNING_SECONDS: Final = 0.3
_POISON: Final = b"\xff\xff no record of ours \xff"

Heal = Callable[[], Awaitable[None]]


@dataclass(frozen=True, slots=True)
class Scene:
    """Where a drill takes place; what a fault left running is in `tasks`."""

    rig: Rig
    floor: SimulatedFloor
    say: Callable[[str], None]
    tasks: list[asyncio.Task[None]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Fault:
    """A fault that can be made; `make` returns how it is healed."""

    alerts: tuple[str, ...]
    make: Callable[[Scene], Awaitable[Heal]]


async def _evaluator_down(scene: Scene) -> Heal:
    """The evaluator is killed and stays away: rounds are complete, and nobody says who is paid."""
    child = scene.rig.child("evaluator")
    scene.say(f"the evaluator is killed (process {child.pid})")
    await child.stop(Signals.SIGKILL)

    async def heal() -> None:
        child.start()
        await scene.rig.ready(["evaluator"])
        scene.say(f"the evaluator is back (process {child.pid})")

    return heal


async def _broker_down(scene: Scene) -> Heal:
    """The broker is killed and stays away: nothing comes into the log."""
    broker = scene.rig.broker
    assert isinstance(broker, Broker), "a drill starts its own"
    scene.say(f"the broker is killed (process {broker.child.pid})")
    await broker.kill9()

    async def heal() -> None:
        await broker.start()
        await scene.rig.ready()
        scene.say("the broker and all services are back")

    return heal


async def _database_down(scene: Scene) -> Heal:
    """The database is killed and stays away: rounds are settled, and nothing is booked."""
    database = scene.rig.database
    assert isinstance(database, Database), "a drill starts its own"
    scene.say(f"the database is killed (process {database.child.pid})")
    await database.kill9()

    async def heal() -> None:
        await database.start()
        await scene.rig.ready([each for each in scene.rig.services if each.startswith("ledger-")])
        scene.say("the database is back")

    return heal


async def _poison(scene: Scene) -> Heal:
    """The log gets a record that nobody can read: it goes to quarantine and nothing waits for it."""
    rig = scene.rig
    table_id = min(scene.floor.casino.table_ids)
    producer = AIOKafkaProducer(bootstrap_servers=rig.kafka)
    await producer.start()
    try:
        placed = await producer.send_and_wait(
            topics.TABLE_EVENTS.name,
            _POISON,
            table_id.encode(),
            topics.partition_of(table_id, rig.partitions),
        )
    finally:
        await producer.stop()
    scene.floor.tally.poisoned.add((placed.partition, placed.offset))
    scene.say(f"record {placed.partition}/{placed.offset} of the log is {len(_POISON)} wild bytes")

    async def heal() -> None:
        shown = await rig.supervisor.run(
            Program(
                "quarantine",
                (*console(), "quarantine"),
                environment={"FLOORBOOK_KAFKA": rig.kafka},
                folder=rig.supervisor.folder,
            )
        )
        scene.say("there is nothing to mend; `floorbook quarantine` says:")
        for line in shown.log_tail(3):
            scene.say(f"    {line}")

    return heal


async def _slow_table(scene: Scene) -> Heal:
    """The table processor is stopped five sixths of the time: every round is settled, and late."""
    child = scene.rig.child("table-0")
    scene.say(
        f"the table processor (process {child.pid}) is halted for {_STOPPED_SECONDS:g} s, "
        f"runs for {_RUNNING_SECONDS:g} s, and so on"
    )

    async def halt() -> None:
        try:
            while True:
                child.kill(Signals.SIGSTOP)
                await asyncio.sleep(_STOPPED_SECONDS)
                child.kill(Signals.SIGCONT)
                await asyncio.sleep(_RUNNING_SECONDS)
        finally:
            # A halted process could not even be told to stop.
            child.kill(Signals.SIGCONT)

    task = asyncio.create_task(halt())
    scene.tasks.append(task)

    async def heal() -> None:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        scene.tasks.remove(task)
        scene.say("the table processor runs freely again")

    return heal


async def _device_silent(scene: Scene) -> Heal:
    """One device's cable is pulled: its table waits, all others play on."""
    line, device_id = _a_line(scene.floor)
    scene.say(f"the cable of {device_id} is pulled")
    line.unplug()

    async def heal() -> None:
        line.plug()
        scene.say(f"the cable of {device_id} is in its place again")

    return heal


def _a_line(floor: SimulatedFloor) -> tuple[OwnLine, str]:
    """Return a line that belongs to one device alone, with the device's id."""
    for table in floor.tables.values():
        for device in table.devices.values():
            if isinstance(device.line, OwnLine):
                return device.line, device.equipment_id
    raise AssertionError("every other table's devices have lines of their own")


FAULTS: Final = MappingProxyType(
    {
        "evaluator-down": Fault(
            ("ServiceAbsent", "EvaluatorFailing", "TableLate"), _evaluator_down
        ),
        "broker-down": Fault(("FloorSilent",), _broker_down),
        "database-down": Fault(("DatabaseDown", "LedgerStuck"), _database_down),
        "poison": Fault(("RecordQuarantined",), _poison),
        "slow-table": Fault(("SettledBudgetFast",), _slow_table),
        "device-silent": Fault(("DeviceSilent",), _device_silent),
    }
)
"""Every fault by name, with the alerts that it must bring."""
