"""Decides what simulated people make of a Pai Kau table: bets, stakes, whether to bank, how to lay.

Pure: moods come from a source of chance that is given, so that two runs with one seed play alike.
"""

import random
from collections.abc import Mapping, Sequence

from msgspec import Struct

from floorbook.demo.casino import LEAST_UNIT_MINOR
from floorbook.games.pai_kau.banking import ROUNDS_OF_A_TURN
from floorbook.games.pai_kau.gates import counter_clockwise, is_gate, right_of
from floorbook.games.pai_kau.setting import house_way, splits
from floorbook.games.pai_kau.tiles import Tile
from floorbook.table.pai_kau.facts import CoBankPosted
from floorbook.table.pai_kau.paid import Result
from floorbook.table.pai_kau.shown import PaiKauBank

HOUSE_CO_BANK = "house"
MOST_UNITS = 20
_ODD_CENTS = (0, 0, 7, 37)
"""Odd sums have commissions that are rounded."""
_ACCEPTS = 0.6
_LEAVES_EARLY = 0.15
_LEAVES_BROKEN = 0.5
_CONSENT = {ROUNDS_OF_A_TURN: 0.5}
_LATER_CONSENT = 0.3
_BACKS = 0.15
_HOUSE_BACKS = 0.4
_SECOND_BET = 0.5
_CHANGES_BET = 0.15
_LAYS_OTHERWISE = 0.25

Pairs = tuple[tuple[Tile, ...], tuple[Tile, ...]]
"""Front and back."""


class WishedBet(Struct, frozen=True):
    """A player's total on a gate, as he will place it."""

    player_id: str
    gate: int
    amount_minor: int


def home_gate(seat: int, gates: int) -> int:
    """Return the gate at which the player with that seat, counted from 0, sits.

    >>> [home_gate(seat, 4) for seat in range(6)]
    [1, 2, 3, 4, 1, 2]
    """
    return seat % gates + 1


def asking_order(gates: int, last_gate: int, *, opening: bool) -> tuple[int, ...]:
    """Return the gates in the order in which they are asked to bank (A5.1, PK-38)."""
    if opening or not is_gate(last_gate, gates):
        return counter_clockwise(1, gates)
    return counter_clockwise(right_of(last_gate, gates), gates)[:-1]


def accepts(mood: random.Random) -> bool:
    """Return whether somebody takes the bank that is offered to him."""
    return mood.random() < _ACCEPTS


def leaves(bank: PaiKauBank, mood: random.Random, *, broken: bool) -> bool:
    """Return whether the banker gives up the bank though his turn goes on (PK-49)."""
    if not bank.rounds_done:
        return False
    return mood.random() < (_LEAVES_BROKEN if broken else _LEAVES_EARLY)


def consent(bank: PaiKauBank, asked: Sequence[str], mood: random.Random) -> Sequence[str]:
    """Return who of those asked consents to one more round of the banker: often all, or some."""
    if mood.random() < _CONSENT.get(bank.rounds_done, _LATER_CONSENT):
        return asked
    return asked[: mood.randrange(len(asked))] if asked else asked


def backers(player_ids: Sequence[str], mood: random.Random) -> list[str]:
    """Return who will back the banker this round and bet nothing: two at most."""
    return [player_id for player_id in player_ids if mood.random() < _BACKS][:2]


def bets(
    players: Mapping[str, int], gates: Sequence[int], mood: random.Random
) -> tuple[WishedBet, ...]:
    """Return what the `players` will bet on the `gates`, each first at his own if that can be."""
    wished: dict[tuple[str, int], WishedBet] = {}
    for player_id, home in players.items():
        first = home if home in gates else mood.choice(gates)
        wanted = [first]
        if mood.random() < _SECOND_BET:
            wanted.append(mood.choice(gates))
        for gate in wanted:
            wished[player_id, gate] = WishedBet(player_id, gate, amount(mood))
    return tuple(wished.values())


def changes(wished: Sequence[WishedBet], mood: random.Random) -> tuple[WishedBet, ...]:
    """Return which bets are raised, lowered or, one in a while, taken back to be placed anew."""
    changed: list[WishedBet] = []
    for bet in wished:
        if mood.random() < _CHANGES_BET:
            if mood.random() < 1 / 3:
                changed.append(WishedBet(bet.player_id, bet.gate, 0))
            changed.append(WishedBet(bet.player_id, bet.gate, amount(mood)))
    return tuple(changed)


def amount(mood: random.Random) -> int:
    """Return what somebody puts on a gate."""
    return LEAST_UNIT_MINOR * mood.randint(1, MOST_UNITS) + mood.choice(_ODD_CENTS)


def stake(bank: PaiKauBank, lying: Mapping[tuple[int, str], int], mood: random.Random) -> int:
    """Return what the banker puts up: ample, middling or thin, and no less than he may (A5.4)."""
    total, largest = sum(lying.values()), max(lying.values(), default=LEAST_UNIT_MINOR)
    wanted = mood.choice((2 * total, total // 2, largest, largest // 2))
    return max(bank.minimum_stake_minor, wanted, LEAST_UNIT_MINOR)


def co_banks(
    who_backs: Sequence[str], gates: Sequence[int], mood: random.Random
) -> tuple[CoBankPosted, ...]:
    """Return what the house and customers add to the bank (A5.5), of all gates or of one (PK-27)."""
    posted = [(player_id, False) for player_id in who_backs]
    if mood.random() < _HOUSE_BACKS:
        posted.insert(mood.randint(0, len(posted)), (HOUSE_CO_BANK, True))
    return tuple(
        CoBankPosted(who, 3 * amount(mood), house, mood.choice((0, 0, mood.choice(gates))))
        for who, house in posted
    )


def lays(tiles: Sequence[Tile], mood: random.Random) -> Pairs:
    """Return front and back as somebody lays four tiles: the house's way, or any other that stands."""
    way = mood.choice(splits(tiles)) if mood.random() < _LAYS_OTHERWISE else house_way(tiles)
    return way.front.tiles, way.back.tiles


def fouls(tiles: Sequence[Tile]) -> Pairs:
    """Return the two pairs at each other's place: the croupier sets them again (A6.2)."""
    way = house_way(tiles)
    return way.back.tiles, way.front.tiles


def told_of(result: Result, *, second_of_pair: bool) -> tuple[str, ...]:
    """Return what of a settled round is worth telling, as everybody can see it in the result."""
    main = result.banks[0]
    in_play = [bet for bet in result.bets if bet.outcome != "push"]
    short = any(
        sum(part.amount for part in bet.parts if part.bank == main.id) < bet.amount
        for bet in in_play
    )
    told = {
        "bank_broken": not main.remaining,
        "stake_exhausted": short,
        "bets_partly_covered": any(0 < bet.covered < bet.amount for bet in in_play),
        "co_bank_in_play": any(part.bank != main.id for bet in in_play for part in bet.parts),
        "four_gate_pair": second_of_pair,
        "all_push": bool(result.bets) and not in_play,
    }
    return tuple(what for what, is_so in told.items() if is_so)
