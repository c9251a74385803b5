"""What a seat may do in its own turn, and why not (RULE-TURN, RULE-KONG, RULE-REFUSE)."""

from typing import Literal

import msgspec

from floorbook.games.mahjong.hand import Declared, Holding, Setting, Win
from floorbook.games.mahjong.melds import Meld
from floorbook.games.mahjong.seats import Seat
from floorbook.games.mahjong.tiles import COPIES, Tile
from floorbook.games.mahjong.winning import stands

Began = Literal["deal", "draw", "replacement", "chow", "pong"]
TurnAction = Literal["win", "concealed_kong", "added_kong", "discard"]


class Turn(msgspec.Struct, frozen=True):
    """A seat that must win, declare a kong or discard, and how it came to its present tiles."""

    seat: Seat
    holding: Holding  # the drawn tile among the concealed ones
    began: Began
    drawn: Tile | None  # of the latest draw of this turn; of the deal, the dealer's last tile
    kong_chain: int = 0
    wall_remaining: int = 0


class Legal(msgspec.Struct, frozen=True):
    """What a seat can do in its turn. Whoever sees it knows the hand: for that seat alone."""

    win: bool  # a declared win would be one
    concealed_kong: tuple[Tile, ...]
    added_kong: tuple[Tile, ...]
    discard: tuple[Tile, ...]


def declared_in_turn(turn: Turn) -> Declared:
    """Return the win that a seat declares in a turn that began with a draw or the deal (自摸)."""
    assert turn.drawn is not None, "a turn got by a claim has no winning tile (MJ-61)"
    concealed = without(turn.holding.concealed, turn.drawn)
    win = Win(
        "self_draw",
        kong_chain=turn.kong_chain,
        # The deal never empties the wall (RULE-FACTS).
        last_tile=turn.wall_remaining == 0 and turn.began != "deal",
        heavenly=turn.began == "deal",
    )
    return Declared(turn.seat, concealed, turn.holding.melds, turn.drawn, win, turn.holding.barred)


def turn_refusal(
    setting: Setting, turn: Turn, action: TurnAction, tile: Tile | None = None
) -> str | None:
    """Return why an act of one's own turn is refused, None if it is not (RULE-REFUSE).

    A win that may be declared and is not a win is not refused: it is a false one.
    """
    match action:
        case "win":
            return win_refusal(setting, turn)
        case "discard":
            # Any concealed tile, the kind just claimed too (MJ-62).
            return None if tile in turn.holding.concealed else "tiles_not_held"
        case "concealed_kong":
            return _kong_refusal(turn) or _concealed_kong_refusal(turn, tile)
        case "added_kong":
            if not setting.variant.claims_sets:
                return "not_allowed"  # MJ-16
            return _kong_refusal(turn) or _added_kong_refusal(setting, turn, tile)


def win_refusal(setting: Setting, turn: Turn) -> str | None:
    """Return why no win may be declared: one needs a drawn tile (自摸, MJ-61), and a barred seat none.

    A barred player's win is a false one where the house says so (MJ-52).
    """
    if turn.drawn is None:
        return "not_drawn"
    barred = turn.holding.barred and not setting.config.void_win_is_false_win
    return "barred" if barred else None


def _kong_refusal(turn: Turn) -> str | None:
    """Return why no kong (開槓) may be declared at all: it needs a drawn tile and a tile to draw."""
    if turn.drawn is None:
        return "not_drawn"
    if not turn.wall_remaining:
        return "wall_empty"  # MJ-12
    return "no_kong" if turn.holding.no_kong else None


def _concealed_kong_refusal(turn: Turn, tile: Tile | None) -> str | None:
    """Return why four tiles are no concealed kong (暗槓); when they came does not matter."""
    held = tile is not None and turn.holding.concealed.count(tile) == COPIES
    return None if held else "tiles_not_held"


def _added_kong_refusal(setting: Setting, turn: Turn, tile: Tile | None) -> str | None:
    """Return why a tile cannot be added to a pong (碰出再開槓): it must just have been drawn (MJ-16)."""
    if tile not in turn.holding.concealed or own_pong(turn.holding, tile) is None:
        return "tiles_not_held"
    if setting.config.added_kong_only_when_drawn and tile != turn.drawn:
        return "not_just_drawn"
    return None


def own_pong(holding: Holding, tile: Tile | None) -> Meld | None:
    """Return the declared pong of `tile`, if there is a proper one."""
    for meld in holding.melds:
        if meld.kind == "pong" and set(meld.tiles) == {tile}:
            return meld
    return None


def legal_in_turn(setting: Setting, turn: Turn) -> Legal:
    """Return all that a seat can do in its turn, tiles in tile order."""
    kinds = tuple(sorted(set(turn.holding.concealed)))

    def allowed(action: TurnAction) -> tuple[Tile, ...]:
        return tuple(tile for tile in kinds if turn_refusal(setting, turn, action, tile) is None)

    may_win = win_refusal(setting, turn) is None
    return Legal(
        win=may_win and stands(setting, declared_in_turn(turn)),
        concealed_kong=allowed("concealed_kong"),
        added_kong=allowed("added_kong"),
        discard=kinds,
    )


def without(tiles: tuple[Tile, ...], *gone: Tile) -> tuple[Tile, ...]:
    """Return `tiles` without one each of those `gone`."""
    left = list(tiles)
    for tile in gone:
        left.remove(tile)
    return tuple(left)
