"""What tables owe is worked off once each, never given up, and by nobody who no longer holds the table."""

import asyncio
from collections.abc import Callable
from typing import Any, cast

import pytest
from msgspec.structs import replace
from prometheus_client import CollectorRegistry

from floorbook.evaluator.client import Answer, Client, Outcome, Refusal, Unavailable, VersionUnknown
from floorbook.metrics.catalogue import TableMetrics
from floorbook.table.events import EvaluationRefused, Event, Role, RoundEvaluated, TimerExpired
from floorbook.table.obligations import Obligations, now_ms
from floorbook.table.state import VERSION, Cause, Evaluation, TableState, Timer
from floorbook.table.tracing import Tracing

GOOD = Answer("thirteen_cards", "1", "{}", ("Art.7",))
DOWN = Unavailable("UNAVAILABLE: nobody listens", "UNAVAILABLE")


class Evaluator:
    """Answers what a test says, in turn and then again and again the last; notes who asked."""

    def __init__(self, *outcomes: Outcome) -> None:
        self.outcomes = list(outcomes)
        self.asked: list[tuple[str, bool]] = []
        self.let = asyncio.Event()
        self.let.set()
        self.fault: Exception | None = None

    async def evaluate(
        self,
        rule_set: str,
        rules_version: str,
        input_json: str,
        *,
        alone: bool = False,
        round_id: str = "",
        parent: str = "",
    ) -> Outcome:
        assert round_id.endswith("/1")
        self.asked.append((input_json, alone))
        await self.let.wait()
        if self.fault is not None:
            raise self.fault
        return self.outcomes.pop(0) if len(self.outcomes) > 1 else self.outcomes[0]


class Work:
    """Obligations over a written log, with the pauses taken out."""

    def __init__(self, *outcomes: Outcome) -> None:
        self.evaluator = Evaluator(*outcomes)
        self.log: list[Event] = []
        self.refusals = 0
        self.faults: list[BaseException] = []
        self.registry = CollectorRegistry()
        self.obligations = Obligations(
            cast(Client, self.evaluator),
            self.append,
            TableMetrics(self.registry),
            self.faults.append,
            Tracing(None),
        )

    async def append(self, event: Event) -> None:
        await asyncio.sleep(0)
        if self.refusals:
            self.refusals -= 1
            raise ConnectionError("no broker")
        self.log.append(event)

    def answered(self) -> list[str]:
        return [event.event_id for event in self.log]


@pytest.fixture(autouse=True)
def _no_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("floorbook.table.obligations.pauses", lambda attempt, seed: 0.0)


def owing(*owed: Any, table_id: str = "T1", suspended: bool = False) -> TableState:
    causes = (Cause("supervisor/1"),) if suspended else ()
    return TableState(VERSION, table_id, 3, obligations=owed, causes=causes)


def evaluation(n: int = 1, request: str = "{}") -> Evaluation:
    return Evaluation(1, n, 1, "thirteen_cards", "1", request, now_ms())


async def until(holds: Callable[[], object]) -> None:
    async with asyncio.timeout(5):
        while not holds():  # noqa: ASYNC110 -- what it waits for has no event
            await asyncio.sleep(0)


async def settle() -> None:
    """Return after everybody who could go on has done so."""
    for _ in range(20):
        await asyncio.sleep(0)


async def test_an_answer_is_an_event_with_the_obligations_id() -> None:
    work = Work(GOOD)

    work.obligations.follow(owing(evaluation(2)))
    await until(lambda: work.log)

    (event,) = work.log
    assert event.event_id == "T1/1/evaluation/2"
    assert event.role is Role.PROCESSOR
    assert event.partition == 3
    assert event.fact == RoundEvaluated("thirteen_cards", "1", "{}", ("Art.7",))


async def test_a_refusal_is_an_answer_too() -> None:
    work = Work(Refusal("BAD_HANDS", "thirteen cards are needed"))

    work.obligations.follow(owing(evaluation()))
    await until(lambda: work.log)

    assert work.log[0].fact == EvaluationRefused("BAD_HANDS", "thirteen cards are needed")


@pytest.mark.parametrize(
    "first",
    [
        DOWN,
        VersionUnknown("version 2 is not known here"),
        Unavailable("INTERNAL: it broke", "INTERNAL"),
        Unavailable("DEADLINE_EXCEEDED: too slow", "DEADLINE_EXCEEDED"),
    ],
)
async def test_no_answer_is_asked_for_again_alone_until_there_is_one(first: Outcome) -> None:
    work = Work(first, first, GOOD)
    faults: list[str | None] = []
    work.evaluator.let.clear()
    work.obligations.follow(owing(evaluation()))
    await settle()
    work.evaluator.let.set()
    while not work.log:
        faults.append(work.obligations.evaluator_fault)
        await asyncio.sleep(0)

    assert [alone for _, alone in work.evaluator.asked] == [False, True, True]
    assert any(faults), "readiness did not hear of it"
    assert work.obligations.evaluator_fault is None
    assert work.answered() == ["T1/1/evaluation/1"]


