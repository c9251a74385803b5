"""Decides how one table's people and devices play a round, each acting on what he was shown (A12).

Nothing here knows a network: terminals and devices are given, and views are filled by somebody else.
What goes wrong on purpose is the conduct's; the proper one does nothing.
"""

import asyncio
from collections import deque
from dataclasses import dataclass, field

from floorbook.demo import people
from floorbook.demo.casino import Table
from floorbook.demo.devices import Device
from floorbook.demo.script import Deck, Script, dealt
from floorbook.demo.seen import Seen
from floorbook.demo.tally import Tally
from floorbook.demo.terminals import Terminal
from floorbook.games.thirteen_cards.arrangement import Arrangement
from floorbook.games.thirteen_cards.config import Config
from floorbook.table.events import (
    DiceThrown,
    Fact,
    RoundVoided,
    TableClosed,
)
from floorbook.table.thirteen_cards import facts
from floorbook.table.thirteen_cards.state import Phase
from floorbook.table.thirteen_cards.terms import HOUSE

RULE_SETS = ("thirteen_cards",)
"""What simulated people can play."""

_ROUNDS_REMEMBERED = 5


class PlayFault(Exception):
    """The table answered otherwise than the rules of the game say."""


class RoundIsVoid(Exception):
    """The supervisor has ended the round in progress."""


@dataclass(frozen=True, slots=True)
class Actor:
    """Somebody at the table: his terminal and what he was shown."""

    terminal: Terminal
    seen: Seen

    @property
    def person_id(self) -> str:
        """Return who he is."""
        return self.terminal.person.person_id


@dataclass(frozen=True, slots=True)
class SettledRound:
    """A round that was settled, with the cards of its gates: all hands are open then."""

    round_id: str
    number: int
    cards: dict[int, tuple[str, ...]]
    gates: tuple[int, ...]


@dataclass(slots=True)
class AtTable:
    """Everybody and everything at one table, while it is played."""

    table: Table
    rule_set: str
    flags: dict[str, object]
    rules: Config
    dealer: Actor
    pit: Actor
    players: tuple[Actor, ...]
    shuffler: Device
    dice: Device
    tally: Tally
    settled: deque[SettledRound] = field(default_factory=lambda: deque(maxlen=_ROUNDS_REMEMBERED))

    async def must(self, actor: Actor, fact: Fact) -> None:
        """Return once the table has applied an act; `PlayFault` if it refuses."""
        code = await actor.terminal.act(fact)
        if code:
            raise self.fault(f"{type(fact).__name__} of {actor.person_id} was refused: {code}")

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

    def player(self, player_id: str) -> Actor:
        """Return the player with that id."""
        return next(each for each in self.players if each.person_id == player_id)


class Conduct:
    """How people and devices behave where they could do otherwise; this one is proper."""

    hurried = False
    """Whether the time for arranging is so short that honest players may miss it."""

    async def before_bets(self, at: AtTable, script: Script) -> None:
        """Return when bets may be placed."""

    async def before_throw(self, at: AtTable, script: Script) -> None:
        """Return when the locked bets are known and the dice may be thrown."""

    async def throw(self, at: AtTable, script: Script) -> None:
        """Return when the table has taken the valid throw."""
        await at.must_read(await at.dice.report(DiceThrown(script.dice)))

    async def after_deal(self, at: AtTable, script: Script, cards: list[tuple[str, int]]) -> bool:
        """Return whether the deal stands; if not, the pack is shuffled and dealt again."""
        return True

    def lays(
        self, at: AtTable, script: Script, gate: int, cards: tuple[str, ...], banker: Arrangement
    ) -> Arrangement | None:
        """Return how a gate's holder lays his cards; None if he does not in time."""
        return people.player_lays(cards, banker, at.rules)

    async def after_round(self, at: AtTable, script: Script) -> None:
        """Return when whatever concerns settled rounds is done."""


async def open_table(at: AtTable) -> None:
    """Return when the table is open, its devices have started and its players have places."""
    await at.must(at.pit, at.table.opened(at.rule_set, at.flags))
    for device in (at.shuffler, at.dice):
        await at.must_read(await device.start())
    for player in at.players:
        await at.must(player, facts.PlaceTaken(player.person_id))


async def close_table(at: AtTable) -> None:
    """Return when the table is closed: then it owes nothing."""
    await at.must(at.pit, TableClosed())


async def play_round(at: AtTable, script: Script, conduct: Conduct) -> None:
    """Return when the round is settled or void, and what concerns it later is done."""
    try:
        await _play(at, script, conduct)
    except RoundIsVoid:
        at.tally.rounds_void += 1
        seen = at.dealer.seen
        await seen.until("the void round's end", lambda: seen.phase == Phase.VOID)
    else:
        at.tally.rounds_settled += 1
        await conduct.after_round(at, script)
    at.tally.rounds_played += 1


async def _play(at: AtTable, script: Script, conduct: Conduct) -> None:
    await _shuffle(at, script.deck)
    await conduct.before_bets(at, script)
    await _bet(at, script)
    await conduct.before_throw(at, script)
    await conduct.throw(at, script)
    cards = await _deal(at, script.deck)
    if not await conduct.after_deal(at, script, cards):
        await _shuffle(at, script.decks[1])
        await _deal(at, script.decks[1])
    await _open_banker(at)
    await _set_hands(at, script, conduct)
    await _settle(at, script)


