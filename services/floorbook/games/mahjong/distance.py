"""How far a hand is from winning, and for which tiles it waits (WAITS 叫糊, SHANTEN; section 14).

Exact: the nearest winning shape is found suit by suit, never using a kind more often than it exists.
What a suit costs is worked out when it is first met and remembered, in memory of a fixed size.
"""

from collections.abc import Sequence
from functools import lru_cache

from floorbook.games.mahjong.tiles import COPIES, KINDS, ORPHANS, SUITED, Tile, counts_of
from floorbook.games.mahjong.variant import Variant

_FAR = 99  # more than any hand can lack
_MOST_SETS = 4

_Costs = tuple[int, ...]
"""The least number of tiles lacking: without a pair for 0 to 4 sets, then with a pair."""

_SUIT_CAPS = (COPIES,) * 9
_HONOUR_CAPS = (COPIES,) * (KINDS - SUITED)

# A state of a suit that is built rank by rank: chows that began one rank ago (they still need two
# tiles), two ranks ago, whether there is a pair, and how many sets there are.
_State = tuple[int, int, int, int]


@lru_cache(maxsize=1)
def _states() -> dict[_State, int]:
    ranges = [
        (began, older, pair, sets)
        for began in range(3)
        for older in range(3)
        for pair in range(2)
        for sets in range(_MOST_SETS + 1)
    ]
    return {state: place for place, state in enumerate(ranges)}


