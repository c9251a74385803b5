"""How bets are taken and paid (殺賠): who covers what, in which order, and the commission (11, A8).

The main banker covers every bet as far as his stake goes, then the co-banks in posting order
(即正庄先行, PK-26). No bank wins or loses more than its stake (不能贏或輸多於其賭注, A5.3).
"""

from collections.abc import Mapping, Sequence

import msgspec

from floorbook.games.pai_kau.comparison import BANKER, PLAYER, PUSH
from floorbook.games.pai_kau.config import Config
from floorbook.games.pai_kau.round import Bet, Round

COMMISSION_PER_CENT = 5
_ROUNDED_UP_BY: Mapping[str, int] = {"down": 0, "half_up": 50, "up": 99}  # PK-30


class Bank:
    """One bank while a round is settled: its stake, and what it has won and lost so far."""

    __slots__ = ("gate", "house", "id", "lost", "stake", "won")

    def __init__(self, bank_id: str, stake: int, house: bool = False, gate: int = 0) -> None:
        self.id, self.stake, self.house, self.gate = bank_id, stake, house, gate
        self.won = self.lost = 0

    def covers(self, gate: int) -> bool:
        """Return whether the bank backs `gate` (PK-27)."""
        return self.gate in (0, gate)

    def capacity(self, outcome: str, cap_mode: str) -> int:
        """Return how much more the bank can collect or pay (11.1, PK-23)."""
        if cap_mode == "gross":
            return self.stake - (self.won if outcome == BANKER else self.lost)
        net = self.won - self.lost
        return self.stake - net if outcome == BANKER else self.stake + net

    def book(self, outcome: str, amount: int) -> None:
        """Add a part of a bet to what the bank has won or lost."""
        if outcome == BANKER:
            self.won += amount
        else:
            self.lost += amount


class Part(msgspec.Struct, frozen=True):
    """What one bank took or paid of a bet."""

    bank: str
    amount: int


class Covered(msgspec.Struct, frozen=True):
    """A bet's place in the settlement, how much of it was in play (PK-24), and by which banks."""

    seq: int
    amount: int
    parts: tuple[Part, ...]


PUSHED = Covered(0, 0, ())


def banks_of(round_: Round) -> list[Bank]:
    """Return the main banker and behind him the co-banks in posting order."""
    banker = round_.banker
    return [
        Bank(banker.player_id, banker.stake),
        *(Bank(bank.id, bank.stake, bank.house, bank.gate) for bank in round_.cobanks),
    ]


def queue(
    bets: Sequence[Bet], outcomes: Mapping[int, str], settle_order: Sequence[int], config: Config
) -> list[int]:
    """Return the numbers of the bets in the order in which they are taken and paid (11.2).

    Gate by gate; on a gate the larger first, so that the holder leads (PK-22). Pushes stay out.
    """
    at_gate: dict[int, list[int]] = {gate: [] for gate in settle_order}
    for number, bet in enumerate(bets):
        if outcomes[bet.gate] != PUSH:
            at_gate[bet.gate].append(number)
    if config.within_gate_order == "amount_desc":
        for numbers in at_gate.values():
            numbers.sort(key=lambda number: -bets[number].amount)
    queued = [number for numbers in at_gate.values() for number in numbers]
    if config.settlement_passes == "take_then_pay":  # PK-21
        queued.sort(key=lambda number: outcomes[bets[number].gate] == PLAYER)
    return queued


def cover(
    bets: Sequence[Bet],
    outcomes: Mapping[int, str],
    settle_order: Sequence[int],
    banks: Sequence[Bank],
    config: Config,
) -> list[Covered]:
    """Return which banks take or pay each bet, and book it with them.

    The queue always runs to its end: a bank that is exhausted can be filled again by a later
    losing bet, and nothing skipped is looked at again (PK-25).
    """
    covered = [PUSHED] * len(bets)
    for seq, number in enumerate(queue(bets, outcomes, settle_order, config), start=1):
        bet = bets[number]
        covered[number] = _cover(seq, bet, outcomes[bet.gate], banks, config.cap_mode)
    return covered


def _cover(seq: int, bet: Bet, outcome: str, banks: Sequence[Bank], cap_mode: str) -> Covered:
    left = bet.amount
    parts = []
    for bank in banks:
        if not left:
            break
        if bank.covers(bet.gate) and (amount := min(left, bank.capacity(outcome, cap_mode))) > 0:
            bank.book(outcome, amount)
            parts.append(Part(bank.id, amount))
            left -= amount
    return Covered(seq, bet.amount - left, tuple(parts))


def fee(winnings: int, config: Config) -> int:
    """Return the house's five per cent (抽水) of `winnings` (彩金), A8.

    Rounded down unless the table says otherwise: the house may not take more than five per cent
    (PK-30).
    """
    assert winnings >= 0, "only what is won pays commission"
    return (COMMISSION_PER_CENT * winnings + _ROUNDED_UP_BY[config.commission_rounding]) // 100


def is_rounded(winnings: int) -> bool:
    """Return whether five per cent of `winnings` is no whole number of minor units (PK-30)."""
    return COMMISSION_PER_CENT * winnings % 100 != 0


def bank_base(bank: Bank, config: Config) -> int:
    """Return on how much a bank pays commission: its net win of the round (PK-29).

    The house pays none to itself (PK-28).
    """
    if bank.house or config.bank_commission == "none":
        return 0
    return max(0, bank.won - bank.lost)
