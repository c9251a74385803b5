"""The load: one process that plays many tables over two streams, and says how well it kept to its times.

    python -m tests.benchmarks.path.load PLAN RESULT

First it writes into the log what opens the tables and, if they play at fixed times, the rounds in which they
stand when the load begins: tables do not all begin a round at once. Then it waits until that is folded and booked, and
plays. Everything it sends was made before.
"""

import asyncio
import json
import sys
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any, Final

import grpc
import msgspec
import uvloop
from aiokafka import AIOKafkaConsumer, AIOKafkaProducer, TopicPartition
from grpc_health.v1 import health_pb2, health_pb2_grpc
from msgspec import Struct

from floorbook import topics
from floorbook.demo.evidence import percentile
from floorbook.topics import Topic
from floorbook.v1 import floor_pb2, gateway_pb2, ledger_pb2
from tests.benchmarks.path import rounds
from tests.benchmarks.path.messages import Mouth
from tests.benchmarks.path.rounds import DEVICES, LOCKED_FROM, Saying
from tests.benchmarks.path.schedule import ACTS_OF_A_ROUND, Needs, Player, needs_of, offsets_of

_PAUSE_SECONDS: Final = 0.2
_TICK_SECONDS: Final = 0.005
_MOST_IN_A_MESSAGE: Final = 200
_HELLOS_IN_A_MESSAGE: Final = 1_000
_RECORDS_AT_ONCE: Final = 5_000
_END_SECONDS: Final = 60.0
_INVENTED: Final = 60
_IN_DOUBT: Final = ("DEADLINE_EXCEEDED", "UNAVAILABLE")
_OPTIONS: Final = (("grpc.max_receive_message_length", 64 * 1024 * 1024),)


class Plan(Struct):
    """What one load is to do. `rate` is in events a second, the evaluator's too; 0 is as fast as it goes."""

    tables: int
    prefix: str
    rate: float
    warm_up_seconds: float
    measured_seconds: float
    most_rounds: int
    seed: int
    gateway: str
    kafka: str
    partitions: int
    token: str
    key: str


class Finished(Struct):
    """One round that the load has finished: its id, and when its last act was due."""

    round_id: str
    due: float


class Result(Struct):
    """What one load comes to. Times are the clock's, in seconds."""

    began: float
    prepared_events: int
    folded_seconds: float
    finished: list[Finished]
    locked: list[str]
    sent: int
    late_p50: float
    late_p99: float
    late_most: float
    unsent: int
    repeated: int
    faults: list[str]
    cpu_seconds: float


