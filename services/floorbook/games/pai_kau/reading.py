"""Whether a request is one that can be evaluated: JSON in, our own types out (12.2, 12.3).

This is the only place that looks at JSON. A request that is no request (`BAD_REQUEST`) apart, of
several faults the first in the order of section 12.5 is answered.
"""

from collections.abc import Callable, Sequence

from floorbook.games.pai_kau.banking import Candidate
from floorbook.games.pai_kau.config import Config, config_of
from floorbook.games.pai_kau.gates import (
    FOUR_GATE_TILES,
    check_dice,
    holders,
    is_gate,
    is_gate_count,
)
from floorbook.games.pai_kau.ranking import Pair, pair_of
from floorbook.games.pai_kau.round import LARGEST_AMOUNT, Banker, Bet, CoBank, Hand, Round
from floorbook.games.pai_kau.setting import check_arrangement
from floorbook.games.pai_kau.tiles import HAND_SIZE, SET, Tile, are_tiles, fit_one_set
from floorbook.games.requests import (
    Json,
    Request,
    RequestRefused,
    is_integer,
    read_boolean,
    read_field,
    read_integer,
    read_list,
    read_object,
    read_objects,
    read_text,
)
from floorbook.games.rule_set import Evaluated, Operation, Refused


def answering(evaluate: Callable[[Request, Config], Evaluated]) -> Operation:
    """Return the operation that reads the flags, then evaluates, and refuses what is faulty."""

    def operation(request: Request) -> Evaluated | Refused:
        flags = request.get("config")
        config = config_of({} if flags is None else flags)
        if isinstance(config, Refused):
            return config
        try:
            return evaluate(request, config)
        except RequestRefused as fault:
            return fault.refused

    return operation


# Gates and dice


def read_gates(request: Request) -> int:
    """Return how many gates the table has, the banker's included."""
    gates: Json = read_field(request, "gates")
    if not is_gate_count(gates):
        raise RequestRefused("BAD_GATE", "gates is neither 4 nor 8 (A2.4, PK-35).")
    return int(gates)


def read_gate(holder: Request, name: str, gates: int, where: str = "") -> int:
    """Return the number of a gate."""
    gate: Json = read_field(holder, name, where)
    if not is_gate(gate, gates):
        raise RequestRefused("BAD_GATE", f"{where}{name} is none of the gates 1 to {gates}.")
    return int(gate)


def read_throws(request: Request) -> tuple[tuple[int, ...], int]:
    """Return the faces of the valid throw, and how many void ones came before it (section 6)."""
    throws = read_objects(request, "throws")
    void = [read_boolean(throw, "void", f"throws[{i}].", False) for i, throw in enumerate(throws)]
    if not throws or void[-1] or not all(void[:-1]):
        raise RequestRefused("BAD_DICE", "throws: there must be one valid throw, the last (A2.5).")
    values = throws[-1].get("values")
    if not isinstance(values, list | tuple) or check_dice(values):
        raise RequestRefused("BAD_DICE", "throws: the valid throw has not four faces of 1 to 6.")
    return tuple(values), len(throws) - 1


# Tiles


def read_tiles(
    holder: Request, name: str, size: int, where: str = "", *, optional: bool = False
) -> tuple[Tile, ...]:
    """Return a list of `size` tiles; an optional one may be empty."""
    tiles = read_list(holder, name, where, optional=optional)
    if optional and not tiles:
        return ()
    if len(tiles) != size:
        raise RequestRefused("BAD_TILES", f"{where}{name}: there are not {size} tiles.")
    if not are_tiles(tiles):
        raise RequestRefused("BAD_TILES", f"{where}{name}: a code is none of the 21 (section 2).")
    return tuple(tiles)


def read_pair(request: Request, name: str) -> Pair:
    """Return the two tiles that a request is about."""
    a, b = read_tiles(request, name, 2)
    _check_one_set((a, b), name)
    return pair_of(a, b)


def read_two_pairs(request: Request) -> tuple[Pair, Pair]:
    """Return the pairs `a` and `b` that are to be compared, of one set of tiles."""
    a, b = read_tiles(request, "a", 2), read_tiles(request, "b", 2)
    _check_one_set(a + b, "a and b")
    return pair_of(*a), pair_of(*b)


def read_two_hands(request: Request) -> tuple[Pair, Pair, Pair, Pair]:
    """Return the player's front and back and the banker's, of one set of tiles."""
    sides = [(side, read_object(request, side)) for side in ("player", "banker")]
    tiles = [
        read_tiles(hand, name, 2, f"{side}.") for side, hand in sides for name in ("front", "back")
    ]
    _check_one_set([tile for two in tiles for tile in two], "player and banker")
    front, back, banker_front, banker_back = (pair_of(*two) for two in tiles)
    return front, back, banker_front, banker_back


