"""Simulated Pai Kau in the process: proper rounds settle, the bank goes round, every trick comes to what it should."""

from collections import Counter
from collections.abc import Iterator

import pytest

from floorbook.demo.casino import build
from floorbook.demo.games import plans_of
from floorbook.demo.pai_kau import people
from floorbook.demo.pai_kau.script import Trick, gates_of, script_of
from floorbook.table.events import Event, Fact, RoundEvaluated
from floorbook.table.pai_kau import facts
from floorbook.wire import envelope
from tests.unit.demo.pocket import PocketTable, pocket_table
from tests.unit.demo.test_play import recomputed, reconciled

EIGHT, FOUR = 1, 2
"""Tables of eight gates and of four."""
# Without gateways nobody is a stranger, and no line carries bytes.
TRICKS = [trick for trick in Trick if trick not in (Trick.NOISE, Trick.STRANGER)]


def applied(pocket: PocketTable) -> Iterator[Fact]:
    """Yield what the log says was applied, in its order."""
    verdicts = recomputed(pocket).verdicts
    for record in pocket.log:
        event = envelope.decode(record.value, record.key, record.partition, record.offset)
        if isinstance(event, Event) and not verdicts[event.event_id]:
            yield event.fact


def test_tables_deal_eight_or_four_gates_to_six_people_at_least() -> None:
    assert (gates_of(EIGHT), gates_of(FOUR)) == (8, 4)
    tables = build(12, 1, "", plans_of("pai_kau")).tables
    assert {len(table.players) for table in tables} == {6, 7, 8}


@pytest.mark.parametrize("number", [EIGHT, FOUR])
async def test_proper_rounds_are_all_settled_and_reconcile(number: int) -> None:
    pocket = pocket_table("pai_kau", number=number)
    await pocket.play(12)
    assert pocket.tally.rounds_settled == 12
    assert reconciled(pocket) == []
    found = recomputed(pocket)
    assert [len(one.in_force) for one in found.rounds.values()] == [1] * 12
    assert found.refusals == []
    gates = {fact.gates for fact in applied(pocket) if isinstance(fact, facts.GatesAnnounced)}
    assert gates == {gates_of(number)}


@pytest.mark.parametrize("number", [EIGHT, FOUR])
async def test_the_bank_is_refused_rotates_is_extended_and_broken_as_the_log_says(
    number: int,
) -> None:
    pocket = pocket_table("pai_kau", number=number)
    await pocket.play(40)
    told, log = pocket.tally.happened, Counter[str]()
    refused = consents = rounds = 0
    banker = ""
    for fact in applied(pocket):
        match fact:
            case facts.BankAnswered(_, _, False):
                refused += 1
            case facts.ConsentGiven():
                consents += 1
            case facts.BankAssigned():
                log["bank_taken"] += 1
                rounds = 0
            case facts.StakePosted(player_id):
                log["bank_rotated"] += banker not in ("", player_id)
                banker = player_id
            case RoundEvaluated():
                rounds += 1
                log["bank_extended"] += rounds > 2
            case _:
                pass
    assert told["bank_refused"] == refused > 0
    assert told["bank_taken"] == log["bank_taken"]
    assert told["bank_rotated"] == log["bank_rotated"] > 5
    assert told["bank_extended"] == log["bank_extended"] > 0
    assert consents > told["bank_extended"]
    for seldom in ("bank_broken", "stake_exhausted", "co_bank_in_play", "tiles_moved"):
        assert told[seldom] > 0, seldom
    assert (told["four_gate_pair"] > 0) == (number == FOUR)


async def test_the_sixteen_held_over_are_opened_in_their_own_round_or_new_tiles_come() -> None:
    pocket = pocket_table("pai_kau", number=FOUR)
    await pocket.play(30)
    shuffles = [fact for fact in applied(pocket) if isinstance(fact, facts.TilesShuffled)]
    carried = [fact for fact in applied(pocket) if isinstance(fact, facts.TilesCarriedOver)]
    assert pocket.tally.happened["four_gate_pair"] == len(carried) > 3
    assert any(fact.new_tiles for fact in shuffles)
    assert len(shuffles) + len(carried) == 30


async def test_chips_are_taken_home_and_the_bank_is_left_at_the_end() -> None:
    pocket = pocket_table("pai_kau")
    await pocket.play(1)
    balances = Counter[str]()
    for entry in pocket.entries.values():
        for posting in entry.postings:
            balances[posting.account] += posting.amount
    assert balances[f"table/{pocket.table.table_id}/layout"] == 0
    *_, left, closed = applied(pocket)
    assert isinstance(left, facts.BankLeft)
    assert type(closed).__name__ == "TableClosed"


@pytest.mark.parametrize("number", [EIGHT, FOUR])
@pytest.mark.parametrize("trick", TRICKS, ids=lambda trick: trick.name)
async def test_every_trick_is_accounted_for(
    trick: Trick, number: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "floorbook.demo.pai_kau.script._tricks",
        lambda seed, table, number, misbehave: frozenset((trick,)),
    )
    pocket = pocket_table("pai_kau", misbehave=1.0, number=number)
    await pocket.play(6)
    assert reconciled(pocket) == []
    assert pocket.tally.faults == []
    assert pocket.tally.tricks[trick.name.lower()] >= 1
    assert pocket.tally.rounds_settled + pocket.tally.rounds_void == 6


@pytest.mark.parametrize("number", [EIGHT, FOUR])
@pytest.mark.parametrize("seed", [2, 3])
async def test_rounds_full_of_tricks_reconcile(seed: int, number: int) -> None:
    pocket = pocket_table("pai_kau", seed=seed, misbehave=0.3, number=number)
    await pocket.play(20)
    assert reconciled(pocket) == []
    assert len(pocket.tally.tricks) > 8
    found = recomputed(pocket)
    assert any(one.void for one in found.rounds.values())
    assert found.refusals


async def test_the_same_seed_gives_the_same_books_and_another_seed_others() -> None:
    money = []
    for seed in (7, 7, 8):
        pocket = pocket_table("pai_kau", seed=seed)
        await pocket.play(4)
        money.append([(e.entry_id, e.fingerprint) for e in pocket.entries.values()])
    assert money[0] == money[1] != money[2]


def test_misbehaving_changes_what_goes_wrong_and_never_what_chance_brings() -> None:
    proper, wild = script_of(5, 1, 2), script_of(5, 1, 2, 1.0)
    assert (proper.wall, proper.dice, proper.seed) == (wild.wall, wild.dice, wild.seed)
    assert proper.tricks == frozenset()
    assert wild.tricks == frozenset(Trick)


@pytest.mark.parametrize(
    ("last_gate", "opening", "asked"),
    [
        (0, True, (1, 2, 3, 4)),
        (3, True, (1, 2, 3, 4)),
        (3, False, (4, 1, 2)),
        (7, False, (1, 2, 3, 4)),
    ],
)
def test_the_bank_is_offered_counter_clockwise(
    last_gate: int, opening: bool, asked: tuple[int, ...]
) -> None:
    assert people.asking_order(4, last_gate, opening=opening) == asked
