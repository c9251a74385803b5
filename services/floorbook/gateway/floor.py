"""Decides who gets what of the floor stream: whoever waits for a verdict, and whoever watches a table.

A gateway knows no rule: the fold has said what became of an event and who may see what of it, and here it
is only handed on. Records of tables that interest nobody here are not even parsed.
"""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Sequence
from typing import Protocol

from google.protobuf.message import DecodeError
from msgspec import Struct

from floorbook import topics, trace
from floorbook.gateway.intake import Placed
from floorbook.table.events import Role
from floorbook.v1 import floor_pb2

MOST_QUEUED = 1_000
"""Records that may wait for one watcher before its stream is ended."""

_OLDEST_SCHEMA = 1  # every fold reads it, so it is what counts until a partition says more


class FloorFault(Struct, frozen=True):
    """One floor record that could not be read."""

    partition: int
    offset: int
    detail: str


class Record(Protocol):
    """One record of the topic floor as the consumer gives it."""

    @property
    def key(self) -> bytes | None:
        """Return the table's id."""
        ...

    @property
    def value(self) -> bytes | None:
        """Return the FloorRecord's bytes."""
        ...

    @property
    def offset(self) -> int:
        """Return the record's offset."""
        ...

    @property
    def headers(self) -> Sequence[tuple[str, bytes]]:
        """Return the headers, which name the round."""
        ...


class Answer(Struct, frozen=True):
    """What became of an event: its place in the log and the fold's verdict."""

    partition: int
    offset: int
    verdict: floor_pb2.Verdict


class Waiting:
    """One event whose verdict somebody waits for.

    A verdict counts for the very offset at which this gateway's record lies: an earlier record under the
    same id may have had other content.
    """

    __slots__ = ("_early", "_offset", "answer", "event_id", "table_id")

    def __init__(self, table_id: str, event_id: str) -> None:
        """Return the waiting for an event that is about to be appended."""
        self.table_id = table_id
        self.event_id = event_id
        self.answer: asyncio.Future[Answer] = asyncio.get_running_loop().create_future()
        self._offset: int | None = None
        self._early: dict[int, Answer] | None = None

    @property
    def is_placed(self) -> bool:
        """Return whether the broker has confirmed the event."""
        return self._offset is not None

    def placed(self, place: Placed) -> None:
        """Return after noting where the broker put the event."""
        self._offset = place.offset
        if self._early is not None and (answer := self._early.get(place.offset)) is not None:
            self._resolve(answer)

    def offer(self, record: floor_pb2.FloorRecord) -> None:
        """Return after taking the record as the answer if it is the one waited for."""
        if self._offset is not None and record.offset != self._offset:
            return
        answer = Answer(record.partition, record.offset, record.folded.verdict)
        if self._offset is not None:
            self._resolve(answer)
        else:  # the fold was quicker than the broker's confirmation to us
            self._early = {**(self._early or {}), record.offset: answer}

    def _resolve(self, answer: Answer) -> None:
        if not self.answer.done():
            self.answer.set_result(answer)


class Overflow(Exception):
    """A watcher does not keep up."""


class Watcher:
    """The live records of one table, from the moment of its making on."""

    def __init__(self, table_id: str, live_from: int) -> None:
        """Return a watcher that gets the table's records at floor offsets from `live_from` on."""
        self.table_id = table_id
        self.live_from = live_from
        self._queue: deque[tuple[int, floor_pb2.FloorRecord]] = deque()
        self._overflown = False
        self._more = asyncio.Event()

    def offer(self, offset: int, record: floor_pb2.FloorRecord) -> None:
        """Return after queueing a record, or after ending the watcher if it has too many."""
        if len(self._queue) >= MOST_QUEUED:
            self._overflown = True
        else:
            self._queue.append((offset, record))
        self._more.set()

    async def records(self) -> AsyncIterator[tuple[int, floor_pb2.FloorRecord]]:
        """Yield floor offsets and records; `Overflow` once too many were not taken."""
        while True:
            while self._queue:
                yield self._queue.popleft()
            if self._overflown:
                # What was queued has been given: the cursor to resume from is as new as it can be.
                raise Overflow
            self._more.clear()
            await self._more.wait()


