"""Each alert can fire, is tried both ways, and leads to a page whose query and commands are right."""

import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import prometheus_client
import pytest
from prometheus_client.parser import text_string_to_metric_families

from floorbook import cli, settings
from floorbook.ledger import command
from floorbook.metrics import catalogue
from tests.unit import expressions
from tests.unit.expressions import PROMETHEUS, ROOT

RUNBOOKS = ROOT / "docs" / "runbooks"
OBJECTIVES = ROOT / "docs" / "slo.md"
SERVICES = {"GATEWAY", "TABLE", "EVALUATOR", "LEDGER", "METRICS"}
EACH = pytest.mark.parametrize("name", sorted(expressions.alerts()))
HEADINGS = [
    "## What it means",
    "## The query",
    "## The first three commands",
    "## How to know that it is over",
]


def page_of(name: str) -> str:
    return (RUNBOOKS / f"{name}.md").read_text(encoding="utf-8")


def block_of(page: str, kind: str) -> str:
    (found,) = re.findall(rf"^```{kind}\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    return str(found)


def cases_of(name: str) -> Iterator[tuple[str, list[Any]]]:
    """Yield the title of each test of the alert with the alerts that it expects."""
    for path in sorted((PROMETHEUS / "tests").glob("*.yaml")):
        for test in expressions.read(path)["tests"]:
            for case in test.get("alert_rule_test", []):
                if case["alertname"] == name:
                    yield test["name"], case["exp_alerts"]


def test_the_checker_sees_faults() -> None:
    assert expressions.faults("sum(floorbook_rounds_setled_total)")
    assert expressions.faults('floorbook_refusals_total{raison="BAD_BET"}')
    assert expressions.faults('floorbook_refusals_total{reason="BAD_BED"}')
    assert expressions.faults('floorbook_refusals_total{reason=~"BAD_BET|BAD_BED"}')
    assert expressions.faults('floorbook_settle_seconds_bucket{le="1"}')
    assert expressions.faults("sum by (player) (floorbook_refusals_total)")
    assert expressions.faults("sum(rate(floorbook_refusals_total[5m])")
    assert not expressions.faults('sum by (reason) (rate(floorbook_refusals_total{job="x"}[5m]))')


def test_the_checker_knows_what_processes_show() -> None:
    classes = {
        "gateway": catalogue.GatewayMetrics,
        "table": catalogue.TableMetrics,
        "evaluator": catalogue.EvaluatorMetrics,
        "ledger": catalogue.LedgerMetrics,
        "metrics": catalogue.BusinessMetrics,
    }
    for service, made in classes.items():
        registry = catalogue.new_registry(service)
        made(registry)
        shown = prometheus_client.generate_latest(registry).decode()
        for family in text_string_to_metric_families(shown):
            for sample in family.samples:
                if sample.name.startswith(("process_", "python_")):
                    continue
                series = expressions.known()[sample.name]
                assert set(sample.labels) | expressions.OF_THE_TARGET == series.labels, sample.name
                for label, value in sample.labels.items():
                    assert value in series.values.get(label, {value}), (sample.name, label, value)
        own = {name for name in expressions.known() if name.startswith("process_")}
        assert own <= set(re.findall(r"^process_\w+", shown, re.MULTILINE))


def test_every_expression_finds_what_exists() -> None:
    found = {
        rule.get("alert") or rule["record"]: expressions.faults(rule["expr"])
        for _, rule in expressions.rules()
    }
    assert len(found) > 60
    assert {name: faults for name, faults in found.items() if faults} == {}


def test_every_recorded_name_is_said_to_be_what_it_is() -> None:
    recorded = [rule["record"] for _, rule in expressions.rules() if "record" in rule]
    assert [
        name for name in recorded if not re.fullmatch(r"floorbook:[a-z_]+:[a-z0-9_]+", name)
    ] == []
    assert len(recorded) == len(set(recorded))
    # `known()` gives recorded series no label: they are sums over everything.
    for _, rule in expressions.rules():
        if "record" in rule:
            assert not re.search(r"\bby\s*\(", rule["expr"]), rule["record"]


@EACH
def test_an_alert_says_how_bad_it_is_and_where_to_read(name: str) -> None:
    alert = expressions.alerts()[name]
    assert alert["labels"] == {"severity": alert["labels"]["severity"]}
    assert alert["labels"]["severity"] in ("page", "ticket")
    assert set(alert["annotations"]) == {"summary", "runbook_url"}
    assert alert["annotations"]["runbook_url"] == f"docs/runbooks/{name}.md"
    assert (ROOT / alert["annotations"]["runbook_url"]).is_file()


@EACH
def test_a_summary_names_only_labels_that_the_alert_has(name: str) -> None:
    alert = expressions.alerts()[name]
    summary = alert["annotations"]["summary"]
    named = set(re.findall(r"\$labels\.(\w+)", summary))
    assert named <= expressions.labels_of_result(alert["expr"])
    assert not re.search(r"player|card|face", summary + " ".join(named), re.IGNORECASE)


@EACH
def test_an_alert_is_tried_both_ways(name: str) -> None:
    expected = [alerts for _, alerts in cases_of(name)]
    assert any(expected), "no test makes it fire"
    assert not all(expected), "no test keeps it quiet"
    for title, _ in cases_of(name):
        assert title.startswith(f"{name}: "), title


def test_nothing_is_tested_that_is_no_alert() -> None:
    tried = {
        case["alertname"]
        for path in (PROMETHEUS / "tests").glob("*.yaml")
        for test in expressions.read(path)["tests"]
        for case in test["alert_rule_test"]
    }
    assert tried == set(expressions.alerts())


def test_series_of_tests_exist() -> None:
    """A test whose series nobody exports proves nothing."""
    for path in sorted((PROMETHEUS / "tests").glob("*.yaml")):
        for test in expressions.read(path)["tests"]:
            for series in test["input_series"]:
                wrong = expressions.faults(series["series"])
                assert not wrong, f"{path.name}, {test['name']}: {wrong}"


def test_there_is_a_page_for_each_alert_and_for_nothing_else() -> None:
    pages = {path.stem for path in RUNBOOKS.glob("*.md")} - {"README"}
    assert pages == set(expressions.alerts())


def test_the_index_names_each_alert_with_its_severity() -> None:
    index = (RUNBOOKS / "README.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| \[(\w+)\]\((\w+)\.md\) \| (\w+) \|", index, re.MULTILINE)
    wanted = {
        (name, name, rule["labels"]["severity"]) for name, rule in expressions.alerts().items()
    }
    assert len(rows) == len(wanted)
    assert set(rows) == wanted


@EACH
def test_a_page_has_its_four_parts(name: str) -> None:
    page = page_of(name)
    assert page.startswith(f"# {name}\n")
    assert re.findall(r"^## .*$", page, re.MULTILINE) == HEADINGS
    assert "".join(block_of(page, "promql").split()) == "".join(
        expressions.alerts()[name]["expr"].split()
    )


@EACH
def test_the_page_says_the_rule_s_severity_wait_and_file(name: str) -> None:
    alert = expressions.alerts()[name]
    head = page_of(name).partition("## ")[0]
    assert f"(`{alert['labels']['severity']}`)" in head
    assert (f"held for {alert['for']}." if "for" in alert else "at once.") in head
    (named,) = re.findall(r"`(deploy/\S+\.yaml)`", head)
    assert any(
        rule.get("alert") == name and path == ROOT / named for path, rule in expressions.rules()
    )


def command_faults(line: str) -> Iterator[str]:
    """Yield why a runbook's command could not be run."""
    first, *others = [each.strip() for each in re.split(r"\s\|\s(?=grep )", line)]
    words = shlex.split(first)
    match words:
        case ["floorbook", *arguments]:
            if arguments[:1] == ["ledger"]:
                command._parser().parse_args(arguments[1:])
            elif not settings.declared():
                yield "no settings"
            with pytest.raises(SystemExit) as ended:
                cli.main([*arguments, "--help"])
            if ended.value.code != 0:
                yield f"floorbook has no {shlex.join(arguments)}"
        case ["curl", "-s", url]:
            found = re.fullmatch(r"http://\$(\w+):9100/(healthz|readyz|metrics)", url)
            if not found or found[1] not in SERVICES:
                yield f"no service answers at {url}"
        case ["promtool", "query", "instant", "$PROMETHEUS", expression]:
            yield from expressions.faults(expression)
        case _:
            yield f"nobody knows the command {words[:1]}"
    for each in others:
        name = shlex.split(each)[1]
        if name not in expressions.known():
            yield f"there is no {name} to grep for"


@EACH
def test_the_first_three_commands_exist(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for setting, value in {"KAFKA": "broker:9092", "DATABASE": "dbname=books"}.items():
        monkeypatch.setenv(f"FLOORBOOK_{setting}", value)
    lines = block_of(page_of(name), "sh").splitlines()
    assert len(lines) == 3
    assert {line: wrong for line in lines if (wrong := list(command_faults(line)))} == {}
    capsys.readouterr()


def test_wrong_commands_are_seen() -> None:
    wrong = (
        "kubectl get pods",
        'curl -s "http://$LEDGER:9100/ready"',
        "promtool query instant \"$PROMETHEUS\" 'sum(floorbook_lost_total)'",
        'curl -s "http://$LEDGER:9100/metrics" | grep floorbook_lost_total',
    )
    assert [line for line in wrong if not list(command_faults(line))] == []


def pages() -> list[Path]:
    return [*sorted(RUNBOOKS.glob("*.md")), OBJECTIVES]


@pytest.mark.parametrize("path", pages(), ids=lambda path: path.name)
def test_names_on_a_page_exist(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    names = set(re.findall(r"\bfloorbook[_:][a-z_:]+[a-z0-9]\w*", text))
    bases = {re.sub(r"_(bucket|count|sum)\Z", "", name) for name in expressions.known()}
    assert names - bases - set(expressions.known()) == set()
    variables = {setting.variable for _, setting in settings.declared()}
    assert set(re.findall(r"\bFLOORBOOK_[A-Z_]*[A-Z]\b", text)) <= variables


@pytest.mark.parametrize("path", pages(), ids=lambda path: path.name)
def test_links_and_files_on_a_page_exist(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    for link in re.findall(r"\]\(([^)\s]+)\)", text):
        name, _, anchor = link.partition("#")
        target = (path.parent / name).resolve()
        assert target.is_file(), link
        headings = re.findall(r"^#+ (.+)$", target.read_text(encoding="utf-8"), re.MULTILINE)
        anchors = {
            re.sub(r"[^\w\- ]", "", each.lower()).strip().replace(" ", "-") for each in headings
        }
        assert not anchor or anchor in anchors, link
    for named in re.findall(r"`(deploy/[\w./-]+\.\w+)`", text):
        assert (ROOT / named).is_file(), named


def test_alertmanager_quiets_only_alerts_that_exist() -> None:
    configuration = expressions.read(PROMETHEUS / "alertmanager.yml")
    for rule in configuration["inhibit_rules"]:
        for matcher in (*rule["source_matchers"], *rule["target_matchers"]):
            assert matcher.split('"')[1] in expressions.alerts(), matcher
    for route in configuration["route"]["routes"]:
        assert route["matchers"] == ['severity="page"']


def test_prometheus_reads_every_service_and_every_rule() -> None:
    configuration = expressions.read(PROMETHEUS / "prometheus.yml")
    jobs = {job["job_name"] for job in configuration["scrape_configs"]}
    services = expressions.known()["floorbook_build_info"].values["service"]
    assert jobs == {f"floorbook-{service}" for service in services}
    (pattern,) = configuration["rule_files"]
    assert sorted(PROMETHEUS.glob(pattern)) == list(expressions.RULES)
