"""Frames come out as they went in, however the line cuts or damages them; nothing else ever comes out."""

from itertools import pairwise

import pytest
from fastcrc import crc16
from hypothesis import given
from hypothesis import strategies as st

from floorbook.gateway.frames import (
    DLE,
    ETX,
    MOST_BODY_BYTES,
    STX,
    BadFrame,
    Frame,
    FrameType,
    Parser,
    encode,
)

ids = st.from_regex(r"[A-Za-z0-9_.-]{0,40}", fullmatch=True)
numbers = st.integers(0, (1 << 64) - 1)
# Control bytes are what escaping is about: they must be frequent.
bytes_ = st.lists(st.sampled_from([*STX, *ETX, *DLE, 0x22, 0x23, 0x30, 0, 255]), max_size=60).map(
    bytes
)
frames = st.builds(
    Frame, st.sampled_from(FrameType), ids, ids, numbers, numbers, bytes_ | st.binary(max_size=300)
)
FRAME = Frame(FrameType.READING, "dice-1", "T1", 7, 3, b"\x02\x03\x10 payload")


def parsed(data: bytes) -> list[Frame | BadFrame]:
    return Parser().feed(data)


@given(st.lists(frames, max_size=5))
def test_what_is_sent_arrives(sent: list[Frame]) -> None:
    assert parsed(b"".join(map(encode, sent))) == sent


@given(st.lists(frames | st.binary(max_size=40), max_size=6), st.lists(st.integers(0, 3_000)))
def test_it_does_not_matter_how_the_bytes_are_cut(
    parts: list[Frame | bytes], cuts: list[int]
) -> None:
    data = b"".join(each if isinstance(each, bytes) else encode(each) for each in parts)
    parser = Parser()
    places = sorted({0, len(data), *(cut for cut in cuts if cut < len(data))})
    found = [each for a, b in pairwise(places) for each in parser.feed(data[a:b])]
    assert found == parsed(data)


@given(st.binary(max_size=200), frames)
def test_after_any_garbage_the_next_frame_is_found(garbage: bytes, frame: Frame) -> None:
    assert parsed(garbage + ETX + encode(frame))[-1] == frame


@given(frames, st.data())
def test_no_single_damaged_byte_gets_through(frame: Frame, data: st.DataObject) -> None:
    line = bytearray(encode(frame))
    place = data.draw(st.integers(0, len(line) - 1))
    line[place] ^= data.draw(st.integers(1, 255))
    assert not any(isinstance(each, Frame) for each in parsed(bytes(line)))


@given(frames, st.data())
def test_no_byte_can_be_lost_or_added(frame: Frame, data: st.DataObject) -> None:
    line = encode(frame)
    place = data.draw(st.integers(1, len(line) - 2))
    assert frame not in parsed(line[:place] + line[place + 1 :])
    added = line[:place] + data.draw(st.binary(min_size=1, max_size=1)) + line[place:]
    found = [each for each in parsed(added) if isinstance(each, Frame)]
    # A second STX right after the first makes an unfinished frame and then the whole one.
    assert found in ([], [frame])


@given(st.lists(frames, min_size=2, max_size=3), st.data())
def test_whatever_happens_on_the_line_no_frame_arrives_that_was_not_sent(
    sent: list[Frame], data: st.DataObject
) -> None:
    line = bytearray(b"".join(map(encode, sent)))
    for _ in range(data.draw(st.integers(1, 5))):
        start = data.draw(st.integers(0, len(line) - 1))
        line[start : start + data.draw(st.integers(0, 20))] = data.draw(st.binary(max_size=20))
    assert all(each in sent for each in parsed(bytes(line)) if isinstance(each, Frame))


@given(st.binary(max_size=500))
def test_arbitrary_bytes_are_never_an_exception(data: bytes) -> None:
    parsed(data)
    parsed(STX + data + ETX)


def body_of(line: bytes) -> bytes:
    plain = line[1:-1]
    for raw in (STX, ETX, DLE):
        plain = plain.replace(DLE + bytes((raw[0] ^ 0x20,)), raw)
    return plain


def framed(body: bytes) -> bytes:
    """Return a frame around a body without its CRC, with the right one."""
    body += crc16.ibm_3740(body).to_bytes(2, "big")
    for raw in (DLE, STX, ETX):
        body = body.replace(raw, DLE + bytes((raw[0] ^ 0x20,)))
    return STX + body + ETX


def test_faults_are_told_apart() -> None:
    body = body_of(encode(Frame(FrameType.HELLO, "d", payload=b"key")))[:-2]
    assert parsed(framed(body)) == [Frame(FrameType.HELLO, "d", payload=b"key")]
    assert parsed(b"noise") == [BadFrame.OUTSIDE]
    assert parsed(STX + b"\x01" + STX) == [BadFrame.UNFINISHED]
    assert parsed(STX + DLE + b"a" + b"0" * 30 + ETX) == [BadFrame.ESCAPE]
    assert parsed(STX + ETX) == [BadFrame.LENGTH]
    assert parsed(STX + b"0" * 30 + ETX) == [BadFrame.CHECKSUM]
    assert parsed(framed(b"\x02" + body[1:])) == [BadFrame.VERSION]
    assert parsed(framed(body + b"more")) == [BadFrame.LENGTH]
    assert parsed(framed(body[:3] + b"\x70" + body[4:])) == [BadFrame.TYPE]
    assert parsed(framed(body.replace(b"\x01d", b"\x01/"))) == [BadFrame.FORM]
    assert parsed(framed(body.replace(b"\x01d", b"\xffd"))) == [BadFrame.FORM]


def test_a_frame_without_an_end_costs_no_more_memory_than_the_longest_one() -> None:
    parser = Parser()
    found = [each for _ in range(20) for each in parser.feed(STX * 0 + b"x" * 10_000)]
    assert found == [BadFrame.OUTSIDE]
    found = [*parser.feed(STX), *(each for _ in range(20) for each in parser.feed(b"x" * 10_000))]
    assert found == [BadFrame.OVERSIZED]
    assert parser.feed(encode(FRAME)) == [FRAME]


def test_a_frame_that_is_too_long_is_not_made() -> None:
    longest = Frame(FrameType.READING, "d", "t", payload=b"\x10" * (MOST_BODY_BYTES - 26))
    assert parsed(encode(longest)) == [longest]
    with pytest.raises(ValueError, match="at most 16384 bytes"):
        encode(Frame(FrameType.READING, "d", "t", payload=b"\x10" * (MOST_BODY_BYTES - 25)))
