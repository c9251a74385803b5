"""Whether a record of play is one that can be: a turn, a window of claims, the log of a hand (13.4).

A record that contradicts itself is refused: the table stops for the supervisor, nobody is at fault.
"""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from floorbook.games.mahjong.claims import Claim, Offer, is_allowed
from floorbook.games.mahjong.hand import Holding, Setting
from floorbook.games.mahjong.melds import tiles_of
from floorbook.games.mahjong.play import Act, ActKind, Play
from floorbook.games.mahjong.reading import (
    check_copies,
    check_seats,
    read_melds,
    read_seat,
    read_tile,
    read_tiles,
)
from floorbook.games.mahjong.seats import DEALER, Seat
from floorbook.games.mahjong.tiles import CODES, COPIES, Tile
from floorbook.games.mahjong.turns import Began, Turn
from floorbook.games.mahjong.variant import Variant
from floorbook.games.requests import (
    Request,
    RequestRefused,
    is_integer,
    read_boolean,
    read_field,
    read_integer,
    read_list,
    read_object,
    read_objects,
)

# A turn


def read_turn(setting: Setting, request: Request) -> Turn:
    """Return a seat's turn, if it can have come to its tiles as it says."""
    seat = read_seat(setting.seats, request, "seat")
    holding = _read_holding(setting.variant, request, "")
    check_copies(holding.concealed, tiles_of(holding.melds), where="the hand")
    return _read_turn(setting, request, seat, holding, "", read_wall_remaining(setting, request))


def _read_holding(variant: Variant, holder: Request, where: str) -> Holding:
    return Holding(
        concealed=read_tiles(variant, holder, "concealed", where),
        melds=read_melds(variant, holder, "melds", where),
        barred=read_boolean(holder, "barred", where, default=False),
        no_kong=read_boolean(holder, "no_kong", where, default=False),
    )


def _read_turn(
    setting: Setting,
    holder: Request,
    seat: Seat,
    holding: Holding,
    where: str,
    wall_remaining: int,
) -> Turn:
    began, chain = holder.get("began"), holder.get("kong_chain")
    if began is None or began not in get_args(Began):
        raise RequestRefused("BAD_TURN", f"{where}began is no way to begin a turn.")
    drawn = None
    if holder.get("drawn") is not None:
        drawn = read_tile(setting.variant, holder, "drawn", where)
    if chain is not None and (not is_integer(chain) or chain < 0):
        raise RequestRefused("BAD_TURN", f"{where}kong_chain is no count.")
    turn = Turn(seat, holding, began, drawn, chain or 0, wall_remaining)
    fault = _turn_fault(setting, turn)
    if fault:
        raise RequestRefused("BAD_TURN", f"{where}{fault}.")
    return turn


def _turn_fault(setting: Setting, turn: Turn) -> str:
    """Return why a turn contradicts itself, empty if it does not."""
    claimed = turn.began in ("chow", "pong")
    if claimed and not setting.variant.claims_sets:
        return "began cannot be a chow or pong in this game (MJ-16)"
    if claimed != (turn.drawn is None):
        return "drawn is there exactly if the turn began with a draw or the deal"
    if turn.drawn is not None and turn.drawn not in turn.holding.concealed:
        return "drawn is not among the concealed tiles"
    if turn.began == "deal" and (turn.seat != DEALER or turn.holding.melds):
        return "began can be the deal for the dealer only, with nothing declared since"
    kongs = sum(meld.kind == "kong" for meld in turn.holding.melds)
    if (turn.kong_chain > 0) != (turn.began == "replacement") or turn.kong_chain > kongs:
        return "kong_chain does not fit how the turn began, or the declared kongs"
    return ""


def read_wall_remaining(setting: Setting, holder: Request, where: str = "") -> int:
    """Return how many tiles are left in the wall."""
    most = setting.variant.remaining_after_deal(len(setting.seats))
    remaining = read_integer(holder, "wall_remaining", where)
    if not 0 <= remaining <= most:
        raise RequestRefused("BAD_WALL", f"{where}wall_remaining is none of 0 to {most}.")
    return remaining


# A window of claims


def read_offer(setting: Setting, request: Request) -> Offer:
    """Return the tile that seats claim."""
    event = read_object(request, "event")
    kind = event.get("kind")
    if kind not in ("discard", "added_kong", "concealed_kong"):
        raise RequestRefused("BAD_REQUEST", "event.kind is nothing that opens a window.")
    seat = read_seat(setting.seats, event, "seat", "event.")
    tile = read_tile(setting.variant, event, "tile", "event.")
    first = read_boolean(event, "first_discard", "event.", default=False)
    if first and (kind != "discard" or seat != DEALER):
        raise RequestRefused("BAD_REQUEST", "event: the hand's first discard is the dealer's.")
    return Offer(kind, seat, tile, first)


