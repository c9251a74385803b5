"""Decides what a ledger tells of each entry: lines of the level debug, and spans from the movement's own."""

from collections.abc import Iterable

from floorbook import logs, trace
from floorbook.ledger.journal import Entry
from floorbook.spans import Spans
from floorbook.trace import Parent

_MOST_KEPT = 10_000


class Tracing:
    """What one ledger tells."""

    def __init__(self, spans: Spans | None) -> None:
        """Return the teller; without `spans` it tells in lines only, and without debug nothing."""
        self._spans = spans
        self._is_debug = logs.is_debug()
        self._parents: dict[str, Parent | None] = {}
        self._posted: dict[str, str] = {}

    def received(self, movement_id: str, headers: trace.Headers) -> None:
        """Return after noting from which span a movement came, until its batch is `posted`."""
        if self._spans is not None:
            self._parents[movement_id] = trace.parent_of(headers)

    def posted(self, entries: Iterable[Entry], began_ns: int) -> None:
        """Return after telling of the entries of a batch that was begun at `began_ns`."""
        if self._spans is not None:
            for entry in entries:
                self._span(self._spans, entry, began_ns)
            self._parents.clear()
        if self._is_debug:
            for entry in entries:
                _line("entry booked", entry)

    def headers(self, entry: Entry) -> trace.Headers:
        """Return the headers of an entry's record: they name the span of its booking, if there is one."""
        booked = self._posted.get(entry.entry_id)
        return (
            trace.headers(entry.round_id)
            if booked is None
            else trace.headers_with(entry.round_id, booked)
        )

    def published(self, entries: Iterable[Entry], began_ns: int) -> None:
        """Return after telling of entries that the broker has confirmed, sent at `began_ns`."""
        if self._spans is not None:
            for entry in entries:
                booked = trace.parse(self._posted.pop(entry.entry_id, ""))
                span = self._spans.begin(
                    "ledger publish", entry.round_id, booked, started_ns=began_ns
                )
                if span is not None:
                    span.end()
        if self._is_debug:
            for entry in entries:
                _line("entry published", entry)

    def close(self) -> None:
        """Return once the spans are sent, or after a while."""
        if self._spans is not None:
            self._spans.close()

    def _span(self, spans: Spans, entry: Entry, began_ns: int) -> None:
        span = spans.begin(
            "ledger book",
            entry.round_id,
            self._parents.get(entry.entry_id),
            started_ns=began_ns,
            attributes={"floorbook.entry": entry.entry_id, "kind": entry.kind.value},
        )
        if span is None:
            return
        span.end()
        self._posted[entry.entry_id] = span.traceparent
        if len(self._posted) > _MOST_KEPT:
            del self._posted[next(iter(self._posted))]


def _line(what: str, entry: Entry) -> None:
    logs.logger().debug(
        what, table=entry.table_id, round_id=entry.round_id, entry_id=entry.entry_id
    )
