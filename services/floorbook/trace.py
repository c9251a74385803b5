"""Decides by which ids all that belongs to one round is found again: in records' headers, calls and log lines.

A round's trace id is made from the round's id. So nobody keeps it or hands it on, whoever knows the round knows
it, and a replay has the same. The headers are a hint for people: no fingerprint, no fold and no position sees them.
"""

import re
from collections.abc import Iterable
from functools import lru_cache
from hashlib import sha256

from msgspec import Struct

ROUND = "floorbook-round"
"""Header and metadata: the id of the round; of a call for several rounds their ids, by commas."""
TRACEPARENT = "traceparent"
"""Header and metadata: the W3C trace context of the round; of a call for several rounds theirs, by commas."""

Headers = list[tuple[str, bytes]]
"""As both of Kafka's clients want them. Whoever gets a list from here only reads it."""

_PARENT = re.compile(r"00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})\Z")
_SAMPLED = 1
# Rounds under way on the largest floor, some times over.
_KNOWN = 32_768


class Parent(Struct, frozen=True):
    """Whose span a record or call comes from."""

    trace_id: str
    span_id: str
    is_recorded: bool
    """Whether that span is recorded anywhere; if not it only stands for the round."""


@lru_cache(maxsize=_KNOWN)
def trace_id(round_id: str) -> str:
    """Return the trace id of a round, 32 hexadecimal digits.

    >>> trace_id("T12/431")
    '39deebe15f1ff29430d7feceb224197d'
    """
    return _digest(round_id)[:32]


@lru_cache(maxsize=_KNOWN)
def traceparent(round_id: str) -> str:
    """Return the trace context of a round of which no span is recorded."""
    digest = _digest(round_id)
    return f"00-{digest[:32]}-{digest[32:48]}-00"


@lru_cache(maxsize=_KNOWN)
def headers(round_id: str) -> Headers:
    """Return the headers of a record that belongs to a round; none for no round."""
    return headers_with(round_id, traceparent(round_id)) if round_id else []


def no_headers(round_id: str) -> Headers:
    """Return no headers, whatever the round."""
    return []


@lru_cache(maxsize=_KNOWN)
def round_header(round_id: str) -> Headers:
    """Return the one header that says the round; none for no round."""
    return [(ROUND, round_id.encode())] if round_id else []


def headers_with(round_id: str, parent: str) -> Headers:
    """Return the headers of a record that comes from the span that `parent` describes."""
    return [(TRACEPARENT, parent.encode()), (ROUND, round_id.encode())]


def round_of(given: Iterable[tuple[str, bytes]]) -> str:
    """Return the round that headers name; empty if they name none."""
    for key, value in given:
        if key == ROUND:
            return value.decode(errors="replace")
    return ""


def parent_of(given: Iterable[tuple[str, bytes]]) -> Parent | None:
    """Return from which span a record comes; None if its headers do not say."""
    for key, value in given:
        if key == TRACEPARENT:
            return parse(value.decode(errors="replace"))
    return None


def parse(text: str) -> Parent | None:
    """Return what a trace context says; None if it is none."""
    found = _PARENT.match(text)
    if found is None:
        return None
    return Parent(found[1], found[2], bool(int(found[3], 16) & _SAMPLED))


def _digest(round_id: str) -> str:
    return sha256(b"floorbook/round/" + round_id.encode()).hexdigest()
