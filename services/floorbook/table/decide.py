"""What follows from an event: what is shown, what is booked, which round is kept."""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from floorbook import ids
from floorbook.money import Movement, MovementKind, Transfer, fingerprint
from floorbook.table import events, refuse
from floorbook.table.effects import (
    EVERYBODY,
    SUPERVISOR,
    Booking,
    Disclosure,
    Hold,
    Release,
    Resumed,
    Reverse,
    RoundOpened,
    Settle,
    Shown,
    Suspended,
    TableView,
    audience_of,
)
from floorbook.table.events import Event
from floorbook.table.game import Game, games
from floorbook.table.refuse import Recall
from floorbook.table.state import (
    VERSION,
    Evaluation,
    Reason,
    RoundRecord,
    TableState,
    gaming_day_at,
    obligation_id,
    round_id_of,
)

_SHOWN_AS_THEY_ARE = (
    events.TableOpened,
    events.TableClosed,
    events.RoundVoided,
    events.SettledRoundVoided,
)


class Effects(Struct, frozen=True):
    """What the fold wants done after one event, in this order: show, book, keep."""

    disclosures: tuple[Disclosure, ...] = ()
    movements: tuple[Movement, ...] = ()
    records: tuple[RoundRecord, ...] = ()


def decide(
    before: TableState, event: Event, after: TableState, game: Game, recall: Recall
) -> Effects:
    """Return what an applied event brings about."""
    bookings, records = _bookings(before, event, after, game, recall)
    return Effects(
        (*_common(before, event, after), *game.disclose(before, event, after)),
        _movements(after, before.movements, bookings, event),
        records,
    )


def decide_answer(
    before: TableState,
    event: Event,
    after: TableState,
    owed: Evaluation,
    game: Game,
    recall: Recall,
) -> Effects:
    """Return what the evaluator's answer to `owed` brings about."""
    disclosures = _common(before, event, after)
    if not isinstance(event.fact, events.RoundEvaluated):
        assert isinstance(event.fact, events.EvaluationRefused), "no other fact answers a question"
        # The evaluator's sentence may quote a hand that nobody has shown: it stays in the log.
        return Effects((*disclosures, _not_evaluated(event.fact.code)))
    record = _settled(before, event.fact, owed, game, recall)
    round_id = ids.round_id(before.table_id, owed.round_number)
    disclosures.append(game.show_result(round_id, event.fact))
    bookings = _booked(Settle(record, owed.completed_time_ms))
    return Effects(
        tuple(disclosures), _movements(after, before.movements, bookings, event), (record,)
    )


def unfit_answer(before: TableState, after: TableState, code: str, fault: str) -> Effects:
    """Return what is shown of an answer that does not fit: to the supervisor, what is wrong."""
    return Effects((*changes_of(before, after).disclosures, _not_evaluated(code, fault)))


def changes_of(before: TableState, after: TableState) -> Effects:
    """Return what a refused event shows: causes of suspension that came or went with it."""
    return Effects(tuple(_disclosed(_changes(before, after))))


def view_of(state: TableState, event: Event, game: Game | None) -> Effects:
    """Return the whole view that a viewer asked for, for that viewer alone."""
    view = TableView(
        table_id=state.table_id,
        phase=game.phase(state) if game else "CLOSED",
        round_id=round_id_of(state),
        rule_set=state.terms.rule_set if state.terms else "",
        rules_version=state.terms.rules_version if state.terms else "",
        currency=state.terms.currency if state.terms else "",
        causes=tuple(cause.cause_id for cause in state.causes),
        owed=tuple(obligation_id(state, owed) for owed in state.obligations),
        table_time_ms=state.table_time_ms,
        **({game.name: game.view(state, event.role, event.person_id)} if game else {}),
    )
    return Effects((Disclosure((audience_of(event.role, event.person_id),), view),))


def _not_evaluated(code: str, detail: str = "") -> Disclosure:
    return Disclosure((SUPERVISOR,), events.EvaluationRefused(code, detail))


def settlement_of(record: RoundRecord) -> str:
    """Return the id of a round's last settlement."""
    return ids.settlement_id(ids.round_id(record.table_id, record.round_number), record.settlement)


def _common(before: TableState, event: Event, after: TableState) -> list[Disclosure]:
    """Return what an applied event shows at a table of whatever game."""
    shown: list[Shown] = []
    match event.fact:
        case events.SettledRoundCorrected(round_id, reason, reference):
            # What it replaces may be hands that nobody has shown: all see what came of it.
            shown = [events.SettledRoundCorrected(round_id, reason, reference)]
        case fact if isinstance(fact, _SHOWN_AS_THEY_ARE):
            shown = [fact]
    return _disclosed(shown + _changes(before, after))


def _disclosed(shown: list[Shown]) -> list[Disclosure]:
    return [Disclosure((EVERYBODY,), one) for one in shown]


def _changes(before: TableState, after: TableState) -> list[Shown]:
    """Return the round that began, and the causes of suspension that came and went."""
    shown: list[Shown] = []
    if after.round_number != before.round_number:
        shown.append(RoundOpened(round_id_of(after), after.gaming_day))
    if after.causes != before.causes:
        was = {cause.cause_id for cause in before.causes}
        now = {cause.cause_id for cause in after.causes}
        shown += [Suspended(c.cause_id) for c in after.causes if c.cause_id not in was]
        shown += [Resumed(c.cause_id) for c in before.causes if c.cause_id not in now]
    return shown


