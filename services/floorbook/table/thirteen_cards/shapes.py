"""Shapes that the common facts carry for Thirteen Cards: table options, lanes, corrections."""

from typing import Annotated

from msgspec import Meta, Struct

from floorbook.games.thirteen_cards.arrangement import Arrangement

Count = Annotated[int, Meta(ge=0, le=(1 << 63) - 1)]


class ThirteenCardsOptions(Struct, frozen=True, omit_defaults=True):
    """What a Thirteen Cards table has of its own; amounts in minor units, 0 = no limit."""

    banker_gate: Annotated[int, Meta(ge=0, le=3)] = 0
    minimum_unit_minor: Count = 0
    maximum_unit_minor: Count = 0


class CorrectedGate(Struct, frozen=True, omit_defaults=True):
    """One gate as it really was; no arrangement when it was late or not set."""

    gate: Annotated[int, Meta(ge=0, le=255)] = 0
    arrangement: Arrangement | None = None
    declare: bool = True


class ThirteenCardsCorrection(Struct, frozen=True, omit_defaults=True):
    """What is replaced in a settled round of Thirteen Cards."""

    gates: Annotated[tuple[CorrectedGate, ...], Meta(max_length=4)] = ()
