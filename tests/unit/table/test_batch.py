"""A batch: what comes out does not depend on how the log was cut into batches, or read again."""

import random
from collections.abc import Sequence
from typing import Any

import pytest
from msgspec.structs import replace

from floorbook import topics
from floorbook.table import events
from floorbook.table.batch import Batch, packed, with_watermarks
from floorbook.table.events import Event
from floorbook.table.refuse import Recall
from floorbook.table.state import Evaluation, StateTooNew, TableState
from floorbook.table.step import Step, step
from floorbook.table.store import Store, state_key, stored_record, stored_state
from floorbook.v1 import event_pb2, floor_pb2
from floorbook.wire import envelope, floor, movement, quarantine
from floorbook.wire.quarantine import Quarantined
from tests.unit.table.playing import PIT, Table

PARTITIONS = 1
Raw = tuple[bytes | None, bytes | None]


def raw(event: Event) -> Raw:
    return event.table_id.encode(), envelope.encode(event)


def interleaved(*tables: Table) -> list[Raw]:
    """Return the logs of several tables as one partition has them."""
    logs = [list(table.log) for table in tables]
    order = [index for index, log in enumerate(logs) for _ in log]
    random.Random(1).shuffle(order)
    return [raw(logs[index].pop(0)) for index in order]


def played(table_id: str, seed: int, rounds: int = 2) -> Table:
    table = Table(table_id, seed=seed).open(2)
    for _ in range(rounds):
        table.round()
    return table


@pytest.fixture(scope="module")
def log() -> list[Raw]:
    return interleaved(played("T1", 1), played("T2", 2), played("T3", 3))


def folded(log: Sequence[Raw], cuts: Sequence[int], store: Store | None = None) -> Any:
    """Return store and outputs after folding the log in batches that end at `cuts`."""
    store = store or Store({})
    out: dict[str, list[Any]] = {"floor": [], "movements": [], "quarantined": []}
    start = store.watermark(0) + 1
    for end in [*cuts, len(log)]:
        batch = Batch(store, PARTITIONS, 0)
        for offset in range(start, end):
            batch.take(*log[offset], 0, offset)
        keep(store, batch)
        out["floor"] += batch.floor
        out["movements"] += batch.movements
        out["quarantined"] += batch.quarantined
        start = max(start, end)
    return store, out


def keep(store: Store, batch: Batch) -> None:
    marks = batch.watermarks()
    store.keep({**batch.rounds, **batch.values(), **marks}, batch.states)


def test_cuts_between_batches_change_nothing(log: list[Raw]) -> None:
    whole, expected = folded(log, [])

    for seed in range(5):
        cuts = sorted(random.Random(seed).sample(range(1, len(log)), 9))
        store, out = folded(log, cuts)
        assert store.data == whole.data
        assert out == expected


@pytest.mark.parametrize("count", [1, 2])
def test_a_batch_folded_over_one_that_is_not_stored_yet_comes_to_the_same(count: int) -> None:
    """The batch before gets into the store at any moment while the next one is folded."""
    tables = [played(f"T{number}", number) for number in range(count)]
    for table in tables:
        table.does(PIT, events.SettledRoundVoided(f"{table.state.table_id}/2", "TEST", ""))
    log = interleaved(*tables)
    whole, expected = folded(log, [])
    for seed in range(5):
        rng = random.Random(seed)
        cuts = len(log) - 1 if seed == 0 else 9
        ends = [*sorted(rng.sample(range(1, len(log)), cuts)), len(log)]
        store, before, start = Store({}), None, 0
        floor: list[Any] = []
        for end in ends:
            batch = Batch(store, PARTITIONS, 0, before)
            stored_at = end if seed == 0 else rng.randrange(start, end + 1)
            assert batch.position(0) == start - 1
            for offset in range(start, end):
                if before is not None and offset == stored_at:
                    keep(store, before)
                batch.take(*log[offset], 0, offset)
            if before is not None and stored_at == end:
                keep(store, before)
            batch.forget_before()
            floor += batch.floor
            before, start = batch, end
        assert before is not None
        keep(store, before)
        assert store.data == whole.data
        assert floor == expected["floor"]


