"""A round of Thirteen Cards event by event: dice, decks, misdeals, the clock, who is waited for."""

import json

import pytest

from floorbook.games.thirteen_cards.deal import first_gate
from floorbook.money import MovementKind
from floorbook.table import events
from floorbook.table.state import encode, obligation_id
from floorbook.table.thirteen_cards import facts
from floorbook.table.thirteen_cards.apply import turned
from floorbook.wire.envelope import LATEST_MS
from tests.unit.table.playing import (
    DEALER,
    DICE,
    LIMIT_MS,
    PIT,
    SEATS,
    SHUFFLER,
    THROW,
    Deck,
    Table,
    balances,
    dealt,
    fouled,
    laid,
    order_for,
    shuffled,
)

P1, P2, P3 = SEATS["p1"], SEATS["p2"], SEATS["p3"]


# Places, bets, the lock


def test_has_place_is_what_holds_at_the_lock() -> None:
    table = Table().open().to("BETTING")
    table.bet("b1", "p1", 1, 500, 3)
    table.bet("b2", "p2", 1, 100, 1)
    table.does(P1, facts.PlaceLeft("p1"))
    assert table.code(P1, facts.ShakeStarted("p1")) == "NOT_SHAKER"
    table.does(P2, facts.ShakeStarted("p2"))
    assert table.game.holders == {1: "p2"}


def test_a_holder_who_leaves_has_the_clock_run_out() -> None:
    table = Table().open().to("OPENED")
    table.does(P1, facts.PlaceLeft("p1"))
    assert table.game.holders == {1: "p1", 2: "p2"}
    table.set(2)
    assert table.phase == "OPENED"
    table.signal()
    gates = {gate["gate"]: gate for gate in json.loads(table.owed().request)["gates"]}
    assert gates[1]["arrangement"] is None
    assert gates[2]["arrangement"] is not None


def test_a_moved_bet_lies_at_the_end_of_the_list() -> None:
    table = Table().open().to("BETTING")
    table.bet("b1", "p1", 1)
    table.bet("b2", "p2", 2)
    table.bet("b3", "p3", 3)
    table.does(P1, facts.BetMoved("b1", "p1", 2))
    table.does(P3, facts.BetWithdrawn("b3", "p3"))
    assert [(bet.bet_id, bet.gate) for bet in table.game.bets] == [("b2", 2), ("b1", 2)]


def test_equal_totals_leave_the_shake_to_the_first_bettor() -> None:
    table = Table().open().to("BETTING")
    table.bet("b1", "p1", 1)
    table.bet("b2", "p2", 2)
    table.does(P1, facts.BetMoved("b1", "p1", 3))
    assert table.code(P1, facts.ShakeStarted("p1")) == "NOT_SHAKER"
    assert table.code(P2, facts.ShakeStarted("p2")) == ""


def test_the_lock_holds_every_bet() -> None:
    table = Table().open().to("LOCKED")
    (hold,) = table.movements
    assert hold.kind is MovementKind.HOLD
    assert [(t.payer, t.payee, t.amount, t.subject) for t in hold.transfers] == [
        ("player/p1", "layout", 200, "b1"),
        ("player/p2", "layout", 100, "b2"),
    ]


# Dice


def test_a_void_throw_leaves_the_bets_locked_and_is_thrown_again() -> None:
    table = Table().open().to("LOCKED")
    table.does(DICE, events.ThrowVoid(events.ThrowFault.COCKED, (1, 0, 3, 4)))
    assert table.phase == "LOCKED"
    table.does(DICE, events.DiceThrown((6, 6, 6, 6)))
    assert table.phase == "DEALING"
    assert len(table.movements) == 1