@lru_cache(maxsize=2)
def _steps(chows: bool) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Return, for every state, how many tiles of the next rank it can use and where that leads.

    Three equal chows are three triplets, so more than two need not be looked at.
    """
    states = _states()
    found = []
    for began, older, pair, sets in states:
        steps: dict[tuple[int, int], None] = {}
        for more in range(3 if chows else 1):
            for triplet in range(2):
                for eyes in range(2 - pair):
                    used = began + older + more + 3 * triplet + 2 * eyes
                    total = sets + more + triplet
                    if used <= COPIES and total <= _MOST_SETS:
                        steps[(used, states[(more, began, pair + eyes, total)])] = None
        found.append(tuple(steps))
    return tuple(found)


@lru_cache(maxsize=1 << 13)
def _beginning(counts: tuple[int, ...], caps: tuple[int, ...], chows: bool) -> _Costs:
    """Return the costs of the first ranks of a suit, by state: many suits begin alike."""
    if counts:
        return _next_rank(_beginning(counts[:-1], caps[:-1], chows), counts[-1], caps[-1], chows)
    return (0, *(_FAR,) * (len(_states()) - 1))


def _next_rank(before: _Costs, held: int, most: int, chows: bool) -> _Costs:
    lacking = [max(0, used - held) if used <= most else _FAR for used in range(COPIES + 1)]
    costs = [_FAR] * len(_states())
    # `before` may be short of its last states, where nothing can come of them.
    for cost, steps in zip(before, _steps(chows), strict=False):
        if cost < _FAR:
            for used, state in steps:
                total = cost + lacking[used]
                if total < costs[state]:
                    costs[state] = total
    return tuple(costs)


_LAST_CHOW = 7  # no chow begins with an eight or a nine


@lru_cache(maxsize=1 << 16)
def _suit_costs(counts: tuple[int, ...], caps: tuple[int, ...], chows: bool) -> _Costs:
    """Return the costs of one suit, or of the honours."""
    mirrored = counts[::-1]
    if chows and mirrored < counts:
        return _suit_costs(mirrored, caps[::-1], chows)  # a suit read backwards lacks as much
    early = _LAST_CHOW - 1
    costs = _beginning(counts[:early], caps[:early], chows)
    for rank in range(early, len(counts) - 1):
        costs = _next_rank(costs, counts[rank], caps[rank], chows and rank < _LAST_CHOW)
    # States are in the order of their parts: those in which no chow needs two more tiles come
    # first, and of these the ones in which none needs any.
    finished = 2 * (_MOST_SETS + 1)
    return _next_rank(costs[: 3 * finished], counts[-1], caps[-1], False)[:finished]


@lru_cache(maxsize=1)
def _partitions() -> tuple[tuple[tuple[int, int], ...], ...]:
    """Return, for every entry of costs, which entries of two parts come to it together."""
    width = _MOST_SETS + 1
    return tuple(
        tuple(
            (mine * width + own, (pair - mine) * width + sets - own)
            for mine in range(pair + 1)
            for own in range(sets + 1)
        )
        for pair in range(2)
        for sets in range(width)
    )


@lru_cache(maxsize=1 << 16)
def _together(one: _Costs, other: _Costs) -> _Costs:
    """Return the costs of two parts of a hand."""
    return tuple([min([one[i] + other[j] for i, j in ways]) for ways in _partitions()])


def lacking(variant: Variant, counts: Sequence[int], declared: Sequence[int], melds: int) -> int:
    """Return how many tiles a hand lacks to be a winning shape, with `melds` declared sets.

    `counts` are its concealed tiles, `declared` those of its sets; a shape never needs a fifth.
    """
    held = tuple(counts)
    if melds:
        left = tuple([COPIES - used for used in declared])
        suit_caps = left[:9], left[9:18], left[18:27], left[27:]
    else:
        suit_caps = _SUIT_CAPS, _SUIT_CAPS, _SUIT_CAPS, _HONOUR_CAPS
    if not variant.orphans:
        suit_caps = (*suit_caps[:3], _fortune_only(suit_caps[3]))
    parts = _together(
        _together(
            _suit_costs(held[:9], suit_caps[0], True), _suit_costs(held[9:18], suit_caps[1], True)
        ),
        _together(
            _suit_costs(held[18:27], suit_caps[2], True),
            _suit_costs(held[27:], suit_caps[3], False),
        ),
    )
    least = parts[_MOST_SETS + 1 + variant.sets - melds]
    if variant.orphans and not melds:
        return min(least, orphans_lacking(counts))
    return least


def _fortune_only(caps: tuple[int, ...]) -> tuple[int, ...]:
    """Return the caps of honours in a game whose only honour is 發."""
    return (*(0,) * 5, caps[5], 0)


def orphans_lacking(counts: Sequence[int]) -> int:
    """Return how many tiles a hand lacks to be thirteen orphans (十三么)."""
    kinds = pairs = 0
    for tile in ORPHANS:
        if counts[tile]:
            kinds += 1
            if counts[tile] > 1:
                pairs = 1
    return len(ORPHANS) + 1 - kinds - pairs


def shanten(
    variant: Variant, concealed: Sequence[Tile], declared: Sequence[Tile] = (), melds: int = 0
) -> int:
    """Return how many tiles must be exchanged until the hand is ready: 0 ready, -1 complete."""
    return lacking(variant, counts_of(concealed), counts_of(declared), melds) - 1


def is_complete(
    variant: Variant, concealed: Sequence[Tile], declared: Sequence[Tile] = (), melds: int = 0
) -> bool:
    """Return whether concealed tiles, the winning one among them, are a winning shape.

    RULE-WINSHAPE (勝負判定): with the declared sets four sets, or one, and a pair; or 十三么.
    """
    if melds > variant.sets or len(concealed) != variant.hand_size + 1 - 3 * melds:
        return False
    return lacking(variant, counts_of(concealed), counts_of(declared), melds) == 0


def is_ready(
    variant: Variant, concealed: Sequence[Tile], declared: Sequence[Tile] = (), melds: int = 0
) -> bool:
    """Return whether a hand waits for a tile (叫糊), of which it does not hold all four (MJ-58)."""
    if melds > variant.sets or len(concealed) != variant.hand_size - 3 * melds:
        return False
    return lacking(variant, counts_of(concealed), counts_of(declared), melds) == 1


def waits(
    variant: Variant, concealed: Sequence[Tile], declared: Sequence[Tile] = (), melds: int = 0
) -> tuple[Tile, ...]:
    """Return the tiles that complete a hand, in tile order; none if it is not ready (WAITS).

    Only the player's own tiles count: what lies elsewhere is ignored (MJ-58).
    """
    if not is_ready(variant, concealed, declared, melds):
        return ()
    counts, fixed = counts_of(concealed), counts_of(declared)
    found = []
    for tile in variant.kinds:
        if counts[tile] + fixed[tile] < COPIES:
            counts[tile] += 1
            if lacking(variant, counts, fixed, melds) == 0:
                found.append(tile)
            counts[tile] -= 1
    return tuple(found)
