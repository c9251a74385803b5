"""What every element of faan (番) asks of a winning hand: one function each (sections 8 and 9).

The lists are closed (MJ-31): seven pairs, a concealed hand or the shape of the wait are worth nothing.
"""

from collections.abc import Callable
from functools import cache

import msgspec

from floorbook.games.mahjong.hand import WinningHand
from floorbook.games.mahjong.splits import CHOW
from floorbook.games.mahjong.tiles import (
    ALL_SUITED,
    DRAGON_KINDS,
    FORTUNE,
    HONOUR_KINDS,
    ORPHAN_KINDS,
    RED,
    SUIT_KINDS,
    TERMINAL_KINDS,
    WHITE,
    WIND_KINDS,
    Tile,
    is_honour,
)
from floorbook.games.mahjong.variant import Variant


class Pattern(msgspec.Struct, frozen=True):
    """One element of faan: its code, its name, its worth, and when it holds."""

    code: str
    chinese: str
    faan: int
    holds: Callable[[WinningHand], bool]
    cites: tuple[str, ...] = ()


# Dragons and winds


def _has_triplet(hand: WinningHand, tile: Tile) -> bool:
    return bool(hand.triplets >> tile & 1)


def red_dragon(hand: WinningHand) -> bool:
    """碰出或槓中: a triplet of 中, called or concealed (DRAGON_C, MJ-15)."""
    return _has_triplet(hand, RED)


def green_dragon(hand: WinningHand) -> bool:
    """碰出或槓發: a triplet of 發, called or concealed (DRAGON_F, MJ-15)."""
    return _has_triplet(hand, FORTUNE)


def white_dragon(hand: WinningHand) -> bool:
    """碰出或槓白: a triplet of 白, called or concealed (DRAGON_B, MJ-15)."""
    return _has_triplet(hand, WHITE)


def round_wind(hand: WinningHand) -> bool:
    """圈風: a triplet of the round wind, which is not the seat's too (ROUND_WIND)."""
    return hand.round_wind != hand.seat_wind and _has_triplet(hand, hand.round_wind)


def seat_wind(hand: WinningHand) -> bool:
    """坐位門風: a triplet of the seat's wind, which is not the round's too (SEAT_WIND)."""
    return hand.round_wind != hand.seat_wind and _has_triplet(hand, hand.seat_wind)


def double_wind(hand: WinningHand) -> bool:
    """雙番門風牌: a triplet of the wind that is the round's and the seat's (DOUBLE_WIND)."""
    return hand.round_wind == hand.seat_wind and _has_triplet(hand, hand.seat_wind)


def _triplets_of(hand: WinningHand, kinds: int) -> int:
    return (hand.triplets & kinds).bit_count()


def little_dragons(hand: WinningHand) -> bool:
    """小三元: triplets of two dragons and a pair of the third (LITTLE_DRAGONS, MJ-01)."""
    return _triplets_of(hand, DRAGON_KINDS) == 2 and bool(DRAGON_KINDS >> hand.pair & 1)


def big_dragons(hand: WinningHand) -> bool:
    """大三元: triplets of all three dragons (BIG_DRAGONS)."""
    return hand.triplets & DRAGON_KINDS == DRAGON_KINDS


def little_winds(hand: WinningHand) -> bool:
    """小四喜: triplets of three winds and a pair of the fourth (LITTLE_WINDS, MJ-01)."""
    return _triplets_of(hand, WIND_KINDS) == 3 and bool(WIND_KINDS >> hand.pair & 1)


def big_winds(hand: WinningHand) -> bool:
    """大四喜: triplets of all four winds (BIG_WINDS)."""
    return hand.triplets & WIND_KINDS == WIND_KINDS


# Sets


def _is_plain(hand: WinningHand) -> bool:
    """四上牌: four chows, and a pair without faan (MJ-24)."""
    if hand.triplets:
        return False
    return not DRAGON_KINDS >> hand.pair & 1 and hand.pair not in (hand.round_wind, hand.seat_wind)


def plain(hand: WinningHand) -> bool:
    """平糊: four chows, and a pair that is no dragon, no round and no seat wind (PLAIN)."""
    return _is_plain(hand) and not _is_half_flush(hand)


def _is_kankan(hand: WinningHand) -> bool:
    if hand.chows or hand.open:
        return False
    return hand.win.kind == "self_draw" or not hand.config.kankan_self_draw_only


