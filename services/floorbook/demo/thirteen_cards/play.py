"""Decides how a Thirteen Cards table's people and devices play a round, each acting on what he was shown (A12, B10).

One way through a round for all ten rule sets: which of its steps there are is the procedure's to say. What
goes wrong on purpose is the conduct's; the proper one does nothing.
"""

import asyncio

from floorbook.demo.at_table import Actor
from floorbook.demo.casino import chance
from floorbook.demo.devices import Device
from floorbook.demo.thirteen_cards import people
from floorbook.demo.thirteen_cards.people import Laying
from floorbook.demo.thirteen_cards.script import Bet, Deck, Script, dealt, dealt_to
from floorbook.demo.thirteen_cards.seen import CardsSeen
from floorbook.demo.thirteen_cards.table import CardTable, SettledRound
from floorbook.games.thirteen_cards.arrangement import Arrangement
from floorbook.table.events import DiceThrown, Fact
from floorbook.table.thirteen_cards import facts
from floorbook.table.thirteen_cards.state import Phase
from floorbook.table.thirteen_cards.terms import HOUSE

_AFTER_DEAL = (Phase.DEALT, Phase.COMPLETE, Phase.SETTLED)


class Conduct:
    """How people and devices behave where they could do otherwise; this one is proper."""

    hurried = False
    """Whether the time for arranging is so short that honest players may miss it."""

    async def before_lock(self, at: CardTable, script: Script) -> None:
        """Return when the round is about to be locked; without bets, when it has just been."""

    async def after_lock(self, at: CardTable, script: Script) -> None:
        """Return when it is known who plays the round, and for what."""

    async def reads(self, at: CardTable, script: Script, device: Device, fact: Fact) -> None:
        """Return when the table has taken the reading that the round waits for."""
        await at.must_read(await device.report(fact))

    async def before_deal(self, at: CardTable, script: Script) -> None:
        """Return when the pack may be dealt."""

    async def after_deal(self, at: CardTable, script: Script, cards: list[tuple[str, int]]) -> bool:
        """Return whether the deal stands; if not, the pack is shuffled and dealt again."""
        return True

    def answers(
        self, at: CardTable, script: Script, gate: int, cards: tuple[str, ...], banker: Arrangement
    ) -> Arrangement | None:
        """Return how a gate's holder lays against the banker's open hand; None: not in time."""
        return people.player_lays(cards, banker, at.rules)

    def sets(
        self, at: CardTable, script: Script, gate: int, cards: tuple[str, ...]
    ) -> Laying | None:
        """Return how a hand of a variant is set, knowing no other; None if it is not set."""
        return people.sets(at.rule_set, cards, at.rules, chance(script.seed, "mood", gate))

    async def after_round(self, at: CardTable, script: Script) -> None:
        """Return when whatever concerns settled rounds is done."""


async def play_round(at: CardTable, script: Script, conduct: Conduct) -> None:
    """Return when the round is settled; a round that becomes void raises `RoundIsVoid`."""
    if not at.steps.dice:
        await at.change_places(script.seed)
    await _agree_on_unit(at, script)
    await _shuffle(at, script.deck)
    await conduct.before_lock(at, script)
    await _bet_and_lock(at, script)
    await conduct.after_lock(at, script)
    if at.steps.dice:
        await conduct.reads(at, script, at.devices["dice"], DiceThrown(script.dice))
    await conduct.before_deal(at, script)
    if at.steps.dice:
        # The shuffler hears of the valid throw over its own link to the table, as real ones do.
        await at.must_read(await at.shuffler.report(script.deck.opened))
    else:
        await conduct.reads(at, script, at.shuffler, script.deck.opened)
    cards = await _deal(at, script.deck)
    if not await conduct.after_deal(at, script, cards):
        await _shuffle(at, script.decks[1])
        await at.must_read(await at.shuffler.report(script.decks[1].opened))
        await _deal(at, script.decks[1])
    if at.steps.banker_opens_first:
        await _open_banker(at)
    await _set_hands(at, script, conduct)
    await _settle(at, script)


async def _agree_on_unit(at: CardTable, script: Script) -> None:
    """Return when it stands what all play for; where there are bets that says nothing."""
    if not at.steps.bets and at.dealer.seen.unit_minor != script.unit_minor:
        await at.must(at.dealer, facts.UnitSet(script.unit_minor))


async def _shuffle(at: CardTable, deck: Deck) -> None:
    """Return when a pack is shuffled by hand and machine, sealed, cut and in the box."""
    dealer = at.dealer
    await at.must(dealer, facts.PackShuffled())
    await at.must_read(await at.shuffler.report(deck.sealed))
    for index, depth in enumerate(deck.cuts):
        # A player cuts first if one wants to; the dealer cuts again (每次).
        cutter = at.players[depth % len(at.players)] if index == 0 else dealer
        await cutter.seen.until(
            f"the pack of {at.table.table_id} on the table",
            lambda seen=cutter.seen: seen.phase == Phase.SHUFFLED,  # type: ignore[misc]
        )
        player_id = "" if cutter is dealer else cutter.person_id
        await at.must(cutter, facts.PackCut(player_id, depth))
    await at.must(dealer, facts.PackBoxed())


async def _bet_and_lock(at: CardTable, script: Script) -> None:
    """Return when it stands who plays the round and for what: seen by the dealer."""
    seen, bets = at.dealer.seen, script.bets if at.steps.bets else ()
    # In the order of the script: who came first decides ties.
    for bet in bets:
        await _bet(at, bet)
    await seen.until("all bets", lambda: len(seen.bets) == len(bets))
    if at.steps.dice:
        shaker = people.who_acts(tuple(seen.bets.values()), seen.places).dice_shaker
        actor = at.dealer if shaker == HOUSE else at.player(shaker)
        await at.must(actor, facts.ShakeStarted(shaker))
    elif at.steps.bets:
        await at.must(at.dealer, facts.DealStarted())
    await seen.until("the holders of the gates", lambda: bool(seen.holders))


