"""Which rule sets of Thirteen Cards there are, and their versions."""

from floorbook.games.rule_set import RuleSet
from floorbook.games.thirteen_cards.explain import explain
from floorbook.games.thirteen_cards.operations import RULE_SET, official_operations
from floorbook.games.thirteen_cards.variants import variant_operations

GAME = "thirteen_cards"
VERSION = "1"


def rule_sets() -> tuple[RuleSet, ...]:
    """Return the Macau ordinance's rule set and its nine variants."""
    operations = {RULE_SET: official_operations(), **variant_operations()}
    return tuple(
        RuleSet(name, GAME, {VERSION: offered}, explain) for name, offered in operations.items()
    )
