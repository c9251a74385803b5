"""Recorded rounds come to what they came to: verdicts, movements and the state, to the byte."""

from pathlib import Path

import pytest

from floorbook.table.game import games
from tests.golden import record, scripts


@pytest.mark.parametrize("file", record.files(), ids=lambda file: f"{file.parent.name}/{file.stem}")
def test_a_recorded_round_comes_to_the_same(file: Path) -> None:
    golden = record.load(file)
    table_id = "T1"
    log = [record.read(line, table_id) for line in golden.events]
    again = record.outcome(log, golden.rule_set, golden.about)
    assert record.text(again) == file.read_text(encoding="utf-8")


def test_every_rule_set_of_the_table_has_golden_rounds() -> None:
    recorded = {record.load(file).rule_set for file in record.files()}
    assert recorded == set(games()), "python -m tests.golden.record, after adding scripts"


def test_every_script_is_recorded() -> None:
    wanted = {(folder, name) for folder, name, _ in scripts.all_scripts()}
    assert {(file.parent.name, file.stem) for file in record.files()} == wanted
