"""A table without a network: the same fold, wire and views, folded at once where an act is made.

What it leaves out is the transport, so tests of play, of tricks and of reconciliation run in moments.
"""

import asyncio
from collections.abc import Iterable
from typing import Any

import msgspec

from floorbook import topics
from floorbook.demo.at_table import Actor, Place
from floorbook.demo.casino import Person, Table, build
from floorbook.demo.client import Act, Told, update_of
from floorbook.demo.devices import Device, Reading
from floorbook.demo.games import games, plans_of
from floorbook.demo.reconcile import LogRecord
from floorbook.demo.seen import Seen
from floorbook.demo.tally import Tally
from floorbook.demo.terminals import NotTaken, Terminal
from floorbook.evaluator.answers import Answer
from floorbook.evaluator.judge import judge
from floorbook.gateway.floor import seen_by
from floorbook.ledger.journal import Conflict, Entry, journalise, mirror
from floorbook.money import MovementKind
from floorbook.table.events import (
    Event,
    Fact,
    Role,
    RoundEvaluated,
    TimerExpired,
    UnknownFact,
)
from floorbook.table.refuse import Recall
from floorbook.table.state import (
    ROUNDS_KEPT,
    Evaluation,
    RoundRecord,
    fresh,
    obligation_id,
)
from floorbook.table.step import step
from floorbook.v1 import floor_pb2
from floorbook.wire import envelope, floor
from floorbook.wire.quarantine import Unreadable

PARTITIONS = 4
STARTED_MS = 1_800_000_000_000
EVENT_MS = 10
_IDLE_TURNS = 100


