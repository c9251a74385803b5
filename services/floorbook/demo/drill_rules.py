"""Decides how deployed rules become a copy for drills: the same text, with waits and windows divided.

Nobody waits an hour to see an alert end. What is compared with a limit (a device silent for 30 s, a round settled
later than 1 s) stays as it is, because the product's own times do not change either.
"""

import re
from typing import Final

LEAST_WAIT_MS: Final = 1_000
"""Prometheus evaluates and Alertmanager sends no oftener than that."""
LEAST_WINDOW_MS: Final = 5_000
"""A window holds some scrapes, of which there is one a second: else it finds no rate."""

_UNIT_MS: Final = {"ms": 1, "s": 1_000, "m": 60_000, "h": 3_600_000, "d": 86_400_000}
_WAITS: Final = ("for", "interval", "group_wait", "group_interval", "repeat_interval")
_WAIT: Final = re.compile(rf"^(\s*(?:- )?(?:{'|'.join(_WAITS)}): )(\d+)(ms|[smhd])$", re.MULTILINE)
_WINDOW: Final = re.compile(r"(\[|\boffset )(\d+)(ms|[smhd])\b")


def sooner(text: str, factor: int) -> str:
    """Return rules or Alertmanager's configuration with every wait and window divided by `factor`.

    >>> print(sooner("for: 5m\\nexpr: increase(x[1h]) > 0 unless x offset 1h", 60))
    for: 5000ms
    expr: increase(x[60000ms]) > 0 unless x offset 60000ms
    """
    if factor == 1:
        return text

    def divide(found: re.Match[str], least_ms: int) -> str:
        before, number, unit = found.groups()
        was_ms = int(number) * _UNIT_MS[unit]
        # What was shorter than the least is left alone.
        return f"{before}{max(was_ms // factor, min(was_ms, least_ms))}ms"

    text = _WAIT.sub(lambda found: divide(found, LEAST_WAIT_MS), text)
    return _WINDOW.sub(lambda found: divide(found, LEAST_WINDOW_MS), text)
