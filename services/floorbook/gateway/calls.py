"""Decides how the gateway's two gRPC services map to what happens behind them, and to gRPC's status codes."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import grpc
from msgspec import Struct

from floorbook.gateway import terminal
from floorbook.gateway.door import Door
from floorbook.gateway.intake import Intake, LogUnavailable
from floorbook.gateway.observe import DeviceStream, Hello, Reading, Reply
from floorbook.gateway.refusals import Reason, Refusal
from floorbook.gateway.registry import Client
from floorbook.gateway.submit import Acts, Outbox, Request, refused, trace_id
from floorbook.gateway.watch import CursorOutOfRange, Views, WatchEnded
from floorbook.v1 import floor_pb2, floor_pb2_grpc, gateway_pb2, gateway_pb2_grpc
from floorbook.wire import envelope

_MOST_UNANSWERED = 20_000
_BEARER = "Bearer "
_Context = grpc.aio.ServicerContext[Any, Any]


class DeviceCalls(gateway_pb2_grpc.DeviceGatewayServiceServicer):
    """The devices' interface over gRPC."""

    def __init__(self, intake: Intake, door: Door) -> None:
        """Return the interface."""
        self._intake = intake
        self._door = door

    async def Connect(self, request_iterator: Any, context: _Context) -> None:
        """Return when the devices have hung up and all they sent is acknowledged."""
        await _admit(self._door, context)
        stream = DeviceStream(self._intake, lambda reply: context.write(_response(reply)))
        connections = self._intake.metrics.connections
        connections.add(1, kind="device")
        try:
            async with asyncio.TaskGroup() as group:
                self._door.holds(group.create_task(self._read(context, stream)))
                group.create_task(stream.acknowledge())
        except* LogUnavailable as faults:
            await context.abort(grpc.StatusCode.UNAVAILABLE, str(faults.exceptions[0]))
        finally:
            connections.add(-1, kind="device")
        await _admit(self._door, context)

    async def _read(self, context: _Context, stream: DeviceStream) -> None:
        try:
            while (request := await context.read()) is not grpc.aio.EOF:
                if (fault := self._door.fault) is not None:
                    raise LogUnavailable(fault)
                await stream.take(
                    [Hello(each.equipment_id, each.key) for each in request.hellos],
                    list(map(_reading, request.readings)),
                    [each.equipment_id for each in request.heartbeats],
                )
        finally:
            stream.close()


class _Caller(Struct):
    """A client on one stream, looked up again when the registry changes."""

    client: Client
    token: str
    registry: object


