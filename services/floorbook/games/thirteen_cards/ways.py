"""All the ways in which thirteen cards can be laid as three lanes: 72,072, before any rule.

There are only 286 fronts and 1,287 fives, so each lane is looked at once per hand, and a way is
three numbers: which front, which five in the middle, which five at the back. How the numbers
belong together is the same for every hand.
"""

from collections.abc import Iterable, Iterator
from functools import cache
from itertools import combinations

import msgspec

from floorbook.games.thirteen_cards.arrangement import HAND_SIZE, Arrangement
from floorbook.games.thirteen_cards.cards import RANK_OF, SUITS, Card
from floorbook.games.thirteen_cards.lanes import (
    FLUSH as FLUSH_CLASS,
)
from floorbook.games.thirteen_cards.lanes import (
    OFFICIAL,
    ROYAL_FLUSH,
    STRAIGHT,
    STRAIGHT_FLUSH,
    WEIGHT,
    class_of,
    is_run,
    threes,
)

RAW_WAYS = 72_072

Way = tuple[int, int, int]  # which front, which middle, which back

_THREES = tuple(combinations(range(HAND_SIZE), 3))
_FIVES = tuple(combinations(range(HAND_SIZE), 5))

# What a lane contributes to a fixed combination: three lanes have one in common, or it is none.
FLUSH, RUN = 1, 2


class Splits(msgspec.Struct, frozen=True):
    """For each five at the back: every middle that leaves a front, and those fronts beside them."""

    middles: tuple[tuple[int, ...], ...]
    fronts: tuple[tuple[int, ...], ...]


@cache
def splits() -> Splits:
    """Return how fronts and fives belong together, whatever the cards."""
    five_of = _number_of_five()
    three_of = {three: number for number, three in enumerate(_THREES)}
    middles, fronts = [], []
    for back in _FIVES:
        rest = [place for place in range(HAND_SIZE) if place not in back]
        inside = tuple(combinations(rest, 5))
        middles.append(tuple(five_of[middle] for middle in inside))
        # The threes left over come in the opposite order of the fives taken out.
        fronts.append(tuple(three_of[front] for front in combinations(rest, 3))[::-1])
    return Splits(tuple(middles), tuple(fronts))


class Ways(msgspec.Struct, frozen=True):
    """The lanes of one hand by number, with their strengths in the official game."""

    cards: tuple[Card, ...]  # from the highest rank
    fronts: list[int]
    fives: list[int]
    weights: list[int]  # of the fives: equal for equal ranks
    long: int  # a bit for each card of a suit that can make a flush

    def distinct(self, fives: Iterable[int]) -> Iterable[int]:
        """Return one of all `fives` that leave equally strong lanes beside them.

        Cards of one rank are as good as each other but for flushes. What is a fixed combination
        as laid is not seen: three cards of one suit may be one there.
        """
        masks, long, weights = _masks(), self.long, self.weights
        return {(weights[five], masks[five] & long): five for five in fives}.values()

    def lay(self, way: Way) -> Arrangement:
        """Return the arrangement of a way."""
        front, middle, back = way
        return Arrangement(
            tuple(self.cards[place] for place in _THREES[front]),
            tuple(self.cards[place] for place in _FIVES[middle]),
            tuple(self.cards[place] for place in _FIVES[back]),
        )

    def strengths(self, way: Way) -> tuple[int, int, int]:
        """Return how strong the lanes of a way are."""
        front, middle, back = way
        return self.fronts[front], self.fives[middle], self.fives[back]


def ways_of(cards: tuple[Card, ...]) -> Ways:
    """Return the lanes that thirteen `cards` can make."""
    ordered = tuple(sorted(cards, key=RANK_OF.__getitem__, reverse=True))
    weights = [WEIGHT[card] for card in ordered]
    three, mixed, suited = threes(), OFFICIAL.mixed, OFFICIAL.suited
    weights_of_fives = _sums(weights, 5)
    fives = [mixed[weight] for weight in weights_of_fives]
    number_of = _number_of_five()
    for five in _suited_fives(ordered):
        fives[number_of[five]] = suited[sum(weights[place] for place in five)]
    suits = [card[1] for card in ordered]
    long = sum(1 << place for place, suit in enumerate(suits) if suits.count(suit) >= 5)
    fronts = [three[weight] for weight in _sums(weights, 3)]
    return Ways(ordered, fronts, fives, weights_of_fives, long)


def _sums(weights: list[int], size: int) -> list[int]:
    """Return the sum of every combination of `size` weights, in the order of `combinations`."""
    begun = [(0, 0)]  # the sum so far, and the first place that may be added
    for _ in range(size - 1):
        begun = [
            (total + weights[place], place + 1)
            for total, start in begun
            for place in range(start, HAND_SIZE)
        ]
    return [total + weight for total, start in begun for weight in weights[start:]]


def _suited_fives(cards: tuple[Card, ...]) -> Iterator[tuple[int, ...]]:
    """Return the places of every five cards of one suit."""
    for suit in SUITS:
        places = [place for place, card in enumerate(cards) if card[1] == suit]
        yield from combinations(places, 5)


@cache
def _number_of_five() -> dict[tuple[int, ...], int]:
    return {five: number for number, five in enumerate(_FIVES)}


@cache
def _masks() -> tuple[int, ...]:
    return tuple(sum(1 << place for place in five) for five in _FIVES)


class Kinds(msgspec.Struct, frozen=True):
    """Which lanes are of one suit, which are consecutive: `FLUSH` and `RUN` added."""

    fronts: list[int]
    fives: list[int]

    def fixed(self, way: Way) -> int:
        """Return which kinds all three lanes of a way share: 0 if it is no fixed combination."""
        front, middle, back = way
        return self.fronts[front] & self.fives[middle] & self.fives[back]


_KIND_OF_CLASS = {
    STRAIGHT: RUN,
    FLUSH_CLASS: FLUSH,
    STRAIGHT_FLUSH: FLUSH + RUN,
    ROYAL_FLUSH: FLUSH + RUN,
}


def kinds_of(ways: Ways) -> Kinds:
    """Return the kind of every lane, for hands that can be laid as a fixed combination."""
    fives = [_KIND_OF_CLASS.get(class_of(strength), 0) for strength in ways.fives]
    return Kinds([_kind_of_front(three) for three in combinations(ways.cards, 3)], fives)


def _kind_of_front(cards: tuple[Card, ...]) -> int:
    one_suit = len({card[1] for card in cards}) == 1
    return FLUSH * one_suit + RUN * is_run(tuple(RANK_OF[card] for card in cards))
