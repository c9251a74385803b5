"""No tile and no claim is seen by anybody before RULE-VISIBLE lets him see it."""

import re
from collections import Counter
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace
from prometheus_client import CollectorRegistry

from floorbook.games.mahjong.tiles import CODES
from floorbook.gateway.floor import seen_by
from floorbook.metrics.catalogue import BusinessMetrics
from floorbook.metrics.count import Count, Folded
from floorbook.metrics.service import read_floor
from floorbook.metrics.show import show
from floorbook.table.effects import EVERYBODY, Disclosure, audience_of
from floorbook.table.events import DeckOpened, Event, Role, RoundEvaluated, ViewAsked
from floorbook.table.game import games
from floorbook.table.mahjong import facts
from floorbook.table.mahjong.facts import TileClaim
from floorbook.table.mahjong.shown import (
    MahjongOwnTiles,
    MahjongResult,
    MahjongShown,
    MahjongState,
)
from floorbook.table.mahjong.state import Mahjong, Phase
from floorbook.table.refuse import NOTHING_KEPT
from floorbook.table.state import TableState
from floorbook.table.step import Step, step
from floorbook.v1 import floor_pb2
from floorbook.wire import floor
from tests.unit.table.mahjong_playing import MahjongTable
from tests.unit.table.playing import SEATS

TILES = frozenset(CODES)
# Winds and a dragon look like seats and a round: in these fields they are no tiles.
NO_TILES = frozenset(
    ("seat", "source", "side", "round_wind", "turn", "first", "tail", "win_claims", "outcome")
)
# As protobuf writes a field; the text of a result is escaped.
SUITED_TILE = re.compile(r'(?<!\\)"([1-9][smp])"')
ANY_SUITED_TILE = re.compile(r"(?<![A-Za-z0-9])[1-9][smp](?![A-Za-z])")
WINNING_BY_5P = "1m 2m 3m 4m 5m 6m 7m 8m 9m 4p 6p C C"
Viewer = tuple[Role, str]
VIEWERS: tuple[Viewer, ...] = (
    (Role.DEALER, "d1"),
    (Role.SUPERVISOR, "s1"),
    *((Role.PLAYER, player) for player in list(SEATS)[:4]),
    (Role.PLAYER, "stranger"),
    (Role.DEVICE, ""),
)


def tiles_in(value: Any) -> Iterator[str]:
    """Yield every tile that is written anywhere in `value`, but for the names of seats."""
    if isinstance(value, str):
        if value in TILES:
            yield value
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from tiles_in(inner)
    elif isinstance(value, MahjongResult):
        # Once each: the winner's tiles are named again and again, as sets, pairs and faan.
        yield from sorted(set(ANY_SUITED_TILE.findall(value.result)))
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            if name not in NO_TILES:
                yield from tiles_in(getattr(value, name))


