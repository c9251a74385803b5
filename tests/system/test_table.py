"""The table processor on a real broker: a run, what can be planted, and what nobody can read."""

import asyncio
from collections.abc import AsyncIterator
from signal import Signals
from typing import Any

import pytest
import pytest_asyncio
from msgspec.structs import replace

from floorbook import money, topics
from floorbook.demo.broker import free_ports
from floorbook.demo.processes import Program
from floorbook.money import Movement
from floorbook.table.batch import SERVICE
from floorbook.table.events import SourceStarted, TableSuspended
from floorbook.table.rebuild import read
from floorbook.table.state import TableState, decode
from floorbook.table.store import stored_state
from floorbook.v1 import event_pb2, floor_pb2
from floorbook.wire import envelope, movement, quarantine
from floorbook.wire.quarantine import Quarantined
from tests.system.table_rig import FLOORBOOK, PARTITIONS, Rig, Worker, rig, tables, until
from tests.unit.table.playing import PIT, SHUFFLER, Table

pytestmark = [pytest.mark.system, pytest.mark.asyncio(loop_scope="module")]


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def shared() -> AsyncIterator[Rig]:
    """One broker and one evaluator for all tests here; each has tables of its own."""
    async with rig() as made:
        yield made


@pytest_asyncio.fixture(loop_scope="module")
async def floor(shared: Rig) -> AsyncIterator[Rig]:
    """The floor before anybody works and plays on it."""
    yield shared
    await shared.clear()


def floor_of(records: list[Any]) -> dict[tuple[int, int], floor_pb2.EventFolded]:
    """Return what became of each event, by partition and offset."""
    read = [floor_pb2.FloorRecord.FromString(record.value) for record in records]
    return {(f.partition, f.offset): f.folded for f in read if f.HasField("folded")}


async def test_a_run_folds_every_event_once_and_can_be_rebuilt(floor: Rig) -> None:
    worker = await (await floor.worker()).ready()
    floor.seat(12, "run")
    assert await floor.play(600, rate=600) == 600
    await floor.play_while(200, floor.rebuild())  # beside a working processor
    code, output = await floor.play_while(200, floor.rebuild())
    assert code == 0, output
    await floor.done()

    log = await floor.check()
    folded = await worker.metric("floorbook_table_events_folded_total")
    assert folded == len(log.of(floor.players).events)
    assert await worker.metric("floorbook_table_lag_records") == 0
    assert await worker.metric("floorbook_table_lag_seconds") == 0
    # They were opened after the worker had taken over.
    assert await worker.metric("floorbook_table_tables") >= 12
    written = await floor.written()

    async def is_acknowledged() -> bool:
        return await floor.acknowledged() == written

    # Else each start would be given the log from its beginning.
    await until(is_acknowledged, lambda: f"the log ends at {written}")


async def test_what_nobody_can_read_stops_nobody(floor: Rig) -> None:
    worker = await (await floor.worker()).ready()
    floor.seat(8, "poisoned")
    await floor.play(160)
    await floor.done()
    placed = {partition: ids for partition, ids in tables(floor.players).items() if ids}
    partition, ids = max(placed.items(), key=lambda item: len(item[1]))
    victim, neighbour = floor.players[ids[0]], floor.players[ids[1]]
    key = ids[0].encode()
    good = envelope.encode(victim.send(SHUFFLER, SourceStarted()))  # refused: it has started
    expected: dict[tuple[int, int], str] = {}

    async def poison(reason: str, value: bytes | None, key: bytes | None, at: int) -> None:
        got = await (await floor.put_raw(value, key, at))
        expected[got.partition, got.offset] = reason

    other = (partition + 1) % PARTITIONS
    await poison("NOT_DECODABLE", b"\xff\x00 no event", key, partition)
    await poison("EMPTY", b"", key, partition)
    await poison("EMPTY", None, key, partition)
    await poison("EMPTY", b"", None, partition)
    await poison("WRONG_KEY", good, None, partition)
    await poison("WRONG_KEY", good, b"T-other", partition)
    await poison("WRONG_PARTITION", good, key, other)
    first = await floor.put_raw(good, key, partition)
    refused = await first
    next_of_both = [
        await floor.write(player.send(PIT, TableSuspended("TEST", "")))
        for player in (victim, neighbour)
    ]
    await floor.done()

    log = await floor.check(refused=True)
    assert expected.items() <= log.quarantined().items()
    assert all(one.service == "table" and one.detail for one in log.quarantine)
    told = floor_of(log.floor)
    assert told[refused.partition, refused.offset].verdict.reason == "LATE_SOURCE_START"
    for place in next_of_both:
        assert told[place].verdict.outcome == floor_pb2.OUTCOME_APPLIED
    assert not worker.child.exits
    assert await worker.metric("floorbook_table_quarantined_total") == len(expected)


