"""How many series the largest floor has, and how long one scrape of each process takes: 6,000 tables, 18,000 devices."""

import re
import time
from collections import Counter

import pytest
from prometheus_client import CollectorRegistry
from prometheus_client.exposition import generate_latest

from floorbook.metrics import catalogue
from floorbook.metrics.catalogue import (
    BusinessMetrics,
    EvaluatorMetrics,
    GatewayMetrics,
    LedgerMetrics,
    RebuildMetrics,
    TableMetrics,
    new_registry,
)
from floorbook.metrics.series import Metrics

TABLES = 6_000
DEVICES = 18_000
# As many as work on it: no partition has more than one of those in a group.
PROCESSES = {"gateway": 4, "table": 12, "evaluator": 4, "ledger": 4, "metrics": 2, "rebuild": 1}
CLASSES: dict[str, type[Metrics]] = {
    "gateway": GatewayMetrics,
    "table": TableMetrics,
    "evaluator": EvaluatorMetrics,
    "ledger": LedgerMetrics,
    "metrics": BusinessMetrics,
    "rebuild": RebuildMetrics,
}
MOST_SERIES = 200_000
SCRAPE_SECONDS = 2.0


def gateway(number: int) -> CollectorRegistry:
    """Return a gateway to which every device has spoken, as when it was the last one alive."""
    registry = new_registry("gateway")
    metrics = GatewayMetrics(registry)
    for device in range(DEVICES):
        metrics.heartbeat_timestamp_seconds.set(f"device-{device}", 1.7e9 + number)
    return registry


def table(number: int) -> CollectorRegistry:
    """Return a table processor whose share of the tables is late and suspended, all of them."""
    registry = new_registry("table")
    metrics = TableMetrics(registry)
    for each in range(number, TABLES, PROCESSES["table"]):
        metrics.suspended.set(f"table-{each}", 1)
        metrics.owing_seconds.set(f"table-{each}", 5.0)
    return registry


def registry_of(service: str, number: int) -> CollectorRegistry:
    """Return what the `number`-th process of a service exports when all is as bad as it can be."""
    match service:
        case "gateway":
            return gateway(number)
        case "table":
            return table(number)
        case _:
            return empty(service)


def empty(service: str) -> CollectorRegistry:
    """Return what a process exports that has just begun."""
    registry = new_registry(service)
    CLASSES[service](registry)
    return registry


def series_of(shown: str) -> Counter[str]:
    """Return how many series each name has in an exposition."""
    return Counter(
        re.split(r"[{ ]", line, maxsplit=1)[0]
        for line in shown.splitlines()
        if line and not line.startswith("#")
    )


def test_the_largest_floor_has_few_enough_series_and_is_scraped_soon() -> None:
    total = 0
    worst: dict[str, float] = {}
    for service, count in PROCESSES.items():
        for number in range(count):
            registry = registry_of(service, number)
            began = time.process_time()
            shown = generate_latest(registry).decode()
            seconds = time.process_time() - began
            total += sum(series_of(shown).values())
            worst[service] = max(worst.get(service, 0.0), seconds)
    print(f"\n{total} series; seconds of one scrape, at worst: {worst}")
    assert set(PROCESSES) == set(catalogue.every_metric())
    assert total <= MOST_SERIES
    # Measured here are some tenths of a second: loose enough for a machine that does other things.
    assert max(worst.values()) < SCRAPE_SECONDS


def test_tables_and_devices_are_labels_of_few_gauges_and_of_nothing_else() -> None:
    wide = {
        (metric.name, metric.kind, label)
        for metrics in catalogue.every_metric().values()
        for metric in metrics
        for label in metric.labels
        if label in ("table", "device", "player", "round", "instance")
    }
    assert wide == {
        ("floorbook_table_owing_seconds", "gauge", "table"),
        ("floorbook_table_suspended", "gauge", "table"),
        ("floorbook_gateway_heartbeat_timestamp_seconds", "gauge", "device"),
    }


@pytest.mark.parametrize("service", sorted(PROCESSES))
def test_a_process_without_tables_and_devices_has_few_series(service: str) -> None:
    shown = series_of(generate_latest(empty(service)).decode())
    assert shown.total() < 3_000, shown.most_common(3)
