"""Decides who may speak to a gateway: which devices and floor clients exist, where, and with which secret.

The registry is one JSON file. It is read whole or not at all: a file with any fault is refused, and all
its faults are named at once, never a key or token with them.
"""

import hashlib
import hmac
import re
import sys
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec import Struct

from floorbook import ids
from floorbook.table.events import EquipmentKind, Role

GATEWAY_PREFIX = "gateway-"
"""Equipment ids that begin like this are the gateways' own."""

_KEY = re.compile(r"[!-~]{16,128}\Z")
_DIGEST = re.compile(r"[0-9a-f]{64}\Z")

_DEVICE_KINDS = {
    "shuffler": EquipmentKind.SHUFFLER,
    "dice": EquipmentKind.DICE,
    "shoe": EquipmentKind.SHOE,
}
_TERMINAL_KINDS = {
    "dealer_terminal": EquipmentKind.DEALER_TERMINAL,
    "seat_terminal": EquipmentKind.SEAT_TERMINAL,
    "pit_terminal": EquipmentKind.PIT_TERMINAL,
}
_ROLES = {"player": Role.PLAYER, "dealer": Role.DEALER, "supervisor": Role.SUPERVISOR}


class Device(Struct, frozen=True):
    """A device that may report readings at its tables."""

    equipment_id: str
    kind: EquipmentKind
    tables: frozenset[str]
    key: bytes

    def has_key(self, key: str) -> bool:
        """Return whether `key` is the device's, in a time that does not depend on it."""
        return hmac.compare_digest(self.key, key.encode())


class Client(Struct, frozen=True):
    """A floor client: the tables, roles, person and terminals it may speak for."""

    client_id: str
    token_digest: str
    tables: frozenset[str] | None
    roles: frozenset[Role]
    person_id: str | None
    terminals: dict[str, EquipmentKind]

    def serves(self, table_id: str) -> bool:
        """Return whether the client may act at the table; `tables` is None for all."""
        return self.tables is None or table_id in self.tables


class Registry(Struct, frozen=True):
    """Everybody who may speak to a gateway."""

    devices: dict[str, Device]
    clients: dict[str, Client]

    def client(self, token: str) -> Client | None:
        """Return the client whose token this is.

        Found by the token's SHA-256, which tells nothing about how near a guess was.
        """
        digest = hashlib.sha256(token.encode()).hexdigest()
        found = self.clients.get(digest)
        if found is None or not hmac.compare_digest(found.token_digest, digest):
            return None
        return found


class _DeviceEntry(Struct, forbid_unknown_fields=True):
    id: str
    kind: str
    tables: list[str]
    key: str


class _TerminalEntry(Struct, forbid_unknown_fields=True):
    id: str
    kind: str


class _ClientEntry(Struct, forbid_unknown_fields=True):
    id: str
    token: str
    tables: list[str] | str
    roles: list[str]
    person: str | None
    equipment: list[_TerminalEntry]


class _File(Struct, forbid_unknown_fields=True):
    devices: list[msgspec.Raw]
    clients: list[msgspec.Raw]


def read(text: bytes) -> Registry | list[str]:
    """Return the registry in `text`, or every fault in it, one sentence each."""
    try:
        file = msgspec.json.decode(text, type=_File)
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        return [f"the registry is no JSON object with the lists devices and clients: {error}"]
    reader = _Reader()
    for index, raw in enumerate(file.devices):
        reader.device(f"devices[{index}]", raw)
    for index, raw in enumerate(file.clients):
        reader.client(f"clients[{index}]", raw)
    return reader.faults or Registry(reader.devices, reader.clients)


