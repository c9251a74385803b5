"""What holds for every round of the official game, whatever the cards."""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from floorbook.games.game import Evaluated, Refused, evaluate, explain
from floorbook.games.thirteen_cards.cards import PACK

LANES = ("front", "middle", "back")


def settled(request: dict[str, Any]) -> dict[str, Any]:
    answer = evaluate("thirteen_cards", "1", request)
    assert isinstance(answer, Evaluated), answer
    assert answer.explanation
    assert all(explain("thirteen_cards", request, answer, "en"))
    return answer.result


def laid(cards: list[str]) -> dict[str, list[str]]:
    return {"front": cards[:3], "middle": cards[3:8], "back": cards[8:13]}


@st.composite
def rounds(draw: st.DrawFn) -> dict[str, Any]:
    """A complete round: shuffled hands laid without much thought, so that many are fouled."""
    pack = draw(st.permutations(PACK))
    banker = draw(st.integers(0, 3))
    gates = []
    for gate in range(4):
        hand = pack[gate * 13 : gate * 13 + 13]
        entry: dict[str, Any] = {"gate": gate, "arrangement": laid(hand)}
        if draw(st.booleans()):
            # Sorted by how often a rank is there, a hand is laid in order more often.
            hand = sorted(hand, key=lambda card: ([c[0] for c in hand].count(card[0]), card[0]))
            entry["arrangement"] = laid(hand)
        if gate != banker and draw(st.integers(0, 5)) == 0:
            entry["elapsed_ms"] = draw(st.sampled_from([299_999, 300_000, 300_001]))
        gates.append(entry)
    bets = [
        {
            "bet_id": f"b{index}",
            "gate": (banker + draw(st.integers(1, 3))) % 4,
            "unit_minor": draw(st.integers(1, 100_000)),
            "units": draw(st.integers(1, 3)),
        }
        for index in range(draw(st.integers(0, 8)))
    ]
    config = draw(
        st.fixed_dictionaries(
            {},
            optional={
                "equal_lanes_foul": st.booleans(),
                "fixed_exempt_from_foul": st.booleans(),
                "six_pairs_allow_trips": st.booleans(),
                "equal_totals": st.sampled_from(["tie", "banker"]),
                "prize_ratio": st.tuples(st.integers(0, 3), st.integers(1, 3)).map(list),
                "commission_bps": st.integers(0, 10_000),
                "commission_base": st.sampled_from(["prize", "stake"]),
            },
        )
    )
    return {
        "op": "settle",
        "banker_gate": banker,
        "gates": gates,
        "bets": bets,
        "config": config,
    }


@given(rounds())
def test_money_is_neither_made_nor_lost(request: dict[str, Any]) -> None:
    result = settled(request)
    staked = sum(bet["unit_minor"] * bet["units"] for bet in request["bets"])
    returned = sum(bet["returned"] for bet in result["bets"])
    assert result["banker_net"] == staked - returned
    for bet in result["bets"]:
        assert 0 <= bet["commission"] <= bet["prize"]
        kept = bet["stake"] if bet["outcome"] in ("win", "tie") else 0
        assert bet["returned"] == kept + bet["prize"] - bet["commission"]


@given(rounds(), st.randoms(use_true_random=False))
def test_the_order_of_gates_has_no_meaning(request: dict[str, Any], random: Any) -> None:
    shuffled = {**request, "gates": random.sample(request["gates"], len(request["gates"]))}
    assert settled(shuffled) == settled(request)


@given(rounds(), st.randoms(use_true_random=False))
def test_the_order_of_cards_in_a_lane_has_no_meaning(request: dict[str, Any], random: Any) -> None:
    turned = [
        {
            **gate,
            "arrangement": {
                lane: random.sample(gate["arrangement"][lane], len(gate["arrangement"][lane]))
                for lane in LANES
            },
        }
        for gate in request["gates"]
    ]
    assert settled({**request, "gates": turned}) == settled(request)


@given(rounds())
def test_a_void_round_returns_everything(request: dict[str, Any]) -> None:
    result = settled({**request, "void": True})
    assert result["banker_net"] == 0
    assert [(bet["stake"], bet["outcome"]) for bet in result["bets"]] == [
        (bet["returned"], "void") for bet in result["bets"]
    ]
    assert "gates" not in result


@given(rounds())
def test_a_gate_has_one_outcome_for_all_its_bets(request: dict[str, Any]) -> None:
    result = settled(request)
    outcomes = {gate["gate"]: gate["outcome"] for gate in result["gates"]}
    for gate in result["gates"]:
        margin = gate["player_units"] - gate["banker_units"]
        if gate["lanes"]:
            for side in ("player", "banker"):
                won = [lane["units"] for lane in gate["lanes"] if lane["winner"] == side]
                assert gate[f"{side}_units"] == sum(won)
        if margin:
            assert gate["outcome"] == ("win" if margin > 0 else "lose")
    assert all(bet["outcome"] == outcomes[bet["gate"]] for bet in result["bets"])


json_values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=3)
    | st.just("\ud800")
    | st.sampled_from(["As", "Kd", "front", "house", "settle"]),
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=8,
)
OPERATIONS = (
    "deal",
    "check_deal",
    "holders",
    "classify",
    "compare",
    "legal",
    "special",
    "settle",
    "count_legal",
    "pareto",
    "best_response",
    "house_way",
)
FIELDS = (
    "banker_gate",
    "gates",
    "bets",
    "void",
    "config",
    "dice",
    "deck",
    "dealt",
    "recoverable",
    "lane",
    "cards",
    "a",
    "b",
    "arrangement",
    "unit_minor",
    "banker_arrangement",
)


@given(
    st.sampled_from(OPERATIONS),
    st.dictionaries(st.sampled_from(FIELDS), json_values | st.integers(0, 3)),
)
def test_garbage_is_refused(op: str, fields: dict[str, Any]) -> None:
    answer = evaluate("thirteen_cards", "1", {"op": op, **fields})
    assert isinstance(answer, Refused | Evaluated)
    if isinstance(answer, Refused):
        assert answer.detail
    else:
        assert explain("thirteen_cards", {"op": op, **fields}, answer, "zh-Hant")


@given(rounds(), st.data())
def test_a_round_with_one_wrong_value_is_answered(
    request: dict[str, Any], data: st.DataObject
) -> None:
    """Whatever single value of a good request is replaced, there is an answer."""
    places = list(_places(request))
    holder, key = data.draw(st.sampled_from(places))
    before = holder[key]
    holder[key] = data.draw(json_values)
    try:
        assert isinstance(evaluate("thirteen_cards", "1", request), Refused | Evaluated)
    finally:
        holder[key] = before


def _places(value: Any) -> Any:
    keys = value.keys() if isinstance(value, dict) else range(len(value))
    for key in keys:
        yield value, key
        if isinstance(value[key], dict | list):
            yield from _places(value[key])


@given(json_values)
def test_a_request_that_is_no_object_is_refused(request: Any) -> None:
    assert isinstance(evaluate("thirteen_cards", "1", request), Refused)
