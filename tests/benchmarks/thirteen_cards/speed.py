"""Prints how fast lanes are classified beside other libraries, hands settled and arranged; one core, one process.

    python -m tests.benchmarks.thirteen_cards.speed

Each library gets hands in the form it likes best, prepared beforehand. What is compared runs in turns, several times,
and the best of each counts: whatever else the machine does then hits all alike. Times are those of the processor.
"""

import json
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from itertools import starmap
from random import Random
from typing import Any

from floorbook.games.thirteen_cards.arranging import best_response, house_way, pareto
from floorbook.games.thirteen_cards.balanced import balanced_way
from floorbook.games.thirteen_cards.cards import PACK
from floorbook.games.thirteen_cards.config import Config
from floorbook.games.thirteen_cards.lanes import LANES, OFFICIAL, strength
from floorbook.games.thirteen_cards.official import judge_laid, settle
from floorbook.games.thirteen_cards.operations import official_operations
from floorbook.games.thirteen_cards.reading import read_hands, read_stakes
from tests.benchmarks.thirteen_cards.batch import NUMBER_OF, Batch
from tests.benchmarks.turns import Run, heading, on_one_core, over_all, row
from tests.benchmarks.turns import seconds as seconds_in_turns

SEED = 52
TURNS = 15
SINGLES, BATCH, ROUNDS, HANDS = 10_000, 500_000, 500, 400

Hands = Sequence[tuple[str, ...]]

seconds = partial(seconds_in_turns, turns=TURNS)


def fives(random: Random, number: int) -> Hands:
    return [tuple(random.sample(PACK, 5)) for _ in range(number)]


def five_cards(random: Random) -> None:
    eval7, treys, phevaluator = map(import_module, ("eval7", "treys", "phevaluator"))
    hands = fives(random, SINGLES)
    by_treys = treys.Evaluator().evaluate
    treys_hands: list[tuple[list[int], list[int]]] = [
        ([], [treys.Card.new(card) for card in hand]) for hand in hands
    ]
    ph_hands = [tuple(phevaluator.Card(card).id_ for card in hand) for hand in hands]
    runs: dict[str, Run] = {
        "floorbook": lambda: [strength(hand, OFFICIAL) for hand in hands],
        "eval7": over_all(eval7.evaluate, [list(map(eval7.Card, hand)) for hand in hands]),
        "treys": lambda: list(starmap(by_treys, treys_hands)),
        "phevaluator": lambda: list(starmap(phevaluator.evaluate_cards, ph_hands)),
    }
    rates = {name: len(hands) / took for name, took in seconds(runs).items()}

    numpy = import_module("numpy")
    many = numpy.array(
        [[NUMBER_OF[card] for card in hand] for hand in fives(random, BATCH // 10)] * 10,
        dtype=numpy.uint8,
    )
    columns, batch = numpy.ascontiguousarray(many.T), Batch(numpy, OFFICIAL)
    runs = {"floorbook, in batches": lambda: batch.strengths(columns), "eval7": runs["eval7"]}
    took = seconds(runs)
    batch_rate, single_rate = BATCH / took["floorbook, in batches"], len(hands) / took["eval7"]

    heading("five cards, one at a time", "a second", "of eval7", "of treys")
    for name, rate in rates.items():
        print(row(name, rate, rate / rates["eval7"], rate / rates["treys"]))
    heading("five cards, in batches (numpy)", "a second", "of eval7 one at a time")
    print(row("floorbook", batch_rate, batch_rate / single_rate))


def three_cards(random: Random) -> None:
    eval7 = import_module("eval7")
    fronts = [tuple(random.sample(PACK, 3)) for _ in range(SINGLES)]
    runs: dict[str, Run] = {
        "floorbook": lambda: [strength(front, OFFICIAL) for front in fronts],
        "eval7": over_all(eval7.evaluate, [list(map(eval7.Card, front)) for front in fronts]),
    }
    rates = {name: len(fronts) / took for name, took in seconds(runs).items()}
    heading("three cards, one at a time", "a second", "of eval7")
    for name, rate in rates.items():
        print(row(name, rate, rate / rates["eval7"]))


def request(random: Random) -> dict[str, Any]:
    """A round of four gates with two bets on each player gate."""
    dealt = random.sample(PACK, 52)
    gates = []
    for gate in range(4):
        cards = tuple(dealt[gate * 13 : gate * 13 + 13])
        lanes = house_way(cards, Config()).laid.lanes
        laid = {lane: list(held) for lane, held in zip(LANES, lanes, strict=True)}
        gates.append({"gate": gate, "cards": cards, "arrangement": laid, "elapsed_ms": 90_000})
    bets = [
        {"bet_id": f"bet-{number}", "gate": 1 + number % 3, "unit_minor": 10_000, "units": 2}
        for number in range(6)
    ]
    return {"op": "settle", "banker_gate": 0, "gates": gates, "bets": bets}


def settlements(random: Random) -> None:
    config, evaluate = Config(), official_operations()["settle"]
    asked: list[dict[str, Any]] = [json.loads(json.dumps(request(random))) for _ in range(ROUNDS)]
    read = []
    for one in asked:
        banker, *players = read_hands(one, timed=True).values()
        read.append((banker, players, read_stakes(one, 0), config))
    took = seconds(
        {
            "settle, from typed hands": lambda: list(starmap(settle, read)),
            "settle, from a request to its answer": over_all(evaluate, asked),
        }
    )
    heading("four gates and six bets settled", "a second", "microseconds each")
    for name, total in took.items():
        print(row(name, ROUNDS / total, total / ROUNDS * 1e6))


def arranging(random: Random) -> None:
    config = Config()
    dealt = [tuple(random.sample(PACK, 26)) for _ in range(HANDS)]
    banks = {two: judge_laid(house_way(two[13:], config).laid, config) for two in dealt}
    doing: dict[str, Callable[[tuple[str, ...]], object]] = {
        "house_way": lambda two: house_way(two[:13], config),
        "balanced_way": lambda two: balanced_way(two[:13], config),
        "pareto": lambda two: pareto(two[:13], config),
        "best_response": lambda two: best_response(two[:13], banks[two], config),
    }
    heading("arranging thirteen cards", "a second", "mean ms", "p50 ms", "p99 ms", "worst ms")
    for name, do in doing.items():
        do(dealt[0])  # what is worked out once and kept is not counted
        each = sorted(1e3 * seconds({name: partial(do, two)}, turns=3)[name] for two in dealt)
        mean = sum(each) / HANDS
        spread = (each[HANDS // 2], each[HANDS * 99 // 100], each[-1])
        print(row(name, 1e3 / mean, mean, *spread))


def main() -> None:
    on_one_core()
    random = Random(SEED)
    five_cards(random)
    three_cards(random)
    settlements(random)
    arranging(random)


if __name__ == "__main__":
    main()
