"""What the table processor gets from its client, whatever the evaluator does."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from prometheus_client import CollectorRegistry

from floorbook import trace
from floorbook.evaluator.client import (
    Answer,
    Client,
    Refusal,
    Unavailable,
    VersionUnknown,
    pauses,
)
from floorbook.evaluator.service import Server
from floorbook.games import game
from floorbook.metrics.catalogue import EvaluatorMetrics
from floorbook.v1 import evaluator_pb2 as pb
from floorbook.v1 import evaluator_pb2_grpc

CARDS = "thirteen_cards"
VERSION = game.rules_versions(CARDS)[-1]
LONG_SECONDS = 60.0  # a deadline that no test waits for


def deal(n: int) -> str:
    return f'{{"op":"deal","banker_gate":0,"dice":[1,1,1,{n}]}}'


@asynccontextmanager
async def real_evaluator(deadline_seconds: float = LONG_SECONDS) -> AsyncIterator[Client]:
    server = Server(EvaluatorMetrics(CollectorRegistry()))
    client = Client(f"127.0.0.1:{await server.start('127.0.0.1:0')}", deadline_seconds)
    yield client
    await client.close()
    await server.stop()


Behaviour = Callable[[pb.EvaluateBatchRequest, Any], Awaitable[pb.EvaluateBatchResponse]]


class Scripted(evaluator_pb2_grpc.EvaluatorServiceServicer):
    """An evaluator that does what a test wants of it, and remembers the sizes of the batches."""

    def __init__(self, behaviour: Behaviour) -> None:
        self._behaviour = behaviour
        self.sizes: list[int] = []
        self.asked = asyncio.Event()

    async def EvaluateBatch(
        self, request: pb.EvaluateBatchRequest, context: Any
    ) -> pb.EvaluateBatchResponse:
        self.sizes.append(len(request.requests))
        self.asked.set()
        return await self._behaviour(request, context)


@asynccontextmanager
async def scripted(
    behaviour: Behaviour, deadline_seconds: float = LONG_SECONDS
) -> AsyncIterator[tuple[Client, Scripted]]:
    server, servicer = grpc.aio.server(), Scripted(behaviour)
    evaluator_pb2_grpc.add_EvaluatorServiceServicer_to_server(servicer, server)  # type: ignore[no-untyped-call]
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    client = Client(f"127.0.0.1:{port}", deadline_seconds)
    yield client, servicer
    await client.close()
    await server.stop(None)


async def echo(request: pb.EvaluateBatchRequest, context: Any) -> pb.EvaluateBatchResponse:
    """Return each question's input as its result."""
    return pb.EvaluateBatchResponse(
        answers=[
            pb.EvaluateBatchAnswer(response=pb.EvaluateResponse(result=each.input))
            for each in request.requests
        ]
    )


async def test_an_answer_names_its_rules() -> None:
    async with real_evaluator() as client:
        answer = await client.evaluate(CARDS, VERSION, deal(2))
    assert isinstance(answer, Answer)
    assert answer.result == '{"dice_total":5,"first_gate":0}'
    assert (answer.rule_set, answer.rules_version) == (CARDS, VERSION)
    assert answer.explanation


async def test_refusals_and_unknown_versions_are_values() -> None:
    async with real_evaluator() as client:
        refused, unknown, no_json = await asyncio.gather(
            client.evaluate(CARDS, VERSION, deal(7)),
            client.evaluate(CARDS, "1999-1", deal(1)),
            client.evaluate(CARDS, VERSION, "dice"),
        )
    assert isinstance(refused, Refusal)
    assert refused.code == "BAD_DICE"
    assert isinstance(unknown, VersionUnknown)
    assert VERSION in unknown.detail
    assert isinstance(no_json, Refusal)
    assert no_json.code == "BAD_REQUEST"


async def test_an_input_over_the_limit_is_refused_and_not_tried_for_ever() -> None:
    async with real_evaluator() as client:
        answer = await client.evaluate(CARDS, VERSION, '"' + "x" * 1024 * 1024 + '"')
    assert isinstance(answer, Refusal)
    assert answer.code == "BAD_REQUEST"


async def test_questions_asked_together_share_a_call_and_each_gets_its_own_answer() -> None:
    async with scripted(echo) as (client, evaluator):
        texts = [str(n) for n in range(50)]
        found = await asyncio.gather(*(client.evaluate(CARDS, VERSION, text) for text in texts))
    assert [answer.result for answer in found if isinstance(answer, Answer)] == texts
    assert evaluator.sizes == [50]


