"""What a mahjong table takes and refuses, who deals next, and that no play loses a cent or a tile."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from floorbook.games.mahjong.tiles import CODES
from floorbook.metrics.count import Count
from floorbook.table import events
from floorbook.table.events import Fact, Role
from floorbook.table.game import games
from floorbook.table.mahjong import facts
from floorbook.table.mahjong.facts import TileClaim
from floorbook.table.mahjong.shown import MahjongShown
from floorbook.table.mahjong.terms import positions_due
from floorbook.table.state import TableState, decode, encode, obligation_id
from floorbook.wire import envelope, floor
from tests.unit.table.mahjong_playing import MahjongTable, every_tile, wall
from tests.unit.table.playing import DEALER, DICE, PIT, SEATS, SHUFFLER, balances

HEAVENLY = {"E": "1s 2s 3s 4s 5s 6s 7s 8s 9s 1m 1m 1m C C"}


def at_turn(**changes: Any) -> MahjongTable:
    """Return a table at the dealer's first turn, with tiles that make kongs and claims possible."""
    table = MahjongTable(seed=1).open(**changes)
    table.deal_hands({"E": "1s 1s 1s 1s 5p 9m", "S": "5p 5p 4p 6p", "W": "5p 9m 9m 9m"})
    return table


def code(table: MahjongTable, player: str, fact: Fact) -> str:
    """Return the code with which a player's act is refused, "" for one that is taken."""
    return table.code(SEATS[player], fact)


# Refusals


def test_between_hands_only_what_belongs_there_is_taken() -> None:
    table = MahjongTable(seed=1).open()
    refused = {
        facts.SeatTaken("p1", 3): "HAS_PLACE",
        facts.SeatTaken("p5", 3): "PLACE_TAKEN",
        facts.SeatTaken("p5", 4): "UNKNOWN_PLACE",
        facts.SeatLeft("p5"): "NO_PLACE",
        facts.ChipsAdded("p5", 1): "NO_PLACE",
        facts.ChipsAdded("p1", 0): "BAD_AMOUNT",
        facts.ChipsAdded("p1", 10**15): "BAD_AMOUNT",
        facts.ChipsTaken("p1", 1_001): "BAD_AMOUNT",
        facts.DealerNamed(4, "E", 1): "UNKNOWN_PLACE",
        facts.DealerNamed(0, "X", 1): "BAD_HAND",
        facts.DealerNamed(0, "E", 5): "BAD_HAND",
        facts.TileDiscarded("p1", "1s"): "OUT_OF_ORDER",
        events.DiceThrown((1, 2, 3)): "WRONG_PHASE",
        events.RoundVoided("TEST", ""): "NOT_ALLOWED",
    }
    assert {fact: table.code(DEALER, fact) for fact in refused} == refused


def test_a_hand_begins_when_all_is_there() -> None:
    table = MahjongTable(seed=1).open()

    def sealed(positions: int = 136) -> str:
        return table.code(SHUFFLER, events.ShuffleSealed(b"r" * 32, positions))

    assert sealed(112) == "BAD_DECK"
    table.does(SEATS["p2"], facts.ChipsTaken("p2", 1_000))
    assert sealed() == "STAKE_MISSING"
    table.does(SEATS["p1"], facts.SeatLeft("p1"))
    assert sealed() == "NOT_ENOUGH_PLAYERS"
    table.does(DEALER, facts.SeatTaken("p5", 0))
    assert sealed() == "DEALER_MISSING"
    table.does(DEALER, facts.DealerNamed(0, "E", 1))
    table.does(DEALER, facts.ChipsAdded("p5", 5))
    table.does(PIT, facts.ChipsAdded("p2", 5))
    assert sealed() == ""
    assert table.mj.players == ("p5", "p2", "p3", "p4")
    assert sealed() == "WRONG_PHASE"
    assert table.code(DICE, events.DiceThrown((1, 2))) == "BAD_DICE"


