"""The local servers are real ones: what was acknowledged is there after a kill -9."""

from collections.abc import AsyncIterator
from pathlib import Path
from shutil import rmtree

import psutil
import psycopg
import pytest
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.admin import AIOKafkaAdminClient, NewTopic

from floorbook.demo.broker import Broker
from floorbook.demo.database import Database
from floorbook.demo.processes import Supervisor, private_folder
from floorbook.demo.servers import Server

pytestmark = pytest.mark.system

TOPIC = "survives"


@pytest.fixture
async def supervisor() -> AsyncIterator[Supervisor]:
    """A supervisor of the test's own, whose servers may be killed."""
    folder = private_folder("floorbook-test-")
    async with Supervisor(folder) as started:
        yield started
    rmtree(folder)


async def create_topic(address: str, name: str) -> None:
    admin = AIOKafkaAdminClient(bootstrap_servers=address)
    await admin.start()
    try:
        await admin.create_topics([NewTopic(name, num_partitions=1, replication_factor=1)])
    finally:
        await admin.close()


async def produce(address: str, topic: str, value: bytes) -> None:
    async with AIOKafkaProducer(bootstrap_servers=address, acks="all") as producer:
        await producer.send_and_wait(topic, value)


async def read(address: str, topic: str, count: int) -> list[bytes]:
    consumer = AIOKafkaConsumer(topic, bootstrap_servers=address, auto_offset_reset="earliest")
    async with consumer:
        return [(await consumer.getone()).value for _ in range(count)]


def processes_using(folder: Path) -> list[int]:
    """The processes whose working folder is in `folder`: the servers start there."""
    found = []
    for process in psutil.process_iter():
        try:
            if process.cwd().startswith(str(folder)):
                found.append(process.pid)
        except psutil.Error:
            continue
    return found


async def test_broker_keeps_records_over_kill_9_and_stops_without_a_trace(
    supervisor: Supervisor,
) -> None:
    broker = Broker(supervisor)
    await broker.start()
    address = broker.address
    await create_topic(address, TOPIC)
    await produce(address, TOPIC, b"before")

    await broker.kill9()
    assert processes_using(supervisor.folder) == []
    await broker.start()

    assert broker.address == address
    await produce(address, TOPIC, b"after")
    assert await read(address, TOPIC, 2) == [b"before", b"after"]
    assert processes_using(supervisor.folder) == [broker.child.pid]

    await broker.stop()
    assert processes_using(supervisor.folder) == []


async def test_database_keeps_rows_over_kill_9_and_stops_without_a_trace(
    supervisor: Supervisor,
) -> None:
    database = Database(supervisor)
    await database.start()
    dsn = database.dsn
    async with await psycopg.AsyncConnection.connect(dsn) as connection:
        await connection.execute("CREATE TABLE kept (value text)")
        await connection.execute("INSERT INTO kept VALUES ('before')")

    await database.kill9()
    await database.start()

    assert database.dsn == dsn
    async with await psycopg.AsyncConnection.connect(dsn) as connection:
        rows = await connection.execute("SELECT value, pg_xact_commit_timestamp(xmin) FROM kept")
        (row,) = await rows.fetchall()
    assert row[0] == "before"
    assert row[1] is not None, "commit times are not recorded"
    assert database.child.pid in processes_using(supervisor.folder)

    await database.stop()
    assert processes_using(supervisor.folder) == []


async def test_nobody_becomes_the_database_superuser_without_its_password(
    supervisor: Supervisor,
) -> None:
    database = Database(supervisor)
    await database.start()
    with pytest.raises(psycopg.OperationalError, match="password authentication failed"):
        await psycopg.AsyncConnection.connect(database.address, password="guessed")


async def test_shared_servers_answer(broker: Server, database: Server) -> None:
    async with await psycopg.AsyncConnection.connect(database.address) as connection:
        assert await (await connection.execute("SELECT 1")).fetchone() == (1,)
    admin = AIOKafkaAdminClient(bootstrap_servers=broker.address)
    await admin.start()
    try:
        cluster = await admin.describe_cluster()
    finally:
        await admin.close()
    assert len(cluster["brokers"]) >= 1
