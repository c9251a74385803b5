"""Decides how a floor client's act goes into the log and how its verdict comes back.

One request is under way for each terminal and table; the same one again waits with it. After a deadline the
client repeats, here or at another gateway: the event is appended again and the fold gives the first verdict.
"""

import asyncio
import re
import time
from collections import Counter
from collections.abc import Callable
from functools import partial

from floorbook import ids
from floorbook.gateway import terminal
from floorbook.gateway.floor import Answer, Floor, Waiting
from floorbook.gateway.intake import Intake, LogUnavailable, Placed
from floorbook.gateway.refusals import Reason, Refusal
from floorbook.gateway.registry import Client
from floorbook.gateway.terminal import Speaker
from floorbook.table.events import EquipmentKind, Fact
from floorbook.v1 import floor_pb2
from floorbook.wire import envelope

_TRACE_PARENT = re.compile(
    r"(?!ff)[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}(-.*)?\Z"
)

_LATE = Refusal(
    Reason.DEADLINE_EXCEEDED,
    "the act is in the log, its verdict is not known yet: send the same act again",
)
_UNCONFIRMED = Refusal(
    Reason.UNAVAILABLE,
    "the broker has not confirmed the act: send the same act again, to any gateway",
)


def trace_id(traceparent: str) -> bytes:
    """Return the 16 bytes of a W3C traceparent's trace id; empty if it is none.

    >>> trace_id("00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01").hex()
    '0af7651916cd43dd8448eb211c80319c'
    """
    found = _TRACE_PARENT.match(traceparent)
    return bytes.fromhex(found[1]) if found else b""


class Request:
    """One act under way, and how many wait for it."""

    __slots__ = ("act", "expecting", "fact", "fingerprint", "since", "waiting")

    def __init__(self, act: floor_pb2.Act, fact: Fact, fingerprint: bytes) -> None:
        """Return a request for which nobody waits yet."""
        event_id = ids.event_id(act.table_id, act.equipment_id, act.boot, act.sequence)
        self.act = act
        self.fact = fact
        self.fingerprint = fingerprint
        self.waiting = Waiting(act.table_id, event_id)
        self.expecting = 0
        self.since = time.time()

    def is_same(self, act: floor_pb2.Act, fingerprint: bytes) -> bool:
        """Return whether `act` is a repeat of this one."""
        mine = (self.act.boot, self.act.sequence, self.fingerprint)
        return mine == (act.boot, act.sequence, fingerprint)


class Acts:
    """The acts of all floor clients of this gateway."""

    def __init__(self, intake: Intake, floor: Floor) -> None:
        """Return acts of which none is under way."""
        self._intake = intake
        self._floor = floor
        self._under_way: dict[tuple[str, str], Request] = {}
        self._confirmed: list[tuple[str, int, Placed]] = []

    @property
    def under_way(self) -> int:
        """Return how many requests wait for their verdict."""
        return len(self._under_way)

    async def begin(
        self, client: Client, act: floor_pb2.Act, trace: bytes = b""
    ) -> Request | Refusal:
        """Return the act's request, on its way into the log, or why it is not taken.

        Who gets a request must `end` it.
        """
        taken = self._taken(client, act)
        if isinstance(taken, Refusal):
            self._intake.refused(taken, f"client/{client.client_id}")
            return taken
        speaker, kind, fact = taken
        fingerprint = envelope.fingerprint(fact)
        place = (act.equipment_id, act.table_id)
        request = self._under_way.get(place)
        if request is not None:
            if not request.is_same(act, fingerprint):
                refusal = Refusal(
                    Reason.REQUEST_UNDER_WAY,
                    f"act {request.act.sequence} of this terminal waits for its verdict: wait for it first",
                )
                self._intake.refused(refusal, f"client/{client.client_id}")
                return refusal
            request.expecting += 1
            return request
        request = Request(act, fact, fingerprint)
        request.expecting = 1
        self._under_way[place] = request
        self._floor.wait(request.waiting)
        now_ms = self._intake.now_ms()
        try:
            placing = await self._intake.append(
                fact,
                table_id=act.table_id,
                equipment_id=act.equipment_id,
                equipment_kind=kind,
                boot=act.boot,
                sequence=act.sequence,
                role=speaker.role,
                observe_time_ms=now_ms,
                fingerprint=fingerprint,
                client_id=speaker.client_id,
                person_id=speaker.person_id,
                device_time_ms=act.device_time_ms,
                trace_id=trace,
            )
        except LogUnavailable as fault:
            self.end(request)
            return Refusal(Reason.UNAVAILABLE, f"{fault}: send the same act again, to any gateway")
        except BaseException:
            self.end(request)
            raise
        placing.add_done_callback(partial(self._placed, request, now_ms))
        return request

    def end(self, request: Request) -> None:
        """Return after noting that one caller does not wait for the request any more."""
        request.expecting -= 1
        if request.expecting > 0:
            return
        place = (request.act.equipment_id, request.act.table_id)
        if self._under_way.get(place) is request:
            del self._under_way[place]
        self._floor.forget(request.waiting)

    def outcome(self, act: floor_pb2.Act, request: Request) -> floor_pb2.ActResult:
        """Return what the client is told of the request as it stands now."""
        if request.waiting.answer.done():
            answer = request.waiting.answer.result()
            self._measure(request, _outcome(answer))
            return floor_pb2.ActResult(
                sequence=act.sequence,
                table_id=act.table_id,
                equipment_id=act.equipment_id,
                event_id=request.waiting.event_id,
                partition=answer.partition,
                offset=answer.offset,
                verdict=answer.verdict,
            )
        refusal = _LATE if request.waiting.is_placed else _UNCONFIRMED
        self._measure(request, "deadline")
        self._intake.refused(refusal, f"client/{request.waiting.event_id}")
        result = refused(act, refusal)
        result.event_id = request.waiting.event_id
        return result

    def _taken(
        self, client: Client, act: floor_pb2.Act
    ) -> tuple[Speaker, EquipmentKind, Fact] | Refusal:
        speaker = terminal.speaker(client, act.table_id, act.person_id, act.role)
        if isinstance(speaker, Refusal):
            return speaker
        kind = terminal.kind_of(client, act.equipment_id, act.boot, act.sequence, act.ByteSize())
        if isinstance(kind, Refusal):
            return kind
        fact = envelope.fact_of(act)
        refusal = self._intake.fact_refusal(act.table_id, fact)
        if refusal is not None or not isinstance(fact, Fact):
            assert refusal is not None, "an unreadable fact is refused"
            return refusal
        return speaker, kind, fact

    def _placed(self, request: Request, sent_ms: int, place: "asyncio.Future[Placed]") -> None:
        if place.cancelled():
            return
        fault = place.exception()
        if fault is not None:
            self._intake.failed(fault)
            return
        request.waiting.placed(place.result())
        if not self._confirmed:
            # The broker confirms many at a time: they are measured together.
            asyncio.get_running_loop().call_soon(self._measure_confirmed)
        self._confirmed.append((envelope.name_of(request.fact), sent_ms, place.result()))

    def _measure_confirmed(self) -> None:
        confirmed, self._confirmed = self._confirmed, []
        facts: dict[int, Counter[str]] = {}
        last: dict[int, Placed] = {}
        for name, sent_ms, placed in confirmed:
            facts.setdefault(sent_ms, Counter())[name] += 1
            last[sent_ms] = placed
        for sent_ms, names in facts.items():
            self._intake.confirmed("client", names, sent_ms, last[sent_ms])

    def _measure(self, request: Request, outcome: str) -> None:
        seconds = time.time() - request.since
        self._intake.metrics.submit_seconds.observe(seconds, outcome=outcome)


