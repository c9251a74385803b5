"""What becomes of figures when a commit fails, whether or not it was done: each is shown once."""

from collections.abc import Callable, Iterable, Mapping
from threading import Event

import pytest
from kafka.errors import CommitFailedError, FencedInstanceIdError, KafkaError, KafkaTimeoutError
from prometheus_client import CollectorRegistry

from floorbook import settings, topics
from floorbook.member import Record, Unassigned
from floorbook.metrics import service as metrics_service
from floorbook.metrics.catalogue import BusinessMetrics
from floorbook.metrics.service import Service
from floorbook.metrics.stream import Committed
from floorbook.probes import Probes
from floorbook.settings import Address, Settings
from floorbook.topics import Place
from floorbook.v1 import floor_pb2
from tests.unit.metrics.test_reading import Record as Written

FLOOR = (topics.FLOOR.name, 0)
ROUNDS = 6


class Broker:
    """One partition of `floor`, its group, and what becomes of the next commits."""

    def __init__(self, stop: Event, *commits: str) -> None:
        self.stop = stop
        self.commits = list(commits)
        self.committed = Committed()
        self.records = [
            Written(
                floor_pb2.FloorRecord(
                    table_id="T1",
                    offset=offset,
                    folded=floor_pb2.EventFolded(
                        verdict={"outcome": floor_pb2.OUTCOME_APPLIED},
                        rule_set="declare",
                        disclosures=[floor_pb2.Disclosure(round_opened={})],
                    ),
                ).SerializeToString(),
                offset=offset,
            )
            for offset in range(ROUNDS)
        ]

    def member(self, _: Settings) -> "Member":
        return Member(self)


class Member:
    """A stream that gives one record at a time."""

    def __init__(self, broker: Broker) -> None:
        self.broker = broker
        self.generation, self.is_assigned = 1, True
        self.next_offset: int | None = None

    def assigned(self) -> frozenset[Place]:
        return frozenset({FLOOR})

    def poll(self, timeout_seconds: float) -> dict[Place, list[Record]]:
        if self.broker.commits[:1] == ["no share"]:
            self.broker.commits.pop(0)
            raise Unassigned("no share")
        if self.next_offset is None or self.next_offset == ROUNDS:
            return {}
        self.next_offset += 1
        return {FLOOR: [self.broker.records[self.next_offset - 1]]}

    def committed(
        self, places: Iterable[Place], waiting: Callable[[], None]
    ) -> dict[Place, Committed]:
        return dict.fromkeys(places, self.broker.committed)

    def firsts(self, places: Iterable[Place]) -> dict[Place, int]:
        return dict.fromkeys(places, 0)

    def ends(self, places: Iterable[Place]) -> dict[Place, int]:
        return dict.fromkeys(places, ROUNDS)

    def place(self, offsets: Mapping[Place, int]) -> None:
        self.next_offset = offsets[FLOOR]

    def commit(self, offsets: Mapping[Place, Committed]) -> None:
        outcome = self.broker.commits.pop(0) if self.broker.commits else "done"
        if outcome in ("done", "done without an answer"):
            self.broker.committed = offsets[FLOOR]
        if self.broker.committed.next_offset == ROUNDS and not self.broker.commits:
            self.broker.stop.set()
        if outcome in ("done without an answer", "lost"):
            raise KafkaTimeoutError("no answer")
        if outcome == "rebalanced":
            self.generation += 1
            raise CommitFailedError("somebody joins")
        if outcome == "fenced":
            raise FencedInstanceIdError("another one has this name")

    def close(self) -> None:
        pass


def run(monkeypatch: pytest.MonkeyPatch, *commits: str) -> tuple[float | None, Broker]:
    """Return how many rounds are shown in the end, when the commits went as told, and the broker."""
    stop = Event()
    broker = Broker(stop, *commits)
    monkeypatch.setattr(metrics_service, "Stream", broker.member)
    monkeypatch.setattr(topics, "check", lambda *_: 1)
    for pause in ("_POLL_SECONDS", "_COMMIT_SECONDS", "_FIRST_PAUSE_SECONDS"):
        monkeypatch.setattr(metrics_service, pause, 0.0)
    read = settings.read({"FLOORBOOK_KAFKA": "127.0.0.1:9"})
    assert isinstance(read, Settings)
    registry = CollectorRegistry()
    probes = Probes(registry, Address("127.0.0.1", 0))
    Service(read, BusinessMetrics(registry), probes, stop).run()
    labels = {"game": "thirteen_cards", "rule_set": "declare"}
    return registry.get_sample_value("floorbook_rounds_opened_total", labels), broker


@pytest.mark.parametrize(
    "commits",
    [
        (),
        ("done without an answer",),
        ("lost",),
        ("rebalanced",),
        ("lost", "done without an answer", "lost", "rebalanced"),
        ("done", "done without an answer", "done without an answer", "done"),
        ("rebalanced", "rebalanced", "lost", "done", "lost"),
        ("no share", "done", "done", "no share", "lost", "no share"),
    ],
)
def test_every_round_is_shown_once_however_commits_end(
    monkeypatch: pytest.MonkeyPatch, commits: tuple[str, ...]
) -> None:
    shown, broker = run(monkeypatch, *commits)
    assert shown == ROUNDS
    assert broker.committed == (ROUNDS, f"1/{ROUNDS - 1}.0")


def test_another_process_of_the_same_name_ends_it(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(KafkaError, match="another one has this name"):
        run(monkeypatch, "done", "fenced")
