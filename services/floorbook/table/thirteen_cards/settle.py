"""What a round asks of the evaluator, what it holds on the layout, and how it is corrected (A11, D2)."""

from typing import Any

import msgspec

from floorbook.games.thirteen_cards.arrangement import Arrangement, check_arrangement
from floorbook.games.thirteen_cards.deal import is_gate
from floorbook.games.thirteen_cards.procedure import procedure_of
from floorbook.money import LAYOUT, Transfer, player
from floorbook.table.events import SettledRoundCorrected
from floorbook.table.state import Reason, RoundRecord, TableState
from floorbook.table.thirteen_cards.state import Laid, Lanes, gates_with_bets, laid_at
from floorbook.table.thirteen_cards.terms import banker_gate, game_of, procedure, terms_of


def request(state: TableState) -> str:
    """Return the JSON text that asks for the settlement of a complete round.

    Every gate carries its thirteen cards beside what was laid, so that a correction can be checked
    against them; a gate that was late or not set has no arrangement (TC-11, TV-57). What the
    evaluator does not read, who bet and who plays a gate, is for whoever turns its answer into
    transfers.
    """
    asked = _official(state) if procedure(state).dice else _variant(state)
    config = msgspec.json.decode(terms_of(state).flags.encode() or b"{}")
    return msgspec.json.encode({"op": "settle", **asked, "config": config}).decode()


def _official(state: TableState) -> dict[str, Any]:
    """Return the banker's gate and those with bets; idle gates are left out (TC-46)."""
    game = game_of(state)
    banker = banker_gate(state)
    assert game.banker is not None, "a complete round has the banker's hand"
    found = {gate: laid_at(game, gate) for gate in gates_with_bets(game)}
    laid: dict[int, Laid | None] = {banker: Laid(banker, game.banker), **found}
    return {
        "banker_gate": banker,
        "gates": [
            {
                "gate": gate,
                "cards": game.hands[gate],
                "arrangement": _written(one.lanes if one is not None else None),
                "elapsed_ms": one.elapsed_ms if one is not None else 0,
            }
            for gate, one in laid.items()
        ],
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
    }


def _variant(state: TableState) -> dict[str, Any]:
    """Return all gates that play, and the bets against the banker or the unit of all."""
    game, steps = game_of(state), procedure(state)
    gates = []
    for gate, holder in game.holders.items():
        laid = laid_at(game, gate)
        asked = {
            "gate": gate,
            "cards": game.hands[gate],
            "arrangement": _written(laid.lanes if laid is not None else None),
            "player": holder,
        }
        if steps.declinable:
            asked["declare"] = laid.declare if laid is not None else True
        gates.append(asked)
    if not steps.bets:
        return {"gates": gates, "unit_minor": game.unit_minor}
    return {
        "banker_gate": banker_gate(state),
        "gates": gates,
        "bets": [
            {
                "bet_id": bet.bet_id,
                "gate": bet.gate,
                "stake_minor": bet.stake,
                "bettor": bet.player_id,
            }
            for bet in game.bets
        ],
    }


def _written(lanes: Lanes | Arrangement | None) -> dict[str, Any] | None:
    if lanes is None:
        return None
    return {"front": lanes.front, "middle": lanes.middle, "back": lanes.back}


def held(state: TableState) -> tuple[Transfer, ...]:
    """Return what the bets put on the layout at the lock, bet by bet; empty before it."""
    game = game_of(state)
    if not game.locked:
        return ()
    rules = ("Art.2(b)", "TC-08") if procedure(state).dice else ("TV-61",)
    return tuple(
        Transfer(player(bet.player_id), LAYOUT, bet.stake, bet.bet_id, rules) for bet in game.bets
    )


def given_back(stakes: tuple[Transfer, ...]) -> tuple[Transfer, ...]:
    """Return how every stake of a void round goes back in full, bet by bet (TC-45)."""
    return tuple(Transfer(t.payee, t.payer, t.amount, t.subject, ("TC-45",)) for t in stakes)


def correct(record: RoundRecord, event: SettledRoundCorrected) -> str | Reason:
    """Return the round's request with gates replaced, or why they cannot be.

    A gate is laid again from the thirteen cards it was dealt, or was late or not set.
    """
    steps = procedure_of(record.rule_set)
    correction = event.thirteen_cards
    if correction is None or not correction.gates or not steps.arranged:
        return Reason("NOTHING_CORRECTED")
    asked: dict[str, Any] = msgspec.json.decode(record.request)
    gates = {gate["gate"]: gate for gate in asked["gates"]}
    for corrected in correction.gates:
        if not is_gate(corrected.gate) or corrected.gate not in gates:
            return Reason("UNKNOWN_GATE")
        gate = gates[corrected.gate]
        lanes = corrected.arrangement
        if lanes is None:
            if steps.banker_opens_first and corrected.gate == asked["banker_gate"]:
                return Reason("BANKER_NOT_ARRANGED", ("Art.2(d)",))
        else:
            code = check_arrangement(lanes.front, lanes.middle, lanes.back, gate["cards"])
            if code is not None:
                return Reason(code, ("Art.7", "TC-44") if steps.dice else ("ENC-0",))
        gates[corrected.gate] = {**gate, "arrangement": _written(lanes)}
        if steps.declinable:
            gates[corrected.gate]["declare"] = corrected.declare
    asked["gates"] = list(gates.values())
    return msgspec.json.encode(asked).decode()