class Load:
    """All tables of one load, while they are played."""

    def __init__(self, plan: Plan) -> None:
        """Return the tables with everything they will say."""
        self.plan = plan
        self.faults: Counter[str] = Counter()
        self.finished: list[Finished] = []
        self.lateness: list[float] = []
        self.sent = 0
        self.open = 0
        self.repeated = 0
        self.stopped = False
        self.began = 0.0
        self.measured_from = 0.0
        self._acts: list[bytes] = []
        self._readings: list[bytes] = []
        self._invented = rounds.invent(plan.seed, _INVENTED)
        self._needs = [needs_of(each) for each in self._invented]
        self._device_of: dict[str, str] = {}
        self.players: dict[str, Player] = {}
        self.prepared: list[list[tuple[str, bytes]]] = []
        self._make()
        self._dues = sorted(
            ((due, player) for player in self.players.values() for due in player.dues),
            key=lambda each: each[0],
        )
        self._next_due = 0

    def _make(self) -> None:
        plan = self.plan
        period = plan.tables * rounds.EVENTS_OF_A_ROUND / plan.rate if plan.rate else 0.0
        seconds = plan.warm_up_seconds + plan.measured_seconds
        offsets = offsets_of(period)
        now_ms = int(time.time() * 1000)
        turns: list[list[tuple[str, bytes]]] = []
        for number, table_id in enumerate(rounds.table_ids(plan.prefix, plan.tables)):
            mouth = Mouth(table_id)
            phase = period * number / plan.tables
            # The last saying is the load's own: an answered round is one that it has finished.
            position = min(sum(each < phase for each in offsets), ACTS_OF_A_ROUND - 1)
            sayings = list(rounds.opening(table_id)) + list(self._round(number, 0)[:position])
            for turn, saying in enumerate(sayings):
                if turn == len(turns):
                    turns.append([])
                turns[turn].append((table_id, mouth.record(saying, now_ms)))
            player = Player(table_id, position, _Needed(self._needs, number), mouth)
            self.players[table_id] = player
            for device in DEVICES:
                self._device_of[rounds.equipment_id(table_id, device)] = device
            for round_number in range(plan.most_rounds):
                said = self._round(number, round_number)
                for index in range(position if round_number == 0 else 0, ACTS_OF_A_ROUND):
                    due = round_number * period + offsets[index] - phase
                    if plan.rate and due > seconds:
                        break
                    player.dues.append(max(due, 0.0))
                    player.elements.append(mouth.element(said[index]))
                    player.speakers.append(rounds.equipment_id(table_id, said[index].equipment))
        self.prepared = turns

    def _round(self, table: int, number: int) -> tuple[Saying, ...]:
        return self._invented[(table * 7 + number) % len(self._invented)]

    @property
    def due(self) -> int:
        """Return how much should have been said by now and was not."""
        return sum(player.overdue for player in self.players.values())

    def never_said(self) -> list[float]:
        """Return how late, at the least, everything is that was due and never said."""
        if not self.plan.rate:
            return []
        end = self.plan.warm_up_seconds + self.plan.measured_seconds
        return [
            end - due
            for player in self.players.values()
            for due in player.dues[player.next : player.next + player.overdue]
        ]

    def turn(self, now: float) -> None:
        """Return after saying all that is due and may be said."""
        since = now - self.began
        while self._next_due < len(self._dues) and self._dues[self._next_due][0] <= since:
            player = self._dues[self._next_due][1]
            self._next_due += 1
            player.overdue += 1
            self._say(player, since)

    def _say(self, player: Player, since: float) -> None:
        while player.overdue > 0 and not self.stopped and player.is_ready():
            is_reading, element, due = player.say()
            (self._readings if is_reading else self._acts).append(element)
            self.open += 1
            self.sent += 1
            if self.began + since >= self.measured_from:
                self.lateness.append(since - due)
            if player.position == 0:
                round_id = f"{player.table_id}/{player.round}"
                self.finished.append(Finished(round_id, self.began + due))

    def requests(self) -> Iterator[tuple[bool, bytes]]:
        """Yield what there is to send, several to a message, and whether it is readings."""
        readings, self._readings = self._readings, []
        acts, self._acts = self._acts, []
        for is_reading, waiting in ((True, readings), (False, acts)):
            for start in range(0, len(waiting), _MOST_IN_A_MESSAGE):
                yield is_reading, b"".join(waiting[start : start + _MOST_IN_A_MESSAGE])

    def answered(self, response: Any) -> None:
        """Return after noting verdicts; every one must be that the act was applied."""
        since = time.time() - self.began
        for result in response.results:
            player = self.players[result.table_id]
            if result.gateway_reason in _IN_DOUBT:
                # As a terminal does it: after a pause the same act, under the same number.
                again = player.open[result.equipment_id]
                asyncio.get_running_loop().call_later(_PAUSE_SECONDS, self.again, again)
                self.repeated += 1
                continue
            self.open -= 1
            verdict = result.verdict
            if verdict.outcome != floor_pb2.OUTCOME_APPLIED:
                self.faults[f"refused: {result.gateway_reason or verdict.reason}"] += 1
            player.open.pop(result.equipment_id, None)
            if player.overdue > 0:
                self._say(player, since)

    def again(self, act: bytes) -> None:
        """Return after putting an act among what is sent next."""
        self._acts.append(act)

    def acknowledged(self, response: Any) -> None:
        """Return after noting which readings are in the log."""
        since = time.time() - self.began
        for refusal in response.refusals:
            self.faults[f"reading refused: {refusal.reason}"] += 1
        for each in response.acknowledgements:
            player = self.players[each.table_id]
            before = player.readings
            player.acknowledged(self._device_of[each.equipment_id], each.sequence)
            self.open -= player.readings - before
            if player.overdue > 0:
                self._say(player, since)

    def posted(self, entry: Any) -> None:
        """Return after noting that a round is settled and posted: its table may begin another."""
        player = self.players.get(entry.table_id)
        if player is None or entry.kind != ledger_pb2.ENTRY_KIND_SETTLEMENT:
            return
        player.rounds_posted += 1
        if player.overdue > 0:
            self._say(player, time.time() - self.began)

    def locked(self) -> list[str]:
        """Return the rounds whose bets were locked, each of which must be held."""
        found = [each.round_id for each in self.finished]
        for player in self.players.values():
            if player.position >= LOCKED_FROM:
                found.append(f"{player.table_id}/{player.round + 1}")
        return found


