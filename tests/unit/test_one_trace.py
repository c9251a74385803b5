"""One round's spans are one trace from gateway to ledger, by the code of each service and a real call in between."""

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from msgspec.structs import replace
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from prometheus_client import CollectorRegistry

from floorbook import ids, trace
from floorbook.evaluator.client import Client
from floorbook.evaluator.service import Server
from floorbook.gateway import registry
from floorbook.gateway.clock import ClockCheck
from floorbook.gateway.floor import Floor
from floorbook.gateway.intake import Intake, Outage
from floorbook.gateway.registry import Registry
from floorbook.ledger.journal import journalise
from floorbook.ledger.tracing import Tracing as LedgerTracing
from floorbook.metrics.catalogue import EvaluatorMetrics, GatewayMetrics, TableMetrics
from floorbook.probes import Condition
from floorbook.spans import Spans
from floorbook.table.batch import Batch
from floorbook.table.events import Event, Role
from floorbook.table.obligations import Obligations
from floorbook.table.state import Evaluation
from floorbook.table.store import Store, pack, watermark_key
from floorbook.table.tracing import Tracing
from floorbook.wire import envelope, movement
from tests.unit.gateway.ports import FakeLog, FakeQuarantine, FloorLine
from tests.unit.table.playing import Table

TABLE = "T1"


class Path:
    """The way of an event through all services, in one process, on one partition."""

    def __init__(self, spans: Callable[[str], Spans], client: Client) -> None:
        nobody = registry.read(b'{"devices": [], "clients": []}')
        assert isinstance(nobody, Registry)
        self.log = FakeLog(1)
        self.floor = Floor(1)
        self.intake = Intake(
            *(nobody, self.log, FakeQuarantine(), self.floor),
            *(GatewayMetrics(CollectorRegistry()), ClockCheck(Condition("clock")), Outage()),
            spans=spans("gateway"),
        )
        self.tracing = Tracing(spans("table"))
        self.obligations = Obligations(
            client, self._answer, TableMetrics(CollectorRegistry()), _fail, self.tracing
        )
        self.ledger = LedgerTracing(spans("ledger"))
        self._store = Store({})
        self._answered = asyncio.Event()

    async def take(self, event: Event) -> None:
        """Return once a fact has gone all the way, and what it makes the table owe is answered."""
        await self.intake.append(
            event.fact,
            table_id=event.table_id,
            equipment_id=event.equipment_id,
            equipment_kind=event.equipment_kind,
            boot=event.boot,
            sequence=event.sequence,
            role=event.role,
            observe_time_ms=event.observe_time_ms,
            fingerprint=event.fingerprint,
            client_id=event.client_id,
            person_id=event.person_id,
        )
        await asyncio.sleep(0)  # the log's confirmation is told
        self._answered.clear()
        if self._fold():
            await self._answered.wait()

    async def _answer(self, event: Event) -> None:
        headers = self.tracing.headers(ids.round_of(event.obligation_id))
        await self.log.append(TABLE, envelope.encode(event), headers)
        self._fold()
        self._answered.set()

    def _fold(self) -> bool:
        """Return whether the table owes an evaluation, after folding the log's last record."""
        key, value, partition, offset = self.log.records[-1]
        record = SimpleNamespace(
            key=key,
            value=value,
            partition=partition,
            offset=offset,
            headers=self.log.headers[-1],
        )
        batch = Batch(self._store, 1, 0)
        step = batch.take(key, value, partition, offset)
        assert step is not None
        assert step.verdict.refusal is None
        self.tracing.folded(record, step, 1)
        self._book(batch)
        marks = {watermark_key(0): pack(offset, b"")}
        self._store.keep({**batch.rounds, **batch.values(), **marks}, batch.states)
        self.tracing.batch()()
        for told, shown, _, round_id in batch.floor:
            self.floor.take(0, [FloorLine(told, shown, offset, trace.round_header(round_id))])
        owed = tuple(o for o in step.state.obligations if isinstance(o, Evaluation))
        self.obligations.follow(replace(step.state, obligations=owed))
        return bool(owed)

    def _book(self, batch: Batch) -> None:
        for _, value, _, round_id in batch.movements:
            one: Any = movement.decode(value)
            self.ledger.received(one.movement_id, self.tracing.headers(round_id))
            entry = journalise(one)
            self.ledger.posted([entry], 1)
            assert trace.round_of(self.ledger.headers(entry)) == round_id
            self.ledger.published([entry], 1)


def _fail(fault: BaseException) -> None:
    raise AssertionError from fault


@pytest.fixture
async def recorded() -> list[ReadableSpan]:
    """Return all spans of two rounds at one table."""
    exporter = InMemorySpanExporter()

    def spans(service: str) -> Spans:
        return Spans(service, SimpleSpanProcessor(exporter), 1.0)

    server = Server(EvaluatorMetrics(CollectorRegistry()), spans("evaluator"))
    client = Client(f"127.0.0.1:{await server.start('127.0.0.1:0')}", 30.0)
    path = Path(spans, client)
    played = Table(TABLE).open(2)
    for _ in range(2):
        played.round()
    for event in played.log:
        if event.role is not Role.PROCESSOR:
            await path.take(event)
    await path.obligations.close()
    await client.close()
    await server.stop()
    return list(exporter.get_finished_spans())


async def test_one_trace_leads_from_the_entry_back_to_the_gateway(
    recorded: list[ReadableSpan],
) -> None:
    wanted = int(trace.trace_id(f"{TABLE}/2"), 16)
    spans = {each.context.span_id: each for each in recorded if each.context.trace_id == wanted}
    booked = [
        each
        for each in spans.values()
        if each.name == "ledger book" and (each.attributes or {})["kind"] == "settlement"
    ]
    assert len(booked) == 1
    (at,) = [
        s for s in spans.values() if s.parent and s.parent.span_id == booked[0].context.span_id
    ]
    way = []
    while True:
        way.append((at.resource.attributes["service.name"], at.name))
        if at.parent is None:
            break
        at = spans[at.parent.span_id]
    assert way == [
        ("floorbook-ledger", "ledger publish"),
        ("floorbook-ledger", "ledger book"),
        ("floorbook-table", "table fold"),
        ("floorbook-table", "table evaluate"),
        ("floorbook-table", "table fold"),
        ("floorbook-gateway", "gateway append"),
    ]
    (answer,) = [each for each in spans.values() if each.name == "evaluator answer"]
    assert answer.parent is not None
    assert spans[answer.parent.span_id].name == "table evaluate"


async def test_the_event_that_opens_a_round_is_linked_from_the_one_before(
    recorded: list[ReadableSpan],
) -> None:
    second = int(trace.trace_id(f"{TABLE}/2"), 16)
    linked = [each for each in recorded if each.links and each.context.trace_id == second]
    assert [each.name for each in linked] == ["table fold"]
    assert {f"{link.context.trace_id:032x}" for each in linked for link in each.links} == {
        trace.trace_id(f"{TABLE}/1")
    }


async def test_no_span_says_who_played_or_what_they_held(recorded: list[ReadableSpan]) -> None:
    names = {name for each in recorded for name in each.attributes or {}}
    assert names == {
        *("floorbook.round", "floorbook.event", "floorbook.entry"),
        *("fact", "verdict", "kind", "rule_set"),
    }
