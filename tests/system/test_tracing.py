"""One round is found by its trace id everywhere: in records' headers, in each service's log, and as one trace of spans."""

import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from shutil import rmtree
from typing import Any

import grpc
import pytest
from opentelemetry.proto.collector.trace.v1 import trace_service_pb2, trace_service_pb2_grpc
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from floorbook import topics, trace
from floorbook.demo.casino import build
from floorbook.demo.floor import SimulatedFloor, run_tables
from floorbook.demo.games import plans_of
from floorbook.demo.processes import Supervisor, private_folder
from floorbook.demo.proof import wait_until_posted
from floorbook.demo.servers import Server
from floorbook.demo.services import Rig
from floorbook.table.events import Event, Role
from floorbook.table.rebuild import read
from floorbook.wire import envelope

pytestmark = [pytest.mark.system, pytest.mark.asyncio(loop_scope="session")]


class Collector(trace_service_pb2_grpc.TraceServiceServicer):
    """Takes spans as a collector does, and keeps them with the name of their service."""

    def __init__(self) -> None:
        self.spans: list[tuple[str, Span]] = []

    async def Export(
        self, request: trace_service_pb2.ExportTraceServiceRequest, context: Any
    ) -> trace_service_pb2.ExportTraceServiceResponse:
        for resource in request.resource_spans:
            (service,) = [
                each.value.string_value
                for each in resource.resource.attributes
                if each.key == "service.name"
            ]
            self.spans += [
                (service, span) for scope in resource.scope_spans for span in scope.spans
            ]
        return trace_service_pb2.ExportTraceServiceResponse()


@asynccontextmanager
async def collector() -> AsyncIterator[tuple[str, Collector]]:
    """Yield where a collector listens, and the collector."""
    server, servicer = grpc.aio.server(), Collector()
    trace_service_pb2_grpc.add_TraceServiceServicer_to_server(servicer, server)  # type: ignore[no-untyped-call]
    port = server.add_insecure_port("127.0.0.1:0")
    await server.start()
    yield f"http://127.0.0.1:{port}", servicer
    await server.stop(None)


@dataclass
class Played:
    """What rounds have left behind; `round_id` is one that was settled."""

    round_id: str
    records: dict[str, list[Any]]
    logs: dict[str, list[dict[str, Any]]]
    spans: list[tuple[str, Span]]


async def played(broker: Server, database: Server, folder: Path) -> Played:
    """Return what three rounds at one table leave behind, with spans of all and lines of all levels."""
    plans = plans_of("thirteen_cards")
    casino = build(1, 7, f"{os.getpid():x}-traced-", plans)
    async with collector() as (address, kept), Supervisor(folder) as supervisor:
        rig = Rig(
            supervisor,
            casino.registry(),
            kafka=broker.address,
            database=database.address,
            environment={
                "FLOORBOOK_LOG_LEVEL": "debug",
                "FLOORBOOK_TRACES": address,
                "FLOORBOOK_TRACES_RATIO": "1",
            },
        )
        await rig.start()
        floor = SimulatedFloor(casino, rig.floor_addresses, rig.device_addresses)
        async with floor:
            await run_tables(floor, 3)
        await wait_until_posted(rig, casino)
        await rig.stop_services()
        (table,) = [each.table_id for each in casino.tables]
        logs = {
            name: [json.loads(line) for line in rig.child(name).log.read_text().splitlines()]
            for name in rig.services
        }
    bootstrap = broker.address.split(",")
    records = {
        topic.name: [each for each in read(bootstrap, topic) if each.key == table.encode()]
        for topic in (topics.TABLE_EVENTS, topics.FLOOR, topics.MOVEMENTS, topics.LEDGER_ENTRIES)
    }
    return Played(f"{table}/2", records, logs, kept.spans)


async def test_one_round_is_one_trace_from_gateway_to_ledger(
    broker: Server, database: Server
) -> None:
    folder = private_folder("floorbook-traced-")
    try:
        found = await played(broker, database, folder)
    finally:
        rmtree(folder, ignore_errors=True)
    check_headers(found)
    check_logs(found)
    check_spans(found)


def check_headers(found: Played) -> None:
    """Return if the round's trace id is in the headers of all that is about the round."""
    wanted = trace.trace_id(found.round_id)

    def of_round(topic: topics.Topic) -> list[Any]:
        records = [
            r for r in found.records[topic.name] if trace.round_of(r.headers) == found.round_id
        ]
        assert records, topic.name
        return records

    writers: set[bool] = set()
    for record in of_round(topics.TABLE_EVENTS):
        parent = trace.parent_of(record.headers)
        assert parent is not None
        assert parent.trace_id == wanted
        event = envelope.decode(record.value, record.key, record.partition, record.offset)
        assert isinstance(event, Event)
        writers.add(event.role is Role.PROCESSOR)
    assert writers == {True, False}, "by gateways and by the processor"
    assert of_round(topics.FLOOR)
    for topic in (topics.MOVEMENTS, topics.LEDGER_ENTRIES):
        parents = [trace.parent_of(record.headers) for record in of_round(topic)]
        assert {parent.trace_id for parent in parents if parent} == {wanted}
        assert all(parents), topic.name


def check_logs(found: Played) -> None:
    """Return if each service has told of the round, with its trace id."""
    for service in ("gateway-0", "table-0", "evaluator", "ledger-0"):
        lines = [line for line in found.logs[service] if line.get("round_id") == found.round_id]
        assert lines, service
        assert {line["trace_id"] for line in lines} == {trace.trace_id(found.round_id)}


def attributes_of(span: Span) -> dict[str, str]:
    return {each.key: each.value.string_value for each in span.attributes}


def check_spans(found: Played) -> None:
    """Return if the spans of the round are one trace that leads from an entry back to a gateway."""
    wanted = bytes.fromhex(trace.trace_id(found.round_id))
    spans = {each.span_id: (who, each) for who, each in found.spans if each.trace_id == wanted}
    (published,) = [
        span
        for _, span in spans.values()
        if span.name == "ledger publish"
        and attributes_of(spans[span.parent_span_id][1])["kind"] == "settlement"
    ]
    way = [("floorbook-ledger", published.name)]
    at = published
    while at.parent_span_id:
        who, at = spans[at.parent_span_id]
        way.append((who, at.name))
    assert way == [
        ("floorbook-ledger", "ledger publish"),
        ("floorbook-ledger", "ledger book"),
        ("floorbook-table", "table fold"),
        ("floorbook-table", "table evaluate"),
        ("floorbook-table", "table fold"),
        ("floorbook-gateway", "gateway append"),
    ]
    (answered,) = [span for _, span in spans.values() if span.name == "evaluator answer"]
    assert spans[answered.parent_span_id][1].name == "table evaluate"