def _bookings(
    before: TableState, event: Event, after: TableState, game: Game, recall: Recall
) -> tuple[Sequence[Booking], tuple[RoundRecord, ...]]:
    match event.fact:
        case events.RoundVoided():
            return _booked(Release(game.given_back(game.held(before)))), ()
        case events.SettledRoundVoided(round_id):
            record = _found(before, round_id, recall)
            reverse = _booked(Reverse(record)) if record.in_force else ()
            back = games()[record.rule_set].given_back(record.held)
            bookings = (*reverse, *_booked(Release(back, record)))
            return bookings, (replace(record, in_force=False, void=True),)
        case events.SettledRoundCorrected(round_id) as fact:
            record = _found(before, round_id, recall)
            request = games()[record.rule_set].correct(record, fact)
            assert isinstance(request, str), "refused"
            corrected = replace(
                record, request=request, evaluations=record.evaluations + 1, in_force=False
            )
            return _booked(Reverse(record)), (corrected,)
        case _:
            return game.bookings(before, after), ()


def _booked(booking: Booking) -> tuple[Booking, ...]:
    """Return the booking alone, or nothing where there is nothing to hold or to give back.

    A settlement is booked even if nobody bet: every round that is not void has one in force.
    """
    if isinstance(booking, Hold | Release) and not booking.transfers:
        return ()
    return (booking,)


def _found(state: TableState, round_id: str, recall: Recall) -> RoundRecord:
    record = refuse.find_round(state, round_id, recall)
    assert not isinstance(record, Reason), "refused"
    return record


def _settled(
    before: TableState,
    fact: events.RoundEvaluated,
    owed: Evaluation,
    game: Game,
    recall: Recall,
) -> RoundRecord:
    """Return the round's record with the settlement that `fact` means."""
    transfers = game.transfers(owed.request, fact.result)
    old = recall.round(owed.round_number) if owed.settlement > 1 else None
    assert before.terms is not None or old is not None, (
        "a first settlement is made at an open table"
    )
    currency = old.currency if old else before.terms.currency  # type: ignore[union-attr]
    round_id = ids.round_id(before.table_id, owed.round_number)
    print_ = fingerprint(MovementKind.SETTLEMENT, round_id, currency, transfers)
    if old is not None:
        return replace(
            old,
            request=owed.request,
            settlement=owed.settlement,
            transfers=transfers,
            fingerprint=print_,
            evaluations=owed.n,
            in_force=True,
        )
    return RoundRecord(
        VERSION,
        before.table_id,
        owed.round_number,
        before.gaming_day,
        owed.rule_set,
        owed.rules_version,
        currency,
        owed.request,
        game.held(before),
        1,
        transfers,
        print_,
        owed.n,
    )


def _movements(
    state: TableState, numbered: int, bookings: Sequence[Booking], event: Event
) -> tuple[Movement, ...]:
    """Return the bookings as movements, with ids, numbers and fingerprints."""
    return tuple(
        _movement(state, numbered + 1 + index, index, booking, event)
        for index, booking in enumerate(bookings)
    )


def _movement(
    state: TableState, number: int, index: int, booking: Booking, event: Event
) -> Movement:
    number_of_round, day, rule_set, rules_version, currency = _round_of(state, booking)
    terms = state.terms
    round_id = ids.round_id(state.table_id, number_of_round)
    kind, movement_id, transfers, reverses, reversed_fingerprint = _described(round_id, booking)
    return Movement(
        movement_id=movement_id,
        kind=kind,
        table_id=state.table_id,
        round_id=round_id,
        game=games()[rule_set].name,
        rule_set=rule_set,
        rules_version=rules_version,
        gaming_day=day,
        own_gaming_day=gaming_day_at(terms, state.table_time_ms) if terms else day,
        table_time_ms=state.table_time_ms,
        number=number,
        currency=currency,
        fingerprint=fingerprint(kind, round_id, currency, transfers, reverses),
        transfers=transfers,
        reverses=reverses,
        reversed_fingerprint=reversed_fingerprint,
        completed_time_ms=booking.completed_time_ms if isinstance(booking, Settle) else 0,
        partition=event.partition,
        offset=event.offset,
        index=index,
    )


def _described(
    round_id: str, booking: Booking
) -> tuple[MovementKind, str, tuple[Transfer, ...], str, bytes]:
    match booking:
        case Hold(transfers):
            return MovementKind.HOLD, ids.hold_id(round_id), transfers, "", b""
        case Release(transfers, _):
            return MovementKind.RELEASE, ids.release_id(round_id), transfers, "", b""
        case Settle(record, _):
            return MovementKind.SETTLEMENT, settlement_of(record), record.transfers, "", b""
        case Reverse(record):
            settled = settlement_of(record)
            return (
                MovementKind.REVERSAL,
                ids.reversal_id(settled),
                (),
                settled,
                record.fingerprint,
            )


def _round_of(state: TableState, booking: Booking) -> tuple[int, str, str, str, str]:
    """Return number, gaming day, rule set, version and currency of the round booked for."""
    r = None if isinstance(booking, Hold) else booking.record
    if r is not None:
        return r.round_number, r.gaming_day, r.rule_set, r.rules_version, r.currency
    terms = state.terms
    assert terms is not None, "only an open table books for the round in progress"
    return (
        state.round_number,
        state.gaming_day,
        terms.rule_set,
        terms.rules_version,
        terms.currency,
    )