def read_hand(request: Request) -> Hand:
    """Return the four tiles that a request is about, and how they are laid, if they are."""
    tiles = read_tiles(request, "tiles", HAND_SIZE)
    _check_one_set(tiles, "tiles")
    return _laid(0, tiles, request, "")


def read_used_tiles(request: Request, gates: int) -> tuple[Tile, ...]:
    """Return the tiles that lie open from the round before, in the second four-gate one (A2.4)."""
    used = read_tiles(request, "used_tiles", FOUR_GATE_TILES, optional=True)
    if used and gates != 4:
        raise RequestRefused("BAD_TILES", "used_tiles: eight gates need all tiles (PK-33).")
    return used


def read_wall(request: Request, used: Sequence[Tile]) -> tuple[Tile, ...]:
    """Return the tiles that are dealt from, the head first; with `used` ones they are the set."""
    wall = read_tiles(request, "wall", len(SET) - len(used))
    _check_one_set((*wall, *used), "wall and used_tiles")
    return wall


def _check_one_set(tiles: Sequence[Tile], where: str) -> None:
    if not fit_one_set(tiles):
        raise RequestRefused("BAD_TILES", f"{where}: more of a tile than one set holds (A1.1).")


def _laid(gate: int, tiles: tuple[Tile, ...], holder: Request, where: str) -> Hand:
    front, back = _submitted(holder, "front", where), _submitted(holder, "back", where)
    if not front and not back:
        return Hand(gate, tiles)
    if check_arrangement(tiles, front, back):
        raise RequestRefused(
            "BAD_ARRANGEMENT", f"{where}front and back are not two pairs of the hand's four tiles."
        )
    return Hand(gate, tiles, tuple(front), tuple(back))


def _submitted(holder: Request, name: str, where: str) -> Sequence[Json]:
    # An empty value, whatever its type, is the same as an absent one (12.3).
    return read_list(holder, name, where) if holder.get(name) else ()


# A whole round


def read_round(request: Request) -> Round:
    """Return the round that is to be settled (12.3)."""
    banker = read_object(request, "banker")
    cobanks = read_objects(request, "cobanks", optional=True)
    hands = read_objects(request, "hands")
    bets = read_objects(request, "bets", optional=True)

    gates = read_gates(request)
    banker_gate = read_gate(banker, "gate", gates, "banker.")
    hand_gates = _hand_gates(hands, gates)
    bet_gates = [read_gate(bet, "gate", gates, f"bets[{i}].") for i, bet in enumerate(bets)]
    cobank_gates = [
        _cobank_gate(cobank, gates, banker_gate, f"cobanks[{i}].")
        for i, cobank in enumerate(cobanks)
    ]
    dice, void_throws = read_throws(request)
    used_tiles = read_used_tiles(request, gates)
    laid = _hands(hands, hand_gates, gates, used_tiles)
    stake = _amount(banker, "stake", "banker.")
    cobank_stakes = [_amount(c, "stake", f"cobanks[{i}].") for i, c in enumerate(cobanks)]
    amounts = [_amount(bet, "amount", f"bets[{i}].") for i, bet in enumerate(bets)]
    banker_id = _id(banker, "player_id", "banker.")
    cobank_ids = _cobank_ids(cobanks, banker_id)
    bettors = [_id(bet, "player_id", f"bets[{i}].") for i, bet in enumerate(bets)]
    houses = [
        read_boolean(c, "house", f"cobanks[{i}].", default=False) for i, c in enumerate(cobanks)
    ]
    round_ = Round(
        gates=gates,
        banker=Banker(banker_gate, banker_id, stake),
        cobanks=tuple(map(CoBank, cobank_ids, cobank_stakes, houses, cobank_gates)),
        void_throws=void_throws,
        dice=dice,
        hands=laid,
        bets=tuple(map(Bet, bet_gates, bettors, amounts)),
        used_tiles=used_tiles,
    )
    _check_bets(round_)
    _check_holders(hands, hand_gates, round_)
    return round_


def _hand_gates(hands: Sequence[Request], gates: int) -> list[int]:
    numbers = [read_gate(hand, "gate", gates, f"hands[{i}].") for i, hand in enumerate(hands)]
    if sorted(numbers) != list(range(1, gates + 1)):
        raise RequestRefused("BAD_GATE", "hands: a gate is missing or is there twice (PK-36).")
    return numbers


def _cobank_gate(cobank: Request, gates: int, banker_gate: int, where: str) -> int:
    gate = cobank.get("gate")
    if gate is None or (is_integer(gate) and gate == 0):
        return 0
    number = read_gate(cobank, "gate", gates, where)
    if number == banker_gate:
        raise RequestRefused("BAD_GATE", f"{where}gate is the banker's (PK-27).")
    return number


