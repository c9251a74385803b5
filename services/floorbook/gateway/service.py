"""Decides nothing: starts the gateway's parts, joins them, and ends the process when one of them cannot go on."""

import asyncio
import gc
import ipaddress
import os
import signal
import sys
import time
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, NoReturn

import grpc
import uvloop
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer
from aiokafka.errors import KafkaError
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection

from floorbook import ending, logs, spans, topics
from floorbook.gateway import kafka, registry
from floorbook.gateway.calls import DeviceCalls, FloorCalls
from floorbook.gateway.clock import ClockCheck
from floorbook.gateway.door import Door
from floorbook.gateway.floor import Floor
from floorbook.gateway.intake import Intake, Outage
from floorbook.gateway.line import DeviceLine
from floorbook.gateway.registry import Registry
from floorbook.gateway.submit import Acts
from floorbook.gateway.watch import Views
from floorbook.metrics.catalogue import GatewayMetrics, new_registry
from floorbook.probes import Probes
from floorbook.settings import EXIT_BAD_SETTINGS, Address, Settings
from floorbook.v1 import floor_pb2, floor_pb2_grpc, gateway_pb2, gateway_pb2_grpc

EXIT_OUTAGE = 70  # EX_SOFTWARE of sysexits.h: restarting is the remedy
MOST_MESSAGE_BYTES = 1_048_576
GRACE_SECONDS = 2.5
CLOSE_SECONDS = 1.0

_COLLECT_AFTER = (50_000, 20, 100)
"""Objects made before Python looks for cycles, and how often it then looks further."""

_RETRY_SECONDS = 1.0
_SILENT_BROKER_SECONDS = 3.0
_MOST_LAG_RECORDS = 10_000
_GRPC_OPTIONS = (
    ("grpc.max_receive_message_length", MOST_MESSAGE_BYTES),
    ("grpc.so_reuseport", 0),  # a second gateway on the port is a mistake, not half of the calls
    ("grpc.keepalive_time_ms", 20_000),  # finds devices that vanished without a word
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.min_recv_ping_interval_without_data_ms", 5_000),
)


def main(settings: Settings) -> int:
    """Return the exit code of a gateway that has run until it was told to stop."""
    faults = [
        f"{name} is {address}: without TLS a gateway listens on loopback addresses only, "
        "so that no key or token goes over a network in the clear; where something else encrypts "
        "for it, set FLOORBOOK_LISTEN_WITHOUT_TLS=anywhere"
        for name, address in (
            ("FLOORBOOK_GATEWAY_LISTEN", settings.gateway_listen),
            ("FLOORBOOK_DEVICE_LISTEN", settings.device_listen),
        )
        if settings.listen_without_tls == "loopback" and not is_loopback(address)
    ]
    found = load(settings.registry)
    if isinstance(found, list):
        faults += found
    if faults or isinstance(found, list):
        for fault in faults:
            sys.stderr.write(f"floorbook: {fault}\n")
        return EXIT_BAD_SETTINGS
    # The registry makes no cycles and is large: it is not searched for any again and again.
    gc.freeze()
    gc.set_threshold(*_COLLECT_AFTER)
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        return runner.run(_Gateway(settings, found).run())


def load(path: str) -> Registry | list[str]:
    """Return the registry in the file, or every fault in it."""
    try:
        text = Path(path).read_bytes()
    except OSError as error:
        return [f"the registry {path} cannot be read: {error.strerror}"]
    found = registry.read(text)
    return found if isinstance(found, Registry) else [f"{path}: {fault}" for fault in found]


def is_loopback(address: Address) -> bool:
    """Return whether only this machine can reach the address."""
    if address.host == "localhost":
        return True
    try:
        return ipaddress.ip_address(address.host).is_loopback
    except ValueError:
        return False


