"""What operators' tools show of the topics that they read."""

import json
from datetime import UTC, datetime
from typing import NamedTuple

import pytest
from msgspec.structs import replace

from floorbook import settings, topics
from floorbook.settings import Settings
from floorbook.table.state import (
    TableState,
    Terms,
    fresh,
    owe_evaluation,
    start_timer,
    suspend,
)
from floorbook.table.store import pack, state_key, stored_state, watermark_key
from floorbook.table.thirteen_cards.state import Phase, ThirteenCards
from floorbook.tools import quarantine as quarantine_tool
from floorbook.tools import suspended as suspended_tool
from floorbook.wire import quarantine
from floorbook.wire.quarantine import Quarantined

MINUTE_MS = 60_000
NOON_MS = 1_772_366_400_000  # 2026-03-01T12:00 UTC


class Record(NamedTuple):
    value: bytes | None
    partition: int = 0
    offset: int = 0
    timestamp: int = NOON_MS


STRANGER = Quarantined(
    "", 0, 0, "WRONG_KEY", "not\x1b[2J its key", "gateway", "dice-1", b"needle", NOON_MS
)
EVENT = Quarantined(
    topics.TABLE_EVENTS.name, 3, 17, "UNKNOWN_FACT", "no such fact", "table", time_ms=NOON_MS - 1
)


@pytest.fixture
def read() -> Settings:
    made = settings.read({"FLOORBOOK_KAFKA": "broker:9092"})
    assert isinstance(made, Settings)
    return made


@pytest.fixture
def records(monkeypatch: pytest.MonkeyPatch) -> list[Record]:
    """What lies in quarantine; tests add to it."""
    lies: list[Record] = []
    monkeypatch.setattr(topics, "check", lambda *_: 4)
    monkeypatch.setattr(quarantine_tool, "read", lambda *_: iter(lies))
    return lies


def put(records: list[Record], *those: Quarantined) -> None:
    records += [Record(quarantine.encode(each), offset=at) for at, each in enumerate(those)]


