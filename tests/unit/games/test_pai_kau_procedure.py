"""What the rules answer a table that asks before a round is settled (5.1)."""

from itertools import product

import pytest

from floorbook.games.pai_kau import procedure
from floorbook.games.pai_kau.banking import (
    Candidate,
    Turn,
    after_round,
    all_agree,
    bank_goes_to,
    begin_turn,
)
from floorbook.games.pai_kau.config import Config
from floorbook.games.pai_kau.gates import first_gate, gate_order, hands_of, held_over, holders
from floorbook.games.pai_kau.procedure import Laying, Moves, Objection
from floorbook.games.pai_kau.round import Bet, CoBank
from floorbook.games.pai_kau.tiles import SET

TURN = Turn(gate=1, player_id="bank")
BETS = (Bet(2, "ann", 100), Bet(3, "ben", 100), Bet(2, "cat", 100))
COBANKS = (CoBank("dan", 50), CoBank("house", 500, house=True, gate=2))


def code(objection: Objection | None) -> str | None:
    return objection.code if objection else None


@pytest.mark.parametrize(("gates", "banker"), [(g, b) for g in (4, 8) for b in range(1, g + 1)])
def test_the_dice_are_counted_from_the_banker_as_one(gates: int, banker: int) -> None:
    seen = set()
    for dice in product((1, 3, 6), (1, 2), (1, 4), (1, 5, 6)):
        gate = banker
        for _ in range(sum(dice) - 1):
            gate = gate + 1 if gate < gates else 1
        assert first_gate(gates, banker, dice) == gate
        order = gate_order(gates, banker, dice, Config())
        assert order.deal_order[0] == gate
        assert sorted(order.deal_order) == list(range(1, gates + 1))
        assert order.ordinals == tuple(g for g in order.deal_order if g != banker)
        assert order.settle_order == order.ordinals
        right = gate_order(gates, banker, dice, Config(settlement_start="banker_right"))
        assert right.settle_order[0] == banker % gates + 1
        assert sorted(right.settle_order) == sorted(order.settle_order)
        seen.add(gate)
    assert seen == set(range(1, gates + 1))


def test_a_four_gate_deal_holds_over_the_rest_of_a_whole_wall_only() -> None:
    assert held_over(4, SET) == SET[16:]
    assert held_over(4, SET[16:]) == ()
    assert held_over(8, SET) == ()
    hands = hands_of(4, 2, (1, 1, 1, 1), SET)  # 4: the gate before the banker's
    assert list(hands) == [1, 2, 3, 4]
    assert hands[1] == SET[:4]
    assert hands[2] == SET[4:8]


def test_the_earlier_of_equal_bets_holds() -> None:
    assert holders(BETS) == {2: "ann", 3: "ben"}
    assert holders((*BETS, Bet(3, "eve", 101))) == {2: "ann", 3: "eve"}


@pytest.mark.parametrize(
    ("held", "new", "expected"),
    [(True, False, "TILES_REMAIN"), (True, True, None), (False, False, None)],
)
def test_tiles_held_over_are_used_unless_new_ones_come(
    held: bool, new: bool, expected: str | None
) -> None:
    assert code(procedure.object_to_shuffle(held, new)) == expected
    assert code(procedure.object_to_carrying_over(held)) == (None if held else "NO_TILES_REMAIN")


@pytest.mark.parametrize(
    ("gates", "carried", "turn", "expected"),
    [
        (6, True, Turn(7, "a"), "BAD_GATE"),
        (8, True, TURN, "FOUR_GATES_ONLY"),
        (4, True, Turn(5, "a"), "BANKER_OUTSIDE"),
        (4, True, TURN, None),
        (8, False, Turn(8, "a"), None),
        (4, False, None, None),
    ],
)
def test_gates_are_announced(
    gates: int, carried: bool, turn: Turn | None, expected: str | None
) -> None:
    assert code(procedure.object_to_gates(gates, carried, turn)) == expected


