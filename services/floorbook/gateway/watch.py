"""Decides what a viewer of a table is sent, from where on, and when his stream ends.

Without a cursor he first gets a whole view, asked for by an event so that it has a place in the order. With
one he goes on after it: first what lies in the topic, then what comes live, without a gap or a repeat. After a
crash the processor sends records again, and a worker that was frozen may send old ones late: what is not above
the last event told is dropped.
"""

import asyncio
from collections.abc import AsyncGenerator, Sequence
from contextlib import aclosing
from itertools import count
from typing import Protocol

from floorbook import ids
from floorbook.gateway.floor import Floor, FloorFault, Overflow, Record, parse, seen_by
from floorbook.gateway.intake import Intake, LogUnavailable
from floorbook.gateway.refusals import Reason, Refusal
from floorbook.gateway.registry import GATEWAY_PREFIX
from floorbook.gateway.terminal import Speaker
from floorbook.table.events import ViewAsked
from floorbook.v1 import floor_pb2
from floorbook.wire import envelope


class CursorOutOfRange(Exception):
    """The cursor is older than what is kept, or was never given out; the message says what to do."""


class History(Protocol):
    """The topic floor as it was, as far as a gateway reads it."""

    def read(self, partition: int, start: int, end: int) -> AsyncGenerator[Sequence[Record], None]:
        """Yield the records at offsets from `start` to before `end`.

        `CursorOutOfRange` if some are gone, `LogUnavailable` if the broker does not give them.
        """
        ...

    async def end(self, partition: int) -> int:
        """Return the offset after the partition's last record."""
        ...


class WatchEnded(Exception):
    """A viewer's stream ends before he wants it to."""

    def __init__(self, refusal: Refusal, *, slow: bool = False) -> None:
        """Return the end for a reason; `slow` if the viewer did not keep up."""
        super().__init__(refusal.detail)
        self.refusal = refusal
        self.slow = slow


class Views:
    """The viewers of one gateway, which asks for views as a source of its own."""

    def __init__(
        self,
        intake: Intake,
        floor: Floor,
        history: History,
        slot: str,
        boot: int,
        deadline_seconds: float,
    ) -> None:
        """Return views of a gateway that has started at `boot`, milliseconds since the Unix epoch."""
        self._intake = intake
        self._floor = floor
        self._history = history
        self._equipment = (GATEWAY_PREFIX + slot)[:40]
        self._boot = boot
        self._numbers = count(1)
        self._deadline_seconds = deadline_seconds

    async def whole(
        self, viewer: Speaker, trace: bytes
    ) -> AsyncGenerator[floor_pb2.WatchTableResponse, None]:
        """Yield a whole view and then what happens after it."""
        watcher = self._floor.watch(viewer.table_id)
        try:
            asked = await self._ask(viewer, trace)
            records = watcher.records()
            async with asyncio.timeout(self._deadline_seconds):
                offset, record = await anext(records)
                while record.folded.event_id != asked:
                    offset, record = await anext(records)
            response = _response(viewer, offset, record, asked)
            assert response is not None, "a viewer always sees what he asked for"
            yield response
            told = record.offset
            async for offset, record in records:
                if record.offset > told:
                    told = record.offset
                    if response := _response(viewer, offset, record):
                        yield response
        except TimeoutError:
            raise WatchEnded(
                Refusal(Reason.DEADLINE_EXCEEDED, "the table processor has not answered: ask again")
            ) from None
        except Overflow:
            raise _too_slow() from None
        finally:
            self._floor.unwatch(watcher)

    async def resumed(
        self, viewer: Speaker, cursor: int
    ) -> AsyncGenerator[floor_pb2.WatchTableResponse, None]:
        """Yield what happened after `cursor` and then what happens; or `CursorOutOfRange`."""
        partition = self._floor.partition(viewer.table_id)
        watcher = self._floor.watch(viewer.table_id)
        try:
            if cursor < 0 or (
                cursor >= watcher.live_from and cursor >= await self._history.end(partition)
            ):
                raise CursorOutOfRange("no such cursor was given out: start without one")
            told = -1
            if cursor < watcher.live_from:
                key = viewer.table_id.encode()
                past = self._kept(partition, cursor, watcher.live_from)
                async with aclosing(past):  # others wait for the reader when a viewer goes
                    async for batch in past:
                        for each in batch:
                            record = _past(partition, each) if each.key == key else None
                            if record is None or record.offset <= told:
                                continue
                            told = record.offset
                            if each.offset > cursor and (
                                response := _response(viewer, each.offset, record)
                            ):
                                yield response
            async for offset, record in watcher.records():
                if record.offset <= told:
                    continue
                told = record.offset
                if offset > cursor and (response := _response(viewer, offset, record)):
                    yield response
        except Overflow:
            raise _too_slow() from None
        except LogUnavailable as fault:
            raise WatchEnded(Refusal(Reason.UNAVAILABLE, f"{fault}: resume again")) from None
        finally:
            self._floor.unwatch(watcher)

    async def _kept(
        self, partition: int, cursor: int, end: int
    ) -> AsyncGenerator[Sequence[Record], None]:
        """Yield the records from the cursor's own on: it says up to which event the viewer was told.

        Where that one alone is gone, from the next on.
        """
        for start in (cursor, cursor + 1):
            try:
                async with aclosing(self._history.read(partition, start, end)) as past:
                    async for batch in past:
                        yield batch
                return
            except CursorOutOfRange:
                if start > cursor:
                    raise

    async def _ask(self, viewer: Speaker, trace: bytes) -> str:
        """Return the id of the event that asks for a view, once it is on its way."""
        fact, sequence = ViewAsked(), next(self._numbers)
        now_ms = self._intake.now_ms()
        try:
            place = await self._intake.append(
                fact,
                table_id=viewer.table_id,
                equipment_id=self._equipment,
                equipment_kind=None,
                boot=self._boot,
                sequence=sequence,
                role=viewer.role,
                observe_time_ms=now_ms,
                fingerprint=envelope.fingerprint(fact),
                client_id=viewer.client_id,
                person_id=viewer.person_id,
                trace_id=trace,
            )
        except LogUnavailable as fault:
            raise WatchEnded(Refusal(Reason.UNAVAILABLE, f"{fault}: ask again")) from None
        await asyncio.wait((place,), timeout=self._deadline_seconds)
        if not place.done():
            raise WatchEnded(Refusal(Reason.UNAVAILABLE, "the broker does not answer: ask again"))
        if (failure := place.exception()) is not None:
            self._intake.failed(failure)
            raise WatchEnded(Refusal(Reason.UNAVAILABLE, "the broker took nothing: ask again"))
        self._intake.confirmed("client", {envelope.name_of(fact): 1}, now_ms, place.result())
        return ids.event_id(viewer.table_id, self._equipment, self._boot, sequence)


def _response(
    viewer: Speaker, offset: int, record: floor_pb2.FloorRecord, asked: str = ""
) -> floor_pb2.WatchTableResponse | None:
    folded = seen_by(viewer.role, viewer.person_id, record.folded, asked)
    if folded is None:
        return None
    return floor_pb2.WatchTableResponse(cursor=offset, offset=record.offset, folded=folded)


def _past(partition: int, each: Record) -> floor_pb2.FloorRecord | None:
    record = parse(partition, each)
    # A record that cannot be read was reported when it was live.
    if isinstance(record, FloorFault) or record.WhichOneof("record") != "folded":
        return None
    return record


def _too_slow() -> WatchEnded:
    detail = "the viewer does not keep up: resume with the cursor of the last update"
    return WatchEnded(Refusal(Reason.UNAVAILABLE, detail), slow=True)
