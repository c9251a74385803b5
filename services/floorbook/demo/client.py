"""Decides how a simulated floor system speaks to gateways over gRPC: acts, views, shared streams of devices.

Everything that breaks is opened again, at the next gateway if there are several: an act is repeated by its
terminal (terminals.py), a view goes on after its cursor, a device sends again what was not acknowledged.
"""

import asyncio
import contextlib
from collections.abc import AsyncIterator, Iterable, Sequence
from functools import cache
from types import NoneType
from typing import Any, Final, get_args, get_type_hints

import grpc
from msgspec import Struct

from floorbook.demo.devices import Device, Reading
from floorbook.demo.seen import Seen, Update
from floorbook.table import effects
from floorbook.table.effects import Shown
from floorbook.table.events import Fact, Role
from floorbook.v1 import floor_pb2, floor_pb2_grpc, gateway_pb2, gateway_pb2_grpc
from floorbook.wire import codec, envelope
from floorbook.wire.game import GameWire
from floorbook.wire.quarantine import Unreadable

_PAUSES_SECONDS: Final = (0.05, 0.1, 0.2, 0.5, 1.0)
_ANSWER_SECONDS: Final = 15.0  # more than a gateway waits: then the gateway itself is in doubt
_HEARTBEAT_SECONDS: Final = 10.0
_OPTIONS: Final = (
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 500),
)
_STRANGERS: Final = (grpc.StatusCode.UNAUTHENTICATED, grpc.StatusCode.PERMISSION_DENIED)
_SHOWN: Final = {
    "state": effects.TableView,
    "round_opened": effects.RoundOpened,
    "suspended": effects.Suspended,
    "resumed": effects.Resumed,
}


class Broken(Exception):
    """A gateway went away or did not answer: whoever asked asks again."""


class Stranger(Exception):
    """The gateway does not know the token, or not for this."""


class Act(Struct, frozen=True):
    """One act as a terminal sends it."""

    table_id: str
    equipment_id: str
    boot: int
    sequence: int
    person_id: str
    role: Role
    fact: Fact


class Told(Struct, frozen=True):
    """What a terminal is told of its act: the fold's verdict, or why the gateway did not take it.

    `refusal` is empty when the act was applied, `not_taken` when it is in the log.
    """

    event_id: str
    refusal: str = ""
    known: bool = False
    not_taken: str = ""
    detail: str = ""


class Gateways:
    """The channels to all gateways; whoever breaks with one goes to the next."""

    def __init__(self, addresses: Sequence[str]) -> None:
        """Return channels that connect when they are used."""
        self._channels = [grpc.aio.insecure_channel(each, options=_OPTIONS) for each in addresses]
        floor: Any = floor_pb2_grpc.FloorServiceStub
        devices: Any = gateway_pb2_grpc.DeviceGatewayServiceStub
        self._floor = [floor(each) for each in self._channels]
        self._devices = [devices(each) for each in self._channels]

    def floor(self, number: int) -> Any:
        """Return the floor's interface of a gateway; they are counted round and round."""
        return self._floor[number % len(self._floor)]

    def devices(self, number: int) -> Any:
        """Return the devices' interface of a gateway."""
        return self._devices[number % len(self._devices)]

    async def close(self) -> None:
        """Return when all channels are closed."""
        for channel in self._channels:
            await channel.close(None)


