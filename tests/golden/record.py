"""Records golden rounds, or reads them: the logs of whole rounds, and what must come of each.

    python -m tests.golden.record

writes every one anew, into a folder for each rule set. A change in one of these files is a change of
what the rules mean: it needs a new rules version or a reason.
"""

import hashlib
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from floorbook.money import Movement
from floorbook.table.events import EquipmentKind, Event, Role
from floorbook.table.refuse import Recall
from floorbook.table.state import ROUNDS_KEPT, RoundRecord, encode, fresh
from floorbook.table.step import Step, step
from floorbook.wire import envelope

FOLDER = Path(__file__).parent
_MISSING: dict[str, Any] = {
    "equipment_id": "",
    "equipment_kind": None,
    "boot": 0,
    "sequence": 0,
    "obligation_id": "",
    "client_id": "",
    "person_id": "",
}


class Golden(Struct, frozen=True):
    """A log of one table, and what comes of it; `state` is the SHA-256 of the stored state."""

    rule_set: str
    about: str
    events: list[dict[str, Any]]
    verdicts: list[dict[str, Any]]
    movements: list[dict[str, Any]]
    phase: str
    state: str


Script = Callable[[], tuple[str, str, Sequence[Event]]]
"""Plays, and returns the rule set, what it is about, and the log."""


def written(event: Event) -> dict[str, Any]:
    """Return an event as people can read it; what is not given is left out."""
    fact = msgspec.to_builtins(event.fact)
    del fact["type"]
    line: dict[str, Any] = {"fact": envelope.name_of(event.fact), **({"is": fact} if fact else {})}
    for name, missing in _MISSING.items():
        value = getattr(event, name)
        if value != missing:
            line[name] = value.name if isinstance(value, EquipmentKind) else value
    return {
        "offset": event.offset,
        "role": event.role.name,
        "observe_time_ms": event.observe_time_ms,
        **line,
    }


def read(line: dict[str, Any], table_id: str) -> Event:
    """Return the event that was written."""
    structs = dict(envelope.COMMON)
    for facts in envelope.GAMES.values():
        structs |= facts
    struct = structs[line["fact"]]
    fact = msgspec.convert({"type": struct.__name__, **line.get("is", {})}, struct)
    given = {name: line[name] for name in _MISSING if name in line}
    if "equipment_kind" in given:
        given["equipment_kind"] = EquipmentKind[given["equipment_kind"]]
    return Event(
        table_id,
        fact,
        Role[line["role"]],
        line["observe_time_ms"],
        fingerprint=envelope.fingerprint(fact) if "equipment_id" in line else b"",
        offset=line["offset"],
        **given,
    )


def outcome(log: Sequence[Event], rule_set: str, about: str) -> Golden:
    """Return what the fold makes of a log."""
    table_id = log[0].table_id
    state = fresh(table_id, 0)
    records: dict[int, RoundRecord] = {}
    verdicts: list[dict[str, Any]] = []
    movements: list[dict[str, Any]] = []
    for event in log:
        taken = step(state, event, Recall(records))
        state = taken.state
        records |= {one.round_number % ROUNDS_KEPT: one for one in taken.effects.records}
        verdicts.append(_verdict(event, taken))
        movements += [_movement(one) for one in taken.effects.movements]
    assert state.game is not None, "a golden table is open"
    digest = hashlib.sha256(encode(state)).hexdigest()
    lines = [written(event) for event in log]
    return Golden(rule_set, about, lines, verdicts, movements, str(state.game.phase), digest)


def _verdict(event: Event, taken: Step) -> dict[str, Any]:
    verdict = taken.verdict
    said: dict[str, Any] = {"offset": event.offset}
    if verdict.refusal is None:
        said["applied"] = not verdict.known
    else:
        said |= {"refused": verdict.refusal.code, "rules": list(verdict.refusal.rules)}
    if verdict.known:
        said["known"] = True
    return said


def _movement(movement: Movement) -> dict[str, Any]:
    money: dict[str, Any] = {
        "id": movement.movement_id,
        "kind": movement.kind.value,
        "number": movement.number,
        "gaming_day": movement.gaming_day,
        "currency": movement.currency,
        "fingerprint": movement.fingerprint.hex(),
        "transfers": [
            [t.payer, t.payee, t.amount, t.subject, list(t.rules)] for t in movement.transfers
        ],
    }
    if movement.reverses:
        money["reverses"] = movement.reverses
    return money


def text(golden: Golden) -> str:
    """Return a golden round as it stands in its file: one line for each event, verdict, movement."""
    head = [("rule_set", golden.rule_set), ("about", golden.about), ("phase", golden.phase),
            ("state", golden.state)]  # fmt: skip
    lines = [f" {_json(name)}: {_json(value)}," for name, value in head]
    lists = (
        ("events", golden.events),
        ("verdicts", golden.verdicts),
        ("movements", golden.movements),
    )
    for name, items in lists:
        inner = ",\n".join(f"  {_json(item)}" for item in items)
        last = "" if name == "movements" else ","
        lines.append(f' "{name}": [\n{inner}\n ]{last}')
    return "{\n" + "\n".join(lines) + "\n}\n"


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def load(file: Path) -> Golden:
    """Return the golden round in a file."""
    return msgspec.json.decode(file.read_bytes(), type=Golden)


def files() -> list[Path]:
    """Return the files of all golden rounds."""
    return sorted(FOLDER.glob("*/*.json"))


def main() -> int:
    """Return 0 after writing every golden round anew, and say which have changed."""
    from tests.golden import scripts

    wanted = set()
    for game, name, script in scripts.all_scripts():
        rule_set, about, log = script()
        file = FOLDER / game / f"{name}.json"
        wanted.add(file)
        file.parent.mkdir(exist_ok=True)
        new = text(outcome(log, rule_set, about))
        if not file.exists() or file.read_text(encoding="utf-8") != new:
            file.write_text(new, encoding="utf-8")
            print(f"{file.relative_to(FOLDER)} is new or has changed")
    for file in set(files()) - wanted:
        file.unlink()
        print(f"{file.relative_to(FOLDER)} is gone")
    return 0


if __name__ == "__main__":
    sys.exit(main())