def unknown_fact(player_event: Any) -> bytes:
    """Return the event with a fact of a field number that does not exist."""
    message = event_pb2.Event.FromString(envelope.encode(player_event))
    message.ClearField(str(message.WhichOneof("fact")))
    return message.SerializeToString() + b"\xfa\x3e\x02\x08\x01"  # field 1007, length-delimited


def future_fact(player_event: Any) -> bytes:
    """Return the event as a newer gateway would mark it."""
    message = event_pb2.Event.FromString(envelope.encode(player_event))
    message.schema = 99
    return message.SerializeToString()


async def test_an_unknown_fact_uses_up_its_number_and_suspends_its_table_only(floor: Rig) -> None:
    worker = await (await floor.worker()).ready()
    floor.seat(6, "unknown")
    await floor.play(120)
    await floor.done()
    expected: dict[tuple[int, int], str] = {}
    after: dict[str, list[tuple[int, int]]] = {}
    for table_id, spoiled in (("unknown0", unknown_fact), ("unknown1", future_fact)):
        table: Table = floor.players[table_id].table
        partition = topics.partition_of(table_id, PARTITIONS)
        event = table.event(PIT, TableSuspended("TEST", ""))
        table.sequences[PIT] += 1
        key = table_id.encode()
        got = await (await floor.put_raw(spoiled(event), key, partition))
        expected[got.partition, got.offset] = envelope.UNKNOWN_FACT
        # Its number is used up: the next one of the source is in turn, and taken.
        following = table.event(PIT, TableSuspended("TEST", ""))
        refused = table.event("dealer", SourceStarted(), sequence=table.sequences["dealer"] + 1)
        after[table_id] = [await floor.write(following), await floor.write(refused)]
        floor.leave(table_id)
    await floor.play(80)
    await floor.done()

    log = await floor.log()
    assert expected.items() <= log.quarantined().items()
    told = floor_of(log.of([*floor.players, *after]).floor)
    for place in expected:
        assert told[place].fact == "unknown"
        assert told[place].verdict.reason == "UNKNOWN_FACT"
        assert told[place].disclosures[0].suspended.cause_id.startswith("unknown/")
    for taken, in_turn in after.values():
        assert told[taken].verdict.outcome == floor_pb2.OUTCOME_APPLIED
        assert told[in_turn].verdict.reason == "LATE_SOURCE_START"
    others = [f for f in told.values() if f.event_id.split("/")[0] not in after]
    assert not any(f.verdict.reason for f in others)
    _, metrics = await asyncio.to_thread(worker.get, "/metrics")
    for table_id in [*floor.players, *after]:
        suspended = f'floorbook_table_suspended{{table="{table_id}"}} 1.0'
        assert (suspended in metrics) == (table_id in after)
    assert (await floor.rebuild())[0] == 0


