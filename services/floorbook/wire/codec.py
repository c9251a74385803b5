"""Translates between protobuf messages and our own structs, field by field, by name.

A struct's field has the name of its message's field; that is the whole mapping, so a new fact
needs a struct and a message and no code here. A plain field whose default is not protobuf's own
is `optional` in the message, and absent it has its default. What the struct's types forbid (a pattern, a range,
an enum's unknown number) makes the message unreadable.
"""

import types
import typing
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

import msgspec
from google.protobuf.message import Message
from msgspec import Struct

from floorbook.wire.quarantine import Unreadable

Builtins = dict[str, Any]


@cache
def _plan(
    struct: type[Struct],
) -> tuple[tuple[str, ...], tuple[tuple[str, bool, type[Struct]], ...], tuple[str, ...]]:
    """Return a struct's plain fields, its (name, repeated, struct) fields and its lists of plain."""
    plain: list[str] = []
    nested: list[tuple[str, bool, type[Struct]]] = []
    lists: list[str] = []
    for name, hint in typing.get_type_hints(struct).items():
        if typing.get_origin(hint) is typing.ClassVar:
            continue
        inner, repeated = hint, False
        if typing.get_origin(inner) in (types.UnionType, typing.Union):
            inner = next(a for a in typing.get_args(inner) if a is not type(None))
        if typing.get_origin(inner) is tuple:
            inner, repeated = typing.get_args(inner)[0], True
        if isinstance(inner, type) and issubclass(inner, Struct):
            nested.append((name, repeated, inner))
        elif repeated:
            lists.append(name)
        else:
            plain.append(name)
    return tuple(plain), tuple(nested), tuple(lists)


@cache
def _reader(struct: type[Struct]) -> Callable[[Message], Any]:
    plain, nested, lists = _plan(struct)
    if struct.__struct_config__.array_like:
        fields = struct.__struct_fields__
        return lambda message: [getattr(message, name) for name in fields]

    inner = tuple((name, repeated, _reader(of)) for name, repeated, of in nested)
    optional = tuple(
        field.name
        for field in msgspec.structs.fields(struct)
        if field.name in plain and (field.default is None or field.default is True)
    )
    given = tuple(name for name in plain if name not in optional)

    def read(message: Message) -> Builtins:
        result = {name: getattr(message, name) for name in given}
        for name in optional:
            if message.HasField(name):
                result[name] = getattr(message, name)
        for name in lists:
            result[name] = list(getattr(message, name))
        for name, repeated, reader in inner:
            if repeated:
                result[name] = [reader(one) for one in getattr(message, name)]
            elif message.HasField(name):
                result[name] = reader(getattr(message, name))
        return result

    return read


@cache
def _writer(struct: type[Struct]) -> Callable[[Any], Builtins]:
    plain, nested, lists = _plan(struct)
    inner = tuple((name, repeated, _writer(of)) for name, repeated, of in nested)
    flat = plain + lists

    def write(value: Any) -> Builtins:
        result = {name: getattr(value, name) for name in flat}
        for name, repeated, writer in inner:
            one = getattr(value, name)
            if repeated:
                result[name] = [writer(item) for item in one]
            elif one is not None:
                result[name] = writer(one)
        return result

    return write


S = typing.TypeVar("S", bound=Struct)


def read(message: Message, struct: type[S]) -> S | Unreadable:
    """Return `message` as `struct`, or why its content cannot be one."""
    try:
        return msgspec.convert(_reader(struct)(message), struct)
    except msgspec.ValidationError as error:
        return Unreadable("BAD_FIELD", f"{message.DESCRIPTOR.name}: {error}")


def builtins(value: Struct) -> Builtins:
    """Return `value` as the keyword arguments of its message."""
    return _writer(type(value))(value)


def by_type(fields: Mapping[str, type[S]]) -> dict[type[S], str]:
    """Return the inverse of a table from message field to struct."""
    return {struct: name for name, struct in fields.items()}
