"""Shapes that the common facts carry for mahjong: table options, corrections."""

from typing import Annotated

from msgspec import Meta, Struct

Tiles = Annotated[tuple[Annotated[str, Meta(max_length=8)], ...], Meta(max_length=160)]
Word = Annotated[str, Meta(max_length=16)]
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


class MahjongSet(Struct, frozen=True, omit_defaults=True):
    """A declared set; a face-down kong has no tiles for others."""

    kind: Word
    tiles: Tiles = ()
    open: bool = False
    source: Word = ""
    added: bool = False


Sets = Annotated[tuple[MahjongSet, ...], Meta(max_length=8)]


class MahjongWin(Struct, frozen=True, omit_defaults=True):
    """A declared win as it really was, whole; `source` is empty for a self-drawn one.

    What the discarder had concealed (the discarded tile included) and what lay face up (without it)
    may be left out: what needs them then does not hold (RULE-FACTS).
    """

    seat: Word = ""
    concealed: Tiles = ()
    sets: Sets = ()
    win_tile: Word = ""
    kind: Word = ""
    source: Word = ""
    kong_chain: Annotated[int, Meta(ge=0, le=255)] = 0
    last_tile: bool = False
    heavenly: bool = False
    earthly: bool = False
    discarder_concealed: Tiles = ()
    discarder_sets: Sets = ()
    visible: Tiles = ()
    visible_known: bool = False
    turns_since_fourth_set: Annotated[int, Meta(ge=0, le=255)] | None = None


class MahjongCorrection(Struct, frozen=True, omit_defaults=True):
    """What is replaced in a settled hand: whether the player was barred, and the win."""

    barred: bool | None = None
    win: MahjongWin | None = None
