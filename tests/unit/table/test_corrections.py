"""Answers of the evaluator, rounds that are void or corrected, and every cent of them."""

import json

import pytest

from floorbook.money import MovementKind
from floorbook.table import events
from floorbook.table.effects import SUPERVISOR, Disclosure
from floorbook.table.events import Decision, Fact, RoundEvaluated, SuspensionResolved
from floorbook.table.state import CORRECTABLE, ROUNDS_KEPT, Reason, obligation_id
from floorbook.table.step import Step
from floorbook.table.thirteen_cards import facts
from floorbook.table.thirteen_cards.shapes import CorrectedGate, ThirteenCardsCorrection
from floorbook.table.thirteen_cards.shown import ThirteenCardsShown
from floorbook.v1 import floor_pb2
from floorbook.wire import floor, movement
from tests.unit.table.playing import DEALER, PIT, SEATS, Table, balances, fouled, laid


def code(taken: Step) -> str:
    return taken.verdict.refusal.code if taken.verdict.refusal else ""


def resume(table: Table) -> None:
    (cause,) = table.causes()
    table.does(PIT, SuspensionResolved(Decision.RESUME, cause))


def correction(round_id: str, *gates: CorrectedGate) -> events.SettledRoundCorrected:
    return events.SettledRoundCorrected(round_id, "MISREAD", "7", ThirteenCardsCorrection(gates))


def late(gate: int = 1) -> CorrectedGate:
    return CorrectedGate(gate, None)


def void(round_id: str) -> events.SettledRoundVoided:
    return events.SettledRoundVoided(round_id, "TEST")


def booked(table: Table) -> list[str]:
    return [m.movement_id.removeprefix("T1/") for m in table.movements]


def check_books(table: Table) -> None:
    """The numbers have no gaps, the ledger can read everything, and the layout is what is open."""
    assert [m.number for m in table.movements] == list(range(1, len(table.movements) + 1))
    assert table.state.movements == len(table.movements)
    for each in table.movements:
        assert movement.fault(each) is None
        assert movement.decode(movement.encode(each)) == each
    found = balances(table.movements)
    assert sum(found.values()) == 0
    locked = table.state.game is not None and table.game.shaker
    if table.phase in ("SETTLED", "VOID", "IDLE", "BETTING") and not table.state.obligations:
        assert "layout" not in found
    elif locked and table.phase not in ("SETTLED", "VOID"):
        assert found["layout"] == sum(bet.stake for bet in table.game.bets)


# Answers


def test_a_settlement_says_who_owes_whom_and_why() -> None:
    table = Table().open()
    table.round()
    hold, settlement = table.movements
    assert (hold.movement_id, settlement.movement_id) == ("T1/1/hold", "T1/1/settlement/1")
    assert (settlement.game, settlement.rule_set, settlement.rules_version) == (
        "thirteen_cards",
        "thirteen_cards",
        "1",
    )
    assert all(t.rules for t in settlement.transfers)
    completed = next(e for e in reversed(table.log) if isinstance(e.fact, facts.HandSet))
    assert settlement.completed_time_ms == completed.observe_time_ms
    check_books(table)


def test_a_second_answer_is_known_already_whatever_its_wording() -> None:
    table = Table().open().to("COMPLETE")
    owed, owed_id = table.owed(), table.owed_id()
    answer = table.judged()
    assert isinstance(answer, RoundEvaluated)
    table.answer(owed_id, answer)
    before = table.state
    worded = RoundEvaluated(owed.rule_set, "2", answer.result + " ", ("Art.1",))
    again = table.answer(owed_id, worded)
    assert (again.verdict.known, again.verdict.refusal) == (True, None)
    assert table.answer(owed_id, events.EvaluationRefused("BAD_DECK")).verdict.known
    assert table.state is before


def changed(table: Table, **bet: object) -> RoundEvaluated:
    """Return the evaluator's answer with its first bet changed."""
    answer = table.judged()
    assert isinstance(answer, RoundEvaluated)
    result = json.loads(answer.result)
    result["bets"][0].update(bet)
    result["banker_net"] = sum(b["stake"] - b["returned"] for b in result["bets"])
    return RoundEvaluated(answer.rule_set, answer.rules_version, json.dumps(result))


