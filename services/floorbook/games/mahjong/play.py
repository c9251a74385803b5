"""A hand as it is played, act by act (section 7): which act is refused, and what one leads to.

Pure, with small frozen states: a table folds its events over it, and the log of a whole hand is judged
by the same steps. A table collects the claims of a window itself; here comes only what prevailed
(`claims.decide`), and the next act shows that a window was closed without one.
"""

from typing import Literal

import msgspec

from floorbook.games.mahjong.claims import Claim, Offer, claim_refusal, declared_on
from floorbook.games.mahjong.hand import Declared, Holding, Setting
from floorbook.games.mahjong.liability import Facts
from floorbook.games.mahjong.melds import Meld
from floorbook.games.mahjong.seats import DEALER, Seat, next_seat
from floorbook.games.mahjong.tiles import COPIES, Tile
from floorbook.games.mahjong.turns import (
    Began,
    Turn,
    declared_in_turn,
    own_pong,
    turn_refusal,
    without,
)
from floorbook.games.mahjong.winning import Verdict, verdict_on

Phase = Literal["turn", "claims", "replace", "ended"]
ActKind = Literal[
    "draw",
    "replacement",
    "discard",
    "concealed_kong",
    "added_kong",
    "chow",
    "pong",
    "kong",
    "win",
    "look",
    "pong_withdrawn",
]


class Act(msgspec.Struct, frozen=True, array_like=True):
    """What a seat does."""

    kind: ActKind
    seat: Seat
    tile: Tile | None = None  # drawn, discarded, or of an own kong
    tiles: tuple[Tile, ...] = ()  # the two own tiles of a chow


class Ended(msgspec.Struct, frozen=True, array_like=True):
    """A win that was declared, and what it is."""

    declared: Declared
    verdict: Verdict  # a win or a false win; a void one is refused
    facts: Facts


class Play(msgspec.Struct, frozen=True, array_like=True):
    """A hand after some acts."""

    holdings: tuple[Holding, ...]  # in the order of the seats
    wall_remaining: int
    phase: Phase
    seat: Seat  # whose turn it is, or whose tile lies between the players
    began: Began = "deal"
    drawn: Tile | None = None
    kong_chain: int = 0
    first_discard: bool = True  # the next discard is the hand's first
    offer: Offer | None = None  # in `claims`
    withdrawn: tuple[Seat, ...] = ()  # pongs called and not carried out, in this window
    face_up: tuple[Tile, ...] = ()  # discards that nobody claimed
    ended: Ended | None = None


def dealt(setting: Setting, hands: tuple[tuple[Tile, ...], ...]) -> Play:
    """Return the hand after the deal: `hands` by seat, the dealer's last tile at the end."""
    return Play(
        holdings=tuple(Holding(hand) for hand in hands),
        wall_remaining=setting.variant.remaining_after_deal(len(setting.seats)),
        phase="turn",
        seat=DEALER,
        drawn=hands[0][-1],
    )


def holding_of(setting: Setting, play: Play, seat: Seat) -> Holding:
    """Return what `seat` holds."""
    return play.holdings[setting.seats.index(seat)]


def turn_of(setting: Setting, play: Play) -> Turn:
    """Return the turn of a hand in phase `turn`."""
    return Turn(
        play.seat,
        holding_of(setting, play, play.seat),
        play.began,
        play.drawn,
        play.kong_chain,
        play.wall_remaining,
    )


def is_exhausted(play: Play) -> bool:
    """Return whether the hand is a draw once its window closes without a win (RULE-EXHAUST)."""
    discarded = play.offer is not None and play.offer.kind == "discard"
    return play.phase == "claims" and discarded and not play.wall_remaining


# Refusals


def refusal(setting: Setting, play: Play, act: Act) -> str | None:
    """Return why an act is refused, None if it is not (RULE-REFUSE). What is refused changes nothing.

    A win that may be declared and is not a win is no refusal: the hand ends as a false win.
    """
    if play.phase == "ended":
        return "hand_over"
    if act.kind == "look":
        return None
    if play.phase == "claims":
        return _claims_refusal(setting, play, act)
    if act.seat != play.seat:
        return "out_of_order"
    if play.phase == "replace":
        return None if act.kind == "replacement" else "out_of_order"
    match act.kind:
        case "win" | "discard" | "concealed_kong" | "added_kong":
            return turn_refusal(setting, turn_of(setting, play), act.kind, act.tile)
        case _:
            return "out_of_order"


