"""No tile is seen by anybody before section 5 lets him see it, and what is held over by nobody."""

import random
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from floorbook.games.pai_kau.tiles import SET
from floorbook.table import events
from floorbook.table.effects import EVERYBODY, SUPERVISOR, Disclosure, audience_of
from floorbook.table.events import Event, Role, ViewAsked
from floorbook.table.game import games
from floorbook.table.pai_kau import facts
from floorbook.table.pai_kau.shapes import CorrectedHand, PaiKauCorrection
from floorbook.table.pai_kau.shown import PaiKauHand, PaiKauShown, PaiKauState
from floorbook.table.pai_kau.state import PaiKau
from floorbook.table.refuse import NOTHING_KEPT
from floorbook.table.state import TableState
from floorbook.table.step import Step, step
from tests.unit.table.pai_kau_model import Model
from tests.unit.table.pai_kau_playing import PaiKauTable, dealt, filled
from tests.unit.table.playing import DEALER, DICE, PIT, SEATS
from tests.unit.table.test_pai_kau_model import ACTS, both_do

TILES = frozenset(SET)

Viewer = tuple[Role, str]
VIEWERS: tuple[Viewer, ...] = (
    (Role.DEALER, "d1"),
    (Role.SUPERVISOR, "s1"),
    *((Role.PLAYER, player) for player in SEATS),
    (Role.PLAYER, "stranger"),
    (Role.PLAYER, ""),
    (Role.DEVICE, ""),
)
PUBLIC = "used"
"""The name under which what lies face up is known."""


def tiles_in(value: Any, at: str = "") -> Iterator[tuple[str, str]]:
    """Yield every tile that is written anywhere in `value`, with where: a gate, or what lies face up."""
    if isinstance(value, str):
        if value in TILES:
            yield at, value
        elif value.startswith(("{", "[")):
            yield from tiles_in(msgspec.json.decode(value), "result")
    elif isinstance(value, PaiKauHand | facts.DealtHand | CorrectedHand):
        for part in (value.tiles, getattr(value, "front", ()), getattr(value, "back", ())):
            yield from tiles_in(part, f"gate {value.gate}")
    elif isinstance(value, dict):
        for inner in value.values():
            yield from tiles_in(inner, at)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from tiles_in(inner, at)
    elif isinstance(value, msgspec.Struct):
        for name in value.__struct_fields__:
            yield from tiles_in(getattr(value, name), PUBLIC if name == "used_tiles" else name)


