"""Prints how fast hands are valued and shanten found beside the library `mahjong`, and events folded.

    python -m tests.benchmarks.mahjong.speed

One core, one process. The library gets hands in the form it likes best, prepared beforehand: counts
for shanten (seven pairs switched off, they do not exist here), numbered tiles and a configuration for
a value. What is compared runs in turns, and the best of each counts. Every disagreement about shanten
is explained or named, and one that cannot be explained is an error.
"""

import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from importlib import import_module
from itertools import starmap
from random import Random
from typing import Any

import msgspec

from floorbook.games.mahjong import distance, splits
from floorbook.games.mahjong.config import Config
from floorbook.games.mahjong.distance import lacking, shanten
from floorbook.games.mahjong.hand import Setting
from floorbook.games.mahjong.liability import Facts
from floorbook.games.mahjong.operations import operations
from floorbook.games.mahjong.results import win_request
from floorbook.games.mahjong.settle import settle
from floorbook.games.mahjong.tiles import counts_of
from floorbook.games.mahjong.variant import SIDES, TRADITIONAL
from floorbook.games.mahjong.winning import judge
from floorbook.table.events import Event
from floorbook.table.refuse import Recall
from floorbook.table.state import ROUNDS_KEPT, RoundRecord, encode, fresh
from floorbook.table.step import step
from floorbook.wire import envelope, floor
from tests.benchmarks.mahjong.hands import Held, awkward, dealt, in_play, wins
from tests.benchmarks.mahjong.nearest import AS_MANY_AS_NEEDED, nearest
from tests.benchmarks.turns import Run, heading, on_one_core, over_all, row, seconds
from tests.unit.table.mahjong_playing import MahjongTable

SEED = 53
TURNS = 5
HANDS, WINS, PLAYED = 20_000, 4_000, 12
SETTING = Setting(TRADITIONAL, Config(), SIDES, "E")
STAKES = dict.fromkeys(SIDES, 1_000)


def forget() -> None:
    """Forget every suit that was met."""
    for remembered in (
        distance._beginning,
        distance._suit_costs,
        distance._together,
        splits._suit_splits,
    ):
        remembered.cache_clear()


def from_nothing(run: Run) -> Run:
    """Return the run by a process that has met no hand before."""

    def forgetful() -> object:
        forget()
        return run()

    return forgetful


def starred(act: Callable[..., object], asked: Sequence[tuple[Any, ...]]) -> Run:
    """Call with all arguments of every one."""
    return lambda: list(starmap(act, asked))


def compare(title: str, runs: Mapping[str, Run], number: int) -> None:
    """Print the rates of runs over so many hands; the last one is the library's."""
    took = seconds(runs, TURNS)
    rates = {name: number / each for name, each in took.items()}
    theirs = list(rates.values())[-1]
    heading(title, "a second", "of mahjong", "microseconds each")
    for name, rate in rates.items():
        print(row(name, rate, rate / theirs, 1e6 / rate))


def ours(held: Held) -> int:
    return shanten(TRADITIONAL, held.concealed, held.declared, held.melds)


def distances(random: Random) -> int:
    """Print how fast shanten is, and how often the library says otherwise; return the unexplained."""
    theirs = partial(
        import_module("mahjong.shanten").Shanten.calculate_shanten,
        use_chiitoitsu=False,
        use_kokushi=True,
    )
    groups: dict[str, Sequence[Held]] = {
        "as dealt": dealt(random, HANDS),
        "some tiles from winning": in_play(random, HANDS, (0,)),
        "with declared sets": in_play(random, HANDS, (1, 2, 3)),
    }
    for name, hands in groups.items():
        run = over_all(ours, hands)
        counted = [
            (TRADITIONAL, bytes(counts_of(held.concealed)), counts_of(held.declared), held.melds)
            for held in hands
        ]
        runs = {
            "floorbook, from counts": starred(lacking, counted),
            "floorbook, from tiles": run,
            f"floorbook, the first {HANDS:,} hands, from tiles": from_nothing(run),
            "mahjong, from counts": over_all(theirs, [held.their_counts for held in hands]),
        }
        compare(f"shanten of hands {name}", runs, HANDS)
    groups["full of fours"] = awkward(random, HANDS)
    return sum(disagreements(name, hands, theirs) for name, hands in groups.items())


