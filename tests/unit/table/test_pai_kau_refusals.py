"""Every refusal of 5.1: in which phase, with which code, in which order, by which rulings; and the house's own."""

import random
from collections.abc import Callable

import msgspec.inspect as look
import pytest
from msgspec import Struct

from floorbook.table import events
from floorbook.table.decide import Effects
from floorbook.table.events import EquipmentKind, Fact, Role
from floorbook.table.pai_kau import facts
from floorbook.table.pai_kau.shapes import CorrectedHand, PaiKauCorrection
from floorbook.table.state import encode
from floorbook.wire import envelope
from tests.unit.table.nonsense import Nonsense
from tests.unit.table.pai_kau_playing import PaiKauTable, by, dealt, filled, wall
from tests.unit.table.playing import DEALER, DICE, PIT, SEATS, SHOE, SHUFFLER, Table

RESTING = ("IDLE", "SETTLED", "VOID")
EARLY = (*RESTING, "SHUFFLED")
SETTING = ("PLAYERS_SETTING", "BANKER_SETTING")
LOCKED = ("LOCKED", "DEALT", *SETTING, "OPENED")
PHASES = (*EARLY, "BETTING", *LOCKED)
MOST = 10**15

ACTS: tuple[tuple[Fact, tuple[str, ...]], ...] = (
    (facts.TilesShuffled(), RESTING),
    (facts.TilesCarriedOver(), RESTING),
    (facts.GatesAnnounced(4), ("SHUFFLED",)),
    (facts.BankLeft("p1"), EARLY),
    (facts.ConsentGiven("p2"), EARLY),
    (facts.BankAnswered(1, "p1", True), ("SHUFFLED",)),
    (facts.BankAssigned(), ("SHUFFLED",)),
    (facts.BettingOpened(), ("SHUFFLED",)),
    (facts.BetChanged(2, "p2", 100), ("BETTING",)),
    (facts.StakePosted("p1", 100), ("BETTING",)),
    (facts.CoBankPosted("p5", 100), ("BETTING",)),
    (facts.TilesMoved("p2"), ("BETTING",)),
    (facts.HeadTilesPut("p1"), ("BETTING",)),
    (facts.DiceShaken("p1"), ("BETTING",)),
    (events.DiceThrown((1, 1, 1, 2)), ("LOCKED",)),
    (events.ThrowVoid(events.ThrowFault.COCKED), ("LOCKED",)),
    (facts.TilesDealt(), ("DEALT",)),
    (facts.TileExposed(1), ("DEALT", *SETTING)),
    (facts.PairsSet(2, "p2"), SETTING),
    (facts.PairsNotSet(2), SETTING),
    (facts.PairsOpened(), ("BANKER_SETTING",)),
    (events.RoundVoided("TEST"), ("SHUFFLED", "BETTING", *LOCKED)),
    (events.ShuffleSealed(b"r" * 32, 32), EARLY),
    (events.DeckOpened(), ("DEALT",)),
    (facts.BankCorrected(), EARLY),
    (facts.HeldTilesCorrected(), RESTING),
)
"""An example of each act, and the phases that 5.1, or the house, gives it."""


@pytest.mark.parametrize("phase", PHASES)
def test_an_act_belongs_to_its_phases(phase: str) -> None:
    for fact, phases in ACTS:
        table = PaiKauTable().open().to(phase)
        assert table.phase == phase
        code = table.code(by(table, fact), fact)
        if phase in phases:
            assert code not in ("WRONG_PHASE", "BETS_LOCKED", "NOT_ALLOWED"), fact
            continue
        stakes = isinstance(fact, facts.BetChanged | facts.StakePosted | facts.CoBankPosted)
        assert code == ("BETS_LOCKED" if stakes and phase in LOCKED else "WRONG_PHASE"), fact


class Line(Struct, frozen=True):
    """One line of 5.1: in a situation, acts of which each lacks one fault more than the one before.

    The last is taken. `codes` are those of the line, in its order.
    """

    name: str
    before: Callable[[PaiKauTable], object]
    acts: tuple[Fact, ...]
    codes: tuple[str, ...]


def _with_bank(table: PaiKauTable) -> None:
    table.tiles(4)
    table.bank()


