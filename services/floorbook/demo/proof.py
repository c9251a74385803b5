"""Decides how a run is held against its books: wait until all is booked, read log and ledger, compare.

Whoever played: the demo, a test, or a simulated floor against services that run elsewhere.
"""

import asyncio
from typing import Final, Protocol

from floorbook.demo import evidence
from floorbook.demo.casino import Casino
from floorbook.demo.evidence import LedgerView, Positions
from floorbook.demo.progress import Display
from floorbook.demo.reconcile import compare, recompute
from floorbook.demo.report import Report, floor_faults, report
from floorbook.demo.tally import Tally

POSTED_SECONDS: Final = 60.0
_LOOK_SECONDS: Final = 0.1


class NotPosted(Exception):
    """The ledger has not booked everything in time."""


class Servers(Protocol):
    """Where a run's evidence lies; what is before the starts is no part of it."""

    @property
    def kafka(self) -> str:
        """Return the broker's bootstrap address."""
        ...

    @property
    def dsn(self) -> str:
        """Return how to connect to the database and read the books, a secret."""
        ...

    @property
    def log_start(self) -> Positions:
        """Return where the run begins in the log."""
        ...

    @property
    def quarantine_start(self) -> Positions:
        """Return where the run begins in quarantine."""
        ...


class Asked(Protocol):
    """What was to be played."""

    @property
    def rule_set(self) -> str:
        """Return the rule set, or what stands for all."""
        ...

    @property
    def misbehave(self) -> float:
        """Return how often something went wrong on purpose."""
        ...


async def wait_until_posted(
    servers: Servers, casino: Casino, seconds: float = POSTED_SECONDS
) -> None:
    """Return when the ledger has an entry for each movement that the log brings about.

    `NotPosted` says how many are missing when it takes too long.
    """
    records = await evidence.read_log(servers.kafka, servers.log_start)
    quarantine = await evidence.read_quarantine(
        servers.kafka, servers.quarantine_start, servers.log_start
    )
    wanted = len(recompute(records, casino.table_ids, quarantine).entries)
    tables = sorted(casino.table_ids)
    ledger = await LedgerView.open(servers.dsn)
    booked = 0
    try:
        async with asyncio.timeout(seconds):
            # Nobody tells us what is booked: the database is asked.
            while (booked := await ledger.entries(tables)) < wanted:  # noqa: ASYNC110
                await asyncio.sleep(_LOOK_SECONDS)
    except TimeoutError:
        raise NotPosted(
            f"waited {seconds:g} s for the ledger to book {wanted} entries; it has {booked}"
        ) from None
    finally:
        await ledger.close()


async def reconcile(
    asked: Asked, servers: Servers, casino: Casino, tally: Tally, shown: Display
) -> Report:
    """Return what log and ledger come to when held against each other; the servers still run."""
    shown.say("reconciling: folding and judging everything again from the log alone")
    tables = sorted(casino.table_ids)
    records = await evidence.read_log(servers.kafka, servers.log_start)
    quarantine = await evidence.read_quarantine(
        servers.kafka, servers.quarantine_start, servers.log_start
    )
    booked = await evidence.read_ledger(servers.dsn, tables)
    ledger = await LedgerView.open(servers.dsn)
    settled = await ledger.settled(tables)
    await ledger.close()
    found = recompute(records, casino.table_ids, quarantine)
    reconciliation = compare(
        found,
        booked,
        quarantine,
        told=tally.told,
        lost_readings=tally.lost_readings,
        wrong_sent=tally.wrong_sent,
        poisoned=tally.poisoned,
    )
    return report(
        found,
        booked,
        reconciliation,
        quarantine,
        settled,
        tally,
        seed=casino.seed,
        tables=len(casino.tables),
        rule_set=asked.rule_set,
        rule_sets={table.table_id: table.rule_set for table in casino.tables},
        misbehave=asked.misbehave,
        more_faults=floor_faults(found, tally),
    )


def conclude(result: Report, shown: Display) -> None:
    """Return after showing what a run came to."""
    for line in result.lines():
        shown.say(line)
    if result.reconciled:
        shown.say("RECONCILED: ledger and log agree to the cent")
    else:
        shown.say(f"NOT RECONCILED: {len(result.faults)} faults")
