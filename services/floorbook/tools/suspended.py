"""Decides what `floorbook suspended` shows: the tables that stand still, why, and what they owe.

It reads what the table processors have stored, as recovery would, and asks nobody. Ids only: no player, no
face and no amount is shown.
"""

import argparse
import json
import sys
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta

from kafka.errors import KafkaError
from msgspec import MsgspecError, Struct, to_builtins

from floorbook import topics
from floorbook.settings import Settings
from floorbook.table.rebuild import LogUnreadable, stored
from floorbook.table.state import StateTooNew, TableState, Timer, obligation_id, round_id_of
from floorbook.table.step import game_of
from floorbook.table.store import Store

_FAULT = 1
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Owed(Struct, frozen=True):
    """One thing that a table owes; of a clock that stands still, what is left of it."""

    id: str
    left_ms: int | None


class Suspended(Struct, frozen=True):
    """One suspended table; `round` is the one in progress or the last, empty before the first."""

    table: str
    phase: str
    round: str
    rule_set: str
    last_event: str
    causes: tuple[str, ...]
    owes: tuple[Owed, ...]


def main(argv: list[str], settings: Settings) -> int:
    """Return the exit code of `floorbook suspended`: 1 if the states cannot be read."""
    parser = argparse.ArgumentParser(
        prog="floorbook suspended",
        description="Show the suspended tables: their causes, phase and round, and what they owe.",
    )
    parser.add_argument("--json", action="store_true", help="one JSON list instead of text")
    given = parser.parse_args(argv)
    sys.stderr.write("floorbook suspended: reading what the table processors have stored\n")
    try:
        topics.check(settings.kafka, settings.login)
        states = list(Store(stored(settings.kafka, settings.login)).states())
    except (topics.TopicsError, LogUnreadable, KafkaError) as fault:
        sys.stderr.write(f"floorbook suspended: {fault}\n")
        return _FAULT
    except (StateTooNew, MsgspecError) as fault:
        sys.stderr.write(
            f"floorbook suspended: another version stored this, use its own tool: {fault}\n"
        )
        return _FAULT
    found = suspended(states)
    for line in _as_json(found) if given.json else _as_text(found, len(states)):
        sys.stdout.write(line + "\n")
    return 0


def suspended(states: Iterable[TableState]) -> list[Suspended]:
    """Return those of the tables that are suspended, by their ids."""
    found = [_suspended(state) for state in states if state.causes]
    return sorted(found, key=lambda each: each.table)


def _suspended(state: TableState) -> Suspended:
    game = game_of(state)
    last = _EPOCH + timedelta(milliseconds=state.table_time_ms)
    return Suspended(
        table=state.table_id,
        phase=game.phase(state) if game else "CLOSED",
        round=round_id_of(state),
        rule_set=state.terms.rule_set if state.terms else "",
        last_event=last.isoformat(timespec="milliseconds"),
        causes=tuple(cause.cause_id for cause in state.causes),
        owes=tuple(
            Owed(obligation_id(state, owed), owed.left_ms if isinstance(owed, Timer) else None)
            for owed in state.obligations
        ),
    )


def _as_text(found: list[Suspended], tables: int) -> Iterator[str]:
    for each in found:
        playing = f"  round {each.round}" if each.round else ""
        yield f"{each.table}  {each.phase}{playing}  last event {each.last_event}"
        for cause in each.causes:
            yield f"    cause  {cause}"
        for owed in each.owes:
            left = "" if owed.left_ms is None else f"  ({owed.left_ms} ms left)"
            yield f"    owes   {owed.id}{left}"
    if not found:
        yield f"no table is suspended, of {tables}"
    else:
        yield f"{len(found)} suspended, of {tables} tables"


def _as_json(found: list[Suspended]) -> Iterator[str]:
    yield json.dumps(to_builtins(found), indent=2)