def test_other_money_in_a_second_answer_is_told() -> None:
    table = Table().open().to("COMPLETE")
    owed_id, answer = table.owed_id(), table.judged()
    other = changed(table, outcome="tie", prize=0, commission=0, returned=200)
    nonsense = RoundEvaluated("thirteen_cards", "1", "{}")
    table.answer(owed_id, answer)
    before = table.state
    for differing in (other, nonsense):
        taken = table.answer(owed_id, differing)
        assert code(taken) == "ANSWER_DIFFERS"
        assert taken.verdict.known
        assert taken.effects.movements == ()
    assert table.state is before


@pytest.mark.parametrize(
    "change",
    [
        {"bet_id": "b9"},
        {"gate": 2},
        {"stake": 201},
        {"outcome": "draw"},
        {"outcome": "win", "prize": 100, "commission": 2, "returned": 300},
        {"outcome": "win", "prize": 1, "commission": 2, "returned": 199},
        {"outcome": "win", "prize": 1 << 63, "commission": 0, "returned": 200 + (1 << 63)},
        {"outcome": "tie", "prize": 1, "commission": 0, "returned": 200},
        {"outcome": "lose", "prize": 0, "commission": 0, "returned": 200},
        {"outcome": "void", "prize": 0, "commission": 0, "returned": 200},
        {"cites": [""]},
        {"cites": ["a\nb"]},
        {"stake": "200"},
    ],
)
def test_an_answer_that_does_not_fit_suspends(change: dict[str, object]) -> None:
    table = Table().open().to("COMPLETE")
    if "stake" in change and isinstance(change["stake"], str):
        answer = table.judged()
        assert isinstance(answer, RoundEvaluated)
        unfit: Fact = RoundEvaluated(
            answer.rule_set, answer.rules_version, answer.result.replace("200", '"200"')
        )
    else:
        unfit = changed(table, **change)
    assert code(table.answer(table.owed_id(), unfit)) == "ANSWER_UNFIT"
    assert table.causes() == ["evaluation/T1/1/evaluation/1"]
    assert table.phase == "COMPLETE"
    resume(table)
    assert table.owed_id() == "T1/1/evaluation/2"
    table.settle()
    assert table.phase == "SETTLED"
    check_books(table)


@pytest.mark.parametrize(
    "result",
    [
        "",
        "null",
        "[]",
        "{",
        '{"bets":[],"banker_net":0,"gates":[]}',
        '{"x":' + "[" * 100_000 + "]" * 100_000 + "}",
    ],
)
def test_a_result_that_is_none_suspends(result: str) -> None:
    table = Table().open().to("COMPLETE")
    unfit = RoundEvaluated("thirteen_cards", "1", result)
    assert code(table.answer(table.owed_id(), unfit)) == "ANSWER_UNFIT"


@pytest.mark.parametrize(("rule_set", "version"), [("thirteen_cards", "2"), ("declare", "1")])
def test_an_answer_by_other_rules_suspends(rule_set: str, version: str) -> None:
    table = Table().open().to("COMPLETE")
    answer = table.judged()
    assert isinstance(answer, RoundEvaluated)
    other = RoundEvaluated(rule_set, version, answer.result)
    assert code(table.answer(table.owed_id(), other)) == "ANSWER_OF_OTHER_RULES"
    assert len(table.causes()) == 1


def test_a_refused_evaluation_suspends_until_it_is_asked_again() -> None:
    table = Table().open().to("COMPLETE")
    assert code(table.answer(table.owed_id(), events.EvaluationRefused("BAD_DECK"))) == ""
    assert table.causes() == ["evaluation/T1/1/evaluation/1"]
    rested = table.answer("T1/1/evaluation/1", table.judged())
    assert code(rested) == "SUSPENDED"
    assert table.phase == "COMPLETE"
    resume(table)
    late_answer = table.answer("T1/1/evaluation/1", table.judged())
    assert late_answer.verdict.known
    assert table.phase == "COMPLETE"
    table.answer("T1/1/evaluation/2", table.judged())
    assert table.phase == "SETTLED"
    assert booked(table) == ["1/hold", "1/settlement/1"]


