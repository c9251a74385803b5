"""Decides what one viewer of a table knows: what he was shown and nothing else.

Simulated people wait here until they have seen what they need before they act, as real ones do.
"""

import asyncio
from collections import Counter
from collections.abc import Callable

from msgspec import Struct

from floorbook.games.thirteen_cards.arrangement import Arrangement
from floorbook.table import events
from floorbook.table.effects import Resumed, RoundOpened, Shown, Suspended, TableView
from floorbook.table.thirteen_cards import facts
from floorbook.table.thirteen_cards.shown import HandShown, RoundShown, ThirteenCardsShown
from floorbook.table.thirteen_cards.state import Phase

_EVENTS_REMEMBERED = 500


class NotSeen(Exception):
    """Somebody waited too long for what he should have been shown."""


class Update(Struct, frozen=True):
    """One event as a viewer is told of it; `refusal` is empty when it was applied."""

    event_id: str
    fact: str
    refusal: str
    known: bool
    round_id: str
    phase: str
    shown: tuple[Shown, ...] = ()


class Seen:
    """What one viewer has been shown of one table so far."""

    def __init__(self, who: str, patience_seconds: float = 60.0) -> None:
        """Return a viewer who has seen nothing and waits at most so long for anything."""
        self.who = who
        self.phase = ""
        self.round_id = ""
        self.causes: list[str] = []
        self.places: list[str] = []
        self.bets: dict[str, facts.BetPlaced] = {}
        self.holders: dict[int, str] = {}
        self.first_gate: int | None = None
        self.cards: dict[int, tuple[str, ...]] = {}
        self.laid: dict[int, Arrangement] = {}
        self.results: dict[str, RoundShown] = {}
        self.evaluations: Counter[str] = Counter()
        self.folded: dict[str, str] = {}
        self.updates = 0
        self._patience_seconds = patience_seconds
        self._waiting: list[tuple[Callable[[], bool], asyncio.Future[None]]] = []

    def take(self, update: Update) -> None:
        """Return after learning from one update; whoever waited for it goes on."""
        self.updates += 1
        self.phase, self.round_id = update.phase, update.round_id
        if not update.known:
            self.folded[update.event_id] = update.refusal
            if len(self.folded) > _EVENTS_REMEMBERED:
                del self.folded[next(iter(self.folded))]
        if update.fact == "misdeal_reported" and not update.refusal:
            # What was laid, and in a re-deal what was dealt, no longer stands; what does is shown again.
            self.laid.clear()
            if update.phase == Phase.REDEAL:
                self.cards.clear()
        for shown in update.shown:
            self._learn(shown)
        if update.fact == "round_evaluated" and not (update.refusal or update.known):
            self.evaluations[update.event_id.partition("/evaluation/")[0]] += 1
        self._wake()

    async def until(self, what: str, holds: Callable[[], bool]) -> None:
        """Return as soon as `holds`; `NotSeen` when patience ends before."""
        if holds():
            return
        waiter = asyncio.get_running_loop().create_future()
        self._waiting.append((holds, waiter))
        try:
            async with asyncio.timeout(self._patience_seconds):
                await waiter
        except TimeoutError:
            causes = f", suspended for {', '.join(self.causes)}" if self.causes else ""
            raise NotSeen(
                f"{self.who} waited {self._patience_seconds:g} s for {what}; "
                f"the last seen is {self.round_id or 'no round'} in {self.phase or 'no phase'}{causes}"
            ) from None

    async def outcome(self, event_id: str) -> str:
        """Return the code with which an event was refused, empty if it was applied."""
        await self.until(f"the verdict on {event_id}", lambda: event_id in self.folded)
        return self.folded[event_id]

    def _wake(self) -> None:
        still = []
        for holds, waiter in self._waiting:
            if waiter.done():
                continue
            if holds():
                waiter.set_result(None)
            else:
                still.append((holds, waiter))
        self._waiting = still

    def _learn(self, shown: Shown) -> None:
        match shown:
            case RoundOpened():
                self._new_round()
            case Suspended(cause_id):
                self.causes.append(cause_id)
            case Resumed(cause_id):
                self.causes = [each for each in self.causes if each != cause_id]
            case TableView():
                self._begin(shown)
            case ThirteenCardsShown():
                self._learn_of_game(shown)
            case _:
                pass  # events.* that change nothing of what people need

    def _new_round(self) -> None:
        self.bets, self.holders, self.first_gate = {}, {}, None
        self.cards, self.laid = {}, {}

    def _begin(self, view: TableView) -> None:
        self.causes = list(view.causes)
        self._new_round()
        game = view.thirteen_cards
        if game is None:
            return
        self.places = list(game.places)
        self.bets = {bet.bet_id: bet for bet in game.bets}
        if game.holders is not None:
            self.holders = {each.gate: each.player_id for each in game.holders.holders}
        if game.first_gate is not None:
            self.first_gate = game.first_gate.gate
        for hand in game.hands:
            self._hand(hand)

    def _learn_of_game(self, shown: ThirteenCardsShown) -> None:
        if shown.fact is not None:
            self._fact(shown.fact)
        if shown.hand is not None:
            self._hand(shown.hand)
        if shown.holders is not None:
            self.holders = {each.gate: each.player_id for each in shown.holders.holders}
        if shown.first_gate is not None:
            self.first_gate = shown.first_gate.gate
        if shown.round is not None:
            self.results[self.round_id] = shown.round

    def _fact(self, fact: events.Fact) -> None:
        match fact:
            case facts.PlaceTaken(player_id):
                self.places.append(player_id)
            case facts.PlaceLeft(player_id):
                self.places.remove(player_id)
            case facts.BetPlaced(bet_id):
                self.bets[bet_id] = fact
            case facts.BetWithdrawn(bet_id):
                del self.bets[bet_id]
            case facts.BetMoved(bet_id, _, gate):
                bet = self.bets.pop(bet_id)
                self.bets[bet_id] = facts.BetPlaced(
                    bet_id, bet.player_id, gate, bet.unit_minor, bet.units
                )
            case _:
                pass

    def _hand(self, hand: HandShown) -> None:
        if hand.cards:
            self.cards[hand.gate] = hand.cards
        if hand.arrangement is not None:
            self.laid[hand.gate] = hand.arrangement
