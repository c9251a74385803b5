"""How strong very many fives are at once, with numpy: the product's own strengths, looked up in one table.

No service settles so many hands that this would matter to it, so the product does without numpy. Whoever simulates or
recounts millions of hands takes this. Cards are numbers: four times the rank (0 for a two up to 12), and the suit.
"""

from functools import cached_property
from itertools import combinations_with_replacement
from types import ModuleType
from typing import Any

from floorbook.games.thirteen_cards.cards import PACK, RANK_OF, SUITS
from floorbook.games.thirteen_cards.lanes import Ranking, weight_of

# The smallest weights, found one after the other, with which no two sets of five ranks have the same sum.
WEIGHTS = (0, 1, 5, 22, 94, 312, 992, 2_422, 5_624, 12_522, 19_998, 43_258, 79_415)
SUIT_SHIFT = 19  # above it, how many cards there are of each suit: three bits each
CHUNK = 8_192  # columns of so many hands stay in the processor's cache

NUMBER_OF = {card: 4 * (RANK_OF[card] - 2) + SUITS.index(card[1]) for card in PACK}


class Batch:
    """Strengths of many fives under one ranking."""

    def __init__(self, numpy: ModuleType, ranking: Ranking) -> None:
        self._numpy: Any = numpy
        self._ranking = ranking

    @cached_property
    def _cards(self) -> Any:
        weights = [
            WEIGHTS[number // 4] + (1 << SUIT_SHIFT + 3 * (number % 4)) for number in range(52)
        ]
        return self._numpy.array(weights, dtype=self._numpy.int32)

    @cached_property
    def _tables(self) -> tuple[Any, Any]:
        """Strengths of mixed and of suited fives, by the sum of weights."""
        tables: list[Any] = []
        for strengths in (self._ranking.mixed, self._ranking.suited):
            table = self._numpy.zeros(5 * max(WEIGHTS), dtype=self._numpy.int32)
            seen = set()
            for ranks in combinations_with_replacement(range(14, 1, -1), 5):
                weight = weight_of(ranks)
                if weight in strengths:
                    total = sum(WEIGHTS[rank - 2] for rank in ranks)
                    assert total not in seen, "two fives have the same sum"
                    seen.add(total)
                    table[total] = strengths[weight]
            tables.append(table)
        mixed, suited = tables
        return mixed, suited

    def strengths(self, hands: Any) -> Any:
        """Return the strength of each hand; `hands` has five rows of card numbers."""
        numpy, cards = self._numpy, self._cards
        mixed, suited = self._tables
        found = numpy.empty(hands.shape[1], dtype=numpy.int32)
        for start in range(0, hands.shape[1], CHUNK):
            part = hands[:, start : start + CHUNK]
            total = cards.take(part[0])
            for row in part[1:]:
                total += cards.take(row)
            ranks = total & ((1 << SUIT_SHIFT) - 1)
            strengths = mixed.take(ranks)
            # Of the numbers up to five only five has both its first and its third bit.
            counts = total >> SUIT_SHIFT
            of_one_suit = numpy.flatnonzero(counts & (counts >> 2) & 0o1111)
            strengths[of_one_suit] = suited[ranks[of_one_suit]]
            found[start : start + CHUNK] = strengths
        return found
