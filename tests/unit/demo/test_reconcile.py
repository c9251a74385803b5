"""Reconciliation names every planted fault: money altered, lost, doubled or judged otherwise than by the rules."""

from collections import Counter
from collections.abc import Callable

import msgspec
import pytest
from msgspec.structs import replace

from floorbook.demo.reconcile import (
    Booked,
    LogRecord,
    Quarantine,
    Reconciliation,
    compare,
    recompute,
    settlements_in_force,
)
from floorbook.ledger.journal import Entry
from floorbook.table.events import Event, RoundEvaluated
from floorbook.wire import envelope
from tests.unit.demo.pocket import PocketTable, pocket_table


async def played(rounds: int = 3) -> PocketTable:
    pocket = pocket_table()
    await pocket.play(rounds)
    return pocket


def books(entries: list[Entry]) -> Booked:
    balances = Counter[tuple[str, str]]()
    for entry in entries:
        for posting in entry.postings:
            balances[entry.currency, posting.account] += posting.amount
    return Booked(entries, balances)


def held(
    pocket: PocketTable,
    *,
    log: list[LogRecord] | None = None,
    entries: list[Entry] | None = None,
    quarantine: Quarantine | None = None,
    wrong_sent: dict[str, int] | None = None,
    told: dict[str, str] | None = None,
    poisoned: set[tuple[int, int]] | None = None,
) -> Reconciliation:
    """Return what reconciling comes to, with whatever is planted in place of the real thing."""
    tables = frozenset((pocket.table.table_id,))
    quarantine = quarantine or Quarantine()
    found = recompute(pocket.log if log is None else log, tables, quarantine)
    return compare(
        found,
        books(list(pocket.entries.values()) if entries is None else entries),
        quarantine,
        told=pocket.tally.told if told is None else told,
        wrong_sent=wrong_sent,
        poisoned=poisoned or (),
    )


def changed(pocket: PocketTable, which: str, change: Callable[[Entry], list[Entry]]) -> list[Entry]:
    """Return the entries with the one whose id ends with `which` replaced."""
    table_id = pocket.table.table_id
    return [
        each
        for entry in pocket.entries.values()
        for each in (change(entry) if entry.entry_id == f"{table_id}/{which}" else [entry])
    ]


async def test_what_was_played_reconciles_to_the_cent() -> None:
    pocket = await played()
    result = held(pocket)
    assert (result.faults, result.total_difference, result.total_imbalance) == ([], 0, 0)


async def test_a_changed_cent_is_named_with_entry_and_account() -> None:
    pocket = await played()

    def one_cent_more(entry: Entry) -> list[Entry]:
        first, *others = entry.postings
        return [replace(entry, postings=(replace(first, amount=first.amount + 1), *others))]

    result = held(pocket, entries=changed(pocket, "2/settlement/1", one_cent_more))
    assert result.total_difference == result.total_imbalance == 1
    text = "\n".join(result.faults)
    assert "T001/2/settlement/1: the ledger's postings are not those of the log" in text
    assert "table/T001/layout in MOP: the ledger differs from the log by 1 minor units" in text
    assert "table/T001/layout in MOP: 1 minor units still lie on the layout" in text
    assert "all accounts in MOP sum to 1" in text


async def test_a_lost_entry_is_named() -> None:
    pocket = await played()
    result = held(pocket, entries=changed(pocket, "1/hold", lambda entry: []))
    assert "T001/1/hold: the ledger does not have it" in result.faults
    assert result.total_difference > 0
    assert result.total_imbalance == 0


async def test_a_doubled_entry_is_named_under_whatever_id() -> None:
    pocket = await played()
    twice = held(pocket, entries=changed(pocket, "1/settlement/1", lambda entry: [entry, entry]))
    assert "T001/1/settlement/1: the ledger has it 2 times" in twice.faults
    copied = held(
        pocket,
        entries=changed(
            pocket, "1/settlement/1", lambda e: [e, replace(e, entry_id="T001/1/settlement/2")]
        ),
    )
    assert any(
        fault.startswith("T001/1/settlement/2: the ledger has it, nothing in the log")
        for fault in copied.faults
    )
    assert twice.total_difference == copied.total_difference > 0


async def test_another_fingerprint_or_number_is_named() -> None:
    pocket = await played()
    other = held(
        pocket,
        entries=changed(pocket, "1/hold", lambda entry: [replace(entry, fingerprint=bytes(32))]),
    )
    assert other.faults == ["T001/1/hold: the ledger has it with another fingerprint"]
    renumbered = held(
        pocket, entries=changed(pocket, "1/hold", lambda entry: [replace(entry, number=9)])
    )
    assert renumbered.faults == ["T001/1/hold: the ledger numbers it 9, the log 1"]


