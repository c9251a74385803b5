"""The rounds that are recorded: one for each thing that can happen to money at a table."""

from collections.abc import Callable, Iterator, Sequence
from types import MappingProxyType

from floorbook.games.thirteen_cards.arrangement import Arrangement
from floorbook.table import events
from floorbook.table.events import Decision, Event, SuspensionResolved
from floorbook.table.thirteen_cards import facts
from floorbook.table.thirteen_cards.shapes import CorrectedGate, ThirteenCardsCorrection
from tests.golden import mahjong, pai_kau, variants
from tests.golden.record import Script
from tests.unit.table.playing import (
    DEALER,
    DICE,
    PIT,
    SEATS,
    Table,
    cards,
    dealt,
    fouled,
    laid,
    lanes,
    order_for,
)


def _round(hands: dict[int, Arrangement], bets: Sequence[tuple[str, str, int, int, int]]) -> Table:
    """Return a table that has dealt these hands to gates with these bets; the banker is open."""
    table = Table().open()
    table.to_betting(sealed=False)
    for bet_id, player, gate, unit, units in bets:
        table.bet(bet_id, player, gate, unit, units)
    table.lock()
    table.deal(order_for({gate: hand.cards for gate, hand in hands.items()}))
    table.open_banker(hands[0])
    return table


def _played(table: Table, laid_hands: dict[int, Arrangement]) -> Sequence[Event]:
    for gate, hand in laid_hands.items():
        table.set(gate, hand, after_ms=20_000)
    table.settle()
    return table.log


def win_lose_tie() -> tuple[str, Sequence[Event]]:
    """One gate wins, one ties, one loses; odd stakes show the rounding of prize and commission."""
    hands = {
        0: cards("Qs Td 7s Ah Jh Kh 2d Qh 4h 7d 2s 7c Ts"),
        1: cards("Ad 9s Qc Ac 6d Jc 3c 9d 6h Kd Tc Th 6s"),
        2: cards("5h 6c 3h 8s Ks 8c 3s 5d Jd 3d 4s 4c 5c"),
        3: cards("5s 7h 2h 8d Kc 2c As 8h Qd 9c 4d Js 9h"),
    }
    table = Table().open(banker_gate=1)
    table.to_betting(sealed=False)
    table.bet("b1", "p1", 0, 333, 1)
    table.bet("b2", "p2", 2, 55, 2)
    table.bet("b3", "p3", 3, 100, 3)
    table.lock()
    table.deal(order_for(hands, banker=1))
    table.open_banker()
    _played(table, {gate: laid(table.game.hands[gate]) for gate in (0, 2, 3)})
    return "one gate wins, one ties, one loses", table.log


def fouls_of_both() -> tuple[str, Sequence[Event]]:
    """The banker's foul pays those in order; a gate's foul loses to him all the same."""
    table = Table(seed=11).open().to("LOCKED")
    table.deal()
    table.open_banker(fouled(table.game.hands[0]))
    table.set(1, fouled(table.game.hands[1]))
    table.set(2)
    table.settle()
    return "banker and one gate fouled: that gate loses, the other wins", table.log


def foul_of_a_gate() -> tuple[str, Sequence[Event]]:
    """A gate laid out of order has lost."""
    table = Table(seed=32).open().to("OPENED")
    table.set(1, fouled(table.game.hands[1]))
    table.set(2)
    table.settle()
    return "one gate fouled, the other wins", table.log


def fixed_combinations() -> tuple[str, Sequence[Event]]:
    """A dragon beats everything ordinary; three flushes as laid do too."""
    banker = lanes("9h 9d 4c", "Ks Kd 7c 5d 3d", "Ts Td Tc 8h 8d")
    dragon = lanes("Qh 3h 2c", "Ah Jd 9c 7d 6d", "Kc Th 8s 5s 4s")
    flushes = lanes("2h 5h 6h", "3s 6s 7s 9s Qs", "Ac 5c 6c 8c Jc")
    hands = {0: banker, 1: dragon, 3: flushes}
    table = _round(hands, [("b1", "p1", 1, 100, 1), ("b2", "p2", 3, 100, 2)])
    return "a dragon and three flushes against an ordinary banker", _played(
        table, {1: dragon, 3: flushes}
    )


