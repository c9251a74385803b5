"""Which records are counted as what, and which cannot be read."""

from typing import Any, NamedTuple

import pytest
from msgspec import structs
from prometheus_client import CollectorRegistry

from floorbook import money, topics, trace
from floorbook.lag import Lag
from floorbook.ledger.journal import Entry, journalise, mirror
from floorbook.metrics.catalogue import BusinessMetrics
from floorbook.metrics.count import AFTER_SETTLEMENT, BEFORE_SETTLEMENT, Booked, Count, Folded
from floorbook.metrics.service import count_record, read_entry, read_floor
from floorbook.metrics.show import show, show_lags, show_partitions
from floorbook.money import Movement, MovementKind, Transfer
from floorbook.v1 import floor_pb2, ledger_pb2
from floorbook.wire import entry as entry_wire
from floorbook.wire import floor as floor_wire
from floorbook.wire import movement as movement_wire
from floorbook.wire import quarantine as quarantine_wire
from floorbook.wire.quarantine import Quarantined, Unreadable

CARDS = ("thirteen_cards", "declare")
FLOOR = (topics.FLOOR.name, 2)
MOVEMENTS = (topics.MOVEMENTS.name, 2)
ENTRIES = (topics.LEDGER_ENTRIES.name, 2)
QUARANTINE = (topics.QUARANTINE.name, 2)


class Record(NamedTuple):
    value: bytes | None
    key: bytes | None = b"T1"
    offset: int = 0
    timestamp: int = 0
    partition: int = 0
    headers: trace.Headers = []  # noqa: RUF012 -- nobody adds to it


def floor(
    verdict: dict[str, Any], *shown: str, table_id: str = "T1", partition: int = 2, **more: Any
) -> bytes:
    return floor_pb2.FloorRecord(
        table_id=table_id,
        partition=partition,
        offset=more.pop("offset", 41),
        fold_schema=more.pop("fold_schema", 1),
        folded=floor_pb2.EventFolded(
            verdict=verdict,
            rule_set=more.pop("rule_set", CARDS[1]),
            disclosures=[floor_pb2.Disclosure(**{each: {}}) for each in shown],
        ),
    ).SerializeToString()


APPLIED = {"outcome": floor_pb2.OUTCOME_APPLIED}
REFUSED = {"outcome": floor_pb2.OUTCOME_REFUSED, "reason": "WRONG_PHASE"}


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (floor(APPLIED), Folded((41, 0), CARDS)),
        (floor(APPLIED, "resumed", "round_opened"), Folded((41, 0), CARDS, opened=True)),
        (floor(APPLIED, "round_voided"), Folded((41, 0), CARDS, void=BEFORE_SETTLEMENT)),
        (floor(APPLIED, "settled_round_voided"), Folded((41, 0), CARDS, void=AFTER_SETTLEMENT)),
        (floor(REFUSED), Folded((41, 0), CARDS, refusal="WRONG_PHASE")),
        (floor(APPLIED | {"known": True}, "round_opened"), Folded((41, 0), CARDS)),
        (floor(REFUSED | {"known": True}), Folded((41, 0), CARDS)),
        (floor({"outcome": floor_pb2.OUTCOME_KNOWN, "known": True}), Folded((41, 0), CARDS)),
        (floor(REFUSED, fold_schema=99), Folded((41, 0), CARDS, refusal="WRONG_PHASE")),
        (floor(REFUSED, rule_set="x"), Folded((41, 0), ("other", "x"), refusal="WRONG_PHASE")),
    ],
)
def test_what_is_counted_of_a_floor_record(value: bytes, wanted: Folded) -> None:
    assert read_floor(2, b"T1", value) == wanted


def test_what_is_looked_for_on_the_floor_is_what_the_fold_shows() -> None:
    oneof = floor_pb2.Disclosure.DESCRIPTOR.oneofs_by_name["shown"]
    fields = {field.name for field in oneof.fields}
    assert {"round_opened", "round_voided", "settled_round_voided"} <= fields


def test_what_the_processor_says_of_itself_is_not_counted() -> None:
    assert read_floor(2, None, floor_wire.encode_announcement(2, 7)) is None


