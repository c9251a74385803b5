"""A table to play at: its equipment counts, its dealer deals, every event goes through `step`.

`Table` keeps what a processor would keep: the log, the state, the last rounds, and everything that
came out. Whatever is sent is what a real gateway would write; a test may say otherwise.
"""

import json
import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from typing import Any

from msgspec import Struct

from floorbook import money, seal
from floorbook.games.game import Evaluated, Refused, evaluate
from floorbook.games.thirteen_cards.arrangement import Arrangement
from floorbook.games.thirteen_cards.arranging import house_way
from floorbook.games.thirteen_cards.cards import PACK
from floorbook.games.thirteen_cards.config import Config
from floorbook.games.thirteen_cards.deal import first_gate, gate_of_card
from floorbook.money import Movement, MovementKind
from floorbook.table import events
from floorbook.table.events import Equipment, EquipmentKind, Event, Fact, Role
from floorbook.table.refuse import Recall
from floorbook.table.state import (
    ROUNDS_KEPT,
    Evaluation,
    RoundRecord,
    TableState,
    Timer,
    fresh,
    obligation_id,
)
from floorbook.table.step import Step, step
from floorbook.table.thirteen_cards import facts
from floorbook.table.thirteen_cards.shapes import ThirteenCardsOptions
from floorbook.table.thirteen_cards.state import ThirteenCards
from floorbook.table.thirteen_cards.terms import holders_now
from floorbook.wire import envelope

PIT, PIT2, DEALER, SHUFFLER, DICE, SHOE = "pit", "pit2", "dealer", "shuffler", "dice", "shoe"
SEATS = {f"p{n}": f"seat{n}" for n in range(1, 9)}
"""Each player's own terminal."""
KINDS: dict[str, EquipmentKind] = {
    PIT: EquipmentKind.PIT_TERMINAL,
    PIT2: EquipmentKind.PIT_TERMINAL,
    DEALER: EquipmentKind.DEALER_TERMINAL,
    SHUFFLER: EquipmentKind.SHUFFLER,
    DICE: EquipmentKind.DICE,
    SHOE: EquipmentKind.SHOE,
    **dict.fromkeys(SEATS.values(), EquipmentKind.SEAT_TERMINAL),
}
ROLES: dict[EquipmentKind, Role] = {
    EquipmentKind.PIT_TERMINAL: Role.SUPERVISOR,
    EquipmentKind.DEALER_TERMINAL: Role.DEALER,
    EquipmentKind.SHUFFLER: Role.DEVICE,
    EquipmentKind.DICE: Role.DEVICE,
    EquipmentKind.SHOE: Role.DEVICE,
    EquipmentKind.SEAT_TERMINAL: Role.PLAYER,
}
NOON_MS = 1_700_020_800_000
"""2023-11-15 12:00 at a table eight hours east of Greenwich."""
LIMIT_MS = 300_000
THROW = (1, 2, 3, 4)
LATE = "late"
"""What a test says of a gate that is never set."""

Check = Callable[[TableState, Event, Step], None]


class Deck(Struct, frozen=True):
    """A pack as the machine left it, from the top, with the salts it was sealed with."""

    faces: tuple[str, ...]
    salts: tuple[bytes, ...]

    @property
    def root(self) -> bytes:
        """Return what the machine publishes when it seals."""
        return seal.root(self.faces, self.salts)

    def opened(self, positions: Iterable[int] = range(52)) -> events.DeckOpened:
        """Return the fact that opens some positions."""
        opened = seal.open_positions(self.faces, self.salts, positions)
        return events.DeckOpened(opened.openings, opened.hashes)


def shuffled(rng: random.Random) -> Deck:
    """Return a pack in an order of `rng`."""
    faces = list(PACK)
    rng.shuffle(faces)
    return Deck(tuple(faces), tuple(rng.randbytes(seal.SALT_BYTES) for _ in faces))


def dealt(
    order: Sequence[str],
    dice: Sequence[int] = THROW,
    banker: int = 0,
    wrong: dict[str, int] | None = None,
) -> tuple[facts.DealtCard, ...]:
    """Return a pack dealt in that order; `wrong` says which cards went to which other gate."""
    first = first_gate(banker, dice)
    elsewhere = wrong or {}
    return tuple(
        facts.DealtCard(card, elsewhere.get(card, gate_of_card(first, index)))
        for index, card in enumerate(order)
    )