@pytest.mark.parametrize("banker", range(4))
def test_every_gate_is_dealt_in_turn_from_the_first(banker: int) -> None:
    for dice in ((1, 1, 1, 1), (1, 1, 1, 2), (1, 1, 2, 2), (1, 2, 2, 2)):
        table = Table().open(banker_gate=banker).to("BETTING", sealed=False)
        table.lock()
        order = order_for({})
        table.deal(order, dice)
        gate = first_gate(banker, dice)
        assert [table.game.hands[(gate + i) % 4][0] for i in range(4)] == list(order[:4])
        assert all(len(hand) == 13 for hand in table.game.hands)


def test_dice_may_be_put_right_until_the_pack_is_dealt() -> None:
    table = Table().open().to("DEALING")
    thrown = table.log[-1].event_id
    right = events.DiceThrown((1, 1, 1, 1))

    def corrected(event_id: str, dice: events.DiceThrown | None = right) -> str:
        return table.code(PIT, events.ReadingCorrected(event_id, "MISREAD", "cam 7", dice))

    assert corrected(thrown, None) == "NOTHING_CORRECTED"
    assert corrected("T1/dice/1/99") == "UNKNOWN_READING"
    assert corrected(thrown, events.DiceThrown((0, 1, 1, 1))) == "BAD_DICE"
    assert corrected(thrown) == ""
    assert table.game.dice == (1, 1, 1, 1)
    table.deal()
    assert corrected(thrown, events.DiceThrown(THROW)) == "READING_IN_USE"
    table.void_deal()
    table.to_betting()
    assert table.phase == "DEALING"
    assert corrected(thrown, events.DiceThrown(THROW)) == "READING_IN_USE"


# Decks


def test_what_is_dealt_is_the_opened_pack_turned_by_all_cuts() -> None:
    table = Table().open()
    deck = shuffled(table.rng)
    table.does(DEALER, facts.PackShuffled())
    table.does(SHUFFLER, events.ShuffleSealed(deck.root, 52))
    table.does(P1, facts.PackCut("p1", 40))
    table.does(SHUFFLER, events.DeckCut(15))
    table.does(DEALER, facts.PackBoxed())
    table.deck = deck
    table.lock()
    table.deal()
    assert turned(table.game) == deck.faces[3:] + deck.faces[:3]
    assert table.order() == turned(table.game)


def test_a_machine_alone_opens_a_round_and_seals_but_once() -> None:
    table = Table().open()
    deck = shuffled(table.rng)
    table.does(SHUFFLER, events.ShuffleSealed(deck.root, 52))
    assert (table.phase, table.state.round_number) == ("SHUFFLED", 1)
    assert table.code(DEALER, facts.PackShuffled()) == "WRONG_PHASE"
    assert table.code(SHUFFLER, events.ShuffleSealed(b"o" * 32, 52)) == "WRONG_PHASE"


def other_root(table: Table) -> events.DeckOpened:
    return shuffled(table.rng).opened()


def without_one(table: Table) -> events.DeckOpened:
    assert table.deck is not None
    return table.deck.opened(range(51))


@pytest.mark.parametrize(
    ("opened", "code"), [(other_root, "OPENING_MISMATCH"), (without_one, "BAD_DECK")]
)
def test_another_opening_suspends_and_may_be_sent_again(opened: object, code: str) -> None:
    assert callable(opened)
    table = Table().open().to("DEALING")
    assert table.code(SHUFFLER, opened(table)) == code
    (cause,) = table.causes()
    assert cause == f"opening/{table.log[-1].event_id}"
    assert table.game.pack == ()
    table.does(PIT, events.SuspensionResolved(events.Decision.RESUME, cause))
    table.deal()
    assert table.phase == "DEALT"


def test_a_sealed_pack_with_a_card_twice_suspends() -> None:
    faces = ("As", *order_for({})[:51])
    table = Table().open()
    deck = Deck(("As", "As", *[c for c in faces if c != "As"][:50]), shuffled(table.rng).salts)
    table.to_betting(deck)
    table.lock()
    table.does(DICE, events.DiceThrown(THROW))
    assert table.code(SHUFFLER, deck.opened()) == "BAD_DECK"
    assert len(table.causes()) == 1


