"""Decides which games can be played at simulated tables, and by which rule sets they are asked for.

Lines, devices, terminals, the tally, progress and reconciliation are the same for every game and know
none. A game adds a package of its own, as `demo/thirteen_cards` is one, with

* a view, a `Seen` that learns from what the game discloses;
* an `AtTable`: the fact that opens the table (`terms`), who sits where (`take_places`), one round
  (`play`) in which everybody acts on what he was shown, and what goes wrong on purpose, of which
  `tricks.py` has what can happen at any table;
* a `Game` in `GAMES` below: its rule sets, the devices of a table, how many players come to it.

Nothing else: reconciliation folds and judges by the table's and the evaluator's own code.
"""

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, Final

from msgspec import Struct

from floorbook.demo.at_table import AtTable, Place
from floorbook.demo.casino import Plan
from floorbook.demo.mahjong import game as mahjong
from floorbook.demo.mahjong.seen import MahjongSeen
from floorbook.demo.pai_kau import game as pai_kau
from floorbook.demo.pai_kau.seen import TilesSeen
from floorbook.demo.seen import Seen
from floorbook.demo.thirteen_cards import game as thirteen_cards
from floorbook.demo.thirteen_cards.seen import CardsSeen

ALL: Final = "all"
"""What is asked for to have the tables play all rule sets in turn."""


class Game(Struct, frozen=True):
    """A game that simulated people can play."""

    plans: tuple[Plan, ...]
    seen: Callable[[str, float], Seen]
    at_table: Callable[[Place[Any]], AtTable[Any]]


GAMES: Final = (
    Game(thirteen_cards.PLANS, CardsSeen, thirteen_cards.PlayedCardTable),
    Game(pai_kau.PLANS, TilesSeen, pai_kau.PlayedTileTable),
    Game(mahjong.PLANS, MahjongSeen, mahjong.PlayedMahjongTable),
)


@cache
def games() -> dict[str, Game]:
    """Return every game by the rule sets it plays."""
    return {plan.rule_set: game for game in GAMES for plan in game.plans}


def rule_sets() -> tuple[str, ...]:
    """Return what can be played."""
    return tuple(games())


def plans_of(choice: str) -> Sequence[Plan]:
    """Return what tables are furnished for, in turn, when `choice` is played: a rule set or all."""
    plans = [plan for game in GAMES for plan in game.plans]
    return plans if choice == ALL else [plan for plan in plans if plan.rule_set == choice]
