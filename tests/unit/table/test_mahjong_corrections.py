"""A settled hand of mahjong settled again: what a supervisor can replace, and what it does to money."""

import json
from typing import Any

import pytest
from msgspec.structs import replace

from floorbook.money import MovementKind
from floorbook.table import events
from floorbook.table.effects import EVERYBODY
from floorbook.table.game import games
from floorbook.table.mahjong.facts import TileClaim
from floorbook.table.mahjong.shapes import MahjongCorrection, MahjongSet, MahjongWin
from floorbook.wire import envelope, floor, movement
from tests.unit.table.mahjong_playing import MahjongTable, tiles
from tests.unit.table.playing import PIT, balances

WAITING = "1m 2m 3m 4m 5m 6m 7m 8m 9m 4p 6p C C"
RIGHT = MahjongWin("W", tiles(WAITING), (), "5p", "discard", "E", earthly=True)
NO_CHOW = MahjongSet("chow", tiles("1s 2s 4s"), True, "S")


def won(**changes: Any) -> MahjongTable:
    """Return a table at which West won on the dealer's first discard: two faan, 16, 8 and 8."""
    table = MahjongTable(seed=1).open(flags='{"unit":2}', **changes)
    table.deal_hands({"E": "5p", "S": WAITING.replace("C C", "F F"), "W": WAITING, "N": "5p 5p"})
    table.discard("E", "5p", passed=False)
    table.claim("S", TileClaim.PASS)
    table.claim("W", TileClaim.WIN)
    table.settle()
    return table


def correction(**of: Any) -> events.SettledRoundCorrected:
    fact = events.SettledRoundCorrected("T1/1", "MISREAD", "cam 3", mahjong=MahjongCorrection(**of))
    event = MahjongTable().event(PIT, fact)
    assert envelope.decode(envelope.encode(event), b"T1", 0, event.offset) == event
    return fact


def corrected(table: MahjongTable, **of: Any) -> None:
    chips = table.mj.chips
    table.does(PIT, correction(**of))
    assert table.movements[-1].kind is MovementKind.REVERSAL
    table.settle()
    assert table.mj.chips == chips, "later hands are not played again"
    for each in table.movements:
        assert movement.decode(movement.encode(each)) == each


def players(table: MahjongTable) -> dict[str, int]:
    """Return what every player has got, of what is in force."""
    return {name: amount for name, amount in balances(table.movements).items() if amount}


def test_the_hand_as_it_was_played() -> None:
    table = won()
    assert players(table) == {
        "player/p1": -16,
        "player/p2": -8,
        "player/p3": 32,
        "player/p4": -8,
    }


def test_a_bar_that_nobody_saw_in_time_makes_the_win_void() -> None:
    table = won()
    corrected(table, barred=True)
    assert players(table) == {}
    assert {one.rules for one in table.movements[-1].transfers} == {("PEN-CALLPONG", "MJ-52")}


def test_where_the_house_says_so_a_barred_win_is_false() -> None:
    table = MahjongTable(seed=1).open(flags='{"void_win_is_false_win":true}')
    table.deal_hands({"E": "5p", "W": WAITING})
    table.discard("E", "5p", passed=False)
    table.claim("W", TileClaim.WIN)
    table.all_pass()
    table.settle()
    corrected(table, barred=True)
    assert players(table) == {
        "player/p1": 8,
        "player/p2": 4,
        "player/p3": -16,
        "player/p4": 4,
    }


def test_the_win_was_another_seat_s() -> None:
    table = won(charge_minor=3)
    south = replace(RIGHT, seat="S", concealed=tiles(WAITING.replace("C C", "F F")))
    corrected(table, win=south)
    assert players(table) == {
        "player/p1": -16,
        "player/p2": 29,
        "player/p3": -8,
        "player/p4": -8,
        "charge": 3,
    }


def test_what_the_discarder_held_makes_him_liable() -> None:
    table = won()
    held = tiles("5p 5p 5p 1s 4s 7s 1m 4m 7m E S W N B")
    corrected(table, win=replace(RIGHT, discarder_concealed=held))
    # Nothing is known of what lay open, so no live tile exempts; he breaks a triplet (LIA-T5).
    assert players(table) == {"player/p1": -32, "player/p3": 32}


def test_a_win_that_was_overlooked() -> None:
    table = MahjongTable(seed=1).open(2, rule_set="mahjong.simplified")
    table.chance_hand(eager=False)
    while table.mj.play is None or table.mj.play.ended is not None:
        table.chance_hand(eager=False)
    number = table.state.round_number
    win = MahjongWin("S", tiles("1s 2s 3s 9p"), (), "9p", "discard", "E")
    fact = events.SettledRoundCorrected(
        f"T1/{number}", "MISREAD", "", mahjong=MahjongCorrection(win=win)
    )
    table.does(PIT, fact)
    before = players(table)
    table.settle()
    assert players(table) != before
    assert table.movements[-1].movement_id == f"T1/{number}/settlement/2"