def order_for(
    hands: Mapping[int, Sequence[str]], dice: Sequence[int] = THROW, banker: int = 0
) -> tuple[str, ...]:
    """Return the order of a pack that gives these gates these hands; the others get the rest."""
    given = {card for hand in hands.values() for card in hand}
    rest = iter([card for card in PACK if card not in given])
    piles = {gate: iter(hands.get(gate, ())) for gate in range(4)}
    first = first_gate(banker, dice)
    gates = [gate_of_card(first, index) for index in range(len(PACK))]
    return tuple(next(piles[gate]) if gate in hands else next(rest) for gate in gates)


def cards(text: str) -> tuple[str, ...]:
    """Return cards written with spaces between them."""
    return tuple(text.split())


def lanes(front: str, middle: str, back: str) -> Arrangement:
    """Return lanes written with spaces between the cards."""
    return Arrangement(cards(front), cards(middle), cards(back))


@cache
def laid(hand: tuple[str, ...]) -> Arrangement:
    """Return the hand as the house would lay it: never fouled."""
    return house_way(hand, Config()).laid


def fouled(hand: tuple[str, ...]) -> Arrangement:
    """Return the hand laid with its strongest lane in front of its weakest."""
    good = laid(hand)
    swapped = Arrangement(good.front, good.back, good.middle)
    assert good.strengths != swapped.strengths
    return swapped


def fact_print(fact: Fact) -> bytes:
    """Return the fingerprint that a gateway puts beside the fact."""
    return envelope.fingerprint(fact) if type(fact) is not events.UnknownFact else b"\0" * 8


