"""How a Thirteen Cards table changes with an act that it takes (A12, B10)."""

from msgspec.structs import replace

from floorbook.games.thirteen_cards.cards import PACK as WHOLE_PACK
from floorbook.games.thirteen_cards.deal import GATES, hands_of
from floorbook.seal import Opening, verify
from floorbook.table import events
from floorbook.table.events import Event
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
from floorbook.table.thirteen_cards import facts, settle
from floorbook.table.thirteen_cards.refuse import PACK
from floorbook.table.thirteen_cards.refuse_cards import by_gate, changed_gates
from floorbook.table.thirteen_cards.state import (
    RESTING,
    Laid,
    LaidBet,
    Phase,
    ThirteenCards,
    lanes_of,
)
from floorbook.table.thirteen_cards.terms import (
    banker_gate,
    config,
    elapsed_ms,
    game_of,
    holders_now,
    players_now,
    procedure,
    terms_of,
    waited_for,
)


def apply(state: TableState, event: Event) -> TableState:
    """Return the table after `event`, which `refuse` let through."""
    game = game_of(state)
    fact = event.fact
    match fact:
        case facts.PlaceTaken(player_id, gate):
            if procedure(state).dice:
                return _with(state, places=(*game.places, player_id))
            assert gate is not None, "refused"
            return _with(state, seats=dict(sorted({**game.seats, gate: player_id}.items())))
        case facts.PlaceLeft(player_id):
            return _left(state, player_id)
        case facts.PackShuffled():
            return _shuffled(state, b"")
        case events.ShuffleSealed(root):
            if game.phase is Phase.SHUFFLED:
                return _with(state, root=root)
            return _shuffled(state, root)
        case facts.PackCut(_, depth) | events.DeckCut(depth):
            return _with(state, cuts=(*game.cuts, depth))
        case facts.PackBoxed():
            if game.redealing:
                return _with(state, phase=Phase.DEALING)
            return _with(state, phase=Phase.BETTING) if procedure(state).bets else _start(state)
        case facts.UnitSet(unit_minor):
            return _with(state, unit_minor=unit_minor)
        case facts.DealStarted():
            return _start(state)
        case facts.BetPlaced():
            return _with(state, bets=(*game.bets, _bet_of(fact)))
        case facts.BetWithdrawn(bet_id):
            return _with(state, bets=tuple(b for b in game.bets if b.bet_id != bet_id))
        case facts.BetMoved(bet_id, _, gate):
            moved = next(b for b in game.bets if b.bet_id == bet_id)
            others = tuple(b for b in game.bets if b.bet_id != bet_id)
            return _with(state, bets=(*others, replace(moved, gate=gate)))
        case facts.ShakeStarted(player_id):
            held = dict(sorted(holders_now(game).holders.items()))
            return _with(state, phase=Phase.LOCKED, holders=held, shaker=player_id)
        case events.DiceThrown(values):
            return _with(state, phase=Phase.DEALING, dice=values, dice_event=event.event_id)
        case events.ReadingCorrected():
            assert fact.dice_thrown is not None, "refused"
            return _with(state, dice=fact.dice_thrown.values)
        case events.DeckOpened(openings):
            return _with(state, pack=_faces(openings))
        case events.DeckFaulty():
            if game.phase in RESTING:
                return state
            return suspend(state, f"{CauseKind.DECK}/{event.event_id}")
        case facts.PackDealt(dealt):
            return _dealt(state, event, dealt)
        case facts.MisdealReported(dealt, recoverable):
            return _put_right(state, dealt) if recoverable else _redeal(state)
        case facts.BankerArranged(arrangement):
            return _with(state, banker=lanes_of(arrangement))
        case facts.BankerOpened():
            return _opened(state, event)
        case facts.HandTaken(gate):
            return _with(state, taken=(*game.taken, gate))
        case facts.HandSet(arrangement, gate, _, declare):
            lanes = lanes_of(arrangement) if arrangement is not None else None
            return _set(state, event, Laid(gate, lanes, elapsed_ms(state, event) or 0, declare))
        case facts.HandNotSet(gate):
            return _set(state, event, Laid(gate, None))
        case events.TimerExpired():
            return _complete(state, event)
        case events.RoundEvaluated():
            return _with(state, phase=Phase.SETTLED)
        case _:
            return state  # noted: a void throw, a card dealt face up


def void(state: TableState) -> TableState:
    """Return the table whose round in progress is void (TC-45)."""
    return _with(state, phase=Phase.VOID, redealing=False)


def suspends(state: TableState, event: Event) -> Reason | None:
    """Return why a deck is not what was sealed and cut, or None.

    The order in which the cards come off the pack is the opened order turned by the cuts; another
    opening or another card is for the supervisor to look at.
    """
    game, fact = game_of(state), event.fact
    match fact:
        case events.DeckOpened(openings, hashes):
            if not verify(game.root, PACK, openings, hashes):
                return Reason("OPENING_MISMATCH")
            cards = _faces(openings)
            whole = len(cards) == PACK and sorted(cards) == sorted(WHOLE_PACK)
            return None if whole else Reason("BAD_DECK", ("Art.1",))
        case facts.PackDealt(dealt) | facts.MisdealReported(dealt):
            if isinstance(fact, facts.MisdealReported) and not procedure(state).dice:
                return None  # its cards are not looked at
            if not game.pack or tuple(card.card for card in dealt) == turned(game)[: len(dealt)]:
                return None
            return Reason("DEALT_NOT_AS_OPENED", ("Art.2(c)",))
        case _:
            return None


