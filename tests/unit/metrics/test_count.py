"""What the streams come to: each fact once, whatever is written again, and money to the cent."""

from collections import Counter
from collections.abc import Callable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from floorbook import money, topics
from floorbook.ledger import accounts
from floorbook.ledger.journal import Conflict, Entry, journalise, mirror
from floorbook.metrics.count import (
    AFTER_SETTLEMENT,
    BEFORE_SETTLEMENT,
    WINDOW,
    WINDOW_KEPT,
    Booked,
    Count,
    Folded,
    Tally,
)
from floorbook.money import Movement, MovementKind, Transfer, stake_of
from floorbook.wire.quarantine import Quarantined

CARDS = ("thirteen_cards", "thirteen_cards")
PURSE = ("thirteen_cards", "MOP")
FLOOR = (topics.FLOOR.name, 0)
MOVEMENTS = (topics.MOVEMENTS.name, 0)
ENTRIES = (topics.LEDGER_ENTRIES.name, 0)
QUARANTINE = (topics.QUARANTINE.name, 0)

Act = Callable[[Count], None]


def movement(
    kind: MovementKind,
    movement_id: str,
    *transfers: Transfer,
    at: tuple[int, int] = (0, 0),
    reverses: str = "",
    reversed_fingerprint: bytes = b"",
) -> Movement:
    return Movement(
        movement_id=movement_id,
        kind=kind,
        table_id="T1",
        round_id="T1/1",
        game=CARDS[0],
        rule_set=CARDS[1],
        rules_version="1",
        gaming_day="2024-05-01",
        own_gaming_day="2024-05-01",
        table_time_ms=1,
        number=1,
        currency="MOP",
        fingerprint=money.fingerprint(kind, "T1/1", "MOP", transfers, reverses),
        transfers=transfers,
        reverses=reverses,
        reversed_fingerprint=reversed_fingerprint,
        offset=at[0],
        index=at[1],
    )


def booked(entry: Entry | Conflict, at: tuple[int, int]) -> Booked:
    assert isinstance(entry, Entry)
    postings = tuple((each.account, each.amount) for each in entry.postings)
    return Booked(at, entry.kind, (entry.game, entry.rule_set), entry.currency, postings)


HOLD = (Transfer("player/p1", "layout", 500), Transfer("player/p2", "layout", 300))
SETTLED = (
    Transfer("layout", "player/p1", 500),
    Transfer("bank", "player/p1", 500),
    Transfer("player/p1", "commission", 25),
    Transfer("layout", "bank", 300),
)


def test_bets_and_handle_come_from_what_is_held_and_go_with_what_is_released() -> None:
    count = Count()
    count.movement(MOVEMENTS, movement(MovementKind.HOLD, "T1/1/hold", *HOLD))
    stake = Transfer("bank", "layout", 9_000)
    count.movement(MOVEMENTS, movement(MovementKind.HOLD, "T1/2/hold", stake, *HOLD, at=(1, 0)))
    back = tuple(Transfer(each.payee, each.payer, each.amount) for each in (stake, *HOLD))
    count.movement(MOVEMENTS, movement(MovementKind.RELEASE, "T1/2/release", *back, at=(2, 0)))
    assert count.tally.bets == {CARDS: 4}
    assert count.tally.handle == {PURSE: 1_600}
    assert count.tally.handle_released == {PURSE: 800}
    assert count.tally.movements == {("hold",): 2, ("release",): 1}


def test_a_round_voided_after_its_settlement_is_counted_as_settled_and_as_void() -> None:
    count = Count()
    count.folded(FLOOR, Folded((1, 0), CARDS, opened=True))
    count.folded(FLOOR, Folded((2, 0), CARDS, opened=True))
    count.movement(MOVEMENTS, movement(MovementKind.SETTLEMENT, "T1/1/settlement/1", *SETTLED))
    count.folded(FLOOR, Folded((3, 0), CARDS, void=BEFORE_SETTLEMENT))
    count.folded(FLOOR, Folded((4, 0), CARDS, void=AFTER_SETTLEMENT))
    assert count.tally.rounds_opened == {CARDS: 2}
    assert count.tally.rounds_settled == {CARDS: 1}
    assert count.tally.rounds_void == {
        (*CARDS, BEFORE_SETTLEMENT): 1,
        (*CARDS, AFTER_SETTLEMENT): 1,
    }


