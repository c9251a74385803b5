"""What log lines look like, and that no person, face or key can be in one."""

import io
import json
import logging
import sys
import threading
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
import structlog

from floorbook import logs, trace


@pytest.fixture(autouse=True)
def _give_back_logging() -> Iterator[None]:
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    hook, thread_hook = sys.excepthook, threading.excepthook
    yield
    root.handlers[:] = handlers
    root.setLevel(level)
    sys.excepthook, threading.excepthook = hook, thread_hook
    logging.captureWarnings(False)
    structlog.reset_defaults()


def configured(form: str = "json", level: str = "info") -> io.StringIO:
    stream = io.StringIO()
    logs.configure("table", form=form, level=level, stream=stream)
    return stream


def lines(stream: io.StringIO) -> list[dict[str, Any]]:
    return [json.loads(line) for line in stream.getvalue().splitlines()]


def test_a_line_about_a_round_has_its_trace_id() -> None:
    stream = configured()
    logs.logger().info("round settled", round_id="T12/431")
    logs.logger().info("started", round_id="")
    of_round, of_none = lines(stream)
    assert of_round["trace_id"] == trace.trace_id("T12/431")
    assert "trace_id" not in of_none


def test_a_line_says_when_what_where() -> None:
    stream = configured()
    logs.logger().info("round settled", table="T1", round_id="T1/4", event_id="T1/dice/1/9", bets=3)
    (line,) = lines(stream)
    assert line.pop("time").endswith("Z")
    assert line == {
        "service": "table",
        "event": "round settled",
        "level": "info",
        "table": "T1",
        "round_id": "T1/4",
        "trace_id": trace.trace_id("T1/4"),
        "event_id": "T1/dice/1/9",
        "bets": 3,
    }


@pytest.mark.parametrize(
    "key",
    [
        *("player", "player_id", "players", "playerId", "person", "person_id", "guest", "croupier"),
        *("cards", "card", "faces", "face", "tile", "drawn_tiles", "dice", "die", "hand", "hands"),
        *("deck", "wall", "salt", "openings", "arrangement", "front_cards", "dealt"),
        *("token", "client_token", "password", "dsn", "secret", "device_key", "api_key"),
        *("authorization", "payload"),
    ],
)
@pytest.mark.parametrize("value", ["needle", ["needle"], {"x": "needle"}, b"needle", 77123])
def test_forbidden_fields_are_masked_wherever_they_are(key: str, value: object) -> None:
    stream = configured()
    logs.logger().info("seen", **{key: value}, table="T1", more={"deep": [{key: value}]})
    assert "needle" not in stream.getvalue()
    assert "77123" not in stream.getvalue()
    (line,) = lines(stream)
    assert line[key] == logs.MASK
    assert line["more"] == {"deep": [{key: logs.MASK}]}
    assert line["table"] == "T1"


@pytest.mark.parametrize(
    "key", ["table", "round_id", "event_id", "partition", "offset", "game", "reason", "key", "fact"]
)
def test_what_operators_need_is_not_masked(key: str) -> None:
    stream = configured()
    logs.logger().info("seen", **{key: "thirteen_cards"})
    assert lines(stream)[0][key] == "thirteen_cards"


class Hand(msgspec.Struct):
    """A hand, as a careless caller might log one."""

    cards: tuple[str, ...]


def test_objects_are_reduced_to_their_type() -> None:
    stream = configured()
    logs.logger().info("seen", what=Hand(("AS", "KD")), raw=b"AS", all=[Hand(("QH",))])
    (line,) = lines(stream)
    assert (line["what"], line["raw"], line["all"]) == ("<Hand>", "<bytes>", ["<Hand>"])


@pytest.mark.parametrize(
    "text",
    [
        "payer player/needle paid",
        "postgresql://floor:needle@db/book is down",
        "host=db password=needle user=floor",
        "Hand(cards=('x', 'needle'), gate=1)",
        "{'player_id': 'needle', 'n': 1}",
        'token: "a needle"',
        "Authorization: Bearer needle",
        "faces=[1, 2, needle]",
    ],
)
def test_free_text_is_masked_in_messages_fields_and_tracebacks(text: str) -> None:
    stream = configured()
    logging.getLogger("alembic").warning("library says %s", text)
    logs.logger().info("seen", reason=text)
    try:
        raise RuntimeError(text)
    except RuntimeError as fault:
        logs.logger().exception("failed", cause=fault)
    assert "needle" not in stream.getvalue()
    assert len(lines(stream)) == 3
    assert "RuntimeError" in lines(stream)[2]["exception"]


