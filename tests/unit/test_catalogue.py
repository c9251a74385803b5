"""What is measured, and that no label can grow without a limit."""

import ast
import re
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry, generate_latest

from floorbook import topics
from floorbook.games import game, mahjong, pai_kau, thirteen_cards
from floorbook.games.thirteen_cards.arrangement import check_arrangement
from floorbook.gateway import refusals
from floorbook.gateway.frames import BadFrame
from floorbook.metrics import catalogue
from floorbook.metrics.catalogue import BusinessMetrics, GatewayMetrics, TableMetrics
from floorbook.metrics.series import OTHER, Metric
from floorbook.money import MovementKind
from floorbook.v1 import event_pb2
from floorbook.wire import envelope, quarantine

EVERY = [
    pytest.param(metric, id=metric.name)
    for metrics in catalogue.every_metric().values()
    for metric in metrics
]


def value(registry: CollectorRegistry, name: str, **labels: str) -> float | None:
    return registry.get_sample_value(name, labels)


@pytest.mark.parametrize("metric", EVERY)
def test_names_follow_the_conventions(metric: Metric) -> None:
    assert re.fullmatch(r"floorbook(_[a-z]+)+", metric.name)
    assert (metric.kind == "counter") == metric.name.endswith("_total")
    assert metric.help.endswith(".")
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", label) for label in metric.labels)
    assert (metric.kind == "histogram") == bool(metric.buckets)
    assert list(metric.buckets) == sorted(set(metric.buckets))
    assert not re.search(r"_(ms|millis|minutes|hours)(_|$)", metric.name)


@pytest.mark.parametrize("metric", EVERY)
def test_labels_are_few(metric: Metric) -> None:
    # Every operation of every rule set is the most there is, and only the evaluator has them.
    most = 900 if metric.name.startswith("floorbook_evaluator_") else 300
    assert len(list(metric.label_sets())) <= most
    assert not {"player", "person", "round", "round_id", "event_id"} & set(metric.labels)


def test_tables_and_devices_are_labels_of_few_gauges_only() -> None:
    every = [metric for metrics in catalogue.every_metric().values() for metric in metrics]
    labelled = {m.name: m for m in every if {"table", "device"} & set(m.labels)}
    assert {name: m.open_label for name, m in labelled.items()} == {
        "floorbook_table_owing_seconds": "table",
        "floorbook_table_suspended": "table",
        "floorbook_gateway_heartbeat_timestamp_seconds": "device",
    }
    assert {m.kind for m in labelled.values()} == {"gauge"}


def test_no_name_is_used_twice_by_two_services() -> None:
    every = [m.name for metrics in catalogue.every_metric().values() for m in metrics]
    assert len(set(every)) == len(every)


def test_every_series_is_there_from_the_start() -> None:
    registry = CollectorRegistry()
    metrics = BusinessMetrics(registry)
    exposed = generate_latest(registry).decode()
    for metric in metrics.declared():
        suffix = "_count" if metric.kind == "histogram" else ""
        found = re.findall(rf"^{metric.name}{suffix}(?:\{{.*\}})? 0\.0$", exposed, re.MULTILINE)
        assert len(found) == len(list(metric.label_sets())), metric.name


def test_counting() -> None:
    registry = CollectorRegistry()
    metrics = BusinessMetrics(registry)
    metrics.rounds_settled.add(game="thirteen_cards", rule_set="declare")
    metrics.rounds_settled.add(2, game="thirteen_cards", rule_set="declare")
    metrics.house_win_minor_units.add(-500, game="pai_kau", currency="MOP")
    metrics.settle_seconds.observe(0.3, game="pai_kau", rule_set="pai_kau")
    of = {"game": "thirteen_cards", "rule_set": "declare"}
    assert value(registry, "floorbook_rounds_settled_total", **of) == 3
    won = {"game": "pai_kau", "currency": "MOP"}
    assert value(registry, "floorbook_house_win_minor_units", **won) == -500
    settled = {"game": "pai_kau", "rule_set": "pai_kau"}
    bucket = "floorbook_settle_seconds_bucket"
    assert value(registry, bucket, **settled, le="0.25") == 0
    assert value(registry, bucket, **settled, le="0.5") == 1


def test_the_promise_has_a_bucket_edge_of_its_own() -> None:
    wanted = {0.05, 0.1, 0.25, 0.5, 0.75, 1, 1.5, 2, 5, 10, 30}
    assert wanted <= set(catalogue.SETTLE_BUCKETS)


def test_values_outside_the_set_are_counted_as_other() -> None:
    registry = CollectorRegistry()
    metrics = BusinessMetrics(registry)
    metrics.refusals.add(reason="SOMETHING_NEW")
    metrics.rounds_opened.add(game="baccarat", rule_set="baccarat.mini")
    assert value(registry, "floorbook_refusals_total", reason="other") == 1
    other = {"game": "other", "rule_set": "other"}
    assert value(registry, "floorbook_rounds_opened_total", **other) == 1


def test_a_value_that_is_never_right_is_a_fault() -> None:
    metrics = TableMetrics(CollectorRegistry())
    with pytest.raises(ValueError, match="floorbook_table_events_folded_total"):
        metrics.events_folded.add(verdict="maybe")
    with pytest.raises(ValueError, match="floorbook_table_events_folded_total has the labels"):
        metrics.events_folded.add(outcome="applied")


