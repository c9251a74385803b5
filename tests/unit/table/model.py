"""A plain model of a Thirteen Cards table, written from section A12 of the rules and from nothing else.

It knows one table whose acts all come from those who may do them, and says of each whether it is
taken and what then holds. It keeps lists and sets and changes them in place.
"""

from collections.abc import Sequence
from itertools import chain

from floorbook.games.thirteen_cards.arrangement import Arrangement
from floorbook.games.thirteen_cards.config import Config
from floorbook.games.thirteen_cards.official import is_foul
from floorbook.table import events
from floorbook.table.events import Fact
from floorbook.table.thirteen_cards import facts

RANKS, SUITS = "AKQJT98765432", "shcd"
THE_PACK = {rank + suit for rank in RANKS for suit in SUITS}
RESTING = ("IDLE", "SETTLED", "VOID")


def lanes_code(lanes: Arrangement, hand: set[str]) -> str:
    """Return the code with which lanes laid from `hand` are refused, "" for none."""
    laid = list(chain(lanes.front, lanes.middle, lanes.back))
    if any(card not in THE_PACK for card in laid):
        return "BAD_CARD"
    if [len(lanes.front), len(lanes.middle), len(lanes.back)] != [3, 5, 5]:
        return "BAD_LANE_SIZE"
    if len(set(laid)) != 13:
        return "DUPLICATE_CARD"
    return "" if set(laid) == hand else "CARDS_MISMATCH"


