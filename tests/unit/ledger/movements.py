"""Movements as a table would send them, for the ledger's tests."""

from typing import Any

from msgspec import structs

from floorbook import ids, money
from floorbook.money import Movement, MovementKind, Transfer

TABLE = "T1"
BETS = (
    Transfer("player/p1", "layout", 300, "g1/b1"),
    Transfer("player/p2", "layout", 100, "g2/b1"),
)
PAYMENTS = (
    Transfer("layout", "player/p1", 300, "g1/b1", ("TC-20",)),
    Transfer("bank", "player/p1", 300, "g1/b1", ("TC-20", "TC-21")),
    Transfer("player/p1", "commission", 15, "g1/b1", ("TC-29",)),
    Transfer("layout", "bank", 100, "g2/b1", ("TC-20",)),
)


def sealed(movement: Movement, **changes: Any) -> Movement:
    """Return `movement` with `changes` and with the fingerprint of its money."""
    changed = structs.replace(movement, **changes)
    computed = money.fingerprint(
        changed.kind, changed.round_id, changed.currency, changed.transfers, changed.reverses
    )
    return structs.replace(changed, fingerprint=computed)


def _movement(
    kind: MovementKind, movement_id: str, table: str, round_: int, number: int
) -> Movement:
    return Movement(
        movement_id=movement_id,
        kind=kind,
        table_id=table,
        round_id=ids.round_id(table, round_),
        game="thirteen_cards",
        rule_set="thirteen_cards",
        rules_version="2",
        gaming_day="2026-03-01",
        own_gaming_day="2026-03-01",
        table_time_ms=1_772_334_000_000 + number,
        number=number,
        currency="MOP",
        fingerprint=b"",
        partition=3,
        offset=1000 + number,
        index=0,
    )


def hold(table: str = TABLE, round_: int = 1, number: int = 1) -> Movement:
    """Return the hold of a round."""
    movement_id = ids.hold_id(ids.round_id(table, round_))
    return sealed(_movement(MovementKind.HOLD, movement_id, table, round_, number), transfers=BETS)


def settlement(table: str = TABLE, round_: int = 1, number: int = 2, n: int = 1) -> Movement:
    """Return the settlement of a round."""
    movement_id = ids.settlement_id(ids.round_id(table, round_), n)
    return sealed(
        _movement(MovementKind.SETTLEMENT, movement_id, table, round_, number),
        transfers=PAYMENTS,
        completed_time_ms=1_772_334_000_000,
    )


def release(table: str = TABLE, round_: int = 1, number: int = 2) -> Movement:
    """Return the release of a void round."""
    movement_id = ids.release_id(ids.round_id(table, round_))
    back = tuple(Transfer(t.payee, t.payer, t.amount, t.subject, ("TC-40",)) for t in BETS)
    return sealed(
        _movement(MovementKind.RELEASE, movement_id, table, round_, number), transfers=back
    )


def reversal(original: Movement, number: int = 3, **changes: Any) -> Movement:
    """Return the movement that takes `original` back a day later."""
    _, _, round_ = original.round_id.partition("/")
    movement = _movement(
        MovementKind.REVERSAL,
        ids.reversal_id(original.movement_id),
        original.table_id,
        int(round_),
        number,
    )
    return sealed(
        movement,
        **{
            "reverses": original.movement_id,
            "reversed_fingerprint": original.fingerprint,
            "own_gaming_day": "2026-03-02",
            **changes,
        },
    )
