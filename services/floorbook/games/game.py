"""Which rule set answers a request: the one door between the games and everybody else."""

from collections.abc import Mapping
from functools import cache
from typing import Any

from floorbook.games import mahjong, pai_kau, thirteen_cards
from floorbook.games.rule_set import (
    Evaluated,
    Language,
    Money,
    Refused,
    RuleSet,
    UnknownVersion,
)

__all__ = [
    "Evaluated",
    "Language",
    "Refused",
    "RuleSet",
    "UnknownVersion",
    "evaluate",
    "explain",
    "rule_set_ids",
    "rules_versions",
]


@cache
def _rule_sets() -> Mapping[str, RuleSet]:
    """Return every rule set by its id. A further game adds its rule sets here."""
    games = (thirteen_cards, pai_kau, mahjong)
    return {rule_set.id: rule_set for game in games for rule_set in game.rule_sets()}


def rule_set_ids() -> tuple[str, ...]:
    """Return the ids of all rule sets."""
    return tuple(_rule_sets())


def rules_versions(rule_set: str) -> tuple[str, ...]:
    """Return the versions of `rule_set`, the current one last; none if there is no such rule set."""
    found = _rule_sets().get(rule_set)
    return found.versions if found else ()


def evaluate(
    rule_set: str, rules_version: str, request: Mapping[str, Any]
) -> Evaluated | Refused | UnknownVersion:
    """Return what `request` comes to under one version of one rule set.

    Pure and total: the same request has the same answer, and whatever JSON arrives is answered.
    """
    found = _rule_sets().get(rule_set)
    if found is None:
        return Refused("UNKNOWN_RULE_SET", f"There is no rule set {rule_set!r}.")
    operations = found.operations.get(rules_version)
    if operations is None:
        return UnknownVersion(rule_set, rules_version, found.versions)
    if not isinstance(request, Mapping):
        return Refused("BAD_REQUEST", "The request is not an object.")
    op = request.get("op")
    if not isinstance(op, str):
        return Refused("BAD_REQUEST", "op is missing or is not text.")
    operation = operations.get(op)
    if operation is None:
        return Refused(found.unknown_op, f"op {op!r} is not offered by the rule set {rule_set}.")
    return operation(request)


def minor_units(amount: int) -> str:
    """Return an amount as the games know it: a number of minor units of no currency."""
    return f"{amount:,}"


def explain(
    rule_set: str,
    request: Mapping[str, Any],
    evaluated: Evaluated,
    language: Language,
    money: Money = minor_units,
) -> list[str]:
    """Return an answer to `request` in sentences that a floor supervisor can read out.

    Each says what was decided and, in brackets, by which articles and rulings. `money` writes
    amounts in the table's currency, which no game knows.
    """
    return _rule_sets()[rule_set].explain(rule_set, request, evaluated, language, money)
