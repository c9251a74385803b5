"""Decides how what could not be read is named, and what of it is kept.

`Unreadable` is what every decoder of this package returns instead of raising; `Quarantined` is the record
that a service writes about it, so that operators, rebuild and audit find the place again.
"""

from google.protobuf.message import DecodeError
from msgspec import Struct

from floorbook.v1 import quarantine_pb2

EMPTY = "EMPTY"
NOT_DECODABLE = "NOT_DECODABLE"
WRONG_KEY = "WRONG_KEY"

_MOST_PAYLOAD_BYTES = 64 * 1024


class Unreadable(Struct, frozen=True):
    """Why bytes could not be read: a reason in `UPPER_SNAKE` and a sentence naming the fault."""

    reason: str
    detail: str


class Quarantined(Struct, frozen=True):
    """One thing that could not be read; `payload` only where no topic has the bytes."""

    topic: str
    partition: int
    offset: int
    reason: str
    detail: str
    service: str
    source: str = ""
    payload: bytes = b""
    time_ms: int = 0


def encode(quarantined: Quarantined) -> bytes:
    """Return the record's bytes; of a longer payload the first 64 KiB."""
    return quarantine_pb2.Quarantined(
        topic=quarantined.topic,
        partition=quarantined.partition,
        offset=quarantined.offset,
        reason=quarantined.reason,
        detail=quarantined.detail,
        service=quarantined.service,
        source=quarantined.source,
        payload=quarantined.payload[:_MOST_PAYLOAD_BYTES],
        time_ms=quarantined.time_ms,
    ).SerializeToString()


def decode(value: bytes) -> Quarantined | Unreadable:
    """Return the record in `value`, or why there is none."""
    if not value:
        return Unreadable(EMPTY, "the record has no bytes")
    try:
        message = quarantine_pb2.Quarantined.FromString(value)
    except DecodeError as fault:
        return Unreadable(NOT_DECODABLE, f"these bytes are no Quarantined: {fault}")
    if not message.reason or not message.service:
        return Unreadable("INCOMPLETE", "a quarantine record names its reason and its service")
    return Quarantined(
        topic=message.topic,
        partition=message.partition,
        offset=message.offset,
        reason=message.reason,
        detail=message.detail,
        service=message.service,
        source=message.source,
        payload=message.payload,
        time_ms=message.time_ms,
    )
