"""Decides how a real Apache Kafka runs on one machine: one KRaft node on the loopback address."""

import asyncio
import contextlib
import random
import socket
import time
from collections import deque
from pathlib import Path
from signal import Signals
from typing import Final

from aiokafka.admin import AIOKafkaAdminClient
from aiokafka.errors import KafkaError

from floorbook.demo.java import find_java, kafka_jars
from floorbook.demo.kafka_jars import KAFKA_VERSION
from floorbook.demo.processes import (
    AFTER_THE_FOLD,
    Child,
    Program,
    ProgramFailed,
    Restarts,
    Supervisor,
)

_HOST: Final = "127.0.0.1"
# Below the ports that the kernel gives to outgoing connections: while a server is down, one of
# its clients could be given its port.
_PORTS: Final = range(20_000, 30_000)
_READY_SECONDS: Final = 60.0
_held: Final[deque[socket.socket]] = deque(maxlen=256)
_JVM: Final = ("-Xms128m", "-Xmx384m", "-XX:+UseSerialGC", "-Xshare:auto", "-XX:-UsePerfData")


class Broker:
    """A Kafka node whose data and address outlive its crashes."""

    def __init__(self, supervisor: Supervisor) -> None:
        """Return the node, with its data in the supervisor's folder, not yet started."""
        self._supervisor = supervisor
        self._folder = supervisor.folder / "kafka"
        self._child: Child | None = None
        self._port, self._controller_port = free_ports(2)

    @property
    def address(self) -> str:
        """Return the bootstrap address."""
        return f"{_HOST}:{self._port}"

    @property
    def child(self) -> Child:
        """Return the node's process, for drills; only after the first start."""
        assert self._child is not None, "the broker was never started"
        return self._child

    async def start(self) -> None:
        """Return when an admin call is answered; at first use fetch and format what is needed."""
        began = time.monotonic()
        if self._child is None:
            self._child = await self._first_start()
        else:
            self._child.start()
        await self._ready(self._child)
        self._supervisor.progress(
            f"Apache Kafka {KAFKA_VERSION}: ready on {self.address} "
            f"after {time.monotonic() - began:.1f} s"
        )

    async def stop(self) -> None:
        """Return when the node has shut down in order."""
        if self._child is not None:
            await self._child.stop()

    async def kill9(self) -> None:
        """Return when the node was killed; it stays down until `start`."""
        await self.child.stop(Signals.SIGKILL)

    async def restart(self) -> None:
        """Return when the node is back on the same data and address."""
        await self.stop()
        await self.start()

    async def _first_start(self) -> Child:
        """Return the node's process, started for the first time in its folder."""
        java = await find_java()
        jars = await kafka_jars(self._supervisor)
        self._supervisor.progress(
            f"Apache Kafka {KAFKA_VERSION}: starting (Java {java.version}, {java.program})"
        )
        for folder in (self._folder, self._folder / "data", self._folder / "tmp"):
            folder.mkdir(exist_ok=True, mode=0o700)
        properties = self._folder / "server.properties"
        properties.write_text(self._properties())
        # Kafka's native libraries unpack themselves into the temporary folder and a killed node
        # leaves them there.
        tool = (str(java.program), "-cp", f"{jars}/*", f"-Djava.io.tmpdir={self._folder / 'tmp'}")
        if not any((self._folder / "data").iterdir()):
            await self._format(tool, properties)
        log_level = "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn"
        node = Program(
            "kafka",
            (
                *tool,
                *_JVM,
                "-XX:+ExitOnOutOfMemoryError",
                log_level,
                "kafka.Kafka",
                str(properties),
            ),
            folder=self._folder,
            restarts=Restarts(),
            server=True,
            stop_seconds=20.0,
            niceness=AFTER_THE_FOLD,
        )
        return await self._supervisor.start(node)

    async def _format(self, tool: tuple[str, ...], properties: Path) -> None:
        """Give the empty data folder its cluster id."""
        storage_tool = (*tool, "-XX:TieredStopAtLevel=1", "kafka.tools.StorageTool")
        cluster = "floorbook-demo-cluster"  # any 22 characters of URL-safe base64 are a valid id
        await self._supervisor.run(
            Program(
                "kafka-format",
                (*storage_tool, "format", "-t", cluster, "-c", str(properties)),
                folder=self._folder,
            )
        )

    def _properties(self) -> str:
        """Return the node's settings: small, one replica of everything, quick to rebalance."""
        settings = {
            "process.roles": "broker,controller",
            "node.id": 1,
            "controller.quorum.voters": f"1@{_HOST}:{self._controller_port}",
            "listeners": f"PLAINTEXT://{self.address},CONTROLLER://{_HOST}:{self._controller_port}",
            "advertised.listeners": f"PLAINTEXT://{self.address}",
            "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
            "controller.listener.names": "CONTROLLER",
            "log.dirs": self._folder / "data",
            # Simulated tables may play on any day: records are kept however old their time is.
            "log.retention.ms": -1,
            "auto.create.topics.enable": "false",
            "default.replication.factor": 1,
            "min.insync.replicas": 1,
            "group.initial.rebalance.delay.ms": 0,
            # A killed node is let in again only when its last session is over: 9 s by default.
            "broker.session.timeout.ms": 3_000,
            "broker.heartbeat.interval.ms": 500,
            "num.network.threads": 2,
            "num.io.threads": 2,
            "offsets.topic.num.partitions": 4,
            "offsets.topic.replication.factor": 1,
            "transaction.state.log.num.partitions": 4,
            "transaction.state.log.replication.factor": 1,
            "transaction.state.log.min.isr": 1,
            "share.coordinator.state.topic.num.partitions": 1,
            "share.coordinator.state.topic.replication.factor": 1,
            "share.coordinator.state.topic.min.isr": 1,
            "log.cleaner.dedupe.buffer.size": 16 * 1024 * 1024,
        }
        return "".join(f"{name}={value}\n" for name, value in settings.items())

    async def _ready(self, child: Child) -> None:
        """Return when the node answers an admin call."""
        try:
            async with asyncio.timeout(_READY_SECONDS):
                while not await self._answers():
                    if child.gave_up:
                        raise ProgramFailed(child.explain("does not start"))
                    await asyncio.sleep(0.1)
        except TimeoutError:
            raise ProgramFailed(
                child.explain(f"does not answer within {_READY_SECONDS:.0f} s")
            ) from None

    async def _answers(self) -> bool:
        """Return whether the node answers an admin call now."""
        # First a plain connection: the admin client logs each refusal as an error.
        try:
            _, writer = await asyncio.open_connection(_HOST, self._port)
        except OSError:
            return False
        writer.close()
        with contextlib.suppress(OSError):
            await writer.wait_closed()
        admin = AIOKafkaAdminClient(bootstrap_servers=self.address, request_timeout_ms=5_000)
        try:
            await admin.start()
            cluster = await admin.describe_cluster()
        except (KafkaError, OSError):
            return False
        finally:
            await admin.close()
        return bool(cluster["brokers"])


def free_ports(count: int, among: range = _PORTS) -> list[int]:
    """Return `count` different ports of the loopback address on which nobody listens.

    Nobody else is given them while this process lives and chooses not too many more: their UDP ports
    are held, which no service of ours wants.
    """
    ports: list[int] = []
    for port in random.sample(among, len(among)):
        with contextlib.ExitStack() as taken:
            listening = taken.enter_context(socket.socket())
            listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            holding = taken.enter_context(socket.socket(type=socket.SOCK_DGRAM))
            with contextlib.suppress(OSError):
                listening.bind((_HOST, port))
                holding.bind((_HOST, port))
                ports.append(port)
                _held.append(holding.dup())
        if len(ports) == count:
            return ports
    raise OSError(f"no {count} free ports from {among.start} to {among.stop - 1}")
