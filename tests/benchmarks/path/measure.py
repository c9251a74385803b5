"""Decides what is measured when: one load after the other on one set of services, then a backlog.

All loads share broker, database and services, so a later one finds everything that the earlier ones left:
that the cost stays the same is part of what is measured. Processor time is read from the kernel, of each
process with what it started, at the two ends of the measured time; the floor says how many events were folded between.
"""

import asyncio
import hashlib
import json
import secrets
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Sequence
from itertools import pairwise
from pathlib import Path
from typing import Any, Final

import msgspec
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from msgspec import Struct

from floorbook import topics
from floorbook.demo import evidence
from floorbook.demo.evidence import percentile
from floorbook.demo.processes import Child, Program, ProgramFailed, Supervisor
from floorbook.demo.services import Rig
from floorbook.topics import Topic
from tests.benchmarks.path import rounds
from tests.benchmarks.path.bare import BarePlan, BareResult
from tests.benchmarks.path.books import Books, read_books
from tests.benchmarks.path.load import Plan, Result
from tests.benchmarks.path.messages import CLIENT
from tests.benchmarks.path.report import PROCESSES, Backlog, Measured

_LOOK_SECONDS: Final = 0.05
_SOON_SECONDS: Final = 300.0
_BOOKED_SECONDS: Final = 30.0
_ENOUGH_ROUNDS: Final = 4_000
_BACKLOG_PREFIX: Final = "z"
_ROOT: Final = Path(__file__).parents[3]

Say = Callable[[str], None]


class Step(Struct, frozen=True):
    """One load: how many tables, how many events a second (0: as many as go)."""

    tables: int
    rate: float
    warm_up_seconds: float
    measured_seconds: float


class Registered(Struct, frozen=True):
    """Who may speak to the gateway, and with what."""

    registry: bytes
    token: str
    key: str


def prefix_of(number: int) -> str:
    """Return what the ids of the tables of a load begin with; all have one length."""
    return chr(ord("a") + number)


def register(steps: Sequence[Step]) -> Registered:
    """Return a registry with the equipment of all loads: one client speaks for every terminal."""
    token, key = secrets.token_urlsafe(24), secrets.token_urlsafe(24)
    tables = [
        table
        for number, step in enumerate(steps)
        for table in rounds.table_ids(prefix_of(number), step.tables)
    ]
    registry = {
        "devices": [
            {
                "id": rounds.equipment_id(table, device),
                "kind": rounds.KINDS[device].name.lower(),
                "tables": [table],
                "key": key,
            }
            for table in tables
            for device in rounds.DEVICES
        ],
        "clients": [
            {
                "id": CLIENT,
                "token": hashlib.sha256(token.encode()).hexdigest(),
                "tables": "*",
                "roles": ["player", "dealer", "supervisor"],
                "person": None,
                "equipment": [
                    {
                        "id": rounds.equipment_id(table, terminal),
                        "kind": rounds.KINDS[terminal].name.lower(),
                    }
                    for table in tables
                    for terminal in rounds.TERMINALS
                ],
            }
        ],
    }
    return Registered(json.dumps(registry).encode(), token, key)


class Clocks:
    """The processor time of every process of the product, and how much was folded, at one moment."""

    def __init__(self, at: float, cpu: dict[str, float], events: int, generator: float) -> None:
        """Return what was read at the time `at`."""
        self.at = at
        self.cpu = cpu
        self.events = events
        self.generator = generator


