"""The webhook takes what Alertmanager sends and knows who fires; what is no message is refused."""

import asyncio
import json
from typing import Any
from urllib.parse import urlsplit

import pytest

from floorbook.demo.drill_webhook import Message, Webhook


def message(status: str, *alerts: dict[str, Any], name: str = "TableLate") -> bytes:
    return json.dumps(
        {
            "version": "4",
            "status": status,
            "receiver": "pager",
            "groupLabels": {"alertname": name},
            "commonLabels": {},
            "alerts": list(alerts),
        }
    ).encode()


def alert(status: str, summary: str) -> dict[str, Any]:
    return {
        "status": status,
        "labels": {"alertname": "TableLate", "severity": "page"},
        "annotations": {"summary": summary, "runbook_url": "docs/runbooks/TableLate.md"},
        "startsAt": "2026-11-30T15:00:00Z",
    }


async def post(webhook: Webhook, body: bytes, head: str = "") -> int:
    reader, writer = await asyncio.open_connection("127.0.0.1", urlsplit(webhook.url).port)
    head = head or f"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: {len(body)}\r\n\r\n"
    writer.write(head.encode() + body)
    answer = await reader.read()
    writer.close()
    return int(answer.split(b" ")[1])


async def test_an_alert_fires_from_its_first_message_until_it_is_resolved() -> None:
    said: list[Message] = []
    async with Webhook(said.append) as webhook:
        assert await post(webhook, message("firing", alert("firing", "T001 waits."))) == 200
        first = webhook.firing_since["TableLate"]
        await post(webhook, message("firing", alert("firing", "T001 waits longer.")))
        assert webhook.firing_since == {"TableLate": first}
        assert webhook.resolved_at == {}
        await post(webhook, message("resolved", alert("resolved", "T001 waits longer.")))
        assert webhook.firing_since == {}
        assert webhook.resolved_at["TableLate"] >= first
        await post(webhook, message("firing", alert("firing", "T002 waits.")))
        assert webhook.resolved_at == {}
    assert [each.status for each in said] == ["firing", "firing", "resolved", "firing"]


async def test_a_message_is_one_line_that_names_alert_receiver_and_what_still_fires() -> None:
    said: list[Message] = []
    async with Webhook(said.append) as webhook:
        over, one, two = alert("resolved", "T1."), alert("firing", "T2."), alert("firing", "T3.")
        await post(webhook, message("firing", over, one, two))
    assert said[0].line() == "TableLate, to the pager: T2. (and 1 more)"


@pytest.mark.parametrize(
    ("body", "head"),
    [
        (b"no message", ""),
        (b"[]", ""),
        (b"", "GET / HTTP/1.1\r\n\r\n"),
        (b"", "POST / HTTP/1.1\r\nContent-Length: 99999999\r\n\r\n"),
        (b"", "POST / HTTP/1.1\r\nContent-Length: many\r\n\r\n"),
    ],
)
async def test_what_is_no_message_is_refused_and_the_next_one_taken(body: bytes, head: str) -> None:
    async with Webhook() as webhook:
        assert await post(webhook, body, head) == 400
        assert webhook.firing_since == {}
        assert await post(webhook, message("firing", alert("firing", "T001 waits."))) == 200
        assert "TableLate" in webhook.firing_since
