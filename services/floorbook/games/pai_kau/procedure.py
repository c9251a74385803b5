"""What the rules object to before a round can be settled (5.1): cheap questions for a table.

Every `object_to_…` answers for one act, in a phase that takes it, with the first code that applies
in the specification's order, or with None. Phases and who may report an act are the table's
matter. A vacant bank is a turn of None, gates not yet announced are 0.
"""

from collections.abc import Collection, Mapping, Sequence

import msgspec

from floorbook.games.pai_kau.banking import (
    ROUNDS_OF_A_TURN,
    Candidate,
    Turn,
    all_agree,
    bank_goes_to,
    may_continue,
)
from floorbook.games.pai_kau.gates import check_dice, is_gate, is_gate_count
from floorbook.games.pai_kau.round import LARGEST_AMOUNT, Bet, CoBank
from floorbook.games.pai_kau.setting import check_arrangement
from floorbook.games.pai_kau.tiles import HAND_SIZE, Tile, are_tiles, fit_one_set
from floorbook.games.requests import is_integer

PLAYERS_WHO_MAY_MOVE_TILES = 2  # 閒家只限兩人, at the table (PK-42)


class Objection(msgspec.Struct, frozen=True):
    """Why the rules do not let something happen."""

    code: str
    cites: tuple[str, ...] = ()


class Moves(msgspec.Struct, frozen=True):
    """Who has moved tiles this round (A2.6): players in the order of their first move."""

    players: tuple[str, ...] = ()
    banker: bool = False


# Tiles and gates of the coming round


def object_to_opening_table(turn: Turn | None) -> Objection | None:
    """Return why a table cannot be opened anew: somebody still holds the bank."""
    return None if turn is None else Objection("BANK_TAKEN", ("A5.1",))


def object_to_shuffle(tiles_held_over: bool, new_tiles: bool) -> Objection | None:
    """Return why 32 tiles cannot be shuffled: 16 wait for their round (A2.4, PK-33)."""
    if tiles_held_over and not new_tiles:
        return Objection("TILES_REMAIN", ("A2.4", "PK-33"))
    return None


def object_to_carrying_over(tiles_held_over: bool) -> Objection | None:
    """Return why the round cannot use tiles left over from the last (留作下一局使用, A2.4)."""
    return None if tiles_held_over else Objection("NO_TILES_REMAIN", ("A2.4", "PK-33"))


def object_to_gates(gates: int, carried_over: bool, turn: Turn | None) -> Objection | None:
    """Return why so many gates cannot be announced (PK-51)."""
    if not is_gate_count(gates):
        return Objection("BAD_GATE", ("A2.4", "PK-35"))
    if carried_over and gates != 4:
        return Objection("FOUR_GATES_ONLY", ("A2.4", "PK-33"))
    if turn is not None and turn.gate > gates:
        return Objection("BANKER_OUTSIDE", ("PK-51",))
    return None


# The bank


def object_to_leaving_bank(turn: Turn | None, player_id: str | None) -> Objection | None:
    """Return why the bank cannot be left, by a player or, if `player_id` is None, the croupier."""
    if turn is None:
        return Objection("BANK_VACANT")
    if player_id is None:
        over = turn.rounds_done >= ROUNDS_OF_A_TURN
        return None if over else Objection("TURN_NOT_OVER", ("A5.1", "PK-49"))
    return None if player_id == turn.player_id else Objection("NOT_BANKER", ("A5.1",))


def object_to_consent(
    turn: Turn | None, player_id: str, last_bettors: Collection[str]
) -> Objection | None:
    """Return why a player has no say in one more round of the banker (PK-39)."""
    if turn is None:
        return Objection("BANK_VACANT")
    return None if player_id in last_bettors else Objection("NO_PLAYER", ("A5.1", "PK-39"))


def object_to_answer(
    turn: Turn | None, gates: int, answer: Candidate, last_gate: int, table_opening: bool
) -> Objection | None:
    """Return why a player cannot answer that he takes or refuses the bank (A5.2).

    `last_gate` held the bank last, 0 if none did.
    """
    if turn is not None:
        return Objection("BANK_TAKEN", ("A5.1",))
    if not gates:
        return Objection("GATES_MISSING", ("PK-51",))
    if not answer.player_id:
        return Objection("BAD_ID")
    if not is_gate(answer.gate, gates) or (answer.gate == last_gate and not table_opening):
        return Objection("BAD_GATE", ("A5.1", "PK-38"))
    if answer.accepts and not answer.has_bet and not table_opening:
        return Objection("NEVER_BET", ("A5.2", "PK-53"))
    return None


