"""The facts of Thirteen Cards; which of them a table takes, and when, is `refuse`'s to say."""

from typing import Annotated

from msgspec import Meta, Struct

from floorbook.games.thirteen_cards.arrangement import Arrangement
from floorbook.table.events import Fact, Id

PlayerId = Id
Gate = Annotated[int, Meta(ge=0, le=255)]
Minor = Annotated[int, Meta(ge=-(1 << 62), le=1 << 62)]


class PlaceTaken(Fact, frozen=True):
    """A player has a place at the table; in the variants he sits at a gate."""

    player_id: PlayerId = ""
    gate: Gate | None = None


class PlaceLeft(Fact, frozen=True):
    """A player no longer has a place."""

    player_id: PlayerId = ""


class PackShuffled(Fact, frozen=True):
    """The dealer shuffled the pack by hand."""


class PackCut(Fact, frozen=True):
    """The pack was cut with the blank card (白牌); by the dealer when no player is named."""

    player_id: Annotated[str, Meta(pattern=r"^[A-Za-z0-9_.-]{0,40}\Z")] = ""
    depth: Annotated[int, Meta(ge=0, le=255)] = 0


class PackBoxed(Fact, frozen=True):
    """The pack is in the metal box."""


class BetPlaced(Fact, frozen=True):
    """A bet (注) lies on a gate."""

    bet_id: Id = ""
    player_id: PlayerId = ""
    gate: Gate = 0
    unit_minor: Minor = 0
    units: Annotated[int, Meta(ge=0, le=1 << 31)] = 0
    stake_minor: Minor = 0


class BetWithdrawn(Fact, frozen=True):
    """A bet was taken back by its bettor."""

    bet_id: Id = ""
    player_id: PlayerId = ""


class BetMoved(Fact, frozen=True):
    """A bet was moved to another gate by its bettor."""

    bet_id: Id = ""
    player_id: PlayerId = ""
    gate: Gate = 0


class ShakeStarted(Fact, frozen=True):
    """The dice (骰寶) are about to be shaken; bets are locked."""

    player_id: PlayerId = ""


class DealtCard(Struct, frozen=True, omit_defaults=True):
    """One card and the gate it went to."""

    card: Annotated[str, Meta(max_length=8)] = ""
    gate: Gate = 0


Dealt = Annotated[tuple[DealtCard, ...], Meta(max_length=64)]


class PackDealt(Fact, frozen=True):
    """The pack as it was dealt, in order."""

    dealt: Dealt = ()


class CardExposed(Fact, frozen=True):
    """A card was dealt face up; it stays valid (TC-13)."""

    gate: Gate = 0


class MisdealReported(Fact, frozen=True):
    """Cards lie at wrong gates; `recoverable` is the dealer's word (TC-51)."""

    dealt: Dealt = ()
    recoverable: bool = False


class BankerArranged(Fact, frozen=True):
    """The banker's hand is arranged, or arranged anew (TC-10)."""

    arrangement: Arrangement


class BankerOpened(Fact, frozen=True):
    """The banker opens (開牌); the clock starts (TC-09)."""


class HandTaken(Fact, frozen=True):
    """The holder takes the cards of his gate."""

    gate: Gate = 0
    player_id: PlayerId = ""


class HandSet(Fact, frozen=True):
    """A gate is set, completely and finally (TC-49); without lanes a special is announced."""

    arrangement: Arrangement | None = None
    gate: Gate = 0
    player_id: PlayerId = ""
    declare: bool = True


class UnitSet(Fact, frozen=True):
    """What every player plays for where all play against all."""

    unit_minor: Minor = 0


class DealStarted(Fact, frozen=True):
    """The first card is about to be dealt; bets are locked (TV-61)."""


class HandNotSet(Fact, frozen=True):
    """A gate's player has not set his hand (TV-62)."""

    gate: Gate = 0