def all_triplets(hand: WinningHand) -> bool:
    """對對糊: four triplets, unless they make 坎坎糊 (ALL_TRIPLETS)."""
    return not hand.chows and not _is_kankan(hand)


def concealed_triplets(hand: WinningHand) -> bool:
    """坎坎糊: four triplets and nothing open on the table (CONCEALED_TRIPLETS, MJ-02, MJ-23).

    Concealed kongs are allowed, and a discard wins too unless the house wants a self-draw.
    """
    return _is_kankan(hand)


# Suits


def _is_half_flush(hand: WinningHand) -> bool:
    suited = hand.kinds & ALL_SUITED
    if not suited or not hand.kinds & HONOUR_KINDS:
        return False
    return any(suited & suit == suited for suit in SUIT_KINDS)


def half_flush(hand: WinningHand) -> bool:
    """混一色: one suit and honours, whether these have faan or not (HALF_FLUSH, MJ-20)."""
    return _is_half_flush(hand) and not _is_plain(hand)


def half_flush_plain(hand: WinningHand) -> bool:
    """混一色平糊: one suit, four chows and a pair of honours without faan (HALF_FLUSH_PLAIN)."""
    return _is_half_flush(hand) and _is_plain(hand)


def full_flush(hand: WinningHand) -> bool:
    """清一色: all tiles of one suit; chows and triplets may mix (FULL_FLUSH)."""
    return any(hand.kinds & suit == hand.kinds for suit in SUIT_KINDS)


def _touches_terminal(tile: Tile, form: int) -> bool:
    """Return whether a set, or a pair as a triplet, has a terminal or honour."""
    if is_honour(tile):
        return True
    return tile % 9 in ((0, 6) if form == CHOW else (0, 8))


def mixed_terminals(hand: WinningHand) -> bool:
    """混么: terminals and honours, at least one of each (MIXED_TERMINALS, MJ-22).

    All tiles, or, as some houses read it, at least one in every set and in the pair, beside a suited
    tile and an honour anywhere.
    """
    if not hand.kinds & HONOUR_KINDS or not hand.kinds & ALL_SUITED:
        return False
    if hand.config.mixed_terminals == "tiles":
        return hand.kinds & ORPHAN_KINDS == hand.kinds
    return all(_touches_terminal(tile, form) for tile, form in (*hand.sets, (hand.pair, 0)))


def all_terminals(hand: WinningHand) -> bool:
    """清么: every tile is a 1 or a 9 (ALL_TERMINALS)."""
    return hand.kinds & TERMINAL_KINDS == hand.kinds


def all_honours(hand: WinningHand) -> bool:
    """全字: every tile is a wind or a dragon (ALL_HONOURS)."""
    return hand.kinds & HONOUR_KINDS == hand.kinds


def thirteen_orphans(hand: WinningHand) -> bool:
    """十三么: all thirteen terminals and honours, one of them twice (THIRTEEN_ORPHANS, MJ-59)."""
    return hand.kinds == ORPHAN_KINDS


# The winning tile


def rob_kong(hand: WinningHand) -> bool:
    """搶別家明槓: won on the tile that another adds to a declared pong (ROB_KONG, MJ-17)."""
    return hand.win.kind == "robbed_kong"


def kong_win(hand: WinningHand) -> bool:
    """槓上花: won on the replacement tile of a single kong (KONG_WIN)."""
    return hand.win.kong_chain == 1


def kong_on_kong(hand: WinningHand) -> bool:
    """槓上槓食糊: won on the replacement tile of a second kong in one turn (KONG_ON_KONG, MJ-26)."""
    return hand.win.kong_chain >= 2


def last_tile(hand: WinningHand) -> bool:
    """海底撈月: self-drawn on the last tile of the wall, replacement or not (LAST_TILE, MJ-27)."""
    return hand.win.last_tile


def heavenly(hand: WinningHand) -> bool:
    """天糊: the dealer's dealt tiles are a winning hand (HEAVENLY, MJ-25)."""
    return hand.win.heavenly


def earthly(hand: WinningHand) -> bool:
    """地糊: won on the dealer's first discard (EARTHLY, MJ-25)."""
    return hand.win.earthly


def fortune_tile(hand: WinningHand) -> bool:
    """食糊牌為番子: the winning tile itself is 發 (FORTUNE_TILE, MJ-29)."""
    return hand.win_tile == FORTUNE


