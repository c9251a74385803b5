"""Simulated mahjong players know what they were shown and no more, and play sensibly by it."""

import random
from typing import Any

import pytest

from floorbook.demo.mahjong import people
from floorbook.demo.mahjong.seen import Known, MahjongSeen
from floorbook.demo.seen import Update
from floorbook.games.mahjong.claims import Offer, legal_claims
from floorbook.games.mahjong.config import Config
from floorbook.games.mahjong.hand import Holding, Setting
from floorbook.games.mahjong.tiles import TILE_OF
from floorbook.games.mahjong.variant import SIDES, SIMPLIFIED, TRADITIONAL
from floorbook.table.effects import TableView
from floorbook.table.events import Event, Role
from floorbook.table.game import games
from floorbook.table.mahjong import facts
from floorbook.table.mahjong.facts import TileClaim
from floorbook.table.mahjong.state import PLAYING, Mahjong
from floorbook.table.state import TableState
from floorbook.table.step import Step
from tests.unit.table.mahjong_cycles import Cycle

MOODS = [random.Random(seed) for seed in range(20)]
READY = "1m 2m 3m 4m 5m 6m 7m 8m 9m 4p 6p C C"


def hand(codes: str) -> tuple[int, ...]:
    return tuple(TILE_OF[code] for code in codes.split())


def known(concealed: str, *, offered: str = "", by: str = "E", **more: Any) -> Known:
    """Return what South knows of a hand of 甲: his turn after a draw, or a discard to answer."""
    own = hand(concealed)
    given: dict[str, Any] = {
        "setting": Setting(TRADITIONAL, Config(), SIDES, "E"),
        "player_id": "p2",
        "seat": "S",
        "holding": Holding(own),
        "began": "draw",
        "drawn": None if offered else own[-1],
        "wall_remaining": 40,
        "offer": Offer("discard", by, TILE_OF[offered]) if offered else None,
        "open_tiles": (),
    }
    return Known(**{**given, **more})


def test_a_hand_that_is_complete_is_won_by_all_but_the_absent_minded() -> None:
    complete = known(f"{READY} 5p")
    done = [people.plays(complete, mood) for mood in MOODS]
    assert done.count(facts.WinDeclared("p2")) > len(MOODS) / 2


def test_who_is_ready_stays_so() -> None:
    for stray in ("N", "1s", "9p"):
        done = {people.plays(known(f"{READY} {stray}"), mood) for mood in MOODS}
        assert done == {facts.TileDiscarded("p2", stray)}


def test_of_tiles_that_are_all_needed_alike_the_loneliest_goes_first() -> None:
    lonely = known("1m 2m 3m 5s 6s 7s 2p 3p 8p 9p C C 5m N", open_tiles=hand("N N"))
    done = {people.plays(lonely, mood) for mood in MOODS}
    assert done == {facts.TileDiscarded("p2", "N")}


def test_four_of_a_kind_become_a_kong_where_it_costs_nothing() -> None:
    four = known("E E E E 1m 2m 3m 5s 6s 7s C C 2p 3p")
    done = [people.plays(four, mood) for mood in MOODS]
    assert facts.ConcealedKongDeclared("p2", "E") in done
    needed = known("3m 3m 3m 3m 1m 2m 4m 5m 7s 8s 9s C C C")
    assert facts.ConcealedKongDeclared("p2", "3m") not in [people.plays(needed, m) for m in MOODS]


@pytest.mark.parametrize(
    ("concealed", "offered", "by", "claim"),
    [
        (READY, "5p", "W", TileClaim.WIN),
        ("1m 2m 3m 4m 5m 6m 7m 8m 1p 4p C C N", "C", "W", TileClaim.PONG),
        ("1m 2m 4m 5m 6m 7m 8m 9m 1p 1p C C N", "3m", "E", TileClaim.CHOW),
        ("1m 2m 4m 5m 6m 7m 8m 9m 1p 1p C C N", "3m", "W", TileClaim.PASS),
        ("1m 1m 1m 5m 6m 7m 8m 9m 1p 1p C C N", "1m", "W", TileClaim.KONG),
        ("1m 2m 3m 4m 5m 6m 7m 8m 9m 4p 6p C C", "1s", "E", TileClaim.PASS),
    ],
)
def test_claims_are_made_that_bring_a_hand_nearer(
    concealed: str, offered: str, by: str, claim: TileClaim
) -> None:
    said = [people.answers(known(concealed, offered=offered, by=by), mood).claim for mood in MOODS]
    assert said.count(claim) > len(MOODS) / 2
    assert set(said) <= {claim, TileClaim.PASS}


