"""Decides what one viewer of a mahjong table knows of its hand: what he was shown and nothing else.

A player's own tiles are the only concealed ones here; of the others there are counts of nothing at
all, because nobody plays by them.
"""

from msgspec import Struct
from msgspec.structs import replace

from floorbook.demo.seen import Seen, Update
from floorbook.games.mahjong.claims import Offer
from floorbook.games.mahjong.config import Config
from floorbook.games.mahjong.hand import Holding, Setting
from floorbook.games.mahjong.melds import Meld
from floorbook.games.mahjong.seats import Seat
from floorbook.games.mahjong.tiles import COPIES, TILE_OF, Tile
from floorbook.games.mahjong.turns import Began, own_pong
from floorbook.games.mahjong.variant import SIDES, Variant
from floorbook.table import events
from floorbook.table.effects import RoundOpened, Shown, TableView
from floorbook.table.events import Fact
from floorbook.table.mahjong import facts
from floorbook.table.mahjong.shapes import MahjongSet
from floorbook.table.mahjong.shown import (
    MahjongEnd,
    MahjongHand,
    MahjongHandBegun,
    MahjongOwnTiles,
    MahjongRejected,
    MahjongResult,
    MahjongShown,
    MahjongState,
    MahjongTaken,
    MahjongWindow,
)


class Known(Struct, frozen=True):
    """What a player knows when it is his to act: the rules, his own hand, what lies open."""

    setting: Setting
    player_id: str
    seat: Seat
    holding: Holding
    began: Began
    drawn: Tile | None
    wall_remaining: int
    offer: Offer | None
    open_tiles: tuple[Tile, ...]


