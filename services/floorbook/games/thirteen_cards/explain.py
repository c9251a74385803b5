"""What a supervisor reads out about an answer: who has what, who wins, and by which rule.

Everything said here is taken from the result; nothing is decided again.
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from floorbook.games.rule_set import Evaluated, Language, Money
from floorbook.games.thirteen_cards.cards import rank_text, ranks_of
from floorbook.games.thirteen_cards.holders import HOUSE
from floorbook.games.thirteen_cards.lanes import LANES
from floorbook.games.thirteen_cards.phrases import CHINESE, CHINESE_OF_VARIANTS, ENGLISH, Phrases
from floorbook.games.thirteen_cards.procedure import procedure_of

Json = Any
Result = Mapping[str, Json]


class Speaker:
    """One language, the way in which a table's amounts are written, and the cards on it."""

    def __init__(self, phrases: Phrases, money: Money, request: Result) -> None:
        self.phrases = phrases
        self.money = money
        has_hands = request["op"] == "settle" and not request.get("void")
        gates = request["gates"] if has_hands else ()
        self._laid = {gate["gate"]: gate.get("arrangement") for gate in gates}

    def say(self, sentence: str, cites: list[str] | tuple[str, ...] = (), **places: Json) -> str:
        """Return a sentence, and behind it the rules that it rests on."""
        said = self.phrases.sentences[sentence].format(**places)
        if not cites:
            return said
        return said + self.phrases.cites.format(self.phrases.list_separator.join(cites))

    def units(self, number: int) -> str:
        """Return a number of units."""
        return self.phrases.units[0 if abs(number) == 1 else 1].format(number)

    def holder(self, name: str) -> str:
        """Return who holds or shakes: a player by his id, or the dealer."""
        return self.phrases.sentences["house"] if name == HOUSE else name

    def special(self, name: str) -> str:
        """Return the name of a special hand."""
        return self.phrases.specials[name]

    def lane(self, gate: int, lane: str, name: str) -> str:
        """Return the class of a gate's lane with the ranks that it is made of."""
        laid = self._laid[gate]
        if laid is None or name == "foul":
            return self.phrases.classes[name]
        ranks = rank_text(ranks_of(laid[lane]))
        return self.phrases.class_with_ranks.format(self.phrases.classes[name], ranks)

    def hand(self, whose: str, hand: Result) -> str:
        """Return how a hand was seen by itself; `whose` is `banker` or `hand`."""
        gate, cites = hand["gate"], hand["cites"]
        if hand["special"]:
            return self.say(
                f"{whose}_special", cites, gate=gate, special=self.special(hand["special"])
            )
        return self.say(f"{whose}_{hand['status']}", cites, gate=gate)


def explain(
    rule_set: str,
    request: Mapping[str, Json],
    evaluated: Evaluated,
    language: Language,
    money: Money,
) -> list[str]:
    """Return an answer in sentences, in the order in which the rules were applied."""
    official = rule_set == "thirteen_cards"
    phrases = ENGLISH
    if language == "zh-Hant":
        phrases = CHINESE if official else CHINESE_OF_VARIANTS
    speaker = Speaker(phrases, money, request)
    if request["op"] != "settle":
        return list(_OPERATIONS[request["op"]](speaker, request, evaluated))
    if official:
        return list(_official(speaker, evaluated.result))
    if procedure_of(rule_set).banker:
        return list(_against_banker(speaker, evaluated.result))
    return list(_all_against_all(speaker, evaluated.result))


# Settlements


def _official(speaker: Speaker, result: Result) -> Iterator[str]:
    if "gates" in result:
        banker = result["banker"]
        yield speaker.hand("banker", banker)
        for gate in result["gates"]:
            yield from _lanes_against_banker(speaker, gate, banker["gate"])
            yield _official_outcome(speaker, gate, banker)
    for bet in result["bets"]:
        yield speaker.say(
            f"bet_{bet['outcome']}",
            bet["cites"],
            bet=bet["bet_id"],
            gate=bet["gate"],
            **{
                part: speaker.money(bet[part])
                for part in ("stake", "prize", "commission", "returned")
            },
        )
    yield _bank_total(speaker, result["banker_net"])


