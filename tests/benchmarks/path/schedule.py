"""Decides when each table says what: at fixed times whatever happens, or as soon as it may.

A table never says something before it could: a terminal waits for the verdict of its own act before, who
comes after a device waits until the reading is in the log and a device until the act is folded (over two
streams there is no order), and a round begins when the one before is posted. What has to wait longer than
its time is late, and that is measured.
"""

from collections.abc import Sequence

from msgspec import Struct

from tests.benchmarks.path.messages import Mouth
from tests.benchmarks.path.rounds import DEVICES, EVENTS_OF_A_ROUND, Saying

ACTS_OF_A_ROUND = EVENTS_OF_A_ROUND - 1
_LONGEST_PAUSE_SECONDS = 1.0


class Needs(Struct, frozen=True):
    """What a saying of a round waits for, beside its own terminal's act before.

    Either until no act is open, or until so many readings of the round are in the log.
    """

    is_reading: bool
    no_act_open: bool
    readings: int


def needs_of(sayings: Sequence[Saying]) -> tuple[Needs, ...]:
    """Return what each saying of a round waits for."""
    found: list[Needs] = []
    readings = 0
    after_reading = after_act = False
    for saying in sayings:
        found.append(
            Needs(
                saying.is_reading,
                saying.is_reading and after_act,
                readings if after_reading and not saying.is_reading else 0,
            )
        )
        readings += saying.is_reading
        after_reading, after_act = saying.is_reading, not saying.is_reading
    return tuple(found)


def offsets_of(period_seconds: float) -> tuple[float, ...]:
    """Return when in a round of that length each saying is due: evenly, then time for the settlement."""
    pause = min(period_seconds / 4, _LONGEST_PAUSE_SECONDS)
    width = (period_seconds - pause) / ACTS_OF_A_ROUND
    return tuple(index * width for index in range(ACTS_OF_A_ROUND))


class Player:
    """One table as the load plays it: what it says next, and what it waits for."""

    __slots__ = (
        "acks",
        "dues",
        "elements",
        "needs",
        "next",
        "open",
        "overdue",
        "position",
        "readings",
        "round",
        "rounds_posted",
        "speakers",
        "table_id",
    )

    def __init__(
        self, table_id: str, position: int, needs: Sequence[tuple[Needs, ...]], mouth: Mouth
    ) -> None:
        """Return a table in its first round, of which `position` sayings are in the log already."""
        self.table_id = table_id
        self.needs = needs
        self.elements: list[bytes] = []
        self.dues: list[float] = []
        self.speakers: list[str] = []
        self.open: dict[str, bytes] = {}
        self.next = 0
        self.overdue = 0
        self.round = 0
        self.position = position
        self.rounds_posted = 0
        self.readings = sum(each.is_reading for each in needs[0][:position])
        self.acks = {each: mouth.sequence(each) for each in DEVICES}

    def is_ready(self) -> bool:
        """Return whether the next saying may be sent."""
        if self.position == 0 and self.rounds_posted < self.round:
            return False
        need = self.needs[self.round][self.position]
        if need.is_reading:
            return not (need.no_act_open and self.open)
        return self.readings >= need.readings and self.speakers[self.next] not in self.open

    def say(self) -> tuple[bool, bytes, float]:
        """Return whether the next saying is a reading, its bytes, and when it was due."""
        index = self.next
        is_reading = self.needs[self.round][self.position].is_reading
        element = self.elements[index]
        if not is_reading:
            self.open[self.speakers[index]] = element
        self.next += 1
        self.position += 1
        self.overdue -= 1
        if self.position == ACTS_OF_A_ROUND:
            self.position = 0
            self.round += 1
            self.readings -= sum(each.is_reading for each in self.needs[self.round - 1])
        return is_reading, element, self.dues[index]

    def acknowledged(self, device: str, sequence: int) -> None:
        """Return after noting that readings up to `sequence` are in the log."""
        more = sequence - self.acks[device]
        if more > 0:
            self.acks[device] = sequence
            self.readings += more
