"""What the settlement of a variant moves: to the cent what the evaluator said, from whom to whom."""

import json
import random
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from floorbook.games.game import Evaluated, evaluate
from floorbook.money import CHARGE, LAYOUT, MovementKind, net, player
from floorbook.table import events
from floorbook.table.events import RoundEvaluated
from floorbook.table.thirteen_cards import facts
from floorbook.table.thirteen_cards.shapes import CorrectedGate, ThirteenCardsCorrection
from floorbook.table.thirteen_cards.terms import waited_for
from floorbook.wire import movement
from tests.unit.table.playing import PIT, SEATS, balances, fouled, laid
from tests.unit.table.variant_acting import SPECIALS
from tests.unit.table.variants import (
    ALL_AGAINST_ALL,
    BANKER_GAMES,
    UNIT,
    VARIANTS,
    VariantTable,
    rest_of,
)

FLAGS = {
    "four_player": '{"service_fee_minor":7,"service_fee_bps":150}',
    "declare_2": '{"pay_by":"sign"}',
    "banker_xianggong": '{"tie_break_mode":"top_card_banker"}',
}


def played(rule_set: str, seed: int, players: int, *, flags: bool = False) -> VariantTable:
    """Return a table whose round is complete: specials, fouls, declined and not set among it."""
    rng = random.Random(seed)
    terms = FLAGS.get(rule_set, "{}") if flags else "{}"
    table = VariantTable(rule_set, seed=seed).open(players, flags=terms)
    table.box(sealed=False)
    if table.phase == "BETTING":
        gates = [gate for gate in table.game.seats if gate != table.banker]
        for number in range(rng.randint(0, 5)):
            who = rng.choice(list(SEATS)[:4])
            table.stake(f"b{number}", who, rng.choice(gates), rng.choice((1, 37, 100, 10**15)))
        table.lock()
    special = tuple(rng.choice(SPECIALS).split())
    given = {rng.choice(list(table.game.holders)): special} if rng.random() < 0.5 else {}
    table.deal(rest_of(given, tuple(table.game.holders), rng))
    while table.phase == "DEALT":
        gate = rng.choice(waited_for(table.state))
        hand = table.game.hands[gate]
        match rng.randint(0, 5):
            case 0:
                table.not_set(gate)
            case 1:
                table.lay(gate, fouled(hand), declare=rng.random() < 0.5)
            case 2 if table.special(gate):
                table.announce(gate)
            case _:
                table.lay(gate, declare=rng.random() < 0.7)
    return table


def said(table: VariantTable) -> dict[str, int]:
    """Return what each party gets by the evaluator's own totals."""
    owed = table.owed()
    asked = json.loads(owed.request)
    found = evaluate(owed.rule_set, owed.rules_version, asked)
    assert isinstance(found, Evaluated)
    result = found.result
    parties = {g["gate"]: player(g["player"]) for g in asked["gates"]}
    parties = {gate: "bank" if who == "player/house" else who for gate, who in parties.items()}
    nets: dict[str, int] = {}

    def add(party: str, amount: int) -> None:
        nets[party] = nets.get(party, 0) + amount

    if "unit_minor" in asked:
        for gate in result["gates"]:
            add(parties[gate["gate"]], gate["net"])
            add(CHARGE, gate["fee"])
    else:
        add(parties[asked["banker_gate"]], result["banker_net"])
        for bet, one in zip(asked["bets"], result["bets"], strict=True):
            add(player(bet["bettor"]), one["net"])
    return {party: amount for party, amount in nets.items() if amount}


