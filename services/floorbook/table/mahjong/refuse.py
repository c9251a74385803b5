"""Which acts a mahjong table takes in which phase, and the code of those it does not (RULE-REFUSE).

Authority first, then the phase, then the rules' own reason: the first that applies. A claim is taken
whatever it is and judged when its window closes (RULE-WINDOW). What the house adds comes last.
"""

from types import MappingProxyType

from floorbook.games.mahjong.cites import REFUSAL_CITES
from floorbook.games.mahjong.play import Act, refusal
from floorbook.games.mahjong.seats import Seat
from floorbook.games.mahjong.tiles import Tile
from floorbook.games.mahjong.variant import SIDES, tiles_by_code
from floorbook.games.mahjong.wall import check_dice
from floorbook.table import events
from floorbook.table.events import Event, Fact, Role
from floorbook.table.mahjong import facts
from floorbook.table.mahjong.facts import TileClaim
from floorbook.table.mahjong.state import (
    OPENING,
    PLAYING,
    RESTING,
    Mahjong,
    Phase,
    seat_of,
)
from floorbook.table.mahjong.terms import game_of, play_of, setting_of, variant_at
from floorbook.table.state import Reason, TableState, would_forget_correction

LARGEST_CHIPS = 10**15
_WRONG_PHASE = Reason("WRONG_PHASE")
_NOT_ALLOWED = Reason("NOT_ALLOWED")
_OUT_OF_ORDER = Reason("OUT_OF_ORDER", REFUSAL_CITES["out_of_order"])

REASONS: MappingProxyType[str, Reason] = MappingProxyType(
    {
        "own_tile": Reason("OWN_TILE", REFUSAL_CITES["own_tile"]),
        "not_allowed": Reason("NOT_ALLOWED", REFUSAL_CITES["not_allowed"]),
        "barred": Reason("BARRED", REFUSAL_CITES["barred"]),
        "not_a_win": Reason("NOT_A_WIN", REFUSAL_CITES["not_a_win"]),
        "wall_empty": Reason("WALL_EMPTY", REFUSAL_CITES["wall_empty"]),
        "no_kong": Reason("NO_KONG", REFUSAL_CITES["no_kong"]),
        "not_next_seat": Reason("NOT_NEXT_SEAT", REFUSAL_CITES["not_next_seat"]),
        "not_a_set": Reason("NOT_A_SET", REFUSAL_CITES["not_a_set"]),
        "tiles_not_held": Reason("TILES_NOT_HELD", REFUSAL_CITES["tiles_not_held"]),
        "outranked": Reason("OUTRANKED", REFUSAL_CITES["outranked"]),
        "hand_over": Reason("HAND_OVER", REFUSAL_CITES["hand_over"]),
        "out_of_order": _OUT_OF_ORDER,
        "not_drawn": Reason("NOT_DRAWN", REFUSAL_CITES["not_drawn"]),
        "not_just_drawn": Reason("NOT_JUST_DRAWN", REFUSAL_CITES["not_just_drawn"]),
    }
)
"""The rules' own reasons as the floor knows them."""

_ACTS = (
    facts.TileDiscarded,
    facts.ConcealedKongDeclared,
    facts.AddedKongDeclared,
    facts.WinDeclared,
    facts.TileClaimed,
    facts.PongWithdrawn,
    facts.HandLookedAt,
    facts.PlayerBarred,
)
"""What players do in a hand, and what is noted of them."""
_CHANGES = (
    facts.SeatTaken,
    facts.SeatLeft,
    facts.ChipsAdded,
    facts.ChipsTaken,
    facts.DealerNamed,
)
"""What is done between hands."""


