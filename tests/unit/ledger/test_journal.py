"""Every movement becomes one balanced entry, and a reversal undoes exactly that entry."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs

from floorbook.ledger.accounts import account, layout
from floorbook.ledger.journal import (
    ALREADY_REVERSED,
    ORIGINAL_ABSENT,
    ORIGINAL_DIFFERS,
    Conflict,
    Entry,
    journalise,
    mirror,
)
from floorbook.money import Transfer, net
from tests.unit.ledger.movements import hold, release, reversal, sealed, settlement

PARTIES = ("player/p1", "player/p2", "layout", "bank", "cobank", "commission", "charge")
transfers = st.lists(
    st.builds(
        Transfer,
        st.sampled_from(PARTIES),
        st.sampled_from(PARTIES),
        st.integers(1, 2**62),
        st.sampled_from(("", "g1/b1", "seat2")),
        st.sampled_from(((), ("TC-20",), ("TC-20", "TC-21"))),
    ),
    min_size=1,
    max_size=20,
).map(tuple)


def balances(*entries: Entry) -> dict[str, int]:
    totals: dict[str, int] = {}
    for entry in entries:
        for posting in entry.postings:
            totals[posting.account] = totals.get(posting.account, 0) + posting.amount
    return totals


def conflict_reason(made: Entry | Conflict) -> str:
    assert isinstance(made, Conflict)
    return made.reason


def entry(made: Entry | Conflict) -> Entry:
    assert isinstance(made, Entry)
    return made


@given(transfers)
def test_an_entry_sums_to_zero_and_moves_what_the_transfers_move(
    moved: tuple[Transfer, ...],
) -> None:
    booked = journalise(sealed(settlement(), transfers=moved))

    assert sum(posting.amount for posting in booked.postings) == 0
    expected: dict[str, int] = {}
    for party, amount in net(moved).items():
        name = account(party, "T1", "thirteen_cards")
        expected[name] = expected.get(name, 0) + amount
    assert balances(booked) == expected


@given(transfers)
def test_a_reversal_cancels_its_settlement_posting_by_posting(moved: tuple[Transfer, ...]) -> None:
    original = sealed(settlement(), transfers=moved)
    booked = journalise(original)

    mirrored = entry(mirror(reversal(original), booked))

    assert set(balances(booked, mirrored).values()) <= {0}
    assert [(p.account, p.subject, p.rules) for p in mirrored.postings] == [
        (p.account, p.subject, p.rules) for p in booked.postings
    ]


def test_a_transfer_is_two_postings_and_the_payer_comes_first() -> None:
    booked = journalise(hold())

    assert [(p.posting_id, p.account, p.amount, p.subject) for p in booked.postings] == [
        ("T1/1/hold/0", "player/p1", -300, "g1/b1"),
        ("T1/1/hold/1", "table/T1/layout", 300, "g1/b1"),
        ("T1/1/hold/2", "player/p2", -100, "g2/b1"),
        ("T1/1/hold/3", "table/T1/layout", 100, "g2/b1"),
    ]


@pytest.mark.parametrize("end", [settlement(), release()])
def test_a_finished_round_leaves_nothing_on_the_layout(end: object) -> None:
    assert isinstance(end, type(hold()))
    assert balances(journalise(hold()), journalise(end))[layout("T1")] == 0


def test_the_reasons_of_a_transfer_are_on_both_postings() -> None:
    booked = journalise(settlement())

    assert [p.rules for p in booked.postings[2:4]] == [("TC-20", "TC-21")] * 2


def test_a_reversal_carries_the_day_of_the_original_and_its_own() -> None:
    original = settlement()
    late = reversal(original, gaming_day="2026-03-02")

    mirrored = entry(mirror(late, journalise(original)))

    assert (mirrored.gaming_day, mirrored.own_gaming_day) == ("2026-03-01", "2026-03-02")
    assert mirrored.reverses == "T1/1/settlement/1"


def test_what_was_never_booked_cannot_be_reversed() -> None:
    assert conflict_reason(mirror(reversal(settlement()), None)) == ORIGINAL_ABSENT


def test_a_settlement_is_reversed_once() -> None:
    made = mirror(
        reversal(settlement()), journalise(settlement()), "T1/1/settlement/1/another-reversal"
    )

    assert conflict_reason(made) == ALREADY_REVERSED


@pytest.mark.parametrize(
    "original",
    [
        structs.replace(journalise(settlement()), fingerprint=b"\1" * 32),
        structs.replace(journalise(settlement()), currency="HKD"),
        structs.replace(journalise(settlement()), table_id="T2"),
        structs.replace(journalise(settlement()), round_id="T1/2"),
        journalise(hold()),
    ],
)
def test_a_reversal_of_something_else_is_a_conflict(original: Entry) -> None:
    assert conflict_reason(mirror(reversal(settlement()), original)) == ORIGINAL_DIFFERS


@pytest.mark.parametrize(
    ("party", "name"),
    [
        ("player/p7", "player/p7"),
        ("layout", "table/T1/layout"),
        ("bank", "table/T1/bank"),
        ("cobank", "table/T1/cobank"),
        ("commission", "house/commission/pai_kau"),
        ("charge", "house/charge/pai_kau"),
    ],
)
def test_each_party_has_its_account(party: str, name: str) -> None:
    assert account(party, "T1", "pai_kau") == name


def test_an_unknown_party_has_no_account() -> None:
    with pytest.raises(ValueError, match="no party"):
        account("cage", "T1", "pai_kau")
