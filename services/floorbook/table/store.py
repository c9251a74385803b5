"""How states, round records and watermarks lie in the processor's store and its changelog.

Every stored value begins with the offset of the last event in it, so that of two values of one key
the one with the higher offset is the newer, whichever was written last. Decoded states are cached
beside the stored bytes and hold only while the bytes are the same object.
"""

import hashlib
import re
from collections.abc import Iterable, Iterator, Mapping, MutableMapping, Set
from typing import Any

import msgspec

from floorbook.table.state import (
    ROUNDS_KEPT,
    RoundRecord,
    StateTooNew,
    TableState,
    decode,
    encode,
    fresh,
)

_OFFSET_BYTES = 8
_DIGEST_BYTES = 8
_KEY = re.compile(rb"@(?P<partition>[0-9]+)|(?P<table>[A-Za-z0-9_.-]+)(?:/(?P<slot>[0-9]+))?")


def pack(offset: int, value: bytes) -> bytes:
    """Return `value` as stored: behind the offset of the last event in it."""
    return offset.to_bytes(_OFFSET_BYTES, "big") + value


def offset_of(stored: bytes) -> int:
    """Return the offset of the last event in a stored value."""
    return int.from_bytes(stored[:_OFFSET_BYTES], "big")


def is_newer(stored: bytes, than: bytes | None) -> bool:
    """Return whether `stored` is at least as new as another value of its key."""
    return than is None or stored[:_OFFSET_BYTES] >= than[:_OFFSET_BYTES]


def is_stored(key: bytes | None, value: bytes | None) -> bool:
    """Return whether a record of the changelog can be one of ours; anybody's bytes may lie there.

    A state or round must be of the key's table and of the offset before it: the highest offset
    wins, so bytes that nobody checked would hide a table for ever.
    """
    if key is None or value is None or (form := _KEY.fullmatch(key)) is None:
        return False
    if form["partition"]:
        return len(value) in (_OFFSET_BYTES, _OFFSET_BYTES + _DIGEST_BYTES)
    kind = RoundRecord if form["slot"] else TableState
    try:
        found = decode(value[_OFFSET_BYTES:], kind)
    except StateTooNew:
        return True  # of a later version of ours: whoever needs it says so
    except msgspec.MsgspecError:
        return False
    if found.table_id.encode() != form["table"]:
        return False
    return isinstance(found, RoundRecord) or found.offset == offset_of(value)


def newest(
    batch: Iterable[Any], data: Mapping[bytes, bytes], stale: Set[bytes]
) -> tuple[list[Any], set[bytes], int]:
    """Return what is to be applied of a batch of changelog records, Faust's events, over `data`.

    A frozen worker that wakes appends old states after new ones: not the last record of a key is
    its value but the one that has folded most. Also returned are the keys of which, as in `stale`
    before, another record than the newest lies last, and how many records are not ours; of a key
    only those are looked into that could be its newest.
    """
    records: dict[bytes, list[Any]] = {}
    foreign = 0
    for event in batch:
        if event.key is None:
            foreign += 1
        else:
            records.setdefault(event.key, []).append(event)
    winners: list[Any] = []
    hidden = set(stale)
    for key, events in records.items():
        best = None
        for event in sorted(events, key=_offset_bytes)[::-1]:  # of equals the last written
            if is_stored(key, event.message.value):
                best = event
                break
            foreign += 1
        is_won = best is not None and is_newer(best.message.value, data.get(key))
        if is_won:
            winners.append(best)
        if is_won and best is events[-1]:
            hidden.discard(key)
        elif is_won or key in data:
            hidden.add(key)
    return winners, hidden, foreign


def _offset_bytes(event: Any) -> bytes:
    return (event.message.value or b"")[:_OFFSET_BYTES]


def watermark_key(partition: int) -> bytes:
    """Return the key of a partition's watermark; no table id has an @."""
    return b"@%d" % partition


def stored_watermark(offset: int, last: bytes | None) -> bytes:
    """Return a partition's watermark as stored; `last` is the value of the record at `offset`."""
    return pack(offset, _digest(last))


def is_of_log(stored: bytes, at: bytes | None) -> bool:
    """Return whether a watermark was made of a log that has the value `at` at its offset."""
    return stored[_OFFSET_BYTES:] in (_digest(at), b"")  # the first watermarks were offsets alone


def _digest(value: bytes | None) -> bytes:
    return hashlib.sha256(value or b"").digest()[:_DIGEST_BYTES]


def state_key(table_id: str) -> bytes:
    """Return the key of a table's state."""
    return table_id.encode()


def record_key(table_id: str, slot: int) -> bytes:
    """Return the key of one of a table's last rounds; no table id has a /."""
    return f"{table_id}/{slot}".encode()


class Store:
    """The store as the fold reads it. Only `keep` changes it, after everything was confirmed."""

    def __init__(self, data: MutableMapping[bytes, bytes]) -> None:
        """Return the store over `data`, which recovery fills."""
        self.data = data
        self._states: dict[str, tuple[bytes, TableState]] = {}

    def watermark(self, partition: int) -> int:
        """Return the offset up to which all is done; -1 before the first."""
        stored = self.data.get(watermark_key(partition))
        return -1 if stored is None else offset_of(stored)

    def state(self, table_id: str, partition: int) -> TableState:
        """Return a table's state; a fresh one for a table never heard of."""
        stored = self.data.get(state_key(table_id))
        if stored is None:
            return fresh(table_id, partition)
        cached = self._states.get(table_id)
        if cached is not None and cached[0] is stored:
            return cached[1]
        state = decode(stored[_OFFSET_BYTES:], TableState)
        self._states[table_id] = (stored, state)
        return state

    def states(self) -> Iterator[TableState]:
        """Return the state of every table in the store."""
        for key in list(self.data):
            if not key.startswith(b"@") and b"/" not in key:
                yield self.state(key.decode(), 0)

    def keep(self, values: dict[bytes, bytes], states: dict[str, TableState]) -> None:
        """Return after making `values` the store's; `states` are the decoded ones among them."""
        self.data.update(values)
        for table_id, state in states.items():
            self._states[table_id] = (values[state_key(table_id)], state)


def read_record(stored: bytes | None) -> RoundRecord | None:
    """Return the round behind its stored form, None for none."""
    return None if stored is None else decode(stored[_OFFSET_BYTES:], RoundRecord)


def stored_state(state: TableState) -> bytes:
    """Return a table's state as stored."""
    return pack(state.offset, encode(state))


def stored_record(record: RoundRecord, offset: int) -> tuple[bytes, bytes]:
    """Return the key and the stored form of a round, last changed by the event at `offset`."""
    key = record_key(record.table_id, record.round_number % ROUNDS_KEPT)
    return key, pack(offset, encode(record))