class Model:
    """What A12 says of one table."""

    def __init__(self, banker: int = 0, limit_ms: int = 300_000, *, reject: bool = False) -> None:
        """Return a table just opened, with nobody at it."""
        self.banker = banker
        self.limit_ms = limit_ms
        self.reject = reject
        self.phase = "IDLE"
        self.time = 0
        self.places: list[str] = []
        self._new_round()

    def _new_round(self) -> None:
        self.bets: list[list[object]] = []  # id, player, gate, unit, units
        self.holders: dict[int, str] = {}
        self.dice: Sequence[int] = ()
        self.again = False
        self.openings = 0
        self._new_deal()

    def _new_deal(self) -> None:
        self.cuts = 0
        self.hands: dict[int, set[str]] = {}
        self.lanes: Arrangement | None = None
        self.taken: set[int] = set()
        self.laid: dict[int, int] = {}
        self.opened_at = -1

    @property
    def stake(self) -> int:
        """Return what lies on the layout by the bets of this round."""
        return sum(int(str(bet[3])) * int(str(bet[4])) for bet in self.bets)

    @property
    def locked(self) -> bool:
        """Return whether a round is in progress whose bets are held."""
        return self.phase not in (*RESTING, "BETTING") and (self.phase != "SHUFFLED" or self.again)

    def take(self, fact: Fact, now: int) -> str:
        """Return the code with which an act at `now` is refused; "" once it is taken."""
        code = self._phase_code(fact) or self._code(fact, max(now, self.time))
        if not code:
            self.time = max(now, self.time)
            self._change(fact)
        return code

    # WRONG_PHASE and what stands instead of it

    def _phase_code(self, fact: Fact) -> str:
        resting = self.phase in RESTING
        match fact:
            case facts.PlaceTaken() | facts.PlaceLeft():
                fits = True
            case facts.PackShuffled():
                fits = resting or self.phase == "REDEAL"
            case facts.PackCut() | facts.PackBoxed():
                fits = self.phase == "SHUFFLED"
            case facts.BetPlaced() | facts.BetWithdrawn() | facts.BetMoved():
                if self.locked:
                    return "BETS_LOCKED"
                fits = self.phase == "BETTING"
            case facts.ShakeStarted():
                fits = self.phase == "BETTING"
            case events.DiceThrown() | events.ThrowVoid():
                fits = self.phase == "LOCKED"
            case facts.PackDealt():
                fits = self.phase == "DEALING"
            case facts.CardExposed():
                fits = self.phase in ("DEALING", "DEALT", "OPENED")
            case facts.MisdealReported() | facts.BankerArranged():
                fits = self.phase in ("DEALT", "OPENED")
            case facts.BankerOpened():
                fits = self.phase == "DEALT"
            case facts.HandTaken(gate) | facts.HandSet(_, gate):
                if self.phase in ("DEALING", "DEALT"):
                    return "BANKER_NOT_OPENED"
                if self.phase == "COMPLETE" and gate in self._played() and gate not in self.laid:
                    return "TIME_UP"
                fits = self.phase == "OPENED"
            case events.RoundVoided():
                fits = not resting
            case _:
                raise AssertionError(f"A12 has no {fact}")
        return "" if fits else "WRONG_PHASE"

    # The codes of each line, in its order

    def _code(self, fact: Fact, now: int) -> str:
        match fact:
            case facts.PlaceTaken(player):
                return "HAS_PLACE" if player in self.places else ""
            case facts.PlaceLeft(player):
                return "" if player in self.places else "NO_PLACE"
            case facts.PackCut(_, depth):
                return "" if 10 <= depth <= 42 else "BAD_CUT"
            case facts.PackBoxed():
                return "" if self.cuts else "CUT_MISSING"
            case facts.BetPlaced(bet_id, _, gate, unit, units):
                bad = units not in (1, 2, 3) or unit <= 0 or bet_id in [bet[0] for bet in self.bets]
                return self._gate_code(gate) or ("BAD_BET" if bad else "")
            case facts.BetWithdrawn(bet_id, player):
                return self._bet_code(bet_id, player)
            case facts.BetMoved(bet_id, player, gate):
                return self._bet_code(bet_id, player) or self._gate_code(gate)
            case facts.ShakeStarted(player):
                return "" if player == self.shaker() else "NOT_SHAKER"
            case events.DiceThrown(values):
                good = len(values) == 4 and all(1 <= value <= 6 for value in values)
                return "" if good else "BAD_DICE"
            case facts.PackDealt(dealt):
                return self._deck_code(dealt)
            case facts.MisdealReported(dealt, recoverable):
                return self._misdeal_code(dealt, recoverable)
            case facts.BankerArranged(lanes):
                if self.taken:
                    return "CARDS_TAKEN"
                code = lanes_code(lanes, self.hands[self.banker])
                return code or (
                    "BANKER_FOUL" if self.phase == "OPENED" and self._foul(lanes) else ""
                )
            case facts.BankerOpened():
                if self.lanes is None:
                    return "BANKER_NOT_ARRANGED"
                return "BANKER_FOUL" if self._foul(self.lanes) else ""
            case facts.HandTaken(gate, player):
                taken = gate in self.taken
                return self._hand_code(gate, player, now) or ("CARDS_TAKEN" if taken else "")
            case facts.HandSet(lanes, gate, player):
                if code := self._hand_code(gate, player, now):
                    return code
                if gate in self.laid:
                    return "ALREADY_SET"
                return lanes_code(lanes or Arrangement((), (), ()), self.hands[gate])
            case _:
                return ""

    def _gate_code(self, gate: int) -> str:
        if gate not in range(4):
            return "UNKNOWN_GATE"
        return "BET_ON_BANKER" if gate == self.banker else ""

    def _bet_code(self, bet_id: str, player: str) -> str:
        return "" if [bet_id, player] in [bet[:2] for bet in self.bets] else "UNKNOWN_BET"

    def _deck_code(self, dealt: Sequence[facts.DealtCard]) -> str:
        cards = [one.card for one in dealt]
        if len(cards) != 52 or set(cards) != THE_PACK:
            return "BAD_DECK"
        return "" if all(one.gate in range(4) for one in dealt) else "UNKNOWN_GATE"

    def _misdeal_code(self, dealt: Sequence[facts.DealtCard], recoverable: bool) -> str:
        if code := self._deck_code(dealt):
            return code
        due = [self._gate_of(index) for index in range(52)]
        moved = {
            gate for one, right in zip(dealt, due, strict=True) if one.gate != right
            for gate in (one.gate, right)
        }  # fmt: skip
        if not moved:
            return "NO_MISDEAL"
        seen = self.taken | ({self.banker} if self.phase == "OPENED" else set())
        would = self._hands(dealt)
        moved |= {gate for gate in range(4) if would[gate] != self.hands[gate]}
        return "HAND_SEEN" if recoverable and moved & seen else ""

    def _hand_code(self, gate: int, player: str, now: int) -> str:
        if now - self.opened_at > self.limit_ms:
            return "TIME_UP"
        if gate not in range(4):
            return "UNKNOWN_GATE"
        return "" if self.holders.get(gate) == player else "NOT_HOLDER"

    def _foul(self, lanes: Arrangement) -> bool:
        return self.reject and is_foul(lanes.front, lanes.middle, lanes.back, Config())

    # What an act brings about

    def _change(self, fact: Fact) -> None:
        match fact:
            case facts.PlaceTaken(player):
                self.places.append(player)
            case facts.PlaceLeft(player):
                self.places.remove(player)
            case facts.PackShuffled():
                if self.phase != "REDEAL":
                    self._new_round()
                self.phase = "SHUFFLED"
            case facts.PackCut():
                self.cuts += 1
            case facts.PackBoxed():
                self.phase = "DEALING" if self.again else "BETTING"
            case facts.BetPlaced(bet_id, player, gate, unit, units):
                self.bets.append([bet_id, player, gate, unit, units])
            case facts.BetWithdrawn(bet_id):
                self.bets = [bet for bet in self.bets if bet[0] != bet_id]
            case facts.BetMoved(bet_id, _, gate):
                (bet,) = [bet for bet in self.bets if bet[0] == bet_id]
                self.bets.remove(bet)
                self.bets.append([*bet[:2], gate, *bet[3:]])
            case facts.ShakeStarted():
                self.holders = self.who_holds()
                self.phase = "LOCKED"
            case events.DiceThrown(values):
                self.dice, self.phase = values, "DEALING"
            case facts.PackDealt(dealt):
                self.hands, self.phase, self.again = self._hands(dealt), "DEALT", False
            case facts.MisdealReported(dealt, recoverable):
                self._misdeal(dealt, recoverable)
            case facts.BankerArranged(lanes):
                self.lanes = lanes
            case facts.BankerOpened():
                self.opened_at, self.openings = self.time, self.openings + 1
                self.phase = "OPENED" if self.bets else "COMPLETE"
            case facts.HandTaken(gate):
                self.taken.add(gate)
            case facts.HandSet(_, gate):
                self.taken.add(gate)
                self.laid[gate] = self.time - self.opened_at
                if set(self.laid) == self._played():
                    self.phase = "COMPLETE"
            case events.RoundVoided():
                self.phase, self.again = "VOID", False

    def _misdeal(self, dealt: Sequence[facts.DealtCard], recoverable: bool) -> None:
        if not recoverable:
            self._new_deal()
            self.phase, self.again = "REDEAL", True
            return
        moved = any(
            self.banker in (one.gate, self._gate_of(index)) and one.gate != self._gate_of(index)
            for index, one in enumerate(dealt)
        )
        hands = self._hands(dealt)
        if moved or hands[self.banker] != self.hands[self.banker]:
            self.lanes = None
        self.hands = hands

    def signal(self, now: int) -> None:
        """The clock of the opening that counts has run out."""
        assert self.phase == "OPENED"
        self.time, self.phase = max(now, self.time), "COMPLETE"

    def _gate_of(self, index: int) -> int:
        """The total of the dice is counted counter-clockwise beginning with the banker as 1."""
        return (self.banker + sum(self.dice) - 1 + index) % 4

    def _hands(self, dealt: Sequence[facts.DealtCard]) -> dict[int, set[str]]:
        hands: dict[int, set[str]] = {gate: set() for gate in range(4)}
        for index, one in enumerate(dealt):
            hands[self._gate_of(index)].add(one.card)
        return hands

    def _played(self) -> set[int]:
        return {int(str(bet[2])) for bet in self.bets}

    # Who holds, who shakes (A4, TC-06, TC-14)

    def _totals(self, *, by_gate: bool) -> list[tuple[int, str]]:
        """Return gate and player, those with the highest total first, of equals the earlier."""
        totals: dict[tuple[int, str], int] = {}
        for _, player, gate, unit, units in self.bets:
            key = (int(str(gate)) if by_gate else 0, str(player))
            totals[key] = totals.get(key, 0) + int(str(unit)) * int(str(units))
        order = list(totals)
        return sorted(order, key=lambda key: (-totals[key], order.index(key)))

    def shaker(self) -> str:
        """Return who has to shake."""
        seated = [who for _, who in self._totals(by_gate=False) if who in self.places]
        return seated[0] if seated else "house"

    def who_holds(self) -> dict[int, str]:
        """Return who would hold which gate if the bets were locked now."""
        holders = dict.fromkeys(self._played(), "house")
        for gate, player in self._totals(by_gate=True):
            free = holders[gate] == "house" and player not in holders.values()
            if player in self.places and free:
                holders[gate] = player
        return holders
