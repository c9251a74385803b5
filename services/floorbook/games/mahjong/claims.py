"""Who gets a tile that several seats claim, and why the others do not (RULE-PRIORITY, 13.4).

Claims are judged together when their window closes (RULE-WINDOW): the order in which they came does
not matter.
"""

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from floorbook.games.mahjong.hand import Declared, Holding, Setting, Win
from floorbook.games.mahjong.seats import DEALER, Seat, next_seat, others_from
from floorbook.games.mahjong.tiles import SUITED, Tile, is_chow
from floorbook.games.mahjong.winning import stands

ClaimAction = Literal["win", "kong", "pong", "chow"]
ClaimOutcome = Literal[
    "win", "false_win", "kong", "pong", "chow", "draw", "kong_stands", "exhausted"
]
_NOTHING = Holding()


class Offer(msgspec.Struct, frozen=True, array_like=True):
    """The tile that lies between the players: a discard (出牌), or the fourth tile of a kong."""

    kind: Literal["discard", "added_kong", "concealed_kong"]
    seat: Seat
    tile: Tile
    first_discard: bool = False  # of the hand


class Claim(msgspec.Struct, frozen=True, array_like=True):
    """What a seat wants a tile for."""

    seat: Seat
    action: ClaimAction
    tiles: tuple[Tile, ...] = ()  # the two own tiles of a chow


class Rejected(msgspec.Struct, frozen=True):
    """A claim that did not prevail, and why."""

    seat: Seat
    action: ClaimAction
    reason: str


class Decision(msgspec.Struct, frozen=True):
    """How a window ends."""

    outcome: ClaimOutcome
    seat: Seat | None
    rejected: tuple[Rejected, ...] = ()  # in the order of the claims


class LegalClaims(msgspec.Struct, frozen=True):
    """What a seat could rightly claim. Whoever sees it knows the hand: for that seat alone."""

    win: bool
    kong: bool
    pong: bool
    chows: tuple[tuple[Tile, Tile], ...]  # own tiles


def declared_on(offer: Offer, seat: Seat, holding: Holding) -> Declared:
    """Return the win that `seat` declares on an offered tile (食糊, 搶槓)."""
    win = Win(
        "discard" if offer.kind == "discard" else "robbed_kong",
        source=offer.seat,
        earthly=offer.kind == "discard" and offer.first_discard and offer.seat == DEALER,
    )
    return Declared(seat, holding.concealed, holding.melds, offer.tile, win, holding.barred)


def claim_refusal(
    setting: Setting, offer: Offer, wall_remaining: int, holding: Holding, claim: Claim
) -> str | None:
    """Return the first reason why a claim is not legal, None if it is (13.4).

    `not_a_win` is no refusal where nobody else wins: it is a false win (MJ-55).
    """
    if claim.seat == offer.seat:
        return "own_tile"
    if not is_allowed(setting, offer, claim):
        return "not_allowed"
    if claim.action == "win":
        if holding.barred and not setting.config.void_win_is_false_win:
            return "barred"
        wins = stands(setting, declared_on(offer, claim.seat, holding))
        return None if wins else "not_a_win"
    if not wall_remaining:
        return "wall_empty"  # MJ-12
    if claim.action == "kong" and holding.no_kong:
        return "no_kong"  # MJ-53
    if claim.action == "chow":
        if next_seat(setting.seats, offer.seat) != claim.seat:
            return "not_next_seat"
        if len(claim.tiles) != 2 or not is_chow((offer.tile, *claim.tiles)):
            return "not_a_set"
    return None if _holds(offer, holding, claim) else "tiles_not_held"


def is_allowed(setting: Setting, offer: Offer, claim: Claim) -> bool:
    """Return whether the game knows such a claim: 暗槓 is never robbed (MJ-18), 乙 calls no sets."""
    if offer.kind == "discard":
        return setting.variant.claims_sets or claim.action in ("win", "kong")
    robbing = offer.kind == "added_kong" and setting.variant.claims_sets  # MJ-17
    return robbing and claim.action == "win"


