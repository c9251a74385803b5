"""How a mahjong table changes with an act that it takes (section 7)."""

from collections.abc import Sequence

from msgspec.structs import replace

from floorbook.games.mahjong.claims import ClaimAction, Decision, decide, may_close_early
from floorbook.games.mahjong.hand import Holding
from floorbook.games.mahjong.play import Act, Play, applied, dealt
from floorbook.games.mahjong.reading_play import known_tiles
from floorbook.games.mahjong.rounds import Outcome, Played, next_hand
from floorbook.games.mahjong.seats import Seat, others_from
from floorbook.games.mahjong.tiles import COPIES, Tile
from floorbook.games.mahjong.variant import SIDES
from floorbook.seal import Opening, verify
from floorbook.table import events
from floorbook.table.events import Event
from floorbook.table.mahjong import facts, settle
from floorbook.table.mahjong.facts import TileClaim
from floorbook.table.mahjong.paid import charge_of, result_of
from floorbook.table.mahjong.refuse import act_of, answered, tile_at
from floorbook.table.mahjong.state import RESTING, Answer, Mahjong, Phase, player_of, seat_of
from floorbook.table.mahjong.terms import (
    dealt_positions,
    game_of,
    play_of,
    positions_due,
    setting_of,
    variant_at,
)
from floorbook.table.state import (
    CauseKind,
    Reason,
    TableState,
    cancel_timer,
    open_round,
    owe_evaluation,
    start_timer,
    suspend,
)

_ACTIONS: dict[TileClaim, ClaimAction] = {
    TileClaim.CHOW: "chow",
    TileClaim.PONG: "pong",
    TileClaim.KONG: "kong",
    TileClaim.WIN: "win",
}


def apply(state: TableState, event: Event) -> TableState:
    """Return the table after `event`, which `refuse` let through."""
    game = game_of(state)
    fact = event.fact
    match fact:
        case facts.SeatTaken() | facts.SeatLeft() | facts.ChipsAdded() | facts.ChipsTaken():
            return _seated(state, game, fact)
        case facts.DealerNamed(place, wind, hand):
            return _with(state, dealer_place=place, round_wind=wind, hand_in_round=hand)
        case events.ShuffleSealed(root):
            return _built(state, game, root)
        case events.DiceThrown(values):
            return _with(state, phase=Phase.BROKEN, dice=values, dice_event=event.event_id)
        case events.ReadingCorrected():
            assert fact.dice_thrown is not None, "refused"
            return _with(state, dice=fact.dice_thrown.values)
        case events.DeckOpened(openings):
            return _opened(state, event, openings)
        case events.DeckFaulty():
            if game.phase in RESTING:
                return state
            return suspend(state, f"{CauseKind.DECK}/{event.event_id}")
        case events.TimerExpired():
            return _close(state, event)
        case events.RoundEvaluated(_, _, result):
            return _settled(state, result)
        case events.ThrowVoid():
            return state  # noted
        case _:
            return _played(state, event)


def _played(state: TableState, event: Event) -> TableState:
    """Return the table after an act of the hand."""
    game, fact = game_of(state), event.fact
    seat = seat_of(game, getattr(fact, "player_id", ""))
    assert seat is not None, "refused"
    match fact:
        case facts.TileClaimed(claim, _, codes):
            tiles = tuple(tile for code in codes if (tile := tile_at(state, code)) is not None)
            answer = Answer(seat, _ACTIONS.get(claim), tiles)
            return _answered(state, event, answer)
        case facts.PongWithdrawn():
            play = applied(setting_of(state), play_of(game), Act("pong_withdrawn", seat))
            return _answered(_with(state, play=play), event, Answer(seat))
        case facts.HandLookedAt():
            return _with(state, play=applied(setting_of(state), play_of(game), Act("look", seat)))
        case facts.PlayerBarred():
            return _with(state, play=_barred(play_of(game), SIDES.index(seat)))
        case _:
            act = act_of(state, fact, seat)
            assert act is not None, "refused"
            return _acted(state, event, act)


def void(state: TableState) -> TableState:
    """Return the table whose hand in progress is void: the same dealer deals again."""
    return _with(state, phase=Phase.VOID, play=None, root=b"", answers=(), discarders="")


