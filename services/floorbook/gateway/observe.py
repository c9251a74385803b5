"""Decides what becomes of a device's readings: refused, or in the log and then acknowledged.

One stream is one connection, over gRPC or a device's own line, with any number of devices. A reading is
acknowledged after the broker has it and all before it. On a stream a source's numbers have no holes, so a
lost frame never becomes a hole in the log.
"""

import asyncio
from collections import Counter, deque
from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol

from msgspec import Struct

from floorbook import crash, ids
from floorbook.gateway import payload
from floorbook.gateway.intake import LARGEST_NUMBER, Intake, LogUnavailable, Placed
from floorbook.gateway.refusals import Reason, Refusal
from floorbook.gateway.registry import Device
from floorbook.table.events import Fact, Role, UnknownFact
from floorbook.wire import envelope
from floorbook.wire.quarantine import Unreadable

MOST_OPEN = 32
"""Readings of one device that may wait for their acknowledgement."""
MOST_READING_BYTES = 16_384
_MOST_BATCHES = 100


class Raw(Protocol):
    """What a reading was before it was understood."""

    def SerializeToString(self) -> bytes:
        """Return its bytes."""
        ...

    def ByteSize(self) -> int:
        """Return how many there are."""
        ...


class RawBytes(Struct, frozen=True):
    """A reading that arrived as bytes."""

    data: bytes

    def SerializeToString(self) -> bytes:
        """Return its bytes."""
        return self.data

    def ByteSize(self) -> int:
        """Return how many there are."""
        return len(self.data)


class Hello(Struct, frozen=True):
    """A device says who it is."""

    equipment_id: str
    key: str
    boot: int = 0


class Reading(Struct, frozen=True):
    """One reading as it arrived, whatever it came over."""

    equipment_id: str
    table_id: str
    boot: int
    sequence: int
    device_time_ms: int
    fact: Fact | Unreadable
    raw: Raw


class Acknowledged(Struct, frozen=True):
    """Everything of a source up to `sequence` is in the log."""

    equipment_id: str
    table_id: str
    boot: int
    sequence: int


class Refused(Struct, frozen=True):
    """One hello (sequence 0) or reading that was not taken."""

    equipment_id: str
    table_id: str
    boot: int
    sequence: int
    refusal: Refusal


class Reply(Struct):
    """What goes down a stream at once."""

    acknowledged: list[Acknowledged]
    refused: list[Refused]
    greeted: list[Hello]
    alive: list[str]


class _Source:
    """What a stream knows of one source."""

    __slots__ = ("acknowledged", "boot", "last", "told")

    def __init__(self, boot: int, last: int) -> None:
        self.boot = boot
        self.last = last
        self.acknowledged = 0
        self.told = False  # of a run of readings out of order only the first is answered


class _Greeted:
    """A device that has shown its key on this stream."""

    __slots__ = ("device", "facts", "open", "sources")

    def __init__(self, device: Device) -> None:
        self.device = device
        self.facts = payload.FACTS[device.kind]
        self.open = 0
        self.sources: dict[str, _Source] = {}


class _Sent(Struct):
    """One reading on its way into the log."""

    greeted: _Greeted
    source: _Source
    reading: Reading
    place: "asyncio.Future[Placed]"


class _Batch(Struct):
    """What one message brought."""

    time_ms: int
    sent: list[_Sent]
    refused: list[Refused]
    greeted: list[Hello]
    alive: list[str]

    def is_done(self) -> bool:
        """Return whether the broker has answered for all that was sent."""
        return all(each.place.done() for each in self.sent)


