"""Decides how a batch of movements becomes rows, inside a transaction that somebody else holds.

Holds, settlements and releases go in one statement, whatever their number: entries first, then the postings of
those entries that were not there. A reversal is rare and taken by itself, because it needs its original, and so
are a further settlement and a release, because no settlement may be in force beside them; what comes after them
is booked after them, so that the times of booking never run against the order of a table.
"""

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from itertools import groupby
from typing import Any

import psycopg
from msgspec import Struct, field
from msgspec.structs import replace

from floorbook import ids
from floorbook.ledger.journal import (
    OTHER_MONEY,
    REFUSED_BY_DATABASE,
    STILL_IN_FORCE,
    Conflict,
    Entry,
    Posting,
    journalise,
    mirror,
    posting_id,
)
from floorbook.money import Movement, MovementKind

Row = tuple[Any, ...]
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

# Text columns travel as one string each, cut up by the database: a list of strings costs psycopg, and thereby
# the ledger, more than all the rest. No text of a movement holds a control character.
_SEPARATOR = "\x1f"
_RULES_SEPARATOR = "\n"


def _texts(count: int) -> str:
    return ", ".join(["string_to_array(%s, E'\\x1f')"] * count)


_BOOK = f"""
WITH given AS (
    SELECT * FROM unnest(
        {_texts(8)}, {_texts(1)}::date[], {_texts(1)}::date[], {_texts(1)}::bytea[],
        string_to_array(%s, E'\\x1f', ''), %s::bigint[], %s::bigint[], %s::bigint[],
        %s::integer[], %s::bigint[], %s::integer[], %s::integer[], %s::bigint[], %s::integer[]
    )
), booked AS (
    INSERT INTO ledger.entries (
        entry_id, kind, table_id, round_id, game, rule_set, rules_version, currency, gaming_day,
        own_gaming_day, fingerprint, reverses, table_time_ms, number, completed_time_ms, event_partition,
        event_offset, event_index, movement_partition, movement_offset, parts
    )
    SELECT * FROM given
    ON CONFLICT (entry_id) DO NOTHING
    RETURNING entry_id, booked_at
), posted AS (
    INSERT INTO ledger.postings (entry_id, index, account, amount, subject, rules)
    SELECT entry_id, index, account, amount, subject, string_to_array(rules, E'\\n')
    FROM unnest({_texts(4)}, %s::integer[], %s::bigint[])
        AS part (entry_id, account, subject, rules, index, amount)
    JOIN booked USING (entry_id)
)
SELECT entry_id, booked_at FROM booked
"""  # noqa: S608 -- nothing but placeholders is put in

_ENTRY_COLUMNS = """
    e.entry_id, e.kind, e.table_id, e.round_id, e.game, e.rule_set, e.rules_version, e.gaming_day,
    e.own_gaming_day, e.table_time_ms, e.number, e.currency, e.fingerprint, e.reverses, e.completed_time_ms,
    e.event_partition, e.event_offset, e.event_index, e.booked_at, e.movement_partition, e.movement_offset,
    p.accounts, p.amounts, p.subjects, p.rules
"""
_POSTINGS_OF_ENTRY = """
    CROSS JOIN LATERAL (
        SELECT array_agg(account) AS accounts, array_agg(amount) AS amounts, array_agg(subject) AS subjects,
               array_agg(array_to_string(rules, E'\\n')) AS rules
        FROM (SELECT * FROM ledger.postings WHERE entry_id = e.entry_id ORDER BY index) ordered
    ) p
"""


def select_entries(which: str) -> str:
    """Return the query for the whole entries among the rows of entries that the query `which` gives.

    Who limits its rows limits them in `which`: else the postings of all are collected first.
    """
    return f"SELECT {_ENTRY_COLUMNS} FROM ({which}) e {_POSTINGS_OF_ENTRY}"  # noqa: S608


class Received(Struct, frozen=True):
    """A movement and where it lay in the movements topic, with its bytes for a possible conflict."""

    movement: Movement
    partition: int
    offset: int
    value: bytes


class Booked(Struct):
    """What became of the movements so far."""

    posted: list[tuple[Received, Entry]] = field(default_factory=list)
    duplicates: int = 0
    conflicts: list[tuple[Received, Conflict]] = field(default_factory=list)


def book_together(connection: psycopg.Connection[Row], received: Sequence[Received]) -> Booked:
    """Return what became of `received`, booked in its order in as few statements as possible."""
    booked = Booked()
    for is_correction, run in groupby(received, _is_correction):
        if not is_correction:
            _book_run(connection, run, booked)
            continue
        for each in run:
            if each.movement.kind is MovementKind.REVERSAL:
                _book_reversal(connection, each, booked)
            else:
                _book_alone(connection, each, booked)
    return booked


