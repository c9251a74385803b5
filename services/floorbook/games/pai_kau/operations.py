"""What the rule set answers to each operation (12.2)."""

from typing import Any

from floorbook.games.pai_kau import reading
from floorbook.games.pai_kau.banking import may_continue, minimum_stake, next_banker
from floorbook.games.pai_kau.comparison import TIE, compare_hands
from floorbook.games.pai_kau.config import Config
from floorbook.games.pai_kau.gates import gate_order, hands_of, held_over
from floorbook.games.pai_kau.ranking import Pair, stronger
from floorbook.games.pai_kau.reading import answering
from floorbook.games.pai_kau.setting import final_setting, splits
from floorbook.games.pai_kau.settle import applied, hand_cites, pair_cites, settle
from floorbook.games.requests import Request, read_boolean
from floorbook.games.rule_set import Evaluated, Operation, as_result, once

RULE_SET = "pai_kau"


def operations() -> dict[str, Operation]:
    """Return the operations of the ordinance by name."""
    return {
        "rank_pair": answering(_rank_pair),
        "compare_pairs": answering(_compare_pairs),
        "first_gate": answering(_first_gate),
        "deal": answering(_deal),
        "set_hand": answering(_set_hand),
        "compare_hands": answering(_compare_hands),
        "settle_round": answering(_settle_round),
        "next_stake": answering(_next_stake),
        "bank_turn": answering(_bank_turn),
        "next_banker": answering(_next_banker),
    }


_KIND_CITES = {
    "supreme": ("A7.1", "A9.2"),
    "pair": ("A7.1",),
    "tin-gau-wong": ("A7.1", "PK-03"),
    "gong": ("A7.1", "PK-02"),
    "points": ("A7.2", "PK-09"),
}


def _rank_cites(pair: Pair) -> tuple[str, ...]:
    return once(_KIND_CITES[pair.kind], pair_cites(pair))


def _rank_pair(request: Request, config: Config) -> Evaluated:
    pair = reading.read_pair(request, "tiles")
    return Evaluated(as_result(pair), _rank_cites(pair))


def _compare_pairs(request: Request, config: Config) -> Evaluated:
    a, b = reading.read_two_pairs(request)
    result = {
        "a": as_result(a),
        "b": as_result(b),
        "result": {1: "a", -1: "b", 0: "tie"}[stronger(a, b)],
    }
    tied = ("PK-07",) if result["result"] == "tie" else ()
    return Evaluated(result, once(_rank_cites(a), _rank_cites(b), tied))


def _first_gate(request: Request, config: Config) -> Evaluated:
    gates = reading.read_gates(request)
    banker_gate = reading.read_gate(request, "banker_gate", gates)
    dice, void_throws = reading.read_throws(request)
    order = gate_order(gates, banker_gate, dice, config)
    on_banker = ("PK-19",) if order.first_gate == banker_gate else ()
    cites = (*_throw_cites(void_throws), *on_banker, "A2.3", "PK-20")
    return Evaluated(as_result(order), cites)


def _throw_cites(void_throws: int) -> tuple[str, ...]:
    return (*(("A2.5", "PK-18") if void_throws else ()), "A2.2", "PK-17")


def _deal(request: Request, config: Config) -> Evaluated:
    gates = reading.read_gates(request)
    banker_gate = reading.read_gate(request, "banker_gate", gates)
    dice, void_throws = reading.read_throws(request)
    used = reading.read_used_tiles(request, gates)
    wall = reading.read_wall(request, used)
    order = gate_order(gates, banker_gate, dice, config)
    hands = hands_of(gates, banker_gate, dice, wall)
    result: dict[str, Any] = {
        "dice_total": order.dice_total,
        "first_gate": order.first_gate,
        "hands": [{"gate": gate, "tiles": list(tiles)} for gate, tiles in hands.items()],
        "leftover_tiles": list(held_over(gates, wall)),
    }
    four = ("A2.4", "PK-33") if gates == 4 else ()
    return Evaluated(result, (*_throw_cites(void_throws), "A2.3", *four))


def _set_hand(request: Request, config: Config) -> Evaluated:
    hand = reading.read_hand(request)
    setting = final_setting(hand.tiles, hand.front, hand.back, config)
    result = {
        "splits": [
            {
                "front": list(split.front.tiles),
                "back": list(split.back.tiles),
                "front_order": split.front.order,
                "back_order": split.back.order,
            }
            for split in splits(hand.tiles)
        ],
        "front": as_result(setting.front),
        "back": as_result(setting.back),
        "reset": setting.reset,
        "reset_reason": setting.reset_reason,
    }
    return Evaluated(result, once(("A6.1",), hand_cites(setting)))


def _compare_hands(request: Request, config: Config) -> Evaluated:
    compared = compare_hands(*reading.read_two_hands(request))
    tied = TIE in (compared.front_result, compared.back_result)
    return Evaluated(as_result(compared), ("A6.3", "A9.1") if tied else ("A6.3",))


def _settle_round(request: Request, config: Config) -> Evaluated:
    round_ = reading.read_round(request)
    settled = settle(round_, config)
    cites = applied(round_, settled)
    # The specification wants the rules sorted; whoever reads them out wants them as applied.
    return Evaluated({**as_result(settled), "explanation": sorted(cites)}, cites)


def _next_stake(request: Request, config: Config) -> Evaluated:
    stake, delta, new_stake = reading.read_stakes(request)
    remaining = stake + delta
    result = {"min_stake": remaining, "allowed": new_stake >= minimum_stake(remaining)}
    return Evaluated(result, ("A5.4", "PK-31"))


def _bank_turn(request: Request, config: Config) -> Evaluated:
    rounds_done, all_agree = reading.read_turn(request)
    result = {"may_continue": may_continue(rounds_done, all_agree)}
    return Evaluated(result, ("A5.1", "PK-49", "PK-39"))


def _next_banker(request: Request, config: Config) -> Evaluated:
    gates = reading.read_gates(request)
    banker_gate = reading.read_gate(request, "banker_gate", gates)
    opening = read_boolean(request, "table_opening", default=False)
    candidates = reading.read_candidates(request, gates, banker_gate, opening)
    found = next_banker(gates, banker_gate, candidates, opening)
    result = {"gate": found.gate if found else 0, "player_id": found.player_id if found else ""}
    cites = ("A5.1", "A5.2", "PK-38", "PK-53")
    return Evaluated(result, cites if found else (*cites, "PK-46"))
