"""The recorded rounds of Taiwan Pai Kau: one for each odd thing that can happen to stakes and bets."""

import random
from collections.abc import Callable, Mapping, Sequence
from itertools import count

from floorbook.games.pai_kau.comparison import compare_hands
from floorbook.games.pai_kau.setting import house_way
from floorbook.games.pai_kau.tiles import rest_of_set
from floorbook.table import events
from floorbook.table.events import Event
from floorbook.table.pai_kau import facts
from floorbook.table.pai_kau.shapes import CorrectedHand, PaiKauCorrection
from tests.unit.table.pai_kau_playing import PaiKauTable, dealt, tiles
from tests.unit.table.playing import DEALER, DICE, PIT, SEATS

Played = tuple[str, Sequence[Event]]
Hands = Mapping[int, tuple[str, ...]]


def _hands(
    outcomes: Mapping[int, str], banker: int = 1, gates: int = 4, used: Sequence[str] = ()
) -> Hands:
    """Return hands with which these gates, laid the house's way, stand so against the banker."""
    rest = rest_of_set(used)
    for seed in count():
        order = random.Random(seed).sample(rest, len(rest))
        hands = {gate: tuple(order[4 * gate - 4 : 4 * gate]) for gate in range(1, gates + 1)}
        ways = {gate: house_way(hand) for gate, hand in hands.items()}
        against = ways[banker]
        if all(
            compare_hands(ways[gate].front, ways[gate].back, against.front, against.back).outcome
            == outcome
            for gate, outcome in outcomes.items()
        ):
            return hands
    raise AssertionError("there are such hands")


def _round(
    table: PaiKauTable,
    stake: int,
    bets: Sequence[tuple[str, int, int]],
    outcomes: Mapping[int, str],
    gates: int = 4,
) -> None:
    """Return after a whole round in which the gates stand so against the banker."""
    table.tiles(gates)
    table.bank()
    table.does(DEALER, facts.BettingOpened())
    table.stake(stake)
    for player, gate, amount in bets:
        table.bet(player, gate, amount)
    _finish(table, outcomes)


def _finish(table: PaiKauTable, outcomes: Mapping[int, str]) -> None:
    table.lock()
    table.throw()
    table.deal(_hands(outcomes, table.banker_gate, table.pk.gates, table.pk.used_tiles))
    table.lay_all()
    table.open_pairs()
    table.settle()


def eight_gates() -> Played:
    """All gates are dealt, seven against the banker; odd bets show the rounding."""
    table = PaiKauTable(seed=1).open()
    bets = [("p2", 2, 333), ("p3", 3, 101), ("p4", 4, 77), ("p2", 8, 59)]
    outcomes = {2: "player", 3: "banker", 4: "push", 8: "player"}
    _round(table, 5_000, bets, outcomes, gates=8)
    return "eight gates: wins, a loss, a push", table.log


def stake_exhausted_and_refilled() -> Played:
    """What the banker wins from a later gate pays the one after it; the rest was not in play."""
    table = PaiKauTable(seed=2).open()
    bets = [("p2", 2, 100), ("p3", 3, 60), ("p4", 4, 100), ("p5", 4, 40)]
    _round(table, 100, bets, {2: "player", 3: "banker", 4: "player"})
    assert table.pk.turn is not None
    assert table.pk.turn.minimum_stake == 1
    return "a stake used up at the second gate, refilled by the third", table.log


def co_banks_in_order() -> Played:
    """The banker first, then the co-banks as posted; one backs a single gate; the house's pays no fee."""
    table = PaiKauTable(seed=3).open()
    table.tiles(4)
    table.bank()
    table.does(DEALER, facts.BettingOpened())
    table.stake(100)
    table.back("p7", 50)
    table.back("floor", 1_000, house=True)
    table.back("p8", 500, gate=3)
    table.back("p7", 80)
    assert table.code(SEATS["p7"], facts.BetChanged(2, "p7", 10)) == "COBANKER_BETS"
    table.bet("p2", 2, 400)
    table.bet("p3", 3, 900)
    table.bet("p4", 4, 150)
    _finish(table, {2: "banker", 3: "player", 4: "banker"})
    return "bets beyond the banker's stake, covered by co-banks in order", table.log


def four_gate_pair() -> Played:
    """Half the wall is dealt, the other half in the next round, by one sealed order."""
    table = PaiKauTable(seed=4).open()
    table.round(sealed=True)
    assert table.code(DEALER, facts.TilesShuffled()) == "TILES_REMAIN"
    table.does(DEALER, facts.TilesCarriedOver())
    assert table.code(DEALER, facts.GatesAnnounced(8)) == "FOUR_GATES_ONLY"
    table.does(DEALER, facts.GatesAnnounced(4))
    table.to_end()
    assert table.code(DEALER, facts.TilesCarriedOver()) == "NO_TILES_REMAIN"
    return "two rounds of four gates from one sealed wall", table.log


def new_tiles_instead() -> Played:
    """New tiles end a four-gate pair; eight gates may follow."""
    table = PaiKauTable(seed=5).open()
    table.round()
    table.tiles(8, new=True)
    table.to_end()
    return "new tiles in place of those held over", table.log


