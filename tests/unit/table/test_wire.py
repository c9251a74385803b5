"""What a record of the log must be for its event to count."""

import pytest
from msgspec.structs import replace

from floorbook.table.events import Event
from floorbook.wire import envelope
from floorbook.wire.quarantine import Unreadable
from tests.unit.table.playing import Table


@pytest.mark.parametrize(
    ("time_ms", "read"),
    [
        (0, False),
        (-1, False),
        (1, True),
        (envelope.LATEST_MS, True),
        (envelope.LATEST_MS + 1, False),
        ((1 << 63) - 1, False),
    ],
)
def test_a_clock_that_is_mad_is_not_believed(time_ms: int, read: bool) -> None:
    event = replace(Table().open().log[1], observe_time_ms=time_ms)
    found = envelope.decode(envelope.encode(event), b"T1", 0, 1)
    assert isinstance(found, Event) == read
    if isinstance(found, Unreadable):
        assert found.reason == "BAD_TIME"