def test_the_supervisor_alone_sees_why_a_round_was_not_evaluated() -> None:
    table = Table().open().to("COMPLETE")
    refused = events.EvaluationRefused("BAD_DECK", "The card AS of p1 is there twice.")
    taken = table.answer(table.owed_id(), refused)
    told = [d for d in taken.effects.disclosures if isinstance(d.shown, events.EvaluationRefused)]
    assert told == [Disclosure((SUPERVISOR,), events.EvaluationRefused("BAD_DECK"))]
    resume(table)
    taken = table.answer(table.owed_id(), changed(table, returned=1))
    assert taken.verdict.refusal == Reason("ANSWER_UNFIT")
    (told_again,) = [
        d for d in taken.effects.disclosures if isinstance(d.shown, events.EvaluationRefused)
    ]
    assert told_again.audiences == (SUPERVISOR,)
    assert isinstance(told_again.shown, events.EvaluationRefused)
    assert told_again.shown.code == "ANSWER_UNFIT"
    assert "does not add up" in told_again.shown.detail
    record = floor_pb2.FloorRecord.FromString(floor.encode(taken, table.log[-1]))
    kinds = [one.WhichOneof("shown") for one in record.folded.disclosures]
    assert kinds == ["suspended", "evaluation_refused"]


def test_a_round_whose_evaluation_was_refused_can_be_voided() -> None:
    table = Table().open().to("COMPLETE")
    table.answer(table.owed_id(), events.EvaluationRefused("BAD_DECK"))
    table.does(PIT, events.RoundVoided("TEST"))
    resume(table)
    assert table.state.obligations == ()
    check_books(table)


@pytest.mark.parametrize("fact", [events.TimerExpired(), facts.PackShuffled()])
def test_what_is_no_answer_answers_nothing(fact: Fact) -> None:
    table = Table().open().to("COMPLETE")
    before = table.state
    assert code(table.answer(table.owed_id(), fact)) == "NOT_AN_ANSWER"
    assert table.state is before


def test_a_judgement_is_no_signal() -> None:
    table = Table().open().to("OPENED")
    timer = obligation_id(table.state, table.timer())
    assert code(table.answer(timer, RoundEvaluated())) == "NOT_AN_ANSWER"
    assert table.phase == "OPENED"


@pytest.mark.parametrize("owed_id", ["", "x", "T1/9/evaluation/1", "T1/x/evaluation/1", "a/b/c/d"])
def test_an_answer_to_what_was_never_owed_changes_nothing(owed_id: str) -> None:
    table = Table().open().to("COMPLETE")
    before = table.state
    assert table.answer(owed_id, table.judged()).verdict.known
    assert code(table.answer(owed_id, events.TimerExpired())) == "STALE_TIMER"
    assert table.state is before


# Void


def test_a_round_void_before_the_lock_moves_nothing() -> None:
    table = Table().open().to("BETTING")
    table.bet("b1", "p1", 1)
    table.does(PIT, events.RoundVoided("TEST"))
    assert table.movements == []
    check_books(table)


@pytest.mark.parametrize("phase", ["LOCKED", "DEALING", "DEALT", "OPENED", "COMPLETE", "REDEAL"])
def test_a_round_void_after_the_lock_gives_every_stake_back(phase: str) -> None:
    table = Table().open().to(phase)
    check_books(table)
    table.does(PIT, events.RoundVoided("TEST"))
    assert booked(table) == ["1/hold", "1/release"]
    release = table.movements[-1]
    assert [(t.payer, t.payee, t.amount) for t in release.transfers] == [
        ("layout", "player/p1", 200),
        ("layout", "player/p2", 100),
    ]
    assert {t.rules for t in release.transfers} == {("TC-45",)}
    assert balances(table.movements) == {}
    assert table.state.obligations == ()
    check_books(table)
    table.round()
    assert booked(table)[2:] == ["2/hold", "2/settlement/1"]
    check_books(table)


def test_a_settled_round_that_is_void_is_reversed_and_released() -> None:
    table = Table().open()
    table.round()
    table.does(PIT, void("T1/1"))
    assert booked(table) == ["1/hold", "1/settlement/1", "1/settlement/1/reversal", "1/release"]
    assert balances(table.movements) == {}
    assert table.code(PIT, void("T1/1")) == "ROUND_VOID"
    assert table.code(PIT, correction("T1/1", late())) == "ROUND_VOID"
    check_books(table)


# Correction


