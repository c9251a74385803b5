"""The metrics service as a process on a real broker: what it shows, over kills, poison and outages."""

import asyncio
import json
import signal
import sys
import urllib.error
import urllib.request
from asyncio.subprocess import DEVNULL, PIPE, Process
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from shutil import rmtree
from typing import Any

import pytest
import pytest_asyncio
from kafka import KafkaConsumer, KafkaProducer, TopicPartition
from kafka.admin import KafkaAdminClient
from prometheus_client.parser import text_string_to_metric_families

from floorbook import money, topics
from floorbook.demo.broker import Broker
from floorbook.demo.processes import Supervisor, private_folder
from floorbook.ledger.journal import Entry, journalise, mirror
from floorbook.money import Movement, MovementKind, Transfer
from floorbook.topics import Topic
from floorbook.v1 import floor_pb2
from floorbook.wire import entry as entry_wire
from floorbook.wire import movement as movement_wire
from floorbook.wire import quarantine as quarantine_wire
from floorbook.wire.quarantine import Quarantined

pytestmark = [pytest.mark.system, pytest.mark.asyncio(loop_scope="module")]

FLOORBOOK = str(Path(sys.executable).parent / "floorbook")
PARTITIONS = 2
CARDS = {"game": "thirteen_cards", "rule_set": "declare"}
PURSE = {"game": "thirteen_cards", "currency": "MOP"}
PATIENCE_SECONDS = 60.0


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def broker() -> AsyncIterator[Broker]:
    """A broker of these tests' own: they stop it, and whatever lies in its topics is counted."""
    folder = private_folder("floorbook-metrics-")
    async with Supervisor(folder) as supervisor:
        started = Broker(supervisor)
        await started.start()
        yield started
    rmtree(folder)


@pytest.fixture
def log(broker: Broker) -> Iterator["Log"]:
    """The topics, made anew: what the group had committed for the old ones goes with them."""
    names = [topic.name for topic in topics.ALL]
    with KafkaAdminClient(bootstrap_servers=broker.address) as admin:
        there = [name for name in admin.list_topics() if name in names]
        if there:
            admin.delete_topics(there)
        while set(names) & set(admin.list_topics()):
            continue
    topics.create([broker.address], PARTITIONS, 1)
    log = Log(broker.address)
    yield log
    log.producer.close()


class Log:
    """The topics, written as the other services write them."""

    def __init__(self, address: str) -> None:
        self.producer = KafkaProducer(bootstrap_servers=address, acks="all", linger_ms=5)
        self.address = address
        self.next_offset = 0

    def raw(self, topic: Topic, value: bytes | None, key: bytes | None = b"T1") -> None:
        """Write bytes where the records of table T1 lie."""
        partition = topics.partition_of("T1", PARTITIONS)
        self.producer.send(topic.name, value=value, key=key, partition=partition)

    def put(self, topic: Topic, table: str, value: bytes) -> None:
        self.producer.send(topic.name, value=value, key=table.encode())

    def ended(self) -> None:
        """Return once all is written."""
        self.producer.flush()

    def quarantine(self) -> list[Quarantined]:
        """Return all that is in quarantine and can be read."""
        consumer = KafkaConsumer(bootstrap_servers=self.address, group_id=None)
        places = [TopicPartition(topics.QUARANTINE.name, n) for n in range(PARTITIONS)]
        consumer.assign(places)
        consumer.seek_to_beginning(*places)
        ends = consumer.end_offsets(places)
        found: list[Quarantined] = []
        while any(consumer.position(place) < ends[place] for place in places):
            for records in consumer.poll(200).values():
                read = [quarantine_wire.decode(record.value or b"") for record in records]
                found += [each for each in read if isinstance(each, Quarantined)]
        consumer.close()
        return found


