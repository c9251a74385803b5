"""What the one program does with its command line."""

import json
import re
import subprocess
import sys
import types

import pytest

from floorbook import cli, logs, settings
from floorbook.gateway import service as gateway
from floorbook.ledger import service as ledger
from floorbook.metrics import service as metrics
from floorbook.settings import Settings
from floorbook.table import service as table

CODES = ["0", "1", "2", "70", "75", "78", "130"]


@pytest.fixture(autouse=True)
def _no_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("KAFKA", "DATABASE", "REGISTRY", "PARTITIONS"):
        monkeypatch.delenv(f"FLOORBOOK_{name}", raising=False)
    monkeypatch.setattr(logs, "configure", lambda *_, **__: None)


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """Modules in place of the services, which note how they are called and give 7."""
    made: list[object] = []

    def service(settings: Settings) -> int:
        made.append(settings)
        return 7

    def tool(argv: list[str], settings: Settings) -> int:
        made.extend([argv, settings])
        return 7

    def alone(argv: list[str]) -> int:
        made.append(argv)
        return 7

    mains = {
        **{f"{name}.service": service for name in ("gateway", "table", "evaluator", "metrics")},
        "ledger.service": service,
        "ledger.command": tool,
        "table.rebuild": tool,
        "evaluator.conformance": tool,
        "tools.quarantine": tool,
        "tools.suspended": tool,
        "gateway.command": alone,
        "demo.command": alone,
        "demo.simulate": alone,
    }
    for name, main in mains.items():
        module = types.ModuleType(f"floorbook.{name}")
        module.main = main  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, module.__name__, module)
    return made


ENVIRON = {
    "FLOORBOOK_KAFKA": "broker:9092",
    "FLOORBOOK_DATABASE": "postgresql://ledger:needle@db/book",
    "FLOORBOOK_REGISTRY": "registry.json",
}


