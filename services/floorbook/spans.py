"""Decides how spans are made and where they go: through OpenTelemetry, an extra, and only when a setting says so.

Everything about OpenTelemetry is in this module, which imports it only once spans are wanted. A round's spans
have its own trace id (`trace.py`), so each service decides by the id alone whether a round is among those
recorded, and all services decide alike.
"""

import time
from collections.abc import Mapping
from importlib.util import find_spec
from threading import Thread
from typing import TYPE_CHECKING, Any

from floorbook import trace
from floorbook.settings import Settings
from floorbook.trace import Parent

if TYPE_CHECKING:
    from opentelemetry.sdk.trace import SpanProcessor

_NEEDED = ("opentelemetry.sdk", "opentelemetry.exporter.otlp.proto.grpc")
_EXPORT_SECONDS = 2
_CLOSE_SECONDS = 1.5
_SEND_AFTER_MS = 1000


class Span:
    """One span under way."""

    __slots__ = ("_span", "traceparent")

    def __init__(self, span: Any, traceparent: str) -> None:
        """Return the span behind OpenTelemetry's own."""
        self._span = span
        self.traceparent = traceparent

    def end(self, fault: str = "") -> None:
        """Return after ending the span; with a `fault` as one that failed."""
        if fault:
            from opentelemetry.trace import Status, StatusCode

            self._span.set_status(Status(StatusCode.ERROR, fault))
        self._span.end()


class Spans:
    """The spans of one process, made by one thread."""

    def __init__(self, service: str, processor: "SpanProcessor", ratio: float) -> None:
        """Return spans that go to `processor`, of the share `ratio` of all rounds."""
        from opentelemetry.sdk.resources import Resource
        from opentelemetry.sdk.trace import TracerProvider
        from opentelemetry.sdk.trace.id_generator import RandomIdGenerator
        from opentelemetry.sdk.trace.sampling import ALWAYS_ON

        class Ids(RandomIdGenerator):
            """Gives the trace that is begun next the round's id."""

            trace_id = 0

            def generate_trace_id(self) -> int:
                """Return the id that was set."""
                return self.trace_id

        self._ids = Ids()
        self._bound = round(ratio * (1 << 64))
        resource = Resource.create({"service.name": f"floorbook-{service}"})
        # Which rounds are recorded is decided here, before anything of a span is made.
        self._provider = TracerProvider(ALWAYS_ON, resource, id_generator=self._ids)
        self._provider.add_span_processor(processor)
        self._tracer = self._provider.get_tracer("floorbook")

    def records(self, round_id: str) -> bool:
        """Return whether the spans of a round are recorded; what nobody records need not be told."""
        return bool(round_id) and int(trace.trace_id(round_id)[16:], 16) < self._bound

    def begin(
        self,
        name: str,
        round_id: str,
        parent: Parent | None = None,
        *,
        started_ns: int | None = None,
        attributes: Mapping[str, str] | None = None,
    ) -> Span | None:
        """Return a span of the round's trace, begun now or at `started_ns`; None if it is not recorded.

        A recorded parent of the same trace is its parent; one of another trace, as of the event that
        opens a round, is linked. Without one it is a root.
        """
        if not self.records(round_id):
            return None
        trace_id = int(trace.trace_id(round_id), 16)
        from opentelemetry.context import Context
        from opentelemetry.trace import Link, NonRecordingSpan, set_span_in_context

        self._ids.trace_id = trace_id
        context, links = Context(), []
        if parent is not None and parent.is_recorded:
            origin = _context_of(parent)
            if origin.trace_id == trace_id:
                context = set_span_in_context(NonRecordingSpan(origin), context)
            else:
                links.append(Link(origin))
        span = self._tracer.start_span(
            name,
            context=context,
            links=links,
            start_time=started_ns or time.time_ns(),
            attributes={"floorbook.round": round_id, **(attributes or {})},
        )
        made = span.get_span_context()
        return Span(span, f"00-{made.trace_id:032x}-{made.span_id:016x}-01")

    def headers(self, round_id: str, span: Span | None) -> trace.Headers:
        """Return the headers of a record that comes from `span`, if there is one."""
        if span is None:
            return trace.headers(round_id)
        return trace.headers_with(round_id, span.traceparent)

    def close(self) -> None:
        """Return once what is ended is sent, or after 1.5 s: nobody waits long for a collector."""
        closing = Thread(target=self._provider.shutdown, name="spans", daemon=True)
        closing.start()
        closing.join(_CLOSE_SECONDS)


def missing(settings: Settings) -> str | None:
    """Return why the spans that are wanted cannot be made; None if they can, or none are wanted."""
    if settings.traces and not all(map(_is_installed, _NEEDED)):
        return (
            f"FLOORBOOK_TRACES is {settings.traces!r} and OpenTelemetry is not installed: "
            "install floorbook[otel], or set nothing"
        )
    return None


def start(service: str, settings: Settings) -> Spans | None:
    """Return the spans of a service, sent to where the settings say; None if they say nowhere."""
    if not settings.traces:
        return None
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter
    from opentelemetry.sdk.trace.export import BatchSpanProcessor

    exporter = OTLPSpanExporter(
        endpoint=settings.traces,
        insecure=settings.traces.startswith("http://"),
        timeout=_EXPORT_SECONDS,
    )
    sender = BatchSpanProcessor(exporter, schedule_delay_millis=_SEND_AFTER_MS)
    return Spans(service, sender, settings.traces_ratio)


def _context_of(parent: Parent) -> Any:
    from opentelemetry.trace import SpanContext, TraceFlags

    return SpanContext(
        int(parent.trace_id, 16),
        int(parent.span_id, 16),
        is_remote=True,
        trace_flags=TraceFlags(TraceFlags.SAMPLED),
    )


def _is_installed(module: str) -> bool:
    try:
        return find_spec(module) is not None
    except ModuleNotFoundError:  # not even what it is a part of
        return False
