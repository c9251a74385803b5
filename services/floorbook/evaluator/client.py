"""Decides how the table processor asks the evaluator: several questions in one call, and every
outcome as a value.

The client asks once. Whether, when and how often a question is asked again is for whoever owes the
answer; `pauses` says how long to wait, so that many who wait do not all come back at once.
"""

import asyncio
from collections.abc import Sequence
from hashlib import sha256

import grpc

from floorbook import trace
from floorbook.evaluator import answers
from floorbook.evaluator.answers import Answer, Refusal, Unavailable, VersionUnknown
from floorbook.v1 import evaluator_pb2, evaluator_pb2_grpc

__all__ = ["Answer", "Client", "Outcome", "Refusal", "Unavailable", "VersionUnknown", "pauses"]

Outcome = Answer | Refusal | VersionUnknown | Unavailable

GATHER_SECONDS = 0.002
# What a call's metadata say of so many fits in the 8 KiB that gRPC takes.
GATHER_QUESTIONS = 70
GATHER_BYTES = 1024 * 1024

SHORTEST_PAUSE_SECONDS = 0.1
LONGEST_PAUSE_SECONDS = 5.0

_OPTIONS = (
    # Each replica behind the name gets its share, and one that dies is passed over.
    ("grpc.lb_policy_name", "round_robin"),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 500),
    ("grpc.max_reconnect_backoff_ms", 500),
    ("grpc.dns_min_time_between_resolutions_ms", 2_000),
    # A peer that vanished without a word is noticed, not waited for until TCP gives up.
    ("grpc.keepalive_time_ms", 10_000),
    ("grpc.keepalive_timeout_ms", 3_000),
    ("grpc.max_receive_message_length", 64 * 1024 * 1024),
    # The evaluator is inside the house; a proxy for the outside must not see the cards.
    ("grpc.enable_http_proxy", 0),
)


def pauses(attempt: int, seed: str) -> float:
    """Return how many seconds to wait after the `attempt`-th failure (from 1) of the obligation `seed`.

    Doubles from 0.1 s up to 5 s. Half of each pause depends on a hash of `seed` and `attempt`: those
    who failed together come back apart, and the same run has the same pauses.
    """
    assert attempt >= 1, "the first attempt needs no pause"
    # Shifting stops long before a float could overflow.
    most = min(2 * SHORTEST_PAUSE_SECONDS * (1 << min(attempt - 1, 16)), LONGEST_PAUSE_SECONDS)
    part = int.from_bytes(sha256(f"{seed}#{attempt}".encode()).digest()[:4], "big") / 2**32
    return most / 2 + most / 2 * part


class _Question:
    """One question under way, and who waits for its outcome."""

    def __init__(self, request: evaluator_pb2.EvaluateRequest, round_id: str, parent: str) -> None:
        self.request = request
        self.round_id = round_id
        self.parent = parent
        self.outcome: asyncio.Future[Outcome] = asyncio.get_running_loop().create_future()

    def end(self, outcome: Outcome) -> None:
        if not self.outcome.done():  # whoever asked may have gone
            self.outcome.set_result(outcome)


