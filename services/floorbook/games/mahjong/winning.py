"""Whether a declared win stands, and if not, what it is instead (RULE-STATUS, 13.3)."""

from typing import Literal

import msgspec

from floorbook.games.mahjong.distance import is_complete
from floorbook.games.mahjong.faan import Valued, value
from floorbook.games.mahjong.hand import Declared, Setting
from floorbook.games.mahjong.melds import is_valid, tiles_of
from floorbook.games.mahjong.seats import DEALER

Status = Literal["win", "void", "false_win"]


class Judged(msgspec.Struct, frozen=True):
    """What a declared win is; `valued` is there for a win and for nothing else."""

    status: Status
    reason: str | None = None
    valued: Valued | None = None


class Verdict(msgspec.Struct, frozen=True, array_like=True):
    """What a declared win is, without its worth: that is for whoever settles it."""

    status: Status
    reason: str | None = None


def is_possible(setting: Setting, declared: Declared) -> bool:
    """Return whether the facts of a win go together (`bad_win` of 13.3 if not).

    If not, it is the record that is wrong, not the player: the table stops for the supervisor.
    """
    win, self_drawn = declared.win, declared.win.kind == "self_draw"
    if self_drawn:
        if win.source is not None:
            return False
    elif win.source not in setting.seats or win.source == declared.seat:
        return False
    if win.kind == "robbed_kong" and not setting.variant.claims_sets:
        return False  # MJ-17
    if (win.kong_chain or win.last_tile) and not self_drawn:
        return False
    kongs = sum(meld.kind == "kong" for meld in declared.melds)
    if not 0 <= win.kong_chain <= kongs:
        return False
    if win.heavenly:
        as_dealt = not declared.melds and not win.kong_chain and not win.last_tile
        if not self_drawn or declared.seat != DEALER or not as_dealt:
            return False
    if win.earthly:
        return win.kind == "discard" and win.source == DEALER and not declared.melds
    return True


def declared_fault(setting: Setting, declared: Declared) -> str | None:
    """Return why a declared hand is no winning one whatever its concealed tiles (詐糊, MJ-48)."""
    variant, seat, melds = setting.variant, declared.seat, declared.melds
    for meld in melds:
        if not is_valid(variant, setting.seats, seat, meld):
            return "meld_invalid"  # FALSE-T7
    expected = variant.hand_size - 3 * len(melds)
    if len(melds) > variant.sets or len(declared.concealed) != expected:
        return "tile_count"
    return None


def _unseen(setting: Setting, declared: Declared) -> Verdict | None:
    """Return what a win is before its concealed tiles are looked at; None if they decide.

    A barred player's win is void, nobody pays and play goes on (食糊無效, MJ-52), unless the house
    treats it as a false one.
    """
    if declared.barred:
        false = setting.config.void_win_is_false_win
        return Verdict("false_win" if false else "void", "barred")
    reason = declared_fault(setting, declared)
    return Verdict("false_win", reason) if reason else None


def judge(setting: Setting, declared: Declared) -> Judged:
    """Return what a win is that contradicts nothing, and what a winning hand is worth."""
    if verdict := _unseen(setting, declared):
        return Judged(verdict.status, verdict.reason)
    valued = value(setting, declared)
    return Judged("win", valued=valued) if valued else Judged("false_win", "shape")


def verdict_on(setting: Setting, declared: Declared) -> Verdict:
    """Return what a win is that contradicts nothing, without asking what it is worth."""
    if verdict := _unseen(setting, declared):
        return verdict
    tiles, melds = (*declared.concealed, declared.win_tile), declared.melds
    complete = is_complete(setting.variant, tiles, tiles_of(melds), len(melds))
    return Verdict("win") if complete else Verdict("false_win", "shape")


def stands(setting: Setting, declared: Declared) -> bool:
    """Return whether a declared win would be one."""
    return verdict_on(setting, declared).status == "win"
