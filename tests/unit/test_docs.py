"""What the documents say is what the code does: codes, names, commands, settings, files, links and examples."""

import ast
import hashlib
import json
import re
import shlex
import signal
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType

import grpc
import msgspec
import pytest
from google.protobuf.descriptor import FileDescriptor

from floorbook import cli, settings, topics
from floorbook.games.thirteen_cards.config import FLAGS, Config
from floorbook.gateway import registry
from floorbook.gateway.frames import BadFrame, FrameType
from floorbook.gateway.line import NUMBERS
from floorbook.gateway.refusals import Reason
from floorbook.gateway.registry import Registry
from floorbook.ledger import command, journal
from floorbook.metrics import catalogue
from floorbook.money import Movement, MovementKind, Transfer
from floorbook.table.events import EquipmentKind, Event, Fact, Role
from floorbook.table.mahjong.state import Phase as MahjongPhase
from floorbook.table.pai_kau.state import Phase as PaiKauPhase
from floorbook.table.refuse import NOTHING_KEPT
from floorbook.table.state import CauseKind, fresh
from floorbook.table.step import step
from floorbook.table.thirteen_cards.state import Phase
from floorbook.v1 import devices_pb2, event_pb2, floor_pb2, table_pb2
from floorbook.wire import envelope, quarantine

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "services" / "floorbook"
FLOOR, FINANCE, SRE = (ROOT / "docs" / f"{name}.md" for name in ("floor", "finance", "sre"))
DOCUMENTS = (
    ROOT / "README.md",
    ROOT / "CHANGELOG.md",
    ROOT / "deploy" / "device-protocol.md",
    ROOT / "docs" / "architecture.md",
    ROOT / "docs" / "deploy.md",
    ROOT / "docs" / "drills.md",
    ROOT / "docs" / "kubernetes.md",
    ROOT / "docs" / "performance.md",
    ROOT / "docs" / "slo.md",
    FLOOR,
    FINANCE,
    SRE,
)
RULES = sorted((ROOT / "docs" / "rules").glob("*.md"))  # whose codes are the games' own
PHASES = (Phase, PaiKauPhase, MahjongPhase)
EACH = pytest.mark.parametrize("document", [*DOCUMENTS, *RULES], ids=lambda path: path.name)

_CODE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)*\Z")
_HEX = re.compile(r"[0-9A-F]{4}\Z")


@cache
def text_of(document: Path) -> str:
    return document.read_text(encoding="utf-8")


def prose_of(document: Path) -> str:
    """Return the document without its blocks of code."""
    return re.sub(r"^```.*?^```", "", text_of(document), flags=re.DOTALL | re.MULTILINE)


def blocks_of(document: Path, kind: str) -> list[str]:
    """Return the blocks of code that open with exactly `kind`."""
    opened = rf"^```{re.escape(kind)}\n(.*?)^```"
    return re.findall(opened, text_of(document), re.DOTALL | re.MULTILINE)


def ticked(document: Path) -> list[str]:
    """Return everything that stands between ticks outside of blocks."""
    return re.findall(r"`([^`\n]+)`", prose_of(document))


def explained(document: Path) -> set[str]:
    """Return every code that has a row in a table of codes."""
    found: set[str] = set()
    for table in re.findall(
        r"^\| code \|(.*?)\n(?!\|)", prose_of(document), re.DOTALL | re.MULTILINE
    ):
        for cell in re.findall(r"^\| ([^|]+) \|", table, re.MULTILINE):
            found |= set(re.findall(r"`([^`]+)`", cell))
    return found


def called(path: Path, name: str, place: int) -> Iterator[ast.expr]:
    """Yield the argument number `place` of every call of `name` in the file."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and ast.unparse(node.func) == name:
            yield from node.args[place : place + 1]


def texts(nodes: Iterator[ast.expr]) -> set[str]:
    return {n.value for n in nodes if isinstance(n, ast.Constant) and isinstance(n.value, str)}


@cache
def table_codes() -> frozenset[str]:
    """Return every code with which a table's fold can refuse."""
    found: set[str] = set()
    for path in PACKAGE.glob("table/**/*.py"):
        found |= texts(called(path, "Reason", 0)) | texts(called(path, "_suspended", 3))
    found |= texts(called(PACKAGE / "games/pai_kau/procedure.py", "Objection", 0))
    laid = ast.parse((PACKAGE / "games/thirteen_cards/arrangement.py").read_text(encoding="utf-8"))
    for node in ast.walk(laid):
        if isinstance(node, ast.Return) and isinstance(node.value, ast.Constant):
            found |= {node.value.value} if isinstance(node.value.value, str) else set()
    return frozenset(found)


