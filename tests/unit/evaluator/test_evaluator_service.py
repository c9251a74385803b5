"""The evaluator as a caller on the network meets it."""

from collections.abc import AsyncIterator
from typing import Any

import grpc
import pytest
import pytest_asyncio
from grpc_health.v1 import health_pb2, health_pb2_grpc
from prometheus_client import CollectorRegistry

from floorbook.evaluator import service
from floorbook.games import game
from floorbook.metrics.catalogue import EvaluatorMetrics
from floorbook.v1 import evaluator_pb2, evaluator_pb2_grpc

CARDS = "thirteen_cards"
VERSION = game.rules_versions(CARDS)[-1]
DEAL = '{"op":"deal","banker_gate":0,"dice":[1,1,1,2]}'


class Served:
    """A server in this process, a channel to it, and what it has counted."""

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self.server = service.Server(EvaluatorMetrics(self.registry))

    async def start(self) -> None:
        self.port = await self.server.start("127.0.0.1:0")
        self.channel = grpc.aio.insecure_channel(f"127.0.0.1:{self.port}")
        self.stub: Any = evaluator_pb2_grpc.EvaluatorServiceStub(self.channel)  # type: ignore[no-untyped-call]

    async def stop(self) -> None:
        await self.channel.close()
        await self.server.stop()

    async def health(self, name: str) -> int:
        stub = health_pb2_grpc.HealthStub(self.channel)
        answer = await stub.Check(health_pb2.HealthCheckRequest(service=name))
        return int(answer.status)

    def counted(self, **labels: str) -> float | None:
        return self.registry.get_sample_value("floorbook_evaluator_requests_total", labels)


@pytest_asyncio.fixture
async def served() -> AsyncIterator[Served]:
    made = Served()
    await made.start()
    yield made
    await made.stop()


def question(
    text: str = DEAL, rule_set: str = CARDS, version: str = VERSION
) -> evaluator_pb2.EvaluateRequest:
    return evaluator_pb2.EvaluateRequest(rule_set=rule_set, rules_version=version, input=text)


async def refused(
    served: Served, request: evaluator_pb2.EvaluateRequest
) -> tuple[grpc.StatusCode, str, str]:
    """Return status, code and message of a call that must fail."""
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await served.stub.Evaluate(request)
    metadata = dict(caught.value.trailing_metadata())
    return (
        caught.value.code(),
        str(metadata.get("floorbook-code", "")),
        caught.value.details() or "",
    )


async def test_a_question_is_answered_and_counted(served: Served) -> None:
    response = await served.stub.Evaluate(question())
    assert response.result == '{"dice_total":5,"first_gate":0}'
    assert (response.rule_set, response.rules_version) == (CARDS, VERSION)
    assert list(response.explanation)
    labels = {"game": CARDS, "rule_set": CARDS, "outcome": "evaluated"}
    assert served.counted(op="deal", **labels) == 1.0


@pytest.mark.parametrize(
    ("request_", "code"),
    [
        (question("dice"), "BAD_REQUEST"),
        (question("[1]"), "BAD_REQUEST"),
        (question(""), "BAD_REQUEST"),
        (question("[" * 100_000), "BAD_REQUEST"),
        (question('{"a":"' + "x" * 1024 * 1024 + '"}'), "BAD_REQUEST"),
        (question(rule_set="baccarat"), "UNKNOWN_RULE_SET"),
        (question(rule_set=""), "UNKNOWN_RULE_SET"),
        (question('{"op":"' + "\u5f35" * 10_000 + '"}'), "UNKNOWN_OP"),
        (question('{"op":"deal","banker_gate":0,"dice":[1,1,1,7]}'), "BAD_DICE"),
    ],
)
async def test_a_refusal_is_invalid_argument_with_its_code(
    served: Served, request_: evaluator_pb2.EvaluateRequest, code: str
) -> None:
    status, told, message = await refused(served, request_)
    assert status is grpc.StatusCode.INVALID_ARGUMENT
    assert told == code
    assert message.startswith(f"{code}: ")
    assert len(message) > len(code) + 2