def read_claims(
    setting: Setting, request: Request, offer: Offer
) -> tuple[list[Claim], dict[Seat, Holding]]:
    """Return the claims in the order given, one of each seat, and what the claimants hold."""
    hands = {} if request.get("hands") is None else read_object(request, "hands")
    check_seats(setting.seats, hands, "hands")
    claims: list[Claim] = []
    holdings: dict[Seat, Holding] = {}
    for i, holder in enumerate(read_objects(request, "claims", optional=True)):
        where = f"claims[{i}]."
        claim = _read_claim(setting, holder, where)
        if claim.seat in (other.seat for other in claims):
            raise RequestRefused("BAD_REQUEST", f"{where}seat has claimed before (RULE-WINDOW).")
        claims.append(claim)
        if claim.seat == offer.seat or not is_allowed(setting, offer, claim):
            continue  # that cannot be claimed, whatever is held
        hand = read_object(hands, claim.seat, "hands.")
        holding = _read_holding(setting.variant, hand, f"hands.{claim.seat}.")
        if offer.first_discard and holding.melds:
            raise RequestRefused("BAD_WIN", f"{where}seat has sets before the first discard.")
        holdings[claim.seat] = holding
    _check_claimants(offer, holdings)
    return claims, holdings


def _read_claim(setting: Setting, holder: Request, where: str) -> Claim:
    seat = read_seat(setting.seats, holder, "seat", where)
    action = holder.get("action")
    if action not in ("win", "kong", "pong", "chow"):
        raise RequestRefused("BAD_REQUEST", f"{where}action is no claim.")
    own = read_tiles(setting.variant, holder, "tiles", where, optional=True)
    return Claim(seat, action, own)


def _check_claimants(offer: Offer, holdings: Mapping[Seat, Holding]) -> None:
    """Refuse claimants that hold, with the offered tiles, more than four of a kind (13.3)."""
    held = [
        tile
        for holding in holdings.values()
        for tile in (*holding.concealed, *tiles_of(holding.melds))
    ]
    # The other three of a kong lie before the seat that declares it.
    offered = (offer.tile,) * (1 if offer.kind == "discard" else COPIES)
    check_copies(held, offered, where="hands and event")


# The log of a hand


def read_start(setting: Setting, request: Request) -> Play:
    """Return the hand as its log starts: after the deal, or in somebody's turn."""
    start, variant, seats = read_object(request, "start"), setting.variant, setting.seats
    hands = read_object(start, "hands", "start.")
    melds = {} if start.get("melds") is None else read_object(start, "melds", "start.")
    check_seats(seats, hands, "start.hands")
    check_seats(seats, melds, "start.melds")
    penalised = {
        name: [
            read_seat(seats, {"seat": seat}, "seat", f"start.{name}: ")
            for seat in read_list(start, name, "start.", optional=True)
        ]
        for name in ("barred", "no_kong")
    }
    holdings = tuple(
        Holding(
            read_tiles(variant, hands, seat, "start.hands.", optional=True),
            read_melds(variant, melds, seat, "start.melds."),
            seat in penalised["barred"],
            seat in penalised["no_kong"],
        )
        for seat in seats
    )
    face_up = read_tiles(variant, start, "face_up", "start.", optional=True)
    remaining = variant.remaining_after_deal(len(seats))
    if start.get("wall_remaining") is not None:
        remaining = read_wall_remaining(setting, start, "start.")
    turn = _start_turn(setting, start, holdings, remaining)
    first = read_boolean(start, "first_discard", "start.", default=True)
    if first and (turn.seat != DEALER or turn.began not in ("deal", "replacement") or face_up):
        raise RequestRefused("BAD_TURN", "start: this cannot come before the first discard.")
    play = Play(
        holdings=holdings,
        wall_remaining=remaining,
        phase="turn",
        seat=turn.seat,
        began=turn.began,
        drawn=turn.drawn,
        kong_chain=turn.kong_chain,
        first_discard=first,
        face_up=face_up,
    )
    check_copies(known_tiles(play), where="start")
    return play


def _start_turn(
    setting: Setting, start: Request, holdings: Sequence[Holding], wall_remaining: int
) -> Turn:
    where = "start.turn."
    if start.get("turn") is None:
        if not holdings[0].concealed:
            raise RequestRefused("BAD_TURN", "start.hands: the dealer has no tiles.")
        last = CODES[holdings[0].concealed[-1]]
        begun: dict[str, Any] = {"seat": DEALER, "began": "deal", "drawn": last}
        return _read_turn(setting, begun, DEALER, holdings[0], where, wall_remaining)
    holder = read_object(start, "turn", "start.")
    seat = read_seat(setting.seats, holder, "seat", where)
    holding = holdings[setting.seats.index(seat)]
    return _read_turn(setting, holder, seat, holding, where, wall_remaining)


def known_tiles(play: Play) -> list[Tile]:
    """Return every tile that a hand's record names: none can be there five times."""
    tiles = list(play.face_up)
    for holding in play.holdings:
        tiles += holding.concealed
        tiles += tiles_of(holding.melds)
    if play.offer is not None:
        tiles.append(play.offer.tile)
    return tiles


_WITH_TILE = frozenset({"draw", "replacement", "discard", "concealed_kong", "added_kong"})


def read_acts(setting: Setting, request: Request) -> list[Act]:
    """Return the events of a hand, in order."""
    acts = []
    for i, event in enumerate(read_objects(request, "events")):
        where = f"events[{i}]."
        kind = read_field(event, "type", where)
        if kind not in get_args(ActKind):
            raise RequestRefused("BAD_REQUEST", f"{where}type is no event of a hand.")
        seat = read_seat(setting.seats, event, "seat", where)
        tile = read_tile(setting.variant, event, "tile", where) if kind in _WITH_TILE else None
        own = read_tiles(setting.variant, event, "tiles", where) if kind == "chow" else ()
        acts.append(Act(kind, seat, tile, own))
    return acts
