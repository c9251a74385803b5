"""Decides which tables of Thirteen Cards there can be, and how one is played from the first round to the last."""

from typing import Final

from floorbook.demo.at_table import Place
from floorbook.demo.casino import Plan
from floorbook.demo.thirteen_cards.misbehave import Mischief
from floorbook.demo.thirteen_cards.play import Conduct, play_round
from floorbook.demo.thirteen_cards.script import Script, script_of
from floorbook.demo.thirteen_cards.seen import CardsSeen
from floorbook.demo.thirteen_cards.table import CardTable
from floorbook.games.thirteen_cards.procedure import procedure_of
from floorbook.table.events import EquipmentKind
from floorbook.table.thirteen_cards.play import RULE_SETS

# Two who play, up to one who waits until a gate is free.
_FEWEST_PLAYERS, _MOST_PLAYERS = 2, 5


def _plan(rule_set: str) -> Plan:
    """Return what a table is furnished for: without dice a variant needs none to read them."""
    if procedure_of(rule_set).dice:
        return Plan(rule_set)
    shuffler = (("shuffler", EquipmentKind.SHUFFLER),)
    return Plan(rule_set, shuffler, _FEWEST_PLAYERS, _MOST_PLAYERS)


PLANS: Final = tuple(map(_plan, RULE_SETS))


class PlayedCardTable(CardTable):
    """A table of Thirteen Cards that plays as its scripts say."""

    def __init__(self, place: Place[CardsSeen], conduct: Conduct | None = None) -> None:
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
        return script_of(
            self.place.seed,
            self.table.number,
            number,
            len(self.players),
            self.banker_gate,
            self.place.misbehave,
            self.steps,
        )
