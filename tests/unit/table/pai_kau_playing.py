"""A Pai Kau table to play at: `Table` with the acts of section 5, in their order."""

import random
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from floorbook import seal
from floorbook.games.pai_kau.gates import hands_of
from floorbook.games.pai_kau.setting import house_way
from floorbook.games.pai_kau.tiles import SET, rest_of_set
from floorbook.table import events
from floorbook.table.events import Equipment, Fact
from floorbook.table.pai_kau import facts
from floorbook.table.pai_kau.apply import positions_dealt
from floorbook.table.pai_kau.shapes import PaiKauOptions
from floorbook.table.pai_kau.state import PaiKau
from floorbook.table.pai_kau.terms import holders_of, laying
from floorbook.table.step import Step
from tests.unit.table.playing import DEALER, DICE, KINDS, PIT, SEATS, SHUFFLER, Deck, Table

THROW = (1, 1, 1, 2)
"""Five: the banker is dealt first at a table of four gates."""
BANKER = "p1"
"""Who takes the bank of a table that `to` opens, at gate 1."""


def tiles(text: str) -> tuple[str, ...]:
    """Return tiles written with spaces between them."""
    return tuple(text.split())


def wall(rng: random.Random, order: Sequence[str] = ()) -> Deck:
    """Return a wall in `order`, or in one of `rng`, as a machine seals it."""
    faces = list(order) or rng.sample(SET, len(SET))
    return Deck(tuple(faces), tuple(rng.randbytes(seal.SALT_BYTES) for _ in faces))


def filled(
    hands: Mapping[int, Sequence[str]], gates: int, used: Sequence[str] = ()
) -> dict[int, tuple[str, ...]]:
    """Return these hands, and of what is left of the set one for each other gate."""
    rest = list(rest_of_set([*used, *(tile for hand in hands.values() for tile in hand)]))
    found: dict[int, tuple[str, ...]] = {}
    for gate in range(1, gates + 1):
        found[gate] = tuple(hands.get(gate, ())) or tuple(rest.pop(0) for _ in range(4))
    return found


def dealt(hands: Mapping[int, Sequence[str]]) -> facts.TilesDealt:
    """Return the report of a deal."""
    return facts.TilesDealt(
        tuple(facts.DealtHand(gate, tuple(hand)) for gate, hand in hands.items())
    )


