"""Terminals and devices over lines that break: nothing is lost, nothing is numbered twice."""

import asyncio
from collections.abc import Iterable

import pytest

from floorbook.demo.casino import build
from floorbook.demo.client import Act, Broken, Told
from floorbook.demo.devices import Device, Reading, ReadingRefused
from floorbook.demo.seen import NotSeen, Update
from floorbook.demo.tally import Tally
from floorbook.demo.terminals import NotTaken, Terminal
from floorbook.demo.thirteen_cards.seen import CardsSeen
from floorbook.table.events import DiceThrown, Fact, SourceStarted
from floorbook.table.thirteen_cards.facts import PackBoxed, PackShuffled


class Gateway:
    """Answers acts as it is told to, and keeps what it got."""

    def __init__(self, *answers: str) -> None:
        self.got: list[tuple[int, Fact]] = []
        self.answers = list(answers)

    async def take(self, act: Act) -> Told:
        self.got.append((act.sequence, act.fact))
        answer = self.answers.pop(0) if self.answers else ""
        if answer == "broken":
            raise Broken("gone")
        event_id = f"T/{act.equipment_id}/1/{act.sequence}"
        if answer.startswith("gateway:"):
            return Told(event_id, not_taken=answer.removeprefix("gateway:"))
        return Told(event_id, answer)


def terminal(gateway: Gateway, tally: Tally | None = None) -> Terminal:
    table = build(1, 1).tables[0]
    return Terminal(table.dealer, table.table_id, gateway.take, tally or Tally())


async def test_an_act_is_repeated_under_its_number_until_there_is_a_verdict() -> None:
    gateway, tally = Gateway("", "broken", "gateway:DEADLINE_EXCEEDED", "WRONG_PHASE"), Tally()
    dealer = terminal(gateway, tally)
    assert await dealer.act(PackBoxed()) == "WRONG_PHASE"
    assert gateway.got == [(1, SourceStarted()), *[(2, PackBoxed())] * 3]
    assert tally.acts_repeated == 2
    assert list(tally.told.values()) == ["", "WRONG_PHASE"]
    await dealer.act(PackShuffled())
    assert gateway.got[-1] == (3, PackShuffled())


async def test_what_no_gateway_takes_uses_up_no_number() -> None:
    gateway = Gateway("", "gateway:UNREADABLE_FACT")
    dealer = terminal(gateway)
    with pytest.raises(NotTaken, match="UNREADABLE_FACT"):
        await dealer.act(PackBoxed())
    await dealer.act(PackShuffled())
    assert [sequence for sequence, _ in gateway.got] == [1, 2, 2]


async def test_two_acts_of_a_terminal_are_never_under_way_at_once() -> None:
    gateway = Gateway()
    dealer = terminal(gateway)
    await asyncio.gather(dealer.act(PackShuffled()), dealer.act(PackBoxed()))
    assert [sequence for sequence, _ in gateway.got] == [1, 2, 3]


class Wire:
    """A line that keeps what is sent over it."""

    def __init__(self) -> None:
        self.sent: list[Reading] = []
        self.reopened = 0

    def send(self, device: Device, readings: Iterable[Reading]) -> None:
        self.sent += readings

    def reopen(self) -> None:
        self.reopened += 1


def throw(face: int) -> DiceThrown:
    return DiceThrown((face,) * 4)


async def test_a_device_sends_again_what_was_not_acknowledged_in_order() -> None:
    wire = Wire()
    dice = Device("dice", "T", "key", wire, 1)
    reports = [asyncio.create_task(dice.report(throw(face))) for face in (1, 2, 3)]
    await asyncio.sleep(0)
    dice.acknowledged(1, 1)
    assert await reports[0] == "T/dice/1/1"
    assert [each.sequence for each in dice.unacknowledged] == [2, 3]
    dice.refused(3, "OUT_OF_ORDER")
    assert [each.sequence for each in wire.sent] == [1, 2, 3, 2, 3]
    dice.acknowledged(1, 3)
    assert await asyncio.gather(*reports[1:]) == ["T/dice/1/2", "T/dice/1/3"]


async def test_a_restart_loses_what_was_not_acknowledged_and_says_what_was() -> None:
    wire = Wire()
    dice = Device("dice", "T", "key", wire, 1)
    first = asyncio.create_task(dice.report(throw(1)))
    await asyncio.sleep(0)
    dice.acknowledged(1, 1)
    await first
    lost = asyncio.create_task(dice.report(throw(2)))
    await asyncio.sleep(0)
    restarted = asyncio.create_task(dice.restart())
    await asyncio.sleep(0)
    assert wire.sent[-1] == Reading("dice", "T", 2, 1, SourceStarted(1))
    dice.acknowledged(1, 2)  # of the boot before: too late
    assert not restarted.done()
    dice.acknowledged(2, 1)
    assert await restarted == "T/dice/2/1"
    assert lost.cancelled()


async def test_a_reading_that_is_refused_for_good_uses_up_no_number() -> None:
    wire = Wire()
    dice = Device("dice", "T", "key", wire, 1)
    vain = asyncio.create_task(dice.report_in_vain(throw(9)))
    await asyncio.sleep(0)
    dice.refused(1, "UNREADABLE_FACT")
    assert await vain == "UNREADABLE_FACT"
    report = asyncio.create_task(dice.report(throw(1)))
    await asyncio.sleep(0)
    assert wire.sent[-1].sequence == 1
    dice.refused(1, "WRONG_KEY")
    with pytest.raises(ReadingRefused, match="WRONG_KEY"):
        await report


async def test_who_waits_in_vain_says_for_what_and_what_he_saw_last() -> None:
    seen = CardsSeen("P0001", patience_seconds=0.01)
    seen.take(Update("T/x/1/1", "pack_boxed", "", False, "T/4", "BETTING"))
    with pytest.raises(NotSeen, match=r"P0001 waited .* for the throw.* T/4 in BETTING"):
        await seen.until("the throw", lambda: False)
    assert await seen.outcome("T/x/1/1") == ""