@cache
def quarantine_codes() -> frozenset[str]:
    """Return every reason for which a record cannot be read."""
    named = {
        "EMPTY": quarantine.EMPTY,
        "NOT_DECODABLE": quarantine.NOT_DECODABLE,
        "WRONG_KEY": quarantine.WRONG_KEY,
        "envelope.UNKNOWN_FACT": envelope.UNKNOWN_FACT,
        "envelope.FOLD_FAILED": envelope.FOLD_FAILED,
    }
    found: set[str] = set()
    for folder in ("wire", "table", "ledger", "metrics", "gateway"):
        for path in PACKAGE.glob(f"{folder}/**/*.py"):
            nodes = list(called(path, "Unreadable", 0))
            found |= texts(iter(nodes)) | {named[n] for n in map(ast.unparse, nodes) if n in named}
    return frozenset(found)


def conflict_codes() -> set[str]:
    return {
        value
        for name, value in vars(journal).items()
        if isinstance(value, str) and name == value and _CODE.match(name)
    }


def test_the_collectors_see_the_code() -> None:
    assert {"NOT_ALLOWED", "CONFLICT", "SEQUENCE_GAP", "BAD_CARD", "TIME_UP"} <= table_codes()
    assert {"EMPTY", "UNKNOWN_FACT", "BAD_PARTY", "WRONG_PARTITION"} <= quarantine_codes()
    assert "OTHER_MONEY" in conflict_codes()


def test_every_code_of_the_floor_is_explained_and_no_other() -> None:
    wanted = table_codes() | set(Reason) | set(BadFrame)
    assert explained(FLOOR) - wanted == set(), "explained, and never answered"
    assert wanted - explained(FLOOR) == set(), "answered, and not explained"


def test_every_reason_of_quarantine_is_explained_and_no_other() -> None:
    assert explained(SRE) == quarantine_codes()


def test_every_conflict_of_the_ledger_is_explained_and_no_other() -> None:
    assert explained(FINANCE) == conflict_codes()


def test_the_numbers_of_refusals_on_a_line_are_right() -> None:
    rows = re.findall(r"^\| `([A-Z_]+)` \| (\d+) \|", text_of(FLOOR), re.MULTILINE)
    assert {code: int(number) for code, number in rows} == {
        reason.value: number for reason, number in NUMBERS.items()
    }


def enum_names(*files: FileDescriptor) -> set[str]:
    return {
        value.name
        for file in files
        for enum in file.enum_types_by_name.values()
        for value in enum.values
    }


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_every_word_in_capitals_means_something(document: Path) -> None:
    protos: tuple[ModuleType, ...] = (devices_pb2, event_pb2, floor_pb2, table_pb2)
    known = (
        table_codes()
        | quarantine_codes()
        | conflict_codes()
        | set(Reason)
        | set(BadFrame)
        | {phase.value for phases in PHASES for phase in phases}
        | {kind.name for kind in FrameType}
        | {status.name for status in grpc.StatusCode}
        | enum_names(*(proto.DESCRIPTOR for proto in protos))
        | {setting.variable for _, setting in settings.declared()}
        | {each.name for each in signal.Signals}
        | set(re.findall(r"\b[A-Z_]+\b", text_of(ROOT / "deploy" / "compose.yaml")))
        | {"CLOSED"}
    )
    shouted = {each for each in ticked(document) if _CODE.match(each) and len(each) > 3}
    assert {each for each in shouted - known if not _HEX.match(each)} == set()


@EACH
def test_every_metric_exists(document: Path) -> None:
    every = [metric for metrics in catalogue.every_metric().values() for metric in metrics]
    known = {metric.name for metric in every} | {"floorbook_build_info"}
    for metric in every:
        if metric.buckets:
            known |= {f"{metric.name}_{part}" for part in ("bucket", "count", "sum")}
    named = set(re.findall(r"\bfloorbook_[a-z_]+\b", text_of(document)))
    roles = {"floorbook_writer", "floorbook_reader"}
    assert named - known - roles == set()


