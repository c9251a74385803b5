"""A mahjong table to play at: `Table` with the acts of section 7, and players who play by chance."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

from floorbook import seal
from floorbook.games.mahjong.claims import legal_claims
from floorbook.games.mahjong.play import Play, turn_of
from floorbook.games.mahjong.tiles import CODES, COPIES
from floorbook.games.mahjong.turns import legal_in_turn
from floorbook.games.mahjong.variant import SIMPLIFIED, TRADITIONAL, Variant
from floorbook.games.mahjong.wall import dealt_places, front_place, tail_place
from floorbook.table import events
from floorbook.table.events import Equipment, Fact
from floorbook.table.mahjong import facts
from floorbook.table.mahjong.facts import TileClaim
from floorbook.table.mahjong.shapes import MahjongOptions
from floorbook.table.mahjong.state import Mahjong, Phase, player_of
from floorbook.table.mahjong.terms import play_of, position_of, positions_due, setting_of
from floorbook.table.state import Timer
from floorbook.table.step import Step
from tests.unit.table.playing import DEALER, DICE, KINDS, PIT, SEATS, SHUFFLER, Deck, Table

THROWS: Mapping[str, tuple[int, ...]] = {
    "mahjong.traditional": (4, 4, 5),
    "mahjong.simplified": (4, 5),
}
CHIPS = 1_000
OPTIONS = ("claim_limit_ms", "minimum_chips_minor", "charge_minor", "charge_percent")


def tiles(text: str) -> tuple[str, ...]:
    """Return tiles written with spaces between them."""
    return tuple(text.split())


def wall(rng: random.Random, faces: Sequence[str]) -> Deck:
    """Return a wall in that order of positions, as a machine seals it."""
    return Deck(tuple(faces), tuple(rng.randbytes(seal.SALT_BYTES) for _ in faces))


def every_tile(variant: Variant) -> list[str]:
    """Return all tiles of a game."""
    return [CODES[kind] for kind in variant.kinds for _ in range(COPIES)]


def arranged(
    variant: Variant,
    dice: tuple[int, ...],
    hands: Mapping[str, Sequence[str]],
    draws: Sequence[str] = (),
    replacements: Sequence[str] = (),
    *,
    seats: Sequence[str],
) -> list[str]:
    """Return the faces of a wall that deals these hands and these draws; the rest is any order.

    A hand may be given in part: its first tiles. Draws come from the front, replacements from the tail.
    """
    placed: dict[int, str] = {}
    for seat, places in dealt_places(variant, seats).items():
        for place, code in zip(places, hands.get(seat, ()), strict=False):
            placed[place] = code
    for n, code in enumerate(draws):
        placed[front_place(variant, len(seats), n, 0)] = code
    for n, code in enumerate(replacements):
        placed[tail_place(variant, len(seats), 0, n)] = code
    rest = every_tile(variant)
    for code in placed.values():
        rest.remove(code)
    faces = [""] * variant.wall_size
    for place in range(variant.wall_size):
        code = placed[place] if place in placed else rest.pop(0)
        faces[position_of(variant, dice, place)] = code
    return faces


class MahjongTable(Table):
    """One mahjong table with its equipment, played through `step`."""

    rule_set = "mahjong.traditional"

    @property
    def mj(self) -> Mahjong:
        """Return the game's part of the state."""
        assert isinstance(self.state.game, Mahjong)
        return self.state.game

    @property
    def play(self) -> Play:
        """Return the hand in progress."""
        return play_of(self.mj)

    @property
    def phase(self) -> str:
        """Return where the hand stands."""
        return str(self.mj.phase)

    @property
    def variant(self) -> Variant:
        """Return which game is played."""
        return TRADITIONAL if self.rule_set == TRADITIONAL.id else SIMPLIFIED

    @property
    def throw(self) -> tuple[int, ...]:
        """Return the dice that tests throw."""
        return THROWS[self.rule_set]

    def terms(self, **changes: Any) -> events.TableOpened:
        """Return the terms on which tests open tables, but for `changes`."""
        options = {name: changes.pop(name) for name in OPTIONS if name in changes}
        given: dict[str, Any] = {
            "rule_set": self.rule_set,
            "rules_version": "1",
            "flags": "{}",
            "currency": "MOP",
            "equipment": tuple(Equipment(name, kind) for name, kind in KINDS.items()),
            "utc_offset_minutes": 480,
            "day_start_minute": 360,
            "mahjong": MahjongOptions(**options),
        }
        return events.TableOpened(**{**given, **changes})

    def open(self, players: int = 4, **changes: Any) -> "MahjongTable":
        """Return the table opened, with `players` seated, chips in front of each, p1 to deal."""
        chips = changes.pop("chips", CHIPS)
        self.rule_set = changes.get("rule_set", self.rule_set)
        self.start(PIT)
        self.does(PIT, self.terms(**changes))
        for name in KINDS:
            if name != PIT and (name not in SEATS.values() or int(name[4:]) <= players):
                self.start(name)
        for place, player in enumerate(list(SEATS)[:players]):
            self.does(SEATS[player], facts.SeatTaken(player, place))
            self.does(SEATS[player], facts.ChipsAdded(player, chips))
        self.does(DEALER, facts.DealerNamed(0, "E", 1))
        return self

    def build(self, faces: Sequence[str] | None = None) -> Step:
        """Return what a sealed wall brings about: the order given, or one of chance."""
        if faces is None:
            order = every_tile(self.variant)
            self.rng.shuffle(order)
            faces = order
        self.deck = wall(self.rng, faces)
        return self.does(SHUFFLER, events.ShuffleSealed(self.deck.root, len(faces)))

    def open_due(self) -> Step:
        """Return what the opening of the tiles brings about that are due."""
        assert self.deck is not None
        return self.does(SHUFFLER, self.deck.opened(positions_due(self.state)))

    def deal_wall(self, faces: Sequence[str] | None = None) -> Step:
        """Return what the deal of a new hand brings about."""
        self.build(faces)
        self.does(DICE, events.DiceThrown(self.throw))
        return self.open_due()

    def deal_hands(
        self,
        hands: Mapping[str, str],
        draws: str = "",
        replacements: str = "",
    ) -> Step:
        """Return what the deal of these hands brings about, the dealer's last tile last."""
        seats = ("E", "S", "W", "N")[: len(self.mj.places)]
        split = {seat: tiles(hand) for seat, hand in hands.items()}
        return self.deal_wall(
            arranged(
                self.variant, self.throw, split, tiles(draws), tiles(replacements), seats=seats
            )
        )

    def who(self, seat: str) -> str:
        """Return who has a seat."""
        return player_of(self.mj, seat)

    def at(self, seat: str, fact: Fact) -> Step:
        """Return what an act brings about that the player of a seat reports and the table takes."""
        return self.does(SEATS[self.who(seat)], fact)

    def discard(self, seat: str, tile: str, *, passed: bool = True) -> Step:
        """Return what a discard brings about; with `passed` nobody wants it and the next one draws."""
        taken = self.at(seat, facts.TileDiscarded(self.who(seat), tile))
        if passed:
            self.all_pass()
            if self.mj.phase is Phase.DRAWING:
                return self.open_due()
        return taken

    def claim(self, seat: str, claim: TileClaim, text: str = "") -> Step:
        """Return what an answer brings about."""
        return self.at(seat, facts.TileClaimed(claim, self.who(seat), tiles(text)))

    def all_pass(self) -> None:
        """Return after everybody who has not answered has passed."""
        offer = self.play.offer
        assert offer is not None
        for seat in self.mj.seats:
            silent = seat != offer.seat and seat not in {one.seat for one in self.mj.answers}
            if silent and self.mj.phase is Phase.CLAIMS:
                self.claim(seat, TileClaim.PASS)

    # By chance

    def chance_act(self, *, eager: bool = True) -> Step:
        """Return what the next act of a hand brings about, chosen by `rng` among the legal ones."""
        rng, game = self.rng, self.mj
        match game.phase:
            case Phase.BUILT:
                dice = tuple(rng.randint(1, 6) for _ in self.throw)
                return self.does(DICE, events.DiceThrown(dice))
            case Phase.BROKEN | Phase.DRAWING | Phase.REPLACING:
                return self.open_due()
            case Phase.TURN:
                return self._turn(eager)
            case Phase.CLAIMS:
                return self._answer(eager)
            case Phase.COMPLETE:
                return self.settle()
            case _:
                return self.build()

    def _turn(self, eager: bool) -> Step:
        setting, rng = setting_of(self.state), self.rng
        turn = turn_of(setting, self.play)
        legal = legal_in_turn(setting, turn)
        who = self.who(turn.seat)
        if legal.win and (eager or rng.random() < 0.5):
            return self.at(turn.seat, facts.WinDeclared(who))
        if legal.concealed_kong and rng.random() < 0.8:
            tile = CODES[rng.choice(legal.concealed_kong)]
            return self.at(turn.seat, facts.ConcealedKongDeclared(who, tile))
        if legal.added_kong and rng.random() < 0.8:
            tile = CODES[rng.choice(legal.added_kong)]
            return self.at(turn.seat, facts.AddedKongDeclared(who, tile))
        return self.at(turn.seat, facts.TileDiscarded(who, CODES[rng.choice(legal.discard)]))

    def _answer(self, eager: bool) -> Step:
        setting, rng, play, game = setting_of(self.state), self.rng, self.play, self.mj
        assert play.offer is not None
        done = {one.seat for one in game.answers} | {play.offer.seat}
        seat = rng.choice([seat for seat in game.seats if seat not in done])
        holding = play.holdings[game.seats.index(seat)]
        legal = legal_claims(setting, play.offer, play.wall_remaining, holding, seat)
        ways: list[tuple[TileClaim, tuple[str, ...]]] = [(TileClaim.PASS, ())]
        if legal.win:
            ways = [(TileClaim.WIN, ())] if eager else [*ways, (TileClaim.WIN, ())]
        if legal.kong:
            ways.append((TileClaim.KONG, ()))
        if legal.pong:
            ways.append((TileClaim.PONG, ()))
        for pair in legal.chows:
            ways.append((TileClaim.CHOW, tuple(CODES[tile] for tile in pair)))
        claim, own = rng.choice(ways)
        return self.at(seat, facts.TileClaimed(claim, self.who(seat), own))

    def chance_hand(self, *, eager: bool = True) -> None:
        """Return after a whole hand of chance is settled."""
        self.build()
        while self.mj.phase is not Phase.SETTLED:
            self.chance_act(eager=eager)

    def has_timer(self) -> bool:
        """Return whether a claim window's clock runs."""
        return any(isinstance(owed, Timer) for owed in self.state.obligations)
