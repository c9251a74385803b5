"""How a hand is best laid: for the house, blindly, and against a banker's open hand (section E).

Everything here is exact. What makes it fast is that most ways are never looked at: the back lanes
are taken in the order of what they can be worth, and the search ends when no other can be better.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator
from itertools import groupby

import msgspec

from floorbook.games.thirteen_cards.arrangement import Arrangement
from floorbook.games.thirteen_cards.cards import Card, ranks_of
from floorbook.games.thirteen_cards.config import Config
from floorbook.games.thirteen_cards.fixed import FIXED_UNITS, fixed_in_cards
from floorbook.games.thirteen_cards.lanes import LANES, lane_units
from floorbook.games.thirteen_cards.official import Judged
from floorbook.games.thirteen_cards.patterns import (
    is_three_flushes,
    is_three_straights,
    tally,
)
from floorbook.games.thirteen_cards.ways import (
    FLUSH,
    RUN,
    Kinds,
    Way,
    Ways,
    kinds_of,
    splits,
    ways_of,
)

Strengths = tuple[int, int, int]  # from the front to the back


class HouseWay(msgspec.Struct, frozen=True):
    """How the dealer lays a hand: as a fixed combination, or with the strongest back lane."""

    special: str | None
    laid: Arrangement


class Response(msgspec.Struct, frozen=True):
    """The best answer to a banker's open hand, and one arrangement that reaches it."""

    outcome: str
    margin: int
    laid: Arrangement


def count_legal(cards: tuple[Card, ...], config: Config) -> int:
    """Return how many of the 72,072 ways run from small to large; none is exempt."""
    ways = ways_of(cards)
    return sum(1 for back in range(len(ways.fives)) for _ in _legal_with(ways, back, config))


def pareto(cards: tuple[Card, ...], config: Config) -> frozenset[Strengths]:
    """Return the strengths of the legal ways that no other legal way dominates.

    A way dominates another if it is nowhere weaker and somewhere stronger. With the back lanes
    taken from the strongest, a way is dominated exactly if a way before it, or with as strong a
    back lane, is as strong in front and middle.
    """
    ways, table, gap = ways_of(cards), splits(), _gap(config)
    fronts, fives = ways.fronts, ways.fives
    ordered_fronts, ordered_fives = sorted(set(fronts)), sorted(set(fives))
    found: list[Strengths] = []
    steps = Staircase()
    for strength, backs in _backs_by_strength(ways):
        limit = strength - gap
        strongest_front = _at_most(ordered_fronts, _at_most(ordered_fives, limit) - gap)
        covered = steps.covered_middle(strongest_front)
        if limit <= covered:
            break  # weaker backs leave weaker middles and fronts, which are covered too
        laid = {
            (five, three)
            for back in ways.distinct(backs)
            for middle, front in zip(table.middles[back], table.fronts[back], strict=True)
            if covered < (five := fives[middle]) <= limit and (three := fronts[front]) + gap <= five
        }
        # From the strongest middle, and of one middle from the strongest front.
        for middle, front in sorted(laid, reverse=True):
            if not steps.covers(middle, front):
                steps.add(middle, front)
                found.append((front, middle, strength))
    return frozenset(found)


class Staircase:
    """The pairs of middle and front that nothing seen so far dominates."""

    def __init__(self) -> None:
        self._middles: list[int] = []  # negated, so from the strongest
        self._fronts: list[int] = []  # ever stronger as the middles get weaker

    def covers(self, middle: int, front: int) -> bool:
        """Return whether a pair that was added is at least as strong in both."""
        # Of the pairs with a middle as strong, the last has the strongest front.
        place = bisect_right(self._middles, -middle)
        return place > 0 and self._fronts[place - 1] >= front

    def covered_middle(self, front: int) -> int:
        """Return the strongest middle that is covered beside every front up to `front`, or 0."""
        place = bisect_left(self._fronts, front)
        return -self._middles[place] if place < len(self._fronts) else 0

    def add(self, middle: int, front: int) -> None:
        """Take in a pair that is not covered, and drop what it covers."""
        start = bisect_right(self._middles, -middle)
        if start and self._middles[start - 1] == -middle:
            start -= 1
        end = bisect_right(self._fronts, front, lo=start)
        self._middles[start:end] = [-middle]
        self._fronts[start:end] = [front]


