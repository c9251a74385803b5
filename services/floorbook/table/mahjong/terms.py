"""What a table plays by: its terms read as mahjong, and what follows from them alone."""

from functools import cache

import msgspec

from floorbook.games.mahjong.config import Config, config_of
from floorbook.games.mahjong.hand import Setting
from floorbook.games.mahjong.play import Play
from floorbook.games.mahjong.seats import Seat
from floorbook.games.mahjong.variant import SIDES, Variant, variant_of
from floorbook.games.mahjong.wall import (
    CLOCKWISE,
    break_of,
    dealt_places,
    front_place,
    tail_place,
)
from floorbook.games.rule_set import Refused
from floorbook.table.events import TableOpened
from floorbook.table.mahjong.shapes import MahjongOptions
from floorbook.table.mahjong.state import Mahjong, Phase
from floorbook.table.state import Reason, TableState, Terms

_LONGEST_FAULT = 200


@cache
def _config(flags: str) -> Config | str:
    """Return the flags of a table, or the sentence that says what is wrong with them."""
    try:
        decoded = msgspec.json.decode(flags.encode() or b"{}", type=dict)
    except (msgspec.DecodeError, RecursionError) as error:
        return f"flags are no JSON object: {error}"[:_LONGEST_FAULT]
    found = config_of(decoded)
    return found.detail[:_LONGEST_FAULT] if isinstance(found, Refused) else found


@cache
def _setting(rule_set: str, flags: str, seats: int, round_wind: Seat) -> Setting:
    config = _config(flags)
    assert isinstance(config, Config), "checked when the table was opened"
    return Setting(variant_of(rule_set), config, SIDES[:seats], round_wind)


def refuse_terms(opened: TableOpened) -> Reason | None:
    """Return why a table cannot be opened like that, or None."""
    found = _config(opened.flags)
    if isinstance(found, str):
        return Reason("BAD_CONFIG", (found,))
    options = opened.mahjong or MahjongOptions()
    if options.charge_minor and options.charge_percent:
        return Reason("BAD_LIMITS")
    return None


def terms_of(state: TableState) -> Terms:
    """Return the terms of an open table."""
    assert state.terms is not None, "an open table has terms"
    return state.terms


def game_of(state: TableState) -> Mahjong:
    """Return the game's part of an open table's state."""
    assert isinstance(state.game, Mahjong), "an open table has its game"
    return state.game


def play_of(game: Mahjong) -> Play:
    """Return the hand in progress."""
    assert game.play is not None, "a hand that was dealt"
    return game.play


def variant_at(state: TableState) -> Variant:
    """Return which of the two games the table plays."""
    return variant_of(terms_of(state).rule_set)


def setting_of(state: TableState) -> Setting:
    """Return what does not change during the hand."""
    terms, game = terms_of(state), game_of(state)
    return _setting(terms.rule_set, terms.flags, len(game.players), game.round_wind)


def position_of(variant: Variant, dice: tuple[int, ...], place: int) -> int:
    """Return the sealed position of the tile that is drawn as number `place` after the break.

    Positions count from the right-hand end of the dealer's wall, clockwise around the table.
    """
    broken = break_of(variant, dice)
    first = 2 * (CLOCKWISE.index(broken.side) * variant.stacks + broken.total)
    return (first + place) % variant.wall_size


def dealt_positions(state: TableState) -> dict[Seat, tuple[int, ...]]:
    """Return the sealed positions of every hand, in the order in which its tiles are taken."""
    variant, game = variant_at(state), game_of(state)
    return {
        seat: tuple(position_of(variant, game.dice, place) for place in places)
        for seat, places in dealt_places(variant, game.seats).items()
    }


def positions_due(state: TableState) -> tuple[int, ...]:
    """Return the positions that the machine has to open now, ascending."""
    variant, game = variant_at(state), game_of(state)
    if game.phase is Phase.BROKEN:
        return tuple(sorted(one for hand in dealt_positions(state).values() for one in hand))
    draws = (variant, len(game.players), game.fronts, game.replacements)
    place = front_place(*draws) if game.phase is Phase.DRAWING else tail_place(*draws)
    return (position_of(variant, game.dice, place),)
