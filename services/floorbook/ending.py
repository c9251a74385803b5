"""Decides how long a service that was told to end may take.

Containers are killed some time after they are told: a service is gone before, whatever it waits for. That costs
nothing, because at any moment a service may be killed: what it has not finished the next one does.
"""

import os
import threading
from typing import Final

from floorbook.logs import logger

LIMIT_SECONDS: Final = 3.5


def limit(seconds: float = LIMIT_SECONDS) -> None:
    """Return at once; if the process still runs after `seconds` it ends then, as one that was told to."""
    # A thread, so that a library that waits for a silent broker holds up nobody.
    timer = threading.Timer(seconds, _end)
    timer.daemon = True
    timer.start()


def _end() -> None:
    logger().warning("stopped with something unfinished; the next one does it")
    os._exit(0)
