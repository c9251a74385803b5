"""Decides how a simulated floor plays on services that run elsewhere: in containers, or on a cluster.

The casino is furnished first, into a folder: the registry for the gateways, and for those who play the keys
and tokens that it names. Its tables have ids of their own, so that servers with a past do not matter; it
is played once, and until then stays as it is, however often it is furnished. With a broker and a database
named, the books are held against the log in the end.
"""

import argparse
import asyncio
import contextlib
import os
import signal
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import msgspec
import psycopg
from aiokafka.errors import KafkaError
from msgspec import Struct

from floorbook import settings, topics
from floorbook.arguments import share, whole
from floorbook.demo import evidence
from floorbook.demo.at_table import PlayFault
from floorbook.demo.casino import Casino, build
from floorbook.demo.client import Stranger
from floorbook.demo.devices import ReadingRefused
from floorbook.demo.evidence import LedgerView, LogView, Positions
from floorbook.demo.floor import SimulatedFloor, run_tables
from floorbook.demo.games import ALL, plans_of, rule_sets
from floorbook.demo.progress import Display, PlainDisplay, Watch
from floorbook.demo.proof import NotPosted, conclude, reconcile, wait_until_posted
from floorbook.demo.report import Report
from floorbook.demo.seen import NotSeen
from floorbook.demo.terminals import NotTaken
from floorbook.settings import EXIT_BAD_SETTINGS, Address, Settings
from floorbook.topics import TopicsError

CASINO: Final = "casino.json"
REGISTRY: Final = "registry.json"
PLAYED: Final = "played"
EXIT_INTERRUPTED: Final = 130

# Whoever runs the services may just be starting them, or rolling out others.
_PATIENCE_SECONDS: Final = 180.0


class NotFurnished(Exception):
    """The folder holds no casino that can be played."""


# What can go wrong out there, as opposed to in this program: shown as a sentence.
_FAULTS: Final = (
    KafkaError,
    NotFurnished,
    NotPosted,
    NotSeen,
    NotTaken,
    PlayFault,
    ReadingRefused,
    Stranger,
    TopicsError,
    psycopg.Error,
    OSError,
)


class Furnished(Struct, frozen=True):
    """A casino with all its keys and tokens, as the folder keeps it."""

    rule_set: str
    casino: Casino


class Asked(Struct, frozen=True):
    """What is to be played, and where."""

    rule_set: str
    rounds: int
    gateways: tuple[str, ...]
    devices: tuple[Address, ...]
    misbehave: float = 0.0


class Books(Struct, frozen=True):
    """Where the evidence of a run lies; a run's own begins at the starts."""

    kafka: str
    dsn: str
    log_start: Positions
    quarantine_start: Positions

    @classmethod
    async def now(cls, kafka: Sequence[str], dsn: str) -> "Books":
        """Return the books of a run that begins now."""
        partitions = await asyncio.to_thread(topics.check, kafka)
        servers = ",".join(kafka)
        return cls(
            servers,
            dsn,
            await evidence.ends(servers, topics.TABLE_EVENTS, partitions),
            await evidence.ends(servers, topics.QUARANTINE, partitions),
        )


def main(argv: Sequence[str]) -> int:
    """Return the exit code of `floorbook simulate` with the arguments `argv`."""
    given = _parser().parse_args(argv)
    shown = PlainDisplay()
    try:
        if given.act == "furnish":
            shown.say(furnish(given.folder, given.tables, given.seed, given.rule_set))
            return 0
        return _play(given, shown)
    except (*_FAULTS, ExceptionGroup) as error:
        for fault in _named(error):
            sys.stderr.write(f"floorbook: {fault}\n")
        return 1


