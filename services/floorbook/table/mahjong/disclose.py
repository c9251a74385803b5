"""Who may see what of a mahjong hand, and when (RULE-VISIBLE).

Tiles that are dealt or drawn are seen by who takes them; others see that a tile was taken, and from
which end. What is discarded or declared openly is seen by all, a concealed kong only as one. A claim
is its claimant's until the window closes. At the end all see the winner's tiles, or the false
winner's; the supervisor sees every hand, and nobody ever the wall.
"""

from collections.abc import Sequence
from types import MappingProxyType

from floorbook.games.mahjong.claims import ClaimAction
from floorbook.games.mahjong.hand import Holding
from floorbook.games.mahjong.play import Play
from floorbook.games.mahjong.seats import Seat
from floorbook.games.mahjong.sight import seen_melds, shown_at_the_end
from floorbook.games.mahjong.tiles import CODES, codes_of
from floorbook.games.mahjong.wall import break_of
from floorbook.table import events
from floorbook.table.effects import EVERYBODY, SUPERVISOR, Audience, Disclosure, player_audience
from floorbook.table.events import Event, Role
from floorbook.table.mahjong import facts
from floorbook.table.mahjong.apply import decided
from floorbook.table.mahjong.facts import TileClaim
from floorbook.table.mahjong.refuse import REASONS
from floorbook.table.mahjong.shapes import MahjongSet
from floorbook.table.mahjong.shown import (
    MahjongBreak,
    MahjongEnd,
    MahjongHand,
    MahjongHandBegun,
    MahjongOffer,
    MahjongOwnTiles,
    MahjongPlace,
    MahjongRejected,
    MahjongResult,
    MahjongSeat,
    MahjongSeatView,
    MahjongShown,
    MahjongState,
    MahjongTaken,
    MahjongWindow,
)
from floorbook.table.mahjong.state import Mahjong, Phase, player_of, seat_of
from floorbook.table.mahjong.terms import game_of, play_of, variant_at
from floorbook.table.state import TableState, running_timer

_SEEN_BY_ALL = (
    facts.SeatTaken,
    facts.SeatLeft,
    facts.ChipsAdded,
    facts.ChipsTaken,
    facts.DealerNamed,
    facts.TileDiscarded,
    facts.AddedKongDeclared,
    facts.WinDeclared,
    facts.PongWithdrawn,
    facts.HandLookedAt,
    facts.PlayerBarred,
)
_DEVICE_FACTS_SEEN = (
    events.ShuffleSealed,
    events.DeckFaulty,
    events.DiceThrown,
    events.ThrowVoid,
)
_OVER = frozenset((Phase.COMPLETE, Phase.SETTLED))
_CLAIMS: MappingProxyType[ClaimAction | None, TileClaim] = MappingProxyType(
    {
        None: TileClaim.PASS,
        "chow": TileClaim.CHOW,
        "pong": TileClaim.PONG,
        "kong": TileClaim.KONG,
        "win": TileClaim.WIN,
    }
)


