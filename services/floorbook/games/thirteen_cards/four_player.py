"""How a round of `four_player` is scored: lanes, bonuses, guns, home runs, specials (B9)."""

from collections.abc import Sequence
from functools import partial
from itertools import combinations

from floorbook.games.rule_set import once
from floorbook.games.thirteen_cards.all_against_all import (
    Breakdown,
    PairResult,
    Settlement,
    compare_specials,
    lane_results,
    totals,
)
from floorbook.games.thirteen_cards.arrangement import Hand
from floorbook.games.thirteen_cards.config import Config
from floorbook.games.thirteen_cards.lanes import (
    FOUR_OF_A_KIND,
    STRAIGHT_FLUSH,
    THREE_OF_A_KIND,
    class_of,
)
from floorbook.games.thirteen_cards.money import BPS
from floorbook.games.thirteen_cards.variant import Meeting, Shown, Variant, meet, show_all

LANE_UNITS = {"front": 1, "middle": 2, "back": 3}  # 贏一墩
BONUS = {
    ("front", THREE_OF_A_KIND): 6,  # 衝三
    ("middle", FOUR_OF_A_KIND): 8,  # 四梅
    ("back", FOUR_OF_A_KIND): 8,
    ("middle", STRAIGHT_FLUSH): 10,  # 同花順
    ("back", STRAIGHT_FLUSH): 10,
}
GUN = 6  # 打槍
HOME_RUN = 12  # 全壘打
PLAYERS_FOR_HOME_RUN = 4

# Where the text prints 可抽走 the lower special collects nothing, whatever the flag says (TV-48).
TAKEN_AWAY = frozenset(
    {
        ("six_and_a_half_pairs", "three_straights"),
        ("all_small", "one_colour"),
        ("all_big", "all_small"),
        ("all_big", "one_colour"),
        ("three_straight_flushes", "three_quads"),
    }
)


def settle(hands: Sequence[Hand], unit_minor: int, variant: Variant, config: Config) -> Settlement:
    """Return what every player owes; `hands` come by gate number."""
    shown = show_all(hands, variant, config)
    met = {
        (a.gate, b.gate): meet(a, b, variant, config)
        for a, b in combinations(shown, 2)
        if not a.special and not b.special
    }
    runner = home_runner(shown, met, config)
    pairs = tuple(
        _pair(a, b, met.get((a.gate, b.gate)), runner, variant, config)
        for a, b in combinations(shown, 2)
    )
    fee_of = partial(service_fee, config=config)
    return Settlement(totals(shown, pairs, unit_minor, variant, fee_of), pairs)


def service_fee(gross: int, config: Config) -> int:
    """Return what a net winner pays (服務費), rounded up and never more than the win (TV-51)."""
    if gross <= 0:
        return 0
    return min(gross, config.service_fee_minor - (-gross * config.service_fee_bps // BPS))


def _pair(
    a: Shown,
    b: Shown,
    meetings: tuple[Meeting, ...] | None,
    runner: int | None,
    variant: Variant,
    config: Config,
) -> PairResult:
    """Return how two players stand; `runner` is the gate that has a home run."""
    if meetings is None:
        breakdown = Breakdown(special=special_units(a, b, config))
        met = "TV-48" if a.special and b.special else "ENC-T"
        cites = once(("ENC-T",), *(hand.special.cites for hand in (a, b) if hand.special), (met,))
        return PairResult(a.gate, b.gate, "special", (), breakdown.units, cites, breakdown)
    home_run = 0
    if runner in (a.gate, b.gate):
        home_run = HOME_RUN if runner == a.gate else -HOME_RUN
    breakdown = Breakdown(
        lanes=sum(meeting.sign * LANE_UNITS[meeting.lane] for meeting in meetings),
        bonus=sum(meeting.sign * lane_bonus(meeting) for meeting in meetings),
        gun=GUN * swept(a, b, meetings, config),
        home_run=home_run,
    )
    return PairResult(
        a=a.gate,
        b=b.gate,
        decided_by="lanes",
        lanes=lane_results(meetings),
        units_a=breakdown.units,
        cites=_cites(a, b, breakdown, variant),
        breakdown=breakdown,
    )


def lane_bonus(meeting: Meeting) -> int:
    """Return what the winner of a lane gets for its class, for each opponent beaten (TV-43)."""
    return BONUS.get((meeting.lane, class_of(meeting.won_with)), 0)


def swept(a: Shown, b: Shown, meetings: Sequence[Meeting], config: Config) -> int:
    """Return 1 if `a` has won all three lanes (打槍), -1 if `b` has, else 0.

    A drawn lane spoils it (TV-44). Against a fouled hand it counts unless the flag says no
    (TV-46).
    """
    if (a.fouled or b.fouled) and not config.foul_counts_as_gun:
        return 0
    signs = {meeting.sign for meeting in meetings}
    return signs.pop() if len(signs) == 1 else 0


def home_runner(
    shown: Sequence[Shown],
    met: dict[tuple[int, int], tuple[Meeting, ...]],
    config: Config,
) -> int | None:
    """Return the gate that has swept three ordinary opponents (全壘打), or None (TV-45)."""
    if len(shown) < PLAYERS_FOR_HOME_RUN:
        return None
    by_gate = {hand.gate: hand for hand in shown}
    guns = dict.fromkeys(by_gate, 0)
    for (a, b), meetings in met.items():
        match swept(by_gate[a], by_gate[b], meetings, config):
            case 1:
                guns[a] += 1
            case -1:
                guns[b] += 1
    return next((gate for gate, swept_ in guns.items() if swept_ == len(shown) - 1), None)


def special_units(a: Shown, b: Shown, config: Config) -> int:
    """Return what `a` collects from `b`, negative if he pays, where one has a special."""
    match compare_specials(a, b):
        case 1:
            return _collected(a, b, config)
        case -1:
            return -_collected(b, a, config)
        case _:
            return 0


def _collected(higher: Shown, lower: Shown, config: Config) -> int:
    """Return what the higher special collects: its own value, and it pays nothing back (TV-48)."""
    assert higher.special is not None, "the higher of two specials is one"
    if lower.special is None or config.special_vs_special == "higher_only":
        return higher.special.value
    if (higher.special.id, lower.special.id) in TAKEN_AWAY:
        return higher.special.value
    return higher.special.value - lower.special.value


def _cites(a: Shown, b: Shown, breakdown: Breakdown, variant: Variant) -> tuple[str, ...]:
    return once(
        variant.cites,
        ("TV-03", "TV-46") if a.fouled or b.fouled else (),
        ("TV-43",) if breakdown.bonus else (),
        ("TV-44", "TV-59") if breakdown.gun else (),
        ("TV-45",) if breakdown.home_run else (),
    )
