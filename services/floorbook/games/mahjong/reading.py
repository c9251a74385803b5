"""Whether a request is one that can be evaluated: JSON in, our own types out (section 13).

This is the only place that looks at JSON. What is no request at all is `BAD_REQUEST`; of other faults
the first in the order of section 13.3 is answered: configuration, seats, tiles, copies, the win.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import get_args

from floorbook.games.mahjong.config import LARGEST_AMOUNT, Config, config_of
from floorbook.games.mahjong.hand import Declared, Setting, Win
from floorbook.games.mahjong.liability import Facts
from floorbook.games.mahjong.melds import Meld, tiles_of
from floorbook.games.mahjong.payment import Won
from floorbook.games.mahjong.rounds import Outcome, Played
from floorbook.games.mahjong.seats import Seat, seating
from floorbook.games.mahjong.tiles import CODES, COPIES, Tile, counts_of
from floorbook.games.mahjong.variant import SIDES, Variant, tiles_by_code
from floorbook.games.mahjong.wall import check_dice
from floorbook.games.mahjong.winning import declared_fault, is_possible
from floorbook.games.requests import (
    Json,
    Request,
    RequestRefused,
    is_integer,
    read_boolean,
    read_integer,
    read_list,
    read_object,
)
from floorbook.games.rule_set import Evaluated, Operation, Refused

ERRORS = frozenset(
    {"BAD_RULE_SET", "BAD_CONFIG", "BAD_SEAT", "BAD_TILE", "TOO_MANY_COPIES", "BAD_WIN"}
)
"""Faults that make a declared win the status `error` (13.3): it is answered, nothing is settled."""


def answering(
    variant: Variant,
    evaluate: Callable[[Variant, Request], Evaluated],
    error: Callable[[Refused], Evaluated] | None = None,
) -> Operation:
    """Return the operation that evaluates a request to one game, and refuses what is faulty.

    An operation about a declared win answers some faults as an `error` instead.
    """

    def operation(request: Request) -> Evaluated | Refused:
        try:
            named = request.get("rule_set")
            if named is not None and named != variant.id:
                raise RequestRefused("BAD_RULE_SET", f"rule_set is not {variant.id}.")
            return evaluate(variant, request)
        except RequestRefused as fault:
            refused = fault.refused
            return error(refused) if error and refused.code in ERRORS else refused

    return operation


def read_config(request: Request) -> Config:
    """Return the table's flags, the defaults where the request has none."""
    flags = request.get("config")
    config = config_of({} if flags is None else flags)
    if isinstance(config, Refused):
        raise RequestRefused(config.code, config.detail)
    return config


def read_setting(variant: Variant, request: Request) -> Setting:
    """Return the game, the flags, the occupied seats and the round's wind."""
    config = read_config(request)
    seats = read_seats(variant, request)
    return Setting(variant, config, seats, _read_wind(request))


# Seats


def read_seats(variant: Variant, request: Request) -> tuple[Seat, ...]:
    """Return the occupied seats counter-clockwise; all four if the request names none."""
    named = read_list(request, "seats", optional=True) or SIDES
    seats = seating(variant, named)
    if seats is None:
        raise RequestRefused("BAD_SEAT", "seats is no seating of this game (RULE-SEATS, MJ-07).")
    return seats


def _read_wind(request: Request) -> Seat:
    wind = request.get("round_wind")
    if not isinstance(wind, str) or wind not in SIDES:
        raise RequestRefused("BAD_SEAT", "round_wind is none of E, S, W, N.")
    return wind


def read_seat(seats: Sequence[Seat], holder: Request, name: str, where: str = "") -> Seat:
    """Return an occupied seat."""
    seat = holder.get(name)
    if not isinstance(seat, str) or seat not in seats:
        raise RequestRefused("BAD_SEAT", f"{where}{name} is not an occupied seat.")
    return seat


def check_seats(seats: Sequence[Seat], holder: Request, where: str) -> None:
    """Refuse an object by seat that names one which is not occupied."""
    if any(seat not in seats for seat in holder):
        raise RequestRefused("BAD_SEAT", f"{where} names a seat that is not occupied.")


# Tiles and sets


def _as_tile(variant: Variant, code: Json, where: str) -> Tile:
    tile = tiles_by_code(variant).get(code) if isinstance(code, str) else None
    if tile is None:
        raise RequestRefused("BAD_TILE", f"{where} is no tile of {variant.id} (RULE-TILES).")
    return tile


def read_tile(variant: Variant, holder: Request, name: str, where: str = "") -> Tile:
    """Return a tile of the game."""
    return _as_tile(variant, holder.get(name), f"{where}{name}")


def read_tiles(
    variant: Variant, holder: Request, name: str, where: str = "", *, optional: bool = False
) -> tuple[Tile, ...]:
    """Return a list of tiles of the game, in the order given."""
    codes = read_list(holder, name, where, optional=optional)
    tiles = tiles_by_code(variant)
    try:
        return tuple([tiles[code] for code in codes])
    except (KeyError, TypeError):  # a list or an object cannot even be looked up
        pass
    return tuple([_as_tile(variant, code, f"{where}{name}[{i}]") for i, code in enumerate(codes)])


