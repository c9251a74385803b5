"""What a table asks the rules while a round is under way, in types of its own and not in JSON."""

import random

import pytest

from floorbook.games.game import rule_set_ids
from floorbook.games.rule_set import Refused
from floorbook.games.thirteen_cards.arrangement import check_arrangement
from floorbook.games.thirteen_cards.cards import PACK
from floorbook.games.thirteen_cards.config import Config, config_of
from floorbook.games.thirteen_cards.deal import (
    Move,
    check_deck,
    check_dice,
    check_hands,
    first_gate,
    hands_of,
    misdealt,
)
from floorbook.games.thirteen_cards.holders import Bet, holders
from floorbook.games.thirteen_cards.official import is_foul
from floorbook.games.thirteen_cards.procedure import procedure_of
from floorbook.games.thirteen_cards.variants import special_of

HAND = PACK[:13]


Lanes = tuple[list[str], list[str], list[str]]


def laid(front: str, middle: str, back: str) -> Lanes:
    return front.split(), middle.split(), back.split()


def test_hands_are_what_goes_round_card_by_card() -> None:
    pack = random.Random(5).sample(PACK, 52)
    for banker in range(4):
        for dice in ((1, 1, 1, 1), (1, 2, 3, 4), (6, 6, 6, 6), (1, 1, 1, 4)):
            hands: dict[int, list[str]] = {0: [], 1: [], 2: [], 3: []}
            gate = banker
            for _ in range(sum(dice) - 1):  # the banker is counted as 1
                gate = (gate + 1) % 4
            assert first_gate(banker, dice) == gate
            for card in pack:
                hands[gate].append(card)
                gate = (gate + 1) % 4
            assert hands_of(banker, dice, pack) == {g: tuple(cards) for g, cards in hands.items()}


def test_misdealt_cards_are_named_with_both_gates() -> None:
    dealt = [(card, index % 4) for index, card in enumerate(PACK)]
    assert misdealt(0, (1, 1, 1, 2), dealt) == ()
    dealt[1], dealt[6] = (PACK[1], 3), (PACK[6], 1)
    assert misdealt(0, (1, 1, 1, 2), dealt) == (Move(PACK[1], 3, 1), Move(PACK[6], 1, 2))


@pytest.mark.parametrize("dice", [(), (1, 2, 3), (1, 2, 3, 7), (0, 1, 2, 3), (True, 1, 1, 1)])
def test_dice_are_four_faces(dice: tuple[int, ...]) -> None:
    assert check_dice(dice) == "BAD_DICE"
    assert check_dice((1, 6, 3, 4)) is None


def test_a_deck_is_the_whole_pack() -> None:
    assert check_deck(PACK[::-1]) is None
    assert check_deck(PACK[:51]) == "BAD_DECK"
    assert check_deck((*PACK[:51], PACK[0])) == "BAD_DECK"
    assert check_deck((*PACK[:51], ["As"])) == "BAD_DECK"


def test_nobody_bets_and_the_house_shakes() -> None:
    found = holders([])
    assert (found.holders, found.dice_shaker) == ({}, "house")


def test_a_place_in_one_bet_is_a_place() -> None:
    bets = [Bet("1", "ann", 1, 100, 1, False), Bet("2", "ann", 2, 100, 3, True)]
    found = holders(bets)
    assert found.dice_shaker == "ann"
    assert found.holders == {1: "house", 2: "ann"}


@pytest.mark.parametrize(
    ("lanes", "code"),
    [
        (laid("As Ks Qs", "Js Ts 9s 8s 7s", "6s 5s 4s 3s 2s"), None),
        (laid("As Ks Qs", "Js Ts 9s 8s 7s", "6s 5s 4s 3s 2h"), "CARDS_MISMATCH"),
        (laid("As Ks Qs", "Js Ts 9s 8s 7s", "6s 5s 4s 3s As"), "DUPLICATE_CARD"),
        (laid("As Ks", "Js Ts 9s 8s 7s", "6s 5s 4s 3s As"), "BAD_LANE_SIZE"),
        (laid("As Ks", "Js Ts 9s 8s 7s", "6s 5s 4s 3s 1s"), "BAD_CARD"),
    ],
)
def test_what_is_laid_is_checked_against_the_hand(lanes: Lanes, code: str | None) -> None:
    assert check_arrangement(*lanes, HAND) == code


def test_foul_follows_the_flags() -> None:
    dragon = laid("As Kh Qd", "2s 3h 4d 5c 7h", "6s 8d 9c Ts Jh")
    assert not is_foul(*dragon, Config())
    assert is_foul(*dragon, Config(fixed_exempt_from_foul=False))
    royals = laid("2h 3d 5c", "As Ks Qs Js Ts", "Ah Kh Qh Jh Th")
    assert not is_foul(*royals, Config())
    assert is_foul(*royals, Config(equal_lanes_foul=True))


def test_flags_of_a_table_are_checked_when_it_opens() -> None:
    assert config_of("thirteen_cards", {}) == Config()
    assert config_of("thirteen_cards", {"prize_ratio": [1, 1]}) == Config(prize_ratio=(1, 1))
    assert config_of("banker_xianggong", {}) == Config(equal_lanes_foul=True)
    for rule_set, flags in (("thirteen_cards", {"pay_by": "net"}), ("declare_2", {"pay_by": "x"})):
        refused = config_of(rule_set, flags)
        assert isinstance(refused, Refused)
        assert refused.code == "BAD_CONFIG"
    unknown = config_of("big_two", {})
    assert isinstance(unknown, Refused)
    assert unknown.code == "UNKNOWN_RULE_SET"


def test_hands_of_a_variant_are_thirteen_cards_for_each_gate() -> None:
    assert check_hands({0: PACK[:13], 2: PACK[13:26]}) is None
    assert check_hands({0: PACK[:13], 2: PACK[12:25]}) == "BAD_DECK"
    assert check_hands({0: PACK[:13], 2: PACK[13:25]}) == "BAD_DECK"
    assert check_hands({0: PACK[:13], 2: (*PACK[13:25], "XX")}) == "BAD_DECK"


def test_a_table_knows_a_special_before_anything_is_laid() -> None:
    config = Config()
    assert special_of("four_player", HAND, config) == "suited_dragon"
    assert special_of("no_arranging", HAND, config) == "straight_flush"
    assert special_of("compare_size", HAND, config) is None


def test_every_rule_set_has_a_procedure() -> None:
    official = procedure_of("thirteen_cards")
    assert official.dice
    assert official.banker_opens_first
    mine = [name for name in rule_set_ids() if not name.startswith(("mahjong", "pai_kau"))]
    assert {name for name in mine if procedure_of(name).bets} == {
        "thirteen_cards",
        "declare_2",
        "banker_xianggong",
    }
    assert {name for name in mine if not procedure_of(name).arranged} == {
        "hundred_change",
        "shaoxing",
    }