class Watch:
    """Looks over every shoulder: views hold no tile more often than the viewer may know of it.

    What each may know is worked out here from the state alone: what lies open, and what is his own.
    """

    def __init__(self) -> None:
        self.views = 0
        self.unheard = 0

    def __call__(self, before: TableState, event: Event, taken: Step) -> None:
        after = taken.state
        game = after.game
        if not isinstance(game, Mahjong):
            return
        self._look_at_answers(before, event, taken)
        record = floor_pb2.FloorRecord.FromString(floor.encode(taken, event))
        for viewer in VIEWERS:
            known = self._known(game, viewer)
            sent = seen_by(*viewer, record.folded, "")
            kinds = set(SUITED_TILE.findall(str(sent)))
            assert kinds <= set(known), f"{event.fact} sends {viewer} {kinds - set(known)}"
            for disclosure in taken.effects.disclosures:
                if any(one in disclosure.audiences for one in (EVERYBODY, audience_of(*viewer))):
                    self._look(viewer, disclosure.shown, known, game, event)
            asked = Event(
                after.table_id,
                ViewAsked(),
                viewer[0],
                event.observe_time_ms,
                "gateway",
                person_id=viewer[1],
                offset=event.offset + 1,
            )
            for disclosure in step(after, asked, NOTHING_KEPT).effects.disclosures:
                assert disclosure.audiences == (audience_of(*viewer),)
                self._look(viewer, disclosure.shown, known, game, event)
                self.views += 1

    def _known(self, game: Mahjong, viewer: Viewer) -> Counter[str]:
        """Return how many of each tile the viewer may know of."""
        if game.play is None:
            return Counter()
        play = game.play
        known: Counter[str] = Counter(CODES[tile] for tile in play.face_up)
        if play.offer is not None:
            known[CODES[play.offer.tile]] += 1
        over = game.phase in (Phase.COMPLETE, Phase.SETTLED)
        for who, seat, holding in zip(game.players, game.seats, play.holdings, strict=True):
            open_ = play.ended is not None and play.ended.declared.seat == seat
            own = viewer == (Role.PLAYER, who) or open_
            own = own or (over and viewer[0] is Role.SUPERVISOR)
            for meld in holding.melds:
                if meld.open or own:
                    known.update(CODES[tile] for tile in meld.tiles)
            if own:
                known.update(CODES[tile] for tile in holding.concealed)
        return known

    def _look(
        self, viewer: Viewer, shown: Any, known: Counter[str], game: Mahjong, event: Event
    ) -> None:
        if isinstance(shown, MahjongShown):
            self._look_at_claims(viewer, shown, game)
        seen = Counter(tiles_in(shown))
        view = getattr(shown, "mahjong", None)
        if isinstance(view, MahjongState):
            if view.drawn:
                seen[view.drawn] -= 1  # it is among the concealed ones too
            for hand in view.hands:
                # His sets are there with his seat as well.
                seen -= Counter(tile for one in hand.sets for tile in one.tiles if one.open)
                own = next(s for s in view.seats if s.seat == hand.seat)
                assert {s.tiles for s in own.sets if s.open} <= {s.tiles for s in hand.sets}
                seen -= Counter(tile for s in own.sets if not s.open for tile in s.tiles)
        assert seen <= known, f"{event.fact} shows {viewer} {seen - known}"

    def _look_at_answers(self, before: TableState, event: Event, taken: Step) -> None:
        """While a window is open, nobody hears that another has answered in it, rightly or not."""
        was, now = before.game, taken.state.game
        assert isinstance(was, Mahjong)
        assert isinstance(now, Mahjong)
        fact = event.fact
        if not isinstance(fact, facts.TileClaimed) or now.phase is not Phase.CLAIMS:
            return
        record = floor_pb2.FloorRecord.FromString(floor.encode(taken, event))
        for viewer in VIEWERS:
            if viewer != (Role.PLAYER, fact.player_id):
                assert seen_by(*viewer, record.folded, "") is None, f"{viewer} hears of {fact}"
                self.unheard += 1

    def _look_at_claims(self, viewer: Viewer, shown: MahjongShown, game: Mahjong) -> None:
        if isinstance(shown.fact, facts.TileClaimed):
            assert viewer == (Role.PLAYER, shown.fact.player_id), "a claim is its claimant's"
        if shown.rejected is not None:
            seat = game.seats.index(shown.rejected.seat)
            assert viewer == (Role.PLAYER, game.players[seat]), "and why it did not prevail"
        if shown.own_tiles is not None:
            seat = game.seats.index(shown.own_tiles.seat)
            assert viewer == (Role.PLAYER, game.players[seat]), "tiles are his who takes them"


@pytest.mark.parametrize(
    ("rule_set", "players", "seed"),
    [
        ("mahjong.traditional", 4, 1),
        ("mahjong.traditional", 4, 2),
        ("mahjong.simplified", 4, 3),
        ("mahjong.simplified", 2, 4),
    ],
)
def test_nobody_sees_what_he_may_not(rule_set: str, players: int, seed: int) -> None:
    table = MahjongTable(seed=seed).open(players, rule_set=rule_set)
    watch = Watch()
    table.checks.append(watch)
    table.chance_hand()
    assert watch.views > 500
    assert watch.unheard or players == 2


