"""An act goes into the log once for each time it is sent anew, and every sender gets its verdict."""

import asyncio
from typing import Any

import pytest

from floorbook.gateway.floor import Floor
from floorbook.gateway.refusals import Reason, Refusal
from floorbook.gateway.registry import Client, Registry
from floorbook.gateway.submit import Acts, Outbox, Request, trace_id
from floorbook.table.events import EquipmentKind, Role
from floorbook.v1 import event_pb2, floor_pb2, table_pb2
from tests.unit.gateway.ports import PARTITIONS, Desk
from tests.unit.gateway.test_floor import folded, line

CLIENT = Client(
    "pit",
    "",
    None,
    frozenset({Role.DEALER}),
    None,
    {"desk": EquipmentKind.DEALER_TERMINAL, "desk-2": EquipmentKind.DEALER_TERMINAL},
)


def act(sequence: int, **changed: Any) -> floor_pb2.Act:
    fields: dict[str, Any] = {
        "table_id": "T1",
        "equipment_id": "desk",
        "boot": 1,
        "sequence": sequence,
        "person_id": "d1",
        "role": event_pb2.ROLE_DEALER,
        "table_closed": table_pb2.TableClosed(),
    }
    return floor_pb2.Act(**(fields | changed))


class Office:
    """The acts of one gateway, and a processor that answers when it is told to."""

    def __init__(self) -> None:
        self.desk = Desk(Registry({}, {}))
        self.floor = Floor(PARTITIONS)
        self.acts = Acts(self.desk.intake, self.floor)
        self._answered = 0

    async def begin(self, what: floor_pb2.Act) -> Request | Refusal:
        found = await self.acts.begin(CLIENT, what, b"t" * 16)
        await asyncio.sleep(0)
        return found

    async def request(self, what: floor_pb2.Act) -> Request:
        found = await self.begin(what)
        assert isinstance(found, Request), found
        return found

    async def fold(self, outcome: floor_pb2.Outcome = floor_pb2.OUTCOME_APPLIED) -> None:
        """Answer every event that has not been answered."""
        for event in self.desk.log.events()[self._answered :]:
            record = line(
                self._answered,
                folded(event.event_id, outcome=outcome),
                table=event.table_id,
                event_offset=event.offset,
            )
            self.floor.take(event.partition, [record])
            self._answered += 1
        await asyncio.sleep(0)


@pytest.fixture
async def office() -> Office:
    return Office()


async def test_the_verdict_of_the_fold_is_the_answer(office: Office) -> None:
    request = await office.request(act(1))
    await office.fold(floor_pb2.OUTCOME_REFUSED)
    result = office.acts.outcome(act(1), request)
    office.acts.end(request)
    assert (result.event_id, result.sequence) == ("T1/desk/1/1", 1)
    assert result.verdict.outcome == floor_pb2.OUTCOME_REFUSED
    assert result.gateway_reason == ""
    event = office.desk.log.events()[0]
    assert (event.client_id, event.person_id, event.role) == ("pit", "d1", Role.DEALER)
    assert (event.equipment_kind, event.trace_id) == (EquipmentKind.DEALER_TERMINAL, b"t" * 16)
    assert office.acts.under_way == 0


async def test_the_same_act_joins_and_another_one_has_to_wait(office: Office) -> None:
    first = await office.request(act(1))
    assert await office.begin(act(1)) is first
    for other in (
        act(2),
        act(1, boot=2),
        act(1, table_closed=None, table_suspended=table_pb2.TableSuspended(reason="X")),
    ):
        refusal = await office.begin(other)
        assert isinstance(refusal, Refusal)
        assert refusal.reason is Reason.REQUEST_UNDER_WAY
    assert len(office.desk.log.records) == 1
    # Another terminal, or another table, has its own.
    await office.request(act(1, equipment_id="desk-2"))
    await office.request(act(1, table_id="T2"))
    office.acts.end(first)
    assert isinstance(await office.begin(act(2)), Refusal), "one caller still waits"
    office.acts.end(first)
    assert isinstance(await office.begin(act(2)), Request)


async def test_a_repeat_after_a_deadline_is_appended_again(office: Office) -> None:
    first = await office.request(act(1))
    late = office.acts.outcome(act(1), first)
    office.acts.end(first)
    assert (late.gateway_reason, late.event_id) == (Reason.DEADLINE_EXCEEDED, "T1/desk/1/1")
    second = await office.request(act(1))
    await office.fold()
    assert office.acts.outcome(act(1), second).offset == office.desk.log.events()[1].offset
    assert len({event.fingerprint for event in office.desk.log.events()}) == 1


