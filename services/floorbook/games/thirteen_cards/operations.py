"""What the official rule set answers to each operation (D2)."""

from typing import Any

from floorbook.games.rule_set import Evaluated, Operation, as_result
from floorbook.games.thirteen_cards import reading
from floorbook.games.thirteen_cards.arranging import best_response, count_legal, house_way, pareto
from floorbook.games.thirteen_cards.cards import rank_text, ranks_of
from floorbook.games.thirteen_cards.config import Config
from floorbook.games.thirteen_cards.deal import first_gate, hands_of, misdealt
from floorbook.games.thirteen_cards.fixed import fixed_combination
from floorbook.games.thirteen_cards.holders import holders
from floorbook.games.thirteen_cards.lanes import LANES, OFFICIAL, class_id, strength
from floorbook.games.thirteen_cards.official import (
    FIXED_CITES,
    explain_settlement,
    judge_laid,
    lane_cites,
    settle,
    void,
)
from floorbook.games.thirteen_cards.reading import Request, answering
from floorbook.games.thirteen_cards.ways import RAW_WAYS

RULE_SET = "thirteen_cards"


def official_operations() -> dict[str, Operation]:
    """Return the operations of the Macau ordinance by name."""
    return {
        "deal": answering(RULE_SET, _deal),
        "check_deal": answering(RULE_SET, _check_deal),
        "holders": answering(RULE_SET, _holders),
        "classify": answering(RULE_SET, _classify),
        "compare": answering(RULE_SET, _compare),
        "legal": answering(RULE_SET, _legal),
        "special": answering(RULE_SET, _special),
        "settle": answering(RULE_SET, _settle),
        "count_legal": answering(RULE_SET, _count_legal),
        "pareto": answering(RULE_SET, _pareto),
        "best_response": answering(RULE_SET, _best_response),
        "house_way": answering(RULE_SET, _house_way),
    }


def _deal(request: Request, config: Config) -> Evaluated:
    banker_gate = reading.read_banker_gate(request)
    dice = reading.read_dice(request)
    deck = reading.read_deck(request)
    result: dict[str, Any] = {
        "dice_total": sum(dice),
        "first_gate": first_gate(banker_gate, dice),
    }
    if deck is None:
        return Evaluated(result, ("Art.2(b)", "TC-03"))
    hands = hands_of(banker_gate, dice, deck)
    result["hands"] = {str(gate): list(cards) for gate, cards in hands.items()}
    return Evaluated(result, ("Art.2(b)", "TC-03", "Art.2(c)", "TC-46"))


def _check_deal(request: Request, config: Config) -> Evaluated:
    banker_gate = reading.read_banker_gate(request)
    dice = reading.read_dice(request)
    dealt = reading.read_dealt(request)
    recoverable = reading.read_flag(request, "recoverable")
    wrong = misdealt(banker_gate, dice, dealt)
    if not wrong:
        return Evaluated({"action": "accept", "moves": []}, ("Art.2(c)",))
    if not recoverable:
        return Evaluated({"action": "void", "moves": []}, ("Art.4", "TC-12"))
    moves = [{"card": move.card, "from": move.source, "to": move.target} for move in wrong]
    return Evaluated({"action": "correct", "moves": moves}, ("Art.4",))


def _holders(request: Request, config: Config) -> Evaluated:
    banker_gate = reading.read_banker_gate(request)
    found = holders(reading.read_bets(request, banker_gate))
    result = {
        "holders": {str(gate): holder for gate, holder in found.holders.items()},
        "dice_shaker": found.dice_shaker,
    }
    return Evaluated(result, ("Art.2(b)", "TC-06", "Art.5", "TC-14"))


def _classify(request: Request, config: Config) -> Evaluated:
    lane = reading.read_lane_name(request)
    found = strength(reading.read_lane(request, "cards", lane), OFFICIAL)
    return Evaluated({"class": class_id(found)}, lane_cites(found, 0))


def _compare(request: Request, config: Config) -> Evaluated:
    lane = reading.read_lane_name(request)
    a, b = (strength(cards, OFFICIAL) for cards in reading.read_two_lanes(request, lane))
    result = {
        "a_class": class_id(a),
        "b_class": class_id(b),
        "result": "equal" if a == b else "a" if a > b else "b",
    }
    # Who has the privilege of Art.10 is not part of this comparison.
    return Evaluated(result, tuple(cite for cite in lane_cites(a, b) if cite != "Art.10"))


def _legal(request: Request, config: Config) -> Evaluated:
    judged = judge_laid(reading.read_arrangement(request), config)
    result = {"legal": judged.status == "ok", "special": judged.special}
    return Evaluated(result, judged.cites)


def _special(request: Request, config: Config) -> Evaluated:
    cards, laid = reading.read_one_hand(request)
    found = fixed_combination(cards, laid, config)
    return Evaluated({"special": found}, FIXED_CITES[found] if found else ("Art.9-I",))


def _settle(request: Request, config: Config) -> Evaluated:
    banker_gate = reading.read_banker_gate(request)
    bets = reading.read_stakes(request, banker_gate)
    if reading.read_flag(request, "void", default=False):
        abandoned = void(bets, config)
        return Evaluated(as_result(abandoned), ("TC-45",))
    hands = reading.read_hands(request, timed=True)
    banker = hands.pop(banker_gate, None)
    if banker is None or banker.laid is None:
        raise reading.refusal("BANKER_MISSING", "gates: the banker has not arranged a hand.")
    reading.check_bets_have_hands(bets, hands)
    if config.banker_foul == "reject" and judge_laid(banker.laid, config).status == "foul":
        raise reading.refusal("BANKER_FOUL", "gates: the banker's hand is fouled (TC-35).")
    backed = {bet.gate for bet in bets}
    players = [hand for hand in hands.values() if hand.laid or hand.gate in backed]
    settled = settle(banker, players, bets, config)
    return Evaluated(as_result(settled), explain_settlement(settled))


def _count_legal(request: Request, config: Config) -> Evaluated:
    legal = count_legal(reading.read_thirteen(request), config)
    return Evaluated({"raw": RAW_WAYS, "legal": legal}, ("Art.7", "TC-16"))


def _pareto(request: Request, config: Config) -> Evaluated:
    size = len(pareto(reading.read_thirteen(request), config))
    return Evaluated({"size": size}, ("Art.7", "Art.9-II"))


def _best_response(request: Request, config: Config) -> Evaluated:
    cards, laid = reading.read_cards_and_banker(request)
    bank = judge_laid(laid, config)
    if bank.status == "foul":
        raise reading.refusal("BANKER_FOUL", "banker_arrangement is fouled.")
    best = best_response(cards, bank, config)
    result = {"outcome": best.outcome, "margin": best.margin, "arrangement": as_result(best.laid)}
    return Evaluated(result, ("Art.8", "Art.9-I", "Art.9-II", "Art.10"))


def _house_way(request: Request, config: Config) -> Evaluated:
    found = house_way(reading.read_thirteen(request), config)
    result = {"special": found.special, "lanes": None, "arrangement": as_result(found.laid)}
    if found.special is None:
        result["lanes"] = {
            lane: {
                "class": class_id(strength(cards, OFFICIAL)),
                "ranks": rank_text(ranks_of(cards)),
            }
            for lane, cards in zip(LANES, found.laid.lanes, strict=True)
        }
    return Evaluated(result, ("TC-14", "Art.9-I") if found.special else ("TC-14", "Art.7"))
