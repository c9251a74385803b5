"""What a supervisor reads out about an answer."""

from collections.abc import Mapping
from typing import Any

from floorbook.games.rule_set import Evaluated, Language, Money


def explain(
    rule_set: str,
    request: Mapping[str, Any],
    evaluated: Evaluated,
    language: Language,
    money: Money,
) -> list[str]:
    """Return an answer in sentences, in the order in which the rules were applied."""
    return list(evaluated.explanation)
