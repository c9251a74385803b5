"""A rebuild: every difference between what is stored or published and what the log makes is named once."""

from types import SimpleNamespace
from typing import Any

import pytest

from floorbook.table.batch import Batch
from floorbook.table.rebuild import Comparison, Rebuilt
from floorbook.table.store import Store, pack, watermark_key
from floorbook.wire import envelope, movement
from floorbook.wire.quarantine import Unreadable
from tests.unit.table.playing import Table

Records = list[Any]


@pytest.fixture(scope="module")
def log() -> Records:
    """Return two rounds of one table as records."""
    table = Table().open(2)
    table.round()
    table.round()
    return [
        SimpleNamespace(key=b"T1", value=envelope.encode(event), partition=0, offset=offset)
        for offset, event in enumerate(table.log)
    ]


def lived(log: Records, up_to: int | None = None) -> tuple[dict[bytes, bytes], dict[str, bytes]]:
    """Return what a processor has stored and published after folding the log up to an offset."""
    store = Store({})
    batch = Batch(store, 1, 0)
    for record in log[:up_to]:
        batch.take(record.key, record.value, 0, record.offset)
    marks = {watermark_key(0): pack(batch.positions[0], b"")}
    store.keep({**batch.rounds, **batch.values(), **marks}, batch.states)
    published = {}
    for _, value, *_ in batch.movements:
        one = movement.decode(value)
        assert not isinstance(one, Unreadable)
        published[one.movement_id] = value
    return dict(store.data), published


def compared(log: Records, live: dict[bytes, bytes], published: dict[str, bytes]) -> Rebuilt:
    comparison = Comparison(live, dict(published), 1)
    for start in range(0, len(log), 7):
        comparison.fold(log[start : start + 7], {})
    return comparison.finish()


def told(found: Rebuilt) -> list[tuple[str, str]]:
    return [(one.what, one.which) for one in found.differences]


def test_live_equals_rebuilt(log: Records) -> None:
    found = compared(log, *lived(log))

    assert found.differences == ()
    assert (found.events, found.tables, found.rounds, found.movements) == (len(log), 1, 2, 4)


def test_events_that_nobody_has_folded_yet_are_no_difference(log: Records) -> None:
    for up_to in (1, 12, 25, len(log) - 1):
        assert compared(log, *lived(log, up_to)).differences == ()


def test_a_state_ahead_of_the_watermark_is_no_difference(log: Records) -> None:
    """States are stored first: a processor may be between them and the watermark."""
    live, published = lived(log)
    before, _ = lived(log, 20)
    live[watermark_key(0)] = before[watermark_key(0)]

    assert compared(log, live, published).differences == ()


def test_a_lost_state_is_named_once(log: Records) -> None:
    live, published = lived(log)
    del live[b"T1"]

    assert told(compared(log, live, published)) == [("stored", "T1")]


def test_a_state_that_stayed_behind_the_watermark_is_named(log: Records) -> None:
    live, published = lived(log)
    behind, _ = lived(log, 20)
    live[b"T1"] = behind[b"T1"]

    assert told(compared(log, live, published)) == [("stored", "T1")]


def test_an_altered_state_and_an_altered_round_are_named(log: Records) -> None:
    live, published = lived(log)
    for key in (b"T1", b"T1/2"):
        live[key] = live[key].replace(b"MOP", b"HKD")

    assert told(compared(log, live, published)) == [("stored", "T1"), ("stored", "T1/2")]


def test_what_no_event_leads_to_is_named(log: Records) -> None:
    live, published = lived(log)
    live[b"T7"] = pack(3, b"whatever")
    published["T7/1/hold"] = b"whatever"

    assert told(compared(log, live, published)) == [("stored", "T7"), ("movement", "T7/1/hold")]


def test_a_movement_with_other_content_and_a_missing_one_are_named(log: Records) -> None:
    live, published = lived(log)
    published["T1/1/hold"] = published["T1/2/hold"]
    del published["T1/2/settlement/1"]

    assert told(compared(log, live, published)) == [
        ("movement", "T1/1/hold"),
        ("movement", "T1/2/settlement/1"),
    ]


def test_a_log_that_ends_before_the_watermark_is_named(log: Records) -> None:
    live, published = lived(log)
    live[watermark_key(0)] = pack(len(log) + 5, b"")

    assert told(compared(log, live, published)) == [("watermark", "@0")]
