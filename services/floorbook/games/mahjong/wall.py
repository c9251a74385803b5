"""Where the wall is broken, who gets which tile, and which is next (RULE-BREAK, RULE-DEAL).

A *place* is a tile's index in draw order: 0 is the first tile after the break. A table that reads its
tiles from a sealed wall needs places only; positions such as `E14T` are for people at the table.
"""

from collections.abc import Mapping, Sequence

import msgspec

from floorbook.games.mahjong.seats import Seat
from floorbook.games.mahjong.variant import SIDES, Variant
from floorbook.games.requests import is_integer

CLOCKWISE = ("E", "N", "W", "S")
"""The walls as tiles are drawn, to the left around the table (MJ-04)."""
_JUMP_TILES = (0, 4)  # 挑牌: tops of the first and third stack that are left (MJ-05)
_NO_PLACES: tuple[int, ...] = ()


class Break(msgspec.Struct, frozen=True):
    """What the dice decide."""

    total: int
    side: Seat  # whose wall is broken
    remaining_on_side: int  # stacks to the left of those counted
    first: str  # the position that is drawn first
    tail: str  # 牌尾: the last stack, where replacement tiles come from


def check_dice(variant: Variant, faces: Sequence[object]) -> bool:
    """Return whether `faces` are the dice of the game, three or two of them."""
    return len(faces) == variant.dice and all(is_integer(f) and 1 <= f <= 6 for f in faces)


def break_of(variant: Variant, dice: Sequence[int]) -> Break:
    """Return where the wall is broken: walls counted counter-clockwise, stacks from the right.

    A count that is larger than the wall runs on into the next one clockwise (MJ-03).
    """
    total = sum(dice)
    return Break(
        total=total,
        side=SIDES[(total - 1) % 4],
        remaining_on_side=max(0, variant.stacks - total),
        first=f"{_stack(variant, dice, 0)}T",
        tail=_stack(variant, dice, -1),
    )


def draw_order(variant: Variant, dice: Sequence[int]) -> tuple[str, ...]:
    """Return the position of every place: in each stack the top tile comes before the bottom one."""
    stacks = [_stack(variant, dice, number) for number in range(4 * variant.stacks)]
    return tuple(f"{stack}{row}" for stack in stacks for row in "TB")


def _stack(variant: Variant, dice: Sequence[int], number: int) -> str:
    total = sum(dice)
    side = CLOCKWISE.index(SIDES[(total - 1) % 4])
    place = (side * variant.stacks + total + number) % (4 * variant.stacks)
    return f"{CLOCKWISE[place // variant.stacks]}{place % variant.stacks + 1}"


def dealt_places(variant: Variant, seats: Sequence[Seat]) -> Mapping[Seat, tuple[int, ...]]:
    """Return the places of every hand, in the order in which its tiles are taken.

    The dealer's last tile is the one that counts as drawn.
    """
    if variant.is_traditional:
        return _traditional_deal(seats)
    return _simplified_deal(seats)


def _traditional_deal(seats: Sequence[Seat]) -> dict[Seat, tuple[int, ...]]:
    """Return the deal of 甲: three times two stacks, then the jump tiles (挑牌), then one each."""
    places = {seat: list(_NO_PLACES) for seat in seats}
    taken = 0
    for _ in range(3):
        for seat in seats:
            places[seat] += range(taken, taken + 4)
            taken += 4
    singles = [place for place in range(len(seats) + 1) if place not in _JUMP_TILES]
    places[seats[0]] += (taken + place for place in _JUMP_TILES)
    for seat, place in zip(seats[1:], singles, strict=True):
        places[seat].append(taken + place)
    return {seat: tuple(own) for seat, own in places.items()}


def _simplified_deal(seats: Sequence[Seat]) -> dict[Seat, tuple[int, ...]]:
    """Return the deal of 乙: twice one stack, and one more tile for the dealer (取多一只, MJ-06)."""
    places = {seat: list(_NO_PLACES) for seat in seats}
    taken = 0
    for _ in range(2):
        for seat in seats:
            places[seat] += range(taken, taken + 2)
            taken += 2
    places[seats[0]].append(taken)
    return {seat: tuple(own) for seat, own in places.items()}


def front_place(variant: Variant, seats: int, fronts: int, replacements: int) -> int:
    """Return the place of the next tile from the front, of `fronts` draws and `replacements` so far.

    One tile at least must be left. If the top of the last stack is gone, its bottom tile is drawn.
    """
    size = variant.wall_size
    place = size - variant.remaining_after_deal(seats) + fronts
    assert fronts + replacements < variant.remaining_after_deal(seats), "the wall is empty"
    odd_top = size - replacements - 1  # the top tile that went without its bottom one
    return place + 1 if replacements % 2 and place == odd_top else place


def tail_place(variant: Variant, seats: int, fronts: int, replacements: int) -> int:
    """Return the place of the next replacement tile: the topmost of the last stack (牌尾, MJ-08)."""
    last = variant.wall_size - 1 - replacements
    assert fronts + replacements < variant.remaining_after_deal(seats), "the wall is empty"
    if replacements % 2:
        return last + 1
    top = last - 1
    dealt = variant.wall_size - variant.remaining_after_deal(seats)
    # The front may have taken the top tile of this very stack.
    return top if dealt + fronts <= top else last
