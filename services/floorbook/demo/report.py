"""Decides what a run comes to in figures: for people in lines, for programs as JSON."""

from collections.abc import Mapping

import msgspec
from msgspec import Struct

from floorbook.demo.evidence import Settled
from floorbook.demo.reconcile import (
    Booked,
    Quarantine,
    Recomputed,
    Reconciliation,
    settlements_in_force,
)
from floorbook.demo.tally import Tally


class Report(Struct, frozen=True):
    """A run and its reconciliation. Amounts are minor units, summed without signs."""

    reconciled: bool
    seed: int
    tables: int
    rule_set: str
    misbehave: float
    rounds_opened: int
    rounds_settled: int
    rounds_settled_by_rule_set: dict[str, int]
    rounds_void: int
    settlements_posted: int
    entries: int
    differences: int
    trial_balance: int
    quarantined: int
    refusals: int
    events: int
    events_per_second: float
    settle_seconds_p50: float
    settle_seconds_p99: float
    tricks: dict[str, int]
    happened: dict[str, int]
    faults: list[str]

    def json(self) -> bytes:
        """Return the report for programs."""
        return msgspec.json.format(msgspec.json.encode(self), indent=2) + b"\n"

    def lines(self) -> list[str]:
        """Return the report for people."""
        said = [
            f"rounds      {self.rounds_opened} opened, {self.rounds_settled} settled, "
            f"{self.rounds_void} void",
            f"ledger      {self.settlements_posted} settlements in force, {self.entries} entries",
            f"events      {self.events} folded again, {self.refusals} refused, "
            f"{self.quarantined} quarantined; {self.events_per_second:.0f} a second",
            f"settling    {self.settle_seconds_p50 * 1000:.0f} ms (p50), "
            f"{self.settle_seconds_p99 * 1000:.0f} ms (p99), last event to commit",
            f"difference  {self.differences} minor units between ledger and log; "
            f"trial balance {self.trial_balance}",
        ]
        if self.happened:
            seen = ", ".join(f"{name} {count}" for name, count in sorted(self.happened.items()))
            said.insert(1, f"seen        {seen}")
        if self.tricks:
            tricks = ", ".join(f"{name} {count}" for name, count in sorted(self.tricks.items()))
            said.insert(1, f"tricks      {tricks}")
        if len(self.rounds_settled_by_rule_set) > 1:
            settled = self.rounds_settled_by_rule_set.items()
            said.insert(1, f"of these    {', '.join(f'{name} {count}' for name, count in settled)}")
        said += [f"FAULT       {each}" for each in self.faults]
        return said


def report(
    found: Recomputed,
    booked: Booked,
    reconciliation: Reconciliation,
    quarantine: Quarantine,
    settled: Settled,
    tally: Tally,
    *,
    seed: int,
    tables: int,
    rule_set: str,
    rule_sets: Mapping[str, str],
    misbehave: float,
    more_faults: list[str],
) -> Report:
    """Return the report of a run.

    `rule_sets` says what each table plays; `more_faults` are those that no log and no ledger shows.
    """
    faults = [*reconciliation.faults, *more_faults]
    settled_rounds = [one.round_id for one in found.rounds.values() if one.in_force]
    by_rule_set = dict.fromkeys(rule_sets.values(), 0)
    for round_id in settled_rounds:
        by_rule_set[rule_sets[round_id.partition("/")[0]]] += 1
    return Report(
        reconciled=not faults,
        seed=seed,
        tables=tables,
        rule_set=rule_set,
        misbehave=misbehave,
        rounds_opened=len(found.rounds),
        rounds_settled=len(settled_rounds),
        rounds_settled_by_rule_set=by_rule_set,
        rounds_void=sum(1 for one in found.rounds.values() if one.void),
        settlements_posted=settlements_in_force(booked.entries),
        entries=len(booked.entries),
        differences=reconciliation.total_difference,
        trial_balance=reconciliation.total_imbalance,
        quarantined=len(quarantine.in_log)
        + sum(quarantine.outside.values())
        + len(quarantine.elsewhere),
        refusals=len(found.refusals),
        events=found.events,
        events_per_second=round(found.events / found.seconds, 1),
        settle_seconds_p50=round(settled.seconds_p50, 4),
        settle_seconds_p99=round(settled.seconds_p99, 4),
        tricks=dict(tally.tricks),
        happened=dict(tally.happened),
        faults=faults,
    )


def floor_faults(found: Recomputed, tally: Tally) -> list[str]:
    """Return where the simulated floor counted otherwise than the log."""
    faults = list(tally.faults)
    settled = sum(1 for one in found.rounds.values() if one.in_force)
    void = sum(1 for one in found.rounds.values() if one.void)
    for what, counted, logged in (
        ("settled", tally.rounds_settled, settled),
        ("void", tally.rounds_void, void),
    ):
        if counted != logged:
            faults.append(f"{counted} rounds were seen {what}, the log has {logged}")
    return faults
