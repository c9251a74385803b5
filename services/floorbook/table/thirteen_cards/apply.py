"""How a Thirteen Cards table changes with an act that it takes (A12)."""

from msgspec.structs import replace

from floorbook.games.thirteen_cards.deal import hands_of
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
from floorbook.table.thirteen_cards.refuse import (
    PACK,
    banker_gate,
    bet_of,
    changed_gates,
    config,
    elapsed_ms,
    game_of,
    holders_now,
    terms_of,
)
from floorbook.table.thirteen_cards.state import (
    RESTING,
    Laid,
    Phase,
    ThirteenCards,
    gates_with_bets,
    lanes_of,
)


def apply(state: TableState, event: Event) -> TableState:
    """Return the table after `event`, which `refuse` let through."""
    game = game_of(state)
    fact = event.fact
    match fact:
        case facts.PlaceTaken(player_id):
            return _with(state, places=(*game.places, player_id))
        case facts.PlaceLeft(player_id):
            return _with(state, places=tuple(p for p in game.places if p != player_id))
        case facts.PackShuffled():
            return _shuffled(state, b"")
        case events.ShuffleSealed(root):
            if game.phase is Phase.SHUFFLED:
                return _with(state, root=root)
            return _shuffled(state, root)
        case facts.PackCut(_, depth) | events.DeckCut(depth):
            return _with(state, cuts=(*game.cuts, depth))
        case facts.PackBoxed():
            phase = Phase.DEALING if game.redealing else Phase.BETTING
            return _with(state, phase=phase)
        case facts.BetPlaced():
            return _with(state, bets=(*game.bets, bet_of(fact)))
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
            return _dealt(state, dealt)
        case facts.MisdealReported(dealt, recoverable):
            return _put_right(state, dealt) if recoverable else _redeal(state)
        case facts.BankerArranged(arrangement):
            return _with(state, banker=lanes_of(arrangement))
        case facts.BankerOpened():
            return _opened(state, event)
        case facts.HandTaken(gate):
            return _with(state, taken=(*game.taken, gate))
        case facts.HandSet():
            return _set(state, event, fact)
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
    game = game_of(state)
    match event.fact:
        case events.DeckOpened(openings, hashes):
            if not verify(game.root, PACK, openings, hashes):
                return Reason("OPENING_MISMATCH")
            cards = _faces(openings)
            whole = len(cards) == PACK and sorted(cards) == sorted(settle.PACK_OF_CARDS)
            return None if whole else Reason("BAD_DECK", ("Art.1",))
        case facts.PackDealt(dealt) | facts.MisdealReported(dealt):
            if not game.pack or tuple(card.card for card in dealt) == turned(game):
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
    new = ThirteenCards(phase=Phase.SHUFFLED, places=game.places, root=root)
    return replace(open_round(state), game=new)


def _dealt(state: TableState, dealt: tuple[facts.DealtCard, ...]) -> TableState:
    """Return the table with all hands where the order of dealing sends them (Art.4)."""
    game = game_of(state)
    hands = hands_of(banker_gate(state), game.dice, [card.card for card in dealt])
    return _with(
        state,
        phase=Phase.DEALT,
        redealing=False,
        hands=tuple(hands[gate] for gate in sorted(hands)),
    )


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
    )
    return replace(cancel_timer(state), game=again)


def _opened(state: TableState, event: Event) -> TableState:
    """Return the table with the banker's hand open: the clock starts, or all is known already."""
    state = _with(state, phase=Phase.OPENED)
    if not game_of(state).bets:
        return _complete(state, event)
    return start_timer(state, config(terms_of(state)).arrange_limit_ms)


def _set(state: TableState, event: Event, fact: facts.HandSet) -> TableState:
    game = game_of(state)
    elapsed = elapsed_ms(state, event)
    assert elapsed is not None, "refused"
    laid = Laid(fact.gate, lanes_of(fact.arrangement), elapsed)
    taken = game.taken if fact.gate in game.taken else (*game.taken, fact.gate)
    state = _with(state, laid=(*game.laid, laid), taken=taken)
    if len(game.laid) + 1 < len(gates_with_bets(game)):
        return state
    return _complete(state, event)


def _complete(state: TableState, event: Event) -> TableState:
    """Return the table that waits for the judgement of its round."""
    state = _with(cancel_timer(state), phase=Phase.COMPLETE)
    return owe_evaluation(state, settle.request(state), event.observe_time_ms)
