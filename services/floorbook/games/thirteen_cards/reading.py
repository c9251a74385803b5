"""Whether a request is one that can be evaluated: JSON in, our own types out (D1, D3).

This is the only place that looks at JSON. The order of the checks is D3's: of several faults the
first is answered. Inside this module, and only up to `answering`, a fault travels as an exception;
what leaves the game is a `Refused`.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from floorbook.games.rule_set import Evaluated, Operation, Refused
from floorbook.games.thirteen_cards.arrangement import (
    HAND_SIZE,
    Arrangement,
    Hand,
    check_arrangement,
)
from floorbook.games.thirteen_cards.cards import Card, are_cards
from floorbook.games.thirteen_cards.config import Config, config_of, is_integer
from floorbook.games.thirteen_cards.deal import check_deck, check_dice, is_gate
from floorbook.games.thirteen_cards.holders import Bet
from floorbook.games.thirteen_cards.lanes import LANE_SIZES, LANES
from floorbook.games.thirteen_cards.money import Stake

Json = Any
Request = Mapping[str, Json]


class _RequestRefused(Exception):
    """A fault found while reading a request."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(code)
        self.refused = Refused(code, detail)


def answering(rule_set: str, evaluate: Callable[[Request, Config], Evaluated]) -> Operation:
    """Return the operation that reads the flags, then evaluates, and refuses what is faulty."""

    def operation(request: Request) -> Evaluated | Refused:
        config = config_of(rule_set, request.get("config", {}))
        if isinstance(config, Refused):
            return config
        try:
            return evaluate(request, config)
        except _RequestRefused as fault:
            return fault.refused

    return operation


def refusal(code: str, detail: str) -> Exception:
    """Return what to raise when a readable request cannot be evaluated."""
    return _RequestRefused(code, detail)


# Values of one kind


def _field(holder: Request, name: str, where: str = "") -> Json:
    if name not in holder:
        raise _RequestRefused("BAD_REQUEST", f"{where}{name} is missing.")
    return holder[name]


def _integer(holder: Request, name: str, where: str = "") -> int:
    value = _field(holder, name, where)
    if not is_integer(value):
        raise _RequestRefused("BAD_REQUEST", f"{where}{name} is not an integer.")
    return value


def _text(holder: Request, name: str, where: str) -> str:
    value = _field(holder, name, where)
    if not isinstance(value, str) or not _is_unicode(value):
        raise _RequestRefused("BAD_REQUEST", f"{where}{name} is not text.")
    return value


def _is_unicode(text: str) -> bool:
    """Return whether `text` can be written at all: JSON can name half a surrogate pair."""
    return text.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in text)


def _list(holder: Request, name: str, where: str = "") -> Sequence[Json]:
    value = _field(holder, name, where)
    if not isinstance(value, list | tuple):
        raise _RequestRefused("BAD_REQUEST", f"{where}{name} is not a list.")
    return value


def _objects(holder: Request, name: str) -> Sequence[Request]:
    values = _list(holder, name)
    for index, value in enumerate(values):
        if not isinstance(value, Mapping):
            raise _RequestRefused("BAD_REQUEST", f"{name}[{index}] is not an object.")
    return values


def read_flag(holder: Request, name: str, default: bool | None = None, where: str = "") -> bool:
    """Return a boolean field; without a `default` it must be there."""
    value = _field(holder, name, where) if default is None else holder.get(name, default)
    if not isinstance(value, bool):
        raise _RequestRefused("BAD_REQUEST", f"{where}{name} is neither true nor false.")
    return value


# Gates, dice and cards of a deal


def read_banker_gate(request: Request) -> int:
    """Return the number of the banker's gate."""
    gate = _integer(request, "banker_gate")
    if not is_gate(gate):
        raise _RequestRefused("UNKNOWN_GATE", f"banker_gate is {gate}: gates are 0 to 3.")
    return gate


def read_dice(request: Request) -> tuple[int, ...]:
    """Return the faces of the four dice."""
    dice = _list(request, "dice")
    if check_dice(dice):
        raise _RequestRefused("BAD_DICE", "dice are not four faces from 1 to 6.")
    return tuple(dice)


def read_deck(request: Request) -> tuple[Card, ...] | None:
    """Return the pack in the order dealt, if the request gives it."""
    if "deck" not in request:
        return None
    deck = _list(request, "deck")
    if check_deck(deck):
        raise _RequestRefused("BAD_DECK", "deck is not the whole pack with each card once.")
    return tuple(deck)


def read_dealt(request: Request) -> tuple[tuple[Card, int], ...]:
    """Return which card was dealt to which gate, in the order dealt."""
    dealt = _list(request, "dealt")
    for index, pair in enumerate(dealt):
        if not isinstance(pair, list | tuple) or len(pair) != 2 or not is_integer(pair[1]):
            raise _RequestRefused("BAD_REQUEST", f"dealt[{index}] is not a card and a gate.")
    if check_deck([card for card, _ in dealt]):
        raise _RequestRefused("BAD_DECK", "dealt is not the whole pack with each card once.")
    for index, (_, gate) in enumerate(dealt):
        if not is_gate(gate):
            raise _RequestRefused("UNKNOWN_GATE", f"dealt[{index}] names gate {gate}.")
    return tuple((card, gate) for card, gate in dealt)