def test_acts_of_a_turn_are_refused_as_the_rules_say() -> None:
    table = at_turn()
    wrong = [
        ("p2", facts.TileDiscarded("p2", "5p"), "OUT_OF_ORDER"),
        ("p1", facts.TileDiscarded("p2", "5p"), "NOT_ALLOWED"),
        ("p1", facts.TileDiscarded("p1", "9x"), "UNKNOWN_TILE"),
        ("p1", facts.TileDiscarded("p1", "B"), "TILES_NOT_HELD"),
        ("p1", facts.ConcealedKongDeclared("p1", "5p"), "TILES_NOT_HELD"),
        ("p1", facts.AddedKongDeclared("p1", "5p"), "TILES_NOT_HELD"),
        ("p1", facts.TileClaimed(TileClaim.PASS, "p1"), "OUT_OF_ORDER"),
        ("p1", facts.PongWithdrawn("p1"), "OUT_OF_ORDER"),
        ("p1", facts.HandLookedAt("p1"), "NOT_ALLOWED"),
        ("p1", facts.PlayerBarred("p1", "X", ""), "NOT_ALLOWED"),
    ]
    before = table.mj
    for player, fact, expected in wrong:
        assert code(table, player, fact) == expected, fact
    assert table.mj == before, "what is refused changes nothing"
    table.does(DEALER, facts.HandLookedAt("p1"))
    assert code(table, "p1", facts.ConcealedKongDeclared("p1", "1s")) == "NO_KONG"
    table.does(PIT, facts.PlayerBarred("p1", "LOOKED", ""))
    assert code(table, "p1", facts.WinDeclared("p1")) == "BARRED"


def test_an_answer_is_given_once_and_judged_at_the_end() -> None:
    table = at_turn()
    table.discard("E", "5p", passed=False)
    assert code(table, "p1", facts.TileClaimed(TileClaim.PONG, "p1")) == "OUT_OF_ORDER"
    chow = facts.TileClaimed(TileClaim.PONG, "p3", ("4p", "6p"))
    assert code(table, "p3", chow) == "NOT_A_SET"
    table.claim("W", TileClaim.PONG)  # he holds one only
    assert code(table, "p3", facts.TileClaimed(TileClaim.PASS, "p3")) == "OUT_OF_ORDER"
    table.claim("N", TileClaim.CHOW, "4p 6p")
    taken = table.claim("S", TileClaim.CHOW, "4p 6p")
    assert (table.phase, table.play.seat) == ("TURN", "S")
    shown = [one.shown for one in taken.effects.disclosures if isinstance(one.shown, MahjongShown)]
    rejected = [(one.rejected.seat, one.rejected.reason) for one in shown if one.rejected]
    assert rejected == [("W", "TILES_NOT_HELD"), ("N", "NOT_NEXT_SEAT")]
    assert code(table, "p2", facts.WinDeclared("p2")) == "NOT_DRAWN"


def test_a_pong_goes_before_a_chow_whoever_speaks_first() -> None:
    table = MahjongTable(seed=1).open()
    table.deal_hands({"E": "5p", "S": "4p 6p", "W": "5p 5p"})
    table.discard("E", "5p", passed=False)
    table.claim("S", TileClaim.CHOW, "4p 6p")
    table.claim("N", TileClaim.PASS)
    table.claim("W", TileClaim.PONG)
    assert (table.phase, table.play.seat, table.play.began) == ("TURN", "W", "pong")


def test_nothing_is_opened_but_what_is_drawn() -> None:
    table = at_turn()
    assert table.deck is not None
    assert table.code(SHUFFLER, table.deck.opened([0])) == "WRONG_PHASE"
    table.discard("E", "9m", passed=False)
    table.all_pass()
    due = positions_due(table.state)
    more = table.deck.opened([*due, (due[0] + 1) % 136])
    assert table.code(SHUFFLER, more) == "OPENING_MISMATCH"
    assert table.causes()


def test_a_fifth_tile_suspends_the_table() -> None:
    table = MahjongTable(seed=1).open()
    faces = every_tile(table.variant)
    faces[1:5] = ["1s"] * 4
    table.deck = wall(table.rng, ["1s"] * 5 + faces[5:])
    table.does(SHUFFLER, events.ShuffleSealed(table.deck.root, 136))
    table.does(DICE, events.DiceThrown((4, 4, 5)))
    codes = ""
    while not codes and table.phase != "COMPLETE":
        if table.phase in ("BROKEN", "DRAWING"):
            codes = table.code(SHUFFLER, table.deck.opened(positions_due(table.state)))
        elif table.phase == "TURN":
            drawn = table.play.holdings[table.mj.seats.index(table.play.seat)].concealed[-1]
            table.discard(table.play.seat, CODES[drawn], passed=False)
            table.all_pass()
    assert codes == "BAD_DECK"
    assert table.causes()


