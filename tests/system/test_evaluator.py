"""The evaluator as a process: what it answers, how it ends, and what its client makes of its absence."""

import asyncio
import json
import signal
import sys
import urllib.error
import urllib.request
from asyncio.subprocess import PIPE, Process
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import grpc
import pytest
import pytest_asyncio
from google.protobuf.descriptor_pb2 import FileDescriptorProto
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from floorbook.evaluator.client import Answer, Client, Outcome, Refusal, Unavailable, pauses
from floorbook.games import game
from floorbook.v1 import evaluator_pb2 as pb
from floorbook.v1 import evaluator_pb2_grpc

pytestmark = pytest.mark.system

FLOORBOOK = str(Path(sys.executable).parent / "floorbook")
VECTORS = Path(__file__).parents[1] / "vectors"
CARDS = "thirteen_cards"
VERSION = game.rules_versions(CARDS)[-1]
DEAL = '{"op":"deal","banker_gate":0,"dice":[1,1,1,2]}'
SERVICE = "floorbook.v1.EvaluatorService"
NOT_SERVING = health_pb2.HealthCheckResponse.NOT_SERVING
SERVING = health_pb2.HealthCheckResponse.SERVING


class Evaluator:
    """One `floorbook evaluator`, where it listens, and what it has logged."""

    def __init__(self, process: Process) -> None:
        self.process = process
        self.lines: list[dict[str, Any]] = []
        self.written = b""

    async def read_until(self, event: str) -> dict[str, Any]:
        """Return the first log line that says `event`; its end without one is a failure."""
        while await self._read_line():
            if self.lines and self.lines[-1]["event"] == event:
                return self.lines[-1]
        raise AssertionError(f"the evaluator ended without {event!r}: {self.written!r}")

    async def _read_line(self) -> bool:
        assert self.process.stderr is not None
        line = await self.process.stderr.readline()
        self.written += line
        if line.startswith(b"{"):  # the C core of gRPC has lines of its own for what it cannot do
            self.lines.append(json.loads(line))
        return bool(line)

    async def wait_until_it_listens(self) -> None:
        said = await self.read_until("evaluator listens")
        self.target = f"127.0.0.1:{said['port']}"
        self.probes = f"http://{said['probes']}"

    async def probe(self, path: str) -> tuple[int, str]:
        return await asyncio.to_thread(_get, self.probes + path)

    async def end(self) -> tuple[int, list[dict[str, Any]]]:
        """Return exit code and log of the process, which somebody has told to end."""
        while await self._read_line():
            pass
        return await self.process.wait(), self.lines


