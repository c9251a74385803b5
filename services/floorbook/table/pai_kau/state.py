"""What a Pai Kau table remembers: its round, and what outlives it.

Gates are numbered from 1; a list of hands has gate 1 first.
"""

from enum import StrEnum

from msgspec import Struct

from floorbook.games.pai_kau.banking import Candidate, Turn
from floorbook.games.pai_kau.procedure import Moves
from floorbook.games.pai_kau.round import Bet, CoBank


class Phase(StrEnum):
    """Where the round stands (section 5)."""

    IDLE = "IDLE"
    SHUFFLED = "SHUFFLED"
    BETTING = "BETTING"
    LOCKED = "LOCKED"
    DEALT = "DEALT"
    PLAYERS_SETTING = "PLAYERS_SETTING"
    BANKER_SETTING = "BANKER_SETTING"
    OPENED = "OPENED"
    SETTLED = "SETTLED"
    VOID = "VOID"


RESTING = frozenset((Phase.IDLE, Phase.SETTLED, Phase.VOID))
"""No round is in progress."""
SETTING = frozenset((Phase.PLAYERS_SETTING, Phase.BANKER_SETTING))
LOCKED = frozenset((Phase.LOCKED, Phase.DEALT, *SETTING, Phase.OPENED))
"""Bets and stakes are held on the layout."""


class HeldTurn(Turn, frozen=True, array_like=True):
    """The banker's turn as stored."""


class LaidBet(Bet, frozen=True, array_like=True):
    """One bet as stored."""


class PostedCoBank(CoBank, frozen=True, array_like=True):
    """One co-bank as stored."""


class Answer(Struct, frozen=True, array_like=True):
    """What a player said when the bank was offered to his gate."""

    gate: int
    player_id: str
    accepts: bool


class LaidHand(Struct, frozen=True, array_like=True):
    """A gate that is done: laid by a player, or left to the croupier if no pairs are given."""

    gate: int
    player_id: str = ""
    front: tuple[str, ...] = ()
    back: tuple[str, ...] = ()


class PaiKau(Struct, frozen=True, array_like=True, tag="pai_kau"):
    """The game's part of a table's state.

    What outlives a round comes first. `turn` is None while the bank is vacant; `last_gate` held it
    last or holds it; `has_bet` are those who may bank (PK-53), the latest last; `used_tiles` are the
    tiles of the first round of a four-gate deal, from its settlement until the end of the second;
    `root` is the sealed wall's, empty once tiles were moved by hand. `opened` is the part of the
    wall that was opened for this round; `throws` are the void ones.
    """

    phase: Phase = Phase.IDLE
    minimum_bet: int = 0
    maximum_bet: int = 0
    opening: bool = True
    turn: HeldTurn | None = None
    last_gate: int = 0
    has_bet: tuple[str, ...] = ()
    last_bettors: tuple[str, ...] = ()
    consents: tuple[str, ...] = ()
    used_tiles: tuple[str, ...] = ()
    root: bytes = b""
    carried_over: bool = False
    gates: int = 0
    answers: tuple[Answer, ...] = ()
    bets: tuple[LaidBet, ...] = ()
    stake: int = 0
    cobanks: tuple[PostedCoBank, ...] = ()
    moved_by: tuple[str, ...] = ()
    banker_moved: bool = False
    head_tiles_out: bool = False
    throws: tuple[tuple[int, ...], ...] = ()
    dice: tuple[int, ...] = ()
    dice_event: str = ""
    first_gate: int = 0
    opened: tuple[str, ...] = ()
    hands: tuple[tuple[str, ...], ...] = ()
    laid: tuple[LaidHand, ...] = ()

    @property
    def moves(self) -> Moves:
        """Return who has moved tiles this round."""
        return Moves(self.moved_by, self.banker_moved)

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """Return who answered when the bank was offered, in the order of the first answers."""
        return tuple(
            Candidate(one.gate, one.player_id, one.accepts, one.player_id in self.has_bet)
            for one in self.answers
        )


def next_round(game: PaiKau, *, carried_over: bool, root: bytes) -> PaiKau:
    """Return the game with tiles face down for another round; what outlives rounds stays."""
    return PaiKau(
        phase=Phase.SHUFFLED,
        minimum_bet=game.minimum_bet,
        maximum_bet=game.maximum_bet,
        opening=game.opening,
        turn=game.turn,
        last_gate=game.last_gate,
        has_bet=game.has_bet,
        last_bettors=game.last_bettors,
        consents=game.consents,
        used_tiles=game.used_tiles if carried_over else (),
        root=root,
        carried_over=carried_over,
    )


def laid_at(game: PaiKau, gate: int) -> LaidHand | None:
    """Return how a gate was laid, or None while it is not done."""
    for laid in game.laid:
        if laid.gate == gate:
            return laid
    return None