def test_another_card_than_was_opened_suspends() -> None:
    table = Table().open().to("DEALING")
    assert table.deck is not None
    table.does(SHUFFLER, table.deck.opened())
    uncut = dealt(table.deck.faces)
    assert table.code(DEALER, facts.PackDealt(uncut)) == "DEALT_NOT_AS_OPENED"
    assert table.phase == "DEALING"
    assert table.causes() == [f"opening/{table.log[-1].event_id}"]


def test_a_misdeal_of_other_cards_than_were_opened_suspends() -> None:
    table = Table().open().to("DEALT")
    order = table.order()
    report = dealt((order[1], order[0], *order[2:]), wrong={order[5]: 0})
    code = table.code(DEALER, facts.MisdealReported(report, recoverable=True))
    assert code == "DEALT_NOT_AS_OPENED"
    assert len(table.causes()) == 1


# Misdeals


def test_cards_at_a_wrong_gate_are_put_right_at_the_deal() -> None:
    table = Table().open().to("DEALING", sealed=False)
    order = order_for({})
    table.deal(order, wrong={order[0]: 0, order[7]: 2})
    assert table.order() == order


def test_a_card_dealt_face_up_changes_nothing() -> None:
    table = Table().open().to("DEALT")
    before = table.game
    table.does(DEALER, facts.CardExposed(2))
    assert table.game == before


def test_a_misdeal_put_right_forgets_what_was_laid_of_a_changed_hand() -> None:
    table = Table().open().to("DEALT")
    table.does(DEALER, facts.BankerArranged(laid(table.game.hands[0])))
    card = table.game.hands[0][3]
    report = dealt(table.order(), wrong={card: 2})
    table.does(DEALER, facts.MisdealReported(report, recoverable=True))
    assert table.phase == "DEALT"
    assert table.code(DEALER, facts.BankerOpened()) == "BANKER_NOT_ARRANGED"
    table.open_banker()
    assert table.phase == "OPENED"


def test_a_misdeal_between_unseen_hands_leaves_the_open_banker() -> None:
    table = Table().open().to("OPENED")
    table.does(P1, facts.HandTaken(1, "p1"))
    banker, timer = table.game.banker, table.timer()
    report = dealt(table.order(), wrong={table.game.hands[2][0]: 3})
    table.does(DEALER, facts.MisdealReported(report, recoverable=True))
    assert (table.game.banker, table.timer()) == (banker, timer)


def test_an_order_reported_anew_may_not_change_a_hand_that_was_seen() -> None:
    """No card is said to lie at the banker's, but another order would give him other cards."""
    table = Table().open().to("OPENED", sealed=False)
    order = list(table.order())
    banker, other = table.game.hands[0][0], table.game.hands[3][0]
    i, j = order.index(banker), order.index(other)
    order[i], order[j] = order[j], order[i]
    report = dealt(order, wrong={table.game.hands[2][0]: 3})
    seen = table.game.hands[0]
    assert table.code(DEALER, facts.MisdealReported(report, recoverable=True)) == "HAND_SEEN"
    assert table.game.hands[0] == seen


def test_a_misdeal_that_cannot_be_put_right_is_dealt_again_with_bets_and_dice() -> None:
    table = Table().open().to("OPENED")
    old_timer = obligation_id(table.state, table.timer())
    table.does(P1, facts.HandTaken(1, "p1"))
    before = table.game
    table.void_deal()
    game = table.game
    assert table.phase == "REDEAL"
    assert (game.hands, game.banker, game.laid, game.taken, game.pack) == ((), None, (), (), ())
    assert (game.bets, game.holders, game.dice) == (before.bets, before.holders, before.dice)
    table.to_betting()
    assert table.phase == "DEALING"
    table.deal()
    assert table.code(DEALER, facts.BankerOpened()) == "BANKER_NOT_ARRANGED"
    table.open_banker()
    stale = table.answer(old_timer, events.TimerExpired()).verdict
    assert stale.refusal is not None
    assert stale.refusal.code == "STALE_TIMER"
    assert table.phase == "OPENED"
    table.set(1)
    table.set(2)
    table.settle()
    assert [m.kind for m in table.movements] == [MovementKind.HOLD, MovementKind.SETTLEMENT]
    assert table.state.round_number == 1