class DeviceStream:
    """One connection's devices. `take` is called for each message, `acknowledge` runs beside it."""

    def __init__(self, intake: Intake, reply: Callable[[Reply], Awaitable[None]]) -> None:
        """Return a stream on which no device has spoken; answers go to `reply`, one at a time."""
        self._intake = intake
        self._registry = intake.registry
        self._reply = reply
        self._greeted: dict[str, _Greeted] = {}
        self._batches: deque[_Batch] = deque()
        self._closed = False
        self._more = asyncio.Event()
        self._room = asyncio.Event()
        self._room.set()

    @property
    def has_devices(self) -> bool:
        """Return whether a device has shown its key."""
        return bool(self._greeted)

    async def take(
        self,
        hellos: Sequence[Hello] = (),
        readings: Sequence[Reading] = (),
        heartbeats: Sequence[str] = (),
    ) -> None:
        """Return when all of a message is refused or on its way into the log.

        `LogUnavailable` ends the stream; what was on its way before is still acknowledged.
        """
        await self._room.wait()
        self._follow_registry()
        batch = _Batch(self._intake.now_ms(), [], [], [], [])
        for hello in hellos:
            self._greet(hello, batch)
        batch.alive += [each for each in heartbeats if each in self._greeted]
        try:
            for reading in readings:
                await self._observe(reading, batch)
        finally:
            self._heard(batch)
            self._batches.append(batch)
            self._more.set()
            if len(self._batches) >= _MOST_BATCHES:
                # Who does not read acknowledgements is not read from.
                self._room.clear()

    def close(self) -> None:
        """Return after noting that nothing more comes: `acknowledge` ends after what is under way."""
        self._closed = True
        self._more.set()

    async def acknowledge(self) -> None:
        """Return when the stream is closed and all is acknowledged; `LogUnavailable` if the log fails."""
        while True:
            while not self._batches:
                if self._closed:
                    return
                self._more.clear()
                await self._more.wait()
            reply = Reply([], [], [], [])
            await self._confirm(self._batches.popleft(), reply)
            # Whatever else is in the log by now goes down in the same message.
            while self._batches and self._batches[0].is_done():
                await self._confirm(self._batches.popleft(), reply)
            self._room.set()
            crash.point("gateway-confirmed")
            if reply.acknowledged or reply.refused or reply.greeted or reply.alive:
                await self._reply(reply)

    def _follow_registry(self) -> None:
        """Return after forgetting the devices that a new registry does not know as they were."""
        if self._registry is self._intake.registry:
            return
        self._registry = self._intake.registry
        for equipment, greeted in list(self._greeted.items()):
            device = self._registry.devices.get(equipment)
            known = greeted.device
            if device is None or (device.key, device.kind) != (known.key, known.kind):
                del self._greeted[equipment]
            else:
                greeted.device = device

    def _greet(self, hello: Hello, batch: _Batch) -> None:
        device = self._registry.devices.get(hello.equipment_id)
        if device is None:
            refusal = Refusal(Reason.UNKNOWN_DEVICE, "no such device: add it to the registry")
        elif not device.has_key(hello.key):
            refusal = Refusal(
                Reason.WRONG_KEY, "the key is not the registry's: set the device's key"
            )
        else:
            if hello.equipment_id not in self._greeted:
                self._greeted[hello.equipment_id] = _Greeted(device)
            batch.greeted.append(hello)
            return
        batch.refused.append(Refused(hello.equipment_id, "", hello.boot, 0, refusal))
        self._intake.refused(refusal, _source_text(hello.equipment_id))

    async def _observe(self, reading: Reading, batch: _Batch) -> None:
        greeted = self._greeted.get(reading.equipment_id)
        refusal = self._refusal(reading, greeted)
        if refusal is not None or greeted is None:
            self._refuse(reading, refusal, batch)
            return
        source = greeted.sources.get(reading.table_id)
        if source is None or source.boot != reading.boot:
            # Not known on this stream: the device says where it goes on, the fold checks it.
            source = _Source(reading.boot, reading.sequence - 1)
            greeted.sources[reading.table_id] = source
        refusal = self._order_refusal(reading, greeted, source)
        if refusal is not None:
            told, source.told = source.told, refusal.reason is Reason.OUT_OF_ORDER
            self._refuse(reading, refusal, batch, answer=not (told and source.told))
            return
        fact = reading.fact
        assert not isinstance(fact, Unreadable), "an unreadable fact is refused"
        place = await self._intake.append(
            fact,
            table_id=reading.table_id,
            equipment_id=reading.equipment_id,
            equipment_kind=greeted.device.kind,
            boot=reading.boot,
            sequence=reading.sequence,
            role=Role.DEVICE,
            observe_time_ms=batch.time_ms,
            fingerprint=envelope.fingerprint(fact),
            device_time_ms=reading.device_time_ms,
        )
        source.last = max(source.last, reading.sequence)
        source.told = False
        greeted.open += 1
        batch.sent.append(_Sent(greeted, source, reading, place))

    def _refusal(self, reading: Reading, greeted: _Greeted | None) -> Refusal | None:
        """Return why the reading cannot come from whoever sends it; None if it can."""
        if greeted is None:
            return Refusal(Reason.NOT_GREETED, "send a hello with the device's key first")
        if reading.table_id not in greeted.device.tables:
            return Refusal(
                Reason.UNKNOWN_TABLE_FOR_DEVICE,
                "the registry does not name this table for the device: correct one of them",
            )
        if not (
            0 < reading.boot <= LARGEST_NUMBER
            and 0 < reading.sequence <= LARGEST_NUMBER
            and reading.device_time_ms >= 0
        ):
            return Refusal(
                Reason.BAD_NUMBER,
                "boot and sequence begin at 1, the clock at 0; all end at 2^63 - 1",
            )
        return None

    def _order_refusal(
        self, reading: Reading, greeted: _Greeted, source: _Source
    ) -> Refusal | None:
        """Return why the reading cannot be the source's next one or a repeat; None if it can."""
        if reading.sequence > source.last + 1:
            return Refusal(
                Reason.OUT_OF_ORDER,
                f"number {source.last + 1} comes next: send again all after the last acknowledged",
            )
        if greeted.open >= MOST_OPEN:
            return Refusal(
                Reason.TOO_MANY_OPEN,
                f"{MOST_OPEN} readings wait for acknowledgement: send this again after the next one",
            )
        if reading.raw.ByteSize() > MOST_READING_BYTES:
            return Refusal(Reason.OVERSIZED, f"a reading has at most {MOST_READING_BYTES} bytes")
        refusal = self._intake.fact_refusal(reading.table_id, reading.fact)
        if refusal is None and type(reading.fact) not in greeted.facts:
            kind = greeted.device.kind.name.lower()
            name = envelope.name_of(reading.fact) if isinstance(reading.fact, Fact) else ""
            return Refusal(Reason.WRONG_FACT_FOR_DEVICE, f"a device of kind {kind} sends no {name}")
        return refusal

    def _refuse(
        self, reading: Reading, refusal: Refusal | None, batch: _Batch, *, answer: bool = True
    ) -> None:
        assert refusal is not None, "nothing is refused without a reason"
        if answer:
            batch.refused.append(
                Refused(
                    reading.equipment_id, reading.table_id, reading.boot, reading.sequence, refusal
                )
            )
        greeted = self._greeted.get(reading.equipment_id)
        raw = b"" if _may_hold_faces(reading.fact, greeted) else reading.raw.SerializeToString()
        self._intake.refused(refusal, _source_text(reading.equipment_id), raw)

    def _heard(self, batch: _Batch) -> None:
        heard = {each.equipment_id for each in batch.greeted} | set(batch.alive)
        heard |= {each.reading.equipment_id for each in batch.sent}
        for equipment in heard:
            self._intake.metrics.heartbeat_timestamp_seconds.set(equipment, batch.time_ms / 1000)

    async def _confirm(self, batch: _Batch, reply: Reply) -> None:
        """Return when all that the batch sent is in the log, and `reply` says so."""
        reply.refused += batch.refused
        reply.greeted += batch.greeted
        reply.alive += batch.alive
        touched: dict[tuple[str, str], _Sent] = {}
        for sent in batch.sent:
            if not sent.place.done():
                await asyncio.wait((sent.place,))
            fault = sent.place.exception()
            if fault is not None:
                self._intake.failed(fault)
                raise LogUnavailable(
                    "the broker did not confirm a reading: send it again"
                ) from fault
            sent.greeted.open -= 1
            sent.source.acknowledged = max(sent.source.acknowledged, sent.reading.sequence)
            touched[sent.reading.equipment_id, sent.reading.table_id] = sent
        for (equipment, table), sent in touched.items():
            reply.acknowledged.append(
                Acknowledged(equipment, table, sent.source.boot, sent.source.acknowledged)
            )
        if batch.sent:
            names = Counter(envelope.name_of(sent.reading.fact) for sent in batch.sent)  # type: ignore[arg-type]
            self._intake.confirmed("device", names, batch.time_ms, batch.sent[-1].place.result())


def _may_hold_faces(fact: Fact | Unreadable, greeted: _Greeted | None) -> bool:
    """Return whether a reading may tell faces that nobody may see yet, such as those of a pack.

    One that cannot be read may, unless its device never tells any.
    """
    if isinstance(fact, Unreadable | UnknownFact):
        return greeted is None or not payload.FACES.isdisjoint(greeted.facts)
    return type(fact) in payload.FACES


def _source_text(equipment_id: str) -> str:
    # What a stranger calls itself goes no further than an id can.
    return f"device/{equipment_id}" if ids.is_part(equipment_id) else "device/?"
