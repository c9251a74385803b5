"""Decides what chance brings in a mahjong hand: the wall, the dice, and what goes wrong on purpose. Pure.

What people make of their tiles is theirs to decide (people.py) when they are shown them.
"""

from collections.abc import Iterable
from enum import Enum, auto

from msgspec import Struct

from floorbook import seal
from floorbook.demo.casino import chance
from floorbook.games.mahjong.tiles import CODES, COPIES
from floorbook.games.mahjong.variant import Variant
from floorbook.table.events import DeckOpened, ShuffleSealed

_LATEST_MOMENT = 6


class Trick(Enum):
    """Something that goes wrong on purpose."""

    NOISE = auto()  # bytes on a device's line that are no frame
    UNREADABLE = auto()  # frames and acts whose fact cannot be read
    STRANGER = auto()  # somebody whom the registry does not know
    DUPLICATE = auto()  # readings and acts sent again
    GAP = auto()  # a device loses a reading
    RESTART = auto()  # a device starts again
    VOID_THROW = auto()
    MISREAD_DICE = auto()  # put right before the deal
    OTHER_TILE = auto()  # the machine opens a tile that it has not sealed
    WRONG_ACT = auto()  # acts that the rules must refuse
    FALSE_WIN = auto()  # 詐糊 in one's own turn
    FALSE_CLAIM = auto()  # 詐糊 on somebody's tile
    WRONG_SET = auto()  # a chow, pong or kong that cannot stand
    WITHDRAWN_PONG = auto()  # 叫碰不碰
    LOOKED = auto()  # at another's hand: no kong any more
    BARRED = auto()  # by the supervisor
    SILENT = auto()  # no answer: the window's clock runs out
    RUSH = auto()  # all answer at once
    LEFT = auto()  # a player leaves with his chips and comes back
    VOID = auto()  # the supervisor ends the hand
    CORRECTED = auto()  # a settled hand is settled again
    VOID_SETTLED = auto()  # a settled hand is void afterwards


def tricks_of(variant: Variant) -> frozenset[Trick]:
    """Return what can go wrong on purpose in a game: without calls there is no pong to withdraw."""
    without = frozenset() if variant.claims_sets else {Trick.WITHDRAWN_PONG}
    return frozenset(Trick) - without


class Wall(Struct, frozen=True):
    """A wall as the machine built it, by positions, with the salts of its seal."""

    faces: tuple[str, ...]
    salts: tuple[bytes, ...]

    @property
    def sealed(self) -> ShuffleSealed:
        """Return what the machine says of a wall when it is built."""
        return ShuffleSealed(seal.root(self.faces, self.salts), len(self.faces))

    def opened(self, positions: Iterable[int]) -> DeckOpened:
        """Return what the machine says of tiles that are taken."""
        opened = seal.open_positions(self.faces, self.salts, positions)
        return DeckOpened(opened.openings, opened.hashes)


class Script(Struct, frozen=True):
    """What chance brings in one hand of one table.

    `moments` says in which turn of the hand a trick comes, counted from 1, at the earliest.
    """

    number: int
    wall: Wall
    other_wall: Wall
    dice: tuple[int, ...]
    tricks: frozenset[Trick]
    moments: dict[Trick, int]
    seed: str  # of the chances that are taken on the way


def script_of(
    seed: int, table: int, number: int, variant: Variant, misbehave: float = 0.0
) -> Script:
    """Return the `number`-th hand of a table, both counted from 1."""
    thrown = chance(seed, table, number, "dice")
    # Each kind by itself and in a fixed order: a further kind changes no other.
    drawn = frozenset(
        trick for trick in Trick if chance(seed, table, number, trick.name).random() < misbehave
    )
    return Script(
        number=number,
        wall=_wall(seed, table, number, "wall", variant),
        other_wall=_wall(seed, table, number, "other wall", variant),
        dice=tuple(thrown.randint(1, 6) for _ in range(variant.dice)),
        tricks=drawn & tricks_of(variant),
        moments={
            trick: chance(seed, table, number, "moment", trick.name).randint(1, _LATEST_MOMENT)
            for trick in Trick
        },
        seed=f"{seed}/{table}/{number}",
    )


def _wall(seed: int, table: int, number: int, which: str, variant: Variant) -> Wall:
    machine = chance(seed, table, number, which)
    faces = [CODES[kind] for kind in variant.kinds for _ in range(COPIES)]
    machine.shuffle(faces)
    return Wall(tuple(faces), tuple(machine.randbytes(seal.SALT_BYTES) for _ in faces))