def with_event(log: list[LogRecord], change: Callable[[Event], Event | None]) -> list[LogRecord]:
    """Return the log with each event that `change` changes encoded again."""
    found = []
    for record in log:
        event = envelope.decode(record.value, record.key, record.partition, record.offset)
        assert isinstance(event, Event)
        other = change(event)
        found.append(record if other is None else replace(record, value=envelope.encode(other)))
    return found


async def test_an_altered_answer_of_the_evaluator_is_named_and_counted_in_cents() -> None:
    pocket = await played()

    def all_lose(event: Event) -> Event | None:
        """Let the house win every bet of the second round, in figures that fit one another."""
        if event.event_id != "T001/2/evaluation/1" or not isinstance(event.fact, RoundEvaluated):
            return None
        result = msgspec.json.decode(event.fact.result)
        for bet in result["bets"]:
            bet |= {"outcome": "lose", "prize": 0, "commission": 0, "returned": 0}
        result["banker_net"] = sum(bet["stake"] for bet in result["bets"])
        text = msgspec.json.encode(result).decode()
        return replace(event, fact=replace(event.fact, result=text))

    # The ledger has booked what the altered answer means, as it would have.
    forged = with_event(pocket.log, all_lose)
    altered = recompute(forged, frozenset(("T001",)), Quarantine())
    assert "T001/2/evaluation/1: the logged answer is not what the rules come to" in altered.faults
    honest = held(pocket, log=forged)
    assert honest.total_difference == 0
    assert honest.faults == altered.faults


async def test_a_settlement_by_an_altered_answer_differs_in_cents() -> None:
    pocket = await played()
    lost = held(pocket, log=[r for r in pocket.log if b"2/evaluation/1" not in (r.value or b"")])
    text = "\n".join(lost.faults)
    assert "T001/2/settlement/1: the ledger has it, nothing in the log brings it about" in text
    assert "T001/2: 0 settlements in force, and it is not void" in text
    assert lost.total_difference > 0


async def test_a_record_that_nobody_can_read_must_be_in_quarantine() -> None:
    pocket = await played()
    end = len(pocket.log)
    partition = pocket.log[0].partition
    log = [*pocket.log, LogRecord(partition, end, b"T001", b"\xff\xff")]
    assert any("is not in quarantine" in fault for fault in held(pocket, log=log).faults)
    named = Quarantine({(partition, end): "NOT_DECODABLE"})
    assert held(pocket, log=log, quarantine=named).faults == [
        f"record {partition}/{end} of the log is quarantined: NOT_DECODABLE"
    ]
    # Written so on purpose it must be there, and no other.
    assert held(pocket, log=log, quarantine=named, poisoned={(partition, end)}).faults == []
    assert held(pocket, poisoned={(partition, end)}).faults == [
        f"record {partition}/{end} of the log was poisoned and is not in quarantine"
    ]


async def test_quarantine_is_held_against_what_was_sent_wrong() -> None:
    pocket = await played(1)
    quarantine = Quarantine(outside={"UNREADABLE_FACT": 2})
    assert held(pocket, quarantine=quarantine, wrong_sent={"UNREADABLE_FACT": 2}).faults == []
    assert held(pocket, quarantine=quarantine, wrong_sent={"UNREADABLE_FACT": 3}).faults == [
        "2 are quarantined as UNREADABLE_FACT, 3 were sent wrong so"
    ]


async def test_what_terminals_were_told_is_held_against_the_log() -> None:
    pocket = await played(1)
    event_id = f"T001/{pocket.table.dealer.equipment_id}/1/2"
    told = {**pocket.tally.told, event_id: "WRONG_PHASE", "T001/ghost/1/1": ""}
    faults = held(pocket, told=told).faults
    assert f"{event_id}: answered WRONG_PHASE, the log says applied" in faults
    assert "T001/ghost/1/1: answered, and not in the log" in faults


async def test_a_table_that_is_not_done_is_named() -> None:
    pocket = await played(2)
    # Without the last answer the table still owes it.
    cut = next(i for i, r in enumerate(pocket.log) if b"2/evaluation/1" in (r.value or b""))
    faults = held(pocket, log=pocket.log[:cut], told={}).faults
    assert "T001: still owes 1 answers" in faults


@pytest.mark.parametrize("tricks", [0.3])
async def test_settlements_in_force_are_those_that_nothing_takes_back(tricks: float) -> None:
    pocket = pocket_table(seed=5, misbehave=tricks)
    await pocket.play(12)
    found = recompute(pocket.log, frozenset(("T001",)), Quarantine())
    in_force = sum(1 for one in found.rounds.values() if one.in_force)
    entries = list(pocket.entries.values())
    assert settlements_in_force(entries) == in_force == pocket.tally.rounds_settled
    assert any(entry.reverses for entry in entries)