def _hands(
    hands: Sequence[Request], numbers: Sequence[int], gates: int, used: tuple[Tile, ...]
) -> tuple[Hand, ...]:
    """Return the hands. With 8 gates or used tiles they are the full set: the counts say so."""
    tiles = [read_tiles(hand, "tiles", HAND_SIZE, f"hands[{i}].") for i, hand in enumerate(hands)]
    _check_one_set([tile for four in tiles for tile in four] + list(used), "hands and used_tiles")
    return tuple(
        _laid(number, four, hand, f"hands[{i}].")
        for i, (number, four, hand) in enumerate(zip(numbers, tiles, hands, strict=True))
    )


def _amount(holder: Request, name: str, where: str) -> int:
    amount = read_field(holder, name, where)
    if not is_integer(amount) or not 1 <= amount <= LARGEST_AMOUNT:
        raise RequestRefused("BAD_AMOUNT", f"{where}{name} is no integer of 1 to 10^15.")
    return amount


def _id(holder: Request, name: str, where: str) -> str:
    value = read_text(holder, name, where)
    if not value:
        raise RequestRefused("BAD_ID", f"{where}{name} is empty.")
    return value


def _cobank_ids(cobanks: Sequence[Request], banker_id: str) -> list[str]:
    ids = [_id(cobank, "id", f"cobanks[{i}].") for i, cobank in enumerate(cobanks)]
    if banker_id in ids:
        raise RequestRefused("BAD_ID", "cobanks: the main banker cannot back himself (A5.5).")
    if len(set(ids)) < len(ids):
        raise RequestRefused("BAD_ID", "cobanks: an id is there twice.")
    return ids


def _check_bets(round_: Round) -> None:
    """Refuse bets that nobody may lay (section 7, PK-32)."""
    bets, banker = round_.bets, round_.banker
    backers = {cobank.id for cobank in round_.cobanks}
    if any(bet.gate == banker.gate for bet in bets):
        raise RequestRefused("BET_ON_BANKER_GATE", "bets: one lies on the banker's gate.")
    if any(bet.player_id == banker.player_id for bet in bets):
        raise RequestRefused("BANKER_BETS", "bets: one is the banker's (PK-32).")
    if any(bet.player_id in backers for bet in bets):
        raise RequestRefused("COBANKER_BETS", "bets: one is a co-banker's (A5.5, PK-32).")
    if len({(bet.player_id, bet.gate) for bet in bets}) < len(bets):
        raise RequestRefused("DUPLICATE_BET", "bets: a player is twice on one gate (A3.2).")


def _check_holders(hands: Sequence[Request], numbers: Sequence[int], round_: Round) -> None:
    """Refuse a player gate that somebody else than its holder set (A3.2, A3.3)."""
    held = holders(round_.bets)
    for i, (hand, gate) in enumerate(zip(hands, numbers, strict=True)):
        set_by = read_text(hand, "set_by", f"hands[{i}].", default="")
        if set_by and gate != round_.banker.gate and set_by != held.get(gate):
            raise RequestRefused("NOT_HOLDER", f"hands[{i}].set_by does not hold gate {gate}.")


# The bank


def read_stakes(request: Request) -> tuple[int, int, int]:
    """Return the banker's stake, what the round made of it, and his next stake (A5.4)."""
    stake, delta = read_field(request, "stake"), read_integer(request, "delta")
    new_stake = read_field(request, "new_stake")
    for name, value in (("stake", stake), ("new_stake", new_stake)):
        if not is_integer(value) or value < 0:
            raise RequestRefused("BAD_AMOUNT", f"{name} is no integer of 0 or more.")
    if stake + delta < 0:
        raise RequestRefused("BAD_AMOUNT", "delta is a loss of more than the stake (A5.3).")
    return stake, delta, new_stake


def read_turn(request: Request) -> tuple[int, bool]:
    """Return how many rounds the banker has banked, and whether all others agree to one more."""
    rounds_done = read_integer(request, "rounds_done")
    if rounds_done < 0:
        raise RequestRefused("BAD_REQUEST", "rounds_done is negative.")
    return rounds_done, read_boolean(request, "all_agree")


def read_candidates(
    request: Request, gates: int, banker_gate: int, table_opening: bool
) -> tuple[Candidate, ...]:
    """Return who answered when the bank was offered, in the order given (A5.2)."""
    read = []
    for i, candidate in enumerate(read_objects(request, "candidates")):
        where = f"candidates[{i}]."
        gate = read_gate(candidate, "gate", gates, where)
        if gate == banker_gate and not table_opening:
            raise RequestRefused("BAD_GATE", f"{where}gate is the banker's (PK-38).")
        read.append(
            Candidate(
                gate,
                _id(candidate, "player_id", where),
                read_boolean(candidate, "accepts", where),
                read_boolean(candidate, "has_bet", where, default=False),
            )
        )
    return tuple(read)
