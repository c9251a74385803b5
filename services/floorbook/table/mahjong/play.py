"""Macau Mahjong behind the protocol that every game has at the table."""

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
from floorbook.table.mahjong import apply as applying
from floorbook.table.mahjong import disclose as disclosing
from floorbook.table.mahjong import paid, settle, terms
from floorbook.table.mahjong import refuse as refusing
from floorbook.table.mahjong.shapes import MahjongOptions
from floorbook.table.mahjong.shown import MahjongState
from floorbook.table.mahjong.state import RESTING, Mahjong, Phase
from floorbook.table.state import Reason, RoundRecord, TableState

RULE_SETS = ("mahjong.traditional", "mahjong.simplified")


class MahjongGame:
    """The traditional and the simplified game; what they differ in is their variant's."""

    name = "mahjong"

    def refuse_terms(self, opened: TableOpened) -> Reason | None:
        """Return why a table cannot be opened like that, or None."""
        return terms.refuse_terms(opened)

    def opened(self, opened: TableOpened) -> Mahjong:
        """Return the state of a table just opened: nobody sits there."""
        options = opened.mahjong or MahjongOptions()
        return Mahjong(
            claim_limit_ms=options.claim_limit_ms,
            minimum_chips=options.minimum_chips_minor,
            charge_minor=options.charge_minor,
            charge_percent=options.charge_percent,
        )

    def is_resting(self, state: TableState) -> bool:
        """Return whether no hand is in progress."""
        return terms.game_of(state).phase in RESTING

    def phase(self, state: TableState) -> str:
        """Return where the hand stands."""
        return terms.game_of(state).phase.value

    def refuse(self, state: TableState, event: Event) -> Reason | None:
        """Return why the table does not take `event` now, or None."""
        return refusing.refuse(state, event)

    def suspends(self, state: TableState, event: Event) -> Reason | None:
        """Return why opened tiles are not what was sealed, or None."""
        return applying.suspends(state, event)

    def apply(self, state: TableState, event: Event) -> TableState:
        """Return the table after `event`."""
        return applying.apply(state, event)

    def void(self, state: TableState) -> TableState:
        """Return the table whose hand in progress is void."""
        return applying.void(state)

    def held(self, state: TableState) -> tuple[Transfer, ...]:
        """Return what the hand in progress holds on the layout."""
        return settle.held(state)

    def given_back(self, held: tuple[Transfer, ...]) -> tuple[Transfer, ...]:
        """Return how the chips of a void hand go back."""
        return settle.given_back(held)

    def bookings(self, before: TableState, after: TableState) -> Sequence[Booking]:
        """Return the hold when the tiles have just been dealt."""
        if not isinstance(before.game, Mahjong) or not isinstance(after.game, Mahjong):
            return ()
        if before.game.phase is not Phase.BROKEN or after.game.phase is not Phase.TURN:
            return ()
        return (Hold(settle.held(after)),)

    def disclose(self, before: TableState, event: Event, after: TableState) -> Sequence[Disclosure]:
        """Return what `event` shows, and to whom."""
        return disclosing.disclose(before, event, after)

    def view(self, state: TableState, role: Role, person_id: str) -> MahjongState:
        """Return what one viewer may see."""
        return disclosing.view(state, role, person_id)

    def show_result(self, round_id: str, answer: RoundEvaluated) -> Disclosure:
        """Return a settlement as everybody sees it."""
        return disclosing.show_result(round_id, answer)

    def signal_given(self, state: TableState) -> bool:
        """Return whether no claim window waits for its clock."""
        return terms.game_of(state).phase is not Phase.CLAIMS

    def answer_fault(self, request: str, result: str) -> str | None:
        """Return what does not fit between a request and its result, or None."""
        return paid.answer_fault(request, result)

    def transfers(self, request: str, result: str) -> tuple[Transfer, ...]:
        """Return who pays whom."""
        return paid.transfers(request, result)

    def correct(self, record: RoundRecord, event: SettledRoundCorrected) -> str | Reason:
        """Return the request with the win replaced, or why it cannot be."""
        return settle.correct(record, event)
