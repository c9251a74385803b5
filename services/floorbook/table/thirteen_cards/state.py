"""What a Thirteen Cards table remembers of its round."""

from enum import StrEnum

from msgspec import Struct

from floorbook.games.thirteen_cards.arrangement import Arrangement


class Phase(StrEnum):
    """Where the round stands (A12)."""

    IDLE = "IDLE"
    SHUFFLED = "SHUFFLED"
    BETTING = "BETTING"
    LOCKED = "LOCKED"
    DEALING = "DEALING"
    DEALT = "DEALT"
    OPENED = "OPENED"
    COMPLETE = "COMPLETE"
    SETTLED = "SETTLED"
    VOID = "VOID"
    REDEAL = "REDEAL"


RESTING = frozenset((Phase.IDLE, Phase.SETTLED, Phase.VOID))
"""No round is in progress."""


class LaidBet(Struct, frozen=True, array_like=True):
    """One bet as it lies on the layout; a stake of the variants is one unit."""

    bet_id: str
    player_id: str
    gate: int
    unit_minor: int
    units: int

    @property
    def stake(self) -> int:
        """Return the whole bet in minor units (TC-37)."""
        return self.unit_minor * self.units


class Lanes(Struct, frozen=True, array_like=True):
    """One gate's arrangement as stored."""

    front: tuple[str, ...]
    middle: tuple[str, ...]
    back: tuple[str, ...]


class Laid(Struct, frozen=True, array_like=True):
    """A gate that is set, and how long after the opening.

    `lanes` is None where a special was announced, or the dealer declared the gate not set;
    `declare` is False where a special was declined (TV-60).
    """

    gate: int
    lanes: Lanes | None
    elapsed_ms: int = 0
    declare: bool = True


class ThirteenCards(Struct, frozen=True, array_like=True, tag="thirteen_cards"):
    """The game's part of a table's state.

    `root` is the sealed deck's, empty where none was sealed; `pack` its order once opened, before
    the cuts. `redealing` from a misdeal that could not be put right until the pack is dealt again.
    `hands` are those of gates 0 to 3, empty for one that does not play. `seats` are the variants'
    players by gate, `holders` those of them who play the round; `unit_minor` is what they play for
    where there are no bets. Gates lie in ascending order in both, so equal states have equal bytes.
    """

    phase: Phase = Phase.IDLE
    places: tuple[str, ...] = ()
    root: bytes = b""
    cuts: tuple[int, ...] = ()
    pack: tuple[str, ...] = ()
    bets: tuple[LaidBet, ...] = ()
    holders: dict[int, str] = {}
    shaker: str = ""
    dice: tuple[int, ...] = ()
    dice_event: str = ""
    hands: tuple[tuple[str, ...], ...] = ()
    banker: Lanes | None = None
    taken: tuple[int, ...] = ()
    laid: tuple[Laid, ...] = ()
    redealing: bool = False
    seats: dict[int, str] = {}
    unit_minor: int = 0

    @property
    def locked(self) -> bool:
        """Return whether it stands who plays the round and for what."""
        return bool(self.shaker or self.holders)


def lanes_of(arrangement: Arrangement) -> Lanes:
    """Return an arrangement in its stored form."""
    return Lanes(arrangement.front, arrangement.middle, arrangement.back)


def laid_at(game: ThirteenCards, gate: int) -> Laid | None:
    """Return how a gate was set, or None."""
    for laid in game.laid:
        if laid.gate == gate:
            return laid
    return None


def gates_with_bets(game: ThirteenCards) -> tuple[int, ...]:
    """Return the gates on which bets lie, ascending (TC-46)."""
    return tuple(sorted({bet.gate for bet in game.bets}))
