"""Decides which Kafka topics exist, and is the only place that knows their names.

A topic is made with the properties declared here and never altered: more partitions are a new set of
topics (`.v2`). `create` makes what is missing and refuses what differs; every service calls `check` when it
starts. `partition_of` is the one rule by which a table's records find their partition.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from floorbook.login import NOBODY, Login

if TYPE_CHECKING:
    from kafka.admin import KafkaAdminClient

_SECOND_MS = 1000
_DAY_MS = 24 * 60 * 60 * _SECOND_MS
FOR_EVER = -1

Place = tuple[str, int]
"""A topic's name and one of its partitions."""

# Named here because Faust makes the changelog topic's name out of them.
TABLE_APP_ID = "floorbook-table"
TABLE_STORE = "tables"


@dataclass(frozen=True, slots=True)
class Topic:
    """One topic: what is in it, whose it is, and how long the broker keeps it."""

    name: str
    meaning: str
    key: str
    message: str  # name of the protobuf message in package floorbook.v1, or the form of the value
    owner: str
    readers: tuple[str, ...]
    cleanup_policy: str = "delete"
    retention_ms: int = FOR_EVER
    timestamp_type: str = "CreateTime"
    min_compaction_lag_ms: int | None = None

    def configuration(self, replication: int) -> dict[str, str]:
        """Return the topic's Kafka properties for `replication` copies of each partition."""
        properties = {
            "cleanup.policy": self.cleanup_policy,
            "retention.ms": str(self.retention_ms),
            # Else a broker-wide limit in bytes would quietly forget what must stay.
            "retention.bytes": "-1",
            "message.timestamp.type": self.timestamp_type,
            "unclean.leader.election.enable": "false",
            "min.insync.replicas": "2" if replication >= 3 else "1",
        }
        if self.min_compaction_lag_ms is not None:
            properties["min.compaction.lag.ms"] = str(self.min_compaction_lag_ms)
        return properties


TABLE_EVENTS = Topic(
    name="floorbook.table-events.v1",
    meaning="The truth: everything that may change a table, in order.",
    key="table id",
    message="Event",
    owner="gateway and table processor",
    readers=("table", "rebuild", "audit"),  # nobody else: it holds what nobody may see yet
    timestamp_type="LogAppendTime",  # a second clock beside the gateways'
)
FLOOR = Topic(
    name="floorbook.floor.v1",
    meaning="What the fold made of each event: its verdict, and who may see what of it.",
    key="table id",
    message="FloorRecord",
    owner="table",
    readers=("gateway", "metrics"),
    retention_ms=7 * _DAY_MS,
)
MOVEMENTS = Topic(
    name="floorbook.movements.v1",
    meaning="What the ledger must book.",
    key="table id",
    message="Movement",
    owner="table",
    readers=("ledger", "metrics"),
)
LEDGER_ENTRIES = Topic(
    name="floorbook.ledger-entries.v1",
    meaning="What the ledger has booked.",
    key="table id",
    message="LedgerEntry",
    owner="ledger",
    readers=("finance", "metrics"),
)
QUARANTINE = Topic(
    name="floorbook.quarantine.v1",
    meaning="What could not be read, where it was found, and why.",
    key="table id or source",
    message="Quarantined",
    owner="whoever could not read it",
    readers=("table", "operators", "metrics", "rebuild", "audit"),
)
TABLE_STATES = Topic(
    name=f"{TABLE_APP_ID}-{TABLE_STORE}-changelog",
    meaning="The table processor's states and watermarks, from which it recovers.",
    key="table id, round record or partition's watermark",
    message="offset and MessagePack state",
    owner="table",
    readers=("table", "rebuild"),
    cleanup_policy="compact",
    # A frozen worker that wakes may append an old state last; recovery still finds the newer one.
    min_compaction_lag_ms=_DAY_MS,
)
ALL = (TABLE_EVENTS, FLOOR, MOVEMENTS, LEDGER_ENTRIES, QUARANTINE, TABLE_STATES)


class TopicsError(Exception):
    """The topics cannot be used as they are; each of `faults` is one sentence with its remedy."""

    def __init__(self, *faults: str) -> None:
        """Return the error for one or more faults."""
        super().__init__("; ".join(faults))
        self.faults = faults


