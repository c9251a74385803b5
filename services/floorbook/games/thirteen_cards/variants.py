"""The nine variants as data, and what each answers to the operations of D2."""

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any

from floorbook.games.rule_set import Evaluated, Operation, as_result, once
from floorbook.games.thirteen_cards import (
    all_against_all,
    banker_game,
    four_player,
    reading,
    specials,
)
from floorbook.games.thirteen_cards.arrangement import Hand, in_order
from floorbook.games.thirteen_cards.cards import Card
from floorbook.games.thirteen_cards.config import Config
from floorbook.games.thirteen_cards.lane_order import (
    Lane,
    Order,
    by_leading_rank,
    by_ranks,
    by_ranks_then_suit,
    by_suits_of_declare,
)
from floorbook.games.thirteen_cards.lanes import (
    LOW_ACE_LOWEST,
    LOW_ACE_SECOND,
    class_id,
    strength,
)
from floorbook.games.thirteen_cards.patterns import tally
from floorbook.games.thirteen_cards.reading import Request, answering
from floorbook.games.thirteen_cards.specials import find_special, tier_of
from floorbook.games.thirteen_cards.variant import Variant

SettleAll = Callable[[Sequence[Hand], int, Variant, Config], all_against_all.Settlement]


def ranks_only(config: Config) -> Order:
    """Return the order of lanes in which suits have no part."""
    return by_ranks


def declare_order(config: Config) -> Order:
    """Return the order of lanes of ENC-3."""
    return by_suits_of_declare


def xianggong_order(config: Config) -> Order:
    """Return the order of lanes of the house's practice in ENC-B (TV-33)."""
    return by_leading_rank if config.tie_break_mode == "top_card_banker" else by_ranks_then_suit


HEAD_TO_HEAD: tuple[tuple[Variant, SettleAll], ...] = (
    (
        Variant(  # 比大小13張
            id="compare_size",
            cites=("ENC-1", "TV-01", "TV-02"),
            specials=specials.none,
            ranking=LOW_ACE_SECOND,
            order=ranks_only,
        ),
        all_against_all.settle,
    ),
    (
        Variant(  # 免擺13張
            id="no_arranging",
            cites=("ENC-2", "ENC-1", "TV-01", "TV-02"),
            specials=specials.no_arranging,
            ranking=LOW_ACE_SECOND,
            order=ranks_only,
        ),
        all_against_all.settle,
    ),
    (
        Variant(  # 報到13張
            id="declare",
            cites=("ENC-3", "TV-01", "TV-11", "TV-02"),
            specials=specials.declare,
            ranking=LOW_ACE_SECOND,
            order=declare_order,
        ),
        all_against_all.settle,
    ),
    (
        Variant(  # 百變13張
            id="hundred_change",
            cites=("ENC-4", "TV-01", "TV-25", "TV-02"),
            specials=specials.hundred_change,
            ranking=None,
            order=ranks_only,
        ),
        all_against_all.settle,
    ),
    (
        Variant(  # 紹興13張
            id="shaoxing",
            cites=("ENC-5", "TV-01", "TV-25", "TV-02"),
            specials=specials.shaoxing,
            ranking=None,
            order=ranks_only,
        ),
        all_against_all.settle,
    ),
    (
        Variant(  # 比大小13張2
            id="compare_size_2",
            cites=("ENC-6", "TV-01", "TV-26", "TV-02"),
            specials=specials.none,
            ranking=LOW_ACE_LOWEST,
            order=ranks_only,
            compared=("back",),
        ),
        all_against_all.settle,
    ),
    (
        Variant(  # 四人對比計分
            id="four_player",
            cites=("ENC-S", "TV-01"),
            specials=specials.four_player,
            ranking=LOW_ACE_LOWEST,
            order=ranks_only,
            declinable=True,
        ),
        four_player.settle,
    ),
)
AGAINST_BANKER: tuple[tuple[Variant, banker_game.Against], ...] = (
    (
        Variant(  # 報到13張2
            id="declare_2",
            cites=("ENC-7",),
            specials=specials.declare_2,
            ranking=LOW_ACE_SECOND,
            order=ranks_only,
            declinable=True,
        ),
        banker_game.by_declare_2,
    ),
    (
        Variant(  # 相公
            id="banker_xianggong",
            cites=("ENC-B",),
            specials=specials.banker_xianggong,
            ranking=LOW_ACE_SECOND,
            order=xianggong_order,
            declinable=True,
        ),
        banker_game.by_banker_xianggong,
    ),
)


@cache
def _variant(rule_set: str) -> Variant:
    known = [variant for variant, _ in (*HEAD_TO_HEAD, *AGAINST_BANKER) if variant.id == rule_set]
    assert known, f"{rule_set} is no variant of Thirteen Cards"
    return known[0]


