"""The recorded rounds of the nine variants: each with what its text alone has."""

import random
from collections.abc import Callable, Sequence
from types import MappingProxyType

from floorbook.table import events
from floorbook.table.events import Event
from floorbook.table.thirteen_cards import facts
from floorbook.table.thirteen_cards.shapes import CorrectedGate, ThirteenCardsCorrection
from tests.unit.table.playing import DEALER, PIT, SEATS, cards, fouled
from tests.unit.table.variants import Hands, VariantTable, rest_of

Played = tuple[str, Sequence[Event]]

DRAGON = cards("As Kd Qh Jc Ts 9d 8h 7c 6s 5d 4h 3c 2s")
SUITED_DRAGON = cards("Ah Kh Qh Jh Th 9h 8h 7h 6h 5h 4h 3h 2h")
SIX_PAIRS = cards("Ac Ad Kc Kh Qc Qd Jd Jh 9c 9h 8c 8d 4s")
THREE_STRAIGHTS = cards("2h 3h 4h 3s 4d 5s 6h 7h Ts Jc Qs Kd As")
FOUR_NINES = cards("9s 9h 9c 9d As Kd Qh Jc 7s 5d 4h 3c 2s")
BLACK = cards("As Ks Qc Jc 9s 8c 7s 6c 5s 4c 3s 2c 2s")
FOUR_TENS = cards("Ts Th Tc Td 7s 7d 5h 4c 2d 3c 6s As Ks")
FOUR_NINES_OF_HEARTS = cards("9h 9d 9c Ah Kh Qh Jh 8h 7h 5h 4h 3h Td")
SIX_PAIRS_WITHOUT_HEARTS = cards("Ac Ad Kc Ks Qc Qd Jd Js 9c 9d 8c 8d 4s")


def _dealt(
    rule_set: str,
    hands: Hands,
    *,
    players: int = 4,
    stakes: Sequence[tuple[str, str, int, int]] = (),
    flags: str = "{}",
) -> VariantTable:
    """Return a table that has dealt these hands, and of the rest of the pack to the other gates."""
    table = VariantTable(rule_set).open(players, flags=flags)
    table.box(sealed=False, cut=False)
    for bet_id, player, gate, stake in stakes:
        table.stake(bet_id, player, gate, stake)
    if table.phase == "BETTING":
        table.lock()
    table.deal(rest_of(hands, tuple(table.game.holders), random.Random(3)))
    return table


def three_gates_one_fouled() -> Played:
    """Whoever fouls loses to both others."""
    table = _dealt("compare_size", {}, players=3)
    table.lay(0)
    table.lay(1, fouled(table.game.hands[1]))
    code = table.code(SEATS["p3"], facts.HandSet(None, 2, "p3"))
    assert code == "NO_SPECIAL"
    table.lay(2)
    table.settle()
    return "three players, one fouled", table.log


def four_of_a_kind_is_not_waited_for() -> Played:
    """A hand with four of a kind need not be laid."""
    table = _dealt("no_arranging", {1: FOUR_NINES})
    for gate in (0, 2, 3):
        table.lay(gate)
    table.settle()
    return "four nines win without being arranged", table.log


def a_dragon_and_a_declared_hand() -> Played:
    """The dragon beats six pairs and a half, which beat what is arranged."""
    table = _dealt("declare", {0: DRAGON, 2: SIX_PAIRS})
    table.announce(0)
    table.lay(1)
    table.not_set(3)
    table.settle()
    return "a dragon, a declared hand, one arranged and one not set", table.log


def whole_hands() -> Played:
    """Nothing is arranged: the deal decides."""
    table = _dealt("hundred_change", {0: BLACK, 3: FOUR_NINES_OF_HEARTS})
    assert table.phase == "COMPLETE"
    table.settle()
    return "one colour against four of a kind and others", table.log


def whole_hands_of_three() -> Played:
    """The same with the gaps that this text allows."""
    table = _dealt("shaoxing", {1: SIX_PAIRS}, players=3)
    assert table.phase == "COMPLETE"
    table.settle()
    return "six pairs and a half against two others", table.log


