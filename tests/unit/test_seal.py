"""A sealed deck opens position by position, and nothing but what was sealed opens it."""

from hashlib import sha256

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from floorbook.seal import Opened, Opening, open_positions, root, verify

Deck = tuple[list[str], list[bytes]]
FACES = st.text(st.characters(min_codepoint=33, max_codepoint=126), min_size=1, max_size=8)
PACK = [rank + suit for suit in "shcd" for rank in "AKQJT98765432"]


@st.composite
def decks(draw: st.DrawFn) -> Deck:
    """Return the faces and salts of a deck of up to 150 positions."""
    size = draw(st.integers(1, 70) | st.sampled_from([52, 64, 65, 136, 144, 150]))
    faces = draw(st.lists(FACES, min_size=size, max_size=size))
    seed = draw(st.binary(min_size=4, max_size=4))
    return faces, [sha256(seed + bytes([n])).digest()[:16] for n in range(size)]


@st.composite
def opened_decks(draw: st.DrawFn) -> tuple[bytes, int, Opened]:
    """Return a root, the deck's size, and an opening of at least one position."""
    faces, salts = draw(decks())
    positions = draw(st.sets(st.integers(0, len(faces) - 1), min_size=1))
    return root(faces, salts), len(faces), open_positions(faces, salts, positions)


def fits(sealed: bytes, size: int, opened: Opened) -> bool:
    return verify(sealed, size, opened.openings, opened.hashes)


def leaf(position: int, face: bytes, salt: bytes) -> bytes:
    return sha256(b"\x00\x00" + bytes([position, len(face)]) + face + salt).digest()


def node(left: bytes, right: bytes) -> bytes:
    return sha256(b"\x01" + left + right).digest()


def test_the_root_of_five_positions_is_the_one_that_rfc_6962_defines() -> None:
    faces = ["As", "Td", "2c", "bamboo-1", "E"]
    salts = [bytes([n]) * 16 for n in range(5)]
    a, b, c, d, e = (leaf(n, faces[n].encode(), salts[n]) for n in range(5))
    # Five leaves split at four, four at two: ((a b) (c d)) e.
    assert root(faces, salts) == node(node(node(a, b), node(c, d)), e)
    assert open_positions(faces, salts, [2]).hashes == (node(a, b), d, e)
    assert open_positions(faces, salts, [4]).hashes == (node(node(a, b), node(c, d)),)


def test_seven_positions_split_at_four_and_the_last_three_at_two() -> None:
    faces, salts = list("ABCDEFG"), [bytes(16)] * 7
    a, b, c, d, e, f, g = (leaf(n, faces[n].encode(), salts[n]) for n in range(7))
    assert root(faces, salts) == node(node(node(a, b), node(c, d)), node(node(e, f), g))


def test_a_sealed_pack_has_the_root_that_it_had_when_decks_were_first_sealed() -> None:
    salts = [bytes([n]) * 16 for n in range(52)]
    assert root(PACK, salts).hex() == (
        "c91925fb80938573fb80eb017cd1e099bca54f9dbf97ebcc71dfd1309767ee21"
    )


def test_a_leaf_is_position_length_face_and_salt() -> None:
    preimage = bytes.fromhex("000000024173000102030405060708090a0b0c0d0e0f")
    assert root(["As"], [bytes(range(16))]) == sha256(preimage).digest()


def test_a_position_above_255_is_written_in_two_bytes_and_256_positions_are_the_most() -> None:
    faces, salts = ["E"] * 256, [bytes(16)] * 256
    assert fits(root(faces, salts), 256, open_positions(faces, salts, [0, 255]))
    with pytest.raises(ValueError, match="1 to 256 faces"):
        root(["E"] * 257, [bytes(16)] * 257)


@given(st.data())
def test_any_set_of_positions_opens(data: st.DataObject) -> None:
    faces, salts = data.draw(decks())
    positions = data.draw(st.sets(st.integers(0, len(faces) - 1)))
    opened = open_positions(faces, salts, positions)
    assert [each.position for each in opened.openings] == sorted(positions)
    assert all(faces[each.position] == each.face for each in opened.openings)
    assert fits(root(faces, salts), len(faces), opened)


