"""Decides how a device's own line (TCP, or a serial line behind a converter) is spoken: frames to readings and back.

deploy/device-protocol.md describes it for device makers; the numbers of refusals on the line are here.
"""

import asyncio
from types import MappingProxyType

from floorbook.gateway import payload
from floorbook.gateway.door import Door
from floorbook.gateway.frames import BadFrame, Frame, FrameType, Parser, encode
from floorbook.gateway.intake import Intake, LogUnavailable
from floorbook.gateway.observe import DeviceStream, Hello, RawBytes, Reading, Refused, Reply
from floorbook.gateway.refusals import Reason

HELLO_SECONDS = 10.0
"""A connection on which no device has shown its key by then is closed."""
SILENCE_SECONDS = 30.0
"""A connection on which nothing was heard for so long is closed; devices send a heartbeat every 10 s."""

_READ_BYTES = 65_536
_MOST_DETAIL_BYTES = 200
_MOST_UNREAD_BYTES = 262_144

NUMBERS: MappingProxyType[Reason, int] = MappingProxyType(
    {
        Reason.UNKNOWN_DEVICE: 1,
        Reason.WRONG_KEY: 2,
        Reason.NOT_GREETED: 3,
        Reason.UNKNOWN_TABLE_FOR_DEVICE: 4,
        Reason.WRONG_FACT_FOR_DEVICE: 5,
        Reason.UNREADABLE_FACT: 6,
        Reason.UNKNOWN_FACT: 7,
        Reason.OVERSIZED: 8,
        Reason.BAD_NUMBER: 9,
        Reason.OUT_OF_ORDER: 10,
        Reason.TOO_MANY_OPEN: 11,
        Reason.FOLD_TOO_OLD: 12,
    }
)
"""First byte of a NAK's payload for each reason that a device can be refused for."""

_RESEND = encode(Frame(FrameType.RESEND))


class DeviceLine:
    """One connection of a device, from its first byte to its last."""

    def __init__(
        self,
        intake: Intake,
        door: Door,
        reader: asyncio.StreamReader,
        writer: asyncio.StreamWriter,
    ) -> None:
        """Return a line on which nothing has been said."""
        self._intake = intake
        self._door = door
        self._reader = reader
        self._writer = writer
        self._parser = Parser()
        self._stream = DeviceStream(intake, self._answer)
        self._asked_again = False

    async def run(self) -> None:
        """Return when the line is closed and all that came over it is acknowledged or given up."""
        self._writer.transport.set_write_buffer_limits(high=_MOST_UNREAD_BYTES)
        try:
            async with asyncio.TaskGroup() as group:
                self._door.holds(group.create_task(self._read()))
                group.create_task(self._stream.acknowledge())
        except* (LogUnavailable, ConnectionError):
            pass  # the device sees the end of the line, and sends again what was not acknowledged
        finally:
            self._writer.close()

    async def _read(self) -> None:
        loop = asyncio.get_running_loop()
        opened = loop.time()
        try:
            while True:
                limit = SILENCE_SECONDS
                if not self._stream.has_devices:
                    limit = max(opened + HELLO_SECONDS - loop.time(), 0)
                data = await self._heard(limit)
                if not data:
                    return
                if (fault := self._door.fault) is not None:
                    raise LogUnavailable(fault)
                await self._take(data)
        finally:
            self._stream.close()

    async def _heard(self, limit_seconds: float) -> bytes:
        """Return what the device sent; nothing if it has hung up or is silent for too long."""
        try:
            async with asyncio.timeout(limit_seconds):
                return await self._reader.read(_READ_BYTES)
        except TimeoutError:
            return b""

    async def _take(self, data: bytes) -> None:
        hellos: list[Hello] = []
        readings: list[Reading] = []
        heartbeats: list[str] = []
        damaged = False
        for found in self._parser.feed(data):
            match found:
                case Frame(type=FrameType.HELLO):
                    hellos.append(_hello(found))
                case Frame(type=FrameType.READING):
                    readings.append(_reading(found))
                case Frame(type=FrameType.HEARTBEAT):
                    heartbeats.append(found.equipment_id)
                case _:
                    bad = BadFrame.TYPE if isinstance(found, Frame) else found
                    self._intake.metrics.device_frames_bad.add(reason=bad.value)
                    damaged = True
        if hellos or readings or heartbeats:
            self._asked_again = False
            await self._stream.take(hellos, readings, heartbeats)
        # One request for a run of bad frames: each makes the device send everything again.
        if damaged and self._stream.has_devices and not self._asked_again:
            self._asked_again = True
            self._writer.write(_RESEND)

    async def _answer(self, reply: Reply) -> None:
        frames = [Frame(FrameType.ACK, each.equipment_id, "", each.boot) for each in reply.greeted]
        frames += [
            Frame(
                FrameType.NAK,
                each.equipment_id,
                each.table_id,
                each.boot,
                each.sequence,
                _nak(each),
            )
            for each in reply.refused
        ]
        frames += [
            Frame(FrameType.ACK, each.equipment_id, each.table_id, each.boot, each.sequence)
            for each in reply.acknowledged
        ]
        frames += [Frame(FrameType.ALIVE, each) for each in reply.alive]
        self._writer.write(b"".join(map(encode, frames)))
        await self._writer.drain()


def _hello(frame: Frame) -> Hello:
    # A key is ASCII; other bytes become something that is no key.
    return Hello(frame.equipment_id, frame.payload.decode("ascii", "replace"), frame.boot)


def _reading(frame: Frame) -> Reading:
    clock, fact = payload.read(frame.payload)
    return Reading(
        frame.equipment_id,
        frame.table_id,
        frame.boot,
        frame.sequence,
        clock,
        fact,
        RawBytes(frame.payload),
    )


def _nak(refused: Refused) -> bytes:
    detail = refused.refusal.detail.encode("ascii", "replace")[:_MOST_DETAIL_BYTES]
    return bytes((NUMBERS[refused.refusal.reason],)) + detail
