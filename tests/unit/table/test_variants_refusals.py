"""Every refusal of B10: in its order, by its rulings, and who may do what at a variant's table."""

import random
from collections.abc import Callable

import pytest
from msgspec import Struct

from floorbook.games.thirteen_cards.arrangement import Arrangement
from floorbook.table import events
from floorbook.table.events import Fact
from floorbook.table.thirteen_cards import facts
from tests.unit.table.playing import (
    DEALER,
    DICE,
    PIT,
    SEATS,
    SHOE,
    SHUFFLER,
    Table,
    cards,
    laid,
)
from tests.unit.table.variant_acting import SPECIALS
from tests.unit.table.variants import (
    ALL_AGAINST_ALL,
    BANKER_GAMES,
    VARIANTS,
    VariantTable,
    as_hands,
    in_turn,
    rest_of,
)

P1, P2, P3, P4 = (SEATS[player] for player in ("p1", "p2", "p3", "p4"))
ARRANGED = tuple(r for r in VARIANTS if r not in ("hundred_change", "shaoxing"))
DRAGON = tuple(SPECIALS[0].split())


class Case(Struct, frozen=True):
    """A situation, an act in it, and how it is refused."""

    code: str
    rules: tuple[str, ...]
    rule_set: str
    phase: str
    equipment: str
    fact: Fact | Callable[[VariantTable], Fact]
    before: Callable[[VariantTable], object] = lambda table: None


def lay_gate_1(table: VariantTable) -> None:
    table.lay(1)


def twice(table: VariantTable) -> Fact:
    """Return a deal with a card twice, to a gate that is not there."""
    dealt = list(in_turn(table.rng.sample(DECK, 52), (0, 1, 2)))
    dealt[1] = facts.DealtCard(dealt[0].card, 7)
    return facts.PackDealt(tuple(dealt))


DECK = tuple(rank + suit for suit in "shcd" for rank in "AKQJT98765432")


def elsewhere(*gates: int) -> Callable[[VariantTable], Fact]:
    return lambda table: facts.PackDealt(in_turn(DECK, gates))


def twelve(table: VariantTable) -> Fact:
    return facts.PackDealt(in_turn(DECK, (0, 1, 2))[:-1])


def lanes_of(change: Callable[[Arrangement], Arrangement]) -> Callable[[VariantTable], Fact]:
    return lambda table: facts.HandSet(change(laid(table.game.hands[1])), 1, "p2")


