"""Who pays what for a win or a false one (PAY-BASE, PAY-LIMIT, PAY-LIABLE, FALSE-T8, FALSE-S3).

Only whole units, no division anywhere. Nobody owes what is not in front of him (MJ-35).
"""

from collections.abc import Mapping, Sequence

import msgspec

from floorbook.games.mahjong.config import Config
from floorbook.games.mahjong.hand import WinKind
from floorbook.games.mahjong.seats import DEALER, Seat, others_from
from floorbook.games.mahjong.variant import Variant


class Payment(msgspec.Struct, frozen=True):
    """What one seat owes another, before and after the limits."""

    payer: Seat
    to: Seat
    due: int
    paid: int


class Won(msgspec.Struct, frozen=True):
    """A win that is to be paid."""

    winner: Seat
    faan: int  # capped
    kind: WinKind
    source: Seat | None = None
    liable: Seat | None = None


Stakes = Mapping[Seat, int]
"""The money in front of every seated player (手上本錢) when the hand began, counter-clockwise."""


def units(config: Config, faan: int) -> int:
    """Return the units for `faan`: the last entry stands for all above (MJ-32)."""
    return config.base_units[min(faan, len(config.base_units) - 1)]


def share(config: Config, won: Won, payer: Seat) -> int:
    """Return what a loser's share of a win is before limits (PAY-BASE)."""
    if won.kind == "self_draw":
        multiplier = config.self_draw_multiplier
    elif payer == won.source:
        multiplier = config.discarder_multiplier
    else:
        multiplier = config.other_multiplier
    amount = config.unit * units(config, won.faan) * multiplier
    # MJ-33: the dealer counts double only in a house that says so.
    return amount * config.dealer_multiplier if DEALER in (won.winner, payer) else amount


def win_payments(config: Config, won: Won, stakes: Stakes) -> tuple[Payment, ...]:
    """Return what is due and paid for a win, counter-clockwise from the winner's right."""
    losers = others_from(tuple(stakes), won.winner)
    shares = {seat: share(config, won, seat) for seat in losers}
    if won.liable is not None:
        return _liable_pays(config, won, won.liable, shares, stakes)
    if config.win_limit == "total":
        paid = _paid_in_turn(won, shares, stakes)
    else:
        capital = stakes[won.winner]
        paid = {seat: min(due, capital, stakes[seat]) for seat, due in shares.items()}
    return tuple(Payment(seat, won.winner, due, paid[seat]) for seat, due in shares.items() if due)


def _paid_in_turn(won: Won, shares: Stakes, stakes: Stakes) -> dict[Seat, int]:
    """Return who pays what while the winner can win his own capital only altogether (MJ-34).

    The discarder or robbed seat pays first.
    """
    left = stakes[won.winner]
    paid = {}
    for seat in sorted(shares, key=lambda seat: seat != won.source):
        paid[seat] = min(shares[seat], stakes[seat], left)
        left -= paid[seat]
    return paid


def _liable_pays(
    config: Config, won: Won, liable: Seat, shares: Stakes, stakes: Stakes
) -> tuple[Payment, ...]:
    """Return the one payment of who must pay for everybody (包輸, MJ-37), cut share by share (MJ-36)."""
    due, capital = sum(shares.values()), stakes[won.winner]
    if config.win_limit == "total":
        paid = min(due, capital, stakes[liable])
    else:
        paid = min(sum(min(each, capital) for each in shares.values()), stakes[liable])
    return (Payment(liable, won.winner, due, paid),) if due else ()


def false_win_faan(variant: Variant, offender: Seat, receiver: Seat) -> int:
    """Return at how many faan a false win (詐糊) is paid (FALSE-T8, FALSE-S3)."""
    if not variant.is_traditional:
        return 1
    return 2 if DEALER in (offender, receiver) else 1


def false_win_payments(
    variant: Variant, config: Config, offender: Seat, stakes: Stakes
) -> tuple[Payment, ...]:
    """Return what the offender pays to everybody, from his right on, until his stake is used up.

    Only that stake limits (MJ-50); a full, discarder-like share by default (MJ-49).
    """
    left = stakes[offender]
    payments = []
    for seat in others_from(tuple(stakes), offender):
        faan = false_win_faan(variant, offender, seat)
        due = config.unit * units(config, faan) * config.false_win_multiplier
        paid = min(due, left)
        left -= paid
        if due:
            payments.append(Payment(offender, seat, due, paid))
    return tuple(payments)


def net(stakes: Stakes, payments: Sequence[Payment]) -> dict[Seat, int]:
    """Return what every seated player received minus what he paid; the sum is zero."""
    result = dict.fromkeys(stakes, 0)
    for payment in payments:
        result[payment.payer] -= payment.paid
        result[payment.to] += payment.paid
    return result
