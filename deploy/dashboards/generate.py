"""Decides how a page of `pages.py` becomes a dashboard in Grafana's JSON.

`python deploy/dashboards/generate.py` writes the JSON beside this file; with `--check` it writes nothing and
names the files that are not fresh. The JSON is committed, so that nobody needs Python to install it.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from grafana_foundation_sdk.builders import common as common_builders
from grafana_foundation_sdk.builders import dashboard as builders
from grafana_foundation_sdk.builders import prometheus, stat, table, timeseries
from grafana_foundation_sdk.cog.encoder import JSONEncoder
from grafana_foundation_sdk.models import common
from grafana_foundation_sdk.models import dashboard as models
from grafana_foundation_sdk.models.prometheus import PromQueryFormat
from pages import PAGES, Chart, Figure, Listing, Page

HERE = Path(__file__).parent
_SOURCE = models.DataSourceRef(type_val="prometheus", uid="${source}")
_HEIGHT = 8


def _query(expression: str, legend: str, letter: str) -> prometheus.Dataquery:
    return prometheus.Dataquery().expr(expression).legend_format(legend).ref_id(letter)


def _steps(bad: float | None, low: bool = False) -> builders.ThresholdsConfig:
    """Return colours that change at `bad`; the first step has no value, as Grafana wants it."""
    first, then = ("red", "green") if low else ("green", "red")
    steps = [models.Threshold(color=first)]
    if bad is not None:
        steps.append(models.Threshold(value=bad, color=then))
    return builders.ThresholdsConfig().mode(models.ThresholdsMode.ABSOLUTE).steps(steps)


def _chart(chart: Chart) -> timeseries.Panel:
    panel = timeseries.Panel().title(chart.title).datasource(_SOURCE).unit(chart.unit)
    panel = panel.description(chart.says).height(_HEIGHT).span(chart.width)
    if not chart.signed:
        panel = panel.min(0)
    panel = panel.legend(
        common_builders.VizLegendOptions()
        .display_mode(common.LegendDisplayMode.LIST)
        .placement(common.LegendPlacement.BOTTOM)
        .show_legend(True)
    )
    if chart.limit is not None:
        style = common_builders.GraphThresholdsStyleConfig()
        panel = panel.thresholds(_steps(chart.limit)).thresholds_style(
            style.mode(common.GraphTresholdsStyleMode.DASHED)
        )
    for number, (expression, legend) in enumerate(chart.lines):
        panel = panel.with_target(_query(expression, legend, chr(ord("A") + number)))
    return panel


def _figure(figure: Figure) -> stat.Panel:
    panel = stat.Panel().title(figure.title).datasource(_SOURCE).unit(figure.unit)
    panel = panel.height(4).span(figure.width).thresholds(_steps(figure.bad, figure.low))
    return panel.with_target(_query(figure.expression, "", "A").instant())


def _listing(listing: Listing) -> table.Panel:
    panel = table.Panel().title(listing.title).datasource(_SOURCE).unit(listing.unit)
    panel = panel.description(listing.says).height(_HEIGHT).span(listing.width)
    target = _query(listing.expression, "{{" + listing.label + "}}", "A").instant()
    hidden = models.DataTransformerConfig(
        id_val="organize",
        options={"excludeByName": {"Time": True}, "indexByName": {}, "renameByName": {}},
    )
    return panel.with_target(target.format(PromQueryFormat.TABLE)).with_transformation(hidden)


def _variables(page: Page) -> Iterator[Any]:
    yield builders.DatasourceVariable("source").label("Prometheus").type("prometheus")
    text = str(page)
    for name in ("game", "rule_set"):
        if f"${name}" in text:
            within = '{game=~"$game"}' if name == "rule_set" else ""
            yield (
                builders.QueryVariable(name)
                .label(name.replace("_", " ").capitalize())
                .query(f"label_values(floorbook_rounds_opened_total{within}, {name})")
                .datasource(_SOURCE)
                .refresh(models.VariableRefresh.ON_TIME_RANGE_CHANGED)
                .multi(True)
                .include_all(True)
                .all_value(".*")
            )


def dashboard(page: Page) -> str:
    """Return the page as the JSON that Grafana imports; the same page is always the same text."""
    made = (
        builders.Dashboard(f"floorbook: {page.title}")
        .uid(f"floorbook-{page.name}")
        .description(page.question)
        .tags(["floorbook"])
        .refresh("30s")
        .time("now-1h", "now")
        .timezone("browser")
        .tooltip(models.DashboardCursorSync.CROSSHAIR)
        .link(
            builders.DashboardLink("floorbook")
            .type(models.DashboardLinkType.DASHBOARDS)
            .tags(["floorbook"])
            .keep_time(True)
        )
    )
    for variable in _variables(page):
        made = made.with_variable(variable)
    for row in page.rows:
        made = made.with_row(builders.Row(row.title))
        for panel in row.panels:
            match panel:
                case Chart():
                    made = made.with_panel(_chart(panel))
                case Figure():
                    made = made.with_panel(_figure(panel))
                case Listing():
                    made = made.with_panel(_listing(panel))
    return json.dumps(made.build(), cls=JSONEncoder, sort_keys=True, indent=1) + "\n"


def main(arguments: Sequence[str]) -> int:
    """Return 0 when the files are fresh: written now, or found so with `--check`."""
    if list(arguments) not in ([], ["--check"]):
        sys.stderr.write("usage: generate.py [--check]\n")
        return 2
    stale = 0
    for page in PAGES:
        file, text = HERE / f"{page.name}.json", dashboard(page)
        if file.is_file() and file.read_text(encoding="utf-8") == text:
            continue
        if arguments:
            sys.stderr.write(f"{file.name} is not fresh: run deploy/dashboards/generate.py\n")
            stale = 1
        else:
            file.write_text(text, encoding="utf-8")
    return stale


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
