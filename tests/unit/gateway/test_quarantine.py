"""What is refused is kept for somebody to look at, but never so much that it fills the topic."""

import asyncio
from typing import Any

from aiokafka.errors import KafkaTimeoutError
from prometheus_client import CollectorRegistry

from floorbook.gateway.floor import FloorFault
from floorbook.gateway.intake import Outage
from floorbook.gateway.kafka import KafkaQuarantine
from floorbook.gateway.refusals import Reason, Refusal
from floorbook.metrics.catalogue import GatewayMetrics
from floorbook.wire import quarantine as quarantine_wire
from floorbook.wire.quarantine import Quarantined

REFUSAL = Refusal(Reason.UNREADABLE_FACT, "not so: send it otherwise")


class Producer:
    """Takes records, or is down."""

    def __init__(self, fault: Exception | None = None) -> None:
        self.records: list[Quarantined] = []
        self._fault = fault

    async def send_and_wait(self, topic: str, value: bytes, **_: Any) -> None:
        if self._fault is not None:
            raise self._fault
        record = quarantine_wire.decode(value)
        assert isinstance(record, Quarantined)
        self.records.append(record)


async def test_records_say_what_where_and_why_and_stop_at_the_limit() -> None:
    producer, registry = Producer(), CollectorRegistry()
    # The minute may turn once during the test: then twice the limit is written.
    quarantine = KafkaQuarantine(producer, 4, GatewayMetrics(registry), Outage(), 3)
    quarantine.put_floor(FloorFault(2, 17, "no FloorRecord"))
    for _ in range(10):
        quarantine.put(REFUSAL, "device/d", b"x" * 100_000)
    await quarantine.flush()
    assert 3 <= len(producer.records) <= 6
    floor, device, *_ = producer.records
    assert (floor.partition, floor.offset, floor.service) == (2, 17, "gateway")
    assert (device.reason, device.source, device.topic) == ("UNREADABLE_FACT", "device/d", "")
    assert len(device.payload) == 65_536
    name = "floorbook_gateway_quarantined_total"
    assert registry.get_sample_value(name, {"reason": "UNREADABLE_FACT"}) == 10


async def test_a_producer_that_fails_ends_the_process() -> None:
    outage = Outage()
    producer = Producer(KafkaTimeoutError())
    quarantine = KafkaQuarantine(producer, 4, GatewayMetrics(CollectorRegistry()), outage, 3)
    quarantine.put(REFUSAL, "device/d", b"")
    await quarantine.flush()
    await asyncio.sleep(0)
    assert isinstance(outage.happened.result(), KafkaTimeoutError)
