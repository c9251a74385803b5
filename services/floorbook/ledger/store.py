"""Decides what one transaction of the ledger does: book a batch, note conflicts, move the positions on.

A movement is known by its id: booked already with the same money is nothing to do, with other money a
conflict. What the database refuses for one movement never holds back the others. Positions change only from
the value they were read with, so that of two writers one stops.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Self

import psycopg
from msgspec import Struct
from psycopg import sql

from floorbook.ledger import booking, schema
from floorbook.ledger.booking import Booked, Received, Row, entry_of, select_entries
from floorbook.ledger.journal import Conflict, Entry

_APPLICATION = "floorbook-ledger"

# A connection that says nothing is given up in some ten seconds, and a frozen writer loses its locks.
_CONNECTION: dict[str, Any] = {
    "connect_timeout": 3,
    "keepalives_idle": 5,
    "keepalives_interval": 2,
    "keepalives_count": 3,
    "tcp_user_timeout": 10_000,
}
# Compiling a query takes longer than any of ours runs: without statistics the server thinks otherwise.
_SESSION = """
SELECT set_config('synchronous_commit', 'on', false),
       set_config('statement_timeout', '30s', false),
       set_config('lock_timeout', '5s', false),
       set_config('idle_in_transaction_session_timeout', '15s', false),
       set_config('timezone', 'UTC', false),
       set_config('jit', 'off', false)
"""


_UNPUBLISHED = select_entries(
    "SELECT * FROM ledger.entries WHERE movement_partition = %s AND movement_offset >= "
    "(SELECT published_offset FROM ledger.positions WHERE partition = %s) "
    "ORDER BY movement_offset LIMIT %s"
)

_Book = Callable[[psycopg.Connection[Row], Sequence[Received]], Booked]


class Fenced(Exception):
    """Another writer is ahead in a partition that this one believed its own: this one must stop."""


class WrongSchema(Exception):
    """The database does not have the schema that this version needs."""


class Position(Struct, frozen=True):
    """What of one partition is booked and published: the next offset of each."""

    next_offset: int
    published_offset: int


class Batch(Struct, frozen=True):
    """What one transaction books; `positions` has each partition's next offset, before and after."""

    received: Sequence[Received]
    positions: Mapping[int, tuple[int, int]]


class Posted(Struct, frozen=True):
    """A committed entry, and the place of its movement, by which entries are published in order."""

    entry: Entry
    partition: int
    offset: int


class Outcome(Struct, frozen=True):
    """What became of a batch, in its order; `conflicts` holds only those that were not noticed before."""

    posted: tuple[Posted, ...]
    duplicates: int
    conflicts: tuple[Conflict, ...]


def connect(dsn: str, role: str) -> psycopg.Connection[Row]:
    """Return a connection in autocommit whose statements run as `role`."""
    connection: psycopg.Connection[Row] = psycopg.connect(
        dsn, autocommit=True, application_name=_APPLICATION, **_CONNECTION
    )
    try:
        connection.execute(_SESSION)
        connection.execute(sql.SQL("SET ROLE {}").format(sql.Identifier(role)))
    except BaseException:
        connection.close()
        raise
    return connection