def read_melds(
    variant: Variant, holder: Request, name: str = "melds", where: str = ""
) -> tuple[Meld, ...]:
    """Return declared sets. A wrong one is read too: it makes a win false (`meld_invalid`)."""
    melds = read_list(holder, name, where, optional=True)
    return tuple([_read_meld(variant, meld, f"{where}{name}[{i}]") for i, meld in enumerate(melds)])


def _read_meld(variant: Variant, meld: Json, where: str) -> Meld:
    if not isinstance(meld, Mapping):
        raise RequestRefused("BAD_REQUEST", f"{where} is not an object.")
    kind, source = meld.get("kind"), meld.get("from")
    return Meld(
        kind=kind if kind in ("chow", "pong", "kong") else "unknown",
        tiles=read_tiles(variant, meld, "tiles", f"{where}."),
        open=read_boolean(meld, "open", f"{where}.", default=True),
        source=source if source is None or source in SIDES else "nobody",
        added=read_boolean(meld, "added", f"{where}.", default=False),
    )


def check_copies(*tiles: Sequence[Tile], where: str, taken: Sequence[Tile] = ()) -> None:
    """Refuse more than four of a kind in all `tiles`, beside those `taken` elsewhere."""
    counts = counts_of([*(tile for some in tiles for tile in some), *taken])
    most = max(counts)
    if most > COPIES:
        tile = CODES[counts.index(most)]
        raise RequestRefused("TOO_MANY_COPIES", f"{where}: there are {most} of {tile}.")


# A declared win


def read_declared(setting: Setting, request: Request) -> Declared:
    """Return a win as it was declared, if the record does not contradict itself."""
    variant = setting.variant
    seat = read_seat(setting.seats, request, "seat")
    concealed = read_tiles(variant, request, "concealed")
    melds = read_melds(variant, request)
    win_tile = read_tile(variant, request, "win_tile")
    win = request.get("win")
    if not isinstance(win, Mapping):
        raise RequestRefused("BAD_WIN", "win is not an object.")
    robbed = (win_tile,) * (COPIES - 1) if win.get("kind") == "robbed_kong" else ()
    check_copies(concealed, (win_tile,), tiles_of(melds), where="the hand", taken=robbed)
    barred = read_boolean(request, "barred", default=False)
    declared = Declared(seat, concealed, melds, win_tile, _read_win(win), barred)
    if not is_possible(setting, declared):
        raise RequestRefused("BAD_WIN", "win contradicts itself, the seat or the sets (13.3).")
    return declared


def check_win(variant: Variant, request: Request) -> Refused | None:
    """Return why a win cannot have been declared like that at a table, or None.

    Where sets are checked when they are claimed, and every tile is drawn from a sealed wall, a win
    can be false by its shape alone.
    """
    try:
        setting = read_setting(variant, request)
        declared = read_declared(setting, request)
        read_facts(setting, request, declared)
    except RequestRefused as fault:
        return fault.refused
    reason = declared_fault(setting, declared)
    return (
        Refused(reason.upper(), f"the win is wrong before its shape: {reason}.") if reason else None
    )


def _read_win(win: Request) -> Win:
    kind, source = win.get("kind"), win.get("from")
    if kind not in ("self_draw", "discard", "robbed_kong"):
        raise RequestRefused("BAD_WIN", "win.kind is no way to win.")
    if source is not None and source not in SIDES:
        raise RequestRefused("BAD_WIN", "win.from is not a seat.")
    chain = win.get("kong_chain")
    if chain is not None and not is_integer(chain):
        raise RequestRefused("BAD_WIN", "win.kong_chain is not an integer.")
    flags = {}
    for name in ("last_tile", "heavenly", "earthly"):
        flag = win.get(name)
        if flag is not None and not isinstance(flag, bool):
            raise RequestRefused("BAD_WIN", f"win.{name} is neither true nor false.")
        flags[name] = bool(flag)
    return Win(kind, source, chain or 0, **flags)


def read_facts(setting: Setting, request: Request, declared: Declared) -> Facts:
    """Return what is known beside the win; what is not given is not known."""
    if request.get("facts") is None:
        return Facts()
    holder, variant, where = read_object(request, "facts"), setting.variant, "facts."
    held = _optional_tiles(variant, holder, "discarder_concealed", where)
    melds = read_melds(variant, holder, "discarder_melds", where)
    visible = _optional_tiles(variant, holder, "visible", where)
    turns = holder.get("turns_since_fourth_meld")
    if turns is not None and (not is_integer(turns) or turns < 0):
        raise RequestRefused("BAD_FACTS", f"{where}turns_since_fourth_meld is no count.")
    if held is not None and declared.win.kind == "discard":
        _check_discarder(variant, declared, held, melds)
    check_copies(visible or (), (), where=f"{where}visible")
    return Facts(held, melds, visible, turns)


