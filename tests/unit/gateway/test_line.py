"""A device's own line, over a real socket: what is spoken is what deploy/device-protocol.md says."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from floorbook.gateway import line as line_module
from floorbook.gateway.door import Door
from floorbook.gateway.frames import BadFrame, Frame, FrameType, Parser, encode
from floorbook.gateway.line import NUMBERS, DeviceLine
from floorbook.gateway.refusals import Reason
from tests.unit.gateway.ports import Desk
from tests.unit.gateway.test_device_protocol import EXAMPLES, MEANT
from tests.unit.gateway.test_observe import known

DEVICE = {"id": "dice-7", "kind": "dice", "tables": ["T12"], "key": "0123456789abcdef"}
BAD = "floorbook_gateway_device_frames_bad_total"


class Port:
    """A device port with everything behind it faked, and one device connected to it."""

    def __init__(self) -> None:
        self.desk = Desk(known(DEVICE))
        self.fault: str | None = None
        self.door = Door(lambda: self.fault)
        self._parser = Parser()
        self._found: list[Frame | BadFrame] = []

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        host, port = self._server.sockets[0].getsockname()
        self._reader, self.writer = await asyncio.open_connection(host, port)

    async def close(self) -> None:
        self.writer.close()
        self._server.close()

    async def next(self) -> Frame | BadFrame | None:
        """Return what the gateway says next; None if it has hung up."""
        while not self._found:
            async with asyncio.timeout(5):
                data = await self._reader.read(4096)
            if not data:
                return None
            self._found += self._parser.feed(data)
        return self._found.pop(0)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await DeviceLine(self.desk.intake, self.door, reader, writer).run()


@pytest.fixture
async def port() -> AsyncIterator[Port]:
    made = Port()
    await made.open()
    yield made
    await made.close()


async def test_the_session_of_the_document(port: Port) -> None:
    port.writer.write(EXAMPLES["hello"])
    assert await port.next() == MEANT["hello-ack"]
    port.writer.write(EXAMPLES["started"] + EXAMPLES["thrown"])
    assert await port.next() == MEANT["ack"]
    port.writer.write(EXAMPLES["void"])
    assert await port.next() == Frame(FrameType.ACK, "dice-7", "T12", 5, 3)
    port.writer.write(
        encode(Frame(FrameType.READING, "dice-7", "T12", 5, 9, b"\0" * 8 + b"\x30\0"))
    )
    nak = await port.next()
    assert isinstance(nak, Frame)
    assert (nak.type, nak.sequence, nak.payload[0]) == (FrameType.NAK, 9, 10)
    assert nak.payload[1:].startswith(b"number 4 comes next")
    port.writer.write(EXAMPLES["heartbeat"])
    assert await port.next() == MEANT["alive"]
    assert [event.sequence for event in port.desk.log.events()] == [1, 2, 3]
    assert port.desk.log.events()[0].device_time_ms == 1_700_000_000_000


async def test_a_run_of_damaged_frames_is_answered_once(port: Port) -> None:
    damaged = bytearray(EXAMPLES["thrown"])
    damaged[-3] ^= 0xFF
    port.writer.write(bytes(damaged))
    port.writer.write(EXAMPLES["hello"])
    # In which order is not said: a device that greets sends everything again anyway.
    answers = [await port.next(), await port.next()]
    assert MEANT["hello-ack"] in answers
    assert MEANT["resend"] in answers
    for _ in range(3):
        port.writer.write(bytes(damaged))
        await port.writer.drain()
        await asyncio.sleep(0.001)
    port.writer.write(EXAMPLES["started"])
    assert await port.next() == Frame(FrameType.ACK, "dice-7", "T12", 5, 1)
    assert port.desk.counted(BAD, reason="CHECKSUM") == 4
    port.writer.write(bytes(damaged))
    assert await port.next() == MEANT["resend"]


async def test_what_only_gateways_say_is_a_bad_frame(port: Port) -> None:
    port.writer.write(EXAMPLES["ack"] + EXAMPLES["hello"])
    assert MEANT["hello-ack"] in [await port.next(), await port.next()]
    assert port.desk.counted(BAD, reason="TYPE") == 1
    assert port.desk.log.records == []


async def test_a_line_without_an_accepted_hello_is_closed(
    port: Port, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_module, "HELLO_SECONDS", 0.05)
    wrong = Frame(FrameType.HELLO, "dice-7", boot=5, payload=b"another-key-than-that")
    other = Port()
    await other.open()
    other.writer.write(encode(wrong))
    nak = await other.next()
    assert isinstance(nak, Frame)
    assert nak.payload[0] == NUMBERS[Reason.WRONG_KEY]
    assert await other.next() is None
    await other.close()


async def test_a_silent_line_is_closed_and_what_was_under_way_is_acknowledged(
    port: Port, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(line_module, "SILENCE_SECONDS", 0.05)
    port.desk.log.held = []
    port.writer.write(EXAMPLES["hello"] + EXAMPLES["started"])
    await asyncio.sleep(0.1)
    port.desk.log.confirm(1)
    frames = [await port.next() for _ in range(3)]
    assert frames == [MEANT["hello-ack"], Frame(FrameType.ACK, "dice-7", "T12", 5, 1), None]


async def test_a_gateway_that_is_not_ready_hangs_up(port: Port) -> None:
    port.writer.write(EXAMPLES["hello"])
    assert await port.next() == MEANT["hello-ack"]
    port.fault = "no broker"
    port.writer.write(EXAMPLES["started"])
    assert await port.next() is None
    assert port.desk.log.records == []


async def test_a_gateway_that_stops_acknowledges_and_hangs_up(port: Port) -> None:
    port.desk.log.held = []
    port.writer.write(EXAMPLES["hello"])
    assert await port.next() == MEANT["hello-ack"]
    port.writer.write(EXAMPLES["started"])
    await port.desk.log.appended.wait()
    port.door.close()
    port.desk.log.confirm(1)
    assert await port.next() == Frame(FrameType.ACK, "dice-7", "T12", 5, 1)
    assert await port.next() is None


def test_every_reason_that_a_device_can_get_has_a_number_of_its_own() -> None:
    not_for_devices = {
        Reason.UNKNOWN_CLIENT,
        Reason.UNKNOWN_TABLE_FOR_CLIENT,
        Reason.UNKNOWN_EQUIPMENT_FOR_CLIENT,
        Reason.ROLE_NOT_OF_CLIENT,
        Reason.PERSON_NOT_OF_CLIENT,
        Reason.REQUEST_UNDER_WAY,
        Reason.DEADLINE_EXCEEDED,
        Reason.UNAVAILABLE,
    }
    assert set(NUMBERS) == set(Reason) - not_for_devices
    assert len(set(NUMBERS.values())) == len(NUMBERS)
