"""Prints how fast pairs of tiles are compared and rounds of Pai Kau settled, on one core, as ratios too.

    python -m tests.benchmarks.pai_kau.speed

What is compared runs in turns, several times, and the best of each counts: whatever else the machine does then
hits all alike. Times in the process are those of the processor. The evaluator behind gRPC is a real
`floorbook evaluator` tied to one core; whoever asks is on another one where there is one.
"""

import asyncio
import json
import os
import time
from collections import deque
from collections.abc import Iterable
from itertools import starmap
from random import Random
from typing import Any

import psutil

from floorbook.evaluator import judge
from floorbook.evaluator.client import GATHER_QUESTIONS, Answer, Client
from floorbook.games.pai_kau.config import Config
from floorbook.games.pai_kau.operations import operations
from floorbook.games.pai_kau.ranking import pair_of, pairs, rank_of, stronger
from floorbook.games.pai_kau.reading import read_round
from floorbook.games.pai_kau.setting import house_way
from floorbook.games.pai_kau.settle import settle
from floorbook.games.pai_kau.tiles import SET
from tests.benchmarks.turns import Run, heading, on_one_core, row, seconds
from tests.system.test_evaluator import evaluator

RULE_SET, VERSION = "pai_kau", "1"
SEED = 32
TURNS = 15
FOURS, ROUNDS, BETS = 20_000, 500, 24
GRPC_TURNS = 10
AT_ONCE = 4  # batches under way, so that the evaluator never waits for who asks


def compare(random: Random) -> None:
    """Print what it costs to say which of two pairs is the stronger, beside look-ups alone."""
    table = pairs()
    fours = [tuple(random.sample(SET, 4)) for _ in range(FOURS)]
    twos = [((a, b), (c, d)) for a, b, c, d in fours]
    runs: dict[str, Run] = {
        "two look-ups, nothing else": lambda: [(table[a, b], table[c, d]) for a, b, c, d in fours],
        "compared by look-ups": lambda: [
            stronger(pair_of(a, b), pair_of(c, d)) for a, b, c, d in fours
        ],
        "compared by the rule": lambda: [
            rank_of(a, b).strength < rank_of(c, d).strength for (a, b), (c, d) in twos
        ],
    }
    took = seconds(runs, TURNS)
    base = took["two look-ups, nothing else"]
    heading("two pairs of tiles", "a second", "nanoseconds each", "of two look-ups")
    for name, total in took.items():
        print(row(name, FOURS / total, total / FOURS * 1e9, total / base))


def request(random: Random) -> dict[str, Any]:
    """Return a round of eight gates with 24 bets, two co-banks and stakes that do not cover all."""
    dealt = random.sample(SET, len(SET))
    banker = random.randint(1, 8)
    hands = []
    for gate in range(1, 9):
        tiles = tuple(dealt[4 * gate - 4 : 4 * gate])
        way = house_way(tiles)
        hands.append(
            {"gate": gate, "tiles": tiles, "front": way.front.tiles, "back": way.back.tiles}
        )
    gates = [gate for gate in range(1, 9) if gate != banker]
    return {
        "op": "settle_round",
        "gates": 8,
        "banker": {"gate": banker, "player_id": "banker", "stake": random.randint(1, 40) * 10_000},
        "cobanks": [
            {"id": "house", "stake": 200_000, "house": True, "gate": 0},
            {"id": "backer", "stake": 50_000, "house": False, "gate": gates[0]},
        ],
        "throws": [{"values": [random.randint(1, 6) for _ in range(4)], "void": False}],
        "hands": hands,
        "bets": [
            {
                "gate": gates[number % 7],
                "player_id": f"player-{number // 2}",
                "amount": random.randint(10_000, 200_000),
            }
            for number in range(BETS)
        ],
        "used_tiles": [],
        "config": {},
    }


def in_process(texts: list[str]) -> float:
    """Print and return how many rounds a second are settled without a network."""
    asked = [json.loads(text) for text in texts]
    config, evaluate = Config(), operations()["settle_round"]
    typed = [(read_round(one), config) for one in asked]
    runs: dict[str, Run] = {
        "settle, from a typed round": lambda: forget(starmap(settle, typed)),
        "settle, from a request to its answer": lambda: forget(map(evaluate, asked)),
        "judge, from JSON text to JSON text": lambda: forget(map(judged, texts)),
    }
    took = seconds(runs, TURNS)
    whole = took["judge, from JSON text to JSON text"]
    heading("eight gates and 24 bets settled", "a second", "microseconds each", "of text to text")
    for name, total in took.items():
        print(row(name, ROUNDS / total, total / ROUNDS * 1e6, whole / total))
    return ROUNDS / whole


def forget(made: Iterable[object]) -> None:
    """Return when all is made and thrown away: kept, it would be the garbage collector that is timed."""
    deque(made, maxlen=0)


def judged(text: str) -> Answer:
    """Return the answer to one question, as the evaluator's process comes to it."""
    question = judge.read(text)
    assert isinstance(question, dict)
    answer = judge.judge(RULE_SET, VERSION, question)
    assert isinstance(answer, Answer), answer
    return answer


async def over_grpc(texts: list[str], alone: float) -> None:
    """Print how many rounds a second a real evaluator settles in batches, on its one core."""
    async with evaluator() as running:
        await running.wait_until_it_listens()
        process = psutil.Process(running.process.pid)
        cores = sorted(os.sched_getaffinity(0))
        process.cpu_affinity([cores[-1]])
        os.sched_setaffinity(0, {cores[0]})
        client = Client(running.target, 30.0)
        try:
            for expected, text in zip(map(judged, texts), texts[:20], strict=False):
                assert await client.evaluate(RULE_SET, VERSION, text) == expected
            wall, used = await best_of(client, texts, process)
        finally:
            await client.close()
            os.sched_setaffinity(0, set(cores))
    heading(
        f"the same through gRPC, {GATHER_QUESTIONS} to a batch",
        "a second",
        "microseconds each",
        "of text to text in the process",
    )
    for name, took in (("by the clock", wall), ("by the evaluator's own time", used)):
        rate = len(texts) * AT_ONCE / took
        print(row(name, rate, 1e6 / rate, rate / alone))


async def best_of(client: Client, texts: list[str], process: psutil.Process) -> tuple[float, float]:
    """Return the best seconds by the clock and of the evaluator's processor for all questions."""
    best_wall = best_used = float("inf")
    for _ in range(GRPC_TURNS):
        before, began = process.cpu_times(), time.perf_counter()
        answers = await asyncio.gather(
            *(client.evaluate(RULE_SET, VERSION, text) for _ in range(AT_ONCE) for text in texts)
        )
        wall, after = time.perf_counter() - began, process.cpu_times()
        assert all(isinstance(answer, Answer) for answer in answers)
        best_wall = min(best_wall, wall)
        best_used = min(best_used, after.user + after.system - before.user - before.system)
    return best_wall, best_used


def main() -> None:
    random = Random(SEED)
    cores = os.sched_getaffinity(0)
    on_one_core()
    compare(random)
    texts = [json.dumps(request(random)) for _ in range(ROUNDS)]
    alone = in_process(texts)
    os.sched_setaffinity(0, cores)
    asyncio.run(over_grpc(texts, alone))


if __name__ == "__main__":
    main()
