"""Which fault of a request is answered, and that of several it is the first in the rules' order."""

from typing import Any

import pytest

from floorbook.games.game import Evaluated, Refused, evaluate
from floorbook.games.thirteen_cards.cards import PACK

OFFICIAL, ALL, BANKED = "thirteen_cards", "compare_size", "declare_2"

BANKER = {"front": ["Ah", "Jd", "5s"], "middle": ["6s", "6h", "Kc", "Td", "2s"]}
BANKER["back"] = ["Qh", "Qd", "9s", "9c", "3c"]
PLAYER = {"front": ["Kd", "Qs", "9h"], "middle": ["8s", "8d", "Ac", "Jh", "4c"]}
PLAYER["back"] = ["7s", "7h", "7d", "2c", "3d"]
BAD_CARD = {**PLAYER, "front": ["Kd", "Qs", "10h"]}
BAD_SIZE = {**PLAYER, "front": ["Kd", "Qs"]}
TWICE = {**PLAYER, "front": ["Kd", "Kd", "9h"]}
FOULED = {**PLAYER, "middle": PLAYER["back"], "back": PLAYER["middle"]}


def bet(**changed: Any) -> dict[str, Any]:
    return {"bet_id": "b", "gate": 1, "unit_minor": 100, "units": 1, **changed}


def official(**changed: Any) -> dict[str, Any]:
    gates = [{"gate": 0, "arrangement": BANKER}, {"gate": 1, "arrangement": PLAYER}]
    return {"op": "settle", "banker_gate": 0, "gates": gates, "bets": [bet()], **changed}


def gates(*arrangements: Any, **more: Any) -> list[dict[str, Any]]:
    return [{"gate": number, "arrangement": one} for number, one in enumerate(arrangements)] + [
        {"gate": 3, **more}
    ] * bool(more)


def deal(**changed: Any) -> dict[str, Any]:
    return {"op": "deal", "banker_gate": 0, "dice": [1, 2, 3, 4], **changed}


def dealt(*pairs: Any) -> dict[str, Any]:
    cards = [[card, index % 4] for index, card in enumerate(PACK)]
    cards[: len(pairs)] = pairs
    return {**deal(), "op": "check_deal", "dealt": cards, "recoverable": True}


def holders(*bets: Any) -> dict[str, Any]:
    placed = [{**bet(), "bettor": "ann", "has_place": True, **one} for one in bets]
    return {"op": "holders", "banker_gate": 0, "bets": placed}