class FloorCalls(floor_pb2_grpc.FloorServiceServicer):
    """The floor's interface."""

    def __init__(
        self, intake: Intake, acts: Acts, views: Views, door: Door, deadline_seconds: float
    ) -> None:
        """Return the interface; no request waits longer than the deadline."""
        self._intake = intake
        self._acts = acts
        self._views = views
        self._door = door
        self._deadline_seconds = deadline_seconds

    async def Submit(
        self, request: floor_pb2.SubmitRequest, context: _Context
    ) -> floor_pb2.SubmitResponse:
        """Return the fold's verdict, or why the gateway did not take the act."""
        caller = await self._caller(context)
        begun = await self._acts.begin(caller.client, request.act, _trace(context))
        if isinstance(begun, Refusal):
            if begun.reason is Reason.UNAVAILABLE:
                await context.abort(grpc.StatusCode.UNAVAILABLE, begun.detail)
            return floor_pb2.SubmitResponse(result=refused(request.act, begun))
        try:
            await self._wait(begun, context)
            result = self._acts.outcome(request.act, begun)
        finally:
            self._acts.end(begun)
        match result.gateway_reason:
            case Reason.DEADLINE_EXCEEDED:
                await context.abort(grpc.StatusCode.DEADLINE_EXCEEDED, result.gateway_detail)
            case Reason.UNAVAILABLE:
                await context.abort(grpc.StatusCode.UNAVAILABLE, result.gateway_detail)
        return floor_pb2.SubmitResponse(result=result)

    async def SubmitStream(self, request_iterator: Any, context: _Context) -> None:
        """Return when the client has hung up and all its acts are answered."""
        caller = await self._caller(context)
        outbox = Outbox(self._acts, self._deadline_seconds, _MOST_UNANSWERED)
        connections = self._intake.metrics.connections
        connections.add(1, kind="submit")
        reading = asyncio.create_task(self._read_acts(caller, context, outbox))
        self._door.holds(reading)
        try:
            while results := await outbox.take():
                await context.write(floor_pb2.SubmitStreamResponse(results=results))
            await asyncio.wait((reading,))
            if not reading.cancelled():
                reading.result()
        finally:
            reading.cancel()
            outbox.drop()
            connections.add(-1, kind="submit")
        await _admit(self._door, context)

    async def WatchTable(
        self, request: floor_pb2.WatchTableRequest, context: _Context
    ) -> AsyncIterator[floor_pb2.WatchTableResponse]:
        """Yield what the viewer may see of the table."""
        caller = await self._caller(context)
        viewer = terminal.speaker(caller.client, request.table_id, request.person_id, request.role)
        if isinstance(viewer, Refusal):
            self._intake.refused(viewer, f"client/{caller.client.client_id}")
            await context.abort(
                grpc.StatusCode.PERMISSION_DENIED, f"{viewer.reason}: {viewer.detail}"
            )
            return
        task = asyncio.current_task()
        assert task is not None, "a call runs in a task"
        self._door.holds(task)
        connections = self._intake.metrics.connections
        connections.add(1, kind="watch")
        try:
            if request.HasField("cursor"):
                updates = self._views.resumed(viewer, request.cursor)
            else:
                updates = self._views.whole(viewer, _trace(context))
            async with aclosing(updates):
                async for response in updates:
                    await self._still(caller, request, context)
                    yield response
        except CursorOutOfRange as fault:
            await context.abort(grpc.StatusCode.OUT_OF_RANGE, str(fault))
        except WatchEnded as end:
            await context.abort(_status(end), str(end))
        except asyncio.CancelledError:
            if not self._door.is_closed:
                raise  # the viewer has gone
            await context.abort(grpc.StatusCode.UNAVAILABLE, self._door.fault or "")
        finally:
            connections.add(-1, kind="watch")

    async def _read_acts(self, caller: _Caller, context: _Context, outbox: Outbox) -> None:
        trace = _trace(context)
        try:
            while (request := await context.read()) is not grpc.aio.EOF:
                await self._refresh(caller, context)
                fault = self._door.fault
                for act in request.acts:
                    await outbox.room()
                    if fault is not None:
                        outbox.put(refused(act, Refusal(Reason.UNAVAILABLE, fault)))
                        continue
                    begun = await self._acts.begin(caller.client, act, trace)
                    if isinstance(begun, Refusal):
                        outbox.put(refused(act, begun))
                    else:
                        outbox.expect(act, begun)
        finally:
            outbox.close()

    async def _wait(self, request: Request, context: _Context) -> None:
        """Return when the answer is there or the deadline, ours or the client's, has passed."""
        remaining: float | None = context.time_remaining()
        seconds = (
            self._deadline_seconds if remaining is None else min(remaining, self._deadline_seconds)
        )
        await asyncio.wait((request.waiting.answer,), timeout=max(seconds, 0))

    async def _caller(self, context: _Context) -> _Caller:
        """Return who calls; a stranger's call is ended."""
        await _admit(self._door, context)
        metadata = {str(key): value for key, value in context.invocation_metadata() or ()}
        authorization = str(metadata.get("authorization", ""))
        token = authorization.removeprefix(_BEARER)
        client = self._intake.registry.client(token) if token != authorization else None
        if client is None:
            await self._stranger(context)
        assert client is not None, "a stranger's call has ended"
        return _Caller(client, token, self._intake.registry)

    async def _refresh(self, caller: _Caller, context: _Context) -> None:
        """Return with the caller as the registry of this moment has it; end the call if it is none."""
        if caller.registry is self._intake.registry:
            return
        client = self._intake.registry.client(caller.token)
        if client is None:
            await self._stranger(context)
        assert client is not None, "a stranger's call has ended"
        caller.client, caller.registry = client, self._intake.registry

    async def _still(
        self, caller: _Caller, request: floor_pb2.WatchTableRequest, context: _Context
    ) -> None:
        """Return if the viewer may still watch; end the call if not."""
        if caller.registry is self._intake.registry:
            return
        await self._refresh(caller, context)
        viewer = terminal.speaker(caller.client, request.table_id, request.person_id, request.role)
        if isinstance(viewer, Refusal):
            await context.abort(grpc.StatusCode.PERMISSION_DENIED, viewer.detail)

    async def _stranger(self, context: _Context) -> None:
        detail = "no client has this token: send `authorization: Bearer <token>` as registered"
        self._intake.refused(Refusal(Reason.UNKNOWN_CLIENT, detail), f"address/{context.peer()}")
        await context.abort(grpc.StatusCode.UNAUTHENTICATED, detail)


async def _admit(door: Door, context: _Context) -> None:
    """Return if calls may come in; end this one if not."""
    fault = door.fault
    if fault is not None:
        await context.abort(grpc.StatusCode.UNAVAILABLE, fault)


def _trace(context: _Context) -> bytes:
    for key, value in context.invocation_metadata() or ():
        if key == "traceparent":
            return trace_id(str(value))
    return b""


def _status(end: WatchEnded) -> grpc.StatusCode:
    if end.slow:
        return grpc.StatusCode.RESOURCE_EXHAUSTED
    if end.refusal.reason is Reason.DEADLINE_EXCEEDED:
        return grpc.StatusCode.DEADLINE_EXCEEDED
    return grpc.StatusCode.UNAVAILABLE


def _reading(message: gateway_pb2.Reading) -> Reading:
    return Reading(
        message.equipment_id,
        message.table_id,
        message.boot,
        message.sequence,
        message.device_time_ms,
        envelope.fact_of(message),
        message,
    )


def _response(reply: Reply) -> gateway_pb2.ConnectResponse:
    return gateway_pb2.ConnectResponse(
        acknowledgements=[
            gateway_pb2.Acknowledgement(
                equipment_id=each.equipment_id,
                table_id=each.table_id,
                boot=each.boot,
                sequence=each.sequence,
            )
            for each in reply.acknowledged
        ],
        refusals=[
            gateway_pb2.GatewayRefusal(
                equipment_id=each.equipment_id,
                sequence=each.sequence,
                reason=each.refusal.reason.value,
                detail=each.refusal.detail,
            )
            for each in reply.refused
        ],
    )