CASES: dict[str, Case] = {
    "a player who sits sits down at no gate": Case(
        "HAS_PLACE", (), "declare", "IDLE", P1, facts.PlaceTaken("p1", 9)
    ),
    "no gate is named": Case("UNKNOWN_GATE", (), "declare", "IDLE", P4, facts.PlaceTaken("p4")),
    "a gate that is not there": Case(
        "UNKNOWN_GATE", (), "declare", "IDLE", P4, facts.PlaceTaken("p4", 4)
    ),
    "another's gate": Case("GATE_TAKEN", (), "declare", "IDLE", P4, facts.PlaceTaken("p4", 2)),
    "the house's gate": Case("GATE_TAKEN", (), "declare_2", "IDLE", P4, facts.PlaceTaken("p4", 0)),
    "a unit that is nothing": Case(
        "BAD_BET", ("TV-02",), "declare", "IDLE", DEALER, facts.UnitSet(0)
    ),
    "a unit that no ledger can hold": Case(
        "BAD_BET", ("TV-02",), "four_player", "IDLE", DEALER, facts.UnitSet(1 << 60)
    ),
    "a unit after the pack is boxed": Case(
        "WRONG_PHASE", (), "four_player", "DEALING", DEALER, facts.UnitSet(5)
    ),
    "boxed for two gates less one": Case(
        "NOT_ENOUGH_GATES", ("TV-54",), "declare", "SHUFFLED", DEALER, facts.PackBoxed(),
        lambda t: [t.does(SEATS[p], facts.PlaceLeft(p)) for p in ("p2", "p3")],
    ),
    "a bet at a gate without a player": Case(
        "UNKNOWN_GATE", (), "banker_xianggong", "BETTING", P1,
        facts.BetPlaced("b", "p1", 3, stake_minor=0),
    ),
    "a bet on the banker": Case(
        "BET_ON_BANKER", ("Art.3", "TC-02"), "banker_xianggong", "BETTING", P1,
        facts.BetPlaced("b", "p1", 0, stake_minor=0),
    ),
    "a stake of nothing": Case(
        "BAD_BET", (), "declare_2", "BETTING", P1, facts.BetPlaced("b", "p1", 1, stake_minor=0)
    ),
    "units where a stake belongs": Case(
        "BAD_BET", (), "declare_2", "BETTING", P1, facts.BetPlaced("b", "p1", 1, 100, 1)
    ),
    "a bet after the deal has started": Case(
        "BETS_LOCKED", ("TV-61",), "declare_2", "DEALT", P1,
        facts.BetPlaced("b", "p1", 1, stake_minor=100),
    ),
    "nobody banks, and a bet lies where nobody sits": Case(
        "BANKER_MISSING", (), "banker_xianggong", "BETTING", DEALER, facts.DealStarted(),
        lambda t: [t.stake("b", "p3", 2), t.does(P1, facts.PlaceLeft("p1")),
                   t.does(P3, facts.PlaceLeft("p3"))],
    ),
    "a bet lies where nobody sits any more": Case(
        "UNKNOWN_GATE", (), "declare_2", "BETTING", DEALER, facts.DealStarted(),
        lambda t: [t.stake("b", "p3", 3), t.does(P3, facts.PlaceLeft("p3"))],
    ),
    "the banker alone": Case(
        "NOT_ENOUGH_GATES", ("TV-54",), "declare_2", "BETTING", DEALER, facts.DealStarted(),
        lambda t: [t.does(SEATS[p], facts.PlaceLeft(p)) for p in ("p1", "p2", "p3")],
    ),
    "a card twice, and no such gate": Case("BAD_DECK", (), "declare", "DEALING", DEALER, twice),
    "a gate that is not there gets cards": Case(
        "UNKNOWN_GATE", (), "declare", "DEALING", SHOE, elsewhere(0, 1, 5)
    ),
    "a gate that does not play gets cards": Case(
        "BAD_DECK", (), "declare", "DEALING", SHOE, elsewhere(0, 1, 3)
    ),
    "a gate that plays gets none": Case(
        "BAD_DECK", (), "declare", "DEALING", SHOE, elsewhere(0, 1)
    ),
    "twelve cards": Case("BAD_DECK", (), "declare", "DEALING", DEALER, twelve),
    "a misdeal that is put right": Case(
        "HAND_SEEN", (), "declare", "DEALT", DEALER, facts.MisdealReported((), True)
    ),
    "a gate that is not there is set by another": Case(
        "UNKNOWN_GATE", (), "compare_size", "DEALT", P1, facts.HandSet(None, 4, "p1")
    ),
    "another's gate is set": Case(
        "NOT_HOLDER", (), "compare_size", "DEALT", P1, facts.HandSet(None, 1, "p1")
    ),
    "a gate that does not play is set": Case(
        "NOT_HOLDER", (), "compare_size", "DEALT", P1, facts.HandSet(None, 3, "p1")
    ),
    "set twice, without lanes": Case(
        "ALREADY_SET", (), "compare_size", "DEALT", P2, facts.HandSet(None, 1, "p2"), lay_gate_1
    ),
    "nothing to announce": Case(
        "NO_SPECIAL", ("TV-57", "TV-60"), "compare_size", "DEALT", P2,
        facts.HandSet(None, 1, "p2"),
    ),
    "no card": Case(
        "BAD_CARD", ("ENC-0",), "compare_size", "DEALT", P2,
        lanes_of(lambda a: Arrangement((*a.front, "1x"), a.middle, a.back)),
    ),
    "four in front, one twice": Case(
        "BAD_LANE_SIZE", ("ENC-0",), "compare_size", "DEALT", P2,
        lanes_of(lambda a: Arrangement((*a.front, a.front[0]), a.middle, a.back)),
    ),
    "one twice": Case(
        "DUPLICATE_CARD", ("ENC-0",), "compare_size", "DEALT", P2,
        lanes_of(lambda a: Arrangement((a.front[0],) * 3, a.middle, a.back)),
    ),
    "another's cards": Case(
        "CARDS_MISMATCH", ("ENC-0",), "compare_size", "DEALT", P2,
        lambda t: facts.HandSet(laid(t.game.hands[0]), 1, "p2"),
    ),
    "a gate that does not play is declared not set": Case(
        "UNKNOWN_GATE", (), "compare_size", "DEALT", DEALER, facts.HandNotSet(3)
    ),
    "a gate that is set is declared not set": Case(
        "ALREADY_SET", (), "compare_size", "DEALT", DEALER, facts.HandNotSet(1), lay_gate_1
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_an_act_is_refused_by_its_first_fault(name: str) -> None:
    case = CASES[name]
    table = VariantTable(case.rule_set).open(3).to(case.phase, sealed=False)
    case.before(table)
    fact = case.fact if isinstance(case.fact, Fact) else case.fact(table)
    refusal = table.send(case.equipment, fact).verdict.refusal
    assert refusal is not None
    assert (refusal.code, refusal.rules) == (case.code, case.rules)


def test_a_unit_is_needed_before_the_players_are_counted() -> None:
    table = VariantTable("declare").open(0, unit=False).to("SHUFFLED")
    refusal = table.send(DEALER, facts.PackBoxed()).verdict.refusal
    assert refusal is not None
    assert (refusal.code, refusal.rules) == ("UNIT_MISSING", ("TV-02",))


def test_limits_hold_for_units_and_stakes() -> None:
    table = VariantTable("declare").open(0, unit=False, minimum=50, maximum=500)
    codes = [table.code(DEALER, facts.UnitSet(unit)) for unit in (49, 50, 500, 501)]
    assert codes == ["BAD_BET", "", "", "BAD_BET"]
    other = VariantTable("declare_2").open(2, minimum=50, maximum=500).to("BETTING")
    bets = [facts.BetPlaced(f"b{n}", "p1", 1, stake_minor=n) for n in (49, 50, 500, 501)]
    assert [other.code(P1, bet) for bet in bets] == ["BAD_BET", "", "", "BAD_BET"]


NOT_OF_VARIANTS: tuple[tuple[str, Fact], ...] = (
    (DEALER, facts.ShakeStarted("house")),
    (DICE, events.DiceThrown((1, 2, 3, 4))),
    (DICE, events.ThrowVoid(events.ThrowFault.COCKED)),
    (DEALER, facts.BankerArranged(laid(DECK[:13]))),
    (DEALER, facts.BankerOpened()),
    (P2, facts.HandTaken(1, "p2")),
)
PHASES = ("IDLE", "SHUFFLED", "DEALING", "DEALT", "COMPLETE", "SETTLED", "VOID", "REDEAL")


@pytest.mark.parametrize("rule_set", VARIANTS)
def test_what_a_rule_set_lacks_has_no_phase(rule_set: str) -> None:
    acts = list(NOT_OF_VARIANTS)
    if rule_set in ALL_AGAINST_ALL:
        acts += [
            (DEALER, facts.DealStarted()),
            (P1, facts.BetPlaced("b1", "p1", 1, stake_minor=100)),
            (P1, facts.BetWithdrawn("b1", "p1")),
            (P1, facts.BetMoved("b1", "p1", 2)),
        ]
    else:
        acts.append((DEALER, facts.UnitSet(100)))
    if rule_set not in ARRANGED:
        acts += [(P2, facts.HandSet(None, 1, "p2")), (DEALER, facts.HandNotSet(1))]
    for phase in PHASES:
        if rule_set not in ARRANGED and phase in ("DEALT", "REDEAL"):
            continue  # the deal decides at once
        table = VariantTable(rule_set).open(3).to(phase, sealed=False)
        for equipment, fact in acts:
            assert table.code(equipment, fact) == "WRONG_PHASE", (phase, fact)


def test_the_official_game_has_none_of_the_variants_acts() -> None:
    for phase in ("IDLE", "SHUFFLED", "BETTING", "DEALT", "OPENED", "SETTLED"):
        table = Table().open().to(phase)
        for fact in (facts.UnitSet(100), facts.DealStarted(), facts.HandNotSet(1)):
            assert table.code(DEALER, fact) == "WRONG_PHASE"
    table = Table().open().to("BETTING")
    assert table.code(P1, facts.BetPlaced("b", "p1", 1, 100, 1, 100)) == "BAD_BET"
    assert Table().open().to("OPENED").code(P1, facts.HandSet(None, 1, "p1")) == "BAD_LANE_SIZE"


@pytest.mark.parametrize(
    ("equipment", "fact"),
    [
        (P1, facts.UnitSet(100)),
        (P1, facts.DealStarted()),
        (P1, facts.HandNotSet(1)),
        (PIT, facts.HandNotSet(1)),
        (SHOE, facts.HandNotSet(1)),
        (DEALER, facts.HandSet(None, 1, "p2")),
        (P1, facts.HandSet(None, 1, "p2")),
        (P2, facts.PlaceTaken("p1", 3)),
        (DEALER, facts.PlaceTaken("house", 3)),
        (P1, facts.PackDealt()),
        (SHUFFLER, facts.PackDealt()),
    ],
)
def test_everybody_does_his_own(equipment: str, fact: Fact) -> None:
    table = VariantTable("banker_xianggong").open(3)
    assert table.code(equipment, fact) == "NOT_ALLOWED"


@pytest.mark.parametrize("rule_set", ["declare_2", "banker_xianggong", "four_player"])
def test_a_special_is_waited_for_and_may_be_declined(rule_set: str) -> None:
    table = VariantTable(rule_set).open(3)
    table.to("DEALING", sealed=False)
    gate = max(table.game.holders)
    table.deal(rest_of({gate: DRAGON}, tuple(table.game.holders), random.Random(1)))
    for other in table.game.holders:
        if other != gate:
            table.lay(other)
    assert table.phase == "DEALT"
    where, who = SEATS[table.game.holders[gate]], table.game.holders[gate]
    assert table.code(where, facts.HandSet(None, gate, who, False)) == "NO_SPECIAL"
    assert table.code(where, facts.HandSet(None, gate, who, True)) == ""
    assert table.phase == "COMPLETE"


@pytest.mark.parametrize("rule_set", ["no_arranging", "declare"])
def test_a_special_that_is_laid_is_not_waited_for(rule_set: str) -> None:
    table = VariantTable(rule_set).open(2)
    table.to("DEALING", sealed=False)
    both = {0: DRAGON, 1: cards("As Ah Ac Ad Ks Kh Qs Qh Js Jh Tc 9c 2h")}
    special = {0: DRAGON} if rule_set == "declare" else {1: both[1]}
    table.deal(rest_of(special, (0, 1), random.Random(1)))
    (gate,) = special
    assert table.code(SEATS[f"p{gate + 1}"], facts.HandSet(None, gate, f"p{gate + 1}", False)) == ""
    table.lay(1 - gate)
    assert table.phase == "COMPLETE"


def test_a_round_of_specials_alone_is_complete_with_the_deal() -> None:
    table = VariantTable("declare").open(2)
    table.to("DEALING", sealed=False)
    pairs = cards("Ah Ac Kh Kc Qc Qd Jd Jh 9c 9h 8c 8d 4s")
    table.deal({0: DRAGON, 1: pairs})
    assert table.phase == "COMPLETE"


def test_who_comes_or_leaves_after_the_lock_changes_nothing() -> None:
    table = VariantTable("compare_size").open(3).to("DEALT")
    table.does(P1, facts.PlaceLeft("p1"))
    table.does(P4, facts.PlaceTaken("p4", 0))
    for gate in (0, 1, 2):
        table.lay(gate)
    table.settle()
    assert not any("p4" in t.payer + t.payee for t in table.movements[0].transfers)
    table.to("DEALT")
    assert table.game.holders == {0: "p4", 1: "p2", 2: "p3"}


def test_a_deal_again_holds_nothing_again() -> None:
    table = VariantTable("banker_xianggong").open(3).to("REDEAL")
    holders = table.game.holders
    table.box()
    assert table.phase == "DEALING"
    assert table.game.holders == holders
    table.deal()
    for gate in holders:
        table.lay(gate)
    table.settle()
    assert [one.kind.value for one in table.movements] == ["hold", "settlement"]


@pytest.mark.parametrize("rule_set", BANKER_GAMES)
def test_a_round_without_bets_is_settled_too(rule_set: str) -> None:
    table = VariantTable(rule_set).open(2)
    table.box()
    table.lock()
    table.deal()
    for gate in table.game.holders:
        table.lay(gate)
    table.settle()
    assert [one.kind.value for one in table.movements] == ["settlement"]


def test_what_is_dealt_must_be_what_was_opened() -> None:
    table = VariantTable("compare_size").open(2).to("DEALING")
    assert table.deck is not None
    table.does(SHUFFLER, table.deck.opened())
    other = facts.PackDealt(as_hands({0: DECK[:13], 1: DECK[13:26]}))
    assert table.code(DEALER, other) == "DEALT_NOT_AS_OPENED"
    assert len(table.causes()) == 1
