"""Decides what can be read out of the books: balances, entries and conflicts, as of one moment.

A balance is a sum over postings and nowhere stored. Everything here reads as the reader's role, which can
change nothing.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any

import psycopg
from msgspec import Struct

from floorbook.ledger import schema
from floorbook.ledger.booking import Row, entry_of, select_entries
from floorbook.ledger.journal import Entry
from floorbook.ledger.store import connect


class Selection(Struct, frozen=True):
    """Which entries or postings are meant; what is empty does not restrict.

    `gaming_day` is that of the round and `own_gaming_day` that of the movement: a reversal of a later day has both.
    """

    table_id: str = ""
    round_id: str = ""
    account_prefix: str = ""
    gaming_day: str = ""
    own_gaming_day: str = ""
    since: datetime | None = None


class NotedConflict(Struct, frozen=True):
    """A movement that was not booked, as the books have it."""

    movement_id: str
    reason: str
    detail: str
    partition: int
    offset: int
    noticed_at: datetime


ALL = Selection()


def balances(dsn: str, selection: Selection = ALL) -> dict[tuple[str, str], int]:
    """Return the balance of each currency and account that was ever posted to, in minor units."""
    where, values = _where(selection)
    query = (
        "SELECT currency, account, sum(amount)::text FROM ledger.journal e "  # noqa: S608
        f"WHERE {where} GROUP BY currency, account ORDER BY currency, account"
    )
    with _reader(dsn) as connection:
        rows = connection.execute(query, values).fetchall()
    return {(currency, account): int(total) for currency, account, total in rows}


def entries(dsn: str, selection: Selection = ALL) -> Iterator[Entry]:
    """Yield the entries in order of table and number, without holding all of them in memory."""
    where, values = _where(selection)
    query = select_entries(f"SELECT * FROM ledger.entries e WHERE {where}")  # noqa: S608
    with _reader(dsn) as connection, connection.cursor("entries") as cursor:
        cursor.itersize = 2000
        cursor.execute(f"{query} ORDER BY e.table_id, e.number", values)
        for row in cursor:
            yield entry_of(row)


def conflicts(dsn: str) -> tuple[NotedConflict, ...]:
    """Return every conflict, oldest first."""
    with _reader(dsn) as connection:
        rows = connection.execute(
            "SELECT movement_id, reason, detail, movement_partition, movement_offset, noticed_at "
            "FROM ledger.conflicts ORDER BY conflict_id"
        ).fetchall()
    return tuple(NotedConflict(*row) for row in rows)


@contextmanager
def _reader(dsn: str) -> Iterator[psycopg.Connection[Row]]:
    connection = connect(dsn, schema.READER)
    try:
        # Reports may take longer than a batch may, and see one moment.
        connection.execute("SET statement_timeout = 0")
        connection.execute("SET idle_in_transaction_session_timeout = 0")
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        connection.read_only = True
        with connection.transaction():
            yield connection
    finally:
        connection.close()


def _where(selection: Selection) -> tuple[str, list[Any]]:
    conditions: list[tuple[str, Any]] = [
        ("e.table_id = %s", selection.table_id),
        ("e.round_id = %s", selection.round_id),
        ("starts_with(account, %s)", selection.account_prefix),
        ("e.gaming_day = %s::date", selection.gaming_day),
        ("e.own_gaming_day = %s::date", selection.own_gaming_day),
        ("e.booked_at >= %s", selection.since),
    ]
    given = [(condition, value) for condition, value in conditions if value]
    return " AND ".join(["true", *(c for c, _ in given)]), [value for _, value in given]