class Watch:
    """Looks over every shoulder: what each viewer is shown must be what he may have seen by then.

    Who may know what is kept here by itself, from the acts that the table took: places (a gate, what
    lies face up, a result) and the tiles that lie there.
    """

    def __init__(self) -> None:
        self.allowed: dict[Viewer, set[tuple[str, str]]] = {viewer: set() for viewer in VIEWERS}
        self.shown: dict[Viewer, set[str]] = {viewer: set() for viewer in VIEWERS}

    def __call__(self, before: TableState, event: Event, taken: Step) -> None:
        after = taken.state
        if taken.verdict.refusal is None and not taken.verdict.known:
            self._learn(before, event, after)
        for viewer in VIEWERS:
            audiences = (EVERYBODY, audience_of(*viewer))
            for disclosure in taken.effects.disclosures:
                if any(one in disclosure.audiences for one in audiences):
                    self._look(viewer, disclosure.shown, event)
            asked = Event(
                after.table_id,
                ViewAsked(),
                viewer[0],
                event.observe_time_ms,
                "gateway",
                person_id=viewer[1],
                offset=event.offset + 1,
            )
            view = step(after, asked, NOTHING_KEPT)
            assert view.state is after
            for disclosure in view.effects.disclosures:
                assert disclosure.audiences == (audience_of(*viewer),)
                self._look(viewer, disclosure.shown, event)

    def _learn(self, before: TableState, event: Event, after: TableState) -> None:
        game, fact = after.game, event.fact
        if not isinstance(game, PaiKau):
            return
        if after.round_number != before.round_number:
            for viewer in VIEWERS:
                self.allowed[viewer] = {one for one in self.allowed[viewer] if one[0] == PUBLIC}
                self.shown[viewer].clear()
        if isinstance(fact, events.SettledRoundCorrected | facts.HeldTilesCorrected):
            # What is said of open tiles may be seen by all.
            self._allow(VIEWERS, set(tiles_in(fact)))
        hands = {
            gate: {(f"gate {gate}", tile) for tile in hand}
            for gate, hand in enumerate(game.hands, 1)
        }
        if game.phase in ("PLAYERS_SETTING", "BANKER_SETTING"):
            assert game.turn is not None
            for gate in {bet.gate for bet in game.bets}:
                here = [bet for bet in game.bets if bet.gate == gate]
                holder = max(here, key=lambda bet: bet.amount).player_id
                self._allow([(Role.PLAYER, holder)], hands[gate])
            if game.phase == "BANKER_SETTING":
                self._allow([(Role.PLAYER, game.turn.player_id)], hands[game.turn.gate])
        if game.phase in ("OPENED", "SETTLED"):
            for gate, hand in hands.items():
                self._allow(VIEWERS, hand)
                self._allow(VIEWERS, {(PUBLIC, tile) for _, tile in hands[gate]})
        if isinstance(fact, events.RoundEvaluated):
            # Of whichever round: it is open. What was not dealt can be counted; its order is nowhere.
            self._allow(VIEWERS, {("result", tile) for tile in SET})

    def _allow(self, viewers: Any, seen: set[tuple[str, str]]) -> None:
        for viewer in viewers:
            if viewer in self.allowed:
                self.allowed[viewer] |= seen

    def _look(self, viewer: Viewer, shown: object, event: Event) -> None:
        seen = set(tiles_in(shown))
        self.shown[viewer] |= {place for place, _ in seen}
        early = seen - self.allowed[viewer]
        assert not early, f"{viewer} sees {early} after {event.fact}"


def watched(**how: Any) -> tuple[PaiKauTable, Watch]:
    """Return an open table, and who looks on."""
    table, watch = PaiKauTable(**how).open(), Watch()
    table.checks.append(watch)
    return table, watch


@pytest.mark.parametrize("seed", range(3))
def test_nobody_sees_a_tile_early_whatever_is_done(seed: int) -> None:
    rng = random.Random(seed)
    table, _ = watched(seed=seed)
    model = Model()
    for _ in range(120):
        both_do(table, model, rng.choice(ACTS), rng)


def test_each_sees_what_he_may_when_he_may() -> None:
    table, watch = watched()
    p1, p2, p3, p4 = ((Role.PLAYER, player) for player in ("p1", "p2", "p3", "p4"))
    others = [viewer for viewer in VIEWERS if viewer not in (p1, p2, p3)]
    table.to("BETTING", sealed=True)
    table.stake(1_000)
    table.bet("p4", 2, 100)
    table.bet("p2", 2, 300)
    table.bet("p3", 3, 100)
    table.lock()
    table.throw()
    table.open_wall()
    assert not any(watch.shown.values())
    table.deal()
    assert watch.shown[p2] == {"gate 2"}
    assert watch.shown[p3] == {"gate 3"}
    assert watch.shown[p1] == set(), "the banker sets last"
    table.lay(2)
    table.does(DEALER, facts.PairsNotSet(3))
    assert watch.shown[p1] == {"gate 1"}
    assert watch.shown[p2] == {"gate 2"}
    assert not any(watch.shown[viewer] for viewer in others)
    table.lay(1)
    assert not watch.shown[p4]
    table.open_pairs()
    everything = {f"gate {gate}" for gate in range(1, 5)}
    assert all(watch.shown[viewer] == everything for viewer in VIEWERS)
    table.settle()
    assert all(watch.shown[viewer] == {*everything, PUBLIC, "result"} for viewer in VIEWERS)