def fixed_combinations_tie() -> tuple[str, Sequence[Event]]:
    """Two fixed combinations tie whichever they are."""
    banker = lanes("2d 2c 3d", "3c 4d 4c 5d 5c", "6d 6c 7d 7c 9h")
    dragon = lanes("Qh 3h 2h", "Ah Jd 9c 7h 6h", "Kc Th 8s 5s 4s")
    hands = {0: banker, 1: dragon}
    table = _round(hands, [("b1", "p1", 1, 100, 1)])
    return "the banker's six and a half pairs against a dragon", _played(table, {1: dragon})


def late_gate() -> tuple[str, Sequence[Event]]:
    """What is not set at the signal has lost, a setting after it is refused."""
    table = Table(seed=57).open().to("OPENED")
    table.set(2, after_ms=300_000)
    table.signal()
    late = facts.HandSet(laid(table.game.hands[1]), 1, "p1")
    assert table.code(SEATS["p1"], late) == "TIME_UP"
    table.settle()
    return "one gate set at exactly five minutes, one late", table.log


def misdeal_put_right() -> tuple[str, Sequence[Event]]:
    """A card at a wrong gate that nobody has seen goes where it belongs."""
    table = Table(seed=62).open().to("OPENED", sealed=False)
    card = table.game.hands[2][4]
    report = dealt(table.order(), wrong={card: 3})
    table.does(DEALER, facts.MisdealReported(report, recoverable=True))
    table.does(SEATS["p1"], facts.HandTaken(1, "p1"))
    taken = dealt(table.order(), wrong={table.game.hands[1][0]: 3})
    code = table.code(DEALER, facts.MisdealReported(taken, recoverable=True))
    assert code == "HAND_SEEN"
    _played(table, {1: laid(table.game.hands[1]), 2: laid(table.game.hands[2])})
    return "a misdeal put right, another refused because a hand was seen", table.log


def misdeal_dealt_again() -> tuple[str, Sequence[Event]]:
    """Void cards are dealt again; bets and dice stand."""
    table = Table(seed=83).open().to("OPENED")
    old = f"T1/1/timer/{table.timer().n}"
    table.void_deal()
    assert table.code(SEATS["p3"], facts.BetPlaced("b9", "p3", 1, 100, 1)) == "BETS_LOCKED"
    table.to_betting()
    table.deal()
    table.open_banker()
    table.answer(old, events.TimerExpired())
    _played(table, {1: laid(table.game.hands[1]), 2: laid(table.game.hands[2])})
    return "a misdeal that voids the deal, the pack dealt again, a stale signal", table.log


def two_bettors_at_one_gate() -> tuple[str, Sequence[Event]]:
    """The higher bettor's hand binds both bets."""
    table = Table(seed=16).open().to("BETTING")
    table.bet("b1", "p1", 1, 100, 1)
    table.bet("b2", "p2", 1, 150, 3)
    assert table.code(SEATS["p1"], facts.ShakeStarted("p1")) == "NOT_SHAKER"
    table.lock()
    table.deal()
    table.open_banker()
    assert table.code(SEATS["p1"], facts.HandTaken(1, "p1")) == "NOT_HOLDER"
    table.does(SEATS["p2"], facts.HandTaken(1, "p2"))
    table.set(1)
    table.settle()
    return "two bettors at one gate, the higher holds", table.log


def house_held_gate() -> tuple[str, Sequence[Event]]:
    """The dealer lays for bettors without a place."""
    table = Table(seed=17).open().to("BETTING")
    table.does(DEALER, facts.BetPlaced("b1", "guest-1", 2, 500, 2))
    table.lock()
    table.deal()
    table.open_banker()
    table.set(2)
    table.settle()
    return "a gate whose bettor has no place, shaken for and laid by the dealer", table.log


def void_before_the_lock() -> tuple[str, Sequence[Event]]:
    """Nothing was held, so nothing goes back."""
    table = Table(seed=18).open().to("BETTING")
    table.bet("b1", "p1", 1)
    table.does(PIT, events.RoundVoided("DECK_DAMAGED", "incident 7"))
    return "a round void while bets were still open", table.log


def void_after_the_lock() -> tuple[str, Sequence[Event]]:
    """Every stake goes back in full."""
    table = Table(seed=19).open().to("OPENED")
    table.does(PIT, events.RoundVoided("DECK_DAMAGED", "incident 7"))
    return "a round void while hands were arranged", table.log