@lru_cache(maxsize=65536)
def partition_of(key: str, partitions: int) -> int:
    """Return the partition of `key` among `partitions`, as Kafka's default partitioner has it.

    >>> partition_of("T1", 12)
    5
    """
    from kafka.partitioner.default import murmur2

    assert partitions > 0, "topics have at least one partition"
    return int(murmur2(key.encode()) & 0x7FFFFFFF) % partitions


def create(
    bootstrap: Sequence[str], partitions: int, replication: int, login: Login = NOBODY
) -> None:
    """Return once every topic exists as declared; make those that are missing.

    An existing topic that differs is never altered: it is a `TopicsError`, and nothing is made beside it.
    """
    with _admin(bootstrap, login) as admin:
        counts, _ = _inspect(admin)
        _refuse(
            f"{name} has {found} partitions and not {partitions}: partition counts never change"
            for name, found in sorted(counts.items())
            if found != partitions
        )
        missing = [topic for topic in ALL if topic.name not in counts]
        if missing:
            _make(admin, missing, partitions, replication)
        _, faults = _inspect(admin)
        _refuse(faults)


def check(bootstrap: Sequence[str], login: Login = NOBODY) -> int:
    """Return the partition count that all topics share; anything missing or different is a `TopicsError`."""
    with _admin(bootstrap, login) as admin:
        counts, faults = _inspect(admin)
    if len(set(counts.values())) > 1:
        shown = ", ".join(f"{name} {found}" for name, found in sorted(counts.items()))
        faults.append(f"the topics differ in partitions ({shown}): all must have the same count")
    _refuse(faults)
    return next(iter(counts.values()))


@contextmanager
def _admin(bootstrap: Sequence[str], login: Login) -> Iterator[KafkaAdminClient]:
    from kafka.admin import KafkaAdminClient
    from kafka.errors import KafkaError

    servers = ", ".join(bootstrap)
    try:
        admin = KafkaAdminClient(
            bootstrap_servers=list(bootstrap),
            client_id="floorbook-topics",
            **login.kafka_python(),
            bootstrap_timeout_ms=10_000,
        )
    except KafkaError as fault:
        raise TopicsError(f"no broker answers at {servers}: {fault}") from fault
    try:
        yield admin
    except KafkaError as fault:
        raise TopicsError(f"the broker at {servers} refuses: {fault}") from fault
    finally:
        admin.close()


def _make(
    admin: KafkaAdminClient, missing: Sequence[Topic], partitions: int, replication: int
) -> None:
    from kafka.errors import TopicAlreadyExistsError

    wanted = {
        topic.name: {
            "num_partitions": partitions,
            "replication_factor": replication,
            "configs": topic.configuration(replication),
        }
        for topic in missing
    }
    made = admin.create_topics(wanted, raise_errors=False)["topics"]
    # Somebody else may have made one at the same moment; what it is like is looked at next.
    harmless = (0, TopicAlreadyExistsError.errno)
    _refuse(
        f"{each['name']} cannot be made: {each['error_message']}"
        for each in made
        if each["error_code"] not in harmless
    )
    admin.wait_for_topics(sorted(wanted))


def _inspect(admin: KafkaAdminClient) -> tuple[dict[str, int], list[str]]:
    there = set(admin.list_topics())
    faults = [
        f"{topic.name} does not exist: run `floorbook topics create`"
        for topic in ALL
        if topic.name not in there
    ]
    present = [topic for topic in ALL if topic.name in there]
    if not present:
        return {}, faults
    described = {each["name"]: each for each in admin.describe_topics([t.name for t in present])}
    counts = {name: len(each["partitions"]) for name, each in described.items()}
    properties = _properties(admin, list(counts))
    for topic in present:
        replicas = [len(p["replica_nodes"]) for p in described[topic.name]["partitions"]]
        faults += _differences(topic, min(replicas), properties[topic.name])
    return counts, faults


def _properties(admin: KafkaAdminClient, names: list[str]) -> dict[str, dict[str, Any]]:
    from kafka.admin import ConfigResource

    asked = [ConfigResource("TOPIC", name) for name in names]
    found = admin.describe_configs(asked, config_filter="all")["topic"]
    return {name: {key: each["value"] for key, each in found[name].items()} for name in names}


def _differences(topic: Topic, replication: int, found: dict[str, Any]) -> Iterator[str]:
    for key, wanted in topic.configuration(replication).items():
        if found.get(key) != wanted:
            yield f"{topic.name} has {key}={found.get(key)} and not {wanted}: set it by hand"


def _refuse(faults: Iterable[str]) -> None:
    if found := tuple(faults):
        raise TopicsError(*found)
