"""The gateway as a process of its own, against a real broker: what it acknowledges is in the log.

The table processor is played here: `Processor` reads the log and answers on `floor`.
"""

import asyncio
import hashlib
import json
import os
import signal
import sys
from collections.abc import AsyncIterator, Iterable
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path
from shutil import rmtree
from typing import Any, Self
from urllib.error import HTTPError
from urllib.request import urlopen

import grpc
import pytest
import pytest_asyncio
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from grpc_health.v1 import health_pb2, health_pb2_grpc
from kafka import TopicPartition as KafkaPartition
from kafka.admin import KafkaAdminClient

from floorbook import topics
from floorbook.demo.broker import Broker
from floorbook.demo.processes import Supervisor, private_folder
from floorbook.demo.servers import Server
from floorbook.gateway import kafka, payload
from floorbook.gateway.frames import BadFrame, Frame, FrameType, Parser, encode
from floorbook.gateway.line import NUMBERS
from floorbook.gateway.refusals import Reason
from floorbook.table.events import DiceThrown, Event, SourceStarted
from floorbook.v1 import (
    event_pb2,
    floor_pb2,
    floor_pb2_grpc,
    gateway_pb2,
    gateway_pb2_grpc,
    table_pb2,
)
from floorbook.wire import envelope
from floorbook.wire import quarantine as quarantine_wire
from floorbook.wire.quarantine import Quarantined
from tests.unit.gateway.ports import check_history, check_log

pytestmark = pytest.mark.system

KEY = "key-of-this-dice-reader"
TOKEN = "token-of-the-dealers"
PLAYER_TOKEN = "token-of-one-player"
FLOORBOOK = Path(sys.executable).with_name("floorbook")
_TABLES = count(1)


def new_table() -> str:
    """Return a table id that no other test has used on this broker."""
    return f"G{os.getpid()}-{next(_TABLES)}"


def registry_of(table: str) -> dict[str, Any]:
    """Return a registry with a dice reader, a dealer's and a player's client at one table."""
    return {
        "devices": [
            {"id": f"dice-{table}", "kind": "dice", "tables": [table], "key": KEY},
        ],
        "clients": [
            {
                "id": "dealers",
                "token": hashlib.sha256(TOKEN.encode()).hexdigest(),
                "tables": "*",
                "roles": ["dealer", "supervisor"],
                "person": None,
                "equipment": [{"id": f"desk-{table}", "kind": "dealer_terminal"}],
            },
            {
                "id": "player-7",
                "token": hashlib.sha256(PLAYER_TOKEN.encode()).hexdigest(),
                "tables": [table],
                "roles": ["player"],
                "person": "p7",
                "equipment": [{"id": f"seat-{table}", "kind": "seat_terminal"}],
            },
        ],
    }


@dataclass
class Gateway:
    """A gateway process, started by the test and ended with it."""

    kafka: str
    folder: Path
    registry: dict[str, Any]
    settings: dict[str, str] = field(default_factory=dict)
    process: asyncio.subprocess.Process | None = None
    listens: dict[str, str] = field(default_factory=dict)

    async def __aenter__(self) -> Self:
        self.write_registry()
        environment = {
            "PATH": os.environ["PATH"],
            "FLOORBOOK_KAFKA": self.kafka,
            "FLOORBOOK_REGISTRY": str(self.folder / "registry.json"),
            "FLOORBOOK_GATEWAY_LISTEN": "127.0.0.1:0",
            "FLOORBOOK_DEVICE_LISTEN": "127.0.0.1:0",
            "FLOORBOOK_PROBES_LISTEN": "127.0.0.1:0",
            **self.settings,
        }
        self.process = await asyncio.create_subprocess_exec(
            str(FLOORBOOK), "gateway", env=environment, stderr=asyncio.subprocess.PIPE
        )
        assert self.process.stderr is not None
        while line := await self.process.stderr.readline():
            said = json.loads(line)
            if said["event"] == "gateway listens":
                self.listens = said
                break
        else:
            raise AssertionError(f"the gateway ended with {await self.process.wait()}")
        self._draining = asyncio.create_task(self.process.stderr.read())
        return self

    async def __aexit__(self, *_: object) -> None:
        assert self.process is not None
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()
        self.said = (await self._draining).decode()

    def write_registry(self) -> None:
        self.folder.mkdir(exist_ok=True)
        (self.folder / "registry.json").write_text(json.dumps(self.registry))

    def send(self, number: signal.Signals) -> None:
        assert self.process is not None
        self.process.send_signal(number)

    def channel(self) -> grpc.aio.Channel:
        return grpc.aio.insecure_channel(self.listens["grpc"])

    async def becomes(self, *, ready: bool) -> None:
        """Return when /readyz says so."""

        def is_ready() -> bool:
            try:
                with urlopen(f"http://{self.listens['probes']}/readyz", timeout=5):
                    return True
            except HTTPError:
                return False

        for _ in range(300):
            if await asyncio.to_thread(is_ready) is ready:
                return
            await asyncio.sleep(0.1)
        raise AssertionError(f"the gateway does not become ready={ready}")

    async def shows(self, sample: str) -> None:
        """Return when /metrics has this line."""

        def has_it() -> bool:
            with urlopen(f"http://{self.listens['probes']}/metrics", timeout=5) as got:
                return sample in got.read().decode().splitlines()

        for _ in range(100):
            if await asyncio.to_thread(has_it):
                return
            await asyncio.sleep(0.1)
        raise AssertionError(f"the gateway does not show {sample}")

    async def line(self) -> "Line":
        host, port = self.listens["devices"].rsplit(":", 1)
        return Line(*await asyncio.open_connection(host, int(port)))


