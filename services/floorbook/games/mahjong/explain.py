"""What a supervisor reads out about an answer: who won with what, who owes whom, by which rule.

Everything said here is taken from the result; nothing is decided again. Every rule that the answer
cites is named once, where it was applied.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

from floorbook.games.mahjong.cites import OUTCOME_CITES, rejection_cites
from floorbook.games.mahjong.patterns import (
    CHICKEN,
    ORPHANS_PATTERNS,
    SIMPLIFIED_PATTERNS,
    TRADITIONAL_PATTERNS,
    Pattern,
)
from floorbook.games.mahjong.phrases import CHINESE, ENGLISH, Phrases
from floorbook.games.mahjong.settle import LIABILITY_CITES
from floorbook.games.rule_set import Evaluated, Language, Money

Json = Any
Result = Mapping[str, Json]


@cache
def _patterns() -> Mapping[str, Pattern]:
    every = (*TRADITIONAL_PATTERNS, *ORPHANS_PATTERNS, *SIMPLIFIED_PATTERNS, CHICKEN)
    return {pattern.code: pattern for pattern in every}


class Speaker:
    """One language, the way a table's amounts are written, and which rules are still to be named."""

    def __init__(self, phrases: Phrases, money: Money, cites: Sequence[str]) -> None:
        self.phrases = phrases
        self.money = money
        self.unnamed = list(cites)

    def say(self, sentence: str, cites: Sequence[str] = (), **places: Json) -> str:
        """Return a sentence, and behind it those of `cites` that apply and were not named yet."""
        said = self.phrases.sentences[sentence].format(**places)
        named = [cite for cite in self.unnamed if cite in cites]
        if not named:
            return said
        self.unnamed = [cite for cite in self.unnamed if cite not in named]
        return said + self.phrases.cites.format(", ".join(named))

    def say_last(self, sentence: str, **places: Json) -> str:
        """Return a sentence, and behind it all rules that were not named yet."""
        return self.say(sentence, tuple(self.unnamed), **places)

    def seat(self, seat: Json) -> str:
        """Return the name of a seat."""
        return self.phrases.seats[seat]

    def tile(self, code: str) -> str:
        """Return the name of a tile."""
        if len(code) == 1:
            return self.phrases.tiles[code]
        return self.phrases.suited.format(rank=code[0], suit=self.phrases.suits[code[1]])

    def tiles(self, codes: Sequence[str]) -> str:
        """Return the names of tiles in one breath."""
        return self.listed([self.tile(code) for code in codes])

    def listed(self, items: Sequence[str]) -> str:
        """Return several things in one breath."""
        return self.phrases.list_separator.join(items) or self.phrases.sentences["nothing"]

    def why(self, reason: Json) -> str:
        """Return what a reason means."""
        return self.phrases.reasons[reason]

    def action(self, action: Json) -> str:
        """Return the name of an act or a claim."""
        return self.phrases.sentences["draw_tile" if action == "draw" else action]


def explain(
    rule_set: str,
    request: Mapping[str, Json],
    evaluated: Evaluated,
    language: Language,
    money: Money,
) -> list[str]:
    """Return an answer in sentences, in the order in which the rules were applied."""
    phrases = CHINESE if language == "zh-Hant" else ENGLISH
    speaker = Speaker(phrases, money, evaluated.explanation)
    return list(_OPERATIONS[request["op"]](speaker, request, evaluated.result))


# A declared win


def _win(speaker: Speaker, request: Result, result: Result) -> Iterator[str]:
    status = result["status"]
    if status == "error":
        yield _error(speaker, result)
        return
    if status == "win":
        yield from _hand(speaker, request["seat"], request["win_tile"], request["win"], result)
        yield from _liability_of(speaker, result["liability"])
    else:
        yield _no_win(speaker, request["seat"], result)
    yield from _paid(speaker, result)


def _error(speaker: Speaker, result: Result) -> str:
    why = speaker.why(result["reason"])
    return speaker.say_last("error", why=why, detail=result["detail"])


