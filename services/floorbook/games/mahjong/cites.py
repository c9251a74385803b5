"""Which rules and rulings stand behind an answer that is about procedure, and behind an error."""

from collections.abc import Iterator, Mapping

from floorbook.games.mahjong.claims import Decision
from floorbook.games.mahjong.turns import Turn
from floorbook.games.rule_set import once

ERROR_CITES: Mapping[str, tuple[str, ...]] = {
    "BAD_RULE_SET": ("RULE-STATUS",),
    "BAD_CONFIG": ("RULE-STATUS", "RULE-CONFIG"),
    "BAD_SEAT": ("RULE-STATUS", "RULE-SEATS", "MJ-07"),
    "BAD_TILE": ("RULE-STATUS", "RULE-TILES"),
    "TOO_MANY_COPIES": ("RULE-STATUS", "RULE-TILES"),
    "BAD_WIN": ("RULE-STATUS", "RULE-FACTS"),
}

REFUSAL_CITES: Mapping[str, tuple[str, ...]] = {
    "own_tile": ("RULE-WINDOW",),
    "not_allowed": ("MJ-16", "MJ-17", "MJ-18"),
    "barred": ("PEN-CALLPONG", "MJ-52"),
    "not_a_win": ("MJ-48", "MJ-55"),
    "wall_empty": ("MJ-12",),
    "no_kong": ("PEN-LOOK", "MJ-53"),
    "not_next_seat": ("RULE-CHOW",),
    "not_a_set": ("RULE-SETS",),
    "tiles_not_held": ("RULE-REFUSE",),
    "outranked": ("RULE-PRIORITY",),
    "hand_over": ("RULE-REFUSE",),
    "out_of_order": ("RULE-TURN", "RULE-WINDOW", "MJ-12"),
    "not_drawn": ("MJ-61",),
    "not_just_drawn": ("MJ-16",),
}
"""The rules behind every reason of RULE-REFUSE and of 13.4."""

ACTION_CITES: Mapping[str, tuple[str, ...]] = {
    "win": ("RULE-WINCLAIM",),
    "kong": ("RULE-KONG",),
    "pong": ("RULE-PONG",),
    "chow": ("RULE-CHOW",),
}

OUTCOME_CITES: Mapping[str, tuple[str, ...]] = {
    "win": ("RULE-WINCLAIM", "MJ-13", "MJ-14"),
    "false_win": ("RULE-WINCLAIM", "MJ-55"),
    "kong": ("RULE-KONG",),
    "pong": ("RULE-PONG",),
    "chow": ("RULE-CHOW",),
    "draw": ("RULE-TURN",),
    "kong_stands": ("RULE-ROB",),
    "exhausted": ("RULE-EXHAUST", "MJ-09"),
}


def rejection_cites(action: str, reason: str) -> tuple[str, ...]:
    """Return the rules by which one claim did not prevail."""
    return once(ACTION_CITES[action], REFUSAL_CITES[reason])


def decision_cites(decision: Decision) -> tuple[str, ...]:
    """Return the rules by which a window ended."""
    rejected = [rejection_cites(claim.action, claim.reason) for claim in decision.rejected]
    return once(("RULE-WINDOW",), *rejected, ("RULE-PRIORITY",), OUTCOME_CITES[decision.outcome])


def turn_cites(turn: Turn) -> tuple[str, ...]:
    """Return the rules that say what a seat can do in its turn."""

    def applied() -> Iterator[str]:
        yield from ("RULE-TURN", "MJ-62")
        if turn.drawn is None:
            yield "MJ-61"
            return
        if turn.holding.barred:
            yield from ("PEN-CALLPONG", "MJ-52")
        yield from ("RULE-KONG", "MJ-16")
        if turn.holding.no_kong:
            yield from ("PEN-LOOK", "MJ-53")
        if not turn.wall_remaining:
            yield "MJ-12"

    return tuple(applied())
