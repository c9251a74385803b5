"""What is done with repeats, conflicts, holes, starts and facts that nobody knows."""

import pytest

from floorbook.table import events
from floorbook.table.effects import Resumed, Suspended, Verdict
from floorbook.table.events import Decision, Equipment, EquipmentKind, Fact, SuspensionResolved
from floorbook.table.sources import WINDOW
from floorbook.table.state import MOST_CAUSES, encode, obligation_id
from floorbook.table.step import Step
from floorbook.table.thirteen_cards import facts
from tests.unit.table.playing import DEALER, DICE, KINDS, LIMIT_MS, PIT, SEATS, SHUFFLER, Table

P1 = SEATS["p1"]
VOID_THROW = events.ThrowVoid(events.ThrowFault.COCKED)


def code(taken: Step) -> str:
    return taken.verdict.refusal.code if taken.verdict.refusal else ""


def resume(table: Table, cause: str, next_sequence: int | None = None) -> str:
    if next_sequence is None:
        return table.code(PIT, SuspensionResolved(Decision.RESUME, cause))
    return table.code(PIT, SuspensionResolved(Decision.CONTINUE_AT, cause, next_sequence))


# Repeats


@pytest.mark.parametrize("refused", [False, True])
def test_a_repeat_gets_the_first_verdict_and_changes_nothing(refused: bool) -> None:
    table = Table().open().to("BETTING")
    bet = facts.BetPlaced("b", "p1", 0 if refused else 1, 100, 1)
    first = table.send(P1, bet)
    before = table.state
    again = table.send(P1, bet, sequence=table.sequences[P1])
    assert again.verdict == Verdict(first.verdict.refusal, known=True)
    assert (code(first) == "BET_ON_BANKER") is refused
    assert table.state is before
    assert again.effects == type(again.effects)()


def test_a_terminals_older_repeat_is_only_counted() -> None:
    table = Table().open().to("BETTING")
    bet = facts.BetPlaced("b", "p1", 0, 100, 1)
    table.send(P1, bet)
    table.bet("b2", "p1", 1)
    again = table.send(P1, bet, sequence=table.sequences[P1] - 1)
    assert again.verdict == Verdict(known=True, forgotten=True)


def test_a_device_keeps_the_fingerprints_of_its_window() -> None:
    table = Table().open().to("LOCKED")
    for _ in range(WINDOW + 3):
        table.does(DICE, VOID_THROW)
    last = table.sequences[DICE]
    table.send(DICE, events.DiceThrown((9,)))
    # The newest was refused, but not the one before it: whose verdict is not kept is not told.
    assert table.send(DICE, VOID_THROW, sequence=last).verdict == Verdict(
        known=True, forgotten=True
    )
    oldest = table.sequences[DICE] - WINDOW + 1
    other = events.DiceThrown((1, 1, 1, 1))
    assert table.send(DICE, other, sequence=oldest - 1).verdict.known
    assert table.causes() == []
    assert code(table.send(DICE, other, sequence=oldest)) == "CONFLICT"


# Conflicts


def test_broken_equipment_cannot_make_the_state_grow_for_ever() -> None:
    table = Table().open().to("LOCKED")
    for _ in range(2 * MOST_CAUSES):
        table.send(DICE, VOID_THROW)
        other = events.DiceThrown((1, 1, 1))
        assert code(table.send(DICE, other, sequence=table.sequences[DICE])) == "CONFLICT"
    assert len(table.causes()) == MOST_CAUSES
    assert table.code(PIT, events.TableSuspended("TEST")) == ""
    assert len(table.causes()) == MOST_CAUSES + 1


def test_other_content_under_a_known_number_suspends() -> None:
    table = Table().open().to("BETTING")
    table.bet("b", "p1", 1, 100, 1)
    number = table.sequences[P1]
    sources = table.state.sources
    taken = table.send(P1, facts.BetPlaced("b", "p1", 1, 100, 3), sequence=number)
    cause = f"conflict/T1/{P1}/1/{number}"
    assert code(taken) == "CONFLICT"
    assert table.causes() == [cause]
    assert [d.shown for d in taken.effects.disclosures] == [Suspended(cause)]
    assert table.state.sources == sources
    assert table.game.bets[0].units == 1
    assert (
        code(table.send(P1, facts.BetPlaced("b", "p1", 1, 100, 3), sequence=number)) == "CONFLICT"
    )
    assert table.causes() == [cause]
    assert resume(table, cause) == ""
    assert table.code(P1, facts.BetPlaced("c", "p1", 1, 100, 1)) == ""


