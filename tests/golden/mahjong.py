"""The recorded hands of Macau Mahjong: one for each way in which a hand can end or money can move."""

from collections.abc import Callable, Iterator, Sequence
from types import MappingProxyType
from typing import Any

from floorbook.games.mahjong.tiles import CODES
from floorbook.table import events
from floorbook.table.events import Decision, Event, SuspensionResolved
from floorbook.table.mahjong import facts
from floorbook.table.mahjong.facts import TileClaim
from floorbook.table.mahjong.shapes import MahjongCorrection, MahjongWin
from floorbook.table.mahjong.terms import positions_due
from tests.unit.table.mahjong_playing import MahjongTable, every_tile, wall
from tests.unit.table.playing import DEALER, DICE, PIT, SEATS, SHUFFLER

Played = tuple[str, Sequence[Event]]
HEAVENLY = {"E": "1s 2s 3s 4s 5s 6s 7s 8s 9s 1m 1m 1m C C"}
WAITS_FOR_5P = "1m 2m 3m 4m 5m 6m 7m 8m 9m 4p 6p C C"


def _table(**changes: Any) -> MahjongTable:
    return MahjongTable().open(**{"flags": '{"unit":10}', **changes})


def _simplified(players: int, **changes: Any) -> MahjongTable:
    return _table(players=players, rule_set="mahjong.simplified", **changes)


def _wins(table: MahjongTable, seat: str) -> None:
    table.at(seat, facts.WinDeclared(table.who(seat)))
    table.settle()


def heavenly_hand_and_a_charge() -> Played:
    """The dealer's dealt tiles win; the house takes five per cent of his net, rounded down."""
    table = _table(charge_percent=5, flags='{"unit":11}')
    table.deal_hands(HEAVENLY)
    _wins(table, "E")
    return "a heavenly hand; five per cent for the house", table.log


def earthly_hand_and_a_broken_triplet() -> Played:
    """The dealer breaks a triplet at his first discard, not ready: he pays for all (LIA-T5)."""
    table = _table()
    table.deal_hands(
        {
            "E": "5s 5s 5s 1m 4m 7m 2p 5p 8p E W N B C",
            "S": "1m 2m 3m 4m 5m 6m 7m 8m 9m 1p 2p 3p 5s",
        }
    )
    table.discard("E", "5s", passed=False)
    table.claim("W", TileClaim.PASS)
    table.claim("S", TileClaim.WIN)
    table.settle()
    return "an earthly hand; who broke a triplet pays for all", table.log


def capital_limits() -> Played:
    """A winner wins from each no more than lies in front of him."""
    table = _table()
    table.does(SEATS["p1"], facts.ChipsTaken("p1", 945))
    table.deal_hands(HEAVENLY)
    _wins(table, "E")
    return "the winner has 55 in front of him", table.log


def robbed_kong() -> Played:
    """A pong from the dealer, the fourth tile drawn and added, and robbed; a claim of it was passed."""
    table = _table()
    table.deal_hands({"E": "5p", "S": "5p 5p N", "W": WAITS_FOR_5P}, draws="1s 9s 1s 5p")
    table.discard("E", "5p", passed=False)
    table.claim("S", TileClaim.PONG)
    table.claim("W", TileClaim.PASS)
    table.claim("N", TileClaim.CHOW, "4p 6p")
    table.discard("S", "N")
    for seat, tile in (("W", "1s"), ("N", "9s"), ("E", "1s")):
        table.discard(seat, tile)
    table.at("S", facts.AddedKongDeclared(table.who("S"), "5p"))
    table.claim("W", TileClaim.WIN)
    table.settle()
    return "an added kong is robbed", table.log


def win_on_a_replacement_tile() -> Played:
    """A concealed kong, its replacement tile from the tail, and a win with it."""
    table = _table()
    table.deal_hands({"E": "1s 1s 1s 1s 2m 3m 4m 5m 6m 7m 8p 8p 9s 9s"}, replacements="8p")
    table.at("E", facts.ConcealedKongDeclared(table.who("E"), "1s"))
    table.open_due()
    _wins(table, "E")
    return "a concealed kong, won on its replacement tile", table.log


