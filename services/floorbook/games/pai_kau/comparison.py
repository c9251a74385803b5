"""Who wins when a player's hand meets the banker's: front against front, back against back (A6.3)."""

from collections.abc import Mapping

import msgspec

from floorbook.games.pai_kau.ranking import Pair, stronger

PLAYER, BANKER, TIE, PUSH = "player", "banker", "tie", "push"

_RESULTS: Mapping[int, str] = {1: PLAYER, -1: BANKER, 0: TIE}


class Comparison(msgspec.Struct, frozen=True):
    """Who wins each pair, and who the hand."""

    front_result: str
    back_result: str
    outcome: str


def compare_hands(front: Pair, back: Pair, banker_front: Pair, banker_back: Pair) -> Comparison:
    """Return how a player's front and back stand against the banker's.

    A tie helps nobody (庄並不食夾棍, A9.1, PK-48): the other pair then decides alone.
    """
    in_front = stronger(front, banker_front)
    behind = stronger(back, banker_back)
    total = in_front + behind
    outcome = PUSH if total == 0 else PLAYER if total > 0 else BANKER
    return Comparison(_RESULTS[in_front], _RESULTS[behind], outcome)
