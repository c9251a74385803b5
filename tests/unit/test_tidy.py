"""The house rules that a machine can hold: who may do what, where each name lives, how code reads.

Everything under `games`, `table` and `wire` is pure unless it is listed as a shell here; elsewhere what must stay
pure is listed.
"""

import ast
import re
import sys
import tomllib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path, PurePath

from floorbook import settings
from floorbook.metrics import catalogue

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "services" / "floorbook"

# Pure files never wait, look at a clock, a file or a socket, or log: they only decide.
PURE = (
    "games/**",
    "table/**",
    "wire/**",
    "evaluator/answers.py",
    "evaluator/judge.py",
    "gateway/dice.py",
    "gateway/frames.py",
    "gateway/layout.py",
    "gateway/payload.py",
    "gateway/refusals.py",
    "gateway/shoe.py",
    "gateway/shuffler.py",
    "ledger/accounts.py",
    "ledger/journal.py",
    "metrics/count.py",
    "ids.py",
    "lag.py",
    "money.py",
    "seal.py",
    "trace.py",
)
# Among them a new shell is a decision, and its line says so.
SHELLS = (
    "*/service.py",
    "*/client.py",
    "*/store.py",
    "table/rebuild.py",  # a tool
    "table/recheck.py",  # the same, again and again
    "table/obligations.py",  # tasks beside the stream
    "table/delivery.py",  # a part of Faust
    "table/gather.py",  # the queue before the fold
    "table/log.py",  # what the broker has
    "table/tracing.py",  # lines and spans
)
ENVIRONMENT = ("settings.py", "crash.py", "demo/**")
NO_FLOATS = (
    "games/**",
    "table/**",
    "ledger/accounts.py",
    "ledger/journal.py",
    "money.py",
    "ids.py",
)

IMPURE_MODULES = frozenset(
    {
        *("asyncio", "io", "logging", "os", "random", "secrets", "select", "signal", "socket"),
        *("shutil", "subprocess", "tempfile", "threading", "time", "uuid", "urllib", "warnings"),
        *("aiokafka", "alembic", "faust", "grpc", "kafka", "mode", "prometheus_client", "psycopg"),
        *("structlog", "uvloop"),
    }
)
IMPURE_OURS = ("logs", "settings", "probes", "crash", "demo", "cli", "spans")
FILES = frozenset({"read_text", "write_text", "read_bytes", "write_bytes"})
CLOCKS = frozenset({"now", "utcnow", "today", "fromtimestamp", "localtime"})


@dataclass(frozen=True)
class Source:
    """One Python file of the package."""

    path: str  # below the package
    text: str
    tree: ast.Module

    def fault(self, node: ast.AST, what: str) -> str:
        """Return where and what a fault is."""
        return f"{self.path}:{getattr(node, 'lineno', 1)}: {what}"

    def is_one_of(self, patterns: tuple[str, ...]) -> bool:
        """Return whether a pattern names this file; `x/**` is everything below x."""
        return any(
            self.path.startswith(pattern.removesuffix("**"))
            if pattern.endswith("/**")
            else PurePath(self.path).match(pattern) and pattern.count("/") == self.path.count("/")
            for pattern in patterns
        )


@cache
def sources() -> tuple[Source, ...]:
    found = []
    for file in sorted(PACKAGE.rglob("*.py")):
        path = file.relative_to(PACKAGE).as_posix()
        if not path.startswith("v1/"):
            text = file.read_text(encoding="utf-8")
            found.append(Source(path, text, ast.parse(text)))
    return tuple(found)


def hold(
    rule: Callable[[Source], Iterator[str]],
    *,
    but: tuple[str, ...] = (),
    only: tuple[str, ...] = (),
) -> None:
    """Fail with every fault that `rule` finds, in files named in `only` (or all) and not in `but`."""
    found = [
        fault
        for source in sources()
        if not source.is_one_of(but) and (not only or source.is_one_of(only))
        for fault in rule(source)
    ]
    assert not found, "\n" + "\n".join(found)