class Outbox:
    """The answers of one SubmitStream: collected as they become known, taken several at a time."""

    def __init__(self, acts: Acts, deadline_seconds: float, most: int) -> None:
        """Return an empty outbox that is full at `most` acts unanswered or untaken."""
        self._acts = acts
        self._deadline_seconds = deadline_seconds
        self._most = most
        self._pending: set[_Pending] = set()
        self._ready: list[floor_pb2.ActResult] = []
        self._closed = False
        self._more = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()

    async def room(self) -> None:
        """Return when another act may be taken: who does not read answers is not read from."""
        await self._room.wait()

    def expect(self, act: floor_pb2.Act, request: Request) -> None:
        """Return after noting that the request's outcome is to be told."""
        pending = _Pending(act, request, self._resolve)
        pending.timer = asyncio.get_running_loop().call_later(
            self._deadline_seconds, self._resolve, pending
        )
        self._pending.add(pending)
        request.waiting.answer.add_done_callback(pending.answered)
        self._weigh()

    def put(self, result: floor_pb2.ActResult) -> None:
        """Return after adding an answer that is known."""
        self._ready.append(result)
        self._more.set()
        self._weigh()

    def close(self) -> None:
        """Return after noting that no more acts come."""
        self._closed = True
        self._more.set()

    async def take(self) -> list[floor_pb2.ActResult]:
        """Return the answers that are known, at least one; none when all have been taken."""
        while not self._ready and not (self._closed and not self._pending):
            self._more.clear()
            await self._more.wait()
        ready, self._ready = self._ready, []
        self._weigh()
        return ready

    def drop(self) -> None:
        """Return after giving up whatever is under way."""
        for pending in list(self._pending):
            self._finish(pending)

    def _resolve(self, pending: "_Pending") -> None:
        if pending in self._pending:
            self._ready.append(self._acts.outcome(pending.act, pending.request))
            self._finish(pending)
            self._more.set()

    def _finish(self, pending: "_Pending") -> None:
        self._pending.discard(pending)
        if pending.timer is not None:
            pending.timer.cancel()
        pending.request.waiting.answer.remove_done_callback(pending.answered)
        self._acts.end(pending.request)

    def _weigh(self) -> None:
        if len(self._pending) + len(self._ready) < self._most:
            self._room.set()
        else:
            self._room.clear()


class _Pending:
    __slots__ = ("_resolve", "act", "request", "timer")

    def __init__(
        self, act: floor_pb2.Act, request: Request, resolve: "Callable[[_Pending], None]"
    ) -> None:
        self.act = act
        self.request = request
        self.timer: asyncio.TimerHandle | None = None
        self._resolve = resolve

    def answered(self, answer: "asyncio.Future[Answer]") -> None:
        self._resolve(self)


def refused(act: floor_pb2.Act, refusal: Refusal) -> floor_pb2.ActResult:
    """Return what the client is told of an act that was not taken."""
    return floor_pb2.ActResult(
        sequence=act.sequence,
        table_id=act.table_id,
        equipment_id=act.equipment_id,
        gateway_reason=refusal.reason.value,
        gateway_detail=refusal.detail,
    )


def _outcome(answer: Answer) -> str:
    if answer.verdict.known:
        return "known_already"
    return "applied" if answer.verdict.outcome == floor_pb2.OUTCOME_APPLIED else "refused"