class Round:
    """One round at a table, record by record; the offsets of its events come from the log."""

    def __init__(self, log: Log, table: str, number: int) -> None:
        self.table, self.round_id = table, f"{table}/{number}"
        self.partition = topics.partition_of(table, PARTITIONS)
        self.first = log.next_offset
        log.next_offset += 10

    def folded(self, after: int, verdict: dict[str, Any], *shown: str) -> bytes:
        return floor_pb2.FloorRecord(
            table_id=self.table,
            partition=self.partition,
            offset=self.first + after,
            fold_schema=1,
            folded=floor_pb2.EventFolded(
                verdict=verdict,
                rule_set=CARDS["rule_set"],
                disclosures=[floor_pb2.Disclosure(**{each: {}}) for each in shown],
            ),
        ).SerializeToString()

    def movement(
        self, after: int, kind: MovementKind, end: str, *transfers: Transfer, **more: Any
    ) -> Movement:
        reverses = more.get("reverses", "")
        return Movement(
            movement_id=f"{self.round_id}/{end}",
            kind=kind,
            table_id=self.table,
            round_id=self.round_id,
            game=CARDS["game"],
            rule_set=CARDS["rule_set"],
            rules_version="1",
            gaming_day="2024-05-01",
            own_gaming_day="2024-05-01",
            table_time_ms=1,
            number=1 + after,
            currency="MOP",
            fingerprint=money.fingerprint(kind, self.round_id, "MOP", transfers, reverses),
            transfers=transfers,
            partition=self.partition,
            offset=self.first + after,
            **more,
        )

    def records(self) -> list[tuple[Topic, bytes]]:
        """Return the records of a round that is played, settled and, later, reversed and settled anew."""
        applied = {"outcome": floor_pb2.OUTCOME_APPLIED}
        refused = {"outcome": floor_pb2.OUTCOME_REFUSED, "reason": "BAD_BET"}
        hold = self.movement(2, MovementKind.HOLD, "hold", Transfer("player/p1", "layout", 500))
        lost = Transfer("layout", "bank", 500)
        first = self.movement(
            3, MovementKind.SETTLEMENT, "settlement/1", lost, completed_time_ms=1_000
        )
        back = self.movement(
            4,
            MovementKind.REVERSAL,
            "settlement/1/reversal",
            reverses=first.movement_id,
            reversed_fingerprint=first.fingerprint,
        )
        won = (
            Transfer("layout", "player/p1", 500),
            Transfer("bank", "player/p1", 500),
            Transfer("player/p1", "commission", 25),
        )
        second = self.movement(5, MovementKind.SETTLEMENT, "settlement/2", *won)
        mirrored = mirror(back, journalise(first))
        assert isinstance(mirrored, Entry)
        entries = (journalise(hold), journalise(first), mirrored, journalise(second))
        return [
            (topics.FLOOR, self.folded(0, applied, "round_opened")),
            (topics.FLOOR, self.folded(1, refused)),
            *((topics.MOVEMENTS, movement_wire.encode(m)) for m in (hold, first, back, second)),
            *((topics.LEDGER_ENTRIES, entry_wire.encode(each)) for each in entries),
        ]

    def write(self, log: Log) -> None:
        for topic, value in self.records():
            log.put(topic, self.table, value)


