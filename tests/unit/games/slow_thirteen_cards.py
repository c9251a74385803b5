"""Thirteen Cards once more, slowly: every rule looked up in the plainest way that can be read.

The product's evaluator is compared with this one on random rounds. Nothing here is taken from it:
cards stay two letters of text, specials are found by trying, sums are made pair by pair. Requests are
taken to be sound; what is refused is tested elsewhere.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from itertools import combinations, product
from typing import Any

Json = Mapping[str, Any]
Cards = tuple[str, ...]
Key = tuple[int, tuple[int, ...]]  # number of the class, then the ranks that break ties
Lanes = tuple[Cards, Cards, Cards]

LANE_NAMES = ("front", "middle", "back")
# From the smallest. A fouled hand's lanes are below all of them.
CLASSES = (
    "foul",
    "high_card",
    "one_pair",
    "two_pairs",
    "three_of_a_kind",
    "straight",
    "flush",
    "full_house",
    "four_of_a_kind",
    "straight_flush",
    "royal_flush",
)
FOUL: Key = (0, ())
LOW_ACE_SMALLEST = ("compare_size_2", "four_player")
BANKER_GAMES = ("declare_2", "banker_xianggong")
WITHOUT_LANES = ("hundred_change", "shaoxing")
DECLINABLE = ("declare_2", "banker_xianggong", "four_player")


def rank(card: str) -> int:
    return "23456789TJQKA".index(card[0]) + 2


def ranks(cards: Iterable[str]) -> list[int]:
    return sorted((rank(card) for card in cards), reverse=True)


def suits(cards: Iterable[str]) -> set[str]:
    return {card[1] for card in cards}


def run(length: int, top: int) -> list[int]:
    """The ranks of a run that ends at `top`; at 5 (or 3) it begins with the ace."""
    return sorted((14 if at == 1 else at for at in range(top - length + 1, top + 1)), reverse=True)


FIVES = {top: run(5, top) for top in range(5, 15)}
THREES = {top: run(3, top) for top in range(3, 15)}


def key(cards: Cards, rule_set: str) -> Key:
    """Class and ranks of one lane, comparable with any other lane of the same rule set."""
    held = ranks(cards)
    count = Counter(held)
    by_count = sorted(count, key=lambda r: (count[r], r), reverse=True)
    shape = sorted(count.values(), reverse=True)
    if len(cards) == 5:
        suited = len(suits(cards)) == 1
        tops = [top for top, wanted in FIVES.items() if wanted == held]
        if tops and suited and tops[0] == 14 and rule_set == "thirteen_cards":
            return CLASSES.index("royal_flush"), ()
        if tops:
            kind = "straight_flush" if suited else "straight"
            return CLASSES.index(kind), (run_strength(tops[0], kind, rule_set),)
        if suited:
            return CLASSES.index("flush"), tuple(held)
    named = {
        (4, 1): ("four_of_a_kind", 1),
        (3, 2): ("full_house", 1),
        (3, 1, 1): ("three_of_a_kind", 1),
        (3,): ("three_of_a_kind", 1),
        (2, 2, 1): ("two_pairs", 3),
        (2, 1, 1, 1): ("one_pair", 4),
        (2, 1): ("one_pair", 2),
        (1, 1, 1, 1, 1): ("high_card", 5),
        (1, 1, 1): ("high_card", 3),
    }
    kind, counted = named[tuple(shape)]
    return CLASSES.index(kind), tuple(by_count[:counted])


def run_strength(top: int, kind: str, rule_set: str) -> int:
    """1 for 65432 up to 8 for KQJT9 and 10 for AKQJT; A2345 is 9, 0, or above all of its class."""
    if top == 14:
        return 10
    if top != 5:
        return top - 5
    if rule_set == "thirteen_cards" and kind == "straight_flush":
        return 11
    return 0 if rule_set in LOW_ACE_SMALLEST else 9


def class_name(key: Key) -> str:
    return CLASSES[key[0]]


def suit_value(cards: Iterable[str]) -> int:
    """The best suit among `cards`: spade, heart, club, diamond."""
    return max("dchs".index(card[1]) for card in cards)


def leading_cards(cards: Cards, lane: Key) -> list[str]:
    """The cards whose best suit settles equal ranks."""
    kind, numbers = class_name(lane), lane[1]
    if kind in ("one_pair", "two_pairs"):
        return [card for card in cards if rank(card) == numbers[0]]
    # In A2345 the ace is the highest rank held, too.
    top = max(map(rank, cards))
    return [card for card in cards if rank(card) == top]


def lane_sign(a: Cards, b: Cards, rule_set: str, config: Json) -> int:
    """1, -1 or 0 for a's lane against b's, without any privilege of the banker."""
    first, second = key(a, rule_set), key(b, rule_set)
    if rule_set == "banker_xianggong" and config.get("tie_break_mode") == "top_card_banker":
        return sign((first[0], first[1][:1]), (second[0], second[1][:1]))
    if first != second:
        return sign(first, second)
    suited = rule_set == "banker_xianggong" or (
        rule_set == "declare" and class_name(first) != "high_card"
    )
    if not suited:
        return 0
    return sign(suit_value(leading_cards(a, first)), suit_value(leading_cards(b, second)))


def sign(a: Any, b: Any) -> int:
    return int(a > b) - int(a < b)


def in_order(lanes: Lanes, rule_set: str, config: Json) -> bool:
    front, middle, back = (key(lane, rule_set) for lane in lanes)
    if config.get("equal_lanes_foul", rule_set == "banker_xianggong"):
        return front < middle < back
    return front <= middle <= back


def pairs(cards: Iterable[str]) -> int:
    return sum(count // 2 for count in Counter(map(rank, cards)).values())


def dragon(cards: Cards) -> bool:
    return len(set(map(rank, cards))) == 13


def three_flushes(cards: Cards, *, different: bool = False) -> bool:
    """Whether each lane can be given a suit so that the cards are just used up."""
    held = Counter(card[1] for card in cards)
    for chosen in product("shcd", repeat=3):
        wanted: Counter[str] = Counter()
        for suit, size in zip(chosen, (3, 5, 5), strict=True):
            wanted[suit] += size
        if wanted == held and (len(set(chosen)) == 3 or not different):
            return True
    return False


def three_straights(cards: Cards, *, queen_king_ace: bool = True) -> bool:
    return tuple(ranks(cards)) in made_of_three_runs(queen_king_ace)


@cache
def made_of_three_runs(queen_king_ace: bool) -> frozenset[tuple[int, ...]]:
    """The ranks of three runs together, every front with every middle and back."""
    return frozenset(
        tuple(sorted([*front, *middle, *back], reverse=True))
        for top, front in THREES.items()
        if top != 14 or queen_king_ace
        for middle in FIVES.values()
        for back in FIVES.values()
    )


def straight_flushes(cards: Iterable[str]) -> Iterator[tuple[int, frozenset[str]]]:
    """Every straight flush among `cards`, with its top (5 for A2345)."""
    held = {(rank(card), card[1]): card for card in cards}
    for suit, (top, wanted) in product("shcd", FIVES.items()):
        if all((r, suit) in held for r in wanted):
            yield top, frozenset(held[r, suit] for r in wanted)


def three_straight_flushes(cards: Cards) -> bool:
    found = [five for _, five in straight_flushes(cards)]
    for one, other in combinations(found, 2):
        front = frozenset(cards) - one - other
        consecutive = ranks(front) in [THREES[top] for top in range(3, 14)]
        if len(front) == 3 and len(suits(front)) == 1 and consecutive:
            return True
    return False


def within(cards: Cards, allowed: str) -> bool:
    return all(card[0] in allowed for card in cards)


def each_of(cards: Cards, wanted: str) -> bool:
    return set(wanted) <= {card[0] for card in cards}


def reds(cards: Cards) -> int:
    return sum(card[1] in "hd" for card in cards)


def ranks_held(cards: Cards, at_least: int) -> list[int]:
    return sorted(r for r, n in Counter(map(rank, cards)).items() if n >= at_least)


def tier(cards: Cards, rule_set: str, config: Json) -> tuple[int, str, int]:
    """Tier, id and the rank that compares within the tier (0 where equal tiers draw)."""
    counts = Counter(map(rank, cards)).values()
    odd = [count for count in counts if count % 2]
    gapless = rule_set == "hundred_change"
    both = gapless and config.get("no_gap_scope", "small_only") == "both"
    purer = config.get("one_colour_counts", True)
    colour = max(reds(cards), 13 - reds(cards))
    if colour == 12 or (colour == 13 and purer):
        return 1, "one_off_colour", 0
    if dragon(cards):
        return 1, "dragon", 0
    if odd == [3]:
        return 1, "five_pairs_and_trips", 0
    if within(cards, "6789TJQK") and (not both or each_of(cards, "6789TJQK")):
        return 2, "all_big", 0
    if within(cards, "23456789T") and (not gapless or each_of(cards, "23456789T")):
        return 2, "all_small", 0
    if pairs(cards) == 6:
        return 2, "six_and_a_half_pairs", 0
    if within(cards, "6789TJQKA") and (not both or each_of(cards, "6789TJQKA")):
        return 3, "half_big", 0
    if within(cards, "A23456789T") and (not gapless or each_of(cards, "A23456789T")):
        return 3, "half_small", 0
    if three_straights(cards):
        return 3, "three_straights", 0
    if three_flushes(cards, different=rule_set == "shaoxing"):
        return 3, "three_flushes", 0
    tops = [top for top, _ in straight_flushes(cards)]
    if tops:
        best = max(run_strength(top, "straight_flush", rule_set) for top in tops)
        return 4, "straight_flush", best
    for number, name, size in ((5, "four_of_a_kind", 4), (6, "three_of_a_kind", 3)):
        if ranks_held(cards, size):
            return number, name, max(ranks_held(cards, size))
    return 7, "pairs", max(ranks_held(cards, 2))


FOUR_PLAYER = {
    "three_flushes": 3,
    "three_straights": 4,
    "six_and_a_half_pairs": 4,
    "four_trips": 6,
    "one_colour": 10,
    "all_small": 10,
    "all_big": 10,
    "three_quads": 20,
    "three_straight_flushes": 20,
    "twelve_royals": 24,
    "dragon": 36,
    "suited_dragon": 108,
}
# The stronger takes and the weaker gets nothing, even where both would pay.
TAKES_ALL = (
    ("six_and_a_half_pairs", "three_straights"),
    ("all_small", "one_colour"),
    ("all_big", "all_small"),
    ("all_big", "one_colour"),
    ("three_straight_flushes", "three_quads"),
)
XIANGGONG = {
    "suited_dragon": 13,
    "dragon": 13,
    "three_straights": 3,
    "three_flushes": 3,
    "six_and_a_half_pairs": 3,
    "all_big": 3,
    "all_small": 3,
}
DECLARE_2 = {
    "dragon": 7,
    "six_and_a_half_pairs": 4,
    "three_straights": 4,
    "three_flushes": 4,
    "all_small_2_10": 4,
}


def tests_of(cards: Cards, rule_set: str) -> dict[str, bool]:
    """Which specials of whatever rule set the cards make."""
    four = rule_set == "four_player"
    return {
        "suited_dragon": dragon(cards) and len(suits(cards)) == 1,
        "dragon": dragon(cards),
        "six_and_a_half_pairs": pairs(cards) == 6,
        "three_straights": three_straights(cards, queen_king_ace=not four),
        "three_flushes": three_flushes(cards),
        "all_small_2_10": within(cards, "23456789T"),
        "all_small": within(cards, "2345678" if four else "A23456789T"),
        "all_big": within(cards, "89TJQKA" if four else "56789TJQKA"),
        "four_trips": len(ranks_held(cards, 3)) == 4,
        "one_colour": reds(cards) in (0, 13),
        "three_quads": len(ranks_held(cards, 4)) == 3,
        "three_straight_flushes": three_straight_flushes(cards),
        "twelve_royals": within(cards, "JQKA"),
    }


def special(cards: Cards, rule_set: str, config: Json) -> str | None:
    """The special that the thirteen cards make in a variant."""
    if rule_set in WITHOUT_LANES:
        return tier(cards, rule_set, config)[1]
    if rule_set == "no_arranging":
        if any(straight_flushes(cards)):
            return "straight_flush"
        return "four_of_a_kind" if ranks_held(cards, 4) else None
    order: tuple[str, ...] = {
        "declare": (
            "suited_dragon",
            "dragon",
            "six_and_a_half_pairs",
            "three_straights",
            "three_flushes",
        ),
        "declare_2": tuple(DECLARE_2),
        "banker_xianggong": tuple(XIANGGONG),
        "four_player": tuple(reversed(FOUR_PLAYER)),
    }.get(rule_set, ())
    held = tests_of(cards, rule_set)
    for name in order:
        if name == "twelve_royals" and not config.get("twelve_royals_enabled", True):
            continue
        if held[name]:
            return name
    return None


def fixed(cards: Cards, lanes: Lanes | None, config: Json) -> str | None:
    """The fixed combination of the official game: the first of four tests that holds."""
    if dragon(cards):
        return "dragon"
    threes = 3 in Counter(map(rank, cards)).values()
    if pairs(cards) == 6 and (config.get("six_pairs_allow_trips", True) or not threes):
        return "six_and_a_half_pairs"
    if lanes is None:
        return None
    if all(len(suits(lane)) == 1 for lane in lanes):
        return "three_flushes"
    runs = (*FIVES.values(), *THREES.values())
    return "three_straights" if all(ranks(lane) in runs for lane in lanes) else None


class Hand:
    """What one gate holds, as a request says it."""

    def __init__(self, gate: Json, rule_set: str, config: Json) -> None:
        laid = gate.get("arrangement")
        self.gate: int = gate["gate"]
        self.lanes: Lanes | None = None
        if laid is not None:
            front, middle, back = (tuple(laid[name]) for name in LANE_NAMES)
            self.lanes = (front, middle, back)
        given = gate.get("cards")
        self.cards: Cards = (
            tuple(given) if given else tuple(c for lane in self.lanes or () for c in lane)
        )
        self.late = False
        self.special: str | None = None
        if rule_set == "thirteen_cards":
            limit = config.get("arrange_limit_ms", 300_000)
            self.late = laid is None or gate.get("elapsed_ms", 0) > limit
            self._judge_official(config)
            return
        declined = rule_set in DECLINABLE and not gate.get("declare", True)
        if self.cards and not declined:
            self.special = special(self.cards, rule_set, config)
        ordered = self.lanes is not None and in_order(self.lanes, rule_set, config)
        self.status = "ok" if self.special or ordered else "foul"

    def _judge_official(self, config: Json) -> None:
        self.status = "foul"
        if self.lanes is None:
            return
        ordered = in_order(self.lanes, "thirteen_cards", config)
        found = fixed(self.cards, self.lanes, config)
        if ordered or (found and config.get("fixed_exempt_from_foul", True)):
            self.status, self.special = "ok", found

    def key(self, lane: int, rule_set: str) -> Key:
        if self.status == "foul" or self.lanes is None:
            return FOUL
        return key(self.lanes[lane], rule_set)


def classify(rule_set: str, request: Json) -> dict[str, Any]:
    return {"class": class_name(key(tuple(request["cards"]), rule_set))}


def compare(rule_set: str, request: Json) -> dict[str, Any]:
    a, b = tuple(request["a"]), tuple(request["b"])
    found = lane_sign(a, b, rule_set, request.get("config", {}))
    return {
        "a_class": class_name(key(a, rule_set)),
        "b_class": class_name(key(b, rule_set)),
        "result": {1: "a", -1: "b", 0: "equal"}[found],
    }


def legal(rule_set: str, request: Json) -> dict[str, Any]:
    config = request.get("config", {})
    hand = Hand({"gate": 0, "arrangement": request["arrangement"]}, rule_set, config)
    if rule_set == "thirteen_cards":
        return {"legal": hand.status == "ok", "special": hand.special}
    assert hand.lanes is not None
    return {"legal": in_order(hand.lanes, rule_set, config), "special": hand.special}


def special_of(rule_set: str, request: Json) -> dict[str, Any]:
    config = request.get("config", {})
    hand = Hand({"gate": 0, **request}, "compare_size", config)
    if rule_set == "thirteen_cards":
        return {"special": fixed(hand.cards, hand.lanes, config)}
    if rule_set in WITHOUT_LANES:
        number, name, _ = tier(hand.cards, rule_set, config)
        return {"special": name, "tier": number}
    return {"special": special(hand.cards, rule_set, config)}


def settle(rule_set: str, request: Json) -> dict[str, Any]:
    """The whole result of `settle` for any rule set."""
    config = request.get("config", {})
    if rule_set == "thirteen_cards":
        return settle_official(request, config)
    if rule_set in BANKER_GAMES:
        return settle_banker(rule_set, request, config)
    return settle_all(rule_set, request, config)


def multiple(lane: int, name: str) -> int:
    """What the winner of a lane scores: official game, declare 2 and the banker game alike."""
    if lane == 0:
        return 3 if name == "three_of_a_kind" else 1
    middle = {"royal_flush": 10, "straight_flush": 10, "four_of_a_kind": 8, "full_house": 2}
    back = {"royal_flush": 5, "straight_flush": 5, "four_of_a_kind": 4}
    return (middle if lane == 1 else back).get(name, 1)


def settle_official(request: Json, config: Json) -> dict[str, Any]:
    if request.get("void", False):
        bets = [
            {
                "bet_id": bet["bet_id"],
                "gate": bet["gate"],
                "stake": bet["unit_minor"] * bet["units"],
                "outcome": "void",
                "prize": 0,
                "commission": 0,
                "returned": bet["unit_minor"] * bet["units"],
            }
            for bet in request["bets"]
        ]
        return {"bets": bets, "banker_net": 0}
    hands = [Hand(gate, "thirteen_cards", config) for gate in request["gates"]]
    banker = next(hand for hand in hands if hand.gate == request["banker_gate"])
    backed = {bet["gate"] for bet in request["bets"]}
    gates = [
        official_gate(hand, banker, config)
        for hand in sorted(hands, key=lambda hand: hand.gate)
        if hand is not banker and (hand.lanes is not None or hand.gate in backed)
    ]
    outcomes = {gate["gate"]: gate["outcome"] for gate in gates}
    bets = [official_bet(bet, outcomes[bet["gate"]], config) for bet in request["bets"]]
    return {
        "banker": {"gate": banker.gate, "status": banker.status, "special": banker.special},
        "gates": gates,
        "bets": bets,
        "banker_net": sum(bet["stake"] - bet["returned"] for bet in bets),
    }


def official_gate(hand: Hand, banker: Hand, config: Json) -> dict[str, Any]:
    lanes: list[dict[str, Any]] = []
    if hand.late or hand.status == "foul":
        won, lost = 0, 3
    elif banker.status == "foul":
        won, lost = 3, 0
    elif hand.special and banker.special:
        won, lost = 0, 0
    elif hand.special:
        won, lost = 3, 0
    elif banker.special:
        won, lost = 0, 3
    else:
        for at, name in enumerate(LANE_NAMES):
            mine, his = hand.key(at, "thirteen_cards"), banker.key(at, "thirteen_cards")
            lanes.append(
                {
                    "lane": name,
                    "player_class": class_name(mine),
                    "banker_class": class_name(his),
                    "winner": "player" if mine > his else "banker",
                    "units": multiple(at, class_name(max(mine, his))),
                }
            )
        won = sum(lane["units"] for lane in lanes if lane["winner"] == "player")
        lost = sum(lane["units"] for lane in lanes if lane["winner"] == "banker")
    outcome = "win" if won > lost else "lose" if won < lost else "tie"
    if lanes and outcome == "tie" and config.get("equal_totals", "tie") == "banker":
        outcome = "lose"
    return {
        "gate": hand.gate,
        "status": "timeout" if hand.late else hand.status,
        "special": None if hand.late else hand.special,
        "lanes": lanes,
        "player_units": won,
        "banker_units": lost,
        "outcome": outcome,
    }


def official_bet(bet: Json, outcome: str, config: Json) -> dict[str, Any]:
    stake = bet["unit_minor"] * bet["units"]
    prize = commission = returned = 0
    if outcome == "win":
        top, bottom = config.get("prize_ratio", [1, 2])
        prize = stake * top // bottom
        taxed = prize if config.get("commission_base", "prize") == "prize" else stake
        commission = min(prize, rounded_up(taxed, config.get("commission_bps", 200)))
        returned = stake + prize - commission
    elif outcome == "tie":
        returned = stake
    return {
        "bet_id": bet["bet_id"],
        "gate": bet["gate"],
        "stake": stake,
        "outcome": outcome,
        "prize": prize,
        "commission": commission,
        "returned": returned,
    }


def rounded_up(amount: int, basis_points: int) -> int:
    whole, rest = divmod(amount * basis_points, 10_000)
    return whole + (1 if rest else 0)


def settle_banker(rule_set: str, request: Json, config: Json) -> dict[str, Any]:
    hands = [Hand(gate, rule_set, config) for gate in request["gates"]]
    banker = next(hand for hand in hands if hand.gate == request["banker_gate"])
    gates = [
        banker_gate(rule_set, hand, banker, config)
        for hand in sorted(hands, key=lambda hand: hand.gate)
        if hand is not banker
    ]
    units = {gate["gate"]: gate["units"] for gate in gates}
    bets = [
        {
            "bet_id": bet["bet_id"],
            "gate": bet["gate"],
            "stake": bet["stake_minor"],
            "units": units[bet["gate"]],
            "net": units[bet["gate"]] * bet["stake_minor"],
        }
        for bet in request["bets"]
    ]
    return {
        "banker": {"gate": banker.gate, "status": banker.status, "special": banker.special},
        "gates": gates,
        "bets": bets,
        "banker_net": -sum(bet["net"] for bet in bets),
    }


def banker_gate(rule_set: str, hand: Hand, banker: Hand, config: Json) -> dict[str, Any]:
    lanes: list[dict[str, Any]] = []
    if hand.special or banker.special:
        units = declare_2_special(hand, banker)
        if rule_set == "banker_xianggong":
            units = xianggong_special(hand, banker)
    else:
        lanes = [banker_lane(rule_set, at, hand, banker, config) for at in range(3)]
        units = sum(lane["units"] for lane in lanes if lane["winner"] == "player")
        units -= sum(lane["units"] for lane in lanes if lane["winner"] == "banker")
        if rule_set == "declare_2" and config.get("pay_by", "net") == "sign":
            units = sign(units, 0)
    return {
        "gate": hand.gate,
        "status": hand.status,
        "special": hand.special,
        "decided_by": "lanes" if lanes else "special",
        "lanes": lanes,
        "units": units,
    }


def declare_2_special(hand: Hand, banker: Hand) -> int:
    mine, his = (DECLARE_2.get(side.special or "", 0) for side in (hand, banker))
    return max(mine, his) * sign(mine, his)


def xianggong_special(hand: Hand, banker: Hand) -> int:
    if hand.special:
        return XIANGGONG[hand.special]
    return -XIANGGONG[str(banker.special)]


def banker_lane(rule_set: str, at: int, hand: Hand, banker: Hand, config: Json) -> dict[str, Any]:
    mine, his = hand.key(at, rule_set), banker.key(at, rule_set)
    if mine != FOUL and his != FOUL:
        assert hand.lanes is not None
        assert banker.lanes is not None
        compared = lane_sign(hand.lanes[at], banker.lanes[at], rule_set, config)
        winner = "player" if compared > 0 else "banker"
    elif mine == his == FOUL:
        winner = "draw" if rule_set == "banker_xianggong" else "banker"
    else:
        winner = "banker" if mine == FOUL else "player"
    units = {
        "player": multiple(at, class_name(mine)),
        "banker": multiple(at, class_name(his)),
        "draw": 0,
    }[winner]
    return {
        "lane": LANE_NAMES[at],
        "player_class": class_name(mine),
        "banker_class": class_name(his),
        "winner": winner,
        "units": units,
    }


def settle_all(rule_set: str, request: Json, config: Json) -> dict[str, Any]:
    hands = sorted(
        (Hand(gate, rule_set, config) for gate in request["gates"]), key=lambda hand: hand.gate
    )
    met = [meet(rule_set, a, b, config) for a, b in combinations(hands, 2)]
    if rule_set == "four_player":
        add_home_runs(hands, met, config)
    gates = []
    for hand in hands:
        units = sum(pair["units_a"] for pair in met if pair["a"] == hand.gate)
        units -= sum(pair["units_a"] for pair in met if pair["b"] == hand.gate)
        gross = units * request["unit_minor"]
        fee = 0
        if rule_set == "four_player" and gross > 0:
            rate, flat = config.get("service_fee_bps", 0), config.get("service_fee_minor", 0)
            fee = min(gross, flat + rounded_up(gross, rate))
        entry = {
            "gate": hand.gate,
            "status": hand.status,
            "special": hand.special,
            "units": units,
            "gross": gross,
            "fee": fee,
            "net": gross - fee,
        }
        if rule_set in WITHOUT_LANES:
            entry["tier"] = tier(hand.cards, rule_set, config)[0]
        gates.append(entry)
    return {"gates": gates, "pairs": met}


def meet(rule_set: str, a: Hand, b: Hand, config: Json) -> dict[str, Any]:
    """One pair; home runs are added afterwards, for they need the others."""
    pair: dict[str, Any] = {"a": a.gate, "b": b.gate, "decided_by": "special", "lanes": []}
    breakdown = {"lanes": 0, "bonus": 0, "gun": 0, "home_run": 0, "special": 0}
    if rule_set in WITHOUT_LANES:
        (tier_a, _, rank_a), (tier_b, _, rank_b) = (
            tier(hand.cards, rule_set, config) for hand in (a, b)
        )
        pair["units_a"] = sign((-tier_a, rank_a), (-tier_b, rank_b))
        return pair
    if a.special or b.special:
        if rule_set == "four_player":
            breakdown["special"] = four_player_special(a.special, b.special, config)
            return {**pair, "units_a": breakdown["special"], "breakdown": breakdown}
        pair["units_a"] = sign(special_rank(a, rule_set), special_rank(b, rule_set))
        return pair
    pair["decided_by"] = "lanes"
    signs = []
    for at in (2,) if rule_set == "compare_size_2" else (0, 1, 2):
        first, second = a.key(at, rule_set), b.key(at, rule_set)
        won = sign(first, second)
        if won == 0 and first != FOUL:
            assert a.lanes is not None
            assert b.lanes is not None
            won = lane_sign(a.lanes[at], b.lanes[at], rule_set, config)
        signs.append(won)
        pair["lanes"].append(
            {
                "lane": LANE_NAMES[at],
                "a_class": class_name(first),
                "b_class": class_name(second),
                "winner": {1: "a", -1: "b", 0: "draw"}[won],
            }
        )
    if rule_set == "four_player":
        score_lanes(pair["lanes"], signs, breakdown)
        if "foul" in (a.status, b.status) and not config.get("foul_counts_as_gun", True):
            breakdown["gun"] = 0
        return {**pair, "units_a": sum(breakdown.values()), "breakdown": breakdown}
    if rule_set == "compare_size_2":
        pair["units_a"] = signs[0]
    else:
        pair["units_a"] = 1 if signs.count(1) >= 2 else -1 if signs.count(-1) >= 2 else 0
    return pair


def special_rank(hand: Hand, rule_set: str) -> tuple[int, int]:
    """How a special compares where it is worth a pair; nothing is below all of them."""
    if hand.special is None:
        return 0, 0
    if rule_set == "no_arranging":
        tops = [top for top, _ in straight_flushes(hand.cards)]
        if tops:
            return 2, max(run_strength(top, "straight_flush", rule_set) for top in tops)
        return 1, max(ranks_held(hand.cards, 4))
    if hand.special == "suited_dragon":
        return 3, suit_value(hand.cards)
    return (2, 0) if hand.special == "dragon" else (1, 0)


def four_player_special(a: str | None, b: str | None, config: Json) -> int:
    order = list(FOUR_PLAYER)
    first, second = (order.index(name) if name else -1 for name in (a, b))
    if first == second:
        return 0
    winner, loser = (a, b) if first > second else (b, a)
    value = FOUR_PLAYER[str(winner)]
    if (
        loser is not None
        and config.get("special_vs_special", "higher_only") == "both_pay"
        and (winner, loser) not in TAKES_ALL
    ):
        value -= FOUR_PLAYER[loser]
    return value if first > second else -value


def score_lanes(lanes: list[dict[str, Any]], signs: list[int], breakdown: dict[str, int]) -> None:
    for at, (lane, won) in enumerate(zip(lanes, signs, strict=True)):
        breakdown["lanes"] += won * (at + 1)
        name = lane["a_class"] if won > 0 else lane["b_class"]
        if at == 0:
            bonus = 6 if name == "three_of_a_kind" else 0
        else:
            bonus = {"four_of_a_kind": 8, "straight_flush": 10}.get(name, 0)
        breakdown["bonus"] += won * bonus
    if signs == [1, 1, 1]:
        breakdown["gun"] = 6
    elif signs == [-1, -1, -1]:
        breakdown["gun"] = -6


def add_home_runs(hands: list[Hand], met: list[dict[str, Any]], config: Json) -> None:
    for hand in hands:
        mine = [pair for pair in met if hand.gate in (pair["a"], pair["b"])]
        swept = []
        for pair in mine:
            side = "a" if pair["a"] == hand.gate else "b"
            won = [lane["winner"] == side for lane in pair["lanes"]]
            fouled = any("foul" in (lane["a_class"], lane["b_class"]) for lane in pair["lanes"])
            barred = fouled and not config.get("foul_counts_as_gun", True)
            swept.append(won == [True, True, True] and not barred)
        if swept != [True, True, True]:
            continue
        for pair in mine:
            earned = 12 if pair["a"] == hand.gate else -12
            pair["breakdown"]["home_run"] += earned
            pair["units_a"] += earned


def splits(cards: Cards) -> Iterator[Lanes]:
    """All 72,072 ways to lay thirteen cards."""
    for front in combinations(cards, 3):
        rest = [card for card in cards if card not in front]
        for middle in combinations(rest, 5):
            yield front, middle, tuple(card for card in rest if card not in middle)


class Table:
    """The keys of all lanes that thirteen cards can make, looked up once each."""

    def __init__(self, cards: Cards) -> None:
        self.keys = {
            frozenset(lane): key(lane, "thirteen_cards")
            for size in (3, 5)
            for lane in combinations(cards, size)
        }

    def triple(self, lanes: Lanes) -> tuple[Key, Key, Key]:
        front, middle, back = (self.keys[frozenset(lane)] for lane in lanes)
        return front, middle, back


def ordered_triples(cards: Cards, config: Json) -> list[tuple[Key, Key, Key]]:
    """The strengths of every way that runs from small to large."""
    table = Table(cards)
    strict = config.get("equal_lanes_foul", False)
    found = []
    for lanes in splits(cards):
        front, middle, back = table.triple(lanes)
        if front < middle < back or (not strict and front <= middle <= back):
            found.append((front, middle, back))
    return found


def undominated(triples: Iterable[tuple[Key, Key, Key]]) -> set[tuple[Key, Key, Key]]:
    kept: list[tuple[Key, Key, Key]] = []
    # Whatever dominates a triple comes before it in this order.
    for triple in sorted(set(triples), reverse=True):
        if not any(all(k >= t for k, t in zip(other, triple, strict=True)) for other in kept):
            kept.append(triple)
    return set(kept)


def best_margin(cards: Cards, banker: Json, config: Json) -> int:
    """The most units a player can be ahead by, over every way that is not a foul."""
    bank = Hand({"gate": 0, "arrangement": banker}, "thirteen_cards", config)
    exempt = config.get("fixed_exempt_from_foul", True)
    always = fixed(cards, None, config) is not None
    strict = config.get("equal_lanes_foul", False)
    table = Table(cards)
    his = [bank.key(at, "thirteen_cards") for at in range(3)]
    best = -100
    for lanes in splits(cards):
        mine = table.triple(lanes)
        ordered = mine[0] < mine[1] < mine[2] if strict else mine[0] <= mine[1] <= mine[2]
        held = always or bool(fixed(cards, lanes, config))
        if not ordered and not (held and exempt):
            continue
        margin = 0
        if held or bank.special:
            margin = 3 * (bool(held) - bool(bank.special))
        else:
            for at in range(3):
                if mine[at] > his[at]:
                    margin += multiple(at, class_name(mine[at]))
                else:
                    margin -= multiple(at, class_name(his[at]))
        best = max(best, margin)
    return best
