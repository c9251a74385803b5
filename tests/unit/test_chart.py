"""The chart says of rules, dashboards, topics and settings what the code and deploy/ say."""

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import yaml

from floorbook import settings, topics
from floorbook.ledger.stream import GROUP as LEDGER_GROUP
from floorbook.metrics.stream import GROUP as METRICS_GROUP

ROOT = Path(__file__).parents[2]
CHART = ROOT / "helm" / "floorbook"
TEMPLATES = {path.name: path.read_text() for path in (CHART / "templates").iterdir()}


def test_the_chart_has_the_rules_and_dashboards_that_are_tested() -> None:
    """They are links, which Helm follows when it packs the chart (rung 3 of deploy/check): no copy can be stale."""
    for name, there in (("rules", "deploy/prometheus/rules"), ("dashboards", "deploy/dashboards")):
        assert (CHART / name).is_symlink()
        assert (CHART / name).resolve() == ROOT / there


def test_the_chart_makes_the_topics_that_are_declared() -> None:
    """Each property, and as readers and writers those that the declaration names."""
    there = {
        each["name"]: each for each in yaml.safe_load((CHART / "topics.yaml").read_text())["topics"]
    }
    assert there.keys() == {topic.name for topic in topics.ALL}
    services = {"gateway", "table", "ledger", "metrics", "finance"}
    for topic in topics.ALL:
        declared = topic.configuration(3)
        del declared["min.insync.replicas"]  # the template's, as it depends on the copies
        assert there[topic.name]["config"] == declared
        assert set(there[topic.name]["readers"]) - {"operators"} == services & set(topic.readers)
        owners = {each for each in services if each in topic.owner}
        # Whoever finds what it cannot read may say so.
        unreadable = {"gateway", "table", "ledger", "metrics"}
        assert set(there[topic.name]["writers"]) == (owners or unreadable)


def test_users_get_the_groups_that_the_services_are_members_of() -> None:
    """An access list with another name would keep a service out."""
    line = next(each for each in TEMPLATES["strimzi.yaml"].splitlines() if "$groups :=" in each)
    words = re.findall(r'"([^"]+)"', line)
    groups = dict(zip(words[::2], words[1::2], strict=True))
    assert groups == {
        "table": topics.TABLE_APP_ID,
        "ledger": LEDGER_GROUP,
        "metrics": METRICS_GROUP,
        "finance": "finance",
    }


def test_the_chart_sets_settings_that_exist() -> None:
    """A wrong name would have no effect, and nobody would be told."""
    known = {setting.variable for _, setting in settings.declared()}
    named = set(re.findall(r"FLOORBOOK_[A-Z_]+", "".join(TEMPLATES.values())))
    assert named - known == set()
    left_alone = {"FLOORBOOK_CRASH_AT", "FLOORBOOK_CRASH_FILE"}  # for tests
    assert known - named <= left_alone | {name for name in known if "OTEL" in name}


def test_the_chart_has_the_version_of_what_it_installs() -> None:
    """Both are released together."""
    chart = yaml.safe_load((CHART / "Chart.yaml").read_text())
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert chart["version"] == chart["appVersion"] == project["version"]


def test_the_schema_knows_each_value_and_no_other() -> None:
    """A default that the schema refuses, or a name that has no default, is a mistake in one of them."""
    values = yaml.safe_load((CHART / "values.yaml").read_text())
    schema = json.loads((CHART / "values.schema.json").read_text())
    free = {"scheduling.nodeSelector", "gateway.service.annotations"}

    def of_values(value: Any, path: str) -> Iterator[str]:
        if isinstance(value, dict) and path not in free and not path.endswith("labels"):
            for name, inner in value.items():
                yield from of_values(inner, f"{path}.{name}" if path else name)
        elif not re.search(r"resources\.", path):
            yield path

    def of_schema(part: dict[str, Any], path: str) -> Iterator[str]:
        if part.get("additionalProperties") is False:
            for name, inner in part["properties"].items():
                yield from of_schema(inner, f"{path}.{name}" if path else name)
        elif part.get("$ref") != "#/$defs/resources":
            yield path

    assert set(of_values(values, "")) == set(of_schema(schema, "")) - {"global"}