def furnish(folder: Path, tables: int, seed: int, rule_set: str) -> str:
    """Return what is in `folder` now: such a casino that was not played, and its gateways' registry."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    with contextlib.suppress(NotFurnished):
        there = furnished(folder)
        if (len(there.casino.tables), there.casino.seed, there.rule_set) == (
            tables,
            seed,
            rule_set,
        ):
            return f"left as it is: {folder / CASINO}, which was not played yet"
    casino = build(tables, seed, f"{int(time.time()):x}-", plans_of(rule_set))
    _write_private(folder / CASINO, msgspec.json.encode(Furnished(rule_set, casino)))
    _write_private(folder / REGISTRY, casino.registry())
    (folder / PLAYED).unlink(missing_ok=True)
    return f"furnished: {tables} tables for {rule_set} in {folder / CASINO}; {REGISTRY} is for gateways"


def furnished(folder: Path) -> Furnished:
    """Return the casino in `folder` that was not played; `NotFurnished` if it holds none."""
    path = folder / CASINO
    try:
        found = msgspec.json.decode(path.read_bytes(), type=Furnished)
    except FileNotFoundError:
        raise NotFurnished(
            f"there is no {path}: make it with `floorbook simulate furnish`"
        ) from None
    except msgspec.DecodeError as error:
        raise NotFurnished(f"{path} is not as this version makes it: {error}") from None
    if (folder / PLAYED).exists():
        raise NotFurnished(f"{path} was played: make another with `floorbook simulate furnish`")
    return found


async def play(
    floor: SimulatedFloor,
    rounds: int,
    shown: Display,
    books: Books | None = None,
    stopping: Callable[[], bool] = lambda: False,
) -> None:
    """Return when every table has played its rounds, or the one in progress, and is closed."""
    if books is None:
        async with floor:
            await run_tables(floor, rounds, stopping=stopping)
        return
    tables = sorted(floor.casino.table_ids)
    log = await LogView.open(books.kafka, books.log_start)
    ledger = await LedgerView.open(books.dsn)
    try:
        async with Watch(shown, floor.tally, rounds * len(tables), log, ledger, tables), floor:
            await run_tables(floor, rounds, stopping=stopping)
    finally:
        await log.close()
        await ledger.close()


async def simulate(asked: Asked, casino: Casino, read: Settings, shown: Display) -> Report | None:
    """Return what the books came to after all was played; None if nobody named them.

    SIGTERM and SIGINT end it after the rounds in progress; a second one at once.
    """
    stop = _told_to_stop(shown)
    books = await Books.now(read.kafka, read.database) if read.kafka else None
    floor = SimulatedFloor(
        casino,
        asked.gateways,
        asked.devices,
        misbehave=asked.misbehave,
        patience_seconds=_PATIENCE_SECONDS,
    )
    shown.say(
        f"playing: {len(casino.tables)} tables, {asked.rounds} rounds each, rule set "
        f"{asked.rule_set}, at {', '.join(asked.gateways)}"
    )
    await play(floor, asked.rounds, shown, books, stop.is_set)
    shown.say(
        f"played: {floor.tally.rounds_settled} rounds settled, {floor.tally.rounds_void} void; "
        "tables closed, nothing is owed"
    )
    if books is None:
        return None
    await wait_until_posted(books, casino)
    return await reconcile(asked, books, casino, floor.tally, shown)


def _play(given: argparse.Namespace, shown: Display) -> int:
    read = settings.from_environment("demo")
    faults = [] if isinstance(read, Settings) else read
    if isinstance(read, Settings) and bool(read.kafka) != bool(read.database):
        faults = ["FLOORBOOK_KAFKA and FLOORBOOK_DATABASE name the books together, or not at all."]
    if len(given.gateway) != len(given.devices):
        faults = [
            *faults,
            "--gateway and --devices name the same gateways: as often the one as the other.",
        ]
    if faults or not isinstance(read, Settings):
        for fault in faults:
            sys.stderr.write(f"floorbook: {fault}\n")
        return EXIT_BAD_SETTINGS
    found = furnished(given.folder)
    asked = Asked(
        found.rule_set,
        given.rounds,
        tuple(map(str, given.gateway)),
        tuple(given.devices),
        given.misbehave,
    )
    try:
        result = asyncio.run(simulate(asked, found.casino, read, shown))
    finally:
        # Its tables have a past now, however far it came.
        _write_private(given.folder / PLAYED, b"")
    if result is None:
        shown.say("not reconciled: FLOORBOOK_KAFKA and FLOORBOOK_DATABASE are not set")
        return 0
    if given.report is not None:
        given.report.write_bytes(result.json())
    conclude(result, shown)
    return 0 if result.reconciled else 1


def _told_to_stop(shown: Display) -> asyncio.Event:
    stop = asyncio.Event()

    def told() -> None:
        if stop.is_set():
            os._exit(EXIT_INTERRUPTED)
        stop.set()
        shown.say("stopping after the rounds in progress (once more: at once)")

    for number in (signal.SIGTERM, signal.SIGINT):
        asyncio.get_running_loop().add_signal_handler(number, told)
    return stop


def _named(error: Exception) -> Iterator[str]:
    """Yield what went wrong, a sentence each; what nobody foresaw is raised again."""
    if isinstance(error, ExceptionGroup):
        for each in error.exceptions:
            yield from _named(each)
    elif isinstance(error, _FAULTS):
        yield str(error)
    else:
        raise error


def _write_private(path: Path, content: bytes) -> None:
    """Return after writing a file that only this user can read, whole or not at all."""
    new = path.with_suffix(".new")
    new.unlink(missing_ok=True)
    with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "wb") as file:
        file.write(content)
    new.replace(path)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="floorbook simulate",
        description="Simulated devices and people that play on services which run elsewhere.",
    )
    acts = parser.add_subparsers(dest="act", required=True)
    made = acts.add_parser(
        "furnish", help="make a casino's keys and tokens, and the registry of its gateways"
    )
    made.add_argument("folder", type=Path)
    made.add_argument("--tables", type=whole(1, 999), default=8, metavar="N")
    made.add_argument("--seed", type=int, default=1, metavar="N", help="same seed, same play")
    made.add_argument(
        "--rule-set",
        choices=(*rule_sets(), ALL),
        default=rule_sets()[0],
        metavar="ID",
        help=f"what is played: {', '.join(rule_sets())}; {ALL}: the tables play them in turn",
    )
    played = acts.add_parser(
        "play",
        help="play in a casino that was furnished",
        description="Play once in a casino that was furnished, and hold the books against the log if "
        "FLOORBOOK_KAFKA and FLOORBOOK_DATABASE say where they are.",
    )
    played.add_argument("folder", type=Path)
    played.add_argument(
        "--rounds", type=whole(1, 100_000), default=25, metavar="N", help="at each table"
    )
    played.add_argument(
        "--gateway",
        type=_address,
        nargs="+",
        default=[Address("127.0.0.1", 7001)],
        metavar="HOST:PORT",
        help="where gateways take floor clients (default 127.0.0.1:7001)",
    )
    played.add_argument(
        "--devices",
        type=_address,
        nargs="+",
        default=[Address("127.0.0.1", 7002)],
        metavar="HOST:PORT",
        help="where the same gateways take devices on lines of their own (default 127.0.0.1:7002)",
    )
    played.add_argument(
        "--misbehave",
        type=share,
        default=0.0,
        metavar="RATE",
        help="how often each kind of trouble happens in a round, 0 to 1",
    )
    played.add_argument("--report", type=Path, metavar="FILE", help="also write the result as JSON")
    return parser


def _address(text: str) -> Address:
    host, colon, port = text.rpartition(":")
    if (
        not colon
        or not host
        or not port.isascii()
        or not port.isdigit()
        or not 0 < int(port) < 65536
    ):
        raise argparse.ArgumentTypeError("must be host:port, as in gateway:7001")
    return Address(host, int(port))
