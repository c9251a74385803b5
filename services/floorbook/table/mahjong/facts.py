"""The facts of mahjong; which of them a table takes, and when, is `refuse`'s to say.

Dice, and the wall's seal and openings, are facts of every game.
"""

from enum import IntEnum
from typing import Annotated, ClassVar

from msgspec import Meta

from floorbook.table.events import Code, Fact, Id, Reference, SupervisorFact

Place = Annotated[int, Meta(ge=0, le=255)]
Tile = Annotated[str, Meta(max_length=8)]
Tiles = Annotated[tuple[Tile, ...], Meta(max_length=8)]
Wind = Annotated[str, Meta(max_length=8)]
Minor = Annotated[int, Meta(ge=-(1 << 62), le=1 << 62)]


class SeatTaken(Fact, frozen=True):
    """A player sits down at a side of the table, 0 to 3 counter-clockwise."""

    player_id: Id = ""
    place: Place = 0


class SeatLeft(Fact, frozen=True):
    """A player leaves and takes his chips with him."""

    player_id: Id = ""


class ChipsAdded(Fact, frozen=True):
    """A player puts more chips in front of himself (手上本錢)."""

    player_id: Id = ""
    amount_minor: Minor = 0


class ChipsTaken(Fact, frozen=True):
    """A player takes chips away from in front of himself."""

    player_id: Id = ""
    amount_minor: Minor = 0


class DealerNamed(Fact, frozen=True):
    """Who deals the next hand (莊家), and which hand of which round (圈) it is (MJ-60)."""

    place: Place = 0
    round_wind: Wind = ""
    hand_in_round: Annotated[int, Meta(ge=0, le=255)] = 0


class TileDiscarded(Fact, frozen=True):
    """A player discards (出牌)."""

    player_id: Id = ""
    tile: Tile = ""


class ConcealedKongDeclared(Fact, frozen=True):
    """A player declares four concealed tiles a kong (暗槓)."""

    secret: ClassVar[bool] = True  # refused, it would tell what he holds; taken, all are shown it

    player_id: Id = ""
    tile: Tile = ""


class AddedKongDeclared(Fact, frozen=True):
    """A player adds the tile just drawn to his pong (碰出再開槓)."""

    secret: ClassVar[bool] = True  # as with a concealed kong

    player_id: Id = ""
    tile: Tile = ""


class WinDeclared(Fact, frozen=True):
    """A player declares a win in his own turn (自摸)."""

    player_id: Id = ""


class TileClaim(IntEnum):
    """What a player wants the offered tile for; numbers as on the wire."""

    PASS = 1
    CHOW = 2
    PONG = 3
    KONG = 4
    WIN = 5


class TileClaimed(Fact, frozen=True):
    """A player's answer in a claim window; `tiles` are the two own tiles of a chow (上牌)."""

    secret: ClassVar[bool] = True  # who has answered is not shown before the window closes

    claim: TileClaim
    player_id: Id = ""
    tiles: Tiles = ()


class PongWithdrawn(Fact, frozen=True):
    """A player called pong and does not carry it out (叫碰不碰)."""

    secret: ClassVar[bool] = True  # refused, it would tell what he holds; taken, all are shown it

    player_id: Id = ""


class HandLookedAt(Fact, frozen=True):
    """A player looked at another's hand, unintentionally (PEN-LOOK)."""

    player_id: Id = ""


class PlayerBarred(SupervisorFact, frozen=True):
    """A supervisor bars a player from winning this hand (MJ-53)."""

    player_id: Id = ""
    reason: Code = ""
    reference: Reference = ""
