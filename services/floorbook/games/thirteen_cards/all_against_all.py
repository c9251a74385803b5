"""How a round is settled in which every player meets every other (B1 to B6)."""

from collections.abc import Callable, Sequence
from itertools import combinations

import msgspec
from msgspec import UNSET, UnsetType

from floorbook.games.rule_set import once
from floorbook.games.thirteen_cards.arrangement import Hand
from floorbook.games.thirteen_cards.config import Config
from floorbook.games.thirteen_cards.specials import tier_of
from floorbook.games.thirteen_cards.variant import (
    Meeting,
    Shown,
    Variant,
    meet,
    show_all,
)


class LaneResult(msgspec.Struct, frozen=True):
    """Who won one lane of a pair."""

    lane: str
    a_class: str
    b_class: str
    winner: str


class Breakdown(msgspec.Struct, frozen=True):
    """Where the units of a pair come from (`four_player`), signed for `a`."""

    lanes: int = 0
    bonus: int = 0
    gun: int = 0
    home_run: int = 0
    special: int = 0

    @property
    def units(self) -> int:
        """Return the sum."""
        return self.lanes + self.bonus + self.gun + self.home_run + self.special


class PairResult(msgspec.Struct, frozen=True):
    """How two players stand, and by which rules."""

    a: int
    b: int
    decided_by: str
    lanes: tuple[LaneResult, ...]
    units_a: int
    cites: tuple[str, ...]
    breakdown: Breakdown | UnsetType = UNSET


class GateResult(msgspec.Struct, frozen=True):
    """What one player wins or pays in all, and how his hand was seen."""

    gate: int
    status: str
    special: str | None
    units: int
    gross: int
    fee: int
    net: int
    cites: tuple[str, ...]
    tier: int | UnsetType = UNSET


class Settlement(msgspec.Struct, frozen=True):
    """A settled round."""

    gates: tuple[GateResult, ...]
    pairs: tuple[PairResult, ...]


Fee = Callable[[int], int]


def settle(hands: Sequence[Hand], unit_minor: int, variant: Variant, config: Config) -> Settlement:
    """Return what every player owes; `hands` come by gate number."""
    shown = show_all(hands, variant, config)
    pairs = tuple(against_each_other(a, b, variant, config) for a, b in combinations(shown, 2))
    return Settlement(totals(shown, pairs, unit_minor, variant, no_fee), pairs)


def no_fee(gross: int) -> int:
    """Return 0: only `four_player` knows a service fee."""
    return 0


def totals(
    shown: Sequence[Shown],
    pairs: Sequence[PairResult],
    unit_minor: int,
    variant: Variant,
    fee_of: Fee,
) -> tuple[GateResult, ...]:
    """Return each player's sum over his opponents, in units and in money."""
    units = {hand.gate: 0 for hand in shown}
    for pair in pairs:
        units[pair.a] += pair.units_a
        units[pair.b] -= pair.units_a
    results = []
    for hand in shown:
        gross = units[hand.gate] * unit_minor
        fee = fee_of(gross)
        results.append(
            GateResult(
                gate=hand.gate,
                status=hand.status,
                special=hand.special_id,
                units=units[hand.gate],
                gross=gross,
                fee=fee,
                net=gross - fee,
                cites=(*hand.cites, "TV-51") if fee else hand.cites,
                tier=tier_of(hand.special) if hand.special and variant.ranking is None else UNSET,
            )
        )
    return tuple(results)


def against_each_other(a: Shown, b: Shown, variant: Variant, config: Config) -> PairResult:
    """Return how two players stand: by a special hand, else lane by lane; ±1 (TV-02)."""
    if a.special or b.special:
        return PairResult(
            a=a.gate,
            b=b.gate,
            decided_by="special",
            lanes=(),
            units_a=compare_specials(a, b),
            cites=once(variant.cites, *(hand.special.cites for hand in (a, b) if hand.special)),
        )
    meetings = meet(a, b, variant, config)
    return PairResult(
        a=a.gate,
        b=b.gate,
        decided_by="lanes",
        lanes=lane_results(meetings),
        units_a=winner_of_most(meetings),
        cites=once(variant.cites, lane_cites(meetings)),
    )


def compare_specials(a: Shown, b: Shown) -> int:
    """Return 1 if the special of `a` is larger, -1 if that of `b` is, 0 if they are equal.

    Any special is larger than none.
    """
    nothing = (0, 0)
    ours = a.special.order if a.special else nothing
    theirs = b.special.order if b.special else nothing
    return (ours > theirs) - (ours < theirs)


def winner_of_most(meetings: Sequence[Meeting]) -> int:
    """Return who wins more than half of the lanes that count, or 0 for nobody (TV-06).

    One win and two draws are not two lanes.
    """
    needed = len(meetings) // 2 + 1
    won = sum(meeting.sign > 0 for meeting in meetings)
    lost = sum(meeting.sign < 0 for meeting in meetings)
    return (won >= needed) - (lost >= needed)


def lane_results(meetings: Sequence[Meeting]) -> tuple[LaneResult, ...]:
    """Return the lanes as results name them."""
    winners = {1: "a", -1: "b", 0: "draw"}
    return tuple(
        LaneResult(meeting.lane, *meeting.classes, winners[meeting.sign]) for meeting in meetings
    )


def lane_cites(meetings: Sequence[Meeting]) -> tuple[str, ...]:
    """Return the rules for what was out of the ordinary in these lanes."""
    fouled = any(meeting.a == 0 or meeting.b == 0 for meeting in meetings)
    drawn = any(meeting.sign == 0 for meeting in meetings)
    by_suit = any(meeting.by_suit for meeting in meetings)
    undecided = len(meetings) > 1 and not winner_of_most(meetings)
    return (
        *(("TV-03",) if fouled else ()),
        *(("TV-05",) if drawn else ()),
        *(("TV-12",) if by_suit else ()),
        *(("TV-06",) if undecided else ()),
    )
