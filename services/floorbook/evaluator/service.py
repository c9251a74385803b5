"""Decides how the evaluator meets the network: gRPC in and out, health, probes, a quiet end.

A refusal is an answer; what goes wrong inside is INTERNAL and a log line that names the rule set,
the operation and the place, and nothing of the cards.
"""

import asyncio
import contextlib
import signal
import time
import traceback
from collections.abc import Callable
from typing import Any, NamedTuple, NoReturn, TypeVar

import grpc
from google.protobuf.message import DecodeError, Message
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from floorbook import ending, ids, logs, spans, trace
from floorbook.evaluator import answers
from floorbook.evaluator.answers import Answer, Refusal, VersionUnknown
from floorbook.evaluator.judge import judge, read
from floorbook.games import game
from floorbook.metrics.catalogue import OPERATIONS, OTHER, RULE_SETS, EvaluatorMetrics, new_registry
from floorbook.probes import Probes
from floorbook.settings import Settings
from floorbook.spans import Spans
from floorbook.v1 import evaluator_pb2

SERVICE: str = evaluator_pb2.DESCRIPTOR.services_by_name["EvaluatorService"].full_name
DRAIN_SECONDS = 3.0
BEAT_SECONDS = 1.0
# A large batch lets others have their turn in between: health checks, small batches, a cancellation.
TURN_SECONDS = 0.01

INVALID = grpc.StatusCode.INVALID_ARGUMENT
NO_MESSAGE = "The bytes are no message of this method."

_M = TypeVar("_M", bound=Message)
_GAMES = {rule_set: of for of, rule_set in RULE_SETS.values}

_OPTIONS = (
    ("grpc.max_receive_message_length", answers.MOST_MESSAGE_BYTES),
    # A second evaluator on the same port must fail, not take half of the calls.
    ("grpc.so_reuseport", 0),
    # Clients look the name up anew now and then, so that they find replicas that came later.
    ("grpc.max_connection_age_ms", 60_000),
    ("grpc.max_connection_age_grace_ms", 10_000),
    # The table processor's keep-alive is more frequent than gRPC allows by itself.
    ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
)

Context = grpc.aio.ServicerContext[object, object]


class Asked(NamedTuple):
    """For which round a question is asked, and from which span: for correlation only."""

    round_id: str
    parent: str


class Failed(Exception):
    """The evaluator itself is at fault; what happened is logged."""