def false_win_until_the_stake_is_used_up() -> Played:
    """A false win of the dealer: he pays from his right on, until nothing is left."""
    table = _table()
    table.does(SEATS["p1"], facts.ChipsTaken("p1", 900))
    table.deal_hands({"E": "1s 4s 7s"})
    _wins(table, "E")
    return "a false win that the dealer cannot pay", table.log


def several_win_claims() -> Played:
    """Of three win claims the false one is disregarded and the nearer right one counts."""
    table = _table(charge_minor=7)
    table.deal_hands(
        {
            "E": "5s",
            "S": "1s 1s 1s",
            "W": "1m 2m 3m 4m 5m 6m 7m 8m 9m 4s 6s C C",
            "N": "1p 2p 3p 4p 5p 6p 7p 8p 9p 4s 6s F F",
        }
    )
    table.discard("E", "5s", passed=False)
    table.claim("S", TileClaim.WIN)
    table.claim("N", TileClaim.WIN)
    table.claim("W", TileClaim.WIN)
    table.settle()
    return "a false win claim and two right ones; seven for the house", table.log


def false_win_claim() -> Played:
    """A win claim that is none ends the hand, ahead of a pong."""
    table = _table()
    table.deal_hands({"E": "5s", "S": "1s 1s 1s", "W": "5s 5s"})
    table.discard("E", "5s", passed=False)
    table.claim("W", TileClaim.PONG)
    table.claim("S", TileClaim.WIN)
    table.claim("N", TileClaim.PASS)
    table.settle()
    return "a false win on a discard", table.log


def barred_after_a_withdrawn_pong() -> Played:
    """Who calls pong and withdraws it cannot win any more; the hand is void in the end."""
    table = _table()
    table.deal_hands({"E": "5p", "S": "1m 2m 3m 4m 5m 6m 7m 8m 9m 5p 5p C C"}, draws="C")
    table.discard("E", "5p", passed=False)
    table.claim("S", TileClaim.PONG)
    table.at("S", facts.PongWithdrawn(table.who("S")))
    table.all_pass()
    table.open_due()
    table.send(SEATS["p2"], facts.WinDeclared("p2"))
    table.does(DEALER, facts.HandLookedAt("p3"))
    table.does(PIT, facts.PlayerBarred("p4", "LOOKED", "ref"))
    table.discard("S", "C")
    table.does(PIT, events.RoundVoided("TEST", "ref"))
    return "a withdrawn pong bars; void after the deal", table.log


def exhausted_wall() -> Played:
    """Every window is closed by its clock and nobody wins: the chips go back, the dealer stays."""
    table = _table(claim_limit_ms=3_000)
    table.deal_wall()
    while table.phase != "COMPLETE":
        play = table.play
        assert play.drawn is not None
        table.at(play.seat, facts.TileDiscarded(table.who(play.seat), CODES[play.drawn]))
        table.signal()
        if table.phase == "DRAWING":
            table.open_due()
    table.settle()
    return "an exhausted wall; every window closed by its clock", table.log


def void_after_the_settlement() -> Played:
    """A settled hand is reversed and its chips go back."""
    table = _table()
    table.deal_hands(HEAVENLY)
    _wins(table, "E")
    table.does(PIT, events.SettledRoundVoided("T1/1", "TEST", "ref"))
    return "a settled hand is void", table.log


def dice_put_right() -> Played:
    """Dice are thrown again, read wrong and put right before the deal."""
    table = _table()
    table.build()
    table.does(DICE, events.ThrowVoid(events.ThrowFault.COCKED, (1, 2, 3)))
    table.does(DICE, events.DiceThrown((1, 2, 3)))
    reading = table.log[-1].event_id
    right = events.DiceThrown((6, 6, 6))
    table.does(PIT, events.ReadingCorrected(reading, "MISREAD", "ref", right))
    table.open_due()
    table.does(PIT, events.RoundVoided("TEST", "ref"))
    return "dice put right before the deal", table.log