def only_the_back_lane() -> Played:
    """Two players, one of whom has not set his hand."""
    table = _dealt("compare_size_2", {}, players=2)
    table.lay(0)
    table.not_set(1)
    table.settle()
    return "two players, one not set", table.log


def the_house_banks() -> Played:
    """A loss beyond the stake comes from the player's pocket; the house's hand is the dealer's."""
    stakes = (("b1", "p1", 1, 333), ("b2", "p2", 2, 100), ("b3", "p4", 3, 50), ("b4", "p3", 3, 70))
    hands = {0: THREE_STRAIGHTS, 2: SIX_PAIRS}
    table = _dealt("declare_2", hands, players=3, stakes=stakes)
    table.announce(0)
    table.lay(1)
    table.lay(2, declare=False)
    table.lay(3)
    table.settle()
    return "the house announces three straights and takes four stakes of each bet", table.log


def a_player_banks() -> Played:
    """The banker pays and takes himself; fouls and specials of both sides."""
    stakes = (("b1", "p2", 1, 200), ("b2", "p3", 2, 100), ("b3", "p4", 3, 300), ("b4", "p1", 3, 10))
    table = _dealt("banker_xianggong", {1: SIX_PAIRS}, stakes=stakes)
    table.lay(0)
    table.announce(1)
    table.lay(2, fouled(table.game.hands[2]))
    table.lay(3)
    table.settle()
    return "a player banks against a special, a foul and an ordinary hand", table.log


def a_banker_who_has_not_set() -> Played:
    """His foul pays every player in order; then the round is corrected: he had laid."""
    stakes = (("b1", "p2", 1, 200), ("b2", "p3", 2, 100))
    table = _dealt("banker_xianggong", {}, players=3, stakes=stakes)
    hand = table.game.hands[0]
    table.not_set(0)
    table.lay(1)
    table.lay(2)
    table.settle()
    corrected = ThirteenCardsCorrection((CorrectedGate(0, fouled(hand)), CorrectedGate(2, None)))
    table.does(PIT, events.SettledRoundCorrected("T1/1", "MISREAD", "cam 3", corrected))
    table.settle()
    return "the banker's foul, corrected to both fouled", table.log


def bets_of_a_void_round_go_back() -> Played:
    """What was held goes back; a misdeal before it leaves bets where they lie."""
    table = _dealt("declare_2", {}, players=2, stakes=(("b1", "p1", 1, 200),))
    table.void_deal()
    table.box(sealed=False)
    table.deal()
    table.does(PIT, events.RoundVoided("DECK_DAMAGED", "incident 9"))
    return "a pack dealt again, then the round void", table.log


def a_service_fee() -> Played:
    """Winners pay the house: twelve of a unit and two per cent, rounded up."""
    flags = '{"service_fee_minor":12,"service_fee_bps":200}'
    table = _dealt("four_player", {0: SIX_PAIRS, 2: FOUR_TENS}, flags=flags)
    table.announce(0)
    for gate in (1, 2, 3):
        table.lay(gate)
    table.settle()
    return "a special against three ordinary hands, winners pay a fee", table.log


def a_special_declined() -> Played:
    """Six pairs and a half played as an ordinary hand; a suited dragon beats all."""
    table = _dealt("four_player", {0: SIX_PAIRS_WITHOUT_HEARTS, 1: SUITED_DRAGON})
    table.lay(0, declare=False)
    table.announce(1)
    table.lay(2)
    table.not_set(3)
    table.settle()
    table.does(DEALER, facts.UnitSet(250))
    return "one special declined, one of the highest announced", table.log


ROUNDS: MappingProxyType[str, tuple[Callable[[], Played], ...]] = MappingProxyType(
    {
        "compare_size": (three_gates_one_fouled,),
        "no_arranging": (four_of_a_kind_is_not_waited_for,),
        "declare": (a_dragon_and_a_declared_hand,),
        "hundred_change": (whole_hands,),
        "shaoxing": (whole_hands_of_three,),
        "compare_size_2": (only_the_back_lane,),
        "declare_2": (the_house_banks, bets_of_a_void_round_go_back),
        "banker_xianggong": (a_player_banks, a_banker_who_has_not_set),
        "four_player": (a_service_fee, a_special_declined),
    }
)
"""The rounds of each variant."""