def object_to_assigning_bank(
    turn: Turn | None,
    gates: int,
    candidates: Sequence[Candidate],
    last_gate: int,
    table_opening: bool,
) -> Objection | None:
    """Return why the bank cannot be given to the next who accepts: `bank_goes_to` says to whom."""
    if turn is not None:
        return Objection("BANK_TAKEN", ("A5.1",))
    if not gates:
        return Objection("GATES_MISSING", ("PK-51",))
    if bank_goes_to(gates, last_gate, candidates, table_opening) is None:
        return Objection("NO_CANDIDATE", ("A5.2", "PK-46"))
    return None


def object_to_betting(
    turn: Turn | None, gates: int, last_bettors: Collection[str], consents: Collection[str]
) -> Objection | None:
    """Return why bets cannot be opened: gates, banker or the consent to his third round missing."""
    if not gates:
        return Objection("GATES_MISSING", ("PK-51",))
    if turn is None:
        return Objection("BANK_VACANT", ("PK-46",))
    if not may_continue(turn.rounds_done, all_agree(last_bettors, consents)):
        return Objection("CONSENT_MISSING", ("A5.1", "PK-39"))
    return None


# Bets and stakes


def object_to_bet(
    gates: int, turn: Turn, bets: Sequence[Bet], cobanks: Sequence[CoBank], bet: Bet
) -> Objection | None:
    """Return why `bet` cannot be a player's new total on its gate; 0 takes the bet back."""
    if not bet.player_id:
        return Objection("BAD_ID")
    if not is_gate(bet.gate, gates):
        return Objection("BAD_GATE", ("A2.4", "PK-51"))
    if bet.gate == turn.gate:
        return Objection("BET_ON_BANKER_GATE", ("A5.5", "PK-32"))
    if bet.player_id == turn.player_id:
        return Objection("BANKER_BETS", ("A5.5", "PK-32"))
    if any(cobank.id == bet.player_id for cobank in cobanks):
        return Objection("COBANKER_BETS", ("A5.5", "PK-32"))
    lies = any(_is_same_bet(other, bet) for other in bets)
    return _object_to_total(bet.amount, lies)


def changed_bets(bets: Sequence[Bet], bet: Bet) -> tuple[Bet, ...]:
    """Return the bets once `bet` is a player's new total on its gate.

    A bet keeps the place of its first chip, which may decide who holds the gate (PK-34); taken back
    altogether it loses it.
    """
    if not bet.amount:
        return tuple(other for other in bets if not _is_same_bet(other, bet))
    if any(_is_same_bet(other, bet) for other in bets):
        return tuple(bet if _is_same_bet(other, bet) else other for other in bets)
    return (*bets, bet)


def _is_same_bet(one: Bet, other: Bet) -> bool:
    return one.gate == other.gate and one.player_id == other.player_id


def _object_to_total(amount: int, lies: bool) -> Objection | None:
    if is_integer(amount) and (0 if lies else 1) <= amount <= LARGEST_AMOUNT:
        return None
    return Objection("BAD_AMOUNT")


def object_to_stake(turn: Turn, player_id: str, amount: int) -> Objection | None:
    """Return why `amount` cannot be the banker's new stake (賭注, A5.3, A5.4)."""
    if player_id != turn.player_id:
        return Objection("NOT_BANKER", ("A5.3",))
    if not is_integer(amount) or not 1 <= amount <= LARGEST_AMOUNT:
        return Objection("BAD_AMOUNT", ("A5.3",))
    if amount < turn.minimum_stake:
        return Objection("STAKE_BELOW_MINIMUM", ("A5.4", "PK-31"))
    return None


def object_to_cobank(
    gates: int, turn: Turn, bets: Sequence[Bet], cobanks: Sequence[CoBank], cobank: CoBank
) -> Objection | None:
    """Return why `cobank` cannot back the banker (幫庄, A5.5); a stake of 0 takes it back."""
    if not cobank.id or cobank.id == turn.player_id:
        return Objection("BAD_ID", ("A5.5",))
    if any(bet.player_id == cobank.id for bet in bets):
        return Objection("COBANKER_BETS", ("A5.5", "PK-32"))
    tied = cobank.gate != 0
    if tied and (not is_gate(cobank.gate, gates) or cobank.gate == turn.gate):
        return Objection("BAD_GATE", ("A5.5", "PK-27"))
    lies = any(other.id == cobank.id for other in cobanks)
    return _object_to_total(cobank.stake, lies)


def changed_cobanks(cobanks: Sequence[CoBank], cobank: CoBank) -> tuple[CoBank, ...]:
    """Return the co-banks once `cobank` replaces what its owner posted, in its first place.

    The order decides who covers first (PK-26).
    """
    if not cobank.stake:
        return tuple(other for other in cobanks if other.id != cobank.id)
    if any(other.id == cobank.id for other in cobanks):
        return tuple(cobank if other.id == cobank.id else other for other in cobanks)
    return (*cobanks, cobank)


# Moving tiles, head tiles, dice


