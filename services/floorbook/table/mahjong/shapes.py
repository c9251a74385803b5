"""Shapes that the common facts carry for mahjong: table options."""

from typing import Annotated

from msgspec import Meta, Struct

Amount = Annotated[int, Meta(ge=0, le=(1 << 63) - 1)]


class MahjongOptions(Struct, frozen=True, omit_defaults=True):
    """What a mahjong table has of its own; amounts in minor units.

    `claim_limit_ms` is the time to think in a claim window, 0 for none; a player needs
    `minimum_chips_minor` in front of him to be dealt in. Of the winner's net the house takes
    `charge_minor` or `charge_percent`, never both and never more than the net.
    """

    claim_limit_ms: Annotated[int, Meta(ge=0, le=86_400_000)] = 0
    minimum_chips_minor: Amount = 0
    charge_minor: Amount = 0
    charge_percent: Annotated[int, Meta(ge=0, le=100)] = 0
