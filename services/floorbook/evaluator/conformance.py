"""Decides whether an evaluator gives the results that vector files of the rules demand.

A file is a JSON list of vectors, or an object with the list under `vectors` and perhaps a `rule_set`
for all of them. A vector has `id`, `rule_set`, `input` (its `op` inside or beside it) and `expected`:
every key of it must be in the result and equal, recursively and by JSON type; lists are equal item by
item, in order. `{"error": CODE}` demands a refusal. Whatever else the result has does not matter.
"""

import argparse
import asyncio
import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from floorbook.evaluator.answers import (
    UNKNOWN_RULES_VERSION,
    Answer,
    Refusal,
    Unavailable,
    VersionUnknown,
)
from floorbook.evaluator.client import Client, Outcome
from floorbook.evaluator.judge import judge, read
from floorbook.games import game
from floorbook.settings import Settings

DEADLINE_SECONDS = 10.0
UNDER_WAY = 200
_MOST_SHOWN = 200


class Vector(msgspec.Struct, frozen=True):
    """One question, as the evaluator gets it, and what must be in its answer."""

    file: str
    id: str
    rule_set: str
    input: str
    expected: dict[str, Any]


class Difference(msgspec.Struct, frozen=True):
    """Where an answer first differs from what is expected, and both sides of it as JSON."""

    path: str
    expected: str
    got: str


class Failure(msgspec.Struct, frozen=True):
    """A vector that failed, and how."""

    file: str
    id: str
    rule_set: str
    path: str
    expected: str
    got: str


class BadFile(Exception):
    """A file cannot be used; the message says which, where and why."""


class NoAnswer(Exception):
    """The server did not answer; the message says why."""


def load(file: str) -> list[Vector]:
    """Return the vectors in `file`, of which there is at least one; raises BadFile."""
    try:
        content = msgspec.json.decode(Path(file).read_bytes())
    except OSError as fault:
        raise BadFile(f"{file}: {fault.strerror}") from fault
    except (msgspec.DecodeError, RecursionError) as fault:
        raise BadFile(f"{file}: not JSON: {fault}") from fault
    common = content.get("rule_set") if isinstance(content, dict) else None
    listed = content.get("vectors") if isinstance(content, dict) else content
    if not isinstance(listed, list):
        raise BadFile(f"{file}: neither a list of vectors nor an object with one under 'vectors'")
    if not listed:
        raise BadFile(f"{file}: there are no vectors")
    return [_vector(file, number, common, each) for number, each in enumerate(listed, 1)]


def difference(expected: Any, got: Any, path: str = "") -> Difference | None:
    """Return where `got` first differs from `expected`; None if it has all of it.

    `true` is not 1 and 1.0 is not 1: the kinds of JSON are compared too.
    """
    if isinstance(expected, dict) and isinstance(got, dict):
        for key, value in expected.items():
            below = f"{path}.{key}" if path else key
            if key not in got:
                return Difference(below, _shown(value), "nothing")
            if found := difference(value, got[key], below):
                return found
        return None
    if isinstance(expected, list) and isinstance(got, list):
        for index, (value, other) in enumerate(zip(expected, got, strict=False)):
            if found := difference(value, other, f"{path}[{index}]"):
                return found
        if len(expected) != len(got):
            return Difference(path, f"{len(expected)} items", f"{len(got)} items")
        return None
    if type(expected) is type(got) and expected == got:
        return None
    return Difference(path, _shown(expected), _shown(got))


def judged(vector: Vector, outcome: Outcome) -> Difference | None:
    """Return how `outcome` differs from what `vector` expects; raises NoAnswer if there is none."""
    demanded = vector.expected.get("error") if len(vector.expected) == 1 else None
    match outcome:
        case Answer(result=result):
            if demanded is not None:
                return Difference("error", _shown(demanded), "a result")
            return difference(vector.expected, msgspec.json.decode(result))
        case Refusal(code, detail):
            pass
        case VersionUnknown(detail):
            code = UNKNOWN_RULES_VERSION
        case Unavailable(reason):
            raise NoAnswer(reason)
    if demanded is None:
        return Difference("", "a result", f"the refusal {code}: {detail}")
    return None if demanded == code else Difference("error", _shown(demanded), f"{code}: {detail}")