def object_to_moving(
    turn: Turn, moves: Moves, head_tiles_out: bool, player_id: str
) -> Objection | None:
    """Return why a player or the banker may not move tiles now (A2.6, PK-42, PK-40).

    Players first, at most two; once the banker has moved, players may not.
    """
    if player_id != turn.player_id:
        others = {*moves.players, player_id}
        if moves.banker or len(others) > PLAYERS_WHO_MAY_MOVE_TILES:
            return Objection("MOVING_OVER", ("A2.6", "PK-42"))
    return Objection("MOVING_OVER", ("A5.3", "PK-40")) if head_tiles_out else None


def moved(turn: Turn, moves: Moves, player_id: str) -> Moves:
    """Return who has moved tiles once `player_id` has."""
    if player_id == turn.player_id:
        return Moves(moves.players, banker=True)
    return Moves(tuple(dict.fromkeys((*moves.players, player_id))), moves.banker)


def object_to_head_tiles(
    turn: Turn, player_id: str, stake: int, head_tiles_out: bool
) -> Objection | None:
    """Return why the head tiles (頭牌) cannot be put out: the banker does it, his stake posted."""
    if player_id != turn.player_id:
        return Objection("NOT_BANKER", ("A5.3",))
    if not stake:
        return Objection("STAKE_MISSING", ("A5.3",))
    return Objection("HEAD_TILES_OUT", ("PK-40",)) if head_tiles_out else None


def object_to_shake(turn: Turn, player_id: str, head_tiles_out: bool) -> Objection | None:
    """Return why the dice cannot be shaken: the banker does it, and nobody else (A2.2)."""
    if player_id != turn.player_id:
        return Objection("NOT_BANKER", ("A2.2",))
    return None if head_tiles_out else Objection("HEAD_TILES_MISSING", ("A5.3", "PK-40"))


def object_to_throw(values: Sequence[object]) -> Objection | None:
    """Return why a throw that is not void cannot be one: four faces (A1.2)."""
    return Objection("BAD_DICE", ("A1.2",)) if check_dice(values) else None


# Hands


def object_to_hands(
    gates: int, hands: Sequence[tuple[int, Sequence[object]]], used_tiles: Sequence[Tile]
) -> Objection | None:
    """Return why `hands`, gate by gate, cannot have been dealt from one set (A2.3, A2.4).

    `used_tiles` lie open from the round before, in the second four-gate one.
    """
    if sorted(gate for gate, _ in hands) != list(range(1, gates + 1)):
        return Objection("BAD_GATE", ("A2.4", "PK-36"))
    tiles = [tile for _, hand in hands for tile in hand]
    whole = all(len(hand) == HAND_SIZE for _, hand in hands)
    if whole and are_tiles(tiles) and fit_one_set([*tiles, *used_tiles]):
        return None
    return Objection("BAD_TILES", ("A1.1", "PK-43"))


class Laying(msgspec.Struct, frozen=True):
    """How far the laying of hands has come: who holds which gate, and which gates are done."""

    gates: int
    banker_gate: int
    holders: Mapping[int, str]  # of every gate with bets, and of no other
    done: Collection[int] = ()  # set, or left to the croupier

    @property
    def waits_for(self) -> tuple[int, ...]:
        """Return the player gates that must be done before the banker sets (A3.3)."""
        return tuple(gate for gate in sorted(self.holders) if gate not in self.done)


def object_to_setting(
    laying: Laying,
    gate: int,
    player_id: str,
    tiles: Sequence[Tile],
    front: Sequence[object],
    back: Sequence[object],
) -> Objection | None:
    """Return why a hand cannot be laid like that (A3.2, A3.3, A6.1).

    A back smaller than the front is laid all the same, and set again by the croupier.
    """
    if (objection := object_to_not_setting(laying, gate)) is not None:
        return objection
    # Anybody may help the banker (A3.3); nobody holds a gate without bets.
    if gate != laying.banker_gate and player_id != laying.holders.get(gate):
        return Objection("NOT_HOLDER", ("A3.2", "PK-34"))
    if check_arrangement(tiles, front, back):
        return Objection("BAD_ARRANGEMENT", ("A6.1",))
    return None


def object_to_not_setting(laying: Laying, gate: int) -> Objection | None:
    """Return why a gate cannot be left to the croupier (PK-16)."""
    if not is_gate(gate, laying.gates):
        return Objection("BAD_GATE")
    if gate == laying.banker_gate and laying.waits_for:
        return Objection("PLAYERS_NOT_SET", ("A3.3", "A6.1"))
    return Objection("ALREADY_SET", ("PK-52",)) if gate in laying.done else None


def object_to_opening_pairs(laying: Laying) -> Objection | None:
    """Return why the pairs cannot be opened: the banker's hand is neither set nor given up."""
    return None if laying.banker_gate in laying.done else Objection("BANKER_NOT_SET", ("A6.1",))
