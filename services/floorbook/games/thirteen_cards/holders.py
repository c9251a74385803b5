"""Who shakes the dice and who holds a gate's cards (持牌, Art.2(b), Art.5)."""

from collections.abc import Sequence

import msgspec

HOUSE = "house"  # the dealer, where no player may (TC-06, TC-14)


class Bet(msgspec.Struct, frozen=True):
    """One bet (注) as it lies on the layout."""

    bet_id: str
    bettor: str
    gate: int
    unit_minor: int
    units: int
    has_place: bool  # whether the bettor has a place at the table

    @property
    def stake(self) -> int:
        """Return the whole bet in minor units (TC-37)."""
        return self.unit_minor * self.units


class Holders(msgspec.Struct, frozen=True):
    """Who holds the cards of each gate with bets, and who shakes the dice."""

    holders: dict[int, str]
    dice_shaker: str


def holders(bets: Sequence[Bet]) -> Holders:
    """Return who acts for the gates with `bets`, which come in the order placed.

    The highest bettor with a place at the table holds, but nobody holds two gates: all pairs of
    gate and bettor are gone through from the highest total, the earlier first bet before the
    later (TC-14, TC-15).
    """
    seated = {bet.bettor for bet in bets if bet.has_place}
    totals: dict[tuple[int, str], int] = {}
    for bet in bets:
        key = (bet.gate, bet.bettor)
        totals[key] = totals.get(key, 0) + bet.stake
    found: dict[int, str] = {}
    # The dictionary keeps the order of first bets and the sort is stable.
    for gate, bettor in sorted(totals, key=totals.__getitem__, reverse=True):
        if bettor in seated and gate not in found and bettor not in found.values():
            found[gate] = bettor
    gates = sorted({bet.gate for bet in bets})
    return Holders({gate: found.get(gate, HOUSE) for gate in gates}, dice_shaker(bets))


def dice_shaker(bets: Sequence[Bet]) -> str:
    """Return who shakes the dice (搖骰寶): the highest total at the table (TC-06)."""
    seated = {bet.bettor for bet in bets if bet.has_place}
    totals: dict[str, int] = {}
    for bet in bets:
        totals[bet.bettor] = totals.get(bet.bettor, 0) + bet.stake
    # `max` keeps the first of equals, which is the bettor whose first bet came first.
    return max((who for who in totals if who in seated), key=totals.__getitem__, default=HOUSE)