async def test_what_others_wrote_into_the_changelog_hides_no_table(floor: Rig) -> None:
    worker = await (await floor.worker()).ready()
    floor.seat(8, "hidden")
    await floor.play(120)
    await floor.done()
    key = b"hidden0"
    partition = topics.partition_of("hidden0", PARTITIONS)
    whole = [r for r in await stored_records(floor) if r.key == key][-1].value
    neighbour = [r for r in await stored_records(floor) if r.key == b"hidden1"][-1].value
    for name, value in (
        (key, b"\x7f" + bytes(200)),  # as if folded to the end of time
        (key, b"\x7f" + whole[1:]),
        (key, b"\x7f" + neighbour[1:]),
        (key, b""),
        (key, None),
        (b"hidden0/3", b"\xff" * 90),
        (b"@%d" % partition, b"\x7f junk"),
        (b"\xff\xfe", whole),
    ):  # the broker itself refuses a record without a key here
        await (await floor.put_raw(value, name, partition, topics.TABLE_STATES.name))
    await worker.child.stop(Signals.SIGKILL)
    worker.child.start()
    await floor.play(120)
    await floor.done()

    await floor.check()
    assert worker.logged("the changelog holds what no table processor wrote") > 0


async def stored_records(floor: Rig) -> list[Any]:
    return await asyncio.to_thread(lambda: list(read(floor.bootstrap, topics.TABLE_STATES)))


async def test_what_was_told_before_a_crash_stays_told(floor: Rig) -> None:
    """An older fold could not read an event and died before it had stored that; this one could."""
    worker = await (await floor.worker()).ready()
    floor.seat(3, "told")
    await floor.play(60)
    await floor.done()
    await worker.child.stop(Signals.SIGKILL)
    table = floor.players["told0"].table
    partition, offset = await floor.write(table.event(PIT, TableSuspended("TEST", "")))
    unread = Quarantined(
        topic=topics.TABLE_EVENTS.name,
        partition=partition,
        offset=offset,
        reason=envelope.UNKNOWN_FACT,
        detail="a fact of a later version",
        service=SERVICE,
    )
    await (
        await floor.put_raw(quarantine.encode(unread), b"told0", partition, topics.QUARANTINE.name)
    )
    floor.leave("told0")
    worker.child.start()
    await floor.play(60)
    await floor.done()

    log = await floor.log()
    told = floor_of(log.floor)[partition, offset]
    assert (told.fact, told.verdict.reason) == ("unknown", "UNKNOWN_FACT")
    code, output = await floor.rebuild()
    assert code == 0, output


@pytest.mark.parametrize(
    ("gap", "request_bytes"),
    [
        ("table-after-effects", 500_000),
        ("table-after-states", 1),  # too few for a batch's states: the watermark comes after
        ("table-after-watermark", 500_000),
    ],
)
async def test_death_in_each_gap_of_the_order_changes_nothing(
    floor: Rig, gap: str, request_bytes: int
) -> None:
    proof = floor.supervisor.folder / gap
    worker = await floor.worker(
        FLOORBOOK_CRASH_AT=f"{gap}:7",
        FLOORBOOK_CRASH_FILE=str(proof),
        FLOORBOOK_REQUEST_BYTES=str(request_bytes),
    )
    await worker.ready()
    floor.seat(12, gap)

    async def died() -> bool:
        return proof.exists()

    await floor.play_while(300, until(died, lambda: f"{gap} was never passed"))
    await worker.ready()
    await floor.play(200, rate=400)
    await floor.done()

    log = await floor.check()
    assert [str(end) for end in worker.child.exits] == ["SIGKILL"]
    assert proof.read_text().startswith(f"{gap}:7 ")
    floor_records = [record.value for record in log.of(floor.players).floor]
    repeated = len(floor_records) - len(set(floor_records))
    # Who dies before the states are stored tells again; whose states are stored knows it is told.
    assert (repeated > 0) == (gap == "table-after-effects")


async def test_too_much_that_cannot_be_read_stops_the_service(floor: Rig) -> None:
    worker = await floor.worker(FLOORBOOK_QUARANTINE_LIMIT_PER_MINUTE="5")
    await worker.ready()
    for _ in range(9):
        await floor.put_raw(b"junk", b"T1", 0)

    end = await asyncio.wait_for(worker.child.exited(1), 30)

    assert end.code == 70
    assert worker.logged("FLOORBOOK_QUARANTINE_LIMIT_PER_MINUTE")