@pytest.mark.parametrize("rule_set", VARIANTS)
@settings(max_examples=20)
@given(seed=st.integers(0, 1 << 32), players=st.integers(2, 4), flags=st.booleans())
def test_everybody_gets_what_the_evaluator_said(
    rule_set: str, seed: int, players: int, flags: bool
) -> None:
    table = played(rule_set, seed, min(players, 3) if rule_set == "declare_2" else players,
                   flags=flags)  # fmt: skip
    wanted = said(table)
    table.settle()
    assert balances(table.movements) == wanted
    assert LAYOUT not in wanted
    assert sum(wanted.values()) == 0
    kinds = [one.kind for one in table.movements]
    held = [MovementKind.HOLD] if table.game.bets else []
    assert kinds == [*held, MovementKind.SETTLEMENT]
    for one in table.movements:
        assert movement.decode(movement.encode(one)) == one
        assert all(t.payer != t.payee and t.rules for t in one.transfers)


@pytest.mark.parametrize("rule_set", ALL_AGAINST_ALL)
def test_where_there_are_no_stakes_money_goes_from_player_to_player(rule_set: str) -> None:
    table = played(rule_set, 3, 4)
    table.settle()
    (settlement,) = table.movements
    assert {t.payer[:7] + t.payee[:7] for t in settlement.transfers} <= {"player/player/"}
    assert all(t.amount % UNIT == 0 for t in settlement.transfers)


@pytest.mark.parametrize("rule_set", BANKER_GAMES)
def test_a_loss_beyond_the_stake_comes_from_the_pocket(rule_set: str) -> None:
    table = VariantTable(rule_set).open(3)
    table.box(sealed=False)
    where = max(table.game.seats)
    who = table.game.seats[where]
    table.stake("b1", who, where, 100)
    table.lock()
    dragon = {table.banker: tuple(SPECIALS[0].split())}
    table.deal(rest_of(dragon, tuple(table.game.holders), random.Random(1)))
    assert table.special(where) is None
    for gate in table.game.holders:
        table.lay(gate)
    table.settle()
    times = {"declare_2": 7, "banker_xianggong": 13}[rule_set]
    banker = "bank" if rule_set == "declare_2" else "player/p1"
    transfers = [(t.payer, t.payee, t.amount) for t in table.movements[1].transfers]
    assert transfers == [
        (LAYOUT, banker, 100),
        (player(who), banker, 100 * (times - 1)),
    ]


def test_a_banker_who_bets_on_another_gate_pays_himself_nothing() -> None:
    table = VariantTable("banker_xianggong").open(2)
    table.box(sealed=False)
    table.stake("b1", "p1", 1, 100)
    table.lock()
    table.deal()
    table.not_set(0)
    table.lay(1)
    table.settle()
    transfers = [(t.payer, t.payee, t.amount) for t in table.movements[1].transfers]
    assert transfers == [(LAYOUT, "player/p1", 100)]


def test_a_round_that_nobody_wins_has_a_settlement_without_transfers() -> None:
    table = VariantTable("compare_size").open(2)
    table.to("DEALT")
    table.not_set(0)
    table.not_set(1)
    table.settle()
    (settlement,) = table.movements
    assert settlement.transfers == ()


Change = Callable[[dict[str, Any]], None]


def on(where: str, **values: object) -> Change:
    """Return the change of the first gate, pair or bet of a result."""

    def change(result: dict[str, Any]) -> None:
        result[where][0].update(values)

    return change


def without(where: str) -> Change:
    """Return the change that leaves the last gate, pair or bet out."""

    def change(result: dict[str, Any]) -> None:
        result[where].pop()

    return change


def everything_doubled(result: dict[str, Any]) -> None:
    for gate in result["gates"]:
        gate["gross"], gate["net"] = 2 * gate["gross"], 2 * gate["net"]


def one_more_unit(result: dict[str, Any]) -> None:
    result["pairs"][0]["units_a"] += 1


def other_bank(result: dict[str, Any]) -> None:
    result["banker_net"] += 1


