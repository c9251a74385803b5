"""Floor records go to whoever waits or watches, and show each viewer what is his to see."""

import asyncio
from itertools import product

import pytest

from floorbook import trace
from floorbook.gateway.floor import MOST_QUEUED, Floor, Overflow, Waiting, seen_by
from floorbook.table.events import Role
from floorbook.v1 import floor_pb2
from tests.unit.gateway.ports import PARTITIONS, FloorLine, Place

EVERYBODY = floor_pb2.Audience(kind=floor_pb2.AUDIENCE_KIND_EVERYBODY)
DEALER = floor_pb2.Audience(kind=floor_pb2.AUDIENCE_KIND_DEALER)
SUPERVISOR = floor_pb2.Audience(kind=floor_pb2.AUDIENCE_KIND_SUPERVISOR)
NOBODY = floor_pb2.Audience()


def player(player_id: str) -> floor_pb2.Audience:
    return floor_pb2.Audience(kind=floor_pb2.AUDIENCE_KIND_PLAYER, player_id=player_id)


def shown(cause: str, *audiences: floor_pb2.Audience) -> floor_pb2.Disclosure:
    return floor_pb2.Disclosure(audiences=audiences, suspended=floor_pb2.Suspended(cause_id=cause))


def folded(
    event_id: str = "T1/desk/1/1",
    *disclosures: floor_pb2.Disclosure,
    fact: str = "bet_placed",
    outcome: floor_pb2.Outcome = floor_pb2.OUTCOME_APPLIED,
    known: bool = False,
) -> floor_pb2.EventFolded:
    return floor_pb2.EventFolded(
        event_id=event_id,
        fact=fact,
        verdict=floor_pb2.Verdict(outcome=outcome, known=known),
        round_id="T1/4",
        phase="BETTING",
        table_time_ms=9,
        rule_set="thirteen_cards",
        disclosures=disclosures,
    )


def line(
    offset: int,
    what: floor_pb2.EventFolded | None = None,
    *,
    table: str = "T1",
    event_offset: int | None = None,
    schema: int = 1,
) -> FloorLine:
    """Return a floor record; its event lies where it does itself unless told otherwise."""
    record = floor_pb2.FloorRecord(
        table_id=table,
        offset=offset if event_offset is None else event_offset,
        fold_schema=schema,
    )
    if what is None:
        record.announced.SetInParent()
        return FloorLine(None, record.SerializeToString(), offset)
    record.folded.CopyFrom(what)
    return FloorLine(table.encode(), record.SerializeToString(), offset)


@pytest.mark.parametrize(
    ("role", "person", "sees"),
    [
        (Role.DEALER, "d1", "all dealer"),
        (Role.SUPERVISOR, "s1", "all supervisor"),
        (Role.PLAYER, "p7", "all p7"),
        (Role.PLAYER, "p8", "all p8"),
        (Role.PLAYER, "p9", "all"),
        # Somebody who is called like a player is none.
        (Role.DEALER, "p7", "all dealer"),
        (Role.SUPERVISOR, "p7", "all supervisor"),
    ],
)
def test_each_viewer_sees_his_own(role: Role, person: str, sees: str) -> None:
    event = folded(
        "T1/desk/1/1",
        shown("all", EVERYBODY),
        shown("dealer", DEALER),
        shown("supervisor", SUPERVISOR),
        shown("p7", player("p7")),
        shown("p8", player("p8")),
        shown("nobody", NOBODY),
        shown("nameless", player("")),
    )
    seen = seen_by(role, person, event, "")
    assert seen is not None
    assert [each.suspended.cause_id for each in seen.disclosures] == sees.split()
    assert (seen.event_id, seen.phase, seen.round_id) == ("T1/desk/1/1", "BETTING", "T1/4")


def test_a_viewer_is_not_told_who_else_sees_it() -> None:
    event = folded("e", shown("hand", player("p7"), player("p8"), DEALER))
    seen = seen_by(Role.PLAYER, "p7", event, "")
    assert seen is not None
    assert list(seen.disclosures[0].audiences) == [player("p7")]


def test_views_that_others_asked_for_and_failed_attempts_do_not_concern_a_player() -> None:
    view = folded("T1/gateway-0/5/1", shown("all", EVERYBODY), fact="view_asked")
    assert seen_by(Role.DEALER, "d1", view, "T1/gateway-0/5/1") is not None
    assert seen_by(Role.DEALER, "d1", view, "T1/gateway-0/5/2") is None
    refused = folded(outcome=floor_pb2.OUTCOME_REFUSED)
    assert seen_by(Role.PLAYER, "p7", refused, "") is None
    assert seen_by(Role.PLAYER, "p7", folded(known=True), "") is None
    assert seen_by(Role.DEALER, "d1", refused, "") is not None
    # Unless it shows him something, or is the answer to his own request.
    told = folded("e", shown("p7", player("p7")), outcome=floor_pb2.OUTCOME_REFUSED)
    assert seen_by(Role.PLAYER, "p7", told, "") is not None
    unknown = folded(fact="view_asked", outcome=floor_pb2.OUTCOME_REFUSED)
    assert seen_by(Role.PLAYER, "p7", unknown, "T1/desk/1/1") is not None


def test_of_a_secret_event_only_those_hear_who_are_shown_something() -> None:
    answered = folded("e", shown("p7", player("p7")))
    answered.secret = True
    assert seen_by(Role.PLAYER, "p7", answered, "") is not None
    others = ((Role.PLAYER, "p8"), (Role.DEALER, "d1"), (Role.SUPERVISOR, "s1"), (Role.DEVICE, ""))
    for outcome in (floor_pb2.OUTCOME_APPLIED, floor_pb2.OUTCOME_REFUSED):
        answered.verdict.outcome = outcome
        assert [seen_by(role, person, answered, "") for role, person in others] == [None] * 4