async def test_a_log_that_does_not_take_the_answer_is_asked_again() -> None:
    work = Work(GOOD)
    work.refusals = 3

    work.obligations.follow(owing(evaluation()))
    await until(lambda: work.log)

    assert len(work.evaluator.asked) == 1, "the answer was there already"


async def test_what_is_owed_is_asked_once_however_often_the_state_is_seen() -> None:
    work = Work(GOOD)
    state = owing(evaluation())

    for _ in range(3):
        work.obligations.follow(state)
        await settle()

    assert len(work.evaluator.asked) == 1
    assert len(work.log) == 1


async def test_what_is_no_longer_owed_is_not_worked_off() -> None:
    work = Work(GOOD)
    work.evaluator.let.clear()
    work.obligations.follow(owing(evaluation()))
    await settle()

    work.obligations.follow(owing())
    work.evaluator.let.set()
    await settle()

    assert work.log == []


async def test_a_suspended_table_owes_nothing_until_it_is_owed_anew() -> None:
    work = Work(GOOD)
    work.evaluator.let.clear()
    work.obligations.follow(owing(evaluation(1)))
    await settle()
    work.obligations.follow(owing(evaluation(1), suspended=True))
    work.evaluator.let.set()
    await settle()
    assert work.log == []

    work.obligations.follow(owing(evaluation(2)))
    await until(lambda: work.log)

    assert work.answered() == ["T1/1/evaluation/2"]


async def test_a_timer_waits_for_its_time_and_then_signals() -> None:
    work = Work(GOOD)

    work.obligations.follow(owing(Timer(1, 1, now_ms() + 3_600_000), table_id="T1"))
    work.obligations.follow(owing(Timer(1, 1, now_ms() - 1), table_id="T2"))
    await until(lambda: work.log)
    await settle()

    assert work.answered() == ["T2/1/timer/1"]
    assert work.log[0].fact == TimerExpired()
    await work.obligations.close()


async def test_tables_of_lost_partitions_are_left_to_others_and_the_rest_goes_on() -> None:
    work = Work(GOOD)
    work.evaluator.let.clear()
    for table_id in ("T1", "T2"):
        work.obligations.follow(owing(evaluation(), table_id=table_id))
    await settle()

    work.obligations.keep_only({"T2"})
    work.evaluator.let.set()
    await until(lambda: work.log)
    await settle()

    assert work.answered() == ["T2/1/evaluation/1"]
    assert len(work.evaluator.asked) == 2, "what runs was begun anew"


async def test_a_fault_in_a_task_is_told_and_not_swallowed() -> None:
    work = Work(GOOD)
    work.evaluator.fault = RuntimeError("a bug")

    work.obligations.follow(owing(evaluation()))
    await until(lambda: work.faults)

    assert [str(fault) for fault in work.faults] == ["a bug"]


async def test_nothing_is_worked_off_after_the_end_and_nothing_is_told_of_it() -> None:
    work = Work(GOOD)
    work.evaluator.let.clear()
    work.obligations.follow(owing(evaluation(), Timer(1, 1, now_ms() + 3_600_000)))
    await settle()

    await work.obligations.close()
    work.evaluator.let.set()
    await settle()

    assert work.log == []
    assert work.faults == []


async def test_the_gauges_say_what_is_owed_and_how_late_it_is() -> None:
    work = Work(GOOD)
    work.evaluator.let.clear()
    late = replace(evaluation(), completed_time_ms=now_ms() - 90_000)
    work.obligations.follow(owing(late, Timer(1, 1, now_ms() + 3_600_000)))
    work.obligations.measure()

    def value(name: str, **labels: str) -> float:
        found = work.registry.get_sample_value(f"floorbook_table_{name}", labels)
        assert found is not None, name
        return found

    assert value("obligations_open", kind="evaluation") == 1
    assert value("obligations_open", kind="timer") == 1
    assert value("obligation_oldest_seconds", kind="evaluation") >= 90
    assert value("obligation_oldest_seconds", kind="timer") == 0
    assert value("owing_seconds", table="T1") >= 90
    work.obligations.follow(owing())
    work.obligations.evaluator_fault = "UNAVAILABLE"
    work.obligations.measure()
    assert value("obligations_open", kind="evaluation") == 0
    assert work.registry.get_sample_value("floorbook_table_owing_seconds", {"table": "T1"}) is None
    assert work.obligations.evaluator_fault is None, "nobody waits for it any more"
