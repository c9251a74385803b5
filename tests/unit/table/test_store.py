"""What lies in the store: the newer of two values, whichever was written last; states that cannot be stale."""

from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace

from floorbook.table.state import (
    ROUNDS_KEPT,
    VERSION,
    RoundRecord,
    StateTooNew,
    TableState,
    fresh,
)
from floorbook.table.store import (
    Store,
    is_newer,
    newest,
    offset_of,
    pack,
    read_record,
    record_key,
    state_key,
    stored_record,
    stored_state,
    watermark_key,
)
from tests.unit.table.playing import Table


def state(offset: int, table_id: str = "T1") -> TableState:
    return TableState(VERSION, table_id, 2, offset)


def record(number: int) -> RoundRecord:
    table = Table().open(2)
    for _ in range(number):
        table.round()
    return table.records[number]


@pytest.mark.parametrize("offset", [0, 1, 255, 256, 2**40, 2**63 - 1])
def test_the_offset_comes_back_and_the_value_behind_it(offset: int) -> None:
    stored = pack(offset, b"value")

    assert offset_of(stored) == offset
    assert stored.endswith(b"value")


def test_the_higher_offset_is_newer_in_whatever_order_they_were_written() -> None:
    old, new = pack(255, b"zzz"), pack(256, b"aaa")

    assert is_newer(new, old)
    assert not is_newer(old, new)
    assert is_newer(old, None)
    assert is_newer(old, old), "a repeat of the same value does no harm"


def test_keys_of_states_rounds_and_watermarks_never_meet() -> None:
    keys = {state_key("3"), record_key("3", 3), watermark_key(3)}

    assert keys == {b"3", b"3/3", b"@3"}


def test_nothing_is_done_before_the_first_watermark() -> None:
    store = Store({})

    assert store.watermark(0) == -1
    store.keep({watermark_key(0): pack(0, b"")}, {})
    assert store.watermark(0) == 0
    assert store.watermark(1) == -1


def test_a_table_never_heard_of_is_fresh() -> None:
    assert Store({}).state("T1", 2) == fresh("T1", 2)


def test_a_state_comes_back_as_it_was_kept() -> None:
    store = Store({})
    kept = Table().open(2).state

    store.keep({state_key("T1"): stored_state(kept)}, {"T1": kept})

    assert store.state("T1", 0) is kept
    assert Store(store.data).state("T1", 0) == kept


def test_what_recovery_put_in_is_read_and_not_what_was_remembered() -> None:
    store = Store({})
    store.keep({state_key("T1"): stored_state(state(5))}, {"T1": state(5)})

    store.data[state_key("T1")] = stored_state(state(9))

    assert store.state("T1", 2).offset == 9


def test_all_states_are_found_and_nothing_else() -> None:
    values = {state_key(t): stored_state(state(1, t)) for t in ("T1", "T2")}
    key, kept = stored_record(record(1), 7)
    store = Store({**values, key: kept, watermark_key(0): pack(7, b"")})

    assert {one.table_id for one in store.states()} == {"T1", "T2"}


def test_a_round_is_kept_in_a_slot_that_the_twelfth_takes_again() -> None:
    key, kept = stored_record(record(1), 7)

    assert key == record_key("T1", 1)
    assert read_record(kept) == record(1)
    assert read_record(None) is None
    assert stored_record(replace(record(1), round_number=1 + ROUNDS_KEPT), 70)[0] == key


def test_a_state_of_a_later_version_is_refused() -> None:
    later = TableState(VERSION + 1, "T1", 0, 3)
    store = Store({state_key("T1"): stored_state(later)})

    with pytest.raises(StateTooNew, match="T1"):
        store.state("T1", 0)


def lies(key: bytes | None, value: bytes | None) -> Any:
    """Return a changelog record as Faust gives it."""
    return SimpleNamespace(key=key, message=SimpleNamespace(value=value))


def state_at(offset: int, table_id: str = "T1") -> bytes:
    return stored_state(state(offset, table_id))


def test_of_a_changelog_what_has_folded_most_wins_and_what_hides_it_is_named() -> None:
    old, new = lies(b"T1", state_at(4)), lies(b"T1", state_at(9))
    other = lies(b"T2", state_at(3, "T2"))

    assert newest([old, new, other], {}, {b"T1"}) == ([new, other], set(), 0)
    assert newest([new, old], {}, set()) == ([new], {b"T1"}, 0)
    assert newest([old], {b"T1": state_at(9)}, set()) == ([], {b"T1"}, 0)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        (b"T1", b"\x7f" + bytes(200)),
        (b"T1", b"\x7f" + state_at(9)[1:]),
        (b"T1", pack(99, state_at(99, "T2")[8:])),
        (b"T1", b"\x7f\xff"),
        (b"T1", b""),
        (b"T1", None),
        (b"T1/3", pack(99, b"\xff\xff")),
        (b"@0", b"\x7f" * 9),
        (None, state_at(99)),
        (b"\xff", state_at(99)),
    ],
)
def test_what_others_wrote_into_the_changelog_is_passed_over(
    key: bytes | None, value: bytes | None
) -> None:
    kept = lies(b"T1", state_at(9))

    winners, hidden, foreign = newest([kept, lies(key, value)], {}, set())

    assert winners == [kept]
    assert foreign == (1 if value else 0), "what cannot be the newest is not looked into"
    assert hidden == ({b"T1"} if key == b"T1" else set()), "it is written again, before compaction"