def _official_outcome(speaker: Speaker, gate: Result, banker: Result) -> str:
    """Return what decided a gate: the same line of A7 that the result shows."""
    places: dict[str, Json] = {"gate": gate["gate"]}
    if gate["lanes"]:
        sentence = f"total_{gate['outcome']}"
        if gate["player_units"] == gate["banker_units"]:
            sentence = "total_tie" if gate["outcome"] == "tie" else "total_lose"
        places["player"] = speaker.units(gate["player_units"])
        places["banker"] = speaker.units(gate["banker_units"])
        return speaker.say(sentence, gate["cites"], **places)
    for side, hand in (("special", gate), ("other", banker)):
        if hand["special"]:
            places[side] = speaker.special(hand["special"])
    if gate["status"] != "ok":
        sentence = gate["status"]
    elif banker["status"] == "foul":
        sentence = "against_foul"
    else:
        decided = {"tie": "both_special", "win": "special_wins", "lose": "banker_special_wins"}
        sentence = decided[gate["outcome"]]
    return speaker.say(sentence, gate["cites"], **places)


def _lanes_against_banker(speaker: Speaker, gate: Result, banker: int) -> Iterator[str]:
    for lane in gate["lanes"]:
        places = {
            "gate": gate["gate"],
            "lane": speaker.phrases.lanes[lane["lane"]],
            "player": speaker.lane(gate["gate"], lane["lane"], lane["player_class"]),
            "banker": speaker.lane(banker, lane["lane"], lane["banker_class"]),
        }
        if lane["winner"] == "draw":
            yield speaker.say("lane_drawn", **places)
        else:
            places["winner"] = speaker.phrases.sides[lane["winner"]]
            yield speaker.say("lane_won", units=speaker.units(lane["units"]), **places)


def _bank_total(speaker: Speaker, net: int) -> str:
    return speaker.say(
        _signed("bank_wins", "bank_loses", "bank_even", net), amount=speaker.money(abs(net))
    )


def _signed(positive: str, negative: str, zero: str, number: int) -> str:
    return positive if number > 0 else negative if number < 0 else zero


def _against_banker(speaker: Speaker, result: Result) -> Iterator[str]:
    yield speaker.hand("banker", result["banker"])
    for gate in result["gates"]:
        yield speaker.hand("hand", {**gate, "cites": ()})
        yield from _lanes_against_banker(speaker, gate, result["banker"]["gate"])
        yield speaker.say(
            _signed("gate_won", "gate_lost", "gate_even", gate["units"]),
            gate["cites"],
            gate=gate["gate"],
            units=speaker.units(abs(gate["units"])),
        )
    for bet in result["bets"]:
        yield speaker.say(
            _signed("net_won", "net_lost", "net_even", bet["net"]),
            bet=bet["bet_id"],
            gate=bet["gate"],
            stake=speaker.money(bet["stake"]),
            amount=speaker.money(abs(bet["net"])),
        )
    yield _bank_total(speaker, result["banker_net"])


def _all_against_all(speaker: Speaker, result: Result) -> Iterator[str]:
    for gate in result["gates"]:
        yield speaker.hand("hand", gate)
    for pair in result["pairs"]:
        yield from _pair(speaker, pair)
    for gate in result["gates"]:
        sentence = _signed("seat_won", "seat_lost", "seat_even", gate["units"])
        yield speaker.say(
            "seat_won_with_fee" if gate["fee"] else sentence,
            gate=gate["gate"],
            units=speaker.units(abs(gate["units"])),
            gross=speaker.money(gate["gross"]),
            fee=speaker.money(gate["fee"]),
            amount=speaker.money(abs(gate["net"])),
        )


def _pair(speaker: Speaker, pair: Result) -> Iterator[str]:
    a, b, units = pair["a"], pair["b"], pair["units_a"]
    for lane in pair["lanes"]:
        drawn = lane["winner"] == "draw"
        yield speaker.say(
            "pair_lane_drawn" if drawn else "pair_lane_won",
            a=a,
            b=b,
            lane=speaker.phrases.lanes[lane["lane"]],
            a_class=speaker.lane(a, lane["lane"], lane["a_class"]),
            b_class=speaker.lane(b, lane["lane"], lane["b_class"]),
            winner=a if lane["winner"] == "a" else b,
        )
    winner, loser = (a, b) if units > 0 else (b, a)
    won = "pair_special_won" if pair["decided_by"] == "special" else "pair_won"
    yield speaker.say(
        won if units else "pair_drawn",
        pair["cites"],
        a=a,
        b=b,
        winner=winner,
        loser=loser,
        units=speaker.units(abs(units)),
    )
    if units and "breakdown" in pair:
        # The parts are told from the winner's side, as the sentence before them is.
        side = 1 if units > 0 else -1
        yield speaker.say(
            "breakdown", **{part: side * number for part, number in pair["breakdown"].items()}
        )