def test_quarantine_is_shown_oldest_first_without_what_strangers_sent(
    records: list[Record], read: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    put(records, STRANGER, EVENT)
    assert quarantine_tool.main([], read) == 0
    assert capsys.readouterr().out.splitlines() == [
        "2026-03-01T11:59:59.999+00:00  table  floorbook.table-events.v1/3@17  UNKNOWN_FACT  -  "
        "no such fact",
        "2026-03-01T12:00:00.000+00:00  gateway  -  WRONG_KEY  dice-1  not?[2J its key",
        "2 in quarantine",
    ]


def test_what_a_stranger_sent_is_shown_when_asked_for_as_digits(
    records: list[Record], read: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    put(records, STRANGER)
    assert quarantine_tool.main(["--payload"], read) == 0
    assert f"    {b'needle'.hex()}" in capsys.readouterr().out.splitlines()


def test_quarantine_for_machines(
    records: list[Record], read: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    put(records, STRANGER, EVENT)
    assert quarantine_tool.main(["--json", "--since", "2026-03-01T12:00"], read) == 0
    (one,) = json.loads(capsys.readouterr().out)
    assert one == {
        "time": "2026-03-01T12:00:00.000+00:00",
        "service": "gateway",
        "topic": "",
        "partition": None,
        "offset": None,
        "reason": "WRONG_KEY",
        "detail": "not\x1b[2J its key",
        "source": "dice-1",
    }


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        ([], "nothing was put into quarantine"),
        (
            ["--since", "2026-03-02"],
            "nothing was put into quarantine since 2026-03-02T00:00:00+00:00",
        ),
        (["--json"], "[]"),
    ],
)
def test_an_empty_quarantine_is_a_line(
    argv: list[str],
    said: str,
    records: list[Record],
    read: Settings,
    capsys: pytest.CaptureFixture[str],
) -> None:
    if argv[:1] == ["--since"]:
        put(records, EVENT)
    assert quarantine_tool.main(argv, read) == 0
    assert capsys.readouterr().out == said + "\n"


def test_what_is_no_record_of_quarantine_is_shown_with_its_place() -> None:
    for value, reason in ((None, "EMPTY"), (b"\xff", "NOT_DECODABLE")):
        (one,) = quarantine_tool.shown([Record(value, 2, 9)], None, payload=True)
        assert (one.topic, one.partition, one.offset) == (topics.QUARANTINE.name, 2, 9)
        assert one.reason == reason


def test_a_time_beyond_every_calendar_ends_nothing() -> None:
    value = quarantine.encode(replace(EVENT, time_ms=2**62))
    (one,) = quarantine_tool.shown([Record(value)], datetime.now(UTC), payload=False)
    assert one.time.startswith("9999-12-31")


def playing(table_id: str) -> TableState:
    """A table in its third round that owes a judgement and has a clock running."""
    terms = Terms("thirteen_cards", "1", "{}", "MOP", 480, 360)
    state = replace(
        fresh(table_id, 0),
        terms=terms,
        round_number=3,
        offset=9,
        table_time_ms=NOON_MS,
        game=ThirteenCards(phase=Phase.COMPLETE),
    )
    return start_timer(owe_evaluation(state, '{"needle": 1}', NOON_MS), MINUTE_MS - 1)


@pytest.fixture
def states(monkeypatch: pytest.MonkeyPatch) -> dict[bytes, bytes]:
    """What is stored: watermarks, and what tests add."""
    lies = {watermark_key(partition): pack(9, b"") for partition in range(4)}
    monkeypatch.setattr(topics, "check", lambda *_: 4)
    monkeypatch.setattr(suspended_tool, "stored", lambda *_: lies)
    return lies


def keep(states: dict[bytes, bytes], *those: TableState) -> None:
    states.update({state_key(each.table_id): stored_state(each) for each in those})


def test_suspended_tables_are_shown_with_causes_and_what_they_owe(
    states: dict[bytes, bytes], read: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    closed = suspend(replace(fresh("T0", 0), offset=5), "hole/dice-1/4")
    both = suspend(suspend(playing("T7"), "hole/dice-7/2"), "supervisor/T7/pit-1/1/8")
    keep(states, both, playing("T8"), closed)
    states[b"T8/3"] = b"a kept round, which is not looked at"
    assert suspended_tool.main([], read) == 0
    assert capsys.readouterr().out.splitlines() == [
        "T0  CLOSED  last event 1970-01-01T00:00:00.000+00:00",
        "    cause  hole/dice-1/4",
        "T7  COMPLETE  round T7/3  last event 2026-03-01T12:00:00.000+00:00",
        "    cause  hole/dice-7/2",
        "    cause  supervisor/T7/pit-1/1/8",
        "    owes   T7/3/evaluation/1",
        "    owes   T7/3/timer/1  (60000 ms left)",
        "2 suspended, of 3 tables",
    ]


def test_suspended_tables_for_machines(
    states: dict[bytes, bytes], read: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    keep(states, suspend(playing("T7"), "hole/dice-7/2"))
    assert suspended_tool.main(["--json"], read) == 0
    shown = capsys.readouterr().out
    assert "needle" not in shown
    assert json.loads(shown) == [
        {
            "table": "T7",
            "phase": "COMPLETE",
            "round": "T7/3",
            "rule_set": "thirteen_cards",
            "last_event": "2026-03-01T12:00:00.000+00:00",
            "causes": ["hole/dice-7/2"],
            "owes": [
                {"id": "T7/3/evaluation/1", "left_ms": None},
                {"id": "T7/3/timer/1", "left_ms": 60_000},
            ],
        }
    ]


def test_no_suspended_table_is_a_line(
    states: dict[bytes, bytes], read: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    keep(states, playing("T8"))
    assert suspended_tool.main([], read) == 0
    assert capsys.readouterr().out == "no table is suspended, of 1\n"


def test_states_of_a_newer_version_are_named(
    states: dict[bytes, bytes], read: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    keep(states, replace(playing("T8"), version=99))
    assert suspended_tool.main([], read) == 1
    assert "another version stored this" in capsys.readouterr().err