class Line:
    """A device's end of its line."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._parser = Parser()
        self._found: list[Frame | BadFrame] = []
        self.writer = writer

    def send(self, *frames: Frame | bytes) -> None:
        for frame in frames:
            self.writer.write(frame if isinstance(frame, bytes) else encode(frame))

    async def next(self) -> Frame | None:
        """Return the next frame of the gateway; None if it has hung up."""
        while not self._found:
            data = await self._reader.read(4096)
            if not data:
                return None
            self._found += self._parser.feed(data)
        found = self._found.pop(0)
        assert isinstance(found, Frame), found
        return found


class Processor:
    """Plays the table processor: answers each event on `floor`, a repeat with the first verdict."""

    def __init__(self, kafka: str, partitions: int) -> None:
        self._kafka = kafka
        self._parts = [TopicPartition(topics.TABLE_EVENTS.name, n) for n in range(partitions)]
        self._seen: set[str] = set()
        self.floor_offsets: list[int] = []

    async def __aenter__(self) -> Self:
        self._producer = AIOKafkaProducer(bootstrap_servers=self._kafka, acks="all")
        self._consumer = AIOKafkaConsumer(
            bootstrap_servers=self._kafka, auto_offset_reset="none", enable_auto_commit=False
        )
        await self._producer.start()
        await self._consumer.start()
        self._consumer.assign(self._parts)
        for part, end in (await self._consumer.end_offsets(self._parts)).items():
            self._consumer.seek(part, end)
        self._task = asyncio.create_task(self._run())
        return self

    async def __aexit__(self, *_: object) -> None:
        self._task.cancel()
        await asyncio.wait((self._task,))
        await self._consumer.stop()
        await self._producer.stop()

    async def _run(self) -> None:
        async for record in self._consumer:
            event = envelope.decode(record.value, record.key, record.partition, record.offset)
            assert isinstance(event, Event)
            known = event.event_id in self._seen
            self._seen.add(event.event_id)
            value = floor_record(event, known=known).SerializeToString()
            place = await self._producer.send_and_wait(
                topics.FLOOR.name, value, key=record.key, partition=record.partition
            )
            self.floor_offsets.append(place.offset)


def floor_record(event: Event, *, known: bool) -> floor_pb2.FloorRecord:
    """Return what a processor that applies everything says of an event; it shows three things."""
    everybody, dealer, other = (
        floor_pb2.Audience(kind=floor_pb2.AUDIENCE_KIND_EVERYBODY),
        floor_pb2.Audience(kind=floor_pb2.AUDIENCE_KIND_DEALER),
        floor_pb2.Audience(kind=floor_pb2.AUDIENCE_KIND_PLAYER, player_id="p8"),
    )
    return floor_pb2.FloorRecord(
        table_id=event.table_id,
        partition=event.partition,
        offset=event.offset,
        fold_schema=1,
        folded=floor_pb2.EventFolded(
            event_id=event.event_id,
            fact=envelope.name_of(event.fact),
            verdict=floor_pb2.Verdict(outcome=floor_pb2.OUTCOME_APPLIED, known=known),
            phase="BETTING",
            disclosures=[
                floor_pb2.Disclosure(
                    audiences=[everybody], suspended=floor_pb2.Suspended(cause_id="everybody")
                ),
                floor_pb2.Disclosure(
                    audiences=[dealer, other], suspended=floor_pb2.Suspended(cause_id="dealer")
                ),
                floor_pb2.Disclosure(
                    audiences=[other], suspended=floor_pb2.Suspended(cause_id="p8")
                ),
            ],
        ),
    )


async def read_topic(kafka: str, topic: str) -> list[tuple[bytes, bytes, int, int]]:
    """Return key, value, partition and offset of all that lies in the topic now."""
    consumer = AIOKafkaConsumer(
        topic, bootstrap_servers=kafka, enable_auto_commit=False, auto_offset_reset="earliest"
    )
    await consumer.start()
    try:
        parts = sorted(consumer.assignment())
        ends = await consumer.end_offsets(parts)
        found: list[tuple[bytes, bytes, int, int]] = []
        while any([await consumer.position(part) < end for part, end in ends.items()]):
            for records in (await consumer.getmany(timeout_ms=500)).values():
                found += [(r.key, r.value, r.partition, r.offset) for r in records]
        return found
    finally:
        await consumer.stop()


async def events_of(kafka: str, table: str) -> list[Event]:
    """Return the table's events in the log, in order."""
    found = [
        envelope.decode(value, key, partition, offset)
        for key, value, partition, offset in await read_topic(kafka, topics.TABLE_EVENTS.name)
        if key == table.encode()
    ]
    return [each for each in found if isinstance(each, Event)]


