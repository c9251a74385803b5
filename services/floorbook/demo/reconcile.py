"""Decides whether the ledger is what the log says, to the cent, and names whatever is not.

All is computed anew from the log alone: every event is folded again, every round is judged again, every
movement becomes its entry again. Nothing that the services computed is believed, their judgements included.
Pure: what is read to reconcile comes from evidence.py.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from floorbook.evaluator.answers import Answer
from floorbook.evaluator.judge import judge
from floorbook.ledger.journal import Conflict, Entry, journalise, mirror
from floorbook.money import LAYOUT, Movement, MovementKind
from floorbook.table import events
from floorbook.table.effects import RoundOpened
from floorbook.table.events import EvaluationRefused, Event, Role, RoundEvaluated, UnknownFact
from floorbook.table.refuse import Recall
from floorbook.table.state import (
    ROUNDS_KEPT,
    Evaluation,
    RoundRecord,
    TableState,
    fresh,
    owed_as,
    round_id_of,
)
from floorbook.table.step import Step, step
from floorbook.wire import envelope
from floorbook.wire.quarantine import Unreadable

Account = tuple[str, str]
"""A currency and an account."""

_MOST_FAULTS_OF_A_KIND = 20


class LogRecord(Struct, frozen=True):
    """One record of the topic table-events."""

    partition: int
    offset: int
    key: bytes | None
    value: bytes | None


class Booked(Struct, frozen=True):
    """What the ledger's database holds of the tables in question."""

    entries: Sequence[Entry]
    balances: Mapping[Account, int]
    conflicts: Sequence[str] = ()


class Quarantine(Struct, frozen=True):
    """What was quarantined: reasons by place in the log, and counts of what no topic has."""

    in_log: Mapping[tuple[int, int], str] = {}
    outside: Mapping[str, int] = {}
    elsewhere: Sequence[str] = ()


class Round(Struct):
    """One round as the log has it."""

    round_id: str
    in_force: set[str] = field(default_factory=set)
    void: bool = False


class Refused(Struct, frozen=True):
    """One event that the fold refused."""

    event_id: str
    code: str
    role: Role


class Recomputed(Struct):
    """What the log comes to."""

    states: dict[str, TableState] = field(default_factory=dict)
    rounds: dict[str, Round] = field(default_factory=dict)
    entries: dict[str, Entry] = field(default_factory=dict)
    verdicts: dict[str, str] = field(default_factory=dict)
    refusals: list[Refused] = field(default_factory=list)
    events: int = 0
    skipped: int = 0
    first_ms: int = 0
    last_ms: int = 0
    faults: list[str] = field(default_factory=list)

    @property
    def seconds(self) -> float:
        """Return the time from the first event to the last."""
        return max(self.last_ms - self.first_ms, 1) / 1000


class Reconciliation(Struct):
    """What a comparison came to; no faults is the only good result."""

    faults: list[str]
    differences: dict[Account, int]
    trial_balance: dict[str, int]

    @property
    def total_difference(self) -> int:
        """Return all differences in minor units, without their signs."""
        return sum(map(abs, self.differences.values()))

    @property
    def total_imbalance(self) -> int:
        """Return what the accounts of each currency sum to, without signs."""
        return sum(map(abs, self.trial_balance.values()))


def recompute(
    records: Sequence[LogRecord], tables: frozenset[str], quarantine: Quarantine
) -> Recomputed:
    """Return what the log's `records` come to for `tables`; each partition's in order."""
    found = Recomputed()
    kept: dict[str, dict[int, RoundRecord]] = {}
    for record in records:
        event = _event_of(record, quarantine, found)
        if event is None or event.table_id not in tables:
            continue
        state = found.states.get(event.table_id) or fresh(event.table_id, record.partition)
        event = _judged_again(state, event, found)
        rounds = kept.setdefault(event.table_id, {})
        taken = step(state, event, Recall(rounds))
        found.states[event.table_id] = taken.state
        for each in taken.effects.records:
            rounds[each.round_number % ROUNDS_KEPT] = each
        _note(found, state, event, taken)
        for movement in taken.effects.movements:
            _book(found, movement)
    return found


