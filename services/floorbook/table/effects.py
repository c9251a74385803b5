"""What the fold wants done: show, book, keep. Nothing here does it."""

from enum import IntEnum

from msgspec import Struct

from floorbook.money import Transfer
from floorbook.table.events import Fact, Role
from floorbook.table.mahjong.shown import MahjongShown, MahjongState
from floorbook.table.pai_kau.shown import PaiKauShown, PaiKauState
from floorbook.table.state import Reason, RoundRecord
from floorbook.table.thirteen_cards.shown import ThirteenCardsShown, ThirteenCardsState


class AudienceKind(IntEnum):
    """Who may see something; numbers as on the wire."""

    EVERYBODY = 1
    DEALER = 2
    SUPERVISOR = 3
    PLAYER = 4


class Audience(Struct, frozen=True):
    """One audience; the player is named where it is one player."""

    kind: AudienceKind
    player_id: str = ""


EVERYBODY = Audience(AudienceKind.EVERYBODY)
DEALER = Audience(AudienceKind.DEALER)
SUPERVISOR = Audience(AudienceKind.SUPERVISOR)


def player_audience(player_id: str) -> Audience:
    """Return the audience that is one player."""
    return Audience(AudienceKind.PLAYER, player_id)


def audience_of(role: Role, person_id: str) -> Audience:
    """Return the audience that a viewer is, beside everybody."""
    match role:
        case Role.DEALER:
            return DEALER
        case Role.SUPERVISOR:
            return SUPERVISOR
        case Role.PLAYER:
            return player_audience(person_id)
        case _:
            return EVERYBODY


class RoundOpened(Struct, frozen=True):
    """A round has been opened."""

    round_id: str
    gaming_day: str


class Suspended(Struct, frozen=True):
    """The table is suspended for one more cause."""

    cause_id: str


class Resumed(Struct, frozen=True):
    """A cause of suspension has ended."""

    cause_id: str


class TableView(Struct, frozen=True):
    """The whole of what one viewer may see of a table."""

    table_id: str
    phase: str
    round_id: str
    rule_set: str
    rules_version: str
    currency: str
    causes: tuple[str, ...]
    owed: tuple[str, ...]
    table_time_ms: int
    thirteen_cards: ThirteenCardsState | None = None
    pai_kau: PaiKauState | None = None
    mahjong: MahjongState | None = None


Shown = (
    Fact
    | RoundOpened
    | Suspended
    | Resumed
    | TableView
    | ThirteenCardsShown
    | PaiKauShown
    | MahjongShown
)
"""What can be shown: a common fact as it is, a game's own things, or the whole view."""


class Disclosure(Struct, frozen=True):
    """Something shown to some audiences."""

    audiences: tuple[Audience, ...]
    shown: Shown


class Verdict(Struct, frozen=True):
    """The fold's answer: applied, or refused with its reason; `known` for a repeat.

    A repeat so old that the first verdict is no longer kept has `forgotten` set.
    """

    refusal: Reason | None = None
    known: bool = False
    forgotten: bool = False


class Hold(Struct, frozen=True):
    """Chips go to the layout at the lock."""

    transfers: tuple[Transfer, ...]


class Release(Struct, frozen=True):
    """What a void round held goes back; `record` is the round's, once it had been settled."""

    transfers: tuple[Transfer, ...]
    record: RoundRecord | None = None


class Settle(Struct, frozen=True):
    """A round's settlement; `record` is the round as it is kept."""

    record: RoundRecord
    completed_time_ms: int


class Reverse(Struct, frozen=True):
    """A settlement is taken back."""

    record: RoundRecord


Booking = Hold | Release | Settle | Reverse
"""What the table wants booked, before ids and numbers are given."""