def test_a_corrected_round_is_reversed_and_settled_again_and_again() -> None:
    table = Table().open().to("COMPLETE")
    cards = table.game.hands[1]
    table.settle()
    table.does(PIT, correction("T1/1", late()))
    assert booked(table)[-1] == "1/settlement/1/reversal"
    assert balances(table.movements)["layout"] == 300
    assert table.owed_id() == "T1/1/evaluation/2"
    assert table.code(PIT, correction("T1/1", late())) == "ROUND_UNDER_CORRECTION"
    table.settle()
    assert booked(table)[-1] == "1/settlement/2"
    assert "TC-11" in table.movements[-1].transfers[0].rules
    check_books(table)
    table.does(PIT, correction("T1/1", CorrectedGate(1, fouled(cards))))
    table.settle()
    assert booked(table)[-2:] == ["1/settlement/2/reversal", "1/settlement/3"]
    assert "Art.7" in table.movements[-1].transfers[0].rules
    check_books(table)
    table.does(PIT, void("T1/1"))
    assert booked(table)[-2:] == ["1/settlement/3/reversal", "1/release"]
    assert balances(table.movements) == {}
    check_books(table)


def test_a_correction_back_to_what_was_gives_the_first_money() -> None:
    table = Table().open().to("COMPLETE")
    good = laid(table.game.hands[1])
    table.settle()
    first = balances(table.movements)
    table.does(PIT, correction("T1/1", late(), late(2)))
    table.settle()
    assert balances(table.movements) != first
    # A second correction stands on the first one: gate 2 stays late.
    table.does(PIT, correction("T1/1", CorrectedGate(1, good)))
    table.settle()
    assert balances(table.movements)["player/p1"] == first["player/p1"]
    assert balances(table.movements)["player/p2"] == -100


def test_a_round_is_corrected_while_another_is_played() -> None:
    table = Table().open()
    table.round()
    table.to("OPENED")
    timer = table.timer()
    table.does(PIT, correction("T1/1", late()))
    assert table.timer() == timer
    owed = table.owed()
    assert table.owed_id() == "T1/1/evaluation/2"
    table.answer(table.owed_id(), table.judged(owed))
    assert table.phase == "OPENED"
    assert booked(table) == [
        "1/hold",
        "1/settlement/1",
        "2/hold",
        "1/settlement/1/reversal",
        "1/settlement/2",
    ]
    assert balances(table.movements)["layout"] == 300
    table.set(1)
    table.set(2)
    table.settle()
    check_books(table)


def test_a_correction_rests_while_suspended() -> None:
    table = Table().open()
    table.round()
    table.does(PIT, events.TableSuspended("TEST"))
    table.does(PIT, correction("T1/1", late()))
    assert code(table.settle()) == "SUSPENDED"
    resume(table)
    assert table.owed_id() == "T1/1/evaluation/3"
    table.settle()
    assert booked(table)[-1] == "1/settlement/2"
    check_books(table)
    table.does(PIT, correction("T1/1", late(2)))
    assert table.owed_id() == "T1/1/evaluation/4"


def test_a_round_under_correction_can_be_voided() -> None:
    table = Table().open()
    table.round()
    table.does(PIT, correction("T1/1", late()))
    owed, owed_id = table.owed(), table.owed_id()
    table.does(PIT, void("T1/1"))
    assert booked(table)[-2:] == ["1/settlement/1/reversal", "1/release"]
    before = table.state
    assert table.answer(owed_id, table.judged(owed)).verdict.known
    assert table.state is before
    check_books(table)


def test_a_correction_that_the_evaluator_refuses_waits_for_the_supervisor() -> None:
    table = Table().open(flags='{"banker_foul":"reject"}').to("COMPLETE")
    foul = fouled(table.game.hands[0])
    table.settle()
    table.does(PIT, correction("T1/1", CorrectedGate(0, foul)))
    table.settle()
    assert table.causes() == ["evaluation/T1/1/evaluation/2"]
    assert table.code(DEALER, facts.PackShuffled()) == "SUSPENDED"
    table.does(PIT, void("T1/1"))
    resume(table)
    assert balances(table.movements) == {}
    check_books(table)


