"""Whether a hand is a fixed combination (固定組合, Art.9-I): it beats every hand that is none."""

from floorbook.games.thirteen_cards.arrangement import Arrangement
from floorbook.games.thirteen_cards.cards import Card, ranks_of
from floorbook.games.thirteen_cards.config import Config
from floorbook.games.thirteen_cards.lanes import is_run
from floorbook.games.thirteen_cards.patterns import (
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
    return fixed_in_cards(cards, config) or (fixed_as_laid(laid) if laid else None)


def fixed_in_cards(cards: tuple[Card, ...], config: Config) -> str | None:
    """Return which fixed combination the thirteen cards are, however they are laid."""
    if 7 < len({card[0] for card in cards}) < 13:
        return None  # too many ranks for pairs, too few for a dragon: so it is with most hands
    hand = tally(cards)
    if is_dragon(hand):
        return "dragon"
    if is_six_and_a_half_pairs(hand) and (config.six_pairs_allow_trips or not has_odd_trips(hand)):
        return "six_and_a_half_pairs"
    return None


def fixed_as_laid(laid: Arrangement) -> str | None:
    """Return which fixed combination the lanes are as they lie.

    Three flushes (三花) may share a suit (TC-22); three straights (三順) may be of one suit (TC-23).
    """
    front, middle, back = laid.lanes
    if _is_of_one_suit(front) and _is_of_one_suit(middle) and _is_of_one_suit(back):
        return "three_flushes"
    if is_run(ranks_of(front)) and is_run(ranks_of(middle)) and is_run(ranks_of(back)):
        return "three_straights"
    return None


def _is_of_one_suit(lane: tuple[Card, ...]) -> bool:
    return len({card[1] for card in lane}) == 1