# Windows and their clock


def test_the_clock_of_a_window_passes_for_who_is_silent() -> None:
    table = at_turn(claim_limit_ms=2_000)
    table.discard("E", "5p", passed=False)
    assert table.timer().due_ms == table.state.table_time_ms + 2_001
    table.claim("S", TileClaim.PONG)
    assert table.phase == "CLAIMS"
    table.signal()
    assert (table.phase, table.play.began) == ("TURN", "pong")
    assert not table.has_timer()


def test_the_clock_ends_with_the_last_answer() -> None:
    table = at_turn(claim_limit_ms=2_000)
    table.discard("E", "9m", passed=False)
    timer = obligation_id(table.state, table.timer())
    table.all_pass()
    assert table.phase == "DRAWING"
    late = table.answer(timer, events.TimerExpired())
    assert late.verdict.known
    assert table.phase == "DRAWING"


def test_a_withdrawn_pong_is_a_pass_and_bars() -> None:
    table = at_turn()
    table.discard("E", "5p", passed=False)
    assert code(table, "p4", facts.PongWithdrawn("p4")) == "TILES_NOT_HELD"
    table.claim("S", TileClaim.PONG)
    table.at("S", facts.PongWithdrawn("p2"))
    assert table.play.holdings[1].barred
    assert code(table, "p2", facts.TileClaimed(TileClaim.PONG, "p2")) == "OUT_OF_ORDER"
    table.all_pass()
    assert table.phase == "DRAWING"


def test_the_simplified_game_calls_no_sets() -> None:
    table = MahjongTable(seed=1).open(3, rule_set="mahjong.simplified")
    table.deal_hands({"E": "5p", "S": "5p 5p"})
    assert code(table, "p1", facts.AddedKongDeclared("p1", "5p")) == "NOT_ALLOWED"
    table.discard("E", "5p", passed=False)
    table.claim("S", TileClaim.PONG)
    table.claim("W", TileClaim.PASS)
    assert table.phase == "DRAWING"
    table.open_due()
    assert (table.phase, table.play.seat) == ("TURN", "S")


# Hands follow one another


def test_the_deal_passes_and_after_the_last_hand_of_north_a_cycle_begins() -> None:
    table = MahjongTable(seed=1).open(2, rule_set="mahjong.simplified")
    table.does(DEALER, facts.DealerNamed(1, "N", 2))
    table.deal_hands({"E": "1p", "S": "1s 2s 3s F"}, draws="F")
    assert table.who("E") == "p2"
    table.discard("E", "1p")
    table.at("S", facts.WinDeclared("p1"))
    table.settle()
    assert (table.mj.dealer_place, table.mj.round_wind, table.mj.hand_in_round) == (0, "E", 1)
    assert code(table, "p1", facts.WinDeclared("p1")) == "HAND_OVER"
    assert table.mj.chips == {"p1": 1_004, "p2": 996}


def test_the_dealer_stays_when_he_wins_and_his_hand_is_no_new_one() -> None:
    table = MahjongTable(seed=1).open()
    table.deal_hands(HEAVENLY)
    table.at("E", facts.WinDeclared("p1"))
    table.settle()
    assert (table.mj.dealer_place, table.mj.hand_in_round) == (0, 1)
    assert table.mj.chips["p1"] == 1_024


def test_what_lies_in_front_of_players_is_no_bet_and_no_handle() -> None:
    table = at_turn()
    table.does(PIT, events.RoundVoided("TEST", ""))
    table.deal_hands(HEAVENLY)
    table.at("E", facts.WinDeclared("p1"))
    table.settle()
    count = Count()
    for number, each in enumerate(table.movements):
        place = ("movements", 0)
        count.movement(place, replace(each, offset=number))
    assert [each.kind for each in table.movements] == ["hold", "release", "hold", "settlement"]
    assert sum(count.tally.movements.values()) == 4
    tally = count.tally
    assert not any((*tally.bets.values(), *tally.handle.values(), *tally.handle_released.values()))