def moved(kind: MovementKind, movement_id: str, *transfers: Transfer, **more: Any) -> Movement:
    fields: dict[str, Any] = {
        "table_id": "T1",
        "round_id": "T1/1",
        "game": CARDS[0],
        "rule_set": CARDS[1],
        "rules_version": "1",
        "gaming_day": "2024-05-01",
        "own_gaming_day": "2024-05-01",
        "table_time_ms": 1,
        "number": 1,
        "currency": "MOP",
        "fingerprint": money.fingerprint(kind, "T1/1", "MOP", transfers),
        "partition": 2,
        "offset": 41,
        "index": 1,
    }
    return Movement(movement_id, kind, transfers=transfers, **(fields | more))


HOLD = moved(MovementKind.HOLD, "T1/1/hold", Transfer("player/p1", "layout", 500))
SETTLED = moved(
    MovementKind.SETTLEMENT,
    "T1/1/settlement/1",
    Transfer("layout", "bank", 500),
    completed_time_ms=1_000,
)


def entry(of: Movement, **changed: Any) -> bytes:
    message = ledger_pb2.LedgerEntry.FromString(entry_wire.encode(journalise(of)))
    for name, value in changed.items():
        setattr(message, name, value)
    return message.SerializeToString()


def test_what_is_counted_of_an_entry() -> None:
    assert read_entry(2, b"T1", entry(SETTLED, booked_time_us=1_250_000)) == Booked(
        (41, 1),
        MovementKind.SETTLEMENT,
        CARDS,
        "MOP",
        (("table/T1/layout", -500), ("table/T1/bank", 500)),
        250_000,
    )


def test_a_settlement_of_a_round_where_nobody_bet_is_counted() -> None:
    nothing = moved(MovementKind.SETTLEMENT, "T1/1/settlement/1", completed_time_ms=1_000)
    value = entry(nothing, booked_time_us=1_250_000)
    assert not isinstance(entry_wire.decode(value), Unreadable)
    booked = Booked((41, 1), MovementKind.SETTLEMENT, CARDS, "MOP", (), 250_000)
    assert read_entry(2, b"T1", value) == booked
    back = structs.replace(
        nothing,
        movement_id="T1/1/settlement/1/reversal",
        kind=MovementKind.REVERSAL,
        reverses="T1/1/settlement/1",
        reversed_fingerprint=nothing.fingerprint,
        completed_time_ms=0,
    )
    mirrored = mirror(back, journalise(nothing), None)
    assert isinstance(mirrored, Entry)
    assert isinstance(read_entry(2, b"T1", entry_wire.encode(mirrored)), Booked)


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (entry(SETTLED, booked_time_us=900_000), 0),  # clocks of two machines
        (entry(SETTLED, booked_time_us=1_250_000, completed_time_ms=0), None),
        (entry(HOLD, booked_time_us=1_250_000, completed_time_ms=1), None),
    ],
)
def test_only_a_settlement_of_a_completed_round_has_a_latency(
    value: bytes, wanted: int | None
) -> None:
    read = read_entry(2, b"T1", value)
    assert isinstance(read, Booked)
    assert read.settled_after_microseconds == wanted


NO_REASON = quarantine_wire.encode(Quarantined("", 0, 0, "", "no words", ""))


