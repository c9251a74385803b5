"""A floor client speaks for the tables, roles, person and terminals that the registry gives it."""

from typing import Any

import msgspec
import pytest

from floorbook.gateway import registry
from floorbook.gateway.refusals import Reason, Refusal
from floorbook.gateway.registry import Client
from floorbook.gateway.terminal import MOST_ACT_BYTES, Speaker, kind_of, speaker
from floorbook.table.events import EquipmentKind, Role

PIT = Client(
    "pit",
    "",
    None,
    frozenset({Role.DEALER, Role.SUPERVISOR}),
    None,
    {"desk-1": EquipmentKind.DEALER_TERMINAL},
)
SEAT = Client(
    "seat",
    "",
    frozenset({"T1"}),
    frozenset({Role.PLAYER}),
    "p7",
    {"seat-1": EquipmentKind.SEAT_TERMINAL},
)


def test_who_may_speak_is_named() -> None:
    assert speaker(PIT, "T9", "d1", Role.DEALER) == Speaker("pit", "T9", "d1", Role.DEALER)
    assert speaker(SEAT, "T1", "p7", Role.PLAYER) == Speaker("seat", "T1", "p7", Role.PLAYER)


@pytest.mark.parametrize(
    ("client", "table", "person", "role", "reason"),
    [
        (SEAT, "T2", "p7", Role.PLAYER, Reason.UNKNOWN_TABLE_FOR_CLIENT),
        (PIT, "T/1", "d1", Role.DEALER, Reason.UNKNOWN_TABLE_FOR_CLIENT),
        (PIT, "", "d1", Role.DEALER, Reason.UNKNOWN_TABLE_FOR_CLIENT),
        (SEAT, "T1", "p8", Role.PLAYER, Reason.PERSON_NOT_OF_CLIENT),
        (SEAT, "T1", "", Role.PLAYER, Reason.PERSON_NOT_OF_CLIENT),
        (PIT, "T1", "", Role.DEALER, Reason.PERSON_NOT_OF_CLIENT),
        (PIT, "T1", "d 1", Role.DEALER, Reason.PERSON_NOT_OF_CLIENT),
        (SEAT, "T1", "p7", Role.DEALER, Reason.ROLE_NOT_OF_CLIENT),
        (PIT, "T1", "d1", Role.PLAYER, Reason.ROLE_NOT_OF_CLIENT),
        (PIT, "T1", "d1", Role.DEVICE, Reason.ROLE_NOT_OF_CLIENT),
        (PIT, "T1", "d1", Role.PROCESSOR, Reason.ROLE_NOT_OF_CLIENT),
        (PIT, "T1", "d1", 0, Reason.ROLE_NOT_OF_CLIENT),
        (PIT, "T1", "d1", 99, Reason.ROLE_NOT_OF_CLIENT),
    ],
)
def test_who_may_not_is_refused(
    client: Client, table: str, person: str, role: int, reason: Reason
) -> None:
    found = speaker(client, table, person, role)
    assert isinstance(found, Refusal)
    assert found.reason is reason


def test_not_even_a_registry_can_make_a_client_the_processor() -> None:
    everything: dict[str, Any] = {"id": "x", "token": "0" * 64, "tables": "*", "person": None}
    entry = everything | {"roles": ["processor"], "equipment": []}
    faults = registry.read(msgspec.json.encode({"devices": [], "clients": [entry]}))
    assert isinstance(faults, list)


@pytest.mark.parametrize(
    ("equipment", "boot", "sequence", "size", "expected"),
    [
        ("seat-1", 1, 1, 10, EquipmentKind.SEAT_TERMINAL),
        ("desk-1", 1, 1, 10, Reason.UNKNOWN_EQUIPMENT_FOR_CLIENT),
        ("gateway-0", 1, 1, 10, Reason.UNKNOWN_EQUIPMENT_FOR_CLIENT),
        ("seat-1", 0, 1, 10, Reason.BAD_NUMBER),
        ("seat-1", 1, 0, 10, Reason.BAD_NUMBER),
        ("seat-1", 1 << 63, 1, 10, Reason.BAD_NUMBER),
        ("seat-1", 1, 1 << 63, 10, Reason.BAD_NUMBER),
        ("seat-1", 1, 1, MOST_ACT_BYTES + 1, Reason.OVERSIZED),
    ],
)
def test_acts_come_from_the_clients_terminals(
    equipment: str, boot: int, sequence: int, size: int, expected: object
) -> None:
    found = kind_of(SEAT, equipment, boot, sequence, size)
    assert (found.reason if isinstance(found, Refusal) else found) is expected