async def _shuffle(at: AtTable, deck: Deck) -> None:
    """Return when a pack is shuffled by hand and machine, sealed, cut and in the box."""
    dealer, table = at.dealer, at.table
    await at.must(dealer, facts.PackShuffled())
    await at.must_read(await at.shuffler.report(deck.sealed))
    for index, depth in enumerate(deck.cuts):
        # A player cuts first if one wants to; the dealer cuts again (每次).
        cutter = at.players[depth % len(at.players)] if index == 0 else dealer
        await cutter.seen.until(
            f"the pack of {table.table_id} on the table",
            lambda seen=cutter.seen: seen.phase == Phase.SHUFFLED,  # type: ignore[misc]
        )
        player_id = "" if cutter is dealer else cutter.person_id
        await at.must(cutter, facts.PackCut(player_id, depth))
    await at.must(dealer, facts.PackBoxed())


async def _bet(at: AtTable, script: Script) -> None:
    """Return when all bets lie and the highest bettor has begun to shake: they are locked."""
    # In the order of the script: who came first decides ties.
    for bet in script.bets:
        player = at.players[bet.player]
        seen = player.seen
        await seen.until("the bets to open", lambda seen=seen: seen.phase == Phase.BETTING)  # type: ignore[misc]
        fact = facts.BetPlaced(bet.bet_id, player.person_id, bet.gate, bet.unit_minor, bet.units)
        await at.must(player, fact)
    seen = at.dealer.seen
    wanted = len(script.bets)
    await seen.until("all bets", lambda: len(seen.bets) == wanted)
    shaker = people.who_acts(tuple(seen.bets.values()), seen.places).dice_shaker
    actor = at.dealer if shaker == HOUSE else at.player(shaker)
    await at.must(actor, facts.ShakeStarted(shaker))
    await seen.until("the holders of the gates", lambda: bool(seen.holders) or not wanted)


async def _deal(at: AtTable, deck: Deck) -> list[tuple[str, int]]:
    """Return the cards as dealt, once the table has taken the opened deck and the deal."""
    # The shuffler hears of the valid throw over its own link to the table, as real ones do.
    await at.must_read(await at.shuffler.report(deck.opened))
    seen = at.dealer.seen
    await seen.until("the first gate", lambda: seen.first_gate is not None)
    assert seen.first_gate is not None, "waited for"
    cards = dealt(deck.turned, seen.first_gate)
    await at.must(at.dealer, facts.PackDealt(tuple(facts.DealtCard(*each) for each in cards)))
    return cards


async def _open_banker(at: AtTable) -> None:
    """Return when the dealer has laid and opened the banker's hand."""
    seen, gate = at.dealer.seen, at.table.banker_gate
    await seen.until("the banker's hand", lambda: gate in seen.cards)
    laid = people.banker_lays(seen.cards[gate], at.rules)
    await at.must(at.dealer, facts.BankerArranged(laid))
    await at.must(at.dealer, facts.BankerOpened())


async def _set_hands(at: AtTable, script: Script, conduct: Conduct) -> None:
    """Return when every holder has laid his gate's cards, or has let the time run out."""
    async with asyncio.TaskGroup() as group:
        for gate, holder in at.dealer.seen.holders.items():
            actor = at.dealer if holder == HOUSE else at.player(holder)
            group.create_task(_set_hand(at, script, conduct, actor, gate))


async def _set_hand(at: AtTable, script: Script, conduct: Conduct, actor: Actor, gate: int) -> None:
    seen, banker_gate = actor.seen, at.table.banker_gate
    holder = HOUSE if actor is at.dealer else actor.person_id
    await seen.until(
        "the banker's open hand", lambda: banker_gate in seen.laid and seen.phase != Phase.DEALT
    )
    if holder != HOUSE and not await _in_time(at, conduct, actor, facts.HandTaken(gate, holder)):
        return
    await seen.until(f"the cards of gate {gate}", lambda: gate in seen.cards)
    laid = conduct.lays(at, script, gate, seen.cards[gate], seen.laid[banker_gate])
    if laid is not None:
        await _in_time(at, conduct, actor, facts.HandSet(laid, gate, holder))


async def _in_time(at: AtTable, conduct: Conduct, actor: Actor, fact: Fact) -> bool:
    """Return whether the act came before the signal."""
    code = await actor.terminal.act(fact)
    if code in ("TIME_UP", "WRONG_PHASE") and conduct.hurried:
        return False
    if code:
        raise at.fault(f"{type(fact).__name__} of {actor.person_id} was refused: {code}")
    return True


async def _settle(at: AtTable, script: Script) -> None:
    """Return when the dealer has been shown the result of the round."""
    seen = at.dealer.seen
    round_id = seen.round_id
    await seen.until("the settlement", lambda: round_id in seen.results)
    del seen.results[round_id]
    at.tally.evaluations[round_id] = 1
    gates = (at.table.banker_gate, *sorted(seen.holders))
    at.settled.append(SettledRound(round_id, script.number, dict(seen.cards), gates))