def turned(game: ThirteenCards) -> tuple[str, ...]:
    """Return the opened pack as the cuts left it; the top is dealt first."""
    shift = sum(game.cuts) % PACK
    return game.pack[shift:] + game.pack[:shift]


def _faces(openings: tuple[Opening, ...]) -> tuple[str, ...]:
    return tuple(opening.face for opening in openings)


def _with(state: TableState, **changes: object) -> TableState:
    return replace(state, game=replace(game_of(state), **changes))


def _shuffled(state: TableState, root: bytes) -> TableState:
    """Return the table with a pack shuffled: a new round, or the same one's pack again."""
    game = game_of(state)
    if game.phase is Phase.REDEAL:
        return _with(state, phase=Phase.SHUFFLED, root=root)
    new = ThirteenCards(
        phase=Phase.SHUFFLED,
        places=game.places,
        root=root,
        seats=game.seats,
        unit_minor=game.unit_minor,
    )
    return replace(open_round(state), game=new)


def _left(state: TableState, player_id: str) -> TableState:
    """Return the table without a player's place; what he holds in this round he still holds."""
    game = game_of(state)
    return _with(
        state,
        places=tuple(player for player in game.places if player != player_id),
        seats={gate: player for gate, player in game.seats.items() if player != player_id},
    )


def _bet_of(fact: facts.BetPlaced) -> LaidBet:
    """Return a bet as it lies on the layout."""
    if fact.stake_minor:
        return LaidBet(fact.bet_id, fact.player_id, fact.gate, fact.stake_minor, 1)
    return LaidBet(fact.bet_id, fact.player_id, fact.gate, fact.unit_minor, fact.units)


def _start(state: TableState) -> TableState:
    """Return the table of a variant at which players and bets stand: the deal may begin (TV-61)."""
    return _with(state, phase=Phase.DEALING, holders=players_now(state))


def _dealt(state: TableState, event: Event, dealt: tuple[facts.DealtCard, ...]) -> TableState:
    """Return the table with all hands: by the order of dealing (Art.4), or where they were dealt."""
    game = game_of(state)
    if procedure(state).dice:
        hands = hands_of(banker_gate(state), game.dice, [card.card for card in dealt])
    else:
        hands = by_gate(dealt)
    state = _with(
        state,
        phase=Phase.DEALT,
        redealing=False,
        hands=tuple(hands.get(gate, ()) for gate in GATES),
    )
    over = not procedure(state).dice and not waited_for(state)
    return _complete(state, event) if over else state


def _put_right(state: TableState, dealt: tuple[facts.DealtCard, ...]) -> TableState:
    """Return the table with misdealt cards put right; a changed hand's arrangement is forgotten."""
    before = game_of(state)
    banker = banker_gate(state)
    right = hands_of(banker, before.dice, [card.card for card in dealt])
    changed = changed_gates(before, banker, dealt)
    return _with(
        state,
        hands=tuple(right[gate] for gate in sorted(right)),
        banker=None if banker in changed else before.banker,
        laid=tuple(laid for laid in before.laid if laid.gate not in changed),
    )


def _redeal(state: TableState) -> TableState:
    """Return the table whose dealt cards are void; bets, holders and dice stand (TC-12)."""
    game = game_of(state)
    again = ThirteenCards(
        phase=Phase.REDEAL,
        places=game.places,
        bets=game.bets,
        holders=game.holders,
        shaker=game.shaker,
        dice=game.dice,
        dice_event=game.dice_event,
        redealing=True,
        seats=game.seats,
        unit_minor=game.unit_minor,
    )
    return replace(cancel_timer(state), game=again)


def _opened(state: TableState, event: Event) -> TableState:
    """Return the table with the banker's hand open: the clock starts, or all is known already."""
    state = _with(state, phase=Phase.OPENED)
    if not game_of(state).bets:
        return _complete(state, event)
    return start_timer(state, config(terms_of(state)).arrange_limit_ms)


def _set(state: TableState, event: Event, laid: Laid) -> TableState:
    """Return the table with one more gate set; with the last one the round is complete."""
    game = game_of(state)
    taken = game.taken
    if procedure(state).banker_opens_first and laid.gate not in taken:
        taken = (*taken, laid.gate)
    state = _with(state, laid=(*game.laid, laid), taken=taken)
    return state if waited_for(state) else _complete(state, event)


def _complete(state: TableState, event: Event) -> TableState:
    """Return the table that waits for the judgement of its round."""
    state = _with(cancel_timer(state), phase=Phase.COMPLETE)
    return owe_evaluation(state, settle.request(state), event.observe_time_ms)
