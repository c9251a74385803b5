"""Topics on a real broker: made as declared, left alone when they are there, refused when they differ."""

from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from shutil import rmtree

import pytest
import pytest_asyncio
from kafka.admin import ConfigResource, KafkaAdminClient

from floorbook import cli, topics
from floorbook.demo.broker import Broker
from floorbook.demo.processes import Supervisor, private_folder
from floorbook.topics import TopicsError

pytestmark = [pytest.mark.system, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def servers() -> AsyncIterator[list[str]]:
    """A broker of these tests' own: they make and unmake the topics whose names everybody uses."""
    folder: Path = private_folder("floorbook-topics-")
    async with Supervisor(folder) as supervisor:
        broker = Broker(supervisor)
        await broker.start()
        yield [broker.address]
    rmtree(folder)


@pytest.fixture
def admin(servers: list[str]) -> Iterator[KafkaAdminClient]:
    """An admin client of a broker without any of the topics."""
    with KafkaAdminClient(bootstrap_servers=servers) as client:
        yield client
        drop(client, [topic.name for topic in topics.ALL])


def drop(admin: KafkaAdminClient, names: list[str]) -> None:
    there = [name for name in admin.list_topics() if name in names]
    if there:
        admin.delete_topics(there)
    while set(names) & set(admin.list_topics()):
        continue


def properties(admin: KafkaAdminClient, name: str) -> dict[str, str]:
    found = admin.describe_configs([ConfigResource("TOPIC", name)], config_filter="all")
    return {key: each["value"] for key, each in found["topic"][name].items()}


def refusal(act: Callable[..., object], *arguments: object) -> tuple[str, ...]:
    with pytest.raises(TopicsError) as refused:
        act(*arguments)
    return refused.value.faults


async def test_they_are_made_as_declared_and_once(
    servers: list[str], admin: KafkaAdminClient
) -> None:
    assert len(refusal(topics.check, servers)) == len(topics.ALL)
    topics.create(servers, 4, 1)
    topics.create(servers, 4, 1)
    assert topics.check(servers) == 4
    found = properties(admin, topics.TABLE_EVENTS.name)
    assert found["message.timestamp.type"] == "LogAppendTime"
    assert found["retention.ms"] == "-1"


async def test_another_partition_count_is_refused_before_anything_is_made(
    servers: list[str], admin: KafkaAdminClient
) -> None:
    topics.create(servers, 4, 1)
    drop(admin, [topics.MOVEMENTS.name])
    faults = refusal(topics.create, servers, 5, 1)
    assert len(faults) == len(topics.ALL) - 1
    assert all("has 4 partitions and not 5" in fault for fault in faults)
    assert refusal(topics.check, servers) == (
        f"{topics.MOVEMENTS.name} does not exist: run `floorbook topics create`",
    )


async def test_topics_that_differ_among_themselves_are_refused(
    servers: list[str], admin: KafkaAdminClient
) -> None:
    topics.create(servers, 4, 1)
    drop(admin, [topics.FLOOR.name])
    admin.create_topics(
        {
            topics.FLOOR.name: {
                "num_partitions": 2,
                "replication_factor": 1,
                "configs": topics.FLOOR.configuration(1),
            }
        },
        wait_for_metadata=True,
    )
    (fault,) = refusal(topics.check, servers)
    assert "the topics differ in partitions" in fault
    assert f"{topics.FLOOR.name} 2" in fault


async def test_another_retention_is_refused_by_create_and_check(
    servers: list[str], admin: KafkaAdminClient
) -> None:
    topics.create(servers, 4, 1)
    changed = ConfigResource("TOPIC", topics.MOVEMENTS.name, {"retention.ms": "5000"})
    admin.alter_configs([changed])
    while properties(admin, topics.MOVEMENTS.name)["retention.ms"] != "5000":
        continue  # the broker answers before it has taken the change in
    wanted = (f"{topics.MOVEMENTS.name} has retention.ms=5000 and not -1: set it by hand",)
    assert refusal(topics.check, servers) == wanted
    assert refusal(topics.create, servers, 4, 1) == wanted


async def test_what_the_broker_refuses_is_said_in_its_words(
    servers: list[str], admin: KafkaAdminClient
) -> None:
    faults = refusal(topics.create, servers, 4, 3)
    assert len(faults) == len(topics.ALL)
    assert "replication factor" in faults[0]


async def test_two_may_make_them_at_the_same_moment(
    servers: list[str], admin: KafkaAdminClient
) -> None:
    with ThreadPoolExecutor(4) as pool:
        makers = [pool.submit(topics.create, servers, 4, 1) for _ in range(4)]
    for maker in makers:
        maker.result()
    assert topics.check(servers) == 4


async def test_the_program_says_each_fault_in_a_line(
    servers: list[str],
    admin: KafkaAdminClient,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("FLOORBOOK_KAFKA", ",".join(servers))
    monkeypatch.setenv("FLOORBOOK_PARTITIONS", "4")
    monkeypatch.setenv("FLOORBOOK_REPLICATION", "1")
    assert cli.main(["topics", "check"]) == 1
    assert len(capsys.readouterr().err.splitlines()) == len(topics.ALL)
    assert cli.main(["topics", "create"]) == 0
    assert cli.main(["topics", "check"]) == 0
    assert "4 partitions" in capsys.readouterr().out
