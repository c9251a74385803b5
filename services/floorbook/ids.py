"""How everything is named: ids are made from what happened, never from chance or a clock.

The forms are `table/equipment/boot/sequence` for events, `table/number` for rounds and a path
below the round for what the round brings about. Parts match `[A-Za-z0-9_.-]{1,40}`.
"""

import re

PART = re.compile(r"[A-Za-z0-9_.-]{1,40}\Z")
ROUND = re.compile(r"[A-Za-z0-9_.-]{1,40}/[0-9]{1,18}\Z")


def is_part(text: str) -> bool:
    """Return whether `text` can be one part of an id (a table, a piece of equipment, a player)."""
    return PART.match(text) is not None


def is_round(text: str) -> bool:
    """Return whether `text` can be the id of a round."""
    return ROUND.match(text) is not None


def source_id(table: str, equipment: str, boot: int) -> str:
    """Return the id of a source: one piece of equipment since one start, at one table."""
    return f"{table}/{equipment}/{boot}"


def event_id(table: str, equipment: str, boot: int, sequence: int) -> str:
    """Return the id of the `sequence`-th fact of a source."""
    return f"{table}/{equipment}/{boot}/{sequence}"


def round_id(table: str, number: int) -> str:
    """Return the id of a table's `number`-th round, counted from 1."""
    return f"{table}/{number}"


def evaluation_id(round_: str, n: int) -> str:
    """Return the id of the obligation to have `round_` evaluated for the `n`-th time."""
    return f"{round_}/evaluation/{n}"


def timer_id(round_: str, n: int) -> str:
    """Return the id of the `n`-th timer of `round_`."""
    return f"{round_}/timer/{n}"


def round_of(below: str) -> str:
    """Return the id of the round that an id below a round belongs to; empty if it belongs to none.

    >>> round_of("T12/431/settlement/1")
    'T12/431'
    """
    parts = below.split("/", 2)
    return "/".join(parts[:2]) if len(parts) > 1 else ""


def hold_id(round_: str) -> str:
    """Return the id of the movement that holds the chips of `round_`."""
    return f"{round_}/hold"


def release_id(round_: str) -> str:
    """Return the id of the movement that gives back what `round_` held."""
    return f"{round_}/release"


def settlement_id(round_: str, n: int) -> str:
    """Return the id of the `n`-th settlement of `round_`; n > 1 only after a reversal."""
    return f"{round_}/settlement/{n}"


def reversal_id(settlement: str) -> str:
    """Return the id of the movement that takes back `settlement`."""
    return f"{settlement}/reversal"