async def quarantined(kafka: str, source: str) -> list[Quarantined]:
    """Return what lies in quarantine from a source."""
    found = [
        quarantine_wire.decode(value)
        for _, value, _, _ in await read_topic(kafka, topics.QUARANTINE.name)
    ]
    return [each for each in found if isinstance(each, Quarantined) and each.source == source]


def reading(table: str, sequence: int, *, boot: int = 1) -> gateway_pb2.Reading:
    message = gateway_pb2.Reading(
        equipment_id=f"dice-{table}", table_id=table, boot=boot, sequence=sequence
    )
    if sequence == 1:
        message.source_started.SetInParent()
    else:
        message.dice_thrown.values.extend((1, 2, 3))
    return message


def reading_frame(table: str, sequence: int, *, boot: int = 1) -> Frame:
    fact = SourceStarted() if sequence == 1 else DiceThrown((1, 2, 3))
    return Frame(
        FrameType.READING, f"dice-{table}", table, boot, sequence, payload.write(fact, 1_000)
    )


def hello(table: str, key: str = KEY) -> gateway_pb2.Hello:
    return gateway_pb2.Hello(equipment_id=f"dice-{table}", key=key)


def hello_frame(table: str, key: str = KEY) -> Frame:
    return Frame(FrameType.HELLO, f"dice-{table}", boot=1, payload=key.encode())


def act(table: str, sequence: int, **changed: Any) -> floor_pb2.Act:
    fields: dict[str, Any] = {
        "table_id": table,
        "equipment_id": f"desk-{table}",
        "boot": 1,
        "sequence": sequence,
        "person_id": "d1",
        "role": event_pb2.ROLE_DEALER,
        "source_started": table_pb2.SourceStarted(),
    }
    return floor_pb2.Act(**(fields | changed))


def floor_stub(channel: grpc.aio.Channel) -> Any:
    return floor_pb2_grpc.FloorServiceStub(channel)  # type: ignore[no-untyped-call]


def device_stub(channel: grpc.aio.Channel) -> Any:
    return gateway_pb2_grpc.DeviceGatewayServiceStub(channel)  # type: ignore[no-untyped-call]


def bearer(token: str = TOKEN) -> tuple[tuple[str, str], ...]:
    return (("authorization", f"Bearer {token}"),)


@pytest.fixture(scope="module")
def partitions(broker: Server) -> int:
    topics.create([broker.address], 4, 1)
    return topics.check([broker.address])


@pytest.fixture
async def one(broker: Server, partitions: int, tmp_path: Path) -> AsyncIterator[Gateway]:
    """A gateway that knows one table of its own."""
    table = new_table()
    async with Gateway(broker.address, tmp_path / "one", registry_of(table)) as gateway:
        gateway.table = table  # type: ignore[attr-defined]
        yield gateway


async def acknowledged_up_to(stream: Any, sequence: int) -> None:
    """Return when the stream has acknowledged `sequence`."""
    while True:
        response = await stream.read()
        assert response is not grpc.aio.EOF
        assert not response.refusals, response.refusals
        if any(each.sequence >= sequence for each in response.acknowledgements):
            return


