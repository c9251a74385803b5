"""Which patterns thirteen cards make, whatever the lanes: one pattern, one small function (B0).

A pattern answers how good it is: 0 if it is not there, 1 if there is nothing to compare, and else
the rank that settles two of the same kind.
"""

from collections.abc import Callable, Sequence
from functools import cache
from itertools import combinations, combinations_with_replacement

import msgspec

from floorbook.games.thirteen_cards.cards import (
    ACE,
    JACK,
    KING,
    RANK_OF,
    SUIT_RANK,
    SUITS,
    Card,
    ranks_of,
)
from floorbook.games.thirteen_cards.lanes import LOW_ACE_SECOND, straight_number

Measure = int


class Tally(msgspec.Struct, frozen=True):
    """A hand of thirteen cards as the patterns look at it."""

    cards: tuple[Card, ...]
    ranks: tuple[int, ...]  # from the highest
    counts: tuple[int, ...]  # how many cards of each rank; the rank is the index


Pattern = Callable[[Tally], Measure]


def tally(cards: Sequence[Card]) -> Tally:
    """Return thirteen `cards`, counted."""
    ranks = ranks_of(cards)
    counts = [0] * (ACE + 1)
    for rank in ranks:
        counts[rank] += 1
    return Tally(tuple(cards), ranks, tuple(counts))


def ranks_by_suit(hand: Tally) -> dict[str, list[int]]:
    """Return the ranks in each suit that the hand has."""
    found: dict[str, list[int]] = {}
    for card in hand.cards:
        found.setdefault(card[1], []).append(RANK_OF[card])
    return found


# Whole hands


def is_dragon(hand: Tally) -> bool:
    """Return whether every rank is there once (一條龍, 十三水), in any suits."""
    return max(hand.counts) == 1


def is_suited_dragon(hand: Tally) -> bool:
    """Return whether the hand is a whole suit (同花十三水, 一條青龍, 至尊清龍)."""
    return len({card[1] for card in hand.cards}) == 1


def suited_dragon_by_suit(hand: Tally) -> Measure:
    """Return the suit of a suited dragon, where suits settle two of them (ENC-3)."""
    return SUIT_RANK[hand.cards[0][1]] if is_suited_dragon(hand) else 0


