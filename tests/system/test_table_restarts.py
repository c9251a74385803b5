"""The table processor killed, stopped, frozen and misled: nothing is lost, nothing folded twice."""

import asyncio
import logging
import random
from collections.abc import AsyncIterator
from signal import Signals

import pytest
import pytest_asyncio
from kafka import KafkaConsumer, TopicPartition
from kafka.errors import KafkaError
from kafka.structs import OffsetAndMetadata

from floorbook import topics
from tests.system.table_rig import PARTITIONS, Rig, Worker, rig, tables, until

pytestmark = [pytest.mark.system, pytest.mark.asyncio(loop_scope="module")]
HOLE = "a hole in what was delivered is healed"
STALL = "the log is ahead and nothing comes"
SHORT_SESSION = {"FLOORBOOK_SESSION_TIMEOUT_SECONDS": "6"}


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared() -> AsyncIterator[Rig]:
    """One broker and one evaluator for all tests here; each has tables of its own."""
    async with rig() as made:
        yield made


@pytest_asyncio.fixture(loop_scope="module")
async def floor(shared: Rig) -> AsyncIterator[Rig]:
    """The floor before anybody works and plays on it."""
    yield shared
    await shared.clear()


async def restart(worker: Worker, signal: Signals, *, early: bool) -> None:
    """Return once the worker was ended and is back; an `early` one is ended again before it is."""
    starts = worker.child.starts
    worker.child.kill(signal)
    await worker.child.started(starts + 1)
    if early:
        await asyncio.sleep(random.random())
        worker.child.kill(signal)
        await worker.child.started(starts + 2)
    await worker.ready()


@pytest.mark.parametrize(
    "times",
    [15, pytest.param(60, marks=[pytest.mark.slow, pytest.mark.timeout(600)])],
)
async def test_restarts_with_events_flowing_lose_nothing(floor: Rig, times: int) -> None:
    worker = await (await floor.worker()).ready()
    rng = random.Random(times)
    floor.seat(40, f"restart{times}-")

    async def restarts() -> None:
        while len(worker.child.exits) < times:
            signal = rng.choice((Signals.SIGKILL, Signals.SIGTERM))
            await restart(worker, signal, early=rng.random() < 0.3)

    await floor.play_while(300, restarts())
    await floor.done(120)

    await floor.check()
    ends = [str(end) for end in worker.child.exits]
    assert len(ends) >= times
    assert set(ends) <= {"SIGKILL", "SIGTERM", "exit code 0"}, ends
    print(f"{len(ends)} restarts, {worker.logged(HOLE)} holes, {worker.logged(STALL)} stalls")