class PocketTable:
    """One table of a simulated casino, folded in the process."""

    def __init__(self, table: Table, seed: int, misbehave: float) -> None:
        self.table = table
        self.tally = Tally()
        self.log: list[LogRecord] = []
        self.entries: dict[str, Entry] = {}
        self.now_ms = STARTED_MS
        self._partition = topics.partition_of(table.table_id, PARTITIONS)
        self._state = fresh(table.table_id, self._partition)
        self._rounds: dict[int, RoundRecord] = {}
        self._viewers: list[tuple[Role, str, Seen]] = []
        self._owing: set[str] = set()
        self._kinds = {each.equipment_id: each.kind for each in table.equipment}
        self._game = games()[table.rule_set]
        place = Place(
            table,
            self._actor(table.dealer),
            self._actor(table.pit),
            tuple(map(self._actor, table.players)),
            {
                name: Device(each.equipment_id, each.table_id, each.key, self, 1)
                for name, each in table.devices.items()
            },
            self.tally,
            seed,
            misbehave,
        )
        self.at = self._game.at_table(place)

    async def play(self, rounds: int) -> None:
        """Return when the table has been opened, played for `rounds` and closed."""
        await self.at.open()
        played = 0
        while self.at.goes_on(played, rounds):
            played += 1
            await self.at.round(played)
        await self.at.close()

    # What a device's line is to a device

    def send(self, device: Device, readings: Iterable[Reading]) -> None:
        for each in readings:
            fact = self._over_the_wire(each.fact)
            if isinstance(fact, Unreadable):
                self._soon(device.refused, each.sequence, "UNREADABLE_FACT")
                continue
            kind = self._kinds[each.equipment_id]
            source = (each.equipment_id, kind, each.boot, each.sequence)
            self._append(Event(self.table.table_id, fact, Role.DEVICE, 0, *source))
            self._soon(device.acknowledged, each.boot, each.sequence)

    def reopen(self) -> None:
        """There is no line to open again."""

    # What gateways, processor and ledger are to a table

    def _actor(self, person: Person) -> Actor[Any]:
        seen = self._game.seen(person.person_id, 5)
        self._viewers.append((person.role, person.person_id, seen))
        return Actor(Terminal(person, self.table.table_id, self._submit, self.tally), seen)

    async def _submit(self, act: Act) -> Told:
        fact = self._over_the_wire(act.fact)
        if isinstance(fact, Unreadable):
            raise NotTaken(fact.reason, fact.detail)
        kind = self._kinds[act.equipment_id]
        event = Event(
            act.table_id,
            fact,
            act.role,
            0,
            act.equipment_id,
            kind,
            act.boot,
            act.sequence,
            person_id=act.person_id,
        )
        verdict = self._append(event)
        return Told(
            event.event_id,
            verdict.reason if verdict.outcome == floor_pb2.OUTCOME_REFUSED else "",
            verdict.known,
        )

    def _over_the_wire(self, fact: Fact) -> Fact | Unreadable:
        """Return the fact as a gateway would read it."""
        if type(fact) is Fact:
            return Unreadable("UNKNOWN_FACT", "no fact at all")
        table_id = self.table.table_id
        event = Event(table_id, fact, Role.PLAYER, 1, "any", None, 1, 1, bytes(8))
        found = envelope.decode(envelope.encode(event), table_id.encode(), 0, 0)
        if isinstance(found, Event) and not isinstance(found.fact, UnknownFact):
            return found.fact
        return Unreadable("UNREADABLE_FACT", "as its message says")

    def _append(self, event: Event) -> floor_pb2.Verdict:
        self.now_ms += EVENT_MS
        event = msgspec.structs.replace(
            event,
            observe_time_ms=self.now_ms,
            fingerprint=b"" if event.obligation_id else envelope.fingerprint(event.fact),
        )
        offset = len(self.log)
        key = event.table_id.encode()
        self.log.append(LogRecord(self._partition, offset, key, envelope.encode(event)))
        event = envelope.decode(self.log[-1].value, key, self._partition, offset)  # type: ignore[assignment]
        taken = step(self._state, event, Recall(self._rounds))
        self._state = taken.state
        for record in taken.effects.records:
            self._rounds[record.round_number % ROUNDS_KEPT] = record
        for movement in taken.effects.movements:
            entry = (
                mirror(movement, self.entries.get(movement.reverses))
                if movement.kind is MovementKind.REVERSAL
                else journalise(movement)
            )
            assert not isinstance(entry, Conflict)
            self.entries[entry.entry_id] = entry
        shown = floor_pb2.FloorRecord.FromString(floor.encode(taken, event)).folded
        for role, person_id, seen in self._viewers:
            if (mine := seen_by(role, person_id, shown, "")) is not None:
                self._soon(seen.take, update_of(mine))
        self._owe()
        return shown.verdict

    def _owe(self) -> None:
        if self._state.causes:
            return
        for owed in self._state.obligations:
            answer_id = obligation_id(self._state, owed)
            if answer_id in self._owing:
                continue
            self._owing.add(answer_id)
            if isinstance(owed, Evaluation):
                self._soon(self._answer, answer_id)
            else:
                self._soon(self._wait_until_nobody_moves, answer_id, len(self.log), _IDLE_TURNS)

    def _wait_until_nobody_moves(self, answer_id: str, length: int, turns: int) -> None:
        """Give the signal when everybody who does lay his cards has: in turns of the loop, not in time."""
        if len(self.log) > length:
            length, turns = len(self.log), _IDLE_TURNS
        if not any(
            obligation_id(self._state, owed) == answer_id for owed in self._state.obligations
        ):
            return
        if turns:
            self._soon(self._wait_until_nobody_moves, answer_id, length, turns - 1)
        else:
            self._answer(answer_id)

    def _answer(self, answer_id: str) -> None:
        for owed in self._state.obligations:
            if obligation_id(self._state, owed) != answer_id or self._state.causes:
                continue
            fact: Fact = TimerExpired()
            if isinstance(owed, Evaluation):
                request = msgspec.json.decode(owed.request)
                found = judge(owed.rule_set, owed.rules_version, request)
                assert isinstance(found, Answer), found
                fact = RoundEvaluated(
                    found.rule_set, found.rules_version, found.result, found.explanation
                )
            else:
                self.now_ms = max(self.now_ms, owed.due_ms)
            self._append(
                Event(self.table.table_id, fact, Role.PROCESSOR, 0, obligation_id=answer_id)
            )
            return

    def _soon(self, call: object, *arguments: object) -> None:
        asyncio.get_running_loop().call_soon(call, *arguments)  # type: ignore[arg-type]


def pocket_table(
    rule_set: str = "thirteen_cards", *, seed: int = 1, misbehave: float = 0.0, number: int = 1
) -> PocketTable:
    """Return the `number`-th table of a casino in which one rule set is played."""
    table = build(number, seed, "", plans_of(rule_set)).tables[number - 1]
    return PocketTable(table, seed, misbehave)
