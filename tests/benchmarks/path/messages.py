"""Decides how what is said at the tables lies on the wire, as bytes that only have to be put together.

An act goes into a SubmitStreamRequest and a reading into a ConnectRequest as one element of a repeated
field, so that several of them are their bytes one after the other. An event is a record as a gateway
writes it, for what is put into the log directly.
"""

from collections import Counter
from functools import cache
from typing import Any, Final

from floorbook.table.events import Event, Fact
from floorbook.v1 import floor_pb2, gateway_pb2
from floorbook.wire import codec, envelope
from tests.benchmarks.path.rounds import KINDS, Saying, equipment_id, of_table, person_id, role_of

CLIENT: Final = "benchmark"
BOOT: Final = 1

_ACTS_TAG: Final = b"\x0a"
_READINGS_TAG: Final = b"\x12"


class Mouth:
    """One table's equipment with its counters: says things in order."""

    def __init__(self, table_id: str) -> None:
        """Return the equipment of a table, none of which has started."""
        self.table_id = table_id
        self._sequences: Counter[str] = Counter()

    def sequence(self, equipment: str) -> int:
        """Return how much a piece of equipment has said."""
        return self._sequences[equipment]

    def element(self, saying: Saying) -> bytes:
        """Return the next saying as an element of a request to a gateway."""
        self._sequences[saying.equipment] += 1
        own: dict[str, Any] = {
            "equipment_id": equipment_id(self.table_id, saying.equipment),
            "table_id": self.table_id,
            "boot": BOOT,
            "sequence": self._sequences[saying.equipment],
        }
        fact = of_table(saying, self.table_id)
        said = _known(saying) if fact is saying.fact else _fact(fact)
        if saying.is_reading:
            head = gateway_pb2.Reading(**own).SerializeToString()
            return _READINGS_TAG + _length(len(head) + len(said)) + head + said
        head = floor_pb2.Act(
            **own,
            person_id=person_id(self.table_id, saying.equipment),
            role=int(role_of(saying.equipment)),  # type: ignore[arg-type]
        ).SerializeToString()
        # A message may come in pieces: its fields are those of all of them.
        return _ACTS_TAG + _length(len(head) + len(said)) + head + said

    def record(self, saying: Saying, observe_time_ms: int) -> bytes:
        """Return the next saying as a record of the log."""
        self._sequences[saying.equipment] += 1
        fact = of_table(saying, self.table_id)
        event = Event(
            self.table_id,
            fact,
            role_of(saying.equipment),
            observe_time_ms,
            equipment_id(self.table_id, saying.equipment),
            KINDS[saying.equipment],
            BOOT,
            self._sequences[saying.equipment],
            envelope.fingerprint(fact),
            "",
            "" if saying.is_reading else CLIENT,
            person_id(self.table_id, saying.equipment),
        )
        return envelope.encode(event)


@cache
def _known(saying: Saying) -> bytes:
    return _fact(saying.fact)


def _fact(fact: Fact) -> bytes:
    """Return the fact as a field of an Act, which has the same number in a Reading."""
    name = envelope.name_of(fact)
    content: dict[str, Any] = {name: codec.builtins(fact)}
    for game, facts in envelope.GAMES.items():
        if type(fact) in facts.values():
            content = {game: content}
    if name in gateway_pb2.Reading.DESCRIPTOR.fields_by_name:
        return gateway_pb2.Reading(**content).SerializeToString()
    return floor_pb2.Act(**content).SerializeToString()


def _length(size: int) -> bytes:
    """Return a length as protobuf has it: seven bits to a byte, the lowest first."""
    out = bytearray()
    while size > 0x7F:
        out.append(size & 0x7F | 0x80)
        size >>= 7
    out.append(size)
    return bytes(out)
