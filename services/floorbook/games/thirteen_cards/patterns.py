"""Which patterns thirteen cards make, whatever the lanes: one pattern, one small function (B0)."""

from collections.abc import Sequence

import msgspec

from floorbook.games.thirteen_cards.cards import ACE, Card, ranks_of


class Tally(msgspec.Struct, frozen=True):
    """A hand of thirteen cards as the patterns look at it."""

    cards: tuple[Card, ...]
    ranks: tuple[int, ...]  # from the highest
    counts: tuple[int, ...]  # how many cards of each rank; the rank is the index


def tally(cards: Sequence[Card]) -> Tally:
    """Return thirteen `cards`, counted."""
    ranks = ranks_of(cards)
    counts = [0] * (ACE + 1)
    for rank in ranks:
        counts[rank] += 1
    return Tally(tuple(cards), ranks, tuple(counts))


def is_dragon(hand: Tally) -> bool:
    """Return whether every rank is there once (一條龍, 十三水), in any suits."""
    return max(hand.counts) == 1


def is_six_and_a_half_pairs(hand: Tally) -> bool:
    """Return whether there are six pairs and an odd card (六對半).

    Four equal ranks make two pairs, and the odd card may match a pair (TC-21, TV-19).
    """
    return sum(count // 2 for count in hand.counts) == 6


def has_odd_trips(hand: Tally) -> bool:
    """Return whether the odd card of six and a half pairs makes three of a rank (TC-21)."""
    return 3 in hand.counts
