"""Which transfers the evaluator's answer means, after it was checked against what was asked (12.4).

The evaluator decides who wins, what is covered by which bank and what the house takes; here it is
only turned into who pays whom. The stakes go back to the banks first: what they then pay and take
is between them and the bettors, part by part, so that every line says which bank it was.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from floorbook.games.pai_kau.tiles import rest_of_set
from floorbook.money import COMMISSION, LAYOUT, Transfer, player, stake_of
from floorbook.table.pai_kau.settle import about_bet, party_of

Amount = Annotated[int, Meta(ge=0, le=1 << 62)]
Signed = Annotated[int, Meta(ge=-(1 << 62), le=1 << 62)]
Cite = Annotated[str, Meta(pattern=r"^[^\x00-\x1f\x7f]{1,200}\Z")]
"""What the ledger can book and read; a result with anything else does not fit."""


class AskedBanker(Struct, frozen=True):
    """The main banker of a request."""

    gate: int
    player_id: str
    stake: int


class AskedCoBank(Struct, frozen=True):
    """One co-bank of a request."""

    id: str
    stake: int
    house: bool
    gate: int


class AskedBet(Struct, frozen=True):
    """One bet of a request."""

    gate: int
    player_id: str
    amount: int


class AskedHand(Struct, frozen=True):
    """One gate of a request."""

    gate: int
    tiles: tuple[str, ...]


class Asked(Struct, frozen=True):
    """What of a request the answer must fit."""

    gates: int
    banker: AskedBanker
    cobanks: tuple[AskedCoBank, ...]
    hands: tuple[AskedHand, ...]
    bets: tuple[AskedBet, ...]
    used_tiles: tuple[str, ...]

    @property
    def banks(self) -> tuple[AskedCoBank, ...]:
        """Return all banks in the order in which they cover, the main banker first (PK-26)."""
        main = AskedCoBank(self.banker.player_id, self.banker.stake, False, 0)
        return (main, *self.cobanks)

    @property
    def leftover(self) -> tuple[str, ...]:
        """Return what a first four-gate deal leaves for the next one, in canonical order (A2.4)."""
        if self.gates != 4 or self.used_tiles:
            return ()
        return rest_of_set([tile for hand in self.hands for tile in hand.tiles])


class Part(Struct, frozen=True):
    """What one bank took or paid of a bet."""

    bank: str
    amount: Annotated[int, Meta(ge=1, le=1 << 62)]


class Bet(Struct, frozen=True):
    """One bet of a result."""

    gate: int
    player_id: str
    amount: Amount
    outcome: str
    covered: Amount
    won: Amount
    lost: Amount
    commission: Amount
    returned: Amount
    delta: Signed
    parts: tuple[Part, ...]
    cites: tuple[Cite, ...] = ()


class Bank(Struct, frozen=True):
    """One bank of a result."""

    id: str
    stake: Amount
    won: Amount
    lost: Amount
    net: Signed
    commission: Amount
    delta: Signed
    remaining: Amount
    cites: tuple[Cite, ...] = ()


class GateResult(Struct, frozen=True):
    """One gate of a result, as far as it explains the money."""

    gate: int
    outcome: str
    cites: tuple[Cite, ...] = ()


class PlayerResult(Struct, frozen=True):
    """What one bettor wins or loses in all."""

    player_id: str
    delta: Signed


class House(Struct, frozen=True):
    """What the house takes."""

    commission: Amount
    cobank_delta: Signed
    total: Signed


class Result(Struct, frozen=True):
    """A settled round, as far as money and the next round rest on it."""

    gates: tuple[GateResult, ...]
    bets: tuple[Bet, ...]
    banks: tuple[Bank, ...]
    players: tuple[PlayerResult, ...]
    house: House
    min_next_stake: Amount
    leftover_tiles: tuple[str, ...]
    must_deal_four_next: bool


@cache
def _decoder(kind: type[Any]) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def answer_fault(asked_text: str, result_text: str) -> str | None:
    """Return what does not fit between a request and a result, or None when all money does."""
    try:
        result: Result = _decoder(Result).decode(result_text)
    except (msgspec.DecodeError, RecursionError) as error:
        return f"the result is not a settlement: {error}"[:200]
    asked: Asked = _decoder(Asked).decode(asked_text)
    return (
        _gates_fault(asked, result)
        or _bets_fault(asked, result)
        or _banks_fault(asked, result)
        or _totals_fault(asked, result)
    )


def _gates_fault(asked: Asked, result: Result) -> str | None:
    wanted = [gate for gate in range(1, asked.gates + 1) if gate != asked.banker.gate]
    if sorted(gate.gate for gate in result.gates) != wanted:
        return "the result's gates are not those of the request"
    return None


def _bets_fault(asked: Asked, result: Result) -> str | None:
    wanted = [(bet.gate, bet.player_id, bet.amount) for bet in asked.bets]
    if [(bet.gate, bet.player_id, bet.amount) for bet in result.bets] != wanted:
        return "the result's bets are not those of the request"
    outcomes = {gate.gate: gate.outcome for gate in result.gates}
    order = {bank.id: place for place, bank in enumerate(asked.banks)}
    tied = {bank.id: bank.gate for bank in asked.banks}
    for bet in result.bets:
        about = about_bet(bet.gate, bet.player_id)
        if bet.outcome != outcomes[bet.gate] or not _adds_up(bet):
            return f"the bet of {about} does not add up"
        places = [order.get(part.bank, -1) for part in bet.parts]
        if -1 in places or places != sorted(set(places)):
            return f"the bet of {about} is covered by banks out of order"
        if any(tied[part.bank] not in (0, bet.gate) for part in bet.parts):
            return f"the bet of {about} is covered by another gate's co-bank"
    return None


def _adds_up(bet: Bet) -> bool:
    if bet.covered > bet.amount or sum(part.amount for part in bet.parts) != bet.covered:
        return False
    won, lost = {
        "player": (bet.covered, 0),
        "banker": (0, bet.covered),
        "push": (0, 0),
    }.get(bet.outcome, (-1, -1))
    return (
        (bet.won, bet.lost) == (won, lost)
        and (bet.outcome != "push" or not bet.parts)
        and bet.commission <= bet.won
        and bet.returned == bet.amount - bet.lost
        and bet.delta == bet.won - bet.commission - bet.lost
    )


def _banks_fault(asked: Asked, result: Result) -> str | None:
    if [(bank.id, bank.stake) for bank in result.banks] != [(b.id, b.stake) for b in asked.banks]:
        return "the result's banks are not those of the request"
    took, paid = _covered(result.bets, "banker"), _covered(result.bets, "player")
    for bank, of in zip(result.banks, asked.banks, strict=True):
        fits = (
            bank.won == took.get(bank.id, 0)
            and bank.lost == paid.get(bank.id, 0)
            and bank.net == bank.won - bank.lost
            and abs(bank.net) <= bank.stake
            and bank.commission <= (0 if of.house else max(bank.net, 0))
            and bank.delta == bank.net - bank.commission
            and bank.remaining == bank.stake + bank.delta
        )
        if not fits:
            return f"bank {bank.id} does not add up"
    return None


def _covered(bets: Sequence[Bet], outcome: str) -> Mapping[str, int]:
    """Return how much of the bets with that outcome each bank covered."""
    found: dict[str, int] = {}
    for bet in bets:
        if bet.outcome == outcome:
            for part in bet.parts:
                found[part.bank] = found.get(part.bank, 0) + part.amount
    return found


def _totals_fault(asked: Asked, result: Result) -> str | None:
    deltas: dict[str, int] = {}
    for bet in result.bets:
        deltas[bet.player_id] = deltas.get(bet.player_id, 0) + bet.delta
    if [(one.player_id, one.delta) for one in result.players] != sorted(deltas.items()):
        return "the players' results are not the sums over their bets"
    commission = sum(bet.commission for bet in result.bets)
    commission += sum(bank.commission for bank in result.banks)
    own = sum(bank.delta for bank, of in zip(result.banks, asked.banks, strict=True) if of.house)
    if result.house != House(commission, own, commission + own):
        return "the house's result is not the sum over bets and banks"
    if result.min_next_stake != result.banks[0].remaining:
        return "min_next_stake is not what is left of the banker's stake"
    if result.leftover_tiles != asked.leftover:
        return "leftover_tiles are not what the deal has left"
    if result.must_deal_four_next != bool(asked.leftover):
        return "must_deal_four_next does not fit the tiles that are left"
    return None


def transfers(asked_text: str, result_text: str) -> tuple[Transfer, ...]:
    """Return who pays whom by a result that fits."""
    return tuple(
        _payments(_decoder(Asked).decode(asked_text), _decoder(Result).decode(result_text))
    )


def _payments(asked: Asked, result: Result) -> Iterator[Transfer]:
    """Yield stakes back to their banks, then the money bet by bet, then the banks' commission.

    What a player loses goes from his chips on the layout to the banks that cover it, the rest of
    his chips back to him; what he wins comes from the banks, and the commission (抽水) out of it.
    """
    parties = {bank.id: party_of(bank.id, house=bank.house) for bank in asked.banks}
    for bank in asked.banks:
        article = "A5.3" if bank.id == asked.banker.player_id else "A5.5"
        yield Transfer(LAYOUT, parties[bank.id], bank.stake, stake_of(bank.id), (article,))
    decided = {gate.gate: gate.cites for gate in result.gates}
    for bet in result.bets:
        who, about = player(bet.player_id), about_bet(bet.gate, bet.player_id)
        why = tuple(dict.fromkeys((*decided[bet.gate], *bet.cites)))
        for part in bet.parts:
            bank_, line = parties[part.bank], f"{about}, {stake_of(part.bank)}"
            if bet.lost:
                yield Transfer(LAYOUT, bank_, part.amount, line, why)
            else:
                yield Transfer(bank_, who, part.amount, line, why)
        if bet.returned:
            yield Transfer(LAYOUT, who, bet.returned, about, why)
        if bet.commission:
            yield Transfer(who, COMMISSION, bet.commission, about, bet.cites)
    for paid in result.banks:
        if paid.commission:
            about = stake_of(paid.id)
            yield Transfer(parties[paid.id], COMMISSION, paid.commission, about, paid.cites)