def compare(
    found: Recomputed,
    booked: Booked,
    quarantine: Quarantine,
    *,
    told: Mapping[str, str] | None = None,
    lost_readings: Mapping[str, str] | None = None,
    wrong_sent: Mapping[str, int] | None = None,
    poisoned: Collection[tuple[int, int]] = (),
) -> Reconciliation:
    """Return what differs between the recomputed log and the books, and between log and floor.

    `told` is what terminals were told; `lost_readings`, `wrong_sent` and the records `poisoned` are what was done
    wrong on purpose.
    """
    differences = _differences(_balances(found.entries.values()), booked.balances)
    trial = Counter[str]()
    for (currency, _), amount in booked.balances.items():
        trial[currency] += amount
    faults = [*found.faults]
    faults += _few(_entry_faults(found.entries, booked.entries))
    faults += [f"the ledger has noted a conflict: {each}" for each in booked.conflicts]
    faults += _few(
        f"{account} in {currency}: the ledger differs from the log by {amount} minor units"
        for (currency, account), amount in sorted(differences.items())
    )
    faults += [
        f"all accounts in {currency} sum to {amount} and not to zero"
        for currency, amount in trial.items()
        if amount
    ]
    faults += _few(_layout_faults(booked.balances))
    faults += _few(_round_faults(found))
    faults += _few(_table_faults(found.states))
    faults += _few(_verdict_faults(found, told or {}, lost_readings or {}))
    faults += _few(_quarantine_faults(quarantine, wrong_sent or {}, poisoned))
    return Reconciliation(faults, differences, dict(trial))


def _event_of(record: LogRecord, quarantine: Quarantine, found: Recomputed) -> Event | None:
    """Return the event in a record as the live fold had it; None for what it skipped."""
    event = envelope.decode(record.value, record.key, record.partition, record.offset)
    reason = quarantine.in_log.get((record.partition, record.offset))
    place = f"record {record.partition}/{record.offset}"
    if isinstance(event, Unreadable):
        if reason is None:
            found.faults.append(f"{place} cannot be read ({event.reason}) and is not in quarantine")
        found.skipped += 1
        return None
    if reason is None:
        if isinstance(event.fact, UnknownFact):
            found.faults.append(f"{place} holds an unknown fact and is not in quarantine")
        return event
    if reason not in envelope.USED_UP:
        found.skipped += 1
        return None
    return envelope.with_unknown_fact(event)


def _judged_again(state: TableState, event: Event, found: Recomputed) -> Event:
    """Return the event, of an evaluation with what the rules say and not with what was logged."""
    owed = owed_as(state, event.obligation_id) if event.role is Role.PROCESSOR else None
    if not isinstance(owed, Evaluation):
        return event
    judgement = judge(owed.rule_set, owed.rules_version, msgspec.json.decode(owed.request))
    fact = event.fact
    if not isinstance(fact, RoundEvaluated):
        if isinstance(fact, EvaluationRefused) and isinstance(judgement, Answer):
            found.faults.append(
                f"{event.event_id}: the log has a refusal ({fact.code}), the rules have an answer"
            )
        return event
    if not isinstance(judgement, Answer):
        found.faults.append(f"{event.event_id}: the log has an answer, the rules have none")
        return event
    if fact.result == judgement.result or _same(fact.result, judgement.result):
        return event
    found.faults.append(f"{event.event_id}: the logged answer is not what the rules come to")
    again = replace(fact, result=judgement.result, explanation=judgement.explanation)
    return replace(event, fact=again)


def _same(one: str, other: str) -> bool:
    try:
        return bool(msgspec.json.decode(one) == msgspec.json.decode(other))
    except msgspec.DecodeError:
        return False


def _note(found: Recomputed, before: TableState, event: Event, taken: Step) -> None:
    found.events += 1
    found.first_ms = min(found.first_ms or event.observe_time_ms, event.observe_time_ms)
    found.last_ms = max(found.last_ms, event.observe_time_ms)
    verdict = taken.verdict
    code = verdict.refusal.code if verdict.refusal else ""
    if not verdict.known:
        found.verdicts.setdefault(event.event_id, code)
        if code:
            found.refusals.append(Refused(event.event_id, code, event.role))
    for disclosure in taken.effects.disclosures:
        if isinstance(disclosure.shown, RoundOpened):
            opened = disclosure.shown.round_id
            found.rounds[opened] = Round(opened)
    if code or verdict.known:
        return
    match event.fact:
        case events.RoundVoided():
            found.rounds[round_id_of(before)].void = True
        case events.SettledRoundVoided(round_id):
            found.rounds[round_id].void = True


def _book(found: Recomputed, movement: Movement) -> None:
    """Note the entry that a movement becomes."""
    in_force = found.rounds[movement.round_id].in_force
    entry: Entry | Conflict
    if movement.kind is MovementKind.REVERSAL:
        entry = mirror(movement, found.entries.get(movement.reverses))
        in_force.discard(movement.reverses)
    else:
        entry = journalise(movement)
        if movement.kind is MovementKind.SETTLEMENT:
            in_force.add(movement.movement_id)
    if isinstance(entry, Conflict):
        found.faults.append(f"{movement.movement_id}: the log contradicts itself: {entry.detail}")
    elif movement.movement_id in found.entries:
        found.faults.append(f"{movement.movement_id}: the log brings it about twice")
    else:
        found.entries[movement.movement_id] = entry


def _balances(entries: Iterable[Entry]) -> Counter[Account]:
    balances = Counter[Account]()
    for entry in entries:
        for posting in entry.postings:
            balances[entry.currency, posting.account] += posting.amount
    return balances


