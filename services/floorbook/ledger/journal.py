"""Decides which journal entry a movement becomes; pure, so that an audit can do it again.

A transfer becomes two postings, the payer's (negative) first, in the order of the transfers. A reversal has no
transfers: its entry mirrors the entry that it takes back.
"""

from msgspec import Struct

from floorbook.ledger.accounts import account
from floorbook.money import Movement, MovementKind

# Why a movement is not booked though it can be read. Each is for somebody to look at.
OTHER_MONEY = "OTHER_MONEY"
ORIGINAL_ABSENT = "ORIGINAL_ABSENT"
ORIGINAL_DIFFERS = "ORIGINAL_DIFFERS"
ALREADY_REVERSED = "ALREADY_REVERSED"
STILL_IN_FORCE = "STILL_IN_FORCE"
REFUSED_BY_DATABASE = "REFUSED_BY_DATABASE"


class Posting(Struct, frozen=True, gc=False):
    """One signed amount of minor units on one account; positive is into it."""

    posting_id: str
    account: str
    amount: int
    subject: str = ""
    rules: tuple[str, ...] = ()


class Entry(Struct, frozen=True, gc=False):
    """One journal entry; its postings sum to zero.

    `booked_time_us` is the database's clock and no part of the content: 0 until it is booked.
    """

    entry_id: str
    kind: MovementKind
    table_id: str
    round_id: str
    game: str
    rule_set: str
    rules_version: str
    gaming_day: str
    own_gaming_day: str
    table_time_ms: int
    number: int
    currency: str
    fingerprint: bytes
    postings: tuple[Posting, ...]
    reverses: str = ""
    completed_time_ms: int = 0
    partition: int = 0
    offset: int = 0
    index: int = 0
    booked_time_us: int = 0


class Conflict(Struct, frozen=True):
    """A movement that must not be booked as it is: nothing is done with it, somebody is called."""

    movement: Movement
    reason: str
    detail: str


def journalise(movement: Movement) -> Entry:
    """Return the entry of a hold, a settlement or a release."""
    assert movement.kind is not MovementKind.REVERSAL, "a reversal is mirrored from its original"
    table_id, game = movement.table_id, movement.game
    prefix = movement.movement_id
    postings: list[Posting] = []
    for transfer in movement.transfers:
        payer, payee = (
            account(transfer.payer, table_id, game),
            account(transfer.payee, table_id, game),
        )
        about = (transfer.subject, transfer.rules)
        index = len(postings)
        postings.append(Posting(posting_id(prefix, index), payer, -transfer.amount, *about))
        postings.append(Posting(posting_id(prefix, index + 1), payee, transfer.amount, *about))
    return _entry(movement, tuple(postings), movement.gaming_day)


def mirror(
    movement: Movement, original: Entry | None, reversed_by: str | None = None
) -> Entry | Conflict:
    """Return the entry that takes `original` back, or why it must not be booked.

    `reversed_by` is the entry that did so before, if there is one.
    """
    assert movement.kind is MovementKind.REVERSAL, "only a reversal mirrors"
    if original is None:
        return Conflict(
            movement, ORIGINAL_ABSENT, f"{movement.reverses} is to be reversed and was never booked"
        )
    if original.kind is not MovementKind.SETTLEMENT:
        return Conflict(
            movement, ORIGINAL_DIFFERS, f"{original.entry_id} is a {original.kind.value}"
        )
    if original.fingerprint != movement.reversed_fingerprint:
        return Conflict(
            movement, ORIGINAL_DIFFERS, f"{original.entry_id} was booked with other money"
        )
    if (original.table_id, original.round_id, original.currency) != (
        movement.table_id,
        movement.round_id,
        movement.currency,
    ):
        return Conflict(
            movement,
            ORIGINAL_DIFFERS,
            f"{original.entry_id} is of another table, round or currency",
        )
    if reversed_by is not None:
        return Conflict(
            movement, ALREADY_REVERSED, f"{original.entry_id} was reversed by {reversed_by}"
        )
    postings = tuple(
        Posting(
            posting_id(movement.movement_id, index),
            posting.account,
            -posting.amount,
            posting.subject,
            posting.rules,
        )
        for index, posting in enumerate(original.postings)
    )
    # The original's day, whatever the table thinks: the day's report must lose what it had.
    return _entry(movement, postings, original.gaming_day)


def posting_id(entry_id: str, index: int) -> str:
    """Return the id of an entry's posting number `index`, counted from 0."""
    return f"{entry_id}/{index}"


def _entry(movement: Movement, postings: tuple[Posting, ...], gaming_day: str) -> Entry:
    return Entry(
        entry_id=movement.movement_id,
        kind=movement.kind,
        table_id=movement.table_id,
        round_id=movement.round_id,
        game=movement.game,
        rule_set=movement.rule_set,
        rules_version=movement.rules_version,
        gaming_day=gaming_day,
        own_gaming_day=movement.own_gaming_day,
        table_time_ms=movement.table_time_ms,
        number=movement.number,
        currency=movement.currency,
        fingerprint=movement.fingerprint,
        postings=postings,
        reverses=movement.reverses,
        completed_time_ms=movement.completed_time_ms,
        partition=movement.partition,
        offset=movement.offset,
        index=movement.index,
    )
