"""Deliveries end as Faust's own would, whether they wait for something or not."""

import asyncio
from pathlib import Path
from typing import Any

import faust
import pytest

from floorbook import settings
from floorbook.table import delivery, service


@pytest.fixture(params=[False, True], ids=["faust's own", "ours"])
async def consumer(request: pytest.FixtureRequest) -> Any:
    app = faust.App("delivery", broker="kafka://127.0.0.1:1", web_enabled=False)
    if request.param:
        delivery.quicken(app)
    return app.consumer


def test_the_processor_uses_our_consumer(tmp_path: Path) -> None:
    read = settings.read(
        {"FLOORBOOK_KAFKA": "127.0.0.1:1", "FLOORBOOK_DATADIR": str(tmp_path)}, "table"
    )
    assert isinstance(read, settings.Settings)

    assert type(service.make_app(read, 4).consumer) is delivery.QuickConsumer


async def test_a_delivery_that_waits_for_nothing_is_done(consumer: Any) -> None:
    async def deliver() -> str:
        return "delivered"

    ended = await consumer.wait_first(deliver(), asyncio.Event().wait())

    assert ended.results == ["delivered"]
    assert not ended.stopped


async def test_a_delivery_that_waits_is_done_when_it_has_what_it_needs(consumer: Any) -> None:
    room, steps = asyncio.Event(), []

    async def deliver() -> str:
        steps.append("before")
        await room.wait()
        await asyncio.sleep(0)
        steps.append("after")
        return "delivered"

    waiting = asyncio.create_task(consumer.wait_first(deliver(), asyncio.Event().wait()))
    await asyncio.sleep(0.001)
    assert steps == ["before"]
    room.set()

    assert (await waiting).results == ["delivered"]
    assert steps == ["before", "after"]


async def test_a_delivery_that_waits_is_broken_off_when_partitions_are_given_away(
    consumer: Any,
) -> None:
    suspend, ended = asyncio.Event(), []

    async def deliver() -> None:
        try:
            await asyncio.Event().wait()
        finally:
            ended.append("broken off")

    waiting = asyncio.create_task(consumer.wait_first(deliver(), suspend.wait()))
    await asyncio.sleep(0.001)
    suspend.set()

    await waiting
    await asyncio.sleep(0)
    assert ended == ["broken off"]


@pytest.mark.parametrize("waits", [False, True])
async def test_what_a_delivery_raises_is_raised(consumer: Any, waits: bool) -> None:
    async def deliver() -> None:
        if waits:
            await asyncio.sleep(0)
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        await consumer.wait_first(deliver(), asyncio.Event().wait())
