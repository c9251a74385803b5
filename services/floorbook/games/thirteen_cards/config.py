"""Which flags (section C) a rule set has, what they may be, and what they are by default."""

from collections.abc import Callable, Mapping
from typing import Any, Literal, TypeGuard

import msgspec

from floorbook.games.rule_set import Refused


class Config(msgspec.Struct, frozen=True):
    """The flags of one table. A flag that the rule set does not have is never read."""

    arrange_limit_ms: int = 300_000  # TC-09
    equal_lanes_foul: bool = False  # TC-16, TV-04, TV-37
    fixed_exempt_from_foul: bool = True  # TC-19
    six_pairs_allow_trips: bool = True  # TC-21
    equal_totals: Literal["tie", "banker"] = "tie"  # TC-32
    banker_foul: Literal["pay", "reject"] = "pay"  # TC-35
    prize_ratio: tuple[int, int] = (1, 2)  # TC-38
    commission_bps: int = 200  # TC-39
    commission_base: Literal["prize", "stake"] = "prize"  # TC-39
    one_colour_counts: bool = True  # TV-21
    no_gap_scope: Literal["small_only", "both"] = "small_only"  # TV-22
    pay_by: Literal["net", "sign"] = "net"  # TV-29
    tie_break_mode: Literal["ranks_then_suit", "top_card_banker"] = "ranks_then_suit"  # TV-33
    foul_counts_as_gun: bool = True  # TV-46
    special_vs_special: Literal["higher_only", "both_pay"] = "higher_only"  # TV-48
    twelve_royals_enabled: bool = True  # TV-49
    service_fee_bps: int = 0  # TV-51
    service_fee_minor: int = 0  # TV-51


def is_integer(value: object) -> TypeGuard[int]:
    """Return whether `value` is a JSON integer: `true` and `1.0` are none."""
    return isinstance(value, int) and not isinstance(value, bool)


def _is_boolean(value: object) -> bool:
    return isinstance(value, bool)


def _is_bps(value: object) -> bool:
    return is_integer(value) and 0 <= value <= 10_000


def _is_amount(value: object) -> bool:
    return is_integer(value) and value >= 0


def _is_ratio(value: object) -> bool:
    if not isinstance(value, list | tuple) or len(value) != 2:
        return False
    numerator, denominator = value
    return _is_amount(numerator) and is_integer(denominator) and denominator >= 1


def _one_of(*values: str) -> Callable[[object], bool]:
    return lambda value: isinstance(value, str) and value in values


_DOMAINS: Mapping[str, Callable[[object], bool]] = {
    "arrange_limit_ms": _is_amount,
    "equal_lanes_foul": _is_boolean,
    "fixed_exempt_from_foul": _is_boolean,
    "six_pairs_allow_trips": _is_boolean,
    "equal_totals": _one_of("tie", "banker"),
    "banker_foul": _one_of("pay", "reject"),
    "prize_ratio": _is_ratio,
    "commission_bps": _is_bps,
    "commission_base": _one_of("prize", "stake"),
    "one_colour_counts": _is_boolean,
    "no_gap_scope": _one_of("small_only", "both"),
    "pay_by": _one_of("net", "sign"),
    "tie_break_mode": _one_of("ranks_then_suit", "top_card_banker"),
    "foul_counts_as_gun": _is_boolean,
    "special_vs_special": _one_of("higher_only", "both_pay"),
    "twelve_royals_enabled": _is_boolean,
    "service_fee_bps": _is_bps,
    "service_fee_minor": _is_amount,
}

_LANES_ONLY = ("equal_lanes_foul",)
FLAGS: Mapping[str, tuple[str, ...]] = {
    "thirteen_cards": (
        "arrange_limit_ms",
        "equal_lanes_foul",
        "fixed_exempt_from_foul",
        "six_pairs_allow_trips",
        "equal_totals",
        "banker_foul",
        "prize_ratio",
        "commission_bps",
        "commission_base",
    ),
    "compare_size": _LANES_ONLY,
    "no_arranging": _LANES_ONLY,
    "declare": _LANES_ONLY,
    "hundred_change": ("one_colour_counts", "no_gap_scope"),
    "shaoxing": ("one_colour_counts",),
    "compare_size_2": _LANES_ONLY,
    "declare_2": ("equal_lanes_foul", "pay_by"),
    "banker_xianggong": ("equal_lanes_foul", "tie_break_mode"),
    "four_player": (
        "equal_lanes_foul",
        "foul_counts_as_gun",
        "special_vs_special",
        "twelve_royals_enabled",
        "service_fee_bps",
        "service_fee_minor",
    ),
}

_DEFAULT = Config()
_STRICT = Config(equal_lanes_foul=True)  # 頭道必須小於二道 (TV-37)


def config_of(rule_set: str, flags: Mapping[str, Any]) -> Config | Refused:
    """Return the flags of a table that plays `rule_set`, or why `flags` cannot be played."""
    allowed = FLAGS.get(rule_set)
    if allowed is None:
        return Refused("UNKNOWN_RULE_SET", f"There is no rule set {rule_set!r}.")
    if not isinstance(flags, Mapping):
        return Refused("BAD_REQUEST", "config is not an object.")
    default = _STRICT if rule_set == "banker_xianggong" else _DEFAULT
    if not flags:
        return default
    for flag, value in flags.items():
        if flag not in allowed:
            return Refused("BAD_CONFIG", f"config: {rule_set} has no flag {flag!r}.")
        if not _DOMAINS[flag](value):
            return Refused("BAD_CONFIG", f"config.{flag} cannot be {value!r}.")
    chosen = {**flags, "prize_ratio": tuple(flags.get("prize_ratio", default.prize_ratio))}
    return msgspec.structs.replace(default, **chosen)
