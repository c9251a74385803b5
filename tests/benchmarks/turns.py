"""How things are measured beside one another, and how what was measured is printed."""

import os
import time
from collections.abc import Callable, Mapping, Sequence
from typing import Any

Run = Callable[[], object]  # goes once through all that is prepared


def on_one_core() -> None:
    """Keep this process on one core, where the system can."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})


def seconds(runs: Mapping[str, Run], turns: int) -> dict[str, float]:
    """Return the best time of each, taken in turns."""
    best = dict.fromkeys(runs, float("inf"))
    for _ in range(turns):
        for name, run in runs.items():
            started = time.process_time()
            run()
            best[name] = min(best[name], time.process_time() - started)
    return best


def over_all(act: Callable[[Any], object], hands: Sequence[Any]) -> Run:
    """Take every one of the `hands`; the loop is the same for everybody, and in C."""
    return lambda: list(map(act, hands))


def heading(*names: str) -> None:
    """Print the head of a table in Markdown."""
    print("\n| " + " | ".join(names) + " |\n" + "| --- " * len(names) + "|")


def row(name: str, *figures: float) -> str:
    """Return one line of a table: the name, a rate, and what it compares to."""
    rate, *others = figures
    return "| " + " | ".join([name, f"{rate:,.0f}", *(f"{other:.2f}" for other in others)]) + " |"