async def test_a_call_has_at_most_seventy_questions() -> None:
    async with scripted(echo) as (client, evaluator):
        await asyncio.gather(*(client.evaluate(CARDS, VERSION, "{}") for _ in range(170)))
    assert sorted(evaluator.sizes) == [30, 70, 70]


async def test_a_call_names_the_round_and_the_span_of_each_question() -> None:
    told: list[dict[str, str]] = []

    async def listen(request: pb.EvaluateBatchRequest, context: Any) -> pb.EvaluateBatchResponse:
        told.append(dict(context.invocation_metadata()))
        return await echo(request, context)

    span = f"00-{trace.trace_id('T2/1')}-{'b' * 16}-01"
    async with scripted(listen) as (client, _):
        await asyncio.gather(
            client.evaluate(CARDS, VERSION, "{}", round_id="T1/8"),
            client.evaluate(CARDS, VERSION, "{}", round_id="T2/1", parent=span),
        )
        await client.evaluate(CARDS, VERSION, "{}", round_id="T3/5", alone=True)
    together, alone = told
    assert together["floorbook-round"] == "T1/8,T2/1"
    assert together["traceparent"] == f"{trace.traceparent('T1/8')},{span}"
    assert alone["traceparent"] == trace.traceparent("T3/5")


async def test_what_a_full_call_names_fits_in_it_with_the_longest_ids() -> None:
    rounds = [f"{number:a>40}/123456789" for number in range(70)]
    async with real_evaluator() as client:
        found = await asyncio.gather(
            *(client.evaluate(CARDS, VERSION, deal(2), round_id=each) for each in rounds)
        )
    assert all(isinstance(each, Answer) for each in found), found


async def test_large_questions_share_a_call_only_up_to_a_size() -> None:
    async with scripted(echo) as (client, evaluator):
        large = "x" * 400_000
        found = await asyncio.gather(*(client.evaluate(CARDS, VERSION, large) for _ in range(5)))
    assert all(isinstance(answer, Answer) for answer in found)
    assert sorted(evaluator.sizes) == [1, 2, 2]


async def test_a_question_alone_shares_its_call_with_nobody() -> None:
    async with scripted(echo) as (client, evaluator):
        alone = [client.evaluate(CARDS, VERSION, "{}", alone=True) for _ in range(3)]
        await asyncio.gather(*alone, client.evaluate(CARDS, VERSION, "{}"))
    assert evaluator.sizes == [1, 1, 1, 1]


@pytest.mark.parametrize(
    "status",
    [
        grpc.StatusCode.UNAVAILABLE,
        grpc.StatusCode.DEADLINE_EXCEEDED,
        grpc.StatusCode.INTERNAL,
        grpc.StatusCode.RESOURCE_EXHAUSTED,
        grpc.StatusCode.UNKNOWN,
        grpc.StatusCode.UNIMPLEMENTED,
        grpc.StatusCode.PERMISSION_DENIED,
        grpc.StatusCode.INVALID_ARGUMENT,
    ],
)
async def test_a_call_that_fails_makes_all_its_questions_unavailable(
    status: grpc.StatusCode,
) -> None:
    async def fail(request: pb.EvaluateBatchRequest, context: Any) -> pb.EvaluateBatchResponse:
        await context.abort(status, "for a test")
        raise AssertionError("abort raises")

    async with scripted(fail) as (client, _):
        found = await asyncio.gather(*(client.evaluate(CARDS, VERSION, "{}") for _ in range(3)))
    assert found == [Unavailable(f"{status.name}: for a test", status.name)] * 3


async def test_nobody_at_the_address_is_unavailable_at_once_and_heals() -> None:
    server = Server(EvaluatorMetrics(CollectorRegistry()))
    port = await server.start("127.0.0.1:0")
    await server.stop()
    client = Client(f"127.0.0.1:{port}", LONG_SECONDS)
    outcome = await client.evaluate(CARDS, VERSION, deal(1))
    assert isinstance(outcome, Unavailable)
    assert outcome.code == "UNAVAILABLE"
    back = Server(EvaluatorMetrics(CollectorRegistry()))
    await back.start(f"127.0.0.1:{port}")
    while isinstance(outcome, Unavailable):
        await asyncio.sleep(pauses(1, "a test"))
        outcome = await client.evaluate(CARDS, VERSION, deal(1))
    assert isinstance(outcome, Answer)
    await client.close()
    await back.stop()


