"""There is a recorded hand of mahjong for each rule of liability, each exemption and each penalty."""

from floorbook.games.mahjong.articles import TEXTS
from tests.golden import record

# Sets are checked when they are claimed: a wrong one, and a win with it, never stands at a table.
NEVER = {"FALSE-T7"}
KINDS = ("LIA-", "EXM-", "FALSE-", "PEN-")


def test_every_liability_and_penalty_is_recorded() -> None:
    text = "".join(
        file.read_text(encoding="utf-8")
        for file in record.files()
        if file.parent.name.startswith("mahjong.")
    )
    wanted = {rule for rule in TEXTS if rule.startswith(KINDS)} | {"PEN-LOOK"}
    assert {rule for rule in wanted if rule in text} == wanted - NEVER