def test_every_event_has_one_floor_record_in_the_order_of_the_log(log: list[Raw]) -> None:
    _, out = folded(log, [])

    records = [floor_pb2.FloorRecord.FromString(value) for _, value, *_ in out["floor"]]
    assert [record.offset for record in records] == list(range(len(log)))
    assert [key for key, *_ in out["floor"]] == [key for key, _ in log]
    movements = [movement.decode(value) for _, value, *_ in out["movements"]]
    assert len(movements) == 12  # a hold and a settlement for each of two rounds at three tables


def test_states_stored_without_the_watermark_are_not_folded_again(log: list[Raw]) -> None:
    """A crash between states and watermark, or between two states: a torn batch."""
    half = len(log) // 2
    store, _ = folded(log[:half], [])
    batch = Batch(store, PARTITIONS, 0)
    for offset in range(half, len(log)):
        batch.take(*log[offset], 0, offset)
    values = batch.values()
    whole, _ = folded(log, [])
    for torn in ([b"T1"], [b"T2", b"T3"], [b"T1", b"T2", b"T3"]):
        after = Store(dict(store.data))
        after.data.update({**batch.rounds, **{key: values[key] for key in torn}})
        again, out = folded(log, [], after)
        assert again.data == whole.data
        assert {key for key, *_ in out["floor"]} == {b"T1", b"T2", b"T3"} - set(torn)


def test_a_table_is_stored_whole_its_rounds_before_its_state() -> None:
    """Else the round of a batch that was torn would meet the state from before it."""
    table = played("T1", 1, rounds=1)
    table.does(PIT, events.SettledRoundVoided("T1/1", "TEST", ""))
    log = interleaved(table, played("T2", 2, rounds=1))
    store, _ = folded(log[:20], [])
    batch = Batch(store, PARTITIONS, 0)
    for offset in range(20, len(log)):
        batch.take(*log[offset], 0, offset)

    groups = batch.changes(batch.values())

    keys = sorted([key for key, *_ in group] for group in groups)
    assert keys == [[b"T1/1", b"T1"], [b"T2/1", b"T2"]]
    whole, _ = folded(log, [])
    for stored in groups:
        after = Store(dict(store.data))
        after.data.update({key: value for key, value, *_ in stored if key})
        again, _ = folded(log, [], after)
        assert again.data == whole.data


def test_groups_are_never_divided_and_partitions_never_mixed() -> None:
    rng = random.Random(1)
    groups = []
    for number in range(200):
        size, partition = rng.randrange(1, 4), rng.randrange(3)
        groups.append([(b"%d" % number, bytes(rng.randrange(90)), partition, "")] * size)

    lists = list(packed(groups, 1000))

    for one in lists:
        assert len({record[2] for record in one}) == 1
    for partition in range(3):
        sent = [record for one in lists for record in one if record[2] == partition]
        assert sent == [record for group in groups for record in group if record[2] == partition]
    for number, group in enumerate(groups):
        places = [
            i for i, one in enumerate(lists) if any(record[0] == b"%d" % number for record in one)
        ]
        assert len(places) == 1, group
    assert 10 < len(lists) < 60
    assert list(packed([[(b"1", bytes(5000), 0, "")]], 1000)) == [[(b"1", bytes(5000), 0, "")]]
    assert list(packed([], 1000)) == []


def test_a_watermark_goes_with_its_states_where_they_fit_and_after_them_where_not() -> None:
    small, large = [(b"T1", bytes(10), 0, "")], [(b"T2", bytes(900), 1, "")]
    second = [(b"T3", bytes(300), 1, "")]
    marks = [(b"@0", b"m", 0, ""), (b"@1", b"m", 1, "")]

    before, last = with_watermarks([small, large, second], marks, 1000)

    assert before == [large, second]
    assert last == [[*small, marks[0]], [marks[1]]]


