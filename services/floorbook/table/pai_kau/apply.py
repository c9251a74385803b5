"""How a Pai Kau table changes with an act that it takes (5.1)."""

import msgspec
from msgspec import Struct
from msgspec.structs import replace

from floorbook.games.pai_kau.banking import Turn, after_round, bank_goes_to, minimum_stake
from floorbook.games.pai_kau.gates import FOUR_GATE_TILES, first_gate, hands_of
from floorbook.games.pai_kau.procedure import changed_bets, changed_cobanks, moved
from floorbook.games.pai_kau.tiles import INDEX_OF, SET, are_tiles, fit_one_set
from floorbook.seal import Opening, verify
from floorbook.table import events
from floorbook.table.events import Event
from floorbook.table.pai_kau import facts, settle
from floorbook.table.pai_kau.refuse import MOST_REMEMBERED
from floorbook.table.pai_kau.state import (
    RESTING,
    Answer,
    HeldTurn,
    LaidBet,
    LaidHand,
    PaiKau,
    Phase,
    PostedCoBank,
    next_round,
)
from floorbook.table.pai_kau.terms import game_of, laying, turn_of
from floorbook.table.state import (
    CauseKind,
    Reason,
    TableState,
    open_round,
    owe_evaluation,
    suspend,
)


def apply(state: TableState, event: Event) -> TableState:
    """Return the table after `event`, which `refuse` let through."""
    game = game_of(state)
    fact = event.fact
    match fact:
        case facts.TilesShuffled():
            return _begin(state, carried_over=False, root=b"")
        case facts.TilesCarriedOver():
            return _begin(state, carried_over=True, root=game.root)
        case events.ShuffleSealed(root):
            if game.phase is Phase.SHUFFLED:
                return _with(state, root=root)
            return _begin(state, carried_over=False, root=root)
        case facts.GatesAnnounced(gates):
            return _with(state, gates=gates, answers=())
        case facts.BankLeft():
            return _with(state, turn=None, answers=(), consents=())
        case facts.ConsentGiven(player_id):
            given = dict.fromkeys((*game.consents, player_id))
            return _with(state, consents=tuple(given))
        case facts.BankAnswered():
            return _with(state, answers=_answers(game, fact))
        case facts.BankAssigned():
            return _assigned(state)
        case facts.BettingOpened():
            return _with(state, phase=Phase.BETTING)
        case facts.BankCorrected():
            return _with(state, **_bank(fact), answers=(), consents=())
        case facts.HeldTilesCorrected(used):
            # What the machine sealed may be another wall: the hands are then what is read.
            return _with(state, used_tiles=_canonical(used), root=b"")
        case events.DeckFaulty():
            if game.phase in RESTING:
                return state
            return suspend(state, f"{CauseKind.DECK}/{event.event_id}")
        case events.RoundEvaluated(_, _, result):
            return replace(state, game=_settled(game, result))
        case _:
            return _played(state, event)


def _played(state: TableState, event: Event) -> TableState:
    """Return the table after an act of a round whose bets are open, or locked."""
    game = game_of(state)
    fact = event.fact
    match fact:
        case facts.BetChanged(gate, player_id, amount):
            bets = changed_bets(game.bets, LaidBet(gate, player_id, amount))
            return _with(state, bets=bets)
        case facts.StakePosted(_, amount):
            return _with(state, stake=amount)
        case facts.CoBankPosted(co_bank_id, amount, house, gate):
            posted = PostedCoBank(co_bank_id, amount, house, gate)
            return _with(state, cobanks=changed_cobanks(game.cobanks, posted))
        case facts.TilesMoved(player_id):
            now = moved(turn_of(game), game.moves, player_id)
            return _with(state, moved_by=now.players, banker_moved=now.banker, root=b"")
        case facts.HeadTilesPut():
            return _with(state, head_tiles_out=True)
        case facts.DiceShaken():
            return _with(state, phase=Phase.LOCKED)
        case events.ThrowVoid(_, values):
            return _with(state, throws=(*game.throws, values))
        case events.DiceThrown(values):
            return _with(_thrown(state, values), phase=Phase.DEALT, dice_event=event.event_id)
        case events.ReadingCorrected():
            assert fact.dice_thrown is not None, "refused"
            return _thrown(state, fact.dice_thrown.values)
        case events.DeckOpened(openings):
            return _with(state, opened=_faces(openings))
        case facts.TilesDealt(hands):
            tiles = tuple(hand.tiles for hand in sorted(hands, key=lambda hand: hand.gate))
            setting = Phase.PLAYERS_SETTING if game.bets else Phase.BANKER_SETTING
            return _with(state, phase=setting, hands=tiles)
        case facts.PairsSet(gate, player_id, front, back):
            return _laid(state, LaidHand(gate, player_id, front, back))
        case facts.PairsNotSet(gate):
            return _laid(state, LaidHand(gate))
        case facts.PairsOpened():
            state = _with(state, phase=Phase.OPENED)
            return owe_evaluation(state, settle.request(state), event.observe_time_ms)
        case _:
            return state  # noted: a tile turned up