class _Gateway:
    """One gateway process from its start to its end."""

    def __init__(self, settings: Settings, known: Registry) -> None:
        self._settings = settings
        self._log = logs.logger()
        prometheus = new_registry("gateway")
        self._metrics = GatewayMetrics(prometheus)
        self._probes = Probes(prometheus, settings.probes_listen)
        self._broker = self._probes.condition("broker")
        self._floor_read = self._probes.condition("floor")
        self._clock_right = self._probes.condition("clock")
        self._registry = known
        self._boot = int(time.time() * 1000)
        self._door = Door(lambda: self._broker.reason or self._floor_read.reason)
        self._lines: set[asyncio.Task[None]] = set()
        self._intake: Intake | None = None
        self._spans = spans.start("gateway", settings)

    async def run(self) -> int:
        """Return the exit code once the gateway has stopped."""
        stop = asyncio.Event()
        loop = asyncio.get_running_loop()
        for number in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(number, stop.set)
        loop.add_signal_handler(signal.SIGHUP, self._reload)
        self._probes.start()
        stopping = asyncio.create_task(stop.wait())
        serving = asyncio.create_task(self._serve(stopping))
        await asyncio.wait((stopping, serving), return_when=asyncio.FIRST_COMPLETED)
        ending.limit()
        if self._intake is None and not serving.done():
            # No broker was found so far, and a thread may be looking for it: nothing is under way.
            self._log.info("gateway stopped")
            _exit(0)
        await asyncio.wait((serving,))
        if (fault := serving.exception()) is not None:
            self._log.critical("gateway cannot go on", exc_info=fault)
            _exit(EXIT_OUTAGE)
        self._probes.stop()
        self._log.info("gateway stopped")
        return 0

    async def _serve(self, stopping: "asyncio.Task[Any]") -> None:
        """Return when the gateway has been told to stop, and has; an outage ends the process."""
        settings, outage = self._settings, Outage()
        partitions, producer, consumer = await self._connect()
        floor = Floor(partitions)
        quarantine = kafka.KafkaQuarantine(
            producer, partitions, self._metrics, outage, settings.quarantine_limit_per_minute
        )
        reader = kafka.FloorReader(consumer, floor, quarantine)
        history = kafka.KafkaHistory(settings.kafka, settings.login)
        clock = ClockCheck(self._clock_right)
        log = kafka.KafkaLog(producer, partitions)
        intake = Intake(
            *(self._registry, log, quarantine, floor, self._metrics, clock, outage),
            spans=self._spans,
        )
        self._intake = intake
        await reader.start()
        self._broker.hold()
        self._floor_read.hold()
        deadline = settings.submit_deadline_seconds
        views = Views(intake, floor, history, settings.slot, self._boot, deadline)
        floor_calls = FloorCalls(intake, Acts(intake, floor), views, self._door, deadline)
        healthy = health.aio.HealthServicer()
        server, port = self._grpc(floor_calls, DeviceCalls(intake, self._door), healthy)
        await server.start()
        lines = await asyncio.start_server(
            self._line, settings.device_listen.host, settings.device_listen.port
        )
        running: list[asyncio.Future[Any]] = [
            asyncio.create_task(reader.follow()),
            asyncio.create_task(self._watch_broker(reader, clock, healthy)),
        ]
        self._log.info(
            "gateway listens",
            grpc=str(Address(settings.gateway_listen.host, port)),
            devices=str(Address(settings.device_listen.host, lines.sockets[0].getsockname()[1])),
            probes=str(self._probes.address),
        )
        await asyncio.wait(
            (stopping, outage.happened, *running), return_when=asyncio.FIRST_COMPLETED
        )
        if not stopping.done():
            self._end(outage, running)
        self._door.close()
        self._metrics.ready.set(0)
        lines.close()
        await asyncio.gather(server.stop(GRACE_SECONDS), self._finish_lines())
        for each in running:
            each.cancel()
        await asyncio.wait(running)
        await _within(self._close(log, quarantine, producer, consumer, history))

    async def _connect(self) -> tuple[int, AIOKafkaProducer, AIOKafkaConsumer]:
        """Return the partition count, a producer and a consumer of `floor`, as soon as there is a broker."""
        servers, login = self._settings.kafka, self._settings.login
        while True:
            try:
                partitions = await asyncio.to_thread(topics.check, servers, login)
                producer = await kafka.producer(servers, login)
                try:
                    consumer = await kafka.consumer(servers, range(partitions), login)
                except KafkaError:
                    await producer.stop()
                    raise
                return partitions, producer, consumer
            except (topics.TopicsError, KafkaError) as fault:
                self._broker.fail(f"{type(fault).__name__}: {fault}")
                self._log.warning("no broker yet", fault=fault)
                self._probes.beat()
                await asyncio.sleep(_RETRY_SECONDS)

    def _grpc(
        self, floor_calls: FloorCalls, device_calls: DeviceCalls, healthy: health.aio.HealthServicer
    ) -> tuple[grpc.aio.Server, int]:
        server = grpc.aio.server(options=_GRPC_OPTIONS)
        floor_pb2_grpc.add_FloorServiceServicer_to_server(floor_calls, server)  # type: ignore[no-untyped-call]
        gateway_pb2_grpc.add_DeviceGatewayServiceServicer_to_server(device_calls, server)  # type: ignore[no-untyped-call]
        health_pb2_grpc.add_HealthServicer_to_server(healthy, server)
        names = [
            floor_pb2.DESCRIPTOR.services_by_name["FloorService"].full_name,
            gateway_pb2.DESCRIPTOR.services_by_name["DeviceGatewayService"].full_name,
            health_pb2.DESCRIPTOR.services_by_name["Health"].full_name,
            reflection.SERVICE_NAME,
        ]
        reflection.enable_server_reflection(names, server)
        return server, server.add_insecure_port(str(self._settings.gateway_listen))

    async def _line(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        intake = self._intake
        if intake is None or self._door.fault is not None:
            writer.close()
            return
        task = asyncio.current_task()
        assert task is not None, "a connection is served in a task"
        self._lines.add(task)
        task.add_done_callback(self._lines.discard)
        self._metrics.connections.add(1, kind="device")
        try:
            await DeviceLine(intake, self._door, reader, writer).run()
        finally:
            self._metrics.connections.add(-1, kind="device")

    async def _watch_broker(
        self, reader: kafka.FloorReader, clock: ClockCheck, healthy: health.aio.HealthServicer
    ) -> None:
        while True:
            self._probes.beat()
            clock.forget(int(time.time() * 1000))
            try:
                async with asyncio.timeout(_SILENT_BROKER_SECONDS):
                    lag = await reader.lag()
            except (TimeoutError, KafkaError) as fault:
                if self._broker.reason is None:
                    self._log.warning(
                        "the broker does not answer: nothing is taken in", fault=fault
                    )
                self._broker.fail(f"the broker does not answer ({type(fault).__name__})")
            else:
                if self._broker.reason is not None:
                    self._log.info("the broker answers again")
                self._broker.hold()
                self._metrics.floor_lag_records.set(lag)
                if lag <= _MOST_LAG_RECORDS:
                    self._floor_read.hold()
                else:
                    self._floor_read.fail(f"{lag} floor records are not read yet")
            fault_now = self._door.fault or self._clock_right.reason
            self._metrics.ready.set(0 if fault_now else 1)
            status = health_pb2.HealthCheckResponse
            await healthy.set("", status.NOT_SERVING if fault_now else status.SERVING)
            await asyncio.sleep(1)

    def _reload(self) -> None:
        """Return with a new registry in force, or with the old one if the file has a fault."""
        found = load(self._settings.registry)
        if isinstance(found, list):
            for fault in found:
                self._log.error("registry not reloaded: the one before stays", fault=fault)
            return
        for gone in self._registry.devices.keys() - found.devices.keys():
            self._metrics.heartbeat_timestamp_seconds.forget(gone)
        self._registry = found
        if self._intake is not None:
            self._intake.registry = found
        self._log.info("registry reloaded", devices=len(found.devices), clients=len(found.clients))

    async def _finish_lines(self) -> None:
        if self._lines:
            await asyncio.wait(self._lines, timeout=GRACE_SECONDS)

    async def _close(
        self,
        log: kafka.KafkaLog,
        quarantine: kafka.KafkaQuarantine,
        producer: AIOKafkaProducer,
        consumer: AIOKafkaConsumer,
        history: kafka.KafkaHistory,
    ) -> None:
        await log.flush()
        await quarantine.flush()
        await producer.stop()
        await consumer.stop()
        await history.stop()
        if self._spans is not None:
            await asyncio.to_thread(self._spans.close)

    def _end(self, outage: Outage, running: list[asyncio.Future[Any]]) -> NoReturn:
        """End the process at once: what it holds is unacknowledged and will be sent again."""
        faults = [each.exception() for each in running if each.done() and not each.cancelled()]
        faults += [outage.happened.result()] if outage.happened.done() else []
        for fault in faults:
            self._log.critical("gateway cannot go on", exc_info=fault)
        _exit(EXIT_OUTAGE)


def _exit(code: int) -> NoReturn:
    """End the process without waiting for threads or for what libraries do at the end."""
    sys.stderr.flush()
    os._exit(code)


async def _within(closing: Coroutine[Any, Any, None]) -> None:
    """Return when `closing` is through, or after a while: a broker that is down holds up nobody."""
    await asyncio.wait((asyncio.create_task(closing),), timeout=CLOSE_SECONDS)
