"""Decides how the tools' arguments are understood where several tools have the same."""

from argparse import ArgumentTypeError
from datetime import UTC, datetime


def moment(text: str) -> datetime:
    """Return the moment in an argument; without an offset it is UTC.

    >>> moment("2026-03-01T06:00").isoformat()
    '2026-03-01T06:00:00+00:00'
    """
    try:
        given = datetime.fromisoformat(text)
    except ValueError:
        raise ArgumentTypeError(f"{text!r} is no time as 2026-03-01T06:00") from None
    return given if given.tzinfo else given.replace(tzinfo=UTC)
