"""Decides how a mahjong table's people and devices play a hand, each acting on what he was shown (section 7).

The tile machine opens a tile when it is taken; which one is next it counts itself. What goes wrong on
purpose is the conduct's; the proper one does nothing.
"""

import asyncio
import random
from collections.abc import Mapping
from typing import Final

from floorbook.demo.at_table import Actor
from floorbook.demo.casino import chance
from floorbook.demo.devices import Device
from floorbook.demo.mahjong import people
from floorbook.demo.mahjong.script import Script, Wall
from floorbook.demo.mahjong.seen import MahjongSeen
from floorbook.demo.mahjong.table import MahjongTable, SettledHand
from floorbook.games.mahjong.seats import Seat, others_from
from floorbook.games.mahjong.variant import SIDES, Variant
from floorbook.games.mahjong.wall import dealt_places, front_place, tail_place
from floorbook.table.events import DeckOpened, DiceThrown, Fact
from floorbook.table.mahjong import facts
from floorbook.table.mahjong.facts import TileClaim
from floorbook.table.mahjong.paid import Result
from floorbook.table.mahjong.state import Phase
from floorbook.table.mahjong.terms import position_of
from floorbook.wire import envelope

Player = Actor[MahjongSeen]

_REPORTED_BY_CROUPIER: Final = 0.1
TOO_LATE: Final = frozenset(("OUT_OF_ORDER", "HAND_OVER"))
"""With what an answer is refused whose window is closed."""
_OVER: Final = (Phase.COMPLETE, Phase.SETTLED)


class Machine:
    """The tile machine in one hand: its wall, where it was broken, and what was taken from it."""

    def __init__(self, variant: Variant, wall: Wall, dice: tuple[int, ...], seats: int) -> None:
        """Return the machine before the deal."""
        self._variant, self._wall, self._dice, self._seats = variant, wall, dice, seats
        self._fronts = 0
        self._replacements = 0

    def deal(self) -> DeckOpened:
        """Return the opening of all tiles that are dealt."""
        places = dealt_places(self._variant, SIDES[: self._seats]).values()
        return self._opened(*(place for hand in places for place in hand))

    def next_tile(self, *, front: bool) -> DeckOpened:
        """Return the opening of the next tile from the front, or of the next replacement tile."""
        place = self._next_place(front)
        if front:
            self._fronts += 1
        else:
            self._replacements += 1
        return self._opened(place)

    def other_tile(self, other: Wall, *, front: bool) -> DeckOpened:
        """Return the opening of a tile of another wall where the next one is due."""
        place = position_of(self._variant, self._dice, self._next_place(front))
        return other.opened((place,))

    def _next_place(self, front: bool) -> int:
        draws = (self._variant, self._seats, self._fronts, self._replacements)
        return front_place(*draws) if front else tail_place(*draws)

    def _opened(self, *places: int) -> DeckOpened:
        return self._wall.opened(position_of(self._variant, self._dice, each) for each in places)


class Conduct:
    """How people and devices behave where they could do otherwise; this one is proper."""

    hurried = False
    """Whether there is a clock, or such a rush, that honest answers may come too late."""

    async def before_hand(self, at: MahjongTable, script: Script) -> None:
        """Return when the wall may be built."""

    async def before_throw(self, at: MahjongTable, script: Script) -> None:
        """Return when the dice may be thrown for a wall that is built."""

    async def throws(self, at: MahjongTable, script: Script) -> None:
        """Return when the dice lie as they are counted."""
        await self.reads(at, script, at.devices["dice"], DiceThrown(script.dice))

    async def reads(self, at: MahjongTable, script: Script, device: Device, fact: Fact) -> None:
        """Return when the table has taken the reading that the hand waits for."""
        await at.must_read(await device.report(fact))

    async def draws(
        self, at: MahjongTable, script: Script, machine: Machine, *, front: bool
    ) -> None:
        """Return when the next tile is taken."""
        await self.reads(at, script, at.shuffler, machine.next_tile(front=front))

    async def before_turn(self, at: MahjongTable, script: Script, player: Player) -> None:
        """Return when a player may act in his turn."""

    async def plays(self, at: MahjongTable, script: Script, player: Player) -> Fact:
        """Return what a player does in his turn."""
        return people.plays(at.known(player), mood_of(at, script, player))

    async def answers(
        self, at: MahjongTable, script: Script, player: Player
    ) -> facts.TileClaimed | None:
        """Return what a player says to an offered tile, None if he is silent."""
        return people.answers(at.known(player), mood_of(at, script, player))

    def all_at_once(self, at: MahjongTable, script: Script) -> bool:
        """Return whether all answer without a thought for each other."""
        return False

    async def after_hand(self, at: MahjongTable, script: Script) -> None:
        """Return when whatever concerns settled hands is done."""