def _after_two(table: PaiKauTable) -> None:
    table.round()
    table.round()


def _third(table: PaiKauTable) -> None:
    _after_two(table)
    table.tiles(4)


def _vacant(table: PaiKauTable) -> None:
    table.round(gates=8)
    table.does(DEALER, facts.BankLeft("p1"))
    table.does(DEALER, facts.TilesShuffled())


def _backed(table: PaiKauTable) -> None:
    table.to("BETTING")
    table.back("p5", 100)
    table.bet("p2", 2, 100)


def _second_stake(table: PaiKauTable) -> None:
    table.round(gates=8)
    table.tiles(8)
    table.does(DEALER, facts.BettingOpened())


def _moved(table: PaiKauTable) -> None:
    table.to("BETTING")
    table.stake(1_000)


def _dealt(table: PaiKauTable) -> None:
    table.to("PLAYERS_SETTING")


LINES = (
    Line("TilesShuffled", lambda t: t.round(),
         (facts.TilesShuffled(False), facts.TilesShuffled(True)), ("TILES_REMAIN",)),
    Line("TilesCarriedOver", lambda t: t.round(gates=8), (facts.TilesCarriedOver(),),
         ("NO_TILES_REMAIN",)),
    Line("GatesAnnounced", lambda t: (t.round(), t.does(DEALER, facts.TilesCarriedOver())),
         (facts.GatesAnnounced(5), facts.GatesAnnounced(8), facts.GatesAnnounced(4)),
         ("BAD_GATE", "FOUR_GATES_ONLY")),
    Line("BankLeft by a player", _with_bank, (facts.BankLeft("p2"), facts.BankLeft("p1"),
         facts.BankLeft("p1")), ("NOT_BANKER", "", "BANK_VACANT")),
    Line("BankLeft by the croupier", _with_bank, (facts.BankLeft(),), ("TURN_NOT_OVER",)),
    Line("BankLeft after two rounds", _after_two, (facts.BankLeft(),), ("",)),
    Line("ConsentGiven", _after_two, (facts.ConsentGiven("p4"), facts.ConsentGiven("p2")),
         ("NO_PLAYER",)),
    Line("ConsentGiven to nobody", lambda t: t.tiles(4), (facts.ConsentGiven("p2"),),
         ("BANK_VACANT",)),
    Line("BankAnswered", _vacant,
         (facts.BankAnswered(1, "", True), facts.GatesAnnounced(8), facts.BankAnswered(9, "", True),
          facts.BankAnswered(9, "p8", True), facts.BankAnswered(1, "p8", True),
          facts.BankAnswered(2, "p8", True), facts.BankAnswered(2, "p8", False),
          facts.BankAnswered(2, "p2", True)),
         ("GATES_MISSING", "", "BAD_ID", "BAD_GATE", "BAD_GATE", "NEVER_BET", "")),
    Line("BankAnswered to a banker", _with_bank, (facts.BankAnswered(9, "", True),),
         ("BANK_TAKEN",)),
    Line("BankAssigned", _vacant,
         (facts.BankAssigned(), facts.GatesAnnounced(8), facts.BankAssigned(),
          facts.BankAnswered(2, "p2", True), facts.BankAssigned(), facts.BankAssigned()),
         ("GATES_MISSING", "", "NO_CANDIDATE", "", "", "BANK_TAKEN")),
    Line("BettingOpened", lambda t: t.does(DEALER, facts.TilesShuffled()),
         (facts.BettingOpened(), facts.GatesAnnounced(4), facts.BettingOpened(),
          facts.BankAnswered(1, "p1", True), facts.BankAssigned(), facts.BettingOpened()),
         ("GATES_MISSING", "", "BANK_VACANT", "", "")),
    Line("BettingOpened, third round", _third,
         (facts.BettingOpened(), facts.ConsentGiven("p2"), facts.BettingOpened(),
          facts.ConsentGiven("p3"), facts.BettingOpened()),
         ("CONSENT_MISSING", "", "CONSENT_MISSING", "")),
    Line("BetChanged", _backed,
         (facts.BetChanged(9, "", -1), facts.BetChanged(9, "p1", -1),
          facts.BetChanged(1, "p1", -1), facts.BetChanged(2, "p1", -1),
          facts.BetChanged(2, "p5", -1), facts.BetChanged(2, "p3", -1),
          facts.BetChanged(2, "p3", 0), facts.BetChanged(2, "p3", MOST + 1),
          facts.BetChanged(2, "p3", MOST), facts.BetChanged(2, "p3", 0)),
         ("BAD_ID", "BAD_GATE", "BET_ON_BANKER_GATE", "BANKER_BETS", "COBANKER_BETS",
          "BAD_AMOUNT", "BAD_AMOUNT", "BAD_AMOUNT", "")),
    Line("StakePosted", _second_stake,
         (facts.StakePosted("p2", 0), facts.StakePosted("p1", 0),
          facts.StakePosted("p1", MOST + 1), facts.StakePosted("p1", 1),
          facts.StakePosted("p1", MOST)),
         ("NOT_BANKER", "BAD_AMOUNT", "BAD_AMOUNT", "STAKE_BELOW_MINIMUM")),
    Line("CoBankPosted", _backed,
         (facts.CoBankPosted("", -1, False, 9), facts.CoBankPosted("p1", -1, False, 9),
          facts.CoBankPosted("p2", -1, False, 9), facts.CoBankPosted("p6", -1, False, 9),
          facts.CoBankPosted("p6", -1, False, 1), facts.CoBankPosted("p6", -1),
          facts.CoBankPosted("p6", 0), facts.CoBankPosted("p6", 50, False, 3),
          facts.CoBankPosted("p6", 0, False, 3)),
         ("BAD_ID", "BAD_ID", "COBANKER_BETS", "BAD_GATE", "BAD_GATE", "BAD_AMOUNT",
          "BAD_AMOUNT", "")),
    Line("TilesMoved", _moved,
         (facts.TilesMoved("p2"), facts.TilesMoved("p3"), facts.TilesMoved("p4"),
          facts.TilesMoved("p2"), facts.TilesMoved("p1"), facts.TilesMoved("p2"),
          facts.TilesMoved("p1"), facts.HeadTilesPut("p1"), facts.TilesMoved("p1")),
         ("", "", "MOVING_OVER", "", "", "MOVING_OVER", "", "", "MOVING_OVER")),
    Line("HeadTilesPut", lambda t: t.to("BETTING"),
         (facts.HeadTilesPut("p2"), facts.HeadTilesPut("p1"), facts.StakePosted("p1", 5),
          facts.HeadTilesPut("p1"), facts.HeadTilesPut("p1")),
         ("NOT_BANKER", "STAKE_MISSING", "", "", "HEAD_TILES_OUT")),
    Line("DiceShaken", _moved,
         (facts.DiceShaken("p2"), facts.DiceShaken("p1"), facts.HeadTilesPut("p1"),
          facts.DiceShaken("p1")), ("NOT_BANKER", "HEAD_TILES_MISSING", "")),
    Line("DiceThrown", lambda t: t.to("LOCKED"),
         (events.DiceThrown((1, 2, 3)), events.DiceThrown((1, 2, 3, 7)),
          events.DiceThrown((1, 2, 3, 6))), ("BAD_DICE", "BAD_DICE")),
    Line("TilesDealt", lambda t: t.to("DEALT"),
         (dealt({1: ("66",) * 4}), dealt(filled({1: ("66", "66", "66", "11")}, 8)),
          dealt(dict.fromkeys(range(1, 5), ("66",) * 4)),
          dealt(dict.fromkeys(range(1, 5), ("66", "11", "44"))),
          dealt({**filled({}, 4), 1: ("6x", "11", "44", "31")}), dealt(filled({}, 4))),
         ("BAD_GATE", "BAD_GATE", "BAD_TILES", "BAD_TILES", "BAD_TILES")),
    Line("HandSet", _dealt,
         (facts.PairsSet(9, "p9"), facts.PairsSet(1, "p9"), facts.PairsSet(2, "p3"),
          facts.PairsSet(4, "p3"), facts.PairsSet(2, "p2", ("66", "66"), ("11", "11")),
          facts.PairsNotSet(2), facts.PairsSet(2, "p3")),
         ("BAD_GATE", "PLAYERS_NOT_SET", "NOT_HOLDER", "NOT_HOLDER", "BAD_ARRANGEMENT", "",
          "ALREADY_SET")),
    Line("HandNotSet", _dealt,
         (facts.PairsNotSet(0), facts.PairsNotSet(1), facts.PairsNotSet(4), facts.PairsNotSet(4),
          facts.PairsNotSet(2), facts.PairsNotSet(3), facts.PairsNotSet(1), facts.PairsNotSet(1)),
         ("BAD_GATE", "PLAYERS_NOT_SET", "", "ALREADY_SET", "", "", "", "ALREADY_SET")),
    Line("PairsOpened", lambda t: t.to("BANKER_SETTING"),
         (facts.PairsOpened(), facts.PairsNotSet(1), facts.PairsOpened()),
         ("BANKER_NOT_SET", "")),
)  # fmt: skip