class _Reader:
    """Collects entries and faults; sets of tables that are equal are kept once."""

    def __init__(self) -> None:
        self.devices: dict[str, Device] = {}
        self.clients: dict[str, Client] = {}
        self.faults: list[str] = []
        self._client_ids: set[str] = set()
        self._terminals: dict[str, EquipmentKind] = {}
        self._tables: dict[frozenset[str], frozenset[str]] = {}

    def device(self, place: str, raw: msgspec.Raw) -> None:
        """Return after adding the device in `raw`, or its faults."""
        entry = self._entry(place, raw, _DeviceEntry)
        if entry is None:
            return
        place = f"{place} {entry.id!r}"
        kind = _DEVICE_KINDS.get(entry.kind)
        faults = [*_id_faults("id", entry.id), *_table_faults(entry.tables)]
        if kind is None:
            faults.append(f"kind {entry.kind!r} must be one of {', '.join(_DEVICE_KINDS)}")
        if not _KEY.match(entry.key):
            faults.append("key must be 16 to 128 printable ASCII characters without spaces")
        if entry.id in self.devices:
            faults.append("is there twice")
        if self._noted(place, faults) or kind is None:
            return
        tables = self._shared(entry.tables)
        self.devices[entry.id] = Device(sys.intern(entry.id), kind, tables, entry.key.encode())

    def client(self, place: str, raw: msgspec.Raw) -> None:
        """Return after adding the client in `raw`, or its faults."""
        entry = self._entry(place, raw, _ClientEntry)
        if entry is None:
            return
        place = f"{place} {entry.id!r}"
        faults = _id_faults("id", entry.id)
        if isinstance(entry.tables, str):
            if entry.tables != "*":
                faults.append('tables must be a list of ids, or "*" for all')
        else:
            faults += _table_faults(entry.tables)
        if not entry.roles or not set(entry.roles) <= set(_ROLES):
            faults.append(f"roles must be some of {', '.join(_ROLES)}")
        if entry.person is not None:
            faults += _id_faults("person", entry.person)
        if not _DIGEST.match(entry.token):
            faults.append("token must be the SHA-256 of the token, as 64 hexadecimal digits")
        elif entry.token in self.clients:
            other = self.clients[entry.token].client_id
            faults.append(f"has the same token as {other!r}")
        if entry.id in self._client_ids:
            faults.append("is there twice")
        terminals = dict(self._terminals_of(entry.equipment, faults))
        if self._noted(place, faults):
            return
        self._client_ids.add(entry.id)
        self._terminals.update(terminals)
        self.clients[entry.token] = Client(
            entry.id,
            entry.token,
            None if isinstance(entry.tables, str) else self._shared(entry.tables),
            frozenset(_ROLES[role] for role in entry.roles),
            entry.person,
            terminals,
        )

    def _entry(self, place: str, raw: msgspec.Raw, kind: type[Any]) -> Any:
        try:
            return msgspec.json.decode(raw, type=kind)
        except (msgspec.MsgspecError, UnicodeDecodeError) as error:
            self.faults.append(f"{place}: {error}")
            return None

    def _terminals_of(
        self, entries: Iterable[_TerminalEntry], faults: list[str]
    ) -> Iterator[tuple[str, EquipmentKind]]:
        seen: set[str] = set()
        for entry in entries:
            kind = _TERMINAL_KINDS.get(entry.kind)
            faults += _id_faults("equipment", entry.id)
            if kind is None:
                known = ", ".join(_TERMINAL_KINDS)
                faults.append(f"equipment {entry.id!r}: kind {entry.kind!r} must be one of {known}")
                continue
            if entry.id in seen:
                faults.append(f"equipment {entry.id!r} is there twice")
            if entry.id in self.devices:
                faults.append(f"equipment {entry.id!r} is a device")
            # Several clients may share a terminal, as when croupiers take turns; it stays one kind of thing.
            if self._terminals.get(entry.id, kind) is not kind:
                faults.append(f"equipment {entry.id!r} is of another kind at another client")
            seen.add(entry.id)
            yield sys.intern(entry.id), kind

    def _shared(self, tables: list[str]) -> frozenset[str]:
        whole = frozenset(map(sys.intern, tables))
        return self._tables.setdefault(whole, whole)

    def _noted(self, place: str, faults: list[str]) -> bool:
        self.faults += [f"{place}: {fault}" for fault in faults]
        return bool(faults)


def _id_faults(what: str, text: str) -> list[str]:
    if not ids.is_part(text):
        return [f"{what} {text!r} must be 1 to 40 of A-Z a-z 0-9 _ . -"]
    if text.startswith(GATEWAY_PREFIX):
        return [f"{what} {text!r} must not begin with {GATEWAY_PREFIX!r}: that is a gateway's own"]
    return []


def _table_faults(tables: list[str]) -> list[str]:
    if not tables:
        return ["tables must name at least one table"]
    return [fault for table in tables for fault in _id_faults("table", table)]
