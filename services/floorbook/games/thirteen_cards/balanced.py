"""How a hand is laid blindly so that it wins most units on average: more balanced than the house way.

The house way gives all to the back lane. But the units of a round are the sum of three lanes, so
what a lane may be expected to win depends on nothing but its own strength and on what others lay
in that lane. That is known from a sample of hands laid the house way, and of the ways that no
other dominates the one with the largest sum is taken.

The sample is a part of the rules: every table and every rebuild must lay a hand alike. The
benchmark package holds the program that printed it.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from functools import cache
from itertools import accumulate

import msgspec

from floorbook.games.thirteen_cards.arrangement import Arrangement
from floorbook.games.thirteen_cards.arranging import (
    Strengths,
    fixed_splits,
    house_way,
    lowest_ignored,
    pareto,
    ways_as_strong,
)
from floorbook.games.thirteen_cards.cards import Card
from floorbook.games.thirteen_cards.config import Config
from floorbook.games.thirteen_cards.fixed import FIXED_UNITS
from floorbook.games.thirteen_cards.lanes import LANES, lane_units
from floorbook.games.thirteen_cards.ways import Way, Ways, kinds_of, ways_of

# Strengths in hexadecimal (a class and its key), one for each two-hundredth of the hands that are
# laid in lanes: 20,000 random hands by `house_way`, of which 292 were fixed combinations.
_SAMPLE = {
    "front": """
        143200 143200 143200 143200 143200 143200 143200 143200 143200 153200 153200 153200
        153200 153200 153200 153200 154200 154200 154200 154200 154200 154200 154200 154300
        154300 154300 154300 154300 163200 163200 163200 163200 163200 164200 164200 164200
        164200 164300 164300 164300 164300 165200 165200 165200 165200 165200 165300 165300
        165300 165400 165400 165400 173200 173200 173200 174200 174200 174300 174300 174300
        175200 175200 175300 175300 175300 175400 175400 176200 176200 176200 176300 176300
        176400 176400 176500 176500 183200 184200 184200 184300 185200 185300 185300 185400
        186200 186200 186300 186400 186400 186500 187200 187200 187300 187400 187500 187500
        187600 193200 194200 194300 195200 195300 195400 196200 196300 196500 197200 197300
        197400 197500 197600 198200 198400 198500 198600 198700 1a4200 1a5200 1a5400 1a6200
        1a6400 1a7200 1a7400 1a7500 1a8200 1a8400 1a8600 1a9200 1a9400 1a9600 1a9800 1b4200
        1b5300 1b6300 1b7200 1b7400 1b7600 1b8400 1b8600 1b9300 1b9600 1b9800 1ba300 1ba700
        1ba900 1c4300 1c5400 1c6400 1c7300 1c7600 1c8500 1c9200 1c9600 1ca300 1ca600 1ca900
        1cb400 1cb800 1d3200 1d5200 1d6300 1d7400 1d8300 1d8700 1d9600 1da200 1da700 1db200
        1db800 1dc200 1dc600 1dca00 1e3200 1e6200 1e7400 1e9200 1ea200 1ea900 1eb800 1ec400
        1ec900 1ed300 1ed900 1edc00 224000 226000 22b000 234000 237000 242000 248000 254000
        262000 269000 276000 284000 296000 2ad000 2d2000 2e7000
    """,
    "middle": """
        1ca876 1cba76 1da987 1dba87 1dc986 1dca97 1dcb97 1dcba8 1eb987 1ec976 1eca98 1ecb98
        1ecba8 1eda86 1edb86 1edba6 1edba9 1edc97 1edca8 1edcb7 1edcb9 22c980 22da90 22dcb0
        22ec90 22edb0 23ba90 23da90 23dcb0 23ecb0 24a980 24d870 24dcb0 24ec90 24edb0 25cb80
        25dba0 25eb90 25eda0 26b980 26da90 26dcb0 26ecb0 26edc0 27cb90 27dca0 27ec90 27edc0
        28cb70 28dcb0 28ec90 28edb0 29ca70 29dc70 29eb80 29ed80 29edc0 2ad870 2adcb0 2aec90
        2aedb0 2bc960 2bda80 2be870 2beca0 2bed90 2c9850 2cd860 2cdb70 2cea80 2ceba0 2ceda0
        2db850 2dca80 2de860 2deb70 2dec70 2decb0 2eb980 2eca90 2ed870 2edb90 2edca0 332a00
        332e00 342d00 343c00 352c00 353c00 354d00 362d00 363e00 365900 372a00 373e00 374e00
        376900 382b00 383e00 385a00 386c00 387c00 393800 394e00 396b00 397b00 398c00 3a3800
        3a5b00 3a6e00 3a8700 3a9800 3b2c00 3b4e00 3b6e00 3b8900 3b9800 3ba800 3bae00 3c4a00
        3c5e00 3c7d00 3c8e00 3c9e00 3cad00 3cba00 3d2e00 3d4e00 3d6b00 3d7c00 3d8e00 3da800
        3db800 3dbe00 3dca00 3dce00 3e3d00 3e5c00 3e7a00 3e8c00 3e9d00 3ead00 3ebd00 3ecb00
        3ed900 3edc00 420000 430000 450000 460000 490000 4d0000 510000 510000 520000 520000
        520000 530000 530000 540000 540000 540000 550000 550000 560000 560000 560000 570000
        570000 580000 580000 590000 590000 590000 5a0000 5a0000 5a0000 697652 6a9743 6b9732
        6ba953 6c9832 6ca974 6cb986 6d9742 6da965 6dba62 6dc973 6dcb94 6ea763 6eb976 6ec976
        6ed754 6edba9 720000 730000 750000 770000 780000 7c0000
    """,
    "back": """
        387e00 3a9e00 3bad00 3c9e00 3d6e00 3dae00 3dce00 3e9c00 3ebd00 3ecd00 3edc00 520000
        530000 540000 540000 550000 550000 560000 560000 570000 570000 580000 590000 590000
        590000 590000 590000 5a0000 5a0000 5a0000 5a0000 5a0000 5a0000 696432 6a6532 6a8763
        6a9832 6b7643 6b8765 6b9853 6ba652 6ba873 6ba985 6c8743 6c9764 6ca543 6ca863 6ca973
        6cb743 6cb875 6cb985 6cba85 6d7642 6d9532 6d9865 6da753 6da876 6da986 6db842 6db962
        6dba42 6dba86 6dc643 6dc872 6dc975 6dca74 6dca98 6dcb85 6dcba6 6e8632 6e9732 6e9865
        6ea732 6ea875 6ea983 6eb754 6eb874 6eb975 6eba72 6eba94 6ec753 6ec875 6ec976 6eca65
        6eca95 6ecb64 6ecb96 6ecba9 6ed764 6ed943 6eda32 6eda86 6edb53 6edb87 6edba6 6edc73
        6edc98 6edcb2 720000 720000 720000 720000 720000 720000 730000 730000 730000 730000
        730000 730000 730000 740000 740000 740000 740000 740000 740000 750000 750000 750000
        750000 750000 750000 750000 760000 760000 760000 760000 760000 760000 770000 770000
        770000 770000 770000 770000 770000 780000 780000 780000 780000 780000 780000 780000
        790000 790000 790000 790000 790000 790000 790000 7a0000 7a0000 7a0000 7a0000 7a0000
        7a0000 7a0000 7b0000 7b0000 7b0000 7b0000 7b0000 7b0000 7b0000 7b0000 7c0000 7c0000
        7c0000 7c0000 7c0000 7c0000 7c0000 7d0000 7d0000 7d0000 7d0000 7d0000 7d0000 7d0000
        7d0000 7e0000 7e0000 7e0000 7e0000 7e0000 7e0000 7e0000 7e0000 820000 840000 850000
        870000 890000 8b0000 8c0000 8e0000 940000 970000 990000
    """,
}
_HANDS = 200
_FIXED_HANDS = 3  # beside them
_WORTH_OF_FIXED = 2 * FIXED_UNITS * _HANDS  # twice over, as below; against another it ties


class Opponents(msgspec.Struct, frozen=True):
    """What the sample lays in one lane, and what losing to it costs."""

    lane: str
    strengths: Sequence[int]  # from the weakest
    costs: Sequence[int]  # of losing to all from one place on

    def expected(self, strength: int) -> int:
        """Return what a lane of `strength` wins from all of them, twice over.

        Equal lanes are the banker's, and a blind hand may be on either side of the table: they
        count as won once and lost once.
        """
        below = bisect_left(self.strengths, strength)
        upto = bisect_right(self.strengths, strength)
        won = lane_units(self.lane, strength) * (below + upto)
        return won - self.costs[below] - self.costs[upto]


@cache
def _opponents() -> Mapping[str, Opponents]:
    found = {}
    for lane, text in _SAMPLE.items():
        strengths = [int(strength, 16) for strength in text.split()]
        units = [lane_units(lane, strength) for strength in strengths]
        costs = [*accumulate(reversed(units), initial=0)][::-1]
        found[lane] = Opponents(lane, strengths, costs)
    return found


def balanced_way(cards: tuple[Card, ...], config: Config) -> Arrangement:
    """Return how to lay a hand, not knowing any other, for the most units on average.

    In order, and dominated by no other way (E). A fixed combination is laid where that is worth
    more than the other ways and nothing dominates it. Where ignored cards leave a
    choice, the lowest are laid at the back, as in the house way.
    """
    front_runners = pareto(cards, config)
    if not front_runners:
        return house_way(cards, config).laid  # only under `equal_lanes_foul`: fouled either way
    ways = ways_of(cards)
    if any(fixed_splits(cards)):
        return lowest_ignored(ways, _best_where_some_are_fixed(ways, front_runners))
    chosen = max(front_runners, key=lambda triple: (expected_units(triple), triple))
    return lowest_ignored(ways, list(ways_as_strong(ways, chosen)))


def _best_where_some_are_fixed(ways: Ways, front_runners: frozenset[Strengths]) -> list[Way]:
    """Return the best ways, all of equal strength and worth.

    A way laid as a fixed combination counts as that, whatever its lanes (A8).
    """
    kinds = kinds_of(ways)
    options: list[tuple[int, Strengths, list[Way]]] = []
    for triple in front_runners:
        laid = list(ways_as_strong(ways, triple))
        ordinary = [way for way in laid if not kinds.fixed(way)]
        if ordinary:
            options.append((expected_units(triple), triple, ordinary))
        if len(ordinary) < len(laid):
            fixed = [way for way in laid if kinds.fixed(way)]
            options.append((_WORTH_OF_FIXED, triple, fixed))
    return max(options, key=lambda option: option[:2])[2]


def expected_units(strengths: Strengths) -> int:
    """Return what three lanes win from the whole sample, fixed combinations included, twice over."""
    opponents = _opponents()
    by_lanes = sum(
        opponents[lane].expected(strength) for lane, strength in zip(LANES, strengths, strict=True)
    )
    return by_lanes - 2 * FIXED_UNITS * _FIXED_HANDS