def another_tile_than_sealed() -> Played:
    """The machine opens a tile that was not sealed: suspended, void, and the table goes on."""
    table = _table()
    table.deal_wall()
    play = table.play
    assert play.drawn is not None
    table.discard("E", CODES[play.drawn], passed=False)
    table.all_pass()
    other = wall(table.rng, every_tile(table.variant))
    table.send(SHUFFLER, other.opened(positions_due(table.state)))
    (cause,) = table.causes()
    table.does(PIT, events.RoundVoided("TEST", "ref"))
    table.does(PIT, SuspensionResolved(Decision.RESUME, cause, 0, "ref"))
    table.deal_hands(HEAVENLY)
    _wins(table, "E")
    return "a tile that was not sealed", table.log


# Who pays for everybody (包輸), and why not

JUNK = "1m 9m 1p 9p 1m 9m 1p 9p 2m 8m 2p 8p"
"""What is drawn and discarded while nothing happens."""


def _round_of_junk(table: MahjongTable, seats: str, drawn: Iterator[str]) -> None:
    """Each of `seats` discards what was just drawn, and the next one draws."""
    for seat in seats:
        table.discard(seat, next(drawn))


def _feeds_pongs(table: MahjongTable, fed: Sequence[str], junk: Sequence[str]) -> Iterator[str]:
    """East discards what South pongs; South discards junk, and West, North, East draw."""
    drawn = iter(JUNK.split())
    for tile, own in zip(fed, junk, strict=True):
        table.discard("E", tile, passed=False)
        table.claim("S", TileClaim.PONG)
        if table.phase == "CLAIMS":
            table.all_pass()
        table.discard("S", own)
        _round_of_junk(table, "WN", drawn)
        next(drawn)  # East keeps what he draws
    return drawn


def _fed(table: MahjongTable, tile: str) -> None:
    """East discards the tile on which South wins."""
    table.discard("E", tile, passed=False)
    table.claim("S", TileClaim.WIN)
    table.all_pass()
    table.settle()


def nine_tiles_landed() -> Played:
    """A full flush with three pongs on the table is fed: the discarder pays for all (LIA-T1)."""
    table = _table()
    table.deal_hands(
        {"E": "1s 2s 3s 6s 4m 7m 4p 7p", "S": "1s 1s 2s 2s 3s 3s 7s 8s 9s 9s W N B"}, draws=JUNK
    )
    _feeds_pongs(table, ["1s", "2s", "3s"], ["W", "N", "B"])
    _fed(table, "6s")
    return "nine tiles of a full flush on the table", table.log


def twelfth_tile_fed() -> Played:
    """Who fed the fourth set pays when a full flush is self-drawn in the next turn (LIA-T2)."""
    table = _table()
    table.deal_hands(
        {"E": "1s 2s 3s 4s 4m 7m 4p 7p", "S": "1s 1s 2s 2s 3s 3s 4s 4s 9s W N B C"},
        draws=f"{JUNK} 9s",
    )
    _feeds_pongs(table, ["1s", "2s", "3s", "4s"], ["W", "N", "B", "C"])
    table.discard("E", "4m")
    _wins(table, "S")
    return "the twelfth tile of a full flush was fed", table.log


def big_dragons_fed() -> Played:
    """Big dragons are fed after two open dragon pongs: the discarder pays for all (LIA-T3)."""
    table = _table()
    table.deal_hands({"E": "C F 4m 4s 7s 4p 7p", "S": "C C F F B B B 2m 3m 9s 9s W N"}, draws=JUNK)
    _feeds_pongs(table, ["C", "F"], ["W", "N"])
    _fed(table, "4m")
    return "big dragons after two open dragon sets", table.log


