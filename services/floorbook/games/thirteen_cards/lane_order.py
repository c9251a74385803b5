"""Which of two lanes is larger in a variant, and when suits settle it (B0, B3, B8)."""

from collections.abc import Callable

import msgspec

from floorbook.games.thirteen_cards.cards import RANK_OF, SUIT_RANK, Card
from floorbook.games.thirteen_cards.lanes import HIGH_CARD, class_of, leading


class Lane(msgspec.Struct, frozen=True):
    """One lane of a hand: its cards, and how strong they are; nothing for a fouled hand."""

    cards: tuple[Card, ...]
    strength: int


Order = Callable[[Lane, Lane], int]  # above 0 if the first is larger, below 0 if the second is


def by_ranks(a: Lane, b: Lane) -> int:
    """Return which lane is larger by class and ranks alone; equal lanes are drawn (TV-05)."""
    return a.strength - b.strength


def by_ranks_then_suit(a: Lane, b: Lane) -> int:
    """Return which lane is larger, equal ranks by the suit of the leading card (TV-33, TV-35)."""
    if a.strength != b.strength or not a.cards:
        return a.strength - b.strength
    return leading_suit(a.cards) - leading_suit(b.cards)


def by_suits_of_declare(a: Lane, b: Lane) -> int:
    """Return which lane is larger by ENC-3: as above, but equal high cards are drawn (TV-12)."""
    if class_of(a.strength) == HIGH_CARD:
        return by_ranks(a, b)
    return by_ranks_then_suit(a, b)


def by_leading_rank(a: Lane, b: Lane) -> int:
    """Return which lane is larger by class and the leading rank only (只比點數最大的一隻牌, TV-34)."""
    return leading(a.strength) - leading(b.strength)


def leading_suit(cards: tuple[Card, ...]) -> int:
    """Return the suit of a lane's leading card, spade the highest.

    The leading card is the better suit of the pair, or of the larger pair, and else the highest
    card: in A2345 that is the ace.
    """
    ranks = [RANK_OF[card] for card in cards]
    rank = max(ranks, key=lambda rank: (ranks.count(rank), rank))
    return max(SUIT_RANK[card[1]] for card in cards if RANK_OF[card] == rank)
