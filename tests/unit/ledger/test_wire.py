"""What the ledger reads is sound or named as unreadable; what it writes can be read again."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from floorbook.ledger.journal import Entry, Posting, journalise, mirror
from floorbook.money import Movement, Transfer
from floorbook.v1 import ledger_pb2, movement_pb2
from floorbook.wire import entry as entry_wire
from floorbook.wire import movement as movement_wire
from floorbook.wire import quarantine as quarantine_wire
from floorbook.wire.quarantine import Quarantined, Unreadable
from tests.unit.ledger.movements import hold, release, reversal, sealed, settlement

EVERY_KIND = [hold(), settlement(), release(), reversal(settlement())]


def reason(decoded: object) -> str:
    assert isinstance(decoded, Unreadable), decoded
    assert decoded.detail
    return decoded.reason


@pytest.mark.parametrize("movement", EVERY_KIND, ids=lambda m: m.kind.value)
def test_a_movement_comes_back_as_it_was(movement: Movement) -> None:
    assert movement_wire.decode(movement_wire.encode(movement)) == movement


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"table_id": "T 1"}, "BAD_ID"),
        ({"table_id": "T2"}, "BAD_ID"),
        ({"round_id": "T1/0"}, "BAD_ID"),
        ({"round_id": "T1/01"}, "BAD_ID"),
        ({"movement_id": "T1/1/hold"}, "BAD_ID"),
        ({"movement_id": "T1/2/settlement/1"}, "BAD_ID"),
        ({"movement_id": "T1/1/settlement/0"}, "BAD_ID"),
        ({"game": ""}, "BAD_ID"),
        ({"rules_version": "a\tb"}, "BAD_ID"),
        ({"currency": "mop"}, "BAD_CURRENCY"),
        ({"currency": "MOPX"}, "BAD_CURRENCY"),
        ({"gaming_day": "2026-02-30"}, "BAD_DATE"),
        ({"own_gaming_day": "20260301"}, "BAD_DATE"),
        ({"table_time_ms": 0}, "BAD_TIME"),
        ({"completed_time_ms": -1}, "BAD_TIME"),
        ({"number": 0}, "BAD_NUMBER"),
        ({"number": 2**63}, "BAD_NUMBER"),
        ({"offset": -1}, "BAD_NUMBER"),
        ({"transfers": (Transfer("bank", "layout", 0),)}, "BAD_AMOUNT"),
        ({"transfers": (Transfer("bank", "layout", -5),)}, "BAD_AMOUNT"),
        ({"transfers": (Transfer("cage", "layout", 5),)}, "BAD_PARTY"),
        ({"transfers": (Transfer("bank", "player/", 5),)}, "BAD_PARTY"),
        ({"transfers": (Transfer("bank", "player/a b", 5),)}, "BAD_PARTY"),
        ({"transfers": (Transfer("bank", "layout", 5, "a\x00b"),)}, "BAD_TEXT"),
        ({"transfers": (Transfer("bank", "layout", 5, "a" * 201),)}, "BAD_TEXT"),
        ({"transfers": (Transfer("bank", "layout", 5, "g1", ("",)),)}, "BAD_TEXT"),
    ],
)
def test_an_unsound_settlement_is_unreadable(changes: dict[str, Any], expected: str) -> None:
    bad = sealed(settlement(), **changes)

    assert reason(movement_wire.decode(movement_wire.encode(bad))) == expected
    assert reason(movement_wire.fault(bad)) == expected


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"reverses": "T1/1/hold"}, "BAD_ID"),
        ({"reverses": "T1/2/settlement/1"}, "BAD_ID"),
        ({"reversed_fingerprint": b"\1" * 31}, "BAD_FINGERPRINT"),
    ],
)
def test_an_unsound_reversal_is_unreadable(changes: dict[str, Any], expected: str) -> None:
    bad = reversal(settlement(), **changes)

    assert reason(movement_wire.decode(movement_wire.encode(bad))) == expected


def test_a_changed_amount_does_not_pass_for_the_money_that_was_sealed() -> None:
    sealed_ = settlement()
    changed = structs.replace(
        sealed_, transfers=(Transfer("bank", "player/p1", 1), *sealed_.transfers[1:])
    )

    found = reason(movement_wire.decode(movement_wire.encode(changed)))

    assert found == "FINGERPRINT_MISMATCH"


def test_a_movement_of_a_kind_not_known_yet_is_unreadable() -> None:
    message = movement_pb2.Movement.FromString(movement_wire.encode(hold()))
    message.ClearField("kind")

    assert reason(movement_wire.decode(message.SerializeToString())) == "UNKNOWN_KIND"


@given(st.binary(max_size=400))
def test_random_bytes_are_no_movement_and_no_entry_and_never_raise(value: bytes) -> None:
    assert reason(movement_wire.decode(value))
    assert reason(entry_wire.decode(value))
    assert isinstance(quarantine_wire.decode(value), Unreadable | Quarantined)


@given(st.data())
def test_a_damaged_movement_never_raises_and_never_moves_other_money(data: st.DataObject) -> None:
    good = movement_wire.encode(settlement())
    at = data.draw(st.integers(0, len(good) - 1))
    damaged = good[:at] + data.draw(st.binary(max_size=3)) + good[at + 1 :]

    decoded = movement_wire.decode(damaged)

    if isinstance(decoded, Movement):
        # Wording may have changed: what was sealed has not.
        assert decoded.fingerprint == settlement().fingerprint


def booked(entry: object) -> Entry:
    assert isinstance(entry, Entry)
    return structs.replace(entry, booked_time_us=1_772_334_000_123_456)


@pytest.mark.parametrize(
    "entry",
    [
        booked(journalise(settlement())),
        booked(mirror(reversal(settlement()), journalise(settlement()))),
    ],
)
def test_an_entry_comes_back_as_it_was(entry: Entry) -> None:
    assert entry_wire.decode(entry_wire.encode(entry)) == entry


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"postings": ()}, "UNBALANCED"),
        ({"postings": (Posting("T1/1/hold/0", "player/p1", 5),) * 2}, "UNBALANCED"),
        (
            {"postings": (Posting("T1/1/hold/0", "a", 5), Posting("T1/1/hold/7", "b", -5))},
            "BAD_ID",
        ),
        ({"entry_id": "T2/1/hold"}, "BAD_ID"),
        ({"reverses": "T1/1/settlement/1"}, "BAD_ID"),
        ({"fingerprint": b""}, "BAD_FINGERPRINT"),
        ({"currency": ""}, "BAD_CURRENCY"),
    ],
)
def test_an_unsound_entry_is_unreadable(changes: dict[str, Any], expected: str) -> None:
    bad = structs.replace(journalise(hold()), **changes)

    assert reason(entry_wire.decode(entry_wire.encode(bad))) == expected


def test_an_entry_of_a_kind_not_known_yet_is_unreadable() -> None:
    message = ledger_pb2.LedgerEntry.FromString(entry_wire.encode(journalise(hold())))
    message.kind = 99  # type: ignore[assignment]

    assert reason(entry_wire.decode(message.SerializeToString())) == "UNKNOWN_KIND"


def test_a_quarantine_record_comes_back_with_at_most_64_kib() -> None:
    record = Quarantined(
        topic="",
        partition=3,
        offset=17,
        reason="UNKNOWN_DEVICE",
        detail="no such device",
        service="gateway",
        source="10.0.0.7",
        payload=b"x" * 70_000,
        time_ms=1_772_334_000_000,
    )

    decoded = quarantine_wire.decode(quarantine_wire.encode(record))

    assert decoded == structs.replace(record, payload=b"x" * 65_536)


def test_only_a_settlement_may_move_nothing() -> None:
    nobody_bet = sealed(settlement(), transfers=())

    assert movement_wire.decode(movement_wire.encode(nobody_bet)) == nobody_bet
    assert reason(movement_wire.fault(sealed(hold(), transfers=()))) == "NO_TRANSFERS"
    assert reason(movement_wire.fault(sealed(release(), transfers=()))) == "NO_TRANSFERS"