def test_a_second_settlement_settles_no_second_round() -> None:
    count = Count()
    for number, at in ((1, 5), (2, 7)):
        settlement = movement(
            MovementKind.SETTLEMENT, f"T1/1/settlement/{number}", *SETTLED, at=(at, 0)
        )
        count.movement(MOVEMENTS, settlement)
    count.movement(
        MOVEMENTS,
        movement(MovementKind.REVERSAL, "T1/1/settlement/2/reversal", at=(8, 0)),
    )
    assert count.tally.rounds_settled == {CARDS: 1}
    assert count.tally.movements == {("settlement",): 2, ("reversal",): 1}
    assert count.tally.reversals == {CARDS: 1}


@given(
    wins=st.lists(st.integers(-1_000, 1_000).filter(bool), min_size=1, max_size=5),
    fees=st.integers(1, 50),
)
def test_after_reversals_the_house_has_what_the_last_settlement_gave_it(
    wins: list[int], fees: int
) -> None:
    count, at = Count(), 0
    for number, win in enumerate(wins, 1):
        bank = (
            Transfer("player/p1", "bank", win) if win > 0 else Transfer("bank", "player/p1", -win)
        )
        paid = (bank, Transfer("player/p1", "commission", fees), Transfer("player/p2", "charge", 7))
        settlement = movement(MovementKind.SETTLEMENT, f"T1/1/settlement/{number}", *paid)
        entry = journalise(settlement)
        count.entry(ENTRIES, booked(entry, (at, 0)))
        if number < len(wins):
            reversal = movement(
                MovementKind.REVERSAL,
                f"{settlement.movement_id}/reversal",
                reverses=settlement.movement_id,
                reversed_fingerprint=settlement.fingerprint,
            )
            count.entry(ENTRIES, booked(mirror(reversal, entry), (at + 1, 0)))
        at += 2
    assert count.tally.house_win == {PURSE: wins[-1]}
    assert count.tally.commission == {PURSE: fees}
    assert count.tally.charge == {PURSE: 7}
    assert count.tally.entries[("settlement",)] == len(wins)
    assert count.tally.entries[("reversal",)] == len(wins) - 1


@pytest.mark.parametrize("party", ["player/bank", "player/cobank", "layout"])
def test_what_others_get_is_no_win_of_the_house(party: str) -> None:
    count = Count()
    account = accounts.account(party, "bank", "pai_kau")
    postings = (("player/p1", -5), (account, 5))
    count.entry(ENTRIES, Booked((0, 0), MovementKind.HOLD, CARDS, "MOP", postings))
    assert not count.tally.house_win
    assert not count.tally.commission
    assert not count.tally.charge


def test_the_house_wins_by_its_co_bank_too() -> None:
    count = Count()
    account = accounts.account("cobank", "T1", "pai_kau")
    postings = (("player/p1", -5), (account, 5))
    count.entry(ENTRIES, Booked((0, 0), MovementKind.SETTLEMENT, CARDS, "MOP", postings))
    assert count.tally.house_win == {PURSE: 5}


def test_what_a_player_puts_up_as_a_bank_is_no_bet() -> None:
    count = Count()
    stake = Transfer("player/p9", "layout", 9_000, stake_of("p9"))
    count.movement(MOVEMENTS, movement(MovementKind.HOLD, "T1/1/hold", stake, *HOLD))
    back = tuple(Transfer(t.payee, t.payer, t.amount, t.subject) for t in (stake, *HOLD))
    count.movement(MOVEMENTS, movement(MovementKind.RELEASE, "T1/1/release", *back, at=(2, 0)))
    assert count.tally.bets == {CARDS: 2}
    assert count.tally.handle == {PURSE: 800}
    assert count.tally.handle_released == {PURSE: 800}


