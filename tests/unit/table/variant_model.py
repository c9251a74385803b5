"""A plain model of a variant's table, written from section B10 of the rules and from nothing else.

As model.py it knows one table whose acts all come from those who may do them. Which hands are
special it asks the rules; everything about procedure it says itself.
"""

from collections.abc import Sequence

from floorbook.games.thirteen_cards.arrangement import Arrangement
from floorbook.games.thirteen_cards.config import Config
from floorbook.games.thirteen_cards.variants import special_of
from floorbook.table import events
from floorbook.table.events import Fact
from floorbook.table.thirteen_cards import facts
from tests.unit.table.model import RESTING, lanes_code

BANKER_GAMES = ("declare_2", "banker_xianggong")
WHOLE_HANDS = ("hundred_change", "shaoxing")
SPECIAL_IS_LAID = ("no_arranging", "declare")
DECLINABLE = (*BANKER_GAMES, "four_player")


class VariantModel:
    """What B10 says of one table."""

    def __init__(self, rule_set: str, banker: int = 0) -> None:
        """Return a table just opened, with nobody at it."""
        self.rule_set = rule_set
        self.banker = banker
        self.banked = rule_set in BANKER_GAMES
        self.house = rule_set == "declare_2"
        self.phase = "IDLE"
        self.seats: dict[int, str] = {}
        self.unit = 0
        self._new_round()

    def _new_round(self) -> None:
        self.bets: list[tuple[str, str, int, int]] = []  # id, player, gate, stake
        self.playing: dict[int, str] = {}
        self.again = False
        self._new_deal()

    def _new_deal(self) -> None:
        self.hands: dict[int, tuple[str, ...]] = {}
        self.laid: dict[int, tuple[bool, bool]] = {}  # whether with lanes, whether declared

    @property
    def stake(self) -> int:
        """Return what lies on the layout by the bets of this round."""
        return sum(stake for *_, stake in self.bets)

    @property
    def locked(self) -> bool:
        """Return whether a round is in progress whose bets are held."""
        return bool(self.playing) and self.phase not in RESTING

    def players(self) -> dict[int, str]:
        """Return who would play if the round were locked now."""
        return {**self.seats, **({self.banker: "house"} if self.house else {})}

    def special(self, gate: int) -> bool:
        """Return whether a gate's cards are a special hand."""
        return special_of(self.rule_set, self.hands[gate], Config()) is not None

    def waiting(self) -> list[int]:
        """Return the gates that are waited for."""
        if self.rule_set in WHOLE_HANDS:
            return []
        skip = self.rule_set in SPECIAL_IS_LAID
        left = [gate for gate in sorted(self.playing) if gate not in self.laid]
        return [gate for gate in left if not (skip and self.special(gate))]

    def take(self, fact: Fact) -> str:
        """Return the code with which an act is refused; "" once it is taken."""
        code = self._phase_code(fact) or self._code(fact)
        if not code:
            self._change(fact)
        return code

    def _phase_code(self, fact: Fact) -> str:
        resting = self.phase in RESTING
        match fact:
            case facts.PlaceTaken() | facts.PlaceLeft():
                fits = True
            case facts.PackShuffled():
                fits = resting or self.phase == "REDEAL"
            case facts.PackCut() | facts.PackBoxed():
                fits = self.phase == "SHUFFLED"
            case facts.UnitSet():
                fits = not self.banked and (
                    resting or (self.phase == "SHUFFLED" and not self.again)
                )
            case facts.BetPlaced() | facts.BetWithdrawn() | facts.BetMoved():
                if self.banked and self.locked:
                    return "BETS_LOCKED"
                fits = self.banked and self.phase == "BETTING"
            case facts.DealStarted():
                fits = self.banked and self.phase == "BETTING"
            case facts.PackDealt():
                fits = self.phase == "DEALING"
            case facts.CardExposed():
                fits = self.phase in ("DEALING", "DEALT")
            case facts.MisdealReported() | facts.HandSet() | facts.HandNotSet():
                fits = self.phase == "DEALT"
            case events.RoundVoided():
                fits = not resting
            case _:
                fits = False  # no variant has it
        return "" if fits else "WRONG_PHASE"

    def _code(self, fact: Fact) -> str:
        match fact:
            case facts.PlaceTaken(player, gate):
                if player in self.seats.values():
                    return "HAS_PLACE"
                if gate not in range(4):
                    return "UNKNOWN_GATE"
                return "GATE_TAKEN" if gate in self.players() else ""
            case facts.PlaceLeft(player):
                return "" if player in self.seats.values() else "NO_PLACE"
            case facts.PackCut(_, depth):
                return "" if 10 <= depth <= 42 else "BAD_CUT"
            case facts.PackBoxed() if not self.banked and not self.again:
                few = len(self.seats) < 2
                return "UNIT_MISSING" if not self.unit else "NOT_ENOUGH_GATES" if few else ""
            case facts.UnitSet(unit):
                return "" if unit > 0 else "BAD_BET"
            case facts.BetPlaced(bet_id, _, gate, unit, units, stake):
                bad = stake <= 0 or unit or units or bet_id in [bet[0] for bet in self.bets]
                return self._gate_code(gate) or ("BAD_BET" if bad else "")
            case facts.BetWithdrawn(bet_id, player):
                return self._bet_code(bet_id, player)
            case facts.BetMoved(bet_id, player, gate):
                return self._bet_code(bet_id, player) or self._gate_code(gate)
            case facts.DealStarted():
                if self.banker not in self.players():
                    return "BANKER_MISSING"
                if any(bet[2] not in self.players() for bet in self.bets):
                    return "UNKNOWN_GATE"
                return "" if len(self.players()) > 1 else "NOT_ENOUGH_GATES"
            case facts.PackDealt(dealt):
                return self._deal_code(dealt)
            case facts.MisdealReported(_, recoverable):
                return "HAND_SEEN" if recoverable else ""
            case facts.HandSet(lanes, gate, player, declare):
                return self._set_code(lanes, gate, player, declare)
            case facts.HandNotSet(gate):
                if gate not in self.playing:
                    return "UNKNOWN_GATE"
                return "ALREADY_SET" if gate in self.laid else ""
            case _:
                return ""

    def _gate_code(self, gate: int) -> str:
        if gate not in range(4):
            return "UNKNOWN_GATE"
        if gate == self.banker:
            return "BET_ON_BANKER"
        return "" if gate in self.seats else "UNKNOWN_GATE"

    def _bet_code(self, bet_id: str, player: str) -> str:
        return "" if (bet_id, player) in [bet[:2] for bet in self.bets] else "UNKNOWN_BET"

    def _deal_code(self, dealt: Sequence[facts.DealtCard]) -> str:
        piles: dict[int, list[str]] = {}
        for one in dealt:
            piles.setdefault(one.gate, []).append(one.card)
        every = [one.card for one in dealt]
        if any(len(pile) != 13 for pile in piles.values()) or len(set(every)) != len(every):
            return "BAD_DECK"
        if not set(piles) <= set(range(4)):
            return "UNKNOWN_GATE"
        return "" if set(piles) == set(self.playing) else "BAD_DECK"

    def _set_code(self, lanes: Arrangement | None, gate: int, player: str, declare: bool) -> str:
        if gate not in range(4):
            return "UNKNOWN_GATE"
        if self.playing.get(gate) != player:
            return "NOT_HOLDER"
        if gate in self.laid:
            return "ALREADY_SET"
        if lanes is None:
            declined = self.rule_set in DECLINABLE and not declare
            return "NO_SPECIAL" if declined or not self.special(gate) else ""
        return lanes_code(lanes, set(self.hands[gate]))

    def _change(self, fact: Fact) -> None:
        match fact:
            case facts.PlaceTaken(player, gate):
                assert gate is not None
                self.seats[gate] = player
            case facts.PlaceLeft(player):
                self.seats = {gate: who for gate, who in self.seats.items() if who != player}
            case facts.PackShuffled():
                if self.phase != "REDEAL":
                    self._new_round()
                self.phase = "SHUFFLED"
            case facts.PackBoxed():
                self.phase = "BETTING" if self.banked and not self.again else "DEALING"
                if not self.banked and not self.again:
                    self.playing = self.players()
            case facts.UnitSet(unit):
                self.unit = unit
            case facts.BetPlaced(bet_id, player, gate, _, _, stake):
                self.bets.append((bet_id, player, gate, stake))
            case facts.BetWithdrawn(bet_id):
                self.bets = [bet for bet in self.bets if bet[0] != bet_id]
            case facts.BetMoved(bet_id, player, gate):
                (bet,) = [bet for bet in self.bets if bet[0] == bet_id]
                self.bets.remove(bet)
                self.bets.append((bet_id, player, gate, bet[3]))
            case facts.DealStarted():
                self.phase, self.playing = "DEALING", self.players()
            case facts.PackDealt(dealt):
                self.phase, self.again = "DEALT", False
                for gate in self.playing:
                    self.hands[gate] = tuple(one.card for one in dealt if one.gate == gate)
                self._look()
            case facts.MisdealReported():
                self._new_deal()
                self.phase, self.again = "REDEAL", True
            case facts.HandSet(lanes, gate, _, declare):
                self.laid[gate] = (lanes is not None, declare)
                self._look()
            case facts.HandNotSet(gate):
                self.laid[gate] = (False, True)
                self._look()
            case events.RoundVoided():
                self.phase, self.again = "VOID", False

    def _look(self) -> None:
        if not self.waiting():
            self.phase = "COMPLETE"
