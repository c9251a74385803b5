"""Decides how the five services run on one machine: addresses, settings, order of start and stop.

A `Rig` is what the demo, the system tests and the benchmarks stand on: real servers, real services as
child processes, each with its own addresses that stay the same over its restarts.
"""

import asyncio
import os
import sys
import time
from collections.abc import Mapping, Sequence
from http import HTTPStatus
from pathlib import Path
from typing import Final

import psycopg
from prometheus_client import CollectorRegistry
from prometheus_client.parser import text_string_to_metric_families
from psycopg import sql
from psycopg.conninfo import make_conninfo

from floorbook import topics
from floorbook.demo import evidence
from floorbook.demo.broker import free_ports
from floorbook.demo.processes import (
    AFTER_EVERYTHING,
    AFTER_THE_FOLD,
    Child,
    Program,
    ProgramFailed,
    Restarts,
    Supervisor,
)
from floorbook.demo.servers import choose_broker, choose_database
from floorbook.ledger import schema
from floorbook.metrics.catalogue import GatewayMetrics
from floorbook.settings import Address
from floorbook.topics import TopicsError

PARTITIONS: Final = 4
READY_SECONDS: Final = 60.0

_HOST: Final = "127.0.0.1"
_LOOK_SECONDS: Final = 0.1
_PROBE_SECONDS: Final = 2.0
_NICENESS: Final = {
    "gateway": AFTER_THE_FOLD,
    "ledger": AFTER_THE_FOLD,
    "metrics": AFTER_EVERYTHING,
}
_BOOKKEEPER: Final = "floorbook_bookkeeper"
# A casino that misbehaves on purpose sends more to quarantine than anybody should have to look at.
_QUARANTINE_LIMIT: Final = "1000000"


