"""Who may see what of a Pai Kau round, and when (5.2).

Nobody sees the wall, nor what is held over. A gate's tiles are seen by its holder from the deal,
the banker's by the banker once the players have set, all by everybody when the pairs are opened.
A gate without bets has no holder. What was laid is seen by who holds the gate; that it was, by all.
"""

from collections.abc import Sequence

from floorbook.games.pai_kau.banking import all_agree, may_continue
from floorbook.table import events
from floorbook.table.effects import EVERYBODY, Audience, Disclosure, player_audience
from floorbook.table.events import Event, Fact, Role
from floorbook.table.pai_kau import facts
from floorbook.table.pai_kau.shown import (
    PaiKauBank,
    PaiKauDone,
    PaiKauFirstGate,
    PaiKauHand,
    PaiKauHolder,
    PaiKauHolders,
    PaiKauResult,
    PaiKauShown,
    PaiKauState,
)
from floorbook.table.pai_kau.state import LOCKED, SETTING, PaiKau, Phase, laid_at
from floorbook.table.pai_kau.terms import game_of, holders_of
from floorbook.table.state import TableState

_SEEN_BY_ALL = (
    facts.TilesShuffled,
    facts.TilesCarriedOver,
    facts.GatesAnnounced,
    facts.BankLeft,
    facts.ConsentGiven,
    facts.BankAnswered,
    facts.BankAssigned,
    facts.BettingOpened,
    facts.BetChanged,
    facts.StakePosted,
    facts.CoBankPosted,
    facts.TilesMoved,
    facts.HeadTilesPut,
    facts.DiceShaken,
    facts.TileExposed,
    facts.PairsNotSet,
    facts.PairsOpened,
    facts.BankCorrected,
    facts.HeldTilesCorrected,
)
_DEVICE_FACTS_SEEN = (
    events.ShuffleSealed,
    events.DeckFaulty,
    events.DiceThrown,
    events.ThrowVoid,
)
_OPEN = frozenset((Phase.OPENED, Phase.SETTLED))


def disclose(before: TableState, event: Event, after: TableState) -> Sequence[Disclosure]:
    """Return what an applied event shows, and to whom."""
    if not isinstance(after.game, PaiKau) or not isinstance(before.game, PaiKau):
        return ()
    was, now = before.game, after.game
    fact = event.fact
    shown: list[Disclosure] = []
    if isinstance(fact, _SEEN_BY_ALL):
        shown.append(_to((EVERYBODY,), fact=fact))
    elif isinstance(fact, _DEVICE_FACTS_SEEN):
        shown.append(Disclosure((EVERYBODY,), fact))
    match fact:
        case events.DiceThrown() | events.ReadingCorrected():
            if isinstance(fact, events.ReadingCorrected):
                shown.append(Disclosure((EVERYBODY,), events.DiceThrown(now.dice)))
            shown.append(_to((EVERYBODY,), first_gate=PaiKauFirstGate(now.first_gate)))
        case facts.DiceShaken():
            shown.append(_to((EVERYBODY,), holders=_holders(now)))
        case facts.TilesDealt():
            # That they were dealt is seen by all; which lie where is not.
            shown.append(_to((EVERYBODY,), fact=facts.TilesDealt()))
            shown += [
                _to((player_audience(who),), hand=_hand(now, gate))
                for gate, who in holders_of(now).items()
            ]
        case facts.PairsSet(gate):
            shown.append(_to((EVERYBODY,), done=PaiKauDone(gate)))
            shown.append(_to(_who_sees(now, gate), hand=_hand(now, gate)))
        case facts.PairsOpened():
            shown += [_to((EVERYBODY,), hand=_hand(now, gate)) for gate in _dealt_gates(now)]
        case facts.BankAssigned() | facts.BankCorrected() if now.turn is not None:
            shown.append(_to((EVERYBODY,), bank=_bank(now)))
    if now.phase is Phase.BANKER_SETTING and was.phase is not Phase.BANKER_SETTING:
        gate = _banker_gate(now)
        shown.append(_to(_who_sees(now, gate), hand=_hand(now, gate)))
    return shown


