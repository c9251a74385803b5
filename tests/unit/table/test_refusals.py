"""Every refusal of A12: in which phase, with which code, in which order, by which rulings."""

from collections.abc import Callable

import pytest
from msgspec import Struct
from msgspec.structs import replace

from floorbook.games.thirteen_cards.arrangement import Arrangement
from floorbook.table import events
from floorbook.table.decide import Effects
from floorbook.table.events import Fact
from floorbook.table.state import encode
from floorbook.table.thirteen_cards import facts
from tests.unit.table.playing import (
    DEALER,
    DICE,
    LIMIT_MS,
    PIT,
    SEATS,
    SHOE,
    SHUFFLER,
    THROW,
    Table,
    cards,
    dealt,
    fouled,
    laid,
    order_for,
    shuffled,
)

REJECT = '{"banker_foul":"reject"}'
P1, P2, P3 = SEATS["p1"], SEATS["p2"], SEATS["p3"]

PHASES = ("IDLE", "SHUFFLED", "BETTING", "LOCKED", "DEALING", "DEALT", "OPENED", "COMPLETE",
          "SETTLED", "VOID", "REDEAL", "SHUFFLED again", "DEALING again")  # fmt: skip
RESTING = ("IDLE", "SETTLED", "VOID")


def table_in(phase: str, flags: str = "{}") -> Table:
    """Return a table in that phase; "again" is that of a re-deal."""
    table = Table().open(flags=flags)
    base, _, again = phase.partition(" ")
    if not again:
        return table.to(base)
    table.to("REDEAL")
    if base == "SHUFFLED":
        table.does(DEALER, facts.PackShuffled())
    else:
        table.to_betting()
    assert table.phase == base
    return table


def anything() -> Arrangement:
    return laid(cards("As Ks Qs Js Ts 9s 8s 7s 6s 5s 4s 3s 2s"))


PACK_DEALT = dealt(order_for({}))
ACTS: dict[str, tuple[str, Fact, tuple[str, ...]]] = {
    "PlaceTaken": (P3, facts.PlaceTaken("p3"), PHASES),
    "PlaceLeft": (P3, facts.PlaceLeft("p3"), PHASES),
    "PackShuffled": (DEALER, facts.PackShuffled(), (*RESTING, "REDEAL")),
    "ShuffleSealed": (
        SHUFFLER,
        events.ShuffleSealed(b"r" * 32, 52),
        (*RESTING, "REDEAL", "SHUFFLED", "SHUFFLED again"),
    ),
    "PackCut": (DEALER, facts.PackCut("", 20), ("SHUFFLED", "SHUFFLED again")),
    "DeckCut": (SHUFFLER, events.DeckCut(20), ("SHUFFLED", "SHUFFLED again")),
    "PackBoxed": (DEALER, facts.PackBoxed(), ("SHUFFLED", "SHUFFLED again")),
    "BetPlaced": (P1, facts.BetPlaced("b9", "p1", 1, 100, 1), ("BETTING",)),
    "BetWithdrawn": (P1, facts.BetWithdrawn("b1", "p1"), ("BETTING",)),
    "BetMoved": (P1, facts.BetMoved("b1", "p1", 3), ("BETTING",)),
    "ShakeStarted": (DEALER, facts.ShakeStarted("p1"), ("BETTING",)),
    "DiceThrown": (DICE, events.DiceThrown(THROW), ("LOCKED",)),
    "ThrowVoid": (DICE, events.ThrowVoid(events.ThrowFault.COCKED), ("LOCKED",)),
    "DeckOpened": (SHUFFLER, events.DeckOpened(), ("DEALING", "DEALING again")),
    "PackDealt": (DEALER, facts.PackDealt(PACK_DEALT), ("DEALING", "DEALING again")),
    "CardExposed": (
        DEALER,
        facts.CardExposed(1),
        ("DEALING", "DEALT", "OPENED", "DEALING again"),
    ),
    "MisdealReported": (DEALER, facts.MisdealReported(PACK_DEALT, True), ("DEALT", "OPENED")),
    "BankerArranged": (DEALER, facts.BankerArranged(anything()), ("DEALT", "OPENED")),
    "BankerOpened": (DEALER, facts.BankerOpened(), ("DEALT",)),
    "HandTaken": (P1, facts.HandTaken(1, "p1"), ("OPENED",)),
    "HandSet": (P1, facts.HandSet(anything(), 1, "p1"), ("OPENED",)),
    "RoundVoided": (
        PIT,
        events.RoundVoided("TEST"),
        tuple(p for p in PHASES if p not in RESTING),
    ),
}
"""Who does what as an example, and the phases that A12 gives it."""


