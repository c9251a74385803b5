"""Decides which tables of Pai Kau there can be, and how one is played from the first round to the last."""

from typing import Final

from floorbook.demo.at_table import Place
from floorbook.demo.casino import Plan
from floorbook.demo.pai_kau.misbehave import Mischief
from floorbook.demo.pai_kau.play import Conduct, play_round
from floorbook.demo.pai_kau.script import Script, script_of
from floorbook.demo.pai_kau.seen import TilesSeen
from floorbook.demo.pai_kau.table import TileTable
from floorbook.table.events import EquipmentKind
from floorbook.table.pai_kau.play import RULE_SETS

_DEVICES: Final = (
    ("shuffler", EquipmentKind.SHUFFLER),
    ("dice", EquipmentKind.DICE),
    ("reader", EquipmentKind.SHOE),
)
_FEWEST_PLAYERS, _MOST_PLAYERS = 6, 8

PLANS: Final = tuple(
    Plan(rule_set, _DEVICES, _FEWEST_PLAYERS, _MOST_PLAYERS) for rule_set in RULE_SETS
)


class PlayedTileTable(TileTable):
    """A table of Pai Kau that plays as its scripts say."""

    def __init__(self, place: Place[TilesSeen], conduct: Conduct | None = None) -> None:
        """Return the table, not yet open; its conduct is mischief if it is to misbehave."""
        super().__init__(place)
        self._conduct = conduct or (Mischief() if place.misbehave else Conduct())

    async def play(self, number: int) -> None:
        """Return when the `number`-th round is settled; or raise `RoundIsVoid`."""
        await play_round(self, self._script(number), self._conduct)

    async def after_round(self, number: int) -> None:
        """Return when whatever concerns settled rounds is done."""
        await self._conduct.after_round(self, self._script(number))

    def _script(self, number: int) -> Script:
        return script_of(self.place.seed, self.table.number, number, self.place.misbehave)
