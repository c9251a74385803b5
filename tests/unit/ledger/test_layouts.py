"""A layout is open from the lock to the settlement, and again while a settlement is corrected."""

from floorbook.ledger.journal import Entry, journalise, mirror
from floorbook.ledger.layouts import OpenLayouts
from tests.unit.ledger.movements import hold, release, reversal, settlement


def mirrored() -> Entry:
    made = mirror(reversal(settlement()), journalise(settlement()))
    assert isinstance(made, Entry)
    return made


def open_after(*entries: Entry) -> int:
    layouts = OpenLayouts()
    for entry in entries:
        layouts.note(entry)
    return layouts.tables()


def test_a_layout_is_open_between_lock_and_settlement() -> None:
    assert open_after(journalise(hold()), journalise(hold("T2"))) == 2
    assert open_after(journalise(hold()), journalise(settlement())) == 0
    assert open_after(journalise(hold()), journalise(release())) == 0


def test_a_reversed_settlement_opens_it_until_the_next_one() -> None:
    again = journalise(settlement(n=2, number=4))

    assert open_after(mirrored()) == 1
    assert open_after(mirrored(), again) == 0


def test_the_end_of_a_round_that_began_before_is_not_counted() -> None:
    assert open_after(journalise(settlement())) == 0


def test_a_table_with_two_open_rounds_counts_once() -> None:
    late = journalise(hold(round_=2, number=3))

    assert open_after(mirrored(), late) == 1
    assert open_after(mirrored(), late, journalise(settlement(n=2, number=4))) == 1