# Holes


def test_a_hole_suspends_and_heals_when_the_missing_comes() -> None:
    table = Table().open().to("BETTING")
    number = table.sequences[P1]
    later = facts.BetPlaced("late", "p1", 2, 100, 1)
    taken = table.send(P1, later, sequence=number + 2)
    assert code(taken) == "SEQUENCE_GAP"
    assert table.causes() == [f"hole/{P1}/1"]
    assert table.code(DEALER, facts.ShakeStarted("house")) == "SUSPENDED"
    healing = table.send(P1, facts.BetPlaced("gone", "p1", 1, 100, 1), sequence=number + 1)
    assert code(healing) == ""
    assert Resumed(f"hole/{P1}/1") in [d.shown for d in healing.effects.disclosures]
    assert code(table.send(P1, later, sequence=number + 2)) == ""
    assert [bet.bet_id for bet in table.game.bets] == ["gone", "late"]
    assert table.causes() == []


def test_the_missing_event_heals_even_when_it_is_refused() -> None:
    table = Table().open().to("BETTING")
    number = table.sequences[P1]
    table.send(P1, facts.PlaceLeft("p1"), sequence=number + 2)
    taken = table.send(P1, facts.BetPlaced("b", "p1", 0, 100, 1), sequence=number + 1)
    assert code(taken) == "BET_ON_BANKER"
    assert table.causes() == []
    assert [d.shown for d in taken.effects.disclosures] == [Resumed(f"hole/{P1}/1")]


def test_a_hole_that_stands_beside_another_cause_heals_alone() -> None:
    table = Table().open().to("BETTING")
    number = table.sequences[P1]
    table.send(P1, facts.PlaceLeft("p1"), sequence=number + 2)
    table.does(PIT, events.TableSuspended("TEST"))
    taken = table.send(P1, facts.BetPlaced("b", "p1", 1, 100, 1), sequence=number + 1)
    assert code(taken) == "SUSPENDED"
    assert [cause.split("/")[0] for cause in table.causes()] == ["supervisor"]


def test_a_supervisor_says_where_a_source_goes_on() -> None:
    table = Table().open().to("BETTING")
    number = table.sequences[P1]
    table.send(P1, facts.PlaceLeft("p1"), sequence=number + 3)
    hole = f"hole/{P1}/1"
    assert resume(table, hole) == "WRONG_DECISION"
    assert resume(table, "hole/nobody/1", next_sequence=4) == "UNKNOWN_CAUSE"
    assert resume(table, hole, next_sequence=number) == "SEQUENCE_PASSED"
    assert resume(table, hole, next_sequence=number + 3) == ""
    assert table.causes() == []
    assert code(table.send(P1, facts.PlaceLeft("p1"), sequence=number + 3)) == ""
    given_up = table.send(P1, facts.PlaceTaken("p1"), sequence=number + 1)
    assert given_up.verdict == Verdict(known=True, forgotten=True)


def test_going_on_is_a_decision_for_holes_only() -> None:
    table = Table().open()
    table.does(PIT, events.TableSuspended("TEST"))
    (cause,) = table.causes()
    assert resume(table, cause, next_sequence=3) == "WRONG_DECISION"
    assert resume(table, cause) == ""


# Starts


def test_a_source_begins_with_its_start() -> None:
    table = Table()
    assert code(table.send(PIT, table.terms(), sequence=1)) == "SEQUENCE_GAP"
    assert table.causes() == [f"hole/{PIT}/1"]
    table.start(PIT)
    assert table.causes() == []
    assert table.code(PIT, table.terms()) == ""
    assert table.code(PIT, events.SourceStarted()) == "LATE_SOURCE_START"


def test_a_new_start_counts_anew_and_the_old_one_is_stale() -> None:
    table = Table().open().to("BETTING")
    acknowledged = table.sequences[P1]
    assert code(table.start(P1, acknowledged)) == ""
    table.bet("b", "p1", 1)
    before = table.state
    old = table.send(P1, facts.PlaceLeft("p1"), boot=1, sequence=acknowledged + 1)
    assert code(old) == "STALE_BOOT"
    assert table.state is before


