"""Which transfers the evaluator's answer means, after it was checked against what was asked (11.2, 11.3).

The evaluator decides who wins and who pays; here it is only turned into who pays whom. The chips go
back to the players first; what they then pay is between them, and the house's charge comes last.
"""

from collections.abc import Iterator, Sequence
from functools import cache
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from floorbook.money import CHARGE, LAYOUT, Transfer, player
from floorbook.table.mahjong.settle import about_seat, stake_at

Amount = Annotated[int, Meta(ge=0, le=1 << 62)]
Signed = Annotated[int, Meta(ge=-(1 << 62), le=1 << 62)]
Cite = Annotated[str, Meta(pattern=r"^[^\x00-\x1f\x7f]{1,200}\Z")]
"""What the ledger can book and read; a result with anything else does not fit."""
_OF_MONEY = (
    *("PAY-", "FALSE-", "LIA-", "EXM-"),
    *(f"MJ-{number}" for number in range(32, 40)),
    *("MJ-49", "MJ-50", "MJ-56"),
)
"""What the rules and rulings about money begin with; the others are about the hand."""
_BACK = ("PAY-LIMIT", "MJ-34")
_BACK_OF_VOID = ("PEN-CALLPONG", "MJ-52")
_BACK_OF_EXHAUSTED = ("RULE-EXHAUST", "MJ-09")


class Asked(Struct, frozen=True):
    """What of a request the answer must fit."""

    op: str
    seats: tuple[str, ...]
    stakes: dict[str, int]
    players: tuple[str, ...]
    charge_minor: int = 0
    charge_percent: int = 0
    seat: str = ""
    barred: bool = False


class Paid(Struct, frozen=True, rename={"payer": "from"}):
    """One payment of a result."""

    payer: str
    to: str
    due: Amount
    paid: Amount


class Explained(Struct, frozen=True):
    """One rule or ruling behind a result."""

    id: Cite


class Result(Struct, frozen=True):
    """What of a result decides money: of a declared win, or of the last window of a hand."""

    status: str = ""
    outcome: str = ""
    payments: tuple[Paid, ...] = ()
    net: dict[str, Signed] = {}
    explain: tuple[Explained, ...] = ()


@cache
def _decoder(kind: type[Any]) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def result_of(text: str) -> Result:
    """Return a result that fits, as far as it decides money and who deals next."""
    result: Result = _decoder(Result).decode(text)
    return result


def answer_fault(asked_text: str, result_text: str) -> str | None:
    """Return what does not fit between a request and its result, or None."""
    asked: Asked = _decoder(Asked).decode(asked_text)
    try:
        result = result_of(result_text)
    except (msgspec.DecodeError, RecursionError) as error:
        return f"the result cannot be read: {error}"[:200]
    if asked.op == "priority":
        drawn = result == Result(outcome="exhausted")
        return None if drawn else "the result is no exhausted wall without payments"
    # A void win (食糊無效) is known only after the hand, by a correction: nobody pays anything.
    fits = ("win", "false_win", "void") if asked.barred else ("win", "false_win")
    if result.outcome or result.status not in fits:
        return "the result is neither a win nor a false win"
    if result.status == "void" and result.payments:
        return "somebody pays for a void win"
    return _payments_fault(asked, result)


def _payments_fault(asked: Asked, result: Result) -> str | None:
    net = dict.fromkeys(asked.seats, 0)
    given = dict.fromkeys(asked.seats, 0)
    for one in result.payments:
        if {one.payer, one.to} - net.keys() or one.payer == one.to or one.paid > one.due:
            return f"the payment of {one.payer[:8]} to {one.to[:8]} does not add up"
        if (one.to if result.status == "win" else one.payer) != asked.seat:
            return "a payment is not for the win, or not of the false win"
        net[one.payer] -= one.paid
        net[one.to] += one.paid
        given[one.payer] += one.paid
    if len({(one.payer, one.to) for one in result.payments}) != len(result.payments):
        return "two payments are of one seat to one other"
    if any(given[seat] > asked.stakes[seat] for seat in asked.seats):
        return "a seat pays more than lies in front of it"
    return None if result.net == net else "net is not the sum of the payments"


def charge_of(charge_minor: int, charge_percent: int, net: int) -> int:
    """Return what the house takes of a winner's `net`, rounded down and never more than it."""
    return min(max(net, 0), charge_minor + max(net, 0) * charge_percent // 100)


def transfers(asked_text: str, result_text: str) -> tuple[Transfer, ...]:
    """Return who pays whom by a result that fits."""
    return tuple(_payments(_decoder(Asked).decode(asked_text), result_of(result_text)))


def _payments(asked: Asked, result: Result) -> Iterator[Transfer]:
    parties = {seat: player(who) for seat, who in zip(asked.seats, asked.players, strict=True)}
    back = _BACK_OF_VOID if result.status == "void" else _BACK
    if asked.op != "win":
        back = _BACK_OF_EXHAUSTED
    for seat in asked.seats:
        if asked.stakes[seat]:
            yield Transfer(LAYOUT, parties[seat], asked.stakes[seat], stake_at(seat), back)
    why = _of_money(result.explain)
    for one in result.payments:
        if one.paid:
            about = f"{about_seat(one.payer)} to {about_seat(one.to)}"
            yield Transfer(parties[one.payer], parties[one.to], one.paid, about, why)
    if result.status == "win":
        net = result.net[asked.seat]
        if charge := charge_of(asked.charge_minor, asked.charge_percent, net):
            yield Transfer(parties[asked.seat], CHARGE, charge, about_seat(asked.seat))


def _of_money(explained: Sequence[Explained]) -> tuple[str, ...]:
    return tuple(each.id for each in explained if each.id.startswith(_OF_MONEY))