def test_labels_in_expressions_exist() -> None:
    every = {m.name: m for metrics in catalogue.every_metric().values() for m in metrics}
    found = re.findall(r"\b(floorbook_[a-z_]+)\{([^}]*)\}", text_of(SRE))
    assert found, "the page shows expressions with labels"
    for name, selectors in found:
        metric = every[re.sub(r"_(bucket|count|sum)\Z", "", name) if name not in every else name]
        values = {value for labels in metric.label_sets() for value in labels}
        for label, value in re.findall(r'(\w+)!?="([^"]*)"', selectors):
            assert label in metric.labels, (name, label)
            assert value in values, (name, value)


@EACH
def test_every_setting_exists(document: Path) -> None:
    known = {setting.variable for _, setting in settings.declared()}
    text = text_of(document)
    misspelt = set(re.findall(r"(FLOORBOOK_\w+) is no setting", text))
    named = set(re.findall(r"\bFLOORBOOK_[A-Z_]*[A-Z]\b", text))
    assert named - misspelt - known == set()


@EACH
def test_every_topic_exists(document: Path) -> None:
    named = set(re.findall(r"\bfloorbook[.-][a-z.-]+(?:\.v\d+|-changelog)\b", text_of(document)))
    assert named <= {topic.name for topic in topics.ALL}


def test_every_topic_is_explained() -> None:
    assert [topic.name for topic in topics.ALL if f"`{topic.name}`" not in text_of(SRE)] == []


def commands_of(document: Path) -> Iterator[str]:
    text = text_of(document)
    for found in re.findall(r"`(?:\.venv/bin/)?floorbook( [^`\n…]*)?`", prose_of(document)):
        yield found
    for found in re.findall(r"^\$ (?:\w+=\S+ )*floorbook( .*)?$", text, re.MULTILINE):
        yield found


@EACH
def test_every_command_parses(
    document: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name, value in {"KAFKA": "broker:9092", "DATABASE": "dbname=books"}.items():
        monkeypatch.setenv(f"FLOORBOOK_{name}", value)
    monkeypatch.setenv("FLOORBOOK_REGISTRY", "registry.json")
    for line in commands_of(document):
        words = shlex.split(line)
        if not words or words == ["--help"]:
            continue
        if words[0] == "ledger" and words[1:] != ["serve"]:
            command._parser().parse_args(words[1:])
        with pytest.raises(SystemExit) as ended:
            cli.main([*words, "--help"])
        assert ended.value.code == 0, line
    capsys.readouterr()


@EACH
def test_every_target_of_make_exists(document: Path) -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z]+):", makefile, re.MULTILINE))
    options = set(re.findall(r"(?:\b|call option,)([A-Z_]+)[=,]", makefile)) | {"PYTHON"}
    for line in ticked(document):
        words = shlex.split(line) if line.startswith("make ") else []
        if words:
            assert words[1] in targets, line
            assert {word.partition("=")[0] for word in words[2:]} <= options, line


@EACH
def test_every_file_exists(document: Path) -> None:
    path = re.compile(r"[\w.<>*-]+(/[\w.<>*-]+)*(/|\.(py|proto|md|json|toml))\Z")
    for named in ticked(document):
        if (
            "/" not in named
            or not path.match(named)
            or named.startswith(("/", "player/", "house/"))
        ):
            continue
        pattern = re.sub(r"<\w+>", "*", named).rstrip("/")
        assert any(ROOT.glob(pattern)) or any(PACKAGE.glob(pattern)), f"{named} is not there"


def anchors_of(document: Path) -> set[str]:
    """Return the anchors that GitHub makes of the document's headings."""
    headings = re.findall(r"^#+ (.+)$", prose_of(document), re.MULTILINE)
    kept = (re.sub(r"[^\w\- ]", "", heading.lower()) for heading in headings)
    return {heading.strip().replace(" ", "-") for heading in kept}


@EACH
def test_every_link_leads_somewhere(document: Path) -> None:
    for link in re.findall(r"\]\(([^)\s]+)\)", prose_of(document)):
        if link.startswith(("https://", "http://")):
            continue
        name, _, anchor = link.partition("#")
        target = (document.parent / name).resolve() if name else document
        assert target.exists(), link
        assert not anchor or anchor in anchors_of(target), link


def test_the_registry_of_the_example_can_be_used() -> None:
    (block,) = blocks_of(FLOOR, "json registry")
    found = registry.read(block.encode())
    assert isinstance(found, Registry), found
    for client in ("pit-3", "desk-12", "seat-12-1"):
        known = found.client(f"example-token-of-{client}")
        assert known is not None
        assert known.client_id == client


