"""How an event that is taken changes the table: `apply`, total and repeatable."""

from msgspec.structs import replace

from floorbook.table import events, refuse, sources
from floorbook.table.events import Decision, Equipment, Event
from floorbook.table.game import Game, games
from floorbook.table.refuse import Recall
from floorbook.table.state import (
    CauseKind,
    Evaluation,
    Reason,
    Station,
    TableState,
    Terms,
    cancel_round,
    end_cause,
    obligation_id,
    suspend,
    without,
)


def advance(state: TableState, observe_time_ms: int) -> TableState:
    """Return the state at table time: the larger of its own and the event's, so it never goes back."""
    if observe_time_ms <= state.table_time_ms:
        return state
    return replace(state, table_time_ms=observe_time_ms)


def apply(state: TableState, event: Event, game: Game | None, recall: Recall) -> TableState:
    """Return the table as it stands once `event` is known.

    Whatever `refuse` let through has exactly one result. Time and the source's counter are the
    caller's.
    """
    fact = event.fact
    if isinstance(fact, events.SourceStarted):
        return state
    assert game is not None, "only SourceStarted is taken by a table without a game"
    match fact:
        case events.TableOpened():
            return _open(state, fact, game)
        case events.TableClosed():
            return replace(state, terms=None, stations=(), game=None)
        case events.EquipmentChanged(equipment):
            return replace(state, stations=_stations(equipment))
        case events.TableSuspended():
            return suspend(state, f"{CauseKind.SUPERVISOR}/{event.event_id}")
        case events.SuspensionResolved():
            return _resolve(state, fact)
        case events.RoundVoided():
            return game.void(cancel_round(state))
        case events.SettledRoundVoided(round_id):
            return _forget_correction(state, round_id, recall)
        case events.SettledRoundCorrected(round_id):
            return _owe_correction(state, event, fact, recall)
        case _:
            return game.apply(state, event)


def answer(state: TableState, event: Event, owed: Evaluation, game: Game) -> TableState:
    """Return the table after the evaluator's answer to `owed`."""
    if isinstance(event.fact, events.EvaluationRefused):
        # Still owed: the supervisor lets it be asked again, or voids the round.
        return suspend(state, cause_of(state, owed))
    state = without(state, owed)
    if owed.settlement == 1 and owed.round_number == state.round_number:
        return game.apply(state, event)
    return state


def cause_of(state: TableState, owed: Evaluation) -> str:
    """Return the cause for which the table is suspended when `owed` cannot be answered."""
    return f"{CauseKind.EVALUATION}/{obligation_id(state, owed)}"


def _open(state: TableState, fact: events.TableOpened, game: Game) -> TableState:
    terms = Terms(
        fact.rule_set,
        fact.rules_version,
        fact.flags,
        fact.currency,
        fact.utc_offset_minutes,
        fact.day_start_minute,
        fact.thirteen_cards,
    )
    return replace(state, terms=terms, stations=_stations(fact.equipment), game=game.opened(fact))


def _stations(equipment: tuple[Equipment, ...]) -> tuple[Station, ...]:
    return tuple(Station(e.equipment_id, e.kind) for e in equipment)


def _resolve(state: TableState, fact: events.SuspensionResolved) -> TableState:
    if fact.decision is Decision.CONTINUE_AT:
        _, equipment, boot = fact.cause_id.split("/")
        state = sources.continue_at(state, equipment, int(boot), fact.next_sequence)
    return end_cause(state, fact.cause_id)


def _forget_correction(state: TableState, round_id: str, recall: Recall) -> TableState:
    record = refuse.find_round(state, round_id, recall)
    assert not isinstance(record, Reason), "refused"
    return replace(
        state,
        obligations=tuple(
            o
            for o in state.obligations
            if not (isinstance(o, Evaluation) and o.round_number == record.round_number)
        ),
    )


def _owe_correction(
    state: TableState,
    event: Event,
    fact: events.SettledRoundCorrected,
    recall: Recall,
) -> TableState:
    record = refuse.find_round(state, fact.round_id, recall)
    assert not isinstance(record, Reason), "refused"
    request = games()[record.rule_set].correct(record, fact)
    assert isinstance(request, str), "refused"
    owed = Evaluation(
        record.round_number,
        record.evaluations + 1,
        record.settlement + 1,
        record.rule_set,
        record.rules_version,
        request,
        event.observe_time_ms,
    )
    return replace(state, obligations=(*state.obligations, owed))
