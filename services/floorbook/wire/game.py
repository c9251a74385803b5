"""What a game brings to the wire: its field, its facts, and what is shown of its rounds."""

from collections.abc import Mapping
from functools import cached_property
from typing import Any

from msgspec import Struct

from floorbook.table.events import Fact
from floorbook.wire import codec


class GameWire(Struct, frozen=True, dict=True):
    """One game on the wire.

    `field` is its own in every oneof of facts, options, corrections and disclosures; `facts` are its
    facts by their fields, `shown` is what a disclosure can hold: a struct of which one field is
    given. `schemas` names the facts newer than schema 1, with the schema that introduced them.
    """

    field: str
    facts: Mapping[str, type[Fact]]
    shown: type[Struct]
    schemas: Mapping[type[Fact], int]

    @cached_property
    def names(self) -> dict[type[Fact], str]:
        """Return the facts' fields by their types."""
        return codec.by_type(self.facts)

    def write(self, shown: Struct) -> dict[str, Any]:
        """Return one thing shown as the content of its message."""
        for field in shown.__struct_fields__:
            content = getattr(shown, field)
            if isinstance(content, Fact):
                return {field: {self.names[type(content)]: codec.builtins(content)}}
            if content is not None:
                return {field: codec.builtins(content)}
        raise AssertionError("something is shown")
