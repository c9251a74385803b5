"""Random rounds of Thirteen Cards in which what is rare at a table is common.

Hands are made by recipe, so that every special hand, equal lanes, fouls and hands of the same ranks turn up; what a
recipe cannot find among the cards that are left, chance deals.
"""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from tests.unit.games import slow_thirteen_cards as slow

Cards = list[str]
Recipe = Callable[[Random, Cards], Cards | None]

RANKS = "23456789TJQKA"
SUITS = "shcd"
PACK = [rank + suit for suit in SUITS for rank in RANKS]
RULE_SETS = (
    "thirteen_cards",
    "compare_size",
    "no_arranging",
    "declare",
    "hundred_change",
    "shaoxing",
    "compare_size_2",
    "declare_2",
    "banker_xianggong",
    "four_player",
)
FLAGS: dict[str, tuple[Any, ...]] = {
    "arrange_limit_ms": (0, 1_000, 300_000),
    "equal_lanes_foul": (True, False),
    "fixed_exempt_from_foul": (True, False),
    "six_pairs_allow_trips": (True, False),
    "equal_totals": ("tie", "banker"),
    "banker_foul": ("pay",),
    "prize_ratio": ([1, 2], [1, 1], [2, 3], [0, 1], [19, 20]),
    "commission_bps": (0, 200, 333, 10_000),
    "commission_base": ("prize", "stake"),
    "one_colour_counts": (True, False),
    "no_gap_scope": ("small_only", "both"),
    "pay_by": ("net", "sign"),
    "tie_break_mode": ("ranks_then_suit", "top_card_banker"),
    "foul_counts_as_gun": (True, False),
    "special_vs_special": ("higher_only", "both_pay"),
    "twelve_royals_enabled": (True, False),
    "service_fee_bps": (0, 1, 250, 10_000),
    "service_fee_minor": (0, 7),
}
FLAGS_OF = {
    "thirteen_cards": tuple(FLAGS)[:9],
    "hundred_change": ("one_colour_counts", "no_gap_scope"),
    "shaoxing": ("one_colour_counts",),
    "declare_2": ("equal_lanes_foul", "pay_by"),
    "banker_xianggong": ("equal_lanes_foul", "tie_break_mode"),
    "four_player": ("equal_lanes_foul", *tuple(FLAGS)[13:]),
}


def any_cards(random: Random, left: Cards) -> Cards | None:
    return random.sample(left, 13)


def one_of_each(ranks: str, suits: str = SUITS) -> Recipe:
    """Every rank of `ranks` at least once, then more of them."""

    def recipe(random: Random, left: Cards) -> Cards | None:
        allowed = [card for card in left if card[0] in ranks and card[1] in suits]
        random.shuffle(allowed)
        first = {card[0]: card for card in allowed}
        rest = [card for card in allowed if card not in first.values()]
        found = [*first.values(), *rest]
        return found[:13] if len(found) >= 13 else None

    return recipe


def within(ranks: str, *, colours: str = SUITS, strangers: int = 0) -> Recipe:
    """Cards of some ranks and suits, and a few that are not."""

    def recipe(random: Random, left: Cards) -> Cards | None:
        inside = [card for card in left if card[0] in ranks and card[1] in colours]
        outside = [card for card in left if card not in inside]
        if len(inside) < 13 - strangers or len(outside) < strangers:
            return None
        return random.sample(inside, 13 - strangers) + random.sample(outside, strangers)

    return recipe


def groups(*sizes: int) -> Recipe:
    """So many cards of one rank each; a rank may be taken twice."""

    def recipe(random: Random, left: Cards) -> Cards | None:
        pool, found = list(left), []
        for size in sizes:
            ranks = [rank for rank in RANKS if sum(card[0] == rank for card in pool) >= size]
            if not ranks:
                return None
            rank = random.choice(ranks)
            taken = [card for card in pool if card[0] == rank][:size]
            found += taken
            pool = [card for card in pool if card not in taken]
        return found

    return recipe


