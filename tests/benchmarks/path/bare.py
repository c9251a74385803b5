"""The comparison: the same fold over the same log, in a bare loop of Kafka's client and in memory.

    python -m tests.benchmarks.path.bare PLAN RESULT

The bare loop reads a batch, folds it, sends what is shown and booked and waits until the broker has that: no
Faust, no changelog, no watermark, nobody who asks the evaluator.
"""

import asyncio
import gc
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import msgspec
import uvloop
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from aiokafka.admin import AIOKafkaAdminClient, NewTopic
from msgspec import Struct

from floorbook import topics
from floorbook.table.batch import Batch
from floorbook.table.store import Store

_BATCH: Final = 1_000
_FLOOR: Final = "benchmark.floor"
_MOVEMENTS: Final = "benchmark.movements"


class BarePlan(Struct):
    """Which stretch of the log is folded: for each partition the first offset and the one after the last."""

    kafka: str
    partitions: int
    first: dict[int, int]
    end: dict[int, int]


class Cost(Struct):
    """What a folding of `events` took."""

    events: int
    seconds: float
    cpu_seconds: float


class BareResult(Struct):
    """What both comparisons took."""

    bare: Cost
    in_memory: Cost


async def bare_loop(plan: BarePlan) -> tuple[Cost, list[Any]]:
    """Return what the loop took, and the records it folded in the order in which it did."""
    await _make_topics(plan)
    consumer = AIOKafkaConsumer(bootstrap_servers=plan.kafka, enable_auto_commit=False)
    producer = AIOKafkaProducer(bootstrap_servers=plan.kafka, acks="all")
    await consumer.start()
    await producer.start()
    try:
        parts = [TopicPartition(topics.TABLE_EVENTS.name, each) for each in plan.first]
        consumer.assign(parts)
        for part in parts:
            consumer.seek(part, plan.first[part.partition])
        store = Store({})
        folded: list[Any] = []
        wanted = sum(plan.end.values()) - sum(plan.first.values())
        began, cpu = time.monotonic(), time.process_time()
        while len(folded) < wanted:
            found = await consumer.getmany(timeout_ms=1_000, max_records=_BATCH)
            records = [
                each
                for part, batch in found.items()
                for each in batch
                if each.offset < plan.end[part.partition]
            ]
            batch = _folded(store, records, plan.partitions)
            sent = [
                await producer.send(topic, value, key=key, partition=partition)
                for topic, out in ((_FLOOR, batch.floor), (_MOVEMENTS, batch.movements))
                for key, value, partition, _ in out
            ]
            await asyncio.gather(*sent)
            _keep(store, batch)
            folded += records
        cost = Cost(len(folded), time.monotonic() - began, time.process_time() - cpu)
        return cost, folded
    finally:
        await consumer.stop()
        await producer.stop()


def in_memory(plan: BarePlan, records: Sequence[Any]) -> Cost:
    """Return what folding the records alone takes: nothing is read or sent."""
    store = Store({})
    began, cpu = time.monotonic(), time.process_time()
    for start in range(0, len(records), _BATCH):
        _keep(store, _folded(store, records[start : start + _BATCH], plan.partitions))
    return Cost(len(records), time.monotonic() - began, time.process_time() - cpu)


def _folded(store: Store, records: Sequence[Any], partitions: int) -> Batch:
    batch = Batch(store, partitions, 0)
    for each in records:
        batch.take(each.key, each.value, each.partition, each.offset)
    return batch


def _keep(store: Store, batch: Batch) -> None:
    store.keep({**batch.rounds, **batch.values()}, batch.states)


async def _make_topics(plan: BarePlan) -> None:
    admin = AIOKafkaAdminClient(bootstrap_servers=plan.kafka)
    await admin.start()
    try:
        await admin.create_topics(
            [NewTopic(name, plan.partitions, 1) for name in (_FLOOR, _MOVEMENTS)]
        )
    finally:
        await admin.close()


async def compare(plan: BarePlan) -> BareResult:
    """Return what both comparisons took."""
    bare, records = await bare_loop(plan)
    return BareResult(bare, in_memory(plan, records))


def main(argv: Sequence[str]) -> int:
    """Return 0 once the result is written."""
    plan_file, result_file = argv
    plan = msgspec.json.decode(Path(plan_file).read_bytes(), type=BarePlan)
    # As the table processor does it, else the comparison would be of garbage collections.
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)
    result = uvloop.run(compare(plan))
    Path(result_file).write_bytes(msgspec.json.encode(result))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