async def test_rebuild_names_everything_that_was_planted(floor: Rig) -> None:
    """The last test here: nobody can work with what it leaves behind."""
    worker = await (await floor.worker()).ready()
    floor.seat(6, "T")
    await floor.play(300)
    await floor.done()
    log = await floor.check()
    await worker.child.stop()
    await plant(floor, log.movements)

    code, output = await floor.rebuild()

    assert code == 1
    lines = sorted(line for line in output.splitlines() if line.startswith("DIFFERENT"))
    told = {tuple(line.split(":")[0].split()[1:]) for line in lines}
    assert told == {
        ("stored", "T0"),
        ("stored", "T1/1"),
        ("stored", "T2"),
        ("stored", "T77"),
        ("movement", "T3/1/hold"),
        ("movement", "T3/99/hold"),
    }, output
    assert len(lines) == len(told), "each difference is told once"
    await rechecked(floor, len(lines))


async def rechecked(floor: Rig, differences: int) -> None:
    """Return if repeated checks count the differences, and end when they are told to."""
    (port,) = free_ports(1)
    environment = {**floor.environment(), "FLOORBOOK_PROBES_LISTEN": f"127.0.0.1:{port}"}
    program = Program("recheck", (FLOORBOOK, "rebuild", "--every", "3600"), environment)
    child = await floor.supervisor.start(program)
    checking = Worker(child, port)

    async def has_checked() -> bool:
        return (await asyncio.to_thread(checking.get, "/readyz"))[0] == 200

    await until(has_checked, lambda: child.explain("does not check"))
    assert await checking.metric("floorbook_rebuild_differences") == differences
    assert await checking.metric("floorbook_rebuild_failures_total") == 0
    assert checking.logged("DIFFERENT") == differences
    child.kill(Signals.SIGTERM)
    assert (await asyncio.wait_for(child.exited(1), 10)).code == 0


async def plant(floor: Rig, published: list[Any]) -> None:
    """Alter a state and a kept round, age a state, and forge movements."""
    stored: dict[bytes, list[bytes]] = {}
    for record in await asyncio.to_thread(lambda: list(read(floor.bootstrap, topics.TABLE_STATES))):
        stored.setdefault(record.key, []).append(record.value)

    async def put(key: str, value: bytes, topic: topics.Topic = topics.TABLE_STATES) -> None:
        partition = topics.partition_of(key.split("/")[0], PARTITIONS)
        await (await floor.put_raw(value, key.encode(), partition, topic.name))

    def state_of(key: bytes) -> TableState:
        return decode(stored[key][-1][8:], TableState)

    state = state_of(b"T0")
    await put("T0", stored_state(replace(state, movements=state.movements + 1)))
    kept = stored[b"T1/1"][-1]
    await put("T1/1", kept.replace(b"MOP", b"HKD"))
    await put("T77", stored_state(replace(state, table_id="T77")))  # no event leads here
    # A state that claims to be newer than all events, as if the later ones had been folded.
    await put("T2", stored_state(replace(state_of(b"T2"), offset=10**6)))
    read_as = [movement.decode(record.value) for record in published]
    (hold,) = [m for m in read_as if isinstance(m, Movement) and m.movement_id == "T3/1/hold"]
    (first, *others) = hold.transfers
    for number in (1, 99):  # sound, but not what the log makes
        forged = replace(
            hold,
            round_id=f"T3/{number}",
            movement_id=f"T3/{number}/hold",
            transfers=(replace(first, amount=first.amount + 1), *others),
        )
        print_ = money.fingerprint(
            forged.kind, forged.round_id, forged.currency, forged.transfers, forged.reverses
        )
        forged = replace(forged, fingerprint=print_)
        await put("T3", movement.encode(forged), topics.MOVEMENTS)