def test_a_deal_may_be_void_more_than_once() -> None:
    table = Table().open().to("REDEAL")
    for _ in range(2):
        table.to_betting()
        table.deal()
        table.void_deal()
    assert table.phase == "REDEAL"
    table.does(PIT, events.RoundVoided("TEST"))
    assert balances(table.movements) == {}


# The clock


@pytest.mark.parametrize(("after_ms", "code"), [(LIMIT_MS, ""), (LIMIT_MS + 1, "TIME_UP")])
def test_five_minutes_are_in_time_and_a_millisecond_more_is_late(after_ms: int, code: str) -> None:
    table = Table().open().to("OPENED")
    fact = facts.HandSet(laid(table.game.hands[1]), 1, "p1")
    assert table.code(P1, fact, after_ms=after_ms) == code
    assert table.timer().due_ms == table.now_ms - after_ms + LIMIT_MS + 1
    if not code:
        assert table.game.laid[0].elapsed_ms == LIMIT_MS


def test_what_lies_behind_the_signal_is_late_whatever_its_time() -> None:
    table = Table().open().to("OPENED")
    table.set(2)
    table.signal()
    table.now_ms -= 200_000
    assert table.code(P1, facts.HandSet(laid(table.game.hands[1]), 1, "p1")) == "TIME_UP"


def test_what_lies_before_the_signal_counts() -> None:
    table = Table().open().to("OPENED")
    timer = obligation_id(table.state, table.timer())
    table.set(1)
    table.set(2)
    assert table.phase == "COMPLETE"
    assert table.state.obligations == (table.owed(),)
    assert table.answer(timer, events.TimerExpired()).verdict.known
    table.settle()
    assert table.answer(timer, events.TimerExpired()).verdict.known
    table.to("OPENED")
    refused = table.answer(timer, events.TimerExpired()).verdict.refusal
    assert refused is not None
    assert refused.code == "STALE_TIMER"


def test_the_signal_ends_the_round_for_gates_that_are_not_set() -> None:
    table = Table().open().to("OPENED")
    table.set(1)
    timer = obligation_id(table.state, table.timer())
    table.signal()
    assert table.phase == "COMPLETE"
    assert table.answer(timer, events.TimerExpired()).verdict.known
    settled = table.settle()
    assert settled.effects.records[0].void is False
    result = json.loads(table.log[-1].fact.result)  # type: ignore[attr-defined]
    assert [gate["status"] for gate in result["gates"]] == ["ok", "timeout"]


def test_laying_again_after_the_opening_does_not_start_the_clock_anew() -> None:
    table = Table().open().to("OPENED")
    timer = table.timer()
    hand = fouled(table.game.hands[0])
    table.does(DEALER, facts.BankerArranged(hand), after_ms=10_000)
    assert table.timer() == timer
    assert table.game.banker is not None
    assert table.game.banker.middle == hand.middle


def test_a_fouled_hand_is_laid_and_loses() -> None:
    table = Table().open().to("OPENED")
    table.set(1, fouled(table.game.hands[1]))
    table.set(2)
    table.settle()
    (settled,) = [m for m in table.movements if m.kind is MovementKind.SETTLEMENT]
    lost = settled.transfers[0]
    assert (lost.payer, lost.payee, lost.subject) == ("layout", "bank", "b1")
    assert "Art.7" in lost.rules


def test_a_limit_of_the_table_replaces_the_five_minutes() -> None:
    table = Table().open(flags='{"arrange_limit_ms":0}').to("OPENED")
    fact = facts.HandSet(laid(table.game.hands[1]), 1, "p1")
    assert table.code(P1, fact, after_ms=0) == ""
    assert table.code(P2, facts.HandTaken(2, "p2"), after_ms=1) == "TIME_UP"


