"""What a hand asks of the evaluator, what it holds on the layout, and how it is corrected (11.2)."""

from typing import Any

import msgspec

from floorbook.games.mahjong.cites import ERROR_CITES
from floorbook.games.mahjong.reading import check_win
from floorbook.games.mahjong.results import win_request
from floorbook.games.mahjong.settle import FAULT_CITES
from floorbook.games.mahjong.tiles import CODES
from floorbook.games.mahjong.variant import variant_of
from floorbook.money import LAYOUT, Transfer, player, stake_of
from floorbook.table.events import SettledRoundCorrected
from floorbook.table.mahjong.shapes import MahjongSet, MahjongWin
from floorbook.table.mahjong.state import PLAYING, Phase
from floorbook.table.mahjong.terms import game_of, play_of, setting_of, terms_of
from floorbook.table.state import Reason, RoundRecord, TableState

_HELD = PLAYING | {Phase.COMPLETE}
_RULES = ("PAY-LIMIT", "MJ-34")
_OF_EXHAUSTED = {"event", "wall_remaining", "claims"}
_IMPOSSIBLE = {
    **ERROR_CITES,
    "BAD_REQUEST": ("RULE-SETS",),
    "BAD_FACTS": ("RULE-FACTS",),
    "MELD_INVALID": FAULT_CITES["meld_invalid"],
    "TILE_COUNT": FAULT_CITES["tile_count"],
}
"""The rules behind a win that cannot have been."""


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
    """Return what a transfer about what a seat wins or pays is named by."""
    return f"seat {seat}"


def stake_at(seat: str) -> str:
    """Return what a transfer about the chips in front of a seat is named by: they are no bet."""
    return stake_of(about_seat(seat))


def held(state: TableState) -> tuple[Transfer, ...]:
    """Return what lies in front of the players from the deal on, seat by seat; empty before it."""
    game = game_of(state)
    if game.phase not in _HELD:
        return ()
    return tuple(
        Transfer(player(who), LAYOUT, game.chips[who], stake_at(seat), _RULES)
        for seat, who in zip(game.seats, game.players, strict=True)
    )


def given_back(stakes: tuple[Transfer, ...]) -> tuple[Transfer, ...]:
    """Return how the chips of a void hand go back."""
    return tuple(Transfer(t.payee, t.payer, t.amount, t.subject, t.rules) for t in stakes)


def correct(record: RoundRecord, event: SettledRoundCorrected) -> str | Reason:
    """Return the hand's request with the win replaced, or barred, or why it cannot be.

    The tiles were sealed, what was done with them is what people reported: a claim for the wrong
    seat, another tile than the one discarded, a pong that nobody saw called. Who deals, and what lies
    in front of whom in later hands, is not played again.
    """
    correction = event.mahjong
    if correction is None or (correction.barred is None and correction.win is None):
        return Reason("NOTHING_CORRECTED")
    asked: dict[str, Any] = msgspec.json.decode(record.request)
    if correction.win is not None:
        asked = {name: asked[name] for name in asked.keys() - _OF_EXHAUSTED}
        asked |= _as_it_was(correction.win)
    elif asked["op"] != "win":
        return Reason("NOTHING_CORRECTED")  # nobody won who could have been barred
    if correction.barred is not None:
        asked["barred"] = correction.barred
    refused = check_win(variant_of(record.rule_set), asked)
    if refused is not None:
        # Which rule it breaks, not in which tile: the verdict is everybody's.
        return Reason("BAD_WIN", _IMPOSSIBLE[refused.code])
    return msgspec.json.encode(asked, order="sorted").decode()


def _as_it_was(win: MahjongWin) -> dict[str, Any]:
    known: dict[str, Any] = {"turns_since_fourth_meld": win.turns_since_fourth_set}
    if win.discarder_concealed:
        known["discarder_concealed"] = win.discarder_concealed
        known["discarder_melds"] = _sets(win.discarder_sets)
    if win.visible_known:
        known["visible"] = win.visible
    return {
        "op": "win",
        "seat": win.seat,
        "concealed": win.concealed,
        "melds": _sets(win.sets),
        "win_tile": win.win_tile,
        "win": {
            "kind": win.kind,
            "from": win.source or None,
            "kong_chain": win.kong_chain,
            "last_tile": win.last_tile,
            "heavenly": win.heavenly,
            "earthly": win.earthly,
        },
        "barred": False,
        "facts": known,
    }


def _sets(sets: tuple[MahjongSet, ...]) -> list[dict[str, Any]]:
    return [
        {
            "kind": one.kind,
            "tiles": one.tiles,
            "open": one.open,
            "from": one.source or None,
            "added": one.added,
        }
        for one in sets
    ]
