"""What /metrics, /healthz and /readyz answer."""

import urllib.error
import urllib.request
from collections.abc import Iterator

import pytest
from prometheus_client import CollectorRegistry, Counter

from floorbook.probes import Probes
from floorbook.settings import Address


class Clock:
    """A clock that stands until it is moved."""

    now = 100.0

    def __call__(self) -> float:
        """Return the time it shows."""
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def probes(clock: Clock) -> Iterator[Probes]:
    registry = CollectorRegistry()
    Counter("floorbook_things_total", "Things.", registry=registry).inc(3)
    made = Probes(registry, Address("127.0.0.1", 0), heartbeat_limit_seconds=5, clock=clock)
    made.start()
    yield made
    made.stop()


def get(probes: Probes, path: str) -> tuple[int, str]:
    try:
        with urllib.request.urlopen(f"http://{probes.address}{path}", timeout=5) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as refused:
        return refused.code, refused.read().decode()


def test_metrics_are_those_of_the_registry(probes: Probes) -> None:
    status, body = get(probes, "/metrics")
    assert status == 200
    assert "floorbook_things_total 3.0" in body


def test_health_is_the_beat(probes: Probes, clock: Clock) -> None:
    assert get(probes, "/healthz")[0] == 200
    clock.now += 6
    status, body = get(probes, "/healthz")
    assert (status, body) == (503, "no beat for 6.0 s, allowed are 5 s\n")
    probes.beat()
    assert get(probes, "/healthz")[0] == 200


def test_ready_needs_every_condition(probes: Probes) -> None:
    database, broker = probes.condition("database"), probes.condition("broker")
    broker.hold()
    assert get(probes, "/readyz") == (503, "not ready\ndatabase: not yet\nbroker: ok\n")
    database.hold()
    assert get(probes, "/readyz") == (200, "ready\ndatabase: ok\nbroker: ok\n")
    broker.fail("connection lost")
    assert get(probes, "/readyz") == (503, "not ready\ndatabase: ok\nbroker: connection lost\n")
    assert probes.condition("broker") is broker


def test_other_paths_are_not_found(probes: Probes) -> None:
    status, body = get(probes, "/")
    assert status == 404
    assert "/readyz" in body


def test_a_query_is_ignored(probes: Probes) -> None:
    assert get(probes, "/healthz?verbose=1")[0] == 200


def test_nothing_listens_after_the_stop(probes: Probes) -> None:
    address = probes.address
    probes.stop()
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(f"http://{address}/healthz", timeout=5)
    probes.stop()


def test_a_port_in_use_is_an_error_at_the_start(probes: Probes) -> None:
    second = Probes(CollectorRegistry(), probes.address)
    with pytest.raises(OSError, match="in use"):
        second.start()
