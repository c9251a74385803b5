"""Decides how a casino's simulated people and devices are connected to real gateways, table by table."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from types import TracebackType
from typing import Any, Self

from floorbook.demo.at_table import Actor, AtTable, Place
from floorbook.demo.casino import Casino, Instrument, Person, Table
from floorbook.demo.client import Act, FloorLine, Gateways, SharedStream
from floorbook.demo.devices import Device, OwnLine
from floorbook.demo.games import Game, games
from floorbook.demo.tally import Tally
from floorbook.demo.terminals import Terminal, sender
from floorbook.settings import Address

_NOBODYS_TOKEN = "a-token-that-no-registry-knows"  # noqa: S105 -- that is the point of it


class SimulatedFloor:
    """All people and devices of a casino, with their lines to the gateways while the block lasts."""

    def __init__(
        self,
        casino: Casino,
        gateways: Sequence[str],
        device_addresses: Sequence[Address],
        *,
        misbehave: float = 0.0,
        patience_seconds: float = 60.0,
        rule_set: str | None = None,
    ) -> None:
        """Return a floor that is not connected; `gateways` and `device_addresses` go together.

        `misbehave` is how often each kind of trouble happens in a round. A `rule_set`, if one is
        given, must be that of all tables.
        """
        played = {table.rule_set for table in casino.tables}
        if rule_set is not None and played != {rule_set}:
            raise ValueError(f"the casino plays {', '.join(sorted(played))} and not {rule_set}")
        self.casino = casino
        self.tally = Tally()
        self.tables: dict[str, AtTable[Any]] = {}
        self._addresses = gateways
        self._device_addresses = device_addresses
        self._misbehave = misbehave
        self._patience_seconds = patience_seconds
        self._lines: dict[str, FloorLine] = {}
        self._running: list[asyncio.Task[None]] = []

    async def __aenter__(self) -> Self:
        """Return the floor with everybody watching and every device greeting."""
        self._gateways = Gateways(self._addresses)
        self._stranger = FloorLine(self._gateways, _NOBODYS_TOKEN)
        streams: dict[str, SharedStream] = {}
        for number, table in enumerate(self.casino.tables):
            self.tables[table.table_id] = self._seat(number, table, streams)
        for stream in streams.values():
            self._run(stream.run())
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Return when every line is closed."""
        for task in self._running:
            task.cancel()
        await asyncio.gather(*self._running, return_exceptions=True)
        for line in self._lines.values():
            await line.close()
        await self._gateways.close()

    async def knock(self, act: Act) -> object:
        """Return what a gateway tells somebody whom the registry does not know."""
        return await self._stranger.submit(act)

    async def run(self, playing: Awaitable[None]) -> None:
        """Return when `playing` has; whatever ends a line for good ends it too, as its error."""
        task = asyncio.ensure_future(playing)
        try:
            await asyncio.wait((task, *self._running), return_when=asyncio.FIRST_COMPLETED)
            for each in self._running:
                if each.done():
                    each.result()
                    raise RuntimeError("a line ended by itself")
            task.result()
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)

    def _run(self, work: Coroutine[Any, Any, None]) -> None:
        self._running.append(asyncio.create_task(work))

    def _seat(self, number: int, table: Table, streams: dict[str, SharedStream]) -> AtTable[Any]:
        shared = streams.setdefault(
            table.pit.equipment_id, SharedStream(self._gateways, len(streams))
        )
        game = games()[table.rule_set]
        place: Place[Any] = Place(
            table,
            self._actor(number, table, game, table.dealer),
            self._actor(number, table, game, table.pit),
            tuple(self._actor(number, table, game, each) for each in table.players),
            {name: self._device(number, each, shared) for name, each in table.devices.items()},
            self.tally,
            self.casino.seed,
            self._misbehave,
            self.knock,
        )
        return game.at_table(place)

    def _actor(self, number: int, table: Table, game: Game, person: Person) -> Actor[Any]:
        line = self._lines.get(person.person_id)
        if line is None:
            line = FloorLine(self._gateways, person.token, number)
            self._lines[person.person_id] = line
        seen = game.seen(f"{person.person_id} at {table.table_id}", self._patience_seconds)
        self._run(line.watch(table.table_id, person.person_id, person.role, seen))
        terminal = Terminal(person, table.table_id, sender(line, person), self.tally)
        return Actor(terminal, seen)

    def _device(self, number: int, instrument: Instrument, shared: SharedStream) -> Device:
        line: OwnLine | SharedStream = shared
        if instrument.own_line:
            line = OwnLine(self._device_addresses, number)
        device = Device(instrument.equipment_id, instrument.table_id, instrument.key, line, boot=1)
        line.add(device)
        if isinstance(line, OwnLine):
            self._run(line.run())
        return device


async def run_tables(
    floor: SimulatedFloor,
    rounds: int,
    *,
    stopping: Callable[[], bool] = lambda: False,
    pause_seconds: float = 0.0,
) -> None:
    """Return when every table has been opened, has played its rounds and is closed.

    Once `stopping` says so, tables finish the round in progress and begin no other. After each
    round a table waits for `pause_seconds`.
    """

    async def play(at: AtTable[Any]) -> None:
        # A view from before the first act: nobody misses anything.
        for actor in (at.dealer, at.pit, *at.players):
            await actor.seen.until("the first view", lambda seen=actor.seen: seen.updates > 0)
        await at.open()
        played = 0
        while at.goes_on(played, rounds) and not stopping():
            played += 1
            await at.round(played)
            if pause_seconds:
                await asyncio.sleep(pause_seconds)
        await at.close()

    async def all_tables() -> None:
        async with asyncio.TaskGroup() as group:
            for at in floor.tables.values():
                group.create_task(play(at))

    await floor.run(all_tables())