class PaiKauTable(Table):
    """One Pai Kau table with its equipment, played through `step`."""

    @property
    def pk(self) -> PaiKau:
        """Return the game's part of the state."""
        assert isinstance(self.state.game, PaiKau)
        return self.state.game

    @property
    def phase(self) -> str:
        """Return where the round stands."""
        return str(self.pk.phase)

    @property
    def banker_id(self) -> str:
        """Return who banks."""
        assert self.pk.turn is not None
        return self.pk.turn.player_id

    @property
    def banker_gate(self) -> int:
        """Return the banker's gate."""
        assert self.pk.turn is not None
        return self.pk.turn.gate

    def terms(self, **changes: Any) -> events.TableOpened:
        """Return the terms on which tests open tables, but for `changes`."""
        limits = PaiKauOptions(changes.pop("minimum", 0), changes.pop("maximum", 0))
        given: dict[str, Any] = {
            "rule_set": "pai_kau",
            "rules_version": "1",
            "flags": "{}",
            "currency": "MOP",
            "equipment": tuple(Equipment(name, kind) for name, kind in KINDS.items()),
            "utc_offset_minutes": 480,
            "day_start_minute": 360,
            "pai_kau": limits,
        }
        return events.TableOpened(**{**given, **changes})

    def open(self, players: int = 8, **changes: Any) -> "PaiKauTable":
        """Return the table opened, with its equipment started."""
        self.start(PIT)
        self.does(PIT, self.terms(**changes))
        for name in KINDS:
            if name != PIT and (name not in SEATS.values() or int(name[4:]) <= players):
                self.start(name)
        return self

    # The acts of a round

    def tiles(
        self, gates: int = 4, *, sealed: bool = False, order: Sequence[str] = (), new: bool = False
    ) -> None:
        """Return with tiles for another round: held over if they are, else shuffled."""
        if self.pk.used_tiles and not new:
            self.does(DEALER, facts.TilesCarriedOver())
        elif sealed:
            self.deck = wall(self.rng, order)
            if new:
                self.does(DEALER, facts.TilesShuffled(new_tiles=True))
            self.does(SHUFFLER, events.ShuffleSealed(self.deck.root, 32))
        else:
            self.deck = None
            self.does(DEALER, facts.TilesShuffled(new_tiles=new))
        self.does(DEALER, facts.GatesAnnounced(gates))

    def offer(self, *answers: tuple[int, str, bool]) -> Step:
        """Return what the assignment of the bank brings about, after these answers."""
        for gate, player, accepts in answers:
            self.does(SEATS[player], facts.BankAnswered(gate, player, accepts))
        return self.does(DEALER, facts.BankAssigned())

    def bank(self, gate: int = 1, player: str = BANKER) -> None:
        """Return with a banker, the one there is or this one."""
        if self.pk.turn is None:
            self.offer((gate, player, True))

    def bet(  # type: ignore[override]
        self, player: str, gate: int, amount: int
    ) -> Step:
        """Return what the table makes of a bet that it must take."""
        return self.does(SEATS[player], facts.BetChanged(gate, player, amount))

    def stake(self, amount: int) -> Step:
        """Return what the banker's stake brings about."""
        return self.does(SEATS[self.banker_id], facts.StakePosted(self.banker_id, amount))

    def back(self, who: str, amount: int, *, house: bool = False, gate: int = 0) -> Step:
        """Return what a co-bank brings about that the table must take."""
        where = DEALER if house else SEATS[who]
        return self.does(where, facts.CoBankPosted(who, amount, house, gate))

    def lock(self) -> Step:
        """Return what the start of the shake brings about, the head tiles put out before it."""
        who = self.banker_id
        if not self.pk.head_tiles_out:
            self.does(SEATS[who], facts.HeadTilesPut(who))
        return self.does(SEATS[who], facts.DiceShaken(who))

    def throw(self, dice: Sequence[int] = THROW) -> Step:
        """Return what a valid throw brings about."""
        return self.does(DICE, events.DiceThrown(tuple(dice)))

    def hands(self) -> dict[int, tuple[str, ...]]:
        """Return the hands that are due: off the sealed wall, or by chance."""
        if self.deck is not None and self.pk.root:
            part = [self.deck.faces[position] for position in positions_dealt(self.pk)]
            return hands_of(self.pk.gates, self.banker_gate, self.pk.dice, part)
        rest = rest_of_set(self.pk.used_tiles)
        order = self.rng.sample(rest, len(rest))
        return hands_of(self.pk.gates, self.banker_gate, self.pk.dice, order)

    def open_wall(self, positions: Iterable[int] | None = None) -> Step:
        """Return what the machine's opening brings about."""
        assert self.deck is not None
        wanted = positions_dealt(self.pk) if positions is None else positions
        return self.send(SHUFFLER, self.deck.opened(wanted))

    def deal(  # type: ignore[override]
        self, hands: Mapping[int, Sequence[str]] | None = None
    ) -> Step:
        """Return what the deal brings about; gates without a hand here get what is left."""
        if self.deck is not None and self.pk.root and not self.pk.opened:
            assert self.open_wall().verdict.refusal is None
        due = self.hands() if hands is None else filled(hands, self.pk.gates, self.pk.used_tiles)
        return self.does(DEALER, dealt(due))

    def laid(self, gate: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return front and back of a gate as the house would lay them."""
        way = house_way(self.pk.hands[gate - 1])
        return way.front.tiles, way.back.tiles

    def lay(self, gate: int, front: Sequence[str] = (), back: Sequence[str] = ()) -> Step:
        """Return what the laying of a gate brings about, by whoever holds it."""
        holder = holders_of(self.pk).get(gate, self.banker_id)
        pairs = (tuple(front), tuple(back)) if front else self.laid(gate)
        return self.does(SEATS[holder], facts.PairsSet(gate, holder, *pairs))

    def lay_all(self) -> None:
        """Return with every gate laid that is waited for, the banker's last."""
        for gate in (*laying(self.pk).waits_for, self.banker_gate):
            self.lay(gate)

    def open_pairs(self) -> Step:
        """Return what the opening brings about."""
        return self.does(DEALER, facts.PairsOpened())

    # Whole rounds

    def to(self, phase: str, *, sealed: bool = False, gates: int = 4) -> "PaiKauTable":
        """Return the table in a round that has come to `phase`: p1 banks, p2 and p3 bet."""
        ways: dict[str, Callable[[], object]] = {
            "SHUFFLED": lambda: self.tiles(gates, sealed=sealed),
            "BETTING": self._open_betting,
            "LOCKED": self._lock_with_bets,
            "DEALT": self.throw,
            "PLAYERS_SETTING": self.deal,
            "BANKER_SETTING": lambda: [self.lay(gate) for gate in laying(self.pk).waits_for],
            "OPENED": self._open_with_banker,
            "SETTLED": self.settle,
        }
        if phase == "IDLE":
            return self
        if phase == "VOID":
            self.to("LOCKED", sealed=sealed, gates=gates)
            self.does(PIT, events.RoundVoided("TEST", "ref"))
            return self
        for name, way in ways.items():
            way()
            if name == phase:
                return self
        raise AssertionError(f"no phase {phase}")

    def to_end(self) -> None:
        """Return with the round in progress settled, whatever was missing done as `to` does it."""
        if self.phase == "SHUFFLED":
            self._open_betting()
        if self.phase == "BETTING":
            self._lock_with_bets()
        if self.phase == "LOCKED":
            self.throw()
        if self.phase == "DEALT":
            self.deal()
        self.lay_all()
        self.open_pairs()
        self.settle()

    def _open_betting(self) -> None:
        self.bank()
        self.does(DEALER, facts.BettingOpened())

    def _lock_with_bets(self) -> None:
        assert self.pk.turn is not None
        self.stake(max(1_000, self.pk.turn.minimum_stake))
        self.bet("p2", 2, 300)
        self.bet("p3", 3, 200)
        self.lock()

    def _open_with_banker(self) -> None:
        self.lay(self.banker_gate)
        self.open_pairs()

    def round(self, *, sealed: bool = False, gates: int = 4) -> Step:
        """Return the settlement of a whole ordinary round with two bets."""
        self.to("OPENED", sealed=sealed, gates=gates)
        return self.settle()


def by(table: PaiKauTable, fact: Fact) -> str:
    """Return where a fact is reported by whoever may report it."""
    match fact:
        case facts.CoBankPosted(_, _, True):
            return DEALER
        case events.DiceThrown() | events.ThrowVoid():
            return DICE
        case events.RoundVoided() | events.TableClosed() | events.ReadingCorrected():
            return PIT
        case facts.BankCorrected() | facts.HeldTilesCorrected():
            return PIT
        case events.ShuffleSealed() | events.DeckOpened() | events.DeckFaulty():
            return SHUFFLER
        case _:
            return SEATS.get(getattr(fact, "player_id", getattr(fact, "co_bank_id", "")), DEALER)
