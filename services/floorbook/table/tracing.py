"""Decides what a table processor tells of each event, evaluation and round: lines of the level debug, and spans.

Asked only where one of the two is wanted. A round's last span is kept so that what comes next of the round can
name it; who has forgotten it, as after a restart, begins anew in the same trace.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from floorbook import ids, logs, trace
from floorbook.spans import Span, Spans
from floorbook.table.events import Event
from floorbook.table.state import round_id_of
from floorbook.table.step import Step
from floorbook.wire import envelope

_MOST_KEPT = 10_000


class Tracing:
    """What one processor tells."""

    def __init__(self, spans: Spans | None) -> None:
        """Return the teller; without `spans` it tells in lines only, and without debug nothing."""
        self._spans = spans
        self._is_debug = logs.is_debug()
        self._folding: list[Span] = []
        self._last: dict[str, str] = {}

    @property
    def is_on(self) -> bool:
        """Return whether anything is told, else `folded` need not be called."""
        return self._is_debug or self._spans is not None

    def headers(self, round_id: str) -> trace.Headers:
        """Return the headers of a record about a round: they name its last span, if it has one."""
        last = self._last.get(round_id)
        return trace.headers(round_id) if last is None else trace.headers_with(round_id, last)

    def folded(self, message: Any, step: Step, began_ns: int) -> None:
        """Return after telling what a record came to; its span lasts until it is confirmed."""
        booked = step.effects.movements
        round_id = booked[0].round_id if booked else round_id_of(step.state)
        recorded = self._spans is not None and self._spans.records(round_id)
        if not (recorded or self._is_debug):
            return
        span = None
        event = envelope.decode(message.value, message.key, message.partition, message.offset)
        assert isinstance(event, Event), "what was folded is an event"
        refusal = step.verdict.refusal
        said = {
            "fact": envelope.name_of(event.fact),
            "verdict": refusal.code if refusal else "applied",
        }
        if self._spans is not None:
            span = self._spans.begin(
                "table fold",
                round_id,
                trace.parent_of(message.headers or ()),
                started_ns=began_ns,
                attributes={"floorbook.event": event.event_id, **said},
            )
        if span is not None:
            self._folding.append(span)
            self._keep(round_id, span)
        if self._is_debug:
            logs.logger().debug(
                "event folded",
                table=event.table_id,
                event_id=event.event_id,
                round_id=round_id,
                movements=[one.movement_id for one in booked],
                **said,
            )

    def batch(self) -> Callable[[], None]:
        """Return what ends the spans of all that was told since: to be called once it is with the broker."""
        told, self._folding = self._folding, []

        def confirmed() -> None:
            for span in told:
                span.end()

        return confirmed

    @contextmanager
    def evaluating(self, answer_id: str) -> Iterator[str]:
        """Return for one question the span that it comes from; empty if it is not recorded."""
        round_id = ids.round_of(answer_id)
        span = None
        if self._spans is not None:
            parent = trace.parse(self._last.get(round_id, ""))
            span = self._spans.begin("table evaluate", round_id, parent)
        if span is not None:
            self._keep(round_id, span)
        began = time.monotonic()
        try:
            yield span.traceparent if span is not None else ""
        finally:
            if span is not None:
                span.end()
            if self._is_debug:
                logs.logger().debug(
                    "evaluator asked",
                    event_id=answer_id,
                    round_id=round_id,
                    seconds=round(time.monotonic() - began, 6),
                )

    def close(self) -> None:
        """Return once the spans are sent, or after a while."""
        if self._spans is not None:
            self._spans.close()

    def _keep(self, round_id: str, span: Span) -> None:
        self._last.pop(round_id, None)
        self._last[round_id] = span.traceparent
        if len(self._last) > _MOST_KEPT:
            del self._last[next(iter(self._last))]
