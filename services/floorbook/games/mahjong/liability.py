"""Who must pay for everybody (包輸), and what exempts from it (11.4).

What the discarder held and what lay open is taken as it was just before the discard. A fact that is
not known makes the rules that need it not hold.
"""

from collections.abc import Callable, Sequence

import msgspec

from floorbook.games.mahjong.distance import is_complete, is_ready
from floorbook.games.mahjong.hand import Declared, Setting
from floorbook.games.mahjong.melds import Meld, is_set, tiles_of
from floorbook.games.mahjong.seats import Seat
from floorbook.games.mahjong.tiles import COPIES, DRAGONS, FORTUNE, HONOURS, WINDS, Tile, is_honour


class Facts(msgspec.Struct, frozen=True, array_like=True):
    """What the events of a hand tell beside the win itself (RULE-FACTS)."""

    discarder_concealed: tuple[Tile, ...] | None = None  # the discarded tile included
    discarder_melds: tuple[Meld, ...] = ()
    visible: tuple[Tile, ...] | None = None  # without the discarded tile
    turns_since_fourth_meld: int | None = None


class Liability(msgspec.Struct, frozen=True):
    """The liable seat, the rules that hold, and what exempts from them."""

    liable: Seat | None = None
    rules: tuple[str, ...] = ()
    exempted_by: tuple[str, ...] = ()


class Case(msgspec.Struct, frozen=True):
    """A win that stands, as the rules of liability look at it."""

    setting: Setting
    declared: Declared
    codes: frozenset[str]  # the faan list
    facts: Facts

    @property
    def fed(self) -> bool:
        """Return whether the winning tile was somebody's: a discard, or a robbed kong (MJ-39)."""
        return self.declared.win.kind != "self_draw"

    @property
    def discarded(self) -> bool:
        """Return whether the winning tile was discarded (出沖)."""
        return self.declared.win.kind == "discard"

    @property
    def landed(self) -> list[Meld]:
        """Return the sets on the table (落地): a concealed kong was not fed (MJ-38)."""
        every = self.setting.config.concealed_kong_landed
        return [meld for meld in self.declared.melds if meld.open or every]

    @property
    def held(self) -> Sequence[Tile]:
        """Return what the discarder had concealed; nothing if that is not known."""
        return self.facts.discarder_concealed or ()


# The traditional game


def nine_tiles_landed(case: Case) -> bool:
    """清一色九章落地: fed a full flush of which three sets lie on the table (LIA-T1)."""
    return case.fed and "FULL_FLUSH" in case.codes and len(case.landed) >= 3


def fed_twelfth_tile(case: Case) -> bool:
    """供清一色十二章者，包摸一輪: fed the fourth set of a full flush that is self-drawn (LIA-T2).

    Until the end of the winner's next turn, replacement tiles included (MJ-40).
    """
    turns = case.facts.turns_since_fourth_meld
    return (
        not case.fed
        and "FULL_FLUSH" in case.codes
        and len(case.landed) == 4
        and case.declared.melds[-1].source is not None
        and turns is not None
        and turns <= 1
    )


def fed_big_hand(case: Case) -> bool:
    """出沖而讓其糊出大三元、大四喜: with two dragon or three wind sets landed (LIA-T3, MJ-41)."""
    if not case.fed:
        return False
    landed = [meld.tile for meld in case.landed]
    dragons = sum(tile in DRAGONS for tile in landed)
    winds = sum(tile in WINDS for tile in landed)
    return ("BIG_DRAGONS" in case.codes and dragons >= 2) or (
        "BIG_WINDS" in case.codes and winds >= 3
    )


def held_dead_honour(case: Case) -> bool:
    """扣起絕張番子: kept an honour whose other three lie open (LIA-T4, MJ-42)."""
    return _held_dead(case, HONOURS)


def _held_dead(case: Case, honours: Sequence[Tile]) -> bool:
    tile, visible = case.declared.win_tile, case.facts.visible
    if not case.discarded or visible is None:
        return False
    dead = [
        honour
        for honour in honours
        if case.held.count(honour) == 1 and visible.count(honour) == COPIES - 1
    ]
    # Who had to discard one of two dead honours could not keep both.
    return bool(dead) and tile not in dead


def broke_triplet(case: Case) -> bool:
    """未叫糊拆碰牌: discarded from a concealed triplet and was not ready (LIA-T5, MJ-43)."""
    if not _had_triplet(case):
        return False
    return case.setting.config.break_triplet_liable_when_ready or not _ready_without(
        case, case.declared.win_tile
    )


