"""Which flags a table of mahjong has, what they may be, and what they are by default (RULE-CONFIG).

The source fixes faan and says nothing of money per faan (MJ-32): every amount is one of these.
"""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from floorbook.games.requests import is_integer
from floorbook.games.rule_set import Refused

LARGEST_AMOUNT = 10**15
"""More money than there is, and far below what every reader of JSON can hold."""


class Config(msgspec.Struct, frozen=True):
    """The flags of one table; both games have the same ones and ignore what they do not need."""

    unit: int = 1
    base_units: tuple[int, ...] = (1, 2, 4)  # for 0, 1, 2 faan
    discarder_multiplier: int = 2
    other_multiplier: int = 1
    self_draw_multiplier: int = 2
    false_win_multiplier: int = 2  # MJ-49
    dealer_multiplier: int = 1  # MJ-33
    win_limit: Literal["per_opponent", "total"] = "per_opponent"  # MJ-34
    faan_cap: int = 2  # MJ-21
    dealer_keeps_without_winner: bool = True  # MJ-10, MJ-11
    mixed_terminals: Literal["tiles", "melds"] = "tiles"  # MJ-22
    kankan_self_draw_only: bool = False  # MJ-23
    live_honour_exempts_big_hands: bool = True  # MJ-46
    concealed_kong_landed: bool = False  # MJ-38
    break_triplet_liable_when_ready: bool = False  # MJ-43
    void_win_is_false_win: bool = False  # MJ-52
    added_kong_only_when_drawn: bool = True  # MJ-16


MULTIPLIERS = (
    "discarder_multiplier",
    "other_multiplier",
    "self_draw_multiplier",
    "false_win_multiplier",
    "dealer_multiplier",
)
_CHOICES: Mapping[str, tuple[str, ...]] = {
    "win_limit": ("per_opponent", "total"),
    "mixed_terminals": ("tiles", "melds"),
}
_LEAST: Mapping[str, int] = {"unit": 1, "faan_cap": 0, **dict.fromkeys(MULTIPLIERS, 0)}
_DEFAULT = Config()


def config_of(flags: object) -> Config | Refused:
    """Return the flags of a table, or why `flags` cannot be played (13.5)."""
    if not isinstance(flags, Mapping):
        return Refused("BAD_CONFIG", "config is not an object.")
    if not flags:
        return _DEFAULT
    for flag, value in flags.items():
        fault = _fault(flag, value)
        if fault:
            return Refused("BAD_CONFIG", fault)
    changed: dict[str, Any] = dict(flags)
    if "base_units" in changed:
        changed["base_units"] = tuple(changed["base_units"])
    config = msgspec.structs.replace(_DEFAULT, **changed)
    if _largest_payment(config) > LARGEST_AMOUNT:
        return Refused("BAD_CONFIG", "config: a hand could cost more than 10^15.")
    return config


def _fault(flag: object, value: object) -> str:
    """Return why a flag cannot have this value, empty if it can."""
    if not isinstance(flag, str) or flag not in Config.__struct_fields__:
        named = f"{flag[:40]!a}" if isinstance(flag, str) else "of that name"
        return f"config: there is no flag {named}."
    if flag in _LEAST:
        if not is_integer(value) or not _LEAST[flag] <= value <= LARGEST_AMOUNT:
            return f"config.{flag} is no integer of {_LEAST[flag]} to 10^15."
    elif flag == "base_units":
        if not isinstance(value, list | tuple) or not value or not all(map(_is_units, value)):
            return "config.base_units is no list of one or more integers of 0 to 10^15."
    elif flag in _CHOICES:
        if value not in _CHOICES[flag]:
            return f"config.{flag} is not one of {', '.join(_CHOICES[flag])}."
    elif not isinstance(value, bool):
        return f"config.{flag} is neither true nor false."
    return ""


def _is_units(value: object) -> bool:
    return is_integer(value) and 0 <= value <= LARGEST_AMOUNT


def _largest_payment(config: Config) -> int:
    """Return an upper bound of what one hand can cost one player under these flags."""
    largest = max(
        config.discarder_multiplier,
        config.other_multiplier,
        config.self_draw_multiplier,
        config.false_win_multiplier,
    )
    return 3 * config.unit * max(config.base_units) * largest * max(1, config.dealer_multiplier)