@pytest.mark.parametrize("line", LINES, ids=lambda line: line.name)
def test_the_first_code_of_a_line_that_applies_is_reported(line: Line) -> None:
    table = PaiKauTable().open()
    line.before(table)
    found = tuple(table.code(DEALER if not _is_device(f) else DICE, f) for f in line.acts)
    assert found == (*line.codes, *[""] * (len(line.acts) - len(line.codes)))


def _is_device(fact: Fact) -> bool:
    return isinstance(fact, events.DiceThrown)


def test_every_line_of_the_specification_has_its_acts() -> None:
    codes = {code for line in LINES for code in line.codes} - {""}
    assert codes | {"WRONG_PHASE", "BETS_LOCKED", "BANKER_OUTSIDE"} >= {
        "TILES_REMAIN", "NO_TILES_REMAIN", "BAD_GATE", "FOUR_GATES_ONLY", "BANKER_OUTSIDE",
        "BANK_VACANT", "NOT_BANKER", "TURN_NOT_OVER", "NO_PLAYER", "BANK_TAKEN", "GATES_MISSING",
        "BAD_ID", "NEVER_BET", "NO_CANDIDATE", "CONSENT_MISSING", "BETS_LOCKED",
        "BET_ON_BANKER_GATE", "BANKER_BETS", "COBANKER_BETS", "BAD_AMOUNT", "STAKE_BELOW_MINIMUM",
        "MOVING_OVER", "STAKE_MISSING", "HEAD_TILES_OUT", "HEAD_TILES_MISSING", "BAD_DICE",
        "BAD_TILES", "PLAYERS_NOT_SET", "ALREADY_SET", "NOT_HOLDER", "BAD_ARRANGEMENT",
        "BANKER_NOT_SET",
    }  # fmt: skip


