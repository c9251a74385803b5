"""Decides what chance brings in a round: the decks, the cuts, the bets, the dice. Pure and repeatable.

What people make of it is theirs to decide (people.py) when they are shown it; what goes wrong on purpose
is drawn here too (`tricks`), so that two runs with one seed go wrong alike.
"""

from collections.abc import Sequence
from enum import Enum, auto

from msgspec import Struct

from floorbook import seal
from floorbook.demo.casino import LEAST_UNIT_MINOR, chance
from floorbook.games.thirteen_cards.arrangement import HAND_SIZE
from floorbook.games.thirteen_cards.cards import PACK
from floorbook.games.thirteen_cards.deal import DICE, GATES
from floorbook.games.thirteen_cards.procedure import Procedure, procedure_of
from floorbook.table.events import DeckOpened, ShuffleSealed

_FEWEST_BETS, _MOST_BETS = 3, 6
_MOST_UNITS = 3
_HIGHEST_UNIT = 10
_HIGHEST_COMMON_UNIT = 20
_DECKS = 2  # the second is for a misdeal that cannot be put right


class Trick(Enum):
    """Something that goes wrong on purpose."""

    NOISE = auto()  # bytes on a device's line that are no frame
    UNREADABLE = auto()  # frames and acts whose fact cannot be read
    STRANGER = auto()  # somebody whom the registry does not know
    DUPLICATE = auto()  # readings and acts sent again
    GAP = auto()  # a device loses a reading
    RESTART = auto()  # a device starts again
    VOID_THROW = auto()
    WRONG_ACT = auto()  # acts that the rules must refuse
    FOUL = auto()
    LATE = auto()
    MISDEAL = auto()  # cards at wrong gates, put right
    REDEAL = auto()  # cards at wrong gates that cannot be put right
    VOID = auto()  # the supervisor ends the round before its settlement
    CORRECTED = auto()  # a settled round is settled again
    VOID_SETTLED = auto()  # a settled round is void afterwards


OFFICIAL = procedure_of("thirteen_cards")
_NEEDS_LANES = frozenset((Trick.FOUL, Trick.LATE, Trick.MISDEAL, Trick.REDEAL))


def tricks_of(steps: Procedure) -> frozenset[Trick]:
    """Return what can go wrong on purpose in a round of that procedure.

    Where nothing is arranged the round is over with the deal: nobody can be late or find a misdeal.
    """
    without = set() if steps.arranged else set(_NEEDS_LANES)
    if not steps.dice:
        without.add(Trick.VOID_THROW)
    return frozenset(Trick) - without


class Bet(Struct, frozen=True):
    """One bet as it will be placed; `player` is an index of the table's players.

    Where nobody sits at `gate`, or the gate has no bets, it counts on from there.
    """

    bet_id: str
    player: int
    gate: int
    unit_minor: int
    units: int


class Deck(Struct, frozen=True):
    """A shuffled pack from the top down, with the salts of its seal and the cuts to come."""

    faces: tuple[str, ...]
    salts: tuple[bytes, ...]
    cuts: tuple[int, ...]

    @property
    def sealed(self) -> ShuffleSealed:
        """Return what the shuffler says of the deck when it has shuffled."""
        return ShuffleSealed(seal.root(self.faces, self.salts), len(self.faces))

    @property
    def opened(self) -> DeckOpened:
        """Return what the shuffler says of the deck when its order may be known."""
        opened = seal.open_positions(self.faces, self.salts, range(len(self.faces)))
        return DeckOpened(opened.openings, opened.hashes)

    @property
    def turned(self) -> tuple[str, ...]:
        """Return the cards as the cuts left them; the top is dealt first."""
        shift = sum(self.cuts) % len(self.faces)
        return self.faces[shift:] + self.faces[:shift]


class Script(Struct, frozen=True):
    """What chance brings in one round of one table."""

    number: int
    decks: tuple[Deck, ...]
    bets: tuple[Bet, ...]
    dice: tuple[int, ...]
    unit_minor: int  # what all play for, where there are no bets
    tricks: frozenset[Trick]
    seed: str  # of the chances that are taken on the way

    @property
    def deck(self) -> Deck:
        """Return the deck that is dealt if nothing goes wrong."""
        return self.decks[0]


def script_of(
    seed: int,
    table: int,
    number: int,
    players: int,
    banker_gate: int,
    misbehave: float = 0.0,
    steps: Procedure = OFFICIAL,
) -> Script:
    """Return the `number`-th round of a table, both counted from 1."""
    dice_and_bets = chance(seed, table, number)
    gates = [gate for gate in GATES if gate != banker_gate]
    bets = tuple(
        Bet(
            f"b{number}-{index + 1}",
            dice_and_bets.randrange(players),
            dice_and_bets.choice(gates),
            LEAST_UNIT_MINOR * dice_and_bets.randint(1, _HIGHEST_UNIT),
            dice_and_bets.randint(1, _MOST_UNITS),
        )
        for index in range(dice_and_bets.randint(_FEWEST_BETS, _MOST_BETS))
    )
    dice = tuple(dice_and_bets.randint(1, 6) for _ in range(DICE))
    return Script(
        number=number,
        decks=tuple(_deck(seed, table, number, index, steps) for index in range(_DECKS)),
        bets=bets,
        dice=dice,
        unit_minor=LEAST_UNIT_MINOR
        * chance(seed, table, number, "unit").randint(1, _HIGHEST_COMMON_UNIT),
        tricks=_tricks(seed, table, number, misbehave) & tricks_of(steps),
        seed=f"{seed}/{table}/{number}",
    )


def dealt(cards: Sequence[str], first_gate: int) -> list[tuple[str, int]]:
    """Return each card with the gate that the order of dealing gives it."""
    return [(card, (first_gate + index) % len(GATES)) for index, card in enumerate(cards)]


def dealt_to(cards: Sequence[str], gates: Sequence[int]) -> list[tuple[str, int]]:
    """Return the first cards, one at a time to the gates that play; the rest stays in the box."""
    first = cards[: HAND_SIZE * len(gates)]
    return [(card, gates[index % len(gates)]) for index, card in enumerate(first)]


def _deck(seed: int, table: int, number: int, index: int, steps: Procedure) -> Deck:
    shuffler = chance(seed, table, number, "deck", index)
    faces = list(PACK)
    shuffler.shuffle(faces)
    salts = tuple(shuffler.randbytes(seal.SALT_BYTES) for _ in faces)
    # Where the text knows no cut, there is now and then none.
    times = shuffler.choice((1, 1, 1, 2) if steps.dice else (1, 1, 0, 2))
    cuts = tuple(shuffler.randint(10, 42) for _ in range(times))
    return Deck(tuple(faces), salts, cuts)


def _tricks(seed: int, table: int, number: int, misbehave: float) -> frozenset[Trick]:
    # Each kind by itself and in a fixed order: a further kind changes no other.
    return frozenset(
        trick for trick in Trick if chance(seed, table, number, trick.name).random() < misbehave
    )
