"""Decides how the log is folded again and again, so that a difference calls somebody: `rebuild --every`.

A check that fails, as while the broker is away, says nothing about differences: what the last whole one found
stays shown, and its age grows.
"""

import signal
import threading
import time
from collections.abc import Callable
from types import FrameType

from kafka.errors import KafkaError
from prometheus_client import CollectorRegistry

from floorbook import ending, logs, topics
from floorbook.metrics.catalogue import RebuildMetrics, new_registry
from floorbook.probes import Probes
from floorbook.settings import Settings
from floorbook.table.rebuild import LogUnreadable, Rebuilt

SERVICE = "rebuild"

# Folding years takes hours, in one go: only that the process answers can be asked of it.
_HEARTBEAT_LIMIT_SECONDS = float("inf")


def run(settings: Settings, every_seconds: float, rebuild: Callable[[], Rebuilt]) -> int:
    """Return 0 when told to end; until then check, tell, and wait for `every_seconds`."""
    stop = threading.Event()

    def told(number: int, frame: FrameType | None) -> None:
        # Nothing is written here, so that a check may be left in its middle.
        stop.set()
        ending.limit()
        raise SystemExit(0)

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, told)
    registry = new_registry(SERVICE)
    probes = Probes(
        registry, settings.probes_listen, heartbeat_limit_seconds=_HEARTBEAT_LIMIT_SECONDS
    )
    check = Check(registry, rebuild)
    checked = probes.condition("checked")
    probes.start()
    logs.logger().info("started", probes=str(probes.address), every_seconds=every_seconds)
    while not stop.is_set():
        if (fault := check.once()) is None:
            checked.hold()
        else:
            checked.fail(fault)
        stop.wait(every_seconds)
    return 0


class Check:
    """The checks of one process, and what they have found."""

    def __init__(self, registry: CollectorRegistry, rebuild: Callable[[], Rebuilt]) -> None:
        """Return checks of which none has been made; from now on their age is counted."""
        self._metrics = RebuildMetrics(registry)
        self._metrics.checked_timestamp_seconds.set(time.time())
        self._rebuild = rebuild

    def once(self) -> str | None:
        """Return why a check could not be made; None once what it found is told."""
        began = time.monotonic()
        try:
            found = self._rebuild()
        except (topics.TopicsError, LogUnreadable, KafkaError) as error:
            self._metrics.failures.add()
            logs.logger().error("the log could not be checked", error=error)
            return f"{type(error).__name__}: {error}"
        counts = dict.fromkeys(("stored", "movement", "watermark"), 0)
        for one in found.differences:
            counts[one.what] += 1
            logs.logger().error("DIFFERENT", what=one.what, which=one.which, detail=one.detail)
        for what, count in counts.items():
            self._metrics.differences.set(count, what=what)
        self._metrics.events.set(found.events)
        self._metrics.seconds.set(time.monotonic() - began)
        self._metrics.checked_timestamp_seconds.set(time.time())
        logs.logger().info(
            "checked", events=found.events, tables=found.tables, differences=len(found.differences)
        )
        return None
