"""How far a hand is from winning, and for which tiles it waits (WAITS 叫糊, SHANTEN; section 14).

Exact: the nearest winning shape is found suit by suit, never using a kind more often than it exists.
What a suit costs is worked out when it is first met and remembered, in memory of a fixed size.
"""

from collections.abc import Sequence
from functools import lru_cache
from itertools import product

from floorbook.games.mahjong.tiles import COPIES, KINDS, ORPHANS, SUITED, Tile, counts_of
from floorbook.games.mahjong.variant import Variant

_FAR = 60  # more than any hand can lack; four of them, one of each part, still fit a byte
_MOST_SETS = 4
_CACHED = 1 << 16

_Costs = bytes
"""The least number of tiles lacking: without a pair for 0 to 4 sets, then with a pair."""
_LANES = 2 * (_MOST_SETS + 1)

_SUIT_CAPS = bytes((COPIES,)) * 9
_HONOUR_CAPS = bytes((COPIES,)) * (KINDS - SUITED)
_LEFT = bytes(max(0, COPIES - used) for used in range(256))
"""How many copies are left of a kind by how many lie in declared sets."""

# A suit is built rank by rank. What matters of the ranks so far is how many chows began one rank ago
# (they still need two tiles) and how many two ranks ago; both are 0 to 2, because three equal chows
# are three triplets. For each of these nine states one integer says what can be: a lane of bits for
# every number of sets without and with a pair, in it bit n if that can be had for n tiles: no more
# than fourteen.
_LANE = 16
_STATES = 9
_Reached = tuple[int, ...]
_Step = tuple[int, int, int, int]


def _lanes(sets: int, pair: int) -> int:
    """Return the bits of all lanes to which so many sets, or a pair, can still be added."""
    lane = (1 << _LANE) - 1
    return sum(
        lane << _LANE * ((_MOST_SETS + 1) * paired + made)
        for paired in range(2 - pair)
        for made in range(_MOST_SETS + 1 - sets)
    )


@lru_cache(maxsize=3 * (COPIES + 1) ** 2)
def _steps(held: int, most: int, room: int) -> tuple[_Step, ...]:
    """Return how one rank can be used: from which state to which, from which lanes, how far on.

    `room` is how many ranks follow: a chow needs two, one that began a rank ago one more.
    """
    found = []
    for began, older, more, triplet, pair in product(
        range(3 if room else 1), range(3), range(3 if room > 1 else 1), range(2), range(2)
    ):
        used = began + older + more + 3 * triplet + 2 * pair
        if used <= most:
            sets = more + triplet
            lanes_on = sets + (_MOST_SETS + 1) * pair
            on = _LANE * lanes_on + max(0, used - held)
            found.append((3 * began + older, 3 * more + began, _lanes(sets, pair), on))
    return tuple(found)


_ENOUGH = 2  # ranks that must follow the one with which a chow begins


@lru_cache(maxsize=1 << 14)
def _beginning(counts: bytes, caps: bytes, room: int) -> _Reached:
    """Return what the first ranks of a suit can be: many suits begin alike."""
    if not counts:
        return (1, *(0,) * (_STATES - 1))
    before = _beginning(counts[:-1], caps[:-1], room)
    return _next_rank(before, counts[-1], caps[-1], room)


def _next_rank(before: _Reached, held: int, most: int, room: int) -> _Reached:
    after = [0] * _STATES
    for state, following, lanes, on in _steps(held, most, room):
        if reached := before[state]:
            after[following] |= (reached & lanes) << on
    return tuple(after)


@lru_cache(maxsize=_CACHED)
def _suit_costs(counts: bytes, caps: bytes, chows: bool) -> _Costs:
    """Return the costs of one suit, or of the honours."""
    mirrored = counts[::-1]
    if chows and mirrored < counts:
        return _suit_costs(mirrored, caps[::-1], chows)  # a suit read backwards lacks as much
    early = len(counts) - _ENOUGH - 1
    reached = _beginning(counts[:early], caps[:early], _ENOUGH if chows else 0)
    for rank in range(early, len(counts)):
        room = len(counts) - 1 - rank if chows else 0
        reached = _next_rank(reached, counts[rank], caps[rank], room)
    whole = reached[0]
    lanes = [whole >> _LANE * lane & (1 << _LANE) - 1 for lane in range(_LANES)]
    return bytes([(lane & -lane).bit_length() - 1 if lane else _FAR for lane in lanes])


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


@lru_cache(maxsize=_CACHED)
def _together(one: _Costs, other: _Costs) -> _Costs:
    """Return the costs of two parts of a hand."""
    return bytes([min([one[i] + other[j] for i, j in ways]) for ways in _partitions()])


def lacking(variant: Variant, counts: Sequence[int], declared: Sequence[int], melds: int) -> int:
    """Return how many tiles a hand lacks to be a winning shape, with `melds` declared sets.

    `counts` are its concealed tiles, `declared` those of its sets; a shape never needs a fifth.
    """
    held = bytes(counts)
    if melds:
        left = bytes(declared).translate(_LEFT)
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


def _fortune_only(caps: bytes) -> bytes:
    """Return the caps of honours in a game whose only honour is 發."""
    return bytes((*(0,) * 5, caps[5], 0))


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
