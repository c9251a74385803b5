"""Decides which tables the load plays and what is said in each round, worked out before anything is sent.

The load knows the decks and the dice, so nobody has to be shown anything: a few rounds are played out on
paper once, and each table says one of them in the names of its own people and equipment.
"""

from collections.abc import Iterator

from msgspec import Struct
from msgspec.structs import replace

from floorbook.demo.casino import CURRENCY, LEAST_UNIT_MINOR, RULES_VERSION, chance
from floorbook.demo.thirteen_cards import people
from floorbook.demo.thirteen_cards.script import dealt, script_of
from floorbook.games.thirteen_cards.config import Config
from floorbook.games.thirteen_cards.deal import GATES, first_gate, hands_of
from floorbook.table.events import (
    DiceThrown,
    Equipment,
    EquipmentKind,
    Fact,
    Role,
    SourceStarted,
    TableOpened,
)
from floorbook.table.thirteen_cards import facts
from floorbook.table.thirteen_cards.shapes import ThirteenCardsOptions
from floorbook.table.thirteen_cards.terms import HOUSE

RULE_SET = "thirteen_cards"
PLAYERS = 4
BETS = 12
EVENTS_OF_A_ROUND = 30
"""With the evaluator's answer, which the load does not send."""
LOCKED_FROM = 18
"""So many acts of a round and the bets are locked: they are held."""

DEALER, PIT, SHUFFLER, DICE = "dealer", "pit", "shuffler", "dice"
SEATS = tuple(f"seat{number}" for number in range(1, PLAYERS + 1))
TERMINALS = (PIT, DEALER, *SEATS)
DEVICES = (SHUFFLER, DICE)
KINDS = {
    PIT: EquipmentKind.PIT_TERMINAL,
    DEALER: EquipmentKind.DEALER_TERMINAL,
    **dict.fromkeys(SEATS, EquipmentKind.SEAT_TERMINAL),
    SHUFFLER: EquipmentKind.SHUFFLER,
    DICE: EquipmentKind.DICE,
}
_ROLES = {
    EquipmentKind.PIT_TERMINAL: Role.SUPERVISOR,
    EquipmentKind.DEALER_TERMINAL: Role.DEALER,
    EquipmentKind.SEAT_TERMINAL: Role.PLAYER,
    EquipmentKind.SHUFFLER: Role.DEVICE,
    EquipmentKind.DICE: Role.DEVICE,
}
_BANKER_GATE = 0
_CUT_BY_DEALER = 20


class Saying(Struct, frozen=True):
    """One fact and what says it; a fact's player, if it has one, is a seat until a table is known."""

    equipment: str
    fact: Fact

    @property
    def is_reading(self) -> bool:
        """Return whether a device says it."""
        return self.equipment in DEVICES


def equipment_id(table_id: str, equipment: str) -> str:
    """Return the id of a table's equipment."""
    return f"{table_id}-{equipment}"


def person_id(table_id: str, equipment: str) -> str:
    """Return who acts at a terminal; nobody at a device."""
    return "" if equipment in DEVICES else f"{table_id}-{equipment}-person"


def role_of(equipment: str) -> Role:
    """Return in which role somebody acts at a piece of equipment."""
    return _ROLES[KINDS[equipment]]


def table_ids(prefix: str, count: int) -> list[str]:
    """Return the ids of that many tables, all of one length: a log can be said again of other tables."""
    return [f"{prefix}{number:05}" for number in range(count)]


def opening(table_id: str) -> Iterator[Saying]:
    """Yield what opens a table: its equipment starts, its players take places."""
    opened = TableOpened(
        rule_set=RULE_SET,
        rules_version=RULES_VERSION,
        currency=CURRENCY,
        equipment=tuple(
            Equipment(equipment_id(table_id, each), KINDS[each]) for each in (*TERMINALS, *DEVICES)
        ),
        utc_offset_minutes=8 * 60,
        day_start_minute=6 * 60,
        thirteen_cards=ThirteenCardsOptions(_BANKER_GATE, LEAST_UNIT_MINOR),
    )
    yield Saying(PIT, SourceStarted())
    yield Saying(PIT, opened)
    for each in (DEALER, *DEVICES, *SEATS):
        yield Saying(each, SourceStarted())
    for seat in SEATS:
        yield Saying(seat, facts.PlaceTaken(seat))


OPENING_EVENTS = 2 + 1 + len(DEVICES) + 2 * PLAYERS


def of_table(saying: Saying, table_id: str) -> Fact:
    """Return a saying's fact with the player of this table in it."""
    fact = saying.fact
    seat: str = getattr(fact, "player_id", "")
    if seat not in SEATS:
        return fact
    return replace(fact, player_id=person_id(table_id, seat))


def invent(seed: int, count: int) -> list[tuple[Saying, ...]]:
    """Return that many rounds."""
    rules = people.rules_of(RULE_SET, {})
    return [tuple(_round(seed, number, rules)) for number in range(1, count + 1)]


def _round(seed: int, number: int, rules: Config) -> Iterator[Saying]:
    script = script_of(seed, 0, number, PLAYERS, _BANKER_GATE)
    deck = replace(script.deck, cuts=(script.deck.cuts[0], _CUT_BY_DEALER))
    bets = _bets(seed, number)
    acting = people.who_acts(bets, SEATS)
    yield Saying(DEALER, facts.PackShuffled())
    yield Saying(SHUFFLER, deck.sealed)
    yield Saying(SEATS[0], facts.PackCut(SEATS[0], deck.cuts[0]))
    yield Saying(DEALER, facts.PackCut("", deck.cuts[1]))
    yield Saying(DEALER, facts.PackBoxed())
    for bet in bets:
        yield Saying(bet.player_id, bet)
    yield Saying(acting.dice_shaker, facts.ShakeStarted(acting.dice_shaker))
    yield Saying(DICE, DiceThrown(script.dice))
    yield Saying(SHUFFLER, deck.opened)
    cards = dealt(deck.turned, first_gate(_BANKER_GATE, script.dice))
    yield Saying(DEALER, facts.PackDealt(tuple(facts.DealtCard(*each) for each in cards)))
    hands = hands_of(_BANKER_GATE, script.dice, deck.turned)
    banker = people.banker_lays(hands[_BANKER_GATE], rules)
    yield Saying(DEALER, facts.BankerArranged(banker))
    yield Saying(DEALER, facts.BankerOpened())
    assert HOUSE not in acting.holders.values(), "every gate has its own player"
    for gate, holder in acting.holders.items():
        yield Saying(holder, facts.HandTaken(gate, holder))
    for gate, holder in acting.holders.items():
        laid = people.player_lays(hands[gate], banker, rules)
        yield Saying(holder, facts.HandSet(laid, gate, holder))


def _bets(seed: int, number: int) -> tuple[facts.BetPlaced, ...]:
    """Return bets on all gates but the banker's, each player's in turn."""
    drawn = chance(seed, "bets", number)
    gates = [gate for gate in GATES if gate != _BANKER_GATE]
    return tuple(
        facts.BetPlaced(
            f"b{number}-{index}",
            SEATS[index % PLAYERS],
            gates[index % len(gates)],
            LEAST_UNIT_MINOR * drawn.randint(1, 10),
            drawn.randint(1, 3),
        )
        for index in range(BETS)
    )