class Table:
    """One table with its equipment, played through `step`."""

    def __init__(self, table_id: str = "T1", *, start_ms: int = NOON_MS, seed: int = 1) -> None:
        """Return a table that nobody has opened yet."""
        self.table_id = table_id
        self.now_ms = start_ms
        self.rng = random.Random(seed)
        self.state = fresh(table_id, 0)
        self.log: list[Event] = []
        self.steps: list[Step] = []
        self.records: dict[int, RoundRecord] = {}
        self.boots: dict[str, int] = {}
        self.sequences: dict[str, int] = {}
        self.checks: list[Check] = []
        self.deck: Deck | None = None

    # What is written

    def event(
        self,
        equipment: str,
        fact: Fact,
        *,
        person: str | None = None,
        role: Role | None = None,
        kind: EquipmentKind | None = None,
        boot: int | None = None,
        sequence: int | None = None,
        after_ms: int = 100,
    ) -> Event:
        """Return the next event of that equipment, or one that a test describes otherwise."""
        self.now_ms += after_ms
        kind = kind or KINDS[equipment]
        role = role or ROLES[kind]
        if person is None:
            player = next((p for p, seat in SEATS.items() if seat == equipment), "")
            person = player if role is Role.PLAYER else f"{role.name.lower()}1"
        if sequence is None:
            sequence = self.sequences.get(equipment, 0) + 1
        return Event(
            self.table_id,
            fact,
            role,
            self.now_ms,
            equipment,
            kind,
            boot or self.boots.get(equipment, 1),
            sequence,
            fact_print(fact),
            client_id="" if role is Role.DEVICE else f"client-{equipment}",
            person_id="" if role is Role.DEVICE else person,
            offset=len(self.log),
        )

    def take(self, event: Event) -> Step:
        """Return what the table makes of an event that the log has."""
        self.log.append(event)
        before = self.state
        taken = step(before, event, Recall(self.records))
        for record in taken.effects.records:
            self.records[record.round_number % ROUNDS_KEPT] = record
        self.state = taken.state
        self.steps.append(taken)
        for check in self.checks:
            check(before, event, taken)
        return taken

    def send(self, equipment: str, fact: Fact, **how: Any) -> Step:
        """Return what the table makes of a fact that `equipment` reports; its number is used up."""
        event = self.event(equipment, fact, **how)
        if "sequence" not in how and "boot" not in how:
            self.sequences[equipment] = event.sequence
        return self.take(event)

    def does(self, equipment: str, fact: Fact, **how: Any) -> Step:
        """Return what an act brings about that the table must take."""
        taken = self.send(equipment, fact, **how)
        assert taken.verdict.refusal is None, f"{fact}: {taken.verdict}"
        return taken

    def code(self, equipment: str, fact: Fact, **how: Any) -> str:
        """Return the code with which an act is refused, "" for one that is taken."""
        refusal = self.send(equipment, fact, **how).verdict.refusal
        return refusal.code if refusal else ""

    def answer(self, owed_id: str, fact: Fact, *, after_ms: int = 5) -> Step:
        """Return what the table makes of the processor's own event."""
        self.now_ms += after_ms
        return self.take(
            Event(
                self.table_id,
                fact,
                Role.PROCESSOR,
                self.now_ms,
                obligation_id=owed_id,
                offset=len(self.log),
            )
        )

    def start(self, equipment: str, last_acknowledged: int = 0) -> Step:
        """Return what the table makes of equipment that starts, or starts again."""
        if equipment in self.boots:
            self.boots[equipment] += 1
        self.boots.setdefault(equipment, 1)
        self.sequences[equipment] = 0
        return self.send(equipment, events.SourceStarted(last_acknowledged))

    # How a table is opened and a round is played

    @property
    def game(self) -> ThirteenCards:
        """Return the game's part of the state."""
        assert isinstance(self.state.game, ThirteenCards)
        return self.state.game

    @property
    def phase(self) -> str:
        """Return where the round stands."""
        return str(self.game.phase)

    @property
    def banker(self) -> int:
        """Return the banker's gate."""
        assert self.state.terms is not None
        assert self.state.terms.thirteen_cards is not None
        return self.state.terms.thirteen_cards.banker_gate

    def terms(self, **changes: Any) -> events.TableOpened:
        """Return the terms on which tests open tables, but for `changes`."""
        options = ThirteenCardsOptions(
            changes.pop("banker_gate", 0), changes.pop("minimum", 0), changes.pop("maximum", 0)
        )
        given: dict[str, Any] = {
            "rule_set": "thirteen_cards",
            "rules_version": "1",
            "flags": "{}",
            "currency": "MOP",
            "equipment": tuple(Equipment(name, kind) for name, kind in KINDS.items()),
            "utc_offset_minutes": 480,
            "day_start_minute": 360,
            "thirteen_cards": options,
        }
        return events.TableOpened(**{**given, **changes})

    def open(self, players: int = 3, **changes: Any) -> "Table":
        """Return the table opened, with its equipment started and `players` in their places."""
        self.start(PIT)
        self.does(PIT, self.terms(**changes))
        for name in KINDS:
            if name != PIT and (name not in SEATS.values() or int(name[4:]) <= players):
                self.start(name)
        for player in list(SEATS)[:players]:
            self.does(SEATS[player], facts.PlaceTaken(player))
        return self

    def to_betting(self, deck: Deck | None = None, *, sealed: bool = True, cut: int = 20) -> None:
        """Return after shuffling, cutting and boxing: bets are open, or in a re-deal the deal is due."""
        self.deck = (deck or shuffled(self.rng)) if sealed else None
        self.does(DEALER, facts.PackShuffled())
        if self.deck is not None:
            self.does(SHUFFLER, events.ShuffleSealed(self.deck.root, 52))
        self.does(DEALER, facts.PackCut("", cut))
        self.does(DEALER, facts.PackBoxed())

    def bet(self, bet_id: str, player: str, gate: int, unit: int = 100, units: int = 1) -> Step:
        """Return what the table makes of a bet that it must take."""
        return self.does(SEATS[player], facts.BetPlaced(bet_id, player, gate, unit, units))

    def lock(self) -> Step:
        """Return what the start of the shake brings about, by whoever has to shake."""
        return self.does(DEALER, facts.ShakeStarted(holders_now(self.game).dice_shaker))

    def deal(
        self,
        order: Sequence[str] | None = None,
        dice: Sequence[int] = THROW,
        wrong: dict[str, int] | None = None,
    ) -> Step:
        """Return what the deal brings about, after the throw if it is still to come."""
        if self.phase == "LOCKED":
            self.does(DICE, events.DiceThrown(tuple(dice)))
        if self.deck is not None:
            self.does(SHUFFLER, self.deck.opened())
            shift = sum(self.game.cuts) % 52
            order = self.deck.faces[shift:] + self.deck.faces[:shift]
        elif order is None:
            order = shuffled(self.rng).faces
        return self.does(DEALER, facts.PackDealt(dealt(order, self.game.dice, self.banker, wrong)))

    def order(self) -> tuple[str, ...]:
        """Return the order in which the cards on the table were dealt."""
        first = first_gate(self.banker, self.game.dice)
        piles = {gate: iter(hand) for gate, hand in enumerate(self.game.hands)}
        return tuple(next(piles[gate_of_card(first, index)]) for index in range(52))

    def open_banker(self, arrangement: Arrangement | None = None) -> Step:
        """Return what the opening of the banker's hand brings about."""
        hand = arrangement or laid(self.game.hands[self.banker])
        self.does(DEALER, facts.BankerArranged(hand))
        return self.does(DEALER, facts.BankerOpened())

    def set(
        self, gate: int, arrangement: Arrangement | None = None, *, after_ms: int = 100
    ) -> Step:
        """Return what the setting of a gate brings about, by whoever holds it."""
        holder = self.game.holders[gate]
        fact = facts.HandSet(arrangement or laid(self.game.hands[gate]), gate, holder)
        where = DEALER if holder == "house" else SEATS[holder]
        return self.does(where, fact, after_ms=after_ms)

    def to(self, phase: str, *, sealed: bool = True) -> "Table":
        """Return the table in a round that has come to `phase`, with bets of p1 and p2."""
        ways: dict[str, Callable[[], object]] = {
            "SHUFFLED": lambda: self.does(DEALER, facts.PackShuffled()),
            "BETTING": lambda: self.to_betting(sealed=sealed),
            "LOCKED": self._lock_with_bets,
            "DEALING": lambda: self.does(DICE, events.DiceThrown(THROW)),
            "DEALT": self.deal,
            "OPENED": self.open_banker,
            "COMPLETE": lambda: [self.set(gate) for gate in self.game.holders],
            "SETTLED": self.settle,
        }
        if phase == "IDLE":
            return self
        if phase == "SHUFFLED":
            ways["SHUFFLED"]()
            return self
        if phase == "VOID":
            self.to("LOCKED", sealed=sealed)
            self.does(PIT, events.RoundVoided("TEST", "ref"))
            return self
        if phase == "REDEAL":
            self.to("DEALT", sealed=sealed)
            self.void_deal()
            return self
        for name in list(ways)[1:]:
            ways[name]()
            if name == phase:
                return self
        raise AssertionError(f"no phase {phase}")

    def void_deal(self) -> Step:
        """Return what a misdeal brings about that cannot be put right."""
        order = self.order()
        wrong = {order[0]: gate_of_card(first_gate(self.banker, self.game.dice), 1)}
        report = dealt(order, self.game.dice, self.banker, wrong)
        return self.does(DEALER, facts.MisdealReported(report, recoverable=False))

    def _lock_with_bets(self) -> None:
        self.bet("b1", "p1", 1, 100, 2)
        self.bet("b2", "p2", 2, 100, 1)
        self.lock()

    # What is owed

    def owed(self) -> Evaluation:
        """Return the one evaluation that the table owes."""
        (owed,) = [o for o in self.state.obligations if isinstance(o, Evaluation)]
        return owed

    def timer(self) -> Timer:
        """Return the one timer that the table owes."""
        (owed,) = [o for o in self.state.obligations if isinstance(o, Timer)]
        return owed

    def owed_id(self) -> str:
        """Return the id of the one evaluation that the table owes."""
        return obligation_id(self.state, self.owed())

    def judged(self, owed: Evaluation | None = None) -> Fact:
        """Return what the evaluator says to what is owed."""
        owed = owed or self.owed()
        found = evaluate(owed.rule_set, owed.rules_version, json.loads(owed.request))
        if isinstance(found, Refused):
            return events.EvaluationRefused(found.code, found.detail)
        assert isinstance(found, Evaluated)
        result = json.dumps(found.result)
        return events.RoundEvaluated(
            owed.rule_set, owed.rules_version, result, tuple(found.explanation)
        )

    def settle(self) -> Step:
        """Return what the evaluator's answer brings about."""
        return self.answer(self.owed_id(), self.judged())

    def signal(self) -> Step:
        """Return what the signal brings about, given when it is due."""
        timer = self.timer()
        self.now_ms = max(self.now_ms, timer.due_ms)
        return self.answer(obligation_id(self.state, timer), events.TimerExpired(), after_ms=0)

    def round(self, *, sealed: bool = True) -> Step:
        """Return the settlement of a whole ordinary round with two bets."""
        self.to("COMPLETE", sealed=sealed)
        return self.settle()

    # What came out

    @property
    def movements(self) -> list[Movement]:
        """Return everything that was to be booked, in order."""
        return [movement for taken in self.steps for movement in taken.effects.movements]

    def causes(self) -> list[str]:
        """Return why the table is suspended."""
        return [cause.cause_id for cause in self.state.causes]


def balances(movements: Iterable[Movement]) -> dict[str, int]:
    """Return what each party has got less what it gave, with reversals as the ledger books them."""
    booked: dict[str, Movement] = {}
    result: dict[str, int] = {}
    for movement in movements:
        assert movement.movement_id not in booked, f"{movement.movement_id} twice"
        booked[movement.movement_id] = movement
        sign, transfers = 1, movement.transfers
        if movement.kind is MovementKind.REVERSAL:
            original = booked[movement.reverses]
            assert original.fingerprint == movement.reversed_fingerprint
            sign, transfers = -1, original.transfers
        for party, amount in money.net(transfers).items():
            result[party] = result.get(party, 0) + sign * amount
    return {party: amount for party, amount in result.items() if amount}
