"""Simulated rounds at a table in the process: proper ones settle, and every trick comes to what it should."""

import pytest

from floorbook.demo.casino import build
from floorbook.demo.misbehave import HURRIED_LIMIT_MS, Mischief
from floorbook.demo.play import PlayFault
from floorbook.demo.reconcile import Booked, Quarantine, Recomputed, compare, recompute
from floorbook.demo.script import Trick, script_of
from tests.unit.demo.pocket import PocketTable, pocket_table

HURRIED: dict[str, object] = {"arrange_limit_ms": HURRIED_LIMIT_MS}


def recomputed(pocket: PocketTable) -> Recomputed:
    tables = frozenset((pocket.table.table_id,))
    return recompute(pocket.log, tables, Quarantine())


def reconciled(pocket: PocketTable) -> list[str]:
    found = recomputed(pocket)
    balances: dict[tuple[str, str], int] = {}
    for entry in pocket.entries.values():
        for posting in entry.postings:
            account = (entry.currency, posting.account)
            balances[account] = balances.get(account, 0) + posting.amount
    return compare(
        found,
        Booked(list(pocket.entries.values()), balances),
        Quarantine(outside=pocket.tally.wrong_sent),
        told=pocket.tally.told,
        lost_readings=pocket.tally.lost_readings,
        wrong_sent=pocket.tally.wrong_sent,
    ).faults


async def test_proper_rounds_are_all_settled_and_reconcile() -> None:
    pocket = pocket_table()
    await pocket.play(5)
    assert pocket.tally.rounds_settled == 5
    assert reconciled(pocket) == []
    found = recomputed(pocket)
    assert [len(one.in_force) for one in found.rounds.values()] == [1] * 5
    assert found.refusals == []


async def test_the_same_seed_gives_the_same_books_and_another_seed_others() -> None:
    money = []
    for seed in (7, 7, 8):
        pocket = pocket_table(seed)
        await pocket.play(3, seed=seed)
        money.append([(e.entry_id, e.fingerprint) for e in pocket.entries.values()])
    assert money[0] == money[1] != money[2]


@pytest.mark.parametrize(
    "trick", [t for t in Trick if t not in (Trick.NOISE, Trick.STRANGER)], ids=lambda t: t.name
)
async def test_every_trick_is_accounted_for(trick: Trick, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "floorbook.demo.script._tricks", lambda seed, table, number, misbehave: frozenset((trick,))
    )
    pocket = pocket_table(flags=HURRIED)
    await pocket.play(4, conduct=Mischief())
    assert reconciled(pocket) == []
    assert pocket.tally.faults == []
    assert pocket.tally.tricks[trick.name.lower()] >= 1
    assert pocket.tally.rounds_settled + pocket.tally.rounds_void == 4


async def test_rounds_full_of_tricks_reconcile() -> None:
    pocket = pocket_table(flags=HURRIED)
    await pocket.play(12, seed=3, misbehave=0.4, conduct=Mischief())
    assert reconciled(pocket) == []
    assert len(pocket.tally.tricks) > 5
    found = recomputed(pocket)
    assert any(one.void for one in found.rounds.values())
    assert found.refusals


async def test_a_refusal_that_play_does_not_expect_is_a_fault() -> None:
    pocket = pocket_table()
    pocket.at.flags["banker_foul"] = "what"
    with pytest.raises(PlayFault, match="BAD_CONFIG"):
        await pocket.play(1)


def test_a_script_depends_on_seed_table_and_round_alone() -> None:
    table = build(1, 5).tables[0]
    arguments = (len(table.players), table.banker_gate)
    assert script_of(5, 1, 2, *arguments) == script_of(5, 1, 2, *arguments)
    assert script_of(5, 1, 2, *arguments) != script_of(5, 1, 3, *arguments)
    # Misbehaving changes what goes wrong, never what chance brings.
    proper, wild = script_of(5, 1, 2, *arguments), script_of(5, 1, 2, *arguments, 1.0)
    assert (proper.decks, proper.bets, proper.dice) == (wild.decks, wild.bets, wild.dice)
    assert wild.tricks == frozenset(Trick)
