"""What can happen at a table: one fact in an envelope with its id, its author and its time.

Facts are past and final; whether one is allowed is `refuse`'s to say. Field names are those of
protos/floorbook/v1, where units and ranges are documented; the types here repeat the ranges that
make a fact unreadable when broken. Defaults are left out of the encoding that fingerprints are
made of, so a field added later must have a default and stand last.
"""

from enum import IntEnum
from typing import Annotated, ClassVar

from msgspec import Meta, Struct

from floorbook import ids
from floorbook.seal import Opening
from floorbook.table.mahjong.shapes import MahjongCorrection, MahjongOptions
from floorbook.table.pai_kau.shapes import PaiKauCorrection, PaiKauOptions
from floorbook.table.thirteen_cards.shapes import (
    ThirteenCardsCorrection,
    ThirteenCardsOptions,
)

Id = Annotated[str, Meta(pattern=r"^[A-Za-z0-9_.-]{1,40}\Z")]
"""One part of an id."""
Code = Annotated[str, Meta(pattern=r"^[A-Z][A-Z0-9_]{0,39}\Z")]
"""A reason code."""
Reference = Annotated[str, Meta(max_length=80)]
"""An opaque reference to the casino's own records."""
Whole = Annotated[str, Meta(max_length=200)]
"""An id of several parts, such as an event's or a round's."""
Currency = Annotated[str, Meta(pattern=r"^[A-Z]{3}\Z")]
Count = Annotated[int, Meta(ge=0, le=(1 << 63) - 1)]
"""A number that never falls below zero."""


class EquipmentKind(IntEnum):
    """What a piece of equipment is; numbers as on the wire."""

    SHUFFLER = 1
    DICE = 2
    DEALER_TERMINAL = 3
    SEAT_TERMINAL = 4
    PIT_TERMINAL = 5
    SHOE = 6


DEVICES = frozenset((EquipmentKind.SHUFFLER, EquipmentKind.DICE, EquipmentKind.SHOE))
"""Equipment that speaks for itself and keeps several readings open."""


class Role(IntEnum):
    """In which role somebody acts; numbers as on the wire."""

    DEVICE = 1
    PLAYER = 2
    DEALER = 3
    SUPERVISOR = 4
    PROCESSOR = 5


class Fact(Struct, frozen=True, tag=True, omit_defaults=True):
    """Something that happened.

    Of a `secret` one nobody learns that it happened but who is shown something of it.
    """

    secret: ClassVar[bool] = False


class SupervisorFact(Fact, frozen=True):
    """A fact of a game that only a supervisor reports, while the table is suspended too."""


class Equipment(Struct, frozen=True, omit_defaults=True):
    """One piece of equipment of a table."""

    equipment_id: Id
    kind: EquipmentKind


class UnknownFact(Fact, frozen=True):
    """A fact that this fold cannot read; its number is used up and its table suspended."""


class SourceStarted(Fact, frozen=True):
    """A source has started; the first fact of each boot."""

    last_acknowledged: Count = 0


class TableOpened(Fact, frozen=True):
    """A supervisor opened the table; everything the fold depends on is in here."""

    rule_set: Id = ""
    rules_version: Id = ""
    flags: Annotated[str, Meta(max_length=4000)] = ""
    currency: Currency = ""
    equipment: Annotated[tuple[Equipment, ...], Meta(max_length=64)] = ()
    utc_offset_minutes: Annotated[int, Meta(ge=-720, le=840)] = 0
    day_start_minute: Annotated[int, Meta(ge=0, le=1439)] = 0
    thirteen_cards: ThirteenCardsOptions | None = None
    pai_kau: PaiKauOptions | None = None
    mahjong: MahjongOptions | None = None


class TableClosed(Fact, frozen=True):
    """The table is closed."""


class EquipmentChanged(Fact, frozen=True):
    """The table's equipment is replaced as a whole."""

    equipment: Annotated[tuple[Equipment, ...], Meta(max_length=64)] = ()


class ViewAsked(Fact, frozen=True):
    """A viewer without a cursor asks for the whole view; changes nothing."""


class TableSuspended(Fact, frozen=True):
    """A supervisor suspends the table."""

    reason: Code = ""
    reference: Reference = ""


class Decision(IntEnum):
    """How a cause of suspension is decided; numbers as on the wire."""

    RESUME = 1
    CONTINUE_AT = 2


