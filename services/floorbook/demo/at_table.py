"""Decides what every simulated table has, whatever is played: its people, its devices, and how it is asked.

Nothing here knows a network: terminals and devices are given, and views are filled by somebody else.
"""

from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

from floorbook.demo.casino import Table
from floorbook.demo.client import Act
from floorbook.demo.devices import Device
from floorbook.demo.seen import Seen
from floorbook.demo.tally import Tally
from floorbook.demo.terminals import Terminal
from floorbook.table.events import Fact, RoundVoided, TableClosed, TableOpened

SeenT = TypeVar("SeenT", bound=Seen)
Knock = Callable[[Act], Awaitable[object]]


class PlayFault(Exception):
    """The table answered otherwise than the rules of the game say."""


class RoundIsVoid(Exception):
    """The supervisor has ended the round in progress."""


@dataclass(frozen=True, slots=True)
class Actor(Generic[SeenT]):
    """Somebody at the table: his terminal and what he was shown."""

    terminal: Terminal
    seen: SeenT

    @property
    def person_id(self) -> str:
        """Return who he is."""
        return self.terminal.person.person_id


@dataclass(frozen=True, slots=True)
class Place(Generic[SeenT]):
    """Everybody and everything at one table, as it is handed to the game that is played there.

    `seed` and `misbehave` say what chance brings and how often something goes wrong on purpose;
    `knock` sends an act with a token that nobody has, where there are gateways to refuse it.
    """

    table: Table
    dealer: Actor[SeenT]
    pit: Actor[SeenT]
    players: tuple[Actor[SeenT], ...]
    devices: Mapping[str, Device]
    tally: Tally
    seed: int
    misbehave: float = 0.0
    knock: Knock | None = None


class AtTable(ABC, Generic[SeenT]):
    """One table while it is played: a game says how it is opened and how one round goes."""

    def __init__(self, place: Place[SeenT]) -> None:
        """Return the table with everybody at it, not yet open."""
        self.place = place
        self.table = place.table
        self.dealer = place.dealer
        self.pit = place.pit
        self.players = place.players
        self.devices = place.devices
        self.tally = place.tally

    @property
    @abstractmethod
    def terms(self) -> TableOpened:
        """Return the fact that opens the table."""

    @abstractmethod
    async def take_places(self) -> None:
        """Return when the players of an open table are where they play."""

    @abstractmethod
    async def play(self, number: int) -> None:
        """Return when the `number`-th round, counted from 1, is settled; or raise `RoundIsVoid`."""

    @abstractmethod
    async def after_round(self, number: int) -> None:
        """Return when whatever concerns settled rounds is done; the `number`-th is the last."""

    def goes_on(self, played: int, rounds: int) -> bool:
        """Return whether another round is played after so many, where `rounds` were asked for."""
        return played < rounds

    async def open(self) -> None:
        """Return when the table is open, its devices have started and its players have places."""
        await self.must(self.pit, self.terms)
        for device in self.devices.values():
            await self.must_read(await device.start())
        await self.take_places()

    async def round(self, number: int) -> None:
        """Return when a round is settled or void, and what concerns it later is done."""
        try:
            await self.play(number)
        except RoundIsVoid:
            self.tally.rounds_void += 1
            seen = self.dealer.seen
            await seen.until("the void round's end", lambda: seen.phase == "VOID")
        else:
            self.tally.rounds_settled += 1
            await self.after_round(number)
        self.tally.rounds_played += 1

    async def close(self) -> None:
        """Return when the table is closed: then it owes nothing."""
        await self.must(self.pit, TableClosed())

    async def must(self, actor: Actor[SeenT], fact: Fact) -> None:
        """Return once the table has applied an act; `PlayFault` if it refuses."""
        code = await actor.terminal.act(fact)
        if code:
            raise self.fault(f"{type(fact).__name__} of {actor.person_id} was refused: {code}")

    async def must_refuse(self, actor: Actor[SeenT], fact: Fact, code: str) -> None:
        """Return once the table has refused an act with `code`; `PlayFault` if it says anything else."""
        found = await actor.terminal.act(fact)
        if found != code:
            raise self.fault(
                f"{type(fact).__name__} of {actor.person_id} was to be refused with {code} and was "
                f"{found or 'applied'}"
            )

    async def must_read(self, event_id: str) -> None:
        """Return once the dealer has seen that a reading was applied; `PlayFault` if refused."""
        code = await self.dealer.seen.outcome(event_id)
        if code:
            raise self.fault(f"the reading {event_id} was refused: {code}")

    async def void(self, reason: str) -> None:
        """Never return: the supervisor voids the round in progress, which raises `RoundIsVoid`."""
        await self.must(self.pit, RoundVoided(reason, "demo"))
        raise RoundIsVoid

    def fault(self, what: str) -> PlayFault:
        """Return the error with the table and round it happened in."""
        return PlayFault(f"{self.dealer.seen.round_id or self.table.table_id}: {what}")

    def player(self, player_id: str) -> Actor[SeenT]:
        """Return the player with that id."""
        return next(each for each in self.players if each.person_id == player_id)

    def note(self, what: str) -> None:
        """Return after noting in the tally that something worth telling was seen to happen."""
        self.tally.happened[what] += 1

    def count(self, trick: str) -> None:
        """Return after noting in the tally that something goes wrong on purpose."""
        self.tally.tricks[trick] += 1