def refuse(state: TableState, event: Event) -> Reason | None:
    """Return why the table does not take `event` now, or None."""
    game, fact = game_of(state), event.fact
    if isinstance(fact, _ACTS):
        return _refuse_act(state, game, event) if _is_allowed(event) else _NOT_ALLOWED
    if isinstance(fact, _CHANGES):
        if not _is_allowed(event):
            return _NOT_ALLOWED
        return _refuse_change(state, game, fact) if game.phase in RESTING else _WRONG_PHASE
    match fact:
        case events.TableClosed():
            return None
        case events.RoundVoided():
            return _WRONG_PHASE if game.phase in RESTING else None
        case events.ShuffleSealed(_, positions):
            return _refuse_wall(state, game, positions)
        case events.DiceThrown(values):
            if game.phase is not Phase.BUILT:
                return _WRONG_PHASE
            fits = check_dice(variant_at(state), values)
            return None if fits else Reason("BAD_DICE", ("RULE-BREAK",))
        case events.ThrowVoid():
            return None if game.phase is Phase.BUILT else _WRONG_PHASE
        case events.ReadingCorrected():
            return _refuse_correction(state, game, fact)
        case events.DeckOpened():
            return None if game.phase in OPENING else _WRONG_PHASE
        case events.DeckFaulty():
            return None
        case _:
            return Reason("FACT_OF_ANOTHER_GAME")


def _is_allowed(event: Event) -> bool:
    """Return whether somebody in this role may report such a fact, and for this player."""
    match event.fact:
        case facts.PlayerBarred():
            return True  # the table has looked at supervisors already
        case facts.HandLookedAt() | facts.DealerNamed():
            return event.role in (Role.DEALER, Role.SUPERVISOR)
        case facts.ChipsAdded() | facts.ChipsTaken() | facts.SeatLeft():
            if event.role is Role.SUPERVISOR:
                return True
    if event.role is Role.DEALER:
        return True
    own = event.person_id == getattr(event.fact, "player_id", None)
    return event.role is Role.PLAYER and own


# Between hands


def _refuse_change(state: TableState, game: Mahjong, fact: Fact) -> Reason | None:
    match fact:
        case facts.SeatTaken(player_id, place):
            if player_id in game.chips:
                return Reason("HAS_PLACE")
            if place >= len(SIDES):
                return Reason("UNKNOWN_PLACE", ("RULE-SEATS",))
            return Reason("PLACE_TAKEN") if place in game.places else None
        case facts.SeatLeft(player_id):
            return None if player_id in game.chips else Reason("NO_PLACE")
        case facts.ChipsAdded(player_id, amount):
            if player_id not in game.chips:
                return Reason("NO_PLACE")
            fits = 0 < amount <= LARGEST_CHIPS - game.chips[player_id]
            return None if fits else Reason("BAD_AMOUNT")
        case facts.ChipsTaken(player_id, amount):
            if player_id not in game.chips:
                return Reason("NO_PLACE")
            return None if 0 < amount <= game.chips[player_id] else Reason("BAD_AMOUNT")
        case facts.DealerNamed(place, wind, hand):
            if place not in game.places:
                return Reason("UNKNOWN_PLACE", ("MJ-60",))
            fits = wind in SIDES and 1 <= hand <= len(game.places)
            return None if fits else Reason("BAD_HAND", ("RULE-ROUNDS",))
        case _:
            raise AssertionError("nothing else is done between hands")


def _refuse_wall(state: TableState, game: Mahjong, positions: int) -> Reason | None:
    """Return why no hand can begin with this wall, or None."""
    if game.phase not in RESTING:
        return _WRONG_PHASE
    variant = variant_at(state)
    if positions != variant.wall_size:
        return Reason("BAD_DECK", ("RULE-TILES",))
    if len(game.places) not in variant.seat_counts:
        return Reason("NOT_ENOUGH_PLAYERS", ("RULE-SEATS", "MJ-07"))
    if game.dealer_place is None:
        return Reason("DEALER_MISSING", ("MJ-60",))
    least = max(game.minimum_chips, 1)
    if any(amount < least for amount in game.chips.values()):
        return Reason("STAKE_MISSING", ("PAY-LIMIT",))
    if any(amount > LARGEST_CHIPS for amount in game.chips.values()):
        return Reason("OUTSIDE_LIMITS")
    # A round of another game, which this table played before, may be under correction.
    return Reason("STILL_OWING") if would_forget_correction(state) else None