@pytest.mark.parametrize(
    "argv", [["gateway"], ["table"], ["evaluator"], ["metrics"], ["ledger", "serve"]]
)
def test_a_service_gets_its_settings(
    argv: list[str], calls: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in ENVIRON.items():
        monkeypatch.setenv(name, value)
    assert cli.main(argv) == 7
    (read,) = calls
    assert isinstance(read, Settings)
    assert read.kafka == ("broker:9092",)


@pytest.mark.parametrize(
    ("argv", "rest"),
    [
        (["ledger", "balance", "--table", "T1"], ["balance", "--table", "T1"]),
        (["ledger", "migrate"], ["migrate"]),
        (["rebuild", "--from", "0"], ["--from", "0"]),
        (["conformance", "vectors.json"], ["vectors.json"]),
        (["quarantine", "--json"], ["--json"]),
        (["suspended"], []),
    ],
)
def test_a_tool_gets_its_arguments_and_settings(
    argv: list[str], rest: list[str], calls: list[object], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name, value in ENVIRON.items():
        monkeypatch.setenv(name, value)
    assert cli.main(argv) == 7
    assert calls[0] == rest
    assert isinstance(calls[1], Settings)


@pytest.mark.parametrize("command", ["demo", "simulate", "registry"])
def test_what_needs_no_settings_gets_its_arguments_even_help(
    command: str, calls: list[object]
) -> None:
    assert cli.main([command, "--help"]) == 7
    assert calls == [["--help"]]


COMMANDS = [
    *(["gateway"], ["table"], ["evaluator"], ["metrics"], ["ledger", "serve"]),
    *(["ledger"], ["ledger", "migrate"], ["ledger", "balance"], ["ledger", "entries"]),
    *(["ledger", "conflicts"], ["topics"], ["topics", "check"], ["rebuild"], ["conformance"]),
    *(["registry"], ["registry", "check"], ["registry", "token"], ["quarantine"], ["suspended"]),
    *(["settings"], ["demo"], ["simulate"], ["simulate", "furnish"], ["simulate", "play"]),
]


@pytest.mark.parametrize("flag", ["--help", "-h"])
@pytest.mark.parametrize("argv", COMMANDS, ids=" ".join)
def test_every_command_explains_itself_whatever_is_set(
    argv: list[str],
    flag: str,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("FLOORBOOK_PARTITIONS", "none")
    with pytest.raises(SystemExit) as left:
        cli.main([*argv, flag])
    assert left.value.code == 0
    told = capsys.readouterr()
    assert told.out.startswith("usage: floorbook " + argv[0])
    assert told.err == ""


@pytest.mark.parametrize(
    "argv",
    [
        *(["gateway"], ["ledger", "balance"], ["rebuild"], ["topics", "check"]),
        *(["quarantine"], ["suspended"]),
    ],
)
def test_wrong_settings_are_78_and_named(
    argv: list[str], calls: list[object], capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(argv) == 78
    assert calls == []
    shown = capsys.readouterr().err.splitlines()
    assert shown
    assert all(line.startswith("floorbook: FLOORBOOK_") for line in shown)


def test_help_names_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == 0
    shown = capsys.readouterr().out
    for command in (
        "gateway",
        "table",
        "evaluator",
        "ledger serve",
        "metrics",
        "demo",
        "simulate",
        "rebuild",
        "conformance",
        "ledger conflicts",
        "registry check",
        "registry token",
        "quarantine",
        "suspended",
    ):
        assert f"\n  {command} " in shown


def test_help_names_every_exit_code(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--help"]) == 0
    told = capsys.readouterr().out.partition("exit codes:")[2]
    assert re.findall(r"^ +(\d+)  ", told, re.MULTILINE) == CODES


def test_the_exit_codes_are_those_of_the_services() -> None:
    named = {
        *(0, 1),
        *(cli.EXIT_USAGE, cli.EXIT_INTERRUPTED, settings.EXIT_BAD_SETTINGS),
        *(metrics.EXIT_FAULT, ledger.EXIT_FAULT, gateway.EXIT_OUTAGE),
        *(table.EXIT_CRASHED, table.EXIT_AFTER_SESSION),
    }
    assert sorted(named) == [int(code) for code in CODES]


@pytest.mark.parametrize("argv", [[], ["tables"]])
def test_an_unknown_command_is_2(argv: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(argv) == 2
    assert "see floorbook --help" in capsys.readouterr().err


def test_a_service_takes_no_arguments(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as left:
        cli.main(["table", "--fast"])
    assert left.value.code == 2
    assert "--fast" in capsys.readouterr().err


def test_it_tells_its_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert capsys.readouterr().out.count(".") == 2


def test_a_misspelt_setting_is_pointed_out(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLOORBOOK_KAFAK", "broker:9092")
    assert cli.main(["settings"]) == 0
    assert "FLOORBOOK_KAFAK is no setting" in capsys.readouterr().err


def test_a_reader_that_has_seen_enough_is_no_fault() -> None:
    program = subprocess.Popen(
        [sys.executable, "-m", "floorbook.cli", "settings"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    assert program.stdout is not None
    assert program.stderr is not None
    program.stdout.close()
    assert program.stderr.read() == b""
    assert program.wait() == 0
    program.stderr.close()


def test_settings_are_shown_without_secrets(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FLOORBOOK_DATABASE", ENVIRON["FLOORBOOK_DATABASE"])
    monkeypatch.setenv("FLOORBOOK_PARTITIONS", "4")
    assert cli.main(["settings"]) == 0
    text = capsys.readouterr().out
    assert "FLOORBOOK_PARTITIONS=4\n" in text
    assert "FLOORBOOK_DATABASE=(set)\n" in text
    assert "needle" not in text
    assert cli.main(["settings", "--json"]) == 0
    records = json.loads(capsys.readouterr().out)
    by_name = {record["variable"]: record for record in records}
    assert by_name["FLOORBOOK_PARTITIONS"]["value"] == "4"
    assert by_name["FLOORBOOK_DATABASE"]["value"] == "(set)"
