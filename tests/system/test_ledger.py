"""The ledger on a real broker and a real database: every movement once, whatever is killed or arrives."""

import asyncio
import re
import sys
import urllib.request
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from signal import Signals
from urllib.error import HTTPError, URLError

import pytest
import pytest_asyncio
from kafka import KafkaAdminClient, KafkaConsumer, KafkaProducer, TopicPartition

from floorbook import topics
from floorbook.demo.broker import Broker, free_ports
from floorbook.demo.database import Database
from floorbook.demo.processes import Child, Program, Supervisor, private_folder
from floorbook.ledger import report, schema
from floorbook.ledger.journal import Entry
from floorbook.ledger.report import Selection
from floorbook.money import Movement
from floorbook.wire import entry as entry_wire
from floorbook.wire import movement as movement_wire
from floorbook.wire import quarantine as quarantine_wire
from floorbook.wire.quarantine import Quarantined
from tests.system.test_ledger_store import own_database
from tests.unit.ledger.movements import hold, sealed, settlement

pytestmark = [pytest.mark.system, pytest.mark.asyncio(loop_scope="module")]

FLOORBOOK = Path(sys.executable).with_name("floorbook")
PARTITIONS = 2


@dataclass(frozen=True)
class Servers:
    """A broker and a database that these tests may stop."""

    supervisor: Supervisor
    broker: Broker
    database: Database


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def servers() -> AsyncIterator[Servers]:
    """Both servers, with topics and empty books."""
    folder = private_folder("floorbook-ledger-")
    async with Supervisor(folder) as supervisor:
        broker, database = Broker(supervisor), Database(supervisor)
        await asyncio.gather(broker.start(), database.start())
        await asyncio.to_thread(topics.create, (broker.address,), PARTITIONS, 1)
        await asyncio.to_thread(schema.migrate, database.dsn)
        yield Servers(supervisor, broker, database)
    rmtree(folder)


@dataclass(frozen=True)
class Running:
    """A ledger process and where it is asked how it is."""

    child: Child
    probes: str

    def ask(self, path: str) -> tuple[int, str]:
        try:
            with urllib.request.urlopen(f"http://{self.probes}{path}", timeout=2) as answer:
                return answer.status, answer.read().decode()
        except HTTPError as error:
            return error.code, error.read().decode()
        except (URLError, OSError):
            return 0, ""

    def metric(self, series: str) -> float:
        for line in self.ask("/metrics")[1].splitlines():
            if line.startswith(series + " "):
                return float(line.rpartition(" ")[2])
        raise AssertionError(f"there is no series {series}")


@asynccontextmanager
async def ledger(servers: Servers, slot: str = "0", **environment: str) -> AsyncIterator[Running]:
    """A ledger that is started as production starts it, and killed if it takes long to stop."""
    (port,) = free_ports(1)
    address = f"127.0.0.1:{port}"
    program = Program(
        f"ledger-{slot}",
        (str(FLOORBOOK), "ledger", "serve"),
        environment={
            "FLOORBOOK_KAFKA": servers.broker.address,
            "FLOORBOOK_DATABASE": servers.database.dsn,
            "FLOORBOOK_PROBES_LISTEN": address,
            "FLOORBOOK_SLOT": slot,
            **environment,
        },
        stop_seconds=5.0,
    )
    child = await servers.supervisor.start(program)
    try:
        yield Running(child, address)
    finally:
        await child.stop()


async def until(holds: Callable[[], bool], running: Running) -> None:
    """Return when `holds` does; fail with the end of the log when it never does."""
    try:
        async with asyncio.timeout(60):
            while not await asyncio.to_thread(holds):  # noqa: ASYNC110 -- another process holds it
                await asyncio.sleep(0.05)
    except TimeoutError:
        pytest.fail(running.child.explain("does not get there", 40))


def shown(running: Running, series: str) -> float:
    """Return what a series without labels shows; -1 while nobody answers."""
    found = re.findall(rf"^{series} (\S+)$", running.ask("/metrics")[1], re.MULTILINE)
    return float(found[0]) if found else -1.0


def send(servers: Servers, *records: tuple[bytes | None, bytes | None]) -> list[tuple[int, int]]:
    """Put keys and values into the movements topic and return their partitions and offsets."""
    producer = KafkaProducer(bootstrap_servers=servers.broker.address, acks="all")
    try:
        sent = [
            producer.send(topics.MOVEMENTS.name, key=key, value=value, partition=None if key else 0)
            for key, value in records
        ]
        found = [future.get(timeout=20) for future in sent]
        return [(each.partition, each.offset) for each in found]
    finally:
        producer.close()


def send_movements(servers: Servers, *movements: Movement) -> list[tuple[int, int]]:
    return send(servers, *((m.table_id.encode(), movement_wire.encode(m)) for m in movements))


