"""What can be shown of a mahjong hand; who may see it is decided in disclose.py."""

from enum import IntEnum

from msgspec import Struct

from floorbook.table.events import Fact
from floorbook.table.mahjong.facts import TileClaim
from floorbook.table.mahjong.shapes import MahjongSet


class MahjongSeat(Struct, frozen=True):
    """One seat of a hand: who has it and what lies in front of him."""

    seat: str
    player_id: str
    chips_minor: int


class MahjongHandBegun(Struct, frozen=True):
    """Who plays the hand that begins."""

    seats: tuple[MahjongSeat, ...]
    round_wind: str
    hand_in_round: int


class MahjongBreak(Struct, frozen=True):
    """Where the wall is broken."""

    total: int
    side: str
    first: str
    tail: str


class MahjongEnd(IntEnum):
    """From where a tile was taken; numbers as on the wire."""

    DEAL = 1
    FRONT = 2
    TAIL = 3


class MahjongTaken(Struct, frozen=True):
    """A seat took tiles; which ones is not shown."""

    seat: str
    end: MahjongEnd
    tiles: int
    wall_remaining: int


class MahjongOwnTiles(Struct, frozen=True):
    """Tiles that came to a seat, the last one drawn last."""

    seat: str
    tiles: tuple[str, ...]


class MahjongWindow(Struct, frozen=True):
    """How a claim window ended: the claim that prevails, and who claimed a win wrongly."""

    outcome: str
    seat: str = ""
    tiles: tuple[str, ...] = ()
    win_claims: tuple[str, ...] = ()


class MahjongRejected(Struct, frozen=True):
    """A claim that did not prevail, and why."""

    seat: str
    claim: TileClaim
    reason: str
    rules: tuple[str, ...] = ()


class MahjongHand(Struct, frozen=True):
    """The tiles of a seat."""

    seat: str
    concealed: tuple[str, ...] = ()
    sets: tuple[MahjongSet, ...] = ()


class MahjongResult(Struct, frozen=True):
    """A settled hand: the evaluator's result and the rules behind it."""

    result: str
    explanation: tuple[str, ...]
    round_id: str = ""


class MahjongShown(Struct, frozen=True):
    """One thing shown; exactly one field is given."""

    fact: Fact | None = None
    begun: MahjongHandBegun | None = None
    broken: MahjongBreak | None = None
    taken: MahjongTaken | None = None
    own_tiles: MahjongOwnTiles | None = None
    window: MahjongWindow | None = None
    rejected: MahjongRejected | None = None
    hand: MahjongHand | None = None
    result: MahjongResult | None = None


class MahjongPlace(Struct, frozen=True):
    """One side of the table: who sits there and what lies in front of him."""

    place: int
    player_id: str
    chips_minor: int


class MahjongSeatView(Struct, frozen=True):
    """One seat of the hand as everybody sees it."""

    seat: str
    player_id: str
    concealed: int = 0
    sets: tuple[MahjongSet, ...] = ()
    discards: tuple[str, ...] = ()
    barred: bool = False
    no_kong: bool = False


class MahjongOffer(Struct, frozen=True):
    """The tile that lies between the players."""

    seat: str
    tile: str
    added_kong: bool = False


class MahjongState(Struct, frozen=True):
    """What one viewer may see of the table."""

    places: tuple[MahjongPlace, ...] = ()
    dealer_place: int | None = None
    round_wind: str = ""
    hand_in_round: int = 0
    dice: tuple[int, ...] = ()
    broken: MahjongBreak | None = None
    wall_remaining: int = 0
    turn: str = ""
    seats: tuple[MahjongSeatView, ...] = ()
    offer: MahjongOffer | None = None
    hands: tuple[MahjongHand, ...] = ()
    drawn: str = ""
    answer: TileClaim | None = None
    claims_until_ms: int = 0