def show_result(round_id: str, answer: events.RoundEvaluated) -> Disclosure:
    """Return a settlement as everybody sees it: its pairs are open."""
    settled = PaiKauResult(answer.result, answer.explanation, round_id)
    return _to((EVERYBODY,), result=settled)


def view(state: TableState, role: Role, person_id: str) -> PaiKauState:
    """Return what one viewer may see of the table as it stands."""
    game = game_of(state)
    return PaiKauState(
        gates=game.gates,
        bank=_bank(game),
        last_gate=game.last_gate,
        opening=game.opening,
        answers=tuple(facts.BankAnswered(a.gate, a.player_id, a.accepts) for a in game.answers),
        consents=game.consents,
        consents_missing=_consents_missing(game),
        used_tiles=game.used_tiles,
        carried_over=game.carried_over,
        bets=tuple(facts.BetChanged(b.gate, b.player_id, b.amount) for b in game.bets),
        stake_minor=game.stake,
        co_banks=tuple(facts.CoBankPosted(c.id, c.stake, c.house, c.gate) for c in game.cobanks),
        moved_by=game.moved_by,
        banker_moved=game.banker_moved,
        head_tiles_out=game.head_tiles_out,
        holders=_holders(game) if game.phase in LOCKED else None,
        void_throws=len(game.throws),
        dice=game.dice,
        first_gate=PaiKauFirstGate(game.first_gate) if game.first_gate else None,
        hands=tuple(
            _hand(game, gate) for gate in _dealt_gates(game) if _sees(game, gate, role, person_id)
        ),
        done=tuple(laid.gate for laid in game.laid),
        may_bank=game.has_bet,
        sealed=bool(game.root),
    )


def _consents_missing(game: PaiKau) -> tuple[str, ...]:
    """Return whose consent the banker's next round still needs (PK-39)."""
    if game.turn is None:
        return ()
    if may_continue(game.turn.rounds_done, all_agree(game.last_bettors, game.consents)):
        return ()
    return tuple(who for who in game.last_bettors if who not in game.consents)


def _sees(game: PaiKau, gate: int, role: Role, person_id: str) -> bool:
    """Return whether a viewer may see the hand of `gate` now."""
    if game.phase in _OPEN:
        return True
    return role is Role.PLAYER and player_audience(person_id) in _who_sees(game, gate)


def _who_sees(game: PaiKau, gate: int) -> tuple[Audience, ...]:
    """Return who may see a gate's tiles before they are opened."""
    if game.phase not in SETTING or game.turn is None:
        return ()
    if gate == game.turn.gate:
        ready = game.phase is Phase.BANKER_SETTING
        return (player_audience(game.turn.player_id),) if ready else ()
    holder = holders_of(game).get(gate)
    return (player_audience(holder),) if holder else ()


def _hand(game: PaiKau, gate: int) -> PaiKauHand:
    laid = laid_at(game, gate)
    front, back = (laid.front, laid.back) if laid is not None else ((), ())
    return PaiKauHand(gate, game.hands[gate - 1], front, back)


def _dealt_gates(game: PaiKau) -> range:
    return range(1, len(game.hands) + 1)


def _banker_gate(game: PaiKau) -> int:
    assert game.turn is not None, "somebody banks while hands are set"
    return game.turn.gate


def _bank(game: PaiKau) -> PaiKauBank | None:
    turn = game.turn
    if turn is None:
        return None
    return PaiKauBank(turn.gate, turn.player_id, turn.rounds_done, turn.minimum_stake)


def _holders(game: PaiKau) -> PaiKauHolders:
    return PaiKauHolders(tuple(PaiKauHolder(g, who) for g, who in holders_of(game).items()))


def _to(
    audiences: tuple[Audience, ...],
    *,
    fact: Fact | None = None,
    hand: PaiKauHand | None = None,
    holders: PaiKauHolders | None = None,
    first_gate: PaiKauFirstGate | None = None,
    bank: PaiKauBank | None = None,
    done: PaiKauDone | None = None,
    result: PaiKauResult | None = None,
) -> Disclosure:
    return Disclosure(audiences, PaiKauShown(fact, hand, holders, first_gate, bank, done, result))
