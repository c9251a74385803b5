"""A floor for the table processor: a broker of its own, an evaluator, workers to kill, tables that play.

Each table folds what it sends, so it knows what comes next and sends nothing that would be refused;
the processor's own events it hears from the log. `check` says what must hold of every run.
"""

import asyncio
import contextlib
import re
import sys
import time
import urllib.request
from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from random import Random
from shutil import rmtree
from typing import Any, Self
from urllib.error import HTTPError, URLError

from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.structs import TopicPartition
from kafka.admin import KafkaAdminClient
from msgspec.structs import replace

from floorbook import topics
from floorbook.demo.broker import Broker, free_ports
from floorbook.demo.processes import Child, Program, Restarts, Supervisor, private_folder
from floorbook.table import rebuild
from floorbook.table.events import Event, Role
from floorbook.table.obligations import now_ms
from floorbook.table.store import is_stored, offset_of
from floorbook.v1 import floor_pb2
from floorbook.wire import envelope, movement, quarantine
from floorbook.wire.quarantine import Quarantined, Unreadable
from tests.unit.table.playing import Table, shuffled

FLOORBOOK = str(Path(sys.executable).with_name("floorbook"))
PARTITIONS = 4
_DECKS = tuple(shuffled(Random(seed)) for seed in range(20))
_QUICK = Restarts(first_pause_seconds=0.05, longest_pause_seconds=1.0, most_in_a_row=500)
_PATIENCE_SECONDS = 60.0


class Player:
    """One table as its devices and people see it: what they do next, until they must wait."""

    def __init__(self, table_id: str, seed: int, clock: Callable[[], int] = now_ms) -> None:
        self.table = Table(table_id, start_ms=clock(), seed=seed)
        self.partition = topics.partition_of(table_id, PARTITIONS)
        self._clock = clock
        self._queue: deque[Event] = deque()

    def next(self) -> Event | None:
        """Return what happens next at the table, None while it waits for the processor."""
        if not self._queue and not self.table.state.obligations:
            self._do(self._open if self.table.state.terms is None else self._round)
        return self._queue.popleft() if self._queue else None

    def rest(self) -> list[Event]:
        """Return what is still to come of the round in progress."""
        rest = list(self._queue)
        self._queue.clear()
        return rest

    def hear(self, event: Event) -> None:
        """Return after taking an event that the processor wrote."""
        self.table.take(replace(event, offset=len(self.table.log)))

    def up_to_opening(self) -> list[Event]:
        """Return what happens until the banker's hand is open and nobody has set his."""
        self._do(lambda: self.table.open(2).to("OPENED"))
        return self.rest()

    def answer(self) -> Event:
        """Return the answer to what is owed, as the processor would write it."""
        self._do(lambda: self.table.settle())
        return self._queue.pop()

    def send(self, equipment: str, fact: Any, **how: Any) -> Event:
        """Return the event by which `equipment` reports a fact; the table takes or refuses it."""
        assert not self._queue, "the table is in the middle of something"
        self._do(lambda: self.table.send(equipment, fact, **how))
        return self._queue.pop()

    def _do(self, what: Callable[[], object]) -> None:
        self.table.now_ms = max(self.table.now_ms, self._clock())
        known = len(self.table.log)
        what()
        self._queue.extend(self.table.log[known:])

    def _open(self) -> None:
        self.table.open(2)

    def _round(self) -> None:
        self.table.to_betting(self.table.rng.choice(_DECKS))
        self.table.bet(f"b1-{self.table.table_id}", "p1", 1, 100, 2)
        self.table.bet(f"b2-{self.table.table_id}", "p2", 2, 100, 1)
        self.table.lock()
        self.table.deal()
        self.table.open_banker()
        for gate in self.table.game.holders:
            self.table.set(gate)


@dataclass
class Log:
    """All records of the table processor's topics, as they are now."""

    events: list[Any]
    floor: list[Any]
    movements: list[Any]
    quarantine: list[Quarantined]

    def of(self, table_ids: Iterable[str]) -> "Log":
        """Return what the log has of these tables only."""
        keys = {table_id.encode() for table_id in table_ids}
        events, floor, movements = (
            [record for record in records if record.key in keys]
            for records in (self.events, self.floor, self.movements)
        )
        return Log(events, floor, movements, self.quarantine)

    def quarantined(self) -> dict[tuple[int, int], str]:
        """Return the reason of each place in table-events that could not be read."""
        return {(one.partition, one.offset): one.reason for one in self.quarantine}