@pytest.mark.parametrize("leak", ["drawn", "claim", "kong", "wall"])
def test_a_leak_would_be_noticed(leak: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = games()["mahjong.traditional"]
    honest = game.disclose

    def leaking(before: TableState, event: Event, after: TableState) -> list[Disclosure]:
        shown = list(honest(before, event, after))
        fact, now = event.fact, after.game
        assert isinstance(now, Mahjong)
        if leak == "drawn" and isinstance(fact, DeckOpened):
            assert now.play is not None
            seat = now.play.seat
            own = MahjongOwnTiles(seat, (CODES[now.play.holdings[0].concealed[0]],))
            shown.append(Disclosure((EVERYBODY,), MahjongShown(own_tiles=own)))
        if leak == "claim" and isinstance(fact, facts.TileClaimed):
            shown.append(Disclosure((audience_of(Role.DEALER, ""),), MahjongShown(fact=fact)))
        if leak == "kong" and isinstance(fact, facts.ConcealedKongDeclared):
            shown.append(Disclosure((EVERYBODY,), MahjongShown(fact=fact)))
        if leak == "wall" and isinstance(fact, DeckOpened):
            faces = tuple(one.face for one in fact.openings)
            own = MahjongOwnTiles("E", faces)
            shown.append(
                Disclosure((audience_of(Role.SUPERVISOR, ""),), MahjongShown(own_tiles=own))
            )
        return shown

    monkeypatch.setattr(game, "disclose", leaking)
    table = MahjongTable(seed=1).open()
    table.checks.append(Watch())
    with pytest.raises(AssertionError):
        _play_with_a_kong(table)


def won_at_once() -> None:
    """Return after a watched hand of which one discard and the winner's tiles lie open."""
    table = MahjongTable().open()
    table.checks.append(Watch())
    table.deal_hands({"E": "5p", "W": WINNING_BY_5P})
    table.discard("E", "5p", passed=False)
    table.claim("W", TileClaim.WIN)
    table.all_pass()
    table.settle()


def test_a_result_names_the_winners_tiles_alone() -> None:
    won_at_once()


def test_a_tile_in_a_result_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    game = games()["mahjong.traditional"]
    honest = game.show_result

    def leaking(round_id: str, answer: RoundEvaluated) -> Disclosure:
        told = msgspec.json.decode(answer.result)
        told["facts"] = {"discarder_concealed": "1s 9s 9p"}
        return honest(round_id, replace(answer, result=msgspec.json.encode(told).decode()))

    monkeypatch.setattr(game, "show_result", leaking)
    with pytest.raises(AssertionError, match="shows"):
        won_at_once()


def test_a_tile_in_a_record_alone_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = floor.encode

    def leaking(taken: Step, event: Event) -> bytes:
        record = floor_pb2.FloorRecord.FromString(honest(taken, event))
        if isinstance(event.fact, DeckOpened):
            own = floor_pb2.Disclosure(
                audiences=[floor_pb2.Audience(kind=floor_pb2.AUDIENCE_KIND_EVERYBODY)]
            )
            own.mahjong.own_tiles.tiles.extend(one.face for one in event.fact.openings)
            record.folded.disclosures.append(own)
        return record.SerializeToString()

    monkeypatch.setattr(floor, "encode", leaking)
    table = MahjongTable(seed=1).open()
    table.checks.append(Watch())
    with pytest.raises(AssertionError, match="sends"):
        table.chance_hand()


def test_metrics_name_no_tile_and_no_player() -> None:
    table = MahjongTable(seed=2).open(charge_percent=5)
    table.chance_hand()
    count, registry = Count(), CollectorRegistry()
    for event, taken in zip(table.log, table.steps, strict=True):
        folded = read_floor(0, b"T1", floor.encode(taken, event))
        assert isinstance(folded, Folded)
        count.folded(("floor", 0), folded)
    for offset, each in enumerate(table.movements):
        count.movement(("movements", 0), replace(each, offset=offset))
    show(count.tally, BusinessMetrics(registry))
    exposed = [sample for metric in registry.collect() for sample in metric.samples]
    values = {value for sample in exposed for value in sample.labels.values()}
    assert {"mahjong", "mahjong.traditional"} <= values
    assert not values & {*CODES, *SEATS}


def _play_with_a_kong(table: MahjongTable) -> None:
    table.deal_hands({"E": "1s 1s 1s 1s"})
    table.at("E", facts.ConcealedKongDeclared("p1", "1s"))
    while table.phase != "SETTLED":
        table.chance_act()


def test_a_leak_in_the_view_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    game = games()["mahjong.traditional"]
    honest = game.view

    def leaking(state: TableState, role: Role, person_id: str) -> Any:
        other = "p2" if person_id == "p1" else person_id
        return honest(state, role, other)

    monkeypatch.setattr(game, "view", leaking)
    table = MahjongTable(seed=1).open()
    table.checks.append(Watch())
    with pytest.raises(AssertionError):
        table.chance_hand()


def test_an_answer_that_others_hear_of_would_be_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facts.TileClaimed, "secret", False)
    table = MahjongTable(seed=1).open()
    table.checks.append(Watch())
    with pytest.raises(AssertionError, match="hears of"):
        table.chance_hand()