class Floor:
    """What a gateway knows of the floor stream: positions, schemas, and who is interested."""

    def __init__(self, partitions: int) -> None:
        """Return a floor on which nobody waits or watches."""
        self.partitions = partitions
        self._position = [0] * partitions
        self._schema = [_OLDEST_SCHEMA] * partitions
        self._interest: Counter[bytes] = Counter()
        self._round: dict[bytes | None, Sequence[tuple[str, bytes]]] = {}
        self._waiting: dict[str, Waiting] = {}
        self._watchers: dict[bytes, list[Watcher]] = {}

    def fold_schema(self, table_id: str) -> int:
        """Return the newest schema of facts that the table's partition is folded with."""
        return self._schema[self.partition(table_id)]

    def round_of(self, table_id: str) -> str:
        """Return the round in progress at the table or its last one; empty if none was heard of.

        It lags behind the fold, so that it is good for correlation and for nothing else.
        """
        return trace.round_of(self._round.get(table_id.encode(), ()))

    def partition(self, table_id: str) -> int:
        """Return the table's partition."""
        return topics.partition_of(table_id, self.partitions)

    def position(self, partition: int) -> int:
        """Return the floor offset of the partition's next live record."""
        return self._position[partition]

    def start(self, partition: int, position: int, last: Record | None) -> FloorFault | None:
        """Return after noting where the live records begin, and what the one before says."""
        self._position[partition] = position
        if last is None:
            return None
        if last.headers:
            self._round[last.key] = last.headers
        return self._learn(partition, last)

    def wait(self, waiting: Waiting) -> None:
        """Return after noting that somebody waits for an event."""
        self._waiting[waiting.event_id] = waiting
        self._interest[waiting.table_id.encode()] += 1

    def forget(self, waiting: Waiting) -> None:
        """Return after noting that nobody waits for it any more."""
        if self._waiting.get(waiting.event_id) is waiting:
            del self._waiting[waiting.event_id]
            self._lose_interest(waiting.table_id.encode())

    def watch(self, table_id: str) -> Watcher:
        """Return a watcher of the table; it gets every record from the floor's position on."""
        key = table_id.encode()
        watcher = Watcher(table_id, self._position[self.partition(table_id)])
        self._watchers.setdefault(key, []).append(watcher)
        self._interest[key] += 1
        return watcher

    def unwatch(self, watcher: Watcher) -> None:
        """Return after noting that the watcher has gone."""
        key = watcher.table_id.encode()
        self._watchers[key].remove(watcher)
        if not self._watchers[key]:
            del self._watchers[key]
        self._lose_interest(key)

    def take(self, partition: int, records: Sequence[Record]) -> list[FloorFault]:
        """Return the records that could not be read, after handing on all others.

        `records` are the partition's next ones.
        """
        faults: list[FloorFault] = []
        interest, last, round_ = self._interest, records[-1], self._round
        for record in records:
            if headers := record.headers:
                round_[record.key] = headers  # read only when something comes from the table
            if record.key in interest:
                fault = self._hand_on(partition, record)
                faults += [fault] if fault else []
        self._position[partition] = last.offset + 1
        fault = None if last.key in interest else self._learn(partition, last)
        return [*faults, fault] if fault else faults

    def _hand_on(self, partition: int, record: Record) -> FloorFault | None:
        parsed = parse(partition, record)
        if isinstance(parsed, FloorFault):
            return parsed
        self._schema[partition] = max(parsed.fold_schema, _OLDEST_SCHEMA)
        if parsed.WhichOneof("record") != "folded":
            return None
        waiting = self._waiting.get(parsed.folded.event_id)
        if waiting is not None:
            waiting.offer(parsed)
        for watcher in self._watchers.get(record.key or b"", ()):
            watcher.offer(record.offset, parsed)
        return None

    def _learn(self, partition: int, record: Record) -> FloorFault | None:
        parsed = parse(partition, record)
        if isinstance(parsed, FloorFault):
            return parsed
        self._schema[partition] = max(parsed.fold_schema, _OLDEST_SCHEMA)
        return None

    def _lose_interest(self, key: bytes) -> None:
        self._interest[key] -= 1
        if not self._interest[key]:
            del self._interest[key]


def parse(partition: int, record: Record) -> floor_pb2.FloorRecord | FloorFault:
    """Return the floor record, or why it cannot be read."""
    try:
        return floor_pb2.FloorRecord.FromString(record.value or b"")
    except DecodeError as error:
        return FloorFault(partition, record.offset, f"no FloorRecord: {error}")


def seen_by(
    role: Role, person_id: str, folded: floor_pb2.EventFolded, asked: str
) -> floor_pb2.EventFolded | None:
    """Return the event as this viewer may see it; None if it does not concern him.

    `asked` is the id of the viewer's own request for a view: other viewers' are nobody else's. A player
    is not told of what others tried in vain, and nobody of a secret event that shows him nothing.
    """
    if folded.fact == "view_asked" and folded.event_id != asked:
        return None
    shown = [
        (disclosure, matched)
        for disclosure in folded.disclosures
        if (matched := [each for each in disclosure.audiences if _is_in(each, role, person_id)])
    ]
    applied = folded.verdict.outcome == floor_pb2.OUTCOME_APPLIED and not folded.verdict.known
    hidden = folded.secret or (role is Role.PLAYER and not applied)
    if hidden and not shown and folded.event_id != asked:
        return None
    result = floor_pb2.EventFolded(
        event_id=folded.event_id,
        fact=folded.fact,
        verdict=folded.verdict,
        round_id=folded.round_id,
        phase=folded.phase,
        table_time_ms=folded.table_time_ms,
        rule_set=folded.rule_set,
    )
    for disclosure, matched in shown:
        copy = result.disclosures.add()
        copy.CopyFrom(disclosure)
        # Who else may see it is not for this viewer.
        del copy.audiences[:]
        copy.audiences.extend(matched)
    return result


def _is_in(audience: floor_pb2.Audience, role: Role, person_id: str) -> bool:
    match audience.kind:
        case floor_pb2.AUDIENCE_KIND_EVERYBODY:
            return True
        case floor_pb2.AUDIENCE_KIND_DEALER:
            return role is Role.DEALER
        case floor_pb2.AUDIENCE_KIND_SUPERVISOR:
            return role is Role.SUPERVISOR
        case floor_pb2.AUDIENCE_KIND_PLAYER:
            return role is Role.PLAYER and bool(person_id) and audience.player_id == person_id
        case _:
            return False