class _Needed(Sequence[tuple[Needs, ...]]):
    """What the rounds of one table wait for, round by round."""

    def __init__(self, needs: Sequence[tuple[Needs, ...]], table: int) -> None:
        self._needs = needs
        self._table = table

    def __getitem__(self, number: Any) -> Any:
        return self._needs[(self._table * 7 + number) % len(self._needs)]

    def __len__(self) -> int:
        return len(self._needs)


async def play(plan: Plan, say: Callable[[dict[str, Any]], None]) -> Result:
    """Return what the load came to."""
    load = Load(plan)
    say({"made": sum(len(each.elements) for each in load.players.values())})
    prepared, folded_seconds = await _prepare(load)
    say({"prepared": prepared, "seconds": folded_seconds})
    entries = AIOKafkaConsumer(topics.LEDGER_ENTRIES.name, bootstrap_servers=plan.kafka)
    await entries.start()
    await entries.seek_to_end()
    channel = grpc.aio.insecure_channel(plan.gateway, options=_OPTIONS)
    await _healthy(channel)
    acts: Any = channel.stream_stream(
        "/floorbook.v1.FloorService/SubmitStream",
        response_deserializer=floor_pb2.SubmitStreamResponse.FromString,
    )(metadata=(("authorization", f"Bearer {plan.token}"),))
    readings: Any = channel.stream_stream(
        "/floorbook.v1.DeviceGatewayService/Connect",
        response_deserializer=gateway_pb2.ConnectResponse.FromString,
    )()
    for hellos in _hellos(load, plan.key):
        await readings.write(hellos)
    load.began = time.time()
    load.measured_from = load.began + plan.warm_up_seconds
    say({"began": load.began})
    listening = [
        asyncio.create_task(_listen(acts, load.answered)),
        asyncio.create_task(_listen(readings, load.acknowledged)),
        asyncio.create_task(_follow(entries, load)),
    ]
    sending = asyncio.create_task(_send(load, acts, readings))
    await asyncio.wait((sending, *listening), return_when=asyncio.FIRST_COMPLETED)
    if not sending.done():
        load.faults["a stream has ended"] += 1
        load.stopped = True
    await sending
    missing = await _posted(load)
    for task in listening:
        task.cancel()
    await asyncio.gather(*listening, return_exceptions=True)
    await entries.stop()
    await channel.close()
    if load.open:
        load.faults[f"{load.open} acts and readings were never answered"] += 1
    if missing:
        load.faults[f"{missing} settlements were never published"] += 1
    late = sorted(load.lateness + load.never_said())
    return Result(
        began=load.began,
        prepared_events=prepared,
        folded_seconds=folded_seconds,
        finished=load.finished,
        locked=load.locked(),
        sent=load.sent,
        late_p50=percentile(late, 50),
        late_p99=percentile(late, 99),
        late_most=late[-1] if late else 0.0,
        unsent=load.due if plan.rate else 0,
        repeated=load.repeated,
        faults=[f"{count} times {fault}" for fault, count in load.faults.items()],
        cpu_seconds=time.process_time(),
    )


