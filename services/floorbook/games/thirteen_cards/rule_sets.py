"""Which rule sets of Thirteen Cards there are, and their versions."""

from floorbook.games.rule_set import RuleSet
from floorbook.games.thirteen_cards.operations import RULE_SET, official_operations

GAME = "thirteen_cards"
VERSION = "1"


def rule_sets() -> tuple[RuleSet, ...]:
    """Return the Macau ordinance's rule set."""
    return (RuleSet(RULE_SET, GAME, {VERSION: official_operations()}),)
