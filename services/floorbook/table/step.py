"""One event, whole: sequence check, refuse, apply, decide. What the shell calls for every record."""

import re
from typing import assert_never

from msgspec import Struct
from msgspec.structs import replace

from floorbook.table import events, fold, sources
from floorbook.table.decide import Effects, changes_of, decide, decide_answer, unfit_answer, view_of
from floorbook.table.effects import Verdict
from floorbook.table.events import Event, Role
from floorbook.table.game import Game, games
from floorbook.table.refuse import (
    Recall,
    is_stranger,
    refuse,
    refuse_answer,
)
from floorbook.table.sources import Turn
from floorbook.table.state import (
    CauseKind,
    Evaluation,
    Reason,
    TableState,
    Timer,
    end_cause,
    owed_as,
    suspend,
    without,
)


class Step(Struct, frozen=True):
    """What one event comes to: the table after it, the verdict and the effects.

    `state` is the very object that came in when nothing of it changed.
    """

    state: TableState
    verdict: Verdict
    effects: Effects = Effects()


APPLIED = Verdict()
_OBLIGATION = re.compile(r"[^/]+/([0-9]{1,18})/([a-z]+)/([0-9]{1,18})\Z")


def game_of(state: TableState) -> Game | None:
    """Return the game that a table plays, or None while it is closed."""
    return games().get(state.terms.rule_set) if state.terms else None


def step(state: TableState, event: Event, recall: Recall) -> Step:
    """Return what `event` comes to. Pure and total; `event` lies above the state's offset."""
    assert event.offset > state.offset, "what the state has folded is the shell's to skip"
    if isinstance(event.fact, events.ViewAsked) and event.equipment_kind is None:
        # A gateway asks for a viewer; gateways are no equipment and have no sequence here.
        return Step(state, APPLIED, view_of(state, event, game_of(state)))
    if event.role is Role.PROCESSOR:
        return _answered(state, event, recall)
    heard = sources.hear(state, event)
    match heard.turn:
        case Turn.KNOWN:
            return Step(state, Verdict(heard.first, known=True, forgotten=heard.forgotten))
        case Turn.STALE_BOOT:
            return Step(state, Verdict(Reason("STALE_BOOT")))
        case Turn.CONFLICT | Turn.GAP if is_stranger(state, event):
            # What is not of the table must not be able to stop it.
            return Step(state, Verdict(Reason("UNKNOWN_EQUIPMENT")))
        case Turn.CONFLICT:
            return _suspended(state, event, f"{CauseKind.CONFLICT}/{event.event_id}", "CONFLICT")
        case Turn.GAP:
            return _suspended(state, event, _hole(event), "SEQUENCE_GAP")
        case Turn.LOST if not is_stranger(state, event):
            lost = f"{CauseKind.LOST}/{event.equipment_id}/{event.boot}"
            suspended = suspend(_at(state, event), lost)
            return _taken(state, _healed(suspended, event), event, recall)
        case Turn.NEXT | Turn.LOST:
            return _taken(state, _healed(state, event), event, recall)
        case _:
            assert_never(heard.turn)


def _hole(event: Event) -> str:
    return f"{CauseKind.HOLE}/{event.equipment_id}/{event.boot}"


def _healed(state: TableState, event: Event) -> TableState:
    """Return the state without the hole that `event` was missing from, if there was one."""
    if not state.causes:
        return state
    hole = _hole(event)
    if not any(cause.cause_id == hole for cause in state.causes):
        return state
    return end_cause(_at(state, event), hole)


def _at(state: TableState, event: Event) -> TableState:
    return fold.advance(state, event.observe_time_ms)


def _suspended(state: TableState, event: Event, cause: str, code: str) -> Step:
    """Return a refusal for which a supervisor must look; the source's counter stands."""
    after = suspend(_at(state, event), cause)
    after = replace(after, offset=event.offset)
    return Step(after, Verdict(Reason(code)), changes_of(state, after))


