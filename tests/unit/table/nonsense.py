"""Facts and events that hold to their types and to nothing else, made from what a table knows."""

import random
from typing import Any

import msgspec.inspect as look
from msgspec import Struct

from floorbook.games.thirteen_cards.cards import PACK
from floorbook.table.events import EquipmentKind, Event, Fact, Role, UnknownFact
from floorbook.table.state import obligation_id
from floorbook.wire import envelope
from tests.unit.table.playing import KINDS, Table, dealt, fact_print
from tests.unit.table.variants import in_turn

FACTS: tuple[type[Fact], ...] = (
    *envelope.COMMON.values(),
    *envelope.GAMES["thirteen_cards"].values(),
    UnknownFact,
)
"""Every fact that such a table can be asked to take."""

IDS = ("p1", "p2", "p3", "house", "b1", "b2", "thirteen_cards", "1", "pit", "x" * 40)
CODES = ("TEST", "A")
CURRENCIES = ("MOP", "HKD")
TEXTS = (
    "",
    "{}",
    '{"banker_foul":"reject"}',
    '{"prize_ratio":[9,1]}',
    "[]",
    "\x00",
    "十三張",
    "{" * 400,
)


class Nonsense:
    """Makes what is well typed out of chance, and of what stands at one table."""

    def __init__(self, table: Table, rng: random.Random) -> None:
        self.table = table
        self.rng = rng

    def fact(self) -> Fact:
        """Return any fact with any content."""
        made = self._made(look.type_info(self.rng.choice(FACTS)))
        assert isinstance(made, Fact)
        return made

    def event(self) -> Event:
        """Return an event with any fact by anybody."""
        rng, table = self.rng, self.table
        fact = self.fact()
        if rng.random() < 0.15:
            owed = [obligation_id(table.state, o) for o in table.state.obligations]
            return Event(
                table.table_id, fact, Role.PROCESSOR, self._time(),
                obligation_id=rng.choice((*owed, "T1/1/evaluation/1", "T1/2/timer/1", "no/id")),
                offset=len(table.log),
            )  # fmt: skip
        equipment = rng.choice((*list(KINDS)[:9], "stranger"))
        kind = KINDS.get(equipment) if rng.random() < 0.9 else rng.choice((*EquipmentKind, None))
        boot = table.boots.get(equipment, 1) + rng.choice((0,) * 20 + (1, -1))
        sequence = table.sequences.get(equipment, 0) + rng.choice((1,) * 12 + (0, 2, 1 << 60))
        person = rng.choice(("p1", "p2", "house", "d1", ""))
        role = rng.choice((*(Role.DEALER,) * 2, *(Role.SUPERVISOR,) * 2, *Role))
        return Event(
            table.table_id, fact, role, self._time(), equipment, kind, max(boot, 1), sequence,
            fact_print(fact), person_id=person, offset=len(table.log),
        )  # fmt: skip

    def _time(self) -> int:
        self.table.now_ms += self.rng.choice((0, 100, 1_000, 200_000))
        far = self.rng.random() < 0.002
        return envelope.LATEST_MS if far else self.table.now_ms

    def _made(self, kind: look.Type) -> Any:
        rng = self.rng
        match kind:
            case look.StructType():
                return self._struct(kind)
            case look.UnionType():
                return self._made(rng.choice(kind.types))
            case look.NoneType():
                return None
            case look.BoolType():
                return rng.random() < 0.5
            case look.EnumType():
                return rng.choice(list(kind.cls))
            case look.IntType():
                low, high = kind.ge or 0, kind.le or 1 << 20
                near = [n for n in (0, 1, 2, 3, 4, 6, 20, 52, 100) if low <= n <= high]
                return rng.choice((*near, *near, low, high, rng.randint(low, high)))
            case look.BytesType():
                return rng.randbytes(rng.randint(kind.min_length or 0, kind.max_length or 40))
            case look.VarTupleType():
                most = min(kind.max_length or 60, rng.choice((1, 3, 5, 52, 60)))
                return tuple(self._made(kind.item_type) for _ in range(rng.randint(0, most)))
            case look.StrType():
                return self._text(kind)
            case _:
                raise AssertionError(f"no fact has a {kind}")

    def _struct(self, kind: look.StructType) -> Struct:
        given = {
            field.name: self._made(field.type)
            for field in kind.fields
            if field.required or self.rng.random() < 0.8
        }
        made = kind.cls(**given)
        if "dealt" in given and self.rng.random() < 0.8 and self.table.state.game is not None:
            return self._deal(kind.cls)
        return made

    def _deal(self, fact: type[Any]) -> Struct:
        game = self.table.game
        if game.seats:
            gates = sorted(game.holders) or (0, 1)
            whole: Struct = fact(in_turn(self.rng.sample(PACK, 52), gates))
            return whole
        order = self.table.order() if game.hands and game.dice else PACK
        wrong = {self.rng.choice(order): self.rng.randint(0, 4)}
        made: Struct = fact(dealt(order, game.dice or (1, 1, 1, 1), self.table.banker, wrong))
        return made

    def _text(self, kind: look.StrType) -> str:
        rng, table = self.rng, self.table
        match kind.pattern:
            case None if kind.max_length == 8:
                return rng.choice((*PACK, "1x", ""))
            case None:
                known = [cause.cause_id for cause in table.state.causes]
                known += [f"{table.table_id}/{n}" for n in range(4)]
                known += [event.event_id for event in table.log[-30:]]
                text = rng.choice((*known, *known, *TEXTS))
                return text[: kind.max_length] if kind.max_length else text
            case pattern if "A-Z]{3}" in pattern:
                return rng.choice(CURRENCIES)
            case pattern if pattern.startswith("^[A-Z]"):
                return rng.choice(CODES)
            case _:
                return rng.choice(IDS)