@dataclass
class Worker:
    """One table processor, and where it answers."""

    child: Child
    probes: int
    logged_before: int = 0

    def get(self, path: str) -> tuple[int, str]:
        """Return status and body of a probe; 0 when nobody answers."""
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.probes}{path}", timeout=5) as got:
                return got.status, got.read().decode()
        except HTTPError as error:
            return error.code, error.read().decode()
        except (URLError, OSError):
            return 0, ""

    async def metric(self, name: str) -> float:
        """Return the sum of a metric's series now; 0 when nobody answers."""
        _, body = await asyncio.to_thread(self.get, "/metrics")
        found = re.findall(rf"^{name}(?:{{[^}}]*}})? (\S+)$", body, re.MULTILINE)
        return sum(map(float, found))

    def logged(self, text: str) -> int:
        """Return how often the log, over all starts of this worker, has `text`."""
        return self.child.log.read_text(errors="replace").count(text) - self._before(text)

    def _before(self, text: str) -> int:
        """Return how often workers of earlier tests under the same name have logged `text`."""
        with self.child.log.open(errors="replace") as file:
            return file.read(self.logged_before).count(text)

    async def ready(self) -> Self:
        """Return once the worker has taken over its partitions."""
        await until(self._is_ready, lambda: self.child.explain("does not take over"))
        return self

    async def _is_ready(self) -> bool:
        if self.child.gave_up:
            raise AssertionError(self.child.explain("gave up"))
        _, body = await asyncio.to_thread(self.get, "/readyz")
        return "assigned: ok" in body


async def until(
    holds: Callable[[], Awaitable[bool]],
    explain: Callable[[], str],
    seconds: float = _PATIENCE_SECONDS,
) -> None:
    """Return once `holds`; fail with what `explain` says when it never does."""
    end = time.monotonic() + seconds
    while not await holds():
        assert time.monotonic() < end, explain()
        await asyncio.sleep(0.05)


