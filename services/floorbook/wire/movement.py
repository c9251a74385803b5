"""Decides which bytes are a movement that may be booked.

Everything that can be checked without knowing other movements is checked here, so that the ledger deals with
sound movements only: what `decode` returns has positive amounts between known parties, and its fingerprint
is that of its money.
"""

import re
from collections.abc import Iterable
from datetime import date
from typing import Protocol

from google.protobuf.message import DecodeError

from floorbook import ids, money
from floorbook.money import Movement, MovementKind, Transfer
from floorbook.v1 import movement_pb2
from floorbook.wire.quarantine import EMPTY, NOT_DECODABLE, Unreadable

_CURRENCY = re.compile(r"[A-Z]{3}\Z")
_DAY = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}\Z")
_POSITIVE = re.compile(r"[1-9][0-9]{0,17}\Z")
_CONTROL = re.compile(r"[\x00-\x1f\x7f]")
_LONGEST_TEXT = 200
_MOST_TRANSFERS = 10_000
_LARGEST = 2**63 - 1  # what the database's bigint holds
_PLAYER = money.player("")


def encode(movement: Movement) -> bytes:
    """Return the movement's bytes."""
    message = movement_pb2.Movement(
        movement_id=movement.movement_id,
        table_id=movement.table_id,
        partition=movement.partition,
        offset=movement.offset,
        index=movement.index,
        round_id=movement.round_id,
        game=movement.game,
        rule_set=movement.rule_set,
        rules_version=movement.rules_version,
        gaming_day=movement.gaming_day,
        own_gaming_day=movement.own_gaming_day,
        table_time_ms=movement.table_time_ms,
        number=movement.number,
        currency=movement.currency,
        fingerprint=movement.fingerprint,
        completed_time_ms=movement.completed_time_ms,
    )
    match movement.kind:
        case MovementKind.HOLD:
            message.hold.transfers.extend(_messages(movement.transfers))
            message.hold.SetInParent()
        case MovementKind.SETTLEMENT:
            message.settlement.transfers.extend(_messages(movement.transfers))
            message.settlement.SetInParent()
        case MovementKind.RELEASE:
            message.release.transfers.extend(_messages(movement.transfers))
            message.release.SetInParent()
        case MovementKind.REVERSAL:
            message.reversal.movement_id = movement.reverses
            message.reversal.fingerprint = movement.reversed_fingerprint
    return message.SerializeToString()


def decode(value: bytes) -> Movement | Unreadable:
    """Return the movement in `value`, or why it cannot be booked; nothing that arrives raises."""
    if not value:
        return Unreadable(EMPTY, "the record has no bytes")
    try:
        message = movement_pb2.Movement.FromString(value)
    except DecodeError as error:
        return Unreadable(NOT_DECODABLE, f"these bytes are no Movement: {error}")
    which = message.WhichOneof("kind")
    if which is None:
        return Unreadable("UNKNOWN_KIND", "the movement is of no kind that this version knows")
    transfers: tuple[Transfer, ...] = ()
    if which != "reversal":
        transfers = tuple(
            Transfer(each.payer, each.payee, each.amount, each.subject, tuple(each.rules))
            for each in getattr(message, which).transfers
        )
    movement = Movement(
        movement_id=message.movement_id,
        kind=MovementKind(which),
        table_id=message.table_id,
        round_id=message.round_id,
        game=message.game,
        rule_set=message.rule_set,
        rules_version=message.rules_version,
        gaming_day=message.gaming_day,
        own_gaming_day=message.own_gaming_day,
        table_time_ms=message.table_time_ms,
        number=message.number,
        currency=message.currency,
        fingerprint=message.fingerprint,
        transfers=transfers,
        reverses=message.reversal.movement_id,
        reversed_fingerprint=message.reversal.fingerprint,
        completed_time_ms=message.completed_time_ms,
        partition=message.partition,
        offset=message.offset,
        index=message.index,
    )
    return fault(movement) or movement


def fault(movement: Movement) -> Unreadable | None:
    """Return why the ledger would refuse to read `movement`; None if it would not."""
    return (
        header_fault(movement)
        or _id_fault(movement)
        or _transfers_fault(movement)
        or _fingerprint_fault(movement)
    )


class Header(Protocol):
    """What a movement and its journal entry have in common."""

    @property
    def table_id(self) -> str:
        """Return the table."""
        ...

    @property
    def round_id(self) -> str:
        """Return the round."""
        ...

    @property
    def game(self) -> str:
        """Return the game."""
        ...

    @property
    def rule_set(self) -> str:
        """Return the rule set."""
        ...

    @property
    def rules_version(self) -> str:
        """Return the version of the rules."""
        ...

    @property
    def gaming_day(self) -> str:
        """Return the round's gaming day."""
        ...

    @property
    def own_gaming_day(self) -> str:
        """Return the gaming day of the movement itself."""
        ...

    @property
    def table_time_ms(self) -> int:
        """Return the table time."""
        ...

    @property
    def number(self) -> int:
        """Return the number at the table."""
        ...

    @property
    def currency(self) -> str:
        """Return the currency."""
        ...

    @property
    def completed_time_ms(self) -> int:
        """Return when the round was complete; 0 where none was."""
        ...

    @property
    def offset(self) -> int:
        """Return the offset of the event behind it."""
        ...


