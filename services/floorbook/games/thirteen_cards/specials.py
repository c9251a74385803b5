"""Which special hands (報到) a variant knows, in reporting order, and what they are worth.

A row's `level` says what beats what: of two specials the higher level wins, and of one level the
larger measure. Rows of one rule set are listed in the order in which they are reported.
"""

from collections.abc import Callable

import msgspec

from floorbook.games.thirteen_cards import patterns
from floorbook.games.thirteen_cards.config import Config
from floorbook.games.thirteen_cards.patterns import Measure, Pattern, Tally


class Row(msgspec.Struct, frozen=True):
    """One special hand of one rule set."""

    id: str
    pattern: Pattern
    level: int
    value: int
    cites: tuple[str, ...]


class Special(msgspec.Struct, frozen=True):
    """The special hand that thirteen cards are."""

    id: str
    level: int
    measure: Measure
    value: int
    cites: tuple[str, ...]

    @property
    def order(self) -> tuple[int, int]:
        """Return what a larger special has more of; equal specials have it equal."""
        return (self.level, self.measure)


Rows = Callable[[Config], tuple[Row, ...]]


def find_special(hand: Tally, rows: tuple[Row, ...]) -> Special | None:
    """Return the first special hand among `rows` that the cards are, or None."""
    for row in rows:
        measure = row.pattern(hand)
        if measure:
            return Special(row.id, row.level, int(measure), row.value, row.cites)
    return None


def none(config: Config) -> tuple[Row, ...]:
    """Return no row: the rule set has no special hands (ENC-1, ENC-6)."""
    return ()


def no_arranging(config: Config) -> tuple[Row, ...]:
    """Return the hands that need not be arranged (免擺, ENC-2)."""
    cites = ("ENC-2", "TV-09")
    return (
        Row("straight_flush", patterns.best_straight_flush, 2, 1, cites),
        Row("four_of_a_kind", patterns.best_four_of_a_kind, 1, 1, cites),
    )


def declare(config: Config) -> tuple[Row, ...]:
    """Return the special hands of ENC-3: declared hands (報到) are all equal (TV-15)."""
    declared = ("ENC-3", "TV-15", "TV-16")
    return (
        Row("suited_dragon", patterns.suited_dragon_by_suit, 3, 1, ("ENC-3",)),
        Row("dragon", patterns.is_dragon, 2, 1, ("ENC-3",)),
        Row("six_and_a_half_pairs", patterns.is_six_and_a_half_pairs, 1, 1, declared),
        Row("three_straights", patterns.is_three_straights, 1, 1, declared),
        Row("three_flushes", patterns.is_three_flushes, 1, 1, declared),
    )


LOWEST_TIER = 7


def tier_of(special: Special) -> int:
    """Return the tier of a whole hand in ENC-4 and ENC-5: the lower number wins."""
    return LOWEST_TIER + 1 - special.level


def _tier(tier: int, name: str, pattern: Pattern, enc: str, *cites: str) -> Row:
    return Row(name, pattern, LOWEST_TIER + 1 - tier, 1, (enc, *cites))


def hundred_change(config: Config) -> tuple[Row, ...]:
    """Return the tiers of 百變13張 (ENC-4); there is always a pair."""
    big = patterns.within_without_gap if config.no_gap_scope == "both" else patterns.within
    return _tiers("ENC-4", config, big, patterns.within_without_gap, patterns.is_three_flushes)


def shaoxing(config: Config) -> tuple[Row, ...]:
    """Return the tiers of 紹興13張 (ENC-5): small hands may lack ranks, flushes differ in suit."""
    return _tiers(
        "ENC-5", config, patterns.within, patterns.within, patterns.is_three_suits_flushes
    )