class Rig:
    """Servers and services of one run. `start` once, `stop_services` once; the supervisor does the rest."""

    def __init__(
        self,
        supervisor: Supervisor,
        registry: bytes,
        *,
        kafka: str | None = None,
        database: str | None = None,
        table_workers: int = 1,
        gateways: int = 1,
        ledgers: int = 1,
        partitions: int = PARTITIONS,
        environment: Mapping[str, str] | None = None,
        restarts: Restarts | None = None,
    ) -> None:
        """Return a rig in the supervisor's folder, of which nothing runs yet.

        `kafka` and `database` are servers that somebody else runs; `environment` is added to that of
        every service.
        """
        self.supervisor = supervisor
        self.broker = choose_broker(kafka, supervisor)
        self.database = choose_database(database, supervisor)
        self.partitions = partitions
        self.log_start: dict[int, int] = {}
        self.quarantine_start: dict[int, int] = {}
        self._own_database = database is None
        self._bookkeeper_dsn = ""
        self._environment = dict(environment or {})
        self._restarts = restarts or Restarts()
        self._registry = supervisor.folder / "registry.json"
        _write_private(self._registry, registry)
        names = [
            "evaluator",
            *(f"table-{number}" for number in range(table_workers)),
            *(f"ledger-{number}" for number in range(ledgers)),
            "metrics",
            *(f"gateway-{number}" for number in range(gateways)),
        ]
        ports = free_ports(len(names) + 2 * gateways + 1)
        self._probes = {name: Address(_HOST, ports.pop()) for name in names}
        self._evaluator = Address(_HOST, ports.pop())
        gateway_names = [name for name in names if name.startswith("gateway-")]
        self._floor = {name: Address(_HOST, ports.pop()) for name in gateway_names}
        self._devices = {name: Address(_HOST, ports.pop()) for name in gateway_names}

    @property
    def kafka(self) -> str:
        """Return the broker's bootstrap address."""
        return self.broker.address

    @property
    def dsn(self) -> str:
        """Return how to connect to the database and see everything, a secret."""
        return self.database.address

    @property
    def floor_addresses(self) -> list[str]:
        """Return where the gateways take floor clients and devices over gRPC."""
        return list(map(str, self._floor.values()))

    @property
    def device_addresses(self) -> list[Address]:
        """Return where the gateways take devices on lines of their own."""
        return list(self._devices.values())

    @property
    def services(self) -> tuple[str, ...]:
        """Return the names of all services, as the supervisor's children have them."""
        return tuple(self._probes)

    def child(self, name: str) -> Child:
        """Return a service's process, such as table-0, for drills."""
        return self.supervisor.children[name]

    def probes_of(self, name: str) -> Address:
        """Return where a service answers /metrics, /healthz and /readyz."""
        return self._probes[name]

    async def start(self) -> None:
        """Return when every service is ready."""
        await self.start_servers()
        await self.start_services()

    async def start_servers(self) -> None:
        """Return when broker and database run, with topics and schema made."""
        async with asyncio.TaskGroup() as group:
            group.create_task(self.broker.start())
            group.create_task(self.database.start())
        async with asyncio.TaskGroup() as group:
            group.create_task(self._make_topics())
            group.create_task(self._make_schema())
        self.log_start = await evidence.ends(self.kafka, topics.TABLE_EVENTS, self.partitions)
        self.quarantine_start = await evidence.ends(self.kafka, topics.QUARANTINE, self.partitions)

    async def start_services(self) -> None:
        """Return when every service has been started and is ready."""
        began = time.monotonic()
        for name in self.services:
            await self.supervisor.start(self._program(name))
        await self.ready()
        self.supervisor.progress(
            f"services: {', '.join(self.services)} ready after {time.monotonic() - began:.1f} s"
        )

    async def ready(
        self, names: Sequence[str] | None = None, seconds: float = READY_SECONDS
    ) -> None:
        """Return when the services `names` (all) are ready; `ProgramFailed` with the reasons if not."""
        async with asyncio.TaskGroup() as group:
            for name in names or self.services:
                group.create_task(self._ready(name, seconds))

    async def stop_services(self) -> None:
        """Return when all services have stopped in order: who sends before who receives."""
        for kind in ("gateway-", "table-", "evaluator", "ledger-", "metrics"):
            async with asyncio.TaskGroup() as group:
                for name in self.services:
                    if name.startswith(kind):
                        group.create_task(self.child(name).stop())
        failed = [
            child
            for name in self.services
            if (child := self.child(name)).exits and child.exits[-1].code != 0
        ]
        if failed:
            raise ProgramFailed(failed[0].explain("did not stop cleanly"))

    async def bad_frames(self) -> int:
        """Return how much of what devices sent over their lines was no frame, by all gateways."""
        name = GatewayMetrics(CollectorRegistry()).device_frames_bad.metric.name
        total = 0.0
        for gateway in self._floor:
            found = await get(self._probes[gateway], "/metrics")
            for family in text_string_to_metric_families(found[1] if found else ""):
                total += sum(each.value for each in family.samples if each.name == name)
        return int(total)

    def settings_of(self, name: str) -> dict[str, str]:
        """Return the settings that one service is started with."""
        kind, _, number = name.partition("-")
        settings = {
            "FLOORBOOK_KAFKA": self.kafka,
            "FLOORBOOK_PROBES_LISTEN": str(self._probes[name]),
            "FLOORBOOK_SLOT": number or "0",
            "FLOORBOOK_QUARANTINE_LIMIT_PER_MINUTE": _QUARANTINE_LIMIT,
            **self._environment,
        }
        match kind:
            case "gateway":
                settings["FLOORBOOK_REGISTRY"] = str(self._registry)
                settings["FLOORBOOK_GATEWAY_LISTEN"] = str(self._floor[name])
                settings["FLOORBOOK_DEVICE_LISTEN"] = str(self._devices[name])
            case "table":
                settings["FLOORBOOK_EVALUATOR"] = str(self._evaluator)
                settings["FLOORBOOK_DATADIR"] = str(self.supervisor.folder)
            case "evaluator":
                settings["FLOORBOOK_EVALUATOR_LISTEN"] = str(self._evaluator)
            case "ledger":
                settings["FLOORBOOK_DATABASE"] = self._bookkeeper_dsn or self.dsn
        return settings

    def _program(self, name: str) -> Program:
        kind = name.partition("-")[0]
        return Program(
            name,
            (*console(), *(("ledger", "serve") if kind == "ledger" else (kind,))),
            environment=self.settings_of(name),
            folder=self.supervisor.folder,
            restarts=self._restarts,
            niceness=_NICENESS.get(kind, 0),
        )

    async def _make_topics(self) -> None:
        # On a broker with a past the topics may be there, with a partition count of their own.
        try:
            self.partitions = await asyncio.to_thread(topics.check, [self.kafka])
        except TopicsError:
            environment = {
                "FLOORBOOK_KAFKA": self.kafka,
                "FLOORBOOK_PARTITIONS": str(self.partitions),
                "FLOORBOOK_REPLICATION": "1",
            }
            await self._tool("topics-create", ("topics", "create"), environment)

    async def _make_schema(self) -> None:
        environment = {"FLOORBOOK_DATABASE": self.dsn}
        await self._tool("ledger-migrate", ("ledger", "migrate"), environment)
        if not self._own_database:
            return
        # The superuser's password is for migrations: the ledger gets a login that may only book.
        role = sql.Identifier(_BOOKKEEPER)
        async with await psycopg.AsyncConnection.connect(self.dsn, autocommit=True) as connection:
            known = await connection.execute(
                "SELECT 1 FROM pg_roles WHERE rolname = %s", (_BOOKKEEPER,)
            )
            if await known.fetchone() is None:
                writer = sql.Identifier(schema.WRITER)
                await connection.execute(
                    sql.SQL("CREATE ROLE {} LOGIN IN ROLE {}").format(role, writer)
                )
        self._bookkeeper_dsn = make_conninfo(self.dsn, user=_BOOKKEEPER, password="")

    async def _tool(
        self, name: str, arguments: tuple[str, ...], environment: dict[str, str]
    ) -> None:
        await self.supervisor.run(
            Program(
                name,
                (*console(), *arguments),
                environment=environment,
                folder=self.supervisor.folder,
            )
        )

    async def _ready(self, name: str, seconds: float) -> None:
        child, said = self.child(name), "nothing"
        try:
            async with asyncio.timeout(seconds):
                while True:
                    if child.gave_up:
                        raise ProgramFailed(child.explain("does not start", 5))
                    found = await get(self._probes[name], "/readyz")
                    if found is not None:
                        status, said = found
                        if status == HTTPStatus.OK:
                            return
                    await asyncio.sleep(_LOOK_SECONDS)
        except TimeoutError:
            because = "; ".join(said.split("\n")).strip("; ")
            raise ProgramFailed(
                child.explain(f"is not ready within {seconds:.0f} s ({because})", 5)
            ) from None


def console() -> tuple[str, ...]:
    """Return how this environment's `floorbook` is started."""
    return (sys.executable, "-m", "floorbook.cli")


async def get(address: Address, path: str) -> tuple[int, str] | None:
    """Return status and body of an HTTP GET; None if nobody answers."""
    try:
        async with asyncio.timeout(_PROBE_SECONDS):
            reader, writer = await asyncio.open_connection(address.host, address.port)
            try:
                writer.write(f"GET {path} HTTP/1.0\r\nHost: {address}\r\n\r\n".encode())
                answer = await reader.read()
            finally:
                writer.close()
    except (OSError, TimeoutError):
        return None
    head, _, body = answer.partition(b"\r\n\r\n")
    words = head.split(b" ", 2)
    if len(words) < 2 or not words[1].isdigit():
        return None
    return int(words[1]), body.decode(errors="replace")


def _write_private(path: Path, content: bytes) -> None:
    """Return after writing a file that only this user can read."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(content)