class Service:
    """One `floorbook metrics`, where it answers, and what it has logged."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.probes = ""
        self.lines: list[dict[str, Any]] = []
        self._answers = asyncio.Event()
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        assert self.process.stderr is not None
        while line := await self.process.stderr.readline():
            self.lines.append(json.loads(line))
            if self.lines[-1]["event"] == "started":
                self.probes = f"http://{self.lines[-1]['probes']}"
                self._answers.set()

    async def wait_until_it_answers(self) -> None:
        async with asyncio.timeout(PATIENCE_SECONDS):
            await self._answers.wait()

    async def get(self, path: str) -> tuple[int, str]:
        return await asyncio.to_thread(_get, self.probes + path)

    async def values(self) -> dict[tuple[str, frozenset[tuple[str, str]]], float]:
        _, text = await self.get("/metrics")
        return {
            (sample.name, frozenset(sample.labels.items())): sample.value
            for family in text_string_to_metric_families(text)
            for sample in family.samples
        }

    async def value(self, name: str, **labels: str) -> float:
        return (await self.values())[("floorbook_" + name, frozenset(labels.items()))]

    async def until(self, wanted: float, name: str, **labels: str) -> None:
        """Return once a series has the value `wanted`."""

        async def holds() -> bool:
            return await self.value(name, **labels) == wanted

        await until(holds)

    async def until_status(self, wanted: int) -> None:
        """Return once /readyz answers with a status."""

        async def holds() -> bool:
            return (await self.get("/readyz"))[0] == wanted

        await until(holds)

    async def until_all_is_shown(self, records: int) -> None:
        """Return once that many records of all topics are counted and shown."""

        async def holds() -> bool:
            shown = [
                value
                for (name, _), value in (await self.values()).items()
                if name == "floorbook_metrics_records_total"
            ]
            return sum(shown) >= records

        await until(holds)

    async def end(self, number: signal.Signals | None = None) -> int:
        """Return the exit code after a signal, or when the process ends by itself."""
        if number is not None:
            self.process.send_signal(number)
        code = await asyncio.wait_for(self.process.wait(), PATIENCE_SECONDS)
        await self._reading
        return code

    def said(self, event: str) -> list[dict[str, Any]]:
        return [line for line in self.lines if line["event"] == event]


async def until(holds: Callable[[], Awaitable[bool]]) -> None:
    """Return once `holds()`; fail if it does not come to that."""
    async with asyncio.timeout(PATIENCE_SECONDS):
        while not await holds():  # noqa: ASYNC110 -- another process tells nobody
            await asyncio.sleep(0.05)


def _get(url: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(url, timeout=10) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as fault:
        return fault.code, fault.read().decode()


@asynccontextmanager
async def metrics(log: Log, **settings: str) -> AsyncIterator[Service]:
    environment = {
        "FLOORBOOK_KAFKA": log.address,
        "FLOORBOOK_PROBES_LISTEN": "127.0.0.1:0",
        **settings,
    }
    process = await asyncio.create_subprocess_exec(
        FLOORBOOK, "metrics", env=environment, stdin=DEVNULL, stderr=PIPE
    )
    service = Service(process)
    try:
        await service.wait_until_it_answers()
        yield service
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await service.end()


async def test_it_shows_the_business(log: Log) -> None:
    rounds = [Round(log, table, 1) for table in ("T1", "T2", "T3")]
    for each in rounds:
        each.write(log)
    log.ended()
    async with metrics(log) as service:
        await service.until_all_is_shown(30)
        await service.until_status(200)
        values = {name: await service.value(name, **CARDS) for name in FIGURES}
        assert values == dict.fromkeys(FIGURES, 3.0)
        assert await service.value("refusals_total", reason="BAD_BET") == 3
        assert await service.value("handle_minor_units_total", **PURSE) == 1500
        assert await service.value("house_win_minor_units", **PURSE) == -1500
        assert await service.value("commission_minor_units", **PURSE) == 75
        assert await service.value("entries_total", kind="settlement") == 6
        assert await service.value("settle_seconds_count", **CARDS) == 0  # nothing was booked here
        for topic in (topics.FLOOR, topics.MOVEMENTS, topics.LEDGER_ENTRIES, topics.QUARANTINE):
            assert await service.value("metrics_partitions", topic=topic.name) == PARTITIONS
            await service.until(0, "metrics_lag_records", topic=topic.name)
            assert await service.value("metrics_lag_seconds", topic=topic.name) == 0
        assert (await service.get("/healthz"))[0] == 200
        assert await service.end(signal.SIGTERM) == 0


FIGURES = (
    "rounds_opened_total",
    "rounds_settled_total",
    "reversals_total",
    "bets_total",
)


async def opened(service: Service) -> float:
    return await service.value("rounds_opened_total", **CARDS)


async def test_repeats_are_not_counted_again_by_a_successor(log: Log) -> None:
    first = Round(log, "T1", 1)
    first.write(log)
    first.write(log)
    log.ended()
    async with metrics(log) as service:
        await service.until_all_is_shown(20)
        assert await opened(service) == 1
        assert await service.value("metrics_repeats_total", topic=topics.MOVEMENTS.name) == 4
        assert await service.end(signal.SIGKILL) == -signal.SIGKILL
    first.write(log)
    Round(log, "T1", 2).write(log)
    first.write(log)
    log.ended()
    async with metrics(log) as service:
        await service.until_all_is_shown(30)
        values = {name: await service.value(name, **CARDS) for name in FIGURES}
        assert values == dict.fromkeys(FIGURES, 1.0)
        assert await service.value("house_win_minor_units", **PURSE) == -500
        assert await service.end(signal.SIGTERM) == 0


@pytest.mark.parametrize(
    ("point", "again"), [("metrics-before-commit", 1.0), ("metrics-after-commit", 0.0)]
)
async def test_a_kill_beside_the_commit_counts_nothing_twice(
    log: Log, point: str, again: float, tmp_path: Path
) -> None:
    Round(log, "T1", 1).write(log)
    log.ended()
    trap = tmp_path / "trap"
    crash = {"FLOORBOOK_CRASH_AT": point, "FLOORBOOK_CRASH_FILE": str(trap)}
    async with metrics(log, **crash) as service:
        assert await service.end() == -signal.SIGKILL
    assert trap.exists()
    Round(log, "T1", 2).write(log)
    log.ended()
    async with metrics(log) as service:
        await service.until_all_is_shown(round(10 * (1 + again)))
        # What the killed one had committed it had not shown: it is lost, and never shown twice.
        assert await opened(service) == 1 + again


async def test_poison_is_counted_and_quarantined_and_the_next_record_is_read(log: Log) -> None:
    everywhere = (topics.FLOOR, topics.MOVEMENTS, topics.LEDGER_ENTRIES)
    bad: list[tuple[bytes | None, bytes | None]] = [
        (b"\xff\x00\xfe random", b"T1"),
        (b"", b"T1"),
        (None, b"T1"),
        (b"\xff", None),
    ]
    for topic in (*everywhere, topics.QUARANTINE):
        for value, key in bad:
            log.raw(topic, value, key)
    log.ended()
    no_kind = floor_pb2.FloorRecord(table_id="T1", partition=topics.partition_of("T1", 2))
    log.raw(topics.FLOOR, no_kind.SerializeToString())
    announced = floor_pb2.FloorRecord(announced=floor_pb2.FoldAnnounced())
    log.raw(topics.FLOOR, announced.SerializeToString(), None)
    Round(log, "T1", 1).write(log)
    log.ended()
    async with metrics(log) as service:
        await service.until_all_is_shown(16 + 2 + 10 + 13)
        values = {name: await service.value(name, **CARDS) for name in FIGURES}
        assert values == dict.fromkeys(FIGURES, 1.0)
        unreadable = {
            topic.name: await service.value("metrics_unreadable_total", topic=topic.name)
            for topic in (*everywhere, topics.QUARANTINE)
        }
        assert unreadable == {
            topics.FLOOR.name: 5,
            topics.MOVEMENTS.name: 4,
            topics.LEDGER_ENTRIES.name: 4,
            topics.QUARANTINE.name: 4,
        }
        # What it put in quarantine comes round, and is counted there by its topic and reason.
        for topic in everywhere:
            labels = {"topic": topic.name, "reason": "EMPTY"}
            assert await service.value("quarantined_total", **labels) == 2
        assert await service.value("metrics_quarantined_total", reason="UNKNOWN_KIND") == 1
        assert await service.end(signal.SIGTERM) == 0
    places = [(each.topic, each.offset) for each in log.quarantine()]
    assert sorted(places) == sorted(
        [(topic.name, offset) for topic in everywhere for offset in range(4)]
        + [(topics.FLOOR.name, 4)]
    )
    assert {each.service for each in log.quarantine()} == {"metrics"}


async def test_too_much_poison_stops_it_and_each_start_gets_further(log: Log) -> None:
    for _ in range(5):
        log.raw(topics.FLOOR, b"\xff")
    log.ended()
    Round(log, "T1", 1).write(log)
    log.ended()
    for _ in range(2):
        async with metrics(log, FLOORBOOK_QUARANTINE_LIMIT_PER_MINUTE="2") as service:
            assert await service.end() == 70
            assert "TooMuchQuarantine" in service.said("the metrics service ends")[0]["exception"]
    async with metrics(log, FLOORBOOK_QUARANTINE_LIMIT_PER_MINUTE="2") as service:
        await service.until(1, "rounds_opened_total", **CARDS)
    assert len(log.quarantine()) == 5


async def test_topics_that_are_not_there_end_it(log: Log) -> None:
    with KafkaAdminClient(bootstrap_servers=log.address) as admin:
        admin.delete_topics([topics.QUARANTINE.name])
        while topics.QUARANTINE.name in admin.list_topics():
            continue
    async with metrics(log) as service:
        assert await service.end() == 70
        said = service.said("the metrics service ends")[0]["exception"]
        assert "run `floorbook topics create`" in said


async def test_it_waits_for_the_broker_and_goes_on(broker: Broker, log: Log) -> None:
    Round(log, "T1", 1).write(log)
    log.ended()
    async with metrics(log) as service:
        await service.until(1, "rounds_opened_total", **CARDS)
        await service.until_status(200)
        await service.until(0, "metrics_lag_records", topic=topics.FLOOR.name)
        async with outage(broker):
            await service.until_status(503)
            assert (await service.get("/healthz"))[0] == 200
            # The series stay, though nothing is read.
            assert await service.value("metrics_lag_records", topic=topics.FLOOR.name) == 0
        await service.until_status(200)
        Round(log, "T1", 2).write(log)
        log.ended()
        await service.until(2, "rounds_opened_total", **CARDS)
        await service.until(2, "rounds_settled_total", **CARDS)
        assert await service.end(signal.SIGTERM) == 0


@asynccontextmanager
async def outage(broker: Broker) -> AsyncIterator[None]:
    await broker.kill9()
    try:
        yield
    finally:
        await broker.start()


async def test_it_ends_in_time_without_a_broker(broker: Broker, log: Log) -> None:
    async with metrics(log) as started_before, metrics(log, FLOORBOOK_SLOT="1") as service:
        await service.until_status(200)
        await started_before.until_status(200)
        async with outage(broker), metrics(log, FLOORBOOK_SLOT="2") as started_after:
            await started_after.until_status(503)
            for each in (started_before, service, started_after):
                async with asyncio.timeout(5):
                    assert await each.end(signal.SIGTERM) == 0


async def test_replicas_share_the_partitions_and_count_each_round_once(log: Log) -> None:
    tables = [f"T{n}" for n in range(1, 9)]
    async with metrics(log) as one:
        await one.until_status(200)
        for table in tables:
            Round(log, table, 1).write(log)
        log.ended()
        await one.until_all_is_shown(80)
        async with metrics(log, FLOORBOOK_SLOT="1") as two:
            await two.until(1, "metrics_partitions", topic=topics.FLOOR.name)
            await one.until(1, "metrics_partitions", topic=topics.FLOOR.name)
            for table in tables:
                Round(log, table, 2).write(log)
            log.ended()

            async def all_are_shown() -> bool:
                return await opened(one) + await opened(two) >= 16

            await until(all_are_shown)
            await one.until(0, "metrics_lag_records", topic=topics.FLOOR.name)
            await two.until(0, "metrics_lag_records", topic=topics.FLOOR.name)
            assert await opened(one) + await opened(two) == 16
