"""Simulated rounds at a table in the process: proper ones settle, and every trick comes to what it should."""

from collections import Counter

import pytest

from floorbook.demo.at_table import PlayFault
from floorbook.demo.casino import build
from floorbook.demo.games import plans_of, rule_sets
from floorbook.demo.reconcile import Booked, Quarantine, Recomputed, compare, recompute
from floorbook.demo.thirteen_cards.script import Trick, script_of, tricks_of
from floorbook.demo.thirteen_cards.table import CardTable
from floorbook.games.thirteen_cards.procedure import procedure_of
from floorbook.table.events import Event
from floorbook.table.game import games
from floorbook.table.thirteen_cards.facts import HandSet
from floorbook.table.thirteen_cards.play import RULE_SETS
from floorbook.wire import envelope
from tests.unit.demo.pocket import PocketTable, pocket_table

# Without gateways nobody is a stranger, and no line carries bytes.
TRICKS = [
    (rule_set, trick)
    for rule_set in RULE_SETS
    for trick in Trick
    if trick in tricks_of(procedure_of(rule_set)) - {Trick.NOISE, Trick.STRANGER}
]


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


def test_everything_that_a_table_can_play_can_be_played_here() -> None:
    assert set(rule_sets()) == set(games())


@pytest.mark.parametrize("rule_set", RULE_SETS)
async def test_proper_rounds_are_all_settled_and_reconcile(rule_set: str) -> None:
    pocket = pocket_table(rule_set)
    await pocket.play(5)
    assert pocket.tally.rounds_settled == 5
    assert reconciled(pocket) == []
    found = recomputed(pocket)
    assert [len(one.in_force) for one in found.rounds.values()] == [1] * 5
    assert found.refusals == []


@pytest.mark.parametrize("rule_set", RULE_SETS)
async def test_money_moves_in_every_rule_set(rule_set: str) -> None:
    pocket = pocket_table(rule_set, number=3)
    await pocket.play(6)
    settled = [e for e in pocket.entries.values() if "/settlement/" in e.entry_id]
    assert len(settled) == 6
    assert any(posting.amount for entry in settled for posting in entry.postings)


@pytest.mark.parametrize("seed", [1, 2])
async def test_winners_pay_a_service_fee_where_all_play_against_all(seed: int) -> None:
    pocket = pocket_table("four_player", seed=seed)
    await pocket.play(4)
    fees = [
        posting.amount
        for entry in pocket.entries.values()
        for posting in entry.postings
        if posting.account.startswith("house/charge/")
    ]
    assert sum(fees) > 0


async def test_who_waits_gets_a_gate_now_and_then() -> None:
    casino = build(20, 1, "", plans_of("compare_size"))
    crowded = next(table for table in casino.tables if len(table.players) == 5)
    pocket = pocket_table("compare_size", number=crowded.number)
    await pocket.play(12)
    seen, waited = pocket.at.dealer.seen, pocket.at.players[4].person_id
    assert len(seen.seats) == 4
    assert f"player/{waited}" in {p.account for e in pocket.entries.values() for p in e.postings}
    assert reconciled(pocket) == []


async def test_special_hands_are_announced_and_declined() -> None:
    """In rounds enough some hands are special; whoever has one announces it, lays it or declines it."""
    ways: Counter[tuple[bool, bool]] = Counter()
    for number in range(1, 9):
        pocket = pocket_table("banker_xianggong", number=number)
        await pocket.play(8)
        assert reconciled(pocket) == []
        for record in pocket.log:
            event = envelope.decode(record.value, record.key, record.partition, record.offset)
            if isinstance(event, Event) and isinstance(event.fact, HandSet):
                fact = event.fact
                ways[fact.arrangement is not None, fact.declare] += 1
    assert ways[False, True] > 0
    assert ways[True, False] > 0


@pytest.mark.parametrize("rule_set", ["thirteen_cards", "four_player", "declare_2"])
async def test_the_same_seed_gives_the_same_books_and_another_seed_others(rule_set: str) -> None:
    money = []
    for seed in (7, 7, 8):
        pocket = pocket_table(rule_set, seed=seed)
        await pocket.play(3)
        money.append([(e.entry_id, e.fingerprint) for e in pocket.entries.values()])
    assert money[0] == money[1] != money[2]


@pytest.mark.parametrize(
    ("rule_set", "trick"), TRICKS, ids=lambda value: getattr(value, "name", value)
)
async def test_every_trick_is_accounted_for(
    rule_set: str, trick: Trick, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "floorbook.demo.thirteen_cards.script._tricks",
        lambda seed, table, number, misbehave: frozenset((trick,)),
    )
    pocket = pocket_table(rule_set, misbehave=1.0)
    await pocket.play(4)
    assert reconciled(pocket) == []
    assert pocket.tally.faults == []
    assert pocket.tally.tricks[trick.name.lower()] >= 1
    assert pocket.tally.rounds_settled + pocket.tally.rounds_void == 4


@pytest.mark.parametrize("rule_set", RULE_SETS)
async def test_rounds_full_of_tricks_reconcile(rule_set: str) -> None:
    pocket = pocket_table(rule_set, seed=5, misbehave=0.4)
    await pocket.play(12)
    assert reconciled(pocket) == []
    assert len(pocket.tally.tricks) > 5
    found = recomputed(pocket)
    assert any(one.void for one in found.rounds.values())
    assert found.refusals


async def test_a_refusal_that_play_does_not_expect_is_a_fault() -> None:
    pocket = pocket_table()
    assert isinstance(pocket.at, CardTable)
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