async def test_without_the_brokers_confirmation_the_act_may_not_be_in_the_log(
    office: Office,
) -> None:
    office.desk.log.held = []
    request = await office.request(act(1))
    assert office.acts.outcome(act(1), request).gateway_reason == Reason.UNAVAILABLE
    office.desk.log.fail()
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    assert office.desk.outage.happened.done()
    office.desk.log.down = True
    refusal = await office.begin(act(1, equipment_id="desk-2"))
    assert isinstance(refusal, Refusal)
    assert refusal.reason is Reason.UNAVAILABLE
    assert office.acts.under_way == 1


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"table_closed": None}, Reason.UNKNOWN_FACT),
        (
            {"table_closed": None, "table_opened": table_pb2.TableOpened(currency="money")},
            Reason.UNREADABLE_FACT,
        ),
        ({"person_id": ""}, Reason.PERSON_NOT_OF_CLIENT),
        ({"equipment_id": "other"}, Reason.UNKNOWN_EQUIPMENT_FOR_CLIENT),
    ],
)
async def test_what_is_not_taken_is_quarantined_without_what_it_said(
    office: Office, changed: dict[str, Any], reason: Reason
) -> None:
    refusal = await office.begin(act(1, **changed))
    assert isinstance(refusal, Refusal)
    assert refusal.reason is reason
    assert office.desk.log.records == []
    [(kept, source, payload)] = office.desk.quarantine.put_so_far
    assert (kept.reason, source, payload) == (reason, "client/pit", b"")
    assert office.desk.counted("floorbook_gateway_submit_seconds_count", outcome="applied") == 0


def test_no_act_can_carry_what_only_the_processor_may_write() -> None:
    allowed = {field.name for field in floor_pb2.Act.DESCRIPTOR.oneofs_by_name["fact"].fields}
    assert not allowed & {"round_evaluated", "evaluation_refused", "timer_expired", "view_asked"}


async def test_an_outbox_gives_answers_as_they_become_known(office: Office) -> None:
    outbox = Outbox(office.acts, deadline_seconds=60, most=10)
    outbox.expect(act(1), await office.request(act(1)))
    outbox.expect(act(1, table_id="T2"), await office.request(act(1, table_id="T2")))
    await office.fold()
    assert {each.table_id for each in await outbox.take()} == {"T1", "T2"}
    outbox.expect(act(2), await office.request(act(2)))
    outbox.close()
    await office.fold()
    assert [each.sequence for each in await outbox.take()] == [2]
    assert await outbox.take() == [], "closed, and nothing is owed"
    assert office.acts.under_way == 0


async def test_an_outbox_answers_at_the_deadline(office: Office) -> None:
    outbox = Outbox(office.acts, deadline_seconds=0, most=10)
    outbox.expect(act(1), await office.request(act(1)))
    assert [each.gateway_reason for each in await outbox.take()] == [Reason.DEADLINE_EXCEEDED]
    assert office.acts.under_way == 0


async def test_who_does_not_read_answers_is_not_read_from(office: Office) -> None:
    outbox = Outbox(office.acts, deadline_seconds=60, most=2)
    for number in (1, 2):
        await asyncio.wait_for(outbox.room(), 1)
        outbox.put(floor_pb2.ActResult(sequence=number))
    waiting = asyncio.create_task(outbox.room())
    await asyncio.sleep(0)
    assert not waiting.done()
    await outbox.take()
    await asyncio.wait_for(waiting, 1)


async def test_a_stream_that_breaks_leaves_nothing_under_way(office: Office) -> None:
    outbox = Outbox(office.acts, deadline_seconds=60, most=2)
    outbox.expect(act(1), await office.request(act(1)))
    outbox.drop()
    await office.fold()
    assert office.acts.under_way == 0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
            "0af7651916cd43dd8448eb211c80319c",
        ),
        ("00-0AF7651916CD43DD8448EB211C80319C-b7ad6b7169203331-01", ""),
        ("00-00000000000000000000000000000000-b7ad6b7169203331-01", ""),
        ("00-0af7651916cd43dd8448eb211c80319c-0000000000000000-01", ""),
        ("ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01", ""),
        ("", ""),
        ("garbage", ""),
    ],
)
def test_a_trace_is_taken_from_a_valid_traceparent_only(text: str, expected: str) -> None:
    assert trace_id(text).hex() == expected
