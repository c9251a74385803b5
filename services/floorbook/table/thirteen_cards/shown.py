"""What can be shown of a Thirteen Cards round; who may see it is decided in disclose.py."""

from msgspec import Struct

from floorbook.games.thirteen_cards.arrangement import Arrangement
from floorbook.table.events import Fact
from floorbook.table.thirteen_cards.facts import BetPlaced


class HandShown(Struct, frozen=True):
    """A gate's cards, or its lanes once arranged."""

    gate: int
    cards: tuple[str, ...] = ()
    arrangement: Arrangement | None = None


class GateHolder(Struct, frozen=True):
    """One gate's holder."""

    gate: int
    player_id: str


class HoldersShown(Struct, frozen=True):
    """Who holds the gates that play, and who shakes."""

    holders: tuple[GateHolder, ...]
    dice_shaker: str


class FirstGateShown(Struct, frozen=True):
    """The gate the first card goes to."""

    gate: int


class RoundShown(Struct, frozen=True):
    """A settled round: the evaluator's result and the articles and rulings behind it."""

    result: str
    explanation: tuple[str, ...]
    round_id: str = ""


class GateSet(Struct, frozen=True):
    """A gate has been set; its cards are not shown."""

    gate: int


class ThirteenCardsShown(Struct, frozen=True):
    """One thing shown; exactly one field is given."""

    fact: Fact | None = None
    hand: HandShown | None = None
    holders: HoldersShown | None = None
    first_gate: FirstGateShown | None = None
    round: RoundShown | None = None
    gate_set: GateSet | None = None


class ThirteenCardsState(Struct, frozen=True):
    """What one viewer may see of the round."""

    banker_gate: int
    places: tuple[str, ...] = ()
    bets: tuple[BetPlaced, ...] = ()
    holders: HoldersShown | None = None
    dice: tuple[int, ...] = ()
    first_gate: FirstGateShown | None = None
    hands: tuple[HandShown, ...] = ()
    taken: tuple[int, ...] = ()
    set: tuple[int, ...] = ()
    arrange_until_ms: int = 0
    seats: tuple[GateHolder, ...] = ()
    unit_minor: int = 0
