"""What each of the two rule sets answers to each operation (13.4)."""

from collections.abc import Callable, Mapping
from typing import Any

from floorbook.games.mahjong import reading, reading_play
from floorbook.games.mahjong.articles import explained
from floorbook.games.mahjong.cites import ERROR_CITES, REFUSAL_CITES, decision_cites, turn_cites
from floorbook.games.mahjong.claims import decide
from floorbook.games.mahjong.distance import shanten, waits
from floorbook.games.mahjong.hand import Setting
from floorbook.games.mahjong.hand_log import Logged, played
from floorbook.games.mahjong.melds import is_set, tiles_of
from floorbook.games.mahjong.payment import false_win_payments, win_payments
from floorbook.games.mahjong.results import (
    faan_result,
    facts_result,
    liability_result,
    payment_result,
    win_result,
)
from floorbook.games.mahjong.rounds import next_hand
from floorbook.games.mahjong.settle import (
    FAULT_CITES,
    Settlement,
    false_win_cites,
    settle,
    win_cites,
)
from floorbook.games.mahjong.tiles import CODES, codes_of
from floorbook.games.mahjong.turns import Turn, declared_in_turn, legal_in_turn, turn_refusal
from floorbook.games.mahjong.variant import Variant
from floorbook.games.mahjong.wall import break_of, dealt_places, draw_order, front_place
from floorbook.games.mahjong.winning import judge
from floorbook.games.requests import Request, RequestRefused, read_object
from floorbook.games.rule_set import Evaluated, Operation, Refused, as_result, once

Result = dict[str, Any]
Evaluation = Callable[[Variant, Request], Evaluated]


def operations(variant: Variant) -> Mapping[str, Operation]:
    """Return the operations of one of the games by name."""
    evaluations: Mapping[str, Evaluation] = {
        "waits": _waits,
        "deal": _deal,
        "priority": _priority,
        "turn": _turn,
        "hand_log": _hand_log,
        "payment": _payment,
    }
    return {
        "win": reading.answering(variant, _win, _win_error),
        "liability": reading.answering(variant, _liability, _liability_error),
        **{op: reading.answering(variant, evaluate) for op, evaluate in evaluations.items()},
    }


# A declared win


def _win(variant: Variant, request: Request) -> Evaluated:
    """Return all that a declared win comes to; with stakes, the payments too (13.2)."""
    setting = reading.read_setting(variant, request)
    declared = reading.read_declared(setting, request)
    facts = reading.read_facts(setting, request, declared)
    stakes = reading.read_stakes_of(setting, request)
    settlement = settle(setting, declared, facts, stakes)
    judged = settlement.judged
    result: Result = {"status": judged.status, "reason": judged.reason}
    if judged.valued is not None:
        result |= faan_result(declared, judged.valued)
    result["liability"] = liability_result(settlement.liability)
    if stakes is not None:
        result |= payment_result(stakes, settlement.payments)
    result["explain"] = explained(settlement.cites)
    return Evaluated(result, settlement.cites)


def _win_error(refused: Refused) -> Evaluated:
    cites = ERROR_CITES[refused.code]
    return Evaluated(_error(refused) | {"explain": explained(cites)}, cites)


def _error(refused: Refused) -> Result:
    return {"status": "error", "reason": refused.code.lower(), "detail": refused.detail}


def _liability(variant: Variant, request: Request) -> Evaluated:
    setting = reading.read_setting(variant, request)
    declared = reading.read_declared(setting, request)
    facts = reading.read_facts(setting, request, declared)
    settlement = settle(setting, declared, facts, None)
    judged = settlement.judged
    result: Result = {"status": judged.status, "reason": judged.reason}
    if judged.valued is not None:
        result |= faan_result(declared, judged.valued)
    return Evaluated(result | liability_result(settlement.liability), settlement.cites)


def _liability_error(refused: Refused) -> Evaluated:
    nobody: Result = {"liable": None, "rules": [], "exempted_by": []}
    return Evaluated(_error(refused) | nobody, ERROR_CITES[refused.code])


# Waits, the deal


def _waits(variant: Variant, request: Request) -> Evaluated:
    concealed = reading.read_tiles(variant, request, "concealed")
    melds = reading.read_melds(variant, request)
    declared = tiles_of(melds)
    reading.check_copies(concealed, declared, where="the hand")
    if not all(is_set(variant, meld) for meld in melds):
        raise RequestRefused("MELD_INVALID", "melds: one is no set of the game (RULE-SETS).")
    if len(melds) > variant.sets or len(concealed) != variant.hand_size - 3 * len(melds):
        raise RequestRefused("TILE_COUNT", "concealed: not as many tiles as melds leave (14).")
    found = waits(variant, concealed, declared, len(melds))
    result = {
        "waits": codes_of(found),
        "shanten": shanten(variant, concealed, declared, len(melds)),
    }
    return Evaluated(result, ("WAITS", "SHANTEN", "MJ-58"))


def _deal(variant: Variant, request: Request) -> Evaluated:
    match request.get("query"):
        case "layout":
            return _layout(variant, request)
        case "next_hand":
            config = reading.read_config(request)
            hand = reading.read_hand_played(variant, request)
            unwon = ("MJ-10", "MJ-11") if hand.outcome != "win" else ()
            cites = ("RULE-ROUNDS", "MJ-07", *unwon)
            return Evaluated(as_result(next_hand(config, hand)), cites)
        case _:
            raise RequestRefused("BAD_REQUEST", "query is neither layout nor next_hand.")