def test_a_bank_above_gate_four_keeps_four_gates_from_being_announced() -> None:
    table = PaiKauTable().open()
    table.tiles(8)
    table.bank(6)
    refused = table.send(DEALER, facts.GatesAnnounced(4)).verdict.refusal
    assert refused is not None
    assert (refused.code, refused.rules) == ("BANKER_OUTSIDE", ("PK-51",))
    assert table.code(DEALER, facts.GatesAnnounced(5)) == "BAD_GATE"


def test_a_refusal_names_the_rulings_and_changes_nothing() -> None:
    table = PaiKauTable().open().to("BETTING")
    before = table.state
    taken = table.send(SEATS["p2"], facts.BetChanged(1, "p2", 100))
    assert taken.verdict.refusal is not None
    assert taken.verdict.refusal.rules == ("A5.5", "PK-32")
    assert taken.effects == Effects()
    assert taken.state.game == before.game
    void = PaiKauTable().open().send(PIT, events.RoundVoided("TEST")).verdict.refusal
    assert void is not None
    assert (void.code, void.rules) == ("WRONG_PHASE", ("PK-43",))


# Who may


@pytest.mark.parametrize("role", ["player", "other player", "supervisor", "device"])
def test_only_a_croupier_does_what_is_his(role: str) -> None:
    mine = (
        facts.TilesShuffled(), facts.TilesCarriedOver(), facts.GatesAnnounced(4),
        facts.BankAssigned(), facts.BettingOpened(), facts.TilesDealt(), facts.TileExposed(),
        facts.PairsNotSet(1), facts.PairsOpened(), facts.BankLeft(),
    )  # fmt: skip
    where = {"player": SEATS["p1"], "supervisor": PIT, "device": SHUFFLER}.get(role, SEATS["p2"])
    table = PaiKauTable().open()
    for fact in mine:
        assert table.code(where, fact) == "NOT_ALLOWED", fact