def mood_of(at: MahjongTable, script: Script, player: Player) -> random.Random:
    """Return what a player follows where he could do this or that."""
    return chance(script.seed, "mood", player.person_id, at.dealer.seen.steps)


async def play_hand(at: MahjongTable, script: Script, conduct: Conduct) -> None:
    """Return when the hand is settled; a hand that becomes void raises `RoundIsVoid`."""
    await at.see_to_chips()
    await conduct.before_hand(at, script)
    seen = at.dealer.seen
    await at.must_read(await at.shuffler.report(script.wall.sealed))
    at.check_begun()
    await conduct.before_throw(at, script)
    await conduct.throws(at, script)
    machine = Machine(at.variant, script.wall, script.dice, len(at.players))
    await conduct.reads(at, script, at.shuffler, machine.deal())
    while seen.phase not in _OVER:
        match seen.phase:
            case Phase.TURN:
                await _turn(at, script, conduct)
            case Phase.CLAIMS:
                await _window(at, script, conduct)
            case Phase.DRAWING | Phase.REPLACING:
                await conduct.draws(at, script, machine, front=seen.phase == Phase.DRAWING)
            case _:
                raise at.fault(f"nobody can go on in {seen.phase}")
    await _settle(at, script)


async def _turn(at: MahjongTable, script: Script, conduct: Conduct) -> None:
    """Return when a player has won, declared a kong or discarded."""
    seen = at.dealer.seen
    player = at.at_seat(seen.turn)
    await at.is_up_to_date(player)
    await conduct.before_turn(at, script, player)
    fact = await conduct.plays(at, script, player)
    steps = seen.steps
    croupier = chance(script.seed, "croupier", steps).random() < _REPORTED_BY_CROUPIER
    await at.must(at.dealer if croupier else player, fact)
    await seen.until("what was done in a turn", lambda: seen.steps > steps)
    if isinstance(fact, facts.ConcealedKongDeclared | facts.AddedKongDeclared):
        at.note(envelope.name_of(fact))


async def _window(at: MahjongTable, script: Script, conduct: Conduct) -> None:
    """Return when a claim window is closed: by the last answer, or by its clock."""
    seen = at.dealer.seen
    offer, steps = seen.offer, seen.steps
    assert offer is not None, "a window is open on a tile"
    seats = others_from(tuple(seen.seats), offer.seat)
    await at.is_up_to_date(*map(at.at_seat, seats))
    given: dict[Seat, facts.TileClaimed] = {}
    for seat in seats:
        player = at.at_seat(seat)
        if player.seen.steps > steps:
            continue  # the clock has run out already
        answer = await conduct.answers(at, script, player)
        if answer is not None:
            given[seat] = answer
    if conduct.all_at_once(at, script):
        await _answer(at, conduct, given)
    else:
        # Who would win waits until the others have spoken, and the nearest for those who sit farther:
        # with his claim the window closes.
        wins = [seat for seat, answer in given.items() if answer.claim is TileClaim.WIN]
        await _answer(at, conduct, {seat: given[seat] for seat in given if seat not in wins})
        for seat in reversed(wins):
            await _answer(at, conduct, {seat: given[seat]})
    await seen.until("the end of a claim window", lambda: seen.window_closed(steps))
    assert seen.window is not None, "waited for"
    at.note(f"window_{seen.window.outcome}")


async def _answer(
    at: MahjongTable, conduct: Conduct, given: Mapping[Seat, facts.TileClaimed]
) -> None:
    """Return when these seats have answered, or are too late where there is a clock or a rush."""

    async def answer(player: Player, fact: facts.TileClaimed) -> None:
        code = await player.terminal.act(fact)
        if code and not (conduct.hurried and code in TOO_LATE):
            raise at.fault(f"{fact.claim.name} of {player.person_id} was refused: {code}")

    async with asyncio.TaskGroup() as group:
        for seat, fact in given.items():
            group.create_task(answer(at.at_seat(seat), fact))


async def _settle(at: MahjongTable, script: Script) -> None:
    """Return when the croupier has been shown the settlement and everybody knows what follows."""
    seen = at.dealer.seen
    round_id = seen.round_id
    await seen.until("the settlement", lambda: round_id in seen.results)
    result = at.settle(seen.results.pop(round_id))
    _note(at, result)
    at.tally.evaluations[round_id] = 1
    declared = bool(result.status)
    at.settled.append(SettledHand(round_id, script.number, declared, await at.other_win()))


def _note(at: MahjongTable, result: Result) -> None:
    """Note how a hand ended."""
    at.note(result.status or result.outcome)
    if any(each.id.startswith("LIA-") for each in result.explain):
        at.note("liable")