def test_a_settled_round_is_found_by_a_later_event_of_the_same_batch() -> None:
    table = played("T1", 1, rounds=1)
    table.does(PIT, events.SettledRoundVoided("T1/1", "TEST", ""))
    log = interleaved(table)

    _, out = folded(log, [])

    kinds = [movement.decode(value).kind for _, value, *_ in out["movements"]]  # type: ignore[union-attr]
    assert kinds == ["hold", "settlement", "reversal", "release"]


def with_junk(log: list[Raw], at: int, key: bytes | None, value: bytes | None) -> list[Raw]:
    return [*log[:at], (key, value), *log[at:]]


@pytest.mark.parametrize(
    ("key", "value", "reason"),
    [
        (b"T1", b"\xff\xff", "NOT_DECODABLE"),
        (b"T1", b"", "EMPTY"),
        (b"T1", None, "EMPTY"),
        (None, None, "EMPTY"),
        (None, raw(played("T1", 1, 0).log[0])[1], "WRONG_KEY"),
        (b"T9", raw(played("T1", 1, 0).log[0])[1], "WRONG_KEY"),
    ],
    ids=["junk", "empty", "null", "nothing", "null-key", "other-key"],
)
def test_what_cannot_be_read_is_named_and_changes_nothing(
    log: list[Raw], key: bytes | None, value: bytes | None, reason: str
) -> None:
    clean, _ = folded(log, [])

    store, out = folded(with_junk(log, 20, key, value), [])

    (record,) = out["quarantined"]
    told = quarantine.decode(record[1])
    assert isinstance(told, Quarantined)
    place = (told.topic, told.partition, told.offset, told.reason, told.service)
    assert place == (topics.TABLE_EVENTS.name, 0, 20, reason, "table")
    assert len(out["floor"]) == len(log)
    assert store.watermark(0) == clean.watermark(0) + 1


def test_an_event_in_another_partition_than_its_tables_is_not_folded() -> None:
    event = Table().open(1).log[0]
    partition = topics.partition_of("T1", 4)
    batch = Batch(Store({}), 4, 0)

    assert batch.take(*raw(event), (partition + 1) % 4, 0) is None
    assert batch.take(*raw(event), partition, 0) is not None
    assert dict(batch.unreadable) == {"WRONG_PARTITION": 1}


def spoiled(event: Event, *, schema: int = 0) -> Raw:
    """Return an event whose fact this version cannot read."""
    message = event_pb2.Event.FromString(envelope.encode(event))
    if schema:
        message.schema = schema
    else:
        message.ClearField(str(message.WhichOneof("fact")))
    return event.table_id.encode(), message.SerializeToString()


@pytest.mark.parametrize("schema", [0, 99])
def test_an_unknown_fact_uses_up_its_number_and_suspends_its_table(schema: int) -> None:
    table, other = played("T1", 1, 1), played("T2", 2, 1)
    unknown = spoiled(table.event(PIT, events.TableSuspended("TEST", "")), schema=schema)
    table.sequences[PIT] += 1
    following = raw(table.event(PIT, events.TableSuspended("TEST", "")))
    log = [*interleaved(table, other), unknown, following]

    store, out = folded(log, [])

    (record,) = out["quarantined"]
    told = quarantine.decode(record[1])
    assert isinstance(told, Quarantined)
    assert (told.reason, told.offset) == (envelope.UNKNOWN_FACT, len(log) - 2)
    verdicts = [
        floor_pb2.FloorRecord.FromString(value).folded.verdict for _, value, *_ in out["floor"]
    ]
    assert [v.reason for v in verdicts[-2:]] == ["UNKNOWN_FACT", ""]
    causes = [cause.cause_id.split("/")[0] for cause in store.state("T1", 0).causes]
    assert causes == ["unknown", "supervisor"]
    assert not store.state("T2", 0).causes