class SuspensionResolved(Fact, frozen=True):
    """A supervisor ends one cause of suspension."""

    decision: Decision
    cause_id: Whole = ""
    next_sequence: Count = 0
    reference: Reference = ""


class ShuffleSealed(Fact, frozen=True):
    """A deck's order is fixed under one Merkle root, without being known."""

    root: Annotated[bytes, Meta(min_length=32, max_length=32)] = b""
    positions: Annotated[int, Meta(ge=1, le=256)] = 0


class DeckCut(Fact, frozen=True):
    """The sealed deck was cut: `depth` cards went from the top to the bottom."""

    depth: Annotated[int, Meta(ge=1, le=255)] = 0


class DeckOpened(Fact, frozen=True):
    """Positions of the sealed deck with the hashes that lead to its root."""

    openings: Annotated[tuple[Opening, ...], Meta(max_length=256)] = ()
    hashes: Annotated[
        tuple[Annotated[bytes, Meta(min_length=32, max_length=32)], ...], Meta(max_length=256)
    ] = ()


class DeckFault(IntEnum):
    """What is wrong with a deck; numbers as on the wire."""

    COUNT = 1
    DUPLICATE = 2
    JAM = 3
    DOOR = 4


class DeckFaulty(Fact, frozen=True):
    """The shuffler cannot vouch for the deck."""

    fault: DeckFault
    counted: Annotated[int, Meta(ge=0, le=512)] = 0


Faces = Annotated[tuple[Annotated[int, Meta(ge=0, le=255)], ...], Meta(max_length=8)]


class DiceThrown(Fact, frozen=True):
    """All dice show a face; which faces are possible is the rules' to say."""

    values: Faces = ()


class ThrowFault(IntEnum):
    """Why a throw does not count; numbers as on the wire."""

    COCKED = 1
    OUT_OF_SHAKER = 2
    LOW_CONFIDENCE = 3


class ThrowVoid(Fact, frozen=True):
    """A throw that does not count; the dice are thrown again."""

    fault: ThrowFault
    values: Faces = ()


class ReadingCorrected(Fact, frozen=True):
    """A supervisor puts a reading of the round in progress right."""

    event_id: Whole = ""
    reason: Code = ""
    reference: Reference = ""
    dice_thrown: DiceThrown | None = None


class RoundVoided(Fact, frozen=True):
    """The round in progress is void."""

    reason: Code = ""
    reference: Reference = ""


class SettledRoundVoided(Fact, frozen=True):
    """One of the last ten settled rounds is void."""

    round_id: Whole = ""
    reason: Code = ""
    reference: Reference = ""


class SettledRoundCorrected(Fact, frozen=True):
    """One of the last ten settled rounds is settled again with readings replaced."""

    round_id: Whole = ""
    reason: Code = ""
    reference: Reference = ""
    thirteen_cards: ThirteenCardsCorrection | None = None
    pai_kau: PaiKauCorrection | None = None
    mahjong: MahjongCorrection | None = None


class RoundEvaluated(Fact, frozen=True):
    """The evaluator's answer; `result` is JSON text in the rule set's own shape."""

    rule_set: str = ""
    rules_version: str = ""
    result: str = ""
    explanation: tuple[str, ...] = ()


class EvaluationRefused(Fact, frozen=True):
    """The evaluator refused the request."""

    code: str = ""
    detail: str = ""


class TimerExpired(Fact, frozen=True):
    """A timer that the table owed has run out."""


class Event(Struct, frozen=True):
    """One fact with its id, its author, its time and its place in the log."""

    table_id: str
    fact: Fact
    role: Role
    observe_time_ms: int
    equipment_id: str = ""
    equipment_kind: EquipmentKind | None = None
    boot: int = 0
    sequence: int = 0
    fingerprint: bytes = b""
    obligation_id: str = ""
    client_id: str = ""
    person_id: str = ""
    device_time_ms: int = 0
    trace_id: bytes = b""
    partition: int = 0
    offset: int = 0

    @property
    def event_id(self) -> str:
        """Return the event's id: its obligation's, or source and sequence."""
        if self.obligation_id:
            return self.obligation_id
        return ids.event_id(self.table_id, self.equipment_id, self.boot, self.sequence)
