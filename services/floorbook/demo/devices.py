"""Decides how simulated devices report: numbers, what is sent again, and the byte protocol of a line.

A device keeps every reading until it is acknowledged and sends all of them again whenever its line was
opened anew. A restart loses what was not sent, as in a real one.
"""

import asyncio
import contextlib
from collections.abc import Iterable, Sequence
from typing import Final, Protocol

from msgspec import Struct

from floorbook import ids
from floorbook.gateway import payload
from floorbook.gateway.frames import BadFrame, Frame, FrameType, Parser, encode
from floorbook.gateway.line import NUMBERS
from floorbook.gateway.observe import MOST_OPEN
from floorbook.gateway.refusals import Reason
from floorbook.settings import Address
from floorbook.table.events import Fact, SourceStarted

_UPGRADE_SECONDS: Final = 0.5
_HEARTBEAT_SECONDS: Final = 10.0
_PAUSES_SECONDS: Final = (0.05, 0.1, 0.2, 0.5, 1.0)
_READ_BYTES: Final = 65_536
_REASONS: Final = {number: reason for reason, number in NUMBERS.items()}


class ReadingRefused(Exception):
    """A gateway refuses a reading, and would refuse it again."""

    def __init__(self, equipment_id: str, reason: str) -> None:
        """Return the error for a device and the gateway's reason."""
        super().__init__(f"{equipment_id}: the gateway refuses a reading: {reason}")
        self.reason = reason


class Reading(Struct, frozen=True):
    """One reading as a device sends it."""

    equipment_id: str
    table_id: str
    boot: int
    sequence: int
    fact: Fact


class Line(Protocol):
    """What carries a device's readings to a gateway and acknowledgements back."""

    def send(self, device: "Device", readings: Iterable[Reading]) -> None:
        """Return after sending readings if the line is open; else they go when it is."""

    def reopen(self) -> None:
        """Return at once; the line is closed and opened again."""


class Device:
    """One device at one table."""

    def __init__(self, equipment_id: str, table_id: str, key: str, line: Line, boot: int) -> None:
        """Return a device that has started and not yet said so."""
        self.equipment_id = equipment_id
        self.table_id = table_id
        self.key = key
        self.line = line
        self.boot = boot
        self.sequence = 0
        self.last_acknowledged = 0
        self._last: Fact | None = None
        self._open: list[tuple[Reading, asyncio.Future[None]]] = []
        self._room = asyncio.Event()
        self._room.set()

    @property
    def unacknowledged(self) -> Sequence[Reading]:
        """Return the readings that must be sent again after a break."""
        return [reading for reading, _ in self._open]

    async def report(self, fact: Fact) -> str:
        """Return the event's id once the reading is acknowledged."""
        await self._room.wait()
        self.sequence += 1
        self._last = fact
        return await self._deliver(self.sequence, fact)

    async def repeat(self) -> str:
        """Return the event's id once the last reading was sent, and acknowledged, once more."""
        assert self._last is not None, "there is no reading to repeat"
        return await self._deliver(self.sequence, self._last)

    async def find(self, fact: Fact) -> str:
        """Return the event's id once a reading that was lost before the last one is acknowledged."""
        return await self._deliver(self.sequence - 1, fact)

    async def report_in_vain(self, fact: Fact) -> str:
        """Return the gateway's reason for refusing a reading; it uses up no number."""
        try:
            await self._deliver(self.sequence + 1, fact)
        except ReadingRefused as refused:
            return refused.reason
        self.sequence += 1
        return ""

    def lose(self) -> None:
        """Return after losing a reading: its number is used and it is never sent."""
        self.sequence += 1

    async def start(self) -> str:
        """Return the id of the first fact of this boot, once it is acknowledged."""
        before, self.last_acknowledged = self.last_acknowledged, 0
        return await self.report(SourceStarted(before))

    async def restart(self, *, remembers: bool = True) -> str:
        """Return the id of the first fact of a new boot; whatever was not acknowledged is lost."""
        for _, waiter in self._open:
            waiter.cancel()
        self._open.clear()
        self._room.set()
        self.boot, self.sequence = self.boot + 1, 0
        if not remembers:
            self.last_acknowledged = 0
        return await self.start()

    def acknowledged(self, boot: int, sequence: int) -> None:
        """Return after noting that all readings up to `sequence` are in the log."""
        if boot != self.boot:
            return
        self.last_acknowledged = max(self.last_acknowledged, sequence)
        while self._open and self._open[0][0].sequence <= sequence:
            _, waiter = self._open.pop(0)
            if not waiter.done():
                waiter.set_result(None)
        if len(self._open) < MOST_OPEN:
            self._room.set()

    def refused(self, sequence: int, reason: str) -> None:
        """Return after dealing with a gateway's refusal of a reading (0: of the greeting)."""
        if reason in (Reason.OUT_OF_ORDER, Reason.TOO_MANY_OPEN):
            self.line.send(self, self.unacknowledged)
            return
        if reason == Reason.FOLD_TOO_OLD:
            # Table processors are being upgraded, which takes a while: not again at once.
            asyncio.get_running_loop().call_later(
                _UPGRADE_SECONDS, lambda: self.line.send(self, self.unacknowledged)
            )
            return
        for reading, waiter in self._open:
            if reading.sequence == sequence and not waiter.done():
                waiter.set_exception(ReadingRefused(self.equipment_id, reason))
        self._open = [each for each in self._open if each[0].sequence != sequence]

    async def _deliver(self, sequence: int, fact: Fact) -> str:
        reading = Reading(self.equipment_id, self.table_id, self.boot, sequence, fact)
        waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._open.append((reading, waiter))
        if len(self._open) >= MOST_OPEN:
            self._room.clear()
        self.line.send(self, (reading,))
        await waiter
        return ids.event_id(reading.table_id, reading.equipment_id, reading.boot, reading.sequence)