def _layout(variant: Variant, request: Request) -> Evaluated:
    seats = reading.read_seats(variant, request)
    dice = reading.read_dice(variant, request)
    broken, order = break_of(variant, dice), draw_order(variant, dice)
    result: Result = as_result(broken) | {
        "hands": {
            seat: [order[place] for place in places]
            for seat, places in dealt_places(variant, seats).items()
        },
        "next": order[front_place(variant, len(seats), 0, 0)],
        "remaining": variant.remaining_after_deal(len(seats)),
    }
    runs_on = ("MJ-03",) if broken.total >= variant.stacks else ()
    dealt = ("MJ-05",) if variant.is_traditional else ("MJ-06", "MJ-07")
    cites = ("RULE-SEATS", "RULE-BREAK", "MJ-04", *runs_on, "RULE-DEAL", *dealt)
    return Evaluated(result, cites)


# Claims and turns


def _priority(variant: Variant, request: Request) -> Evaluated:
    setting = reading.read_setting(variant, request)
    offer = reading_play.read_offer(setting, request)
    wall_remaining = reading_play.read_wall_remaining(setting, request)
    claims, holdings = reading_play.read_claims(setting, request, offer)
    decision = decide(setting, offer, wall_remaining, holdings, claims)
    return Evaluated(as_result(decision), decision_cites(decision))


def _turn(variant: Variant, request: Request) -> Evaluated:
    setting = reading.read_setting(variant, request)
    turn = reading_play.read_turn(setting, request)
    match request.get("query"):
        case "legal":
            legal = legal_in_turn(setting, turn)
            result: Result = {
                "win": legal.win,
                "concealed_kong": codes_of(legal.concealed_kong),
                "added_kong": codes_of(legal.added_kong),
                "discard": codes_of(legal.discard),
            }
            return Evaluated(result, turn_cites(turn))
        case "attempt":
            return _attempt(setting, turn, request)
        case _:
            raise RequestRefused("BAD_REQUEST", "query is neither legal nor attempt.")


def _attempt(setting: Setting, turn: Turn, request: Request) -> Evaluated:
    attempt = read_object(request, "attempt")
    action = attempt.get("action")
    if action not in ("win", "concealed_kong", "added_kong", "discard"):
        raise RequestRefused("BAD_REQUEST", "attempt.action is no act of a turn.")
    tile = None
    if action != "win":
        tile = reading.read_tile(setting.variant, attempt, "tile", "attempt.")
    reason = turn_refusal(setting, turn, action, tile)
    if reason is not None:
        return Evaluated(
            {"result": "refused", "reason": reason},
            once(("RULE-TURN", "RULE-REFUSE"), REFUSAL_CITES[reason]),
        )
    if action == "win":
        judged = judge(setting, declared_in_turn(turn))
        if judged.status == "false_win":
            cites = once(("RULE-TURN", "RULE-STATUS"), FAULT_CITES[judged.reason or ""])
            return Evaluated({"result": "false_win", "reason": judged.reason}, cites)
    return Evaluated({"result": "accepted", "reason": None}, ("RULE-TURN",))


# The log of a hand


def _hand_log(variant: Variant, request: Request) -> Evaluated:
    setting = reading.read_setting(variant, request)
    start = reading_play.read_start(setting, request)
    acts = reading_play.read_acts(setting, request)
    stakes = reading.read_stakes_of(setting, request)
    logged = played(setting, start, acts, stakes)
    result: Result = {"status": logged.status}
    if logged.refusal is not None:
        reason = logged.refusal.reason
        result |= {"index": logged.refusal.index, "reason": reason}
        return Evaluated(result, once(("RULE-REFUSE",), REFUSAL_CITES[reason]))
    settlement = logged.settlement
    if settlement is None:
        draw = ("RULE-EXHAUST", "MJ-09") if logged.status == "draw" else ("RULE-WINDOW",)
        return Evaluated(result, draw)
    result |= _ended_result(logged, settlement)
    if stakes is not None:
        result |= payment_result(stakes, settlement.payments)
    return Evaluated(result, once(("RULE-FACTS",), settlement.cites))


def _ended_result(logged: Logged, settlement: Settlement) -> Result:
    ended = logged.ended
    assert ended is not None, "a settlement is of a declared win"
    declared, valued = ended.declared, settlement.judged.valued
    if valued is None:
        return {"seat": declared.seat, "reason": settlement.judged.reason}
    return {
        "seat": declared.seat,
        "win_tile": CODES[declared.win_tile],
        "win": win_result(declared.win),
        **faan_result(declared, valued),
        "facts": facts_result(ended.facts),
        **liability_result(settlement.liability),
    }


# Payments alone


def _payment(variant: Variant, request: Request) -> Evaluated:
    config = reading.read_config(request)
    stakes = reading.read_stakes(variant, request)
    seats = tuple(stakes)
    offender = reading.read_offender(request, seats)
    if offender is not None:
        payments = false_win_payments(variant, config, offender, stakes)
        return Evaluated(payment_result(stakes, payments), false_win_cites(variant, payments))
    won = reading.read_won(variant, config, request, seats)
    payments = win_payments(config, won, stakes)
    cites = win_cites(config, won.kind, won.liable is not None, payments)
    return Evaluated(payment_result(stakes, payments), cites)
