"""What holds for every round of every variant, whatever the cards."""

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from floorbook.games.game import Evaluated, Refused, evaluate, explain
from floorbook.games.thirteen_cards.cards import PACK
from floorbook.games.thirteen_cards.patterns import (
    is_three_flushes,
    is_three_straight_flushes,
    is_three_straights,
    is_three_straights_without_qka,
    is_three_suits_flushes,
    tally,
)

ALL_AGAINST_ALL = (
    "compare_size",
    "no_arranging",
    "declare",
    "hundred_change",
    "shaoxing",
    "compare_size_2",
    "four_player",
)
AGAINST_BANKER = ("declare_2", "banker_xianggong")
LANES = ("front", "middle", "back")
FLAGS: dict[str, st.SearchStrategy[Any]] = {
    "equal_lanes_foul": st.booleans(),
    "pay_by": st.sampled_from(["net", "sign"]),
    "tie_break_mode": st.sampled_from(["ranks_then_suit", "top_card_banker"]),
    "foul_counts_as_gun": st.booleans(),
    "special_vs_special": st.sampled_from(["higher_only", "both_pay"]),
    "service_fee_bps": st.integers(0, 10_000),
    "service_fee_minor": st.integers(0, 50),
}
KNOWN = {
    "hundred_change": (),
    "shaoxing": (),
    "declare_2": ("equal_lanes_foul", "pay_by"),
    "banker_xianggong": ("equal_lanes_foul", "tie_break_mode"),
    "four_player": (
        "equal_lanes_foul",
        "foul_counts_as_gun",
        "special_vs_special",
        "service_fee_bps",
        "service_fee_minor",
    ),
}


@st.composite
def hands(draw: st.DrawFn) -> list[dict[str, Any]]:
    """Two to four hands; sorted by rank or by suit, so that patterns and order are not rare."""
    pack = draw(st.permutations(PACK))
    if draw(st.booleans()):
        pack = sorted(pack, key=lambda card: card[draw(st.integers(0, 1))])
        start = draw(st.integers(0, 51))
        pack = pack[start:] + pack[:start]
    found = []
    for gate in range(draw(st.integers(2, 4))):
        cards = pack[gate * 13 : gate * 13 + 13]
        ranks = [card[0] for card in cards]
        cards.sort(key=lambda card: (ranks.count(card[0]), card[0]))
        laid = dict(zip(LANES, (cards[:3], cards[3:8], cards[8:]), strict=True))
        hand: dict[str, Any] = {"gate": gate, "cards": cards, "declare": draw(st.booleans())}
        hand["arrangement"] = laid if draw(st.integers(0, 5)) else None
        found.append(hand)
    return found


@st.composite
def rounds(draw: st.DrawFn, rule_sets: tuple[str, ...]) -> tuple[str, dict[str, Any]]:
    rule_set = draw(st.sampled_from(rule_sets))
    gates = draw(hands())
    known = KNOWN.get(rule_set, ("equal_lanes_foul",))
    config = draw(st.fixed_dictionaries({}, optional={flag: FLAGS[flag] for flag in known}))
    request = {"op": "settle", "gates": gates, "config": config}
    if rule_set in ALL_AGAINST_ALL:
        return rule_set, {**request, "unit_minor": draw(st.integers(1, 1000))}
    bets = [
        {
            "bet_id": f"b{index}",
            "gate": draw(st.integers(1, len(gates) - 1)),
            "stake_minor": draw(st.integers(1, 1000)),
        }
        for index in range(draw(st.integers(0, 4)))
    ]
    return rule_set, {**request, "banker_gate": 0, "bets": bets}


def settled(rule_set: str, request: dict[str, Any]) -> dict[str, Any]:
    answer = evaluate(rule_set, "1", request)
    assert isinstance(answer, Evaluated), answer
    assert answer.explanation
    assert all(explain(rule_set, request, answer, "zh-Hant"))
    return answer.result


@given(rounds(ALL_AGAINST_ALL))
def test_what_some_win_the_others_pay(played: tuple[str, dict[str, Any]]) -> None:
    rule_set, request = played
    result = settled(*played)
    assert sum(gate["units"] for gate in result["gates"]) == 0
    assert sum(gate["gross"] for gate in result["gates"]) == 0
    for gate in result["gates"]:
        assert gate["gross"] == gate["units"] * request["unit_minor"]
        assert gate["net"] == gate["gross"] - gate["fee"]
        assert 0 <= gate["fee"] <= max(gate["gross"], 0)
        own = sum(pair["units_a"] for pair in result["pairs"] if pair["a"] == gate["gate"])
        others = sum(pair["units_a"] for pair in result["pairs"] if pair["b"] == gate["gate"])
        assert gate["units"] == own - others
    for pair in result["pairs"]:
        assert (pair["decided_by"] == "special") == (not pair["lanes"])
        if rule_set == "four_player":
            assert sum(pair["breakdown"].values()) == pair["units_a"]
        else:
            assert pair["units_a"] in (-1, 0, 1)


