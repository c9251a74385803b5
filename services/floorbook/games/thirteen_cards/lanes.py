"""How strong a lane is, and what winning it is worth (Art.9-II, A9).

A strength is one integer: the class, then the tie-break key position by position. A key that runs
out is filled with zeros, so that a front lane is smaller than a five-card lane that begins with
the same ranks (TC-17). Suits count only in that five cards of one suit make a flush.

All strengths are worked out once for each ranking and looked up afterwards, by the sum of the
cards' weights: 7,462 different fives and 455 fronts.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import combinations, combinations_with_replacement

from floorbook.games.thirteen_cards.cards import ACE, PACK, RANK_OF, Card

LANES = ("front", "middle", "back")  # 頭道, 二道, 尾道
LANE_SIZES = {"front": 3, "middle": 5, "back": 5}

CLASSES = (
    "foul",  # 倒道: a lane of a fouled hand in the variants (TV-03)
    "high_card",
    "one_pair",
    "two_pairs",
    "three_of_a_kind",
    "straight",
    "flush",
    "full_house",
    "four_of_a_kind",
    "straight_flush",
    "royal_flush",
)
(
    FOUL,
    HIGH_CARD,
    ONE_PAIR,
    TWO_PAIRS,
    THREE_OF_A_KIND,
    STRAIGHT,
    FLUSH,
    FULL_HOUSE,
    FOUR_OF_A_KIND,
    STRAIGHT_FLUSH,
    ROYAL_FLUSH,
) = range(len(CLASSES))

_CLASS_SHIFT = 20  # five ranks of four bits each lie below the class
_LOW_ACE = (ACE, 5, 4, 3, 2)
_HIGHEST_STRAIGHT = 10  # AKQJ10


# Powers of five count up to four cards of each rank, so equal sums have equal ranks.
WEIGHT: dict[Card, int] = {card: 5 ** (RANK_OF[card] - 2) for card in PACK}
_RANKS = range(ACE, 1, -1)


@dataclass(frozen=True)
class Ranking:
    """Where the rule sets differ in the order of lanes."""

    low_ace: int  # strength of A2345 among 0, 1 (65432) … 8 (KQJ109), 10 (AKQJ10)
    royals: bool  # whether AKQJ10 of one suit (黃袍麒) is a class of its own

    @cached_property
    def mixed(self) -> Mapping[int, int]:
        """Return the strength of every five of several suits, by the sum of their weights."""
        fives = combinations_with_replacement(_RANKS, 5)
        return {
            weight_of(five): strength_of_five(five, False, self.low_ace, self.royals)
            for five in fives
            if five[0] != five[4]
        }

    @cached_property
    def suited(self) -> Mapping[int, int]:
        """Return the strength of every five of one suit, by the sum of their weights."""
        return {
            weight_of(five): strength_of_five(five, True, self.low_ace, self.royals)
            for five in combinations(_RANKS, 5)
        }


@cache
def threes() -> Mapping[int, int]:
    """Return the strength of every front, by the sum of its weights."""
    return {
        weight_of(three): strength_of_three(three)
        for three in combinations_with_replacement(_RANKS, 3)
    }


def weight_of(ranks: Sequence[int]) -> int:
    """Return what the tables know `ranks` by."""
    return sum(5 ** (rank - 2) for rank in ranks)


# A straight flush A2345 is the largest below the royal, a straight A2345 is second (TC-25): with
# the royals in a class of their own both are the strength between KQJ109 and AKQJ10.
OFFICIAL = Ranking(low_ace=9, royals=True)
LOW_ACE_SECOND = Ranking(low_ace=9, royals=False)  # TV-07
LOW_ACE_LOWEST = Ranking(low_ace=0, royals=False)  # TV-07, TV-53


def strength(cards: Sequence[Card], ranking: Ranking) -> int:
    """Return the strength of a lane of three or five `cards`: the larger lane has the larger one.

    A front lane is never a straight or a flush (TC-18, TV-08).
    """
    # The work of most requests is done here: two looks at each card and one at a table.
    weight = WEIGHT
    if len(cards) == 3:
        a, b, c = cards
        return threes()[weight[a] + weight[b] + weight[c]]
    a, b, c, d, e = cards
    one_suit = a[1] == b[1] == c[1] == d[1] == e[1]
    table = ranking.suited if one_suit else ranking.mixed
    return table[weight[a] + weight[b] + weight[c] + weight[d] + weight[e]]


def class_of(strength: int) -> int:
    """Return the class of a lane as one of the numbers above."""
    return strength >> _CLASS_SHIFT


def class_id(strength: int) -> str:
    """Return the class of a lane as it is named in results."""
    return CLASSES[strength >> _CLASS_SHIFT]


def leading(strength: int) -> int:
    """Return the class and the first element of the key: the four's, three's or pair's rank, the
    straight's number, the top card of a flush or of high cards."""
    return strength >> (_CLASS_SHIFT - 4)