async def test_a_hole_and_a_stall_heal_without_hands(floor: Rig) -> None:
    worker = await (await floor.worker()).ready()
    floor.seat(24, "hole")
    await floor.play(200)
    await floor.done()
    await worker.child.stop()
    before = await floor.written()
    await floor.play(400, answered=True)
    await floor.play_out()  # nothing comes later that could show a hole at the end
    ends = await floor.written()
    behind = {p: (before[p] + ends[p]) // 2 for p in range(2)}
    await commit(floor, {**behind, 2: ends[2] + 1, 3: ends[3] + 1})

    worker.child.start()
    await worker.ready()
    await floor.done()

    await floor.check()
    assert worker.logged(HOLE) >= 3
    assert worker.logged(STALL) >= 2
    assert await worker.metric("floorbook_table_watchdog_reads_total") >= 2
    assert await worker.metric("floorbook_table_holes_healed_total") >= 3
    missing = sum(behind[p] - 1 - before[p] for p in behind) + sum(
        ends[p] - before[p] - 1 for p in (2, 3)
    )
    assert await worker.metric("floorbook_table_hole_events_total") >= missing


async def commit(floor: Rig, offsets: dict[int, int]) -> None:
    """Return once the group believes that it has folded up to `offsets`."""

    logging.getLogger("kafka").setLevel(logging.CRITICAL)  # it tells of each try

    def try_it() -> bool:
        consumer = KafkaConsumer(
            bootstrap_servers=floor.bootstrap,
            group_id=topics.TABLE_APP_ID,
            enable_auto_commit=False,
        )
        try:
            consumer.commit(
                {
                    TopicPartition(topics.TABLE_EVENTS.name, p): OffsetAndMetadata(offset, "", -1)
                    for p, offset in offsets.items()
                }
            )
        except KafkaError:
            return False  # the group still waits for its member to come back
        finally:
            consumer.close()
        return True

    async def tried() -> bool:
        return await asyncio.to_thread(try_it)

    await until(tried, lambda: "the group takes no offsets")


async def test_workers_that_join_and_leave_under_load_lose_nothing(floor: Rig) -> None:
    first = await (await floor.worker("0")).ready()
    floor.seat(40, "join")

    async def join_and_leave() -> None:
        for signal in (Signals.SIGTERM, Signals.SIGKILL):
            second = await floor.worker("1")
            await floor.ready()
            assert 0 < await second.metric("floorbook_table_partitions") < PARTITIONS
            await second.child.stop(signal)
            del floor.workers["1"]
            await floor.ready()

    await floor.play_while(200, join_and_leave())
    await floor.done()

    await floor.check()
    assert not first.child.exits


async def test_a_frozen_worker_that_wakes_does_no_harm(floor: Rig) -> None:
    awake = await (await floor.worker("0", **SHORT_SESSION)).ready()
    frozen = await floor.worker("1", **SHORT_SESSION)
    await floor.ready()
    floor.seat(40, "frozen")
    mine = await partitions_of(awake)
    assert len(mine) == PARTITIONS // 2
    own = [table_id for p in mine for table_id in tables(floor.players)[p]]

    def settled() -> int:
        return sum(floor.players[t].table.state.movements for t in own)

    async def freeze() -> int:
        await asyncio.sleep(1)
        before = settled()
        frozen.child.kill(Signals.SIGSTOP)
        await asyncio.sleep(3)
        meanwhile = settled() - before

        async def taken_over() -> bool:
            return await awake.metric("floorbook_table_partitions") == PARTITIONS

        await until(taken_over, lambda: awake.child.explain("did not take over"))
        await asyncio.sleep(2)
        frozen.child.kill(Signals.SIGCONT)
        await floor.ready()
        return meanwhile

    meanwhile = await floor.play_while(200, freeze())
    await floor.done()

    await floor.check()
    assert meanwhile > 0, "tables of the other worker waited"
    assert not awake.child.exits


async def partitions_of(worker: Worker) -> list[int]:
    """Return the partitions that a worker said last that it has taken over."""
    lines = [line for line in worker.child.log.read_text().splitlines() if "taken over" in line]
    inside = lines[-1].split("partitions=[")[1].split("]")[0]
    return [int(number) for number in inside.split(",") if number.strip()]


async def test_a_worker_told_to_end_under_load_ends_well_and_soon(floor: Rig) -> None:
    worker = await (await floor.worker()).ready()
    floor.seat(40, "term")

    async def end_and_come_back() -> None:
        for _ in range(3):
            await asyncio.sleep(0.5)
            times = len(worker.child.exits)
            worker.child.kill(Signals.SIGTERM)
            end = await asyncio.wait_for(worker.child.exited(times + 1), 5)
            assert end.code == 0
            await worker.child.started(times + 2)
            await worker.ready()

    await floor.play_while(500, end_and_come_back())
    await floor.done()
    await floor.check()


async def test_a_worker_told_to_end_while_it_starts_ends_well(floor: Rig) -> None:
    worker = await floor.worker()

    async def answers() -> bool:
        return (await asyncio.to_thread(worker.get, "/healthz"))[0] == 200

    await until(answers, lambda: worker.child.explain("does not answer"))
    worker.child.kill(Signals.SIGTERM)

    assert (await asyncio.wait_for(worker.child.exited(1), 5)).code == 0


async def test_a_worker_is_not_ready_while_the_broker_is_silent(floor: Rig) -> None:
    worker = await (await floor.worker()).ready()

    async def says(text: str) -> bool:
        return text in (await asyncio.to_thread(worker.get, "/readyz"))[1]

    await until(lambda: says("broker: ok"), lambda: worker.child.explain("sees no broker"))
    broker = floor.supervisor.children["kafka"]
    broker.kill(Signals.SIGSTOP)
    try:
        await until(
            lambda: says("broker: the broker does not answer"),
            lambda: worker.child.explain("sees a broker that is frozen"),
        )
        assert await says("not ready")
    finally:
        broker.kill(Signals.SIGCONT)
    await until(lambda: says("broker: ok"), lambda: worker.child.explain("sees no broker"))
    await worker.ready()


async def test_the_brokers_death_under_load_loses_nothing(floor: Rig) -> None:
    workers = [await floor.worker(slot) for slot in ("0", "1")]
    await floor.ready()
    floor.seat(40, "broker")

    async def kill_the_broker() -> None:
        for _ in range(2):
            await asyncio.sleep(1)
            await floor.broker.kill9()
            await asyncio.sleep(2)
            await floor.broker.start()
            await floor.ready()

    await floor.play_while(200, kill_the_broker())
    await floor.done(120)

    await floor.check()
    assert not any(worker.child.gave_up for worker in workers)