class FloorLine:
    """One floor client's dealings with the gateways."""

    def __init__(self, gateways: Gateways, token: str, first: int = 0) -> None:
        """Return a line of the client with `token`; `first` is the gateway it begins with."""
        self._gateways = gateways
        self._metadata = (("authorization", f"Bearer {token}"),)
        self._number = first
        self._waiting: dict[tuple[str, str], asyncio.Future[Told]] = {}
        self._queue: asyncio.Queue[floor_pb2.Act | None] | None = None
        self._reader: asyncio.Task[None] | None = None

    async def submit(self, act: Act) -> Told:
        """Return what one call for one act comes to; `Broken` if it has to be made again."""
        stub = self._gateways.floor(self._number)
        request = floor_pb2.SubmitRequest(act=_act(act))
        try:
            response = await stub.Submit(request, metadata=self._metadata, timeout=_ANSWER_SECONDS)
        except grpc.aio.AioRpcError as error:
            self._number += 1
            raise _fault(error) from None
        return _told(response.result)

    async def stream(self, act: Act) -> Told:
        """Return what an act comes to that goes over the client's one stream; or `Broken`."""
        if self._queue is None or self._reader is None or self._reader.done():
            self._queue = asyncio.Queue()
            self._reader = asyncio.create_task(self._read(self._queue))
        place = (act.table_id, act.equipment_id)
        answer: asyncio.Future[Told] = asyncio.get_running_loop().create_future()
        self._waiting[place] = answer
        self._queue.put_nowait(_act(act))
        try:
            async with asyncio.timeout(_ANSWER_SECONDS):
                return await answer
        except TimeoutError:
            raise Broken("the gateway does not answer") from None
        finally:
            if self._waiting.get(place) is answer:
                del self._waiting[place]

    async def watch(self, table_id: str, person_id: str, role: Role, seen: Seen) -> None:
        """Never return; hand everything that the viewer is shown to `seen`, over all breaks."""
        request = floor_pb2.WatchTableRequest(
            table_id=table_id,
            person_id=person_id,
            role=int(role),  # type: ignore[arg-type]
        )
        number, tries = self._number, 0
        while True:
            stub = self._gateways.floor(number)
            try:
                async for response in stub.WatchTable(request, metadata=self._metadata):
                    request.cursor = response.cursor
                    seen.take(update_of(response.folded))
                    tries = 0
            except grpc.aio.AioRpcError as error:
                if error.code() in _STRANGERS:
                    raise _fault(error) from None
                if error.code() is grpc.StatusCode.OUT_OF_RANGE:
                    request.ClearField("cursor")
            number += 1
            await _pause(tries)
            tries += 1

    async def close(self) -> None:
        """Return when the stream is closed."""
        if self._reader is not None:
            self._reader.cancel()
            await asyncio.gather(self._reader, return_exceptions=True)

    async def _read(self, queue: "asyncio.Queue[floor_pb2.Act | None]") -> None:
        stub = self._gateways.floor(self._number)
        fault: Exception = Broken("the gateway has ended the stream")
        try:
            async for response in stub.SubmitStream(_acts(queue), metadata=self._metadata):
                for result in response.results:
                    waiting = self._waiting.get((result.table_id, result.equipment_id))
                    if waiting is not None and not waiting.done():
                        waiting.set_result(_told(result))
        except grpc.aio.AioRpcError as error:
            fault = _fault(error)
        finally:
            queue.put_nowait(None)  # gRPC would wait for the next act for ever
            if self._queue is queue:
                self._queue = None
            self._number += 1
            for waiting in self._waiting.values():
                if not waiting.done():
                    waiting.set_exception(fault)
            self._waiting.clear()


class SharedStream:
    """One stream over which several devices speak."""

    def __init__(self, gateways: Gateways, number: int = 0) -> None:
        """Return a stream without devices; `number` is the gateway it begins with."""
        self._gateways = gateways
        self._number = number
        self._devices: dict[str, Device] = {}
        self._queue: asyncio.Queue[gateway_pb2.ConnectRequest | None] | None = None
        self._broken = asyncio.Event()
        self._again = asyncio.Event()

    def add(self, device: Device) -> None:
        """Return after adding a device; it greets when the stream is opened next."""
        self._devices[device.equipment_id] = device

    def send(self, device: Device, readings: Iterable[Reading]) -> None:
        """Return after sending readings, if the stream is open; else they go when it is."""
        if self._queue is not None and (messages := [_reading(each) for each in readings]):
            self._queue.put_nowait(gateway_pb2.ConnectRequest(readings=messages))

    def reopen(self) -> None:
        """Return at once; the stream is closed and opened again."""
        self._again.set()

    async def run(self) -> None:
        """Never return; keep the stream open."""
        tries = 0
        while True:
            self._again.clear()
            with contextlib.suppress(grpc.aio.AioRpcError):
                if await self._once():
                    tries = 0
            self._number += 1
            await _pause(tries)
            tries += 1

    async def _once(self) -> bool:
        """Return whether anything was heard before the stream ended."""
        queue: asyncio.Queue[gateway_pb2.ConnectRequest | None] = asyncio.Queue()
        stub = self._gateways.devices(self._number)
        hellos = [
            gateway_pb2.Hello(equipment_id=each.equipment_id, key=each.key)
            for each in self._devices.values()
        ]
        queue.put_nowait(gateway_pb2.ConnectRequest(hellos=hellos))
        call = stub.Connect(_requests(queue, self._devices))
        again = asyncio.create_task(self._again.wait())
        heard = False
        self._queue = queue
        for device in self._devices.values():
            self.send(device, device.unacknowledged)
        try:
            while True:
                reading = asyncio.ensure_future(call.read())
                await asyncio.wait((reading, again), return_when=asyncio.FIRST_COMPLETED)
                if again.done():
                    reading.cancel()
                    return heard
                response = reading.result()
                if response is grpc.aio.EOF:
                    return heard
                heard = True
                self._hear(response)
        finally:
            self._queue = None
            queue.put_nowait(None)  # gRPC would wait for the next request until a heartbeat is due
            again.cancel()
            call.cancel()

    def _hear(self, response: gateway_pb2.ConnectResponse) -> None:
        for each in response.acknowledgements:
            self._devices[each.equipment_id].acknowledged(each.boot, each.sequence)
        for refusal in response.refusals:
            self._devices[refusal.equipment_id].refused(refusal.sequence, refusal.reason)