def all_push() -> Played:
    """Nobody wins anything and nothing is taken."""
    table = PaiKauTable(seed=6).open()
    bets = [("p2", 2, 100), ("p3", 3, 200), ("p4", 4, 300)]
    _round(table, 500, bets, {2: "push", 3: "push", 4: "push"})
    return "every gate is a push", table.log


def void_throws() -> Played:
    """A cocked die and one out of the cup: thrown again, bets stand."""
    table = PaiKauTable(seed=7).open().to("LOCKED")
    table.does(DICE, events.ThrowVoid(events.ThrowFault.COCKED, (1, 0, 3, 4)))
    assert table.code(SEATS["p2"], facts.BetChanged(2, "p2", 900)) == "BETS_LOCKED"
    table.does(DICE, events.ThrowVoid(events.ThrowFault.OUT_OF_SHAKER))
    table.throw((6, 6, 5, 4))
    table.deal()
    table.lay_all()
    table.open_pairs()
    table.settle()
    return "two throws that do not count", table.log


def dice_put_right() -> Played:
    """The dice were read wrong; the tiles are not dealt yet."""
    table = PaiKauTable(seed=8).open().to("DEALT", sealed=True)
    right = events.DiceThrown((6, 6, 6, 6))
    table.does(PIT, events.ReadingCorrected(table.pk.dice_event, "MISREAD", "cam 2", right))
    table.deal()
    table.lay_all()
    table.open_pairs()
    table.settle()
    return "dice corrected before the deal", table.log


def second_stake() -> Played:
    """What the first round left may only be increased."""
    table = PaiKauTable(seed=9).open()
    _round(table, 500, [("p2", 2, 201)], {2: "banker"})
    table.tiles(4)
    table.does(DEALER, facts.BettingOpened())
    assert table.code(SEATS["p1"], facts.StakePosted("p1", 690)) == "STAKE_BELOW_MINIMUM"
    table.stake(691)
    table.stake(900)
    table.bet("p3", 3, 100)
    _finish(table, {3: "player"})
    return "the second stake is at least what the first left", table.log


def rotation() -> Played:
    """A broken banker leaves; the next gate refuses, the one after it takes the bank."""
    table = PaiKauTable(seed=10).open()
    bets = [("p2", 2, 100), ("p3", 3, 50), ("p4", 4, 10)]
    _round(table, 100, bets, {2: "player", 3: "player", 4: "player"})
    assert table.code(DEALER, facts.BankLeft()) == "TURN_NOT_OVER"
    table.does(SEATS["p1"], facts.BankLeft("p1"))
    table.does(DEALER, facts.TilesCarriedOver())
    table.does(DEALER, facts.GatesAnnounced(4))
    assert table.code(SEATS["p8"], facts.BankAnswered(2, "p8", True)) == "NEVER_BET"
    assert table.code(SEATS["p1"], facts.BankAnswered(1, "p1", True)) == "BAD_GATE"
    table.does(SEATS["p4"], facts.BankAnswered(4, "p4", True))
    table.does(SEATS["p2"], facts.BankAnswered(2, "p2", False))
    table.offer((3, "p3", True))
    assert table.banker_id == "p3"
    table.does(DEALER, facts.BettingOpened())
    table.stake(300)
    table.bet("p1", 1, 100)
    _finish(table, {1: "banker"})
    return "a bank broken, one refusal, the next gate", table.log


def third_round_with_consent() -> Played:
    """Two rounds a turn; a third needs everybody who bet in the second."""
    table = PaiKauTable(seed=11).open()
    for _ in range(2):
        _round(table, 10_000, [("p2", 2, 100), ("p3", 3, 100)], {2: "push", 3: "player"})
    table.does(SEATS["p2"], facts.ConsentGiven("p2"))
    assert table.code(SEATS["p4"], facts.ConsentGiven("p4")) == "NO_PLAYER"
    table.tiles(4)
    assert table.code(DEALER, facts.BettingOpened()) == "CONSENT_MISSING"
    table.does(SEATS["p3"], facts.ConsentGiven("p3"))
    table.does(DEALER, facts.BettingOpened())
    table.stake(10_000)
    table.bet("p4", 4, 100)
    _finish(table, {4: "banker"})
    table.does(DEALER, facts.BankLeft())
    return "a third round by consent, then the croupier ends the turn", table.log


def set_again_by_the_croupier() -> Played:
    """A back smaller than the front, one hand never set, the banker helped by a stranger."""
    table = PaiKauTable(seed=12).open().to("DEALT")
    hands = {1: tiles("66 11 42 41"), 2: tiles("66 11 44 31"), 3: tiles("63 21 55 33")}
    table.deal(hands)
    back, front = table.laid(2)
    table.lay(2, front, back)
    table.does(DEALER, facts.PairsNotSet(3))
    way = table.laid(1)
    table.does(SEATS["p8"], facts.PairsSet(1, "p8", *way))
    table.open_pairs()
    table.settle()
    return "one hand re-set, one not set, the banker's laid by another", table.log


