"""Which rule set of Pai Kau there is, and its versions."""

from floorbook.games.pai_kau.explain import explain
from floorbook.games.pai_kau.operations import RULE_SET, operations
from floorbook.games.rule_set import RuleSet

VERSION = "1"


def rule_sets() -> tuple[RuleSet, ...]:
    """Return the rule set of the ordinance."""
    return (RuleSet(RULE_SET, "pai_kau", {VERSION: operations()}, explain, unknown_op="BAD_OP"),)
