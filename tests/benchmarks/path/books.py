"""Decides whether the ledger holds every round of a load exactly once, and how long each took to get there."""

from collections import Counter
from collections.abc import Sequence

import psycopg
from msgspec import Struct

from tests.benchmarks.path.load import Result

_ENTRIES = """
SELECT kind, round_id, completed_time_ms / 1000.0,
       extract(epoch FROM pg_xact_commit_timestamp(xmin))
FROM ledger.entries WHERE starts_with(table_id, %s)
"""
_UNBALANCED = """
SELECT count(*) FROM (
    SELECT FROM ledger.postings WHERE starts_with(entry_id, %s)
    GROUP BY entry_id HAVING sum(amount) <> 0
) unbalanced
"""
_CONFLICTS = "SELECT count(*) FROM ledger.conflicts WHERE starts_with(movement_id, %s)"


class Settled(Struct, frozen=True):
    """One settlement: when its round was complete and when it was committed, in seconds."""

    round_id: str
    completed: float
    committed: float


class Books(Struct, frozen=True):
    """What the ledger holds of one load, and what is wrong with it."""

    settled: list[Settled]
    faults: list[str]


async def read_books(dsn: str, prefix: str, result: Result) -> Books:
    """Return what the ledger holds of the tables whose ids begin with `prefix`."""
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as connection:
        rows = await (await connection.execute(_ENTRIES, (prefix,))).fetchall()
        unbalanced = await (await connection.execute(_UNBALANCED, (prefix,))).fetchone()
        conflicts = await (await connection.execute(_CONFLICTS, (prefix,))).fetchone()
    settled = [
        Settled(str(round_id), float(completed), float(committed))
        for kind, round_id, completed, committed in rows
        if kind == "settlement"
    ]
    faults = [
        *_differences(
            "settled", [each.round_id for each in result.finished], [s.round_id for s in settled]
        ),
        *_differences("held", result.locked, [str(row[1]) for row in rows if row[0] == "hold"]),
    ]
    for found, what in ((unbalanced, "entries do not sum to zero"), (conflicts, "conflicts")):
        if found is None or found[0]:
            faults.append(f"{found and found[0]} {what}")
    return Books(settled, faults)


def _differences(what: str, wanted: Sequence[str], found: Sequence[str]) -> list[str]:
    """Return what is not there exactly once."""
    missing, more = Counter(wanted), Counter(found)
    missing.subtract(found)
    more.subtract(wanted)
    return [
        f"{sum((+counts).values())} rounds {how}, such as {min(+counts)}"
        for counts, how in ((missing, f"not {what}"), (more, f"{what} once too often"))
        if +counts
    ]