class Rig:
    """Broker, evaluator, workers and tables of one test."""

    def __init__(self, supervisor: Supervisor) -> None:
        self.supervisor = supervisor
        self.broker = Broker(supervisor)
        self.players: dict[str, Player] = {}
        self.workers: dict[str, Worker] = {}
        self.watermarks: dict[int, int] = {}
        self.ends: dict[int, int] = {}
        self.answers = 0
        self._evaluator_port, self._evaluator_probes = free_ports(2)
        self._producer: AIOKafkaProducer | None = None
        self._consumer: AIOKafkaConsumer | None = None
        self._tail: asyncio.Task[None] | None = None
        self._turn: deque[str] = deque()

    @property
    def bootstrap(self) -> list[str]:
        """Return where the broker answers."""
        return [self.broker.address]

    @property
    def evaluator_port(self) -> int:
        """Return the port of the real evaluator."""
        return self._evaluator_port

    async def start(self) -> None:
        """Return with a broker, its topics, and somebody who listens to the log."""
        await self.broker.start()
        await asyncio.to_thread(topics.create, self.bootstrap, PARTITIONS, 1)
        self._producer = AIOKafkaProducer(
            bootstrap_servers=self.broker.address,
            enable_idempotence=True,
            linger_ms=2,
            max_batch_size=256 * 1024,
        )
        await self._producer.start()
        self._tail = asyncio.create_task(self._listen())

    async def stop(self) -> None:
        """Return once nobody listens and writes any more."""
        if self._tail is not None:
            self._tail.cancel()
            await asyncio.gather(self._tail, return_exceptions=True)
        if self._producer is not None:
            await self._producer.stop()

    def environment(self) -> dict[str, str]:
        """Return the settings that all programs share."""
        return {
            "FLOORBOOK_KAFKA": self.broker.address,
            "FLOORBOOK_EVALUATOR": f"127.0.0.1:{self._evaluator_port}",
            "FLOORBOOK_DATADIR": str(self.supervisor.folder / "table"),
            "FLOORBOOK_LOG_FORMAT": "terminal",
        }

    async def evaluator(self) -> Child:
        """Return the evaluator, started and answering."""
        listen = {
            "FLOORBOOK_EVALUATOR_LISTEN": f"127.0.0.1:{self._evaluator_port}",
            "FLOORBOOK_PROBES_LISTEN": f"127.0.0.1:{self._evaluator_probes}",
        }
        program = Program("evaluator", (FLOORBOOK, "evaluator"), listen, restarts=_QUICK)
        child = await self.supervisor.start(program)
        probe = Worker(child, self._evaluator_probes)

        async def answers() -> bool:
            return (await asyncio.to_thread(probe.get, "/readyz"))[0] == 200

        await until(answers, lambda: child.explain("does not answer"))
        return child

    async def worker(self, slot: str = "0", **environment: str) -> Worker:
        """Return a table processor, started and kept running."""
        (probes,) = free_ports(1)
        own = {
            **self.environment(),
            "FLOORBOOK_SLOT": slot,
            "FLOORBOOK_PROBES_LISTEN": f"127.0.0.1:{probes}",
            **environment,
        }
        program = Program(f"table-{slot}", (FLOORBOOK, "table"), own, restarts=_QUICK)
        log = self.supervisor.folder / f"table-{slot}.log"
        before = len(log.read_text(errors="replace")) if log.exists() else 0
        worker = Worker(await self.supervisor.start(program), probes, before)
        self.workers[slot] = worker
        return worker

    async def ready(self) -> None:
        """Return once the workers have taken over all partitions between them."""
        for worker in self.workers.values():
            await worker.ready()

        async def all_taken() -> bool:
            held = [await w.metric("floorbook_table_partitions") for w in self.workers.values()]
            return sum(held) == PARTITIONS

        await until(all_taken, lambda: f"the workers {list(self.workers)} do not share partitions")

    async def clear(self) -> None:
        """Return with no worker and no table, for the next test."""
        for worker in self.workers.values():
            await worker.child.stop()
        self.workers.clear()
        self.players.clear()
        self._turn.clear()

    # What is written

    def leave(self, table_id: str) -> None:
        """Return after taking a table out of play: its test goes on by hand."""
        del self.players[table_id]
        self._turn.remove(table_id)

    def seat(self, count: int, prefix: str, clock: Callable[[], int] = now_ms) -> None:
        """Return after adding tables, so many in all that begin with `prefix`."""
        for number in range(count):
            table_id = f"{prefix}{number}"
            self.players[table_id] = Player(table_id, number, clock)
            self._turn.append(table_id)

    async def write(self, event: Event) -> tuple[int, int]:
        """Return partition and offset under which the log has an event."""
        sent = await self.put(event)
        got = await sent
        return got.partition, got.offset

    async def write_all(self, events: Iterable[Event]) -> None:
        """Return once the log has all of these events, in this order."""
        await asyncio.gather(*[await self.put(event) for event in events])

    async def put(self, event: Event) -> Any:
        """Return the broker's acknowledgement to come of an event."""
        return await self.put_raw(
            envelope.encode(event),
            event.table_id.encode(),
            topics.partition_of(event.table_id, PARTITIONS),
        )

    async def put_raw(
        self, value: bytes | None, key: bytes | None, partition: int, topic: str = ""
    ) -> Any:
        """Return the broker's acknowledgement to come of whatever bytes."""
        assert self._producer is not None
        return await self._producer.send(
            topic or topics.TABLE_EVENTS.name, value, key=key, partition=partition
        )

    async def play(
        self,
        events: int,
        rate: float = 0,
        *,
        answered: bool = False,
        ended: Callable[[], bool] = lambda: False,
    ) -> int:
        """Return how many events were written, `rate` a second, table after table.

        Tables that wait for the processor are waited for; without a rate it ends when all do,
        unless they are `answered` in its name.
        """
        written, waiting, sent = 0, 0, []
        began = time.monotonic()
        while written < events and waiting < len(self._turn) and not ended():
            table_id = self._turn[0]
            self._turn.rotate(-1)
            player = self.players[table_id]
            event = player.next()
            if event is None and answered:
                event = player.answer()
            if event is None:
                waiting += 1
                if rate and waiting == len(self._turn):
                    waiting = 0
                    await asyncio.sleep(0.01)
                continue
            waiting = 0
            sent.append(await self.put(event))
            written += 1
            if rate and (ahead := written / rate - (time.monotonic() - began)) > 0.01:
                await asyncio.sleep(ahead)
            elif written % 200 == 0:
                await asyncio.sleep(0)
        await asyncio.gather(*sent)
        return written

    async def play_while(self, rate: float, what: Awaitable[Any]) -> Any:
        """Return what `what` does, with events flowing meanwhile."""
        doing = asyncio.ensure_future(what)
        try:
            while not doing.done():
                await self.play(max(int(rate / 4), 1), rate, ended=doing.done)
        except BaseException:
            doing.cancel()
            raise
        return await doing

    # What is read

    async def _listen(self) -> None:
        """Read events of the processor for the tables, and watermarks."""
        consumer = AIOKafkaConsumer(
            bootstrap_servers=self.broker.address, auto_offset_reset="earliest"
        )
        await consumer.start()
        self._consumer = consumer
        try:
            consumer.assign(
                [
                    TopicPartition(topic.name, partition)
                    for topic in (topics.TABLE_EVENTS, topics.TABLE_STATES)
                    for partition in range(PARTITIONS)
                ]
            )
            while True:
                for tp, records in (await consumer.getmany(timeout_ms=200)).items():
                    for record in records:
                        if tp.topic == topics.TABLE_STATES.name:
                            self._mark(record)
                        else:
                            self.ends[tp.partition] = record.offset
                            self._hear(record)
        finally:
            await consumer.stop()

    def _mark(self, record: Any) -> None:
        if is_stored(record.key, record.value) and record.key.startswith(b"@"):
            known = self.watermarks.get(record.partition, -1)
            self.watermarks[record.partition] = max(known, offset_of(record.value))

    def _hear(self, record: Any) -> None:
        event = envelope.decode(record.value, record.key, record.partition, record.offset)
        if isinstance(event, Unreadable) or event.role is not Role.PROCESSOR:
            return
        self.answers += 1
        player = self.players.get(event.table_id)
        if player is not None and event.offset > player.table.__dict__.setdefault("heard", -1):
            player.table.__dict__["heard"] = event.offset
            player.hear(event)

    async def play_out(self) -> None:
        """Return once every round that was begun is written to its end."""
        for player in self.players.values():
            await self.write_all(player.rest())

    async def done(self, seconds: float = _PATIENCE_SECONDS) -> None:
        """Return once every round begun is played out, folded and settled."""
        await self.play_out()

        async def is_done() -> bool:
            owing = [p for p in self.players.values() if p.table.state.obligations]
            return not owing and self.watermarks == self.ends and self.ends == await self.written()

        def explain() -> str:
            owing = [i for i, p in self.players.items() if p.table.state.obligations]
            tails = "\n".join(w.child.explain("was running") for w in self.workers.values())
            return f"log {self.ends} heard, folded {self.watermarks}, owing {owing[:9]}\n{tails}"

        await until(is_done, explain, seconds)
        await asyncio.sleep(0.3)  # what was sent a moment ago has been heard then
        await until(is_done, explain, seconds)

    async def written(self) -> dict[int, int]:
        """Return the last offset of each partition that has events."""
        assert self._consumer is not None
        tps = [TopicPartition(topics.TABLE_EVENTS.name, p) for p in range(PARTITIONS)]
        ends = await self._consumer.end_offsets(tps)
        return {tp.partition: end - 1 for tp, end in ends.items() if end}

    async def acknowledged(self) -> dict[int, int]:
        """Return the last offset of each partition that the next worker need not be given again."""

        def asked() -> dict[int, int]:
            with KafkaAdminClient(bootstrap_servers=self.bootstrap) as admin:
                groups = admin.list_group_offsets([topics.TABLE_APP_ID])
            return {
                place.partition: kept.offset - 1
                for place, kept in groups[topics.TABLE_APP_ID].items()
                if place.topic == topics.TABLE_EVENTS.name
            }

        return await asyncio.to_thread(asked)

    async def log(self) -> Log:
        """Return everything that the topics hold."""

        def read() -> Log:
            return Log(
                list(rebuild.read(self.bootstrap, topics.TABLE_EVENTS)),
                list(rebuild.read(self.bootstrap, topics.FLOOR)),
                list(rebuild.read(self.bootstrap, topics.MOVEMENTS)),
                [
                    one
                    for record in rebuild.read(self.bootstrap, topics.QUARANTINE)
                    if isinstance(one := quarantine.decode(record.value), Quarantined)
                ],
            )

        return await asyncio.to_thread(read)

    async def rebuild(self) -> tuple[int, str]:
        """Return exit code and output of `floorbook rebuild`."""
        program = Program("rebuild", (FLOORBOOK, "rebuild"), self.environment())
        child = await self.supervisor.start(program)
        end = await child.exited(1)
        text = child.log.read_text()
        child.log.unlink()
        return end.code, text

    async def check(self, *, refused: bool = False) -> Log:
        """Return the log, after checking what must hold of every run that is done.

        Each event has a floor record, records of one partition come in the order of the log,
        repeats are equal; the same of movements; and live equals rebuilt. Unless `refused`,
        no event was refused: one lost on the way would leave a hole in its source's numbers.
        """
        log = await self.log()
        unread = log.quarantined()
        folded = self._check_floor(log.floor, refused=refused)
        expected = {
            (record.partition, record.offset)
            for record in log.events
            if unread.get((record.partition, record.offset)) in (None, envelope.UNKNOWN_FACT)
        }
        assert folded == expected, f"{len(expected - folded)} events have no floor record"
        movements = self._check_movements(log.movements)
        played = [m for p in self.players.values() for m in p.table.movements]
        assert {m.movement_id: m.fingerprint for m in played} == movements
        code, output = await self.rebuild()
        assert code == 0, output
        assert "live equals rebuilt" in output
        return log

    def _check_floor(self, records: Sequence[Any], *, refused: bool) -> set[tuple[int, int]]:
        seen: dict[tuple[int, int], bytes] = {}
        for record in records:
            floor = floor_pb2.FloorRecord.FromString(record.value)
            if not floor.HasField("folded"):
                continue
            place = (floor.partition, floor.offset)
            assert record.partition == floor.partition
            assert seen.setdefault(place, record.value) == record.value, f"{place} was told twice"
            verdict = floor.folded.verdict
            if not refused and floor.table_id in self.players:
                assert not verdict.reason, f"{floor.folded.event_id}: {verdict.reason}"
        assert sorted(seen, key=lambda place: place[0]) == sorted(seen), "told out of order"
        return set(seen)

    def _check_movements(self, records: Sequence[Any]) -> dict[str, bytes]:
        seen: dict[str, bytes] = {}
        prints: dict[str, bytes] = {}
        for record in records:
            one = movement.decode(record.value)
            assert not isinstance(one, Unreadable), one
            if one.table_id not in self.players:
                continue
            first = seen.setdefault(one.movement_id, record.value)
            assert first == record.value, f"{one.movement_id} was published with other content"
            prints[one.movement_id] = one.fingerprint
        return prints


@asynccontextmanager
async def rig() -> AsyncIterator[Rig]:
    """A broker with empty topics and an evaluator; everything ends with the block."""
    folder = private_folder("floorbook-table-")
    try:
        async with Supervisor(folder) as supervisor:
            made = Rig(supervisor)
            await made.start()
            try:
                await made.evaluator()
                yield made
            finally:
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(5):
                        await made.stop()
    finally:
        rmtree(folder, ignore_errors=True)


def tables(ids: Iterable[str]) -> dict[int, list[str]]:
    """Return the tables of each partition."""
    found: dict[int, list[str]] = {partition: [] for partition in range(PARTITIONS)}
    for table_id in ids:
        found[topics.partition_of(table_id, PARTITIONS)].append(table_id)
    return found