def tiles_moved_by_hand() -> Played:
    """The seal binds no more: what lies before the gates is what counts."""
    table = PaiKauTable(seed=13).open().to("BETTING", sealed=True)
    table.stake(1_000)
    table.bet("p2", 2, 100)
    table.does(SEATS["p2"], facts.TilesMoved("p2"))
    table.does(SEATS["p3"], facts.TilesMoved("p3"))
    assert table.code(SEATS["p4"], facts.TilesMoved("p4")) == "MOVING_OVER"
    table.does(SEATS["p1"], facts.TilesMoved("p1"))
    assert table.code(SEATS["p2"], facts.TilesMoved("p2")) == "MOVING_OVER"
    table.lock()
    table.throw()
    refused = table.open_wall().verdict.refusal
    assert refused is not None
    assert refused.code == "DECK_NOT_SEALED"
    table.deal(_hands({2: "player"}))
    table.lay_all()
    table.open_pairs()
    table.settle()
    return "two players and the banker move tiles of a sealed wall", table.log


def a_wall_that_was_not_sealed() -> Played:
    """Other tiles than opened suspend the table; the right report goes on."""
    table = PaiKauTable(seed=14).open().to("DEALT", sealed=True)
    table.open_wall()
    right = table.hands()
    wrong = {**right, 2: right[3], 3: right[2]}
    assert table.code(DEALER, dealt(wrong)) == "DEALT_NOT_AS_OPENED"
    (cause,) = table.causes()
    table.does(PIT, events.SuspensionResolved(events.Decision.RESUME, cause))
    table.deal(right)
    table.lay_all()
    table.open_pairs()
    table.settle()
    return "a deal reported otherwise than the machine sealed it", table.log


def a_round_without_bets() -> Played:
    """It counts in the banking turn and gives his stake back."""
    table = PaiKauTable(seed=15).open()
    _round(table, 100, [], {})
    return "a round in which nobody bet", table.log


def void_before_the_lock() -> Played:
    """Nothing was held; the tiles are not held over."""
    table = PaiKauTable(seed=16).open()
    table.round()
    table.to("BETTING")
    table.stake(2_000)
    table.does(PIT, events.RoundVoided("TILE_MISSING", "incident 3"))
    assert table.code(DEALER, facts.TilesCarriedOver()) == "NO_TILES_REMAIN"
    return "the second round of a four-gate deal void while bets were open", table.log


def void_after_the_lock() -> Played:
    """Stake, co-banks and bets go back in full; the turn does not count."""
    table = PaiKauTable(seed=17).open().to("BETTING")
    table.stake(1_000)
    table.back("floor", 700, house=True)
    table.back("p6", 300)
    table.bet("p2", 2, 100)
    table.lock()
    table.throw()
    table.deal()
    table.does(PIT, events.RoundVoided("MISDEAL", "incident 4"))
    return "a misdeal: all stakes and bets go back", table.log


def void_after_the_settlement() -> Played:
    """The settlement is reversed, the hold released; the supervisor says who banks."""
    table = PaiKauTable(seed=18).open()
    table.round()
    table.does(PIT, events.SettledRoundVoided("T1/1", "CHEATING", "incident 5"))
    table.does(PIT, facts.BankCorrected(1, "p1", 0, 1, 0, "ROUND_VOID", "incident 5"))
    table.does(PIT, facts.HeldTilesCorrected((), "ROUND_VOID", "incident 5"))
    table.round()
    return "a settled round void, bank and tiles set by the supervisor", table.log


def correction_after_the_settlement() -> Played:
    """Money is mirrored and settled anew while the next round goes on; the bank is set by hand."""
    table = PaiKauTable(seed=19).open()
    _round(table, 1_000, [("p2", 2, 300)], {2: "player"})
    hand = table.pk.hands[1]
    table.to("LOCKED")
    swapped = CorrectedHand(2, (), *reversed(house_pairs(hand)))
    dice = (6, 6, 6, 5)
    correction = PaiKauCorrection((swapped, CorrectedHand(3)), dice)
    fact = events.SettledRoundCorrected("T1/1", "MISREAD", "cam 4", pai_kau=correction)
    table.does(PIT, fact)
    table.settle()
    table.to_end()
    table.does(PIT, facts.BankCorrected(1, "p1", 2, 700, 0, "CORRECTED", "cam 4"))
    return "a settled round corrected while the next is locked", table.log


def house_pairs(hand: tuple[str, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return front and back of a hand as the house lays it."""
    way = house_way(hand)
    return way.front.tiles, way.back.tiles


SCRIPTS: tuple[Callable[[], Played], ...] = (
    eight_gates,
    stake_exhausted_and_refilled,
    co_banks_in_order,
    four_gate_pair,
    new_tiles_instead,
    all_push,
    void_throws,
    dice_put_right,
    second_stake,
    rotation,
    third_round_with_consent,
    set_again_by_the_croupier,
    tiles_moved_by_hand,
    a_wall_that_was_not_sealed,
    a_round_without_bets,
    void_before_the_lock,
    void_after_the_lock,
    void_after_the_settlement,
    correction_after_the_settlement,
)
