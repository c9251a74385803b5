"""Decides what is read to reconcile a run: the log, what was quarantined, and the ledger's database.

Nothing else is: not the floor stream, not the movements, not what services say of themselves.
"""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence

import psycopg
from aiokafka import AIOKafkaConsumer, TopicPartition
from msgspec import Struct

from floorbook import topics
from floorbook.demo.reconcile import Account, Booked, LogRecord, Quarantine
from floorbook.ledger.booking import entry_of, select_entries
from floorbook.topics import Topic
from floorbook.wire import quarantine as quarantine_wire
from floorbook.wire.quarantine import Unreadable

Positions = Mapping[int, int]
"""An offset for each partition of a topic."""

_READ_MS = 1_000

_OF_TABLES = "SELECT * FROM ledger.entries WHERE table_id = ANY(%s)"
_ENTRIES = select_entries(_OF_TABLES)
_BALANCES = """
SELECT e.currency, p.account, sum(p.amount)::bigint
FROM ledger.postings p JOIN ledger.entries e USING (entry_id)
WHERE e.table_id = ANY(%s)
GROUP BY e.currency, p.account
"""
_CONFLICTS = """
SELECT movement_id || ' (' || reason || ': ' || detail || ')'
FROM ledger.conflicts WHERE split_part(movement_id, '/', 1) = ANY(%s) ORDER BY movement_id
"""
# Of the entry's transaction the commit, where the server keeps it: only then is a round settled.
_COMMITTED = "coalesce(pg_xact_commit_timestamp(xmin), booked_at)"
_LATENCIES = """
SELECT extract(epoch FROM {moment}) - completed_time_ms / 1000.0
FROM ledger.entries
WHERE table_id = ANY(%s) AND kind = 'settlement' AND completed_time_ms > 0
"""


class Settled(Struct, frozen=True):
    """How much is booked, and how long settlements took from their last event to their commit."""

    entries: int = 0
    settlements: int = 0
    seconds_p50: float = 0.0
    seconds_p99: float = 0.0


async def ends(kafka: str, topic: Topic, partitions: int) -> dict[int, int]:
    """Return the offset after the last record of each partition of `topic`."""
    consumer = AIOKafkaConsumer(bootstrap_servers=kafka)
    await consumer.start()
    try:
        return await _ends(consumer, topic, range(partitions))
    finally:
        await consumer.stop()


async def read_log(kafka: str, start: Positions) -> list[LogRecord]:
    """Return everything in the log from `start` on, each partition's records in order."""
    return [
        LogRecord(each.partition, each.offset, each.key, each.value)
        for each in await _records(kafka, topics.TABLE_EVENTS, start)
    ]


async def read_quarantine(kafka: str, start: Positions, log_start: Positions) -> Quarantine:
    """Return what was quarantined from `start` on; what a source has sent again counts once."""
    in_log: dict[tuple[int, int], str] = {}
    outside: Counter[str] = Counter()
    elsewhere: list[str] = []
    before: set[tuple[str, str, bytes]] = set()
    for each in await _records(kafka, topics.QUARANTINE, start):
        found = quarantine_wire.decode(each.value or b"")
        if isinstance(found, Unreadable):
            elsewhere.append(f"a record that is none: {found.detail}")
        elif found.topic == topics.TABLE_EVENTS.name:
            if found.offset >= log_start.get(found.partition, 0):
                in_log[found.partition, found.offset] = found.reason
        elif found.topic:
            elsewhere.append(
                f"{found.topic} {found.partition}/{found.offset}: {found.reason} ({found.detail})"
            )
        else:
            # A device sends everything again that was not acknowledged, a wrong reading too.
            again = (found.reason, found.source, found.payload)
            if not found.payload or again not in before:
                outside[found.reason] += 1
            before.add(again)
    return Quarantine(in_log, outside, elsewhere)


async def read_ledger(dsn: str, tables: Sequence[str]) -> Booked:
    """Return what the ledger holds of `tables`."""
    async with await psycopg.AsyncConnection.connect(dsn, autocommit=True) as connection:
        entries = await (await connection.execute(_ENTRIES, (list(tables),))).fetchall()
        balances = await (await connection.execute(_BALANCES, (list(tables),))).fetchall()
        conflicts = await (await connection.execute(_CONFLICTS, (list(tables),))).fetchall()
    by_account: dict[Account, int] = {
        (currency, account): amount for currency, account, amount in balances
    }
    return Booked([entry_of(row) for row in entries], by_account, [text for (text,) in conflicts])