def test_a_hand_is_corrected_while_the_next_is_played() -> None:
    table = won()
    table.deal_wall()
    play = table.play
    corrected(table, barred=True)
    assert table.play == play
    assert table.phase == "TURN"
    # The stakes of the hand at play, with what was won before: the chips were not taken back.
    assert balances(table.movements)["layout"] == sum(table.mj.chips.values()) == 4_000
    table.does(PIT, events.RoundVoided("TEST"))
    assert players(table) == {}


def test_a_hand_can_be_corrected_again_and_then_be_void() -> None:
    table = won()
    corrected(table, barred=True)
    corrected(table, win=RIGHT)
    assert players(table)["player/p3"] == 32
    table.does(PIT, events.SettledRoundVoided("T1/1", "TEST"))
    assert players(table) == {}
    assert table.code(PIT, correction(barred=True)) == "ROUND_VOID"


@pytest.mark.parametrize(
    ("win", "rule"),
    [
        (MahjongWin(), "RULE-SEATS"),
        (replace(RIGHT, seat="X"), "RULE-SEATS"),
        (replace(RIGHT, win_tile="0p"), "RULE-TILES"),
        (replace(RIGHT, concealed=tiles("5p 5p 5p 5p")), "RULE-TILES"),
        (replace(RIGHT, source="W"), "RULE-FACTS"),
        (replace(RIGHT, kind="stolen"), "RULE-FACTS"),
        (replace(RIGHT, concealed=tiles("1m 2m 3m")), "MJ-48"),
        (replace(RIGHT, discarder_concealed=tiles("1s")), "RULE-FACTS"),
        (replace(RIGHT, sets=(NO_CHOW,)), "RULE-FACTS"),  # a set, and yet the first discard
        (replace(RIGHT, earthly=False, sets=(NO_CHOW,)), "FALSE-T7"),
        (replace(RIGHT, earthly=False, sets=(replace(NO_CHOW, tiles=()),)), "FALSE-T7"),
    ],
)
def test_a_win_that_cannot_have_been_is_refused(win: MahjongWin, rule: str) -> None:
    table = won()
    before = table.movements
    refusal = table.send(PIT, correction(win=win)).verdict.refusal
    assert refusal is not None
    assert refusal.code == "BAD_WIN"
    assert rule in refusal.rules
    assert table.movements == before


def test_a_correction_says_what_it_replaces() -> None:
    assert won().code(PIT, correction()) == "NOTHING_CORRECTED"


def test_nobody_can_be_barred_of_a_hand_without_a_win() -> None:
    table = MahjongTable(seed=1).open(2, rule_set="mahjong.simplified")
    while table.mj.play is None or table.mj.play.ended is not None:
        table.chance_hand(eager=False)
    fact = events.SettledRoundCorrected(
        f"T1/{table.state.round_number}", "TEST", "", mahjong=MahjongCorrection(barred=True)
    )
    assert table.code(PIT, fact) == "NOTHING_CORRECTED"


def test_what_is_replaced_is_shown_to_nobody() -> None:
    table = won()
    held = tiles("5p 5p 5p 1s 4s 7s 1m 4m 7m E S W N B")
    taken = table.does(PIT, correction(win=replace(RIGHT, discarder_concealed=held)))
    (shown,) = taken.effects.disclosures
    assert shown.audiences == (EVERYBODY,)
    assert shown.shown == events.SettledRoundCorrected("T1/1", "MISREAD", "cam 3")
    assert b"7s" not in floor.encode(taken, table.log[-1])


def test_an_answer_of_a_void_win_fits_only_if_nobody_pays_and_he_was_barred() -> None:
    table = won()
    table.does(PIT, correction(barred=True))
    answer = table.judged()
    assert isinstance(answer, events.RoundEvaluated)
    game, request = games()["mahjong.traditional"], table.owed().request
    assert game.answer_fault(request, answer.result) is None
    result = json.loads(answer.result)
    paid = result | {
        "payments": [{"from": "E", "to": "W", "due": 4, "paid": 4}],
        "net": {"E": -4, "S": 0, "W": 4, "N": 0},
    }
    assert game.answer_fault(request, json.dumps(paid)) is not None
    not_barred = request.replace('"barred":true', '"barred":false')
    assert not_barred != request
    assert game.answer_fault(not_barred, answer.result) is not None