def _optional_tiles(
    variant: Variant, holder: Request, name: str, where: str
) -> tuple[Tile, ...] | None:
    return None if holder.get(name) is None else read_tiles(variant, holder, name, where)


def _check_discarder(
    variant: Variant, declared: Declared, held: Sequence[Tile], melds: Sequence[Meld]
) -> None:
    """Refuse tiles that the discarder cannot have held just before the discard (11.4)."""
    if declared.win_tile not in held:
        raise RequestRefused("BAD_FACTS", "facts.discarder_concealed lacks the winning tile.")
    if len(held) != variant.hand_size + 1 - 3 * len(melds):
        raise RequestRefused("BAD_FACTS", "facts.discarder_concealed is no whole hand (11.4).")
    hand = (*declared.concealed, *tiles_of(declared.melds))
    check_copies(held, tiles_of(melds), hand, where="facts.discarder_concealed")


# Money


def read_stakes(variant: Variant, request: Request) -> dict[Seat, int]:
    """Return the money in front of every seated player, counter-clockwise from East."""
    stakes = read_object(request, "stakes")
    seats = seating(variant, list(stakes))
    if seats is None:
        raise RequestRefused("BAD_SEAT", "stakes is no seating of this game (RULE-SEATS, MJ-07).")
    for seat in seats:
        amount = stakes[seat]
        if not is_integer(amount) or not 0 <= amount <= LARGEST_AMOUNT:
            raise RequestRefused("BAD_AMOUNT", f"stakes.{seat} is no integer of 0 to 10^15.")
    return {seat: stakes[seat] for seat in seats}


def read_stakes_of(setting: Setting, request: Request) -> dict[Seat, int] | None:
    """Return the stakes of the occupied seats, None if there are none."""
    if request.get("stakes") is None:
        return None
    stakes = read_stakes(setting.variant, request)
    if tuple(stakes) != setting.seats:
        raise RequestRefused("BAD_SEAT", "stakes does not name the occupied seats.")
    return stakes


def read_won(variant: Variant, config: Config, request: Request, seats: Sequence[Seat]) -> Won:
    """Return a win that is to be paid."""
    winner = read_seat(seats, request, "winner")
    faan = read_integer(request, "faan")
    if not 0 <= faan <= config.faan_cap:
        raise RequestRefused("BAD_REQUEST", "faan is no total of 0 to the cap (FAAN-SUM).")
    win = _read_win(read_object(request, "win"))
    fed = win.kind != "self_draw"
    if fed != (win.source is not None) or (fed and win.source not in seats):
        raise RequestRefused("BAD_WIN", "win.from does not fit win.kind.")
    if win.source == winner or (win.kind == "robbed_kong" and not variant.claims_sets):
        raise RequestRefused("BAD_WIN", "win contradicts itself or the game (13.3).")
    liable = None
    if request.get("liable") is not None:
        liable = read_seat(seats, request, "liable")
    if liable == winner or (liable is not None and fed and liable != win.source):
        raise RequestRefused("BAD_SEAT", "liable cannot be liable for this win (11.4).")
    return Won(winner, faan, win.kind, win.source, liable)


def read_offender(request: Request, seats: Sequence[Seat]) -> Seat | None:
    """Return who declared a false win, None if the request is about a win."""
    if request.get("false_win") is None:
        return None
    return read_seat(seats, request, "false_win")


# The deal


def read_dice(variant: Variant, request: Request) -> tuple[int, ...]:
    """Return the faces of the dice, three or two."""
    dice = read_list(request, "dice")
    if not check_dice(variant, dice):
        raise RequestRefused("BAD_DICE", f"dice: there are not {variant.dice} faces of 1 to 6.")
    return tuple(dice)


def read_hand_played(variant: Variant, request: Request) -> Played:
    """Return a hand that was played, by players' numbers (section 5)."""
    players = read_integer(request, "players")
    if players not in variant.seat_counts:
        raise RequestRefused("BAD_SEAT", "players: the game is not played by so many (MJ-07).")
    dealer = read_integer(request, "dealer")
    if not 0 <= dealer < players:
        raise RequestRefused("BAD_SEAT", "dealer is the number of no player.")
    wind = _read_wind(request)
    hand = read_integer(request, "hand_in_round")
    if not 1 <= hand <= players:
        raise RequestRefused("BAD_REQUEST", "hand_in_round: a round has a hand for each player.")
    outcome = request.get("outcome")
    if outcome is None or outcome not in get_args(Outcome):
        raise RequestRefused("BAD_REQUEST", "outcome is none of win, draw and false_win.")
    winner = request.get("winner")
    if outcome != "win":
        if winner is not None:
            raise RequestRefused("BAD_SEAT", "winner: nobody has won.")
    elif not is_integer(winner) or not 0 <= winner < players:
        raise RequestRefused("BAD_SEAT", "winner is the number of no player.")
    return Played(players, dealer, wind, hand, outcome, winner)
