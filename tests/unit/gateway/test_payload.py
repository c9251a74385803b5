"""Readings lie in a payload as the document says; whatever else lies there is unreadable, never an error."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from floorbook.gateway import payload
from floorbook.gateway.frames import Frame, FrameType, encode
from floorbook.seal import Opening, open_positions
from floorbook.table.events import (
    DeckCut,
    DeckFault,
    DeckFaulty,
    DeckOpened,
    DiceThrown,
    EquipmentKind,
    Fact,
    ShuffleSealed,
    SourceStarted,
    ThrowFault,
    ThrowVoid,
    UnknownFact,
)
from floorbook.table.pai_kau.facts import DealtHand, TilesDealt
from floorbook.table.thirteen_cards.facts import DealtCard, PackDealt
from floorbook.v1 import gateway_pb2
from floorbook.wire import codec, envelope
from floorbook.wire.quarantine import Unreadable

faces = st.lists(st.integers(0, 255), max_size=8).map(tuple)
printable = st.characters(min_codepoint=33, max_codepoint=126)
hashes = st.binary(min_size=32, max_size=32)
openings = st.builds(
    Opening,
    st.integers(0, 255),
    st.text(printable, min_size=1, max_size=8),
    st.binary(min_size=16, max_size=16),
)
facts: st.SearchStrategy[Fact] = st.one_of(
    st.builds(SourceStarted, st.integers(0, (1 << 63) - 1)),
    st.builds(ShuffleSealed, hashes, st.integers(1, 256)),
    st.builds(DeckCut, st.integers(1, 255)),
    st.builds(
        DeckOpened,
        st.lists(openings, max_size=5).map(tuple),
        st.lists(hashes, max_size=5).map(tuple),
    ),
    st.builds(DeckFaulty, st.sampled_from(DeckFault), st.integers(0, 512)),
    st.builds(DiceThrown, faces),
    st.builds(
        PackDealt,
        st.lists(
            st.builds(DealtCard, st.text(printable, min_size=2, max_size=2), st.integers(0, 255)),
            max_size=64,
        ).map(tuple),
    ),
    st.builds(
        TilesDealt,
        st.lists(
            st.builds(
                DealtHand,
                st.integers(0, 255),
                st.lists(st.text(printable, min_size=2, max_size=2), max_size=8).map(tuple),
            ),
            max_size=16,
        ).map(tuple),
    ),
    st.builds(ThrowVoid, st.sampled_from(ThrowFault), faces),
)
clocks = st.integers(0, (1 << 63) - 1)


@given(facts, clocks)
def test_facts_come_out_as_they_went_in(fact: Fact, clock: int) -> None:
    assert payload.read(payload.write(fact, clock)) == (clock, fact)


@given(facts)
def test_the_same_fact_over_grpc_has_the_same_fingerprint(fact: Fact) -> None:
    fields: dict[str, Any] = {envelope.name_of(fact): codec.builtins(fact)}
    if isinstance(fact, PackDealt):
        fields = {"thirteen_cards": fields}
    if isinstance(fact, TilesDealt):
        fields = {"pai_kau": fields}
    over_grpc = envelope.fact_of(gateway_pb2.Reading(**fields))
    assert isinstance(over_grpc, Fact)
    _, over_line = payload.read(payload.write(fact))
    assert isinstance(over_line, Fact)
    assert envelope.fingerprint(over_line) == envelope.fingerprint(over_grpc)


@given(facts, st.data())
def test_a_payload_cut_short_or_too_long_is_unreadable(fact: Fact, data: st.DataObject) -> None:
    whole = payload.write(fact)
    short = whole[: data.draw(st.integers(0, len(whole) - 1))]
    assert isinstance(payload.read(short)[1], Unreadable)
    assert isinstance(payload.read(whole + b"\0")[1], Unreadable)


@given(st.binary(max_size=300))
def test_arbitrary_bytes_are_never_an_exception(data: bytes) -> None:
    payload.read(data)
    payload.read(b"\0" * 8 + data)


def test_what_is_out_of_range_is_unreadable_and_an_unknown_tag_is_an_unknown_fact() -> None:
    clock = b"\0" * 8
    for body in (b"\x21\x00", b"\x20\x00\x00" + b"0" * 32, b"\x31\x09\x00", b"\x30\x09" + b"1" * 9):
        assert isinstance(payload.read(clock + body)[1], Unreadable), body
    assert isinstance(payload.read(b"\xff" * 8 + b"\x21\x01")[1], Unreadable)
    assert payload.read(clock + b"\x7f\x00") == (0, UnknownFact())


def test_the_largest_opening_fits_into_a_frame() -> None:
    deck = ["mahjong8"] * 256
    opened = open_positions(deck, [b"s" * 16] * 256, range(256))
    everything = payload.write(DeckOpened(opened.openings, opened.hashes), 1)
    half = open_positions(deck, [b"s" * 16] * 256, range(0, 256, 2))
    widest = payload.write(DeckOpened(half.openings, half.hashes), 1)
    for each in (everything, widest):
        encode(Frame(FrameType.READING, "d" * 40, "t" * 40, payload=each))


def test_each_kind_of_device_has_its_own_facts() -> None:
    dice, shuffler = payload.FACTS[EquipmentKind.DICE], payload.FACTS[EquipmentKind.SHUFFLER]
    assert dice & shuffler == {SourceStarted}
    assert payload.FACTS[EquipmentKind.SHOE] == {SourceStarted, PackDealt, TilesDealt}
    assert DiceThrown in dice
    assert DeckOpened in shuffler
