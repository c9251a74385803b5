"""What a rule set is, and the three kinds of answer that one can give.

Every game builds its rule sets from these types; `game.py` finds them by id and version.
"""

from collections.abc import Callable, Mapping
from typing import Any, Literal

import msgspec


class Evaluated(msgspec.Struct, frozen=True):
    """The result of one operation, and the rules behind it in order of application."""

    result: dict[str, Any]
    explanation: tuple[str, ...]


class Refused(msgspec.Struct, frozen=True):
    """Why a request was not evaluated: a code of the rules, and a sentence that names the fault."""

    code: str
    detail: str


class UnknownVersion(msgspec.Struct, frozen=True):
    """The rule set is known here, but not in this version: whoever asks may wait for an upgrade."""

    rule_set: str
    version: str
    known: tuple[str, ...]


def as_result(settled: msgspec.Struct) -> dict[str, Any]:
    """Return a typed result as JSON types, lists for tuples: what was sent compares equal to it."""
    result: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(settled))
    return result


def once(*cites: tuple[str, ...]) -> tuple[str, ...]:
    """Return all `cites` in order, each where it first applies."""
    return tuple(dict.fromkeys(cite for group in cites for cite in group))


Operation = Callable[[Mapping[str, Any]], Evaluated | Refused]

Language = Literal["en", "zh-Hant"]
Money = Callable[[int], str]  # how a table writes an amount of minor units
Explain = Callable[[str, Mapping[str, Any], Evaluated, Language, Money], list[str]]


class RuleSet(msgspec.Struct, frozen=True):
    """One variant of a game, with the operations that each known version offers."""

    id: str
    game: str
    operations: Mapping[str, Mapping[str, Operation]]  # by version, the current one last
    explain: Explain
    unknown_op: str = "UNKNOWN_OP"  # the game's code for an operation that it does not offer

    @property
    def versions(self) -> tuple[str, ...]:
        """Return the versions that can be evaluated, the current one last."""
        return tuple(self.operations)
