"""Decides how a fact that may come in becomes an event in the log, whoever brought it.

Devices (observe.py) and terminals (submit.py, watch.py) end here: the gateway's time, the fingerprint, the
schema check, the envelope, the broker. What may not come in is counted and, where somebody must look at
it, quarantined.
"""

import asyncio
import time
from collections.abc import Callable, Mapping
from functools import partial
from typing import Protocol

from floorbook import logs, trace
from floorbook.gateway.clock import ClockCheck
from floorbook.gateway.refusals import Reason, Refusal, is_quarantined
from floorbook.gateway.registry import Registry
from floorbook.metrics.catalogue import GatewayMetrics
from floorbook.spans import Span, Spans
from floorbook.table.events import EquipmentKind, Event, Fact, Role, UnknownFact
from floorbook.wire import envelope
from floorbook.wire.quarantine import Unreadable

LARGEST_NUMBER = (1 << 63) - 1


class Placed(Protocol):
    """Where the broker put a record, and when, by its own clock."""

    @property
    def partition(self) -> int:
        """Return the partition."""
        ...

    @property
    def offset(self) -> int:
        """Return the offset."""
        ...

    @property
    def timestamp(self) -> int:
        """Return the broker's time in milliseconds since the Unix epoch."""
        ...


class LogUnavailable(Exception):
    """The log took nothing; the sender repeats later, here or at another gateway."""


class Log(Protocol):
    """The topic table-events, as far as a gateway uses it.

    Records of one table lie in the log in the order of the calls. A future that fails leaves open
    whether its record is in the log, and the process must not go on with this log.
    """

    async def append(
        self, table_id: str, value: bytes, headers: trace.Headers
    ) -> "asyncio.Future[Placed]":
        """Return a future of the record's place, done when the broker has it; or `LogUnavailable`."""
        ...


class Quarantine(Protocol):
    """The topic quarantine, as far as a gateway uses it."""

    def put(self, refusal: Refusal, source: str, payload: bytes) -> None:
        """Return at once; the record is written as soon as the broker takes it."""
        ...


class Heard(Protocol):
    """What the table processor was last heard to say on the floor."""

    def fold_schema(self, table_id: str) -> int:
        """Return the newest schema that the table's partition is folded with."""
        ...

    def round_of(self, table_id: str) -> str:
        """Return the round in progress at the table or its last one; empty if none was heard of."""
        ...


class Outage:
    """Notes the first failure after which the log cannot be used any more and the process must end.

    A record that failed may have used up a number of the idempotent producer, and then nothing after it
    gets in: starting anew is the remedy, and the senders repeat.
    """

    def __init__(self) -> None:
        """Return an outage that has not happened."""
        self.happened: asyncio.Future[BaseException] = asyncio.get_running_loop().create_future()

    def note(self, fault: BaseException) -> None:
        """Return after noting the fault, if it is the first."""
        if not self.happened.done():
            self.happened.set_result(fault)