async def test_what_is_acknowledged_is_in_the_log_whatever_it_came_over(one: Gateway) -> None:
    table: str = one.table  # type: ignore[attr-defined]
    async with one.channel() as channel:
        stream = device_stub(channel).Connect()
        readings = [reading(table, number) for number in range(1, 21)]
        await stream.write(gateway_pb2.ConnectRequest(hellos=[hello(table)], readings=readings))
        await acknowledged_up_to(stream, 20)
        assert [each.sequence for each in await events_of(one.kafka, table)] == list(range(1, 21))
    line = await one.line()
    line.send(hello_frame(table), *(reading_frame(table, number) for number in range(20, 31)))
    assert await line.next() == Frame(FrameType.ACK, f"dice-{table}", boot=1)
    last = None
    while last is None or last.sequence < 30:
        last = await line.next()
        assert last is not None
        assert last.type is FrameType.ACK
    events = await events_of(one.kafka, table)
    assert [each.sequence for each in events] == [*range(1, 21), *range(20, 31)]
    # The repeat of 20 over the other way is the same event: same id, same fingerprint.
    assert events[19].fingerprint == events[20].fingerprint
    assert events[20].event_id == f"{table}/dice-{table}/1/20"
    line.send(Frame(FrameType.HEARTBEAT, f"dice-{table}"))
    assert await line.next() == Frame(FrameType.ALIVE, f"dice-{table}")
    line.writer.close()


async def test_nothing_is_lost_when_a_gateway_dies(
    broker: Server, partitions: int, tmp_path: Path
) -> None:
    """A device that keeps the rule (resend what is unacknowledged) over a kill -9 and two gateways."""
    table, most = new_table(), 400
    known = registry_of(table)
    acknowledged, third = 0, asyncio.Event()

    async def speak(gateway: Gateway, until: int) -> None:
        nonlocal acknowledged
        line = await gateway.line()
        line.send(hello_frame(table))
        sent = acknowledged
        while acknowledged < until:
            while sent < min(acknowledged + 32, most):
                sent += 1
                line.send(reading_frame(table, sent))
            frame = await line.next()
            if frame is None:
                return
            assert frame.type is FrameType.ACK, frame
            acknowledged = max(acknowledged, frame.sequence)
            if acknowledged > most // 3:
                third.set()
        line.writer.close()

    async with (
        Gateway(broker.address, tmp_path / "a", known) as first,
        Gateway(broker.address, tmp_path / "b", known) as second,
    ):
        speaking = asyncio.create_task(speak(first, most))
        await third.wait()
        first.send(signal.SIGKILL)
        with suppress(ConnectionError):
            await speaking
        before = acknowledged
        assert before < most
        found = [each.sequence for each in await events_of(broker.address, table)]
        assert set(range(1, before + 1)) <= set(found), "acknowledged and not in the log"
        await speak(second, most)
    firsts = list(dict.fromkeys(each.sequence for each in await events_of(broker.address, table)))
    assert firsts == list(range(1, most + 1))


async def test_what_a_device_may_not_say_goes_to_quarantine_without_its_key(one: Gateway) -> None:
    table: str = one.table  # type: ignore[attr-defined]
    device = f"dice-{table}"
    stranger = Frame(FrameType.HELLO, f"other-{table}", payload=KEY.encode())
    line = await one.line()
    line.send(reading_frame(table, 1), stranger, hello_frame(table, "not-the-right-key"))
    expected = [Reason.NOT_GREETED, Reason.UNKNOWN_DEVICE, Reason.WRONG_KEY]
    naks = [await line.next() for _ in expected]
    assert {each.payload[0] for each in naks if each} == {NUMBERS[each] for each in expected}
    elsewhere = Frame(FrameType.READING, device, "elsewhere", 1, 1, payload.write(SourceStarted()))
    odd = Frame(FrameType.READING, device, table, 1, 1, b"\0" * 8 + b"\x30\x05\x01")
    line.send(hello_frame(table), elsewhere, odd, reading_frame(table, 1))
    answers = [await line.next() for _ in range(4)]
    assert [each.type for each in answers if each] == [
        FrameType.ACK,
        FrameType.NAK,
        FrameType.NAK,
        FrameType.ACK,
    ]
    # The number of what was refused is free for a reading that is in order.
    assert [each.sequence for each in await events_of(one.kafka, table)] == [1]
    found = await _soon(lambda: quarantined(one.kafka, f"device/{device}"), 4)
    assert {each.reason for each in found} == {
        Reason.NOT_GREETED,
        Reason.WRONG_KEY,
        Reason.UNKNOWN_TABLE_FOR_DEVICE,
        Reason.UNREADABLE_FACT,
    }
    assert odd.payload in {each.payload for each in found}
    assert not any(b"key" in each.payload for each in found)
    line.writer.close()


