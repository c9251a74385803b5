"""Whether a hand is a fixed combination (固定組合, Art.9-I): it beats every hand that is none."""

from floorbook.games.thirteen_cards.arrangement import Arrangement
from floorbook.games.thirteen_cards.cards import Card, ranks_of
from floorbook.games.thirteen_cards.config import Config
from floorbook.games.thirteen_cards.lanes import is_run
from floorbook.games.thirteen_cards.patterns import (
    Tally,
    has_odd_trips,
    is_dragon,
    is_six_and_a_half_pairs,
    tally,
)

FIXED_UNITS = 3  # what a fixed combination, a foul or lateness is worth (Art.9-I, TC-34)


def fixed_combination(
    cards: tuple[Card, ...], laid: Arrangement | None, config: Config
) -> str | None:
    """Return the first fixed combination in the order of A8 that a hand is, or None (TC-24).

    Three flushes and three straights count as laid, so without an arrangement they are not seen
    (TC-20).
    """
    return fixed_in_cards(tally(cards), config) or (fixed_as_laid(laid) if laid else None)


def fixed_in_cards(hand: Tally, config: Config) -> str | None:
    """Return which fixed combination the thirteen cards are, however they are laid."""
    if is_dragon(hand):
        return "dragon"
    if is_six_and_a_half_pairs(hand) and (config.six_pairs_allow_trips or not has_odd_trips(hand)):
        return "six_and_a_half_pairs"
    return None


def fixed_as_laid(laid: Arrangement) -> str | None:
    """Return which fixed combination the lanes are as they lie."""
    if are_three_flushes(laid):
        return "three_flushes"
    if are_three_straights(laid):
        return "three_straights"
    return None


def are_three_flushes(laid: Arrangement) -> bool:
    """Return whether every lane is of a single suit (三花); lanes may share one (TC-22)."""
    return all(len({card[1] for card in lane}) == 1 for lane in laid.lanes)


def are_three_straights(laid: Arrangement) -> bool:
    """Return whether every lane is consecutive (三順), of one suit or not (TC-23)."""
    return all(is_run(ranks_of(lane)) for lane in laid.lanes)
