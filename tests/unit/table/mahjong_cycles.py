"""Whole cycles of mahjong hands in the process: the demo's people at a table that is folded at once.

They know what the fold disclosed to them and nothing else. Every hand is written down a second time as
the rules' own `hand_log` has it, from nothing but the table's events.
"""

import json
import random
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from msgspec import Struct

from floorbook.demo.mahjong import people
from floorbook.demo.mahjong.seen import Known, MahjongSeen
from floorbook.demo.seen import Update
from floorbook.games.game import Evaluated, evaluate
from floorbook.games.mahjong.config import Config, config_of
from floorbook.games.mahjong.reading_play import known_tiles
from floorbook.games.mahjong.seats import Seat, next_seat, others_from
from floorbook.games.mahjong.tiles import TILE_OF, counts_of
from floorbook.games.mahjong.wall import dealt_places
from floorbook.table import events
from floorbook.table.effects import EVERYBODY, player_audience
from floorbook.table.events import Event
from floorbook.table.mahjong import facts
from floorbook.table.mahjong.facts import TileClaim
from floorbook.table.mahjong.paid import charge_of
from floorbook.table.mahjong.state import Phase
from floorbook.table.mahjong.terms import position_of
from floorbook.table.refuse import Recall
from floorbook.table.state import ROUNDS_KEPT, RoundRecord, TableState, fresh, round_id_of
from floorbook.table.step import Step, step
from tests.unit.table.mahjong_playing import MahjongTable
from tests.unit.table.playing import DEALER, SEATS

UNIT = 10
CHIPS = 40 * UNIT
"""What a player puts in front of himself: a few dear hands, so that limits bite."""


class Hand(Struct, frozen=True):
    """A hand that is settled: what was asked, answered and written down of it."""

    asked: dict[str, Any]
    answered: dict[str, Any]
    logged: dict[str, Any]
    events: int