def _claims_refusal(setting: Setting, play: Play, act: Act) -> str | None:
    offer = play.offer
    assert offer is not None, "a window is open on a tile"
    match act.kind:
        case "replacement":
            stands = offer.kind == "added_kong" and act.seat == offer.seat
            return None if stands else "out_of_order"
        case "draw":
            draws = offer.kind == "discard" and act.seat == next_seat(setting.seats, offer.seat)
            if not draws:
                return "out_of_order"
            return None if play.wall_remaining else "wall_empty"
        case "win" | "kong" | "chow" | "pong" | "pong_withdrawn":
            return _claim_refusal(setting, play, offer, act)
        case _:
            return "out_of_order"


def _claim_refusal(setting: Setting, play: Play, offer: Offer, act: Act) -> str | None:
    answered = act.seat in play.withdrawn and act.kind != "win"
    if act.seat == offer.seat or answered:
        return "out_of_order"
    reason = claim_refusal(
        setting,
        offer,
        play.wall_remaining,
        holding_of(setting, play, act.seat),
        _claim_of(act),
    )
    return None if reason == "not_a_win" else reason


def _claim_of(act: Act) -> Claim:
    match act.kind:
        case "win" | "kong" | "chow" | "pong":
            return Claim(act.seat, act.kind, act.tiles)
        case _:  # a pong that is called and withdrawn is refused like one
            return Claim(act.seat, "pong")


# What an act leads to


def applied(setting: Setting, play: Play, act: Act) -> Play:
    """Return the hand after an act that is not refused."""
    match act.kind:
        case "look":
            return _changed(setting, play, act.seat, no_kong=True)  # PEN-LOOK
        case "pong_withdrawn":
            barred = _changed(setting, play, act.seat, barred=True)  # PEN-CALLPONG
            return msgspec.structs.replace(barred, withdrawn=(*play.withdrawn, act.seat))
        case "win":
            return _won(setting, play, act.seat)
        case "draw":
            return _drawn(setting, _begin_turn(setting, _unclaimed(play), act.seat), act, "draw")
        case "replacement":
            return _drawn(setting, _kong_added(setting, play), act, "replacement")
        case "discard":
            return _discarded(setting, play, act)
        case "concealed_kong":
            return _concealed_kong(setting, play, act)
        case "added_kong":
            return _offered(setting, play, act, "added_kong")
        case "chow" | "pong" | "kong":
            return _claimed(setting, play, act)


def _changed(setting: Setting, play: Play, seat: Seat, **changes: object) -> Play:
    place = setting.seats.index(seat)
    holding = msgspec.structs.replace(play.holdings[place], **changes)
    holdings = (*play.holdings[:place], holding, *play.holdings[place + 1 :])
    return msgspec.structs.replace(play, holdings=holdings)


def _begin_turn(setting: Setting, play: Play, seat: Seat) -> Play:
    """Return the hand as a turn of `seat` begins, and the old window with what was in it is gone."""
    turns = holding_of(setting, play, seat).turns_since_fourth_meld
    if turns is not None:
        play = _changed(setting, play, seat, turns_since_fourth_meld=turns + 1)
    return msgspec.structs.replace(
        play, phase="turn", seat=seat, kong_chain=0, drawn=None, offer=None, withdrawn=()
    )


def _unclaimed(play: Play) -> Play:
    assert play.offer is not None, "a window is open on a tile"
    return msgspec.structs.replace(play, face_up=(*play.face_up, play.offer.tile))


def _drawn(setting: Setting, play: Play, act: Act, began: Began) -> Play:
    assert act.tile is not None, "a drawn tile is known"
    concealed = (*holding_of(setting, play, act.seat).concealed, act.tile)
    play = _changed(setting, play, act.seat, concealed=concealed)
    return msgspec.structs.replace(
        play, phase="turn", began=began, drawn=act.tile, wall_remaining=play.wall_remaining - 1
    )