def in_process(vectors: Sequence[Vector], version: Callable[[str], str]) -> Iterator[Outcome]:
    """Yield what the rules in this very program say to each vector, in order."""
    for vector in vectors:
        question = read(vector.input)
        if isinstance(question, Refusal):
            yield question
        else:
            yield judge(vector.rule_set, version(vector.rule_set), question)


async def through_server(
    vectors: Sequence[Vector], version: Callable[[str], str], server: str
) -> list[Outcome]:
    """Return what the evaluator at `server` says to each vector, in order."""
    client = Client(server, DEADLINE_SECONDS)
    outcomes: list[Outcome] = []
    try:
        for first in range(0, len(vectors), UNDER_WAY):
            asked = [
                client.evaluate(vector.rule_set, version(vector.rule_set), vector.input)
                for vector in vectors[first : first + UNDER_WAY]
            ]
            outcomes += await asyncio.gather(*asked)
            if isinstance(outcomes[-1], Unavailable):
                break
    finally:
        await client.close()
    return outcomes


def main(argv: list[str], settings: Settings) -> int:
    """Return 0 if every vector passes, else 1."""
    parser = argparse.ArgumentParser(
        prog="floorbook conformance",
        description="Check the evaluator against vector files of the rules.",
    )
    parser.add_argument("files", nargs="+", metavar="FILE", help="a JSON file of vectors")
    parser.add_argument("--server", metavar="HOST:PORT", help="ask the evaluator that runs there")
    parser.add_argument(
        "--rules-version", metavar="VERSION", help="judge by this version, not by the current one"
    )
    parser.add_argument("--json", action="store_true", help="one JSON object instead of text")
    given = parser.parse_args(argv)
    try:
        vectors = [vector for file in given.files for vector in load(file)]
        failures = _failures(vectors, given.server, given.rules_version)
    except (BadFile, NoAnswer) as fault:
        sys.stderr.write(f"floorbook conformance: {fault}\n")
        return 1
    _report(len(vectors) - len(failures), failures, as_json=given.json)
    return 1 if failures else 0


def _failures(
    vectors: Sequence[Vector], server: str | None, rules_version: str | None
) -> list[Failure]:
    current = {rule_set: game.rules_versions(rule_set)[-1] for rule_set in game.rule_set_ids()}

    def version(rule_set: str) -> str:
        return rules_version or current.get(rule_set, "")

    outcomes: Iterator[Outcome]
    if server:
        outcomes = iter(asyncio.run(through_server(vectors, version, server)))
    else:
        outcomes = in_process(vectors, version)
    failures: list[Failure] = []
    for vector, outcome in zip(vectors, outcomes, strict=False):
        if found := judged(vector, outcome):
            failures.append(
                Failure(
                    vector.file,
                    vector.id,
                    vector.rule_set,
                    found.path,
                    found.expected,
                    found.got,
                )
            )
    return failures


def _report(passed: int, failures: Sequence[Failure], *, as_json: bool) -> None:
    if as_json:
        report = {"passed": passed, "failed": len(failures), "failures": failures}
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(report)).decode() + "\n")
        return
    for failure in failures:
        at = f"{failure.path}: " if failure.path else ""
        sys.stdout.write(
            f"{failure.file}: {failure.id}: {at}expected {failure.expected}, got {failure.got}\n"
        )
    sys.stdout.write(f"{passed} passed, {len(failures)} failed\n")


def _vector(file: str, number: int, common: object, each: object) -> Vector:
    if not isinstance(each, dict):
        raise BadFile(f"{file}: vector {number} is not an object")
    name = each.get("id")
    if not isinstance(name, str):
        raise BadFile(f"{file}: vector {number} has no id")
    rule_set = each.get("rule_set", common)
    if not isinstance(rule_set, str):
        raise BadFile(f"{file}: {name} has no rule_set, and neither has the file")
    question, expected = each.get("input"), each.get("expected")
    if not isinstance(question, dict) or not isinstance(expected, dict):
        raise BadFile(f"{file}: {name} needs the objects 'input' and 'expected'")
    if "op" in each:
        question = {"op": each["op"], **question}
    return Vector(file, name, rule_set, msgspec.json.encode(question).decode(), expected)


def _shown(value: object) -> str:
    text = msgspec.json.encode(value).decode()
    return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 1] + "…"
