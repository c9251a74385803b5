"""How the values of a request are read: JSON in, one kind of value out, or why it is refused.

What every game's own reading is made of. A fault travels as an exception inside a game's reading
only; what leaves the game is a `Refused`.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeGuard

from floorbook.games.rule_set import Refused

Json = Any
Request = Mapping[str, Json]


class RequestRefused(Exception):
    """A fault found while reading a request."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(code)
        self.refused = Refused(code, detail)


def is_integer(value: object) -> TypeGuard[int]:
    """Return whether `value` is a JSON integer: `true` and `1.0` are none."""
    return isinstance(value, int) and not isinstance(value, bool)


def is_text(value: object) -> TypeGuard[str]:
    """Return whether `value` is text that can be written: JSON can name half a surrogate pair."""
    if not isinstance(value, str):
        return False
    return value.isascii() or not any("\ud800" <= letter <= "\udfff" for letter in value)


def read_field(holder: Request, name: str, where: str = "") -> Json:
    """Return a field that must be there."""
    if name not in holder:
        raise RequestRefused("BAD_REQUEST", f"{where}{name} is missing.")
    return holder[name]


def read_integer(holder: Request, name: str, where: str = "") -> int:
    """Return an integer field."""
    value = read_field(holder, name, where)
    if not is_integer(value):
        raise RequestRefused("BAD_REQUEST", f"{where}{name} is not an integer.")
    return value


def read_text(holder: Request, name: str, where: str = "", default: str | None = None) -> str:
    """Return a text field; with a `default` it may be missing or null."""
    if default is not None and holder.get(name) is None:
        return default
    value = read_field(holder, name, where)
    if not is_text(value):
        raise RequestRefused("BAD_REQUEST", f"{where}{name} is not text.")
    return value


def read_boolean(holder: Request, name: str, where: str = "", default: bool | None = None) -> bool:
    """Return a boolean field; with a `default` it may be missing or null."""
    if default is not None and holder.get(name) is None:
        return default
    value = read_field(holder, name, where)
    if not isinstance(value, bool):
        raise RequestRefused("BAD_REQUEST", f"{where}{name} is neither true nor false.")
    return value


def read_list(
    holder: Request, name: str, where: str = "", *, optional: bool = False
) -> Sequence[Json]:
    """Return a list field; an optional one may be missing or null and is empty then."""
    if optional and holder.get(name) is None:
        return ()
    value = read_field(holder, name, where)
    if not isinstance(value, list | tuple):
        raise RequestRefused("BAD_REQUEST", f"{where}{name} is not a list.")
    return value


def read_object(holder: Request, name: str, where: str = "") -> Request:
    """Return a field that is an object."""
    value = read_field(holder, name, where)
    if not isinstance(value, Mapping):
        raise RequestRefused("BAD_REQUEST", f"{where}{name} is not an object.")
    return value


def read_objects(holder: Request, name: str, *, optional: bool = False) -> Sequence[Request]:
    """Return a field that is a list of objects; an optional one may be missing or null."""
    values = read_list(holder, name, optional=optional)
    for index, value in enumerate(values):
        if not isinstance(value, Mapping):
            raise RequestRefused("BAD_REQUEST", f"{name}[{index}] is not an object.")
    return values