def test_refusals_are_counted_by_reason() -> None:
    count = Count()
    for offset, reason in enumerate(("WRONG_PHASE", "", "BAD_BET", "WRONG_PHASE")):
        count.folded(FLOOR, Folded((offset, 0), CARDS, reason))
    assert count.tally.refusals == {("WRONG_PHASE",): 2, ("BAD_BET",): 1}


def _acts() -> list[Act]:
    """Return one table's story as records of three topics, each in the order of its events."""
    hold = movement(MovementKind.HOLD, "T1/1/hold", *HOLD, at=(3, 0))
    first = movement(MovementKind.SETTLEMENT, "T1/1/settlement/1", *SETTLED, at=(5, 0))
    back = movement(
        MovementKind.REVERSAL,
        "T1/1/settlement/1/reversal",
        at=(9, 0),
        reverses=first.movement_id,
        reversed_fingerprint=first.fingerprint,
    )
    released = tuple(Transfer("layout", each.payer, each.amount) for each in HOLD)
    release = movement(MovementKind.RELEASE, "T1/1/release", *released, at=(9, 1))
    moved = (hold, first, back, release)
    entries = (journalise(hold), journalise(first), mirror(back, journalise(first)))
    return [
        *(
            (lambda count, one=one: count.folded(FLOOR, one))
            for one in (
                Folded((1, 0), CARDS, opened=True),
                Folded((2, 0), CARDS, "BAD_BET"),
                Folded((9, 0), CARDS, void=AFTER_SETTLEMENT),
            )
        ),
        *((lambda count, one=one: count.movement(MOVEMENTS, one)) for one in moved),
        *(
            (lambda count, one=one: count.entry(ENTRIES, one))
            for one in (booked(each, (at, 0)) for each, at in zip(entries, (3, 5, 9), strict=True))
        ),
    ]


TOPIC_SIZES = (3, 4, 3)


@st.composite
def deliveries(draw: st.DrawFn) -> list[int]:
    """Return an order of the story's records: topics interleave, and whatever came may come again."""
    starts = [sum(TOPIC_SIZES[:topic]) for topic in range(len(TOPIC_SIZES))]
    next_of = [0] * len(TOPIC_SIZES)
    order: list[int] = []
    while any(came < size for came, size in zip(next_of, TOPIC_SIZES, strict=True)):
        if bool(order) and draw(st.booleans()):
            order.append(draw(st.sampled_from(order)))
            continue
        left = [t for t, size in enumerate(TOPIC_SIZES) if next_of[t] < size]
        topic = draw(st.sampled_from(left))
        order.append(starts[topic] + next_of[topic])
        next_of[topic] += 1
    return order


def figures(tally: Tally) -> dict[str, object]:
    """Return a tally's figures without what says how often something was written."""
    return {
        name: getattr(tally, name) for name in tally.__struct_fields__ if name not in ("repeats",)
    }


@given(order=deliveries(), cut=st.integers(0, 40))
def test_whatever_is_written_again_and_wherever_counting_is_taken_over_is_counted_once(
    order: list[int], cut: int
) -> None:
    acts = _acts()
    straight = Count()
    for act in acts:
        act(straight)
    before, after = Count(), Count()
    for which in order[:cut]:
        acts[which](before)
    for place in (FLOOR, MOVEMENTS, ENTRIES):
        assert after.resume(place, before.mark(place))
    for which in order[cut:]:
        acts[which](after)
    sums: Counter[tuple[str, object]] = Counter()
    for tally in (before.take(), after.take()):
        for name, counts in figures(tally).items():
            if isinstance(counts, dict):
                sums.update({(name, labels): amount for labels, amount in counts.items()})
    wanted = {
        (name, labels): amount
        for name, counts in figures(straight.take()).items()
        if isinstance(counts, dict)
        for labels, amount in counts.items()
    }
    assert {key: amount for key, amount in sums.items() if amount} == {
        key: amount for key, amount in wanted.items() if amount
    }