def test_the_bank_is_left_by_the_banker_or_after_two_rounds() -> None:
    leave = procedure.object_to_leaving_bank
    assert code(leave(None, "bank")) == "BANK_VACANT"
    assert code(leave(TURN, "ann")) == "NOT_BANKER"
    assert leave(TURN, "bank") is None
    assert code(leave(TURN, None)) == "TURN_NOT_OVER"
    second = after_round(after_round(TURN, 900), 1_200)
    assert second == Turn(1, "bank", rounds_done=2, minimum_stake=1_200)
    assert leave(second, None) is None
    assert after_round(TURN, 0).minimum_stake == 1
    assert code(procedure.object_to_opening_table(TURN)) == "BANK_TAKEN"
    assert procedure.object_to_opening_table(None) is None


def test_a_third_round_needs_everybody_who_had_a_bet() -> None:
    betting = procedure.object_to_betting
    third = Turn(1, "bank", rounds_done=2)
    assert code(betting(third, 0, (), ())) == "GATES_MISSING"
    assert code(betting(None, 4, (), ())) == "BANK_VACANT"
    assert code(betting(third, 4, ("ann", "ben"), ("ann",))) == "CONSENT_MISSING"
    assert betting(third, 4, ("ann", "ben"), ("ben", "ann", "eve")) is None
    assert betting(third, 4, (), ()) is None
    assert betting(Turn(1, "bank", rounds_done=1), 4, ("ann",), ()) is None
    assert not all_agree(("ann",), ())
    consent = procedure.object_to_consent
    assert code(consent(None, "ann", ("ann",))) == "BANK_VACANT"
    assert code(consent(third, "eve", ("ann",))) == "NO_PLAYER"
    assert consent(third, "ann", ("ann",)) is None


@pytest.mark.parametrize(
    ("answer", "last", "opening", "expected"),
    [
        (Candidate(2, "", True, True), 1, False, "BAD_ID"),
        (Candidate(5, "ann", True, True), 1, False, "BAD_GATE"),
        (Candidate(1, "ann", False, True), 1, False, "BAD_GATE"),
        (Candidate(1, "ann", True, False), 1, True, None),
        (Candidate(1, "ann", True, True), 5, False, None),
        (Candidate(2, "ann", True, False), 1, False, "NEVER_BET"),
        (Candidate(2, "ann", False, False), 1, False, None),
    ],
)
def test_who_may_answer_for_the_bank(
    answer: Candidate, last: int, opening: bool, expected: str | None
) -> None:
    assert code(procedure.object_to_answer(None, 4, answer, last, opening)) == expected
    assert code(procedure.object_to_answer(None, 0, answer, last, opening)) == "GATES_MISSING"
    assert code(procedure.object_to_answer(TURN, 0, answer, last, opening)) == "BANK_TAKEN"


def test_the_bank_goes_counter_clockwise_to_the_next_who_accepts() -> None:
    first, second = Candidate(4, "ann", True, True), Candidate(1, "ben", True, True)
    refuses = Candidate(3, "cat", False, True)
    asked = (second, refuses, first)
    assert bank_goes_to(4, 2, asked, False) == first
    assert bank_goes_to(4, 0, asked, True) == second  # asked from gate 1 on
    assert bank_goes_to(4, 7, asked, False) == second  # that gate does not play
    assert bank_goes_to(4, 2, (refuses,), False) is None
    assert begin_turn(first) == Turn(4, "ann", rounds_done=0, minimum_stake=1)
    assign = procedure.object_to_assigning_bank
    assert code(assign(TURN, 4, asked, 2, False)) == "BANK_TAKEN"
    assert code(assign(None, 0, asked, 2, False)) == "GATES_MISSING"
    assert code(assign(None, 4, (refuses,), 2, False)) == "NO_CANDIDATE"
    assert assign(None, 4, asked, 2, False) is None


