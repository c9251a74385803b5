"""Thirteen Cards behind the protocol that every game has at the table."""

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
from floorbook.table.thirteen_cards import refuse as refusing
from floorbook.table.thirteen_cards import settle
from floorbook.table.thirteen_cards.shown import ThirteenCardsState
from floorbook.table.thirteen_cards.state import RESTING, Phase, ThirteenCards

RULE_SETS = ("thirteen_cards",)


class ThirteenCardsGame:
    """The official game of the Macau ordinance."""

    name = "thirteen_cards"

    def refuse_terms(self, opened: TableOpened) -> Reason | None:
        """Return why a table cannot be opened like that, or None."""
        return refusing.refuse_terms(opened)

    def opened(self, opened: TableOpened) -> ThirteenCards:
        """Return the state of a table just opened."""
        return ThirteenCards()

    def is_resting(self, state: TableState) -> bool:
        """Return whether no round is in progress."""
        return refusing.game_of(state).phase in RESTING

    def phase(self, state: TableState) -> str:
        """Return where the round stands."""
        return refusing.game_of(state).phase.value

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
        """Return the hold when the bets have just been locked."""
        was = before.game.phase if before.game else None
        if after.game is None or after.game.phase is not Phase.LOCKED or was is Phase.LOCKED:
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
        return refusing.game_of(state).phase in (Phase.COMPLETE, Phase.SETTLED)

    def answer_fault(self, request: str, result: str) -> str | None:
        """Return what does not fit between a request and its result, or None."""
        return settle.answer_fault(request, result)

    def transfers(self, request: str, result: str) -> tuple[Transfer, ...]:
        """Return who pays whom."""
        return settle.transfers(request, result)

    def correct(self, record: RoundRecord, event: SettledRoundCorrected) -> str | Reason:
        """Return the request with readings replaced, or why they cannot be."""
        return settle.correct(record, event)