def code_outside(act: str, phase: str) -> str:
    """Return what A12 says of an act outside its phases."""
    if act in ("BetPlaced", "BetWithdrawn", "BetMoved") and phase in (
        "LOCKED", "DEALING", "DEALT", "OPENED", "COMPLETE", "REDEAL", "SHUFFLED again",
        "DEALING again",
    ):  # fmt: skip
        return "BETS_LOCKED"
    if act in ("HandTaken", "HandSet") and phase in ("DEALING", "DEALT", "DEALING again"):
        return "BANKER_NOT_OPENED"
    return "WRONG_PHASE"


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("phase", PHASES)
def test_an_act_belongs_to_its_phases(phase: str, act: str) -> None:
    equipment, fact, phases = ACTS[act]
    code = table_in(phase).code(equipment, fact)
    if phase in phases:
        assert code not in ("WRONG_PHASE", "BETS_LOCKED", "BANKER_NOT_OPENED", "NOT_ALLOWED")
    else:
        assert code == code_outside(act, phase)


class Case(Struct, frozen=True):
    """A situation, an act in it, and how it is refused."""

    code: str
    rules: set[str]
    phase: str
    equipment: str
    fact: Fact | Callable[[Table], Fact]
    before: Callable[[Table], object] = lambda table: None
    flags: str = "{}"
    after_ms: int = 100


def is_resting_bet(table: Table) -> None:
    table.bet("b1", "p1", 1)


def with_lanes(
    gate: int, change: Callable[[Arrangement], Arrangement], player: str = "p1"
) -> Callable[[Table], Fact]:
    """Return the setting of a gate whose own lanes were changed; gate 0 is the banker's."""

    def fact(table: Table) -> Fact:
        arrangement = change(laid(table.game.hands[gate]))
        if gate == 0:
            return facts.BankerArranged(arrangement)
        return facts.HandSet(arrangement, gate, player)

    return fact


def wrong_size_and_card(a: Arrangement) -> Arrangement:
    return Arrangement((*a.front, "1x"), a.middle, a.back)


def too_many_in_front(a: Arrangement) -> Arrangement:
    return Arrangement((*a.front, a.front[0]), a.middle, a.back)


def one_twice_of_another_hand(a: Arrangement) -> Arrangement:
    return Arrangement((a.front[0], a.front[0], a.front[2]), a.middle, a.back)


def one_of_another_hand(a: Arrangement) -> Arrangement:
    other = next(c for c in order_for({}) if c not in a.cards)
    return Arrangement((other, *a.front[1:]), a.middle, a.back)


def take_gate_1(table: Table) -> None:
    table.does(P1, facts.HandTaken(1, "p1"))


def set_gate_1(table: Table) -> None:
    table.set(1)


def misdeal(source: int, target: int, recoverable: bool = True) -> Callable[[Table], Fact]:
    """Return the report that a card of `target` was found at `source`."""

    def fact(table: Table) -> Fact:
        card = table.game.hands[target][0]
        return facts.MisdealReported(dealt(table.order(), wrong={card: source}), recoverable)

    return fact


def broken_pack(fact: type[facts.PackDealt] | type[facts.MisdealReported]) -> Fact:
    """Return a deal with a card twice that also names a gate that is not there."""
    cards_dealt = list(PACK_DEALT)
    cards_dealt[1] = replace(cards_dealt[0], gate=7)
    return fact(tuple(cards_dealt))


def gate_missing(table: Table) -> tuple[facts.DealtCard, ...]:
    order = table.order() if table.game.hands else order_for({})
    return dealt(order, wrong={order[5]: 4})