def test_table_time_never_goes_back() -> None:
    table = Table().open().to("OPENED")
    due = table.timer().due_ms
    table.now_ms -= 60_000
    table.does(P1, facts.HandTaken(1, "p1"))
    table.set(1)
    assert table.game.laid[0].elapsed_ms == 0
    assert table.timer().due_ms == due


# Who is waited for


def test_the_dealer_sets_a_gate_whose_bettors_have_no_place() -> None:
    table = Table().open().to("BETTING")
    table.does(DEALER, facts.BetPlaced("b1", "p9", 1, 100, 1))
    table.bet("b2", "p2", 2)
    table.lock()
    assert table.game.holders == {1: "house", 2: "p2"}
    table.deal()
    table.open_banker()
    hand = laid(table.game.hands[1])
    assert table.code(P1, facts.HandSet(hand, 1, "p1")) == "NOT_HOLDER"
    table.set(1)
    table.set(2)
    assert table.phase == "COMPLETE"
    table.settle()
    assert "layout" not in balances(table.movements)


def test_nobody_holds_two_gates() -> None:
    table = Table().open().to("BETTING")
    table.bet("b1", "p1", 1, 100, 3)
    table.bet("b2", "p1", 2, 100, 2)
    table.bet("b3", "p2", 2, 100, 1)
    table.lock()
    assert table.game.holders == {1: "p1", 2: "p2"}


def test_gates_without_bets_are_not_waited_for_nor_judged() -> None:
    table = Table().open().to("BETTING")
    table.bet("b1", "p1", 3)
    table.lock()
    table.deal()
    table.open_banker()
    table.set(3)
    assert table.phase == "COMPLETE"
    assert [gate["gate"] for gate in json.loads(table.owed().request)["gates"]] == [0, 3]


def test_the_evaluator_gets_what_was_laid_and_when() -> None:
    table = Table(seed=3).open().to("OPENED")
    table.set(2, after_ms=1_000)
    table.set(1, after_ms=2_000)
    asked = json.loads(table.owed().request)
    game = table.game
    assert asked["banker_gate"] == 0
    assert [gate["gate"] for gate in asked["gates"]] == [0, 1, 2]
    assert [gate["elapsed_ms"] for gate in asked["gates"]] == [0, 3_000, 1_000]
    assert [tuple(gate["cards"]) for gate in asked["gates"]] == [game.hands[g] for g in (0, 1, 2)]
    assert [bet["bet_id"] for bet in asked["bets"]] == ["b1", "b2"]


def test_a_round_without_bets_goes_its_way_and_is_settled_with_nothing() -> None:
    table = Table().open().to("BETTING")
    assert table.code(P1, facts.ShakeStarted("p1")) == "NOT_SHAKER"
    table.lock()
    table.deal()
    table.open_banker()
    assert table.phase == "COMPLETE"
    assert [gate["gate"] for gate in json.loads(table.owed().request)["gates"]] == [0]
    table.settle()
    assert table.phase == "SETTLED"
    # Every round that is not void has one settlement in force, also where nobody bet.
    assert [(m.movement_id, m.transfers) for m in table.movements] == [("T1/1/settlement/1", ())]
    assert table.code(PIT, events.SettledRoundVoided("T1/1", "TEST")) == ""
    assert [m.movement_id for m in table.movements[1:]] == ["T1/1/settlement/1/reversal"]


# The table itself


def test_a_table_is_closed_between_rounds_only() -> None:
    table = Table().open()
    assert table.code(PIT, table.terms()) == "ALREADY_OPEN"
    table.to("BETTING")
    assert table.code(PIT, events.TableClosed()) == "ROUND_IN_PROGRESS"
    table.does(PIT, events.RoundVoided("TEST"))
    assert table.code(PIT, events.TableClosed()) == ""
    assert table.code(DEALER, facts.PackShuffled()) == "TABLE_CLOSED"
    assert table.code(PIT, table.terms(currency="HKD")) == ""
    table.round()
    assert table.state.round_number == 2
    assert {m.currency for m in table.movements} == {"HKD"}


