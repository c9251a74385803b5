"""How settings are read, refused and shown."""

from collections.abc import Mapping

import pytest

from floorbook import settings
from floorbook.settings import Address, Settings

GOOD = {
    "FLOORBOOK_KAFKA": "one:9092, [::1]:9093",
    "FLOORBOOK_DATABASE": "postgresql://ledger:needle@db/book",
    "FLOORBOOK_REGISTRY": "/etc/floorbook/registry.json",
    "FLOORBOOK_GATEWAY_LISTEN": "[::]:7001",
    "FLOORBOOK_SUBMIT_DEADLINE_SECONDS": "0.5",
    "FLOORBOOK_LOG_FORMAT": "terminal",
}


def good(environ: Mapping[str, str], service: str | None = None) -> Settings:
    read = settings.read(environ, service)
    assert isinstance(read, Settings), read
    return read


def faults(environ: Mapping[str, str], service: str | None = None) -> list[str]:
    read = settings.read(environ, service)
    assert isinstance(read, list)
    return read


def test_values_are_typed() -> None:
    read = good(GOOD)
    assert read.kafka == ("one:9092", "[::1]:9093")
    assert read.gateway_listen == Address("::", 7001)
    assert str(read.gateway_listen) == "[::]:7001"
    assert read.submit_deadline_seconds == 0.5
    assert read.log_format == "terminal"


def test_what_is_not_set_has_its_default() -> None:
    read = good({"FLOORBOOK_SLOT": "  "})
    assert (read.partitions, read.replication, read.slot) == (12, 3, "0")
    assert read.session_timeout_seconds == 6
    assert (read.kafka, read.database, read.crash_at) == ((), "", "")


def test_every_default_listens_on_loopback_only() -> None:
    read = good({})
    listens = (read.gateway_listen, read.device_listen, read.evaluator_listen, read.probes_listen)
    assert {each.host for each in listens} == {"127.0.0.1"}
    assert len({each.port for each in listens}) == len(listens)


def test_all_faults_are_named_at_once() -> None:
    found = faults(
        {
            "FLOORBOOK_KAFKA": "broker",
            "FLOORBOOK_PARTITIONS": "0",
            "FLOORBOOK_SLOT": "a slot",
            "FLOORBOOK_PROBES_LISTEN": "::1:9100",
            "FLOORBOOK_EVALUATE_DEADLINE_SECONDS": "soon",
        },
        "ledger",
    )
    assert [fault.split()[0] for fault in found] == [
        "FLOORBOOK_KAFKA",
        "FLOORBOOK_DATABASE",
        "FLOORBOOK_PARTITIONS",
        "FLOORBOOK_PROBES_LISTEN",
        "FLOORBOOK_SLOT",
        "FLOORBOOK_EVALUATE_DEADLINE_SECONDS",
    ]


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("KAFKA", "one:9092,"),
        ("KAFKA", "one:0"),
        ("KAFKA", "kafka://one:9092"),
        ("EVALUATOR", "evaluator:0"),
        ("EVALUATOR", ":7003"),
        ("GATEWAY_LISTEN", "7001"),
        ("GATEWAY_LISTEN", "127.0.0.1:70000"),
        ("GATEWAY_LISTEN", "127.0.0.1:-1"),
        ("GATEWAY_LISTEN", "127.0.0.1:٣"),
        ("PARTITIONS", "1.5"),
        ("PARTITIONS", "1_0"),
        ("REPLICATION", "10"),
        ("SUBMIT_DEADLINE_SECONDS", "0"),
        ("SUBMIT_DEADLINE_SECONDS", "-1"),
        ("SUBMIT_DEADLINE_SECONDS", "nan"),
        ("SUBMIT_DEADLINE_SECONDS", "inf"),
        ("LOG_LEVEL", "INFO"),
        ("LOG_FORMAT", "xml"),
        ("SLOT", "x" * 41),
        ("QUARANTINE_LIMIT_PER_MINUTE", "0"),
        ("CRASH_AT", "after-outputs:0"),
        ("CRASH_AT", "After"),
    ],
)
def test_bad_values_are_refused_by_name(name: str, value: str) -> None:
    found = faults({f"FLOORBOOK_{name}": value, "FLOORBOOK_CRASH_FILE": "/x"})
    assert len(found) == 1
    assert found[0].startswith(f"FLOORBOOK_{name} is {value!r}: ")


@pytest.mark.parametrize(
    ("service", "missing"),
    [
        ("gateway", {"FLOORBOOK_KAFKA", "FLOORBOOK_REGISTRY"}),
        ("table", {"FLOORBOOK_KAFKA"}),
        ("evaluator", set()),
        ("ledger", {"FLOORBOOK_KAFKA", "FLOORBOOK_DATABASE"}),
        ("ledger-tools", {"FLOORBOOK_DATABASE"}),
        ("metrics", {"FLOORBOOK_KAFKA"}),
        ("topics", {"FLOORBOOK_KAFKA"}),
    ],
)
def test_each_service_says_what_it_cannot_do_without(service: str, missing: set[str]) -> None:
    read = settings.read({}, service)
    found = read if isinstance(read, list) else []
    assert {fault.split()[0] for fault in found} == missing
    good(GOOD, service)


def test_a_crash_point_needs_its_file() -> None:
    (fault,) = faults({"FLOORBOOK_CRASH_AT": "after-outputs:3"})
    assert "FLOORBOOK_CRASH_FILE" in fault
    both = {"FLOORBOOK_CRASH_AT": "after-outputs:3", "FLOORBOOK_CRASH_FILE": "/x"}
    assert good(both).crash_at == "after-outputs:3"


def test_a_secret_is_in_no_text() -> None:
    read = good(GOOD)
    assert read.database.endswith("needle@db/book")
    assert "needle" not in repr(read)
    assert "needle" not in str(settings.describe(read))


def test_every_setting_is_explained() -> None:
    for record in settings.describe(good({})):
        assert record["meaning"].endswith(".")
        assert record["kind"]
        assert record["used_by"]
        secrets = ("FLOORBOOK_DATABASE", "FLOORBOOK_KAFKA_PASSWORD")
        assert record["secret"] == (record["variable"] in secrets)


def test_what_only_looks_like_a_setting_is_found() -> None:
    assert settings.unknown({"FLOORBOOK_KAFAK": "x", "FLOORBOOK_KAFKA": "y", "PATH": "z"}) == [
        "FLOORBOOK_KAFAK"
    ]


def test_users_are_named_with_what_they_cannot_do_without() -> None:
    known = {setting.variable: setting for _, setting in settings.declared()}
    for setting in known.values():
        assert set(setting.required_by) <= set(setting.used_by), setting.variable
    assert "ledger-tools" in known["FLOORBOOK_DATABASE"].used_by
    limit = known["FLOORBOOK_QUARANTINE_LIMIT_PER_MINUTE"]
    for user in limit.used_by:
        assert user in limit.meaning, "what it does differs from service to service"
