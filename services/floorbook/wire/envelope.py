"""Events on the wire: envelope and fact in, domain event out, and back.

Also decides what makes two sendings of one event the same: `fingerprint`, over our own encoding
of the fact, so that neither protobuf's bytes nor what a gateway adds plays a part.
"""

import hashlib
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any

import msgspec
from google.protobuf.message import DecodeError, Message
from msgspec.structs import replace

from floorbook import ids
from floorbook.table import events
from floorbook.table.events import EquipmentKind, Event, Fact, Role, UnknownFact
from floorbook.v1 import event_pb2
from floorbook.wire import codec, mahjong, pai_kau, thirteen_cards
from floorbook.wire.quarantine import EMPTY, NOT_DECODABLE, WRONG_KEY, Unreadable

FOLD_SCHEMA = 1
"""The newest schema of facts that this code folds."""

LATEST_MS = 10**14
"""The latest observe time that is believed, in the year 5138: a mad clock must not stop a table."""

UNKNOWN_FACT = "UNKNOWN_FACT"
"""The reason in quarantine for an event whose number is used up by a fact we cannot read."""

FOLD_FAILED = "FOLD_FAILED"
"""The reason in quarantine for an event at which the fold itself failed: a bug, at one table."""

USED_UP = frozenset((UNKNOWN_FACT, FOLD_FAILED))
"""Reasons for which an event is folded, then and ever after, as one with an unknown fact."""

COMMON: MappingProxyType[str, type[Fact]] = MappingProxyType(
    {
        "source_started": events.SourceStarted,
        "table_opened": events.TableOpened,
        "table_closed": events.TableClosed,
        "equipment_changed": events.EquipmentChanged,
        "view_asked": events.ViewAsked,
        "table_suspended": events.TableSuspended,
        "suspension_resolved": events.SuspensionResolved,
        "reading_corrected": events.ReadingCorrected,
        "round_voided": events.RoundVoided,
        "settled_round_voided": events.SettledRoundVoided,
        "settled_round_corrected": events.SettledRoundCorrected,
        "round_evaluated": events.RoundEvaluated,
        "evaluation_refused": events.EvaluationRefused,
        "timer_expired": events.TimerExpired,
        "shuffle_sealed": events.ShuffleSealed,
        "deck_cut": events.DeckCut,
        "deck_opened": events.DeckOpened,
        "deck_faulty": events.DeckFaulty,
        "dice_thrown": events.DiceThrown,
        "throw_void": events.ThrowVoid,
    }
)
WIRES = (thirteen_cards.WIRE, pai_kau.WIRE, mahjong.WIRE)
"""Every game on the wire; a further game adds its own here."""

GAMES: MappingProxyType[str, Mapping[str, type[Fact]]] = MappingProxyType(
    {game.field: game.facts for game in WIRES}
)
"""A game's field in the envelope, and its facts."""

PROCESSOR_ONLY = frozenset(
    (events.RoundEvaluated, events.EvaluationRefused, events.TimerExpired, events.UnknownFact)
)
"""Facts that no request can carry."""

_FINGERPRINT_BYTES = 8


@cache
def _places() -> dict[type[Any], tuple[str, str]]:
    """Return for each fact its game's field ("" for common ones) and its own."""
    places: dict[type[Any], tuple[str, str]] = {
        struct: ("", name) for name, struct in COMMON.items()
    }
    for game, facts in GAMES.items():
        places |= {struct: (game, name) for name, struct in facts.items()}
    return places


def name_of(fact: Fact) -> str:
    """Return the fact's name on the wire, such as bet_placed."""
    return _places()[type(fact)][1] if type(fact) is not UnknownFact else "unknown"


def names() -> tuple[str, ...]:
    """Return the names of all facts that this code knows, and `unknown`."""
    return (*(name for _, name in _places().values()), "unknown")


def schema_of(fact: Fact) -> int:
    """Return the schema that introduced the fact: a fold below it cannot read it."""
    return _newer().get(type(fact), 1)


@cache
def _newer() -> dict[type[Fact], int]:
    """Return the facts that came after schema 1, each with its schema."""
    return {fact: schema for game in WIRES for fact, schema in game.schemas.items()}


def fingerprint(fact: Fact) -> bytes:
    """Return 8 bytes that tell this fact from another one under the same id.

    SHA-256 over the fact's JSON text, fields in order of declaration and without those that have
    their default: a field added by a later version changes no older fact's fingerprint.
    """
    return hashlib.sha256(msgspec.json.encode(fact)).digest()[:_FINGERPRINT_BYTES]