def book_one_by_one(connection: psycopg.Connection[Row], received: Sequence[Received]) -> Booked:
    """Return what became of `received`; what the database refuses is a conflict and stops nothing."""
    booked = Booked()
    for each in received:
        try:
            with connection.transaction():  # a savepoint
                one = book_together(connection, (each,))
        except (psycopg.IntegrityError, psycopg.DataError) as error:
            fault = error.diag.constraint_name or error.diag.message_primary or str(error)
            conflict = Conflict(each.movement, REFUSED_BY_DATABASE, fault)
            booked.conflicts.append((each, conflict))
            continue
        booked.posted += one.posted
        booked.duplicates += one.duplicates
        booked.conflicts += one.conflicts
    return booked


def note(
    connection: psycopg.Connection[Row], conflicts: Iterable[tuple[Received, Conflict]]
) -> list[Conflict]:
    """Return those of `conflicts` that were not noted before; they are now."""
    return [
        conflict
        for received, conflict in conflicts
        if connection.execute(
            "INSERT INTO ledger.conflicts (movement_id, reason, detail, fingerprint, movement, "
            "movement_partition, movement_offset) VALUES (%s, %s, %s, %s, %s, %s, %s) "
            "ON CONFLICT ON CONSTRAINT noticed_once DO NOTHING",
            (
                conflict.movement.movement_id,
                conflict.reason,
                conflict.detail,
                conflict.movement.fingerprint,
                received.value,
                received.partition,
                received.offset,
            ),
        ).rowcount
    ]


def _is_correction(received: Received) -> bool:
    """Return whether this reverses a settlement, or needs that none of its round is in force."""
    movement = received.movement
    match movement.kind:
        case MovementKind.SETTLEMENT:
            return movement.movement_id != ids.settlement_id(movement.round_id, 1)
        case MovementKind.HOLD:
            return False
        case MovementKind.REVERSAL | MovementKind.RELEASE:
            return True


def _book_run(
    connection: psycopg.Connection[Row], received: Iterable[Received], booked: Booked
) -> None:
    """Return after booking movements among which is no correction."""
    first: dict[str, Received] = {}
    for each in received:
        before = first.setdefault(each.movement.movement_id, each)
        if before is not each:
            _known(booked, each, before.movement.fingerprint)
    pairs = [(each, journalise(each.movement)) for each in first.values()]
    _book_entries(connection, pairs, booked)


def _book_entries(
    connection: psycopg.Connection[Row], pairs: list[tuple[Received, Entry]], booked: Booked
) -> None:
    if not pairs:
        return
    cursor = connection.execute(_BOOK, _columns(pairs))
    new: dict[str, datetime] = dict(cursor.fetchall())
    booked.posted += [
        (received, replace(entry, booked_time_us=_microseconds(new[entry.entry_id])))
        for received, entry in pairs
        if entry.entry_id in new
    ]
    rest = [received for received, entry in pairs if entry.entry_id not in new]
    if not rest:
        return
    there: dict[str, bytes] = dict(
        connection.execute(
            "SELECT entry_id, fingerprint FROM ledger.entries WHERE entry_id = ANY(%s::text[])",
            ([received.movement.movement_id for received in rest],),
        ).fetchall()
    )
    for received in rest:
        _known(booked, received, there[received.movement.movement_id])


def _book_reversal(connection: psycopg.Connection[Row], received: Received, booked: Booked) -> None:
    movement = received.movement
    there = connection.execute(
        "SELECT entry_id, fingerprint FROM ledger.entries WHERE entry_id = %s OR reverses = %s",
        (movement.movement_id, movement.reverses),
    ).fetchall()
    for entry_id, fingerprint in there:
        if entry_id == movement.movement_id:
            _known(booked, received, fingerprint)
            return
    row = connection.execute(
        select_entries("SELECT * FROM ledger.entries WHERE entry_id = %s"), (movement.reverses,)
    ).fetchone()
    original = None if row is None else entry_of(row)
    mirrored = mirror(movement, original, there[0][0] if there else None)
    if isinstance(mirrored, Conflict):
        booked.conflicts.append((received, mirrored))
    else:
        _book_entries(connection, [(received, mirrored)], booked)