@given(opened_decks(), st.data())
def test_another_face_salt_position_or_hash_does_not_fit(
    deck: tuple[bytes, int, Opened], data: st.DataObject
) -> None:
    sealed, size, opened = deck
    n = data.draw(st.integers(0, len(opened.openings) - 1))
    was = opened.openings[n]
    others = [
        Opening(was.position, data.draw(FACES.filter(lambda face: face != was.face)), was.salt),
        Opening(was.position, was.face, bytes([was.salt[0] ^ 1]) + was.salt[1:]),
        Opening((was.position + 1) % (size + 1), was.face, was.salt),
    ]
    for other in others:
        changed = (*opened.openings[:n], other, *opened.openings[n + 1 :])
        assert not verify(sealed, size, changed, opened.hashes)
    for n, each in enumerate(opened.hashes):
        changed_hash = each[:-1] + bytes([each[-1] ^ 1])
        hashes = (*opened.hashes[:n], changed_hash, *opened.hashes[n + 1 :])
        assert not verify(sealed, size, opened.openings, hashes)
    assert not verify(bytes([sealed[0] ^ 1]) + sealed[1:], size, opened.openings, opened.hashes)


@given(opened_decks(), st.data())
def test_an_opening_or_hash_too_many_or_too_few_does_not_fit(
    deck: tuple[bytes, int, Opened], data: st.DataObject
) -> None:
    sealed, size, opened = deck
    openings, hashes = opened.openings, opened.hashes
    n = data.draw(st.integers(0, len(openings) - 1))
    assert not verify(sealed, size, (*openings[:n], *openings[n + 1 :]), hashes)
    assert not verify(sealed, size, (*openings[: n + 1], *openings[n:]), hashes), "one twice"
    assert not verify(sealed, size, openings, (*hashes, bytes(32)))
    assert not verify(sealed, size, openings, (sealed, *hashes))
    if hashes:
        assert not verify(sealed, size, openings, hashes[:-1])
    if len(openings) > 1:
        assert not verify(sealed, size, openings[::-1], hashes), "an opening has one form"


@given(decks(), st.integers(-2, 400))
def test_a_whole_deck_does_not_fit_a_seal_of_another_size(deck: Deck, size: int) -> None:
    opened = open_positions(*deck, range(len(deck[0])))
    assert fits(root(*deck), size, opened) == (size == len(deck[0]))


@given(
    st.binary(max_size=40),
    st.integers(-(2**70), 2**70) | st.integers(0, 8),
    st.lists(
        st.builds(
            Opening,
            st.integers(-(2**70), 2**70) | st.integers(0, 8),
            st.text(max_size=10),
            st.binary(max_size=20) | st.just(bytes(16)),
        ),
        max_size=5,
    ),
    st.lists(st.binary(max_size=40) | st.just(bytes(32)), max_size=5),
)
def test_rubbish_does_not_fit_and_does_no_harm(
    sealed: bytes, size: int, openings: list[Opening], hashes: list[bytes]
) -> None:
    # Without an opening, a hash that is the root fits and says nothing.
    assert verify(sealed, size, openings, hashes) in ((False,) if openings else (False, True))


def test_a_face_that_is_not_ascii_or_has_no_length_does_not_fit() -> None:
    faces, salts = ["As", "Ks"], [bytes(16)] * 2
    opened = open_positions(faces, salts, [0])
    for face in ("", "\u6771", "\ud800", "123456789"):
        assert not verify(root(faces, salts), 2, [Opening(0, face, bytes(16))], opened.hashes)


def test_opening_everything_needs_no_hashes_and_opening_nothing_only_the_root() -> None:
    salts = [bytes([n]) * 16 for n in range(52)]
    assert open_positions(PACK, salts, range(52)).hashes == ()
    assert open_positions(PACK, salts, []) == Opened((), (root(PACK, salts),))


def test_equal_faces_under_other_salts_have_other_hashes() -> None:
    one, other = [bytes([n]) * 16 for n in range(2)], [bytes([9 - n]) * 16 for n in range(2)]
    assert root(["E", "E"], one) != root(["E", "E"], other)


@pytest.mark.parametrize("positions", [[-1], [52], [0, 99]])
def test_a_position_that_the_deck_does_not_have_cannot_be_opened(positions: list[int]) -> None:
    with pytest.raises(ValueError, match="deck of 52 positions"):
        open_positions(PACK, [bytes(16)] * 52, positions)


@pytest.mark.parametrize(
    ("faces", "salts"),
    [([], []), (["As"], []), (["As"], [bytes(15)]), ([""], [bytes(16)]), (["\u6771"], [bytes(16)])],
)
def test_what_is_no_deck_cannot_be_sealed(faces: list[str], salts: list[bytes]) -> None:
    with pytest.raises(ValueError, match=r"needs a face of|1 to 256 faces"):
        root(faces, salts)


def test_an_opening_is_stored_as_a_list_of_three() -> None:
    opening = Opening(3, "As", bytes(16))
    assert msgspec.msgpack.decode(msgspec.msgpack.encode(opening)) == [3, "As", bytes(16)]
