"""Decides which mahjong tables there can be, and how one is played from the first hand to the last."""

from typing import Final

from floorbook.demo.at_table import Place
from floorbook.demo.casino import Plan
from floorbook.demo.mahjong.misbehave import Mischief
from floorbook.demo.mahjong.play import Conduct, play_hand
from floorbook.demo.mahjong.script import Script, script_of
from floorbook.demo.mahjong.seen import MahjongSeen
from floorbook.demo.mahjong.table import HANDS_OF_A_CYCLE, MahjongTable
from floorbook.games.mahjong.variant import VARIANTS

PLANS: Final = tuple(
    Plan(
        variant.id,
        fewest_players=min(variant.seat_counts),
        most_players=max(variant.seat_counts),
    )
    for variant in VARIANTS
)

# Where nearly all hands are made void a cycle need never end.
_MOST: Final = 5


class PlayedMahjongTable(MahjongTable):
    """A table of mahjong that plays as its scripts say."""

    def __init__(self, place: Place[MahjongSeen], conduct: Conduct | None = None) -> None:
        """Return the table, not yet open; its conduct is mischief if it is to misbehave."""
        super().__init__(place)
        self._conduct = conduct or (Mischief() if place.misbehave else Conduct())

    def goes_on(self, played: int, rounds: int) -> bool:
        """Return whether another hand is played after so many: a cycle (循環) is not broken off.

        Who asks for fewer hands than a cycle has gets just these.
        """
        in_cycle = rounds >= HANDS_OF_A_CYCLE and not self.next.cycle_complete
        return played < rounds or (in_cycle and played < _MOST * rounds)

    async def play(self, number: int) -> None:
        """Return when the `number`-th hand is settled; or raise `RoundIsVoid`."""
        await play_hand(self, self._script(number), self._conduct)

    async def after_round(self, number: int) -> None:
        """Return when whatever concerns settled hands is done."""
        await self._conduct.after_hand(self, self._script(number))

    def _script(self, number: int) -> Script:
        return script_of(
            self.place.seed, self.table.number, number, self.variant, self.place.misbehave
        )