@pytest.mark.parametrize(
    ("fact", "reason"),
    [
        (correction("T1/1"), "NOTHING_CORRECTED"),
        (events.SettledRoundCorrected("T1/1", "MISREAD"), "NOTHING_CORRECTED"),
        (correction("T1/1", late(3)), "UNKNOWN_GATE"),
        (correction("T1/1", late(9)), "UNKNOWN_GATE"),
        (correction("T1/1", late(0)), "BANKER_NOT_ARRANGED"),
        (correction("T1/2", late()), "UNKNOWN_ROUND"),
        (correction("T1/0", late()), "UNKNOWN_ROUND"),
        (correction("T1/01", late()), "UNKNOWN_ROUND"),
        (correction("T1/-1", late()), "UNKNOWN_ROUND"),
        (correction("T2/1", late()), "UNKNOWN_ROUND"),
        (correction("T1", late()), "UNKNOWN_ROUND"),
        (correction("", late()), "UNKNOWN_ROUND"),
    ],
)
def test_a_correction_that_cannot_be_made_is_refused(fact: Fact, reason: str) -> None:
    table = Table().open()
    table.round()
    assert table.code(PIT, fact) == reason
    assert table.state.obligations == ()


def test_a_gate_is_laid_again_from_its_own_cards() -> None:
    table = Table().open().to("COMPLETE")
    other = laid(table.game.hands[2])
    table.settle()
    assert table.code(PIT, correction("T1/1", CorrectedGate(1, other))) == "CARDS_MISMATCH"


def test_the_last_ten_rounds_can_be_corrected() -> None:
    table = Table().open()
    for _ in range(CORRECTABLE):
        table.round()
    assert table.code(PIT, correction("T1/1", late())) == ""
    table.settle()
    table.to("LOCKED")
    assert table.code(PIT, void("T1/1")) == ""
    assert table.code(PIT, void(f"T1/{table.state.round_number}")) == "ROUND_NOT_SETTLED"
    table.deal()
    table.open_banker()
    table.set(1)
    table.set(2)
    table.settle()
    assert table.code(PIT, correction("T1/1", late())) == "ROUND_TOO_OLD"
    assert table.code(PIT, void("T1/2")) == ""
    check_books(table)


def test_the_result_is_shown_at_each_settlement() -> None:
    table = Table().open()
    first = table.round()
    table.does(PIT, correction("T1/1", late()))
    table.to("BETTING")
    second = table.settle()
    shown = [
        disclosure.shown.round
        for taken in (first, second)
        for disclosure in taken.effects.disclosures
        if isinstance(disclosure.shown, ThirteenCardsShown) and disclosure.shown.round
    ]
    assert [one.round_id for one in shown] == ["T1/1", "T1/1"]
    assert shown[0].result != shown[1].result


def test_a_void_round_was_not_settled() -> None:
    table = Table().open().to("VOID")
    assert table.code(PIT, void("T1/1")) == "ROUND_NOT_SETTLED"


def test_no_round_takes_the_place_of_one_under_correction() -> None:
    table = Table().open()
    table.round()
    table.does(PIT, correction("T1/1", late()))
    first, first_id = table.owed(), table.owed_id()
    for _ in range(ROUNDS_KEPT - 1):
        table.to("OPENED")
        table.set(1)
        table.set(2)
        (owed,) = [o for o in table.state.obligations if o.round_number != 1]
        assert owed != first
        table.answer(obligation_id(table.state, owed), table.judged(owed))  # type: ignore[arg-type]
    assert table.phase == "SETTLED"
    assert table.code(DEALER, facts.PackShuffled()) == "STILL_OWING"
    table.answer(first_id, table.judged(first))
    check_books(table)
    assert table.code(DEALER, facts.PackShuffled()) == ""


def test_a_table_is_not_closed_over_a_correction() -> None:
    table = Table().open()
    table.round()
    table.does(PIT, correction("T1/1", late()))
    assert table.code(PIT, events.TableClosed()) == "STILL_OWING"
    table.settle()
    assert table.code(PIT, events.TableClosed()) == ""


def test_a_round_of_former_terms_keeps_its_own() -> None:
    table = Table().open()
    table.round()
    table.does(PIT, events.TableClosed())
    table.does(PIT, table.terms(currency="HKD", rules_version="2"))
    table.does(PIT, correction("T1/1", late()))
    assert (table.owed().rules_version, table.owed().rule_set) == ("1", "thirteen_cards")
    table.settle()
    table.does(PIT, void("T1/1"))
    assert {(m.currency, m.rules_version) for m in table.movements} == {("MOP", "1")}
    assert balances(table.movements) == {}
    check_books(table)


def test_a_player_does_not_void_rounds() -> None:
    table = Table().open()
    table.round()
    assert table.code(SEATS["p1"], void("T1/1")) == "NOT_ALLOWED"
    assert MovementKind.RELEASE not in {m.kind for m in table.movements}
