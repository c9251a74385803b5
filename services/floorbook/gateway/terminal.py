"""Decides for whom a floor client may speak: at which tables, as whom, in which role, by which terminal.

Only that: what a role may do at a table is the fold's verdict, so that authority is in the log.
"""

from msgspec import Struct

from floorbook import ids
from floorbook.gateway.intake import LARGEST_NUMBER
from floorbook.gateway.refusals import Reason, Refusal
from floorbook.gateway.registry import Client
from floorbook.table.events import EquipmentKind, Role

MOST_ACT_BYTES = 65_536

_KNOWN_ROLES = frozenset(Role)


class Speaker(Struct, frozen=True):
    """Somebody at a table, as the client vouches for him."""

    client_id: str
    table_id: str
    person_id: str
    role: Role


def speaker(client: Client, table_id: str, person_id: str, role: int) -> Speaker | Refusal:
    """Return who speaks or watches, or why the client may not say so."""
    if not ids.is_part(table_id) or not client.serves(table_id):
        return Refusal(
            Reason.UNKNOWN_TABLE_FOR_CLIENT,
            "the registry does not name this table for the client: correct one of them",
        )
    if role not in _KNOWN_ROLES or role not in client.roles:
        return Refusal(
            Reason.ROLE_NOT_OF_CLIENT,
            "the client may not act in this role: ask for it in the registry",
        )
    if client.person_id is not None and person_id != client.person_id:
        return Refusal(
            Reason.PERSON_NOT_OF_CLIENT, "the client speaks for one person, and not for this one"
        )
    if not ids.is_part(person_id):
        return Refusal(
            Reason.PERSON_NOT_OF_CLIENT, "person_id must be 1 to 40 of A-Z a-z 0-9 _ . -"
        )
    return Speaker(client.client_id, table_id, person_id, Role(role))


def kind_of(
    client: Client, equipment_id: str, boot: int, sequence: int, size: int
) -> EquipmentKind | Refusal:
    """Return what the terminal of an act is, or why the act cannot be one of it."""
    kind = client.terminals.get(equipment_id)
    if kind is None:
        return Refusal(
            Reason.UNKNOWN_EQUIPMENT_FOR_CLIENT,
            "the registry does not name this terminal for the client: correct one of them",
        )
    if not (0 < boot <= LARGEST_NUMBER and 0 < sequence <= LARGEST_NUMBER):
        return Refusal(Reason.BAD_NUMBER, "boot and sequence begin at 1 and end at 2^63 - 1")
    if size > MOST_ACT_BYTES:
        return Refusal(Reason.OVERSIZED, f"an act has at most {MOST_ACT_BYTES} bytes")
    return kind