CASES: dict[str, Case] = {
    "a player with a place takes one": Case(
        "HAS_PLACE", set(), "IDLE", P1, facts.PlaceTaken("p1")
    ),
    "a player without a place leaves it": Case(
        "NO_PLACE", set(), "IDLE", P3, facts.PlaceLeft("p3"),
        lambda t: t.does(P3, facts.PlaceLeft("p3")),
    ),
    "a cut of nine": Case("BAD_CUT", {"TC-05"}, "SHUFFLED", DEALER, facts.PackCut("", 9)),
    "a cut that leaves nine": Case("BAD_CUT", {"TC-05"}, "SHUFFLED", P1, facts.PackCut("p1", 43)),
    "boxed without a cut": Case("CUT_MISSING", {"TC-05"}, "SHUFFLED", DEALER, facts.PackBoxed()),
    "a bet on no gate, of no units": Case(
        "UNKNOWN_GATE", set(), "BETTING", P1, facts.BetPlaced("b", "p1", 4, 100, 0)
    ),
    "a bet on the banker, of no units": Case(
        "BET_ON_BANKER", {"TC-02"}, "BETTING", P1, facts.BetPlaced("b", "p1", 0, 100, 0)
    ),
    "a bet of four units": Case(
        "BAD_BET", {"TC-37"}, "BETTING", P1, facts.BetPlaced("b", "p1", 1, 100, 4)
    ),
    "a bet of no units": Case(
        "BAD_BET", {"TC-37"}, "BETTING", P1, facts.BetPlaced("b", "p1", 1, 100, 0)
    ),
    "a bet of a unit that is nothing": Case(
        "BAD_BET", {"TC-37"}, "BETTING", P1, facts.BetPlaced("b", "p1", 1, 0, 1)
    ),
    "a bet that no ledger can hold": Case(
        "BAD_BET", {"TC-37"}, "BETTING", P1, facts.BetPlaced("b", "p1", 1, 1 << 62, 3)
    ),
    "a bet id again": Case(
        "BAD_BET", {"TC-37"}, "BETTING", P2, facts.BetPlaced("b1", "p2", 1, 100, 1), is_resting_bet
    ),
    "a bet withdrawn that is not there": Case(
        "UNKNOWN_BET", set(), "BETTING", P1, facts.BetWithdrawn("b7", "p1"), is_resting_bet
    ),
    "another's bet withdrawn": Case(
        "UNKNOWN_BET", set(), "BETTING", P2, facts.BetWithdrawn("b1", "p2"), is_resting_bet
    ),
    "another's bet moved to no gate": Case(
        "UNKNOWN_BET", set(), "BETTING", P2, facts.BetMoved("b1", "p2", 9), is_resting_bet
    ),
    "a bet moved to no gate": Case(
        "UNKNOWN_GATE", set(), "BETTING", P1, facts.BetMoved("b1", "p1", 9), is_resting_bet
    ),
    "a bet moved to the banker": Case(
        "BET_ON_BANKER", {"TC-02"}, "BETTING", P1, facts.BetMoved("b1", "p1", 0), is_resting_bet
    ),
    "a bet after the shake began": Case(
        "BETS_LOCKED", {"TC-08"}, "LOCKED", P1, facts.BetPlaced("b", "p1", 9, 0, 0)
    ),
    "another than the highest bettor shakes": Case(
        "NOT_SHAKER", {"TC-06"}, "BETTING", P2, facts.ShakeStarted("p2"), is_resting_bet
    ),
    "a die shows seven": Case("BAD_DICE", {"TC-07"}, "LOCKED", DICE, events.DiceThrown((1, 2, 3, 7))),
    "three dice": Case("BAD_DICE", {"TC-07"}, "LOCKED", DEALER, events.DiceThrown((1, 2, 3))),
    "a card dealt twice, to no gate": Case(
        "BAD_DECK", set(), "DEALING", DEALER, broken_pack(facts.PackDealt)
    ),
    "a card dealt to no gate": Case(
        "UNKNOWN_GATE", set(), "DEALING", DEALER, lambda t: facts.PackDealt(gate_missing(t))
    ),
    "a misdeal of another pack": Case(
        "BAD_DECK", set(), "DEALT", DEALER, broken_pack(facts.MisdealReported)
    ),
    "a misdeal to no gate": Case(
        "UNKNOWN_GATE", set(), "DEALT", DEALER, lambda t: facts.MisdealReported(gate_missing(t))
    ),
    "a misdeal that is none": Case(
        "NO_MISDEAL", {"Art.4"}, "OPENED", DEALER,
        lambda t: facts.MisdealReported(dealt(t.order()), True), take_gate_1,
    ),
    "a card to the opened banker": Case(
        "HAND_SEEN", {"TC-12"}, "OPENED", DEALER, misdeal(2, 0)
    ),
    "a card from the opened banker": Case(
        "HAND_SEEN", {"TC-12"}, "OPENED", DEALER, misdeal(0, 3)
    ),
    "a card from a taken hand": Case(
        "HAND_SEEN", {"TC-12"}, "OPENED", DEALER, misdeal(1, 3), take_gate_1
    ),
    "the banker lays again after cards were taken, with a bad card": Case(
        "CARDS_TAKEN", {"TC-10"}, "OPENED", DEALER, with_lanes(0, wrong_size_and_card), take_gate_1
    ),
    "the banker lays again after a gate was set": Case(
        "CARDS_TAKEN", {"TC-10"}, "OPENED", DEALER, with_lanes(0, lambda a: a), set_gate_1
    ),
    "the banker lays what is no card, in too large a lane": Case(
        "BAD_CARD", set(), "DEALT", DEALER, with_lanes(0, wrong_size_and_card)
    ),
    "the banker lays too large a lane, a card twice": Case(
        "BAD_LANE_SIZE", set(), "DEALT", DEALER, with_lanes(0, too_many_in_front)
    ),
    "the banker lays a card twice, and one not": Case(
        "DUPLICATE_CARD", set(), "DEALT", DEALER, with_lanes(0, one_twice_of_another_hand)
    ),
    "the banker lays another hand's card": Case(
        "CARDS_MISMATCH", {"TC-44"}, "DEALT", DEALER, with_lanes(0, one_of_another_hand)
    ),
    "the opened banker lays a foul where that is rejected": Case(
        "BANKER_FOUL", {"TC-35"}, "OPENED", DEALER,
        lambda t: facts.BankerArranged(fouled(t.game.hands[0])), flags=REJECT,
    ),
    "the banker opens what he has not laid": Case(
        "BANKER_NOT_ARRANGED", {"Art.2(d)"}, "DEALT", DEALER, facts.BankerOpened(), flags=REJECT
    ),
    "the banker opens a foul where that is rejected": Case(
        "BANKER_FOUL", {"TC-35"}, "DEALT", DEALER, facts.BankerOpened(),
        lambda t: t.does(DEALER, facts.BankerArranged(fouled(t.game.hands[0]))), flags=REJECT,
    ),
    "cards taken before the banker opens": Case(
        "BANKER_NOT_OPENED", {"Art.2(d)"}, "DEALT", P1, facts.HandTaken(9, "p1")
    ),
    "cards of no gate taken too late": Case(
        "TIME_UP", {"TC-50"}, "OPENED", P1, facts.HandTaken(9, "p1"), after_ms=LIMIT_MS + 1
    ),
    "cards of no gate taken": Case(
        "UNKNOWN_GATE", set(), "OPENED", P1, facts.HandTaken(9, "p1")
    ),
    "another gate's cards taken": Case(
        "NOT_HOLDER", {"TC-15"}, "OPENED", P2, facts.HandTaken(1, "p2"), take_gate_1
    ),
    "the banker's cards taken": Case(
        "NOT_HOLDER", {"TC-15"}, "OPENED", P1, facts.HandTaken(0, "p1")
    ),
    "cards of a gate without bets taken": Case(
        "NOT_HOLDER", {"TC-15"}, "OPENED", DEALER, facts.HandTaken(3, "house")
    ),
    "cards taken twice": Case(
        "CARDS_TAKEN", set(), "OPENED", P1, facts.HandTaken(1, "p1"), take_gate_1
    ),
    "cards taken after they were set": Case(
        "CARDS_TAKEN", set(), "OPENED", P1, facts.HandTaken(1, "p1"), set_gate_1
    ),
    "set before the banker opens": Case(
        "BANKER_NOT_OPENED", {"Art.2(d)"}, "DEALT", P1, with_lanes(1, wrong_size_and_card)
    ),
    "set too late, at no gate": Case(
        "TIME_UP", {"TC-50"}, "OPENED", P1, facts.HandSet(anything(), 9, "p1"),
        after_ms=LIMIT_MS + 1,
    ),
    "set at no gate": Case(
        "UNKNOWN_GATE", set(), "OPENED", P1, facts.HandSet(anything(), 4, "p1")
    ),
    "another's gate set again": Case(
        "NOT_HOLDER", {"TC-15"}, "OPENED", P2, with_lanes(1, lambda a: a, "p2"), set_gate_1
    ),
    "set again, with a bad card": Case(
        "ALREADY_SET", {"TC-49"}, "OPENED", P1, with_lanes(1, wrong_size_and_card), set_gate_1
    ),
    "set with what is no card, in too large a lane": Case(
        "BAD_CARD", {"TC-44"}, "OPENED", P1, with_lanes(1, wrong_size_and_card)
    ),
    "set with too large a lane, a card twice": Case(
        "BAD_LANE_SIZE", {"TC-44"}, "OPENED", P1, with_lanes(1, too_many_in_front)
    ),
    "set with a card twice, and one not": Case(
        "DUPLICATE_CARD", {"TC-44"}, "OPENED", P1, with_lanes(1, one_twice_of_another_hand)
    ),
    "set with another hand's card": Case(
        "CARDS_MISMATCH", {"TC-44"}, "OPENED", P1, with_lanes(1, one_of_another_hand)
    ),
    "a round voided that is not there": Case(
        "WRONG_PHASE", {"TC-45"}, "SETTLED", PIT, events.RoundVoided("TEST")
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_a_refusal_names_the_first_code_that_applies_and_its_rulings(name: str) -> None:
    case = CASES[name]
    table = table_in(case.phase, case.flags)
    case.before(table)
    fact = case.fact if isinstance(case.fact, Fact) else case.fact(table)
    before = table.state
    taken = table.send(case.equipment, fact, after_ms=case.after_ms)
    refusal = taken.verdict.refusal
    assert refusal is not None
    assert refusal.code == case.code
    assert case.rules <= {*refusal.rules}
    assert taken.effects == Effects()
    # Nothing changes but the source's counter and the place in the log.
    same = replace(table.state, sources=before.sources, offset=before.offset)
    assert encode(same) == encode(before)


@pytest.mark.parametrize(
    ("minimum", "maximum", "unit", "code"),
    [
        (100, 500, 99, "BAD_BET"),
        (100, 500, 100, ""),
        (100, 500, 500, ""),
        (100, 500, 501, "BAD_BET"),
        (0, 0, 1, ""),
        (0, 0, 10**15, ""),
        (0, 0, 10**15 + 1, "BAD_BET"),
    ],
)
def test_a_table_has_limits_for_the_unit(minimum: int, maximum: int, unit: int, code: str) -> None:
    table = Table().open(minimum=minimum, maximum=maximum).to("BETTING")
    assert table.code(P1, facts.BetPlaced("b", "p1", 1, unit, 1)) == code


@pytest.mark.parametrize("depth", [10, 42])
def test_both_parts_of_a_cut_hold_ten_cards(depth: int) -> None:
    assert table_in("SHUFFLED").code(DEALER, facts.PackCut("", depth)) == ""


def test_a_late_gate_is_told_so_when_the_round_is_complete() -> None:
    table = table_in("OPENED")
    table.set(2)
    table.signal()
    assert table.phase == "COMPLETE"
    assert table.code(P1, facts.HandTaken(1, "p1")) == "TIME_UP"
    assert table.code(P1, facts.HandSet(laid(table.game.hands[1]), 1, "p1")) == "TIME_UP"
    assert table.code(P2, facts.HandTaken(2, "p2")) == "WRONG_PHASE"
    assert table.code(P3, facts.HandTaken(3, "p3")) == "WRONG_PHASE"


@pytest.mark.parametrize(
    ("equipment", "fact"),
    [
        (P1, facts.PlaceTaken("p2")),
        (DEALER, facts.PlaceTaken("house")),
        (P1, facts.BetPlaced("b", "p2", 1, 100, 1)),
        (DEALER, facts.BetPlaced("b", "house", 1, 100, 1)),
        (SHUFFLER, facts.BetPlaced("b", "p1", 1, 100, 1)),
        (P1, facts.ShakeStarted("p2")),
        (P1, facts.ShakeStarted("house")),
        (P1, facts.PackShuffled()),
        (SHUFFLER, facts.PackShuffled()),
        (PIT, facts.PackBoxed()),
        (P1, facts.BankerOpened()),
        (P1, facts.PackDealt(PACK_DEALT)),
        (DEALER, facts.HandTaken(1, "p1")),
        (P2, facts.HandSet(anything(), 1, "p1")),
        (DEALER, events.RoundVoided("TEST")),
        (DEALER, events.TableSuspended("TEST")),
        (DEALER, events.ReadingCorrected("x")),
        (DEALER, events.SettledRoundVoided("T1/1")),
        (DEALER, events.ShuffleSealed(b"r" * 32, 52)),
        (DICE, events.DeckOpened()),
        (SHUFFLER, events.DiceThrown(THROW)),
        (P1, events.DiceThrown(THROW)),
        (PIT, events.RoundEvaluated()),
        (PIT, events.EvaluationRefused()),
        (DEALER, events.TimerExpired()),
    ],
)
def test_authority_comes_before_everything(equipment: str, fact: Fact) -> None:
    for phase in ("IDLE", "BETTING", "OPENED"):
        assert table_in(phase).code(equipment, fact) == "NOT_ALLOWED"


def test_a_dealer_may_report_what_players_do_at_his_table() -> None:
    table = Table().open().to("BETTING")
    assert table.code(DEALER, facts.PlaceTaken("p7")) == ""
    assert table.code(DEALER, facts.BetPlaced("b7", "p7", 1, 100, 1)) == ""
    assert table.code(DEALER, facts.BetMoved("b7", "p7", 2)) == ""
    assert table.code(DEALER, facts.ShakeStarted("p7")) == ""


def test_a_dealer_reads_the_dice_where_the_reader_cannot() -> None:
    table = Table().open().to("LOCKED")
    assert table.code(DICE, events.ThrowVoid(events.ThrowFault.LOW_CONFIDENCE, (1, 1))) == ""
    assert table.code(DEALER, events.DiceThrown(THROW)) == ""


def test_a_sealed_pack_must_be_opened_before_it_is_dealt() -> None:
    table = Table().open().to("DEALING")
    assert table.code(DEALER, facts.PackDealt(PACK_DEALT)) == "DECK_NOT_OPENED"
    assert table.code(SHUFFLER, events.ShuffleSealed(b"r" * 32, 52)) == "WRONG_PHASE"


def test_a_pack_that_was_not_sealed_cannot_be_opened() -> None:
    table = Table().open().to("DEALING", sealed=False)
    assert table.code(SHUFFLER, shuffled(table.rng).opened()) == "DECK_NOT_SEALED"


@pytest.mark.parametrize("phase", ["IDLE", "SHUFFLED", "REDEAL"])
def test_a_pack_has_fifty_two_cards(phase: str) -> None:
    assert table_in(phase).code(SHUFFLER, events.ShuffleSealed(b"r" * 32, 53)) == "BAD_DECK"


def test_a_fact_of_no_game_here_is_refused() -> None:
    class Strange(Fact, frozen=True):
        """A fact of a game that this table does not play."""

    assert Table().open().code(DEALER, Strange()) == "FACT_OF_ANOTHER_GAME"


def test_a_reading_shoe_deals_and_does_nothing_else() -> None:
    table = Table().open().to("LOCKED", sealed=False)
    table.does(DICE, events.DiceThrown(THROW))
    report = facts.PackDealt(dealt(order_for({})))
    assert table.code(SHUFFLER, report) == "NOT_ALLOWED"
    assert table.code(DICE, report) == "NOT_ALLOWED"
    assert table.code(SHOE, facts.CardExposed(1)) == "NOT_ALLOWED"
    assert table.code(SHOE, events.DiceThrown(THROW)) == "NOT_ALLOWED"
    assert table.code(SHOE, events.DeckCut(20)) == "NOT_ALLOWED"
    assert table.code(SHOE, report) == ""
    assert table.phase == "DEALT"


def test_what_can_be_repeated_has_an_end() -> None:
    table = Table().open().to("SHUFFLED")
    for _ in range(20):
        table.does(DEALER, facts.PackCut("", 20))
    assert table.code(DEALER, facts.PackCut("", 20)) == "TOO_MANY"
    table.does(DEALER, facts.PackBoxed())
    for number in range(200):
        table.bet(f"b{number}", "p1", 1)
    assert table.code(P1, facts.BetPlaced("b200", "p1", 1, 100, 1)) == "TOO_MANY"
    table.does(P1, facts.BetWithdrawn("b0", "p1"))
    assert table.code(P1, facts.BetPlaced("b200", "p1", 1, 100, 1)) == ""
    for number in range(200 - len(table.game.places)):
        table.does(DEALER, facts.PlaceTaken(f"guest-{number}"))
    assert table.code(DEALER, facts.PlaceTaken("one-more")) == "TOO_MANY"
