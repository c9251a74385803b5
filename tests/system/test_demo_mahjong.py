"""Both games of mahjong misbehave on real servers, and every cent is where it belongs."""

from pathlib import Path

import pytest

from floorbook.demo.mahjong.script import Trick, tricks_of
from floorbook.demo.servers import Server
from floorbook.games.mahjong.variant import VARIANTS, Variant
from tests.system.test_demo import reported

pytestmark = [pytest.mark.system, pytest.mark.asyncio(loop_scope="session")]

TABLES, HANDS = 2, 4
RICH = "1460"
"""A seed whose few hands have nearly all tricks in them."""
# These want a line or a stranger at the door, which that seed has not for every table.
ELSEWHERE = frozenset((Trick.NOISE, Trick.STRANGER))


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda variant: variant.id)
async def test_it_misbehaves_and_reconciles(
    variant: Variant, broker: Server, database: Server, tmp_path: Path
) -> None:
    report, _ = await reported(
        *(broker, database, tmp_path / "report.json"),
        *("--rule-set", variant.id, "--tables", str(TABLES), "--rounds", str(HANDS)),
        *("--seed", RICH, "--misbehave", "0.2"),
    )
    assert report["rounds_opened"] == TABLES * HANDS
    assert report["rounds_settled"] + report["rounds_void"] == TABLES * HANDS
    assert report["rounds_settled_by_rule_set"] == {variant.id: report["rounds_settled"]}
    wanted = {trick.name.lower() for trick in tricks_of(variant) - ELSEWHERE}
    assert wanted <= report["tricks"].keys()
    assert report["happened"]["win"] > 0
    assert report["happened"]["false_win"] > 0
    assert report["refusals"] > 0
    assert report["quarantined"] > 0