def test_what_is_held_over_is_shown_to_nobody_until_it_is_dealt() -> None:
    table, watch = watched()
    table.round(sealed=True)
    assert table.deck is not None
    used = set(table.pk.used_tiles)
    table.to("DEALT")
    table.open_wall()
    stranger = (Role.PLAYER, "stranger")
    seen = {tile for place, tile in watch.allowed[stranger] if place == PUBLIC}
    assert seen == used
    assert watch.shown[stranger] == {PUBLIC}
    table.deal()
    assert watch.shown[stranger] == {PUBLIC}


def test_a_void_round_keeps_its_tiles() -> None:
    table, watch = watched()
    table.to("BANKER_SETTING")
    table.does(PIT, events.RoundVoided("TEST"))
    assert not watch.shown[Role.PLAYER, "stranger"]
    assert not watch.shown[Role.DEALER, "d1"]


def test_what_was_refused_is_not_shown() -> None:
    table, _ = watched()
    table.to("DEALT", sealed=True)
    assert table.send(DEALER, dealt(filled({}, 4))).effects.disclosures == ()
    table.open_wall()
    wrong = table.send(DEALER, dealt(filled({}, 4)))
    assert wrong.verdict.refusal is not None
    table.send(DICE, events.DiceThrown((1, 1, 1, 1)))


def test_a_correction_shows_what_it_says() -> None:
    table, _ = watched()
    table.round()
    hand = table.pk.hands[1]
    table.to("PLAYERS_SETTING")
    correction = PaiKauCorrection((CorrectedHand(2, hand),))
    table.does(PIT, events.SettledRoundCorrected("T1/1", "TEST", "", pai_kau=correction))
    table.settle()


@pytest.mark.parametrize("leak", ["deal", "banker", "wall", "fact"])
def test_a_leak_would_be_noticed(leak: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """The watch itself is watched: a hand shown to the wrong people, or too early, must fail."""
    game = games()["pai_kau"]
    honest = game.disclose

    def leaking(before: TableState, event: Event, after: TableState) -> list[Disclosure]:
        shown = list(honest(before, event, after))
        now = after.game
        assert isinstance(now, PaiKau)
        if leak == "deal" and isinstance(event.fact, facts.TilesDealt):
            shown.append(Disclosure((EVERYBODY,), PaiKauShown(hand=PaiKauHand(4, now.hands[3]))))
        if leak == "banker" and isinstance(event.fact, facts.TilesDealt):
            banker = audience_of(Role.PLAYER, "p1")
            shown.append(Disclosure((banker,), PaiKauShown(hand=PaiKauHand(1, now.hands[0]))))
        if leak == "wall" and isinstance(event.fact, events.DeckOpened):
            shown.append(Disclosure((SUPERVISOR,), event.fact))
        if leak == "fact" and isinstance(event.fact, facts.PairsSet):
            shown.append(Disclosure((EVERYBODY,), PaiKauShown(fact=event.fact)))
        return shown

    monkeypatch.setattr(game, "disclose", leaking)
    table, _ = watched()
    with pytest.raises(AssertionError, match="sees"):
        table.to("OPENED", sealed=True)


@pytest.mark.parametrize("leak", ["hands", "wall"])
def test_a_leak_in_a_view_would_be_noticed(leak: str, monkeypatch: pytest.MonkeyPatch) -> None:
    game = games()["pai_kau"]
    honest = game.view

    def leaking(state: TableState, role: Role, person_id: str) -> PaiKauState:
        seen: PaiKauState = honest(state, role, person_id)
        now = state.game
        assert isinstance(now, PaiKau)
        if leak == "hands" and now.hands and role is Role.DEALER:
            return replace(seen, hands=(PaiKauHand(2, now.hands[1]),))
        return replace(seen, moved_by=now.opened) if leak == "wall" else seen

    monkeypatch.setattr(game, "view", leaking)
    table, _ = watched()
    with pytest.raises(AssertionError, match="sees"):
        table.to("BANKER_SETTING", sealed=True)
