"""Which flags a table of Pai Kau has (12.1), what they may be, and what they are by default."""

from collections.abc import Mapping
from typing import Any, Literal

import msgspec

from floorbook.games.rule_set import Refused


class Config(msgspec.Struct, frozen=True):
    """The flags of one table: where the ordinance can be read in two ways, which one is played."""

    set_rule: Literal["back_not_smaller", "back_maximal"] = "back_not_smaller"  # PK-11
    reset_method: Literal["house_way", "swap"] = "house_way"  # PK-12
    settlement_start: Literal["head_gate", "banker_right"] = "head_gate"  # PK-20
    settlement_passes: Literal["single", "take_then_pay"] = "single"  # PK-21
    within_gate_order: Literal["amount_desc", "placement"] = "amount_desc"  # PK-22
    cap_mode: Literal["net", "gross"] = "net"  # PK-23
    bank_commission: Literal["net", "none"] = "net"  # PK-29
    commission_rounding: Literal["down", "half_up", "up"] = "down"  # PK-30


FLAGS: Mapping[str, tuple[str, ...]] = {
    "set_rule": ("back_not_smaller", "back_maximal"),
    "reset_method": ("house_way", "swap"),
    "settlement_start": ("head_gate", "banker_right"),
    "settlement_passes": ("single", "take_then_pay"),
    "within_gate_order": ("amount_desc", "placement"),
    "cap_mode": ("net", "gross"),
    "bank_commission": ("net", "none"),
    "commission_rounding": ("down", "half_up", "up"),
}
"""What every flag may be, the default first."""

_DEFAULT = Config()


def config_of(flags: Mapping[str, Any]) -> Config | Refused:
    """Return the flags of a table, or why `flags` cannot be played."""
    if not isinstance(flags, Mapping):
        return Refused("BAD_REQUEST", "config is not an object.")
    if not flags:
        return _DEFAULT
    for flag, value in flags.items():
        if flag not in FLAGS:
            named = f"{flag[:40]!a}" if isinstance(flag, str) else "of that name"
            return Refused("BAD_CONFIG", f"config: there is no flag {named}.")
        if not isinstance(value, str) or value not in FLAGS[flag]:
            return Refused("BAD_CONFIG", f"config.{flag} is not one of {', '.join(FLAGS[flag])}.")
    return msgspec.structs.replace(_DEFAULT, **flags)
