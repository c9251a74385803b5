"""A device's readings: acknowledged after the broker has them, in order, and refused for a reason."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import msgspec
import pytest

from floorbook import trace
from floorbook.gateway import registry
from floorbook.gateway.intake import LogUnavailable
from floorbook.gateway.observe import MOST_OPEN, DeviceStream, Hello, RawBytes, Reading, Reply
from floorbook.gateway.refusals import Reason
from floorbook.gateway.registry import Registry
from floorbook.table.events import DeckCut, DeckOpened, DiceThrown, EquipmentKind, Role, UnknownFact
from floorbook.wire.quarantine import Unreadable
from tests.unit.gateway.ports import Desk

KEY = "0123456789abcdef"
DICE = Hello("dice-1", KEY)
REFUSED = "floorbook_gateway_refused_total"


def known(*devices: dict[str, Any]) -> Registry:
    found = registry.read(msgspec.json.encode({"devices": list(devices), "clients": []}))
    assert isinstance(found, Registry), found
    return found


ONE: dict[str, Any] = {"id": "dice-1", "kind": "dice", "tables": ["T1", "T2"], "key": KEY}


def reading(sequence: int, **changed: Any) -> Reading:
    fields: dict[str, Any] = {
        "equipment_id": "dice-1",
        "table_id": "T1",
        "boot": 1,
        "sequence": sequence,
        "device_time_ms": 5,
        "fact": DiceThrown((1, 2, 3)),
        "raw": RawBytes(b"raw"),
    }
    return Reading(**(fields | changed))


class Talk:
    """A stream with its replies."""

    def __init__(self, desk: Desk) -> None:
        self.desk = desk
        self.replies: list[Reply] = []
        self.stream = DeviceStream(desk.intake, self._reply)
        self.acknowledging = asyncio.create_task(self.stream.acknowledge())

    async def _reply(self, reply: Reply) -> None:
        self.replies.append(reply)

    async def say(self, *readings: Reading, hello: bool = False) -> None:
        await self.stream.take([DICE] if hello else [], readings)
        await settle()

    @property
    def acknowledged(self) -> dict[str, int]:
        return {e.table_id: e.sequence for r in self.replies for e in r.acknowledged}

    @property
    def reasons(self) -> list[tuple[int, Reason]]:
        return [(e.sequence, e.refusal.reason) for r in self.replies for e in r.refused]


async def settle() -> None:
    for _ in range(10):
        await asyncio.sleep(0)


@pytest.fixture
async def talk() -> AsyncIterator[Talk]:
    made = Talk(Desk(known(ONE)))
    yield made
    made.acknowledging.cancel()
    await asyncio.wait((made.acknowledging,))


async def test_nothing_is_acknowledged_before_the_broker_has_it(talk: Talk) -> None:
    log = talk.desk.log
    log.held = []
    await talk.say(reading(1), reading(2), hello=True)
    await talk.say(reading(3))
    assert talk.acknowledged == {}
    log.confirm(1)
    await settle()
    assert talk.acknowledged == {}, "a message's readings are acknowledged together"
    log.confirm(1)
    await settle()
    assert talk.acknowledged == {"T1": 2}
    log.confirm(1)
    await settle()
    assert talk.acknowledged == {"T1": 3}


async def test_an_event_carries_what_the_registry_and_the_device_say(talk: Talk) -> None:
    await talk.say(reading(1, boot=7), hello=True)
    event = talk.desk.log.events()[0]
    assert event.event_id == "T1/dice-1/7/1"
    assert (event.role, event.equipment_kind) == (Role.DEVICE, EquipmentKind.DICE)
    assert (event.device_time_ms, event.client_id, event.person_id) == (5, "", "")
    assert event.observe_time_ms > 1_600_000_000_000
    assert len(event.fingerprint) == 8


async def test_an_event_goes_with_the_round_that_its_table_was_last_heard_to_play(
    talk: Talk,
) -> None:
    talk.desk.heard.rounds["T1"] = "T1/8"
    await talk.say(reading(1), reading(1, table_id="T2"), hello=True)
    assert talk.desk.log.headers == [trace.headers("T1/8"), []]


async def test_a_confirmation_that_overtakes_another_does_not_acknowledge_it(talk: Talk) -> None:
    log = talk.desk.log
    log.held = []
    await talk.say(reading(1), hello=True)
    await talk.say(reading(2))
    log.held.reverse()
    log.confirm(1)
    await settle()
    assert talk.acknowledged == {}
    log.confirm(1)
    await settle()
    assert talk.acknowledged == {"T1": 2}


async def test_a_failed_record_ends_the_stream_and_the_process(talk: Talk) -> None:
    log = talk.desk.log
    log.held = []
    await talk.say(reading(1), reading(2), hello=True)
    log.fail()
    with pytest.raises(LogUnavailable):
        await talk.acknowledging
    assert talk.acknowledged == {}
    assert talk.desk.outage.happened.done()


async def test_what_was_sent_before_the_broker_went_is_still_acknowledged(talk: Talk) -> None:
    await talk.say(reading(1), hello=True)
    talk.desk.log.down = True
    with pytest.raises(LogUnavailable):
        await talk.say(reading(2))
    talk.stream.close()
    await talk.acknowledging
    assert talk.acknowledged == {"T1": 1}


async def test_a_hole_on_the_stream_never_gets_into_the_log(talk: Talk) -> None:
    await talk.say(reading(1), reading(3), reading(4), reading(2), hello=True)
    # Of the run 3, 4 only the first is answered, so that the device sends everything again once.
    assert talk.reasons == [(3, Reason.OUT_OF_ORDER)]
    await talk.say(reading(3), reading(4))
    assert [event.sequence for event in talk.desk.log.events()] == [1, 2, 3, 4]
    assert talk.acknowledged == {"T1": 4}
    assert talk.desk.counted(REFUSED, reason="OUT_OF_ORDER") == 2
    assert talk.desk.quarantine.put_so_far == []


async def test_a_device_goes_on_where_it_was_at_another_gateway(talk: Talk) -> None:
    await talk.say(reading(41), reading(42), hello=True)
    await talk.say(reading(1, boot=2), reading(1, table_id="T2"))
    assert talk.reasons == []
    assert talk.acknowledged == {"T1": 1, "T2": 1}


async def test_repeats_are_appended_again_and_acknowledged_up_to_the_highest(talk: Talk) -> None:
    await talk.say(reading(1), reading(2), reading(3), hello=True)
    await talk.say(reading(2))
    assert [event.sequence for event in talk.desk.log.events()] == [1, 2, 3, 2]
    assert talk.replies[-1].acknowledged[0].sequence == 3


async def test_a_refused_reading_leaves_its_number_free(talk: Talk) -> None:
    unreadable = Unreadable("BAD_FIELD", "DiceThrown: not so")
    await talk.say(reading(1, fact=unreadable), reading(2), hello=True)
    assert talk.reasons == [(1, Reason.UNREADABLE_FACT), (2, Reason.OUT_OF_ORDER)]
    await talk.say(reading(1), reading(2))
    assert talk.acknowledged == {"T1": 2}


async def test_more_than_32_open_readings_are_refused(talk: Talk) -> None:
    talk.desk.log.held = []
    await talk.say(*(reading(n) for n in range(1, MOST_OPEN + 2)), hello=True)
    await talk.say(reading(1, table_id="T2"))
    talk.desk.log.confirm(1)
    await settle()
    assert len(talk.desk.log.records) == MOST_OPEN
    talk.desk.log.confirm(MOST_OPEN)
    await settle()
    assert talk.reasons == [(33, Reason.TOO_MANY_OPEN), (1, Reason.TOO_MANY_OPEN)]
    await talk.say(reading(33))
    talk.desk.log.confirm(1)
    await settle()
    assert talk.acknowledged == {"T1": 33}


@pytest.mark.parametrize(
    ("changed", "reason"),
    [
        ({"table_id": "T9"}, Reason.UNKNOWN_TABLE_FOR_DEVICE),
        ({"equipment_id": "dice-2"}, Reason.NOT_GREETED),
        ({"boot": 0}, Reason.BAD_NUMBER),
        ({"boot": 1 << 63}, Reason.BAD_NUMBER),
        ({"device_time_ms": -1}, Reason.BAD_NUMBER),
        ({"fact": DeckCut(1)}, Reason.WRONG_FACT_FOR_DEVICE),
        ({"fact": UnknownFact()}, Reason.UNKNOWN_FACT),
        ({"fact": Unreadable("BAD_FIELD", "no")}, Reason.UNREADABLE_FACT),
        ({"raw": RawBytes(b"x" * 20_000)}, Reason.OVERSIZED),
    ],
)
async def test_what_may_not_come_in_is_refused_counted_and_quarantined(
    talk: Talk, changed: dict[str, Any], reason: Reason
) -> None:
    await talk.say(reading(1, **changed), hello=True)
    assert talk.reasons == [(1, reason)]
    assert talk.desk.log.records == []
    refusal, source, raw = talk.desk.quarantine.put_so_far[0]
    assert (refusal.reason, source) == (reason, f"device/{changed.get('equipment_id', 'dice-1')}")
    assert raw
    assert refusal.detail


async def test_faces_at_a_wrong_place_are_in_no_quarantine(talk: Talk) -> None:
    await talk.say(reading(1, fact=DeckOpened(), table_id="T9"), hello=True)
    assert talk.desk.quarantine.put_so_far[0][2] == b""


@pytest.mark.parametrize("fact", [Unreadable("BAD_FIELD", "no"), UnknownFact()])
async def test_what_cannot_be_read_of_a_device_that_opens_packs_is_in_no_quarantine(
    talk: Talk, fact: Any
) -> None:
    shuffler = {"id": "shuffler-1", "kind": "shuffler", "tables": ["T1"], "key": KEY}
    talk.desk.intake.registry = known(ONE, shuffler)
    await talk.stream.take([Hello("shuffler-1", KEY)])
    await talk.say(reading(1, equipment_id="shuffler-1", fact=fact))
    await talk.say(reading(1, equipment_id="a-stranger", fact=fact))
    assert [raw for _, _, raw in talk.desk.quarantine.put_so_far] == [b"", b""]


async def test_a_fact_that_the_fold_cannot_read_yet_waits_with_the_device(talk: Talk) -> None:
    talk.desk.heard.schema = 0
    await talk.say(reading(1), hello=True)
    talk.desk.heard.schema = 1
    await talk.say(reading(1))
    assert talk.reasons == [(1, Reason.FOLD_TOO_OLD)]
    assert talk.acknowledged == {"T1": 1}
    assert talk.desk.quarantine.put_so_far == []


async def test_a_hello_needs_a_known_device_and_its_key(talk: Talk) -> None:
    hellos = [Hello("dice-2", KEY), Hello("dice-1", "0123456789abcdeg"), Hello("a/b\n", KEY)]
    await talk.stream.take(hellos)
    await settle()
    assert [e.refusal.reason for e in talk.replies[0].refused] == [
        Reason.UNKNOWN_DEVICE,
        Reason.WRONG_KEY,
        Reason.UNKNOWN_DEVICE,
    ]
    assert [source for _, source, _ in talk.desk.quarantine.put_so_far] == [
        "device/dice-2",
        "device/dice-1",
        "device/?",
    ]
    assert not talk.stream.has_devices
    await talk.say(reading(1))
    assert talk.reasons[-1] == (1, Reason.NOT_GREETED)


async def test_a_device_that_the_registry_changes_must_greet_again(talk: Talk) -> None:
    await talk.say(reading(1), hello=True)
    talk.desk.intake.registry = known(ONE | {"tables": ["T1"]})
    await talk.say(reading(2), reading(1, table_id="T2"))
    assert talk.acknowledged == {"T1": 2}
    assert talk.reasons == [(1, Reason.UNKNOWN_TABLE_FOR_DEVICE)]
    talk.desk.intake.registry = known(ONE | {"key": "another-key-of-it"})
    await talk.say(reading(3))
    assert talk.reasons[-1] == (3, Reason.NOT_GREETED)


async def test_signs_of_life_end_here_as_a_metric(talk: Talk) -> None:
    await talk.stream.take([DICE], [], ["dice-1", "dice-2"])
    await settle()
    assert talk.replies[0].alive == ["dice-1"]
    assert talk.desk.log.records == []
    heard = talk.desk.counted("floorbook_gateway_heartbeat_timestamp_seconds", device="dice-1")
    assert heard > 1_600_000_000