def test_a_player_speaks_for_himself_and_a_croupier_for_everybody() -> None:
    for fact in (
        facts.BankLeft("p1"), facts.ConsentGiven("p1"), facts.BankAnswered(1, "p1", True),
        facts.BetChanged(2, "p1", 5), facts.StakePosted("p1", 5), facts.CoBankPosted("p1", 5),
        facts.TilesMoved("p1"), facts.HeadTilesPut("p1"), facts.DiceShaken("p1"),
        facts.PairsSet(2, "p1"),
    ):  # fmt: skip
        table = PaiKauTable().open()
        assert table.code(SEATS["p2"], fact) == "NOT_ALLOWED", fact
        assert table.code(PIT, fact) == "NOT_ALLOWED", fact
        assert table.code(SEATS["p1"], fact) != "NOT_ALLOWED", fact
        assert table.code(DEALER, fact) != "NOT_ALLOWED", fact


def test_the_house_posts_its_own_co_bank_and_a_supervisor_says_who_banks() -> None:
    table = PaiKauTable().open().to("BETTING")
    house = facts.CoBankPosted("p6", 100, True)
    assert table.code(SEATS["p6"], house) == "NOT_ALLOWED"
    table.does(PIT, house)
    for fact in (facts.BankCorrected(), facts.HeldTilesCorrected()):
        for where in (DEALER, SEATS["p1"], SHUFFLER):
            assert table.code(where, fact) == "NOT_ALLOWED"


def test_a_tile_reader_may_report_the_deal() -> None:
    table = PaiKauTable().open().to("DEALT")
    table.does(SHOE, dealt(filled({}, 4)))
    assert table.phase == "PLAYERS_SETTING"


def test_a_nameless_player_is_nobody() -> None:
    table = PaiKauTable().open().to("BETTING")
    nobody = facts.BetChanged(2, "", 100)
    assert table.code(SEATS["p1"], nobody, person="") == "NOT_ALLOWED"


# The house's own


def test_a_table_is_closed_when_nobody_banks() -> None:
    table = PaiKauTable().open()
    table.round()
    refused = table.send(PIT, events.TableClosed()).verdict.refusal
    assert refused is not None
    assert (refused.code, refused.rules) == ("BANK_TAKEN", ("A5.1",))
    table.does(SEATS["p1"], facts.BankLeft("p1"))
    table.does(PIT, events.TableClosed())
    table.does(PIT, table.terms())
    game = table.pk
    assert (game.opening, game.has_bet, game.used_tiles) == (True, (), ())


def test_limits_of_the_table() -> None:
    table = PaiKauTable().open(minimum=100, maximum=500).to("BETTING")
    for amount, code in ((99, "OUTSIDE_LIMITS"), (501, "OUTSIDE_LIMITS"), (-1, "BAD_AMOUNT")):
        assert table.code(SEATS["p2"], facts.BetChanged(2, "p2", amount)) == code
    for amount in (100, 500, 0):
        table.bet("p2", 2, amount)
    closed = PaiKauTable()
    closed.start(PIT)
    assert closed.code(PIT, closed.terms(minimum=5, maximum=4)) == "BAD_LIMITS"


@pytest.mark.parametrize(
    "flags", ['{"set_rule":"none"}', '{"unknown":1}', "[]", "{", '{"cap_mode":1}', "[" * 5_000]
)
def test_flags_that_cannot_be_played(flags: str) -> None:
    table = PaiKauTable()
    table.start(PIT)
    refused = table.send(PIT, table.terms(flags=flags[:4_000])).verdict.refusal
    assert refused is not None
    assert refused.code == "BAD_CONFIG"
    assert refused.rules[0]