@pytest.mark.parametrize(
    ("place", "record", "reason"),
    [
        *((place, Record(None), "EMPTY") for place in (FLOOR, MOVEMENTS, ENTRIES, QUARANTINE)),
        *((place, Record(b""), "EMPTY") for place in (FLOOR, MOVEMENTS, ENTRIES, QUARANTINE)),
        *(
            (place, Record(b"\xff\x00no message"), "NOT_DECODABLE")
            for place in (FLOOR, MOVEMENTS, ENTRIES, QUARANTINE)
        ),
        (FLOOR, Record(floor(APPLIED), key=None), "WRONG_KEY"),
        (FLOOR, Record(floor(APPLIED), key=b"T2"), "WRONG_KEY"),
        (FLOOR, Record(floor(APPLIED, partition=1)), "WRONG_PARTITION"),
        (FLOOR, Record(floor(APPLIED, offset=-1)), "BAD_NUMBER"),
        (FLOOR, Record(floor({"outcome": 77})), "UNKNOWN_KIND"),
        (FLOOR, Record(floor({})), "UNKNOWN_KIND"),
        (FLOOR, Record(floor_pb2.FloorRecord(table_id="T1").SerializeToString()), "UNKNOWN_KIND"),
        (MOVEMENTS, Record(movement_wire.encode(HOLD), key=None), "WRONG_KEY"),
        (MOVEMENTS, Record(movement_wire.encode(HOLD), key=b"T2"), "WRONG_KEY"),
        (
            MOVEMENTS,
            Record(movement_wire.encode(moved(MovementKind.HOLD, "T1/1/hold"))),
            "NO_TRANSFERS",
        ),
        (ENTRIES, Record(entry(HOLD), key=None), "WRONG_KEY"),
        (ENTRIES, Record(entry(HOLD, kind=99)), "UNKNOWN_KIND"),
        (ENTRIES, Record(entry(HOLD, partition=9)), "WRONG_PARTITION"),
        (
            ENTRIES,
            Record(
                ledger_pb2.LedgerEntry(
                    kind=ledger_pb2.ENTRY_KIND_HOLD, table_id="T1", partition=2
                ).SerializeToString()
            ),
            "UNBALANCED",
        ),
        (QUARANTINE, Record(NO_REASON), "INCOMPLETE"),
    ],
)
def test_what_cannot_be_read_is_said_and_nothing_of_it_is_counted(
    place: tuple[str, int], record: Record, reason: str
) -> None:
    count = Count()
    why = count_record(count, place, record)
    assert isinstance(why, Unreadable)
    assert why.reason == reason
    tally = count.take()
    assert tally.records == {(place[0],): 1}
    counted = {name for name in tally.__struct_fields__ if getattr(tally, name)}
    assert counted == {"records"}


def test_every_figure_has_its_series() -> None:
    count = Count()
    quarantined = Quarantined("", 0, 0, "OVERSIZED", "", "gateway")
    records = (
        (FLOOR, floor(APPLIED, "round_opened")),
        (FLOOR, floor(APPLIED, "round_voided", offset=42)),
        (FLOOR, floor(REFUSED, offset=43)),
        (FLOOR, floor(REFUSED, offset=43)),
        (MOVEMENTS, movement_wire.encode(HOLD)),
        (ENTRIES, entry(SETTLED, booked_time_us=1_250_000)),
        (QUARANTINE, quarantine_wire.encode(quarantined)),
    )
    for place, value in records:
        assert count_record(count, place, Record(value)) is None
    registry = CollectorRegistry()
    metrics = BusinessMetrics(registry)
    show(count.take(), metrics)
    cards = {"game": CARDS[0], "rule_set": CARDS[1]}
    purse = {"game": CARDS[0], "currency": "MOP"}

    def shown(name: str, **labels: str) -> float | None:
        return registry.get_sample_value("floorbook_" + name, labels)

    assert shown("rounds_opened_total", **cards) == 1
    assert shown("rounds_void_total", **cards, stage="before_settlement") == 1
    assert shown("refusals_total", reason="WRONG_PHASE") == 1
    assert shown("metrics_repeats_total", topic=FLOOR[0]) == 1
    assert shown("bets_total", **cards) == 1
    assert shown("handle_minor_units_total", **purse) == 500
    assert shown("house_win_minor_units", **purse) == 500
    assert shown("entries_total", kind="settlement") == 1
    assert shown("quarantined_total", topic="none", reason="OVERSIZED") == 1
    assert shown("settle_seconds_bucket", **cards, le="0.25") == 1
    assert shown("settle_seconds_bucket", **cards, le="0.1") == 0


def test_lag_is_there_when_nothing_is_assigned() -> None:
    registry = CollectorRegistry()
    metrics = BusinessMetrics(registry)
    behind = Lag(since=0.0, records=3, seconds=2.5)
    show_lags({FLOOR: behind, (FLOOR[0], 3): Lag(0.0, records=1, seconds=4.0)}, metrics)
    show_partitions((FLOOR, MOVEMENTS), metrics)

    def shown(name: str, topic: str) -> float | None:
        return registry.get_sample_value("floorbook_metrics_" + name, {"topic": topic})

    assert shown("lag_records", FLOOR[0]) == 4
    assert shown("lag_seconds", FLOOR[0]) == 4.0
    assert shown("lag_records", QUARANTINE[0]) == 0
    assert shown("partitions", FLOOR[0]) == 1
    show_lags({}, metrics)
    show_partitions((), metrics)
    assert [shown(name, FLOOR[0]) for name in ("lag_records", "lag_seconds", "partitions")] == [
        0,
        0,
        0,
    ]
