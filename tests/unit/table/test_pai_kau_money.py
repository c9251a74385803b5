"""What a Pai Kau round holds, pays and leaves: to the cent the evaluator's word, or the table stops."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from floorbook.ledger import journal
from floorbook.money import MovementKind
from floorbook.table import events
from floorbook.table.effects import SUPERVISOR
from floorbook.table.pai_kau import facts
from floorbook.table.pai_kau.shapes import PaiKauCorrection
from floorbook.table.state import Reason, encode
from floorbook.v1 import floor_pb2
from floorbook.wire import floor, movement
from tests.golden.pai_kau import SCRIPTS
from tests.unit.table.pai_kau_playing import PaiKauTable, filled
from tests.unit.table.playing import DEALER, PIT, SEATS, balances

Result = dict[str, Any]


def with_co_banks() -> PaiKauTable:
    """Return a table that waits for the judgement of a round with co-banks and three bets."""
    table = PaiKauTable(seed=3).open().to("BETTING")
    table.stake(100)
    table.back("floor", 500, house=True)
    table.back("p8", 500, gate=3)
    table.bet("p2", 2, 200)
    table.bet("p3", 3, 300)
    table.bet("p4", 4, 100)
    table.lock()
    table.throw()
    # The banker beats gates 2 and 4 and loses to gate 3.
    hands = {
        1: ("55", "55", "33", "44"),
        2: ("21", "43", "61", "52"),
        3: ("66", "66", "11", "11"),
        4: ("41", "51", "64", "31"),
    }
    table.deal(filled(hands, 4))
    table.lay_all()
    table.open_pairs()
    return table


def _set(*path: Any) -> Callable[[Result], None]:
    *where, value = path

    def change(result: Result) -> None:
        at: Any = result
        for name in where[:-1]:
            at = at[name]
        at[where[-1]] = value

    return change


def _swap_parts(result: Result) -> None:
    result["bets"][0]["parts"].reverse()


def _move_commission(result: Result) -> None:
    result["bets"][1]["commission"] += 1
    result["bets"][1]["delta"] -= 1


@pytest.mark.parametrize(
    "change",
    [
        _set("bets", 0, "amount", 201),
        _set("bets", 0, "gate", 3),
        _set("bets", 0, "player_id", "p9"),
        _set("bets", 0, "outcome", "player"),
        _set("bets", 0, "outcome", "win"),
        _set("bets", 0, "covered", 199),
        _set("bets", 0, "lost", 199),
        _set("bets", 0, "returned", 1),
        _set("bets", 0, "delta", 0),
        _set("bets", 0, "parts", []),
        _set("bets", 0, "parts", 0, "bank", "p8"),
        _set("bets", 0, "parts", 0, "bank", "nobody"),
        _set("bets", 0, "parts", 0, "amount", 99),
        _set("bets", 0, "parts", 0, "amount", -1),
        _set("bets", 0, "cites", ["\n"]),
        _set("bets", 1, "won", 301),
        _set("bets", 1, "commission", -1),
        _set("bets", []),
        _set("banks", []),
        _set("banks", 0, "stake", 99),
        _set("banks", 0, "won", 1),
        _set("banks", 0, "net", 1),
        _set("banks", 0, "commission", 1),
        _set("banks", 0, "remaining", 1),
        _set("banks", 1, "commission", 5),
        _set("banks", 1, "id", "p8"),
        _set("players", 0, "delta", 1),
        _set("players", []),
        _set("house", "commission", 0),
        _set("house", "cobank_delta", 7),
        _set("house", "total", 7),
        _set("gates", []),
        _set("gates", 0, "gate", 1),
        _set("min_next_stake", 5_000),
        _set("leftover_tiles", []),
        _set("must_deal_four_next", False),
        _set("bets", 0, "won", 1.5),
        _swap_parts,
        _move_commission,
    ],
)
def test_an_answer_that_does_not_fit_stops_the_table(change: Callable[[Result], None]) -> None:
    table = with_co_banks()
    answer = table.judged()
    assert isinstance(answer, events.RoundEvaluated)
    result = json.loads(answer.result)
    change(result)
    wrong = events.RoundEvaluated("pai_kau", "1", json.dumps(result))
    taken = table.answer(table.owed_id(), wrong)
    assert taken.verdict.refusal == Reason("ANSWER_UNFIT")
    (told,) = [
        each
        for each in taken.effects.disclosures
        if isinstance(each.shown, events.EvaluationRefused)
    ]
    assert told.audiences == (SUPERVISOR,)
    assert isinstance(told.shown, events.EvaluationRefused)
    assert told.shown.detail
    assert table.causes() == ["evaluation/T1/1/evaluation/1"]
    assert table.phase == "OPENED"
    table.does(PIT, events.SuspensionResolved(events.Decision.RESUME, table.causes()[0]))
    assert table.settle().verdict.refusal is None


@pytest.mark.parametrize("text", ["", "{}", "[]", "1", "[" * 9_000])
def test_nonsense_for_an_answer_stops_the_table(text: str) -> None:
    table = with_co_banks()
    wrong = events.RoundEvaluated("pai_kau", "1", text)
    refused = table.answer(table.owed_id(), wrong).verdict.refusal
    assert refused is not None
    assert refused.code == "ANSWER_UNFIT"


def test_the_house_and_the_players_stand_on_their_own_accounts() -> None:
    table = with_co_banks()
    table.settle()
    (hold, settlement) = table.movements
    assert [one.kind for one in (hold, settlement)] == [MovementKind.HOLD, MovementKind.SETTLEMENT]
    booked = [journal.journalise(one) for one in (hold, settlement)]
    accounts = {posting.account for entry in booked for posting in entry.postings}
    assert accounts == {
        "player/p1", "player/p2", "player/p3", "player/p4", "player/p8", "table/T1/layout",
        "table/T1/cobank", "house/commission/pai_kau",
    }  # fmt: skip
    assert "layout" not in balances(table.movements)


def test_who_leaves_the_bank_has_what_remains() -> None:
    table = PaiKauTable(seed=4).open()
    table.round()
    assert table.pk.turn is not None
    left = table.pk.turn.minimum_stake - 1_000
    table.does(SEATS["p1"], facts.BankLeft("p1"))
    assert balances(table.movements)["player/p1"] == left


@pytest.mark.parametrize("script", SCRIPTS, ids=lambda script: script.__name__)
def test_the_layout_is_empty_after_every_recorded_round(script: Callable[[], Any]) -> None:
    table = PaiKauTable()
    for event in script()[1]:
        table.take(event)
    found = balances(table.movements)
    assert "layout" not in found
    assert sum(found.values()) == 0
    for one in table.movements:
        assert movement.decode(movement.encode(one)) == one


def test_a_correction_mirrors_the_money_and_nothing_else() -> None:
    table = PaiKauTable().open()
    table.round()
    before = table.pk
    dice = PaiKauCorrection((), (6, 6, 6, 6))
    fact = events.SettledRoundCorrected("T1/1", "TEST", "", pai_kau=dice)
    table.does(PIT, fact)
    assert balances(table.movements)["layout"] == 1_500
    table.settle()
    assert table.pk == before
    assert "layout" not in balances(table.movements)


def test_a_round_of_a_table_that_closed_is_corrected_after_it_is_open_again() -> None:
    table = PaiKauTable().open()
    table.round()
    table.does(SEATS["p1"], facts.BankLeft("p1"))
    table.does(PIT, events.TableClosed())
    table.does(PIT, table.terms())
    table.does(PIT, events.SettledRoundVoided("T1/1", "TEST"))
    assert balances(table.movements) == {}


def test_an_evaluation_that_rests_is_owed_anew() -> None:
    table = with_co_banks()
    table.does(PIT, events.TableSuspended("DISPUTE"))
    refused = table.answer(table.owed_id(), table.judged()).verdict.refusal
    assert refused is not None
    assert refused.code == "SUSPENDED"
    table.does(PIT, events.SuspensionResolved(events.Decision.RESUME, table.causes()[0]))
    assert table.owed_id() == "T1/1/evaluation/2"
    table.settle()
    assert table.phase == "SETTLED"


def test_a_full_table_stays_small() -> None:
    """Eight gates, twelve bets, thirteen sources; only a table that owes an evaluation is larger."""
    sizes: dict[str, int] = {}
    table = PaiKauTable().open()

    def measure(before: Any, event: Any, taken: Any) -> None:
        phase = str(taken.state.game.phase)
        sizes[phase] = max(sizes.get(phase, 0), len(encode(taken.state)))

    table.checks.append(measure)
    for _ in range(2):
        table.tiles(8, sealed=True)
        table.bank()
        table.does(DEALER, facts.BettingOpened())
        table.stake(max(50_000, table.pk.turn.minimum_stake if table.pk.turn else 0))
        table.back("floor", 100_000, house=True)
        for index in range(12):
            table.bet(f"p{2 + index % 7}", 2 + index % 6, 10_000 + index)
        table.lock()
        table.throw()
        table.deal()
        table.lay_all()
        table.open_pairs()
        table.settle()
    assert sizes.pop("OPENED") < 4_500
    assert max(sizes.values()) < 2_000, sizes


def test_the_floor_reads_what_is_shown() -> None:
    table = PaiKauTable().open()
    table.to("OPENED", sealed=True)
    table.settle()
    seen: set[str] = set()
    for event, taken in zip(table.log, table.steps, strict=True):
        record = floor_pb2.FloorRecord.FromString(floor.encode(taken, event))
        for one in record.folded.disclosures:
            which = one.WhichOneof("shown")
            if which == "pai_kau":
                seen.add(str(one.pai_kau.WhichOneof("shown")))
    assert seen == {"fact", "hand", "holders", "first_gate", "bank", "done", "result"}
