"""Which rule sets of mahjong there are, and their versions."""

from floorbook.games.mahjong.explain import explain
from floorbook.games.mahjong.operations import operations
from floorbook.games.mahjong.variant import VARIANTS
from floorbook.games.rule_set import RuleSet

VERSION = "1"


def rule_sets() -> tuple[RuleSet, ...]:
    """Return the traditional and the simplified game."""
    return tuple(
        RuleSet(variant.id, "mahjong", {VERSION: operations(variant)}, explain)
        for variant in VARIANTS
    )