def test_a_start_that_knows_of_more_than_is_here_suspends() -> None:
    table = Table().open()
    taken = table.start(P1, table.sequences[P1] + 1)
    lost = f"lost/{P1}/2"
    assert code(taken) == ""
    assert table.causes() == [lost]
    assert [d.shown for d in taken.effects.disclosures] == [Suspended(lost)]
    assert resume(table, lost) == ""
    assert table.code(P1, facts.PlaceLeft("p1")) == ""


def test_a_source_never_heard_that_was_acknowledged_something_suspends() -> None:
    table = Table().open(players=2)
    table.start(SEATS["p3"], 4)
    assert table.causes() == [f"lost/{SEATS['p3']}/1"]


def test_a_late_start_that_lost_something_heals_its_hole_and_is_looked_at() -> None:
    table = Table().open()
    table.send(P1, facts.PlaceLeft("p1"), boot=2, sequence=2)
    assert table.causes() == [f"hole/{P1}/2"]
    table.start(P1, 99)
    assert table.causes() == [f"lost/{P1}/2"]


def test_the_hole_of_an_old_start_is_given_up_by_a_supervisor() -> None:
    table = Table().open()
    table.send(P1, facts.PlaceLeft("p1"), sequence=9)
    table.start(P1)
    assert table.causes() == [f"hole/{P1}/1"]
    assert resume(table, f"hole/{P1}/1", next_sequence=9) == ""
    assert table.code(P1, facts.PlaceLeft("p1")) == ""


# Facts that nobody knows


def test_an_unknown_fact_uses_up_its_number_and_suspends() -> None:
    table = Table().open().to("BETTING")
    taken = table.send(P1, events.UnknownFact())
    assert code(taken) == "UNKNOWN_FACT"
    cause = f"unknown/{table.log[-1].event_id}"
    assert table.causes() == [cause]
    assert table.send(P1, events.UnknownFact(), sequence=table.sequences[P1]).verdict == Verdict(
        taken.verdict.refusal, known=True
    )
    assert resume(table, cause) == ""
    assert table.code(P1, facts.BetPlaced("b", "p1", 1, 100, 1)) == ""


# Equipment of other tables


@pytest.mark.parametrize(
    ("fact", "sequence"),
    [
        (facts.PlaceTaken("p1"), 5),  # a hole
        (events.SourceStarted(7), 1),  # something lost
        (events.UnknownFact(), 2),
        (events.SourceStarted(), 1),
    ],
)
def test_a_stranger_stops_no_table(fact: Fact, sequence: int) -> None:
    few = tuple(Equipment(name, KINDS[name]) for name in (PIT, DEALER))
    table = Table()
    table.start(PIT)
    table.does(PIT, table.terms(equipment=few))
    if sequence == 2:
        table.start(P1)
    assert code(table.send(P1, fact, sequence=sequence)) == "UNKNOWN_EQUIPMENT"
    assert table.causes() == []


def test_equipment_is_known_by_its_kind_too() -> None:
    table = Table().open()
    as_seat = EquipmentKind.SEAT_TERMINAL
    assert table.code(DICE, facts.PlaceTaken("p9"), kind=as_seat) == "UNKNOWN_EQUIPMENT"


def test_a_stranger_may_be_made_known() -> None:
    few = tuple(Equipment(name, KINDS[name]) for name in (PIT, DEALER))
    table = Table()
    table.start(PIT)
    table.does(PIT, table.terms(equipment=few))
    assert code(table.start(P1)) == "UNKNOWN_EQUIPMENT"
    seat = Equipment(P1, EquipmentKind.SEAT_TERMINAL)
    table.does(PIT, events.EquipmentChanged((*few, seat)))
    assert table.code(P1, facts.PlaceTaken("p1")) == ""


# Suspension


def suspended_by_supervisor(table: Table) -> None:
    table.does(PIT, events.TableSuspended("TEST"))


def suspended_by_hole(table: Table) -> None:
    table.send(P1, facts.PlaceLeft("p1"), sequence=table.sequences[P1] + 2)


def suspended_by_unknown(table: Table) -> None:
    table.send(P1, events.UnknownFact())


def suspended_by_deck(table: Table) -> None:
    table.does(SHUFFLER, events.DeckFaulty(events.DeckFault.JAM))


