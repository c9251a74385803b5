"""Decides how the measurements are shown: one table, and what of it meets what was asked for."""

from collections.abc import Sequence

from msgspec import Struct

PROCESSES = ("gateway", "table", "evaluator", "ledger", "metrics", "kafka", "postgres")
"""What is counted as the product's, in the order of the columns; workers of one kind together."""

_ASKED_SECONDS = 1.0
_ASKED_EVENTS_PER_SECOND = 3_000
_ASKED_MICROSECONDS = 600
_ASKED_BACKLOG = 5_140


class Measured(Struct, frozen=True):
    """One load as it was measured. Times in seconds, costs in microseconds an event."""

    tables: int
    asked: float
    reached: float
    rounds_per_second: float
    settle_p50: float
    settle_p99: float
    due_p99: float
    late_p50: float
    late_p99: float
    unsent: int
    repeated: int
    prepared_per_second: float
    microseconds: dict[str, float]
    generator_microseconds: float
    busy_cores: float
    faults: tuple[str, ...]

    @property
    def product_microseconds(self) -> float:
        """Return the processor time of everything but the load itself."""
        return sum(self.microseconds[each] for each in PROCESSES)


class Backlog(Struct, frozen=True):
    """How a table processor folds what lies in the log, and what it is compared with."""

    events: int
    per_second: float
    microseconds: float
    quarter_microseconds: list[float]
    bare_per_second: float
    bare_microseconds: float
    fold_per_second: float
    fold_microseconds: float


def loads(measured: Sequence[Measured]) -> list[str]:
    """Return the loads as lines of a Markdown table."""
    lines = [
        "| tables | asked ev/s | reached ev/s | rounds/s | settled p50 | p99 | p99 from due | sent late p50 | p99 |"
        " CPU µs/event | " + " | ".join(PROCESSES) + " | load |",
        "| " + " | ".join(["---"] * (11 + len(PROCESSES))) + " |",
    ]
    for each in measured:
        lines.append(
            f"| {each.tables:,} | {f'{each.asked:,.0f}' if each.asked else 'closed loop'} "
            f"| {each.reached:,.0f} | {each.rounds_per_second:.1f} "
            f"| {_ms(each.settle_p50)} | {_ms(each.settle_p99)} "
            f"| {_ms(each.due_p99) if each.asked else '–'} "
            f"| {_ms(each.late_p50) if each.asked else '–'} | {_ms(each.late_p99) if each.asked else '–'} "
            f"| {each.product_microseconds:.0f} | "
            + " | ".join(f"{each.microseconds[name]:.0f}" for name in PROCESSES)
            + f" | {each.generator_microseconds:.0f} |"
        )
    return lines


def backlog(found: Backlog) -> list[str]:
    """Return the folding of a backlog and its comparisons as lines of a Markdown table."""
    rows = (
        ("table processor, from a backlog", found.per_second, found.microseconds),
        ("(a) bare consume, fold, produce", found.bare_per_second, found.bare_microseconds),
        ("(b) the fold alone, in memory", found.fold_per_second, found.fold_microseconds),
    )
    return [
        "| the same log | events | ev/s | CPU µs/event | times (a) | times (b) |",
        "| --- | --- | --- | --- | --- | --- |",
        *(
            f"| {name} | {found.events:,} | {rate:,.0f} | {cost:.0f} "
            f"| {cost / found.bare_microseconds:.2f} | {cost / found.fold_microseconds:.2f} |"
            for name, rate, cost in rows
        ),
        "",
        "An event of the backlog's four quarters costs "
        + ", ".join(f"{each:.0f}" for each in found.quarter_microseconds)
        + " µs; the openings of all tables are in the first.",
    ]


def aims(measured: Sequence[Measured], found: Backlog | None) -> list[str]:
    """Return for each aim whether it was met here; a shared machine may be too slow for one."""
    lines = []
    for each in measured:
        if each.asked >= _ASKED_EVENTS_PER_SECOND:
            kept_up = each.reached >= each.asked * 0.98 and each.settle_p99 < _ASKED_SECONDS
            lines.append(
                f"{each.tables:,} tables, {each.asked:,.0f} ev/s: "
                + ("held, " if kept_up else "not held, ")
                + f"p99 {_ms(each.settle_p99)}, {each.product_microseconds:.0f} µs an event "
                f"({'within' if each.product_microseconds <= _ASKED_MICROSECONDS else 'above'} "
                f"{_ASKED_MICROSECONDS}), {each.busy_cores:.2f} cores busy with it"
            )
    if found is not None:
        met = "met" if found.per_second >= _ASKED_BACKLOG else "not met"
        lines.append(f"backlog: {found.per_second:,.0f} ev/s of {_ASKED_BACKLOG:,} asked, {met}")
    return lines


def _ms(seconds: float) -> str:
    return f"{seconds * 1000:,.0f} ms" if seconds < 10 else f"{seconds:,.0f} s"
