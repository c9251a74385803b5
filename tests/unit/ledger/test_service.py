"""What the ledger does when its group gives it nothing: it joins again."""

from threading import Event

import pytest
from prometheus_client import CollectorRegistry

from floorbook import settings
from floorbook.ledger import service
from floorbook.member import Record, Unassigned
from floorbook.metrics.catalogue import LedgerMetrics
from floorbook.probes import Probes
from floorbook.settings import Address, Settings


class Streams:
    """Streams of which the first is never given a share."""

    def __init__(self, stop: Event) -> None:
        self.stop = stop
        self.made: list[Stream] = []

    def __call__(self, _: Settings) -> "Stream":
        self.made.append(Stream(self, is_first=not self.made))
        return self.made[-1]


class Stream:
    generation = 0
    is_closed = False

    def __init__(self, streams: Streams, *, is_first: bool) -> None:
        self.streams, self.is_first = streams, is_first

    def records(self, timeout_seconds: float) -> list[Record]:
        if self.is_first:
            raise Unassigned("no share")
        self.streams.stop.set()
        return []

    def partitions(self) -> frozenset[int]:
        return frozenset()

    def lasts(self, partitions: object) -> dict[int, int]:
        return {}

    def halt(self) -> None:
        pass

    def close(self) -> None:
        self.is_closed = True


def test_without_a_share_it_joins_again(monkeypatch: pytest.MonkeyPatch) -> None:
    stop = Event()
    streams = Streams(stop)
    monkeypatch.setattr(service, "Stream", streams)
    monkeypatch.setattr(service.Ledger, "_open", lambda *_: None)
    read = settings.read({"FLOORBOOK_KAFKA": "127.0.0.1:9", "FLOORBOOK_DATABASE": "postgresql:///"})
    assert isinstance(read, Settings)
    registry = CollectorRegistry()
    service.Ledger(
        read, LedgerMetrics(registry), Probes(registry, Address("127.0.0.1", 0)), stop
    ).run()
    assert [stream.is_closed for stream in streams.made] == [True, True]
