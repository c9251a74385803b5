"""What a supervisor reads out about an answer: who has what, who wins, who covers it, by which rule.

Everything said here is taken from the result; nothing is decided again.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from floorbook.games.pai_kau.banking import minimum_stake
from floorbook.games.pai_kau.phrases import CHINESE, ENGLISH, Phrases, english_name
from floorbook.games.rule_set import Evaluated, Language, Money

Json = Any
Result = Mapping[str, Json]


class Speaker:
    """One language, and the way in which a table's amounts are written."""

    def __init__(self, phrases: Phrases, money: Money) -> None:
        self.phrases = phrases
        self.money = money

    def say(self, sentence: str, cites: Sequence[str] = (), **places: Json) -> str:
        """Return a sentence, and behind it the rules that it rests on."""
        said = self.phrases.sentences[sentence].format(**places)
        if not cites:
            return said
        return said + self.phrases.cites.format(self.listed(cites))

    def listed(self, items: Sequence[Json]) -> str:
        """Return several things in one breath."""
        return self.phrases.list_separator.join(map(str, items))

    def pair(self, pair: Result) -> str:
        """Return a pair by its name and its place in Table II."""
        return self.phrases.pair.format(
            english=english_name(pair), chinese=pair["name_zh"], row=pair["label"]
        )

    def pairs(self, hand: Result) -> dict[str, str]:
        """Return the front and the back of a hand."""
        return {lane: self.pair(hand[lane]) for lane in ("front", "back")}

    def amounts(self, holder: Result, *names: str) -> dict[str, str]:
        """Return some amounts of a result as the table writes them."""
        return {name: self.money(holder[name]) for name in names}


def explain(
    rule_set: str,
    request: Mapping[str, Json],
    evaluated: Evaluated,
    language: Language,
    money: Money,
) -> list[str]:
    """Return an answer in sentences, in the order in which the rules were applied."""
    speaker = Speaker(CHINESE if language == "zh-Hant" else ENGLISH, money)
    return list(_OPERATIONS[request["op"]](speaker, request, evaluated))


# Settlements


def _settle_round(speaker: Speaker, request: Result, evaluated: Evaluated) -> Iterator[str]:
    result = evaluated.result
    yield from _throws(speaker, request, result)
    if request["gates"] == 4:
        again = "four_gates" if result["leftover_tiles"] else "four_gates_second"
        left = len(result["leftover_tiles"])
        yield speaker.say(again, ("A2.4", "PK-33"), left=left)
    yield from _banker_hand(speaker, request["banker"]["gate"], result["banker_hand"])
    for gate in result["gates"]:
        yield from _gate(speaker, gate, result["banker_hand"])
    banks = _bank_names(speaker, result["banks"])
    # As taken and paid; pushes, which nobody takes or pays, last.
    for bet in sorted(result["bets"], key=lambda bet: (bet["seq"] == 0, bet["seq"])):
        yield from _bet(speaker, bet, banks)
    for bank in result["banks"]:
        yield speaker.say(
            "bank",
            bank["cites"],
            bank=banks[bank["id"]],
            **speaker.amounts(bank, "stake", "won", "lost", "commission", "remaining"),
        )
    yield from _house(speaker, result["house"])
    least = speaker.money(minimum_stake(result["min_next_stake"]))
    yield speaker.say("next_stake", ("A5.4", "PK-31"), amount=least)


def _throws(speaker: Speaker, request: Result, result: Result) -> Iterator[str]:
    void = len(request["throws"]) - 1
    if void:
        yield speaker.say("void_throws", ("A2.5", "PK-18"), count=void)
    head = result.get("head_gate")
    if head is None:  # a deal alone has no order of settling
        yield speaker.say("dealt_first", ("A2.2", "PK-17"), **_dice(result))
        return
    # Where the first gate is the banker's, the head gate is another (PK-19).
    cites = ("A2.2", "PK-17") if head == result["first_gate"] else ("A2.2", "PK-17", "PK-19")
    yield speaker.say("dice", cites, head=head, **_dice(result))
    yield speaker.say(
        "order",
        ("A2.3", "PK-20"),
        dealt=speaker.listed(result["deal_order"]),
        settled=speaker.listed(result["settle_order"]),
    )


def _dice(result: Result) -> dict[str, int]:
    return {"total": result["dice_total"], "first": result["first_gate"]}


def _banker_hand(speaker: Speaker, gate: int, hand: Result) -> Iterator[str]:
    if hand["reset"]:
        yield _reset(speaker, gate, hand)
    cites = () if hand["reset"] else hand["cites"]
    yield speaker.say("banker_hand", cites, gate=gate, **speaker.pairs(hand))


def _reset(speaker: Speaker, gate: int, hand: Result) -> str:
    why = speaker.phrases.resets[hand["reset_reason"]]
    return speaker.say("reset", hand["cites"], gate=gate, why=why)


def _gate(speaker: Speaker, gate: Result, banker: Result) -> Iterator[str]:
    number = gate["gate"]
    if gate["holder"]:
        yield speaker.say("held", ("A3.2", "PK-34"), gate=number, holder=gate["holder"])
    else:
        yield speaker.say("not_held", ("PK-36",), gate=number)
    if gate["reset"]:
        yield _reset(speaker, number, {**gate, "cites": _without(gate["cites"], _COMPARING)})
    for lane in ("front", "back"):
        yield speaker.say(
            "met",
            gate=number,
            lane=speaker.phrases.lanes[lane],
            player=speaker.pair(gate[lane]),
            banker=speaker.pair(banker[lane]),
            winner=speaker.phrases.sides[gate[f"{lane}_result"]],
        )
    compared = [cite for cite in gate["cites"] if cite in _COMPARING]
    cites = compared if gate["reset"] else gate["cites"]
    yield speaker.say(f"gate_{gate['outcome']}", cites, gate=number)