def flushes(random: Random, left: Cards) -> Cards | None:
    pool, found = list(left), []
    for size in (3, 5, 5):
        suits = [suit for suit in SUITS if sum(card[1] == suit for card in pool) >= size]
        if not suits:
            return None
        suit = random.choice(suits)
        taken = random.sample([card for card in pool if card[1] == suit], size)
        found += taken
        pool = [card for card in pool if card not in taken]
    return found


def runs(*, suited: bool, twice: bool = False) -> Recipe:
    """Three runs, the front's with a low or a high ace too; `twice` makes both fives alike."""

    def recipe(random: Random, left: Cards) -> Cards | None:
        pool, found = list(left), []
        top = random.randrange(3, 13)
        starts = (random.randrange(13), top, top if twice else random.randrange(3, 13))
        for size, start in zip((3, 5, 5), starts, strict=True):
            suits = [random.choice(SUITS)] if suited else list(SUITS)
            for step in range(size):
                # Below the two comes the ace; in front KA2 is tried as well, which is no run.
                rank = RANKS[start - step]
                options = [card for card in pool if card[0] == rank and card[1] in suits]
                if not options:
                    return None
                card = random.choice(options)
                pool.remove(card)
                found.append(card)
        return found

    return recipe


def with_five(size: int) -> Recipe:
    """A straight flush or a four, and whatever comes."""

    def recipe(random: Random, left: Cards) -> Cards | None:
        if size == 4:
            ranks = [rank for rank in RANKS if sum(card[0] == rank for card in left) == 4]
            kept = [card for card in left if ranks and card[0] == ranks[-1]]
        else:
            found = list(slow.straight_flushes(left))
            kept = sorted(random.choice(found)[1]) if found else []
        if not kept:
            return None
        rest = [card for card in left if card not in kept]
        return random.sample(rest, 13 - len(kept)) + kept

    return recipe


RECIPES: tuple[Recipe, ...] = (
    any_cards,
    any_cards,
    any_cards,
    one_of_each(RANKS),
    one_of_each(RANKS, "s"),
    one_of_each(RANKS, "d"),
    groups(2, 2, 2, 2, 2, 2, 1),
    groups(4, 2, 2, 2, 2, 1),
    groups(3, 2, 2, 2, 2, 2),
    groups(1, 3, 3, 3, 3),
    groups(1, 4, 4, 4),
    groups(3, 4, 1, 4, 1),
    groups(3, 3, 2, 3, 2),
    groups(2, 1, 2, 2, 1, 3, 2),
    flushes,
    runs(suited=False),
    runs(suited=False),
    runs(suited=True),
    runs(suited=False, twice=True),
    runs(suited=True, twice=True),
    with_five(4),
    with_five(5),
    within(RANKS, colours="sc"),
    within(RANKS, colours="hd", strangers=1),
    within("6789TJQK"),
    within("6789TJQKA"),
    within("23456789T"),
    one_of_each("23456789T"),
    one_of_each("A23456789T"),
    one_of_each("6789TJQK"),
    one_of_each("6789TJQKA"),
    within("2345678"),
    within("89TJQKA"),
    within("A23456789T"),
    within("56789TJQKA"),
    within("JQKA"),
)


def mirror(hand: Cards, left: Cards) -> Cards | None:
    """The same ranks in other suits, card by card; one suit for another where that is possible."""
    for turn in (1, 2, 3):
        turned = [card[0] + SUITS[(SUITS.index(card[1]) + turn) % 4] for card in hand]
        if set(turned) <= set(left):
            return turned
    pool, found = list(left), []
    for card in hand:
        options = [one for one in pool if one[0] == card[0]]
        if not options:
            return None
        pool.remove(options[0])
        found.append(options[0])
    return found


def hands(random: Random, number: int) -> list[Cards]:
    """So many hands; their order is front, middle, back as the recipe meant it."""
    left, found = list(PACK), list[Cards]()
    for _ in range(number):
        hand = None
        if found and random.random() < 0.3:
            hand = mirror(random.choice(found), left)
        if hand is None:
            hand = random.choice(RECIPES)(random, left) or any_cards(random, left)
        assert hand is not None
        found.append(hand)
        left = [card for card in left if card not in hand]
    return found