_STATUS_CITES = ("RULE-STATUS", "RULE-WINSHAPE", "RULE-SETS", "FALSE-T7", "PEN-CALLPONG")
_FAULT_RULINGS = ("MJ-31", "MJ-48", "MJ-51", "MJ-52")


def _no_win(speaker: Speaker, seat: Json, result: Result) -> str:
    return speaker.say(
        result["status"],
        ("RULE-FACTS", *_STATUS_CITES, *_FAULT_RULINGS),
        seat=speaker.seat(seat),
        why=speaker.why(result["reason"]),
    )


def _hand(
    speaker: Speaker, seat: Json, win_tile: str, win: Result, result: Result
) -> Iterator[str]:
    source = win.get("from")
    yield speaker.say(
        f"won_{win['kind']}",
        ("RULE-FACTS", *_STATUS_CITES),
        seat=speaker.seat(seat),
        tile=speaker.tile(win_tile),
        source=speaker.seat(source) if source else "",
    )
    split, cites = result["decomposition"], ("MJ-01", "MJ-57", "MJ-59", "RULE-BEST")
    sets = [_set(speaker, each) for each in split["sets"]]
    yield speaker.say(
        "split" if sets else "orphans",
        cites,
        sets=speaker.listed(sets),
        pair=speaker.tile(split["pair"]),
    )
    yield from _faan(speaker, result)


def _set(speaker: Speaker, written: str) -> str:
    kind, _, tile = written.partition(":")
    return speaker.phrases.sets[kind].format(tile=speaker.tile(tile))


def _faan(speaker: Speaker, result: Result) -> Iterator[str]:
    patterns = _patterns()
    for each in result["faan"]:
        pattern = patterns[each["code"]]
        yield speaker.say(
            "pattern",
            (pattern.code, *pattern.cites),
            pattern=speaker.phrases.patterns.get(pattern.code, ""),
            chinese=pattern.chinese,
            faan=each["faan"],
        )
    sentence = "capped" if result["total"] < result["raw"] else "total"
    cites = ("MJ-28", "FAAN-SUM", "MJ-21", "MJ-30")
    yield speaker.say(sentence, cites, raw=result["raw"], total=result["total"])


def _liability_of(speaker: Speaker, owed: Result) -> Iterator[str]:
    for rule in owed["rules"]:
        cites = (rule, *LIABILITY_CITES.get(rule, ()))
        yield speaker.say("rule", cites, what=speaker.phrases.rules[rule])
    for rule in owed["exempted_by"]:
        cites = (rule, *LIABILITY_CITES.get(rule, ()))
        yield speaker.say("exempts", cites, what=speaker.phrases.rules[rule])
    together = ("MJ-39", "MJ-56")
    if owed["liable"]:
        yield speaker.say("liable", together, seat=speaker.seat(owed["liable"]))
    else:
        yield speaker.say("exempted" if owed["rules"] else "not_liable", together)


def _paid(speaker: Speaker, result: Result) -> Iterator[str]:
    if "payments" not in result:
        return
    if not result["payments"]:
        yield speaker.say_last("pays_nobody")
        return
    # All that is left to name is about payment.
    yield speaker.say_last("paid_by")
    for payment in result["payments"]:
        yield speaker.say(
            "pays" if payment["paid"] == payment["due"] else "pays_less",
            payer=speaker.seat(payment["from"]),
            to=speaker.seat(payment["to"]),
            due=speaker.money(payment["due"]),
            paid=speaker.money(payment["paid"]),
        )
    for seat, amount in result["net"].items():
        sentence = "gains" if amount > 0 else "loses" if amount < 0 else "even"
        yield speaker.say(sentence, seat=speaker.seat(seat), amount=speaker.money(abs(amount)))


def _liability(speaker: Speaker, request: Result, result: Result) -> Iterator[str]:
    yield from _win(speaker, request, {**result, "liability": result})


def _payment(speaker: Speaker, request: Result, result: Result) -> Iterator[str]:
    yield from _paid(speaker, result)


# Waits, the deal


def _waits(speaker: Speaker, request: Result, result: Result) -> Iterator[str]:
    if result["waits"]:
        yield speaker.say_last("waits", tiles=speaker.tiles(result["waits"]))
    else:
        yield speaker.say_last("not_ready", shanten=result["shanten"])