@pytest.mark.parametrize(
    ("bet", "expected"),
    [
        (Bet(9, "", 0), "BAD_ID"),
        (Bet(5, "bank", 0), "BAD_GATE"),
        (Bet(1, "bank", 0), "BET_ON_BANKER_GATE"),
        (Bet(2, "bank", 0), "BANKER_BETS"),
        (Bet(2, "dan", 0), "COBANKER_BETS"),
        (Bet(3, "ann", 0), "BAD_AMOUNT"),
        (Bet(2, "ann", -1), "BAD_AMOUNT"),
        (Bet(2, "ann", 10**15 + 1), "BAD_AMOUNT"),
        (Bet(2, "ann", 0), None),
        (Bet(3, "ann", 10**15), None),
    ],
)
def test_which_bets_may_lie(bet: Bet, expected: str | None) -> None:
    assert code(procedure.object_to_bet(4, TURN, BETS, COBANKS, bet)) == expected


def test_a_bet_keeps_its_place_until_it_is_taken_back_altogether() -> None:
    raised = procedure.changed_bets(BETS, Bet(2, "ann", 300))
    assert raised == (Bet(2, "ann", 300), *BETS[1:])
    gone = procedure.changed_bets(BETS, Bet(2, "ann", 0))
    assert gone == BETS[1:]
    assert holders(procedure.changed_bets(gone, Bet(2, "ann", 100)))[2] == "cat"


def test_cobanks_keep_their_places_too() -> None:
    other = procedure.changed_cobanks(COBANKS, CoBank("dan", 70, gate=3))
    assert other == (CoBank("dan", 70, gate=3), COBANKS[1])
    assert procedure.changed_cobanks(COBANKS, CoBank("dan", 0)) == COBANKS[1:]
    assert procedure.changed_cobanks(COBANKS[:1], COBANKS[1]) == COBANKS


@pytest.mark.parametrize(
    ("cobank", "expected"),
    [
        (CoBank("", 0, gate=9), "BAD_ID"),
        (CoBank("bank", 10), "BAD_ID"),
        (CoBank("ann", 10, gate=9), "COBANKER_BETS"),
        (CoBank("eve", 0, gate=1), "BAD_GATE"),
        (CoBank("eve", 0, gate=5), "BAD_GATE"),
        (CoBank("eve", 0), "BAD_AMOUNT"),
        (CoBank("dan", 0), None),
        (CoBank("eve", 10, gate=4), None),
    ],
)
def test_who_may_back_the_banker(cobank: CoBank, expected: str | None) -> None:
    assert code(procedure.object_to_cobank(4, TURN, BETS, COBANKS, cobank)) == expected


@pytest.mark.parametrize(
    ("player", "amount", "expected"),
    [
        ("ann", 0, "NOT_BANKER"),
        ("bank", 0, "BAD_AMOUNT"),
        ("bank", 10**15 + 1, "BAD_AMOUNT"),
        ("bank", 899, "STAKE_BELOW_MINIMUM"),
        ("bank", 900, None),
    ],
)
def test_a_stake_is_never_reduced_within_a_turn(
    player: str, amount: int, expected: str | None
) -> None:
    turn = Turn(1, "bank", rounds_done=1, minimum_stake=900)
    assert code(procedure.object_to_stake(turn, player, amount)) == expected


def test_two_players_may_move_tiles_and_then_the_banker_alone() -> None:
    moves = Moves()
    for player in ("ann", "ben", "ann", "bank", "bank"):
        assert procedure.object_to_moving(TURN, moves, False, player) is None
        assert code(procedure.object_to_moving(TURN, moves, True, player)) == "MOVING_OVER"
        moves = procedure.moved(TURN, moves, player)
        if player == "ben":
            assert code(procedure.object_to_moving(TURN, moves, False, "cat")) == "MOVING_OVER"
    assert moves == Moves(("ann", "ben"), banker=True)
    assert code(procedure.object_to_moving(TURN, moves, False, "ann")) == "MOVING_OVER"