def laid(random: Random, hand: Cards, rule_set: str) -> dict[str, Cards]:
    """The hand in three lanes: mostly in order, sometimes just as it comes."""
    way = random.random()
    if way < 0.4:
        return lanes_of(hand)
    counts = {card: sum(card[0] == other[0] for other in hand) for card in hand}
    by_count = sorted(hand, key=lambda card: (counts[card], RANKS.index(card[0])))
    if way < 0.6:
        return lanes_of(by_count)
    tried = by_count
    for _ in range(12):
        lanes = (tuple(tried[:3]), tuple(tried[3:8]), tuple(tried[8:]))
        if slow.in_order(lanes, rule_set, {}):
            break
        tried = random.sample(hand, 13)
    return lanes_of(tried)


def lanes_of(cards: Cards) -> dict[str, Cards]:
    return {"front": cards[:3], "middle": cards[3:8], "back": cards[8:]}


def config(random: Random, rule_set: str) -> dict[str, Any]:
    flags = FLAGS_OF.get(rule_set, ("equal_lanes_foul",))
    if random.random() < 0.4:
        return {}
    return {flag: random.choice(FLAGS[flag]) for flag in flags if random.random() < 0.5}


def gates(random: Random, rule_set: str, number: int) -> Iterator[dict[str, Any]]:
    numbers = sorted(random.sample(range(4), number))
    without_lanes = rule_set in slow.WITHOUT_LANES
    for gate, hand in zip(numbers, hands(random, number), strict=True):
        given: dict[str, Any] = {"gate": gate}
        arrangement = laid(random, hand, rule_set) if random.random() < 0.93 else None
        if without_lanes or arrangement is None or random.random() < 0.5:
            given["cards"] = random.sample(hand, 13)
        if not without_lanes:
            given["arrangement"] = arrangement
        if random.random() < 0.3:
            given["declare"] = random.random() < 0.5
        if random.random() < 0.3:
            given["elapsed_ms"] = random.choice([0, 1_000, 1_001, 300_000, 300_001])
        yield given


def settlement(random: Random, rule_set: str) -> dict[str, Any]:
    """A request to settle one round."""
    number = random.randint(2, 4)
    given = list(gates(random, rule_set, number))
    request: dict[str, Any] = {"op": "settle", "gates": given, "config": config(random, rule_set)}
    official = rule_set == "thirteen_cards"
    if not official and rule_set not in slow.BANKER_GAMES:
        return {**request, "unit_minor": random.randint(1, 999)}
    banker = random.choice(given)
    if official and banker["arrangement"] is None:
        banker["arrangement"] = lanes_of(banker.pop("cards"))
    players = [gate["gate"] for gate in given if gate is not banker]
    request["banker_gate"] = banker["gate"]
    request["bets"] = [
        {
            "bet_id": f"bet-{number}",
            "gate": random.choice(players),
            **(
                {"unit_minor": random.randint(1, 999), "units": random.randint(1, 3)}
                if official
                else {"stake_minor": random.randint(1, 999)}
            ),
        }
        for number in range(random.randint(0, 5))
    ]
    if official and random.random() < 0.02:
        request["void"] = True
    return request


def on_hands(random: Random, rule_set: str) -> Iterator[dict[str, Any]]:
    """Requests about single lanes and hands."""
    flags = config(random, rule_set)
    a, b = hands(random, 2)
    if rule_set in slow.WITHOUT_LANES:
        yield {"op": "special", "cards": a, "config": flags}
        return
    first, second = laid(random, a, rule_set), laid(random, b, rule_set)
    for lane in slow.LANE_NAMES:
        yield {"op": "classify", "lane": lane, "cards": first[lane], "config": flags}
        yield {
            "op": "compare", "lane": lane, "a": first[lane], "b": second[lane], "config": flags
        }  # fmt: skip
    yield {"op": "legal", "arrangement": first, "config": flags}
    yield {"op": "special", "cards": a, "config": flags}
    yield {"op": "special", "arrangement": second, "config": flags}