def dead_honour_held_back() -> Played:
    """East keeps the fourth north wind while three lie open, and feeds (LIA-T4)."""
    table = _table()
    table.deal_hands(
        {
            "E": "N 5p 1s 4s 7s 2m",
            "S": "N 1m 2m 3m 4m 5m 6m 7m 8m 9m 4p 6p C",
            "W": "N 1p",
            "N": "N 9p",
        },
        draws="C 1p 9p 1p",
    )
    table.discard("E", "1s")
    for seat in "SWN":
        table.discard(seat, "N")
    _fed(table, "5p")
    return "a dead honour held back", table.log


def win_not_taken() -> Played:
    """East could have won with the tiles dealt, discards and feeds (LIA-T6)."""
    table = _table()
    table.deal_hands({**HEAVENLY, "S": "2m 3m 4p 5p 6p 7p 8p 9p 1p 1p 1p 3p 3p"})
    _fed(table, "1m")
    return "a win that was not taken", table.log


def all_honours_exempt() -> Played:
    """The same, but the hand fed is all honours: nobody pays for the others (EXM-T9)."""
    table = _table()
    table.deal_hands(
        {
            "E": "1s 2s 3s 4s 5s 6s 7s 8s 9s 1m 1m 1m B B",
            "S": "E E E S S S W W W N N B B",
        }
    )
    _fed(table, "B")
    return "all honours exempt the discarder", table.log


def live_honour_exempts() -> Played:
    """The same, but the tile is an honour of which none lay open (EXM-T10)."""
    table = _table()
    table.deal_hands({**HEAVENLY, "S": "2m 3m 4m 4p 5p 6p 7p 8p 9p 1p 1p 1p C"})
    _fed(table, "C")
    return "a live honour exempts the discarder", table.log


# Penalties and corrections


def looked_at_a_hand() -> Played:
    """No kong for who looked; a discard cannot be taken back; a wrong chow is a pass."""
    table = _table()
    table.deal_hands({"E": "1s 1s 1s 1s 5p", "S": "5p 5p"})
    table.does(DEALER, facts.HandLookedAt("p1"))
    table.send(SEATS["p1"], facts.ConcealedKongDeclared("p1", "1s"))
    table.discard("E", "5p", passed=False)
    table.send(SEATS["p1"], facts.TileDiscarded("p1", "1s"))
    table.claim("S", TileClaim.CHOW, "5p 5p")
    table.all_pass()
    table.open_due()
    table.does(PIT, events.RoundVoided("TEST", "ref"))
    return "looked at a hand; a discard stands; a wrong chow", table.log


def false_win_of_a_barred_player() -> Played:
    """Where the house says so, a barred player's win is a false one (MJ-52)."""
    table = _table(flags='{"void_win_is_false_win":true}')
    table.deal_hands({"E": "5p", "S": "1m 2m 3m 4m 5m 6m 7m 8m 9m 5p 5p C C"}, draws="C")
    table.discard("E", "5p", passed=False)
    table.claim("S", TileClaim.PONG)
    table.at("S", facts.PongWithdrawn(table.who("S")))
    table.all_pass()
    table.open_due()
    _wins(table, "S")
    return "the win of a barred player is false", table.log


def barred_after_the_settlement() -> Played:
    """It is noticed too late that the winner had been barred: his win is void, then it was not his."""
    table = _table(charge_percent=5)
    table.deal_hands({"E": "5p", "S": WAITS_FOR_5P.replace("C C", "F F"), "W": WAITS_FOR_5P})
    table.discard("E", "5p", passed=False)
    table.claim("S", TileClaim.PASS)
    table.claim("W", TileClaim.WIN)
    table.settle()

    def settled_again(correction: MahjongCorrection) -> None:
        fact = events.SettledRoundCorrected("T1/1", "MISREAD", "cam 3", mahjong=correction)
        table.does(PIT, fact)
        table.settle()

    settled_again(MahjongCorrection(barred=True))
    concealed = tuple(WAITS_FOR_5P.replace("C C", "F F").split())
    south = MahjongWin("S", concealed, (), "5p", "discard", "E", earthly=True)
    settled_again(MahjongCorrection(win=south))
    return "a settled win is void, then another seat's", table.log


