"""What a declared win comes to: status, then faan, then liability, then payment (RULE-SETTLE).

And by which rules, in the order in which they were applied.
"""

from collections.abc import Iterator, Sequence

import msgspec

from floorbook.games.mahjong.config import Config
from floorbook.games.mahjong.faan import Valued
from floorbook.games.mahjong.hand import Declared, Setting
from floorbook.games.mahjong.liability import Case, Facts, Liability, liability
from floorbook.games.mahjong.payment import (
    Payment,
    Stakes,
    Won,
    false_win_payments,
    win_payments,
)
from floorbook.games.mahjong.splits import CHOW
from floorbook.games.mahjong.variant import Variant
from floorbook.games.mahjong.winning import Judged, judge
from floorbook.games.rule_set import once


class Settlement(msgspec.Struct, frozen=True):
    """A declared win, settled. Without stakes nothing is paid."""

    judged: Judged
    liability: Liability
    payments: tuple[Payment, ...]
    cites: tuple[str, ...]


def settle(setting: Setting, declared: Declared, facts: Facts, stakes: Stakes | None) -> Settlement:
    """Return what a win that contradicts nothing comes to."""
    judged = judge(setting, declared)
    owed = liable_for(setting, declared, judged, facts)
    payments = () if stakes is None else _payments(setting, declared, judged, owed, stakes)
    cites = once(
        judged_cites(setting, declared, judged),
        liability_cites(setting, declared, owed),
        () if stakes is None else payment_cites(setting, judged, declared, owed, payments),
    )
    return Settlement(judged, owed, payments, cites)


def liable_for(setting: Setting, declared: Declared, judged: Judged, facts: Facts) -> Liability:
    """Return who is liable; for what is no win, nobody."""
    if judged.valued is None:
        return Liability()
    codes = frozenset(pattern.code for pattern in judged.valued.patterns)
    return liability(Case(setting, declared, codes, facts))


def won_of(declared: Declared, judged: Judged, owed: Liability) -> Won:
    """Return a win as it is paid."""
    assert judged.valued is not None, "only a win is paid as one"
    win = declared.win
    return Won(declared.seat, judged.valued.total, win.kind, win.source, owed.liable)


def _payments(
    setting: Setting, declared: Declared, judged: Judged, owed: Liability, stakes: Stakes
) -> tuple[Payment, ...]:
    match judged.status:
        case "win":
            return win_payments(setting.config, won_of(declared, judged, owed), stakes)
        case "false_win":
            return false_win_payments(setting.variant, setting.config, declared.seat, stakes)
        case "void":
            return ()


# By which rules


def judged_cites(setting: Setting, declared: Declared, judged: Judged) -> tuple[str, ...]:
    """Return the rules behind the status and the faan."""
    valued = judged.valued
    if valued is None:
        return ("RULE-STATUS", *FAULT_CITES[judged.reason or ""])
    found = [cite for pattern in valued.patterns for cite in (pattern.code, *pattern.cites)]
    combined = len(valued.patterns) > 1 or valued.total < valued.raw
    ruling = "MJ-21" if setting.variant.is_traditional else "MJ-30"
    return once(
        ("RULE-STATUS", "RULE-WINSHAPE"),
        _shape_cites(setting, valued),
        ("RULE-BEST",),
        tuple(found),
        _worthless(setting, declared),
        ("FAAN-SUM",),
        (ruling,) * combined,
    )


def _shape_cites(setting: Setting, valued: Valued) -> tuple[str, ...]:
    if valued.form == "thirteen_orphans":
        return ("MJ-59",)
    if setting.variant.is_traditional:
        return ("MJ-01",)
    concealed_chow = any(form == CHOW for _, form in valued.concealed_sets)
    return ("MJ-57",) if concealed_chow else ()


def _worthless(setting: Setting, declared: Declared) -> tuple[str, ...]:
    """Return the ruling that 天糊, 地糊 and 槓上花 have no faan in 乙, where it matters."""
    win = declared.win
    special = win.heavenly or win.earthly or win.kong_chain
    return ("MJ-28",) if special and not setting.variant.is_traditional else ()


FAULT_CITES = {
    "barred": ("PEN-CALLPONG", "MJ-52"),
    "meld_invalid": ("RULE-SETS", "FALSE-T7", "MJ-48", "MJ-51"),
    "tile_count": ("MJ-48",),
    "shape": ("RULE-WINSHAPE", "RULE-SETS", "MJ-48", "MJ-31"),
}
LIABILITY_CITES = {
    "LIA-T1": ("MJ-38",),
    "LIA-T2": ("MJ-38", "MJ-40"),
    "LIA-T3": ("MJ-41",),
    "LIA-T4": ("MJ-42",),
    "LIA-T5": ("MJ-43",),
    "LIA-T6": ("MJ-44",),
    "LIA-S1": ("MJ-42",),
    "LIA-S2": ("MJ-44", "MJ-47"),
    "EXM-T9": ("MJ-45",),
    "EXM-T10": ("MJ-46",),
}


def liability_cites(setting: Setting, declared: Declared, owed: Liability) -> tuple[str, ...]:
    """Return the rules that make a seat liable, and those that exempt it."""
    robbed = ("MJ-39",) if owed.rules and declared.win.kind == "robbed_kong" else ()
    several = ("MJ-56",) if len(owed.rules) > 1 else ()
    named = [
        cite
        for rule in (*owed.rules, *owed.exempted_by)
        for cite in (rule, *LIABILITY_CITES.get(rule, ()))
    ]
    return once(tuple(named), robbed, several)


def payment_cites(
    setting: Setting,
    judged: Judged,
    declared: Declared,
    owed: Liability,
    payments: Sequence[Payment],
) -> tuple[str, ...]:
    """Return the rules by which somebody pays."""
    if judged.status == "void":
        return ("MJ-52",)
    if judged.status == "false_win":
        return false_win_cites(setting.variant, payments)
    return win_cites(setting.config, declared.win.kind, owed.liable is not None, payments)


def win_cites(
    config: Config, kind: str, liable: bool, payments: Sequence[Payment]
) -> tuple[str, ...]:
    """Return the rules by which a win is paid."""

    def applied() -> Iterator[str]:
        yield from ("PAY-BASE", "MJ-32")
        if config.dealer_multiplier != 1:
            yield "MJ-33"
        if kind == "robbed_kong":
            yield "MJ-39"
        if liable:
            yield from ("PAY-LIABLE", "MJ-37")
        if any(payment.paid < payment.due for payment in payments):
            yield from ("PAY-LIMIT", "MJ-34", "MJ-35")
            if liable:
                yield "MJ-36"

    return tuple(applied())


def false_win_cites(variant: Variant, payments: Sequence[Payment]) -> tuple[str, ...]:
    """Return the rules by which a false win (詐糊) is paid."""
    rule = "FALSE-T8" if variant.is_traditional else "FALSE-S3"
    short = any(payment.paid < payment.due for payment in payments)
    return (rule, "MJ-49", *(("MJ-50",) if short else ()))
