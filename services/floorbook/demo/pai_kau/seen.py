"""Decides what one viewer of a Pai Kau table knows of it: what he was shown and nothing else."""

from typing import Any

import msgspec
from msgspec.structs import replace

from floorbook.demo.seen import Seen, Update
from floorbook.games.pai_kau.banking import minimum_stake
from floorbook.table.effects import RoundOpened, Shown, TableView
from floorbook.table.pai_kau import facts
from floorbook.table.pai_kau.paid import Result
from floorbook.table.pai_kau.shown import (
    PaiKauBank,
    PaiKauHand,
    PaiKauResult,
    PaiKauShown,
    PaiKauState,
)
from floorbook.table.pai_kau.state import Phase


class TilesSeen(Seen):
    """What one viewer has been shown of the bank, bets and hands.

    How a banker's turn goes on is worked out from what all see, as people at the table do: a result
    counts one round and leaves the least of the next stake; a void round counts nothing.
    """

    def __init__(self, who: str, patience_seconds: float = 60.0) -> None:
        """Return a viewer who has seen nothing and waits at most so long for anything."""
        super().__init__(who, patience_seconds)
        self.bank: PaiKauBank | None = None
        self.last_gate = 0
        self.opening = True
        self.may_bank: set[str] = set()
        self.last_bettors: tuple[str, ...] = ()
        self.consents: set[str] = set()
        self.held_over = False
        self.results: dict[str, Result] = {}
        self._judged = ""
        self._new_round()

    def hear(self, update: Update) -> None:
        """Return after learning from what is over: of a void round nothing is held over."""
        if update.fact == "round_voided" and not update.refusal:
            self.held_over = False

    def learn(self, update: Update, shown: Shown) -> None:
        """Return after learning from one thing shown."""
        match shown:
            case RoundOpened():
                self._new_round()
            case TableView():
                self._new_round()
                if shown.pai_kau is not None:
                    self._begin(shown.pai_kau)
            case PaiKauShown():
                self._learn_of_game(shown)
            case _:
                pass  # dice and seals, of which nobody needs more than follows from them

    @property
    def missing(self) -> tuple[str, ...]:
        """Return who of the last bettors has not consented to one more round (PK-39)."""
        return tuple(who for who in self.last_bettors if who not in self.consents)

    def _new_round(self) -> None:
        self.gates = 0
        self.bets: dict[tuple[int, str], int] = {}
        self.co_banks: dict[str, int] = {}
        self.stake_minor = 0
        self.holders: dict[int, str] | None = None
        self.first_gate: int | None = None
        self.hands: dict[int, PaiKauHand] = {}

    def _begin(self, view: PaiKauState) -> None:
        self.bank, self.last_gate, self.opening = view.bank, view.last_gate, view.opening
        self.may_bank, self.consents = set(view.may_bank), set(view.consents)
        self.last_bettors = (*view.consents, *view.consents_missing)
        self.held_over = bool(view.used_tiles) and not view.carried_over
        self.gates, self.stake_minor = view.gates, view.stake_minor
        self.bets = {(bet.gate, bet.player_id): bet.amount_minor for bet in view.bets}
        self.co_banks = {one.co_bank_id: one.amount_minor for one in view.co_banks}
        if view.holders is not None:
            self.holders = {each.gate: each.player_id for each in view.holders.holders}
        if view.first_gate is not None:
            self.first_gate = view.first_gate.gate
        self.hands = {hand.gate: hand for hand in view.hands}

    def _learn_of_game(self, shown: PaiKauShown) -> None:
        if shown.fact is not None:
            self._fact(shown.fact)
        if shown.bank is not None:
            self.bank, self.last_gate = shown.bank, shown.bank.gate
        if shown.hand is not None:
            self.hands[shown.hand.gate] = shown.hand
        if shown.holders is not None:
            self.holders = {each.gate: each.player_id for each in shown.holders.holders}
        if shown.first_gate is not None:
            self.first_gate = shown.first_gate.gate
        if shown.result is not None:
            self._result(shown.result)

    def _fact(self, fact: Any) -> None:
        match fact:
            case facts.TilesShuffled() | facts.TilesCarriedOver():
                self.held_over = False
            case facts.HeldTilesCorrected(used_tiles):
                self.held_over = bool(used_tiles)
            case facts.GatesAnnounced(gates):
                self.gates = gates
            case facts.BankLeft() | facts.BankCorrected():
                # Who banks by a correction is shown beside it.
                self.bank = None
                self.consents.clear()
            case facts.BankAssigned():
                self.consents.clear()
            case facts.ConsentGiven(player_id):
                self.consents.add(player_id)
            case facts.BetChanged(gate, player_id, 0):
                del self.bets[gate, player_id]
            case facts.BetChanged(gate, player_id, amount):
                self.bets[gate, player_id] = amount
            case facts.StakePosted(_, amount):
                self.stake_minor = amount
            case facts.CoBankPosted(co_bank_id, amount):
                self.co_banks[co_bank_id] = amount
            case _:
                pass

    def _result(self, shown: PaiKauResult) -> None:
        result = msgspec.json.decode(shown.result, type=Result)
        self.results[shown.round_id] = result
        if shown.round_id != self.round_id or self._judged == self.round_id:
            return  # an earlier round, or one that is settled again: money only
        self._judged = self.round_id
        assert self.bank is not None, "somebody banks in a round"
        self.bank = replace(
            self.bank,
            rounds_done=self.bank.rounds_done + 1,
            minimum_stake_minor=minimum_stake(result.min_next_stake),
        )
        self.last_bettors = tuple(one.player_id for one in result.players)
        self.may_bank |= {*self.last_bettors, self.bank.player_id}
        self.consents.clear()
        self.opening = self.opening and not self.last_bettors
        self.held_over = result.must_deal_four_next

    @property
    def is_resting(self) -> bool:
        """Return whether no round is in progress."""
        return self.phase in (Phase.IDLE, Phase.SETTLED, Phase.VOID)
