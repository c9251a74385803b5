"""A viewer gets a whole view and all that follows; with a cursor, all that followed it and follows."""

import asyncio
from collections.abc import AsyncIterator

import pytest

from floorbook.gateway.floor import MOST_QUEUED, Floor
from floorbook.gateway.refusals import Reason
from floorbook.gateway.registry import Registry
from floorbook.gateway.terminal import Speaker
from floorbook.gateway.watch import CursorOutOfRange, Views, WatchEnded
from floorbook.table.events import Role, ViewAsked
from floorbook.v1 import floor_pb2
from tests.unit.gateway.ports import Desk, FakeHistory, FloorLine
from tests.unit.gateway.test_floor import folded, line

DEALER = Speaker("pit", "T1", "d1", Role.DEALER)
PLAYER = Speaker("seat", "T1", "p7", Role.PLAYER)


class Hall:
    """One partition of the floor, with viewers."""

    def __init__(self, kept_from: int = 0, deadline_seconds: float = 60) -> None:
        self.desk = Desk(Registry({}, {}))
        self.floor = Floor(1)
        self.history = FakeHistory([], kept_from)
        self.views = Views(self.desk.intake, self.floor, self.history, "a", 77, deadline_seconds)

    def happen(self, *event_ids: str, table: str = "T1", fact: str = "bet_placed") -> None:
        """Let the processor write a record for each event."""
        for event_id in event_ids:
            record = line(len(self.history.lines), folded(event_id, fact=fact), table=table)
            self.history.lines.append(record)
            self.floor.take(0, [record])

    def again(self, event_offset: int, event_id: str) -> None:
        """Let the processor write the record of the event at `event_offset`, perhaps once more."""
        lying = line(len(self.history.lines), folded(event_id), event_offset=event_offset)
        self.history.lines.append(lying)
        self.floor.take(0, [lying])

    def lie(self, *event_ids: str) -> None:
        """Let records lie in the topic that were there before this gateway started."""
        for event_id in event_ids:
            self.history.lines.append(line(len(self.history.lines), folded(event_id)))
        self.floor.start(0, len(self.history.lines), None)


async def seen(updates: AsyncIterator[floor_pb2.WatchTableResponse], count: int) -> list[str]:
    return [(await asyncio.wait_for(anext(updates), 1)).folded.event_id for _ in range(count)]


async def test_a_viewer_without_a_cursor_asks_for_a_view_in_the_log() -> None:
    hall = Hall()
    hall.happen("before")
    updates = hall.views.whole(PLAYER, b"")
    first = asyncio.create_task(seen(updates, 1))
    await asyncio.sleep(0.01)
    [event] = hall.desk.log.events()
    assert event.event_id == "T1/gateway-a/77/1"
    assert isinstance(event.fact, ViewAsked)
    assert (event.client_id, event.person_id, event.role) == ("seat", "p7", Role.PLAYER)
    hall.happen("T1/gateway-b/9/1", fact="view_asked")
    hall.happen("between")
    hall.happen(event.event_id, fact="view_asked")
    hall.happen("T1/gateway-b/9/2", fact="view_asked")
    hall.happen("after")
    assert await first == ["T1/gateway-a/77/1"]
    assert await seen(updates, 1) == ["after"]


async def test_a_view_that_nobody_gives_ends_at_the_deadline() -> None:
    hall = Hall(deadline_seconds=0.01)
    with pytest.raises(WatchEnded) as ended:
        await anext(hall.views.whole(DEALER, b""))
    assert ended.value.refusal.reason is Reason.DEADLINE_EXCEEDED
    hall.desk.log.down = True
    with pytest.raises(WatchEnded) as ended:
        await anext(hall.views.whole(DEALER, b""))
    assert ended.value.refusal.reason is Reason.UNAVAILABLE


@pytest.mark.parametrize("cursor", range(6))
async def test_from_any_cursor_there_is_neither_a_gap_nor_a_repeat(cursor: int) -> None:
    hall = Hall()
    hall.lie("0", "1", "2")
    hall.happen("3", "4", "5")
    updates = hall.views.resumed(DEALER, cursor)
    expected = [str(number) for number in range(cursor + 1, 9)]
    # One update is taken (or waited for) before the rest happens.
    first = asyncio.create_task(seen(updates, 1))
    await asyncio.sleep(0.01)
    hall.happen("6", "7")
    hall.happen("elsewhere", table="T2")
    got = await first
    hall.happen("8")
    # The record of the other table has an offset of its own.
    assert got + await seen(updates, len(expected) - 1) == expected


