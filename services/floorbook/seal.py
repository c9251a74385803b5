"""Decides how the order of a shuffled deck is fixed without being shown, and when an opening fits it.

The positions are the leaves of a Merkle tree as in RFC 6962, section 2.1, whose root is published
when the deck is sealed. Later any set of positions can be opened: their faces and salts, and the
hashes of the largest subtrees in which nothing is opened, give the root again. The salts keep the
few faces that a deck has from being guessed out of a hash.
"""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import pairwise

import msgspec

HASH_BYTES = 32
SALT_BYTES = 16
FACE_CHARACTERS = 8
MOST_POSITIONS = 256


class Opening(msgspec.Struct, frozen=True, array_like=True):
    """One opened position of a sealed deck; position 0 is the top."""

    position: int
    face: str
    salt: bytes


class Opened(msgspec.Struct, frozen=True, array_like=True):
    """What opens some positions: the positions, ascending, and the hashes that stand for the rest."""

    openings: tuple[Opening, ...]
    hashes: tuple[bytes, ...]


def root(faces: Sequence[str], salts: Sequence[bytes]) -> bytes:
    """Return the root of the deck that has `faces` from the top down, each with its salt.

    Raises ValueError for what is no deck: whoever seals has made both lists himself.
    """
    return _tree(_leaves(faces, salts))


def open_positions(
    faces: Sequence[str], salts: Sequence[bytes], positions: Iterable[int]
) -> Opened:
    """Return what opens `positions` of a deck, and shows nothing about the others.

    Raises ValueError for what is no deck or a position that it does not have.
    """
    leaves = _leaves(faces, salts)
    wanted = sorted(set(positions))
    if wanted and (wanted[0] < 0 or wanted[-1] >= len(leaves)):
        raise ValueError(f"a deck of {len(leaves)} positions has none of {wanted[0]}, {wanted[-1]}")
    return Opened(
        tuple(Opening(position, faces[position], salts[position]) for position in wanted),
        tuple(_tree(leaves[low:high]) for low, high in _closed(0, len(leaves), wanted)),
    )


def verify(
    sealed: bytes, positions_in_deck: int, openings: Sequence[Opening], hashes: Sequence[bytes]
) -> bool:
    """Return whether `openings` and `hashes` give the root `sealed` of a deck of that many positions.

    Total: what is out of order, repeated, out of range, too long, too much or missing does not fit.
    No openings at all, with the root as the only hash, fit and say nothing.
    """
    if not 1 <= positions_in_deck <= MOST_POSITIONS or len(openings) > positions_in_deck:
        return False
    positions = [opening.position for opening in openings]
    if positions and (positions[0] < 0 or positions[-1] >= positions_in_deck):
        return False
    if any(lower >= higher for lower, higher in pairwise(positions)):
        return False
    if not all(_is_leaf(opening.face, opening.salt) for opening in openings):
        return False
    if any(len(each) != HASH_BYTES for each in hashes):
        return False
    leaves = [_leaf(opening.position, opening.face, opening.salt) for opening in openings]
    left_over = iter(hashes)
    found = _rooted(0, positions_in_deck, positions, leaves, left_over)
    return found == sealed and next(left_over, None) is None


def _is_leaf(face: str, salt: bytes) -> bool:
    return len(salt) == SALT_BYTES and 1 <= len(face) <= FACE_CHARACTERS and face.isascii()


def _leaf(position: int, face: str, salt: bytes) -> bytes:
    # The face's length goes before it: no two leaves may have the same bytes.
    head = bytes((0, position >> 8, position & 255, len(face)))
    return sha256(head + face.encode() + salt).digest()


def _leaves(faces: Sequence[str], salts: Sequence[bytes]) -> list[bytes]:
    if not 1 <= len(faces) <= MOST_POSITIONS or len(faces) != len(salts):
        raise ValueError(
            f"a deck has 1 to {MOST_POSITIONS} faces and as many salts, "
            f"not {len(faces)} faces and {len(salts)} salts"
        )
    deck = list(zip(faces, salts, strict=True))
    for position, (face, salt) in enumerate(deck):
        if not _is_leaf(face, salt):
            raise ValueError(
                f"position {position} needs a face of 1 to {FACE_CHARACTERS} ASCII characters "
                f"and a salt of {SALT_BYTES} bytes"
            )
    return [_leaf(position, face, salt) for position, (face, salt) in enumerate(deck)]


def _tree(hashes: list[bytes]) -> bytes:
    # Pairing neighbours level by level, the odd last one going up as it is, makes the tree that
    # RFC 6962 describes from the top, without its recursion.
    while len(hashes) > 1:
        pairs = zip(hashes[::2], hashes[1::2], strict=False)
        above = [sha256(b"\1" + left + right).digest() for left, right in pairs]
        if len(hashes) % 2:
            above.append(hashes[-1])
        hashes = above
    return hashes[0]


def _middle(low: int, high: int) -> int:
    # The left subtree has the largest power of two below the number of leaves.
    return low + (1 << (high - low - 1).bit_length() - 1)


def _closed(low: int, high: int, opened: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the largest subtrees without an opened position, left to right."""
    if not opened:
        yield (low, high)
    elif len(opened) < high - low:
        middle = _middle(low, high)
        cut = bisect_left(opened, middle)
        yield from _closed(low, middle, opened[:cut])
        yield from _closed(middle, high, opened[cut:])


def _rooted(
    low: int, high: int, opened: list[int], leaves: list[bytes], hashes: Iterator[bytes]
) -> bytes | None:
    """Return the hash of the subtree [low, high), in which the positions `opened` have `leaves`.

    None if `hashes`, one for each subtree without an opened position, are too few.
    """
    if not opened:
        return next(hashes, None)
    if len(opened) == high - low:
        return _tree(leaves)
    middle = _middle(low, high)
    cut = bisect_left(opened, middle)
    left = _rooted(low, middle, opened[:cut], leaves[:cut], hashes)
    right = _rooted(middle, high, opened[cut:], leaves[cut:], hashes)
    if left is None or right is None:
        return None
    return sha256(b"\1" + left + right).digest()
