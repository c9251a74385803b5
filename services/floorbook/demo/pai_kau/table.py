"""Decides what a simulated Pai Kau table is opened with, who sits where, and how its bank is filled (A5)."""

from collections import deque
from dataclasses import dataclass
from typing import Final

from msgspec.structs import replace

from floorbook.demo.at_table import Actor, AtTable, Place
from floorbook.demo.casino import LEAST_UNIT_MINOR, chance
from floorbook.demo.devices import Device
from floorbook.demo.pai_kau import people
from floorbook.demo.pai_kau.script import Wall, gates_of
from floorbook.demo.pai_kau.seen import TilesSeen
from floorbook.games.pai_kau.banking import ROUNDS_OF_A_TURN
from floorbook.games.pai_kau.tiles import Tile
from floorbook.table.events import TableOpened
from floorbook.table.pai_kau import facts
from floorbook.table.pai_kau.shapes import PaiKauOptions
from floorbook.table.pai_kau.shown import PaiKauBank

_ROUNDS_REMEMBERED: Final = 5
_MOST_BET_MINOR: Final = 10 * people.MOST_UNITS * LEAST_UNIT_MINOR
_ALL_SPEAK_AT_ONCE: Final = 0.3


@dataclass(frozen=True, slots=True)
class SettledRound:
    """A round that was settled: who banked as it began, and the tiles of its gates, which are open then."""

    round_id: str
    number: int
    bank: PaiKauBank
    tiles: dict[int, tuple[Tile, ...]]


class TileTable(AtTable[TilesSeen]):
    """A table of Pai Kau with its people, its devices and its tiles."""

    def __init__(self, place: Place[TilesSeen]) -> None:
        """Return the table with everybody at it, not yet open."""
        super().__init__(place)
        self.gates = gates_of(self.table.number)
        self.wall: Wall | None = None
        self.tiles: tuple[Tile, ...] = ()
        """The face-down tiles of the wall as they really lie, the head first."""
        self.is_sealed = False
        self.banked_last = ""
        self.settled: deque[SettledRound] = deque(maxlen=_ROUNDS_REMEMBERED)

    @property
    def machine(self) -> Device:
        """Return the device that stacks and seals the wall."""
        return self.devices["shuffler"]

    @property
    def terms(self) -> TableOpened:
        """Return the fact that opens the table."""
        limits = PaiKauOptions(LEAST_UNIT_MINOR, _MOST_BET_MINOR)
        return replace(self.table.opened({}), pai_kau=limits)

    @property
    def bank(self) -> PaiKauBank:
        """Return who banks, as the dealer was shown."""
        assert self.dealer.seen.bank is not None, "no bets are opened without a banker"
        return self.dealer.seen.bank

    @property
    def banker(self) -> Actor[TilesSeen]:
        """Return the player who banks."""
        return self.player(self.bank.player_id)

    async def take_places(self) -> None:
        """Return at once: who bets at a Pai Kau table need not sit there."""

    async def close(self) -> None:
        """Return when the banker has taken his chips home and the table is closed."""
        bank = self.dealer.seen.bank
        if bank is not None:
            await self.leave_bank(self.player(bank.player_id))
        await super().close()

    def home(self, player: Actor[TilesSeen]) -> int:
        """Return the gate at which a player sits."""
        return people.home_gate(self.players.index(player), self.gates)

    # The bank

    async def leave_bank(self, banker: Actor[TilesSeen] | None) -> None:
        """Return when the bank is vacant: left by the banker, or his turn ended by the dealer if None."""
        who = "" if banker is None else banker.person_id
        await self.must(banker or self.dealer, facts.BankLeft(who))
        seen = self.dealer.seen
        await seen.until("the vacant bank", lambda: seen.bank is None)
        self.note("bank_left" if banker else "turn_ended")

    async def go_on_or_leave(self, seed: str) -> None:
        """Return when the banker goes on, with consent if he needs it, or the bank is vacant."""
        seen, mood = self.dealer.seen, chance(seed, "turn")
        bank = seen.bank
        if bank is None:
            return
        if bank.rounds_done < ROUNDS_OF_A_TURN or not seen.last_bettors:
            if people.leaves(bank, mood, broken=bank.minimum_stake_minor == 1):
                await self.leave_bank(self.player(bank.player_id))
            return
        asked = seen.missing
        for player_id in people.consent(bank, asked, mood):
            await self.must(self.player(player_id), facts.ConsentGiven(player_id))
            await seen.until(f"the consent of {player_id}", lambda w=player_id: w in seen.consents)  # type: ignore[misc]
        if seen.missing:
            await self.leave_bank(None)
        elif asked:
            self.note("bank_extended")

    async def fill_bank(self, seed: str) -> None:
        """Return when somebody banks: the players are asked gate by gate, or all speak at once."""
        seen, mood = self.dealer.seen, chance(seed, "bank")
        if seen.bank is not None:
            return
        asked = [
            player
            for gate in people.asking_order(self.gates, seen.last_gate, opening=seen.opening)
            for player in self.players
            if self.home(player) == gate
        ]
        in_turn = mood.random() >= _ALL_SPEAK_AT_ONCE
        if not in_turn:
            mood.shuffle(asked)
        taken = False
        for player in asked:
            takes = self.may_bank(player) and people.accepts(mood)
            await self._answer(player, takes=takes)
            taken = taken or takes
            if taken and in_turn:
                break
        if not taken:
            # Somebody has to, or nobody plays (PK-46): the first who may changes his mind.
            await self._answer(next(filter(self.may_bank, asked)), takes=True)
        await self.must(self.dealer, facts.BankAssigned())
        await seen.until("the new banker", lambda: seen.bank is not None)
        self.note("bank_taken")
        if self.banked_last not in ("", self.bank.player_id):
            self.note("bank_rotated")
        self.banked_last = self.bank.player_id

    def may_bank(self, player: Actor[TilesSeen]) -> bool:
        """Return whether somebody may take the bank: he has bet, or the table is opening (PK-53)."""
        seen = self.dealer.seen
        return seen.opening or player.person_id in seen.may_bank

    async def _answer(self, player: Actor[TilesSeen], *, takes: bool) -> None:
        fact = facts.BankAnswered(self.home(player), player.person_id, takes)
        await self.must(player, fact)
        if not takes:
            self.note("bank_refused")
