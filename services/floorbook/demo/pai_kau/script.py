"""Decides what chance brings in a round of Pai Kau: the wall, the dice, what goes wrong. Pure and repeatable.

What people make of it is theirs to decide (people.py), by `seed`, when they are shown it.
"""

from enum import Enum, auto

from msgspec import Struct

from floorbook import seal
from floorbook.demo.casino import chance
from floorbook.games.pai_kau.gates import DICE
from floorbook.games.pai_kau.tiles import SET, Tile
from floorbook.table.events import DeckOpened, ShuffleSealed

EIGHT_GATES, FOUR_GATES = 8, 4


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
    WRONG_OPENING = auto()  # the tile machine opens what is not dealt yet
    FOUL = auto()  # a back smaller than the front
    LATE = auto()  # hands that nobody sets
    MISDEAL = auto()  # tiles reported at other gates than the sealed wall puts them
    MISREAD = auto()  # dice put right before the deal
    VOID = auto()  # the supervisor ends the round before its settlement
    CORRECTED = auto()  # a settled round is settled again
    VOID_SETTLED = auto()  # a settled round is void afterwards


class Wall(Struct, frozen=True):
    """A wall of tiles as the machine has stacked it, the head first, with the salts of its seal."""

    faces: tuple[Tile, ...]
    salts: tuple[bytes, ...]

    @property
    def sealed(self) -> ShuffleSealed:
        """Return what the machine says of the wall when it has stacked it."""
        return ShuffleSealed(seal.root(self.faces, self.salts), len(self.faces))

    def opened(self, positions: range) -> DeckOpened:
        """Return what the machine says of those positions when they may be known."""
        opened = seal.open_positions(self.faces, self.salts, positions)
        return DeckOpened(opened.openings, opened.hashes)


class Script(Struct, frozen=True):
    """What chance brings in one round of one table."""

    number: int
    wall: Wall  # stacked if none is held over
    dice: tuple[int, ...]
    tricks: frozenset[Trick]
    seed: str  # of the chances that are taken on the way


def gates_of(table: int) -> int:
    """Return how many gates a table deals, numbered from 1: every second pair of tables deals four.

    Of each pair one has its devices on lines of their own: both kinds of lines carry both deals.

    >>> [gates_of(table) for table in range(1, 6)]
    [8, 4, 4, 8, 8]
    """
    return FOUR_GATES if table // 2 % 2 else EIGHT_GATES


def script_of(seed: int, table: int, number: int, misbehave: float = 0.0) -> Script:
    """Return the `number`-th round of a table, both counted from 1."""
    dice = chance(seed, table, number)
    return Script(
        number=number,
        wall=_wall(seed, table, number),
        dice=tuple(dice.randint(1, 6) for _ in range(DICE)),
        tricks=_tricks(seed, table, number, misbehave),
        seed=f"{seed}/{table}/{number}",
    )


def _wall(seed: int, table: int, number: int) -> Wall:
    machine = chance(seed, table, number, "wall")
    faces = tuple(machine.sample(SET, len(SET)))
    return Wall(faces, tuple(machine.randbytes(seal.SALT_BYTES) for _ in faces))


def _tricks(seed: int, table: int, number: int, misbehave: float) -> frozenset[Trick]:
    # Each kind by itself: a further kind changes no other.
    return frozenset(
        trick for trick in Trick if chance(seed, table, number, trick.name).random() < misbehave
    )
