"""What a hand's log comes to: the first refused act, or how the hand ended (13.4, RULE-FACTS)."""

from collections.abc import Sequence

import msgspec

from floorbook.games.mahjong.hand import Setting
from floorbook.games.mahjong.payment import Stakes
from floorbook.games.mahjong.play import Act, Ended, Play, applied, is_exhausted, refusal
from floorbook.games.mahjong.reading import check_copies
from floorbook.games.mahjong.reading_play import known_tiles
from floorbook.games.mahjong.settle import Settlement, settle


class Refusal(msgspec.Struct, frozen=True):
    """The first act of a log that the rules refuse."""

    index: int
    reason: str


class Logged(msgspec.Struct, frozen=True):
    """A hand after its log: one of refused, won (rightly or not), a draw, or unfinished."""

    play: Play
    refusal: Refusal | None = None
    settlement: Settlement | None = None

    @property
    def ended(self) -> Ended | None:
        """Return the declared win that ended the hand."""
        return self.play.ended

    @property
    def status(self) -> str:
        """Return what the log is."""
        if self.refusal is not None:
            return "refused"
        if self.ended is not None:
            return self.ended.verdict.status
        return "draw" if is_exhausted(self.play) else "unfinished"


def played(setting: Setting, start: Play, acts: Sequence[Act], stakes: Stakes | None) -> Logged:
    """Return what a log comes to; raises RequestRefused for a tile that is there a fifth time."""
    play = start
    for index, act in enumerate(acts):
        reason = refusal(setting, play, act)
        if reason is not None:
            return Logged(play, Refusal(index, reason))
        play = applied(setting, play, act)
        if act.kind in ("draw", "replacement"):
            check_copies(known_tiles(play), where=f"events[{index}]")
    if play.ended is None:
        return Logged(play)
    ended = play.ended
    return Logged(play, settlement=settle(setting, ended.declared, ended.facts, stakes))
