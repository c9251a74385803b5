"""Which transfers the evaluator's answer means, after it was checked against what was asked (D2).

The evaluator decides who wins and how much; here it is only turned into who pays whom. Answers
have three shapes: bets of the ordinance (A11), bets against a banker (B7, B8), and players who
all meet each other (B1 to B6, B9). The articles and rulings behind each transfer are the
evaluator's.
"""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations
from types import MappingProxyType
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from floorbook.games.thirteen_cards.procedure import procedure_of
from floorbook.money import BANK, CHARGE, COMMISSION, LAYOUT, Transfer, player
from floorbook.table.thirteen_cards.terms import HOUSE

Amount = Annotated[int, Meta(ge=0, le=1 << 62)]
Signed = Annotated[int, Meta(ge=-(1 << 62), le=1 << 62)]
Cite = Annotated[str, Meta(pattern=r"^[^\x00-\x1f\x7f]{1,200}\Z")]
"""What the ledger can book and read; a result with anything else does not fit."""


class AskedBet(Struct, frozen=True):
    """One bet of a request: units of the ordinance, or a variant's stake."""

    bet_id: str
    gate: int
    bettor: str
    unit_minor: int = 0
    units: int = 0
    stake_minor: int = 0

    @property
    def stake(self) -> int:
        """Return the whole bet in minor units."""
        return self.stake_minor or self.unit_minor * self.units


class AskedGate(Struct, frozen=True):
    """One gate of a request; in the variants with who plays it."""

    gate: int
    player: str = ""


class Asked(Struct, frozen=True):
    """What of a request the answer must fit."""

    gates: tuple[AskedGate, ...]
    bets: tuple[AskedBet, ...] = ()
    banker_gate: int = 0
    unit_minor: int = 0

    def parties(self) -> dict[int, str]:
        """Return who pays and takes for each gate: its player, or the bank where the house plays."""
        return {
            gate.gate: BANK if gate.player == HOUSE else player(gate.player) for gate in self.gates
        }


class GateResult(Struct, frozen=True):
    """One gate of a result, as far as it explains the money."""

    gate: int
    cites: tuple[Cite, ...] = ()


class OfficialBet(Struct, frozen=True):
    """One bet of a result of the ordinance; amounts in minor units."""

    bet_id: str
    gate: int
    stake: Amount
    outcome: str
    prize: Amount
    commission: Amount
    returned: Amount
    cites: tuple[Cite, ...] = ()


class Official(Struct, frozen=True):
    """A result of the ordinance, as far as money rests on it."""

    bets: tuple[OfficialBet, ...]
    banker_net: int
    gates: tuple[GateResult, ...]


class BankerGate(GateResult, frozen=True, kw_only=True):
    """One player gate against the banker."""

    units: int


class BankerBet(Struct, frozen=True):
    """One bet of a banker game; `net` may be more than the stake."""

    bet_id: str
    gate: int
    stake: Amount
    units: int
    net: Signed
    cites: tuple[Cite, ...] = ()


class AgainstBanker(Struct, frozen=True):
    """A result of a banker game, as far as money rests on it."""

    bets: tuple[BankerBet, ...]
    banker_net: int
    gates: tuple[BankerGate, ...]


class PlayerResult(GateResult, frozen=True, kw_only=True):
    """What one player wins or pays in all."""

    units: int
    gross: Signed
    fee: Amount
    net: Signed


class Pair(Struct, frozen=True):
    """How two players stand."""

    a: int
    b: int
    units_a: int
    cites: tuple[Cite, ...] = ()


class EachOther(Struct, frozen=True):
    """A result in which everybody meets everybody, as far as money rests on it."""

    gates: tuple[PlayerResult, ...]
    pairs: tuple[Pair, ...]


@cache
def _decoder(kind: type[Any]) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def _shape(rule_set: str) -> type[Official] | type[AgainstBanker] | type[EachOther]:
    steps = procedure_of(rule_set)
    if steps.dice:
        return Official
    return AgainstBanker if steps.bets else EachOther


def answer_fault(rule_set: str, asked_text: str, result_text: str) -> str | None:
    """Return what does not fit between a request and a result, or None when all money does."""
    try:
        result = _decoder(_shape(rule_set)).decode(result_text)
    except (msgspec.DecodeError, RecursionError) as error:
        return f"the result is not a settlement: {error}"
    return _FAULTS[type(result)](_decoder(Asked).decode(asked_text), result)


def transfers(rule_set: str, asked_text: str, result_text: str) -> tuple[Transfer, ...]:
    """Return who pays whom by a result that fits."""
    result = _decoder(_shape(rule_set)).decode(result_text)
    return tuple(_PAYMENTS[type(result)](_decoder(Asked).decode(asked_text), result))


# The ordinance


def _official_fault(asked: Asked, result: Official) -> str | None:
    wanted = [(bet.bet_id, bet.gate, bet.stake) for bet in asked.bets]
    if [(bet.bet_id, bet.gate, bet.stake) for bet in result.bets] != wanted:
        return "the result's bets are not those of the request"
    for bet in result.bets:
        if not _adds_up(bet):
            return f"bet {bet.bet_id} does not add up"
    if result.banker_net != sum(bet.stake - bet.returned for bet in result.bets):
        return "banker_net is not the sum over the bets"
    return None


def _adds_up(bet: OfficialBet) -> bool:
    match bet.outcome:
        case "win":
            fits = 0 <= bet.commission <= bet.prize
            return fits and bet.returned == bet.stake + bet.prize - bet.commission
        case "tie":
            return bet.prize == bet.commission == 0 and bet.returned == bet.stake
        case "lose":
            return bet.prize == bet.commission == bet.returned == 0
        case _:
            return False