def _offered(
    setting: Setting, play: Play, act: Act, kind: Literal["discard", "added_kong"]
) -> Play:
    """Return the hand as a tile leaves a seat's concealed ones and others may claim it."""
    assert act.tile is not None, "an offered tile is known"
    concealed = without(holding_of(setting, play, act.seat).concealed, act.tile)
    play = _changed(setting, play, act.seat, concealed=concealed)
    first = kind == "discard" and play.first_discard
    offer = Offer(kind, act.seat, act.tile, first)
    return msgspec.structs.replace(play, phase="claims", offer=offer, withdrawn=())


def _discarded(setting: Setting, play: Play, act: Act) -> Play:
    offered = _offered(setting, play, act, "discard")
    return msgspec.structs.replace(offered, first_discard=False)


def _kong_added(setting: Setting, play: Play) -> Play:
    """Return the hand as an added kong stands that nobody robbed; any other kong stands already."""
    offer = play.offer
    if offer is None:
        return play
    holding = holding_of(setting, play, offer.seat)
    pong = own_pong(holding, offer.tile)
    assert pong is not None, "a tile was added to a pong"
    kong = Meld("kong", (offer.tile,) * COPIES, source=pong.source, added=True)
    melds = tuple(kong if meld is pong else meld for meld in holding.melds)
    play = _changed(setting, play, offer.seat, melds=melds)
    return msgspec.structs.replace(play, offer=None, withdrawn=(), kong_chain=play.kong_chain + 1)


def _declare(setting: Setting, play: Play, seat: Seat, meld: Meld, *own: Tile) -> Play:
    """Return the hand as `seat` lays down a set, `own` tiles of it from its concealed ones."""
    holding = holding_of(setting, play, seat)
    play = _changed(
        setting,
        play,
        seat,
        concealed=without(holding.concealed, *own),
        melds=(*holding.melds, meld),
    )
    fourth = len(holding.melds) + 1 == 4
    return _changed(setting, play, seat, turns_since_fourth_meld=0) if fourth else play


def _concealed_kong(setting: Setting, play: Play, act: Act) -> Play:
    assert act.tile is not None, "a kong is of a tile"
    four = (act.tile,) * COPIES
    play = _declare(setting, play, act.seat, Meld("kong", four, open=False), *four)
    return msgspec.structs.replace(play, phase="replace", kong_chain=play.kong_chain + 1)


def _claimed(setting: Setting, play: Play, act: Act) -> Play:
    """Return the hand as a claimed set (上, 碰, 明槓) lies on the table and its owner must go on."""
    offer = play.offer
    assert offer is not None, "a claim takes a tile"
    own = act.tiles if act.kind == "chow" else (offer.tile,) * (2 if act.kind == "pong" else 3)
    meld = Meld(act.kind, tuple(sorted((offer.tile, *own))), source=offer.seat)
    play = _declare(setting, _begin_turn(setting, play, act.seat), act.seat, meld, *own)
    match act.kind:
        case "chow" | "pong":
            return msgspec.structs.replace(play, began=act.kind)
        case _:
            return msgspec.structs.replace(play, phase="replace", kong_chain=1)


# The end


def _won(setting: Setting, play: Play, seat: Seat) -> Play:
    """Return the hand ended by a declared win, whatever it is (RULE-SETTLE)."""
    if play.offer is None:
        declared = declared_in_turn(turn_of(setting, play))
    else:
        declared = declared_on(play.offer, seat, holding_of(setting, play, seat))
    ended = Ended(declared, verdict_on(setting, declared), facts_of(setting, play, seat))
    return msgspec.structs.replace(play, phase="ended", seat=seat, ended=ended)


def facts_of(setting: Setting, play: Play, winner: Seat) -> Facts:
    """Return what the evaluator is told of a win that `winner` declares now (RULE-FACTS).

    What the discarder held and what lay open is as it was just before the discard.
    """
    turns = holding_of(setting, play, winner).turns_since_fourth_meld
    offer = play.offer
    if offer is None or offer.kind != "discard":
        return Facts(turns_since_fourth_meld=turns)
    discarder = holding_of(setting, play, offer.seat)
    open_sets = [
        tile
        for holding in play.holdings
        for meld in holding.melds
        if meld.open
        for tile in meld.tiles
    ]
    return Facts(
        discarder_concealed=tuple(sorted((*discarder.concealed, offer.tile))),
        discarder_melds=discarder.melds,
        visible=tuple(sorted((*play.face_up, *open_sets))),
        turns_since_fourth_meld=turns,
    )
