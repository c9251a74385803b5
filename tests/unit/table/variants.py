"""A table of a variant to play at: places at gates, a unit or stakes, all hands set at once (B10)."""

import random
from collections.abc import Mapping, Sequence
from typing import Any

from floorbook.games.thirteen_cards.arrangement import Arrangement
from floorbook.games.thirteen_cards.cards import PACK
from floorbook.games.thirteen_cards.procedure import procedure_of
from floorbook.table import events
from floorbook.table.step import Step
from floorbook.table.thirteen_cards import facts
from floorbook.table.thirteen_cards.terms import house_gate, special_at, waited_for
from tests.unit.table.playing import (
    DEALER,
    KINDS,
    PIT,
    SEATS,
    SHOE,
    SHUFFLER,
    Table,
    laid,
    shuffled,
)

ALL_AGAINST_ALL = (
    "compare_size",
    "no_arranging",
    "declare",
    "hundred_change",
    "shaoxing",
    "compare_size_2",
    "four_player",
)
BANKER_GAMES = ("declare_2", "banker_xianggong")
VARIANTS = (*ALL_AGAINST_ALL, *BANKER_GAMES)
UNIT = 100

Hands = Mapping[int, Sequence[str]]


class VariantTable(Table):
    """One table of a variant, with players p1, p2, … at its gates in ascending order."""

    def __init__(self, rule_set: str, *, seed: int = 1) -> None:
        """Return a table that nobody has opened yet."""
        super().__init__(seed=seed)
        self.rule_set = rule_set
        self.procedure = procedure_of(rule_set)

    def open(
        self, players: int = 4, *, unit: bool = True, flags: str = "{}", **changes: Any
    ) -> "VariantTable":
        """Return the table opened, `players` at its gates, the dealer's own apart, and a unit set."""
        self.start(PIT)
        self.does(PIT, self.terms(rule_set=self.rule_set, flags=flags, **changes))
        for name in KINDS:
            if name != PIT and (name not in SEATS.values() or int(name[4:]) <= max(players, 4)):
                self.start(name)
        free = [gate for gate in range(4) if gate != house_gate(self.state)]
        for player, gate in zip(list(SEATS)[:players], free, strict=False):
            self.does(SEATS[player], facts.PlaceTaken(player, gate))
        if unit and not self.procedure.bets:
            self.does(DEALER, facts.UnitSet(UNIT))
        return self

    def stake(self, bet_id: str, player: str, gate: int, stake: int = UNIT) -> Step:
        """Return what the table makes of a bet against the banker that it must take."""
        bet = facts.BetPlaced(bet_id, player, gate, stake_minor=stake)
        return self.does(SEATS[player], bet)

    def box(self, *, sealed: bool = True, cut: bool = True) -> None:
        """Return after shuffling and boxing: betting is open, or the deal is due."""
        self.deck = shuffled(self.rng) if sealed else None
        self.does(DEALER, facts.PackShuffled())
        if self.deck is not None:
            self.does(SHUFFLER, events.ShuffleSealed(self.deck.root, 52))
        if cut:
            self.does(DEALER, facts.PackCut("", 20))
        self.does(DEALER, facts.PackBoxed())

    def lock(self) -> Step:
        """Return what the start of the deal brings about."""
        return self.does(DEALER, facts.DealStarted())

    def deal(self, hands: Hands | None = None, **_: Any) -> Step:  # type: ignore[override]
        """Return what the deal brings about: these hands, or the next cards of the pack."""
        gates = tuple(self.game.holders)
        if self.deck is not None:
            self.does(SHUFFLER, self.deck.opened())
            shift = sum(self.game.cuts) % 52
            order = self.deck.faces[shift:] + self.deck.faces[:shift]
            return self.does(SHOE, facts.PackDealt(in_turn(order, gates)))
        if hands is None:
            return self.does(DEALER, facts.PackDealt(in_turn(shuffled(self.rng).faces, gates)))
        return self.does(DEALER, facts.PackDealt(as_hands(hands)))

    def lay(
        self, gate: int, arrangement: Arrangement | None = None, *, declare: bool = True
    ) -> Step:
        """Return what the laying of a gate brings about, by whoever plays it."""
        lanes = arrangement or laid(self.game.hands[gate])
        return self._set(gate, lanes, declare)

    def announce(self, gate: int) -> Step:
        """Return what it brings about that a gate announces its special hand."""
        return self._set(gate, None, True)

    def _set(self, gate: int, lanes: Arrangement | None, declare: bool) -> Step:
        holder = self.game.holders[gate]
        where = DEALER if holder == "house" else SEATS[holder]
        return self.does(where, facts.HandSet(lanes, gate, holder, declare))

    def not_set(self, gate: int) -> Step:
        """Return what it brings about that the dealer declares a gate not set."""
        return self.does(DEALER, facts.HandNotSet(gate))

    def special(self, gate: int) -> str | None:
        """Return the special hand that a gate's cards are."""
        return special_at(self.state, gate)

    def to(self, phase: str, *, sealed: bool = True) -> "VariantTable":
        """Return the table in a round that has come to `phase`; in a banker game with two bets."""
        if phase == "IDLE":
            return self
        if phase == "VOID":
            self.to("DEALING", sealed=sealed)
            self.does(PIT, events.RoundVoided("TEST", "ref"))
            return self
        if phase == "REDEAL":
            self.to("DEALT", sealed=sealed)
            self.void_deal()
            return self
        if phase == "SHUFFLED":
            self.does(DEALER, facts.PackShuffled())
            return self
        self.box(sealed=sealed)
        if self.phase == "BETTING" and phase != "BETTING":
            gates = [gate for gate in self.game.seats if gate != self.banker]
            self.stake("b1", self.game.seats[gates[0]], gates[0], 200)
            self.stake("b2", self.game.seats[gates[-1]], gates[-1], 100)
            self.lock()
        if phase not in ("BETTING", "DEALING"):
            self.deal()
        if phase in ("COMPLETE", "SETTLED"):
            for gate in waited_for(self.state):
                self.lay(gate)
        if phase == "SETTLED":
            self.settle()
        assert self.phase == phase, self.phase
        return self

    def void_deal(self) -> Step:
        """Return what a misdeal brings about: the pack is dealt again."""
        return self.does(DEALER, facts.MisdealReported(recoverable=False))


def in_turn(order: Sequence[str], gates: Sequence[int]) -> tuple[facts.DealtCard, ...]:
    """Return the first cards of a pack dealt one at a time to the gates that play."""
    return tuple(
        facts.DealtCard(card, gates[index % len(gates)])
        for index, card in enumerate(order[: 13 * len(gates)])
    )


def as_hands(hands: Hands) -> tuple[facts.DealtCard, ...]:
    """Return a pack dealt thirteen cards at a time."""
    return tuple(facts.DealtCard(card, gate) for gate, hand in hands.items() for card in hand)


def rest_of(hands: Hands, gates: Sequence[int], rng: random.Random) -> dict[int, tuple[str, ...]]:
    """Return those hands, and what is left of the pack for the other gates that play."""
    given = {card for hand in hands.values() for card in hand}
    left = [card for card in PACK if card not in given]
    rng.shuffle(left)
    found = {gate: tuple(hand) for gate, hand in hands.items()}
    for gate in gates:
        if gate not in found:
            found[gate], left = tuple(left[:13]), left[13:]
    return dict(sorted(found.items()))