def _had_triplet(case: Case) -> bool:
    return case.discarded and case.held.count(case.declared.win_tile) == 3


def did_not_call(case: Case) -> bool:
    """有糊不叫: gave up a complete hand, or being ready (LIA-T6, MJ-44)."""
    return case.discarded and _not_called(case)


def _not_called(case: Case) -> bool:
    tile = case.declared.win_tile
    if not case.held:
        return False
    if _was_complete(case):
        return True
    others = set(case.held) - {tile}
    return any(_ready_without(case, other) for other in others) and not _ready_without(case, tile)


def _was_complete(case: Case) -> bool:
    melds = case.facts.discarder_melds
    return _are_sets(case) and is_complete(
        case.setting.variant, case.held, tiles_of(melds), len(melds)
    )


def _ready_without(case: Case, tile: Tile) -> bool:
    """Return whether the discarder is ready (叫糊) once one `tile` is discarded."""
    melds = case.facts.discarder_melds
    rest = list(case.held)
    rest.remove(tile)
    return _are_sets(case) and is_ready(case.setting.variant, rest, tiles_of(melds), len(melds))


def _are_sets(case: Case) -> bool:
    return all(is_set(case.setting.variant, meld) for meld in case.facts.discarder_melds)


# The simplified game


def held_dead_fortune(case: Case) -> bool:
    """扣起絕張發財: kept the 發 whose other three lie open (LIA-S1)."""
    return _held_dead(case, (FORTUNE,))


def broke_triplet_uncalled(case: Case) -> bool:
    """有糊不叫，並拆打一副碰牌: both together (LIA-S2, MJ-47)."""
    return _had_triplet(case) and _not_called(case)


# Exemptions


def all_honours_or_terminals(case: Case) -> bool:
    """全字全么，一律不須包輸 (EXM-T9): 全字 and 清么 only (MJ-45)."""
    return bool(case.codes & {"ALL_HONOURS", "ALL_TERMINALS"})


def live_honour(case: Case) -> bool:
    """打出生張番子及門風牌: an honour of which none lay open (EXM-T10, MJ-46)."""
    return is_honour(case.declared.win_tile) and _is_live(case)


def live_fortune(case: Case) -> bool:
    """打出生張發財: a 發 while none lay open (EXM-S4)."""
    return case.declared.win_tile == FORTUNE and _is_live(case)


def _is_live(case: Case) -> bool:
    visible = case.facts.visible
    return case.discarded and visible is not None and case.declared.win_tile not in visible


_Rules = tuple[tuple[str, Callable[[Case], bool]], ...]
_BIG_HANDS = "LIA-T3"
_TRADITIONAL: _Rules = (
    ("LIA-T1", nine_tiles_landed),
    ("LIA-T2", fed_twelfth_tile),
    (_BIG_HANDS, fed_big_hand),
    ("LIA-T4", held_dead_honour),
    ("LIA-T5", broke_triplet),
    ("LIA-T6", did_not_call),
)
_TRADITIONAL_EXEMPTIONS: _Rules = (
    ("EXM-T9", all_honours_or_terminals),
    ("EXM-T10", live_honour),
)
_SIMPLIFIED: _Rules = (("LIA-S1", held_dead_fortune), ("LIA-S2", broke_triplet_uncalled))
_SIMPLIFIED_EXEMPTIONS: _Rules = (("EXM-S4", live_fortune),)


def liability(case: Case) -> Liability:
    """Return who is liable for a win, by which rules, and what exempts from them.

    All rules that hold together name one seat, which pays once (MJ-56).
    """
    traditional = case.setting.variant.is_traditional
    rules = _holding(_TRADITIONAL if traditional else _SIMPLIFIED, case)
    if not rules:
        return Liability()
    exempted = _holding(_TRADITIONAL_EXEMPTIONS if traditional else _SIMPLIFIED_EXEMPTIONS, case)
    left = rules
    if exempted:
        # Some houses do not exempt from big hands who discards a live honour (MJ-46).
        strict = not case.setting.config.live_honour_exempts_big_hands
        kept = strict and exempted == ("EXM-T10",)
        left = tuple(rule for rule in rules if kept and rule == _BIG_HANDS)
    win = case.declared.win
    liable = win.source if case.fed else case.declared.melds[-1].source
    return Liability(liable if left else None, rules, exempted)


def _holding(rules: _Rules, case: Case) -> tuple[str, ...]:
    return tuple(rule for rule, holds in rules if holds(case))