class Cycle:
    """A table with simulated players, hand after hand; some err in every `one_in`-th act."""

    def __init__(
        self, rule_set: str, players: int, seed: int, *, one_in: int = 0, **changes: Any
    ) -> None:
        self.rng = random.Random(f"{rule_set}/{players}/{seed}")
        self.one_in = one_in
        self.players = tuple(list(SEATS)[:players])
        self.flags = {"unit": UNIT, **changes.pop("flags", {})}
        found = config_of(self.flags)
        assert isinstance(found, Config)
        self.config = found
        self.table = MahjongTable(seed=seed)
        self.seen = {player: MahjongSeen(player) for player in self.players}
        self.table.checks.append(self._show)
        self.table.open(
            players, rule_set=rule_set, flags=json.dumps(self.flags), chips=CHIPS, **changes
        )
        self.charged = 0
        self.put_up = dict.fromkeys(self.players, CHIPS)
        self.happened: Counter[str] = Counter()
        self.cycles = 0

    def _show(self, before: TableState, event: Event, taken: Step) -> None:
        """Show an event to the players as a gateway would."""
        refusal = taken.verdict.refusal
        for player, seen in self.seen.items():
            audiences = (EVERYBODY, player_audience(player))
            shown = tuple(
                each.shown
                for each in taken.effects.disclosures
                if any(one in each.audiences for one in audiences)
            )
            if shown:
                code = refusal.code if refusal else ""
                round_id = round_id_of(taken.state) if taken.state.round_number else ""
                seen.take(
                    Update(event.event_id, "", code, taken.verdict.known, round_id, "", shown)
                )

    def known(self, seat: Seat) -> Known:
        """Return what the player of a seat knows."""
        who = self.table.who(seat)
        return self.seen[who].known(self.table.variant, self.config, who)

    # A hand

    def hand(self) -> Hand:
        """Return a whole hand, settled and written down."""
        table = self.table
        for player, chips in table.mj.chips.items():
            if chips < CHIPS // 4:
                table.does(SEATS[player], facts.ChipsAdded(player, CHIPS))
                self.put_up[player] += CHIPS
        begun = len(table.log)
        wind, stakes = table.mj.round_wind, dict(table.mj.chips)
        table.build()
        while table.mj.phase is not Phase.COMPLETE:
            self._act()
        asked = json.loads(table.owed().request)
        table.settle()
        played = table.log[begun:]
        answered = json.loads(played[-1].fact.result)  # type: ignore[attr-defined]
        log = written(table, self.flags, wind, stakes, played)
        found = evaluate(table.rule_set, "1", log)
        assert isinstance(found, Evaluated), found
        if answered.get("status") == "win":
            net = answered["net"][asked["seat"]]
            self.charged += charge_of(table.mj.charge_minor, table.mj.charge_percent, net)
        if wind == "N" and table.mj.round_wind == "E":
            self.cycles += 1
        self._note(played, answered)
        return Hand(asked, answered, found.result, len(played))

    def _act(self) -> None:
        table = self.table
        match table.mj.phase:
            case Phase.TURN:
                self._turn(table.play.seat)
            case Phase.CLAIMS:
                self._window()
            case _:
                table.chance_act()

    def _errs(self) -> bool:
        return self.one_in > 0 and self.rng.randrange(self.one_in) == 0

    def _turn(self, seat: Seat) -> None:
        known = self.known(seat)
        if self._errs() and people.may_win_falsely(known):
            self.table.at(seat, facts.WinDeclared(known.player_id))
            return
        if self._errs():
            self.table.does(DEALER, facts.HandLookedAt(known.player_id))
            known = self.known(seat)
        self.table.at(seat, people.plays(known, self.rng))

    def _window(self) -> None:
        """Have everybody answer, in any order; who withdraws a pong has called it first."""
        table, play = self.table, self.table.play
        assert play.offer is not None
        seats = list(others_from(table.mj.seats, play.offer.seat))
        self.rng.shuffle(seats)
        for seat in seats:
            if table.mj.phase is not Phase.CLAIMS:
                return
            known = self.known(seat)
            if self._errs() and people.may_pong(known):
                table.claim(seat, TileClaim.PONG)
                if table.mj.phase is Phase.CLAIMS:
                    table.at(seat, facts.PongWithdrawn(known.player_id))
                continue
            table.at(seat, self._answer(known))

    def _answer(self, known: Known) -> facts.TileClaimed:
        if self._errs() and people.would_claim_falsely(known):
            return facts.TileClaimed(TileClaim.WIN, known.player_id)
        wrong = people.wrong_claims(known, self.rng) if self._errs() else None
        return wrong or people.answers(known, self.rng)

    def _note(self, played: Sequence[Event], answered: Mapping[str, Any]) -> None:
        self.happened[answered.get("status") or answered["outcome"]] += 1
        for fact in (event.fact for event in played):
            if isinstance(fact, facts.TileClaimed):
                self.happened[fact.claim.name] += 1
            else:
                self.happened[type(fact).__name__] += 1
        for pattern in answered.get("faan", ()):
            self.happened[pattern["code"]] += 1
        for rule in answered.get("liability", {}).get("rules", ()):
            self.happened[rule] += 1

    # What must hold

    def every_event(self, holds: Callable[[], None]) -> None:
        """Return after having something looked at after every event."""
        self.table.checks.append(lambda before, event, taken: holds())

    def keeps_every_tile(self) -> None:
        """Fail unless walls, hands, sets and discards are the whole set of tiles."""
        table = self.table
        assert table.deck is not None
        opened = {
            one.position
            for event in table.log
            if isinstance(event.fact, events.DeckOpened) and event.offset >= self._built()
            for one in event.fact.openings
        }
        left = [f for place, f in enumerate(table.deck.faces) if place not in opened]
        known = [] if table.mj.play is None else known_tiles(table.play)
        counts = counts_of([*(TILE_OF[face] for face in left), *known])
        assert counts == counts_of(TILE_OF[face] for face in table.deck.faces)
        assert table.mj.play is None or len(left) == table.play.wall_remaining

    def _built(self) -> int:
        sealed = (e.offset for e in reversed(self.table.log) if _is_seal(e))
        return next(sealed, 0)


def _is_seal(event: Event) -> bool:
    return isinstance(event.fact, events.ShuffleSealed)


# The hand as the rules write it down


