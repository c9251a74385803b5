"""Decides how the tools' arguments are understood where several tools have the same."""

from argparse import ArgumentTypeError
from collections.abc import Callable
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


def whole(least: int, most: int) -> Callable[[str], int]:
    """Return how an argument is read that must be a whole number from `least` to `most`."""

    def parse(text: str) -> int:
        number = int(text)
        if not least <= number <= most:
            raise ArgumentTypeError(f"must be from {least} to {most}")
        return number

    return parse


def share(text: str) -> float:
    """Return the share, from 0 to 1, in an argument."""
    given = float(text)
    if not 0 <= given <= 1:
        raise ArgumentTypeError("must be from 0 to 1")
    return given
