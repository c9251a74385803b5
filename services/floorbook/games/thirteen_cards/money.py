"""What a bet of the official game wins and returns (獎金, Art.11)."""

import msgspec

from floorbook.games.thirteen_cards.config import Config

BPS = 10_000


class Stake(msgspec.Struct, frozen=True):
    """One bet as a settlement sees it."""

    bet_id: str
    gate: int
    amount: int


class Payout(msgspec.Struct, frozen=True):
    """What the house pays on one bet, in minor units."""

    prize: int
    commission: int
    returned: int


def payout(stake: int, outcome: str, config: Config) -> Payout:
    """Return what a bet of `stake` gets back for its gate's `outcome`.

    The margin in units is irrelevant (TC-38); each bet is rounded by itself (TC-42).
    """
    match outcome:
        case "win":
            won = prize(stake, config)
            taken = commission(stake, won, config)
            return Payout(won, taken, stake + won - taken)
        case "tie" | "void":
            return Payout(0, 0, stake)  # TC-41, TC-45
        case _:
            assert outcome == "lose", f"no such outcome: {outcome}"
            return Payout(0, 0, 0)


def prize(stake: int, config: Config) -> int:
    """Return half the stake (所下的注的半數), rounded down (TC-38, TC-40)."""
    numerator, denominator = config.prize_ratio
    return stake * numerator // denominator


def commission(stake: int, won: int, config: Config) -> int:
    """Return the house's two per cent (抽水) of a prize, rounded up (TC-39, TC-40).

    Never more than the prize: a winner does not pay from his stake.
    """
    base = won if config.commission_base == "prize" else stake
    return min(won, -(-base * config.commission_bps // BPS))
