"""Decides the whole course of a proper round in advance, for load: what each piece of equipment will report.

Whoever knows the deck, the cuts and the dice knows what everybody will be shown, so nobody has to watch. The
facts are those that people would report in play.py; only the order among hands may differ there.
"""

from collections.abc import Iterator

from msgspec import Struct

from floorbook.demo import people
from floorbook.demo.casino import Table
from floorbook.demo.script import Script, dealt
from floorbook.games.thirteen_cards.config import Config
from floorbook.games.thirteen_cards.deal import first_gate, hands_of
from floorbook.table.events import DiceThrown, Fact
from floorbook.table.thirteen_cards import facts
from floorbook.table.thirteen_cards.refuse import HOUSE


class Move(Struct, frozen=True):
    """One fact and the equipment that reports it."""

    equipment_id: str
    fact: Fact


def seating(table: Table) -> Iterator[Move]:
    """Yield how all players take their places at a table just opened."""
    for player in table.players:
        yield Move(player.equipment_id, facts.PlaceTaken(player.person_id))


def course(table: Table, script: Script, rules: Config) -> Iterator[Move]:
    """Yield the facts of one round in an order in which the table takes all of them."""
    dealer, shuffler = table.dealer.equipment_id, table.shuffler.equipment_id
    deck = script.deck
    yield Move(dealer, facts.PackShuffled())
    yield Move(shuffler, deck.sealed)
    for depth in deck.cuts:
        yield Move(dealer, facts.PackCut("", depth))
    yield Move(dealer, facts.PackBoxed())
    bets = _bets(table, script)
    for bet in bets:
        yield Move(_terminal(table, bet.player_id), bet)
    acting = people.who_acts(bets, [player.person_id for player in table.players])
    yield Move(_terminal(table, acting.dice_shaker), facts.ShakeStarted(acting.dice_shaker))
    yield Move(table.dice.equipment_id, DiceThrown(script.dice))
    yield Move(shuffler, deck.opened)
    cards = dealt(deck.turned, first_gate(table.banker_gate, script.dice))
    yield Move(dealer, facts.PackDealt(tuple(facts.DealtCard(*each) for each in cards)))
    hands = hands_of(table.banker_gate, script.dice, deck.turned)
    banker = people.banker_lays(hands[table.banker_gate], rules)
    yield Move(dealer, facts.BankerArranged(banker))
    yield Move(dealer, facts.BankerOpened())
    for gate, holder in acting.holders.items():
        terminal = _terminal(table, holder)
        if holder != HOUSE:
            yield Move(terminal, facts.HandTaken(gate, holder))
        laid = people.player_lays(hands[gate], banker, rules)
        yield Move(terminal, facts.HandSet(laid, gate, holder))


def _bets(table: Table, script: Script) -> list[facts.BetPlaced]:
    return [
        facts.BetPlaced(
            bet.bet_id, table.players[bet.player].person_id, bet.gate, bet.unit_minor, bet.units
        )
        for bet in script.bets
    ]


def _terminal(table: Table, person_id: str) -> str:
    """Return the terminal of a player; of the house, the dealer's."""
    for player in table.players:
        if player.person_id == person_id:
            return player.equipment_id
    return table.dealer.equipment_id