def test_what_can_be_repeated_has_an_end() -> None:
    table = PaiKauTable().open()
    table.tiles(4)
    for index in range(200):
        table.does(DEALER, facts.BankAnswered(1, f"g{index}", index == 0))
    assert table.code(DEALER, facts.BankAnswered(1, "g200", True)) == "TOO_MANY"
    table.does(DEALER, facts.BankAnswered(1, "g7", False))
    table.does(DEALER, facts.BankAssigned())
    table.does(DEALER, facts.BettingOpened())
    for index in range(1, 201):
        table.does(DEALER, facts.BetChanged(2 + index % 3, f"g{index}", 100))
    assert table.code(DEALER, facts.BetChanged(2, "g201", 100)) == "TOO_MANY"
    table.does(DEALER, facts.BetChanged(2 + 1, "g1", 900))
    for index in range(20):
        table.does(DEALER, facts.CoBankPosted(f"h{index}", 5, True))
    assert table.code(DEALER, facts.CoBankPosted("h20", 5, True)) == "TOO_MANY"
    # Nobody's posting replaces another's that has the same name.
    assert table.code(DEALER, facts.CoBankPosted("h3", 5, False)) == "BAD_ID"
    table.does(DEALER, facts.CoBankPosted("h3", 6, True))
    table.does(DEALER, facts.StakePosted("g0", 1_000))
    table.does(DEALER, facts.HeadTilesPut("g0"))
    table.does(DEALER, facts.DiceShaken("g0"))
    for _ in range(20):
        table.does(DICE, events.ThrowVoid(events.ThrowFault.COCKED))
    assert table.code(DICE, events.ThrowVoid(events.ThrowFault.COCKED)) == "TOO_MANY"
    table.throw()
    table.deal()
    for gate in (2, 3, 4, 1):
        table.does(DEALER, facts.PairsNotSet(gate))
    table.open_pairs()
    table.settle()
    assert len(table.pk.has_bet) == 200
    assert len(encode(table.state)) < 12_000
    assert len(encode(table.records[1])) < 200_000


def test_dice_are_put_right_until_the_tiles_are_dealt() -> None:
    table = PaiKauTable().open().to("LOCKED")
    right = events.DiceThrown((2, 2, 2, 2))
    assert table.code(PIT, events.ReadingCorrected("T1/dice/1/2", "TEST", "", right)) == (
        "UNKNOWN_READING"
    )
    table.throw()
    reading = table.pk.dice_event
    nothing = events.ReadingCorrected(reading, "TEST")
    bad = events.ReadingCorrected(reading, "TEST", "", events.DiceThrown((1, 2)))
    good = events.ReadingCorrected(reading, "TEST", "", right)
    assert table.code(PIT, nothing) == "NOTHING_CORRECTED"
    assert table.code(PIT, bad) == "BAD_DICE"
    table.does(PIT, good)
    assert table.pk.dice == (2, 2, 2, 2)
    table.deal()
    assert table.code(PIT, good) == "READING_IN_USE"


# The sealed wall


def test_a_wall_has_32_positions_and_one_seal() -> None:
    table = PaiKauTable().open()
    assert table.code(SHUFFLER, events.ShuffleSealed(b"r" * 32, 52)) == "BAD_DECK"
    table.tiles(4, sealed=True)
    assert table.code(SHUFFLER, events.ShuffleSealed(b"r" * 32, 32)) == "WRONG_PHASE"
    table.to_end()
    assert table.code(SHUFFLER, events.ShuffleSealed(b"r" * 32, 32)) == "TILES_REMAIN"
    table.does(DEALER, facts.TilesCarriedOver())
    assert table.code(SHUFFLER, events.ShuffleSealed(b"r" * 32, 32)) == "WRONG_PHASE"


def test_a_machine_may_seal_what_a_croupier_brought_in() -> None:
    table = PaiKauTable().open()
    table.does(DEALER, facts.TilesShuffled())
    table.deck = wall(table.rng)
    table.does(SHUFFLER, events.ShuffleSealed(table.deck.root, 32))
    table.does(DEALER, facts.GatesAnnounced(8))
    table.to_end()
    assert table.phase == "SETTLED"