class Client:
    """The evaluator at one address, for one event loop."""

    def __init__(self, target: str, deadline_seconds: float) -> None:
        """Return a client of the evaluator at `target`, a `host:port`; it connects when first used.

        One call takes `deadline_seconds` at most. Needs a running loop.
        """
        self._channel = grpc.aio.insecure_channel(f"dns:///{target}", options=_OPTIONS)
        self._stub = evaluator_pb2_grpc.EvaluatorServiceStub(self._channel)  # type: ignore[no-untyped-call]
        self._deadline_seconds = deadline_seconds
        self._gathered: list[_Question] = []
        self._gathered_bytes = 0
        self._flush_soon: asyncio.TimerHandle | None = None
        self._calls: set[asyncio.Task[None]] = set()
        self._closed = False

    async def evaluate(
        self,
        rule_set: str,
        rules_version: str,
        input_json: str,
        *,
        alone: bool = False,
        round_id: str = "",
        parent: str = "",
    ) -> Outcome:
        """Return what came of one question; whoever gets `Unavailable` asks again, `alone`.

        Questions that come within 2 ms share a call, so one that breaks the evaluator takes its
        neighbours' answers with it: that is why a second try goes `alone`. The call's metadata name
        each question's `round_id` and the span that it comes from, `parent`, for correlation only.
        """
        length = len(input_json.encode())
        if length > answers.MOST_INPUT_BYTES:
            return answers.input_too_large(length)
        if self._closed:
            return Unavailable("the client is closed", grpc.StatusCode.CANCELLED.name)
        question = _Question(
            evaluator_pb2.EvaluateRequest(
                rule_set=rule_set, rules_version=rules_version, input=input_json
            ),
            round_id,
            parent or trace.traceparent(round_id),
        )
        if alone:
            self._send([question])
        else:
            self._gather(question, length)
        return await question.outcome

    async def close(self) -> None:
        """Return when nothing is under way any more; who still waits gets `Unavailable`."""
        self._closed = True
        self._flush()
        calls = list(self._calls)
        for call in calls:
            call.cancel()
        await asyncio.gather(*calls, return_exceptions=True)
        await self._channel.close()

    def _gather(self, question: _Question, length: int) -> None:
        if self._gathered_bytes + length > GATHER_BYTES:
            self._flush()
        self._gathered.append(question)
        self._gathered_bytes += length
        if len(self._gathered) == GATHER_QUESTIONS:
            self._flush()
        elif self._flush_soon is None:
            loop = asyncio.get_running_loop()
            self._flush_soon = loop.call_later(GATHER_SECONDS, self._flush)

    def _flush(self) -> None:
        if self._flush_soon is not None:
            self._flush_soon.cancel()
            self._flush_soon = None
        questions, self._gathered, self._gathered_bytes = self._gathered, [], 0
        if questions:
            self._send(questions)

    def _send(self, questions: list[_Question]) -> None:
        # Each call is a task of its own: a slow one holds up nobody but its own questions.
        call = asyncio.create_task(self._call(questions))
        self._calls.add(call)
        call.add_done_callback(lambda done: self._ended(done, questions))

    def _ended(self, call: asyncio.Task[None], questions: Sequence[_Question]) -> None:
        self._calls.discard(call)
        for question in questions:
            # Only those that have no outcome: the call was cancelled, or broke in a way of its own.
            question.end(Unavailable("the call was given up", grpc.StatusCode.CANCELLED.name))

    async def _call(self, questions: Sequence[_Question]) -> None:
        batch = evaluator_pb2.EvaluateBatchRequest(requests=[each.request for each in questions])
        try:
            response = await self._stub.EvaluateBatch(
                batch, timeout=self._deadline_seconds, metadata=_metadata(questions)
            )
        except grpc.aio.AioRpcError as fault:
            code = fault.code().name
            unavailable = Unavailable(f"{code}: {fault.details()}", code)
            for question in questions:
                question.end(unavailable)
            return
        if len(response.answers) != len(questions):
            reason = f"{len(response.answers)} answers to {len(questions)} questions"
            for question in questions:
                question.end(Unavailable(reason, grpc.StatusCode.INTERNAL.name))
            return
        for question, answer in zip(questions, response.answers, strict=True):
            question.end(_outcome(answer))


def _metadata(questions: Sequence[_Question]) -> tuple[tuple[str, str], ...]:
    # In the order of the questions, so that who answers can tell whose span each is.
    return (
        (trace.ROUND, ",".join([each.round_id for each in questions])),
        (trace.TRACEPARENT, ",".join([each.parent for each in questions])),
    )


def _outcome(answer: evaluator_pb2.EvaluateBatchAnswer) -> Outcome:
    match answer.WhichOneof("answer"):
        case "response":
            response = answer.response
            return Answer(
                response.rule_set,
                response.rules_version,
                response.result,
                tuple(response.explanation),
            )
        case "refusal" if answer.refusal.code == answers.UNKNOWN_RULES_VERSION:
            return VersionUnknown(answer.refusal.detail)
        case "refusal":
            return Refusal(answer.refusal.code, answer.refusal.detail)
        case _:
            # A newer evaluator may answer in a way that is not known here.
            return Unavailable("an answer of an unknown kind", grpc.StatusCode.INTERNAL.name)