def update_of(folded: floor_pb2.EventFolded) -> Update:
    """Return what a viewer is told of one event, in our own words."""
    verdict = folded.verdict
    refused = verdict.outcome == floor_pb2.OUTCOME_REFUSED
    return Update(
        event_id=folded.event_id,
        fact=folded.fact,
        refusal=verdict.reason if refused else "",
        known=verdict.known,
        round_id=folded.round_id,
        phase=folded.phase,
        shown=tuple(shown for each in folded.disclosures if (shown := _shown(each)) is not None),
    )


def _shown(disclosure: floor_pb2.Disclosure) -> Shown | None:
    field = disclosure.WhichOneof("shown")
    if field is None:
        return None
    content = getattr(disclosure, field)
    for game in envelope.WIRES:
        if game.field == field:
            return _shown_of_game(game, content)
    struct: Any = _SHOWN.get(field) or envelope.COMMON[field]
    shown: Shown = _read(content, struct)
    return shown


def _shown_of_game(game: GameWire, content: Any) -> Shown | None:
    field = content.WhichOneof("shown")
    if field is None:
        return None
    inner = getattr(content, field)
    struct = _kinds_of(game.shown)[field]
    if field == "fact":
        name = inner.WhichOneof("fact")
        if name is None:
            return None
        inner, struct = getattr(inner, name), game.facts[name]
    shown: Any = game.shown
    found: Shown = shown(**{field: _read(inner, struct)})
    return found


@cache
def _kinds_of(shown: type[Struct]) -> dict[str, Any]:
    """Return what each field of a game's disclosure holds when it is given."""
    return {
        name: next(each for each in get_args(hint) if each is not NoneType)
        for name, hint in get_type_hints(shown).items()
    }


def _read(content: Any, struct: Any) -> Any:
    found = codec.read(content, struct)
    if isinstance(found, Unreadable):
        raise ValueError(f"the gateway shows what cannot be: {found.detail}")
    return found


def _placed(fact: Fact) -> dict[str, Any]:
    """Return the fact as the field of an Act or Reading."""
    if type(fact) is Fact:
        return {}
    name = envelope.name_of(fact)
    for game, facts in envelope.GAMES.items():
        if type(fact) in facts.values():
            return {game: {name: codec.builtins(fact)}}
    return {name: codec.builtins(fact)}


def _act(act: Act) -> floor_pb2.Act:
    return floor_pb2.Act(
        table_id=act.table_id,
        equipment_id=act.equipment_id,
        boot=act.boot,
        sequence=act.sequence,
        person_id=act.person_id,
        role=int(act.role),  # type: ignore[arg-type]
        **_placed(act.fact),
    )


def _reading(reading: Reading) -> gateway_pb2.Reading:
    return gateway_pb2.Reading(
        equipment_id=reading.equipment_id,
        table_id=reading.table_id,
        boot=reading.boot,
        sequence=reading.sequence,
        **_placed(reading.fact),
    )


def _told(result: floor_pb2.ActResult) -> Told:
    refused = result.verdict.outcome == floor_pb2.OUTCOME_REFUSED
    return Told(
        event_id=result.event_id,
        refusal=result.verdict.reason if refused else "",
        known=result.verdict.known,
        not_taken=result.gateway_reason,
        detail=result.gateway_detail,
    )


async def _acts(
    queue: "asyncio.Queue[floor_pb2.Act | None]",
) -> AsyncIterator[floor_pb2.SubmitStreamRequest]:
    """Yield what is queued, several acts to a message, until None is."""
    is_open = True
    while is_open:
        taken = [await queue.get()]
        while not queue.empty():
            taken.append(queue.get_nowait())
        is_open = None not in taken
        acts = [act for act in taken if act is not None]
        if acts:
            yield floor_pb2.SubmitStreamRequest(acts=acts)


async def _requests(
    queue: "asyncio.Queue[gateway_pb2.ConnectRequest | None]", devices: dict[str, Device]
) -> AsyncIterator[gateway_pb2.ConnectRequest]:
    """Yield what is queued until None is; a heartbeat where nothing is for long."""
    while True:
        try:
            async with asyncio.timeout(_HEARTBEAT_SECONDS):
                request = await queue.get()
        except TimeoutError:
            request = gateway_pb2.ConnectRequest(
                heartbeats=[gateway_pb2.Heartbeat(equipment_id=each) for each in devices]
            )
        if request is None:
            return
        yield request


async def _pause(tries: int) -> None:
    await asyncio.sleep(_PAUSES_SECONDS[min(tries, len(_PAUSES_SECONDS) - 1)])


def _fault(error: grpc.aio.AioRpcError) -> Exception:
    text = f"{error.code().name}: {error.details()}"
    return Stranger(text) if error.code() in _STRANGERS else Broken(text)