def test_a_sealed_wall_is_opened_before_it_is_dealt() -> None:
    table = PaiKauTable().open().to("DEALT", sealed=True)
    assert table.code(DEALER, dealt(table.hands())) == "DECK_NOT_OPENED"
    assert table.open_wall().verdict.refusal is None
    assert table.open_wall().verdict.refusal is not None
    assert table.causes() == []


@pytest.mark.parametrize("positions", [range(32), range(16, 32), range(15), ()])
def test_other_positions_than_are_dealt_suspend_the_table(positions: range) -> None:
    table = PaiKauTable().open().to("DEALT", sealed=True)
    refused = table.open_wall(positions).verdict.refusal
    assert refused is not None
    assert refused.code == "OPENING_MISMATCH"
    (cause,) = table.causes()
    assert cause.startswith("opening/")
    assert table.pk.opened == ()


def test_the_second_half_is_opened_in_the_second_round_only() -> None:
    table = PaiKauTable().open()
    table.round(sealed=True)
    first = table.pk.used_tiles
    table.to("DEALT")
    assert table.open_wall(range(16, 32)).verdict.refusal is None
    assert sorted((*first, *table.pk.opened)) == sorted(tile for tile in table.deck.faces)  # type: ignore[union-attr]


def test_tiles_that_are_no_set_suspend_the_table() -> None:
    table = PaiKauTable().open()
    table.tiles(8, sealed=True, order=("66",) * 32)
    table._open_betting()
    table._lock_with_bets()
    table.throw()
    refused = table.open_wall().verdict.refusal
    assert refused is not None
    assert refused.code == "BAD_DECK"
    assert table.causes()


def test_a_faulty_machine_stops_a_round_and_nothing_else() -> None:
    fault = events.DeckFaulty(events.DeckFault.COUNT, 31)
    table = PaiKauTable().open()
    table.does(SHUFFLER, fault)
    assert table.causes() == []
    table.to("LOCKED")
    table.does(SHUFFLER, fault)
    assert [cause.partition("/")[0] for cause in table.causes()] == ["deck"]


# What a supervisor says


def test_a_supervisor_says_who_banks() -> None:
    table = PaiKauTable().open()
    table.round()
    for fact, code in (
        (facts.BankCorrected(9, "p2"), "BAD_GATE"),
        (facts.BankCorrected(0, "p2"), "BAD_GATE"),
        (facts.BankCorrected(0, "", 0, 0, 9), "BAD_GATE"),
        (facts.BankCorrected(2, ""), "BAD_ID"),
        (facts.BankCorrected(2, "p2", 1, -1), "BAD_AMOUNT"),
        (facts.BankCorrected(2, "p2", 1, MOST + 1), "BAD_AMOUNT"),
    ):
        assert table.code(PIT, fact) == code, fact
    table.does(PIT, facts.BankCorrected(2, "p2", 1, 700))
    assert table.pk.turn is not None
    assert (table.banker_gate, table.banker_id, table.pk.turn.minimum_stake) == (2, "p2", 700)
    table.does(PIT, facts.BankCorrected(0, "", 0, 0, 3))
    game = table.pk
    assert game.turn is None
    assert game.last_gate == 3
    table.does(DEALER, facts.TilesCarriedOver())
    table.does(DEALER, facts.GatesAnnounced(4))
    assert table.code(PIT, facts.BankCorrected(5, "p2")) == "BANKER_OUTSIDE"
    assert table.code(DEALER, facts.BankAnswered(3, "p2", True)) == "BAD_GATE"


def test_a_supervisor_says_which_tiles_are_held_over() -> None:
    table = PaiKauTable().open()
    table.round()
    used = table.pk.used_tiles
    for tiles in (used[:15], ("66",) * 16, ("6x", *used[1:])):
        assert table.code(PIT, facts.HeldTilesCorrected(tiles)) == "BAD_TILES"
    table.does(PIT, facts.HeldTilesCorrected())
    assert table.code(DEALER, facts.TilesCarriedOver()) == "NO_TILES_REMAIN"
    table.does(PIT, facts.HeldTilesCorrected(tuple(reversed(used))))
    assert table.pk.used_tiles == used
    table.round()
    assert table.pk.used_tiles == ()


