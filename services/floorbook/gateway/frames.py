"""Decides where a frame begins and ends on a device's line, and whether it arrived as it was sent.

A frame is STX, a body, ETX; inside the body the three control bytes are escaped, so STX and ETX never
stand for anything else and a reader that lost its place finds the next frame. The body carries its own
length and a CRC-16/IBM-3740 (polynomial 0x1021, start value 0xFFFF, not reflected): whatever one byte
is changed into, added or lost, the frame is refused. deploy/device-protocol.md says it for device makers.
"""

import re
import struct
from enum import IntEnum, StrEnum

from fastcrc import crc16
from msgspec import Struct

from floorbook import ids

STX, ETX, DLE = b"\x02", b"\x03", b"\x10"
VERSION = 1
MOST_BODY_BYTES = 16_384
"""The longest body before escaping; the largest opening of 256 positions fits."""

_STUFF_XOR = 0x20
_MOST_STUFFED_BYTES = 2 * MOST_BODY_BYTES
_HEAD = struct.Struct(">BHBQQ")
_CRC = struct.Struct(">H")
_LEAST_BODY_BYTES = _HEAD.size + 2 + _CRC.size
_STX, _ETX = STX[0], ETX[0]
_BOUNDARY = re.compile(b"[\x02\x03]")
_ESCAPED = {bytes((each[0] ^ _STUFF_XOR,)): each for each in (STX, ETX, DLE)}


class FrameType(IntEnum):
    """What a frame is; the first three go up, the others down."""

    HELLO = 0x01
    READING = 0x02
    HEARTBEAT = 0x03
    ACK = 0x81
    NAK = 0x82
    RESEND = 0x83
    ALIVE = 0x84


class BadFrame(StrEnum):
    """Why bytes are no frame."""

    OUTSIDE = "OUTSIDE"  # bytes between frames
    UNFINISHED = "UNFINISHED"  # a new start before the end
    OVERSIZED = "OVERSIZED"
    ESCAPE = "ESCAPE"
    LENGTH = "LENGTH"
    CHECKSUM = "CHECKSUM"
    VERSION = "VERSION"
    TYPE = "TYPE"
    FORM = "FORM"  # ids that are none, or lengths that do not fit


class Frame(Struct, frozen=True):
    """One frame; `table_id` is empty and numbers are 0 where the type has no use for them."""

    type: FrameType
    equipment_id: str = ""
    table_id: str = ""
    boot: int = 0
    sequence: int = 0
    payload: bytes = b""


def encode(frame: Frame) -> bytes:
    """Return the bytes of `frame` on the line; ValueError if it is too long."""
    equipment, table = frame.equipment_id.encode(), frame.table_id.encode()
    length = _LEAST_BODY_BYTES + len(equipment) + len(table) + len(frame.payload)
    if length > MOST_BODY_BYTES:
        raise ValueError(f"a frame's body has at most {MOST_BODY_BYTES} bytes, not {length}")
    body = b"".join(
        (
            _HEAD.pack(VERSION, length, frame.type, frame.boot, frame.sequence),
            bytes((len(equipment),)),
            equipment,
            bytes((len(table),)),
            table,
            frame.payload,
        )
    )
    return STX + _stuffed(body + _CRC.pack(crc16.ibm_3740(body))) + ETX


class Parser:
    """Finds frames in bytes that come in pieces of any size; never fails, always goes on.

    What `feed` returns depends on the bytes alone, not on how they were cut into pieces.
    """

    def __init__(self) -> None:
        """Return a parser at the beginning of a line."""
        self._held = bytearray()  # of the frame begun, its STX left out
        self._inside = False
        self._noise = False  # these bytes outside of a frame were reported already

    def feed(self, data: bytes) -> list[Frame | BadFrame]:
        """Return the frames that end in `data`, and what was no frame, in order."""
        found: list[Frame | BadFrame] = []
        at = 0
        while at < len(data):
            at = self._frame(data, at, found) if self._inside else self._gap(data, at, found)
        return found

    def _gap(self, data: bytes, at: int, found: list[Frame | BadFrame]) -> int:
        start = data.find(_STX, at)
        if start != at and not self._noise:
            found.append(BadFrame.OUTSIDE)
            self._noise = True
        if start < 0:
            return len(data)
        self._inside, self._noise = True, False
        return start + 1

    def _frame(self, data: bytes, at: int, found: list[Frame | BadFrame]) -> int:
        boundary = _BOUNDARY.search(data, at)
        end = boundary.start() if boundary else len(data)
        if len(self._held) + end - at > _MOST_STUFFED_BYTES:
            self._held.clear()
            self._inside, self._noise = False, True
            found.append(BadFrame.OVERSIZED)
            return end
        if boundary is None:
            self._held += data[at:]
        elif data[end] == _STX:
            self._held.clear()
            found.append(BadFrame.UNFINISHED)
        else:
            found.append(_decoded(bytes(self._held) + data[at:end]))
            self._held.clear()
            self._inside = False
        return end + 1


def _stuffed(body: bytes) -> bytes:
    for plain in (DLE, STX, ETX):  # the escape itself first
        body = body.replace(plain, DLE + bytes((plain[0] ^ _STUFF_XOR,)))
    return body


def _unstuffed(stuffed: bytes) -> bytes | None:
    first, *rest = stuffed.split(DLE)
    parts = [first]
    for part in rest:
        plain = _ESCAPED.get(part[:1])
        if plain is None:
            return None
        parts += (plain, part[1:])
    return b"".join(parts)


def _decoded(stuffed: bytes) -> Frame | BadFrame:
    body = _unstuffed(stuffed)
    if body is None:
        return BadFrame.ESCAPE
    if not _LEAST_BODY_BYTES <= len(body) <= MOST_BODY_BYTES:
        return BadFrame.LENGTH
    if crc16.ibm_3740(body[: -_CRC.size]) != _CRC.unpack_from(body, len(body) - _CRC.size)[0]:
        return BadFrame.CHECKSUM
    version, length, kind, boot, sequence = _HEAD.unpack_from(body)
    if version != VERSION:
        return BadFrame.VERSION
    if length != len(body):
        return BadFrame.LENGTH
    if kind not in FrameType._value2member_map_:
        return BadFrame.TYPE
    equipment, at = _id(body, _HEAD.size)
    table, at = _id(body, at)
    if equipment is None or table is None:
        return BadFrame.FORM
    return Frame(FrameType(kind), equipment, table, boot, sequence, body[at : -_CRC.size])


def _id(body: bytes, at: int) -> tuple[str | None, int]:
    """Return the id at `at` (empty is allowed) and where it ends; None for what is no id."""
    end = at + 1 + (body[at] if at < len(body) else 0)
    if end > len(body) - _CRC.size:
        return None, at
    text = body[at + 1 : end].decode("latin-1")
    return (text if not text or ids.is_part(text) else None), end
