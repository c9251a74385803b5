"""Whether thirteen cards are laid as three lanes, and in order (Art.7)."""

from collections.abc import Sequence

import msgspec

from floorbook.games.thirteen_cards.cards import Card, are_cards
from floorbook.games.thirteen_cards.lanes import LANE_SIZES, Ranking, strength

HAND_SIZE = 13


class Arrangement(msgspec.Struct, frozen=True):
    """Thirteen cards laid as three lanes. The order inside a lane has no meaning."""

    front: tuple[Card, ...]
    middle: tuple[Card, ...]
    back: tuple[Card, ...]

    @property
    def cards(self) -> tuple[Card, ...]:
        """Return all thirteen cards."""
        return self.front + self.middle + self.back

    @property
    def lanes(self) -> tuple[tuple[Card, ...], ...]:
        """Return the lanes from the front to the back."""
        return (self.front, self.middle, self.back)

    def strengths(self, ranking: Ranking) -> tuple[int, int, int]:
        """Return the strength of each lane, from the front to the back."""
        return (
            strength(self.front, ranking),
            strength(self.middle, ranking),
            strength(self.back, ranking),
        )


class Hand(msgspec.Struct, frozen=True):
    """What one gate holds when the round is complete."""

    gate: int
    cards: tuple[Card, ...] | None
    laid: Arrangement | None
    elapsed_ms: int = 0  # official: from the banker's opening to the complete arrangement
    declared: bool = True  # variants: whether a special hand is announced (TV-60)


def check_arrangement(
    front: Sequence[object],
    middle: Sequence[object],
    back: Sequence[object],
    hand: Sequence[Card] | None,
) -> str | None:
    """Return what is wrong with a laid hand, the first fault in A12's order, or None.

    An arrangement that can be none is refused and may be laid again (TC-44); a fouled one is not
    refused, it loses. Without a `hand` any thirteen cards will do.
    """
    laid = [*front, *middle, *back]
    if not are_cards(laid):
        return "BAD_CARD"
    if (len(front), len(middle), len(back)) != tuple(LANE_SIZES.values()):
        return "BAD_LANE_SIZE"
    if len(set(laid)) < HAND_SIZE:
        return "DUPLICATE_CARD"
    if hand is not None and set(laid) != set(hand):
        return "CARDS_MISMATCH"
    return None


def in_order(strengths: tuple[int, int, int], strict: bool) -> bool:
    """Return whether the lanes run from small to large (A6).

    Equal lanes are in order (TC-16, TV-04) unless `strict` (TV-37).
    """
    front, middle, back = strengths
    return front < middle < back if strict else front <= middle <= back
