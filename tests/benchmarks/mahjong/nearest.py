"""Shanten once more, slowly and by its definition: with four copies of each kind, or with as many as needed.

The second is what a library means that counts blocks only: section 14 of the rules names the
difference, a hand whose only useful tile would be a fifth copy.
"""

from functools import cache

from floorbook.games.mahjong.tiles import COPIES, KINDS, ORPHANS, SUITED, counts_of
from tests.benchmarks.mahjong.hands import Held

FAR = 99
SETS = 4


def nearest(held: Held, *, copies: int = COPIES) -> int:
    """Return the least number of tiles that a winning shape has beyond the hand's, less one.

    No shape uses more than so many `copies` of a kind, those of the declared sets included.
    """
    counts, laid = counts_of(held.concealed), counts_of(held.declared)

    @cache
    def least(tile: int, began: int, older: int, pairs: int, sets: int) -> int:
        """Return the least from this kind on, while chows that began one and two kinds ago need it."""
        if tile == KINDS:
            return FAR if began or older or pairs or sets else 0
        starts = tile < SUITED and tile % 9 <= 6
        best = FAR
        for chows in range(sets + 1 if starts else 1):
            for triplets in range(sets - chows + 1):
                for pair in range(pairs + 1):
                    used = began + older + chows + 3 * triplets + 2 * pair
                    if used + laid[tile] <= copies:
                        rest = least(tile + 1, chows, began, pairs - pair, sets - chows - triplets)
                        best = min(best, max(0, used - counts[tile]) + rest)
        return best

    found = least(0, 0, 0, 1, SETS - held.melds)
    if not held.melds:
        kinds = {tile for tile in held.concealed if tile in ORPHANS}
        doubled = any(counts[tile] > 1 for tile in kinds)
        found = min(found, len(ORPHANS) + 1 - len(kinds) - doubled)
    return found - 1


AS_MANY_AS_NEEDED = 3 * SETS + 2 + 3 * SETS
"""More copies than any hand and its sets have tiles."""
