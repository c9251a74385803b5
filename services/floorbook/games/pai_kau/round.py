"""What a round is made of before it is settled (12.3): gates, banks, hands and bets."""

import msgspec

from floorbook.games.pai_kau.tiles import Tile

LARGEST_AMOUNT = 10**15
"""No bet and no stake is larger (section 11)."""


class Bet(msgspec.Struct, frozen=True):
    """All chips of one player on one gate (注)."""

    gate: int
    player_id: str
    amount: int


class Banker(msgspec.Struct, frozen=True):
    """The main banker (正庄): his gate and what he put on the layout (置於証上, A5.3)."""

    gate: int
    player_id: str
    stake: int


class CoBank(msgspec.Struct, frozen=True):
    """A stake that backs the banker (幫庄, A5.5): at one gate, or at all if `gate` is 0 (PK-27)."""

    id: str
    stake: int
    house: bool = False
    gate: int = 0


class Hand(msgspec.Struct, frozen=True):
    """The four tiles of a gate and how they were laid; not set, front and back are empty."""

    gate: int
    tiles: tuple[Tile, ...]
    front: tuple[Tile, ...] = ()
    back: tuple[Tile, ...] = ()


class Round(msgspec.Struct, frozen=True):
    """One complete round: one throw, one deal."""

    gates: int
    banker: Banker
    cobanks: tuple[CoBank, ...]
    void_throws: int
    dice: tuple[int, ...]
    hands: tuple[Hand, ...]
    bets: tuple[Bet, ...]
    used_tiles: tuple[Tile, ...] = ()