class Intake:
    """The one way into the log."""

    def __init__(
        self,
        registry: Registry,
        log: Log,
        quarantine: Quarantine,
        heard: Heard,
        metrics: GatewayMetrics,
        clock: ClockCheck,
        outage: Outage,
        *,
        spans: Spans | None = None,
        now: Callable[[], float] = time.time,
    ) -> None:
        """Return an intake; its `registry` may be replaced at any time."""
        self._spans = spans
        self._is_debug = logs.is_debug()
        self.registry = registry
        self.metrics = metrics
        self._outage = outage
        self._log = log
        self._quarantine = quarantine
        self._heard = heard
        self._clock = clock
        self._now = now

    def now_ms(self) -> int:
        """Return the gateway's time, the only one that enters the domain."""
        return int(self._now() * 1000)

    def refused(self, refusal: Refusal, source: str, payload: bytes = b"") -> None:
        """Return after counting a refusal and, where somebody must look at it, quarantining it."""
        self.metrics.refused.add(reason=refusal.reason.value)
        if is_quarantined(refusal.reason):
            self._quarantine.put(refusal, source, payload)

    def fact_refusal(self, table_id: str, fact: Fact | Unreadable) -> Refusal | None:
        """Return why the fact itself cannot be taken; None if it can."""
        if isinstance(fact, Unreadable):
            return Refusal(Reason.UNREADABLE_FACT, f"{fact.detail}: send it as the contract says")
        if isinstance(fact, UnknownFact):
            return Refusal(
                Reason.UNKNOWN_FACT, "no fact that this gateway knows: upgrade the gateway first"
            )
        needed, folded = envelope.schema_of(fact), self._heard.fold_schema(table_id)
        if needed > folded:
            return Refusal(
                Reason.FOLD_TOO_OLD,
                f"the fact needs schema {needed}, the table processor folds {folded}: upgrade it first",
            )
        return None

    async def append(
        self,
        fact: Fact,
        *,
        table_id: str,
        equipment_id: str,
        equipment_kind: EquipmentKind | None,
        boot: int,
        sequence: int,
        role: Role,
        observe_time_ms: int,
        fingerprint: bytes,
        client_id: str = "",
        person_id: str = "",
        device_time_ms: int = 0,
        trace_id: bytes = b"",
    ) -> "asyncio.Future[Placed]":
        """Return the future of the event's place in the log; or `LogUnavailable`."""
        if not 0 < observe_time_ms <= envelope.LATEST_MS:
            raise LogUnavailable("this gateway's clock is mad: set it, or go to another gateway")
        event = Event(
            table_id,
            fact,
            role,
            observe_time_ms,
            equipment_id,
            equipment_kind,
            boot,
            sequence,
            fingerprint,
            "",
            client_id,
            person_id,
            device_time_ms,
            trace_id,
        )
        round_id = self._heard.round_of(table_id)
        if self._is_debug or (self._spans is not None and self._spans.records(round_id)):
            return await self._append_told(event, round_id)
        return await self._log.append(table_id, envelope.encode(event), trace.headers(round_id))

    async def _append_told(self, event: Event, round_id: str) -> "asyncio.Future[Placed]":
        """Return the future of the event's place; a span or a line tells of it when it is known."""
        span, headers = None, trace.headers(round_id)
        if self._spans is not None:
            said = {"floorbook.event": event.event_id, "fact": envelope.name_of(event.fact)}
            if event.trace_id:
                said["floorbook.client_trace"] = event.trace_id.hex()
            span = self._spans.begin("gateway append", round_id, attributes=said)
            headers = self._spans.headers(round_id, span)
        try:
            place = await self._log.append(event.table_id, envelope.encode(event), headers)
        except LogUnavailable as fault:
            if span is not None:
                span.end(str(fault))
            raise
        place.add_done_callback(partial(self._tell, event, round_id, span))
        return place

    def _tell(
        self, event: Event, round_id: str, span: Span | None, place: "asyncio.Future[Placed]"
    ) -> None:
        fault = "given up" if place.cancelled() else type(place.exception()).__name__
        placed = not place.cancelled() and place.exception() is None
        if span is not None:
            span.end("" if placed else fault)
        if self._is_debug and placed:
            logs.logger().debug(
                "event in the log",
                table=event.table_id,
                event_id=event.event_id,
                round_id=round_id,
                fact=envelope.name_of(event.fact),
                partition=place.result().partition,
                offset=place.result().offset,
            )

    def confirmed(self, origin: str, facts: Mapping[str, int], sent_ms: int, last: Placed) -> None:
        """Return after measuring what the broker has confirmed of one message.

        `facts` counts them by name; `last` is the place of one of them.
        """
        learned_ms = self.now_ms()
        self._clock.note(sent_ms, last.timestamp, learned_ms)
        for name, count in facts.items():
            self.metrics.events_accepted.add(count, fact=name)
        self.metrics.acknowledge_seconds.observe((learned_ms - sent_ms) / 1000, origin=origin)
        self.metrics.clock_skew_seconds.set(self._clock.skew_ms / 1000)

    def failed(self, fault: BaseException) -> None:
        """Return after noting that the log cannot be used any more: the process must end."""
        self._outage.note(fault)