def _get(url: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(url, timeout=10) as response:
            return response.status, response.read().decode()
    except urllib.error.HTTPError as fault:
        return fault.code, fault.read().decode()


@asynccontextmanager
async def evaluator(listen: str = "127.0.0.1:0") -> AsyncIterator[Evaluator]:
    process = await asyncio.create_subprocess_exec(
        FLOORBOOK,
        "evaluator",
        env={"FLOORBOOK_EVALUATOR_LISTEN": listen, "FLOORBOOK_PROBES_LISTEN": "127.0.0.1:0"},
        stderr=PIPE,
    )
    try:
        yield Evaluator(process)
    finally:
        with suppress(ProcessLookupError):
            process.kill()
        await process.wait()


@pytest_asyncio.fixture
async def running() -> AsyncIterator[Evaluator]:
    async with evaluator() as started:
        await started.wait_until_it_listens()
        yield started


@asynccontextmanager
async def asking(target: str, deadline_seconds: float = 30.0) -> AsyncIterator[Client]:
    client = Client(target, deadline_seconds)
    yield client
    await client.close()


async def until_answered(client: Client) -> Outcome:
    """Return the first outcome that is not `Unavailable`, as the table processor would get it."""
    for attempt in range(1, 60):
        outcome = await client.evaluate(CARDS, VERSION, DEAL, alone=attempt > 1)
        if not isinstance(outcome, Unavailable):
            return outcome
        await asyncio.sleep(pauses(min(attempt, 2), "a test"))
    raise AssertionError(f"the evaluator did not come back: {outcome}")


async def test_it_answers_and_tells_those_who_watch(running: Evaluator) -> None:
    async with asking(running.target) as client:
        answer = await client.evaluate(CARDS, VERSION, DEAL)
        assert isinstance(answer, Answer)
        assert answer.result == '{"dice_total":5,"first_gate":0}'
        secret = (
            '{"op":"settle","banker_gate":0,"gates":[{"gate":0,"cards":["Qh","Xx"]}],"bets":[]}'
        )
        refusal = await client.evaluate(CARDS, VERSION, secret)
        assert isinstance(refusal, Refusal)
    assert await running.probe("/healthz") == (200, "ok\n")
    assert await running.probe("/readyz") == (200, "ready\nlistens: ok\n")
    _, metrics = await running.probe("/metrics")
    counted = (
        f'floorbook_evaluator_requests_total{{game="{CARDS}",op="settle",'
        f'outcome="refused",rule_set="{CARDS}"}} 1.0'
    )
    assert counted in metrics
    running.process.send_signal(signal.SIGTERM)
    code, log = await running.end()
    assert code == 0
    assert not [line for line in log if line["level"] != "info"]
    assert b"Qh" not in running.written


async def test_health_and_reflection_are_the_usual_ones(running: Evaluator) -> None:
    async with grpc.aio.insecure_channel(running.target) as channel:
        health = health_pb2_grpc.HealthStub(channel)
        for name in ("", SERVICE):
            request = health_pb2.HealthCheckRequest(service=name)
            assert (await health.Check(request)).status == SERVING
        reflection: Any = reflection_pb2_grpc.ServerReflectionStub(channel)
        asked = reflection_pb2.ServerReflectionRequest(file_containing_symbol=SERVICE)
        stream = reflection.ServerReflectionInfo(iter([asked]))
        answer = await stream.read()
        (file,) = answer.file_descriptor_response.file_descriptor_proto[:1]
        assert FileDescriptorProto.FromString(file).service[0].name == "EvaluatorService"
        stream.cancel()


async def test_told_to_end_it_finishes_what_runs_and_takes_nothing_new(running: Evaluator) -> None:
    async with grpc.aio.insecure_channel(running.target) as channel:
        watch = health_pb2_grpc.HealthStub(channel).Watch(health_pb2.HealthCheckRequest())
        assert (await watch.read()).status == SERVING
        stub: Any = evaluator_pb2_grpc.EvaluatorServiceStub(channel)  # type: ignore[no-untyped-call]
        question = pb.EvaluateRequest(rule_set=CARDS, rules_version=VERSION, input=DEAL)
        batch = stub.EvaluateBatch(pb.EvaluateBatchRequest(requests=[question] * 1_000))
        while 'op="deal",outcome="evaluated"' not in await counted_requests(running):
            pass
        running.process.send_signal(signal.SIGTERM)
        assert (await watch.read()).status == NOT_SERVING
        watch.cancel()
        assert len((await batch).answers) == 1_000
    code, log = await running.end()
    assert code == 0
    assert log[-1]["event"] == "evaluator stopped"
    async with asking(running.target) as client:
        gone = await client.evaluate(CARDS, VERSION, DEAL)
    assert isinstance(gone, Unavailable)
    assert gone.code == "UNAVAILABLE"


async def counted_requests(running: Evaluator) -> str:
    """Return the series of evaluated requests that are above zero."""
    _, metrics = await running.probe("/metrics")
    return "\n".join(
        line
        for line in metrics.splitlines()
        if line.startswith("floorbook_evaluator_requests_total") and not line.endswith(" 0.0")
    )


async def test_killed_and_started_again_it_is_found_by_the_same_client() -> None:
    async with evaluator() as first:
        await first.wait_until_it_listens()
        async with asking(first.target) as client:
            before = await client.evaluate(CARDS, VERSION, DEAL)
            first.process.kill()
            await first.process.wait()
            assert isinstance(await client.evaluate(CARDS, VERSION, DEAL), Unavailable)
            async with evaluator(first.target) as second:
                await second.wait_until_it_listens()
                after = await until_answered(client)
            assert isinstance(before, Answer)
            assert after == before


async def test_a_second_one_at_the_same_address_says_so_and_ends(running: Evaluator) -> None:
    async with evaluator(running.target) as second:
        code, log = await second.end()
    assert code == 1
    assert log[-1]["event"] == "cannot listen: is another evaluator running here?"
    async with asking(running.target) as client:
        assert isinstance(await client.evaluate(CARDS, VERSION, DEAL), Answer)


class Link:
    """A line to the evaluator that a test can make go silent without breaking it."""

    def __init__(self, target: str) -> None:
        self._host, _, port = target.rpartition(":")
        self._port = int(port)
        self._flows = asyncio.Event()
        self._flows.set()
        self._pipes: set[asyncio.Task[None]] = set()

    async def start(self) -> None:
        self._server = await asyncio.start_server(self._connected, "127.0.0.1", 0)
        self.target = f"127.0.0.1:{self._server.sockets[0].getsockname()[1]}"

    async def stop(self) -> None:
        self._server.close()
        for pipe in self._pipes:
            pipe.cancel()
        await asyncio.gather(*self._pipes, return_exceptions=True)

    def silence(self) -> None:
        self._flows.clear()

    def restore(self) -> None:
        self._flows.set()

    async def _connected(self, near: asyncio.StreamReader, back: asyncio.StreamWriter) -> None:
        far, there = await asyncio.open_connection(self._host, self._port)
        for source, sink in ((near, there), (far, back)):
            self._pipes.add(asyncio.create_task(self._pipe(source, sink)))

    async def _pipe(self, source: asyncio.StreamReader, sink: asyncio.StreamWriter) -> None:
        try:
            while some := await source.read(65536):
                await self._flows.wait()
                sink.write(some)
                await sink.drain()
        finally:
            sink.close()


@pytest_asyncio.fixture
async def link(running: Evaluator) -> AsyncIterator[Link]:
    made = Link(running.target)
    await made.start()
    yield made
    await made.stop()


async def test_a_silent_line_is_unavailable_at_the_deadline_and_heals(link: Link) -> None:
    async with asking(link.target, deadline_seconds=0.5) as client:
        assert isinstance(await client.evaluate(CARDS, VERSION, DEAL), Answer)
        link.silence()
        silent = await asyncio.gather(*(client.evaluate(CARDS, VERSION, DEAL) for _ in range(3)))
        assert [each.code for each in silent if isinstance(each, Unavailable)] == [
            "DEADLINE_EXCEEDED"
        ] * 3
        link.restore()
        assert isinstance(await until_answered(client), Answer)


def vector_files() -> Iterator[str]:
    return (str(file) for file in sorted(VECTORS.glob("*.json")))


async def test_a_server_gives_the_vectors_the_results_that_this_program_gives(
    running: Evaluator,
) -> None:
    reports = []
    for options in ((), ("--server", running.target)):
        process = await asyncio.create_subprocess_exec(
            FLOORBOOK, "conformance", "--json", *options, *vector_files(), stdout=PIPE, env={}
        )
        printed, _ = await process.communicate()
        reports.append(json.loads(printed))
    assert reports[0] == reports[1]
    assert reports[0]["passed"] > 0