def test_the_table_of_the_example_can_be_opened() -> None:
    (block,) = blocks_of(FLOOR, "python example")
    example: dict[str, object] = {"__name__": "example"}
    exec(compile(block, "floor.md", "exec"), example)
    opened = example["OPENED"]
    assert isinstance(opened, table_pb2.TableOpened)
    acts = (
        floor_pb2.Act(source_started=table_pb2.SourceStarted()),
        floor_pb2.Act(table_opened=opened),
    )
    state = fresh("T12", 0)
    for number, act in enumerate(acts, 1):
        fact = envelope.fact_of(act)
        assert isinstance(fact, Fact), fact
        event = Event(
            table_id="T12",
            fact=fact,
            role=Role.SUPERVISOR,
            observe_time_ms=1_700_000_000_000,
            equipment_id="pit-3",
            equipment_kind=EquipmentKind.PIT_TERMINAL,
            boot=1,
            sequence=number,
            fingerprint=envelope.fingerprint(fact),
            offset=number,
        )
        taken = step(state, event, NOTHING_KEPT)
        assert taken.verdict.refusal is None
        state = taken.state


def test_the_root_of_the_example_is_right(capsys: pytest.CaptureFixture[str]) -> None:
    (block,) = blocks_of(FLOOR, "python")
    exec(compile(block, "floor.md", "exec"), {})
    assert f"prints `{capsys.readouterr().out.strip()}`" in text_of(FLOOR)


def test_the_token_of_the_example_is_known_by_its_line() -> None:
    shown = r'^\$ floorbook registry token\n(.+)\n"token": "(.+)"$'
    ((token, digest),) = re.findall(shown, text_of(FLOOR), re.MULTILINE)
    assert hashlib.sha256(token.encode()).hexdigest() == digest


def test_the_flags_are_those_of_the_rule_set() -> None:
    section = text_of(FLOOR).partition("## Opening a table")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| `(\w+)` \| (\S.*?) \| TC-\d+ \|", section, re.MULTILINE)
    assert [flag for flag, _ in rows] == list(FLAGS["thirteen_cards"])
    for flag, shown in rows:
        value = getattr(Config(), flag)
        assert json.loads(shown.strip("`")) == (list(value) if isinstance(value, tuple) else value)


def test_every_cause_of_suspension_is_explained() -> None:
    kinds = set(re.findall(r"^\| `([a-z]+)/<", text_of(FLOOR), re.MULTILINE))
    assert kinds == set(CauseKind)


def test_every_phase_is_named() -> None:
    known = {phase.value for phases in PHASES for phase in phases}
    assert [phase for phase in sorted(known) if f"`{phase}`" not in text_of(FLOOR)] == []


def test_every_fact_of_the_game_and_of_devices_is_in_the_round() -> None:
    shown = set(ticked(FLOOR))
    games = (fact for facts in envelope.GAMES.values() for fact in facts.values())
    facts = {*envelope.COMMON.values(), *games}
    unnamed = {"ViewAsked"}  # a gateway's own
    assert {fact.__name__ for fact in facts} - shown - unnamed == set()


def test_the_worked_round_is_what_the_ledger_makes_of_it() -> None:
    golden = ROOT / "tests" / "golden" / "thirteen_cards" / "win_lose_tie.json"
    lines: list[str] = []
    for each in json.loads(golden.read_text(encoding="utf-8"))["movements"]:
        entry = journal.journalise(
            Movement(
                movement_id=each["id"],
                kind=MovementKind(each["kind"]),
                table_id="T1",
                round_id="T1/1",
                game="thirteen_cards",
                rule_set="thirteen_cards",
                rules_version="1",
                gaming_day=each["gaming_day"],
                own_gaming_day=each["gaming_day"],
                table_time_ms=1,
                number=each["number"],
                currency=each["currency"],
                fingerprint=bytes.fromhex(each["fingerprint"]),
                transfers=msgspec.convert(each["transfers"], tuple[Transfer, ...]),
            )
        )
        lines.append(f"{entry.entry_id}  no. {entry.number}")
        lines += [f"    {p.account:31}  {p.amount:>5}  {p.subject}" for p in entry.postings]
        assert sum(posting.amount for posting in entry.postings) == 0
    assert blocks_of(FINANCE, "text worked") == ["\n".join(lines) + "\n"]