REFUSED: list[tuple[str, dict[str, Any], str]] = [
    # Integers are JSON integers, flags are JSON booleans.
    (OFFICIAL, official(banker_gate=True), "BAD_REQUEST"),
    (OFFICIAL, official(banker_gate=0.0), "BAD_REQUEST"),
    (OFFICIAL, official(banker_gate="0"), "BAD_REQUEST"),
    (OFFICIAL, official(banker_gate=4), "UNKNOWN_GATE"),
    (OFFICIAL, official(bets=[bet(units=True)]), "BAD_BET"),
    (OFFICIAL, official(bets=[bet(unit_minor=100.0)]), "BAD_BET"),
    (OFFICIAL, official(bets=[bet(unit_minor="100")]), "BAD_BET"),
    (OFFICIAL, official(void=1), "BAD_REQUEST"),
    (OFFICIAL, deal(dice=[1, 2, 3, True]), "BAD_DICE"),
    (OFFICIAL, deal(dice="1234"), "BAD_REQUEST"),
    # Flags come before everything else, and their values are checked with every operation.
    (OFFICIAL, official(config={"commission_bps": 10_001}, banker_gate=9), "BAD_CONFIG"),
    (OFFICIAL, official(config={"commission_bps": True}), "BAD_CONFIG"),
    (OFFICIAL, official(config={"prize_ratio": [1, 0]}), "BAD_CONFIG"),
    (OFFICIAL, official(config={"prize_ratio": [1]}), "BAD_CONFIG"),
    (OFFICIAL, official(config={"equal_lanes_foul": 1}), "BAD_CONFIG"),
    (OFFICIAL, official(config=[]), "BAD_REQUEST"),
    (OFFICIAL, deal(config={"arrange_limit_ms": -1}), "BAD_CONFIG"),
    ("shaoxing", {"op": "special", "config": {"equal_lanes_foul": True}}, "BAD_CONFIG"),
    ("four_player", {"op": "special", "config": {"service_fee_minor": -1}}, "BAD_CONFIG"),
    # The deal: the banker's gate, then dice, then cards, then gates.
    (OFFICIAL, deal(banker_gate=4, dice=[7]), "UNKNOWN_GATE"),
    (OFFICIAL, deal(dice=[7], deck=[]), "BAD_DICE"),
    (OFFICIAL, deal(deck=[*PACK[:51], "XX"]), "BAD_DECK"),
    (OFFICIAL, deal(deck=[*PACK, "As"]), "BAD_DECK"),
    (OFFICIAL, dealt(["As", 4], ["As", 0]), "BAD_DECK"),
    (OFFICIAL, dealt(["As", 4]), "UNKNOWN_GATE"),
    (OFFICIAL, dealt(["As", "1"]), "BAD_REQUEST"),
    (OFFICIAL, {**dealt(), "recoverable": None}, "BAD_REQUEST"),
    # Bets in their order: gate, banker, amount; then ids that are there twice.
    (OFFICIAL, official(bets=[bet(gate=5, units=9)]), "UNKNOWN_GATE"),
    (OFFICIAL, official(bets=[bet(gate=0, units=9)]), "BET_ON_BANKER"),
    (OFFICIAL, official(bets=[bet(), bet(gate=0)]), "BET_ON_BANKER"),
    (OFFICIAL, official(bets=[bet(), bet()], gates=[]), "BAD_BET"),
    (OFFICIAL, official(bets=[{"bet_id": "b", "gate": 1, "units": 1}]), "BAD_REQUEST"),
    (OFFICIAL, official(bets={"b": 1}), "BAD_REQUEST"),
    (OFFICIAL, holders({"bettor": 7}), "BAD_REQUEST"),
    (OFFICIAL, holders({"has_place": "yes"}), "BAD_REQUEST"),
    # A void round is checked as far as its bets.
    (OFFICIAL, official(void=True, bets=[bet(units=4)]), "BAD_BET"),
    # Hands by gate number, whatever their order in the request.
    (
        OFFICIAL,
        official(gates=[{"gate": 1, "arrangement": BAD_SIZE}, {"gate": 0, "arrangement": TWICE}]),
        "DUPLICATE_CARD",
    ),
    (OFFICIAL, official(gates=[*gates(BANKER, PLAYER), {"gate": 4}]), "UNKNOWN_GATE"),
    (OFFICIAL, official(gates=[*gates(BANKER, PLAYER), {"gate": 1}]), "UNKNOWN_GATE"),
    (OFFICIAL, official(gates=gates(BANKER, BAD_CARD)), "BAD_CARD"),
    (OFFICIAL, official(gates=gates(BANKER, {**BAD_SIZE, "back": ["XX"] * 5})), "BAD_CARD"),
    (OFFICIAL, official(gates=gates(BANKER, {**BAD_SIZE, "back": ["As"] * 5})), "BAD_LANE_SIZE"),
    (OFFICIAL, official(gates=gates(BANKER, PLAYER, cards=list(PACK[:12]))), "BAD_HAND_SIZE"),
    (OFFICIAL, official(gates=gates(BANKER, PLAYER, cards=["As"] * 13)), "DUPLICATE_CARD"),
    (OFFICIAL, official(gates=gates(BANKER, PLAYER, cards="AsKs")), "BAD_REQUEST"),
    (OFFICIAL, official(gates=gates(BANKER, PLAYER, elapsed_ms=-1)), "BAD_REQUEST"),
    (OFFICIAL, official(gates=gates(BANKER, BANKER)), "DUPLICATE_CARD"),
    # What the round as a whole lacks.
    (OFFICIAL, official(gates=gates(None, PLAYER), bets=[bet(gate=3)]), "BANKER_MISSING"),
    (OFFICIAL, official(bets=[bet(gate=3)]), "UNKNOWN_GATE"),
    (
        OFFICIAL,
        official(gates=gates(FOULED), bets=[bet()], config={"banker_foul": "reject"}),
        "UNKNOWN_GATE",
    ),
    (
        OFFICIAL,
        official(gates=gates(FOULED), bets=[], config={"banker_foul": "reject"}),
        "BANKER_FOUL",
    ),
    # Single lanes.
    (OFFICIAL, {"op": "classify", "lane": "top", "cards": []}, "BAD_REQUEST"),
    (OFFICIAL, {"op": "classify", "lane": "back", "cards": ["As", 5]}, "BAD_CARD"),
    (OFFICIAL, {"op": "compare", "lane": "front", "a": ["As"], "b": ["1s"]}, "BAD_LANE_SIZE"),
    (
        OFFICIAL,
        {"op": "compare", "lane": "front", "a": ["As", "Ks", "Qs"], "b": ["As", "2s", "3s"]},
        "DUPLICATE_CARD",
    ),
    (OFFICIAL, {"op": "legal"}, "BAD_REQUEST"),
    (OFFICIAL, {"op": "legal", "arrangement": None}, "BAD_REQUEST"),
    (OFFICIAL, {"op": "special"}, "BAD_HAND_SIZE"),
    # Arranging.
    (
        OFFICIAL,
        {
            "op": "best_response",
            "cards": [card for lane in BANKER.values() for card in lane],
            "banker_arrangement": FOULED,
        },
        "BANKER_FOUL",
    ),
    (
        OFFICIAL,
        {"op": "best_response", "cards": list(PACK[:13]), "banker_arrangement": PLAYER},
        "DUPLICATE_CARD",
    ),
    (OFFICIAL, {"op": "best_response", "cards": list(PACK[:13])}, "BAD_REQUEST"),
    # Variants.
    (ALL, {"op": "settle", "gates": gates(BANKER, PLAYER)}, "BAD_REQUEST"),
    (ALL, {"op": "settle", "unit_minor": -1, "gates": gates(BAD_CARD)}, "BAD_BET"),
    (ALL, {"op": "settle", "unit_minor": True, "gates": gates(BAD_CARD)}, "BAD_BET"),
    (ALL, {"op": "settle", "unit_minor": 1, "gates": gates()}, "NOT_ENOUGH_GATES"),
    ("shaoxing", {"op": "settle", "unit_minor": 1, "gates": [{"gate": 0}]}, "BAD_HAND_SIZE"),
    (
        BANKED,
        official(bets=[{"bet_id": "b", "gate": 1, "stake_minor": 0}]),
        "BAD_BET",
    ),
    (BANKED, official(bets=[], gates=gates(BANKER)), "NOT_ENOUGH_GATES"),
    (BANKED, official(bets=[], banker_gate=3), "BANKER_MISSING"),
    (
        BANKED,
        official(bets=[{"bet_id": "b", "gate": 3, "stake_minor": 5}], gates=gates(BANKER)),
        "UNKNOWN_GATE",
    ),
    (BANKED, official(bets=[], gates=gates(BANKER, PLAYER, declare="no")), "BAD_REQUEST"),
]