def test_a_refused_answer_is_heard_by_nobody_else() -> None:
    table = MahjongTable(seed=1).open()
    table.deal_hands({"E": "5p", "S": "5p 5p"})
    table.discard("E", "5p", passed=False)
    table.claim("S", TileClaim.PASS)
    for fact in (facts.TileClaimed(TileClaim.PONG, "p2"), facts.PongWithdrawn("p4")):
        taken = table.send(SEATS[fact.player_id], fact)
        assert taken.verdict.refusal is not None
        record = floor_pb2.FloorRecord.FromString(floor.encode(taken, table.log[-1]))
        assert all(seen_by(*viewer, record.folded, "") is None for viewer in VIEWERS)


def test_an_open_window_shows_a_viewer_his_own_answer_alone() -> None:
    table = MahjongTable(seed=1).open()
    table.deal_hands({"E": "5p", "S": "5p 5p"})
    table.discard("E", "5p", passed=False)
    table.claim("S", TileClaim.PONG)
    game = games()["mahjong.traditional"]
    assert game.view(table.state, Role.PLAYER, "p2").answer is TileClaim.PONG
    others = [(Role.PLAYER, "p1"), (Role.PLAYER, "p3"), (Role.DEALER, "d"), (Role.SUPERVISOR, "s")]
    views = [game.view(table.state, *other) for other in others]
    assert [view.answer for view in views] == [None] * 4


def test_a_concealed_kong_is_seen_as_one_until_the_hand_is_won() -> None:
    table = MahjongTable(seed=1).open()
    table.deal_hands({"E": "1s 1s 1s 1s 2m 3m 4m 5m 6m 7m 8p 8p 9s 9s"}, replacements="8p")
    table.at("E", facts.ConcealedKongDeclared("p1", "1s"))
    game = games()["mahjong.traditional"]
    seen = game.view(table.state, Role.PLAYER, "p2").seats[0].sets
    assert [(one.kind, one.tiles) for one in seen] == [("kong", ())]
    table.open_due()
    table.at("E", facts.WinDeclared("p1"))
    seen = game.view(table.state, Role.PLAYER, "p2").seats[0].sets
    assert [one.tiles for one in seen] == [("1s",) * 4]


def test_the_random_hands_have_kongs_and_chows_in_them() -> None:
    """What is watched above is worth watching."""
    seen: Counter[str] = Counter()
    for seed in (1, 2):
        table = MahjongTable(seed=seed).open()
        table.chance_hand()
        seen.update(type(event.fact).__name__ for event in table.log)
        for event in table.log:
            if isinstance(event.fact, facts.TileClaimed):
                seen[event.fact.claim.name] += 1
    assert seen["CHOW"]
    assert seen["PONG"]
