"""A plain model of a Pai Kau table, written from section 5.1 of the rules and from nothing else.

It knows one table whose acts all come from those who may do them, and says of each whether it is
taken and what then holds. It keeps lists and sets and changes them in place.
"""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from floorbook.table import events
from floorbook.table.events import Fact
from floorbook.table.pai_kau import facts

RESTING = ("IDLE", "SETTLED", "VOID")
LOCKED = ("LOCKED", "DEALT", "PLAYERS_SETTING", "BANKER_SETTING", "OPENED")
SETTING = ("PLAYERS_SETTING", "BANKER_SETTING")
THE_SET = Counter(
    [
        "66",
        "66",
        "11",
        "11",
        "44",
        "44",
        "31",
        "31",
        "55",
        "55",
        "33",
        "33",
        "22",
        "22",
        "65",
        "65",
        "64",
        "64",
        "61",
        "61",
        "51",
        "51",
        "63",
        "54",
        "62",
        "53",
        "52",
        "43",
        "42",
        "41",
        "32",
        "21",
    ]
)


class Model:
    """What 5.1 says of one table."""

    def __init__(self) -> None:
        """Return a table just opened."""
        self.phase = "IDLE"
        self.opening = True
        self.gate, self.banker, self.rounds_done, self.minimum = 0, "", 0, 1
        self.last_gate = 0
        self.has_bet: set[str] = set()
        self.last_bettors: set[str] = set()
        self.consents: set[str] = set()
        self.used: list[str] = []
        self._new_round(carried=False)

    def _new_round(self, *, carried: bool) -> None:
        self.carried = carried
        self.used = self.used if carried else []
        self.gates = 0
        self.answers: dict[str, tuple[int, bool]] = {}
        self.bets: list[list[Any]] = []  # gate, player, amount
        self.stake = 0
        self.cobanks: list[list[Any]] = []  # id, amount, house, gate
        self.movers: set[str] = set()
        self.banker_moved = False
        self.head = False
        self.void_throws = 0
        self.dice: Sequence[int] = ()
        self.hands: dict[int, list[str]] = {}
        self.done: set[int] = set()

    @property
    def held(self) -> int:
        """Return what lies on the layout while a round is locked."""
        chips = [bet[2] for bet in self.bets] + [cobank[1] for cobank in self.cobanks]
        return self.stake + sum(map(int, chips))

    def holders(self) -> dict[int, str]:
        """Return who holds the gates with bets: the largest bet, of equals the earlier."""
        found: dict[int, str] = {}
        for gate in {bet[0] for bet in self.bets}:
            here = [bet for bet in self.bets if bet[0] == gate]
            most = max(bet[2] for bet in here)
            found[gate] = next(bet[1] for bet in here if bet[2] == most)
        return found

    def waiting(self) -> set[int]:
        """Return the gates with bets that are not done."""
        return {bet[0] for bet in self.bets} - self.done

    def next_banker(self) -> tuple[int, str] | None:
        """Return who takes the bank if it is assigned now."""
        if self.opening or not 1 <= self.last_gate <= self.gates:
            order = list(range(1, self.gates + 1))
        else:
            order = [*range(self.last_gate + 1, self.gates + 1), *range(1, self.last_gate)]
        for gate in order:
            for player, (at, accepts) in self.answers.items():
                if at == gate and accepts:
                    return gate, player
        return None

    def take(self, fact: Fact) -> str:
        """Return the code with which an act is refused; "" once it is taken."""
        code = self._phase_code(fact) or self._code(fact)
        if not code:
            self._change(fact)
        return code

    def _phase_code(self, fact: Fact) -> str:
        early = (*RESTING, "SHUFFLED")
        match fact:
            case facts.TilesShuffled() | facts.TilesCarriedOver():
                phases: Sequence[str] = RESTING
            case facts.GatesAnnounced() | facts.BankAnswered() | facts.BankAssigned():
                phases = ("SHUFFLED",)
            case facts.BettingOpened():
                phases = ("SHUFFLED",)
            case facts.BankLeft() | facts.ConsentGiven():
                phases = early
            case facts.BetChanged() | facts.StakePosted() | facts.CoBankPosted():
                if self.phase in LOCKED:
                    return "BETS_LOCKED"
                phases = ("BETTING",)
            case facts.TilesMoved() | facts.HeadTilesPut() | facts.DiceShaken():
                phases = ("BETTING",)
            case events.DiceThrown() | events.ThrowVoid():
                phases = ("LOCKED",)
            case facts.TilesDealt():
                phases = ("DEALT",)
            case facts.TileExposed():
                phases = ("DEALT", *SETTING)
            case facts.PairsSet() | facts.PairsNotSet():
                phases = SETTING
            case facts.PairsOpened():
                phases = ("BANKER_SETTING",)
            case events.RoundVoided():
                phases = ("SHUFFLED", "BETTING", *LOCKED)
            case _:
                raise AssertionError(f"5.1 has no {fact}")
        return "" if self.phase in phases else "WRONG_PHASE"

    def _code(self, fact: Fact) -> str:
        match fact:
            case facts.TilesShuffled(new_tiles):
                return "TILES_REMAIN" if self.used and not new_tiles else ""
            case facts.TilesCarriedOver():
                return "" if self.used else "NO_TILES_REMAIN"
            case facts.GatesAnnounced(gates):
                if gates not in (4, 8):
                    return "BAD_GATE"
                if gates == 8 and self.carried:
                    return "FOUR_GATES_ONLY"
                return "BANKER_OUTSIDE" if self.banker and self.gate > gates else ""
            case facts.BankLeft(player):
                if not self.banker:
                    return "BANK_VACANT"
                if not player:
                    return "TURN_NOT_OVER" if self.rounds_done < 2 else ""
                return "" if player == self.banker else "NOT_BANKER"
            case facts.ConsentGiven(player):
                if not self.banker:
                    return "BANK_VACANT"
                return "" if player in self.last_bettors else "NO_PLAYER"
            case facts.BankAnswered(gate, player, accepts):
                return self._answer_code(gate, player, accepts)
            case facts.BankAssigned():
                if self.banker:
                    return "BANK_TAKEN"
                if not self.gates:
                    return "GATES_MISSING"
                return "" if self.next_banker() else "NO_CANDIDATE"
            case facts.BettingOpened():
                if not self.gates:
                    return "GATES_MISSING"
                if not self.banker:
                    return "BANK_VACANT"
                missing = self.last_bettors - self.consents
                return "CONSENT_MISSING" if self.rounds_done >= 2 and missing else ""
            case events.DiceThrown(values):
                good = len(values) == 4 and all(1 <= value <= 6 for value in values)
                return "" if good else "BAD_DICE"
            case facts.TilesDealt(hands):
                return self._deal_code(hands)
            case facts.PairsSet(gate, player, front, back):
                return self._lay_code(gate) or self._pairs_code(gate, player, front, back)
            case facts.PairsNotSet(gate):
                return self._lay_code(gate)
            case facts.PairsOpened():
                return "" if self.gate in self.done else "BANKER_NOT_SET"
            case _:
                return self._betting_code(fact)

    def _answer_code(self, gate: int, player: str, accepts: bool) -> str:
        if self.banker:
            return "BANK_TAKEN"
        if not self.gates:
            return "GATES_MISSING"
        if not player:
            return "BAD_ID"
        if not 1 <= gate <= self.gates or (gate == self.last_gate and not self.opening):
            return "BAD_GATE"
        never = accepts and player not in self.has_bet and not self.opening
        return "NEVER_BET" if never else ""

    def _betting_code(self, fact: Fact) -> str:
        match fact:
            case facts.BetChanged(gate, player, amount):
                if not player:
                    return "BAD_ID"
                if not 1 <= gate <= self.gates:
                    return "BAD_GATE"
                if gate == self.gate:
                    return "BET_ON_BANKER_GATE"
                if player == self.banker:
                    return "BANKER_BETS"
                if player in [cobank[0] for cobank in self.cobanks]:
                    return "COBANKER_BETS"
                lies = [gate, player] in [bet[:2] for bet in self.bets]
                return self._total_code(amount, lies)
            case facts.StakePosted(player, amount):
                if player != self.banker:
                    return "NOT_BANKER"
                if not 1 <= amount <= 10**15:
                    return "BAD_AMOUNT"
                return "STAKE_BELOW_MINIMUM" if amount < self.minimum else ""
            case facts.CoBankPosted(who, amount, _, gate):
                if not who or who == self.banker:
                    return "BAD_ID"
                if who in [bet[1] for bet in self.bets]:
                    return "COBANKER_BETS"
                if gate and (not 1 <= gate <= self.gates or gate == self.gate):
                    return "BAD_GATE"
                return self._total_code(amount, who in [c[0] for c in self.cobanks])
            case facts.TilesMoved(player):
                others = player != self.banker
                third = others and len(self.movers | {player}) > 2
                over = self.head or (others and self.banker_moved) or third
                return "MOVING_OVER" if over else ""
            case facts.HeadTilesPut(player):
                if player != self.banker:
                    return "NOT_BANKER"
                if not self.stake:
                    return "STAKE_MISSING"
                return "HEAD_TILES_OUT" if self.head else ""
            case facts.DiceShaken(player):
                if player != self.banker:
                    return "NOT_BANKER"
                return "" if self.head else "HEAD_TILES_MISSING"
            case _:
                return ""

    def _total_code(self, amount: int, lies: bool) -> str:
        return "" if (0 if lies else 1) <= amount <= 10**15 else "BAD_AMOUNT"

    def _deal_code(self, hands: Sequence[facts.DealtHand]) -> str:
        if sorted(hand.gate for hand in hands) != list(range(1, self.gates + 1)):
            return "BAD_GATE"
        if any(len(hand.tiles) != 4 for hand in hands):
            return "BAD_TILES"
        dealt = Counter(tile for hand in hands for tile in hand.tiles) + Counter(self.used)
        return "" if dealt <= THE_SET else "BAD_TILES"

    def _lay_code(self, gate: int) -> str:
        if not 1 <= gate <= self.gates:
            return "BAD_GATE"
        if gate == self.gate and self.phase == "PLAYERS_SETTING":
            return "PLAYERS_NOT_SET"
        return "ALREADY_SET" if gate in self.done else ""

    def _pairs_code(self, gate: int, player: str, front: Sequence[str], back: Sequence[str]) -> str:
        if gate != self.gate and self.holders().get(gate) != player:
            return "NOT_HOLDER"
        two = len(front) == 2 and len(back) == 2
        whole = two and Counter((*front, *back)) == Counter(self.hands[gate])
        return "" if whole else "BAD_ARRANGEMENT"

    def _change(self, fact: Fact) -> None:
        match fact:
            case facts.TilesShuffled():
                self._new_round(carried=False)
                self.phase = "SHUFFLED"
            case facts.TilesCarriedOver():
                self._new_round(carried=True)
                self.phase = "SHUFFLED"
            case facts.GatesAnnounced(gates):
                self.gates = gates
                self.answers.clear()
            case facts.BankLeft():
                self.gate, self.banker, self.rounds_done = 0, "", 0
                self.answers.clear()
                self.consents.clear()
            case facts.ConsentGiven(player):
                self.consents.add(player)
            case facts.BankAnswered(gate, player, accepts):
                self.answers[player] = (gate, accepts)
            case facts.BankAssigned():
                found = self.next_banker()
                assert found is not None
                self.gate, self.banker = found
                self.last_gate, self.rounds_done, self.minimum = self.gate, 0, 1
            case facts.BettingOpened():
                self.phase = "BETTING"
            case facts.BetChanged(gate, player, amount):
                self._total(self.bets, [gate, player, amount], 2, amount)
            case facts.StakePosted(_, amount):
                self.stake = amount
            case facts.CoBankPosted(who, amount, house, gate):
                self._total(self.cobanks, [who, amount, house, gate], 1, amount)
            case facts.TilesMoved(player):
                if player == self.banker:
                    self.banker_moved = True
                else:
                    self.movers.add(player)
            case facts.HeadTilesPut():
                self.head = True
            case facts.DiceShaken():
                self.phase = "LOCKED"
            case events.ThrowVoid():
                self.void_throws += 1
            case events.DiceThrown(values):
                self.dice, self.phase = values, "DEALT"
            case facts.TilesDealt(hands):
                self.hands = {hand.gate: list(hand.tiles) for hand in hands}
                self.phase = "PLAYERS_SETTING" if self.bets else "BANKER_SETTING"
            case facts.PairsSet(gate) | facts.PairsNotSet(gate):
                self.done.add(gate)
                if not self.waiting():
                    self.phase = "BANKER_SETTING"
            case facts.PairsOpened():
                self.phase = "OPENED"
            case events.RoundVoided():
                self.phase, self.used = "VOID", []

    def _total(self, lists: list[list[Any]], new: list[Any], keys: int, amount: int) -> None:
        """A new total keeps the place of the first chip; one of nothing loses it."""
        places = [i for i, old in enumerate(lists) if old[:keys] == new[:keys]]
        if not amount:
            del lists[places[0]]
        elif places:
            lists[places[0]] = new
        else:
            lists.append(new)

    def settled(self, result: dict[str, Any]) -> None:
        """The evaluator has answered."""
        self.phase = "SETTLED"
        self.rounds_done += 1
        self.minimum = max(1, result["min_next_stake"])
        self.consents.clear()
        self.last_bettors = {bet[1] for bet in self.bets}
        self.has_bet |= self.last_bettors | {self.banker}
        self.opening = self.opening and not self.bets
        self.used = []
        if result["must_deal_four_next"]:
            self.used = sorted(tile for hand in self.hands.values() for tile in hand)