def test_two_records_of_one_event_are_two() -> None:
    count = Count()
    for index in (0, 1, 0, 1):
        count.movement(MOVEMENTS, movement(MovementKind.HOLD, "T1/1/hold", HOLD[0], at=(4, index)))
    assert count.tally.movements == {("hold",): 2}
    assert count.tally.repeats == {(MOVEMENTS[0],): 2}


def test_partitions_do_not_hide_one_another() -> None:
    count = Count()
    for partition in (0, 1):
        count.folded((FLOOR[0], partition), Folded((7, 0), CARDS, opened=True))
    assert count.tally.rounds_opened == {CARDS: 2}


def quarantined(offset: int, topic: str = topics.FLOOR.name) -> Quarantined:
    return Quarantined(topic, 0, offset, "NOT_DECODABLE", "no words", "gateway")


def test_what_two_services_could_not_read_is_in_quarantine_once() -> None:
    count = Count()
    for record in (quarantined(3), quarantined(4), quarantined(3)):
        count.quarantined(QUARANTINE, record)
    assert count.tally.quarantined == {(topics.FLOOR.name, "NOT_DECODABLE"): 2}
    assert count.tally.repeats == {(QUARANTINE[0],): 1}


def test_what_lies_in_no_topic_is_counted_each_time() -> None:
    count = Count()
    for _ in range(3):
        count.quarantined(QUARANTINE, quarantined(0, topic=""))
    assert count.tally.quarantined == {("", "NOT_DECODABLE"): 3}


def test_quarantine_is_remembered_within_a_window_and_over_a_restart() -> None:
    count = Count()
    for offset in range(WINDOW + 1):
        count.quarantined(QUARANTINE, quarantined(offset))
    count.quarantined(QUARANTINE, quarantined(0))  # so long ago that it counts again
    assert count.tally.quarantined[(topics.FLOOR.name, "NOT_DECODABLE")] == WINDOW + 2
    mark = count.mark(QUARANTINE)
    assert len(mark) < 4096, "more than a broker takes beside an offset"
    successor = Count()
    assert successor.resume(QUARANTINE, mark, ordered=False)
    for offset in range(WINDOW + 2 - WINDOW_KEPT, WINDOW + 1):
        successor.quarantined(QUARANTINE, quarantined(offset))
    assert not successor.tally.quarantined


@pytest.mark.parametrize("mark", ["7", "2/1.0", "1/a.b", "1/7", "1/-1.0", "1/7."])
def test_a_mark_that_is_not_understood_is_said_to_be(mark: str) -> None:
    assert not Count().resume(FLOOR, mark)


@pytest.mark.parametrize("place", [FLOOR, QUARANTINE])
def test_a_partition_without_a_mark_begins_with_nothing_seen(place: tuple[str, int]) -> None:
    count = Count()
    assert count.resume(place, "", ordered=place is FLOOR)
    assert count.resume(place, count.mark(place), ordered=place is FLOOR)
    count.folded(FLOOR, Folded((0, 0), CARDS, opened=True))
    assert count.tally.rounds_opened == {CARDS: 1}


def test_taking_figures_forgets_none_of_what_was_seen() -> None:
    count = Count()
    count.folded(FLOOR, Folded((0, 0), CARDS, opened=True))
    assert count.take().rounds_opened == {CARDS: 1}
    count.folded(FLOOR, Folded((0, 0), CARDS, opened=True))
    assert not count.take().rounds_opened
    count.forget()
    count.folded(FLOOR, Folded((0, 0), CARDS, opened=True))
    assert count.take().rounds_opened == {CARDS: 1}
