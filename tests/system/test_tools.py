"""The operators' tools on a real broker, run as an operator runs them."""

import asyncio
import json
import os
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from shutil import rmtree

import pytest
import pytest_asyncio
from kafka import KafkaProducer
from msgspec.structs import replace

from floorbook import topics
from floorbook.demo.broker import Broker
from floorbook.demo.processes import Supervisor, private_folder
from floorbook.table.state import TableState, fresh, suspend
from floorbook.table.store import pack, state_key, stored_state, watermark_key
from floorbook.wire import quarantine
from floorbook.wire.quarantine import Quarantined

pytestmark = [pytest.mark.system, pytest.mark.asyncio(loop_scope="module")]

NOON_MS = 1_772_366_400_000  # 2026-03-01T12:00 UTC
PARTITIONS = 3


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def broker() -> AsyncIterator[str]:
    """A broker of these tests' own, with empty topics: they say what lies in all of it."""
    folder: Path = private_folder("floorbook-tools-")
    async with Supervisor(folder) as supervisor:
        server = Broker(supervisor)
        await server.start()
        topics.create([server.address], PARTITIONS, 1)
        yield server.address
    rmtree(folder)


async def floorbook(kafka: str, *argv: str) -> tuple[int | None, list[str], str]:
    """Return the exit code of `floorbook argv`, the lines of its output, and what it complained of."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        *("-m", "floorbook.cli", *argv),
        env={**os.environ, "FLOORBOOK_KAFKA": kafka},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    out, err = await process.communicate()
    return process.returncode, out.decode().splitlines(), err.decode()


def send(kafka: str, topic: topics.Topic, *records: tuple[bytes, bytes, int]) -> None:
    """Return once the broker has these records: key, value and partition of each."""
    producer = KafkaProducer(bootstrap_servers=[kafka])
    sent = [
        producer.send(topic.name, key=key, value=value, partition=partition)
        for key, value, partition in records
    ]
    for each in sent:
        each.get(30)
    producer.close()


async def test_quarantine_is_empty_and_then_shown_over_all_partitions(broker: str) -> None:
    assert (await floorbook(broker, "quarantine"))[:2] == (0, ["nothing was put into quarantine"])
    stranger = Quarantined("", 0, 0, "WRONG_KEY", "no", "gateway", "dice-1", b"needle", NOON_MS)
    event = Quarantined("events", 1, 17, "UNKNOWN_FACT", "none", "table", time_ms=NOON_MS - 1)
    send(
        broker,
        topics.QUARANTINE,
        (b"dice-1", quarantine.encode(stranger), 0),
        (b"T1", quarantine.encode(event), 2),
        (b"x", b"\xff", 1),
    )

    code, lines, _ = await floorbook(broker, "quarantine")

    assert code == 0
    assert [line.split("  ")[3] for line in lines[:-1]] == [
        *("UNKNOWN_FACT", "WRONG_KEY", "NOT_DECODABLE")
    ]
    assert lines[-1] == "3 in quarantine"
    assert b"needle".hex() not in "".join(lines)
    code, lines, _ = await floorbook(broker, "quarantine", "--json", "--payload")
    assert b"needle".hex() in [each["payload"] for each in json.loads("\n".join(lines))]


async def test_the_newest_state_says_whether_a_table_is_suspended(broker: str) -> None:
    assert (await floorbook(broker, "suspended"))[:2] == (0, ["no table is suspended, of 0"])

    def at(table_id: str, offset: int, *causes: str) -> tuple[bytes, bytes, int]:
        state: TableState = replace(fresh(table_id, 0), offset=offset)
        for cause in causes:
            state = suspend(state, cause)
        return state_key(table_id), stored_state(state), 0

    send(
        broker,
        topics.TABLE_STATES,
        at("T1", 7),
        at("T2", 8, "hole/dice-2/1"),
        at("T1", 6, "lost/dice-1/1"),  # a worker that was frozen writes late
        (watermark_key(0), pack(8, b""), 0),
    )

    code, lines, _ = await floorbook(broker, "suspended")

    assert code == 0
    assert lines == [
        "T2  CLOSED  last event 1970-01-01T00:00:00.000+00:00",
        "    cause  hole/dice-2/1",
        "1 suspended, of 2 tables",
    ]


@pytest.mark.parametrize("tool", ["quarantine", "suspended"])
async def test_a_broker_that_does_not_answer_is_named(tool: str) -> None:
    code, lines, fault = await floorbook("127.0.0.1:9", tool)
    assert (code, lines) == (1, [])
    assert f"floorbook {tool}: no broker answers at 127.0.0.1:9" in fault
