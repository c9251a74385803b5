"""What a round asks of the evaluator, and which transfers its answer means (A11, D2).

The evaluator decides who wins and how much; here it is only turned into who pays whom, after it
was checked against what was asked.
"""

from functools import cache
from typing import Annotated, Any

import msgspec
from msgspec import Meta, Struct

from floorbook.games.thirteen_cards.arrangement import check_arrangement
from floorbook.games.thirteen_cards.cards import PACK
from floorbook.games.thirteen_cards.deal import is_gate
from floorbook.money import BANK, COMMISSION, LAYOUT, Transfer, player
from floorbook.table.events import SettledRoundCorrected
from floorbook.table.state import Reason, RoundRecord, TableState
from floorbook.table.thirteen_cards.refuse import banker_gate, game_of, terms_of
from floorbook.table.thirteen_cards.state import Lanes, gates_with_bets, laid_at

PACK_OF_CARDS = PACK


Amount = Annotated[int, Meta(ge=0, le=1 << 62)]
Cite = Annotated[str, Meta(pattern=r"^[^\x00-\x1f\x7f]{1,200}\Z")]
"""What the ledger can book and read; a result with anything else does not fit."""


class AskedBet(Struct, frozen=True):
    """One bet of a request."""

    bet_id: str
    gate: int
    unit_minor: int
    units: int
    bettor: str


class Asked(Struct, frozen=True):
    """What of a request the answer must fit."""

    bets: tuple[AskedBet, ...]


class BetResult(Struct, frozen=True):
    """One bet of a result; amounts in minor units."""

    bet_id: str
    gate: int
    stake: Amount
    outcome: str
    prize: Amount
    commission: Amount
    returned: Amount
    cites: tuple[Cite, ...] = ()


class GateResult(Struct, frozen=True):
    """One gate of a result, as far as it explains the money."""

    gate: int
    cites: tuple[Cite, ...] = ()


class Result(Struct, frozen=True):
    """A settlement's result, as far as money rests on it."""

    bets: tuple[BetResult, ...]
    banker_net: int
    gates: tuple[GateResult, ...]


@cache
def _decoder(kind: type[Any]) -> msgspec.json.Decoder[Any]:
    return msgspec.json.Decoder(kind)


def request(state: TableState) -> str:
    """Return the JSON text that asks for the settlement of a complete round.

    Every gate carries its thirteen cards beside what was laid, so that a correction can be checked
    against them; a late gate has no arrangement (TC-11). Idle gates are left out (TC-46).
    """
    game = game_of(state)
    banker = banker_gate(state)
    assert game.banker is not None, "a complete round has the banker's hand"
    gates = [_gate(banker, game.hands[banker], game.banker, 0)]
    for gate in gates_with_bets(game):
        laid = laid_at(game, gate)
        gates.append(
            _gate(gate, game.hands[gate], laid.lanes, laid.elapsed_ms)
            if laid is not None
            else _gate(gate, game.hands[gate], None, 0)
        )
    asked = {
        "op": "settle",
        "banker_gate": banker,
        "gates": gates,
        "bets": [
            {
                "bet_id": bet.bet_id,
                "gate": bet.gate,
                "unit_minor": bet.unit_minor,
                "units": bet.units,
                "bettor": bet.player_id,
            }
            for bet in game.bets
        ],
        "config": msgspec.json.decode(terms_of(state).flags.encode() or b"{}"),
    }
    return msgspec.json.encode(asked).decode()


def _gate(gate: int, cards: tuple[str, ...], lanes: Lanes | None, elapsed: int) -> dict[str, Any]:
    laid = (
        {"front": lanes.front, "middle": lanes.middle, "back": lanes.back}
        if lanes is not None
        else None
    )
    return {"gate": gate, "cards": cards, "arrangement": laid, "elapsed_ms": elapsed}


def held(state: TableState) -> tuple[Transfer, ...]:
    """Return what the bets put on the layout at the lock, bet by bet; empty before it."""
    game = game_of(state)
    if not game.shaker:
        return ()
    return tuple(
        Transfer(player(bet.player_id), LAYOUT, bet.stake, bet.bet_id, ("Art.2(b)", "TC-08"))
        for bet in game.bets
    )