def test_the_banker_alone_puts_out_head_tiles_and_shakes() -> None:
    head, shake = procedure.object_to_head_tiles, procedure.object_to_shake
    assert code(head(TURN, "ann", 100, False)) == "NOT_BANKER"
    assert code(head(TURN, "bank", 0, False)) == "STAKE_MISSING"
    assert code(head(TURN, "bank", 100, True)) == "HEAD_TILES_OUT"
    assert head(TURN, "bank", 100, False) is None
    assert code(shake(TURN, "ann", True)) == "NOT_BANKER"
    assert code(shake(TURN, "bank", False)) == "HEAD_TILES_MISSING"
    assert shake(TURN, "bank", True) is None
    assert code(procedure.object_to_throw((1, 2, 3))) == "BAD_DICE"
    assert procedure.object_to_throw((1, 2, 3, 6)) is None


def test_hands_must_come_from_one_set() -> None:
    hands = [(gate, SET[(gate - 1) * 4 : gate * 4]) for gate in range(1, 5)]
    assert procedure.object_to_hands(4, hands, ()) is None
    assert procedure.object_to_hands(4, hands, SET[16:]) is None
    assert code(procedure.object_to_hands(4, hands, SET[:16])) == "BAD_TILES"
    assert code(procedure.object_to_hands(4, hands[:3], ())) == "BAD_GATE"
    assert code(procedure.object_to_hands(8, hands, ())) == "BAD_GATE"
    assert code(procedure.object_to_hands(4, [*hands[:3], (3, SET[12:16])], ())) == "BAD_GATE"
    assert code(procedure.object_to_hands(4, [*hands[:3], (4, SET[12:15])], ())) == "BAD_TILES"
    assert code(procedure.object_to_hands(4, [*hands[:3], (4, ("66",) * 4)], ())) == "BAD_TILES"


def test_players_set_before_the_banker_and_every_hand_is_final() -> None:
    tiles = ("66", "61", "44", "51")
    split = (("66", "61"), ("44", "51"))  # the back is smaller: laid all the same
    laying = Laying(gates=4, banker_gate=1, holders={2: "ann", 3: "ben"}, done=(3,))
    setting = procedure.object_to_setting
    assert laying.waits_for == (2,)
    assert code(setting(laying, 5, "ann", tiles, *split)) == "BAD_GATE"
    assert code(setting(laying, 1, "ann", tiles, *split)) == "PLAYERS_NOT_SET"
    assert code(setting(laying, 3, "eve", tiles, *split)) == "ALREADY_SET"
    assert code(setting(laying, 2, "ben", tiles, (), ())) == "NOT_HOLDER"
    assert code(setting(laying, 4, "ann", tiles, *split)) == "NOT_HOLDER"  # no bet there
    assert code(setting(laying, 2, "ann", tiles, ("66",), ("61", "44", "51"))) == "BAD_ARRANGEMENT"
    assert code(setting(laying, 2, "ann", tiles, (), ())) == "BAD_ARRANGEMENT"
    assert code(setting(laying, 2, "ann", tiles, ("66", "66"), split[1])) == "BAD_ARRANGEMENT"
    assert setting(laying, 2, "ann", tiles, *split) is None
    assert code(procedure.object_to_not_setting(laying, 1)) == "PLAYERS_NOT_SET"
    assert code(procedure.object_to_not_setting(laying, 3)) == "ALREADY_SET"
    assert procedure.object_to_not_setting(laying, 2) is None
    all_set = Laying(gates=4, banker_gate=1, holders={2: "ann", 3: "ben"}, done=(2, 3))
    assert setting(all_set, 1, "anybody", tiles, *split) is None
    assert code(procedure.object_to_opening_pairs(all_set)) == "BANKER_NOT_SET"
    done = Laying(gates=4, banker_gate=1, holders={2: "ann", 3: "ben"}, done=(1, 2, 3))
    assert procedure.object_to_opening_pairs(done) is None
