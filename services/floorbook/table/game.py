"""What a game brings to the table: the one protocol behind which games differ."""

from collections.abc import Sequence
from functools import cache
from typing import Any, Protocol

from floorbook.money import Transfer
from floorbook.table.effects import Booking, Disclosure
from floorbook.table.events import (
    Event,
    Role,
    RoundEvaluated,
    SettledRoundCorrected,
    TableOpened,
)
from floorbook.table.mahjong import play as mahjong_play
from floorbook.table.pai_kau import play as pai_kau_play
from floorbook.table.state import Reason, RoundRecord, TableState
from floorbook.table.thirteen_cards import play as thirteen_cards_play


class Game(Protocol):
    """A game at the table; all of it pure."""

    name: str

    def refuse_terms(self, opened: TableOpened) -> Reason | None:
        """Return why a table cannot be opened like that, or None."""

    def opened(self, opened: TableOpened) -> Any:
        """Return the game's state at a table just opened."""

    def is_resting(self, state: TableState) -> bool:
        """Return whether no round is in progress."""

    def phase(self, state: TableState) -> str:
        """Return the game's word for where the round stands."""

    def refuse(self, state: TableState, event: Event) -> Reason | None:
        """Return why the game does not take `event` now, or None.

        Of the facts that all games have in common it is asked about those of devices, a corrected
        reading, a void round and the closing of its table.
        """

    def suspends(self, state: TableState, event: Event) -> Reason | None:
        """Return why `event` contradicts what was sealed, so that a supervisor must look, or None."""

    def apply(self, state: TableState, event: Event) -> TableState:
        """Return the table after `event`, which `refuse` let through."""

    def void(self, state: TableState) -> TableState:
        """Return the table with its round in progress void."""

    def held(self, state: TableState) -> tuple[Transfer, ...]:
        """Return what the round in progress holds on the layout; empty before the lock."""

    def given_back(self, held: tuple[Transfer, ...]) -> tuple[Transfer, ...]:
        """Return how what a void round held goes back, untouched."""

    def bookings(self, before: TableState, after: TableState) -> Sequence[Booking]:
        """Return what an event made due for booking, the end of rounds apart."""

    def disclose(self, before: TableState, event: Event, after: TableState) -> Sequence[Disclosure]:
        """Return what `event` shows, and to whom."""

    def show_result(self, round_id: str, answer: RoundEvaluated) -> Disclosure:
        """Return how the result of a settlement is shown; after a correction once more."""

    def signal_given(self, state: TableState) -> bool:
        """Return whether the last timer of the round has had its effect or is no longer needed."""

    def view(self, state: TableState, role: Role, person_id: str) -> Any:
        """Return the game's part of what one viewer may see."""

    def answer_fault(self, request: str, result: str) -> str | None:
        """Return what does not fit between a request and the evaluator's result, or None."""

    def transfers(self, request: str, result: str) -> tuple[Transfer, ...]:
        """Return who pays whom by a result that fits."""

    def correct(self, record: RoundRecord, event: SettledRoundCorrected) -> str | Reason:
        """Return the request with readings replaced, or why they cannot be."""


@cache
def games() -> dict[str, Game]:
    """Return every game by the rule set ids it plays; a further game adds its rule sets here."""
    return {
        **{
            name: thirteen_cards_play.ThirteenCardsGame(name)
            for name in thirteen_cards_play.RULE_SETS
        },
        **{name: pai_kau_play.PaiKauGame() for name in pai_kau_play.RULE_SETS},
        **{name: mahjong_play.MahjongGame() for name in mahjong_play.RULE_SETS},
    }