def test_wrong_claims_are_wrong() -> None:
    for concealed, offered in ((READY, "5p"), ("C C C 1m 2m 4m 5m 5m 5m 7s 8s E E", "3m")):
        offer = known(concealed, offered=offered)
        assert offer.offer is not None
        legal = legal_claims(offer.setting, offer.offer, 40, offer.holding, "S")
        chows = {tuple(sorted(pair)) for pair in legal.chows}
        for mood in MOODS:
            said = people.wrong_claims(offer, mood)
            assert said is not None
            match said.claim:
                case TileClaim.CHOW:
                    assert tuple(sorted(TILE_OF[code] for code in said.tiles)) not in chows
                case TileClaim.PONG:
                    assert not legal.pong
                case TileClaim.KONG:
                    assert not legal.kong


def test_what_would_be_a_false_win_is_known() -> None:
    assert people.may_win_falsely(known(f"{READY} 1s"))
    assert not people.may_win_falsely(known(f"{READY} 5p"))
    assert not people.may_win_falsely(known(f"{READY} 1s", began="pong", drawn=None))
    assert people.would_claim_falsely(known(READY, offered="1s"))
    assert not people.would_claim_falsely(known(READY, offered="5p"))


def test_a_barred_player_knows_what_he_misses() -> None:
    barred = Holding(hand(READY), barred=True)
    assert people.would_win_if_not_barred(known(READY, offered="5p", holding=barred))
    assert not people.would_win_if_not_barred(known(READY, offered="1s", holding=barred))
    assert not people.would_win_if_not_barred(known(READY, offered="5p"))


# What is shown is enough, and what a whole view shows is the same


def same(one: Known, other: Known) -> bool:
    """Return whether two viewers know the same hand, in whatever order they learned of it."""

    def parts(each: Known) -> tuple[object, ...]:
        own = each.holding
        return (
            each.seat,
            sorted(own.concealed),
            own.melds,
            own.barred,
            own.no_kong,
            each.wall_remaining,
            each.drawn,
            each.offer,
            sorted(each.open_tiles),
        )

    return parts(one) == parts(other)


@pytest.mark.parametrize(
    ("rule_set", "players"), [(TRADITIONAL.id, 4), (SIMPLIFIED.id, 2), (SIMPLIFIED.id, 4)]
)
def test_a_player_knows_his_hand_from_what_was_disclosed(rule_set: str, players: int) -> None:
    cycle = Cycle(rule_set, players, 3, one_in=100)
    looks = 0

    def look(before: TableState, event: Event, taken: Step) -> None:
        nonlocal looks
        game = taken.state.game
        if not isinstance(game, Mahjong) or game.phase not in PLAYING or game.play is None:
            return
        for seat, who, holding in zip(game.seats, game.players, game.play.holdings, strict=True):
            mine = cycle.known(seat)
            assert sorted(mine.holding.concealed) == sorted(holding.concealed)
            assert mine.holding.melds == holding.melds
            assert (mine.holding.barred, mine.holding.no_kong) == (holding.barred, holding.no_kong)
            assert mine.wall_remaining == game.play.wall_remaining
            assert same(mine, _at_first_sight(taken.state, who, cycle))
            looks += 1

    cycle.table.checks.append(look)
    cycle.hand()
    cycle.hand()
    assert looks > 100


def _at_first_sight(state: TableState, who: str, cycle: Cycle) -> Known:
    """Return what somebody knows who sees the whole view now, and nothing before."""
    seen = MahjongSeen(who)
    view = games()[cycle.table.rule_set].view(state, Role.PLAYER, who)
    shown = TableView("T1", "", "", "", "", "", (), (), 0, mahjong=view)
    seen.take(Update("", "", "", False, "T1/1", "", (shown,)))
    return seen.known(cycle.table.variant, cycle.config, who)