class Bench:
    """Broker, database and services, and what is measured on them."""

    def __init__(self, supervisor: Supervisor, rig: Rig, registered: Registered, say: Say) -> None:
        """Return a bench on a rig that runs."""
        self._supervisor = supervisor
        self._rig = rig
        self._registered = registered
        self._say = say

    async def load(self, number: int, step: Step) -> Measured:
        """Return what one load comes to."""
        prefix = prefix_of(number)
        plan = Plan(
            tables=step.tables,
            prefix=prefix,
            rate=step.rate,
            warm_up_seconds=step.warm_up_seconds,
            measured_seconds=step.measured_seconds,
            most_rounds=_most_rounds(step),
            seed=number + 1,
            gateway=self._rig.floor_addresses[0],
            kafka=self._rig.kafka,
            partitions=self._rig.partitions,
            token=self._registered.token,
            key=self._registered.key,
        )
        child, result_file = await self._start("load", f"load-{prefix}", plan)
        prepared = await self._line(child, "prepared")
        began = float((await self._line(child, "began"))["began"])
        if prepared["prepared"]:
            self._say(
                f"{step.tables:,} tables opened and brought into their rounds: "
                f"{prepared['prepared']:,} events folded in {prepared['seconds']:.1f} s"
            )
        start = began + step.warm_up_seconds
        await asyncio.sleep(max(start - time.time(), 0))
        before = await self._clocks(child)
        await asyncio.sleep(max(start + step.measured_seconds - time.time(), 0))
        after = await self._clocks(child)
        await self._well(child)
        result = msgspec.json.decode(result_file.read_bytes(), type=Result)
        return await self._measured(prefix, step, result, before, after)

    async def _measured(
        self, prefix: str, step: Step, result: Result, before: Clocks, after: Clocks
    ) -> Measured:
        books = await self._books(prefix, result)
        within = [each for each in books.settled if before.at <= each.completed < after.at]
        due = {each.round_id: each.due for each in result.finished}
        waits = sorted(each.committed - each.completed for each in within)
        events, seconds = after.events - before.events, after.at - before.at
        cpu = {name: after.cpu[name] - before.cpu[name] for name in PROCESSES}
        return Measured(
            tables=step.tables,
            asked=step.rate,
            reached=events / seconds,
            rounds_per_second=len(within) / seconds,
            settle_p50=percentile(waits, 50),
            settle_p99=percentile(waits, 99),
            due_p99=percentile(sorted(each.committed - due[each.round_id] for each in within), 99),
            late_p50=result.late_p50,
            late_p99=result.late_p99,
            unsent=result.unsent,
            repeated=result.repeated,
            prepared_per_second=(
                result.prepared_events / result.folded_seconds if result.prepared_events else 0.0
            ),
            microseconds={name: used / events * 1e6 for name, used in cpu.items()},
            generator_microseconds=(after.generator - before.generator) / events * 1e6,
            busy_cores=sum(cpu.values()) / seconds,
            faults=(*result.faults, *books.faults, *self._restarts()),
        )

    async def _books(self, prefix: str, result: Result) -> Books:
        """Return the books once they hold everything, or as they are after a while."""
        deadline = time.monotonic() + _BOOKED_SECONDS
        while True:
            books = await read_books(self._rig.dsn, prefix, result)
            if not books.faults or time.monotonic() > deadline:
                return books
            await asyncio.sleep(1)

    async def backlog(self, number: int, most: int) -> tuple[Backlog, list[str]]:
        """Return how fast one worker folds a log again, said of other tables, and what went wrong.

        Whoever would share the processors with it is stopped, all but the evaluator.
        """
        for name in self._rig.services:
            if not name.startswith("evaluator"):
                await self._rig.child(name).stop()
        first = await self._ends(topics.TABLE_EVENTS)
        floor = sum((await self._ends(topics.FLOOR)).values())
        count = await self._append(await self._log_of(prefix_of(number)), most)
        end = await self._ends(topics.TABLE_EVENTS)
        child = self._rig.child("table-0")
        child.start()
        samples = await self._follow(child, floor, count)
        await child.stop()
        plan = BarePlan(self._rig.kafka, self._rig.partitions, first, end)
        bare_child, result_file = await self._start("bare", "bare", plan)
        await self._well(bare_child)
        bare = msgspec.json.decode(result_file.read_bytes(), type=BareResult)
        quarters = [_nearest(samples, count * part / 4) for part in range(5)]
        return (
            Backlog(
                events=count,
                per_second=_rate(quarters[0], quarters[-1]),
                microseconds=_cost(quarters[0], quarters[-1]),
                quarter_microseconds=[_cost(*pair) for pair in pairwise(quarters)],
                bare_per_second=bare.bare.events / bare.bare.seconds,
                bare_microseconds=bare.bare.cpu_seconds / bare.bare.events * 1e6,
                fold_per_second=bare.in_memory.events / bare.in_memory.seconds,
                fold_microseconds=bare.in_memory.cpu_seconds / bare.in_memory.events * 1e6,
            ),
            self._restarts(),
        )

    async def _log_of(self, prefix: str) -> list[tuple[bytes, bytes]]:
        """Return keys and values of the log of one load, all partitions side by side."""
        records = [
            each
            for each in await evidence.read_log(self._rig.kafka, self._rig.log_start)
            if (each.key or b"").startswith(prefix.encode())
        ]
        sizes: dict[int, int] = defaultdict(int)
        placed = []
        for each in records:
            placed.append((sizes[each.partition], each))
            sizes[each.partition] += 1
        placed.sort(key=lambda one: one[0] / sizes[one[1].partition])
        return [(each.key or b"", each.value or b"") for _, each in placed]

    async def _append(self, records: Sequence[tuple[bytes, bytes]], most: int) -> int:
        """Return how many records were written again, under other tables' names of the same length."""
        producer = AIOKafkaProducer(bootstrap_servers=self._rig.kafka, acks="all", linger_ms=20)
        await producer.start()
        try:
            waiting = []
            for key, value in records[:most]:
                named = _BACKLOG_PREFIX.encode() + key[1:]
                waiting.append(
                    await producer.send(
                        topics.TABLE_EVENTS.name,
                        value.replace(key, named),
                        key=named,
                        partition=topics.partition_of(named.decode(), self._rig.partitions),
                    )
                )
            await asyncio.gather(*waiting)
            return len(waiting)
        finally:
            await producer.stop()

    async def _follow(
        self, child: Child, floor: int, count: int
    ) -> list[tuple[float, float, float]]:
        """Return (time, events folded, processor seconds) again and again until all are folded."""
        consumer = AIOKafkaConsumer(bootstrap_servers=self._rig.kafka)
        await consumer.start()
        samples: list[tuple[float, float, float]] = []
        deadline = time.monotonic() + _SOON_SECONDS
        try:
            while not samples or samples[-1][1] < count:
                if time.monotonic() > deadline or child.gave_up:
                    raise ProgramFailed(child.explain("does not fold the backlog"))
                await asyncio.sleep(_LOOK_SECONDS)
                parts = [
                    TopicPartition(topics.FLOOR.name, each) for each in range(self._rig.partitions)
                ]
                folded = sum((await consumer.end_offsets(parts)).values()) - floor
                # The announcements of the assignment are records too.
                if folded > self._rig.partitions:
                    samples.append((time.monotonic(), folded, child.cpu_seconds()))
        finally:
            await consumer.stop()
        return samples

    async def _clocks(self, generator: Child) -> Clocks:
        cpu: dict[str, float] = defaultdict(float)
        for name, child in self._supervisor.children.items():
            kind = name.partition("-")[0]
            if kind in PROCESSES and child.running:
                cpu[kind] += child.cpu_seconds()
        used = generator.cpu_seconds()
        now = time.time()
        events = sum((await self._ends(topics.FLOOR)).values())
        return Clocks(now, cpu, events, used)

    async def _ends(self, topic: Topic) -> dict[int, int]:
        return await evidence.ends(self._rig.kafka, topic, self._rig.partitions)

    async def _start(self, module: str, name: str, plan: Struct) -> tuple[Child, Path]:
        folder = self._supervisor.folder
        plan_file, result_file = folder / f"{name}.plan", folder / f"{name}.result"
        plan_file.touch(mode=0o600)
        plan_file.write_bytes(msgspec.json.encode(plan))
        program = Program(
            name,
            (
                sys.executable,
                "-m",
                f"tests.benchmarks.path.{module}",
                str(plan_file),
                str(result_file),
            ),
            folder=_ROOT,
        )
        return await self._supervisor.start(program), result_file

    async def _line(self, child: Child, field: str) -> dict[str, Any]:
        """Return the line in which a load says `field`."""
        deadline = time.monotonic() + _SOON_SECONDS
        while time.monotonic() < deadline:
            for line in child.log.read_text().splitlines():
                if line.startswith("{") and field in (found := json.loads(line)):
                    return dict(found)
            if not child.running:
                break
            await asyncio.sleep(_LOOK_SECONDS)
        raise ProgramFailed(child.explain(f"did not say {field}"))

    async def _well(self, child: Child) -> None:
        if (await child.exited(1)).code != 0:
            raise ProgramFailed(child.explain("failed"))

    def _restarts(self) -> list[str]:
        return [
            f"{name} ended and was started again: {child.exits[0]}"
            for name in self._rig.services
            if (child := self._rig.child(name)).exits and child.exits[0].code != 0
        ]


def _most_rounds(step: Step) -> int:
    seconds = step.warm_up_seconds + step.measured_seconds
    if step.rate:
        return int(seconds * step.rate / rounds.EVENTS_OF_A_ROUND / step.tables) + 2
    return _ENOUGH_ROUNDS // step.tables


def _nearest(
    samples: Sequence[tuple[float, float, float]], events: float
) -> tuple[float, float, float]:
    return min(samples, key=lambda each: abs(each[1] - events))


def _rate(first: tuple[float, float, float], last: tuple[float, float, float]) -> float:
    return (last[1] - first[1]) / (last[0] - first[0])


def _cost(first: tuple[float, float, float], last: tuple[float, float, float]) -> float:
    return (last[2] - first[2]) / (last[1] - first[1]) * 1e6
