"""deploy/device-protocol.md says what the code does: its bytes, its numbers, its tables."""

import re
from pathlib import Path

import pytest

from floorbook.gateway import dice, frames, line, payload, shoe, shuffler
from floorbook.gateway.frames import Frame, FrameType, Parser, encode
from floorbook.gateway.observe import MOST_OPEN
from floorbook.table.events import DiceThrown, SourceStarted, ThrowFault, ThrowVoid
from floorbook.table.thirteen_cards.facts import DealtCard, PackDealt

DOCUMENT = (Path(__file__).parents[3] / "deploy" / "device-protocol.md").read_text(encoding="utf-8")
EXAMPLES = {
    name: bytes.fromhex(text)
    for name, text in re.findall(r"```hex ([a-z-]+)\n([0-9a-f\s]+)```", DOCUMENT)
}
DEVICE, TABLE = "dice-7", "T12"
MEANT = {
    "hello": Frame(FrameType.HELLO, DEVICE, boot=5, payload=b"0123456789abcdef"),
    "hello-ack": Frame(FrameType.ACK, DEVICE, boot=5),
    "started": Frame(
        FrameType.READING, DEVICE, TABLE, 5, 1, payload.write(SourceStarted(41), 1_700_000_000_000)
    ),
    "thrown": Frame(
        FrameType.READING,
        DEVICE,
        TABLE,
        5,
        2,
        payload.write(DiceThrown((1, 2, 3)), 1_700_000_000_250),
    ),
    "ack": Frame(FrameType.ACK, DEVICE, TABLE, 5, 2),
    "void": Frame(
        FrameType.READING,
        DEVICE,
        TABLE,
        5,
        3,
        payload.write(ThrowVoid(ThrowFault.COCKED, (4, 0, 6))),
    ),
    "dealt": Frame(
        FrameType.READING,
        "shoe-3",
        TABLE,
        5,
        2,
        payload.write(PackDealt((DealtCard("As", 1), DealtCard("Td", 2))), 1_700_000_000_500),
    ),
    "nak": Frame(FrameType.NAK, DEVICE, TABLE, 5, 9, b"\x0anumber 4 comes next"),
    "heartbeat": Frame(FrameType.HEARTBEAT, DEVICE, boot=5),
    "alive": Frame(FrameType.ALIVE, DEVICE),
    "resend": Frame(FrameType.RESEND),
}


def test_every_example_is_meant() -> None:
    assert EXAMPLES.keys() == MEANT.keys()


@pytest.mark.parametrize("name", MEANT)
def test_the_examples_are_what_the_codec_makes_and_reads(name: str) -> None:
    assert EXAMPLES[name] == encode(MEANT[name])
    assert Parser().feed(EXAMPLES[name]) == [MEANT[name]]


def test_the_frame_types_are_all_there() -> None:
    rows = re.findall(r"^\| `([0-9a-f]{2})` \| ([A-Z]+) \| (?:up|down) \|", DOCUMENT, re.MULTILINE)
    assert {name: int(number, 16) for number, name in rows} == {e.name: e.value for e in FrameType}


def test_the_tags_and_who_sends_them_are_all_there() -> None:
    rows = re.findall(
        r"^\| `([0-9a-f]{2})` \| (\w+) \| (all|shuffler|dice reader|reading shoe) \|",
        DOCUMENT,
        re.MULTILINE,
    )
    found = {(int(tag, 16), fact, who) for tag, fact, who in rows}
    expected = {(0x01, "SourceStarted", "all")}
    expected |= {(each.tag, each.fact.__name__, "shuffler") for each in shuffler.LAYOUTS}
    expected |= {(each.tag, each.fact.__name__, "dice reader") for each in dice.LAYOUTS}
    expected |= {(each.tag, each.fact.__name__, "reading shoe") for each in shoe.LAYOUTS}
    assert found == expected


def test_the_reasons_are_all_there() -> None:
    rows = re.findall(r"^\| ([0-9]+) \| ([A-Z_]{4,}) \|", DOCUMENT, re.MULTILINE)
    assert {name: int(number) for number, name in rows} == {
        reason.value: number for reason, number in line.NUMBERS.items()
    }


def test_the_limits_are_those_of_the_code() -> None:
    for said in (
        f"at most **{MOST_OPEN}** readings",
        f"24 to {frames.MOST_BODY_BYTES} |",
        f"within {line.HELLO_SECONDS:g} s",
        f"nothing for {line.SILENCE_SECONDS:g} s",
        "polynomial `1021`, initial value `FFFF`",
    ):
        assert said in DOCUMENT