class Evaluator:
    """The EvaluatorService of one process."""

    def __init__(self, metrics: EvaluatorMetrics, spans: Spans | None = None) -> None:
        """Return a service that counts what it does in `metrics`, and tells of it in `spans`."""
        self._metrics = metrics
        self._spans = spans
        self._is_debug = logs.is_debug()

    def handler(self) -> grpc.GenericRpcHandler:
        """Return the two methods as gRPC wants them.

        Not by the generated function: with that one, bytes that are no message end as UNKNOWN.
        """
        methods: dict[str, grpc.RpcMethodHandler[Any, Any]] = {
            "Evaluate": grpc.unary_unary_rpc_method_handler(
                self.evaluate,
                request_deserializer=_reader(evaluator_pb2.EvaluateRequest),
                response_serializer=evaluator_pb2.EvaluateResponse.SerializeToString,
            ),
            "EvaluateBatch": grpc.unary_unary_rpc_method_handler(
                self.evaluate_batch,
                request_deserializer=_reader(evaluator_pb2.EvaluateBatchRequest),
                response_serializer=evaluator_pb2.EvaluateBatchResponse.SerializeToString,
            ),
        }
        return grpc.method_handlers_generic_handler(SERVICE, methods)

    async def evaluate(
        self, request: evaluator_pb2.EvaluateRequest | None, context: Context
    ) -> evaluator_pb2.EvaluateResponse:
        """Return the answer to one question; a refusal is the call's status."""
        if request is None:
            return await _abort(context, INVALID, answers.BAD_REQUEST, NO_MESSAGE)
        try:
            answer = self._answer(request, _asked_for(context, 1)[0])
        except Failed as fault:
            return await context.abort(grpc.StatusCode.INTERNAL, str(fault))
        match answer:
            case Answer():
                return _response(answer)
            case Refusal(code, detail):
                return await _abort(context, INVALID, code, detail)
            case VersionUnknown(detail):
                code = answers.UNKNOWN_RULES_VERSION
                return await _abort(context, grpc.StatusCode.FAILED_PRECONDITION, code, detail)

    async def evaluate_batch(
        self, request: evaluator_pb2.EvaluateBatchRequest | None, context: Context
    ) -> evaluator_pb2.EvaluateBatchResponse:
        """Return the answers to several questions, in their order."""
        if request is None:
            return await _abort(context, INVALID, answers.BAD_REQUEST, NO_MESSAGE)
        if len(request.requests) > answers.MOST_IN_BATCH:
            detail = (
                f"The batch has {len(request.requests)} questions; "
                f"at most {answers.MOST_IN_BATCH} are allowed."
            )
            return await _abort(context, INVALID, answers.BAD_REQUEST, detail)
        response = evaluator_pb2.EvaluateBatchResponse()
        turn_ends = time.monotonic() + TURN_SECONDS
        asked_for = _asked_for(context, len(request.requests))
        for question, asked in zip(request.requests, asked_for, strict=True):
            try:
                response.answers.append(_batch_answer(self._answer(question, asked)))
            except Failed as failure:
                return await context.abort(grpc.StatusCode.INTERNAL, str(failure))
            if time.monotonic() >= turn_ends:
                await asyncio.sleep(0)
                turn_ends = time.monotonic() + TURN_SECONDS
        return response

    def _answer(
        self, request: evaluator_pb2.EvaluateRequest, asked: Asked
    ) -> Answer | Refusal | VersionUnknown:
        if self._spans is None:
            return self._judged(request, asked)
        span = self._spans.begin(
            "evaluator answer",
            asked.round_id,
            trace.parse(asked.parent),
            attributes={"rule_set": request.rule_set},
        )
        fault = "failed"
        try:
            answer = self._judged(request, asked)
            fault = ""
            return answer
        finally:
            if span is not None:
                span.end(fault)

    def _judged(
        self, request: evaluator_pb2.EvaluateRequest, asked: Asked
    ) -> Answer | Refusal | VersionUnknown:
        begun = time.perf_counter()
        rule_set, op = request.rule_set, OTHER
        of = _GAMES.get(rule_set, OTHER)
        try:
            question = read(request.input)
            if isinstance(question, Refusal):
                answer: Answer | Refusal | VersionUnknown = question
            else:
                op = _op(question)
                answer = judge(rule_set, request.rules_version, question)
        except Exception as fault:
            # A bug in the rules of one game is no reason to leave the others without an answer.
            _log_failure(rule_set if of != OTHER else OTHER, op, fault, asked.round_id)
            self._count(op, of, rule_set, "failed")
            raise Failed("the evaluator failed, its log says where") from fault
        self._count(op, of, rule_set, _outcome(answer))
        seconds = time.perf_counter() - begun
        self._metrics.request_seconds.observe(seconds, op=_known(op, of), game=of)
        if self._is_debug:
            logs.logger().debug(
                "question answered",
                round_id=asked.round_id,
                rule_set=rule_set if of != OTHER else OTHER,
                op=op,
                outcome=_outcome(answer),
                seconds=round(seconds, 6),
            )
        return answer

    def _count(self, op: str, of: str, rule_set: str, outcome: str) -> None:
        self._metrics.requests.add(op=_known(op, of), game=of, rule_set=rule_set, outcome=outcome)


def _reader(kind: type[_M]) -> Callable[[bytes], _M | None]:
    def read_message(raw: bytes) -> _M | None:
        try:
            return kind.FromString(raw)
        except DecodeError:
            return None

    return read_message


async def _abort(context: Context, status: grpc.StatusCode, code: str, detail: str) -> NoReturn:
    await context.abort(status, f"{code}: {detail}", ((answers.CODE_METADATA, code),))


def _op(question: dict[str, object]) -> str:
    op = question.get("op")
    return op if isinstance(op, str) and ids.is_part(op) else OTHER


def _known(op: str, of: str) -> str:
    """Return how an operation of a game is counted: what the game does not have as other."""
    return op if op in OPERATIONS[of] else OTHER


def _outcome(answer: Answer | Refusal | VersionUnknown) -> str:
    match answer:
        case Answer():
            return "evaluated"
        case Refusal():
            return "refused"
        case VersionUnknown():
            return "unknown_version"