def _official_payments(asked: Asked, result: Official) -> Iterator[Transfer]:
    """Yield the money bet by bet (TC-42).

    A winner gets his stake back from the layout and the prize from the bank, and pays the
    commission (抽水) out of it; a lost stake goes from the layout to the bank.
    """
    bettors = {bet.bet_id: player(bet.bettor) for bet in asked.bets}
    decided = {gate.gate: gate.cites for gate in result.gates}
    for bet in result.bets:
        who = bettors[bet.bet_id]
        why = (*decided.get(bet.gate, ()), *bet.cites)
        if bet.outcome == "lose":
            yield Transfer(LAYOUT, BANK, bet.stake, bet.bet_id, why)
            continue
        yield Transfer(LAYOUT, who, bet.stake, bet.bet_id, why)
        if bet.prize:
            yield Transfer(BANK, who, bet.prize, bet.bet_id, bet.cites)
        if bet.commission:
            yield Transfer(who, COMMISSION, bet.commission, bet.bet_id, bet.cites)


# Bets against a banker


def _banker_fault(asked: Asked, result: AgainstBanker) -> str | None:
    wanted = [(bet.bet_id, bet.gate, bet.stake) for bet in asked.bets]
    if [(bet.bet_id, bet.gate, bet.stake) for bet in result.bets] != wanted:
        return "the result's bets are not those of the request"
    playing = [gate.gate for gate in asked.gates if gate.gate != asked.banker_gate]
    if [gate.gate for gate in result.gates] != playing:
        return "the result's gates are not those of the request"
    units = {gate.gate: gate.units for gate in result.gates}
    for bet in result.bets:
        if bet.units != units[bet.gate] or bet.net != bet.units * bet.stake:
            return f"bet {bet.bet_id} does not add up"
    if result.banker_net != -sum(bet.net for bet in result.bets):
        return "banker_net is not the sum over the bets"
    return None


def _banker_payments(asked: Asked, result: AgainstBanker) -> Iterator[Transfer]:
    """Yield the money bet by bet.

    A stake that is not lost goes back from the layout, and what is won comes from the banker. A
    lost stake goes to the banker, and what was lost beyond it comes from the bettor's pocket.
    """
    banker = asked.parties()[asked.banker_gate]
    bettors = {bet.bet_id: player(bet.bettor) for bet in asked.bets}
    decided = {gate.gate: gate.cites for gate in result.gates}
    for bet in result.bets:
        who = bettors[bet.bet_id]
        why = tuple(dict.fromkeys((*decided[bet.gate], *bet.cites)))
        lost = min(max(-bet.net, 0), bet.stake)
        moves = (
            (LAYOUT, who, bet.stake - lost),
            (LAYOUT, banker, lost),
            (banker, who, max(bet.net, 0)),
            (who, banker, max(-bet.net - lost, 0)),
        )
        for payer, payee, amount in moves:
            # A banker who bets on another's gate pays himself nothing.
            if amount and payer != payee:
                yield Transfer(payer, payee, amount, bet.bet_id, why)


# All against all


def _each_other_fault(asked: Asked, result: EachOther) -> str | None:
    gates = [gate.gate for gate in asked.gates]
    if [gate.gate for gate in result.gates] != gates:
        return "the result's gates are not those of the request"
    if [(pair.a, pair.b) for pair in result.pairs] != list(combinations(gates, 2)):
        return "the result's pairs are not all pairs of the gates"
    units = dict.fromkeys(gates, 0)
    for pair in result.pairs:
        if abs(pair.units_a) * asked.unit_minor > 1 << 62:
            return f"what gates {pair.a} and {pair.b} owe is no amount"
        units[pair.a] += pair.units_a
        units[pair.b] -= pair.units_a
    for gate in result.gates:
        fits = (
            gate.units == units[gate.gate]
            and gate.gross == gate.units * asked.unit_minor
            and gate.fee <= max(gate.gross, 0)
            and gate.net == gate.gross - gate.fee
        )
        if not fits:
            return f"gate {gate.gate} does not add up"
    return None


def _each_other_payments(asked: Asked, result: EachOther) -> Iterator[Transfer]:
    """Yield the money pair by pair, from player to player, then every winner's fee (服務費)."""
    parties = asked.parties()
    for pair in result.pairs:
        if pair.units_a:
            winner, loser = (pair.a, pair.b) if pair.units_a > 0 else (pair.b, pair.a)
            amount = abs(pair.units_a) * asked.unit_minor
            about = f"gates {pair.a} and {pair.b}"
            yield Transfer(parties[loser], parties[winner], amount, about, pair.cites)
    for gate in result.gates:
        if gate.fee:
            about = f"gate {gate.gate}"
            yield Transfer(parties[gate.gate], CHARGE, gate.fee, about, gate.cites)


_FAULTS: MappingProxyType[type[Any], Callable[[Asked, Any], str | None]] = MappingProxyType(
    {
        Official: _official_fault,
        AgainstBanker: _banker_fault,
        EachOther: _each_other_fault,
    }
)
_PAYMENTS: MappingProxyType[type[Any], Callable[[Asked, Any], Iterator[Transfer]]] = (
    MappingProxyType(
        {
            Official: _official_payments,
            AgainstBanker: _banker_payments,
            EachOther: _each_other_payments,
        }
    )
)
