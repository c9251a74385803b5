"""Decides what `floorbook quarantine` shows: everything that nobody could read, oldest first.

Each line says when, who could not read it, where it lies, why, and from whom it came. What a stranger sent
is shown only when it is asked for, and then as hexadecimal digits.
"""

import argparse
import json
import sys
import time
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

from kafka.errors import KafkaError
from msgspec import Struct

from floorbook import topics
from floorbook.arguments import moment
from floorbook.settings import Settings
from floorbook.table.rebuild import LogUnreadable, read
from floorbook.wire import quarantine
from floorbook.wire.quarantine import Quarantined, Unreadable

_FAULT = 1
_REPORT_SECONDS = 2.0
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
# A time that a broken record gives may lie beyond every calendar.
_LAST = datetime(9999, 12, 31, tzinfo=UTC)


class Shown(Struct, frozen=True):
    """One record of quarantine; `topic` is empty for what never was in one."""

    time: str
    service: str
    topic: str
    partition: int | None
    offset: int | None
    reason: str
    detail: str
    source: str
    payload: str


def main(argv: list[str], settings: Settings) -> int:
    """Return the exit code of `floorbook quarantine`: 1 if the topic cannot be read."""
    parser = argparse.ArgumentParser(
        prog="floorbook quarantine",
        description="Show what could not be read: where it lies, why, and from whom it came.",
    )
    parser.add_argument(
        "--since", type=moment, help="only what was put there since then, as 2026-03-01T06:00 (UTC)"
    )
    parser.add_argument(
        "--payload", action="store_true", help="show, in hexadecimal digits, what a stranger sent"
    )
    parser.add_argument("--json", action="store_true", help="one JSON list instead of text")
    given = parser.parse_args(argv)
    try:
        topics.check(settings.kafka, settings.login)
        records = _counted(read(settings.kafka, topics.QUARANTINE, settings.login))
        found = shown(records, given.since, payload=given.payload)
    except (topics.TopicsError, LogUnreadable, KafkaError) as fault:
        sys.stderr.write(f"floorbook quarantine: {fault}\n")
        return _FAULT
    for line in _as_json(found, given.payload) if given.json else _as_text(found, given.since):
        sys.stdout.write(line + "\n")
    return 0


def shown(records: Iterable[Any], since: datetime | None, *, payload: bool) -> list[Shown]:
    """Return what is shown of the topic's records, oldest first."""
    found = [_shown(record, payload=payload) for record in records]
    wanted = [(at, each) for at, each in found if since is None or at >= since]
    wanted.sort(key=lambda one: one[0])
    return [each for _, each in wanted]


def _shown(record: Any, *, payload: bool) -> tuple[datetime, Shown]:
    one = quarantine.decode(record.value or b"")
    if isinstance(one, Unreadable):
        # Somebody else wrote to the topic: what lies there is shown as it is, with its own place.
        one = Quarantined(
            topics.QUARANTINE.name, record.partition, record.offset, one.reason, one.detail, ""
        )
    at = _moment(one.time_ms or record.timestamp)
    return at, Shown(
        time=at.isoformat(timespec="milliseconds"),
        service=one.service,
        topic=one.topic,
        partition=one.partition if one.topic else None,
        offset=one.offset if one.topic else None,
        reason=one.reason,
        detail=one.detail,
        source=one.source,
        payload=one.payload.hex() if payload else "",
    )


def _as_text(found: list[Shown], since: datetime | None) -> Iterator[str]:
    for each in found:
        place = f"{each.topic}/{each.partition}@{each.offset}" if each.topic else "-"
        yield "  ".join(
            printable(part or "-")
            for part in (each.time, each.service, place, each.reason, each.source, each.detail)
        )
        if each.payload:
            yield f"    {each.payload}"
    after = f" since {since.isoformat()}" if since else ""
    if not found:
        yield f"nothing was put into quarantine{after}"
    else:
        yield f"{len(found)} in quarantine{after}"


def _as_json(found: list[Shown], payload: bool) -> Iterator[str]:
    records = [{name: getattr(each, name) for name in Shown.__struct_fields__} for each in found]
    for record in records:
        if not payload:
            del record["payload"]
    yield json.dumps(records, indent=2, ensure_ascii=False)


def printable(text: str) -> str:
    """Return `text` without what would move a terminal's cursor: some of it strangers wrote.

    >>> printable("a\\x1b[2Jb")
    'a?[2Jb'
    """
    return "".join(each if each.isprintable() else "?" for each in text)


def _counted(records: Iterable[Any]) -> Iterator[Any]:
    """Yield the records, and say now and then how many there were."""
    reported = time.monotonic()
    for number, record in enumerate(records, 1):
        yield record
        if time.monotonic() - reported > _REPORT_SECONDS:
            reported = time.monotonic()
            sys.stderr.write(f"floorbook quarantine: {number} records read\n")


def _moment(ms: int) -> datetime:
    try:
        return _EPOCH + timedelta(milliseconds=max(ms, 0))
    except OverflowError:
        return _LAST
