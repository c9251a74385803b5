"""Works off what tables owe, beside the stream: evaluations are asked for, timers waited for.

Decides nothing: what is owed stands in the state, and the answer is an event like any other, with
the obligation's id. An obligation is never given up; one that is answered twice does no harm.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable

from floorbook import ids, logs
from floorbook.evaluator.client import (
    Answer,
    Client,
    Outcome,
    Refusal,
    Unavailable,
    VersionUnknown,
    pauses,
)
from floorbook.metrics.catalogue import TableMetrics
from floorbook.table.events import (
    EvaluationRefused,
    Event,
    Fact,
    Role,
    RoundEvaluated,
    TimerExpired,
)
from floorbook.table.state import Evaluation, Obligation, TableState, Timer, obligation_id
from floorbook.table.tracing import Tracing

Append = Callable[[Event], Awaitable[None]]
"""Appends an event to the log; returns once the broker has it, raises when it does not."""

_LATE_SECONDS = 1.0


def now_ms() -> int:
    """Return the clock, in milliseconds since the Unix epoch."""
    return time.time_ns() // 1_000_000


class Obligations:
    """What the tables of the partitions held here owe, each worked off by a task of its own."""

    def __init__(
        self,
        client: Client,
        append: Append,
        metrics: TableMetrics,
        on_fault: Callable[[BaseException], None],
        tracing: Tracing,
    ) -> None:
        """Return a worker that owes nothing yet; `on_fault` gets what no task should raise."""
        self._tracing = tracing
        self._client = client
        self._append = append
        self._metrics = metrics
        self._on_fault = on_fault
        self._tasks: dict[str, dict[str, asyncio.Task[None]]] = {}
        self._owed: dict[str, Obligation] = {}
        self.evaluator_fault: str | None = None

    def follow(self, state: TableState) -> None:
        """Return after starting what `state` owes and cancelling what it no longer does."""
        wanted = {} if state.causes else {obligation_id(state, o): o for o in state.obligations}
        running = self._tasks.get(state.table_id)
        if not wanted and not running:
            return
        running = self._tasks.setdefault(state.table_id, {})
        for gone in running.keys() - wanted.keys():
            running.pop(gone).cancel()
            self._owed.pop(gone, None)
        for answer_id, owed in wanted.items():
            if answer_id not in running:
                self._owed[answer_id] = owed
                task = asyncio.create_task(self._work_off(state, answer_id, owed))
                task.add_done_callback(self._ended)
                running[answer_id] = task
        if not running:
            del self._tasks[state.table_id]

    def _ended(self, task: asyncio.Task[None]) -> None:
        # Unseen, it would leave a table waiting for ever.
        if not task.cancelled() and (fault := task.exception()) is not None:
            self._on_fault(fault)

    def keep_only(self, tables: set[str]) -> None:
        """Return after cancelling what is owed by tables that are no longer held here."""
        for table_id in self._tasks.keys() - tables:
            for answer_id, task in self._tasks.pop(table_id).items():
                task.cancel()
                self._owed.pop(answer_id, None)

    def measure(self) -> None:
        """Return after setting the gauges of what is owed."""
        now = now_ms()
        ages = {"evaluation": [0.0], "timer": [0.0]}
        late: dict[str, float] = {}
        for answer_id, owed in self._owed.items():
            due = owed.due_ms if isinstance(owed, Timer) else owed.completed_time_ms
            kind = "timer" if isinstance(owed, Timer) else "evaluation"
            seconds = max((now - due) / 1000, 0.0)
            ages[kind].append(seconds)
            if kind == "evaluation" and seconds > _LATE_SECONDS:
                table_id = answer_id.partition("/")[0]
                late[table_id] = max(seconds, late.get(table_id, 0.0))
        for kind, seconds_of in ages.items():
            self._metrics.obligations_open.set(len(seconds_of) - 1, kind=kind)
            self._metrics.obligation_oldest_seconds.set(max(seconds_of), kind=kind)
        if len(ages["evaluation"]) == 1:
            self.evaluator_fault = None  # nobody waits for it any more
        self._metrics.owing_seconds.forget_all()
        for table_id, seconds in late.items():
            self._metrics.owing_seconds.set(table_id, seconds)

    async def close(self) -> None:
        """Return once nothing is worked off any more; it is taken up again after the next start."""
        tasks = [task for running in self._tasks.values() for task in running.values()]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._tasks.clear()
        self._owed.clear()

    async def _work_off(self, state: TableState, answer_id: str, owed: Obligation) -> None:
        if isinstance(owed, Timer):
            while (left := owed.due_ms - now_ms()) > 0:  # noqa: ASYNC110 -- it waits for a clock
                await asyncio.sleep(left / 1000)
            fact: Fact = TimerExpired()
        else:
            fact = await self._judged(answer_id, owed)
        attempt = 0
        while True:
            event = Event(
                state.table_id,
                fact,
                Role.PROCESSOR,
                now_ms(),
                obligation_id=answer_id,
                partition=state.partition,
            )
            try:
                await self._append(event)
                return
            except OSError as error:
                attempt += 1
                logs.logger().warning(
                    "the log did not take an answer; trying again",
                    event_id=answer_id,
                    round_id=ids.round_of(answer_id),
                    error=str(error),
                )
                await asyncio.sleep(pauses(attempt, answer_id))

    async def _judged(self, answer_id: str, owed: Evaluation) -> Fact:
        """Return the evaluator's answer as a fact, however long it takes to get one."""
        attempt = 0
        while True:
            started = time.monotonic()
            with self._tracing.evaluating(answer_id) as parent:
                outcome = await self._client.evaluate(
                    owed.rule_set,
                    owed.rules_version,
                    owed.request,
                    alone=attempt > 0,
                    round_id=ids.round_of(answer_id),
                    parent=parent,
                )
            self._metrics.evaluation_seconds.observe(time.monotonic() - started)
            self._metrics.evaluation_attempts.add(1, outcome=_outcome_label(outcome))
            match outcome:
                case Answer():
                    self.evaluator_fault = None
                    return RoundEvaluated(
                        outcome.rule_set,
                        outcome.rules_version,
                        outcome.result,
                        outcome.explanation,
                    )
                case Refusal(code, detail):
                    self.evaluator_fault = None
                    return EvaluationRefused(code, detail)
                case VersionUnknown(detail):
                    fault = detail
                case Unavailable(reason, _):
                    fault = reason
            self.evaluator_fault = fault
            attempt += 1
            if attempt == 1:
                logs.logger().warning(
                    "no answer from the evaluator yet; asking again",
                    event_id=answer_id,
                    round_id=ids.round_of(answer_id),
                    reason=fault,
                )
            await asyncio.sleep(pauses(attempt, answer_id))


def _outcome_label(outcome: Outcome) -> str:
    match outcome:
        case Answer():
            return "answered"
        case Refusal():
            return "refused"
        case VersionUnknown():
            return "unknown_version"
        case Unavailable(_, code):
            return {"DEADLINE_EXCEEDED": "deadline", "UNAVAILABLE": "unavailable"}.get(
                code, "failed"
            )