def test_a_void_hand_is_dealt_again_by_the_same_dealer() -> None:
    table = at_turn()
    table.does(PIT, events.RoundVoided("TEST", ""))
    assert (table.mj.dealer_place, table.mj.hand_in_round) == (0, 1)
    assert balances(table.movements) == {}
    table.deal_hands(HEAVENLY)


def test_other_money_than_asked_for_is_not_taken() -> None:
    table = MahjongTable(seed=1).open()
    table.deal_hands(HEAVENLY)
    table.at("E", facts.WinDeclared("p1"))
    request = table.owed().request
    right = table.judged()
    assert isinstance(right, events.RoundEvaluated)
    game = games()["mahjong.traditional"]
    assert game.answer_fault(request, right.result) is None
    for wrong in (
        right.result.replace('"paid": 8', '"paid": 7', 1),
        right.result.replace('"paid": 8', '"paid": 9', 1),
        right.result.replace('"status": "win"', '"status": "void"'),
        right.result.replace('"to": "E"', '"to": "S"', 1),
        '{"outcome": "exhausted"}',
        "no JSON",
    ):
        assert wrong != right.result
        assert game.answer_fault(request, wrong) is not None, wrong


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"flags": '{"unknown":1}'}, "BAD_CONFIG"),
        ({"charge_minor": 1, "charge_percent": 1}, "BAD_LIMITS"),
        ({"mahjong": None}, ""),
    ],
)
def test_terms(changes: dict[str, Any], expected: str) -> None:
    table = MahjongTable(seed=1)
    table.start(PIT)
    assert table.code(PIT, table.terms(**changes)) == expected


# By chance


@settings(max_examples=8)
@given(
    seed=st.integers(0, 1 << 30),
    game=st.sampled_from(
        [("mahjong.traditional", 4), *(("mahjong.simplified", n) for n in (2, 3, 4))]
    ),
    percent=st.integers(0, 100),
    eager=st.booleans(),
)
def test_no_play_loses_a_cent_or_a_tile(
    seed: int, game: tuple[str, int], percent: int, eager: bool
) -> None:
    rule_set, players = game
    table = MahjongTable(seed=seed).open(
        players, rule_set=rule_set, charge_percent=percent, chips=40, flags='{"unit":3}'
    )
    for _ in range(2):
        if min(table.mj.chips.values()) < 1:
            break
        table.chance_hand(eager=eager)
        booked = balances(table.movements)
        assert "layout" not in booked
        lost = {who: 40 - table.mj.chips[who] for who in list(SEATS)[:players]}
        assert {who: -booked.get(f"player/{who}", 0) for who in lost} == lost
        assert sum(lost.values()) == booked.get("charge", 0)
        assert decode(encode(table.state), TableState) == table.state
    for event, taken in zip(table.log, table.steps, strict=True):
        assert envelope.decode(envelope.encode(event), b"T1", 0, event.offset) == event
        assert floor.encode(taken, event)


@settings(max_examples=15)
@given(seed=st.integers(0, 1 << 30), acts=st.integers(0, 120), data=st.data())
def test_whatever_is_sent_is_taken_or_refused_and_never_raises(
    seed: int, acts: int, data: st.DataObject
) -> None:
    table = MahjongTable(seed=seed).open()
    table.build()
    for _ in range(acts):
        if table.phase == "SETTLED":
            break
        table.chance_act()
    player = st.sampled_from(["p1", "p2", "p3", "p4", "p9"])
    tile = st.sampled_from([*CODES, "", "zz"])
    nonsense = st.one_of(
        st.builds(facts.TileDiscarded, player, tile),
        st.builds(facts.ConcealedKongDeclared, player, tile),
        st.builds(facts.AddedKongDeclared, player, tile),
        st.builds(facts.WinDeclared, player),
        st.builds(facts.PongWithdrawn, player),
        st.builds(facts.HandLookedAt, player),
        st.builds(facts.TileClaimed, st.sampled_from(TileClaim), player, st.tuples(tile, tile)),
        st.builds(facts.SeatTaken, player, st.integers(0, 255)),
        st.builds(facts.ChipsTaken, player, st.integers(-5, 5_000)),
    )
    for fact in data.draw(st.lists(nonsense, max_size=12)):
        before = table.mj
        taken = table.send(DEALER, fact, role=Role.DEALER)
        if taken.verdict.refusal is not None:
            assert table.mj == before
        assert decode(encode(table.state), TableState) == table.state