@pytest.mark.parametrize(
    ("rule_set", "change"),
    [
        ("compare_size", without("gates")),
        ("compare_size", without("pairs")),
        ("compare_size", on("pairs", a=2)),
        ("compare_size", on("pairs", units_a=1 << 62)),
        ("compare_size", on("gates", fee=1)),
        ("compare_size", on("gates", fee=-1)),
        ("compare_size", on("gates", units=99)),
        ("compare_size", on("gates", cites=[""])),
        ("compare_size", everything_doubled),
        ("four_player", one_more_unit),
        ("declare_2", without("gates")),
        ("declare_2", without("bets")),
        ("declare_2", on("bets", stake=1)),
        ("declare_2", on("bets", net=12345)),
        ("declare_2", on("bets", units=77)),
        ("declare_2", on("gates", units=77)),
        ("banker_xianggong", other_bank),
        ("banker_xianggong", on("bets", bet_id="b9")),
        ("banker_xianggong", on("bets", net=1 << 63)),
    ],
)
def test_an_answer_that_does_not_fit_suspends(rule_set: str, change: Change) -> None:
    table = VariantTable(rule_set, seed=2).open(3).to("COMPLETE")
    answer = table.judged()
    assert isinstance(answer, RoundEvaluated)
    result = json.loads(answer.result)
    change(result)
    assert json.dumps(result) != answer.result
    unfit = RoundEvaluated(rule_set, "1", json.dumps(result))
    taken = table.answer(table.owed_id(), unfit)
    assert taken.verdict.refusal is not None
    assert taken.verdict.refusal.code == "ANSWER_UNFIT"
    assert table.causes()


@pytest.mark.parametrize("rule_set", VARIANTS)
def test_a_settled_round_is_voided(rule_set: str) -> None:
    table = played(rule_set, 5, 3)
    table.settle()
    table.does(PIT, events.SettledRoundVoided("T1/1", "TEST"))
    assert balances(table.movements) == {}


@pytest.mark.parametrize("rule_set", VARIANTS)
def test_a_settled_round_is_corrected(rule_set: str) -> None:
    table = VariantTable(rule_set, seed=4).open(3).to("COMPLETE")
    gate = max(table.game.holders)
    table.settle()
    corrections = ThirteenCardsCorrection((CorrectedGate(gate, None),))
    code = table.code(PIT, events.SettledRoundCorrected("T1/1", "TEST", "", corrections))
    if rule_set in ("hundred_change", "shaoxing"):
        assert code == "NOTHING_CORRECTED"
        return
    assert code == ""
    wanted = said(table)
    table.settle()
    assert balances(table.movements) == wanted
    other = ThirteenCardsCorrection((CorrectedGate(gate, laid(table.game.hands[0])),))
    fact = events.SettledRoundCorrected("T1/1", "TEST", "", other)
    assert table.code(PIT, fact) == "CARDS_MISMATCH"


def test_a_declined_special_is_corrected_to_an_announced_one() -> None:
    table = VariantTable("four_player").open(2)
    table.box(sealed=False)
    pairs = tuple(SPECIALS[1].split())
    table.deal(rest_of({0: pairs}, (0, 1), random.Random(1)))
    table.lay(0, declare=False)
    table.lay(1)
    table.settle()
    declined = balances(table.movements)
    announced = ThirteenCardsCorrection((CorrectedGate(0, None),))
    table.does(PIT, events.SettledRoundCorrected("T1/1", "TEST", "", announced))
    table.settle()
    assert balances(table.movements) == {"player/p1": 400, "player/p2": -400}
    assert declined != balances(table.movements)


def test_the_unit_stands_until_it_is_set_again() -> None:
    table = VariantTable("compare_size").open(2)
    table.to("COMPLETE")
    assert table.code("dealer", facts.UnitSet(500)) == "WRONG_PHASE"
    table.settle()
    table.does("dealer", facts.UnitSet(500))
    table.to("COMPLETE")
    table.settle()
    first, second = table.movements
    assert sum(net(first.transfers).values()) == 0
    assert {t.amount for t in first.transfers} <= {UNIT}
    assert {t.amount for t in second.transfers} <= {500}
