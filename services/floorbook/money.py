"""What moves: transfers between parties, and the fingerprint of a movement's money.

Amounts are positive integers of minor units of the movement's one currency, so a movement cannot
fail to sum to zero. A party is `player/<id>`, `layout`, `bank`, `cobank`, `commission` or `charge`.
"""

import hashlib
from enum import StrEnum

from msgspec import Struct

LAYOUT = "layout"
BANK = "bank"
COBANK = "cobank"
COMMISSION = "commission"
CHARGE = "charge"
_PLAYER = "player/"
_STAKE = "bank "


def player(player_id: str) -> str:
    """Return the party of a player."""
    return _PLAYER + player_id


def stake_of(bank_id: str) -> str:
    """Return the subject of what a bank, or a mahjong player, puts up: no bet's begins like it."""
    return _STAKE + bank_id


def is_party(text: str) -> bool:
    """Return whether `text` names a party."""
    if text.startswith(_PLAYER):
        return len(text) > len(_PLAYER)
    return text in (LAYOUT, BANK, COBANK, COMMISSION, CHARGE)


class Transfer(Struct, frozen=True, array_like=True):
    """One payment: `amount` minor units from `payer` to `payee` about `subject` (a bet or seat)."""

    payer: str
    payee: str
    amount: int
    subject: str = ""
    rules: tuple[str, ...] = ()


def is_bet(transfer: Transfer) -> bool:
    """Return whether what goes to the layout or back from it is a player's bet, and no stake."""
    if transfer.subject.startswith(_STAKE):
        return False
    return transfer.payer.startswith(_PLAYER) or transfer.payee.startswith(_PLAYER)


class MovementKind(StrEnum):
    """What a table wants booked."""

    HOLD = "hold"
    SETTLEMENT = "settlement"
    RELEASE = "release"
    REVERSAL = "reversal"


class Movement(Struct, frozen=True):
    """One movement as it goes from a table to the ledger.

    `transfers` is empty for a reversal, which names the settlement it takes back in `reverses`
    and that settlement's fingerprint in `reversed_fingerprint`.
    """

    movement_id: str
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
    transfers: tuple[Transfer, ...] = ()
    reverses: str = ""
    reversed_fingerprint: bytes = b""
    completed_time_ms: int = 0
    partition: int = 0
    offset: int = 0
    index: int = 0


def fingerprint(
    kind: MovementKind,
    round_id: str,
    currency: str,
    transfers: tuple[Transfer, ...],
    reverses: str = "",
) -> bytes:
    """Return 32 bytes that are equal for two movements exactly when their money is.

    Over kind, round, currency, what is reversed, and payer, payee, amount and subject of every
    transfer in order; wording and citations do not count, so an upgrade that explains better is
    no conflict. Ids hold neither tab nor line feed, so the text is unambiguous.
    """
    lines = ["floorbook-money-1", kind.value, round_id, currency, reverses]
    lines += [f"{t.payer}\t{t.payee}\t{t.amount}\t{t.subject}" for t in transfers]
    return hashlib.sha256("\n".join(lines).encode()).digest()


def net(transfers: tuple[Transfer, ...]) -> dict[str, int]:
    """Return what each party gets less what it gives, in minor units; the values sum to zero.

    >>> net((Transfer("player/p7", "layout", 300), Transfer("bank", "player/p7", 149)))
    {'player/p7': -151, 'layout': 300, 'bank': -149}
    """
    result: dict[str, int] = {}
    for transfer in transfers:
        result[transfer.payer] = result.get(transfer.payer, 0) - transfer.amount
        result[transfer.payee] = result.get(transfer.payee, 0) + transfer.amount
    return result