async def test_no_answer_in_time_is_unavailable() -> None:
    never = asyncio.Event()

    async def hang(request: pb.EvaluateBatchRequest, context: Any) -> pb.EvaluateBatchResponse:
        await never.wait()
        raise AssertionError("nobody sets it")

    async with scripted(hang, deadline_seconds=0.05) as (client, _):
        outcome = await client.evaluate(CARDS, VERSION, "{}")
    assert isinstance(outcome, Unavailable)
    assert outcome.code == "DEADLINE_EXCEEDED"


async def test_a_slow_call_holds_up_nobody_else() -> None:
    release = asyncio.Event()

    async def slow_first(request: pb.EvaluateBatchRequest, context: Any) -> Any:
        if request.requests[0].input == "slow":
            await release.wait()
        return await echo(request, context)

    async with scripted(slow_first) as (client, evaluator):
        slow = asyncio.create_task(client.evaluate(CARDS, VERSION, "slow"))
        await evaluator.asked.wait()
        quick = await client.evaluate(CARDS, VERSION, "quick")
        assert isinstance(quick, Answer)
        assert not slow.done()
        release.set()
        assert isinstance(await slow, Answer)


async def test_who_stops_waiting_takes_nothing_from_the_others() -> None:
    async with scripted(echo) as (client, _):
        first, second = (
            asyncio.create_task(client.evaluate(CARDS, VERSION, text)) for text in ("1", "2")
        )
        await asyncio.sleep(0)
        first.cancel()
        answer = await second
        assert isinstance(answer, Answer)
        assert answer.result == "2"
        with pytest.raises(asyncio.CancelledError):
            await first


@pytest.mark.parametrize(
    "response",
    [
        pb.EvaluateBatchResponse(),
        pb.EvaluateBatchResponse(answers=[pb.EvaluateBatchAnswer()]),
        pb.EvaluateBatchResponse(answers=[pb.EvaluateBatchAnswer()] * 2),
    ],
)
async def test_answers_that_do_not_match_the_questions_are_none(
    response: pb.EvaluateBatchResponse,
) -> None:
    async def odd(request: pb.EvaluateBatchRequest, context: Any) -> pb.EvaluateBatchResponse:
        return response

    async with scripted(odd) as (client, _):
        assert isinstance(await client.evaluate(CARDS, VERSION, "{}"), Unavailable)


async def test_closing_leaves_nobody_waiting() -> None:
    never = asyncio.Event()

    async def hang(request: pb.EvaluateBatchRequest, context: Any) -> pb.EvaluateBatchResponse:
        await never.wait()
        raise AssertionError("nobody sets it")

    async with scripted(hang) as (client, evaluator):
        under_way = asyncio.create_task(client.evaluate(CARDS, VERSION, "1"))
        await evaluator.asked.wait()
        gathered = asyncio.create_task(client.evaluate(CARDS, VERSION, "2"))
        await asyncio.sleep(0)
        await client.close()
        for outcome in (await under_way, await gathered, await client.evaluate("", "", "3")):
            assert isinstance(outcome, Unavailable)
            assert outcome.code == "CANCELLED"


@given(st.integers(1, 10_000), st.text(max_size=60))
def test_every_pause_is_between_a_tenth_and_five_seconds(attempt: int, seed: str) -> None:
    assert 0.1 <= pauses(attempt, seed) <= 5.0


@given(st.integers(1, 6), st.text(max_size=60))
def test_pauses_grow_until_they_reach_the_limit(attempt: int, seed: str) -> None:
    longest = min(0.2 * 2 ** (attempt - 1), 5.0)
    assert longest / 2 <= pauses(attempt, seed) <= longest


def test_pauses_are_the_same_each_time_and_spread_over_the_obligations() -> None:
    many = [pauses(8, f"T1/{n}/evaluation/1") for n in range(1_000)]
    assert many == [pauses(8, f"T1/{n}/evaluation/1") for n in range(1_000)]
    tenths = [
        sum(low <= pause < low + 0.25 for pause in many) for low in (2.5, 3.0, 3.5, 4.0, 4.75)
    ]
    assert all(60 < count < 140 for count in tenths), tenths
