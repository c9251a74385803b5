"""Decides how fields lie in a device's payload: big-endian, nothing missing, nothing left over."""

from collections.abc import Callable
from typing import Any

from msgspec import Struct

from floorbook.table.events import Fact


class Short(Exception):
    """The payload ends before what should be in it."""


class Cursor:
    """Reads a payload from front to back."""

    def __init__(self, data: bytes) -> None:
        """Return a cursor before the first byte."""
        self._data = data
        self._at = 0

    def take(self, count: int) -> bytes:
        """Return the next `count` bytes; `Short` if there are fewer."""
        end = self._at + count
        if end > len(self._data):
            raise Short(f"{count} bytes wanted at byte {self._at} of {len(self._data)}")
        part = self._data[self._at : end]
        self._at = end
        return part

    def number(self, size: int) -> int:
        """Return the next `size` bytes as an unsigned number."""
        return int.from_bytes(self.take(size), "big")

    @property
    def left(self) -> int:
        """Return how many bytes have not been read."""
        return len(self._data) - self._at


class Layout(Struct, frozen=True):
    """How one fact lies behind its tag: `read` gives its fields, `write` its bytes."""

    tag: int
    fact: type[Fact]
    read: Callable[[Cursor], dict[str, Any]]
    write: Callable[[Any], bytes]


def number(value: int, size: int) -> bytes:
    """Return `value` as `size` bytes; OverflowError if it does not fit."""
    return value.to_bytes(size, "big")