def imported(tree: ast.AST) -> Iterator[tuple[ast.AST, str]]:
    """Yield every imported module and name, dotted."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                yield node, alias.name
        elif isinstance(node, ast.ImportFrom):
            for alias in node.names:
                yield node, f"{node.module}.{alias.name}"


def literals(source: Source) -> Iterator[ast.Constant]:
    """Yield every text that the program may use: no docstrings."""
    docstrings = {id(node.value) for node in ast.walk(source.tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(source.tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in docstrings
        ):
            yield node


def test_the_rules_see_the_package() -> None:
    assert {"cli.py", "money.py", "metrics/catalogue.py"} <= {source.path for source in sources()}
    unseen = [pattern for pattern in PURE if not any(s.is_one_of((pattern,)) for s in sources())]
    assert unseen == [], "what is gone is no longer listed"


def test_no_module_is_a_drawer_for_odds_and_ends() -> None:
    drawers = {"utils", "util", "helpers", "helper", "common", "misc", "shared", "base"}
    assert [
        source.path
        for source in sources()
        if drawers & {PurePath(part).stem for part in PurePath(source.path).parts}
    ] == []


def test_topic_names_are_in_one_place() -> None:
    name = re.compile(r"floorbook\.[a-z-]+\.v[0-9]+|-changelog\b")

    def rule(source: Source) -> Iterator[str]:
        for node in literals(source):
            if name.search(str(node.value)):
                yield source.fault(node, f"the topic {node.value!r} is named outside topics.py")

    hold(rule, but=("topics.py",))


def test_metric_names_are_in_one_place() -> None:
    names = {m.name for metrics in catalogue.every_metric().values() for m in metrics}

    def rule(source: Source) -> Iterator[str]:
        for text in literals(source):
            if text.value in names:
                yield source.fault(text, f"the metric {text.value} is named outside the catalogue")
        for node, name in imported(source.tree):
            made = name.removeprefix("prometheus_client.")
            if (
                made in {"Counter", "Gauge", "Histogram", "Summary", "Info", "Enum"}
                and made != name
            ):
                yield source.fault(node, "a metric is made outside the catalogue")

    hold(rule, but=("metrics/catalogue.py",))


def test_the_environment_is_read_in_one_place() -> None:
    def rule(source: Source) -> Iterator[str]:
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Attribute) and node.attr in {"environ", "environb", "getenv"}:
                yield source.fault(node, "the environment is read outside settings.py")
        for node, name in imported(source.tree):
            if name in {"os.environ", "os.environb", "os.getenv"}:
                yield source.fault(node, "the environment is read outside settings.py")

    hold(rule, but=ENVIRONMENT)


def test_only_declared_settings_are_named() -> None:
    declared = {setting.variable for _, setting in settings.declared()}
    name = re.compile(r"\bFLOORBOOK_[A-Z_]*[A-Z]\b")

    def rule(source: Source) -> Iterator[str]:
        for node in literals(source):
            for found in name.findall(str(node.value)):
                if found not in declared:
                    yield source.fault(node, f"{found} is declared nowhere")

    hold(rule)


def test_only_shells_wait_log_and_look_at_the_world() -> None:
    def rule(source: Source) -> Iterator[str]:
        for node, name in imported(source.tree):
            if name.split(".")[0] in IMPURE_MODULES:
                yield source.fault(node, f"{name} is for shells")
            if name.startswith("floorbook.") and name.split(".")[1] in IMPURE_OURS:
                yield source.fault(node, f"{name} is for shells")
        for node in ast.walk(source.tree):
            match node:
                case ast.Await() | ast.AsyncFunctionDef() | ast.AsyncFor() | ast.AsyncWith():
                    yield source.fault(node, "only shells wait")
                case ast.Call(func=ast.Name(id="open" | "input" | "print" as name)):
                    yield source.fault(node, f"{name}() is for shells")
                case ast.Attribute(attr=name) if name in CLOCKS:
                    yield source.fault(node, f"{name} looks at a clock")
                case ast.Attribute(attr=name) if name in FILES:
                    yield source.fault(node, f"{name}() is for shells")

    hold(rule, only=PURE, but=SHELLS)


PURE_LIBRARIES = sys.stdlib_module_names - IMPURE_MODULES | {"msgspec"}


def imports_only(*ours: str) -> Callable[[Source], Iterator[str]]:
    """Return the rule that a file imports `ours`, msgspec and what is pure in the standard library."""

    def rule(source: Source) -> Iterator[str]:
        for node, name in imported(source.tree):
            is_ours = any(f"{name}.".startswith(f"floorbook.{each}.") for each in ours)
            if not is_ours and name.split(".")[0] not in PURE_LIBRARIES:
                yield source.fault(node, f"{name} may not be imported here")

    return rule


def test_games_rest_on_themselves() -> None:
    hold(imports_only("games"), only=("games/**",))


def test_the_fold_rests_on_rules_and_words_only() -> None:
    # batch.py is where the pure fold meets the wire: live, rebuild and audit fold through it.
    but = (*SHELLS, "table/batch.py")
    hold(imports_only("games", "table", "ids", "money", "seal"), only=("table/**",), but=but)


def test_ids_and_money_rest_on_nothing() -> None:
    hold(imports_only("ids", "money"), only=("ids.py", "money.py", "seal.py"))


def test_money_knows_no_floats() -> None:
    def rule(source: Source) -> Iterator[str]:
        for node in ast.walk(source.tree):
            match node:
                case ast.Constant(value=float()) | ast.Name(id="float"):
                    yield source.fault(node, "money and rules know no floats")
                case ast.BinOp(op=ast.Div()) | ast.AugAssign(op=ast.Div()):
                    yield source.fault(node, "/ makes a float: use // and name the rounding")

    hold(rule, only=NO_FLOATS, but=SHELLS)


def test_nothing_is_printed() -> None:
    def rule(source: Source) -> Iterator[str]:
        for node in ast.walk(source.tree):
            if isinstance(node, ast.Call) and ast.unparse(node.func) in {"print", "pprint.pprint"}:
                yield source.fault(node, "print is for cli.py")

    hold(rule, but=("cli.py",))


def test_importing_does_nothing() -> None:
    def rule(source: Source) -> Iterator[str]:
        for node in source.tree.body:
            if isinstance(node, ast.Expr) and not isinstance(node.value, ast.Constant):
                yield source.fault(node, "an import must do nothing")
            if isinstance(node, ast.For | ast.While | ast.With | ast.Try):
                yield source.fault(node, "an import must do nothing")
        for inner in ast.walk(source.tree):
            if isinstance(inner, ast.Global):
                yield source.fault(inner, "there are no mutable globals")

    hold(rule, but=("ledger/schema/**",))


def public_definitions(
    body: list[ast.stmt],
) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef]:
    """Yield the public functions, classes and methods of a module's or class's body."""
    for node in body:
        match node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() if not node.name.startswith("_"):
                yield node
            case ast.ClassDef() if not node.name.startswith("_"):
                yield node
                yield from public_definitions(node.body)


def test_everything_public_is_explained_by_a_sentence() -> None:
    def rule(source: Source) -> Iterator[str]:
        if source.tree.body and not ast.get_docstring(source.tree):
            yield source.fault(source.tree, "a module opens with what it decides")
        for node in public_definitions(source.tree.body):
            # A sentence may go on over the line's end; it stops before the first empty line.
            first = (ast.get_docstring(node) or "").partition("\n\n")[0]
            if not re.fullmatch(r"\S.*[.?:]", first, re.DOTALL):
                yield source.fault(
                    node, f"{node.name} needs a docstring that opens with a sentence"
                )

    hold(rule, but=("ledger/schema/**",))


def test_nothing_is_left_for_later_or_silenced_without_a_name() -> None:
    later = re.compile(r"\b(TODO|FIXME|XXX|HACK)\b")
    silenced = re.compile(r"#\s*type:\s*ignore(?!\[)|#\s*noqa(?!:)")

    def rule(source: Source) -> Iterator[str]:
        for number, line in enumerate(source.text.splitlines(), 1):
            if later.search(line):
                yield f"{source.path}:{number}: nothing is left for later"
            if silenced.search(line):
                yield f"{source.path}:{number}: say which finding is silenced"

    hold(rule)


def test_no_machine_is_named() -> None:
    path = re.compile(r"(?<![\w.])/(home|root|work|Users)/")

    def rule(source: Source) -> Iterator[str]:
        for number, line in enumerate(source.text.splitlines(), 1):
            if path.search(line):
                yield f"{source.path}:{number}: a path of somebody's own machine"

    hold(rule)


def test_generated_code_is_left_alone() -> None:
    tools = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]
    assert "services/floorbook/v1" in tools["ruff"]["extend-exclude"]
    assert "services/floorbook/v1/" in tools["mypy"]["exclude"]