class OwnLine:
    """A device's own TCP line, spoken in frames."""

    def __init__(self, addresses: Sequence[Address], number: int = 0) -> None:
        """Return a line without a device; `number` is the gateway it begins with."""
        self._addresses = addresses
        self._number = number
        self._device: Device | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._again = asyncio.Event()
        self._plugged = asyncio.Event()
        self._plugged.set()

    def add(self, device: Device) -> None:
        """Return after giving the line its device."""
        self._device = device

    def send(self, device: Device, readings: Iterable[Reading]) -> None:
        """Return after sending readings if the line is open; else they go when it is."""
        if self._writer is not None:
            self._writer.write(b"".join(_frame(each) for each in readings))

    def send_bytes(self, data: bytes) -> bool:
        """Return whether bytes that mean nothing were sent: the line must be open for it."""
        if self._writer is None:
            return False
        self._writer.write(data)
        return True

    def reopen(self) -> None:
        """Return at once; the line is closed and opened again."""
        self._again.set()

    def unplug(self) -> None:
        """Return at once; the line is closed and stays so until `plug`."""
        self._plugged.clear()
        self._again.set()

    def plug(self) -> None:
        """Return at once; the line may be opened again."""
        self._plugged.set()

    async def run(self) -> None:
        """Never return; keep the line open while it is plugged in."""
        tries = 0
        while True:
            await self._plugged.wait()
            self._again.clear()
            with contextlib.suppress(OSError):
                if await self._once():
                    tries = 0
            self._number += 1
            await asyncio.sleep(_PAUSES_SECONDS[min(tries, len(_PAUSES_SECONDS) - 1)])
            tries += 1

    async def _once(self) -> bool:
        """Return whether the device was greeted before the line ended."""
        device = self._device
        assert device is not None, "a line is run with its device"
        address = self._addresses[self._number % len(self._addresses)]
        reader, writer = await asyncio.open_connection(address.host, address.port)
        again = asyncio.create_task(self._again.wait())
        beating = asyncio.create_task(self._beat(writer, device))
        parser, greeted = Parser(), False
        hello = Frame(
            FrameType.HELLO, device.equipment_id, boot=device.boot, payload=device.key.encode()
        )
        writer.write(encode(hello))
        self._writer = writer
        self.send(device, device.unacknowledged)
        try:
            while True:
                reading = asyncio.ensure_future(reader.read(_READ_BYTES))
                await asyncio.wait((reading, again), return_when=asyncio.FIRST_COMPLETED)
                if again.done():
                    reading.cancel()
                    return greeted
                data = reading.result()
                if not data:
                    return greeted
                for found in parser.feed(data):
                    greeted = greeted or not isinstance(found, BadFrame)
                    self._hear(device, found)
        finally:
            self._writer = None
            again.cancel()
            beating.cancel()
            writer.close()

    def _hear(self, device: Device, found: Frame | BadFrame) -> None:
        match found:
            case Frame(type=FrameType.ACK, table_id=""):
                pass  # the greeting's
            case Frame(type=FrameType.ACK, boot=boot, sequence=sequence):
                device.acknowledged(boot, sequence)
            case Frame(type=FrameType.RESEND):
                self.send(device, device.unacknowledged)
            case Frame(type=FrameType.NAK, sequence=sequence, payload=why):
                reason = _REASONS.get(why[0]) if why else None
                device.refused(sequence, reason.value if reason else "UNKNOWN_REASON")

    async def _beat(self, writer: asyncio.StreamWriter, device: Device) -> None:
        while True:
            await asyncio.sleep(_HEARTBEAT_SECONDS)
            writer.write(encode(Frame(FrameType.HEARTBEAT, device.equipment_id)))


def _frame(reading: Reading) -> bytes:
    return encode(
        Frame(
            FrameType.READING,
            reading.equipment_id,
            reading.table_id,
            reading.boot,
            reading.sequence,
            payload.write(reading.fact),
        )
    )