def void(state: TableState) -> TableState:
    """Return the table whose round in progress is void: nothing of it counts (PK-43)."""
    return _with(state, phase=Phase.VOID, used_tiles=(), root=b"")


def suspends(state: TableState, event: Event) -> Reason | None:
    """Return why tiles are not what was sealed, or None.

    Only the positions dealt may be opened: the sixteen held over stay secret (5.2).
    """
    game, fact = game_of(state), event.fact
    match fact:
        case events.DeckOpened(openings, hashes):
            if tuple(one.position for one in openings) != positions_dealt(game):
                return Reason("OPENING_MISMATCH", ("A2.4",))
            if not verify(game.root, len(SET), openings, hashes):
                return Reason("OPENING_MISMATCH")
            tiles = _faces(openings)
            whole = are_tiles(tiles) and fit_one_set((*tiles, *game.used_tiles))
            return None if whole else Reason("BAD_DECK", ("A1.1",))
        case facts.TilesDealt(hands) if game.opened:
            due = hands_of(game.gates, turn_of(game).gate, game.dice, game.opened)
            if {hand.gate: tuple(sorted(hand.tiles)) for hand in hands} == {
                gate: tuple(sorted(tiles)) for gate, tiles in due.items()
            }:
                return None
            return Reason("DEALT_NOT_AS_OPENED", ("A2.3",))
        case _:
            return None


def positions_dealt(game: PaiKau) -> tuple[int, ...]:
    """Return the positions of the sealed wall that this round deals, the head first."""
    first = FOUR_GATE_TILES if game.carried_over else 0
    return tuple(range(first, first + game.gates * 4))


def _faces(openings: tuple[Opening, ...]) -> tuple[str, ...]:
    return tuple(opening.face for opening in openings)


def _with(state: TableState, **changes: object) -> TableState:
    return replace(state, game=replace(game_of(state), **changes))


def _begin(state: TableState, *, carried_over: bool, root: bytes) -> TableState:
    new = next_round(game_of(state), carried_over=carried_over, root=root)
    return replace(open_round(state), game=new)


# The bank


def _answers(game: PaiKau, fact: facts.BankAnswered) -> tuple[Answer, ...]:
    """Return the answers with a new one; who has answered before keeps his place."""
    new = Answer(fact.gate, fact.player_id, fact.accepts)
    if any(one.player_id == new.player_id for one in game.answers):
        return tuple(new if one.player_id == new.player_id else one for one in game.answers)
    return (*game.answers, new)


def _assigned(state: TableState) -> TableState:
    game = game_of(state)
    next_ = bank_goes_to(game.gates, game.last_gate, game.candidates, game.opening)
    assert next_ is not None, "refused"
    turn = HeldTurn(next_.gate, next_.player_id)
    return _with(state, turn=turn, last_gate=next_.gate, answers=(), consents=())


def _bank(fact: facts.BankCorrected) -> dict[str, object]:
    if not fact.gate:
        return {"turn": None, "last_gate": fact.last_gate}
    least = minimum_stake(fact.minimum_stake_minor)
    turn = HeldTurn(fact.gate, fact.player_id, fact.rounds_done, least)
    return {"turn": turn, "last_gate": fact.gate}


def _held_turn(turn: Turn) -> HeldTurn:
    return HeldTurn(turn.gate, turn.player_id, turn.rounds_done, turn.minimum_stake)


# Dice, hands and settlement


def _thrown(state: TableState, values: tuple[int, ...]) -> TableState:
    game = game_of(state)
    first = first_gate(game.gates, turn_of(game).gate, values)
    return _with(state, dice=values, first_gate=first)


def _laid(state: TableState, laid: LaidHand) -> TableState:
    """Return the table with one more gate done; after the last player gate the banker sets."""
    state = _with(state, laid=(*game_of(state).laid, laid))
    if laying(game_of(state)).waits_for:
        return state
    return _with(state, phase=Phase.BANKER_SETTING)


class _Left(Struct, frozen=True):
    """What of a result the next round rests on."""

    min_next_stake: int
    must_deal_four_next: bool


def _settled(game: PaiKau, result: str) -> PaiKau:
    """Return the game after its settlement: what it leaves for the rounds to come (5.1, 11.5)."""
    left = msgspec.json.decode(result, type=_Left)
    bettors = tuple(dict.fromkeys(bet.player_id for bet in game.bets))
    turn = turn_of(game)
    known = [who for who in game.has_bet if who not in bettors and who != turn.player_id]
    dealt = tuple(tile for hand in game.hands for tile in hand)
    return replace(
        game,
        phase=Phase.SETTLED,
        opening=game.opening and not bettors,
        turn=_held_turn(after_round(turn, left.min_next_stake)),
        has_bet=(*known, *bettors, turn.player_id)[-MOST_REMEMBERED:],
        last_bettors=bettors,
        consents=(),
        used_tiles=_canonical(dealt) if left.must_deal_four_next else (),
        root=game.root if left.must_deal_four_next else b"",
    )


def _canonical(tiles: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(sorted(tiles, key=lambda tile: (INDEX_OF[tile], tile)))