def header_fault(header: Header) -> Unreadable | None:
    """Return what is wrong with the fields that a movement and its entry share; None if nothing."""
    for name in ("table_id", "game", "rule_set", "rules_version"):
        if not ids.is_part(getattr(header, name)):
            return Unreadable(
                "BAD_ID",
                f"{name} {_shown(getattr(header, name))} does not match {ids.PART.pattern}",
            )
    table, _, number = header.round_id.rpartition("/")
    if table != header.table_id or not _POSITIVE.match(number):
        return Unreadable(
            "BAD_ID", f"round_id {_shown(header.round_id)} is no round of table {header.table_id}"
        )
    if not _CURRENCY.match(header.currency):
        return Unreadable("BAD_CURRENCY", f"{_shown(header.currency)} is no ISO 4217 code")
    for name in ("gaming_day", "own_gaming_day"):
        if not _is_day(getattr(header, name)):
            return Unreadable(
                "BAD_DATE", f"{name} {_shown(getattr(header, name))} is no day YYYY-MM-DD"
            )
    if header.table_time_ms <= 0 or header.completed_time_ms < 0:
        return Unreadable(
            "BAD_TIME",
            f"table_time_ms {header.table_time_ms} and completed_time_ms {header.completed_time_ms} "
            "must be after 1970",
        )
    if not 1 <= header.number <= _LARGEST or header.offset < 0:
        return Unreadable(
            "BAD_NUMBER", f"number {header.number} or offset {header.offset} is out of range"
        )
    return None


def text_fault(subject: str, rules: Iterable[str]) -> Unreadable | None:
    """Return what is wrong with a subject and its citations; None if nothing."""
    for text in (subject, *rules):
        if len(text) > _LONGEST_TEXT or _CONTROL.search(text):
            return Unreadable(
                "BAD_TEXT",
                f"{_shown(text)} is longer than {_LONGEST_TEXT} or holds control characters",
            )
    if not all(rules):
        return Unreadable("BAD_TEXT", "an article or ruling is empty")
    return None


def _id_fault(movement: Movement) -> Unreadable | None:
    if _has_proper_id(movement):
        return None
    return Unreadable(
        "BAD_ID",
        f"movement_id {_shown(movement.movement_id)} is not that of a {movement.kind.value} "
        f"of {movement.round_id}",
    )


def _has_proper_id(movement: Movement) -> bool:
    match movement.kind:
        case MovementKind.HOLD:
            return movement.movement_id == ids.hold_id(movement.round_id)
        case MovementKind.RELEASE:
            return movement.movement_id == ids.release_id(movement.round_id)
        case MovementKind.SETTLEMENT:
            return _is_settlement(movement.movement_id, movement.round_id)
        case MovementKind.REVERSAL:
            return _is_settlement(
                movement.reverses, movement.round_id
            ) and movement.movement_id == ids.reversal_id(movement.reverses)


def _is_settlement(movement_id: str, round_id: str) -> bool:
    _, _, n = movement_id.rpartition("/")
    return bool(_POSITIVE.match(n)) and movement_id == ids.settlement_id(round_id, int(n))


def _transfers_fault(movement: Movement) -> Unreadable | None:
    if movement.kind is MovementKind.REVERSAL:
        if len(movement.reversed_fingerprint) != 32:
            return Unreadable("BAD_FINGERPRINT", "a reversed fingerprint has 32 bytes")
        return None
    if not movement.transfers and movement.kind is not MovementKind.SETTLEMENT:
        return Unreadable("NO_TRANSFERS", f"a {movement.kind.value} moves something")
    if len(movement.transfers) > _MOST_TRANSFERS:
        return Unreadable("TOO_LARGE", f"more than {_MOST_TRANSFERS} transfers in one movement")
    for index, transfer in enumerate(movement.transfers):
        if not 0 < transfer.amount <= _LARGEST:
            return Unreadable(
                "BAD_AMOUNT", f"transfer {index} is of {transfer.amount}: an amount is positive"
            )
        if not (_is_party(transfer.payer) and _is_party(transfer.payee)):
            return Unreadable("BAD_PARTY", f"transfer {index} is between unknown parties")
        text = text_fault(transfer.subject, transfer.rules)
        if text is not None:
            return Unreadable(text.reason, f"transfer {index}: {text.detail}")
    return None


def _fingerprint_fault(movement: Movement) -> Unreadable | None:
    computed = money.fingerprint(
        movement.kind,
        movement.round_id,
        movement.currency,
        movement.transfers,
        movement.reverses,
    )
    if computed == movement.fingerprint:
        return None
    return Unreadable(
        "FINGERPRINT_MISMATCH",
        f"the money of {movement.movement_id} has the fingerprint {computed.hex()[:16]}… and not "
        f"{movement.fingerprint.hex()[:16]}…",
    )


def _is_party(text: str) -> bool:
    if text.startswith(_PLAYER):
        return ids.is_part(text.removeprefix(_PLAYER))
    return money.is_party(text)


def _is_day(text: str) -> bool:
    if not _DAY.match(text):
        return False
    try:
        date.fromisoformat(text)
    except ValueError:
        return False
    return True


def _shown(text: str) -> str:
    return repr(text[:60])


def _messages(transfers: tuple[Transfer, ...]) -> list[movement_pb2.Transfer]:
    return [
        movement_pb2.Transfer(
            payer=each.payer,
            payee=each.payee,
            amount=each.amount,
            subject=each.subject,
            rules=each.rules,
        )
        for each in transfers
    ]