async def _soon(look: Any, least: int) -> list[Quarantined]:
    """Return what `look` finds once it is enough; what is quarantined is not waited for by anybody."""
    for _ in range(50):
        found: list[Quarantined] = await look()
        if len(found) >= least:
            return found
        await asyncio.sleep(0.1)
    raise AssertionError(f"only {found}")


async def test_garbage_on_the_line_costs_nothing_but_a_repeat(one: Gateway) -> None:
    table: str = one.table  # type: ignore[attr-defined]
    damaged = bytearray(encode(reading_frame(table, 2)))
    damaged[12] ^= 0x40
    line = await one.line()
    line.send(
        bytes(range(4, 256)), hello_frame(table), reading_frame(table, 1), b"\xff\x03\x02\x02"
    )
    line.send(bytes(damaged), reading_frame(table, 3))
    answers: list[Frame] = []
    while len(answers) < 4:
        frame = await line.next()
        assert frame is not None
        answers.append(frame)
    assert {each.type for each in answers} == {FrameType.ACK, FrameType.NAK, FrameType.RESEND}
    nak = next(each for each in answers if each.type is FrameType.NAK)
    assert (nak.payload[0], nak.sequence) == (NUMBERS[Reason.OUT_OF_ORDER], 3)
    line.send(reading_frame(table, 2), reading_frame(table, 3))
    while (frame := await line.next()) is not None and frame.sequence < 3:
        pass
    assert [each.sequence for each in await events_of(one.kafka, table)] == [1, 2, 3]
    line.writer.close()


async def test_a_verdict_comes_back_and_a_repeat_gets_the_first_one(
    broker: Server, partitions: int, tmp_path: Path
) -> None:
    table = new_table()
    known = registry_of(table)
    async with (
        Gateway(broker.address, tmp_path / "a", known) as first,
        Gateway(broker.address, tmp_path / "b", known) as second,
        Processor(broker.address, partitions),
        first.channel() as to_first,
        second.channel() as to_second,
    ):
        request = floor_pb2.SubmitRequest(act=act(table, 1))
        stubs = [floor_stub(each) for each in (to_first, to_second)]
        results = [(await stub.Submit(request, metadata=bearer())).result for stub in stubs]
        assert [each.verdict.known for each in results] == [False, True]
        assert {each.event_id for each in results} == {f"{table}/desk-{table}/1/1"}
        assert results[0].offset < results[1].offset
        # The client repeats after a deadline: while one waits, the same act joins it.
        same = await asyncio.gather(
            *(
                stubs[0].Submit(floor_pb2.SubmitRequest(act=act(table, 2)), metadata=bearer())
                for _ in range(5)
            )
        )
        assert len({each.result.offset for each in same}) == 1
    events = await events_of(broker.address, table)
    assert [each.sequence for each in events] == [1, 1, 2]
    assert (events[0].client_id, events[0].person_id) == ("dealers", "d1")


async def test_without_a_verdict_the_client_repeats_and_nothing_is_lost(
    broker: Server, partitions: int, tmp_path: Path
) -> None:
    table = new_table()
    quick = {"FLOORBOOK_SUBMIT_DEADLINE_SECONDS": "0.3"}
    async with (
        Gateway(broker.address, tmp_path / "a", registry_of(table), quick) as gateway,
        gateway.channel() as channel,
    ):
        stub = floor_stub(channel)
        request = floor_pb2.SubmitRequest(act=act(table, 1))
        with pytest.raises(grpc.aio.AioRpcError) as late:
            await stub.Submit(request, metadata=bearer())
        assert late.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
        watch = floor_pb2.WatchTableRequest(
            table_id=table, person_id="d1", role=event_pb2.ROLE_DEALER
        )
        with pytest.raises(grpc.aio.AioRpcError) as view:
            await stub.WatchTable(watch, metadata=bearer()).read()
        assert view.value.code() is grpc.StatusCode.DEADLINE_EXCEEDED
        stream = stub.SubmitStream(metadata=bearer())
        await stream.write(floor_pb2.SubmitStreamRequest(acts=[act(table, 1), act(table, 2)]))
        reasons = [each.gateway_reason for each in await _results(stream, 2)]
        assert sorted(reasons) == [Reason.DEADLINE_EXCEEDED, Reason.REQUEST_UNDER_WAY]
        async with Processor(broker.address, partitions):
            answer = await stub.Submit(request, metadata=bearer())
            assert answer.result.verdict.outcome == floor_pb2.OUTCOME_APPLIED
    acts = [each for each in await events_of(broker.address, table) if each.client_id == "dealers"]
    assert [each.sequence for each in acts if each.equipment_id == f"desk-{table}"] == [1, 1, 1]