# The other operations


def _deal(speaker: Speaker, request: Result, evaluated: Evaluated) -> Iterator[str]:
    result = evaluated.result
    yield speaker.say(
        "deal", evaluated.explanation, total=result["dice_total"], gate=result["first_gate"]
    )


def _check_deal(speaker: Speaker, request: Result, evaluated: Evaluated) -> Iterator[str]:
    moves = [
        speaker.say("move", card=move["card"], source=move["from"], target=move["to"])
        for move in evaluated.result["moves"]
    ]
    said = speaker.phrases.list_separator.join(moves)
    yield speaker.say(evaluated.result["action"], evaluated.explanation, moves=said)


def _holders(speaker: Speaker, request: Result, evaluated: Evaluated) -> Iterator[str]:
    for gate, holder in evaluated.result["holders"].items():
        yield speaker.say("held", gate=gate, holder=speaker.holder(holder))
    yield speaker.say(
        "shaker", evaluated.explanation, holder=speaker.holder(evaluated.result["dice_shaker"])
    )


def _classify(speaker: Speaker, request: Result, evaluated: Evaluated) -> Iterator[str]:
    yield speaker.say(
        "class",
        evaluated.explanation,
        lane=speaker.phrases.lanes[request["lane"]],
        name=speaker.phrases.classes[evaluated.result["class"]],
    )


def _compare(speaker: Speaker, request: Result, evaluated: Evaluated) -> Iterator[str]:
    result = evaluated.result
    yield speaker.say(
        "compared",
        evaluated.explanation,
        lane=speaker.phrases.lanes[request["lane"]],
        a=speaker.phrases.classes[result["a_class"]],
        b=speaker.phrases.classes[result["b_class"]],
        winner=speaker.say(result["result"]),
    )


def _legal(speaker: Speaker, request: Result, evaluated: Evaluated) -> Iterator[str]:
    yield speaker.say("legal" if evaluated.result["legal"] else "not_legal", evaluated.explanation)
    if evaluated.result["special"]:
        yield speaker.say("special", special=speaker.special(evaluated.result["special"]))


def _special(speaker: Speaker, request: Result, evaluated: Evaluated) -> Iterator[str]:
    result = evaluated.result
    if not result["special"]:
        yield speaker.say("no_special", evaluated.explanation)
        return
    yield speaker.say("special", evaluated.explanation, special=speaker.special(result["special"]))
    if "tier" in result:
        yield speaker.say("tier", tier=result["tier"])


def _count_legal(speaker: Speaker, request: Result, evaluated: Evaluated) -> Iterator[str]:
    yield speaker.say("count", evaluated.explanation, **evaluated.result)


def _pareto(speaker: Speaker, request: Result, evaluated: Evaluated) -> Iterator[str]:
    yield speaker.say("size", evaluated.explanation, **evaluated.result)


def _best_response(speaker: Speaker, request: Result, evaluated: Evaluated) -> Iterator[str]:
    result = evaluated.result
    yield speaker.say(
        "response",
        evaluated.explanation,
        margin=speaker.units(result["margin"]),
        outcome=speaker.say(result["outcome"]),
    )
    yield _laid(speaker, result["arrangement"])


def _house_way(speaker: Speaker, request: Result, evaluated: Evaluated) -> Iterator[str]:
    result = evaluated.result
    if result["special"]:
        yield speaker.say("special", special=speaker.special(result["special"]))
    yield _laid(speaker, result["arrangement"])


def _laid(speaker: Speaker, laid: Mapping[str, list[str]]) -> str:
    front, middle, back = (" ".join(laid[lane]) for lane in LANES)
    return speaker.say("laid", front=front, middle=middle, back=back)


_OPERATIONS: Mapping[str, Callable[[Speaker, Result, Evaluated], Iterator[str]]] = {
    "deal": _deal,
    "check_deal": _check_deal,
    "holders": _holders,
    "classify": _classify,
    "compare": _compare,
    "legal": _legal,
    "special": _special,
    "count_legal": _count_legal,
    "pareto": _pareto,
    "best_response": _best_response,
    "house_way": _house_way,
}