# Bets


def read_bets(request: Request, banker_gate: int) -> tuple[Bet, ...]:
    """Return the bets with their bettors, in the order placed (Art.5)."""
    return tuple(
        Bet(
            bet_id,
            _text(bet, "bettor", where),
            gate,
            bet["unit_minor"],
            bet["units"],
            read_flag(bet, "has_place", where=where),
        )
        for where, bet, bet_id, gate in _official_bets(request, banker_gate)
    )


def read_stakes(request: Request, banker_gate: int) -> tuple[Stake, ...]:
    """Return the bets as the official settlement sees them (TC-37)."""
    return tuple(
        Stake(bet_id, gate, bet["unit_minor"] * bet["units"])
        for _, bet, bet_id, gate in _official_bets(request, banker_gate)
    )


def _official_bets(request: Request, banker_gate: int) -> list[tuple[str, Request, str, int]]:
    """Return where each bet stands, the bet itself, its id and its gate."""
    return _checked_bets(request, banker_gate, _check_units)


def _check_units(bet: Request, where: str) -> None:
    units = _field(bet, "units", where)
    _positive(bet, "unit_minor", where)
    if not is_integer(units) or not 1 <= units <= 3:
        raise _RequestRefused("BAD_BET", f"{where}units is not 1, 2 or 3 (TC-37).")


def read_variant_stakes(request: Request, banker_gate: int) -> tuple[Stake, ...]:
    """Return the bets of a banker game among the variants."""
    return tuple(
        Stake(bet_id, gate, bet["stake_minor"])
        for _, bet, bet_id, gate in _checked_bets(request, banker_gate, _check_stake)
    )


def _check_stake(bet: Request, where: str) -> None:
    _positive(bet, "stake_minor", where)


def read_unit_minor(request: Request) -> int:
    """Return what one unit is worth where all play against all."""
    return _positive(request, "unit_minor", "")


def _positive(holder: Request, name: str, where: str) -> int:
    value = _field(holder, name, where)
    if not is_integer(value) or value < 1:
        raise _RequestRefused("BAD_BET", f"{where}{name} is not a positive integer.")
    return value


def _checked_bets(
    request: Request, banker_gate: int, check_amount: Callable[[Request, str], None]
) -> list[tuple[str, Request, str, int]]:
    read = []
    for index, bet in enumerate(_objects(request, "bets")):
        where = f"bets[{index}]."
        bet_id, gate = _text(bet, "bet_id", where), _integer(bet, "gate", where)
        if not is_gate(gate):
            raise _RequestRefused("UNKNOWN_GATE", f"{where}gate is {gate}: gates are 0 to 3.")
        if gate == banker_gate:
            raise _RequestRefused("BET_ON_BANKER", f"{where}gate is the banker's (TC-02).")
        check_amount(bet, where)
        read.append((where, bet, bet_id, gate))
    if len({bet_id for _, _, bet_id, _ in read}) < len(read):
        raise _RequestRefused("BAD_BET", "bets: a bet_id is there twice.")
    return read


def check_hands_are_there(hands: Mapping[int, Hand]) -> None:
    """Refuse a gate without cards, where nothing is arranged (B4, B5)."""
    for gate, hand in hands.items():
        if hand.cards is None:
            raise _RequestRefused("BAD_HAND_SIZE", f"gates: gate {gate} has no cards.")


def check_enough_gates(hands: Mapping[int, Hand]) -> None:
    """Refuse a round of a variant with fewer than two gates (TV-54)."""
    if len(hands) < 2:
        raise _RequestRefused("NOT_ENOUGH_GATES", "gates: fewer than two are given.")


def check_bets_have_hands(bets: Sequence[Stake], hands: Mapping[int, Hand]) -> None:
    """Refuse a bet on a gate that was not given."""
    for index, bet in enumerate(bets):
        if bet.gate not in hands:
            raise _RequestRefused("UNKNOWN_GATE", f"bets[{index}].gate {bet.gate} has no hand.")


# Lanes and hands


def read_lane_name(request: Request) -> str:
    """Return which lane the request is about."""
    lane = _field(request, "lane")
    if not isinstance(lane, str) or lane not in LANES:
        raise _RequestRefused("BAD_REQUEST", "lane is not front, middle or back.")
    return lane


def read_lane(request: Request, name: str, lane: str) -> tuple[Card, ...]:
    """Return the cards of one lane."""
    cards = _cards(request, name)
    if len(cards) != LANE_SIZES[lane]:
        raise _RequestRefused(
            "BAD_LANE_SIZE", f"{name}: a {lane} lane has {LANE_SIZES[lane]} cards."
        )
    _refuse_duplicates(cards, name)
    return cards


def read_two_lanes(request: Request, lane: str) -> tuple[tuple[Card, ...], tuple[Card, ...]]:
    """Return the two lanes `a` and `b` that are to be compared."""
    a, b = read_lane(request, "a", lane), read_lane(request, "b", lane)
    _refuse_duplicates(a + b, "a and b")
    return a, b