def _differences(wanted: Mapping[Account, int], found: Mapping[Account, int]) -> dict[Account, int]:
    return {
        account: difference
        for account in wanted.keys() | found.keys()
        if (difference := found.get(account, 0) - wanted.get(account, 0))
    }


def _entry_faults(wanted: Mapping[str, Entry], booked: Sequence[Entry]) -> list[str]:
    faults = []
    times = Counter(entry.entry_id for entry in booked)
    faults += [
        f"{one}: the ledger has it {count} times" for one, count in times.items() if count > 1
    ]
    faults += [f"{one}: the ledger does not have it" for one in wanted if one not in times]
    for entry in booked:
        expected = wanted.get(entry.entry_id)
        if expected is None:
            faults.append(
                f"{entry.entry_id}: the ledger has it, nothing in the log brings it about"
            )
        elif expected.fingerprint != entry.fingerprint:
            faults.append(f"{entry.entry_id}: the ledger has it with another fingerprint")
        elif _money(expected) != _money(entry):
            faults.append(f"{entry.entry_id}: the ledger's postings are not those of the log")
        elif expected.number != entry.number:
            faults.append(
                f"{entry.entry_id}: the ledger numbers it {entry.number}, the log {expected.number}"
            )
    return faults


def _money(entry: Entry) -> list[tuple[str, str, int]]:
    return [(entry.currency, posting.account, posting.amount) for posting in entry.postings]


def _layout_faults(balances: Mapping[Account, int]) -> list[str]:
    return [
        f"{account} in {currency}: {amount} minor units still lie on the layout"
        for (currency, account), amount in sorted(balances.items())
        if account.endswith(f"/{LAYOUT}") and amount
    ]


def _round_faults(found: Recomputed) -> list[str]:
    faults = []
    for one in found.rounds.values():
        settled = len(one.in_force)
        if one.void and settled:
            faults.append(f"{one.round_id}: void, and a settlement is still in force")
        elif not one.void and settled != 1:
            faults.append(f"{one.round_id}: {settled} settlements in force, and it is not void")
    return faults


def _table_faults(states: Mapping[str, TableState]) -> list[str]:
    faults = []
    for table_id, state in states.items():
        if state.obligations:
            faults.append(f"{table_id}: still owes {len(state.obligations)} answers")
        if state.causes:
            causes = ", ".join(cause.cause_id for cause in state.causes)
            faults.append(f"{table_id}: still suspended for {causes}")
    return faults


def _verdict_faults(
    found: Recomputed, told: Mapping[str, str], lost_readings: Mapping[str, str]
) -> list[str]:
    faults = []
    for event_id, code in (*told.items(), *lost_readings.items()):
        verdict = found.verdicts.get(event_id)
        if verdict is None:
            faults.append(f"{event_id}: answered, and not in the log")
        elif verdict != code:
            faults.append(
                f"{event_id}: answered {code or 'applied'}, the log says {verdict or 'applied'}"
            )
    if told:
        faults += [
            f"{each.event_id}: refused with {each.code}, and nobody knows why"
            for each in found.refusals
            if each.role is Role.DEVICE and each.event_id not in lost_readings
        ]
    return faults


def _quarantine_faults(
    quarantine: Quarantine, wrong_sent: Mapping[str, int], poisoned: Collection[tuple[int, int]]
) -> list[str]:
    faults = [f"quarantined: {each}" for each in quarantine.elsewhere]
    faults += [
        f"record {partition}/{offset} of the log is quarantined: {reason}"
        for (partition, offset), reason in quarantine.in_log.items()
        if (partition, offset) not in poisoned
    ]
    faults += [
        f"record {partition}/{offset} of the log was poisoned and is not in quarantine"
        for partition, offset in sorted(poisoned)
        if (partition, offset) not in quarantine.in_log
    ]
    for reason in sorted(quarantine.outside.keys() | wrong_sent.keys()):
        found, sent = quarantine.outside.get(reason, 0), wrong_sent.get(reason, 0)
        if found != sent:
            faults.append(f"{found} are quarantined as {reason}, {sent} were sent wrong so")
    return faults


def _few(faults: Iterable[str]) -> list[str]:
    """Return the faults, of very many the first ones and their number."""
    listed = list(faults)
    if len(listed) <= _MOST_FAULTS_OF_A_KIND:
        return listed
    more = len(listed) - _MOST_FAULTS_OF_A_KIND
    return [*listed[:_MOST_FAULTS_OF_A_KIND], f"… and {more} more like these"]


def settlements_in_force(entries: Sequence[Entry]) -> int:
    """Return how many settlements the ledger has that no reversal takes back."""
    reversed_ids = {entry.reverses for entry in entries if entry.reverses}
    return sum(
        1
        for entry in entries
        if entry.kind is MovementKind.SETTLEMENT and entry.entry_id not in reversed_ids
    )
