"""What a hand asks of the evaluator, and what it holds on the layout (RULE-SETTLE, 11.2)."""

from typing import Any

import msgspec

from floorbook.games.mahjong.results import win_request
from floorbook.games.mahjong.tiles import CODES
from floorbook.money import LAYOUT, Transfer, player
from floorbook.table.mahjong.state import PLAYING, Phase
from floorbook.table.mahjong.terms import game_of, play_of, setting_of, terms_of
from floorbook.table.state import TableState

_HELD = PLAYING | {Phase.COMPLETE}
_RULES = ("PAY-LIMIT", "MJ-34")


def request(state: TableState) -> str:
    """Return the JSON text that asks for the settlement of a hand that is over.

    A declared win is judged whole. Of an exhausted wall it is asked how the last window ends, in
    which no claim prevailed. Who sits where and the house's charge are for whoever turns the answer
    into transfers.
    """
    game = game_of(state)
    play, setting = play_of(game), setting_of(state)
    if play.ended is not None:
        asked: dict[str, Any] = win_request(
            setting, play.ended.declared, play.ended.facts, game.stakes
        )
    else:
        assert play.offer is not None, "the last discard lies between the players"
        asked = {
            "op": "priority",
            "seats": setting.seats,
            "round_wind": setting.round_wind,
            "event": {
                "kind": play.offer.kind,
                "seat": play.offer.seat,
                "tile": CODES[play.offer.tile],
            },
            "wall_remaining": play.wall_remaining,
            "claims": [],
            "stakes": game.stakes,
        }
    asked |= {
        "config": msgspec.json.decode(terms_of(state).flags.encode() or b"{}"),
        "players": game.players,
        "charge_minor": game.charge_minor,
        "charge_percent": game.charge_percent,
    }
    return msgspec.json.encode(asked).decode()


def about_seat(seat: str) -> str:
    """Return what a transfer about a seat's chips is named by."""
    return f"seat {seat}"


def held(state: TableState) -> tuple[Transfer, ...]:
    """Return what lies in front of the players from the deal on, seat by seat; empty before it."""
    game = game_of(state)
    if game.phase not in _HELD:
        return ()
    return tuple(
        Transfer(player(who), LAYOUT, game.chips[who], about_seat(seat), _RULES)
        for seat, who in zip(game.seats, game.players, strict=True)
    )


def given_back(stakes: tuple[Transfer, ...]) -> tuple[Transfer, ...]:
    """Return how the chips of a void hand go back."""
    return tuple(Transfer(t.payee, t.payer, t.amount, t.subject, t.rules) for t in stakes)
