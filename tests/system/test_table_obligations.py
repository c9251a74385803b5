"""What tables owe, on a real broker and evaluator: worked off beside the stream, whatever is down or late."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from signal import Signals
from typing import Any

import grpc
import pytest
import pytest_asyncio

from floorbook.table.events import Event, RoundEvaluated, TimerExpired
from floorbook.table.obligations import now_ms
from floorbook.v1 import evaluator_pb2_grpc, floor_pb2
from floorbook.wire import envelope
from tests.system.table_rig import PARTITIONS, Log, Rig, Worker, rig, until
from tests.unit.table.playing import LIMIT_MS

LATE_SECONDS = 20.0

pytestmark = [pytest.mark.system, pytest.mark.asyncio(loop_scope="module")]


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


class Between(evaluator_pb2_grpc.EvaluatorServiceServicer):
    """Stands before the real evaluator: holds back what it is told to, fails when it is told to."""

    def __init__(self, real: str) -> None:
        self._stub = evaluator_pb2_grpc.EvaluatorServiceStub(  # type: ignore[no-untyped-call]
            grpc.aio.insecure_channel(real)
        )
        self.held = ""
        self.released = asyncio.Event()
        self.failures = 0
        self.failed = 0
        self.holding = 0

    async def EvaluateBatch(self, request: Any, context: Any) -> Any:
        if self.failed < self.failures:
            self.failed += 1
            await context.abort(grpc.StatusCode.INTERNAL, "a test wants it")
        if self.held and any(f'"{self.held}"' in one.input for one in request.requests):
            self.holding += 1
            await self.released.wait()
        return await self._stub.EvaluateBatch(request, timeout=10)


@asynccontextmanager
async def between(floor: Rig) -> AsyncIterator[tuple[Between, dict[str, str]]]:
    """A proxy before the evaluator, and the setting by which a worker asks there."""
    servicer = Between(f"127.0.0.1:{floor.evaluator_port}")
    server = grpc.aio.server()
    evaluator_pb2_grpc.add_EvaluatorServiceServicer_to_server(  # type: ignore[no-untyped-call]
        servicer, server
    )
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    try:
        yield servicer, {"FLOORBOOK_EVALUATOR": f"127.0.0.1:{port}"}
    finally:
        await server.stop(None)


def settlements(floor: Rig) -> int:
    """Return how many rounds are settled at the tables that play, as far as was heard."""
    return sum(
        one.kind == "settlement" for p in floor.players.values() for one in p.table.movements
    )


async def waits(holds: Callable[[], bool], fault: str) -> None:
    """Return once `holds`."""

    async def asked() -> bool:
        return holds()

    await until(asked, lambda: fault)


async def owed(worker: Worker, number: int) -> None:
    """Return once the worker's gauge says that so much is owed."""

    async def said() -> bool:
        return await worker.metric("floorbook_table_obligations_open") == number

    await until(said, lambda: f"the gauge never says that {number} are owed")


def answers(log: Log, table_id: str) -> list[Event]:
    """Return the processor's own events of a table, in the order of the log."""
    read = [envelope.decode(r.value, r.key, r.partition, r.offset) for r in log.events]
    return [e for e in read if isinstance(e, Event) and e.table_id == table_id and e.obligation_id]


async def test_tables_wait_for_the_evaluator_and_are_settled_when_it_is_back(floor: Rig) -> None:
    worker = await (await floor.worker()).ready()
    evaluator = floor.supervisor.children["evaluator"]
    await evaluator.stop(Signals.SIGKILL)
    floor.seat(8, "down")
    await floor.play(1000)  # until all wait

    async def not_ready() -> bool:
        _, body = await asyncio.to_thread(worker.get, "/readyz")
        return "evaluator: ok" not in body

    await until(not_ready, lambda: "nobody said that the evaluator is down")
    assert settlements(floor) == 0
    await owed(worker, 8)
    evaluator.start()
    await floor.done()

    await floor.check()
    assert settlements(floor) == 8
    status, body = await asyncio.to_thread(worker.get, "/readyz")
    assert status == 200, body
    await owed(worker, 0)