def is_six_and_a_half_pairs(hand: Tally) -> bool:
    """Return whether there are six pairs and an odd card (六對半).

    Four equal ranks make two pairs, and the odd card may match a pair (TC-21, TV-19).
    """
    return sum(count // 2 for count in hand.counts) == 6


def has_odd_trips(hand: Tally) -> bool:
    """Return whether the odd card of six and a half pairs makes three of a rank (TC-21)."""
    return 3 in hand.counts


def is_five_pairs_and_trips(hand: Tally) -> bool:
    """Return whether there are five pairs and three of a rank (5對子3個頭); a four is two pairs."""
    return [count for count in hand.counts if count % 2] == [3]  # TV-20


def is_four_trips(hand: Tally) -> bool:
    """Return whether four ranks have at least three cards each (四套三條, TV-50)."""
    return sum(count >= 3 for count in hand.counts) == 4


def is_three_quads(hand: Tally) -> bool:
    """Return whether three ranks have four cards each (三分天下)."""
    return hand.counts.count(4) == 3


def red_cards(hand: Tally) -> int:
    """Return how many cards are hearts or diamonds."""
    return sum(card[1] in "hd" for card in hand.cards)


def is_one_off_colour(hand: Tally) -> bool:
    """Return whether twelve cards are of one colour and one is not (全黑一張紅, 全紅一張黑)."""
    return red_cards(hand) in (1, 12)


def is_one_colour(hand: Tally) -> bool:
    """Return whether all cards are black or all red (湊一色)."""
    return red_cards(hand) in (0, 13)


def is_nearly_one_colour(hand: Tally) -> bool:
    """Return whether at least twelve cards are of one colour (TV-21)."""
    return is_one_off_colour(hand) or is_one_colour(hand)


# Hands within a range of ranks (全大, 全小, 半大, 半小)


def within(*allowed: int) -> Pattern:
    """Return the pattern of hands whose ranks are all `allowed`; counts do not matter (TV-23)."""
    ranks = frozenset(allowed)
    return lambda hand: ranks.issuperset(hand.ranks)


def within_without_gap(*allowed: int) -> Pattern:
    """Return the pattern of hands that have all the `allowed` ranks and no other (不能缺, TV-22)."""
    ranks = frozenset(allowed)
    return lambda hand: ranks == set(hand.ranks)


SIX_TO_KING = tuple(range(6, KING + 1))
TWO_TO_TEN = tuple(range(2, 11))
SIX_TO_ACE = tuple(range(6, ACE + 1))
ACE_TO_TEN = (ACE, *TWO_TO_TEN)
FIVE_TO_ACE = tuple(range(5, ACE + 1))
TWO_TO_EIGHT = tuple(range(2, 9))
EIGHT_TO_ACE = tuple(range(8, ACE + 1))
JACK_TO_ACE = tuple(range(JACK, ACE + 1))


# Hands that can be split into three lanes of a kind (TV-16)


def is_three_straights(hand: Tally) -> bool:
    """Return whether some split has three consecutive lanes (三順子); QKA may be in front."""
    return hand.ranks in _three_straights(_RUNS_OF_THREE)


def is_three_straights_without_qka(hand: Tally) -> bool:
    """Return whether some split has three consecutive lanes, QKA in front not counting (TV-17)."""
    return hand.ranks in _three_straights(_RUNS_OF_THREE_WITHOUT_QKA)


def _runs(length: int) -> tuple[tuple[int, ...], ...]:
    """Return all runs of `length` ranks from the highest; with an ace they are high or low."""
    low_ace = (ACE, *range(length, 1, -1))
    highs = range(ACE, length, -1)
    return (*(tuple(range(high, high - length, -1)) for high in highs), low_ace)


_RUNS_OF_THREE = _runs(3)
_RUNS_OF_THREE_WITHOUT_QKA = _RUNS_OF_THREE[1:]
_RUNS_OF_FIVE = _runs(5)


@cache
def _three_straights(fronts: tuple[tuple[int, ...], ...]) -> frozenset[tuple[int, ...]]:
    """Return the ranks of every hand that splits into a front and two straights: at most 660."""
    hands = (
        tuple(sorted(front + middle + back, reverse=True))
        for front in fronts
        for middle, back in combinations_with_replacement(_RUNS_OF_FIVE, 2)
    )
    return frozenset(ranks for ranks in hands if all(ranks.count(rank) <= 4 for rank in ranks))


_FLUSH_SPLITS = ((3, 5, 5), (5, 8), (3, 10), (13,))


def is_three_flushes(hand: Tally) -> bool:
    """Return whether some split has every lane of one suit (三花); suits may repeat."""
    return _suit_counts(hand) in _FLUSH_SPLITS


def is_three_suits_flushes(hand: Tally) -> bool:
    """Return whether some split has lanes of three different suits (3個不同的花色, TV-18)."""
    return _suit_counts(hand) == (3, 5, 5)


def _suit_counts(hand: Tally) -> tuple[int, ...]:
    return tuple(sorted(len(ranks) for ranks in ranks_by_suit(hand).values()))


def is_three_straight_flushes(hand: Tally) -> bool:
    """Return whether some split has every lane consecutive and of one suit (三同花順, TV-56)."""
    if not is_three_flushes(hand) or not is_three_straights_without_qka(hand):
        return False
    held = frozenset(hand.cards)
    fives = [run for run in _suited(_RUNS_OF_FIVE) if run <= held]
    fronts = _suited(_RUNS_OF_THREE_WITHOUT_QKA)
    return any(
        not one & other and held - one - other in fronts for one, other in combinations(fives, 2)
    )


@cache
def _suited(runs: tuple[tuple[int, ...], ...]) -> frozenset[frozenset[Card]]:
    """Return `runs` of ranks in each suit."""
    card_of = {(rank, card[1]): card for card, rank in RANK_OF.items()}
    return frozenset(
        frozenset(card_of[rank, suit] for rank in run) for run in runs for suit in SUITS
    )


# The best item in a hand (TV-09, TV-24)


def best_straight_flush(hand: Tally) -> Measure:
    """Return how high the best straight flush (同花順) among the thirteen cards is; 0 for none."""
    return max(
        (
            straight_number(run, LOW_ACE_SECOND.low_ace) or 0
            for ranks in ranks_by_suit(hand).values()
            if len(ranks) >= 5
            for run in _RUNS_OF_FIVE
            if set(ranks).issuperset(run)
        ),
        default=0,
    )


def best_four_of_a_kind(hand: Tally) -> Measure:
    """Return the rank of the best four of a kind (炸彈) among the thirteen cards; 0 for none."""
    return _best_of(hand, 4)


def best_three_of_a_kind(hand: Tally) -> Measure:
    """Return the rank of the best three of a kind (三個頭) among the thirteen cards; 0 for none."""
    return _best_of(hand, 3)


def best_pair(hand: Tally) -> Measure:
    """Return the rank of the best pair (對子) among the thirteen cards; 0 for none."""
    return _best_of(hand, 2)


def _best_of(hand: Tally, number: int) -> Measure:
    return max((rank for rank in hand.ranks if hand.counts[rank] >= number), default=0)
