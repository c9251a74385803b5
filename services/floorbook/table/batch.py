"""Folds records of table-events on local copies: what is to be sent and stored after a batch.

The same code folds live, rebuilds and audits; only who reads the records and what becomes of the
result differs. Nothing here waits or sends.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from floorbook import topics
from floorbook.table.events import Event, UnknownFact
from floorbook.table.refuse import Recall
from floorbook.table.state import (
    ROUNDS_KEPT,
    RoundRecord,
    StateTooNew,
    TableState,
    round_id_of,
)
from floorbook.table.step import Step, step
from floorbook.table.store import (
    Store,
    read_record,
    record_key,
    state_key,
    stored_record,
    stored_state,
    stored_watermark,
    watermark_key,
)
from floorbook.wire import envelope, floor, movement, quarantine
from floorbook.wire.quarantine import Quarantined, Unreadable

Out = tuple[bytes | None, bytes, int, str]
"""Key, value and partition of a record to be sent, and the round that it is about, or nothing."""

SERVICE = "table"

_RECORD_BYTES = 40
"""The most that Kafka's framing adds to a record."""
_HEADER_BYTES = 160
"""The most that the headers of a record about a round add."""


class Batch:
    """A batch being folded. Take records in the order of their offsets, then send what came out."""

    def __init__(
        self, store: Store, partitions: int, now_ms: int, before: Batch | None = None
    ) -> None:
        """Return an empty batch over `store`, or over the batch `before` that is not in it yet.

        `now_ms` dates what goes to quarantine.
        """
        self._store = store
        self._before = before
        self._partitions = partitions
        self._now_ms = now_ms
        self.states: dict[str, TableState] = {}
        self.rounds: dict[bytes, bytes] = {}
        self.floor: list[Out] = []
        self.movements: list[Out] = []
        self.quarantined: list[Out] = []
        self.positions: dict[int, int] = {}
        self._last: dict[int, bytes | None] = {}
        self.verdicts: Counter[str] = Counter()
        self.unreadable: Counter[str] = Counter()
        self.conflicts: Counter[str] = Counter()
        self.applied_ms = 0

    def position(self, partition: int) -> int:
        """Return the offset up to which this batch has taken a partition."""
        known = self.positions.get(partition)
        if known is not None:
            return known
        if self._before is not None:
            return self._before.position(partition)
        return self._store.watermark(partition)

    def forget_before(self) -> None:
        """Return after noting that the store has what the batch before came to."""
        self._before = None

    def take(
        self,
        key: bytes | None,
        value: bytes | None,
        partition: int,
        offset: int,
        *,
        quarantined_as: str | None = None,
    ) -> Step | None:
        """Return what one record comes to, or None when nothing does.

        `quarantined_as` is the reason under which the live fold could not read it and quarantine
        has it, for those who fold again.
        """
        self.positions[partition] = offset
        self._last[partition] = value
        event = envelope.decode(value, key, partition, offset)
        if isinstance(event, Event) and self._is_misplaced(event):
            # Two partitions would fold one table, each in an order of its own.
            event = Unreadable("WRONG_PARTITION", "the table's events lie in another partition")
        if quarantined_as is not None and quarantined_as not in envelope.USED_UP:
            event = Unreadable(quarantined_as, "as the live fold found it")
        if isinstance(event, Unreadable):
            if quarantined_as is None:
                self._quarantine(event, key, partition, offset)
            return None
        if quarantined_as is not None:
            event = envelope.with_unknown_fact(event)
        state = self._state(event.table_id, partition)
        if offset <= state.offset:
            return None  # folded before a crash that came before the watermark
        if isinstance(event.fact, UnknownFact):
            fault = Unreadable(envelope.UNKNOWN_FACT, "the envelope's fact cannot be read here")
            if quarantined_as is None:
                self._quarantine(fault, key, partition, offset)
            return self._fold(state, event)
        try:
            return self._fold(state, event)
        except (MemoryError, StateTooNew):
            raise  # no fault of this event: the next process may do better
        except Exception as error:  # noqa: BLE001 -- a bug at one table must not stop its partition for ever
            self._quarantine(
                Unreadable(envelope.FOLD_FAILED, _place_of(error)), key, partition, offset
            )
            return self._fold(state, envelope.with_unknown_fact(event))

    def values(self) -> dict[bytes, bytes]:
        """Return the states of the tables touched, as stored."""
        return {state_key(table_id): stored_state(state) for table_id, state in self.states.items()}

    def watermarks(self) -> dict[bytes, bytes]:
        """Return the watermarks of the partitions taken from, as stored."""
        return {
            watermark_key(partition): stored_watermark(offset, self._last[partition])
            for partition, offset in self.positions.items()
        }

    def changes(self, states: dict[bytes, bytes]) -> list[list[Out]]:
        """Return what is to be stored, a list for each table: its rounds, then its state.

        Each list must be stored whole or not at all. The fold asks for a table's rounds, so a
        round from after the state would change what folding the same events again comes to.
        """
        groups: dict[bytes, list[Out]] = {key: [] for key in states}
        for key, value in self.rounds.items():
            table = key.partition(b"/")[0]
            groups[table].append((key, value, self._partition(table), ""))
        for table, value in states.items():
            groups[table].append((table, value, self._partition(table), ""))
        return list(groups.values())

    def record(self, key: bytes) -> bytes | None:
        """Return a stored round as this batch left it."""
        stored = self.rounds.get(key)
        if stored is not None:
            return stored
        return self._store.data.get(key) if self._before is None else self._before.record(key)

    def _state(self, table_id: str, partition: int) -> TableState:
        state = self.states.get(table_id)
        if state is not None:
            return state
        if self._before is not None:
            return self._before._state(table_id, partition)
        return self._store.state(table_id, partition)

    def _fold(self, before: TableState, event: Event) -> Step:
        """Return what `event` comes to, kept; what raises has left nothing behind."""
        taken = step(before, event, Recall(_Rounds(self, event.table_id)))
        key, partition = event.table_id.encode(), event.partition
        shown = floor.encode(taken, event)
        booked = [
            (key, movement.encode(one), partition, one.round_id) for one in taken.effects.movements
        ]
        rounds = dict(stored_record(kept, event.offset) for kept in taken.effects.records)
        if taken.state is not before:
            self.states[event.table_id] = taken.state
        self.floor.append((key, shown, partition, round_id_of(taken.state)))
        self.movements += booked
        self.rounds |= rounds
        self._count(taken, event)
        return taken

    def _count(self, taken: Step, event: Event) -> None:
        verdict = taken.verdict
        refusal = verdict.refusal
        if verdict.known:
            self.verdicts["known_already"] += 1
        elif refusal is None:
            self.verdicts["applied"] += 1
            self.applied_ms = max(self.applied_ms, event.observe_time_ms)
        else:
            self.verdicts["refused"] += 1
        if refusal is not None and refusal.code in ("CONFLICT", "ANSWER_DIFFERS"):
            self.conflicts["event" if refusal.code == "CONFLICT" else "answer"] += 1

    def _partition(self, table: bytes) -> int:
        return topics.partition_of(table.decode(), self._partitions)

    def _is_misplaced(self, event: Event) -> bool:
        return topics.partition_of(event.table_id, self._partitions) != event.partition

    def _quarantine(
        self, fault: Unreadable, key: bytes | None, partition: int, offset: int
    ) -> None:
        self.unreadable[fault.reason] += 1
        record = Quarantined(
            topic=topics.TABLE_EVENTS.name,
            partition=partition,
            offset=offset,
            reason=fault.reason,
            detail=fault.detail,
            service=SERVICE,
            time_ms=self._now_ms,
        )
        self.quarantined.append((key, quarantine.encode(record), partition, ""))