_COMPARING = ("A6.3", "A9.1")


def _without(cites: Sequence[str], others: Sequence[str]) -> list[str]:
    return [cite for cite in cites if cite not in others]


def _bank_names(speaker: Speaker, banks: Sequence[Result]) -> dict[str, str]:
    return {
        bank["id"]: speaker.say("cobank" if number else "main", id=bank["id"])
        for number, bank in enumerate(banks)
    }


def _bet(speaker: Speaker, bet: Result, banks: Mapping[str, str]) -> Iterator[str]:
    yield speaker.say(
        f"bet_{bet['outcome']}",
        bet["cites"],
        player=bet["player_id"],
        gate=bet["gate"],
        seq=bet["seq"],
        received=speaker.money(bet["returned"] + bet["won"] - bet["commission"]),
        **speaker.amounts(bet, "amount", "won", "lost", "commission", "returned"),
    )
    sentence = "paid_by" if bet["outcome"] == "player" else "taken_by"
    for part in bet["parts"]:
        yield speaker.say(sentence, bank=banks[part["bank"]], amount=speaker.money(part["amount"]))
    if bet["seq"] and bet["covered"] < bet["amount"]:
        left = speaker.money(bet["amount"] - bet["covered"])
        yield speaker.say("uncovered", left=left, **speaker.amounts(bet, "covered", "amount"))


def _house(speaker: Speaker, house: Result) -> Iterator[str]:
    yield speaker.say("house_commission", ("A8",), amount=speaker.money(house["commission"]))
    own = house["cobank_delta"]
    if own:
        sentence = "house_cobanks_won" if own > 0 else "house_cobanks_lost"
        yield speaker.say(sentence, ("A5.5",), amount=speaker.money(abs(own)))


# The other operations


def _rank_pair(speaker: Speaker, request: Result, evaluated: Evaluated) -> Iterator[str]:
    result = evaluated.result
    yield speaker.say(
        "ranked",
        evaluated.explanation,
        tiles=" ".join(result["tiles"]),
        pair=speaker.pair(result),
        order=result["order"],
    )


def _compare_pairs(speaker: Speaker, request: Result, evaluated: Evaluated) -> Iterator[str]:
    result = evaluated.result
    yield speaker.say(
        "compared",
        evaluated.explanation,
        a=speaker.pair(result["a"]),
        b=speaker.pair(result["b"]),
        winner=speaker.say(result["result"]),
    )


def _first_gate(speaker: Speaker, request: Result, evaluated: Evaluated) -> Iterator[str]:
    yield from _throws(speaker, request, evaluated.result)


def _deal(speaker: Speaker, request: Result, evaluated: Evaluated) -> Iterator[str]:
    # What is left over stays secret until its own round (5.2).
    yield from _throws(speaker, request, evaluated.result)
    for hand in evaluated.result["hands"]:
        yield speaker.say("dealt", gate=hand["gate"], tiles=" ".join(hand["tiles"]))


def _set_hand(speaker: Speaker, request: Result, evaluated: Evaluated) -> Iterator[str]:
    result = evaluated.result
    for split in result["splits"]:
        yield speaker.say("split", front=" ".join(split["front"]), back=" ".join(split["back"]))
    yield speaker.say("set", evaluated.explanation, **speaker.pairs(result))
    if result["reset"]:
        yield speaker.say("set_again", why=speaker.phrases.resets[result["reset_reason"]])


def _compare_hands(speaker: Speaker, request: Result, evaluated: Evaluated) -> Iterator[str]:
    result = evaluated.result
    sides = speaker.phrases.sides
    yield speaker.say(
        "hands", front=sides[result["front_result"]], back=sides[result["back_result"]]
    )
    yield speaker.say(f"hand_{result['outcome']}", evaluated.explanation)


def _next_stake(speaker: Speaker, request: Result, evaluated: Evaluated) -> Iterator[str]:
    result = evaluated.result
    yield speaker.say(
        "stake_allowed" if result["allowed"] else "stake_too_low",
        evaluated.explanation,
        amount=speaker.money(request["new_stake"]),
        minimum=speaker.money(minimum_stake(result["min_stake"])),
    )


def _bank_turn(speaker: Speaker, request: Result, evaluated: Evaluated) -> Iterator[str]:
    sentence = "turn_goes_on" if evaluated.result["may_continue"] else "turn_over"
    yield speaker.say(sentence, evaluated.explanation, rounds=request["rounds_done"])


def _next_banker(speaker: Speaker, request: Result, evaluated: Evaluated) -> Iterator[str]:
    result = evaluated.result
    if not result["gate"]:
        yield speaker.say("nobody_banks", evaluated.explanation)
        return
    yield speaker.say(
        "banks_next", evaluated.explanation, gate=result["gate"], player=result["player_id"]
    )


_OPERATIONS: Mapping[str, Callable[[Speaker, Result, Evaluated], Iterator[str]]] = {
    "rank_pair": _rank_pair,
    "compare_pairs": _compare_pairs,
    "first_gate": _first_gate,
    "deal": _deal,
    "set_hand": _set_hand,
    "compare_hands": _compare_hands,
    "settle_round": _settle_round,
    "next_stake": _next_stake,
    "bank_turn": _bank_turn,
    "next_banker": _next_banker,
}