def _book_alone(connection: psycopg.Connection[Row], received: Received, booked: Booked) -> None:
    """Return after booking a further settlement or a release, unless a settlement is still in force.

    A round is paid once: where what was paid could not be reversed, nothing is paid or given back.
    """
    movement = received.movement
    first = ids.settlement_id(movement.round_id, 1).removesuffix("1")
    in_force = connection.execute(
        "SELECT entry_id FROM ledger.entries e WHERE entry_id > %s AND entry_id < %s AND kind = %s "
        "AND entry_id <> %s "
        "AND NOT EXISTS (SELECT FROM ledger.entries r WHERE r.reverses = e.entry_id) "
        "AND NOT EXISTS (SELECT FROM ledger.entries b WHERE b.entry_id = %s)",
        # The ids of a round's settlements, and of what reverses them, lie between these two.
        (
            first,
            first.removesuffix("/") + "0",
            MovementKind.SETTLEMENT.value,
            movement.movement_id,
            movement.movement_id,
        ),
    ).fetchone()
    if in_force is None:
        _book_run(connection, (received,), booked)
        return
    detail = f"{in_force[0]} was not reversed: the round would be paid twice"
    booked.conflicts.append((received, Conflict(movement, STILL_IN_FORCE, detail)))


def _known(booked: Booked, received: Received, fingerprint: bytes) -> None:
    """Note a movement whose id is booked already, with the money of `fingerprint`."""
    movement = received.movement
    if movement.fingerprint == fingerprint:
        booked.duplicates += 1
        return
    detail = f"{movement.movement_id} was booked with other money ({_short(fingerprint)})"
    booked.conflicts.append((received, Conflict(movement, OTHER_MONEY, detail)))


def _columns(pairs: list[tuple[Received, Entry]]) -> list[str]:
    """Return the parameters of `_BOOK`: one for each column, entries' first."""
    entries = [entry for _, entry in pairs]
    places = [received for received, _ in pairs]
    postings = [(entry.entry_id, posting) for entry in entries for posting in entry.postings]
    return [
        _joined([each.entry_id for each in entries]),
        _joined([each.kind.value for each in entries]),
        _joined([each.table_id for each in entries]),
        _joined([each.round_id for each in entries]),
        _joined([each.game for each in entries]),
        _joined([each.rule_set for each in entries]),
        _joined([each.rules_version for each in entries]),
        _joined([each.currency for each in entries]),
        _joined([each.gaming_day for each in entries]),
        _joined([each.own_gaming_day for each in entries]),
        _joined(["\\x" + each.fingerprint.hex() for each in entries]),
        _joined([each.reverses for each in entries]),
        _numbers(each.table_time_ms for each in entries),
        _numbers(each.number for each in entries),
        _numbers(each.completed_time_ms for each in entries),
        _numbers(each.partition for each in entries),
        _numbers(each.offset for each in entries),
        _numbers(each.index for each in entries),
        _numbers(each.partition for each in places),
        _numbers(each.offset for each in places),
        _numbers(len(each.postings) for each in entries),
        _joined([entry_id for entry_id, _ in postings]),
        _joined([posting.account for _, posting in postings]),
        _joined([posting.subject for _, posting in postings]),
        _joined([_RULES_SEPARATOR.join(posting.rules) for _, posting in postings]),
        _numbers(index for entry in entries for index in range(len(entry.postings))),
        _numbers(posting.amount for _, posting in postings),
    ]


def _joined(texts: list[str]) -> str:
    joined = _SEPARATOR.join(texts)
    if joined.count(_SEPARATOR) != max(len(texts) - 1, 0):
        raise ValueError("a text holds a control character: such a movement is refused when read")
    return joined


def _numbers(numbers: Iterable[int]) -> str:
    return "{" + ",".join(map(str, numbers)) + "}"


def _short(fingerprint: bytes) -> str:
    return fingerprint.hex()[:16] + "…"


def entry_of(row: Row) -> Entry:
    """Return the entry in a row of `select_entries`."""
    gaming_day: date = row[7]
    own_gaming_day: date = row[8]
    booked_at: datetime = row[18]
    return Entry(
        entry_id=row[0],
        kind=MovementKind(row[1]),
        table_id=row[2],
        round_id=row[3],
        game=row[4],
        rule_set=row[5],
        rules_version=row[6],
        gaming_day=gaming_day.isoformat(),
        own_gaming_day=own_gaming_day.isoformat(),
        table_time_ms=row[9],
        number=row[10],
        currency=row[11],
        fingerprint=bytes(row[12]),
        postings=tuple(
            Posting(
                posting_id(row[0], index),
                account,
                amount,
                subject,
                tuple(rules.split("\n")) if rules else (),
            )
            for index, (account, amount, subject, rules) in enumerate(
                zip(*(column or () for column in row[21:25]), strict=True)
            )
        ),
        reverses=row[13] or "",
        completed_time_ms=row[14],
        partition=row[15],
        offset=row[16],
        index=row[17],
        booked_time_us=_microseconds(booked_at),
    )


def _microseconds(moment: datetime) -> int:
    return (moment - _EPOCH) // timedelta(microseconds=1)