class LogView:
    """A look at how long the log is, again and again over one connection."""

    def __init__(self, consumer: AIOKafkaConsumer, start: Positions) -> None:
        """Return the view behind a started consumer; records from `start` on count."""
        self._consumer = consumer
        self._start = start

    @classmethod
    async def open(cls, kafka: str, start: Positions) -> "LogView":
        """Return a view of the log on the broker `kafka`."""
        consumer = AIOKafkaConsumer(bootstrap_servers=kafka)
        await consumer.start()
        return cls(consumer, start)

    async def close(self) -> None:
        """Return when the connection is closed."""
        await self._consumer.stop()

    async def events(self) -> int:
        """Return how many records the log has."""
        last = await _ends(self._consumer, topics.TABLE_EVENTS, self._start)
        return sum(last.values()) - sum(self._start.values())


class LedgerView:
    """A look at how much is booked, again and again over one connection."""

    def __init__(self, connection: "psycopg.AsyncConnection[tuple[object, ...]]") -> None:
        """Return the view behind an open connection."""
        self._connection = connection
        self._moment = "booked_at"

    @classmethod
    async def open(cls, dsn: str) -> "LedgerView":
        """Return a view of the database `dsn`."""
        view = cls(await psycopg.AsyncConnection.connect(dsn, autocommit=True))
        kept = await (await view._connection.execute("SHOW track_commit_timestamp")).fetchone()
        if kept == ("on",):
            view._moment = _COMMITTED
        return view

    async def close(self) -> None:
        """Return when the connection is closed."""
        await self._connection.close()

    async def entries(self, tables: Sequence[str]) -> int:
        """Return how many entries of `tables` are booked."""
        row = await (
            await self._connection.execute(
                "SELECT count(*) FROM ledger.entries WHERE table_id = ANY(%s)", (list(tables),)
            )
        ).fetchone()
        assert row is not None, "an aggregate has a row"
        return int(str(row[0]))

    async def settled(self, tables: Sequence[str]) -> Settled:
        """Return how much is booked of `tables` and how long it took."""
        # Only our own expression is put in.
        query = _LATENCIES.format(moment=self._moment)
        rows = await (await self._connection.execute(query.encode(), (list(tables),))).fetchall()
        seconds = sorted(float(str(row[0])) for row in rows)
        return Settled(
            await self.entries(tables),
            len(seconds),
            percentile(seconds, 50),
            percentile(seconds, 99),
        )


def percentile(ordered: Sequence[float], percent: int) -> float:
    """Return the value that `percent` of the ordered values do not exceed; 0 for none.

    >>> percentile([1.0, 2.0, 3.0, 4.0], 50)
    2.0
    """
    if not ordered:
        return 0.0
    rank = -(-len(ordered) * percent // 100)
    return ordered[max(rank - 1, 0)]


async def _ends(
    consumer: AIOKafkaConsumer, topic: Topic, partitions: Iterable[int]
) -> dict[int, int]:
    found = await consumer.end_offsets([TopicPartition(topic.name, each) for each in partitions])
    return {each.partition: offset for each, offset in found.items()}


async def _records(kafka: str, topic: Topic, start: Positions) -> list["_Record"]:
    consumer = AIOKafkaConsumer(bootstrap_servers=kafka, enable_auto_commit=False)
    await consumer.start()
    try:
        last = await _ends(consumer, topic, start)
        wanted = {
            TopicPartition(topic.name, partition): end
            for partition, end in last.items()
            if end > start[partition]
        }
        if not wanted:
            return []
        consumer.assign(list(wanted))
        for each in wanted:
            consumer.seek(each, start[each.partition])
        found: list[_Record] = []
        while wanted:
            batches = await consumer.getmany(*wanted, timeout_ms=_READ_MS)
            for partition, batch in batches.items():
                for each in batch:
                    if each.offset < last[partition.partition]:
                        found.append(_Record(each.partition, each.offset, each.key, each.value))
            for partition in list(wanted):
                if await consumer.position(partition) >= wanted[partition]:
                    del wanted[partition]
        return sorted(found, key=lambda each: (each.partition, each.offset))
    finally:
        await consumer.stop()


class _Record(Struct, frozen=True):
    partition: int
    offset: int
    key: bytes | None
    value: bytes | None
