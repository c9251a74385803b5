from floorbook.v1 import devices_pb2 as _devices_pb2
from floorbook.v1 import pai_kau_pb2 as _pai_kau_pb2
from floorbook.v1 import table_pb2 as _table_pb2
from floorbook.v1 import thirteen_cards_pb2 as _thirteen_cards_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Reading(_message.Message):
    __slots__ = ("equipment_id", "table_id", "boot", "sequence", "device_time_ms", "source_started", "shuffle_sealed", "deck_cut", "deck_opened", "deck_faulty", "dice_thrown", "throw_void", "thirteen_cards", "pai_kau")
    EQUIPMENT_ID_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    BOOT_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    DEVICE_TIME_MS_FIELD_NUMBER: _ClassVar[int]
    SOURCE_STARTED_FIELD_NUMBER: _ClassVar[int]
    SHUFFLE_SEALED_FIELD_NUMBER: _ClassVar[int]
    DECK_CUT_FIELD_NUMBER: _ClassVar[int]
    DECK_OPENED_FIELD_NUMBER: _ClassVar[int]
    DECK_FAULTY_FIELD_NUMBER: _ClassVar[int]
    DICE_THROWN_FIELD_NUMBER: _ClassVar[int]
    THROW_VOID_FIELD_NUMBER: _ClassVar[int]
    THIRTEEN_CARDS_FIELD_NUMBER: _ClassVar[int]
    PAI_KAU_FIELD_NUMBER: _ClassVar[int]
    equipment_id: str
    table_id: str
    boot: int
    sequence: int
    device_time_ms: int
    source_started: _table_pb2.SourceStarted
    shuffle_sealed: _devices_pb2.ShuffleSealed
    deck_cut: _devices_pb2.DeckCut
    deck_opened: _devices_pb2.DeckOpened
    deck_faulty: _devices_pb2.DeckFaulty
    dice_thrown: _devices_pb2.DiceThrown
    throw_void: _devices_pb2.ThrowVoid
    thirteen_cards: _thirteen_cards_pb2.ThirteenCardsFact
    pai_kau: _pai_kau_pb2.PaiKauFact
    def __init__(self, equipment_id: _Optional[str] = ..., table_id: _Optional[str] = ..., boot: _Optional[int] = ..., sequence: _Optional[int] = ..., device_time_ms: _Optional[int] = ..., source_started: _Optional[_Union[_table_pb2.SourceStarted, _Mapping]] = ..., shuffle_sealed: _Optional[_Union[_devices_pb2.ShuffleSealed, _Mapping]] = ..., deck_cut: _Optional[_Union[_devices_pb2.DeckCut, _Mapping]] = ..., deck_opened: _Optional[_Union[_devices_pb2.DeckOpened, _Mapping]] = ..., deck_faulty: _Optional[_Union[_devices_pb2.DeckFaulty, _Mapping]] = ..., dice_thrown: _Optional[_Union[_devices_pb2.DiceThrown, _Mapping]] = ..., throw_void: _Optional[_Union[_devices_pb2.ThrowVoid, _Mapping]] = ..., thirteen_cards: _Optional[_Union[_thirteen_cards_pb2.ThirteenCardsFact, _Mapping]] = ..., pai_kau: _Optional[_Union[_pai_kau_pb2.PaiKauFact, _Mapping]] = ...) -> None: ...

class Hello(_message.Message):
    __slots__ = ("equipment_id", "key")
    EQUIPMENT_ID_FIELD_NUMBER: _ClassVar[int]
    KEY_FIELD_NUMBER: _ClassVar[int]
    equipment_id: str
    key: str
    def __init__(self, equipment_id: _Optional[str] = ..., key: _Optional[str] = ...) -> None: ...

class Heartbeat(_message.Message):
    __slots__ = ("equipment_id",)
    EQUIPMENT_ID_FIELD_NUMBER: _ClassVar[int]
    equipment_id: str
    def __init__(self, equipment_id: _Optional[str] = ...) -> None: ...

class ConnectRequest(_message.Message):
    __slots__ = ("hellos", "readings", "heartbeats")
    HELLOS_FIELD_NUMBER: _ClassVar[int]
    READINGS_FIELD_NUMBER: _ClassVar[int]
    HEARTBEATS_FIELD_NUMBER: _ClassVar[int]
    hellos: _containers.RepeatedCompositeFieldContainer[Hello]
    readings: _containers.RepeatedCompositeFieldContainer[Reading]
    heartbeats: _containers.RepeatedCompositeFieldContainer[Heartbeat]
    def __init__(self, hellos: _Optional[_Iterable[_Union[Hello, _Mapping]]] = ..., readings: _Optional[_Iterable[_Union[Reading, _Mapping]]] = ..., heartbeats: _Optional[_Iterable[_Union[Heartbeat, _Mapping]]] = ...) -> None: ...

class Acknowledgement(_message.Message):
    __slots__ = ("equipment_id", "table_id", "boot", "sequence")
    EQUIPMENT_ID_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    BOOT_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    equipment_id: str
    table_id: str
    boot: int
    sequence: int
    def __init__(self, equipment_id: _Optional[str] = ..., table_id: _Optional[str] = ..., boot: _Optional[int] = ..., sequence: _Optional[int] = ...) -> None: ...

class GatewayRefusal(_message.Message):
    __slots__ = ("equipment_id", "sequence", "reason", "detail")
    EQUIPMENT_ID_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    equipment_id: str
    sequence: int
    reason: str
    detail: str
    def __init__(self, equipment_id: _Optional[str] = ..., sequence: _Optional[int] = ..., reason: _Optional[str] = ..., detail: _Optional[str] = ...) -> None: ...

class ConnectResponse(_message.Message):
    __slots__ = ("acknowledgements", "refusals")
    ACKNOWLEDGEMENTS_FIELD_NUMBER: _ClassVar[int]
    REFUSALS_FIELD_NUMBER: _ClassVar[int]
    acknowledgements: _containers.RepeatedCompositeFieldContainer[Acknowledgement]
    refusals: _containers.RepeatedCompositeFieldContainer[GatewayRefusal]
    def __init__(self, acknowledgements: _Optional[_Iterable[_Union[Acknowledgement, _Mapping]]] = ..., refusals: _Optional[_Iterable[_Union[GatewayRefusal, _Mapping]]] = ...) -> None: ...
