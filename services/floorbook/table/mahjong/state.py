"""What a mahjong table remembers: its hand, and what outlives it."""

from enum import StrEnum

from msgspec import Struct

from floorbook.games.mahjong.claims import Claim, ClaimAction
from floorbook.games.mahjong.play import Play
from floorbook.games.mahjong.seats import DEALER, Seat
from floorbook.games.mahjong.tiles import Tile
from floorbook.games.mahjong.variant import SIDES


class Phase(StrEnum):
    """Where the hand stands (section 7)."""

    IDLE = "IDLE"
    BUILT = "BUILT"
    BROKEN = "BROKEN"
    TURN = "TURN"
    CLAIMS = "CLAIMS"
    DRAWING = "DRAWING"
    REPLACING = "REPLACING"
    COMPLETE = "COMPLETE"
    SETTLED = "SETTLED"
    VOID = "VOID"


RESTING = frozenset((Phase.IDLE, Phase.SETTLED, Phase.VOID))
"""No hand is in progress."""
PLAYING = frozenset((Phase.TURN, Phase.CLAIMS, Phase.DRAWING, Phase.REPLACING))
OPENING = frozenset((Phase.BROKEN, Phase.DRAWING, Phase.REPLACING))
"""A tile, or the deal, is due from the machine."""


class Answer(Struct, frozen=True, array_like=True):
    """What a seat said in a claim window; a pass has no action."""

    seat: Seat
    action: ClaimAction | None = None
    tiles: tuple[Tile, ...] = ()


class Mahjong(Struct, frozen=True, array_like=True, tag="mahjong"):
    """The game's part of a table's state.

    What outlives a hand comes first. `places` are the players by the side at which they sit, in
    ascending order; `chips` what lies in front of each. `dealer_place` is None while nobody was
    named. `players` are those of the hand in the order of its seats, the dealer first. `fronts` and
    `replacements` count the draws from either end; `discarders` has a letter for each tile of
    `play.face_up`. `answers` are those of the window that is open or was the last.
    """

    phase: Phase = Phase.IDLE
    claim_limit_ms: int = 0
    minimum_chips: int = 0
    charge_minor: int = 0
    charge_percent: int = 0
    places: dict[int, str] = {}
    chips: dict[str, int] = {}
    dealer_place: int | None = None
    round_wind: Seat = DEALER
    hand_in_round: int = 1
    players: tuple[str, ...] = ()
    root: bytes = b""
    dice: tuple[int, ...] = ()
    dice_event: str = ""
    play: Play | None = None
    fronts: int = 0
    replacements: int = 0
    discarders: str = ""
    answers: tuple[Answer, ...] = ()

    @property
    def seats(self) -> tuple[Seat, ...]:
        """Return the occupied seats of the hand."""
        return SIDES[: len(self.players)]

    @property
    def stakes(self) -> dict[Seat, int]:
        """Return what every seat of the hand has in front of it."""
        return {seat: self.chips[who] for seat, who in zip(self.seats, self.players, strict=True)}

    @property
    def claims(self) -> tuple[Claim, ...]:
        """Return the claims among the answers, in the order in which they came."""
        return tuple(Claim(a.seat, a.action, a.tiles) for a in self.answers if a.action)


def seat_of(game: Mahjong, player_id: str) -> Seat | None:
    """Return the seat that a player has in this hand, or None."""
    return SIDES[game.players.index(player_id)] if player_id in game.players else None


def player_of(game: Mahjong, seat: Seat) -> str:
    """Return who has a seat in this hand."""
    return game.players[SIDES.index(seat)]