def suspends(state: TableState, event: Event) -> Reason | None:
    """Return why opened tiles are not what was sealed, or None.

    Only what is drawn may be opened, when it is drawn: all else stays secret.
    """
    if not isinstance(event.fact, events.DeckOpened):
        return None
    game, fact = game_of(state), event.fact
    if tuple(one.position for one in fact.openings) != positions_due(state):
        return Reason("OPENING_MISMATCH", ("RULE-BREAK", "RULE-DEAL", "MJ-08"))
    if not verify(game.root, variant_at(state).wall_size, fact.openings, fact.hashes):
        return Reason("OPENING_MISMATCH")
    drawn = [tile_at(state, one.face) for one in fact.openings]
    known = [] if game.play is None else known_tiles(game.play)
    for tile in drawn:
        if tile is None or known.count(tile) >= COPIES:
            return Reason("BAD_DECK", ("RULE-TILES",))
        known.append(tile)
    return None


def _with(state: TableState, **changes: object) -> TableState:
    return replace(state, game=replace(game_of(state), **changes))


# Between hands


def _seated(
    state: TableState,
    game: Mahjong,
    fact: facts.SeatTaken | facts.SeatLeft | facts.ChipsAdded | facts.ChipsTaken,
) -> TableState:
    match fact:
        case facts.SeatTaken(player_id, place):
            places = dict(sorted({**game.places, place: player_id}.items()))
            return _with(state, places=places, chips={**game.chips, player_id: 0})
        case facts.SeatLeft(player_id):
            places = {place: who for place, who in game.places.items() if who != player_id}
            chips = {who: amount for who, amount in game.chips.items() if who != player_id}
            dealer = game.dealer_place if game.dealer_place in places else None
            return _with(state, places=places, chips=chips, dealer_place=dealer)
        case facts.ChipsAdded(player_id, amount):
            chips = {**game.chips, player_id: game.chips[player_id] + amount}
            return _with(state, chips=chips)
        case facts.ChipsTaken(player_id, amount):
            chips = {**game.chips, player_id: game.chips[player_id] - amount}
            return _with(state, chips=chips)


def _built(state: TableState, game: Mahjong, root: bytes) -> TableState:
    """Return the table with a wall for the next hand; who sits now plays it."""
    assert game.dealer_place is not None, "refused"
    occupied = tuple(game.places)
    first = occupied.index(game.dealer_place)
    new = Mahjong(
        phase=Phase.BUILT,
        claim_limit_ms=game.claim_limit_ms,
        minimum_chips=game.minimum_chips,
        charge_minor=game.charge_minor,
        charge_percent=game.charge_percent,
        places=game.places,
        chips=game.chips,
        dealer_place=game.dealer_place,
        round_wind=game.round_wind,
        hand_in_round=game.hand_in_round,
        players=tuple(game.places[place] for place in (*occupied[first:], *occupied[:first])),
        root=root,
    )
    return replace(open_round(state), game=new)


# Tiles from the wall


def _opened(state: TableState, event: Event, openings: Sequence[Opening]) -> TableState:
    game = game_of(state)
    if game.phase is Phase.BROKEN:
        return _dealt(state, event, openings)
    play = play_of(game)
    tile = tile_at(state, openings[0].face)
    if game.phase is Phase.REPLACING:
        state = _with(state, replacements=game.replacements + 1)
        return _acted(state, event, Act("replacement", play.seat, tile))
    assert play.offer is not None, "a discard lies between the players"
    drawer = others_from(game.seats, play.offer.seat)[0]
    state = _with(state, fronts=game.fronts + 1, discarders=game.discarders + play.offer.seat)
    return _acted(state, event, Act("draw", drawer, tile))


def _dealt(state: TableState, event: Event, openings: Sequence[Opening]) -> TableState:
    faces: dict[int, Tile] = {}
    for one in openings:
        tile = tile_at(state, one.face)
        assert tile is not None, "looked at before"
        faces[one.position] = tile
    hands = tuple(
        tuple(faces[position] for position in positions)
        for positions in dealt_positions(state).values()
    )
    return _entered(state, event, dealt(setting_of(state), hands))


# Acts and windows


def _acted(state: TableState, event: Event, act: Act) -> TableState:
    return _entered(state, event, applied(setting_of(state), play_of(game_of(state)), act))


