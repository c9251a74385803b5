"""The registry is read whole, or every fault in it is named and no secret with it."""

import hashlib
import json
from typing import Any

from floorbook.gateway import registry
from floorbook.gateway.registry import Registry
from floorbook.table.events import EquipmentKind, Role

KEY = "0123456789abcdef"


def digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def device(**changed: Any) -> dict[str, Any]:
    return {"id": "dice-1", "kind": "dice", "tables": ["T1"], "key": KEY} | changed


def client(**changed: Any) -> dict[str, Any]:
    desk = {"id": "desk-1", "kind": "dealer_terminal"}
    fields: dict[str, Any] = {"id": "floor", "token": digest("secret"), "tables": "*"}
    return fields | {"roles": ["dealer"], "person": None, "equipment": [desk]} | changed


def read(devices: list[Any], clients: list[Any]) -> Registry | list[str]:
    return registry.read(json.dumps({"devices": devices, "clients": clients}).encode())


def test_devices_and_clients_are_found_by_what_they_show() -> None:
    found = read(
        [device()], [client(), client(id="p", token=digest("other"), tables=["T1"], person="p7")]
    )
    assert isinstance(found, Registry)
    dice = found.devices["dice-1"]
    assert (dice.kind, dice.tables) == (EquipmentKind.DICE, frozenset({"T1"}))
    assert dice.has_key(KEY)
    assert not dice.has_key(KEY + "x")
    assert not dice.has_key("")
    floor, player = found.client("secret"), found.client("other")
    assert floor is not None
    assert player is not None
    assert (floor.client_id, floor.roles, floor.serves("anywhere")) == (
        "floor",
        frozenset({Role.DEALER}),
        True,
    )
    assert (player.person_id, player.serves("T1"), player.serves("T2")) == ("p7", True, False)
    assert found.client("Secret") is None
    assert found.client(digest("secret")) is None, "the file's digest is no token"


def test_every_fault_is_named_at_once_and_no_secret() -> None:
    faults = read(
        [
            device(),
            device(),
            device(id="a b", kind="clock", tables=[], key="too-short"),
            device(id="gateway-0"),
            {"id": "dice-9"},
            device(id="dice-8", colour="red"),
        ],
        [
            client(equipment=[{"id": "dice-1", "kind": "dealer_terminal"}]),
            client(token="plain-token", roles=["boss"], tables="all", person="x y"),
            client(id="twin", token=digest("a"), equipment=[{"id": "t1", "kind": "seat_terminal"}]),
            client(id="copy", token=digest("a"), equipment=[{"id": "t1", "kind": "pit_terminal"}]),
            client(
                id="odd", token=digest("b"), equipment=[{"id": "t2", "kind": "abacus"}], roles=[]
            ),
        ],
    )
    assert isinstance(faults, list)
    said = "\n".join(faults)
    for expected in (
        "devices[1] 'dice-1': is there twice",
        "devices[2] 'a b': id 'a b' must be 1 to 40",
        "devices[2] 'a b': kind 'clock' must be one of shuffler, dice, shoe",
        "devices[2] 'a b': tables must name at least one table",
        "devices[2] 'a b': key must be 16 to 128",
        "devices[3] 'gateway-0': id 'gateway-0' must not begin with 'gateway-'",
        "devices[4]: Object missing required field `kind`",
        "devices[5]: Object contains unknown field `colour`",
        "clients[0] 'floor': equipment 'dice-1' is a device",
        "clients[1] 'floor': tables must be a list of ids, or \"*\"",
        "clients[1] 'floor': roles must be some of player, dealer, supervisor",
        "clients[1] 'floor': person 'x y' must be",
        "clients[1] 'floor': token must be the SHA-256",
        "clients[3] 'copy': has the same token as 'twin'",
        "clients[3] 'copy': equipment 't1' is of another kind at another client",
        "clients[4] 'odd': equipment 't2': kind 'abacus' must be one of",
        "clients[4] 'odd': roles must be some of",
    ):
        assert expected in said
    for secret in (KEY, "too-short", "plain-token", digest("a")):
        assert secret not in said


def test_what_is_no_registry_at_all_is_a_fault() -> None:
    for text in (b"", b"[]", b'{"devices": []}', b"\xff\xfe", b'{"devices": 1, "clients": []}'):
        faults = registry.read(text)
        assert isinstance(faults, list), text
        assert "devices and clients" in faults[0]


def test_croupiers_may_take_turns_at_one_terminal() -> None:
    found = read([], [client(), client(id="night", token=digest("other"))])
    assert isinstance(found, Registry)


def test_a_floor_of_six_thousand_tables_shares_its_sets_of_tables() -> None:
    tables = [f"T{number}" for number in range(6_000)]
    devices = [
        device(id=f"{kind}-{t}-{n}", tables=[t])
        for t in tables
        for n, kind in enumerate(("a", "b", "c"))
    ]
    terminals = [{"id": f"desk-{n}", "kind": "dealer_terminal"} for n in range(18_000)]
    found = read(devices, [client(equipment=terminals)])
    assert isinstance(found, Registry)
    assert len(found.devices) == 18_000
    assert len({id(each.tables) for each in found.devices.values()}) == 6_000