def house_way(cards: tuple[Card, ...], config: Config) -> HouseWay:
    """Return how the house lays a hand that nobody else lays (TC-14).

    A fixed combination if there is one; else the strongest back, then middle, then front. What
    still differs differs in ignored cards: the lowest ranks go to the back, then to the middle.
    """
    ways = ways_of(cards)
    special = fixed_in_cards(cards, config)
    if special is not None:
        return HouseWay(special, _strongest_back(ways, config))
    for name, kind in fixed_splits(cards):
        way = _fixed_way(ways, kinds_of(ways), kind, config)
        # Without the exemption of TC-19 such a split may only exist out of order: a foul.
        return HouseWay(name, ways.lay(way) if way else _strongest_back(ways, config))
    return HouseWay(None, _strongest_back(ways, config))


def _strongest_back(ways: Ways, config: Config) -> Arrangement:
    for _, backs in _backs_by_strength(ways):
        legal = [way for back in backs for way in _legal_with(ways, back, config)]
        if legal:
            top = max((ways.fives[middle], ways.fronts[front]) for front, middle, _ in legal)
            return lowest_ignored(
                ways, [way for way in legal if _middle_and_front(ways, way) == top]
            )
    # Only under `equal_lanes_foul` may no way be legal; then any way is as fouled as another.
    return ways.lay((0, 0, 0))


def lowest_ignored(ways: Ways, equal: list[Way]) -> Arrangement:
    """Return which of several `equal` ways to lay: they differ in ignored cards only.

    The lowest ranks go to the back, then to the middle.
    """
    laid = map(ways.lay, equal)
    return min(laid, key=lambda one: (ranks_of(one.back), ranks_of(one.middle)))


def best_response(cards: tuple[Card, ...], bank: Judged, config: Config) -> Response:
    """Return the largest margin that a gate can reach against the banker's open hand (A7).

    A way laid as a fixed combination counts as that, never by its lanes; the same cards may earn
    more laid otherwise. Fouled ways are out.
    """
    ways = ways_of(cards)
    fixed: Way | None = None
    kinds: Kinds | None = None
    always = fixed_in_cards(cards, config) is not None
    if always:
        fixed = _any_legal_way(ways, config)
        if fixed is None and config.fixed_exempt_from_foul:
            fixed = (0, 0, 0)
    elif any(fixed_splits(cards)):
        kinds = kinds_of(ways)
        fixed = _fixed_way(ways, kinds, FLUSH | RUN, config)
    fixed_margin = FIXED_UNITS if bank.special is None else 0
    ordinary = None if always else _best_by_lanes(ways, kinds, bank, config)
    if fixed is not None and (ordinary is None or fixed_margin >= ordinary[0]):
        return Response("win" if fixed_margin else "tie", fixed_margin, ways.lay(fixed))
    if ordinary is None:
        return Response("lose", -FIXED_UNITS, ways.lay((0, 0, 0)))
    margin, way = ordinary
    return Response(_outcome(margin, config), margin, ways.lay(way))


def _outcome(margin: int, config: Config) -> str:
    if margin:
        return "win" if margin > 0 else "lose"
    return "lose" if config.equal_totals == "banker" else "tie"  # TC-32


def _best_by_lanes(
    ways: Ways, kinds: Kinds | None, bank: Judged, config: Config
) -> tuple[int, Way] | None:
    """Return the best margin of a way that is no fixed combination, and such a way."""
    if bank.special is not None:
        legal = (way for back in range(len(ways.fives)) for way in _legal_with(ways, back, config))
        way = next((way for way in legal if kinds is None or not kinds.fixed(way)), None)
        return None if way is None else (-FIXED_UNITS, way)
    assert bank.strengths is not None, "the banker has laid his cards"
    front_margins, middle_margins, back_margins = (
        _Margins(lane, strengths, banks)
        for lane, strengths, banks in zip(
            LANES, (ways.fronts, ways.fives, ways.fives), bank.strengths, strict=True
        )
    )
    table, gap, beat = splits(), _gap(config), -1_000
    fronts, fives = ways.fronts, ways.fives
    best: tuple[int, Way] | None = None
    for strength, backs in _backs_by_strength(ways):
        limit = strength - gap
        most = front_margins.best_within(middle_margins.largest_within(limit) - gap)
        # A middle weaker than this cannot make the way better than the best, whatever the front.
        least = middle_margins.first_above(beat - back_margins.of[strength] - most)
        if least > limit:
            break  # and weaker backs promise less
        for back in ways.distinct(backs) if kinds is None else backs:
            promising = [
                (middle, front)
                for middle, front in zip(table.middles[back], table.fronts[back], strict=True)
                if least <= fives[middle] <= limit
            ]
            for middle, front in promising:
                three, five = fronts[front], fives[middle]
                margin = (
                    front_margins.of[three] + middle_margins.of[five] + back_margins.of[strength]
                )
                if margin <= beat or three + gap > five:
                    continue
                way = (front, middle, back)
                if kinds is None or not kinds.fixed(way):
                    beat, best = margin, (margin, way)
    return best


