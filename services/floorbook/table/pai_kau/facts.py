"""The facts of Taiwan Pai Kau; which of them a table takes, and when, is `refuse`'s to say."""

from typing import Annotated

from msgspec import Meta, Struct

from floorbook.table.events import Code, Fact, Id, Reference, SupervisorFact
from floorbook.table.pai_kau.shapes import Tiles

PlayerId = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_.-]{0,40}\Z")]
"""A player's id; that it is not empty is the rules' to say, where they have a code for it."""
Gate = Annotated[int, Meta(ge=0, le=255)]
Minor = Annotated[int, Meta(ge=-(1 << 62), le=1 << 62)]
UsedTiles = Annotated[tuple[Annotated[str, Meta(max_length=8)], ...], Meta(max_length=32)]


class TilesShuffled(Fact, frozen=True):
    """All 32 tiles were mixed face down (A2.1); `new_tiles` took the place of any held over."""

    new_tiles: bool = False


class TilesCarriedOver(Fact, frozen=True):
    """The 16 tiles held over are the wall, the 16 used ones lie face up (A2.4)."""


class GatesAnnounced(Fact, frozen=True):
    """The house says how many gates are dealt (PK-51)."""

    gates: Gate = 0


class BankLeft(Fact, frozen=True):
    """The banker gives up the bank; without a player the croupier ends his turn (A5.1)."""

    player_id: PlayerId = ""


class ConsentGiven(Fact, frozen=True):
    """A player consents to one more round of the banker (PK-39)."""

    player_id: PlayerId = ""


class BankAnswered(Fact, frozen=True):
    """A player takes or refuses the bank for his gate (A5.2)."""

    gate: Gate = 0
    player_id: PlayerId = ""
    accepts: bool = False


class BankAssigned(Fact, frozen=True):
    """The bank goes to the next who accepts."""


class BettingOpened(Fact, frozen=True):
    """Bets are open."""


class BetChanged(Fact, frozen=True):
    """A player's new total on a gate (注); 0 takes the bet back."""

    gate: Gate = 0
    player_id: PlayerId = ""
    amount_minor: Minor = 0


class StakePosted(Fact, frozen=True):
    """The banker's new total on the layout (置於証上, A5.3)."""

    player_id: PlayerId = ""
    amount_minor: Minor = 0


class CoBankPosted(Fact, frozen=True):
    """A new total that backs the banker (幫庄, A5.5), at all gates or at one; 0 takes it back."""

    co_bank_id: PlayerId = ""
    amount_minor: Minor = 0
    house: bool = False
    gate: Gate = 0


class TilesMoved(Fact, frozen=True):
    """Somebody moved tiles with one hand (A2.6)."""

    player_id: Id = ""


class HeadTilesPut(Fact, frozen=True):
    """The banker put the head tiles (頭牌) out (A5.3)."""

    player_id: PlayerId = ""


class DiceShaken(Fact, frozen=True):
    """The banker begins to shake the dice; bets, stakes and holders are fixed (A2.7)."""

    player_id: PlayerId = ""


class DealtHand(Struct, frozen=True, omit_defaults=True):
    """The four tiles of one gate."""

    gate: Gate = 0
    tiles: Tiles = ()


class TilesDealt(Fact, frozen=True):
    """The tiles of every gate, as they lie before it (A2.3)."""

    hands: Annotated[tuple[DealtHand, ...], Meta(max_length=16)] = ()


class TileExposed(Fact, frozen=True):
    """A tile was turned up; it stays valid (A4)."""

    gate: Gate = 0


class PairsSet(Fact, frozen=True):
    """A gate's hand is laid as two pairs, finally (A6.1, PK-52)."""

    gate: Gate = 0
    player_id: PlayerId = ""
    front: Tiles = ()
    back: Tiles = ()


class PairsNotSet(Fact, frozen=True):
    """A gate's hand is left to the croupier (PK-16)."""

    gate: Gate = 0


class PairsOpened(Fact, frozen=True):
    """The croupier opens all pairs (A6.2)."""


class BankCorrected(SupervisorFact, frozen=True):
    """A supervisor says who banks, how long already and for how much; nobody, if no player is named."""

    gate: Gate = 0
    player_id: PlayerId = ""
    rounds_done: Annotated[int, Meta(ge=0, le=1 << 31)] = 0
    minimum_stake_minor: Minor = 0
    last_gate: Gate = 0
    reason: Code = ""
    reference: Reference = ""


class HeldTilesCorrected(SupervisorFact, frozen=True):
    """A supervisor says which 16 tiles are used, so that the others are held over; none, if none are."""

    used_tiles: UsedTiles = ()
    reason: Code = ""
    reference: Reference = ""