def test_what_the_live_fold_could_not_read_is_not_read_when_folded_again() -> None:
    """Newer code may be able to: a rebuild must come to the state that was lived with."""
    table = played("T1", 1, 0)
    log = interleaved(table)
    live = Batch(Store({}), PARTITIONS, 0)
    again = Batch(Store({}), PARTITIONS, 0)
    last = len(log) - 1
    for offset, (key, value) in enumerate(log):
        if offset == last:
            live.take(*spoiled(replace(table.log[-1])), 0, offset)
            again.take(key, value, 0, offset, quarantined_as=envelope.UNKNOWN_FACT)
        else:
            live.take(key, value, 0, offset)
            again.take(key, value, 0, offset)

    assert again.values() == live.values()
    lost = Batch(Store({}), PARTITIONS, 0)
    assert lost.take(*log[0], 0, 0, quarantined_as="NOT_DECODABLE") is None
    assert not lost.states


def failing_at(offset: int, monkeypatch: pytest.MonkeyPatch, error: Exception) -> None:
    """Make the fold fail at the event at `offset`, as a bug would: at each attempt."""

    def step_or_fail(state: TableState, event: Event, recall: Recall) -> Step:
        if event.offset == offset and not isinstance(event.fact, events.UnknownFact):
            raise error
        return step(state, event, recall)

    monkeypatch.setattr("floorbook.table.batch.step", step_or_fail)


def test_an_event_at_which_the_fold_fails_stops_its_table_and_no_other(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    log = interleaved(played("T1", 1, 0), played("T2", 2, 1))
    bad = max(at for at, (key, _) in enumerate(log) if key == b"T1")
    with monkeypatch.context() as patched:
        failing_at(bad, patched, KeyError("the ace of spades"))
        store, out = folded(log, [])

    (record,) = out["quarantined"]
    told = quarantine.decode(record[1])
    assert isinstance(told, Quarantined)
    assert (told.reason, told.offset) == (envelope.FOLD_FAILED, bad)
    assert told.detail.startswith("KeyError in tests.unit.table.test_batch, line ")
    assert [c.cause_id.split("/")[0] for c in store.state("T1", 0).causes] == ["unknown"]
    assert not store.state("T2", 0).causes
    assert store.watermark(0) == len(log) - 1
    assert len(out["movements"]) == 2
    again = Batch(Store({}), PARTITIONS, 0)
    for offset, (key, value) in enumerate(log):
        reason = envelope.FOLD_FAILED if offset == bad else None
        again.take(key, value, 0, offset, quarantined_as=reason)
    assert again.values() == {key: store.data[key] for key in (b"T1", b"T2")}


@pytest.mark.parametrize("error", [MemoryError(), StateTooNew("T1: stored version 2, known 1")])
def test_a_fault_that_is_not_the_events_ends_the_process(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    log = interleaved(played("T1", 1, 0))
    failing_at(1, monkeypatch, error)

    with pytest.raises(type(error)):
        folded(log, [])


def test_an_answer_at_which_the_fold_fails_is_owed_until_somebody_decides(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = Table("T1", seed=1).open(2).to("COMPLETE")
    table.settle()
    log = interleaved(table)
    with monkeypatch.context() as patched:
        failing_at(len(log) - 1, patched, ZeroDivisionError())
        store, _ = folded(log, [])

    state = store.state("T1", 0)
    assert [cause.cause_id for cause in state.causes] == ["unknown/T1/1/evaluation/1"]
    assert [type(owed) for owed in state.obligations] == [Evaluation]


def test_a_floor_record_is_the_same_for_the_same_step(log: list[Raw]) -> None:
    _, first = folded(log, [])
    _, second = folded(log, [10, 20, 30])

    assert first["floor"] == second["floor"]
    key, value = log[0]
    batch = Batch(Store({}), PARTITIONS, 0)
    taken = batch.take(key, value, 0, 0)
    event = envelope.decode(value, key, 0, 0)
    assert taken is not None
    assert isinstance(event, Event)
    assert batch.floor[0][1] == floor.encode(taken, event)


def test_the_store_holds_what_the_fold_came_to(log: list[Raw]) -> None:
    table = played("T1", 1)
    store, _ = folded(interleaved(table), [])

    assert store.data[state_key("T1")] == stored_state(table.state)
    for number in (1, 2):
        key, stored = stored_record(table.records[number], 0)
        assert store.data[key][8:] == stored[8:]