@pytest.mark.parametrize("placed_first", [True, False])
async def test_a_verdict_counts_for_the_offset_of_ones_own_event(*, placed_first: bool) -> None:
    floor = Floor(1)
    waiting = Waiting("T1", "T1/desk/1/1")
    floor.wait(waiting)
    refused = folded(outcome=floor_pb2.OUTCOME_REFUSED)
    lines = [line(0, refused, event_offset=4), line(1, folded(), event_offset=7)]
    if placed_first:
        waiting.placed(Place(0, 7, 0))
    assert floor.take(0, lines) == []
    if not placed_first:
        assert not waiting.answer.done()
        waiting.placed(Place(0, 7, 0))
    answer = waiting.answer.result()
    assert (answer.offset, answer.verdict.outcome) == (7, floor_pb2.OUTCOME_APPLIED)


async def test_who_has_gone_gets_nothing() -> None:
    floor = Floor(1)
    waiting, watcher = Waiting("T1", "T1/desk/1/1"), floor.watch("T1")
    waiting.placed(Place(0, 0, 0))
    floor.wait(waiting)
    floor.forget(waiting)
    floor.forget(waiting)
    floor.take(0, [line(0, folded())])
    assert not waiting.answer.done()
    assert (await anext(watcher.records()))[0] == 0
    floor.unwatch(watcher)
    # Nobody is interested in the table now: its records are not even parsed.
    assert floor.take(0, [FloorLine(b"T1", b"\xff", 1), line(2, folded())]) == []


async def test_a_watcher_gets_its_table_from_the_floor_position_on() -> None:
    floor = Floor(1)
    floor.start(0, 10, None)
    floor.take(0, [line(10, folded())])
    watcher = floor.watch("T1")
    assert watcher.live_from == 11
    floor.take(
        0, [line(11, folded(), table="T2"), line(12, folded()), line(13), line(14, folded())]
    )
    assert floor.position(0) == 15
    records = watcher.records()
    assert [(await anext(records))[0] for _ in range(2)] == [12, 14]


async def test_a_watcher_that_does_not_keep_up_gets_what_it_had_and_then_the_end() -> None:
    floor = Floor(1)
    watcher = floor.watch("T1")
    floor.take(0, [line(offset, folded()) for offset in range(MOST_QUEUED + 5)])
    records = watcher.records()
    assert [(await anext(records))[0] for _ in range(MOST_QUEUED)] == list(range(MOST_QUEUED))
    with pytest.raises(Overflow):
        await anext(records)


def test_the_newest_record_of_a_partition_says_what_it_folds() -> None:
    floor = Floor(PARTITIONS)
    table = next(f"T{n}" for n in range(50) if floor.partition(f"T{n}") == 2)
    assert floor.fold_schema(table) == 1, "every fold reads the first schema"
    floor.start(2, 5, line(4, schema=3))
    assert floor.fold_schema(table) == 3
    floor.take(2, [line(5, folded(), schema=3), line(6, folded(), schema=2)])
    assert floor.fold_schema(table) == 2, "an older processor has taken over"
    floor.take(2, [line(7, schema=4)])
    assert floor.fold_schema(table) == 4
    assert {floor.fold_schema(f"T{n}") for n in range(50)} == {1, 4}


def test_a_record_says_the_round_of_its_table_whoever_is_interested() -> None:
    floor = Floor(1)
    assert floor.round_of("T1") == ""
    before = line(4, folded())._replace(headers=trace.round_header("T1/1"))
    floor.start(0, 5, before)
    assert floor.round_of("T1") == "T1/1"
    records = [
        line(5, folded())._replace(headers=trace.round_header("T1/2")),
        line(6, folded(), table="T2")._replace(headers=trace.round_header("T2/9")),
        line(7, folded(), table="T1"),  # by a processor that names none
    ]
    floor.take(0, records)
    assert (floor.round_of("T1"), floor.round_of("T2")) == ("T1/2", "T2/9")


async def test_a_record_that_cannot_be_read_is_named_and_the_next_one_is_handled() -> None:
    floor = Floor(1)
    watcher = floor.watch("T1")
    faults = floor.take(0, [FloorLine(b"T1", b"\xff\xff", 0), line(1, folded())])
    assert [(each.partition, each.offset) for each in faults] == [(0, 0)]
    assert (await asyncio.wait_for(anext(watcher.records()), 1))[0] == 1


def test_every_role_and_audience_is_decided() -> None:
    kinds = [
        floor_pb2.AUDIENCE_KIND_UNSPECIFIED,
        floor_pb2.AUDIENCE_KIND_EVERYBODY,
        floor_pb2.AUDIENCE_KIND_DEALER,
        floor_pb2.AUDIENCE_KIND_SUPERVISOR,
        floor_pb2.AUDIENCE_KIND_PLAYER,
    ]
    assert len(kinds) == len(floor_pb2.AudienceKind.values())
    for role, kind in product(Role, kinds):
        audience = floor_pb2.Audience(kind=kind, player_id="p7")
        seen = seen_by(role, "p7", folded("e", shown("x", audience)), "")
        visible = seen is not None and len(seen.disclosures) == 1
        expected = kind == floor_pb2.AUDIENCE_KIND_EVERYBODY or (role, kind) in {
            (Role.DEALER, floor_pb2.AUDIENCE_KIND_DEALER),
            (Role.SUPERVISOR, floor_pb2.AUDIENCE_KIND_SUPERVISOR),
            (Role.PLAYER, floor_pb2.AUDIENCE_KIND_PLAYER),
        }
        assert visible is expected, (role, kind)
