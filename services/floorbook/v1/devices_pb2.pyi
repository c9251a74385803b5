from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class DeckFault(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DECK_FAULT_UNSPECIFIED: _ClassVar[DeckFault]
    DECK_FAULT_COUNT: _ClassVar[DeckFault]
    DECK_FAULT_DUPLICATE: _ClassVar[DeckFault]
    DECK_FAULT_JAM: _ClassVar[DeckFault]
    DECK_FAULT_DOOR: _ClassVar[DeckFault]

class ThrowFault(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    THROW_FAULT_UNSPECIFIED: _ClassVar[ThrowFault]
    THROW_FAULT_COCKED: _ClassVar[ThrowFault]
    THROW_FAULT_OUT_OF_SHAKER: _ClassVar[ThrowFault]
    THROW_FAULT_LOW_CONFIDENCE: _ClassVar[ThrowFault]
DECK_FAULT_UNSPECIFIED: DeckFault
DECK_FAULT_COUNT: DeckFault
DECK_FAULT_DUPLICATE: DeckFault
DECK_FAULT_JAM: DeckFault
DECK_FAULT_DOOR: DeckFault
THROW_FAULT_UNSPECIFIED: ThrowFault
THROW_FAULT_COCKED: ThrowFault
THROW_FAULT_OUT_OF_SHAKER: ThrowFault
THROW_FAULT_LOW_CONFIDENCE: ThrowFault

class ShuffleSealed(_message.Message):
    __slots__ = ("root", "positions")
    ROOT_FIELD_NUMBER: _ClassVar[int]
    POSITIONS_FIELD_NUMBER: _ClassVar[int]
    root: bytes
    positions: int
    def __init__(self, root: _Optional[bytes] = ..., positions: _Optional[int] = ...) -> None: ...

class DeckCut(_message.Message):
    __slots__ = ("depth",)
    DEPTH_FIELD_NUMBER: _ClassVar[int]
    depth: int
    def __init__(self, depth: _Optional[int] = ...) -> None: ...

class Opening(_message.Message):
    __slots__ = ("position", "face", "salt")
    POSITION_FIELD_NUMBER: _ClassVar[int]
    FACE_FIELD_NUMBER: _ClassVar[int]
    SALT_FIELD_NUMBER: _ClassVar[int]
    position: int
    face: str
    salt: bytes
    def __init__(self, position: _Optional[int] = ..., face: _Optional[str] = ..., salt: _Optional[bytes] = ...) -> None: ...

class DeckOpened(_message.Message):
    __slots__ = ("openings", "hashes")
    OPENINGS_FIELD_NUMBER: _ClassVar[int]
    HASHES_FIELD_NUMBER: _ClassVar[int]
    openings: _containers.RepeatedCompositeFieldContainer[Opening]
    hashes: _containers.RepeatedScalarFieldContainer[bytes]
    def __init__(self, openings: _Optional[_Iterable[_Union[Opening, _Mapping]]] = ..., hashes: _Optional[_Iterable[bytes]] = ...) -> None: ...

class DeckFaulty(_message.Message):
    __slots__ = ("fault", "counted")
    FAULT_FIELD_NUMBER: _ClassVar[int]
    COUNTED_FIELD_NUMBER: _ClassVar[int]
    fault: DeckFault
    counted: int
    def __init__(self, fault: _Optional[_Union[DeckFault, str]] = ..., counted: _Optional[int] = ...) -> None: ...

class DiceThrown(_message.Message):
    __slots__ = ("values",)
    VALUES_FIELD_NUMBER: _ClassVar[int]
    values: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, values: _Optional[_Iterable[int]] = ...) -> None: ...

class ThrowVoid(_message.Message):
    __slots__ = ("fault", "values")
    FAULT_FIELD_NUMBER: _ClassVar[int]
    VALUES_FIELD_NUMBER: _ClassVar[int]
    fault: ThrowFault
    values: _containers.RepeatedScalarFieldContainer[int]
    def __init__(self, fault: _Optional[_Union[ThrowFault, str]] = ..., values: _Optional[_Iterable[int]] = ...) -> None: ...