def _taken(before: TableState, state: TableState, event: Event, recall: Recall) -> Step:
    """Return what the next event of its source comes to; `state` has its hole healed."""
    game = game_of(state)
    fact = event.fact
    if isinstance(fact, events.UnknownFact) and not is_stranger(state, event):
        return _used_up(
            before, state, event, f"{CauseKind.UNKNOWN}/{event.event_id}", Reason("UNKNOWN_FACT")
        )
    if isinstance(fact, events.TableOpened) and game is None:
        game = games().get(fact.rule_set)
    reason = refuse(state, event, game, recall)
    if reason is not None:
        after = replace(sources.count(state, event, reason), offset=event.offset)
        return Step(after, Verdict(reason), changes_of(before, after))
    if isinstance(fact, events.ViewAsked):
        after = replace(sources.count(state, event, None), offset=event.offset)
        shown = (
            *changes_of(before, after).disclosures,
            *view_of(after, event, game).disclosures,
        )
        return Step(after, APPLIED, Effects(shown))
    if state.game is not None and game is not None:
        reason = game.suspends(state, event)
    if reason is not None:
        return _used_up(before, state, event, f"{CauseKind.OPENING}/{event.event_id}", reason)
    after = fold.apply(_at(state, event), event, game, recall)
    after = replace(sources.count(after, event, None), offset=event.offset)
    if game is None:
        return Step(after, APPLIED, changes_of(before, after))
    effects = decide(before, event, after, game, recall)
    return Step(_numbered(after, effects), APPLIED, effects)


def _used_up(
    before: TableState, state: TableState, event: Event, cause: str, reason: Reason
) -> Step:
    """Return a refusal that uses up the event's number and suspends the table."""
    after = suspend(_at(state, event), cause)
    after = replace(sources.count(after, event, reason), offset=event.offset)
    return Step(after, Verdict(reason), changes_of(before, after))


def _numbered(state: TableState, effects: Effects) -> TableState:
    if not effects.movements:
        return state
    return replace(state, movements=state.movements + len(effects.movements))


def _answered(state: TableState, event: Event, recall: Recall) -> Step:
    """Return what the processor's own event comes to: the answer to something owed, or nothing."""
    owed = owed_as(state, event.obligation_id)
    game = game_of(state)
    if owed is None:
        return Step(state, _not_owed(state, event, recall))
    if state.causes:
        return Step(state, Verdict(Reason("SUSPENDED")))
    if isinstance(event.fact, events.UnknownFact):
        # It would stay owed, and nobody would ask again or know why.
        return _suspended(state, event, f"{CauseKind.UNKNOWN}/{event.event_id}", "UNKNOWN_FACT")
    if isinstance(owed, Timer):
        if not isinstance(event.fact, events.TimerExpired) or game is None:
            return Step(state, Verdict(Reason("NOT_AN_ANSWER")))
        after = game.apply(without(_at(state, event), owed), event)
        after = replace(after, offset=event.offset)
        effects = decide(state, event, after, game, recall)
        return Step(_numbered(after, effects), APPLIED, effects)
    return _evaluated(state, event, owed, recall)


def _evaluated(state: TableState, event: Event, owed: Evaluation, recall: Recall) -> Step:
    game = games()[owed.rule_set]
    fact = event.fact
    if isinstance(fact, events.RoundEvaluated):
        if (unfit := refuse_answer(fact, owed, game)) is not None:
            reason, fault = unfit
            taken = _suspended(state, event, fold.cause_of(state, owed), reason.code)
            return replace(taken, effects=unfit_answer(state, taken.state, reason.code, fault))
    elif not isinstance(fact, events.EvaluationRefused):
        return Step(state, Verdict(Reason("NOT_AN_ANSWER")))
    after = fold.answer(_at(state, event), event, owed, game)
    after = replace(after, offset=event.offset)
    effects = decide_answer(state, event, after, owed, game, recall)
    return Step(_numbered(after, effects), APPLIED, effects)


def _not_owed(state: TableState, event: Event, recall: Recall) -> Verdict:
    """Return the verdict on an answer to what is no longer owed: known already, unless it differs."""
    number, kind, n = _parts(event.obligation_id)
    if isinstance(event.fact, events.TimerExpired):
        latest = number == state.round_number and n == state.timers
        game = game_of(state)
        answered = latest and game is not None and game.signal_given(state)
        return Verdict(known=True) if answered else Verdict(Reason("STALE_TIMER"))
    record = recall.round(number)
    if (
        isinstance(event.fact, events.RoundEvaluated)
        and kind == "evaluation"
        and record is not None
        and record.in_force
        and record.evaluations == n
    ):
        game = games()[record.rule_set]
        fault = game.answer_fault(record.request, event.fact.result)
        if fault or game.transfers(record.request, event.fact.result) != record.transfers:
            return Verdict(Reason("ANSWER_DIFFERS"), known=True)
    return Verdict(known=True)


def _parts(obligation_id: str) -> tuple[int, str, int]:
    """Return round number, kind and n of an obligation's id; zeros for what is none."""
    parts = _OBLIGATION.match(obligation_id)
    return (int(parts[1]), parts[2], int(parts[3])) if parts else (0, "", 0)