# The simplified game


def fortune_tile_of_two() -> Played:
    """Two players; the winning tile is 發."""
    table = _simplified(2)
    table.deal_hands({"E": "1p", "S": "1s 2s 3s F"}, draws="F")
    table.discard("E", "1p")
    _wins(table, "S")
    return "two players; won with the fortune tile", table.log


def kong_from_a_discard_of_three() -> Played:
    """Three players; an open kong, a win on its replacement tile; the deal passes."""
    table = _simplified(3)
    table.deal_hands({"E": "5s", "W": "5s 5s 5s 9p"}, replacements="9p")
    table.discard("E", "5s", passed=False)
    table.claim("S", TileClaim.PASS)
    table.claim("W", TileClaim.KONG)
    table.open_due()
    _wins(table, "W")
    return "three players; an open kong", table.log


def no_more_charge_than_net() -> Played:
    """The house takes so much a hand, but no more than was won."""
    table = _simplified(4, charge_minor=10_000)
    table.deal_hands({"E": "1s 2s 3s 5p 5p"})
    _wins(table, "E")
    return "the charge is no more than the net", table.log


def dead_fortune_held_back() -> Played:
    """East keeps the fourth 發 while three lie open, and feeds (LIA-S1)."""
    table = _simplified(4)
    table.deal_hands(
        {"E": "F 5p 1s 4s 7s", "S": "F 1m 2m 3m", "W": "F", "N": "F"}, draws="5p 1p 9p 1p"
    )
    table.discard("E", "1s")
    for seat in "SWN":
        table.discard(seat, "F")
    _fed(table, "5p")
    return "the dead fortune tile held back", table.log


def triplet_broken_instead_of_winning() -> Played:
    """East has won, breaks the triplet and feeds (LIA-S2)."""
    table = _simplified(2)
    table.deal_hands({"E": "5p 5p 5p 9s 9s", "S": "1s 2s 3s 5p"})
    _fed(table, "5p")
    return "a triplet broken instead of winning", table.log


def live_fortune_exempts() -> Played:
    """The same with 發, of which none lay open (EXM-S4)."""
    table = _simplified(3)
    table.deal_hands({"E": "F F F 9s 9s", "S": "1s 2s 3s F"})
    _fed(table, "F")
    return "the live fortune tile exempts the discarder", table.log


def false_win_of_three() -> Played:
    """A false win costs one faan to everybody (FALSE-S3)."""
    table = _simplified(3)
    table.deal_hands({"E": "1s 4s 7s 1p 4p"})
    _wins(table, "E")
    return "a false win of three players", table.log


Scripts = tuple[Callable[[], Played], ...]
ROUNDS: MappingProxyType[str, Scripts] = MappingProxyType(
    {
        "mahjong.traditional": (
            heavenly_hand_and_a_charge,
            earthly_hand_and_a_broken_triplet,
            capital_limits,
            robbed_kong,
            win_on_a_replacement_tile,
            false_win_until_the_stake_is_used_up,
            several_win_claims,
            false_win_claim,
            barred_after_a_withdrawn_pong,
            exhausted_wall,
            void_after_the_settlement,
            dice_put_right,
            another_tile_than_sealed,
            nine_tiles_landed,
            twelfth_tile_fed,
            big_dragons_fed,
            dead_honour_held_back,
            win_not_taken,
            all_honours_exempt,
            live_honour_exempts,
            looked_at_a_hand,
            false_win_of_a_barred_player,
            barred_after_the_settlement,
        ),
        "mahjong.simplified": (
            fortune_tile_of_two,
            kong_from_a_discard_of_three,
            no_more_charge_than_net,
            dead_fortune_held_back,
            triplet_broken_instead_of_winning,
            live_fortune_exempts,
            false_win_of_three,
        ),
    }
)
