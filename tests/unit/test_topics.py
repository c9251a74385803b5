"""What the topics are, and that every producer would choose the same partition."""

import re
from pathlib import Path

import aiokafka.partitioner
import faust
import pytest

from floorbook import topics
from floorbook.v1 import event_pb2, floor_pb2, ledger_pb2, movement_pb2, quarantine_pb2

SERVICES = Path(topics.__file__).parent


def test_names_are_of_one_form_and_only_here_once() -> None:
    names = [topic.name for topic in topics.ALL]
    assert len(set(names)) == len(names)
    for name in set(names) - {topics.TABLE_STATES.name}:
        assert re.fullmatch(r"floorbook\.[a-z]+(-[a-z]+)*\.v1", name)


def test_the_changelog_has_the_name_that_faust_gives_it() -> None:
    app = faust.App(topics.TABLE_APP_ID, store="memory://")
    table = app.Table(topics.TABLE_STORE, partitions=4)
    assert table.changelog_topic.get_topic_name() == topics.TABLE_STATES.name


def test_only_the_floor_and_the_states_are_ever_forgotten() -> None:
    kept = {
        topic.name
        for topic in topics.ALL
        if topic.cleanup_policy == "delete" and topic.retention_ms == topics.FOR_EVER
    }
    assert {topic.name for topic in topics.ALL} - kept == {
        topics.FLOOR.name,
        topics.TABLE_STATES.name,
    }
    assert topics.FLOOR.retention_ms == 7 * 24 * 60 * 60 * 1000


def test_table_events_are_read_by_nobody_who_shows_them() -> None:
    assert set(topics.TABLE_EVENTS.readers) == {"table", "rebuild", "audit"}


def test_the_configuration_is_what_production_needs() -> None:
    events = topics.TABLE_EVENTS.configuration(3)
    assert events["message.timestamp.type"] == "LogAppendTime"
    assert events["cleanup.policy"] == "delete"
    assert events["retention.ms"] == events["retention.bytes"] == "-1"
    assert events["min.insync.replicas"] == "2"
    assert events["unclean.leader.election.enable"] == "false"
    states = topics.TABLE_STATES.configuration(3)
    assert states["cleanup.policy"] == "compact"
    assert states["min.compaction.lag.ms"] == "86400000"


def test_one_copy_cannot_ask_for_two_in_sync() -> None:
    assert topics.TABLE_EVENTS.configuration(1)["min.insync.replicas"] == "1"


def test_every_message_is_in_the_contracts() -> None:
    modules = (event_pb2, floor_pb2, movement_pb2, ledger_pb2, quarantine_pb2)
    contracts = {name for module in modules for name in module.DESCRIPTOR.message_types_by_name}
    assert {topic.message for topic in topics.ALL if topic is not topics.TABLE_STATES} <= contracts


@pytest.mark.parametrize(
    ("key", "java_murmur2"),
    [
        ("21", -973932308),
        ("foobar", -790332482),
        ("a-little-bit-long-string", -985981536),
        ("a-little-bit-longer-string", -1486304829),
        ("abc", 479470107),
    ],
)
def test_partitions_are_those_of_the_java_client(key: str, java_murmur2: int) -> None:
    assert topics.partition_of(key, 12) == (java_murmur2 & 0x7FFFFFFF) % 12


def test_partitions_are_those_of_aiokafka() -> None:
    partitioner = aiokafka.partitioner.DefaultPartitioner()
    everywhere = list(range(12))
    for number in range(500):
        key = f"T{number}"
        assert topics.partition_of(key, 12) == partitioner(key.encode(), everywhere, everywhere)
    assert {topics.partition_of(f"T{number}", 12) for number in range(500)} == set(everywhere)


def test_an_error_names_each_fault() -> None:
    error = topics.TopicsError("one is missing", "two differs")
    assert error.faults == ("one is missing", "two differs")
    assert str(error) == "one is missing; two differs"