def read_arrangement(request: Request) -> Arrangement:
    """Return the arrangement that the request is about."""
    return _laid(_field(request, "arrangement"), None, "arrangement")


def read_one_hand(request: Request) -> tuple[tuple[Card, ...], Arrangement | None]:
    """Return the thirteen cards that the request is about, and how they are laid, if they are."""
    cards, laid = _cards_and_arrangement(request, "")
    if cards is None:
        raise _RequestRefused("BAD_HAND_SIZE", "Neither cards nor arrangement is given.")
    return cards, laid


def read_thirteen(request: Request) -> tuple[Card, ...]:
    """Return the thirteen cards that are to be laid."""
    cards = _cards(request, "cards")
    _check_thirteen(cards, "cards")
    return cards


def read_cards_and_banker(request: Request) -> tuple[tuple[Card, ...], Arrangement]:
    """Return the thirteen cards that are to be laid, and the banker's open hand."""
    cards = read_thirteen(request)
    where = "banker_arrangement"
    laid = _laid(_field(request, where), None, where)
    _refuse_duplicates(cards + laid.cards, "cards and banker_arrangement")
    return cards, laid


def read_hands(
    request: Request, *, timed: bool = False, declinable: bool = False
) -> dict[int, Hand]:
    """Return the hands of the given gates, by gate number.

    `elapsed_ms` is looked at only where a clock runs, and not for the banker; `declare` only where
    a special can be declined (D1).
    """
    banker_gate = request.get("banker_gate")
    given = list(enumerate(_objects(request, "gates")))
    numbers = [_integer(gate, "gate", f"gates[{index}].") for index, gate in given]
    hands: dict[int, Hand] = {}
    for number, (index, gate) in sorted(zip(numbers, given, strict=True), key=lambda pair: pair[0]):
        where = f"gates[{index}]."
        if not is_gate(number):
            raise _RequestRefused("UNKNOWN_GATE", f"{where}gate is {number}: gates are 0 to 3.")
        if number in hands:
            raise _RequestRefused("UNKNOWN_GATE", f"{where}gate {number} is listed twice.")
        cards, laid = _cards_and_arrangement(gate, where)
        elapsed = _elapsed_ms(gate, where) if timed and number != banker_gate else 0
        declared = read_flag(gate, "declare", True, where) if declinable else True
        hands[number] = Hand(number, cards, laid, elapsed, declared)
    _refuse_duplicates([card for hand in hands.values() for card in hand.cards or ()], "gates")
    return hands


def _elapsed_ms(gate: Request, where: str) -> int:
    elapsed = _integer(gate, "elapsed_ms", where) if "elapsed_ms" in gate else 0
    if elapsed < 0:
        raise _RequestRefused("BAD_REQUEST", f"{where}elapsed_ms is negative.")
    return elapsed


def _cards_and_arrangement(
    holder: Request, where: str
) -> tuple[tuple[Card, ...] | None, Arrangement | None]:
    """Return a hand's cards and lanes; lanes alone say what the cards are (D1)."""
    cards = None
    if "cards" in holder:
        cards = _cards(holder, "cards", where)
        _check_thirteen(cards, f"{where}cards")
    if holder.get("arrangement") is None:
        return cards, None
    laid = _laid(holder["arrangement"], cards, f"{where}arrangement")
    return cards or laid.cards, laid


def _check_thirteen(cards: Sequence[Card], where: str) -> None:
    if len(cards) != HAND_SIZE:
        raise _RequestRefused("BAD_HAND_SIZE", f"{where}: {len(cards)} cards and not 13.")
    _refuse_duplicates(cards, where)


def _laid(value: Json, cards: tuple[Card, ...] | None, where: str) -> Arrangement:
    if not isinstance(value, Mapping):
        raise _RequestRefused("BAD_REQUEST", f"{where} is not an object.")
    front, middle, back = (_list(value, lane, f"{where}.") for lane in LANES)
    code = check_arrangement(front, middle, back, cards)
    if code:
        raise _RequestRefused(code, f"{where}: {_ARRANGEMENT_FAULTS[code]}")
    return Arrangement(tuple(front), tuple(middle), tuple(back))


_ARRANGEMENT_FAULTS = {
    "BAD_CARD": "a card is not two characters of rank and suit.",
    "BAD_LANE_SIZE": "the lanes do not have 3, 5 and 5 cards.",
    "DUPLICATE_CARD": "a card is there twice.",
    "CARDS_MISMATCH": "the lanes do not hold the cards of the hand.",
}


def _cards(holder: Request, name: str, where: str = "") -> tuple[Card, ...]:
    cards = _list(holder, name, where)
    if not are_cards(cards):
        raise _RequestRefused("BAD_CARD", f"{where}{name}: a card is not rank and suit.")
    return tuple(cards)


def _refuse_duplicates(cards: Sequence[Card], name: str) -> None:
    if len(set(cards)) < len(cards):
        raise _RequestRefused("DUPLICATE_CARD", f"{name}: a card is there twice.")
