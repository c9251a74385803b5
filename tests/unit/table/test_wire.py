"""What a record of the log must be for its event to count."""

import pytest
from msgspec.structs import replace

from floorbook.table.events import Event, Fact
from floorbook.table.thirteen_cards import facts
from floorbook.v1 import floor_pb2
from floorbook.v1 import thirteen_cards_pb2 as pb
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


@pytest.mark.parametrize(
    ("message", "fact"),
    [
        (pb.ThirteenCardsFact(place_taken=pb.PlaceTaken(player_id="p1")), facts.PlaceTaken("p1")),
        (
            pb.ThirteenCardsFact(place_taken=pb.PlaceTaken(player_id="p1", gate=0)),
            facts.PlaceTaken("p1", 0),
        ),
        (
            pb.ThirteenCardsFact(hand_set=pb.HandSet(gate=2, player_id="p1")),
            facts.HandSet(None, 2, "p1", True),
        ),
        (
            pb.ThirteenCardsFact(hand_set=pb.HandSet(gate=2, player_id="p1", declare=False)),
            facts.HandSet(None, 2, "p1", False),
        ),
    ],
)
def test_what_is_absent_is_not_what_is_zero(message: pb.ThirteenCardsFact, fact: Fact) -> None:
    """No gate is not gate 0, and who says nothing has not declined his special (TV-60)."""
    assert envelope.fact_of(floor_pb2.Act(thirteen_cards=message)) == fact
