"""Which gate is first, in which order gates are dealt and settled, and who holds them (A2, A3).

Gates are numbered 1..N counter-clockwise (逆時針), the banker's included (PK-35); the gate at the
right of gate N is gate 1.
"""

from collections.abc import Mapping, Sequence

import msgspec

from floorbook.games.pai_kau.config import Config
from floorbook.games.pai_kau.round import Bet
from floorbook.games.pai_kau.tiles import HAND_SIZE, SET, Tile
from floorbook.games.requests import is_integer

GATE_COUNTS = (4, 8)  # 連庄家可有八門或四門 (A3.1)
DICE = 4
FOUR_GATE_TILES = 4 * HAND_SIZE
"""What a four-gate deal uses, and what it leaves for the next one (A2.4)."""


class GateOrder(msgspec.Struct, frozen=True):
    """What a throw decides: where the deal starts, and the order of dealing and of settling."""

    dice_total: int
    first_gate: int
    head_gate: int  # 頭門, the first player gate
    deal_order: tuple[int, ...]
    ordinals: tuple[int, ...]  # 頭門, 二門, 三門 …: the banker has none (PK-19)
    settle_order: tuple[int, ...]


def is_gate_count(gates: object) -> bool:
    """Return whether a table can have so many gates."""
    return is_integer(gates) and gates in GATE_COUNTS


def is_gate(number: object, gates: int) -> bool:
    """Return whether a table of `gates` gates has a gate of this number."""
    return is_integer(number) and 1 <= number <= gates


def check_dice(values: Sequence[object]) -> str | None:
    """Return `BAD_DICE` unless `values` are the faces of four dice (A1.2)."""
    if len(values) == DICE and all(is_integer(face) and 1 <= face <= 6 for face in values):
        return None
    return "BAD_DICE"


def counter_clockwise(start: int, gates: int) -> tuple[int, ...]:
    """Return all gates from `start` on, each followed by the one at its right."""
    return (*range(start, gates + 1), *range(1, start))


def right_of(gate: int, gates: int) -> int:
    """Return the gate at the right (右邊) of `gate`."""
    return gate % gates + 1


def first_gate(gates: int, banker_gate: int, dice: Sequence[int]) -> int:
    """Return the gate that is dealt first: counter-clockwise, the banker is one (A2.2, PK-17)."""
    return (banker_gate - 1 + sum(dice) - 1) % gates + 1


def gate_order(gates: int, banker_gate: int, dice: Sequence[int], config: Config) -> GateOrder:
    """Return the order in which gates are dealt and settled (A2.2, A2.3)."""
    first = first_gate(gates, banker_gate, dice)
    head = right_of(banker_gate, gates) if first == banker_gate else first
    ordinals = _without(banker_gate, counter_clockwise(head, gates))
    settled = ordinals
    if config.settlement_start == "banker_right":  # PK-20
        settled = _without(banker_gate, counter_clockwise(banker_gate, gates))
    return GateOrder(sum(dice), first, head, counter_clockwise(first, gates), ordinals, settled)


def _without(gate: int, gates: Sequence[int]) -> tuple[int, ...]:
    return tuple(other for other in gates if other != gate)


def hands_of(
    gates: int, banker_gate: int, dice: Sequence[int], wall: Sequence[Tile]
) -> dict[int, tuple[Tile, ...]]:
    """Return the four tiles of every gate, the head of `wall` first (A2.3).

    All gates are dealt, whoever plays (無論客人多少, PK-36).
    """
    order = counter_clockwise(first_gate(gates, banker_gate, dice), gates)
    dealt = {
        gate: tuple(wall[place * HAND_SIZE : (place + 1) * HAND_SIZE])
        for place, gate in enumerate(order)
    }
    return dict(sorted(dealt.items()))


def held_over(gates: int, wall: Sequence[Tile]) -> tuple[Tile, ...]:
    """Return the tiles that a deal leaves for the next round (留作下一局使用, A2.4, PK-33).

    They lie in the order of the wall, which nobody may know yet (5.2).
    """
    leaves = gates == 4 and len(wall) == len(SET)
    return tuple(wall[FOUR_GATE_TILES:]) if leaves else ()


def holders(bets: Sequence[Bet]) -> Mapping[int, str]:
    """Return who sets each gate with bets (持牌權): its largest bet, the earlier of equals (PK-34).

    `bets` come in the order placed (A3.2). A gate that is not named is set by the croupier.
    """
    largest: dict[int, Bet] = {}
    for bet in bets:
        known = largest.get(bet.gate)
        if known is None or bet.amount > known.amount:
            largest[bet.gate] = bet
    return {gate: bet.player_id for gate, bet in largest.items()}