def written(
    table: MahjongTable,
    flags: Mapping[str, Any],
    wind: Seat,
    stakes: Mapping[str, int],
    played: Sequence[Event],
) -> dict[str, Any]:
    """Return the request of `hand_log` for a settled hand, from its events alone."""
    seats = {who: seat for seat, who in zip(table.mj.seats, table.mj.players, strict=True)}
    writer = _Writer(tuple(seats.values()), seats, table)
    for event, taken in zip(played, table.steps[-len(played) :], strict=True):
        if taken.verdict.refusal is None:
            writer.write(event, taken)
    return {
        "op": "hand_log",
        "seats": list(seats.values()),
        "round_wind": wind,
        "config": dict(flags),
        "start": {"hands": writer.hands},
        "events": writer.lines,
        "stakes": {seats[who]: amount for who, amount in stakes.items()},
    }


class _Writer:
    """Writes a hand's log. Who draws, and who gets a tile, follows here from the rules' text alone."""

    def __init__(
        self, seats: tuple[Seat, ...], players: Mapping[str, Seat], table: MahjongTable
    ) -> None:
        self.seats, self.players, self.table = seats, players, table
        self.dice: tuple[int, ...] = ()
        self.hands: dict[Seat, list[str]] = {}
        self.lines: list[dict[str, Any]] = []
        self.discarder: Seat = ""
        self.replaces: Seat = ""
        self.claims: dict[Seat, facts.TileClaimed] = {}

    def write(self, event: Event, taken: Step) -> None:
        """Write down what an event that was taken adds to the log."""
        fact = event.fact
        seat = self.players.get(getattr(fact, "player_id", ""), "")
        match fact:
            case events.DiceThrown(values):
                self.dice = values
            case events.DeckOpened(openings):
                self._opened([(one.position, one.face) for one in openings])
            case facts.TileDiscarded(_, tile):
                self._line("discard", seat, tile=tile)
                self.discarder, self.claims = seat, {}
            case facts.ConcealedKongDeclared(_, tile):
                self._line("concealed_kong", seat, tile=tile)
                self.replaces = seat
            case facts.AddedKongDeclared(_, tile):
                self._line("added_kong", seat, tile=tile)
                self.replaces, self.discarder, self.claims = seat, seat, {}
            case facts.WinDeclared():
                self._line("win", seat)
            case facts.HandLookedAt():
                self._line("look", seat)
            case facts.PongWithdrawn():
                self._line("pong_withdrawn", seat)
                self.claims.pop(seat, None)
            case facts.TileClaimed():
                self.claims[seat] = fact
        self._window(taken)

    def _window(self, taken: Step) -> None:
        """Write down the claim that prevailed, if the event closed a window."""
        for shown in (getattr(each.shown, "window", None) for each in taken.effects.disclosures):
            if shown is None or shown.outcome in ("draw", "kong_stands", "exhausted"):
                continue
            kind = "win" if shown.outcome == "false_win" else shown.outcome
            said = self.claims[shown.seat]
            assert said.claim.name == kind.upper()
            tiles = {"tiles": list(said.tiles)} if kind == "chow" else {}
            self._line(kind, shown.seat, **tiles)
            if kind == "kong":
                self.replaces = shown.seat

    def _opened(self, faces: list[tuple[int, str]]) -> None:
        if self.hands:
            ((_, tile),) = faces
            seat = self.replaces or next_seat(self.seats, self.discarder)
            self._line("replacement" if self.replaces else "draw", seat, tile=tile)
            self.replaces = ""
            return
        opened = dict(faces)
        self.hands = {
            seat: [opened[position_of(self.table.variant, self.dice, place)] for place in places]
            for seat, places in dealt_places(self.table.variant, self.seats).items()
        }

    def _line(self, kind: str, seat: Seat, **more: Any) -> None:
        self.lines.append({"type": kind, "seat": seat, **more})


def folded_again(log: Sequence[Event]) -> TableState:
    """Return the state that a log comes to when it is folded into nothing."""
    state = fresh(log[0].table_id, 0)
    records: dict[int, RoundRecord] = {}
    for event in log:
        taken = step(state, event, Recall(records))
        for record in taken.effects.records:
            records[record.round_number % ROUNDS_KEPT] = record
        state = taken.state
    return state