def packed(groups: Iterable[Sequence[Out]], most_bytes: int) -> Iterator[list[Out]]:
    """Return the records of `groups` in lists, each for one partition and in the order given.

    A list has at most `most_bytes`, but a group is never divided. Records of one partition keep
    their order from list to list.
    """
    filling: dict[int, tuple[list[Out], int]] = {}
    for group in groups:
        partition = group[0][2]
        size = _size(group)
        records, filled = filling.get(partition, ([], 0))
        if records and filled + size > most_bytes:
            yield records
            records, filled = [], 0
        records.extend(group)
        filling[partition] = (records, filled + size)
    for records, _ in filling.values():
        yield records


def with_watermarks(
    states: Iterable[Sequence[Out]], marks: Sequence[Out], most_bytes: int
) -> tuple[list[list[Out]], list[list[Out]]]:
    """Return what is to be confirmed first, and then what ends with each partition's watermark.

    A partition's states and its watermark are one group, last of all the watermark, where they have
    at most `most_bytes` together; else the states go first, and the watermark alone after them.
    """
    groups: dict[int, list[Sequence[Out]]] = {mark[2]: [] for mark in marks}
    for group in states:
        groups[group[0][2]].append(group)
    before: list[list[Out]] = []
    last: list[list[Out]] = []
    for mark in marks:
        together = [*(record for group in groups[mark[2]] for record in group), mark]
        if _size(together) <= most_bytes:
            last.append(together)
        else:
            before += map(list, groups[mark[2]])
            last.append([mark])
    return before, last


def _size(records: Iterable[Out]) -> int:
    return sum(
        len(key or b"") + len(value) + _RECORD_BYTES + (_HEADER_BYTES if round_id else 0)
        for key, value, _, round_id in records
    )


def _place_of(error: Exception) -> str:
    """Return what was raised and where; its own words may be a card, or a player."""
    at = error.__traceback__
    while at is not None and at.tb_next is not None:
        at = at.tb_next
    assert at is not None, "it was raised"
    return f"{type(error).__name__} in {at.tb_frame.f_globals.get('__name__')}, line {at.tb_lineno}"


class _Rounds:
    """A table's last rounds as this batch left them; read only when a fact asks for one."""

    def __init__(self, batch: Batch, table_id: str) -> None:
        self._batch = batch
        self._table_id = table_id

    def get(self, slot: int, /) -> RoundRecord | None:
        assert 0 <= slot < ROUNDS_KEPT, "slots are numbers modulo ROUNDS_KEPT"
        return read_record(self._batch.record(record_key(self._table_id, slot)))