@pytest.mark.parametrize("cursor", [None, 0, 3, 4])
async def test_what_the_processor_sends_again_is_told_once(cursor: int | None) -> None:
    hall = Hall()
    for offset, event in enumerate((0, 1, 2, 1, 2, 3)):
        hall.history.lines.append(line(offset, folded(str(event)), event_offset=event))
    hall.floor.start(0, len(hall.history.lines), None)
    if cursor is None:
        updates = hall.views.whole(DEALER, b"")
        first = asyncio.create_task(seen(updates, 1))
        await asyncio.sleep(0.01)
        [asked] = hall.desk.log.events()
        hall.again(4, asked.event_id)
        assert await first == [asked.event_id]
    else:
        updates = hall.views.resumed(DEALER, cursor)
        # 1 and 2 were told before the cursor at 3, where 1 lies a second time.
        wanted = {0: ["1", "2", "3"], 3: ["2", "3"], 4: ["3"]}[cursor]
        assert await seen(updates, len(wanted)) == wanted
        hall.again(4, "4")
        assert await seen(updates, 1) == ["4"]
    for event in (2, 3, 4, 5):
        hall.again(event, str(event))
    assert await seen(updates, 1) == ["5"]


async def test_what_happens_while_the_past_is_read_comes_after_it() -> None:
    hall = Hall()
    hall.lie("0", "1", "2", "3")
    updates = hall.views.resumed(DEALER, 0)
    got = await seen(updates, 1)
    hall.happen("4")
    got += await seen(updates, 1)
    hall.happen("5")
    got += await seen(updates, 3)
    assert got == ["1", "2", "3", "4", "5"]


@pytest.mark.parametrize("cursor", [-1, 2, 6, 100])
async def test_a_cursor_that_is_gone_or_never_was_is_out_of_range(cursor: int) -> None:
    hall = Hall(kept_from=4)
    hall.lie("0", "1", "2", "3", "4", "5")
    with pytest.raises(CursorOutOfRange, match=r"without|gone"):
        await anext(hall.views.resumed(DEALER, cursor))


async def test_a_cursor_whose_own_record_alone_is_gone_goes_on_after_it() -> None:
    hall = Hall(kept_from=3)
    hall.lie("0", "1", "2", "3", "4", "5")
    assert await seen(hall.views.resumed(DEALER, 2), 3) == ["3", "4", "5"]


async def test_another_gateways_cursor_may_be_ahead_of_this_one() -> None:
    hall = Hall()
    hall.lie("0", "1")
    ahead = [line(2, folded("2")), line(3, folded("3")), line(4, folded("4"))]
    hall.history.lines += ahead
    updates = hall.views.resumed(DEALER, 3)
    first = asyncio.create_task(seen(updates, 1))
    await asyncio.sleep(0.01)
    hall.floor.take(0, ahead)
    assert await first == ["4"]


async def test_a_viewer_who_does_not_keep_up_is_ended_and_can_resume() -> None:
    hall = Hall()
    hall.lie("0")
    updates = hall.views.resumed(DEALER, 0)
    first = asyncio.create_task(seen(updates, 1))
    await asyncio.sleep(0.01)
    hall.happen(*(str(number) for number in range(1, MOST_QUEUED + 10)))
    await first
    queued = await seen(updates, MOST_QUEUED - 1)
    last = int(queued[-1])
    with pytest.raises(WatchEnded) as ended:
        await anext(updates)
    assert ended.value.slow
    again = hall.views.resumed(DEALER, last)
    assert await seen(again, 1) == [str(last + 1)]


async def test_a_past_record_that_cannot_be_read_is_skipped() -> None:
    hall = Hall()
    hall.lie("0", "1", "2")
    hall.history.lines[1] = FloorLine(b"T1", b"\xff", 1)
    assert await seen(hall.views.resumed(DEALER, 0), 1) == ["2"]
