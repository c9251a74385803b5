"""What a round asks of the evaluator, what it holds on the layout, and how it is corrected (12.3)."""

from typing import Any

import msgspec

from floorbook.games.pai_kau.procedure import object_to_hands, object_to_throw
from floorbook.games.pai_kau.setting import check_arrangement
from floorbook.money import COBANK, LAYOUT, Transfer, player, stake_of
from floorbook.table.events import SettledRoundCorrected
from floorbook.table.pai_kau.shapes import CorrectedHand
from floorbook.table.pai_kau.state import LOCKED, laid_at
from floorbook.table.pai_kau.terms import game_of, terms_of, turn_of
from floorbook.table.state import Reason, RoundRecord, TableState


def request(state: TableState) -> str:
    """Return the JSON text that asks for the settlement of a complete round."""
    game = game_of(state)
    turn = turn_of(game)
    hands: list[dict[str, Any]] = []
    for gate, tiles in enumerate(game.hands, 1):
        laid = laid_at(game, gate)
        hand: dict[str, Any] = {"gate": gate, "tiles": tiles}
        if laid is not None and laid.front:
            hand |= {"front": laid.front, "back": laid.back, "set_by": laid.player_id}
        hands.append(hand)
    asked = {
        "op": "settle_round",
        "gates": game.gates,
        "banker": {"gate": turn.gate, "player_id": turn.player_id, "stake": game.stake},
        "cobanks": [
            {"id": c.id, "stake": c.stake, "house": c.house, "gate": c.gate} for c in game.cobanks
        ],
        "throws": [
            *({"values": values, "void": True} for values in game.throws),
            {"values": game.dice, "void": False},
        ],
        "hands": hands,
        "bets": [{"gate": b.gate, "player_id": b.player_id, "amount": b.amount} for b in game.bets],
        "used_tiles": game.used_tiles,
        "config": msgspec.json.decode(terms_of(state).flags.encode() or b"{}"),
    }
    return msgspec.json.encode(asked).decode()


def about_bet(gate: int, player_id: str) -> str:
    """Return what a transfer about a bet is named by: there is one of a player on a gate."""
    return f"gate {gate}, {player_id}"


def party_of(bank_id: str, *, house: bool) -> str:
    """Return who pays and takes for a bank: the player whose it is, or the house's co-bank."""
    return COBANK if house else player(bank_id)


def held(state: TableState) -> tuple[Transfer, ...]:
    """Return what lies on the layout from the start of the shake: stakes, co-banks, bets (A2.7)."""
    game = game_of(state)
    if game.phase not in LOCKED:
        return ()
    turn = turn_of(game)
    stakes = [
        Transfer(player(turn.player_id), LAYOUT, game.stake, stake_of(turn.player_id), ("A5.3",))
    ]
    stakes += [
        Transfer(party_of(one.id, house=one.house), LAYOUT, one.stake, stake_of(one.id), ("A5.5",))
        for one in game.cobanks
    ]
    bets = [
        Transfer(
            player(bet.player_id),
            LAYOUT,
            bet.amount,
            about_bet(bet.gate, bet.player_id),
            ("A2.7",),
        )
        for bet in game.bets
    ]
    return (*stakes, *bets)


def given_back(held_: tuple[Transfer, ...]) -> tuple[Transfer, ...]:
    """Return how every stake and bet of a void round goes back in full (PK-43)."""
    return tuple(Transfer(t.payee, t.payer, t.amount, t.subject, ("PK-43",)) for t in held_)


def correct(record: RoundRecord, event: SettledRoundCorrected) -> str | Reason:
    """Return the round's request with hands or dice replaced, or why they cannot be."""
    correction = event.pai_kau
    if correction is None or not (correction.hands or correction.dice):
        return Reason("NOTHING_CORRECTED")
    asked: dict[str, Any] = msgspec.json.decode(record.request)
    if correction.dice:
        if (objection := object_to_throw(correction.dice)) is not None:
            return Reason(objection.code, objection.cites)
        asked["throws"][-1]["values"] = correction.dice
    hands: dict[int, dict[str, Any]] = {hand["gate"]: hand for hand in asked["hands"]}
    for corrected in correction.hands:
        if corrected.gate not in hands:
            return Reason("BAD_GATE")
        hands[corrected.gate] = _as_it_was(hands[corrected.gate], corrected)
    asked["hands"] = list(hands.values())
    if (reason := _refuse_hands(asked)) is not None:
        return reason
    return msgspec.json.encode(asked).decode()


def _as_it_was(hand: dict[str, Any], corrected: CorrectedHand) -> dict[str, Any]:
    """Return a gate of a request as a supervisor says it was; who laid it stays who he was."""
    right: dict[str, Any] = {"gate": corrected.gate, "tiles": corrected.tiles or hand["tiles"]}
    if corrected.front or corrected.back:
        right |= {"front": corrected.front, "back": corrected.back}
        right |= {"set_by": hand["set_by"]} if "set_by" in hand else {}
    return right


def _refuse_hands(asked: dict[str, Any]) -> Reason | None:
    dealt = [(hand["gate"], hand["tiles"]) for hand in asked["hands"]]
    objection = object_to_hands(asked["gates"], dealt, asked["used_tiles"])
    if objection is not None:
        return Reason(objection.code, objection.cites)
    for hand in asked["hands"]:
        if "front" in hand and check_arrangement(hand["tiles"], hand["front"], hand["back"]):
            return Reason("BAD_ARRANGEMENT", ("A6.1",))
    return None