def disclose(before: TableState, event: Event, after: TableState) -> Sequence[Disclosure]:
    """Return what an applied event shows, and to whom."""
    if not isinstance(after.game, Mahjong) or not isinstance(before.game, Mahjong):
        return ()
    was, now = before.game, after.game
    fact = event.fact
    shown: list[Disclosure] = []
    if isinstance(fact, _SEEN_BY_ALL):
        shown.append(Disclosure((EVERYBODY,), MahjongShown(fact=fact)))
    elif isinstance(fact, _DEVICE_FACTS_SEEN):
        shown.append(Disclosure((EVERYBODY,), fact))
    match fact:
        case events.ShuffleSealed():
            shown.append(Disclosure((EVERYBODY,), MahjongShown(begun=_begun(now))))
        case events.DiceThrown() | events.ReadingCorrected():
            if isinstance(fact, events.ReadingCorrected):
                shown.append(Disclosure((EVERYBODY,), events.DiceThrown(now.dice)))
            shown.append(Disclosure((EVERYBODY,), MahjongShown(broken=_broken(after))))
        case events.DeckOpened():
            shown += _dealt(now) if was.phase is Phase.BROKEN else _drawn(was, now)
        case facts.TileClaimed(_, player_id):
            shown.append(Disclosure((player_audience(player_id),), MahjongShown(fact=fact)))
        case facts.ConcealedKongDeclared(player_id):
            # That there is one is seen by all, of what is not (MJ-63).
            hidden = facts.ConcealedKongDeclared(player_id)
            shown.append(Disclosure((EVERYBODY,), MahjongShown(fact=hidden)))
            shown.append(Disclosure((player_audience(player_id),), MahjongShown(fact=fact)))
    if was.phase is Phase.CLAIMS and now.phase not in (Phase.CLAIMS, Phase.VOID):
        shown += _closed(before, now)
    if now.phase is Phase.COMPLETE and was.phase is not Phase.COMPLETE:
        shown += _ended(now)
    return shown


def show_result(round_id: str, answer: events.RoundEvaluated) -> Disclosure:
    """Return a settlement as everybody sees it: the winner's tiles are open."""
    settled = MahjongResult(answer.result, answer.explanation, round_id)
    return Disclosure((EVERYBODY,), MahjongShown(result=settled))


def _to_seat(game: Mahjong, seat: Seat) -> tuple[Audience, ...]:
    return (player_audience(player_of(game, seat)),)


def _begun(game: Mahjong) -> MahjongHandBegun:
    seats = tuple(
        MahjongSeat(seat, who, game.chips[who])
        for seat, who in zip(game.seats, game.players, strict=True)
    )
    return MahjongHandBegun(seats, game.round_wind, game.hand_in_round)


def _broken(state: TableState) -> MahjongBreak:
    broken = break_of(variant_at(state), game_of(state).dice)
    return MahjongBreak(broken.total, broken.side, broken.first, broken.tail)


def _dealt(now: Mahjong) -> list[Disclosure]:
    """Return every hand for its own player, and for all that it was taken."""
    play = play_of(now)
    shown = []
    for seat, holding in zip(now.seats, play.holdings, strict=True):
        taken = MahjongTaken(seat, MahjongEnd.DEAL, len(holding.concealed), play.wall_remaining)
        own = MahjongOwnTiles(seat, tuple(codes_of(holding.concealed)))
        shown.append(Disclosure((EVERYBODY,), MahjongShown(taken=taken)))
        shown.append(Disclosure(_to_seat(now, seat), MahjongShown(own_tiles=own)))
    return shown


def _drawn(was: Mahjong, now: Mahjong) -> list[Disclosure]:
    play = play_of(now)
    assert play.drawn is not None, "a tile was drawn"
    end = MahjongEnd.FRONT if was.phase is Phase.DRAWING else MahjongEnd.TAIL
    taken = MahjongTaken(play.seat, end, 1, play.wall_remaining)
    own = MahjongOwnTiles(play.seat, (CODES[play.drawn],))
    return [
        Disclosure((EVERYBODY,), MahjongShown(taken=taken)),
        Disclosure(_to_seat(now, play.seat), MahjongShown(own_tiles=own)),
    ]


def _closed(before: TableState, now: Mahjong) -> list[Disclosure]:
    """Return how a window ended for all, and for each other claimant why he does not get the tile.

    What nobody but its claimant learns is a claim of a set that did not prevail.
    """
    decision = decided(before, now.answers)
    claims = {claim.seat: claim for claim in now.claims}
    tiles = claims[decision.seat].tiles if decision.outcome == "chow" and decision.seat else ()
    wins = tuple(claim.seat for claim in now.claims if claim.action == "win")
    window = MahjongWindow(decision.outcome, decision.seat or "", tuple(codes_of(tiles)), wins)
    shown = [Disclosure((EVERYBODY,), MahjongShown(window=window))]
    for one in decision.rejected:
        reason = REASONS[one.reason]
        rejected = MahjongRejected(one.seat, _CLAIMS[one.action], reason.code, reason.rules)
        shown.append(Disclosure(_to_seat(now, one.seat), MahjongShown(rejected=rejected)))
    return shown


