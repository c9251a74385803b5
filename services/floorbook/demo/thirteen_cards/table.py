"""Decides what a simulated table of Thirteen Cards is opened with, and who sits where at it (A12, B10)."""

from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final

from msgspec.structs import replace

from floorbook.demo.at_table import Actor, AtTable, Place
from floorbook.demo.casino import LEAST_UNIT_MINOR, chance
from floorbook.demo.devices import Device
from floorbook.demo.thirteen_cards import people
from floorbook.demo.thirteen_cards.seen import CardsSeen
from floorbook.games.thirteen_cards.deal import GATES
from floorbook.games.thirteen_cards.procedure import procedure_of
from floorbook.table.events import TableOpened
from floorbook.table.thirteen_cards import facts
from floorbook.table.thirteen_cards.shapes import ThirteenCardsOptions

HURRIED_LIMIT_MS: Final = 1_500
"""The time for arranging at tables that misbehave: nobody wants to wait five minutes for who is late."""

_ROUNDS_REMEMBERED: Final = 5
_FLAGS: Mapping[str, Mapping[str, object]] = MappingProxyType(
    {"four_player": {"service_fee_bps": 200, "service_fee_minor": 500}}
)
# Whose gate the banker's is cannot be seen before somebody takes it: people know it from the rules.
_HOUSE_BANKS: Final = frozenset(("thirteen_cards", "declare_2"))
_CHANGES: Final = 0.25  # how often a player who waits gets a gate


@dataclass(frozen=True, slots=True)
class SettledRound:
    """A round that was settled, with the cards of its gates: all hands are open then."""

    round_id: str
    number: int
    cards: dict[int, tuple[str, ...]]
    gates: tuple[int, ...]


def flags_of(rule_set: str, misbehave: float) -> dict[str, object]:
    """Return the flags with which a table is opened."""
    if misbehave and procedure_of(rule_set).banker_opens_first:
        return {"arrange_limit_ms": HURRIED_LIMIT_MS}
    return dict(_FLAGS.get(rule_set, {}))


class CardTable(AtTable[CardsSeen]):
    """A table of one rule set of Thirteen Cards with its people and devices."""

    def __init__(self, place: Place[CardsSeen]) -> None:
        """Return the table with everybody at it, not yet open."""
        super().__init__(place)
        self.rule_set = place.table.rule_set
        self.banker_gate = place.table.banker_gate
        self.steps = procedure_of(self.rule_set)
        self.flags = flags_of(self.rule_set, place.misbehave)
        self.rules = people.rules_of(self.rule_set, self.flags)
        self.settled: deque[SettledRound] = deque(maxlen=_ROUNDS_REMEMBERED)

    @property
    def shuffler(self) -> Device:
        """Return the device that shuffles and seals the pack."""
        return self.devices["shuffler"]

    @property
    def terms(self) -> TableOpened:
        """Return the fact that opens the table."""
        options = ThirteenCardsOptions(self.banker_gate, LEAST_UNIT_MINOR)
        return replace(self.table.opened(self.flags), thirteen_cards=options)

    async def take_places(self) -> None:
        """Return when the players have places, in the variants as many as there are gates for."""
        if self.steps.dice:
            for player in self.players:
                await self.must(player, facts.PlaceTaken(player.person_id))
            return
        gates = [(self.banker_gate + each) % len(GATES) for each in GATES]
        if self.rule_set in _HOUSE_BANKS:
            gates.remove(self.banker_gate)
        # Where a player banks his gate is the first to be taken.
        for player, gate in zip(self.players, gates, strict=False):
            await self.must(player, facts.PlaceTaken(player.person_id, gate))
        if not self.steps.bets:
            await self.must(self.dealer, facts.UnitSet(LEAST_UNIT_MINOR))

    async def change_places(self, seed: str) -> None:
        """Return when now and then somebody who waited has taken the gate of somebody else."""
        drawn, seats = chance(seed, "places"), self.dealer.seen.seats
        waiting = [each for each in self.players if each.person_id not in seats.values()]
        if not seats or not waiting or drawn.random() >= _CHANGES:
            return
        gate, comes = drawn.choice(list(seats)), drawn.choice(waiting)
        leaves, seen = self.player(seats[gate]), comes.seen
        await self.must(leaves, facts.PlaceLeft(leaves.person_id))
        await seen.until(f"gate {gate} to be free", lambda: gate not in seen.seats)
        await self.must(comes, facts.PlaceTaken(comes.person_id, gate))
        for actor in (self.dealer, *self.players):
            await self.sits(actor, comes, gate)

    async def sits(self, actor: Actor[CardsSeen], player: Actor[CardsSeen], gate: int) -> None:
        """Return when somebody has seen that a player sits at a gate."""
        seen, player_id = actor.seen, player.person_id
        await seen.until(f"{player_id} at gate {gate}", lambda: seen.seats.get(gate) == player_id)
