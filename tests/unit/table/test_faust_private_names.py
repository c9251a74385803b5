"""What the table processor uses of Faust without Faust promising it: a new version must not pass unseen."""

import asyncio
import inspect
from collections.abc import AsyncIterator
from importlib import metadata
from types import SimpleNamespace
from typing import Any

import faust
import pytest
import pytest_asyncio
from aiokafka import AIOKafkaProducer
from faust.app import base as app_base
from faust.streams import Stream
from faust.tables import recovery as recovery_module
from faust.tables.recovery import Recovery
from faust.transport.consumer import Consumer, ThreadDelegateConsumer
from faust.transport.drivers import aiokafka as driver
from faust.types import TP

from floorbook import topics


@pytest_asyncio.fixture
async def app() -> AsyncIterator[faust.App]:
    """An application as the processor makes it, never started."""
    made = faust.App("private-names", broker="kafka://127.0.0.1:9", store="memory://")
    yield made


@pytest.fixture
def table(app: faust.App) -> Any:
    return app.Table("tables", key_type=bytes, value_type=bytes, partitions=4)


def changelog_event(key: bytes, value: bytes, partition: int = 0) -> Any:
    message = SimpleNamespace(key=key, value=value, partition=partition)
    return SimpleNamespace(key=key, value=value, message=message)


def test_the_version_is_the_one_that_was_measured() -> None:
    assert metadata.version("faust-streaming") == "0.15.3"
    assert metadata.version("aiokafka") == "0.14.0"


def test_the_producer_is_aiokafkas_own() -> None:
    source = inspect.getsource(driver.Producer)

    assert "self._producer = self._new_producer()" in source
    assert "aiokafka.AIOKafkaProducer" in inspect.getsource(driver.Producer._new_producer)
    for name in ("send", "create_batch", "send_batch"):
        assert callable(getattr(AIOKafkaProducer, name))


def test_the_store_is_a_plain_dictionary_that_recovery_fills(table: Any) -> None:
    table.apply_changelog_batch([changelog_event(b"T1", b"one"), changelog_event(b"@2", b"")])

    assert type(table.data.data) is dict
    assert table.data.data == {b"T1": b"one", b"@2": b""}


def test_recovery_looks_the_changelog_function_up_on_the_table(table: Any) -> None:
    applied: list[Any] = []
    table.apply_changelog_batch = applied.extend
    flushed = Recovery.flush_buffers
    recovery = SimpleNamespace(buffers={table: [changelog_event(b"T1", b"one")]})

    flushed(recovery)

    assert [event.key for event in applied] == [b"T1"]
    assert "table.apply_changelog_batch(buf)" in inspect.getsource(Recovery)


async def test_recovered_is_called_after_the_store_and_before_the_streams(table: Any) -> None:
    seen: list[dict[bytes, bytes]] = []

    async def recovered() -> None:
        seen.append(dict(table.data.data))

    table.on_recover(recovered)
    table.apply_changelog_batch([changelog_event(b"T1", b"one")])
    await table.on_recovery_completed({TP(topics.TABLE_STATES.name, 0)}, set())

    assert seen == [{b"T1": b"one"}]
    source = inspect.getsource(Recovery.on_recovery_completed)
    assert source.index("on_recovery_completed(") < source.index("resume_partitions")


async def test_what_a_worker_lost_is_not_kept_by_recovery(table: Any) -> None:
    table.apply_changelog_batch([changelog_event(b"T1", b"one", partition=3)])

    await table.on_recovery_completed({TP(topics.TABLE_STATES.name, 0)}, set())

    assert table.data.data == {}


async def test_recovery_says_how_far_it_has_read(app: faust.App, table: Any) -> None:
    recovery = app.tables.recovery

    assert recovery.active_offsets == {}
    assert recovery.active_highwaters == {}
    assert recovery.in_recovery is False
    recovery.add_active(table, TP("changelog", 1))
    assert recovery.active_offsets == {TP("changelog", 1): None}
    assert "self.active_highwaters.pop(tp, None)" in inspect.getsource(recovery_module)


async def test_the_signals_of_a_rebalance_are_sent_in_order(app: faust.App) -> None:
    sent: list[str] = []

    async def revoked(*_: Any, **__: Any) -> None:
        sent.append("revoked")

    async def assigned(*_: Any, **__: Any) -> None:
        sent.append("assigned")

    app.on_partitions_revoked.connect(revoked, weak=False)
    app.on_partitions_assigned.connect(assigned, weak=False)
    await app.on_partitions_revoked.send(set())
    await app.on_partitions_assigned.send(set())

    assert sent == ["revoked", "assigned"]
    source = inspect.getsource(app_base.App._on_partitions_assigned)
    assert source.index("self.tables.on_rebalance") < source.index("self.on_partitions_assigned")
    assert "self.on_partitions_revoked.send" in inspect.getsource(
        app_base.App._on_partitions_revoked
    )


def test_batches_are_acknowledged_even_when_folding_failed() -> None:
    """Why any exception must end the process before Faust comes to know of it."""
    source = inspect.getsource(Stream.take_events)

    assert "yield list(events)" in source
    after = source[source.index("yield list(events)") :]
    assert after.index("finally") < after.index("await self.ack(event)")


def test_the_consumer_knows_its_assignment() -> None:
    assert callable(ThreadDelegateConsumer.assignment)
    assert callable(driver.AIOKafkaConsumerThread.assignment)


def test_the_name_of_the_changelog_is_made_as_it_is_declared() -> None:
    app = faust.App(topics.TABLE_APP_ID, broker="kafka://127.0.0.1:9", store="memory://")
    table = app.Table(topics.TABLE_STORE, key_type=bytes, value_type=bytes, partitions=4)

    assert tuple(table.changelog_topic.topics) == (topics.TABLE_STATES.name,)


def test_settings_that_the_processor_needs_are_there(app: faust.App) -> None:
    for name in (
        "topic_allow_declare",
        "topic_disable_leader",
        "consumer_group_instance_id",
        "stream_wait_empty",
        "producer_acks",
        "producer_max_batch_size",
    ):
        assert hasattr(app.conf, name), name
    assert asyncio.iscoroutinefunction(app.start)
    assert app.should_stop is False


def test_the_consumer_delivers_each_record_by_wait_first_and_is_made_by_the_transport() -> None:
    assert "await self.wait_first(" in inspect.getsource(Consumer._drain_messages)
    assert "self.Consumer(" in inspect.getsource(driver.Transport.create_consumer)
