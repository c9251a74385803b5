"""Decides which bytes are a journal entry, for finance and for whoever measures the ledger."""

from google.protobuf.message import DecodeError

from floorbook.ledger.journal import Entry, Posting, posting_id
from floorbook.money import MovementKind
from floorbook.v1 import ledger_pb2
from floorbook.wire.movement import header_fault, text_fault
from floorbook.wire.quarantine import EMPTY, NOT_DECODABLE, Unreadable

_NUMBER_OF_KIND = {
    MovementKind.HOLD: ledger_pb2.ENTRY_KIND_HOLD,
    MovementKind.SETTLEMENT: ledger_pb2.ENTRY_KIND_SETTLEMENT,
    MovementKind.RELEASE: ledger_pb2.ENTRY_KIND_RELEASE,
    MovementKind.REVERSAL: ledger_pb2.ENTRY_KIND_REVERSAL,
}
_KIND_OF_NUMBER = {number: kind for kind, number in _NUMBER_OF_KIND.items()}


def encode(entry: Entry) -> bytes:
    """Return the entry's bytes."""
    message = ledger_pb2.LedgerEntry(
        entry_id=entry.entry_id,
        kind=_NUMBER_OF_KIND[entry.kind],
        table_id=entry.table_id,
        round_id=entry.round_id,
        game=entry.game,
        rule_set=entry.rule_set,
        rules_version=entry.rules_version,
        gaming_day=entry.gaming_day,
        own_gaming_day=entry.own_gaming_day,
        table_time_ms=entry.table_time_ms,
        number=entry.number,
        currency=entry.currency,
        reverses=entry.reverses,
        fingerprint=entry.fingerprint,
        booked_time_us=entry.booked_time_us,
        completed_time_ms=entry.completed_time_ms,
        partition=entry.partition,
        offset=entry.offset,
        index=entry.index,
    )
    for posting in entry.postings:
        message.postings.add(
            posting_id=posting.posting_id,
            account=posting.account,
            amount=posting.amount,
            subject=posting.subject,
            rules=posting.rules,
        )
    return message.SerializeToString()


def decode(value: bytes) -> Entry | Unreadable:
    """Return the entry in `value`, or why there is none; nothing that arrives raises."""
    if not value:
        return Unreadable(EMPTY, "the record has no bytes")
    try:
        message = ledger_pb2.LedgerEntry.FromString(value)
    except DecodeError as error:
        return Unreadable(NOT_DECODABLE, f"these bytes are no LedgerEntry: {error}")
    kind = _KIND_OF_NUMBER.get(message.kind)
    if kind is None:
        return Unreadable("UNKNOWN_KIND", f"kind {message.kind} is none that this version knows")
    entry = Entry(
        entry_id=message.entry_id,
        kind=kind,
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
        postings=tuple(
            Posting(each.posting_id, each.account, each.amount, each.subject, tuple(each.rules))
            for each in message.postings
        ),
        reverses=message.reverses,
        completed_time_ms=message.completed_time_ms,
        partition=message.partition,
        offset=message.offset,
        index=message.index,
        booked_time_us=message.booked_time_us,
    )
    return header_fault(entry) or _content_fault(entry) or entry


def _content_fault(entry: Entry) -> Unreadable | None:
    if not entry.entry_id.startswith(entry.round_id + "/"):
        return Unreadable("BAD_ID", f"entry_id is not below the round {entry.round_id}")
    if (entry.kind is MovementKind.REVERSAL) != bool(entry.reverses):
        return Unreadable("BAD_ID", "a reversal, and nothing else, names what it reverses")
    if len(entry.fingerprint) != 32:
        return Unreadable("BAD_FINGERPRINT", "a fingerprint has 32 bytes")
    moves = entry.kind in (MovementKind.HOLD, MovementKind.RELEASE)
    if (moves and not entry.postings) or sum(each.amount for each in entry.postings) != 0:
        return Unreadable("UNBALANCED", f"the postings of {entry.entry_id} do not sum to zero")
    for index, posting in enumerate(entry.postings):
        if posting.posting_id != posting_id(entry.entry_id, index) or not posting.account:
            return Unreadable("BAD_ID", f"posting {index} of {entry.entry_id} is not named as such")
        if posting.amount == 0:
            return Unreadable("BAD_AMOUNT", f"posting {index} of {entry.entry_id} is zero")
        text = text_fault(posting.subject, posting.rules)
        if text is not None:
            return text
    return None