@pytest.mark.parametrize(
    ("changes", "code"),
    [
        ({"rule_set": "poker"}, "UNKNOWN_RULE_SET"),
        ({"flags": "[]"}, "BAD_CONFIG"),
        ({"flags": '{"banker_foul":"shrug"}'}, "BAD_CONFIG"),
        ({"flags": '{"a":' + "[" * 1_900 + "]" * 1_900 + "}"}, "BAD_CONFIG"),
        ({"flags": '{"arrange_limit_ms":100000000000000000000}'}, "BAD_CONFIG"),
        ({"thirteen_cards": None}, "OPTIONS_MISSING"),
        ({"minimum": 200, "maximum": 100}, "BAD_LIMITS"),
        ({"equipment": ()}, "OWN_TERMINAL_MISSING"),
        (
            {"equipment": (events.Equipment(PIT, events.EquipmentKind.PIT_TERMINAL),) * 2},
            "EQUIPMENT_TWICE",
        ),
    ],
)
def test_terms_that_cannot_be_played_are_refused(changes: dict[str, object], code: str) -> None:
    table = Table()
    table.start(PIT)
    assert table.code(PIT, table.terms(**changes)) == code
    assert table.state.terms is None
    assert encode(table.state)


def test_equipment_changes_between_rounds_or_while_suspended() -> None:
    table = Table().open()
    keep = (events.Equipment(PIT, events.EquipmentKind.PIT_TERMINAL),)
    table.to("BETTING")
    assert table.code(PIT, events.EquipmentChanged(keep)) == "ROUND_IN_PROGRESS"
    table.does(PIT, events.TableSuspended("TEST"))
    assert table.code(PIT, events.EquipmentChanged(())) == "OWN_TERMINAL_MISSING"
    assert table.code(PIT, events.EquipmentChanged(keep)) == ""
    assert table.code(DEALER, facts.PackBoxed()) == "UNKNOWN_EQUIPMENT"


# The gaming day


@pytest.mark.parametrize(
    ("minutes_past_midnight", "day"),
    [(0, "2023-11-14"), (359, "2023-11-14"), (360, "2023-11-15"), (1439, "2023-11-15")],
)
def test_a_gaming_day_starts_at_its_own_minute(minutes_past_midnight: int, day: str) -> None:
    midnight = 1_699_977_600_000
    table = Table(start_ms=midnight + minutes_past_midnight * 60_000).open(players=2)
    table.does(DEALER, facts.PackShuffled(), after_ms=0)
    assert table.state.gaming_day == day


def test_a_round_belongs_whole_to_the_day_in_which_it_was_opened() -> None:
    five_to_six = 1_699_999_200_000 - 300_000
    table = Table(start_ms=five_to_six).open().to("OPENED")
    table.now_ms += 299_000
    table.set(1)
    table.set(2)
    table.settle()
    hold, settlement = table.movements
    assert (hold.gaming_day, hold.own_gaming_day) == ("2023-11-14", "2023-11-14")
    assert (settlement.gaming_day, settlement.own_gaming_day) == ("2023-11-14", "2023-11-15")
    table.does(PIT, events.SettledRoundVoided("T1/1", "TEST"))
    reversal, release = table.movements[2:]
    assert (reversal.gaming_day, reversal.own_gaming_day) == ("2023-11-14", "2023-11-15")
    assert (release.gaming_day, release.own_gaming_day) == ("2023-11-14", "2023-11-15")
    table.to("BETTING")
    assert table.state.gaming_day == "2023-11-15"


def test_the_latest_time_that_is_believed_has_a_gaming_day() -> None:
    table = Table(start_ms=LATEST_MS - 1_000_000).open()
    table.round()
    assert {m.gaming_day for m in table.movements} == {"5138-11-16"}
