"""Who deals next, and in which round (圈): RULE-ROUNDS."""

from typing import Literal

import msgspec

from floorbook.games.mahjong.config import Config
from floorbook.games.mahjong.seats import DEALER, Seat
from floorbook.games.mahjong.variant import SIDES

Outcome = Literal["win", "draw", "false_win"]


class NextHand(msgspec.Struct, frozen=True):
    """The hand that follows; players are numbered counter-clockwise and keep their number."""

    dealer: int
    round_wind: Seat
    hand_in_round: int
    cycle_complete: bool = False  # 循環


class Played(msgspec.Struct, frozen=True):
    """A hand that is over."""

    players: int
    dealer: int
    round_wind: Seat
    hand_in_round: int
    outcome: Outcome
    winner: int | None = None


def dealer_keeps(config: Config, played: Played) -> bool:
    """Return whether the dealer deals again: who wins, or as long as nobody else does.

    Whether an exhausted wall or a false win keeps the deal is the house's choice (MJ-10, MJ-11).
    """
    if played.outcome == "win":
        return played.winner == played.dealer
    return config.dealer_keeps_without_winner


def next_hand(config: Config, played: Played) -> NextHand:
    """Return who deals next and in which round: one hand per player in each (MJ-07).

    A hand that the same dealer deals again is no new hand of the round.
    """
    if dealer_keeps(config, played):
        return NextHand(played.dealer, played.round_wind, played.hand_in_round)
    following = (played.dealer + 1) % played.players
    if played.hand_in_round < played.players:
        return NextHand(following, played.round_wind, played.hand_in_round + 1)
    wind = SIDES[(SIDES.index(played.round_wind) + 1) % 4]
    return NextHand(following, wind, 1, cycle_complete=wind == DEALER)
