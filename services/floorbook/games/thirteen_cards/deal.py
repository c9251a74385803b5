"""Which gate gets which card: the dice, the first gate, the deal and its mistakes (Art.2, Art.4)."""

from collections.abc import Mapping, Sequence

import msgspec

from floorbook.games.thirteen_cards.cards import PACK, Card, are_cards
from floorbook.games.thirteen_cards.config import is_integer

GATES = (0, 1, 2, 3)  # counter-clockwise
DICE = 4


class Move(msgspec.Struct, frozen=True):
    """A card that was dealt to the wrong gate, and where it belongs."""

    card: Card
    source: int
    target: int


def is_gate(number: int) -> bool:
    """Return whether the table has a gate of this number."""
    return 0 <= number < len(GATES)


def check_dice(values: Sequence[object]) -> str | None:
    """Return `BAD_DICE` unless `values` are the faces of four dice."""
    if len(values) == DICE and all(is_integer(face) and 1 <= face <= 6 for face in values):
        return None
    return "BAD_DICE"


def check_deck(cards: Sequence[object]) -> str | None:
    """Return `BAD_DECK` unless `cards` are the whole pack, each card once."""
    if len(cards) == len(PACK) and are_cards(cards) and len(set(cards)) == len(PACK):
        return None
    return "BAD_DECK"


def check_hands(hands: Mapping[int, Sequence[object]]) -> str | None:
    """Return `BAD_DECK` unless each gate has thirteen cards and no card is there twice (B10)."""
    dealt = [card for cards in hands.values() for card in cards]
    thirteen = all(len(cards) == len(PACK) // len(GATES) for cards in hands.values())
    if thirteen and are_cards(dealt) and len(set(dealt)) == len(dealt):
        return None
    return "BAD_DECK"


def first_gate(banker_gate: int, dice: Sequence[int]) -> int:
    """Return the gate that gets the first card: counter-clockwise, the banker is 1 (TC-03)."""
    return (banker_gate + sum(dice) - 1) % len(GATES)


def gate_of_card(first: int, index: int) -> int:
    """Return the gate of the `index`-th card dealt, one at a time from the `first` gate (Art.2(c))."""
    return (first + index) % len(GATES)


def hands_of(
    banker_gate: int, dice: Sequence[int], cards_in_order: Sequence[Card]
) -> dict[int, tuple[Card, ...]]:
    """Return the hand of every gate by the normal order of dealing.

    All four gates are dealt, whoever plays (TC-46).
    """
    first = first_gate(banker_gate, dice)
    return {
        gate: tuple(cards_in_order[(gate - first) % len(GATES) :: len(GATES)]) for gate in GATES
    }


def misdealt(
    banker_gate: int, dice: Sequence[int], dealt: Sequence[tuple[Card, int]]
) -> tuple[Move, ...]:
    """Return the cards that lie at a wrong gate (派牌的失誤, Art.4), in the order dealt."""
    first = first_gate(banker_gate, dice)
    return tuple(
        Move(card, gate, gate_of_card(first, index))
        for index, (card, gate) in enumerate(dealt)
        if gate != gate_of_card(first, index)
    )