def _holds(offer: Offer, holding: Holding, claim: Claim) -> bool:
    """Return whether the own tiles of a claimed set are concealed in the hand."""
    match claim.action:
        case "chow":
            return all(tile in holding.concealed for tile in claim.tiles)
        case "pong":
            return holding.concealed.count(offer.tile) >= 2
        case _:
            return holding.concealed.count(offer.tile) == 3


def decide(
    setting: Setting,
    offer: Offer,
    wall_remaining: int,
    holdings: Mapping[Seat, Holding],
    claims: Sequence[Claim],
) -> Decision:
    """Return how a window ends: a win (食糊) before pong and kong (碰, 槓) before a chow (上).

    Of several wins the one nearest counter-clockwise from the discarder counts (MJ-14). A bad win
    claim is disregarded beside a good one and else ends the hand (MJ-55).
    """
    reasons = [
        claim_refusal(setting, offer, wall_remaining, holdings.get(claim.seat, _NOTHING), claim)
        for claim in claims
    ]
    prevails = _prevailing(setting, offer, claims, reasons)
    if prevails is None:
        outcome, seat = _unclaimed(setting, offer, wall_remaining)
    else:
        claim = claims[prevails]
        seat = claim.seat
        outcome = "false_win" if reasons[prevails] else claim.action
    rejected = tuple(
        Rejected(claim.seat, claim.action, reasons[place] or "outranked")
        for place, claim in enumerate(claims)
        if place != prevails
    )
    return Decision(outcome, seat, rejected)


def _prevailing(
    setting: Setting, offer: Offer, claims: Sequence[Claim], reasons: Sequence[str | None]
) -> int | None:
    """Return which claim prevails, by its place."""
    legal = [place for place, reason in enumerate(reasons) if reason is None]
    wins = [place for place in legal if claims[place].action == "win"]
    wins = wins or [place for place, reason in enumerate(reasons) if reason == "not_a_win"]
    if wins:
        order = others_from(setting.seats, offer.seat)
        return min(wins, key=lambda place: order.index(claims[place].seat))
    # A pong and a kong of one tile cannot both be held; a chow comes from one seat only.
    return min(legal, key=lambda place: claims[place].action == "chow", default=None)


def _unclaimed(
    setting: Setting, offer: Offer, wall_remaining: int
) -> tuple[ClaimOutcome, Seat | None]:
    if offer.kind != "discard":
        return "kong_stands", offer.seat
    if not wall_remaining:
        return "exhausted", None  # RULE-EXHAUST
    return "draw", next_seat(setting.seats, offer.seat)


def legal_claims(
    setting: Setting, offer: Offer, wall_remaining: int, holding: Holding, seat: Seat
) -> LegalClaims:
    """Return what `seat` could rightly claim an offered tile for."""

    def legal(action: ClaimAction, tiles: tuple[Tile, ...] = ()) -> bool:
        claim = Claim(seat, action, tiles)
        return claim_refusal(setting, offer, wall_remaining, holding, claim) is None

    tile = offer.tile
    pairs = [(tile - 2, tile - 1), (tile - 1, tile + 1), (tile + 1, tile + 2)]
    return LegalClaims(
        win=legal("win"),
        kong=legal("kong"),
        pong=legal("pong"),
        chows=tuple(
            pair for pair in pairs if pair[0] >= 0 and pair[1] < SUITED and legal("chow", pair)
        ),
    )


def may_close_early(
    setting: Setting,
    offer: Offer,
    wall_remaining: int,
    holdings: Mapping[Seat, Holding],
    claims: Sequence[Claim],
    unanswered: Sequence[Seat],
) -> bool:
    """Return whether no answer still open could change how a window ends (RULE-WINDOW).

    Anybody can still declare a win, if only a false one. So it takes a win that stands, with nobody
    unanswered nearer to the discarder. Whether such a seat could win is not asked: a window that
    stays open for that would tell the others what it waits for (RULE-VISIBLE).
    """
    if not unanswered:
        return True
    decided = decide(setting, offer, wall_remaining, holdings, claims)
    if decided.outcome != "win" or decided.seat is None:
        return False
    order = others_from(setting.seats, offer.seat)
    return not set(unanswered) & set(order[: order.index(decided.seat)])