def _deal(speaker: Speaker, request: Result, result: Result) -> Iterator[str]:
    if request["query"] == "next_hand":
        yield from _next_hand(speaker, request, result)
        return
    yield speaker.say(
        "broken",
        ("RULE-SEATS", "RULE-BREAK", "MJ-03", "MJ-04"),
        total=result["total"],
        side=speaker.seat(result["side"]),
        first=result["first"],
        tail=result["tail"],
    )
    for seat, places in result["hands"].items():
        yield speaker.say_last("dealt", seat=speaker.seat(seat), places=" ".join(places))
    yield speaker.say("next_tile", next=result["next"], remaining=result["remaining"])


def _next_hand(speaker: Speaker, request: Result, result: Result) -> Iterator[str]:
    yield speaker.say_last(
        "same_dealer" if result["dealer"] == request["dealer"] else "next_dealer",
        dealer=result["dealer"],
        hand=result["hand_in_round"],
        wind=speaker.phrases.tiles[result["round_wind"]],
    )
    if result["cycle_complete"]:
        yield speaker.say("cycle")


# Claims, turns, logs


def _priority(speaker: Speaker, request: Result, result: Result) -> Iterator[str]:
    for claim in result["rejected"]:
        yield speaker.say(
            "rejected",
            ("RULE-WINDOW", *rejection_cites(claim["action"], claim["reason"])),
            seat=speaker.seat(claim["seat"]),
            action=speaker.action(claim["action"]),
            why=speaker.why(claim["reason"]),
        )
    outcome, seat = result["outcome"], result["seat"]
    yield speaker.say(
        f"decided_{outcome}",
        ("RULE-WINDOW", "RULE-PRIORITY", *OUTCOME_CITES[outcome]),
        seat=speaker.seat(seat) if seat else "",
    )


def _turn(speaker: Speaker, request: Result, result: Result) -> Iterator[str]:
    seat = speaker.seat(request["seat"])
    if request["query"] == "legal":
        winning = ("RULE-TURN", "MJ-61", "PEN-CALLPONG", "MJ-52")
        yield speaker.say("may_win" if result["win"] else "may_not_win", winning, seat=seat)
        kongs = ("RULE-KONG", "MJ-16", "PEN-LOOK", "MJ-53", "MJ-12")
        yield speaker.say(
            "may_concealed_kong", kongs, tiles=speaker.tiles(result["concealed_kong"])
        )
        yield speaker.say("may_added_kong", tiles=speaker.tiles(result["added_kong"]))
        yield speaker.say_last("may_discard", tiles=speaker.tiles(result["discard"]))
    elif result["result"] == "false_win":
        why = speaker.why(result["reason"])
        yield speaker.say_last("false_win", seat=seat, why=why)
    else:
        yield speaker.say_last(
            result["result"],
            seat=seat,
            action=speaker.action(request["attempt"]["action"]),
            why=speaker.why(result["reason"]) if result["reason"] else "",
        )


def _hand_log(speaker: Speaker, request: Result, result: Result) -> Iterator[str]:
    match result["status"]:
        case "refused":
            event = request["events"][result["index"]]
            yield speaker.say_last(
                "refused_event",
                index=result["index"],
                seat=speaker.seat(event["seat"]),
                action=speaker.action(event["type"]),
                why=speaker.why(result["reason"]),
            )
        case "win":
            yield from _hand(speaker, result["seat"], result["win_tile"], result["win"], result)
            yield from _liability_of(speaker, result)
            yield from _paid(speaker, result)
        case "false_win":
            yield _no_win(speaker, result["seat"], result)
            yield from _paid(speaker, result)
        case status:
            yield speaker.say_last(status)


_OPERATIONS: Mapping[str, Callable[[Speaker, Result, Result], Iterator[str]]] = {
    "win": _win,
    "waits": _waits,
    "deal": _deal,
    "priority": _priority,
    "liability": _liability,
    "turn": _turn,
    "hand_log": _hand_log,
    "payment": _payment,
}
