"""What a winning hand is worth: the split with the most faan, and its sum (FAAN-SUM, RULE-BEST)."""

from collections.abc import Iterator
from typing import Literal

import msgspec

from floorbook.games.mahjong.hand import Declared, Setting, WinningHand, declared_sets
from floorbook.games.mahjong.melds import tiles_of
from floorbook.games.mahjong.patterns import (
    CHICKEN,
    Pattern,
    candidates,
)
from floorbook.games.mahjong.splits import Set, splits
from floorbook.games.mahjong.tiles import ORPHAN_KINDS, Tile, counts_of, kinds_in

Form = Literal["standard", "thirteen_orphans"]


class Valued(msgspec.Struct, frozen=True):
    """A winning hand in its best split."""

    form: Form
    pair: Tile
    concealed_sets: tuple[Set, ...]  # sorted
    patterns: tuple[Pattern, ...]  # in the order of the tables
    raw: int
    total: int  # 番, capped


def value(setting: Setting, declared: Declared) -> Valued | None:
    """Return what a hand is worth, None if it is no winning shape (RULE-WINSHAPE).

    Of several splits the one with the most faan counts, then the lowest pair, then the lowest sets.
    """
    best: Valued | None = None
    for valued in _readings(setting, declared):
        if best is None or _order(valued) < _order(best):
            best = valued
    return best


def _order(valued: Valued) -> tuple[int, Tile, tuple[Set, ...]]:
    return -valued.raw, valued.pair, valued.concealed_sets


def _readings(setting: Setting, declared: Declared) -> Iterator[Valued]:
    """Yield every way in which the hand is a winning one."""
    variant, melds = setting.variant, declared.melds
    tiles = (*declared.concealed, declared.win_tile)
    kinds = kinds_in(tiles)
    if variant.orphans and not melds and kinds == ORPHAN_KINDS:
        # Fourteen tiles of thirteen kinds: one is there twice.
        pair = sum(tiles) - sum(t for t in range(kinds.bit_length()) if kinds >> t & 1)
        yield _valued(setting, declared, "thirteen_orphans", kinds, pair, ())
        return
    kinds |= kinds_in(tiles_of(melds))
    for pair, sets in splits(counts_of(tiles)):
        if len(sets) == variant.sets - len(melds):
            yield _valued(setting, declared, "standard", kinds, pair, sets)


def _valued(
    setting: Setting,
    declared: Declared,
    form: Form,
    kinds: int,
    pair: Tile,
    concealed: tuple[Set, ...],
) -> Valued:
    sets = (*declared_sets(declared.melds), *concealed)
    hand = WinningHand(setting, declared, kinds, pair, sets)
    orphans = form == "thirteen_orphans"
    found = tuple([p for p in candidates(setting.variant, hand, orphans=orphans) if p.holds(hand)])
    raw = sum([pattern.faan for pattern in found])
    total = min(raw, setting.config.faan_cap)
    return Valued(form, pair, concealed, found or (CHICKEN,), raw, total)