def rounds(table: str, count: int) -> list[Movement]:
    return [
        movement
        for round_ in range(1, count + 1)
        for movement in (
            hold(table, round_, 2 * round_ - 1),
            settlement(table, round_, 2 * round_),
        )
    ]


def booked(servers: Servers, *tables: str) -> list[str]:
    return [
        entry.entry_id
        for table in tables
        for entry in report.entries(servers.database.dsn, Selection(table_id=table))
    ]


def read_topic(servers: Servers, topic: topics.Topic) -> list[bytes]:
    consumer = KafkaConsumer(bootstrap_servers=servers.broker.address, enable_auto_commit=False)
    try:
        places = [TopicPartition(topic.name, each) for each in range(PARTITIONS)]
        consumer.assign(places)
        consumer.seek_to_beginning(*places)
        ends = consumer.end_offsets(places)
        values: list[bytes] = []
        while any(consumer.position(place) < ends[place] for place in places):
            for records in consumer.poll(500).values():
                values += [record.value for record in records]
        return values
    finally:
        consumer.close()


def published(servers: Servers, table: str) -> list[Entry]:
    entries = [entry_wire.decode(value) for value in read_topic(servers, topics.LEDGER_ENTRIES)]
    assert all(isinstance(entry, Entry) for entry in entries)
    return [each for each in entries if isinstance(each, Entry) and each.table_id == table]


def _id(entry: Entry) -> str:
    return entry.entry_id


def ids_without_repeats(entries: Sequence[Entry]) -> list[str]:
    return list(dict.fromkeys(entry.entry_id for entry in entries))


async def test_movements_are_booked_and_published_in_order(servers: Servers) -> None:
    movements = rounds("A1", 20)
    async with ledger(servers) as running:
        await until(lambda: running.ask("/readyz")[0] == 200, running)
        await asyncio.to_thread(send_movements, servers, *movements, *movements[-3:])
        await until(lambda: running.metric("floorbook_ledger_duplicates_total") >= 3, running)
        await until(lambda: len(published(servers, "A1")) >= 40, running)
        settled = running.metric('floorbook_ledger_entries_posted_total{kind="settlement"}')
        await running.child.stop()

    assert running.child.exits[-1].code == 0
    wanted = [movement.movement_id for movement in movements]
    assert booked(servers, "A1") == wanted
    entries = published(servers, "A1")
    assert [entry.entry_id for entry in entries] == wanted
    assert [entry.number for entry in entries] == list(range(1, 41))
    assert entries == list(report.entries(servers.database.dsn, Selection(table_id="A1")))
    assert settled == 20


async def test_what_cannot_be_read_goes_to_quarantine_and_the_next_is_booked(
    servers: Servers,
) -> None:
    good = movement_wire.encode(hold("B1"))
    async with ledger(servers) as running:
        places = await asyncio.to_thread(
            send,
            servers,
            (b"B1", bytes(range(200))),
            (b"B1", b""),
            (b"B1", None),
            (None, good),
            (b"B2", good),
            (b"B1", movement_wire.encode(sealed(hold("B1"), currency="mop"))),
            (b"B1", good),
        )
        await until(lambda: booked(servers, "B1") == ["B1/1/hold"], running)

    records = [quarantine_wire.decode(each) for each in read_topic(servers, topics.QUARANTINE)]
    found = {
        (each.partition, each.offset): each.reason
        for each in records
        if isinstance(each, Quarantined) and each.topic == topics.MOVEMENTS.name
    }
    assert [found.get(place) for place in places] == [
        "NOT_DECODABLE",
        "EMPTY",
        "EMPTY",
        "WRONG_KEY",
        "WRONG_KEY",
        "BAD_CURRENCY",
        None,
    ]


@pytest.mark.parametrize("point", ["ledger-after-commit", "ledger-after-publish"])
async def test_a_kill_between_two_steps_loses_and_doubles_nothing(
    servers: Servers, tmp_path: Path, point: str
) -> None:
    table = "C-" + point
    movements = rounds(table, 10)
    crash = {"FLOORBOOK_CRASH_AT": point, "FLOORBOOK_CRASH_FILE": str(tmp_path / "crashed")}
    async with ledger(servers, **crash) as first:
        await asyncio.to_thread(send_movements, servers, *movements)
        killed = await first.child.exited(1)
    async with ledger(servers, **crash) as second:
        await until(lambda: len(set(published(servers, table))) >= 20, second)

    assert killed.code == -Signals.SIGKILL
    assert (tmp_path / "crashed").exists()
    wanted = [movement.movement_id for movement in movements]
    assert booked(servers, table) == wanted
    assert ids_without_repeats(published(servers, table)) == wanted
    assert report.balances(servers.database.dsn)["MOP", f"table/{table}/layout"] == 0