async def test_an_unknown_version_is_failed_precondition_naming_the_known_ones(
    served: Served,
) -> None:
    status, told, message = await refused(served, question(version="1999-1"))
    assert status is grpc.StatusCode.FAILED_PRECONDITION
    assert told == "UNKNOWN_RULES_VERSION"
    assert VERSION in message


async def test_a_fault_of_the_evaluator_is_internal_and_its_log_shows_no_card(
    served: Served, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    def broken(rule_set: str, rules_version: str, asked: dict[str, object]) -> None:
        raise KeyError("Qh")

    monkeypatch.setattr(service, "judge", broken)
    status, _, message = await refused(served, question('{"op":"settle","cards":["Qh"]}'))
    assert status is grpc.StatusCode.INTERNAL
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await served.stub.EvaluateBatch(evaluator_pb2.EvaluateBatchRequest(requests=[question()]))
    assert caught.value.code() is grpc.StatusCode.INTERNAL
    logged = "".join(capfd.readouterr())
    assert "evaluation failed" in logged
    assert "settle" in logged
    assert "KeyError" in logged
    assert "Qh" not in logged + message
    labels = {"game": CARDS, "rule_set": CARDS, "outcome": "failed"}
    assert served.counted(op="settle", **labels) == 1.0


async def test_a_batch_is_answered_in_order_refusals_among_the_answers(served: Served) -> None:
    deals = [f'{{"op":"deal","banker_gate":0,"dice":[1,1,1,{n}]}}' for n in range(1, 7)]
    questions = [question(deal) for deal in deals]
    questions[2:2] = [question("no JSON"), question(version="1999-1")]
    batch = await served.stub.EvaluateBatch(evaluator_pb2.EvaluateBatchRequest(requests=questions))
    kinds = [answer.WhichOneof("answer") for answer in batch.answers]
    assert kinds == ["response"] * 2 + ["refusal"] * 2 + ["response"] * 4
    assert [answer.refusal.code for answer in batch.answers[2:4]] == [
        "BAD_REQUEST",
        "UNKNOWN_RULES_VERSION",
    ]
    totals = [answer.response.result for answer in batch.answers if answer.HasField("response")]
    assert totals == [f'{{"dice_total":{3 + n},"first_gate":{(2 + n) % 4}}}' for n in range(1, 7)]


async def test_a_batch_of_a_thousand_is_answered_and_a_larger_one_refused(served: Served) -> None:
    allowed = evaluator_pb2.EvaluateBatchRequest(requests=[question()] * 1_000)
    assert len((await served.stub.EvaluateBatch(allowed)).answers) == 1_000
    larger = evaluator_pb2.EvaluateBatchRequest(requests=[question()] * 1_001)
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await served.stub.EvaluateBatch(larger)
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert dict(caught.value.trailing_metadata())["floorbook-code"] == "BAD_REQUEST"
    assert "1001 questions" in (caught.value.details() or "")


async def test_an_empty_batch_has_no_answers(served: Served) -> None:
    response = await served.stub.EvaluateBatch(evaluator_pb2.EvaluateBatchRequest())
    assert len(response.answers) == 0


@pytest.mark.parametrize("method", ["Evaluate", "EvaluateBatch"])
async def test_bytes_that_are_no_request_are_a_bad_request(served: Served, method: str) -> None:
    call: Any = served.channel.unary_unary(f"/floorbook.v1.EvaluatorService/{method}")
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call(b"\xff\xff\xff")
    assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
    assert dict(caught.value.trailing_metadata())["floorbook-code"] == "BAD_REQUEST"


async def test_health_is_serving_for_the_process_and_the_service(served: Served) -> None:
    assert await served.health("") == health_pb2.HealthCheckResponse.SERVING
    assert (
        await served.health("floorbook.v1.EvaluatorService")
        == health_pb2.HealthCheckResponse.SERVING
    )


async def test_a_second_server_cannot_take_the_same_port(served: Served) -> None:
    other = service.Server(EvaluatorMetrics(CollectorRegistry()))
    with pytest.raises(RuntimeError):
        await other.start(f"127.0.0.1:{served.port}")
    assert (await served.stub.Evaluate(question())).result