def _tiers(
    enc: str,
    config: Config,
    big: Callable[..., Pattern],
    small: Callable[..., Pattern],
    three_flushes: Pattern,
) -> tuple[Row, ...]:
    one_colour = (
        patterns.is_nearly_one_colour if config.one_colour_counts else patterns.is_one_off_colour
    )
    return (
        _tier(1, "one_off_colour", one_colour, enc, "TV-21"),
        _tier(1, "dragon", patterns.is_dragon, enc),
        _tier(1, "five_pairs_and_trips", patterns.is_five_pairs_and_trips, enc, "TV-20"),
        _tier(2, "all_big", big(*patterns.SIX_TO_KING), enc, "TV-22", "TV-23"),
        _tier(2, "all_small", small(*patterns.TWO_TO_TEN), enc, "TV-22", "TV-23"),
        _tier(2, "six_and_a_half_pairs", patterns.is_six_and_a_half_pairs, enc, "TV-19"),
        _tier(3, "half_big", big(*patterns.SIX_TO_ACE), enc, "TV-22", "TV-23"),
        _tier(3, "half_small", small(*patterns.ACE_TO_TEN), enc, "TV-22", "TV-23"),
        _tier(3, "three_straights", patterns.is_three_straights, enc, "TV-16", "TV-17"),
        _tier(3, "three_flushes", three_flushes, enc, "TV-16", "TV-18"),
        _tier(4, "straight_flush", patterns.best_straight_flush, enc, "TV-24"),
        _tier(5, "four_of_a_kind", patterns.best_four_of_a_kind, enc, "TV-24"),
        _tier(6, "three_of_a_kind", patterns.best_three_of_a_kind, enc, "TV-24"),
        _tier(LOWEST_TIER, "pairs", patterns.best_pair, enc, "TV-24"),
    )


def declare_2(config: Config) -> tuple[Row, ...]:
    """Return the special hands of 報到13張2 (ENC-7): seven times the bet, or four."""
    declared = ("ENC-7", "TV-16")
    return (
        Row("dragon", patterns.is_dragon, 2, 7, ("ENC-7",)),
        Row("six_and_a_half_pairs", patterns.is_six_and_a_half_pairs, 1, 4, declared),
        Row("three_straights", patterns.is_three_straights, 1, 4, declared),
        Row("three_flushes", patterns.is_three_flushes, 1, 4, declared),
        Row("all_small_2_10", patterns.within(*patterns.TWO_TO_TEN), 1, 4, (*declared, "TV-32")),
    )


def banker_xianggong(config: Config) -> tuple[Row, ...]:
    """Return the special hands of the banker game (報到, ENC-B): thirteen units, or three."""
    declared = ("ENC-B", "TV-16")
    crossed = ("ENC-B", "TV-38")
    return (
        Row("suited_dragon", patterns.is_suited_dragon, 1, 13, ("ENC-B", "TV-39")),
        Row("dragon", patterns.is_dragon, 1, 13, ("ENC-B",)),
        Row("three_straights", patterns.is_three_straights, 1, 3, declared),
        Row("three_flushes", patterns.is_three_flushes, 1, 3, declared),
        Row("six_and_a_half_pairs", patterns.is_six_and_a_half_pairs, 1, 3, declared),
        Row("all_big", patterns.within(*patterns.FIVE_TO_ACE), 1, 3, crossed),
        Row("all_small", patterns.within(*patterns.ACE_TO_TEN), 1, 3, crossed),
    )


def four_player(config: Config) -> tuple[Row, ...]:
    """Return the special hands paid by every other player (ENC-T), from the highest rank."""
    straights = ("ENC-T", "TV-17")
    rows = (
        Row("suited_dragon", patterns.is_suited_dragon, 12, 108, ("ENC-T", "TV-47")),
        Row("dragon", patterns.is_dragon, 11, 36, ("ENC-T", "TV-47")),
        Row("twelve_royals", patterns.within(*patterns.JACK_TO_ACE), 10, 24, ("ENC-T", "TV-49")),
        Row(
            "three_straight_flushes",
            patterns.is_three_straight_flushes,
            9,
            20,
            (*straights, "TV-56"),
        ),
        Row("three_quads", patterns.is_three_quads, 8, 20, ("ENC-T",)),
        Row("all_big", patterns.within(*patterns.EIGHT_TO_ACE), 7, 10, ("ENC-T",)),
        Row("all_small", patterns.within(*patterns.TWO_TO_EIGHT), 6, 10, ("ENC-T",)),
        Row("one_colour", patterns.is_one_colour, 5, 10, ("ENC-T",)),
        Row("four_trips", patterns.is_four_trips, 4, 6, ("ENC-T", "TV-50")),
        Row("six_and_a_half_pairs", patterns.is_six_and_a_half_pairs, 3, 4, ("ENC-T",)),
        Row("three_straights", patterns.is_three_straights_without_qka, 2, 4, straights),
        Row("three_flushes", patterns.is_three_flushes, 1, 3, ("ENC-T",)),
    )
    if config.twelve_royals_enabled:
        return rows
    return tuple(row for row in rows if row.id != "twelve_royals")
