"""How states, round records and watermarks lie in the processor's store and its changelog.

Every stored value begins with the offset of the last event in it, so that of two values of one key
the one with the higher offset is the newer, whichever was written last. Decoded states are cached
beside the stored bytes and hold only while the bytes are the same object.
"""

import hashlib
from collections.abc import Iterator, MutableMapping

from floorbook.table.state import (
    ROUNDS_KEPT,
    RoundRecord,
    TableState,
    decode,
    encode,
    fresh,
)

_OFFSET_BYTES = 8
_DIGEST_BYTES = 8


def pack(offset: int, value: bytes) -> bytes:
    """Return `value` as stored: behind the offset of the last event in it."""
    return offset.to_bytes(_OFFSET_BYTES, "big") + value


def offset_of(stored: bytes) -> int:
    """Return the offset of the last event in a stored value."""
    return int.from_bytes(stored[:_OFFSET_BYTES], "big")


def is_newer(stored: bytes, than: bytes | None) -> bool:
    """Return whether `stored` is at least as new as another value of its key."""
    return than is None or stored[:_OFFSET_BYTES] >= than[:_OFFSET_BYTES]


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