def _ended(now: Mahjong) -> list[Disclosure]:
    """Return the hands that are open once the hand is over."""
    play = play_of(now)
    open_ = shown_at_the_end(play)
    return [
        Disclosure(
            (EVERYBODY if seat == open_ else SUPERVISOR,),
            MahjongShown(hand=_hand(seat, holding)),
        )
        for seat, holding in zip(now.seats, play.holdings, strict=True)
    ]


def _hand(seat: Seat, holding: Holding) -> MahjongHand:
    return MahjongHand(seat, tuple(codes_of(holding.concealed)), _sets(holding, own=True))


def _sets(holding: Holding, *, own: bool) -> tuple[MahjongSet, ...]:
    return tuple(
        MahjongSet("kong")
        if meld is None
        else MahjongSet(
            meld.kind, tuple(codes_of(meld.tiles)), meld.open, meld.source or "", meld.added
        )
        for meld in seen_melds(holding.melds, own)
    )


# The whole view


def view(state: TableState, role: Role, person_id: str) -> MahjongState:
    """Return what one viewer may see of the table as it stands."""
    game = game_of(state)
    timer = running_timer(state)
    places = tuple(MahjongPlace(place, who, game.chips[who]) for place, who in game.places.items())
    play = game.play
    own = seat_of(game, person_id) if role is Role.PLAYER else None
    return MahjongState(
        places=places,
        dealer_place=game.dealer_place,
        round_wind=game.round_wind,
        hand_in_round=game.hand_in_round,
        dice=game.dice,
        broken=_broken(state) if game.dice else None,
        wall_remaining=play.wall_remaining if play else 0,
        turn=play.seat if play and game.phase in (Phase.TURN, Phase.REPLACING) else "",
        seats=_seats(game, play) if play else (),
        offer=_offer(play) if play else None,
        hands=_hands(game, play, role, own) if play else (),
        drawn=_own_drawn(game, play, own) if play else "",
        answer=_own_answer(game, own),
        claims_until_ms=timer.due_ms - 1 if timer and timer.due_ms else 0,
    )


def _seats(game: Mahjong, play: Play) -> tuple[MahjongSeatView, ...]:
    discards = list(zip(game.discarders, play.face_up, strict=True))
    return tuple(
        MahjongSeatView(
            seat,
            who,
            len(holding.concealed),
            _sets(holding, own=seat == shown_at_the_end(play)),
            tuple(CODES[tile] for by, tile in discards if by == seat),
            holding.barred,
            holding.no_kong,
        )
        for seat, who, holding in zip(game.seats, game.players, play.holdings, strict=True)
    )


def _offer(play: Play) -> MahjongOffer | None:
    offer = play.offer
    if offer is None:
        return None
    return MahjongOffer(offer.seat, CODES[offer.tile], offer.kind == "added_kong")


def _hands(game: Mahjong, play: Play, role: Role, own: Seat | None) -> tuple[MahjongHand, ...]:
    over = game.phase in _OVER
    open_ = shown_at_the_end(play)
    return tuple(
        _hand(seat, holding)
        for seat, holding in zip(game.seats, play.holdings, strict=True)
        if seat == own or (over and (seat == open_ or role is Role.SUPERVISOR))
    )


def _own_drawn(game: Mahjong, play: Play, own: Seat | None) -> str:
    mine = game.phase is Phase.TURN and play.seat == own and play.drawn is not None
    return CODES[play.drawn] if mine and play.drawn is not None else ""


def _own_answer(game: Mahjong, own: Seat | None) -> TileClaim | None:
    if game.phase is not Phase.CLAIMS:
        return None
    return next((_CLAIMS[one.action] for one in game.answers if one.seat == own), None)