async def _results(stream: Any, least: int) -> list[floor_pb2.ActResult]:
    found: list[floor_pb2.ActResult] = []
    while len(found) < least:
        found += (await stream.read()).results
    return found


async def test_a_client_speaks_for_what_the_registry_says_and_nothing_else(
    one: Gateway, partitions: int
) -> None:
    table: str = one.table  # type: ignore[attr-defined]
    async with one.channel() as channel, Processor(one.kafka, partitions):
        stub = floor_stub(channel)
        for metadata in ((), bearer("a-stranger's-token"), (("authorization", TOKEN),)):
            with pytest.raises(grpc.aio.AioRpcError) as refused:
                await stub.Submit(floor_pb2.SubmitRequest(act=act(table, 1)), metadata=metadata)
            assert refused.value.code() is grpc.StatusCode.UNAUTHENTICATED
        player = {"equipment_id": f"seat-{table}", "person_id": "p7", "role": event_pb2.ROLE_PLAYER}
        wrong: Iterable[tuple[dict[str, Any], Reason]] = (
            ({"table_id": "elsewhere"}, Reason.UNKNOWN_TABLE_FOR_CLIENT),
            ({"equipment_id": f"desk-{table}"}, Reason.UNKNOWN_EQUIPMENT_FOR_CLIENT),
            ({"person_id": "p8"}, Reason.PERSON_NOT_OF_CLIENT),
            ({"role": event_pb2.ROLE_SUPERVISOR}, Reason.ROLE_NOT_OF_CLIENT),
            ({"role": event_pb2.ROLE_PROCESSOR}, Reason.ROLE_NOT_OF_CLIENT),
            ({"boot": 0}, Reason.BAD_NUMBER),
        )
        for change, reason in wrong:
            request = floor_pb2.SubmitRequest(act=act(table, 1, **(player | change)))
            result = (await stub.Submit(request, metadata=bearer(PLAYER_TOKEN))).result
            assert (result.gateway_reason, result.HasField("verdict")) == (reason, False), change
            assert result.gateway_detail
        right = floor_pb2.SubmitRequest(act=act(table, 1, **player))
        assert (await stub.Submit(right, metadata=bearer(PLAYER_TOKEN))).result.HasField("verdict")
    assert len(await events_of(one.kafka, table)) == 1


async def test_many_acts_go_over_one_stream(
    broker: Server, partitions: int, tmp_path: Path
) -> None:
    tables = [new_table() for _ in range(20)]
    known = registry_of(tables[0])
    known["clients"][0]["equipment"] = [
        {"id": f"desk-{table}", "kind": "dealer_terminal"} for table in tables
    ]
    async with (
        Gateway(broker.address, tmp_path / "a", known) as gateway,
        Processor(broker.address, partitions),
        gateway.channel() as channel,
    ):
        stream = floor_stub(channel).SubmitStream(metadata=bearer())
        for sequence in (1, 2, 3):
            acts = [act(table, sequence) for table in tables]
            await stream.write(floor_pb2.SubmitStreamRequest(acts=acts))
            results = await _results(stream, len(tables))
            assert {each.table_id for each in results} == set(tables)
            assert all(each.verdict.outcome == floor_pb2.OUTCOME_APPLIED for each in results)
        await stream.done_writing()
        assert await stream.read() is grpc.aio.EOF


