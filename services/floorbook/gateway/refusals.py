"""Decides for which reasons a gateway takes nothing in, and which of them somebody must look at.

A refused reading or act is not in the log and its number is not used. What the rules or the phase of a
table forbid is never refused here: that is the fold's verdict.
"""

from enum import StrEnum

from msgspec import Struct


class Reason(StrEnum):
    """Why the gateway did not take something."""

    UNKNOWN_DEVICE = "UNKNOWN_DEVICE"
    WRONG_KEY = "WRONG_KEY"
    NOT_GREETED = "NOT_GREETED"
    UNKNOWN_TABLE_FOR_DEVICE = "UNKNOWN_TABLE_FOR_DEVICE"
    WRONG_FACT_FOR_DEVICE = "WRONG_FACT_FOR_DEVICE"
    UNREADABLE_FACT = "UNREADABLE_FACT"
    UNKNOWN_FACT = "UNKNOWN_FACT"
    OVERSIZED = "OVERSIZED"
    BAD_NUMBER = "BAD_NUMBER"
    OUT_OF_ORDER = "OUT_OF_ORDER"
    TOO_MANY_OPEN = "TOO_MANY_OPEN"
    FOLD_TOO_OLD = "FOLD_TOO_OLD"
    UNKNOWN_CLIENT = "UNKNOWN_CLIENT"
    UNKNOWN_TABLE_FOR_CLIENT = "UNKNOWN_TABLE_FOR_CLIENT"
    UNKNOWN_EQUIPMENT_FOR_CLIENT = "UNKNOWN_EQUIPMENT_FOR_CLIENT"
    ROLE_NOT_OF_CLIENT = "ROLE_NOT_OF_CLIENT"
    PERSON_NOT_OF_CLIENT = "PERSON_NOT_OF_CLIENT"
    REQUEST_UNDER_WAY = "REQUEST_UNDER_WAY"
    DEADLINE_EXCEEDED = "DEADLINE_EXCEEDED"
    UNAVAILABLE = "UNAVAILABLE"


class Refusal(Struct, frozen=True):
    """One thing not taken: the reason, and a sentence saying what was wrong and what to do."""

    reason: Reason
    detail: str


# These come from normal work or from outages, and the sender repeats: nobody needs to look at one of them.
_PASSING = frozenset(
    (
        Reason.OUT_OF_ORDER,
        Reason.TOO_MANY_OPEN,
        Reason.FOLD_TOO_OLD,
        Reason.REQUEST_UNDER_WAY,
        Reason.DEADLINE_EXCEEDED,
        Reason.UNAVAILABLE,
    )
)


def is_quarantined(reason: Reason) -> bool:
    """Return whether what was refused for `reason` is kept for somebody to look at."""
    return reason not in _PASSING
