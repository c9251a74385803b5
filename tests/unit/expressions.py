"""Decides whether an expression in PromQL can ever find something: its metrics, labels and their values exist.

Rules, runbooks and dashboards are held against the catalogue by it, so that renaming a metric breaks a test
and not a chart on the night when it is needed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any

import promql_parser
import yaml

from floorbook.metrics import catalogue

ROOT = Path(__file__).parents[2]
PROMETHEUS = ROOT / "deploy" / "prometheus"
RULES = tuple(sorted((PROMETHEUS / "rules").glob("*.yaml")))
# Every target has these, whatever it exports.
OF_THE_TARGET = frozenset({"instance", "job", "namespace", "pod"})
_ENDINGS = ("_bucket", "_count", "_sum")
_OF_THE_PROCESS = (
    "process_start_time_seconds",
    "process_cpu_seconds_total",
    "process_resident_memory_bytes",
    "process_open_fds",
    "process_max_fds",
)


@dataclass(frozen=True)
class Series:
    """What is known of one name: its labels, and the values of each whose values are a fixed set."""

    labels: frozenset[str]
    values: Mapping[str, frozenset[str]] = field(default_factory=dict)


@cache
def read(path: Path) -> Any:
    """Return what a YAML file says."""
    return yaml.load(path.read_text(encoding="utf-8"), Loader=yaml.CSafeLoader)


@cache
def rules() -> tuple[tuple[Path, dict[str, Any]], ...]:
    """Return every rule with its file."""
    return tuple(
        (path, rule) for path in RULES for group in read(path)["groups"] for rule in group["rules"]
    )


@cache
def alerts() -> dict[str, dict[str, Any]]:
    """Return the alerts by name."""
    return {rule["alert"]: rule for _, rule in rules() if "alert" in rule}


@cache
def known() -> Mapping[str, Series]:
    """Return every name that a Prometheus of ours has, from the catalogue and from what rules record."""
    found = {
        "up": Series(OF_THE_TARGET),
        "floorbook_build_info": Series(
            OF_THE_TARGET | {"service", "version"}, {"service": frozenset(catalogue.every_metric())}
        ),
    }
    found |= {name: Series(OF_THE_TARGET) for name in _OF_THE_PROCESS}
    for metrics in catalogue.every_metric().values():
        for metric in metrics:
            values = {
                label: frozenset(each[number] for each in dimension.values)
                for dimension in metric.dimensions
                for number, label in enumerate(dimension.labels)
            }
            labels = OF_THE_TARGET | set(metric.labels)
            if not metric.buckets:
                found[metric.name] = Series(labels, values)
                continue
            for ending in _ENDINGS:
                found[metric.name + ending] = Series(labels, values)
            edges = frozenset({*(str(edge) for edge in metric.buckets), "+Inf"})
            found[f"{metric.name}_bucket"] = Series(labels | {"le"}, {**values, "le": edges})
    # What is recorded here is all summed up, so no label is left on it.
    found |= {rule["record"]: Series(frozenset()) for _, rule in rules() if "record" in rule}
    return found


def plain(expression: str) -> str:
    """Return the expression with a dashboard's variables replaced by something that they may be."""
    intervals = re.sub(r"\$__(rate_interval|interval|range)\b", "5m", expression)
    return re.sub(r"\$\{?\w+(:\w+)?\}?", ".*", intervals)


def faults(expression: str, shown: Mapping[str, Series] | None = None) -> list[str]:
    """Return why the expression finds nothing: no PromQL, or a metric, label or value that does not exist.

    What exists is what the catalogue says, or what is `shown`.
    """
    exist = known() if shown is None else shown
    try:
        tree = promql_parser.parse(plain(expression))
    except ValueError as fault:
        return [f"no PromQL: {fault}"]
    found: list[str] = []
    labels: set[str] = set(_made_here(expression))

    def look(node: promql_parser.Expr) -> bool:
        if isinstance(node, promql_parser.VectorSelector):
            found.extend(_selector_faults(node, exist))
            series = exist.get(node.name or "")
            labels.update(series.labels if series else ())
        return True

    promql_parser.walk(tree, look)
    grouped = re.findall(r"\b(?:by|without|on|ignoring)\s*\(([^)]*)\)", expression)
    for name in {each.strip() for names in grouped for each in names.split(",") if each.strip()}:
        if name not in labels:
            found.append(f"no series here has the label {name}, by which it groups")
    return found


def _made_here(expression: str) -> list[str]:
    """Return the labels that the expression itself makes."""
    return re.findall(r'label_replace\(.*?,\s*"(\w+)"', expression, re.DOTALL)


def _selector_faults(
    selector: promql_parser.VectorSelector, exist: Mapping[str, Series]
) -> Iterator[str]:
    series = exist.get(selector.name or "")
    if series is None:
        yield f"there is no {selector.name}"
        return
    for matcher in selector.matchers.matchers:
        if matcher.name not in series.labels:
            yield f"{selector.name} has no label {matcher.name}"
            continue
        values = series.values.get(matcher.name)
        if values is None:
            continue
        exact = matcher.op in (promql_parser.MatchOp.Equal, promql_parser.MatchOp.NotEqual)
        # Each alternative of a regular expression must mean something.
        for wanted in [matcher.value] if exact else matcher.value.split("|"):
            if not any(
                wanted == value if exact else re.fullmatch(wanted, value) for value in values
            ):
                yield f"{selector.name}: no {matcher.name} is {wanted}"


def labels_of_result(expression: str) -> set[str]:
    """Return every label that a series of the result may have, or more: for legends and summaries."""
    labels = set(_made_here(expression))

    def look(node: promql_parser.Expr) -> bool:
        if isinstance(node, promql_parser.VectorSelector):
            series = known().get(node.name or "")
            labels.update(series.labels if series else ())
        return True

    promql_parser.walk(promql_parser.parse(plain(expression)), look)
    outermost = re.match(r"\s*\(?\s*(?:\w+\()?\s*(?:sum|max|min|count|avg|topk)\b", expression)
    grouped = re.findall(r"\bby\s*\(([^)]*)\)", expression)
    if outermost:
        labels &= {each.strip() for names in grouped for each in names.split(",")}
    return labels