def _asked_for(context: Context, count: int) -> list[Asked]:
    """Return for which rounds `count` questions are asked, as the call's metadata say it."""
    metadata = {str(key): str(value) for key, value in context.invocation_metadata() or ()}
    rounds = metadata.get(trace.ROUND, "").split(",")
    parents = metadata.get(trace.TRACEPARENT, "").split(",")
    if not len(rounds) == len(parents) == count:
        return [Asked("", "")] * count  # nobody has to say it
    # What a stranger calls a round goes no further than an id can.
    return [
        Asked(round_id if ids.is_round(round_id) else "", parent)
        for round_id, parent in zip(rounds, parents, strict=True)
    ]


def _log_failure(rule_set: str, op: str, fault: Exception, round_id: str) -> None:
    # The exception's own words may be a card, so only its kind and its place are told.
    places = [
        f"{frame.filename.rpartition('/floorbook/')[2]}:{frame.lineno}"
        for frame in traceback.extract_tb(fault.__traceback__)
    ]
    logs.logger().error(
        "evaluation failed",
        round_id=round_id,
        rule_set=rule_set,
        op=op,
        error=type(fault).__name__,
        at=places,
    )


def _response(answer: Answer) -> evaluator_pb2.EvaluateResponse:
    return evaluator_pb2.EvaluateResponse(
        rule_set=answer.rule_set,
        rules_version=answer.rules_version,
        result=answer.result,
        explanation=answer.explanation,
    )


def _batch_answer(answer: Answer | Refusal | VersionUnknown) -> evaluator_pb2.EvaluateBatchAnswer:
    match answer:
        case Answer():
            return evaluator_pb2.EvaluateBatchAnswer(response=_response(answer))
        case Refusal(code, detail):
            refusal = evaluator_pb2.EvaluateRefusal(code=code, detail=detail)
        case VersionUnknown(detail):
            refusal = evaluator_pb2.EvaluateRefusal(
                code=answers.UNKNOWN_RULES_VERSION, detail=detail
            )
    return evaluator_pb2.EvaluateBatchAnswer(refusal=refusal)


class Server:
    """The gRPC server with the evaluator, health and reflection on it."""

    def __init__(self, metrics: EvaluatorMetrics, spans: Spans | None = None) -> None:
        """Return a server that does not listen yet; needs a running loop."""
        self._server = grpc.aio.server(options=_OPTIONS)
        self._health = health.aio.HealthServicer()
        self._server.add_generic_rpc_handlers((Evaluator(metrics, spans).handler(),))
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._server)
        names = (SERVICE, health.SERVICE_NAME, reflection.SERVICE_NAME)
        reflection.enable_server_reflection(names, self._server)

    async def start(self, address: str) -> int:
        """Return the port on which the server answers; raises RuntimeError if it cannot listen."""
        port = self._server.add_insecure_port(address)
        await self._server.start()
        for name in ("", SERVICE):
            await self._health.set(name, health_pb2.HealthCheckResponse.SERVING)
        return port

    async def stop(self) -> None:
        """Return when nothing is answered any more: what runs may end, nothing new is taken."""
        await self._health.enter_graceful_shutdown()
        await self._server.stop(DRAIN_SECONDS)


def main(settings: Settings) -> int:
    """Return the exit code of the evaluator, once it was told to end."""
    return asyncio.run(_serve(settings))


async def _serve(settings: Settings) -> int:
    ended = asyncio.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, ended.set)
    registry = new_registry("evaluator")
    probes = Probes(registry, settings.probes_listen)
    listens = probes.condition("listens")
    recorded = spans.start("evaluator", settings)
    server = Server(EvaluatorMetrics(registry), recorded)
    rule_sets = [
        f"{rule_set} {version}"
        for rule_set in game.rule_set_ids()
        for version in game.rules_versions(rule_set)
    ]
    try:
        probes.start()
        port = await server.start(str(settings.evaluator_listen))
    except (OSError, RuntimeError) as fault:
        logs.logger().error("cannot listen: is another evaluator running here?", error=str(fault))
        probes.stop()
        return 1
    listens.hold()
    logs.logger().info(
        "evaluator listens",
        host=settings.evaluator_listen.host,
        port=port,
        probes=str(probes.address),
        rule_sets=rule_sets,
    )
    while not ended.is_set():
        probes.beat()
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(ended.wait(), BEAT_SECONDS)
    ending.limit()
    listens.fail("the evaluator is stopping")
    await server.stop()
    if recorded is not None:
        await asyncio.to_thread(recorded.close)
    probes.stop()
    logs.logger().info("evaluator stopped")
    return 0