def void_after_the_settlement() -> tuple[str, Sequence[Event]]:
    """The settlement is reversed, the hold released."""
    table = Table(seed=45).open()
    table.round()
    table.does(PIT, events.SettledRoundVoided("T1/1", "CHEATING", "incident 8"))
    return "a settled round void", table.log


def correction_after_the_settlement() -> tuple[str, Sequence[Event]]:
    """Reversal, new evaluation, second settlement, while the next round is under way."""
    table = Table(seed=84).open()
    table.round()
    table.to("LOCKED")
    correction = ThirteenCardsCorrection((CorrectedGate(1, None),))
    table.does(PIT, events.SettledRoundCorrected("T1/1", "MISREAD", "cam 3", correction))
    table.settle()
    return "a settled round corrected: one gate had been late", table.log


def suspension_and_resumption() -> tuple[str, Sequence[Event]]:
    """Suspension stops the clock; what is owed afterwards is owed anew."""
    table = Table(seed=22).open().to("OPENED")
    table.now_ms += 250_000
    table.does(PIT, events.TableSuspended("DISPUTE"))
    table.now_ms += 600_000
    assert table.code(SEATS["p1"], facts.HandTaken(1, "p1")) == "SUSPENDED"
    (cause,) = table.causes()
    table.does(PIT, SuspensionResolved(Decision.RESUME, cause))
    table.set(1, after_ms=49_000)
    table.set(2)
    table.does(PIT, events.TableSuspended("DISPUTE"))
    table.answer(table.owed_id(), table.judged())
    (cause,) = table.causes()
    table.does(PIT, SuspensionResolved(Decision.RESUME, cause))
    table.settle()
    return "suspended while arranging and while judged", table.log


def a_hole_that_heals() -> tuple[str, Sequence[Event]]:
    """A missing reading suspends until it comes."""
    table = Table(seed=23).open().to("LOCKED")
    number = table.sequences[DICE]
    void = events.ThrowVoid(events.ThrowFault.COCKED)
    table.send(DICE, events.DiceThrown((1, 2, 3, 4)), sequence=number + 2)
    table.send(DICE, void, sequence=number + 1)
    table.send(DICE, events.DiceThrown((1, 2, 3, 4)), sequence=number + 2)
    table.deal()
    table.open_banker()
    _played(table, {1: laid(table.game.hands[1]), 2: laid(table.game.hands[2])})
    return "a reading that came out of turn, and the missing one after it", table.log


def a_round_without_bets() -> tuple[str, Sequence[Event]]:
    """It goes its way and books nothing."""
    table = Table(seed=24).open().to("BETTING")
    table.lock()
    table.deal()
    table.open_banker()
    table.settle()
    return "a round in which nobody bet", table.log


_THIRTEEN_CARDS: tuple[Callable[[], tuple[str, Sequence[Event]]], ...] = (
    win_lose_tie,
    fouls_of_both,
    foul_of_a_gate,
    fixed_combinations,
    fixed_combinations_tie,
    late_gate,
    misdeal_put_right,
    misdeal_dealt_again,
    two_bettors_at_one_gate,
    house_held_gate,
    void_before_the_lock,
    void_after_the_lock,
    void_after_the_settlement,
    correction_after_the_settlement,
    suspension_and_resumption,
    a_hole_that_heals,
    a_round_without_bets,
)
ROUNDS = MappingProxyType(
    {
        "thirteen_cards": _THIRTEEN_CARDS,
        **variants.ROUNDS,
        "pai_kau": pai_kau.SCRIPTS,
        **mahjong.ROUNDS,
    }
)
"""The rounds of each rule set; a folder has its name."""


def all_scripts() -> Iterator[tuple[str, str, Script]]:
    """Yield folder, name and script of every golden round."""
    for rule_set, scripts in ROUNDS.items():
        for script in scripts:
            yield rule_set, script.__name__, _bound(rule_set, script)


def _bound(rule_set: str, script: Callable[[], tuple[str, Sequence[Event]]]) -> Script:
    def play() -> tuple[str, str, Sequence[Event]]:
        about, log = script()
        return rule_set, about, log

    return play