def special_of(rule_set: str, cards: tuple[Card, ...], config: Config) -> str | None:
    """Return the special hand that thirteen cards are in a variant, declined or not."""
    found = find_special(tally(cards), _variant(rule_set).specials(config))
    return found.id if found else None


def variant_operations() -> dict[str, dict[str, Operation]]:
    """Return the operations of every variant by name, by rule set."""
    found = {}
    for variant, settle in HEAD_TO_HEAD:
        evaluate = partial(_settle_all_against_all, variant, settle)
        found[variant.id] = {**_on_hands(variant), "settle": answering(variant.id, evaluate)}
    for variant, against in AGAINST_BANKER:
        evaluate = partial(_settle_against_banker, variant, against)
        found[variant.id] = {**_on_hands(variant), "settle": answering(variant.id, evaluate)}
    return found


def _on_hands(variant: Variant) -> dict[str, Operation]:
    """Return the operations on single lanes and hands; without lanes there is only `special`."""
    offered = {"special": _special}
    if variant.ranking is not None:
        offered |= {"classify": _classify, "compare": _compare, "legal": _legal}
    return {op: answering(variant.id, partial(do, variant)) for op, do in offered.items()}


def _classify(variant: Variant, request: Request, config: Config) -> Evaluated:
    lane = reading.read_lane_name(request)
    found = _strength(variant, reading.read_lane(request, "cards", lane))
    return Evaluated({"class": class_id(found)}, variant.cites[:1])


def _compare(variant: Variant, request: Request, config: Config) -> Evaluated:
    name = reading.read_lane_name(request)
    a, b = (
        Lane(cards, _strength(variant, cards)) for cards in reading.read_two_lanes(request, name)
    )
    difference = variant.order(config)(a, b)
    result = {
        "a_class": class_id(a.strength),
        "b_class": class_id(b.strength),
        "result": "equal" if not difference else "a" if difference > 0 else "b",
    }
    return Evaluated(result, variant.cites[:1])


def _strength(variant: Variant, cards: tuple[Card, ...]) -> int:
    assert variant.ranking is not None, "without lanes the operation is not offered"
    return strength(cards, variant.ranking)


def _legal(variant: Variant, request: Request, config: Config) -> Evaluated:
    """Answer the bare order test; the special is that of the thirteen cards."""
    assert variant.ranking is not None, "without lanes the operation is not offered"
    laid = reading.read_arrangement(request)
    special = find_special(tally(laid.cards), variant.specials(config))
    result = {
        "legal": in_order(laid.strengths(variant.ranking), config.equal_lanes_foul),
        "special": special.id if special else None,
    }
    return Evaluated(result, (*(special.cites if special else ()), "ENC-0"))


def _special(variant: Variant, request: Request, config: Config) -> Evaluated:
    cards, _ = reading.read_one_hand(request)
    special = find_special(tally(cards), variant.specials(config))
    result: dict[str, Any] = {"special": special.id if special else None}
    if special and variant.ranking is None:
        result["tier"] = tier_of(special)
    return Evaluated(result, special.cites if special else variant.cites[:1])


def _settle_all_against_all(
    variant: Variant, settle: SettleAll, request: Request, config: Config
) -> Evaluated:
    unit_minor = reading.read_unit_minor(request)
    hands = reading.read_hands(request, declinable=variant.declinable)
    if variant.ranking is None:
        reading.check_hands_are_there(hands)
    reading.check_enough_gates(hands)
    settled = settle(list(hands.values()), unit_minor, variant, config)
    cites = once(*(gate.cites for gate in settled.gates), *(pair.cites for pair in settled.pairs))
    return Evaluated(as_result(settled), cites)


def _settle_against_banker(
    variant: Variant, against: banker_game.Against, request: Request, config: Config
) -> Evaluated:
    banker_gate = reading.read_banker_gate(request)
    bets = reading.read_variant_stakes(request, banker_gate)
    hands = reading.read_hands(request, declinable=variant.declinable)
    players = {gate: hand for gate, hand in hands.items() if gate != banker_gate}
    if banker_gate not in hands:
        raise reading.refusal("BANKER_MISSING", "gates: the banker's gate is not given.")
    reading.check_bets_have_hands(bets, players)
    reading.check_enough_gates(hands)
    settled = banker_game.settle(
        hands[banker_gate], list(players.values()), bets, against, variant, config
    )
    cites = once(
        settled.banker.cites,
        *(gate.cites for gate in settled.gates),
        *(bet.cites for bet in settled.bets),
    )
    return Evaluated(as_result(settled), cites)
