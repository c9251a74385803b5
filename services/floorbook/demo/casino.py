"""Decides which tables the simulated casino has, what each plays, who is at it, and which keys and tokens they show.

Ids follow from numbers alone, so that two runs name everything alike. Keys and tokens are made anew each
time: they guard the gateway of a real machine for as long as the demo runs.
"""

import hashlib
import json
import random
import secrets
from collections.abc import Sequence

from msgspec import Struct

from floorbook.table.events import Equipment, EquipmentKind, Role, TableOpened

RULES_VERSION = "1"
CURRENCY = "MOP"
LEAST_UNIT_MINOR = 10_000  # MOP 100.00
TABLES_OF_A_PIT = 4
_MACAU_OFFSET_MINUTES = 8 * 60
_DAY_STARTS_MINUTE = 6 * 60


def chance(*parts: object) -> random.Random:
    """Return a source of chance that gives the same for the same `parts`."""
    return random.Random("/".join(map(str, parts)))  # noqa: S311 -- simulated play, to be repeatable


class Plan(Struct, frozen=True):
    """What a table is furnished for: a rule set, the devices it needs, how many players come."""

    rule_set: str = "thirteen_cards"
    devices: tuple[tuple[str, EquipmentKind], ...] = (
        ("shuffler", EquipmentKind.SHUFFLER),
        ("dice", EquipmentKind.DICE),
    )
    fewest_players: int = 4
    most_players: int = 6


class Instrument(Struct, frozen=True):
    """One device at a table, with its key; `own_line` if it speaks over a line of its own."""

    equipment_id: str
    kind: EquipmentKind
    table_id: str
    key: str
    own_line: bool


class Person(Struct, frozen=True):
    """Somebody with a terminal; `one_by_one` if the terminal sends each act in a call of its own."""

    person_id: str
    role: Role
    equipment_id: str
    kind: EquipmentKind
    tables: tuple[str, ...]
    token: str
    one_by_one: bool


class Table(Struct, frozen=True):
    """One table of the casino and everybody at it."""

    table_id: str
    number: int
    rule_set: str
    dealer: Person
    pit: Person
    players: tuple[Person, ...]
    devices: dict[str, Instrument]

    @property
    def banker_gate(self) -> int:
        """Return the gate of the banker, where a game has one: it differs from table to table."""
        return (self.number - 1) % 4

    @property
    def equipment(self) -> tuple[Equipment, ...]:
        """Return all equipment that may speak at the table."""
        people = (self.dealer, self.pit, *self.players)
        return (
            *(Equipment(each.equipment_id, each.kind) for each in people),
            *(Equipment(each.equipment_id, each.kind) for each in self.devices.values()),
        )

    def opened(self, flags: dict[str, object]) -> TableOpened:
        """Return the fact that opens the table, without the game's own options."""
        return TableOpened(
            rule_set=self.rule_set,
            rules_version=RULES_VERSION,
            flags=json.dumps(flags, sort_keys=True) if flags else "",
            currency=CURRENCY,
            equipment=self.equipment,
            utc_offset_minutes=_MACAU_OFFSET_MINUTES,
            day_start_minute=_DAY_STARTS_MINUTE,
        )


class Casino(Struct, frozen=True):
    """All tables; what else is asked of a casino follows from them."""

    seed: int
    tables: tuple[Table, ...]

    @property
    def table_ids(self) -> frozenset[str]:
        """Return the ids of all tables."""
        return frozenset(table.table_id for table in self.tables)

    @property
    def instruments(self) -> tuple[Instrument, ...]:
        """Return all devices."""
        return tuple(each for table in self.tables for each in table.devices.values())

    @property
    def people(self) -> tuple[Person, ...]:
        """Return everybody once, though a supervisor looks after several tables."""
        everybody = {
            person.person_id: person
            for table in self.tables
            for person in (table.dealer, table.pit, *table.players)
        }
        return tuple(everybody.values())

    def registry(self) -> bytes:
        """Return the gateways' registry file."""
        entries = {
            "devices": [
                {
                    "id": each.equipment_id,
                    "kind": each.kind.name.lower(),
                    "tables": [each.table_id],
                    "key": each.key,
                }
                for each in self.instruments
            ],
            "clients": [
                {
                    "id": each.equipment_id,
                    "token": hashlib.sha256(each.token.encode()).hexdigest(),
                    "tables": list(each.tables),
                    "roles": [each.role.name.lower()],
                    "person": each.person_id,
                    "equipment": [{"id": each.equipment_id, "kind": each.kind.name.lower()}],
                }
                for each in self.people
            ],
        }
        return json.dumps(entries, indent=1).encode()


def build(tables: int, seed: int, prefix: str = "", plans: Sequence[Plan] = (Plan(),)) -> Casino:
    """Return a casino of that many tables, which are furnished by the `plans` in turn.

    `prefix` sets its ids apart on servers with a past.
    """
    ids = [f"{prefix}T{number:03}" for number in range(1, tables + 1)]
    pits = [
        _person(
            f"{prefix}S{start // TABLES_OF_A_PIT + 1:02}",
            Role.SUPERVISOR,
            f"{prefix}pit{start // TABLES_OF_A_PIT + 1:02}",
            EquipmentKind.PIT_TERMINAL,
            tuple(ids[start : start + TABLES_OF_A_PIT]),
            one_by_one=True,
        )
        for start in range(0, tables, TABLES_OF_A_PIT)
    ]
    built: list[Table] = []
    seated = 0
    for index, table_id in enumerate(ids):
        plan = plans[index % len(plans)]
        players = chance(seed, "seats", index).randint(plan.fewest_players, plan.most_players)
        pit = pits[index // TABLES_OF_A_PIT]
        built.append(_table(table_id, index, plan, pit, prefix, seated, players))
        seated += players
    return Casino(seed, tuple(built))


def _table(
    table_id: str, index: int, plan: Plan, pit: Person, prefix: str, seated: int, players: int
) -> Table:
    # Of each pair of tables one has devices on lines of their own, the other on a shared stream.
    own_line = index % 2 == 0
    return Table(
        table_id=table_id,
        number=index + 1,
        rule_set=plan.rule_set,
        dealer=_person(
            f"{prefix}D{index + 1:03}",
            Role.DEALER,
            f"{table_id}-dealer",
            EquipmentKind.DEALER_TERMINAL,
            (table_id,),
        ),
        pit=pit,
        players=tuple(
            _person(
                f"{prefix}P{seated + seat:04}",
                Role.PLAYER,
                f"{table_id}-seat{seat}",
                EquipmentKind.SEAT_TERMINAL,
                (table_id,),
                one_by_one=seat == players,
            )
            for seat in range(1, players + 1)
        ),
        devices={
            name: Instrument(f"{table_id}-{name}", kind, table_id, _secret(), own_line)
            for name, kind in plan.devices
        },
    )


def _person(
    person_id: str,
    role: Role,
    equipment_id: str,
    kind: EquipmentKind,
    tables: tuple[str, ...],
    *,
    one_by_one: bool = False,
) -> Person:
    return Person(person_id, role, equipment_id, kind, tables, _secret(), one_by_one)


def _secret() -> str:
    return secrets.token_urlsafe(24)
