"""Spans: of the round's own trace, of a share of rounds, and nothing of OpenTelemetry unless they are wanted."""

import subprocess
import sys

import pytest
from opentelemetry.sdk.trace import ReadableSpan
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from floorbook import cli, settings, spans, trace
from floorbook.settings import Settings
from floorbook.spans import Spans


class Recorded:
    """Spans that are kept in memory."""

    def __init__(self, ratio: float = 1.0) -> None:
        self._exporter = InMemorySpanExporter()
        self.spans = Spans("table", SimpleSpanProcessor(self._exporter), ratio)

    def all(self) -> list[ReadableSpan]:
        return list(self._exporter.get_finished_spans())


def with_traces(address: str = "http://127.0.0.1:4317") -> Settings:
    found = settings.read({"FLOORBOOK_TRACES": address, "FLOORBOOK_TRACES_RATIO": "1"})
    assert isinstance(found, Settings)
    return found


def test_a_span_is_of_its_rounds_trace_and_child_of_the_one_before() -> None:
    recorded = Recorded()
    first = recorded.spans.begin("gateway append", "T1/4", attributes={"fact": "bet_placed"})
    assert first is not None
    parent = trace.parse(first.traceparent)
    second = recorded.spans.begin("table fold", "T1/4", parent)
    assert second is not None
    second.end()
    first.end()
    child, root = recorded.all()
    assert f"{root.context.trace_id:032x}" == trace.trace_id("T1/4")
    assert root.parent is None
    assert child.parent is not None
    assert child.parent.span_id == root.context.span_id
    assert dict(root.attributes or {}) == {"floorbook.round": "T1/4", "fact": "bet_placed"}
    assert root.resource.attributes["service.name"] == "floorbook-table"


def test_a_span_of_another_round_is_linked_and_is_no_parent() -> None:
    recorded = Recorded()
    before = recorded.spans.begin("gateway append", "T1/4")
    assert before is not None
    opening = recorded.spans.begin("table fold", "T1/5", trace.parse(before.traceparent))
    assert opening is not None
    opening.end()
    (span,) = recorded.all()
    assert span.parent is None
    assert f"{span.context.trace_id:032x}" == trace.trace_id("T1/5")
    assert [f"{link.context.trace_id:032x}" for link in span.links] == [trace.trace_id("T1/4")]


def test_headers_of_which_nobody_has_recorded_a_span_make_a_root() -> None:
    recorded = Recorded()
    span = recorded.spans.begin("table fold", "T1/4", trace.parent_of(trace.headers("T1/4")))
    assert span is not None
    span.end("no broker")
    (root,) = recorded.all()
    assert root.parent is None
    assert root.status.description == "no broker"


def test_services_that_have_the_same_share_record_the_same_rounds() -> None:
    table, ledger = Recorded(0.3), Recorded(0.3)
    rounds = [f"T{number}/1" for number in range(1000)]
    chosen = [each for each in rounds if table.spans.begin("table fold", each)]
    assert chosen == [each for each in rounds if ledger.spans.begin("ledger book", each)]
    assert 200 < len(chosen) < 400
    assert not any(Recorded(0.0).spans.begin("table fold", each) for each in rounds)
    assert Recorded().spans.begin("table fold", "") is None, "no round, no trace"


def test_headers_name_the_span_or_only_the_round() -> None:
    recorded = Recorded()
    span = recorded.spans.begin("table fold", "T1/4")
    assert span is not None
    assert trace.parent_of(recorded.spans.headers("T1/4", span)) == trace.parse(span.traceparent)
    assert recorded.spans.headers("T1/4", None) == trace.headers("T1/4")


def test_nothing_of_it_is_imported_while_no_spans_are_wanted() -> None:
    code = """
import sys
from floorbook import cli, settings, spans
import floorbook.gateway.service, floorbook.table.service, floorbook.evaluator.service
import floorbook.ledger.service, floorbook.metrics.service
for service in settings.SERVICES:
    assert spans.start(service, settings.read({})) is None
assert not [each for each in sys.modules if each.startswith("opentelemetry")]
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_spans_that_are_wanted_and_cannot_be_made_end_the_service_at_once(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(spans, "find_spec", lambda name: None)
    monkeypatch.setenv("FLOORBOOK_TRACES", "http://127.0.0.1:4317")
    assert cli.main(["evaluator"]) == settings.EXIT_BAD_SETTINGS
    said = capsys.readouterr().err
    assert "FLOORBOOK_TRACES" in said
    assert "install floorbook[otel]" in said


def test_whoever_wants_none_needs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert spans.missing(with_traces()) is None
    monkeypatch.setattr(spans, "find_spec", lambda name: None)
    assert spans.missing(with_traces()) is not None
    assert spans.missing(with_traces("")) is None


@pytest.mark.parametrize(
    ("variable", "value", "word"),
    [
        ("FLOORBOOK_TRACES", "127.0.0.1:4317", "http://"),
        ("FLOORBOOK_TRACES", "ftp://127.0.0.1:4317", "http://"),
        ("FLOORBOOK_TRACES", "http://127.0.0.1", "host:port"),
        ("FLOORBOOK_TRACES", "http://127.0.0.1:0", "port"),
        ("FLOORBOOK_TRACES_RATIO", "1.1", "from 0 to 1"),
        ("FLOORBOOK_TRACES_RATIO", "-1", "from 0 to 1"),
        ("FLOORBOOK_TRACES_RATIO", "nan", "from 0 to 1"),
        ("FLOORBOOK_TRACES_RATIO", "all", "from 0 to 1"),
    ],
)
def test_settings_of_spans_that_cannot_be_used_are_named(
    variable: str, value: str, word: str
) -> None:
    found = settings.read({variable: value})
    assert isinstance(found, list)
    (fault,) = found
    assert variable in fault
    assert word in fault


def test_a_collector_that_is_not_there_holds_up_nobody() -> None:
    recorded = spans.start("table", with_traces("http://127.0.0.1:1"))
    assert recorded is not None
    span = recorded.begin("table fold", "T1/4")
    assert span is not None
    span.end()
    recorded.close()