def test_a_table_is_shown_only_while_it_is_suspended() -> None:
    registry = CollectorRegistry()
    metrics = TableMetrics(registry)
    metrics.suspended.set("T1", 1)
    metrics.suspended.set("T2", 1)
    assert value(registry, "floorbook_table_suspended", table="T1") == 1
    metrics.suspended.forget("T1")
    metrics.suspended.forget("T1")
    assert value(registry, "floorbook_table_suspended", table="T1") is None
    metrics.suspended.forget_all()
    assert value(registry, "floorbook_table_suspended", table="T2") is None


def test_every_operation_of_every_game_is_a_value() -> None:
    games = {"thirteen_cards": thirteen_cards, "pai_kau": pai_kau, "mahjong": mahjong}
    for name, of in games.items():
        offered = {
            op
            for rule_set in of.rule_sets()
            for operations in rule_set.operations.values()
            for op in operations
        }
        assert {*offered, OTHER} == set(catalogue.OPERATIONS[name])


def test_every_topic_in_which_records_are_quarantined_is_a_value() -> None:
    read = {topic.name for topic in topics.ALL if {"table", "metrics"} & set(topic.readers)}
    known = {topic for (topic,) in catalogue.QUARANTINED_TOPICS.values}
    unwritten = {topics.QUARANTINE.name, topics.TABLE_STATES.name}
    assert known == read - unwritten | {catalogue.NO_TOPIC, OTHER}


def test_every_rule_set_is_a_value() -> None:
    known = {rule_set for _, rule_set in catalogue.RULE_SETS.values}
    assert set(game.rule_set_ids()) <= known


def test_every_kind_of_fact_is_a_value() -> None:
    facts = {field.name for field in event_pb2.Event.DESCRIPTOR.oneofs_by_name["fact"].fields}
    assert facts <= {fact for (fact,) in catalogue.FACTS.values}


PACKAGE = Path(catalogue.__file__).parents[1]


def given_to(name: str, place: int, *folders: str) -> set[str]:
    """Return the codes that are written, or named by a constant, as that argument of every call."""
    found: set[str] = set()
    for folder in folders:
        for file in PACKAGE.glob(f"{folder}/**/*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.Call) and ast.unparse(node.func) == name:
                    found |= {_code(each) for each in node.args[place : place + 1]}
    return found - {""}


def _code(node: ast.expr) -> str:
    """Return the code that an expression gives; "" for one that hands on another's."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    name = ast.unparse(node).rpartition(".")[2]
    return str(getattr(quarantine, name, getattr(envelope, name, name))) if name.isupper() else ""


def handed_on() -> set[str]:
    """Return the codes with which a game's own check of laid cards answers the fold."""
    hand = ("As", "Ks", "Qs", "Js", "Ts", "9s", "8s", "7s", "6s", "5s", "4s", "3s", "2s")
    laid = (
        (("XX", *hand[1:3]), hand[3:8], hand[8:]),
        (hand[:2], hand[2:8], hand[8:]),
        ((hand[0], hand[0], hand[1]), hand[3:8], hand[8:]),
        (("Ah", *hand[1:3]), hand[3:8], hand[8:]),
    )
    return {str(check_arrangement(front, middle, back, hand)) for front, middle, back in laid}


def test_every_reason_of_the_fold_is_a_value() -> None:
    known = {reason for (reason,) in catalogue.REFUSALS.values}
    given = given_to("Reason", 0, "table") | given_to("_suspended", 3, "table")
    given |= given_to("Objection", 0, "games/pai_kau")
    assert {"NOT_ALLOWED", "SEQUENCE_GAP"} <= given
    assert given <= known


def test_every_reason_that_a_game_hands_to_the_fold_is_a_value() -> None:
    assert len(handed_on()) == 4
    assert handed_on() <= {reason for (reason,) in catalogue.REFUSALS.values}


def test_every_reason_of_a_gateway_is_a_value() -> None:
    known = {reason for (reason,) in catalogue.GATEWAY_REFUSALS.values}
    assert {reason.value for reason in refusals.Reason} == known - {OTHER}


def test_every_fault_of_a_frame_is_a_value() -> None:
    known = {reason for (reason,) in catalogue.BAD_FRAMES.values}
    assert {fault.value for fault in BadFrame} == known - {OTHER}


def test_every_reason_for_quarantine_is_a_value_and_no_other() -> None:
    folders = ("wire", "table", "ledger", "metrics", "gateway")
    unreadable = given_to("Unreadable", 0, *folders)
    refused = {each.value for each in refusals.Reason if refusals.is_quarantined(each)}
    assert {"BAD_FIELD", "WRONG_PARTITION", "EMPTY", "UNKNOWN_FACT"} <= unreadable
    known = {reason for (reason,) in catalogue.QUARANTINE_REASONS.values}
    assert known == unreadable | refused | {OTHER}


def test_every_kind_of_movement_is_a_value() -> None:
    assert {kind for (kind,) in catalogue.MOVEMENT_KINDS.values} == set(MovementKind)


def test_the_registry_says_which_version_runs() -> None:
    registry = catalogue.new_registry("gateway")
    GatewayMetrics(registry)
    exposed = generate_latest(registry).decode()
    assert re.search(
        r'floorbook_build_info\{service="gateway",version="\d+\.\d+\.\d+"\} 1.0', exposed
    )
    assert "process_resident_memory_bytes" in exposed
    assert "_created" not in exposed