@pytest.mark.parametrize(("rule_set", "request_", "code"), REFUSED)
def test_the_first_fault_is_answered(rule_set: str, request_: dict[str, Any], code: str) -> None:
    answer = evaluate(rule_set, "1", request_)
    assert isinstance(answer, Refused), answer
    assert answer.code == code, answer
    assert answer.detail.endswith(".")


IGNORED: list[tuple[str, dict[str, Any]]] = [
    # The banker has no clock, other rule sets have none at all, and not all know declaring.
    (
        OFFICIAL,
        official(gates=[{**gates(BANKER)[0], "elapsed_ms": -1}, *gates(BANKER, PLAYER)[1:]]),
    ),
    (OFFICIAL, official(gates=gates(BANKER, PLAYER, declare="no"))),
    (ALL, {"op": "settle", "unit_minor": 1, "gates": gates(BANKER, PLAYER, elapsed_ms="late")}),
    (OFFICIAL, official(void=True, gates="none")),
    (OFFICIAL, official(unheard_of=1)),
]


@pytest.mark.parametrize(("rule_set", "request_"), IGNORED)
def test_what_has_no_part_in_the_request_is_not_looked_at(
    rule_set: str, request_: dict[str, Any]
) -> None:
    assert isinstance(evaluate(rule_set, "1", request_), Evaluated)


def test_a_refusal_names_the_field() -> None:
    answer = evaluate(OFFICIAL, "1", official(bets=[bet(), bet(bet_id="c", units=4)]))
    assert answer == Refused("BAD_BET", "bets[1].units is not 1, 2 or 3 (TC-37).")