async def test_a_viewer_sees_a_view_then_all_that_follows_and_resumes_without_a_gap(
    one: Gateway, partitions: int
) -> None:
    table: str = one.table  # type: ignore[attr-defined]
    async with one.channel() as channel, Processor(one.kafka, partitions):
        stub = floor_stub(channel)
        dealer: dict[str, Any] = {
            "table_id": table,
            "person_id": "d1",
            "role": event_pb2.ROLE_DEALER,
        }
        player: dict[str, Any] = {
            "table_id": table,
            "person_id": "p7",
            "role": event_pb2.ROLE_PLAYER,
        }
        first = stub.WatchTable(floor_pb2.WatchTableRequest(**dealer), metadata=bearer())
        whole = await first.read()
        assert whole.folded.fact == "view_asked"
        for sequence in (1, 2, 3):
            request = floor_pb2.SubmitRequest(act=act(table, sequence))
            await stub.Submit(request, metadata=bearer())
        live = [await first.read() for _ in range(3)]
        first.cancel()
        assert [each.folded.event_id[-1] for each in live] == ["1", "2", "3"]
        assert _causes(live[0]) == ["everybody", "dealer"]
        assert all(
            audience.player_id == "" for d in live[0].folded.disclosures for audience in d.audiences
        )
        # From the middle: two lie in the topic, two more come live.
        again = stub.WatchTable(
            floor_pb2.WatchTableRequest(cursor=live[0].cursor, **player),
            metadata=bearer(PLAYER_TOKEN),
        )
        resumed = [await again.read() for _ in range(2)]
        for sequence in (4, 5):
            request = floor_pb2.SubmitRequest(act=act(table, sequence))
            await stub.Submit(request, metadata=bearer())
        resumed += [await again.read() for _ in range(2)]
        again.cancel()
        assert [each.folded.event_id[-1] for each in resumed] == ["2", "3", "4", "5"]
        assert resumed[0].cursor == live[1].cursor
        assert {tuple(_causes(each)) for each in resumed} == {("everybody",)}
        request_never = floor_pb2.WatchTableRequest(cursor=10**9, **dealer)
        with pytest.raises(grpc.aio.AioRpcError) as never:
            await stub.WatchTable(request_never, metadata=bearer()).read()
        assert never.value.code() is grpc.StatusCode.OUT_OF_RANGE
        somebody = floor_pb2.WatchTableRequest(**(player | {"person_id": "p8"}))
        with pytest.raises(grpc.aio.AioRpcError) as other:
            await stub.WatchTable(somebody, metadata=bearer(PLAYER_TOKEN)).read()
        assert other.value.code() is grpc.StatusCode.PERMISSION_DENIED


def _causes(response: floor_pb2.WatchTableResponse) -> list[str]:
    return [each.suspended.cause_id for each in response.folded.disclosures]


async def test_a_new_registry_counts_from_its_signal_on(one: Gateway) -> None:
    table: str = one.table  # type: ignore[attr-defined]
    line = await one.line()
    line.send(hello_frame(table), reading_frame(table, 1))
    assert [(await line.next()).sequence for _ in range(2)] == [0, 1]  # type: ignore[union-attr]
    one.registry["devices"] = []
    one.write_registry()
    one.send(signal.SIGHUP)
    sequence = 1
    while True:
        sequence += 1
        line.send(reading_frame(table, sequence))
        frame = await line.next()
        assert frame is not None
        if frame.type is FrameType.NAK:
            break
        assert frame.type is FrameType.ACK
    assert frame.payload[0] == NUMBERS[Reason.NOT_GREETED]
    line.writer.close()


async def test_a_told_gateway_finishes_what_is_under_way_and_ends_with_zero(
    one: Gateway, partitions: int
) -> None:
    table: str = one.table  # type: ignore[attr-defined]
    async with one.channel() as channel, Processor(one.kafka, partitions):
        line = await one.line()
        line.send(hello_frame(table), reading_frame(table, 1))
        assert [(await line.next()).sequence for _ in range(2)] == [0, 1]  # type: ignore[union-attr]
        devices = device_stub(channel).Connect()
        await devices.write(
            gateway_pb2.ConnectRequest(hellos=[hello(table)], readings=[reading(table, 2)])
        )
        await acknowledged_up_to(devices, 2)
        watch = floor_stub(channel).WatchTable(
            floor_pb2.WatchTableRequest(table_id=table, person_id="d1", role=event_pb2.ROLE_DEALER),
            metadata=bearer(),
        )
        assert (await watch.read()).folded.fact == "view_asked"
        one.send(signal.SIGTERM)
        for call in (devices, watch):
            with pytest.raises(grpc.aio.AioRpcError) as ended:
                await _to_its_end(call)
            assert ended.value.code() is grpc.StatusCode.UNAVAILABLE
        assert await line.next() is None
        assert one.process is not None
        assert await asyncio.wait_for(one.process.wait(), 6) == 0


async def _to_its_end(call: Any) -> None:
    while await call.read() is not grpc.aio.EOF:
        pass


