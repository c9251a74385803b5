"""Who may see what (RULE-VISIBLE): a seat's view never holds what that seat may not see."""

from collections.abc import Sequence

from floorbook.games.mahjong.melds import Meld
from floorbook.games.mahjong.play import ActKind, Play
from floorbook.games.mahjong.seats import Seat

_FACE_DOWN: frozenset[ActKind] = frozenset({"draw", "replacement", "concealed_kong"})


def shows_its_tile(kind: ActKind) -> bool:
    """Return whether everybody sees the tile of an act; else only the seat that acts does.

    Of a draw the others see that and from which end, of a concealed kong (暗槓) that there is one
    (MJ-63).
    """
    return kind not in _FACE_DOWN


def seen_melds(melds: Sequence[Meld], own: bool) -> tuple[Meld | None, ...]:
    """Return declared sets as their owner or another seat sees them: None is a face-down kong."""
    return tuple(meld if own or meld.open else None for meld in melds)


def shown_at_the_end(play: Play) -> Seat | None:
    """Return whose tiles everybody sees, concealed kongs included, once the hand is over.

    The winner's or false winner's. All other hands, and the order of the wall, stay hidden.
    """
    return None if play.ended is None else play.ended.declared.seat
