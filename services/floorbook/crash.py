"""Decides whether the process dies here: the hook by which tests kill a service in a named gap.

`FLOORBOOK_CRASH_AT=after-outputs:3` kills the process with SIGKILL the third time it passes
`point("after-outputs")`. The file named by `FLOORBOOK_CRASH_FILE` is written first: it proves that the
point was reached, and while it exists nothing dies again, so the restarted service goes on.
Production sets neither, and then a point costs one look into a cache.
"""

import os
import signal
from functools import cache
from itertools import count


class _Trap:
    def __init__(self, at: str, file: str) -> None:
        self.name, _, nth = at.partition(":")
        self._nth = int(nth or 1)
        self._file = file
        self._passes = count(1)

    def passed(self) -> None:
        if next(self._passes) == self._nth:
            self._spring()

    def _spring(self) -> None:
        try:
            file = os.open(self._file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o644)
        except FileExistsError:
            return  # another process died for this trap in the meantime
        os.write(file, f"{self.name}:{self._nth} pid {os.getpid()}\n".encode())
        os.close(file)
        os.kill(os.getpid(), signal.SIGKILL)
        signal.pause()  # the signal may take a moment; nothing may happen after the point
        raise AssertionError("a process outlived SIGKILL")


@cache
def _trap() -> _Trap | None:
    at, file = os.environ.get("FLOORBOOK_CRASH_AT"), os.environ.get("FLOORBOOK_CRASH_FILE")
    if not at or not file or os.path.exists(file):
        return None
    return _Trap(at, file)


def point(name: str) -> None:
    """Return, unless a test wants the process to die at the point `name`: then kill it."""
    trap = _trap()
    if trap is not None and trap.name == name:
        trap.passed()