def _entered(state: TableState, event: Event, play: Play) -> TableState:
    """Return the table as the hand goes on: what it waits for follows from the hand."""
    match play.phase:
        case "turn":
            return _with(state, play=play, phase=Phase.TURN)
        case "replace":
            return _with(state, play=play, phase=Phase.REPLACING)
        case "claims":
            state = _with(state, play=play, phase=Phase.CLAIMS, answers=())
            limit = game_of(state).claim_limit_ms
            return start_timer(state, limit) if limit else state
        case "ended":
            return _complete(_with(state, play=play), event)


def _barred(play: Play, place: int) -> Play:
    holding = replace(play.holdings[place], barred=True)
    return replace(play, holdings=(*play.holdings[:place], holding, *play.holdings[place + 1 :]))


def _answered(state: TableState, event: Event, answer: Answer) -> TableState:
    """Return the table with one more answer; the window closes if no other could change its end."""
    game, play = game_of(state), play_of(game_of(state))
    others = tuple(one for one in game.answers if one.seat != answer.seat)
    state = _with(state, answers=(*others, answer))
    game = game_of(state)
    assert play.offer is not None, "a window is open on a tile"
    seats = others_from(game.seats, play.offer.seat)
    unanswered = tuple(seat for seat in seats if answered(game, seat) is None)
    closed = may_close_early(
        setting_of(state), play.offer, play.wall_remaining, _holdings(game), game.claims, unanswered
    )
    return _close(state, event) if closed else state


def _holdings(game: Mahjong) -> dict[Seat, Holding]:
    return dict(zip(game.seats, play_of(game).holdings, strict=True))


def decided(state: TableState, answers: tuple[Answer, ...]) -> Decision:
    """Return how the window that is open ends with these answers (RULE-PRIORITY)."""
    game = replace(game_of(state), answers=answers)
    play = play_of(game)
    assert play.offer is not None, "a window is open on a tile"
    return decide(setting_of(state), play.offer, play.wall_remaining, _holdings(game), game.claims)


def _close(state: TableState, event: Event) -> TableState:
    game = game_of(state)
    decision = decided(state, game.answers)
    state = cancel_timer(state)
    match decision.outcome:
        case "draw":
            return _with(state, phase=Phase.DRAWING)
        case "kong_stands":
            return _with(state, phase=Phase.REPLACING)
        case "exhausted":
            return _complete(state, event)
    assert decision.seat is not None, "a claim prevails"
    claim = next(claim for claim in game.claims if claim.seat == decision.seat)
    return _acted(state, event, Act(claim.action, claim.seat, tiles=claim.tiles))


# The end


def _complete(state: TableState, event: Event) -> TableState:
    """Return the table that waits for the judgement of its hand."""
    state = _with(state, phase=Phase.COMPLETE)
    return owe_evaluation(state, settle.request(state), event.observe_time_ms)


def _settled(state: TableState, result_text: str) -> TableState:
    """Return the table after its settlement: chips as they lie now, and who deals next."""
    game, result = game_of(state), result_of(result_text)
    play = play_of(game)
    chips = dict(game.chips)
    for seat, net in result.net.items():
        chips[player_of(game, seat)] += net
    occupied = tuple(game.places)
    assert game.dealer_place is not None, "a hand has a dealer"
    dealer = occupied.index(game.dealer_place)
    winner, outcome = None, _outcome(result.status)
    if outcome == "win":
        assert play.ended is not None, "a win was declared"
        seat = play.ended.declared.seat
        winner = (dealer + SIDES.index(seat)) % len(occupied)
        net = result.net[seat]
        chips[player_of(game, seat)] -= charge_of(game.charge_minor, game.charge_percent, net)
    played = Played(len(occupied), dealer, game.round_wind, game.hand_in_round, outcome, winner)
    following = next_hand(setting_of(state).config, played)
    return _with(
        state,
        phase=Phase.SETTLED,
        chips=chips,
        dealer_place=occupied[following.dealer],
        round_wind=following.round_wind,
        hand_in_round=following.hand_in_round,
    )


def _outcome(status: str) -> Outcome:
    match status:
        case "win" | "false_win":
            return status
        case _:
            return "draw"
