"""Pai Kau in the demo on real servers: player banks in all their turns, and trouble, reconciled to the cent."""

from pathlib import Path

import pytest

from floorbook.demo.servers import Server
from tests.system.test_demo import reported

pytestmark = [pytest.mark.system, pytest.mark.asyncio(loop_scope="session")]

# A table of eight gates and one of four.
CASINO = ("--rule-set", "pai_kau", "--tables", "2", "--rounds", "6")


async def test_banks_rotate_are_refused_extended_and_broken_and_the_books_are_right(
    broker: Server, database: Server, tmp_path: Path
) -> None:
    report, said = await reported(
        broker, database, tmp_path / "report.json", *CASINO, "--seed", "6"
    )
    assert report["rounds_settled"] == report["rounds_opened"] == 12
    assert report["refusals"] == report["quarantined"] == 0
    seen = report["happened"]
    assert seen["bank_refused"] > 0
    assert seen["bank_rotated"] > 1
    assert seen["bank_extended"] > 0
    assert seen["bank_broken"] > 0
    assert seen["stake_exhausted"] > 0
    assert seen["bets_partly_covered"] > 0
    assert seen["co_bank_of_the_house"] > 0
    assert seen["co_bank_of_a_customer"] > 0
    assert seen["co_bank_in_play"] > 0
    assert seen["tiles_moved"] > 0
    # Two of the four-gate table's pairs, and once new tiles in place of those held over.
    assert seen["four_gate_pair"] > 1
    assert seen["new_tiles"] > 0
    assert all(f"{what} {count}" in said for what, count in seen.items())


async def test_tables_that_misbehave_are_accounted_for(
    broker: Server, database: Server, tmp_path: Path
) -> None:
    report, _ = await reported(
        *(broker, database, tmp_path / "report.json"),
        *(*CASINO, "--seed", "1", "--misbehave", "0.3"),
    )
    assert report["rounds_settled"] + report["rounds_void"] == report["rounds_opened"] == 12
    assert report["refusals"] > 0
    assert report["quarantined"] > 0
    tricks = report["tricks"]
    assert tricks["corrected"] > 0
    assert tricks["void_settled"] > 0
    assert tricks["restart"] + tricks["gap"] + tricks["duplicate"] > 2
