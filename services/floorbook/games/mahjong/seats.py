"""Who sits where, and who comes next (RULE-SEATS).

Play runs counter-clockwise (逆時針), E, S, W, N; empty seats are passed over. A seat's name is its wind
for one hand, `E` the dealer.
"""

from collections.abc import Sequence

from floorbook.games.mahjong.tiles import TILE_OF, Tile
from floorbook.games.mahjong.variant import SIDES, Variant

Seat = str
DEALER: Seat = "E"


def seating(variant: Variant, seats: Sequence[object]) -> tuple[Seat, ...] | None:
    """Return the occupied `seats` counter-clockwise; None if the game cannot be played so (MJ-07).

    They are filled E, S, W, N: three players leave North empty.
    """
    count = len(seats)
    if count not in variant.seat_counts:
        return None
    filled = SIDES[:count]
    if tuple(seats) == filled:
        return filled
    return filled if all(seat in seats for seat in filled) else None


def next_seat(seats: Sequence[Seat], seat: Seat) -> Seat:
    """Return the lower seat (下家) of `seat`: the next occupied one counter-clockwise."""
    return seats[(seats.index(seat) + 1) % len(seats)]


def others_from(seats: Sequence[Seat], seat: Seat) -> tuple[Seat, ...]:
    """Return all other seats counter-clockwise, from the right of `seat` on."""
    place = seats.index(seat)
    return (*seats[place + 1 :], *seats[:place])


def wind_of(seat: Seat) -> Tile:
    """Return the tile of a seat's or a round's wind (門風, 圈風)."""
    return TILE_OF[seat]