@given(rounds(AGAINST_BANKER))
def test_the_banker_pays_what_the_players_win(played: tuple[str, dict[str, Any]]) -> None:
    rule_set, _ = played
    result = settled(*played)
    units = {gate["gate"]: gate["units"] for gate in result["gates"]}
    assert result["banker_net"] == -sum(bet["net"] for bet in result["bets"])
    assert all(bet["net"] == bet["stake"] * units[bet["gate"]] for bet in result["bets"])
    for gate in result["gates"]:
        signs = {"player": 1, "banker": -1, "draw": 0}
        net = sum(signs[lane["winner"]] * lane["units"] for lane in gate["lanes"])
        both_fouled = gate["status"] == result["banker"]["status"] == "foul"
        if gate["lanes"] and not (rule_set == "declare_2" and abs(gate["units"]) == 1):
            assert gate["units"] == net
        if both_fouled:
            assert net == (-3 if rule_set == "declare_2" else 0)


@given(rounds(ALL_AGAINST_ALL + AGAINST_BANKER), st.randoms(use_true_random=False))
def test_order_of_gates_and_of_cards_has_no_meaning(
    played: tuple[str, dict[str, Any]], random: Any
) -> None:
    rule_set, request = played
    turned = []
    for hand in random.sample(request["gates"], len(request["gates"])):
        changed = {**hand, "cards": random.sample(hand["cards"], 13)}
        if hand["arrangement"]:
            changed["arrangement"] = {
                lane: random.sample(cards, len(cards))
                for lane, cards in hand["arrangement"].items()
            }
        turned.append(changed)
    assert settled(rule_set, {**request, "gates": turned}) == settled(rule_set, request)


@given(rounds(("four_player", *AGAINST_BANKER)))
def test_a_declined_special_is_an_ordinary_hand(played: tuple[str, dict[str, Any]]) -> None:
    rule_set, request = played
    declined = [{**hand, "declare": False} for hand in request["gates"]]
    result = settled(rule_set, {**request, "gates": declined})
    assert all(gate["special"] is None for gate in result["gates"])
    for hand, gate in zip(declined, result["gates"], strict=False):
        if rule_set == "four_player" and hand["arrangement"] is None:
            assert gate["status"] == "foul"


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-2, 20) | st.floats() | st.sampled_from(["As", "x"]),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=6,
)


@settings(max_examples=50)
@given(rounds(ALL_AGAINST_ALL + AGAINST_BANKER), json_values, st.data())
def test_a_round_with_one_wrong_value_is_answered(
    played: tuple[str, dict[str, Any]], value: Any, data: st.DataObject
) -> None:
    rule_set, request = played
    holder, key = data.draw(st.sampled_from(list(places(request))))
    before = holder[key]
    holder[key] = value
    try:
        assert isinstance(evaluate(rule_set, "1", request), Refused | Evaluated)
    finally:
        holder[key] = before


def places(value: Any) -> Any:
    for key in value.keys() if isinstance(value, dict) else range(len(value)):
        yield value, key
        if isinstance(value[key], dict | list):
            yield from places(value[key])


@pytest.mark.parametrize(
    ("hand", "flushes", "three_suits"),
    [
        ("As Ks 9s 5s 2s Ah Kh 9h 5h 2h Ad Kd 9d", True, True),
        ("As Ks 9s 5s 2s 3s 4s 7s Ah Kh 9h 5h 2h", True, False),
        ("As Ks 9s 5s 2s 3s 4s 7s 8s Ts Ah Kh 9h", True, False),
        ("As Ks Qs Js Ts 9s 8s 7s 6s 5s 4s 3s 2s", True, False),
        ("As Ks 9s 5s 2s 3s Ah Kh 9h 5h 2h 3h Ad", False, False),
        ("As Ks 9s 5s Ah Kh 9h 5h 2h Ad Kd 9d 5d", False, False),
    ],
)
def test_three_flushes_are_a_matter_of_suit_counts(
    hand: str, flushes: bool, three_suits: bool
) -> None:
    cards = tally(hand.split())
    assert is_three_flushes(cards) == flushes
    assert is_three_suits_flushes(cards) == three_suits


@pytest.mark.parametrize(
    ("hand", "straights", "without_qka", "of_one_suit"),
    [
        ("As 2s 3s 4h 5h 6h 7h 8h Td Jd Qd Kd Ad", True, True, True),
        ("As 2s 3s 4h 5h 6h 7h 8h Td Jd Qd Kd Ac", True, True, False),
        ("Qs Ks As 2h 3h 4h 5h 6h 7d 8d 9d Td Jd", True, True, False),
        ("Qs Ks As 2h 3h 4h 5h 6h 2d 3d 4d 5d 6d", True, False, False),
        ("Ks As 2s 3h 4h 5h 6h 7h 3d 4d 5d 6d 7d", False, False, False),
    ],
)
def test_three_straights_are_found_in_any_split(
    hand: str, straights: bool, without_qka: bool, of_one_suit: bool
) -> None:
    cards = tally(hand.split())
    assert is_three_straights(cards) == straights
    assert is_three_straights_without_qka(cards) == without_qka
    assert is_three_straight_flushes(cards) == of_one_suit