SUSPENSIONS = (
    suspended_by_supervisor,
    suspended_by_hole,
    suspended_by_unknown,
    suspended_by_deck,
)


def end(table: Table) -> None:
    (cause,) = table.causes()
    how = {"next_sequence": table.sequences[P1] + 1} if cause.startswith("hole") else {}
    assert resume(table, cause, **how) == ""


@pytest.mark.parametrize("suspend", SUSPENSIONS)
def test_a_suspended_table_takes_supervisors_acts_and_device_status_only(suspend: object) -> None:
    assert callable(suspend)
    table = Table().open().to("OPENED")
    suspend(table)
    assert table.code(SEATS["p2"], facts.HandTaken(2, "p2")) == "SUSPENDED"
    assert table.code(DEALER, facts.CardExposed()) == "SUSPENDED"
    assert table.code(DICE, events.SourceStarted()) == "LATE_SOURCE_START"
    assert code(table.start(DICE, table.sequences[DICE])) == ""
    end(table)
    assert table.code(SEATS["p2"], facts.HandTaken(2, "p2")) == ""


@pytest.mark.parametrize("suspend", SUSPENSIONS)
def test_suspension_stops_the_clock(suspend: object) -> None:
    assert callable(suspend)
    table = Table().open().to("OPENED")
    opened = table.now_ms
    old = obligation_id(table.state, table.timer())
    table.now_ms = opened + 100_000 - 100
    suspend(table)
    assert table.timer().left_ms == LIMIT_MS + 1 - 100_000
    table.now_ms += 1_000_000
    assert code(table.answer(old, events.TimerExpired())) == "SUSPENDED"
    end(table)
    resumed = table.now_ms
    assert obligation_id(table.state, table.timer()) == "T1/1/timer/2"
    assert table.timer().due_ms == resumed + LIMIT_MS + 1 - 100_000
    assert code(table.answer(old, events.TimerExpired())) == "STALE_TIMER"
    table.now_ms = resumed + LIMIT_MS - 100_000
    table.set(1, after_ms=0)
    assert table.game.laid[0].elapsed_ms == LIMIT_MS
    assert table.code(SEATS["p2"], facts.HandTaken(2, "p2"), after_ms=1) == "TIME_UP"
    table.signal()
    assert table.phase == "COMPLETE"


def test_a_clock_that_ran_out_before_the_suspension_is_out_after_it() -> None:
    table = Table().open().to("OPENED")
    table.now_ms += LIMIT_MS
    suspended_by_supervisor(table)
    end(table)
    assert table.code(P1, facts.HandTaken(1, "p1"), after_ms=0) == "TIME_UP"
    table.signal()
    assert table.phase == "COMPLETE"


def test_a_table_stays_suspended_until_the_last_cause_ends() -> None:
    table = Table().open().to("OPENED")
    suspended_by_supervisor(table)
    suspended_by_deck(table)
    left = table.timer().left_ms
    first, second = table.causes()
    table.now_ms += 50_000
    assert resume(table, second) == ""
    assert (table.timer().left_ms, table.timer().due_ms) == (left, 0)
    assert resume(table, first) == ""
    assert table.timer().due_ms == table.now_ms + left


def test_a_machine_out_of_order_between_rounds_stops_nobody() -> None:
    table = Table().open()
    suspended_by_deck(table)
    assert table.causes() == []


@pytest.mark.parametrize("suspend", SUSPENSIONS)
def test_a_round_can_be_voided_while_suspended(suspend: object) -> None:
    assert callable(suspend)
    table = Table().open().to("OPENED")
    suspend(table)
    table.does(PIT, events.RoundVoided("TEST"))
    end(table)
    assert table.phase == "VOID"
    assert table.state.obligations == ()


def test_folding_again_what_was_folded_changes_nothing() -> None:
    table = Table().open()
    table.round()
    before = encode(table.state)
    for event in [e for e in table.log if e.equipment_id]:
        repeat = table.event(
            event.equipment_id,
            event.fact,
            role=event.role,
            boot=event.boot,
            sequence=event.sequence,
        )
        assert table.take(repeat).verdict.known
    assert encode(table.state) == before


def test_a_view_asked_at_a_terminal_uses_up_its_number() -> None:
    table = Table().open()
    taken = table.does(P1, events.ViewAsked())
    assert len(taken.effects.disclosures) == 1
    assert table.code(P1, facts.PlaceLeft("p1")) == ""
