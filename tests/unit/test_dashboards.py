"""The committed dashboards are what the generator makes, and every chart on them can show something."""

import json
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from floorbook.metrics import catalogue
from tests.unit import expressions
from tests.unit.expressions import ROOT

FOLDER = ROOT / "deploy" / "dashboards"
NAMES = ("devices", "floor", "ledger", "pipeline", "services", "slo")
EACH = pytest.mark.parametrize("name", NAMES)


@cache
def dashboard(name: str) -> Any:
    return json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))


def panels(name: str) -> Iterator[dict[str, Any]]:
    for panel in dashboard(name)["panels"]:
        yield from panel.get("panels") or []
        if panel["type"] != "row":
            yield panel


def targets(name: str) -> Iterator[tuple[str, dict[str, Any]]]:
    for panel in panels(name):
        for target in panel["targets"]:
            yield panel["title"], target


def test_there_are_six() -> None:
    assert sorted(path.stem for path in FOLDER.glob("*.json")) == list(NAMES)


def generate(*arguments: str, script: Path = FOLDER / "generate.py") -> tuple[int, str]:
    ended = subprocess.run(
        [sys.executable, str(script), *arguments], capture_output=True, text=True, check=False
    )
    return ended.returncode, ended.stderr


def test_the_committed_json_is_fresh() -> None:
    assert generate("--check") == (0, "")


def test_json_that_is_not_fresh_is_named_and_made_again(tmp_path: Path) -> None:
    for path in FOLDER.iterdir():
        if path.is_file():
            (tmp_path / path.name).write_bytes(path.read_bytes())
    script, floor = tmp_path / "generate.py", tmp_path / "floor.json"
    floor.write_text(floor.read_text(encoding="utf-8").replace("30s", "31s"), encoding="utf-8")
    code, said = generate("--check", script=script)
    assert code == 1
    assert said.startswith("floor.json is not fresh")
    assert generate(script=script) == (0, "")
    assert floor.read_bytes() == (FOLDER / "floor.json").read_bytes()


@EACH
def test_every_expression_finds_what_exists(name: str) -> None:
    found = {
        (title, each["expr"]): expressions.faults(each["expr"]) for title, each in targets(name)
    }
    assert found
    assert {where: faults for where, faults in found.items() if faults} == {}


@EACH
def test_every_legend_names_labels_that_its_series_have(name: str) -> None:
    for title, target in targets(name):
        named = set(re.findall(r"\{\{(\w+)\}\}", target.get("legendFormat", "")))
        assert named <= expressions.labels_of_result(target["expr"]), (title, target)


@EACH
def test_every_chart_uses_the_chosen_source_and_has_a_title_of_its_own(name: str) -> None:
    titles = [panel["title"] for panel in panels(name)]
    by_row = [panel["title"] for panel in dashboard(name)["panels"]]
    assert all(titles)
    assert name == "slo" or len(titles) == len(set(titles)), by_row
    for panel in panels(name):
        assert panel["datasource"] == {"type": "prometheus", "uid": "${source}"}


@EACH
def test_every_variable_is_declared_and_can_be_asked(name: str) -> None:
    declared = {each["name"]: each for each in dashboard(name)["templating"]["list"]}
    used = set(re.findall(r"\$\{?(\w+)", "".join(each["expr"] for _, each in targets(name))))
    own = {"__rate_interval", "__interval", "__range"}
    assert used - own == set(declared) - {"source"}
    for variable in declared.values():
        if variable["type"] == "query":
            asked = re.fullmatch(r"label_values\((.+), (\w+)\)", variable["query"])
            assert asked, variable["query"]
            assert not expressions.faults(asked[1])
            assert asked[2] in expressions.labels_of_result(asked[1])


# What no chart shows, and why that is right.
NOT_SHOWN = {
    "floorbook_metrics_partitions": "only PartitionsUnattended asks it",
    "floorbook_handle_released_minor_units_total": "void rounds are shown as rounds",
    "floorbook_rounds_opened_total": "only RoundsNotSettled asks it",
    "floorbook_metrics_lag_records": "its seconds are shown",
    "floorbook_rebuild_events": "a figure for whoever reads the log of a check",
}


def test_every_metric_is_shown_or_left_out_on_purpose() -> None:
    shown = "\n".join(each["expr"] for name in NAMES for _, each in targets(name))
    every = {metric.name for metrics in catalogue.every_metric().values() for metric in metrics}
    hidden = {name for name in every if not re.search(rf"\b{name}(_bucket|_count|_sum)?\b", shown)}
    assert hidden == set(NOT_SHOWN)
