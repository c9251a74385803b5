"""Taiwan Pai Kau behind the protocol that every game has at the table."""

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
from floorbook.table.pai_kau import apply as applying
from floorbook.table.pai_kau import disclose as disclosing
from floorbook.table.pai_kau import paid, settle, terms
from floorbook.table.pai_kau import refuse as refusing
from floorbook.table.pai_kau.shapes import PaiKauOptions
from floorbook.table.pai_kau.shown import PaiKauState
from floorbook.table.pai_kau.state import LOCKED, RESTING, PaiKau
from floorbook.table.state import Reason, RoundRecord, TableState

RULE_SETS = ("pai_kau",)


class PaiKauGame:
    """The ordinance's rule set."""

    name = "pai_kau"

    def refuse_terms(self, opened: TableOpened) -> Reason | None:
        """Return why a table cannot be opened like that, or None."""
        return terms.refuse_terms(opened)

    def opened(self, opened: TableOpened) -> PaiKau:
        """Return the state of a table just opened: nobody banks, nobody has bet."""
        options = opened.pai_kau or PaiKauOptions()
        return PaiKau(minimum_bet=options.minimum_bet_minor, maximum_bet=options.maximum_bet_minor)

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
        """Return why tiles are not what was sealed, or None."""
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
        """Return how the stakes and bets of a void round go back."""
        return settle.given_back(held)

    def bookings(self, before: TableState, after: TableState) -> Sequence[Booking]:
        """Return the hold when the shake has just begun."""
        if not isinstance(before.game, PaiKau) or not isinstance(after.game, PaiKau):
            return ()
        if before.game.phase in LOCKED or after.game.phase not in LOCKED:
            return ()
        return (Hold(settle.held(after)),)

    def disclose(self, before: TableState, event: Event, after: TableState) -> Sequence[Disclosure]:
        """Return what `event` shows, and to whom."""
        return disclosing.disclose(before, event, after)

    def view(self, state: TableState, role: Role, person_id: str) -> PaiKauState:
        """Return what one viewer may see."""
        return disclosing.view(state, role, person_id)

    def show_result(self, round_id: str, answer: RoundEvaluated) -> Disclosure:
        """Return a settlement as everybody sees it."""
        return disclosing.show_result(round_id, answer)

    def signal_given(self, state: TableState) -> bool:
        """Return False: the game has no clock."""
        return False

    def answer_fault(self, request: str, result: str) -> str | None:
        """Return what does not fit between a request and its result, or None."""
        return paid.answer_fault(request, result)

    def transfers(self, request: str, result: str) -> tuple[Transfer, ...]:
        """Return who pays whom."""
        return paid.transfers(request, result)

    def correct(self, record: RoundRecord, event: SettledRoundCorrected) -> str | Reason:
        """Return the request with readings replaced, or why they cannot be."""
        return settle.correct(record, event)