async def test_a_gateway_that_cannot_be_trusted_does_not_start(tmp_path: Path) -> None:
    wrong = {
        "devices": [{"id": "a b", "kind": "clock", "tables": [], "key": "short"}],
        "clients": [],
    }
    (tmp_path / "registry.json").write_text(json.dumps(wrong))
    process = await asyncio.create_subprocess_exec(
        str(FLOORBOOK),
        "gateway",
        env={
            "PATH": os.environ["PATH"],
            "FLOORBOOK_KAFKA": "127.0.0.1:1",
            "FLOORBOOK_REGISTRY": str(tmp_path / "registry.json"),
            "FLOORBOOK_DEVICE_LISTEN": "0.0.0.0:7002",
        },
        stderr=asyncio.subprocess.PIPE,
    )
    _, said = await process.communicate()
    assert process.returncode == 78
    for fault in (
        b"FLOORBOOK_DEVICE_LISTEN",
        b"'a b' must",
        b"'clock'",
        b"tables must",
        b"key must",
    ):
        assert fault in said
    assert b"short" not in said


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def own() -> AsyncIterator[Broker]:
    """A broker that these tests may stop, and whose topics they may cut."""
    folder = private_folder("floorbook-gateway-")
    async with Supervisor(folder) as supervisor:
        broker = Broker(supervisor)
        await broker.start()
        topics.create([broker.address], 2, 1)
        yield broker
    rmtree(folder)


@pytest.mark.asyncio(loop_scope="module")
async def test_the_real_log_and_history_keep_the_promises_that_the_fakes_keep(
    own: Broker, tmp_path: Path
) -> None:
    tables = [new_table() for _ in range(3)]
    producer = await kafka.producer([own.address])
    try:
        log = kafka.KafkaLog(producer, 2)
        await check_log(log, 2, tables, lambda: read_topic(own.address, topics.TABLE_EVENTS.name))
        for number in range(20):
            await producer.send_and_wait(topics.FLOOR.name, b"%d" % number, key=b"x", partition=1)
    finally:
        await producer.stop()
    await asyncio.to_thread(_forget_floor, own.address, 1, 8)
    history = kafka.KafkaHistory([own.address])
    try:
        await check_history(history, 1, 8, 20)
        await asyncio.gather(*(check_history(history, 1, 8, 20) for _ in range(8)))
    finally:
        await history.stop()
    # A viewer whose cursor is older than what is kept must start anew.
    table = next(each for each in map(str, count(1)) if topics.partition_of(each, 2) == 1)
    async with (
        Gateway(own.address, tmp_path / "a", registry_of(table)) as gateway,
        gateway.channel() as channel,
    ):
        for cursor, expected in ((3, grpc.StatusCode.OUT_OF_RANGE), (7, None)):
            request = floor_pb2.WatchTableRequest(
                table_id=table, person_id="d1", role=event_pb2.ROLE_DEALER, cursor=cursor
            )
            call = floor_stub(channel).WatchTable(request, metadata=bearer(), timeout=1)
            assert await call.code() is (expected or grpc.StatusCode.DEADLINE_EXCEEDED)


def _forget_floor(kafka_address: str, partition: int, before: int) -> None:
    with KafkaAdminClient(bootstrap_servers=[kafka_address]) as admin:
        admin.delete_records({KafkaPartition(topics.FLOOR.name, partition): before})


@pytest.mark.asyncio(loop_scope="module")
async def test_while_the_broker_is_down_nothing_is_acknowledged_and_it_recovers(
    own: Broker, tmp_path: Path
) -> None:
    table = new_table()
    async with (
        Gateway(own.address, tmp_path / "a", registry_of(table)) as gateway,
        gateway.channel() as channel,
    ):
        line = await gateway.line()
        line.send(hello_frame(table), reading_frame(table, 1))
        assert [(await line.next()).sequence for _ in range(2)] == [0, 1]  # type: ignore[union-attr]
        health = health_pb2_grpc.HealthStub(channel)
        await own.stop()
        line.send(reading_frame(table, 2))
        await gateway.becomes(ready=False)
        await gateway.shows("floorbook_gateway_ready 0.0")
        line.send(Frame(FrameType.HEARTBEAT, f"dice-{table}"))
        assert await line.next() is None, "acknowledged without a broker"
        with pytest.raises(grpc.aio.AioRpcError) as down:
            await floor_stub(channel).Submit(
                floor_pb2.SubmitRequest(act=act(table, 1)), metadata=bearer()
            )
        assert down.value.code() is grpc.StatusCode.UNAVAILABLE
        await own.start()
        await gateway.becomes(ready=True)
        await gateway.shows("floorbook_gateway_ready 1.0")
        answer = await health.Check(health_pb2.HealthCheckRequest())
        assert answer.status == health_pb2.HealthCheckResponse.SERVING
        line = await gateway.line()
        line.send(hello_frame(table), reading_frame(table, 2), reading_frame(table, 3))
        last = 0
        while last < 3:
            frame = await line.next()
            assert frame is not None
            last = frame.sequence
        found = [each.sequence for each in await events_of(own.address, table)]
        assert list(dict.fromkeys(found)) == [1, 2, 3]