async def test_a_late_answer_holds_back_nobody_else(floor: Rig) -> None:
    async with between(floor) as (proxy, environment):
        await (await floor.worker(**environment)).ready()
        floor.seat(12, "late")
        proxy.held = "b1-late0"
        proxy.failures = 1  # and one call breaks

        async def others_go_on() -> None:
            await waits(lambda: proxy.holding > 0, "nobody asked for the round that is held")
            late = asyncio.create_task(asyncio.sleep(LATE_SECONDS))
            while not late.done():
                wanted = settlements(floor) + 40
                await waits(partial(is_settled, wanted), "the others wait")

        def is_settled(wanted: int) -> bool:
            return settlements(floor) >= wanted

        await floor.play_while(300, others_go_on())
        assert floor.players["late0"].table.state.obligations
        proxy.released.set()
        await floor.done()

        await floor.check()
        assert proxy.failed == 1


async def test_an_evaluation_under_way_survives_a_rebalance(floor: Rig) -> None:
    async with between(floor) as (proxy, environment):
        environment["FLOORBOOK_EVALUATE_DEADLINE_SECONDS"] = "60"
        await (await floor.worker("0", **environment)).ready()
        floor.seat(8, "move")
        proxy.held = "b1-move0"
        await floor.play(1000)
        await waits(lambda: proxy.holding > 0, "nobody asked for the round that is held")

        await floor.worker("1", **environment)
        await floor.ready()
        proxy.released.set()
        await floor.done()

        await floor.check()
        assert settlements(floor) >= 8


async def test_a_second_answer_is_known_already(floor: Rig) -> None:
    await (await floor.worker()).ready()
    floor.seat(4, "second")
    await floor.play(1000)
    await waits(lambda: settlements(floor) >= 4, "no settlement")
    await floor.done()
    (answer, *_) = answers(await floor.log(), "second0")
    assert isinstance(answer.fact, RoundEvaluated)

    place = await floor.write(answer)
    await floor.done()

    log = await floor.check()
    told = [floor_pb2.FloorRecord.FromString(record.value) for record in log.floor]
    (second,) = [f.folded for f in told if (f.partition, f.offset) == place]
    assert second.verdict.known
    assert not second.disclosures


async def test_timers_are_taken_up_by_whoever_comes_next(floor: Rig) -> None:
    # The limit runs out three seconds after the banker's hand is opened.
    worker = await (await floor.worker()).ready()
    floor.seat(6, "timer", clock=lambda: now_ms() - LIMIT_MS + 3_000)
    for player in floor.players.values():
        await floor.write_all(player.up_to_opening())
    worker.child.kill(Signals.SIGKILL)
    await worker.child.started(2)
    await worker.ready()
    await waits(
        lambda: all(settled_or_owed(p.table) for p in floor.players.values()), "no timer expired"
    )
    await floor.done()

    log = await floor.check()
    for table_id in floor.players:
        facts = [type(e.fact) for e in answers(log, table_id)]
        assert TimerExpired in facts, facts


def settled_or_owed(table: Any) -> bool:
    """Return whether the round no longer waits for anybody's hand."""
    return table.phase in ("SETTLED", "VOID")


async def test_what_is_owed_is_shared_by_the_workers(floor: Rig) -> None:
    for slot in ("0", "1"):
        await floor.worker(slot)
    await floor.ready()
    floor.seat(16, "shared")
    await floor.play(600, rate=400)
    await floor.done()

    log = await floor.check()
    partitions = {record.partition for record in log.of(floor.players).events}
    assert partitions == set(range(PARTITIONS))
    answered = [answer for t in floor.players for answer in answers(log, t)]
    assert len(answered) == len({answer.event_id for answer in answered}), "asked twice"