class Store:
    """The ledger's database as its one writer sees it."""

    def __init__(self, connection: psycopg.Connection[Row]) -> None:
        """Return the store behind an open connection."""
        self._connection = connection

    @classmethod
    def open(cls, dsn: str) -> Self:
        """Return the store of the database `dsn`, if its schema is the one needed."""
        try:
            connection = connect(dsn, schema.WRITER)
        except (psycopg.errors.InvalidParameterValue, psycopg.errors.UndefinedObject) as error:
            raise WrongSchema(
                f"the role {schema.WRITER} is missing: run `floorbook ledger migrate`"
            ) from error
        found, needed = schema.found(connection), schema.NEEDED
        if found is None or found < needed:
            connection.close()
            raise WrongSchema(
                f"the database has schema {found or 'none'} and {needed} is needed: "
                "run `floorbook ledger migrate`"
            )
        return cls(connection)

    def close(self) -> None:
        """Return once the connection is closed."""
        self._connection.close()

    def ping(self) -> None:
        """Return if the database answers."""
        self._connection.execute("SELECT 1")

    def positions(self, partitions: Iterable[int]) -> dict[int, Position]:
        """Return the position of each partition; one that has none begins at 0."""
        wanted = sorted(partitions)
        with self._connection.transaction():
            self._connection.execute(
                "INSERT INTO ledger.positions (partition) SELECT unnest(%s::integer[]) "
                "ON CONFLICT DO NOTHING",
                (wanted,),
            )
            rows = self._connection.execute(
                "SELECT partition, next_offset, published_offset FROM ledger.positions "
                "WHERE partition = ANY(%s::integer[])",
                (wanted,),
            ).fetchall()
        return {partition: Position(next_, published) for partition, next_, published in rows}

    def post(self, batch: Batch) -> Outcome:
        """Return what became of `batch`, committed; `Fenced` if another writer is ahead.

        The batch is booked in one statement. If the database refuses that, its movements are booked one by
        one, and what is refused then is a conflict.
        """
        try:
            return self._post(batch, booking.book_together)
        except (psycopg.IntegrityError, psycopg.DataError):
            return self._post(batch, booking.book_one_by_one)

    def unpublished(self, partition: int, most: int) -> list[Posted]:
        """Return the next `most` entries of `partition` that the broker has not confirmed, in order."""
        rows = self._connection.execute(_UNPUBLISHED, (partition, partition, most)).fetchall()
        unpublished = [Posted(entry_of(row), row[19], row[20]) for row in rows]
        return sorted(unpublished, key=lambda each: each.offset)

    def published(self, positions: Mapping[int, tuple[int, int]]) -> None:
        """Return after moving each partition's published offset from a value to a value.

        Nobody waits for the disk: what a crash of the server takes back is published again.
        """
        with self._connection.transaction():
            self._connection.execute("SET LOCAL synchronous_commit = off")
            self._move("published_offset", positions)

    def backlog(self, partitions: Iterable[int]) -> tuple[int, float]:
        """Return how many entries are not published and how many seconds old the oldest is."""
        row = self._connection.execute(
            "SELECT count(*), "
            "coalesce(extract(epoch FROM clock_timestamp() - min(e.booked_at)), 0)::float8 "
            "FROM ledger.positions o JOIN ledger.entries e "
            "ON e.movement_partition = o.partition AND e.movement_offset >= o.published_offset "
            "WHERE o.partition = ANY(%s::integer[])",
            (sorted(partitions),),
        ).fetchone()
        assert row is not None, "an aggregate has a row"
        return int(row[0]), float(row[1])

    def _post(self, batch: Batch, book: _Book) -> Outcome:
        with self._connection.transaction():
            # First of all, because it waits for another writer of the same partitions.
            self._move("next_offset", batch.positions)
            # What is refused shall be refused by its statement and not by the commit.
            self._connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
            booked = book(self._connection, batch.received)
            noticed = booking.note(self._connection, booked.conflicts)
        posted = tuple(
            Posted(entry, received.partition, received.offset) for received, entry in booked.posted
        )
        return Outcome(posted, booked.duplicates, tuple(noticed))

    def _move(self, column: str, positions: Mapping[int, tuple[int, int]]) -> None:
        # Sorted: two writers that take several rows take them in one order.
        for partition, (old, new) in sorted(positions.items()):
            moved = self._connection.execute(
                sql.SQL(
                    "UPDATE ledger.positions SET {0} = %s WHERE partition = %s AND {0} = %s"
                ).format(sql.Identifier(column)),
                (new, partition, old),
            )
            if moved.rowcount != 1:
                raise Fenced(
                    f"partition {partition}: {column} is no longer {old}: another ledger writer is "
                    "ahead, this one stops"
                )