def _strength(class_number: int, *key: int) -> int:
    """Return a class and its tie-break key as one integer."""
    packed = class_number
    for place in range(5):
        packed = packed << 4 | (key[place] if place < len(key) else 0)
    return packed


def strength_of_three(ranks: tuple[int, ...]) -> int:
    """Return the strength of a front lane with `ranks`, given from the highest."""
    high, middle, low = ranks
    if high == low:
        return _strength(THREE_OF_A_KIND, high)
    if high == middle:
        return _strength(ONE_PAIR, high, low)
    if middle == low:
        return _strength(ONE_PAIR, middle, high)
    return _strength(HIGH_CARD, high, middle, low)


def strength_of_five(ranks: tuple[int, ...], suited: bool, low_ace: int, royals: bool) -> int:
    """Return the strength of a middle or back lane with `ranks`, given from the highest."""
    straight = straight_number(ranks, low_ace)
    if suited:
        if straight is None:
            return _strength(FLUSH, *ranks)
        if royals and straight == _HIGHEST_STRAIGHT:
            return _strength(ROYAL_FLUSH)
        return _strength(STRAIGHT_FLUSH, straight)
    if straight is not None:
        return _strength(STRAIGHT, straight)
    # The most frequent rank comes first, and of equally frequent ones the higher.
    by_count = sorted(set(ranks), key=lambda rank: (ranks.count(rank), rank), reverse=True)
    match [ranks.count(rank) for rank in by_count]:
        case [4, 1]:
            return _strength(FOUR_OF_A_KIND, by_count[0])  # the fifth card is ignored (TC-29)
        case [3, 2]:
            return _strength(FULL_HOUSE, by_count[0])  # the pair is ignored (TC-29)
        case [3, 1, 1]:
            return _strength(THREE_OF_A_KIND, by_count[0])  # the others are ignored (TC-29)
        case [2, 2, 1]:
            return _strength(TWO_PAIRS, *by_count)
        case [2, 1, 1, 1]:
            return _strength(ONE_PAIR, *by_count)
        case _:
            return _strength(HIGH_CARD, *ranks)


def straight_number(ranks: tuple[int, ...], low_ace: int) -> int | None:
    """Return how high a straight (順子) is, or none: nothing wraps but A2345."""
    if ranks == _LOW_ACE:
        return low_ace
    if len(set(ranks)) < 5 or ranks[0] - ranks[4] != 4:
        return None
    return _HIGHEST_STRAIGHT if ranks[0] == ACE else ranks[0] - 5


def is_run(ranks: tuple[int, ...]) -> bool:
    """Return whether different `ranks`, given from the highest, are consecutive (順).

    An ace is high or low, and nothing wraps: QKA and A23 yes, KA2 no (TC-23).
    """
    if len(set(ranks)) < len(ranks):
        return False
    if ranks[0] - ranks[-1] == len(ranks) - 1:
        return True
    return ranks[0] == ACE and ranks[1:] == tuple(range(len(ranks), 1, -1))


# What the winner of a lane scores in the official game, by lane (Art.9-II); 1 is not listed.
_UNITS = {
    ("front", THREE_OF_A_KIND): 3,
    ("middle", FULL_HOUSE): 2,
    ("middle", FOUR_OF_A_KIND): 8,
    ("middle", STRAIGHT_FLUSH): 10,
    ("middle", ROYAL_FLUSH): 10,
    ("back", FOUR_OF_A_KIND): 4,
    ("back", STRAIGHT_FLUSH): 5,
    ("back", ROYAL_FLUSH): 5,
}


def lane_units(lane: str, strength: int) -> int:
    """Return what the winner of `lane` scores: the units of his own class (TC-31).

    The banker games among the variants have the same table (ENC-7, ENC-B).
    """
    return _UNITS.get((lane, strength >> _CLASS_SHIFT), 1)