class _Margins:
    """What lanes earn against one lane of the banker's.

    A stronger lane never earns less (E), so the strengths in order are the margins in order.
    """

    def __init__(self, lane: str, strengths: list[int], banks: int) -> None:
        lost = -lane_units(lane, banks)  # equal lanes are the banker's (Art.10)
        self._ordered = sorted(set(strengths))
        self._margins = [
            lane_units(lane, strength) if strength > banks else lost for strength in self._ordered
        ]
        self.of = dict(zip(self._ordered, self._margins, strict=True))

    def largest_within(self, limit: int) -> int:
        """Return the largest strength that is not above `limit`, or 0."""
        return _at_most(self._ordered, limit)

    def best_within(self, limit: int) -> int:
        """Return the best margin of a strength that is not above `limit`."""
        place = bisect_right(self._ordered, limit)
        return self._margins[max(place - 1, 0)]

    def first_above(self, margin: int) -> int:
        """Return the smallest strength that earns more than `margin`, or one above all."""
        place = bisect_right(self._margins, margin)
        return self._ordered[place] if place < len(self._ordered) else self._ordered[-1] + 1


# Ways that are in order


def _gap(config: Config) -> int:
    """Return by how much a lane must at least be larger than the one in front of it."""
    return 1 if config.equal_lanes_foul else 0


def _legal_with(ways: Ways, back: int, config: Config) -> Iterator[Way]:
    """Return the ways with one back lane that run from small to large."""
    table, gap, fronts, fives = splits(), _gap(config), ways.fronts, ways.fives
    limit = fives[back] - gap
    for middle, front in zip(table.middles[back], table.fronts[back], strict=True):
        if fronts[front] + gap <= fives[middle] <= limit:
            yield front, middle, back


def ways_as_strong(ways: Ways, strengths: Strengths) -> Iterator[Way]:
    """Return the ways whose lanes are exactly as strong as that."""
    table, (three, five, strength) = splits(), strengths
    for back, found in enumerate(ways.fives):
        if found == strength:
            for middle, front in zip(table.middles[back], table.fronts[back], strict=True):
                if ways.fives[middle] == five and ways.fronts[front] == three:
                    yield front, middle, back


def _backs_by_strength(ways: Ways) -> Iterator[tuple[int, Iterator[int]]]:
    """Return the back lanes of each strength, from the strongest."""
    ordered = sorted(range(len(ways.fives)), key=ways.fives.__getitem__, reverse=True)
    return groupby(ordered, key=ways.fives.__getitem__)


def _middle_and_front(ways: Ways, way: Way) -> tuple[int, int]:
    front, middle, _ = way
    return ways.fives[middle], ways.fronts[front]


def _at_most(ordered: list[int], limit: int) -> int:
    """Return the largest of the `ordered` strengths within `limit`, or 0."""
    place = bisect_right(ordered, limit)
    return ordered[place - 1] if place else 0


# Ways that are fixed combinations as laid


def fixed_splits(cards: tuple[Card, ...]) -> Iterator[tuple[str, int]]:
    """Return which fixed combinations some split makes, in the order of A8."""
    hand = tally(cards)
    if is_three_flushes(hand):
        yield "three_flushes", FLUSH
    if is_three_straights(hand):
        yield "three_straights", RUN


def _fixed_ways(ways: Ways, kinds: Kinds, kind: int) -> Iterator[Way]:
    """Return the ways that are laid as a fixed combination of one `kind`."""
    table = splits()
    for back, back_kind in enumerate(kinds.fives):
        if back_kind & kind:
            for middle, front in zip(table.middles[back], table.fronts[back], strict=True):
                if kinds.fronts[front] & kinds.fives[middle] & back_kind & kind:
                    yield front, middle, back


def _fixed_way(ways: Ways, kinds: Kinds, kind: int, config: Config) -> Way | None:
    """Return a fixed combination that is no foul: in order if there is such a way (TC-19)."""
    gap, exempt = _gap(config), None
    for way in _fixed_ways(ways, kinds, kind):
        front, middle, back = ways.strengths(way)
        if front + gap <= middle and middle + gap <= back:
            return way
        exempt = way
    return exempt if config.fixed_exempt_from_foul else None


def _any_legal_way(ways: Ways, config: Config) -> Way | None:
    """Return a way that runs from small to large, the strongest back lanes first."""
    legal = (
        way
        for _, backs in _backs_by_strength(ways)
        for back in backs
        for way in _legal_with(ways, back, config)
    )
    return next(legal, None)