def fact_of(message: Any) -> Fact | Unreadable:
    """Return the fact in an Event, Act or Reading; UnknownFact where it has one we do not know."""
    field: str | None = message.WhichOneof("fact")
    if field is None:
        return UnknownFact()
    inner: Message = getattr(message, field)
    game = GAMES.get(field)
    if game is None:
        struct = COMMON[field]
    else:
        field = inner.WhichOneof("fact")
        if field is None:
            return UnknownFact()
        struct, inner = game[field], getattr(inner, field)
    return codec.read(inner, struct)


def encode(event: Event) -> bytes:
    """Return the event as one record of the topic table-events."""
    game, name = _places()[type(event.fact)]
    fact: dict[str, Any] = {name: codec.builtins(event.fact)}
    if game:
        fact = {game: fact}
    return event_pb2.Event(
        table_id=event.table_id,
        equipment_id=event.equipment_id,
        equipment_kind=event.equipment_kind or 0,  # type: ignore[arg-type]
        boot=event.boot,
        sequence=event.sequence,
        fingerprint=event.fingerprint,
        obligation_id=event.obligation_id,
        client_id=event.client_id,
        person_id=event.person_id,
        role=int(event.role),  # type: ignore[arg-type]
        device_time_ms=event.device_time_ms,
        observe_time_ms=event.observe_time_ms,
        trace_id=event.trace_id,
        schema=schema_of(event.fact),
        **fact,
    ).SerializeToString()


def decode(
    value: bytes | None, key: bytes | None, partition: int, offset: int
) -> Event | Unreadable:
    """Return the event in one record of table-events, or why it goes to quarantine.

    An envelope that can be read with a fact that cannot be is an event with UnknownFact: its
    number is used up. Anything else unreadable has no number and changes nothing.
    """
    if not value:
        return Unreadable(EMPTY, "the record has no value")
    message = event_pb2.Event()
    try:
        message.ParseFromString(value)
    except DecodeError as error:
        return Unreadable(NOT_DECODABLE, f"the value is no Event: {error}")
    if (fault := _envelope_fault(message, key)) is not None:
        return fault
    fact = fact_of(message) if message.schema <= FOLD_SCHEMA else UnknownFact()
    if isinstance(fact, Unreadable):
        fact = UnknownFact()
    return Event(
        table_id=message.table_id,
        fact=fact,
        role=Role(message.role),
        observe_time_ms=message.observe_time_ms,
        equipment_id=message.equipment_id,
        equipment_kind=EquipmentKind(message.equipment_kind) if message.equipment_kind else None,
        boot=message.boot,
        sequence=message.sequence,
        fingerprint=message.fingerprint,
        obligation_id=message.obligation_id,
        client_id=message.client_id,
        person_id=message.person_id,
        device_time_ms=message.device_time_ms,
        trace_id=message.trace_id,
        partition=partition,
        offset=offset,
    )


def with_unknown_fact(event: Event) -> Event:
    """Return the event as a fold saw it that could not read its fact."""
    return replace(event, fact=UnknownFact())


def _envelope_fault(message: event_pb2.Event, key: bytes | None) -> Unreadable | None:
    """Return what is wrong with the envelope itself, or None."""
    if not ids.is_part(message.table_id):
        return Unreadable("BAD_TABLE", "table_id is no id")
    if key != message.table_id.encode():
        return Unreadable(WRONG_KEY, "the record's key is not the event's table_id")
    if message.role not in Role._value2member_map_:
        return Unreadable("BAD_ROLE", f"role {message.role} is not known")
    if message.equipment_kind and message.equipment_kind not in EquipmentKind._value2member_map_:
        return Unreadable("BAD_EQUIPMENT_KIND", f"kind {message.equipment_kind} is not known")
    if not 0 < message.observe_time_ms <= LATEST_MS:
        return Unreadable("BAD_TIME", f"observe_time_ms is not between 1 and {LATEST_MS}")
    if Role(message.role) is Role.PROCESSOR:
        if not message.obligation_id or message.equipment_id:
            return Unreadable("BAD_OBLIGATION", "an event of the processor names its obligation")
        return None
    if message.obligation_id or not ids.is_part(message.equipment_id):
        return Unreadable("BAD_EQUIPMENT", "equipment_id is no id")
    if not (message.boot and message.sequence):
        return Unreadable("BAD_SOURCE", "boot and sequence must be given")
    if len(message.fingerprint) != _FINGERPRINT_BYTES:
        return Unreadable("BAD_FINGERPRINT", "fingerprint is not 8 bytes")
    return None