@pytest.mark.parametrize("face", ["As", "Td", "5s", "1m", "65"])
def test_a_quoted_face_is_masked_wherever_it_stands(face: str) -> None:
    stream = configured()
    logs.logger().info(f"the seal does not hold {face!r}", detail=f'got ["{face}"] after 5s')
    (line,) = lines(stream)
    assert line["event"] == "the seal does not hold '***'"
    assert line["detail"] == "got ['***'] after 5s"


def test_an_exception_nobody_caught_is_a_masked_line() -> None:
    stream = configured()
    fault = ValueError("player/needle is unknown")
    sys.excepthook(ValueError, fault, None)
    thread = threading.Thread(target=lambda: [][1], name="worker")
    thread.start()
    thread.join()
    first, second = lines(stream)
    assert first["level"] == second["level"] == "critical"
    assert "player/***" in first["exception"]
    assert "IndexError" in second["exception"]


def test_libraries_go_the_same_way_and_aiokafka_only_from_warning() -> None:
    stream = configured(level="debug")
    logging.getLogger("aiokafka.consumer.fetcher").info("too much")
    logging.getLogger("aiokafka.consumer.fetcher").warning("lost the broker")
    logging.getLogger("faust.tables").info("recovered")
    assert [(line["logger"], line["event"]) for line in lines(stream)] == [
        ("aiokafka.consumer.fetcher", "lost the broker"),
        ("faust.tables", "recovered"),
    ]
    assert not logging.getLogger("aiokafka.consumer.fetcher").isEnabledFor(logging.DEBUG)


def said(name: str, text: str, *args: object, at: float, level: int = logging.ERROR) -> None:
    """Let a logger say something at a moment."""
    record = logging.LogRecord(name, level, "", 0, text, args, None)
    record.created = at
    logging.getLogger(name).handle(record)


def test_a_broker_that_is_gone_is_a_line_in_ten_seconds_with_the_number_left_out() -> None:
    stream = configured()
    for tenth in range(1, 120):
        said("kafka.net.manager", "failed (backoff %0.2f secs)", tenth / 10, at=1000 + tenth / 10)
    first, second = lines(stream)
    assert first["event"] == "failed (backoff 0.10 secs)"
    assert "left_out" not in first
    assert (second["event"], second["left_out"]) == ("failed (backoff 10.10 secs)", 99)


def test_a_collector_that_is_gone_is_a_line_in_ten_seconds() -> None:
    stream = configured()
    for number, seconds in enumerate((0.83, 1.9, 4.05)):
        said("opentelemetry.exporter.otlp", "retrying in %.2fs.", seconds, at=1000 + number)
    assert len(lines(stream)) == 1


def test_what_a_client_says_of_another_broker_or_of_something_else_is_not_left_out() -> None:
    stream = configured()
    for name in ("kafka.net", "aiokafka"):
        for text in ("node_id=1 is gone", "node_id=2 is gone", "10.0.0.1:9092", "10.0.0.2:9092"):
            said(name, text, at=1000)
            said(name, text, at=1001)
    assert len(lines(stream)) == 8


def test_only_what_the_brokers_clients_repeat_is_held_back() -> None:
    stream = configured()
    for at in (1000.0, 1001.0):
        said("faust.tables", "recovered", at=at)
        said("kafka.net", "the clock is set back", at=2000 - at)
    logs.logger().error("quarantined")
    logs.logger().error("quarantined")
    assert sorted(line["event"] for line in lines(stream)) == [
        *("quarantined", "quarantined", "recovered", "recovered"),
        *("the clock is set back", "the clock is set back"),
    ]


def test_a_client_that_never_says_the_same_twice_fills_no_memory() -> None:
    stream = configured()
    for number in range(5000):
        said("kafka.net", f"x{number}", at=1000)
    (handler,) = logging.getLogger().handlers
    (held,) = handler.filters
    assert isinstance(held, logs._HoldBack)
    assert len(held._seen) <= 1000
    assert len(lines(stream)) == 5000


def test_the_level_holds_for_everybody() -> None:
    stream = configured(level="error")
    logs.logger().warning("not this")
    logging.getLogger("faust").warning("nor this")
    logs.logger().error("this")
    assert [line["event"] for line in lines(stream)] == ["this"]


def test_the_terminal_form_is_text_and_masked() -> None:
    stream = configured(form="terminal")
    logs.logger().info("round settled", table="T1", player_id="needle")
    assert "round settled" in stream.getvalue()
    assert "table=T1" in stream.getvalue()
    assert "needle" not in stream.getvalue()
