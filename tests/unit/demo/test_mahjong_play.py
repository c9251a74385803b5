"""Simulated mahjong hands at a table in the process: proper ones settle, every trick comes to what it should."""

import pytest
from msgspec.structs import replace

from floorbook.demo.mahjong.game import PlayedMahjongTable
from floorbook.demo.mahjong.script import Script, Trick, script_of, tricks_of
from floorbook.games.mahjong.variant import SIMPLIFIED, VARIANTS, variant_of
from tests.unit.demo.pocket import PocketTable, pocket_table
from tests.unit.demo.test_play import recomputed, reconciled

HANDS = 2
RULE_SETS = tuple(variant.id for variant in VARIANTS)
# Without gateways nobody is a stranger, and no line carries bytes.
TRICKS = [
    (variant.id, trick)
    for variant in VARIANTS
    for trick in Trick
    if trick in tricks_of(variant) - {Trick.NOISE, Trick.STRANGER}
]


def simplified(number: int) -> PocketTable:
    return pocket_table("mahjong.simplified", number=number)


def played(pocket: PocketTable) -> PlayedMahjongTable:
    assert isinstance(pocket.at, PlayedMahjongTable)
    return pocket.at


@pytest.mark.parametrize("rule_set", RULE_SETS)
async def test_proper_hands_are_all_settled_and_reconcile(rule_set: str) -> None:
    pocket = pocket_table(rule_set)
    await pocket.play(HANDS)
    assert pocket.tally.rounds_settled == HANDS
    assert reconciled(pocket) == []
    assert recomputed(pocket).refusals == []


async def test_a_cycle_that_was_asked_for_is_not_broken_off(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("floorbook.demo.mahjong.game.HANDS_OF_A_CYCLE", 2)
    pocket = next(each for each in map(simplified, range(1, 20)) if len(each.at.players) == 2)
    await pocket.play(4)
    # Four rounds of as many hands as there are players; what a dealer keeps comes on top.
    assert pocket.tally.rounds_played >= 8
    assert pocket.tally.happened["cycles_complete"] == 1
    assert played(pocket).next.round_wind == "E"
    assert reconciled(pocket) == []


async def test_a_cycle_that_cannot_end_is_broken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("floorbook.demo.mahjong.game.HANDS_OF_A_CYCLE", 1)
    pocket = pocket_table("mahjong.simplified", misbehave=1.0)
    await pocket.play(1)
    assert pocket.tally.rounds_settled == 0
    assert pocket.tally.rounds_void == 5
    assert reconciled(pocket) == []


async def test_two_to_four_play_the_simplified_game() -> None:
    assert {len(each.at.players) for each in map(simplified, range(1, 9))} == {2, 3, 4}


@pytest.mark.parametrize("number", [2, 3])
async def test_the_house_takes_its_charge_of_what_is_won(number: int) -> None:
    pocket = pocket_table("mahjong.simplified", number=number)
    await pocket.play(4)
    charges = [
        posting.amount
        for entry in pocket.entries.values()
        for posting in entry.postings
        if posting.account.startswith("house/charge/")
    ]
    assert sum(charges) > 0
    assert reconciled(pocket) == []


@pytest.mark.parametrize("rule_set", RULE_SETS)
async def test_the_same_seed_gives_the_same_books_and_another_seed_others(rule_set: str) -> None:
    money = []
    for seed in (7, 7, 8):
        pocket = pocket_table(rule_set, seed=seed)
        await pocket.play(1)
        money.append([(e.entry_id, e.fingerprint) for e in pocket.entries.values()])
    assert money[0] == money[1] != money[2]


@pytest.mark.parametrize(
    ("rule_set", "trick"), TRICKS, ids=lambda value: getattr(value, "name", value)
)
async def test_every_trick_is_accounted_for(
    rule_set: str, trick: Trick, monkeypatch: pytest.MonkeyPatch
) -> None:
    variant = variant_of(rule_set)

    def only_one(seed: int, table: int, number: int, *rest: object) -> Script:
        script = script_of(seed, table, number, variant)
        return replace(script, tricks=frozenset((trick,)), moments=dict.fromkeys(Trick, 1))

    monkeypatch.setattr("floorbook.demo.mahjong.game.script_of", only_one)
    pocket = pocket_table(rule_set, misbehave=1.0)
    await pocket.play(HANDS)
    assert reconciled(pocket) == []
    assert pocket.tally.faults == []
    assert pocket.tally.tricks[trick.name.lower()] >= 1
    assert pocket.tally.rounds_settled + pocket.tally.rounds_void == HANDS


@pytest.mark.parametrize("rule_set", RULE_SETS)
async def test_hands_full_of_tricks_reconcile(rule_set: str) -> None:
    pocket = pocket_table(rule_set, seed=5, misbehave=0.25)
    await pocket.play(6)
    assert reconciled(pocket) == []
    assert len(pocket.tally.tricks) > 5
    found = recomputed(pocket)
    assert any(one.void for one in found.rounds.values())
    assert found.refusals


def test_a_script_depends_on_seed_table_and_hand_alone() -> None:
    proper, wild = script_of(5, 1, 2, SIMPLIFIED), script_of(5, 1, 2, SIMPLIFIED, 1.0)
    assert proper == script_of(5, 1, 2, SIMPLIFIED)
    assert proper != script_of(5, 1, 3, SIMPLIFIED)
    # Misbehaving changes what goes wrong, never what chance brings.
    assert (proper.wall, proper.dice) == (wild.wall, wild.dice)
    assert wild.tricks == tricks_of(SIMPLIFIED)