def test_a_correction_replaces_what_can_have_been_read_wrong() -> None:
    table = PaiKauTable().open()
    table.round()
    hand, other = table.pk.hands[1], table.pk.hands[2]
    for correction, code in (
        (None, "NOTHING_CORRECTED"),
        (PaiKauCorrection(), "NOTHING_CORRECTED"),
        (PaiKauCorrection((), (1, 2)), "BAD_DICE"),
        (PaiKauCorrection((CorrectedHand(5),)), "BAD_GATE"),
        (PaiKauCorrection((CorrectedHand(2, ("66",) * 4),)), "BAD_TILES"),
        (PaiKauCorrection((CorrectedHand(2, hand[:3]),)), "BAD_TILES"),
        (PaiKauCorrection((CorrectedHand(2, (), hand[:2], hand[:2]),)), "BAD_ARRANGEMENT"),
        (PaiKauCorrection((CorrectedHand(2, (), hand[:2]),)), "BAD_ARRANGEMENT"),
        (PaiKauCorrection((CorrectedHand(2, (), other[:2], other[2:]),)), "BAD_ARRANGEMENT"),
    ):
        fact = events.SettledRoundCorrected("T1/1", "TEST", "", pai_kau=correction)
        assert table.code(PIT, fact) == code, correction
    swapped = (CorrectedHand(2, other), CorrectedHand(3, hand))
    fact = events.SettledRoundCorrected("T1/1", "TEST", "", pai_kau=PaiKauCorrection(swapped))
    table.does(PIT, fact)
    taken = table.settle()
    assert taken.verdict.refusal is None
    assert taken.effects.movements[0].movement_id == "T1/1/settlement/2"


# Between games


def test_facts_of_another_game_are_refused() -> None:
    nonsense = Nonsense(Table(), random.Random(1))
    for rule_set, game in (("pai_kau", "pai_kau"), ("thirteen_cards", "thirteen_cards")):
        table: Table = PaiKauTable().open() if rule_set == "pai_kau" else Table().open()
        for field, named in envelope.GAMES.items():
            for kind in named.values():
                if field != game:
                    fact = nonsense._made(look.type_info(kind))
                    code = table.code(DEALER, fact)
                    assert code in ("FACT_OF_ANOTHER_GAME", "NOT_ALLOWED"), kind


def test_a_deck_of_cards_is_not_cut_here() -> None:
    table = PaiKauTable().open().to("SHUFFLED")
    assert table.code(SHUFFLER, events.DeckCut(10)) == "FACT_OF_ANOTHER_GAME"


def test_a_table_may_change_its_game() -> None:
    table = PaiKauTable().open()
    table.tiles(4)
    table.does(PIT, events.RoundVoided("TEST"))
    table.does(PIT, events.TableClosed())
    cards = Table()
    table.does(PIT, cards.terms())
    assert table.state.terms is not None
    assert table.state.terms.rule_set == "thirteen_cards"


def test_the_next_banker_is_asked_counter_clockwise_from_the_last() -> None:
    table = PaiKauTable().open()
    table.round(gates=8)
    table.does(SEATS["p1"], facts.BankLeft("p1"))
    table.tiles(8)
    taken = table.offer((8, "p3", True), (2, "p2", False), (7, "p2", True))
    assert taken.verdict.refusal is None
    assert (table.banker_gate, table.banker_id) == (7, "p2")


def test_equipment_of_another_kind_reports_no_deal() -> None:
    table = PaiKauTable().open().to("DEALT")
    event = table.event(SHUFFLER, dealt(filled({}, 4)), kind=EquipmentKind.SHUFFLER)
    assert event.role is Role.DEVICE
    refused = table.take(event).verdict.refusal
    assert refused is not None
    assert refused.code == "NOT_ALLOWED"


def test_a_suspended_table_takes_what_a_supervisor_says() -> None:
    table = PaiKauTable().open()
    table.round()
    table.does(PIT, events.TableSuspended("DISPUTE"))
    assert table.code(SEATS["p1"], facts.BankLeft("p1")) == "SUSPENDED"
    table.does(PIT, facts.BankCorrected(0, "", 0, 0, 1, "DISPUTE", "pit 4"))
    table.does(PIT, facts.HeldTilesCorrected((), "DISPUTE", "pit 4"))
    assert table.pk.turn is None