async def test_a_database_that_stops_is_waited_for(servers: Servers) -> None:
    async with ledger(servers) as running:
        await asyncio.to_thread(send_movements, servers, *rounds("D0", 1))
        await until(lambda: len(published(servers, "D0")) >= 2, running)
        await servers.database.stop()
        await asyncio.to_thread(send_movements, servers, *rounds("D1", 5))
        await until(lambda: "database: no connection" in running.ask("/readyz")[1], running)
        assert running.ask("/healthz")[0] == 200
        # What waits is counted by who will book it, though he has no database.
        await until(lambda: shown(running, "floorbook_ledger_lag_records") >= 10, running)
        await until(lambda: shown(running, "floorbook_ledger_lag_seconds") > 1, running)
        await servers.database.start()
        await until(lambda: len(published(servers, "D1")) >= 10, running)
        await until(lambda: running.ask("/readyz")[0] == 200, running)
        await until(lambda: shown(running, "floorbook_ledger_lag_seconds") == 0, running)
        assert running.child.starts == 1
        assert running.child.running

    assert booked(servers, "D1") == [movement.movement_id for movement in rounds("D1", 5)]


async def test_a_broker_that_stops_is_waited_for(servers: Servers) -> None:
    async with ledger(servers) as running:
        await asyncio.to_thread(send_movements, servers, *rounds("E1", 5))
        await until(lambda: len(booked(servers, "E1")) == 10, running)
        await servers.broker.kill9()
        await until(lambda: running.ask("/readyz")[0] == 503, running)
        await servers.broker.start()
        await asyncio.to_thread(send_movements, servers, *rounds("E2", 5))
        await until(lambda: len(booked(servers, "E2")) == 10, running)
        await until(lambda: running.ask("/readyz")[0] == 200, running)
        assert running.child.running

    assert ids_without_repeats(published(servers, "E1")) == booked(servers, "E1")


async def test_a_frozen_writer_that_wakes_books_nothing_twice(servers: Servers) -> None:
    tables = [f"G{each}" for each in range(4)]  # in both partitions
    first = [movement for table in tables for movement in rounds(table, 3)]
    all_ = [movement for table in tables for movement in rounds(table, 6)]
    async with ledger(servers) as frozen, ledger(servers, "1") as other:
        await asyncio.to_thread(send_movements, servers, *first)
        await until(lambda: len(booked(servers, *tables)) == len(first), other)
        frozen.child.kill(Signals.SIGSTOP)
        await asyncio.to_thread(send_movements, servers, *all_)
        await until(lambda: len(booked(servers, *tables)) == len(all_), other)
        frozen.child.kill(Signals.SIGCONT)
        await asyncio.to_thread(send_movements, servers, *all_, hold("G0", 7, 13))
        await until(lambda: "G0/7/hold" in booked(servers, "G0"), other)
        await until(lambda: "G0/7/hold" in map(_id, published(servers, "G0")), other)

    assert booked(servers, *tables[1:]) == [m.movement_id for m in all_ if m.table_id != "G0"]
    assert report.conflicts(servers.database.dsn) == ()
    for table in tables:
        assert ids_without_repeats(published(servers, table)) == booked(servers, table)


async def test_too_much_that_cannot_be_read_stops_the_ledger(servers: Servers) -> None:
    limit = {"FLOORBOOK_QUARANTINE_LIMIT_PER_MINUTE": "2"}
    async with ledger(servers, **limit) as running:
        await until(lambda: running.ask("/readyz")[0] == 200, running)
        await asyncio.to_thread(send, servers, *[(b"F1", b"?")] * 3)
        stopped = await running.child.exited(1)

    assert stopped.code == 70
    async with ledger(servers) as restarted:  # with the usual limit the next movement is booked
        await asyncio.to_thread(send_movements, servers, hold("F1"))
        await until(lambda: booked(servers, "F1") == ["F1/1/hold"], restarted)


async def test_sigterm_while_the_database_is_down_ends_well(servers: Servers) -> None:
    await servers.database.stop()
    try:
        async with ledger(servers) as running:
            await until(lambda: "database: no connection" in running.ask("/readyz")[1], running)
            await running.child.stop()
    finally:
        await servers.database.start()

    assert running.child.exits[-1].code == 0


async def test_movements_that_the_topic_forgot_stop_the_ledger(servers: Servers) -> None:
    places = await asyncio.to_thread(send_movements, servers, *rounds("H1", 2))
    forgotten = {TopicPartition(topics.MOVEMENTS.name, places[0][0]): places[-1][1]}
    admin = KafkaAdminClient(bootstrap_servers=servers.broker.address)
    await asyncio.to_thread(admin.delete_records, forgotten)
    admin.close()
    with own_database(servers.database.dsn) as empty:
        await asyncio.to_thread(schema.migrate, empty)
        async with ledger(servers, FLOORBOOK_DATABASE=empty) as running:
            stopped = await running.child.exited(1)
        assert list(report.entries(empty, Selection(table_id="H1"))) == []

    assert stopped.code == 70
    assert "does not hold the offset" in "".join(running.child.log_tail(20))