def _refuse_correction(
    state: TableState, game: Mahjong, fact: events.ReadingCorrected
) -> Reason | None:
    """Dice may be put right until the deal; afterwards people have seen what rests on them."""
    if fact.dice_thrown is None:
        return Reason("NOTHING_CORRECTED")
    if not game.dice_event or fact.event_id != game.dice_event:
        return Reason("UNKNOWN_READING")
    if game.phase is not Phase.BROKEN:
        return Reason("READING_IN_USE")
    fits = check_dice(variant_at(state), fact.dice_thrown.values)
    return None if fits else Reason("BAD_DICE", ("RULE-BREAK",))


# The hand


def _refuse_act(state: TableState, game: Mahjong, event: Event) -> Reason | None:
    if game.phase in (Phase.COMPLETE, Phase.SETTLED, Phase.VOID):
        return REASONS["hand_over"]
    if game.phase not in PLAYING:
        return _OUT_OF_ORDER
    seat = seat_of(game, getattr(event.fact, "player_id", ""))
    if seat is None:
        return Reason("NO_PLACE")
    match event.fact:
        case facts.TileClaimed():
            return _refuse_claim(state, game, event.fact, seat)
        case facts.HandLookedAt() | facts.PlayerBarred():
            return None
    if isinstance(event.fact, facts.PongWithdrawn):
        open_ = game.phase is Phase.CLAIMS and answered(game, seat) in (None, "pong")
    else:
        open_ = game.phase is Phase.TURN and play_of(game).seat == seat
    if not open_:
        return _OUT_OF_ORDER
    act = act_of(state, event.fact, seat)
    if act is None:
        return Reason("UNKNOWN_TILE", ("RULE-TILES",))
    reason = refusal(setting_of(state), play_of(game), act)
    return None if reason is None else REASONS[reason]


def answered(game: Mahjong, seat: Seat) -> str | None:
    """Return what a seat said in the window: a claim, "pass", or None while it has not answered."""
    for answer in game.answers:
        if answer.seat == seat:
            return answer.action or "pass"
    return None


def _refuse_claim(
    state: TableState, game: Mahjong, fact: facts.TileClaimed, seat: Seat
) -> Reason | None:
    if game.phase is not Phase.CLAIMS:
        return _OUT_OF_ORDER
    offer = play_of(game).offer
    assert offer is not None, "a window is open on a tile"
    if offer.seat == seat or answered(game, seat) is not None:
        return _OUT_OF_ORDER
    if any(tile is None for tile in (tile_at(state, code) for code in fact.tiles)):
        return Reason("UNKNOWN_TILE", ("RULE-TILES",))
    fits = not fact.tiles or fact.claim is TileClaim.CHOW
    return None if fits else REASONS["not_a_set"]


def tile_at(state: TableState, code: str) -> Tile | None:
    """Return the tile of the table's game with that code, or None."""
    return tiles_by_code(variant_at(state)).get(code)


def act_of(state: TableState, fact: Fact, seat: Seat) -> Act | None:
    """Return what the rules call an act of a seat, None if it is of no tile of the game."""
    match fact:
        case facts.WinDeclared():
            return Act("win", seat)
        case facts.PongWithdrawn():
            return Act("pong_withdrawn", seat)
        case facts.HandLookedAt():
            return Act("look", seat)
        case facts.TileDiscarded(_, code):
            tile = tile_at(state, code)
            return None if tile is None else Act("discard", seat, tile)
        case facts.ConcealedKongDeclared(_, code):
            tile = tile_at(state, code)
            return None if tile is None else Act("concealed_kong", seat, tile)
        case facts.AddedKongDeclared(_, code):
            tile = tile_at(state, code)
            return None if tile is None else Act("added_kong", seat, tile)
        case _:
            raise AssertionError("no act of a hand")