def given_back(stakes: tuple[Transfer, ...]) -> tuple[Transfer, ...]:
    """Return how every stake of a void round goes back in full, bet by bet (TC-45)."""
    return tuple(Transfer(t.payee, t.payer, t.amount, t.subject, ("TC-45",)) for t in stakes)


def answer_fault(asked_text: str, result_text: str) -> str | None:
    """Return what does not fit between a request and a result, or None when all money does."""
    try:
        result: Result = _decoder(Result).decode(result_text)
    except (msgspec.DecodeError, RecursionError) as error:
        return f"the result is not a settlement: {error}"
    asked: Asked = _decoder(Asked).decode(asked_text)
    wanted = [(bet.bet_id, bet.gate, bet.unit_minor * bet.units) for bet in asked.bets]
    if [(bet.bet_id, bet.gate, bet.stake) for bet in result.bets] != wanted:
        return "the result's bets are not those of the request"
    for bet in result.bets:
        if not _adds_up(bet):
            return f"bet {bet.bet_id} does not add up"
    if result.banker_net != sum(bet.stake - bet.returned for bet in result.bets):
        return "banker_net is not the sum over the bets"
    return None


def _adds_up(bet: BetResult) -> bool:
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


def transfers(asked_text: str, result_text: str) -> tuple[Transfer, ...]:
    """Return who pays whom by a result that fits, bet by bet (TC-42).

    A winner gets his stake back from the layout and the prize from the bank, and pays the
    commission (抽水) out of it; a lost stake goes from the layout to the bank. The articles and
    rulings behind each are the evaluator's.
    """
    asked: Asked = _decoder(Asked).decode(asked_text)
    result: Result = _decoder(Result).decode(result_text)
    bettors = {bet.bet_id: player(bet.bettor) for bet in asked.bets}
    decided = {gate.gate: gate.cites for gate in result.gates}
    paid: list[Transfer] = []
    for bet in result.bets:
        who = bettors[bet.bet_id]
        why = (*decided.get(bet.gate, ()), *bet.cites)
        if bet.outcome == "lose":
            paid.append(Transfer(LAYOUT, BANK, bet.stake, bet.bet_id, why))
            continue
        paid.append(Transfer(LAYOUT, who, bet.stake, bet.bet_id, why))
        if bet.prize:
            paid.append(Transfer(BANK, who, bet.prize, bet.bet_id, bet.cites))
        if bet.commission:
            paid.append(Transfer(who, COMMISSION, bet.commission, bet.bet_id, bet.cites))
    return tuple(paid)


def correct(record: RoundRecord, event: SettledRoundCorrected) -> str | Reason:
    """Return the round's request with gates replaced, or why they cannot be.

    A gate is laid again from the thirteen cards it was dealt, or was late.
    """
    correction = event.thirteen_cards
    if correction is None or not correction.gates:
        return Reason("NOTHING_CORRECTED")
    asked: dict[str, Any] = msgspec.json.decode(record.request)
    gates = {gate["gate"]: gate for gate in asked["gates"]}
    for corrected in correction.gates:
        if not is_gate(corrected.gate) or corrected.gate not in gates:
            return Reason("UNKNOWN_GATE")
        gate = gates[corrected.gate]
        lanes = corrected.arrangement
        if lanes is None:
            if corrected.gate == asked["banker_gate"]:
                return Reason("BANKER_NOT_ARRANGED", ("Art.2(d)",))
            gates[corrected.gate] = {**gate, "arrangement": None}
            continue
        code = check_arrangement(lanes.front, lanes.middle, lanes.back, gate["cards"])
        if code is not None:
            return Reason(code, ("Art.7", "TC-44"))
        laid = {"front": lanes.front, "middle": lanes.middle, "back": lanes.back}
        gates[corrected.gate] = {**gate, "arrangement": laid}
    asked["gates"] = list(gates.values())
    return msgspec.json.encode(asked).decode()