async def _bet(at: CardTable, bet: Bet) -> None:
    """Return when one bet lies: units of the ordinance, or a stake on a gate where somebody sits."""
    player = at.players[bet.player]
    seen = player.seen
    await seen.until("the bets to open", lambda: seen.phase == Phase.BETTING)
    if at.steps.dice:
        fact = facts.BetPlaced(bet.bet_id, player.person_id, bet.gate, bet.unit_minor, bet.units)
    else:
        gates = [gate for gate in seen.seats if gate != at.banker_gate]
        gate = gates[bet.gate % len(gates)]
        stake_minor = bet.unit_minor * bet.units
        fact = facts.BetPlaced(bet.bet_id, player.person_id, gate, stake_minor=stake_minor)
    await at.must(player, fact)


async def _deal(at: CardTable, deck: Deck) -> list[tuple[str, int]]:
    """Return the cards as dealt, once the table has taken the deal and the dealer has seen it."""
    seen = at.dealer.seen
    if at.steps.dice:
        await seen.until("the first gate", lambda: seen.first_gate is not None)
        assert seen.first_gate is not None, "waited for"
        cards = dealt(deck.turned, seen.first_gate)
    else:
        cards = dealt_to(deck.turned, tuple(seen.holders))
    await at.must(at.dealer, facts.PackDealt(tuple(facts.DealtCard(*each) for each in cards)))
    await seen.until("the deal", lambda: seen.phase in _AFTER_DEAL)
    return cards


async def _open_banker(at: CardTable) -> None:
    """Return when the dealer has laid and opened the banker's hand."""
    seen, gate = at.dealer.seen, at.banker_gate
    await seen.until("the banker's hand", lambda: gate in seen.cards)
    laid = people.banker_lays(seen.cards[gate], at.rules)
    await at.must(at.dealer, facts.BankerArranged(laid))
    await at.must(at.dealer, facts.BankerOpened())


async def _set_hands(at: CardTable, script: Script, conduct: Conduct) -> None:
    """Return when every hand is set that has to be, or its time has run out."""
    async with asyncio.TaskGroup() as group:
        for gate, holder in at.dealer.seen.holders.items():
            actor = at.dealer if holder == HOUSE else at.player(holder)
            if at.steps.banker_opens_first:
                group.create_task(_answer_banker(at, script, conduct, actor, gate))
            elif at.steps.arranged:
                group.create_task(_set_hand(at, script, conduct, actor, gate))


async def _answer_banker(
    at: CardTable, script: Script, conduct: Conduct, actor: Actor[CardsSeen], gate: int
) -> None:
    """Return when a gate's holder has laid against the banker's open hand, or has missed the time."""
    seen, banker_gate = actor.seen, at.banker_gate
    holder = HOUSE if actor is at.dealer else actor.person_id
    round_id = at.dealer.seen.round_id
    await seen.until(
        "the banker's open hand",
        lambda: (
            seen.round_id == round_id and banker_gate in seen.laid and seen.phase != Phase.DEALT
        ),
    )
    if holder != HOUSE and not await _in_time(at, conduct, actor, facts.HandTaken(gate, holder)):
        return
    await seen.until(f"the cards of gate {gate}", lambda: gate in seen.cards)
    laid = conduct.answers(at, script, gate, seen.cards[gate], seen.laid[banker_gate])
    if laid is not None:
        await _in_time(at, conduct, actor, facts.HandSet(laid, gate, holder))


async def _set_hand(
    at: CardTable, script: Script, conduct: Conduct, actor: Actor[CardsSeen], gate: int
) -> None:
    """Return when a hand of a variant is set by whoever plays it, or the dealer says that it is not."""
    seen, round_id = actor.seen, at.dealer.seen.round_id
    await seen.until(
        f"the cards of gate {gate}", lambda: seen.round_id == round_id and gate in seen.cards
    )
    cards = seen.cards[gate]
    if not people.is_waited_for(at.rule_set, cards, at.rules):
        return
    laying = conduct.sets(at, script, gate, cards)
    if laying is None:
        await at.must(at.dealer, facts.HandNotSet(gate))
        return
    holder = HOUSE if actor is at.dealer else actor.person_id
    await at.must(actor, facts.HandSet(laying.lanes, gate, holder, laying.declare))


async def _in_time(at: CardTable, conduct: Conduct, actor: Actor[CardsSeen], fact: Fact) -> bool:
    """Return whether the act came before the signal."""
    code = await actor.terminal.act(fact)
    if code in ("TIME_UP", "WRONG_PHASE") and conduct.hurried:
        return False
    if code:
        raise at.fault(f"{type(fact).__name__} of {actor.person_id} was refused: {code}")
    return True


async def _settle(at: CardTable, script: Script) -> None:
    """Return when the dealer has been shown the result of the round."""
    seen = at.dealer.seen
    round_id = seen.round_id
    await seen.until("the settlement", lambda: round_id in seen.results)
    del seen.results[round_id]
    at.tally.evaluations[round_id] = 1
    banker = {at.banker_gate} if at.steps.banker else set()
    gates = tuple(sorted({*banker, *seen.holders}))
    at.settled.append(SettledRound(round_id, script.number, dict(seen.cards), gates))
