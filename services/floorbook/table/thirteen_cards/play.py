"""Thirteen Cards behind the protocol that every game has at the table.

All ten rule sets are played here, by the steps that `procedure_of` gives their rounds. What the
variants' texts leave open at the table (B10) is decided so:

* Players sit at gates: PlaceTaken names one. Who sits there when the round is locked plays it, and
  who comes or leaves later changes nothing until the next. In `declare_2` the banker's gate is the
  house's; in `banker_xianggong` a player banks, and pays and takes as himself.
* All against all: the dealer says what is played for, UnitSet, while no pack is boxed; it stands
  for further rounds until it is set again. Boxing the pack locks the round. Nothing is held: there
  are no stakes, and the settlement moves money from player to player, pair by pair, and service
  fees to the party `charge`.
* Banker games: DealStarted locks and holds the stakes. What is lost beyond a stake goes from the
  bettor to the banker at the settlement. Bets lie on gates at which a player sits.
* A cut is no duty, for the texts know none. Without an order of dealing nobody can say which card
  belongs where, and every hand is seen when it is dealt: a misdeal is never put right, the pack is
  dealt again.
* Each player sees his own hand from the deal, nobody another's before the round is complete.
* An act that a rule set lacks is refused in every phase: WRONG_PHASE.
"""

from collections.abc import Sequence

from floorbook.money import Transfer
from floorbook.table.effects import Booking, Disclosure, Hold
from floorbook.table.events import (
    Event,
    Role,
    RoundEvaluated,
    SettledRoundCorrected,
    TableOpened,
)
from floorbook.table.state import Reason, RoundRecord, TableState
from floorbook.table.thirteen_cards import apply as applying
from floorbook.table.thirteen_cards import disclose as disclosing
from floorbook.table.thirteen_cards import paid, settle, terms
from floorbook.table.thirteen_cards import refuse as refusing
from floorbook.table.thirteen_cards.shown import ThirteenCardsState
from floorbook.table.thirteen_cards.state import RESTING, Phase, ThirteenCards

RULE_SETS = (
    "thirteen_cards",
    "compare_size",
    "no_arranging",
    "declare",
    "hundred_change",
    "shaoxing",
    "compare_size_2",
    "declare_2",
    "banker_xianggong",
    "four_player",
)


class ThirteenCardsGame:
    """One rule set of Thirteen Cards; which steps its rounds have is its procedure's to say."""

    name = "thirteen_cards"

    def __init__(self, rule_set: str) -> None:
        """Return the game as `rule_set` plays it."""
        self.rule_set = rule_set

    def refuse_terms(self, opened: TableOpened) -> Reason | None:
        """Return why a table cannot be opened like that, or None."""
        return terms.refuse_terms(opened)

    def opened(self, opened: TableOpened) -> ThirteenCards:
        """Return the state of a table just opened."""
        return ThirteenCards()

    def is_resting(self, state: TableState) -> bool:
        """Return whether no round is in progress."""
        return terms.game_of(state).phase in RESTING

    def phase(self, state: TableState) -> str:
        """Return where the round stands."""
        return terms.game_of(state).phase.value

    def refuse(self, state: TableState, event: Event) -> Reason | None:
        """Return why the table does not take `event` now, or None."""
        return refusing.refuse(state, event)

    def suspends(self, state: TableState, event: Event) -> Reason | None:
        """Return why a deck is not what was sealed and cut, or None."""
        return applying.suspends(state, event)

    def apply(self, state: TableState, event: Event) -> TableState:
        """Return the table after `event`."""
        return applying.apply(state, event)

    def void(self, state: TableState) -> TableState:
        """Return the table whose round in progress is void."""
        return applying.void(state)

    def held(self, state: TableState) -> tuple[Transfer, ...]:
        """Return what the round in progress holds on the layout."""
        return settle.held(state)

    def given_back(self, held: tuple[Transfer, ...]) -> tuple[Transfer, ...]:
        """Return how the stakes of a void round go back."""
        return settle.given_back(held)

    def bookings(self, before: TableState, after: TableState) -> Sequence[Booking]:
        """Return the hold when the bets have just been locked; where nobody bets nothing is held."""
        if before.game is None or after.game is None:
            return ()
        if terms.game_of(before).locked or not terms.game_of(after).locked:
            return ()
        held = settle.held(after)
        return (Hold(held),) if held else ()

    def disclose(self, before: TableState, event: Event, after: TableState) -> Sequence[Disclosure]:
        """Return what `event` shows, and to whom."""
        return disclosing.disclose(before, event, after)

    def view(self, state: TableState, role: Role, person_id: str) -> ThirteenCardsState:
        """Return what one viewer may see."""
        return disclosing.view(state, role, person_id)

    def show_result(self, round_id: str, answer: RoundEvaluated) -> Disclosure:
        """Return a settlement as everybody sees it."""
        return disclosing.show_result(round_id, answer)

    def signal_given(self, state: TableState) -> bool:
        """Return whether the round no longer waits for its clock."""
        return terms.game_of(state).phase in (Phase.COMPLETE, Phase.SETTLED)

    def answer_fault(self, request: str, result: str) -> str | None:
        """Return what does not fit between a request and its result, or None."""
        return paid.answer_fault(self.rule_set, request, result)

    def transfers(self, request: str, result: str) -> tuple[Transfer, ...]:
        """Return who pays whom."""
        return paid.transfers(self.rule_set, request, result)

    def correct(self, record: RoundRecord, event: SettledRoundCorrected) -> str | Reason:
        """Return the request with readings replaced, or why they cannot be."""
        return settle.correct(record, event)
