"""Shapes that the common facts carry for Taiwan Pai Kau: table options, corrections."""

from typing import Annotated

from msgspec import Meta, Struct

Amount = Annotated[int, Meta(ge=0, le=(1 << 63) - 1)]
Tiles = Annotated[tuple[Annotated[str, Meta(max_length=8)], ...], Meta(max_length=8)]


class PaiKauOptions(Struct, frozen=True, omit_defaults=True):
    """What a Pai Kau table has of its own: how much a bet may be, in minor units; 0 = no limit."""

    minimum_bet_minor: Amount = 0
    maximum_bet_minor: Amount = 0


class CorrectedHand(Struct, frozen=True, omit_defaults=True):
    """One gate as it really was: other tiles if any are given; not set if no pairs are."""

    gate: Annotated[int, Meta(ge=0, le=255)] = 0
    tiles: Tiles = ()
    front: Tiles = ()
    back: Tiles = ()


class PaiKauCorrection(Struct, frozen=True, omit_defaults=True):
    """What is replaced in a settled round: hands, and the dice if any are given."""

    hands: Annotated[tuple[CorrectedHand, ...], Meta(max_length=8)] = ()
    dice: Annotated[tuple[Annotated[int, Meta(ge=0, le=255)], ...], Meta(max_length=8)] = ()