async def _prepare(load: Load) -> tuple[int, float]:
    """Return how much was put into the log before the load, and how long its folding took."""
    plan = load.plan
    looker = AIOKafkaConsumer(bootstrap_servers=plan.kafka)
    producer = AIOKafkaProducer(bootstrap_servers=plan.kafka, acks="all", linger_ms=20)
    await looker.start()
    await producer.start()
    try:
        floor = await _end(looker, topics.FLOOR, plan.partitions)
        count, began = 0, time.monotonic()
        waiting = []
        for turn in load.prepared:
            for table_id, value in turn:
                waiting.append(
                    await producer.send(
                        topics.TABLE_EVENTS.name,
                        value,
                        key=table_id.encode(),
                        partition=topics.partition_of(table_id, plan.partitions),
                    )
                )
                if len(waiting) == _RECORDS_AT_ONCE:
                    await asyncio.gather(*waiting)
                    count += len(waiting)
                    waiting.clear()
        await asyncio.gather(*waiting)
        count += len(waiting)
        load.prepared.clear()
        # Nobody tells us what is folded: each event has its record on the floor, and they are counted.
        while await _end(looker, topics.FLOOR, plan.partitions) - floor < count:  # noqa: ASYNC110
            await asyncio.sleep(0.1)
        seconds = time.monotonic() - began
        # Nobody tells us what is booked either: each movement has its entry.
        while await _end(looker, topics.LEDGER_ENTRIES, plan.partitions) < await _end(  # noqa: ASYNC110
            looker, topics.MOVEMENTS, plan.partitions
        ):
            await asyncio.sleep(0.1)
        return count, seconds
    finally:
        await looker.stop()
        await producer.stop()


async def _healthy(channel: grpc.aio.Channel) -> None:
    """Return when the gateway takes acts: it has read what the floor says of the prepared events."""
    stub: Any = health_pb2_grpc.HealthStub(channel)
    serving = health_pb2.HealthCheckResponse.SERVING
    while (await stub.Check(health_pb2.HealthCheckRequest())).status != serving:  # noqa: ASYNC110
        await asyncio.sleep(_PAUSE_SECONDS)


async def _end(consumer: AIOKafkaConsumer, topic: Topic, partitions: int) -> int:
    parts = [TopicPartition(topic.name, each) for each in range(partitions)]
    return sum((await consumer.end_offsets(parts)).values())


def _hellos(load: Load, key: str) -> Iterator[bytes]:
    devices = [rounds.equipment_id(table, device) for table in load.players for device in DEVICES]
    for start in range(0, len(devices), _HELLOS_IN_A_MESSAGE):
        yield gateway_pb2.ConnectRequest(
            hellos=[
                gateway_pb2.Hello(equipment_id=each, key=key)
                for each in devices[start : start + _HELLOS_IN_A_MESSAGE]
            ]
        ).SerializeToString()


async def _send(load: Load, acts: Any, readings: Any) -> None:
    """Return when the load's time is over."""
    end = load.measured_from + load.plan.measured_seconds
    tick = time.time()
    last = end + _END_SECONDS
    while not load.stopped or (load.open and tick < last):
        now = time.time()
        if now >= end:
            load.stopped = True
        load.turn(now)
        for is_reading, request in load.requests():
            await (readings if is_reading else acts).write(request)
        tick = max(tick + _TICK_SECONDS, now)
        await asyncio.sleep(max(tick - time.time(), 0.0005))


async def _listen(call: Any, hear: Callable[[Any], None]) -> None:
    async for response in call:
        hear(response)


async def _entries(consumer: AIOKafkaConsumer) -> AsyncIterator[bytes]:
    async for record in consumer:
        yield record.value


async def _follow(consumer: AIOKafkaConsumer, load: Load) -> None:
    async for value in _entries(consumer):
        load.posted(ledger_pb2.LedgerEntry.FromString(value))


async def _posted(load: Load) -> int:
    """Return how many finished rounds are not posted after all the time that is given to them."""
    wanted = Counter(each.round_id.partition("/")[0] for each in load.finished)
    deadline = time.monotonic() + _END_SECONDS

    def missing() -> int:
        return sum(n - load.players[table].rounds_posted for table, n in wanted.items())

    while (missing() or load.open) and time.monotonic() < deadline:  # noqa: ASYNC110
        await asyncio.sleep(0.05)
    return missing()


def main(argv: Sequence[str]) -> int:
    """Return 0 once the result is written."""
    plan_file, result_file = argv
    plan = msgspec.json.decode(Path(plan_file).read_bytes(), type=Plan)

    def say(line: dict[str, Any]) -> None:
        sys.stdout.write(json.dumps(line) + "\n")
        sys.stdout.flush()

    result = uvloop.run(play(plan, say))
    Path(result_file).write_bytes(msgspec.json.encode(result))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