class MahjongSeen(Seen):
    """What one viewer has been shown of places, of the hand in progress and of results.

    `steps` counts what all saw happen in this hand, so that two viewers can be compared.
    """

    def __init__(self, who: str, patience_seconds: float = 60.0) -> None:
        """Return a viewer who has seen nothing and waits at most so long for anything."""
        super().__init__(who, patience_seconds)
        self.places: dict[int, str] = {}
        self.begun: MahjongHandBegun | None = None
        self.results: dict[str, MahjongResult] = {}
        self._new_hand()

    def _new_hand(self) -> None:
        self.steps = 0
        self.seats: dict[Seat, str] = {}
        self.round_wind: Seat = ""
        self.seat: Seat = ""
        self.concealed: list[Tile] = []
        self.melds: dict[Seat, list[Meld]] = {}
        self.face_up: list[Tile] = []
        self.offer: Offer | None = None
        self.turn: Seat = ""
        self.began: Began = "deal"
        self.drawn: Tile | None = None
        self.wall_remaining = 0
        self.barred: set[Seat] = set()
        self.no_kong: set[Seat] = set()
        self.window: MahjongWindow | None = None
        self.winner: Seat = ""
        self.hands: dict[Seat, MahjongHand] = {}
        self.rejected: list[MahjongRejected] = []

    def known(self, variant: Variant, config: Config, player_id: str) -> Known:
        """Return what the viewer, who plays the hand, may act on."""
        seat = self.seat
        setting = Setting(variant, config, tuple(self.seats), self.round_wind)
        own = Holding(
            tuple(self.concealed),
            tuple(self.melds[seat]),
            seat in self.barred,
            seat in self.no_kong,
        )
        declared = [tile for melds in self.melds.values() for meld in melds for tile in meld.tiles]
        return Known(
            setting,
            player_id,
            seat,
            own,
            self.began,
            self.drawn,
            self.wall_remaining,
            self.offer,
            (*self.face_up, *declared),
        )

    def seat_of(self, player_id: str) -> Seat:
        """Return the seat that a player has in this hand."""
        return next(seat for seat, who in self.seats.items() if who == player_id)

    def window_closed(self, steps: int) -> bool:
        """Return whether the window that was open `steps` into the hand is closed."""
        return self.steps > steps and self.window is not None

    def learn(self, update: Update, shown: Shown) -> None:
        """Return after learning from one thing shown."""
        match shown:
            case RoundOpened():
                self._new_hand()
            case TableView():
                self._begin(shown.mahjong)
            case MahjongShown():
                self._learn_of_game(shown)
            case events.DiceThrown():
                self.steps += 1
            case _:
                pass  # events.* that change nothing of what people need

    def _learn_of_game(self, shown: MahjongShown) -> None:
        if shown.fact is not None:
            self._fact(shown.fact)
        if shown.begun is not None:
            self._hand_begins(shown.begun)
        if shown.taken is not None:
            self._taken(shown.taken)
        if shown.own_tiles is not None:
            self._own_tiles(shown.own_tiles)
        if shown.window is not None:
            self._window(shown.window)
        if shown.rejected is not None:
            self.rejected.append(shown.rejected)
        if shown.hand is not None:
            self.hands[shown.hand.seat] = shown.hand
        if shown.result is not None:
            # The first one counts: a later one is of a correction.
            self.results.setdefault(shown.result.round_id or self.round_id, shown.result)

    def _hand_begins(self, begun: MahjongHandBegun) -> None:
        self.begun = begun
        self.seats = {each.seat: each.player_id for each in begun.seats}
        self.melds = {each.seat: [] for each in begun.seats}
        self.round_wind = begun.round_wind

    # What is taken

    def _taken(self, taken: MahjongTaken) -> None:
        self.steps += 1
        self.wall_remaining = taken.wall_remaining
        match taken.end:
            case MahjongEnd.DEAL:
                self.turn = SIDES[0]
                return
            case MahjongEnd.FRONT:
                self.began = "draw"
            case MahjongEnd.TAIL:
                self.began = "replacement"
        self.turn, self.drawn = taken.seat, None
        if self.offer is None:
            return
        # Nobody claimed it: a discard lies open from now on, an added kong stands.
        if self.offer.kind == "discard":
            self.face_up.append(self.offer.tile)
        else:
            self._kong_stands(self.offer)
        self.offer = None

    def _kong_stands(self, offer: Offer) -> None:
        melds = self.melds[offer.seat]
        pong = own_pong(Holding((), tuple(melds)), offer.tile)
        assert pong is not None, "a tile was added to a pong"
        kong = Meld("kong", (offer.tile,) * COPIES, source=pong.source, added=True)
        melds[melds.index(pong)] = kong

    def _own_tiles(self, own: MahjongOwnTiles) -> None:
        self.seat = own.seat
        self.concealed += (TILE_OF[code] for code in own.tiles)
        if own.seat == self.turn:
            self.drawn = self.concealed[-1]

    # What is done

    def _fact(self, fact: Fact) -> None:
        match fact:
            case facts.SeatTaken(player_id, place):
                self.places = dict(sorted({**self.places, place: player_id}.items()))
            case facts.SeatLeft(player_id):
                self.places = {p: who for p, who in self.places.items() if who != player_id}
            case facts.TileDiscarded(player_id, code):
                self._offered("discard", self.seat_of(player_id), TILE_OF[code])
            case facts.AddedKongDeclared(player_id, code):
                self._offered("added_kong", self.seat_of(player_id), TILE_OF[code])
            case facts.ConcealedKongDeclared(player_id, code):
                self._concealed_kong(self.seat_of(player_id), code)
            case facts.WinDeclared(player_id):
                self.steps += 1
                self.winner = self.seat_of(player_id)
            case facts.PongWithdrawn(player_id) | facts.PlayerBarred(player_id):
                self.barred.add(self.seat_of(player_id))
            case facts.HandLookedAt(player_id):
                self.no_kong.add(self.seat_of(player_id))
            case _:
                pass

    def _offered(self, kind: str, seat: Seat, tile: Tile) -> None:
        self.steps += 1
        self.drawn, self.window, self.rejected = None, None, []
        self.offer = Offer("discard" if kind == "discard" else "added_kong", seat, tile)
        if seat == self.seat:
            self.concealed.remove(tile)

    def _concealed_kong(self, seat: Seat, code: str) -> None:
        """Note a kong of which all are shown that there is one, and then its owner what it is of."""
        if not code:
            self.steps += 1
            self.drawn = None
            self.melds[seat].append(Meld("kong", (), open=False))
            return
        tile = TILE_OF[code]
        self.melds[seat][-1] = Meld("kong", (tile,) * COPIES, open=False)
        self.concealed = [each for each in self.concealed if each != tile]

    def _window(self, window: MahjongWindow) -> None:
        self.steps += 1
        self.window = window
        if window.outcome in ("win", "false_win"):
            self.winner = window.seat
        if window.outcome not in ("chow", "pong", "kong"):
            return
        assert self.offer is not None, "a window is open on a tile"
        own = tuple(TILE_OF[code] for code in window.tiles)
        if window.outcome != "chow":
            own = (self.offer.tile,) * (2 if window.outcome == "pong" else 3)
        tiles = tuple(sorted((*own, self.offer.tile)))
        self.melds[window.seat].append(Meld(window.outcome, tiles, source=self.offer.seat))
        if window.seat == self.seat:
            for tile in own:
                self.concealed.remove(tile)
        self.turn, self.drawn, self.offer = window.seat, None, None
        self.began = "chow" if window.outcome == "chow" else "pong"

    # The whole view

    def _begin(self, view: MahjongState | None) -> None:
        """Return after learning all at once; what was seen before is part of it."""
        self._new_hand()
        if view is None:
            return
        self.places = {each.place: each.player_id for each in view.places}
        self.round_wind, self.turn = view.round_wind, view.turn
        self.wall_remaining = view.wall_remaining
        for seat in view.seats:
            self.seats[seat.seat] = seat.player_id
            self.melds[seat.seat] = [_meld(each) for each in seat.sets]
            self.face_up += (TILE_OF[code] for code in seat.discards)
            if seat.barred:
                self.barred.add(seat.seat)
            if seat.no_kong:
                self.no_kong.add(seat.seat)
        if view.offer is not None:
            kind = "added_kong" if view.offer.added_kong else "discard"
            self.offer = replace(
                Offer("discard", view.offer.seat, TILE_OF[view.offer.tile]), kind=kind
            )
        if len(view.hands) == 1:
            (own,) = view.hands
            self.seat = own.seat
            self.concealed = [TILE_OF[code] for code in own.concealed]
            self.melds[own.seat] = [_meld(each) for each in own.sets]
        if view.drawn:
            self.drawn, self.began = TILE_OF[view.drawn], "draw"


def _meld(shown: MahjongSet) -> Meld:
    tiles = tuple(TILE_OF[code] for code in shown.tiles)
    return Meld(shown.kind, tiles, shown.open, shown.source or None, shown.added)
