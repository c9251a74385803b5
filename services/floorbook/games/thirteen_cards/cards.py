"""What a card is, and which card is higher (Art.6)."""

from collections.abc import Iterable

Card = str  # rank and suit, as in "As" or "Td"

RANKS = "AKQJT98765432"
SUITS = "shcd"  # from the highest, where a variant orders them at all (黑桃, 紅心, 梅花, 方塊)
PACK: tuple[Card, ...] = tuple(rank + suit for suit in SUITS for rank in RANKS)

ACE, KING, QUEEN, JACK = 14, 13, 12, 11
RANK_OF: dict[Card, int] = {card: ACE - RANKS.index(card[0]) for card in PACK}
SUIT_RANK: dict[str, int] = {suit: 4 - place for place, suit in enumerate(SUITS)}


def are_cards(values: Iterable[object]) -> bool:
    """Return whether all `values` are cards of the pack."""
    try:
        return all(map(RANK_OF.__contains__, values))
    except TypeError:  # a list or an object: it cannot even be looked up
        return False


def ranks_of(cards: Iterable[Card]) -> tuple[int, ...]:
    """Return the ranks of `cards`, 14 for an ace down to 2, from the highest."""
    return tuple(sorted(map(RANK_OF.__getitem__, cards), reverse=True))


def rank_text(ranks: Iterable[int]) -> str:
    """Return `ranks` as they are printed.

    >>> rank_text((14, 10, 2))
    'AT2'
    """
    return "".join(RANKS[ACE - rank] for rank in ranks)