def disagreements(name: str, hands: Sequence[Held], theirs: Any) -> int:
    """Print how often the library has another shanten and why; return how often nobody knows why.

    The one difference that the rules name: the library, which counts blocks, uses a fifth copy.
    """
    differ = [held for held in hands if ours(held) != theirs(held.their_counts)]
    unexplained = [
        held
        for held in differ
        if nearest(held) != ours(held)
        or nearest(held, copies=AS_MANY_AS_NEEDED) != theirs(held.their_counts)
    ]
    print(
        f"\nHands {name}: {len(differ):,} of {len(hands):,} differ; "
        f"{len(differ) - len(unexplained):,} because a fifth copy would be needed, "
        f"{len(unexplained):,} unexplained"
    )
    for held in unexplained[:10]:
        print(f"  {held}: here {ours(held)}, there {theirs(held.their_counts)}")
    return len(unexplained)


def values(random: Random) -> None:
    """Print how fast winning hands are valued."""
    estimate = import_module("mahjong.hand_calculating.hand").HandCalculator.estimate_hand_value
    drawn = wins(random, WINS)
    declared = [won.declared for won in drawn]
    evaluate = operations(TRADITIONAL)["win"]
    asked: list[dict[str, Any]] = [
        msgspec.json.decode(msgspec.json.encode(win_request(SETTING, one, Facts())))
        for one in declared
    ]
    with_stakes = [request | {"stakes": STAKES} for request in asked]
    value = over_all(partial(judge, SETTING), declared)
    runs = {
        "floorbook: valid, complete, best split, faan": value,
        f"the same, the first {WINS:,} hands": from_nothing(value),
        "and liability, payments, the rules behind": over_all(
            lambda one: settle(SETTING, one, Facts(), STAKES), declared
        ),
        "from a request to its answer": over_all(evaluate, asked),
        "from a request with stakes to its answer": over_all(evaluate, with_stakes),
        "mahjong: valid, complete, best split, han, fu, points": starred(
            estimate, [won.theirs for won in drawn]
        ),
    }
    compare("winning hands valued", runs, WINS)


def played(seed: int) -> list[Event]:
    """Return the log of a table at which hands were played by chance."""
    table = MahjongTable(seed=seed).open(claim_limit_ms=5_000, chips=100_000)
    for _ in range(PLAYED):
        table.chance_hand()
    return table.log


def fold(log: Sequence[Event]) -> None:
    """Fold a log in memory, as it is."""
    state, records = fresh(log[0].table_id, 0), dict[int, RoundRecord]()
    for event in log:
        taken = step(state, event, Recall(records))
        state = taken.state
        records |= {one.round_number % ROUNDS_KEPT: one for one in taken.effects.records}


def process(log: Sequence[bytes], table_id: str) -> None:
    """Do with a log what a table process does without Kafka: bytes in, records and states out."""
    state, records = fresh(table_id, 0), dict[int, RoundRecord]()
    for offset, value in enumerate(log):
        event = envelope.decode(value, table_id.encode(), 0, offset)
        assert isinstance(event, Event), "it was written by ourselves"
        taken = step(state, event, Recall(records))
        state = taken.state
        encode(state)
        floor.encode(taken, event)
        records |= {one.round_number % ROUNDS_KEPT: one for one in taken.effects.records}


def folding() -> None:
    """Print how many events a table process folds."""
    log = played(SEED)
    table_id = log[0].table_id
    written = [envelope.encode(event) for event in log]
    took = seconds(
        {
            "folded": lambda: fold(log),
            "folded, from bytes to stored state and floor record": lambda: process(
                written, table_id
            ),
        },
        TURNS,
    )
    heading(f"{len(log):,} events of {PLAYED} hands", "a second", "microseconds each")
    for name, total in took.items():
        print(row(name, len(log) / total, total / len(log) * 1e6))


def main() -> int:
    on_one_core()
    random = Random(SEED)
    values(random)
    unexplained = distances(random)
    folding()
    return 1 if unexplained else 0


if __name__ == "__main__":
    sys.exit(main())