_CIRCUMSTANCES = (
    Pattern("ROB_KONG", "搶別家明槓", 1, rob_kong, ("RULE-ROB", "MJ-39")),
    Pattern("KONG_WIN", "槓上花", 1, kong_win),
    Pattern("KONG_ON_KONG", "槓上槓食糊", 2, kong_on_kong, ("MJ-26",)),
    Pattern("LAST_TILE", "海底撈月", 1, last_tile, ("MJ-27",)),
    Pattern("HEAVENLY", "天糊", 2, heavenly, ("MJ-25",)),
    Pattern("EARTHLY", "地糊", 2, earthly, ("MJ-25",)),
)
_HONOUR_SETS = (
    Pattern("DRAGON_C", "中", 1, red_dragon, ("MJ-15",)),
    Pattern("DRAGON_F", "發", 1, green_dragon, ("MJ-15",)),
    Pattern("DRAGON_B", "白", 1, white_dragon, ("MJ-15",)),
    Pattern("ROUND_WIND", "圈風", 1, round_wind, ("MJ-15",)),
    Pattern("SEAT_WIND", "門風", 1, seat_wind, ("MJ-15",)),
    Pattern("DOUBLE_WIND", "雙番門風牌", 2, double_wind, ("MJ-15",)),
    Pattern("LITTLE_DRAGONS", "小三元", 1, little_dragons, ("MJ-01", "MJ-15")),
    Pattern("BIG_DRAGONS", "大三元", 2, big_dragons, ("MJ-15",)),
    Pattern("LITTLE_WINDS", "小四喜", 1, little_winds, ("MJ-01", "MJ-15")),
    Pattern("BIG_WINDS", "大四喜", 2, big_winds, ("MJ-15",)),
)
_FORMS = (
    Pattern("PLAIN", "平糊", 1, plain, ("MJ-24",)),
    Pattern("ALL_TRIPLETS", "對對糊", 1, all_triplets, ("MJ-15", "MJ-23")),
    Pattern("CONCEALED_TRIPLETS", "坎坎糊", 2, concealed_triplets, ("MJ-02", "MJ-23")),
    Pattern("HALF_FLUSH", "混一色", 1, half_flush, ("MJ-20",)),
    Pattern("HALF_FLUSH_PLAIN", "混一色平糊", 2, half_flush_plain, ("MJ-20", "MJ-24")),
    Pattern("FULL_FLUSH", "清一色", 2, full_flush),
    Pattern("MIXED_TERMINALS", "混么", 1, mixed_terminals, ("MJ-22",)),
    Pattern("ALL_TERMINALS", "清么", 2, all_terminals),
    Pattern("ALL_HONOURS", "全字", 2, all_honours),
)
TRADITIONAL_PATTERNS = (*_HONOUR_SETS, *_FORMS, *_CIRCUMSTANCES)
"""The elements of 甲 for sets and a pair, in the order of section 8."""
ORPHANS_PATTERNS = (
    Pattern("THIRTEEN_ORPHANS", "十三么", 2, thirteen_orphans, ("MJ-59",)),
    *_CIRCUMSTANCES,
)
"""What thirteen orphans can have."""
SIMPLIFIED_PATTERNS = (
    Pattern("FORTUNE_TILE", "食糊牌為番子", 1, fortune_tile, ("MJ-29",)),
    Pattern("LAST_TILE", "海底撈月", 1, last_tile, ("MJ-27",)),
)
"""The elements of 乙; the robbed kong that the source names cannot occur (MJ-17, MJ-28)."""
CHICKEN = Pattern("CHICKEN", "雞糊", 0, lambda _: True, ("MJ-19",))
"""雞糊: a winning hand in which nothing else holds; there is no minimum (CHICKEN, MJ-19)."""


@cache
def _candidates(honours: bool, unusual: bool) -> tuple[Pattern, ...]:
    return _HONOUR_SETS * honours + _FORMS + _CIRCUMSTANCES * unusual


def candidates(variant: Variant, hand: WinningHand, *, orphans: bool) -> tuple[Pattern, ...]:
    """Return the elements that a hand can have: most hands have no triplet of honours.

    And most winning tiles come in no unusual way.
    """
    if not variant.is_traditional:
        return SIMPLIFIED_PATTERNS
    if orphans:
        return ORPHANS_PATTERNS
    return _candidates(bool(hand.triplets & HONOUR_KINDS), hand.win.is_unusual)
