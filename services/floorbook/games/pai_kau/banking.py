"""Who banks, for how long and with how much (做庄, A5.1-A5.4)."""

from collections.abc import Collection, Sequence

import msgspec

from floorbook.games.pai_kau.gates import counter_clockwise, right_of

ROUNDS_OF_A_TURN = 2  # 每關庄只限兩局 (A5.1, PK-49)


class Candidate(msgspec.Struct, frozen=True):
    """A player's answer when the bank is offered to his gate."""

    gate: int
    player_id: str
    accepts: bool
    has_bet: bool = False  # 在此之前曾經投注 (A5.2, PK-53)


def next_banker(
    gates: int, banker_gate: int, candidates: Sequence[Candidate], table_opening: bool
) -> Candidate | None:
    """Return who takes the bank (輪流做庄), None if nobody does (A5.1, A5.2, PK-38, PK-46).

    The question goes counter-clockwise from the banker's right, at a gate in the order of the
    answers. While the table is opening nobody banks yet: the banker's gate is asked too, last,
    and nobody need have bet (PK-53).
    """
    for gate in counter_clockwise(right_of(banker_gate, gates), gates):
        if gate == banker_gate and not table_opening:
            continue
        for candidate in candidates:
            willing = candidate.gate == gate and candidate.accepts
            if willing and (candidate.has_bet or table_opening):
                return candidate
    return None


def may_continue(rounds_done: int, all_agree: bool) -> bool:
    """Return whether the banker may bank one more round: the third needs consent (PK-39)."""
    return rounds_done < ROUNDS_OF_A_TURN or all_agree


def all_agree(bettors: Collection[str], consents: Collection[str]) -> bool:
    """Return whether everybody who had a bet in the last settled round consents (PK-39).

    If nobody had one, no consent is needed.
    """
    return all(bettor in consents for bettor in bettors)


def minimum_stake(remaining: int) -> int:
    """Return the least that the next stake of a banking turn may be (只許增多, A5.4, PK-31).

    What the last round left on the layout may only be increased; if nothing is left, a new stake
    is needed. A new turn starts free: `remaining` is 0 then.
    """
    return max(1, remaining)


class Turn(msgspec.Struct, frozen=True):
    """One player's spell as banker (關庄); a vacant bank has none."""

    gate: int
    player_id: str
    rounds_done: int = 0
    minimum_stake: int = 1


def bank_goes_to(
    gates: int, last_gate: int, candidates: Sequence[Candidate], table_opening: bool
) -> Candidate | None:
    """Return who takes a vacant bank at a table of `gates` gates, None if nobody does (5.1).

    `last_gate` held the bank last, 0 if none did. While the table is opening, or if that gate does
    not play this round, the question starts at gate 1 and every gate is asked. Whoever never bet
    was refused as a candidate before (`object_to_answer`).
    """
    if table_opening or not 1 <= last_gate <= gates:
        return next_banker(gates, gates, candidates, table_opening=True)
    return next_banker(gates, last_gate, candidates, table_opening=False)


def begin_turn(candidate: Candidate) -> Turn:
    """Return the turn of a new banker: he starts free, with any stake (A5.4)."""
    return Turn(candidate.gate, candidate.player_id)


def after_round(turn: Turn, min_next_stake: int) -> Turn:
    """Return a banker's turn after a settled round; a void one does not count (PK-43)."""
    return Turn(turn.gate, turn.player_id, turn.rounds_done + 1, minimum_stake(min_next_stake))
