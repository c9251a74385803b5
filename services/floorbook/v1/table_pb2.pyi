from floorbook.v1 import devices_pb2 as _devices_pb2
from floorbook.v1 import mahjong_pb2 as _mahjong_pb2
from floorbook.v1 import pai_kau_pb2 as _pai_kau_pb2
from floorbook.v1 import thirteen_cards_pb2 as _thirteen_cards_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class EquipmentKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    EQUIPMENT_KIND_UNSPECIFIED: _ClassVar[EquipmentKind]
    EQUIPMENT_KIND_SHUFFLER: _ClassVar[EquipmentKind]
    EQUIPMENT_KIND_DICE: _ClassVar[EquipmentKind]
    EQUIPMENT_KIND_DEALER_TERMINAL: _ClassVar[EquipmentKind]
    EQUIPMENT_KIND_SEAT_TERMINAL: _ClassVar[EquipmentKind]
    EQUIPMENT_KIND_PIT_TERMINAL: _ClassVar[EquipmentKind]
    EQUIPMENT_KIND_SHOE: _ClassVar[EquipmentKind]

class Decision(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    DECISION_UNSPECIFIED: _ClassVar[Decision]
    DECISION_RESUME: _ClassVar[Decision]
    DECISION_CONTINUE_AT: _ClassVar[Decision]
EQUIPMENT_KIND_UNSPECIFIED: EquipmentKind
EQUIPMENT_KIND_SHUFFLER: EquipmentKind
EQUIPMENT_KIND_DICE: EquipmentKind
EQUIPMENT_KIND_DEALER_TERMINAL: EquipmentKind
EQUIPMENT_KIND_SEAT_TERMINAL: EquipmentKind
EQUIPMENT_KIND_PIT_TERMINAL: EquipmentKind
EQUIPMENT_KIND_SHOE: EquipmentKind
DECISION_UNSPECIFIED: Decision
DECISION_RESUME: Decision
DECISION_CONTINUE_AT: Decision

class Equipment(_message.Message):
    __slots__ = ("equipment_id", "kind")
    EQUIPMENT_ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    equipment_id: str
    kind: EquipmentKind
    def __init__(self, equipment_id: _Optional[str] = ..., kind: _Optional[_Union[EquipmentKind, str]] = ...) -> None: ...

class SourceStarted(_message.Message):
    __slots__ = ("last_acknowledged",)
    LAST_ACKNOWLEDGED_FIELD_NUMBER: _ClassVar[int]
    last_acknowledged: int
    def __init__(self, last_acknowledged: _Optional[int] = ...) -> None: ...

class TableOpened(_message.Message):
    __slots__ = ("rule_set", "rules_version", "flags", "currency", "equipment", "utc_offset_minutes", "day_start_minute", "thirteen_cards", "pai_kau", "mahjong")
    RULE_SET_FIELD_NUMBER: _ClassVar[int]
    RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
    FLAGS_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    EQUIPMENT_FIELD_NUMBER: _ClassVar[int]
    UTC_OFFSET_MINUTES_FIELD_NUMBER: _ClassVar[int]
    DAY_START_MINUTE_FIELD_NUMBER: _ClassVar[int]
    THIRTEEN_CARDS_FIELD_NUMBER: _ClassVar[int]
    PAI_KAU_FIELD_NUMBER: _ClassVar[int]
    MAHJONG_FIELD_NUMBER: _ClassVar[int]
    rule_set: str
    rules_version: str
    flags: str
    currency: str
    equipment: _containers.RepeatedCompositeFieldContainer[Equipment]
    utc_offset_minutes: int
    day_start_minute: int
    thirteen_cards: _thirteen_cards_pb2.ThirteenCardsOptions
    pai_kau: _pai_kau_pb2.PaiKauOptions
    mahjong: _mahjong_pb2.MahjongOptions
    def __init__(self, rule_set: _Optional[str] = ..., rules_version: _Optional[str] = ..., flags: _Optional[str] = ..., currency: _Optional[str] = ..., equipment: _Optional[_Iterable[_Union[Equipment, _Mapping]]] = ..., utc_offset_minutes: _Optional[int] = ..., day_start_minute: _Optional[int] = ..., thirteen_cards: _Optional[_Union[_thirteen_cards_pb2.ThirteenCardsOptions, _Mapping]] = ..., pai_kau: _Optional[_Union[_pai_kau_pb2.PaiKauOptions, _Mapping]] = ..., mahjong: _Optional[_Union[_mahjong_pb2.MahjongOptions, _Mapping]] = ...) -> None: ...

class TableClosed(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class EquipmentChanged(_message.Message):
    __slots__ = ("equipment",)
    EQUIPMENT_FIELD_NUMBER: _ClassVar[int]
    equipment: _containers.RepeatedCompositeFieldContainer[Equipment]
    def __init__(self, equipment: _Optional[_Iterable[_Union[Equipment, _Mapping]]] = ...) -> None: ...

class ViewAsked(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class TableSuspended(_message.Message):
    __slots__ = ("reason", "reference")
    REASON_FIELD_NUMBER: _ClassVar[int]
    REFERENCE_FIELD_NUMBER: _ClassVar[int]
    reason: str
    reference: str
    def __init__(self, reason: _Optional[str] = ..., reference: _Optional[str] = ...) -> None: ...

class SuspensionResolved(_message.Message):
    __slots__ = ("cause_id", "decision", "next_sequence", "reference")
    CAUSE_ID_FIELD_NUMBER: _ClassVar[int]
    DECISION_FIELD_NUMBER: _ClassVar[int]
    NEXT_SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    REFERENCE_FIELD_NUMBER: _ClassVar[int]
    cause_id: str
    decision: Decision
    next_sequence: int
    reference: str
    def __init__(self, cause_id: _Optional[str] = ..., decision: _Optional[_Union[Decision, str]] = ..., next_sequence: _Optional[int] = ..., reference: _Optional[str] = ...) -> None: ...

class ReadingCorrected(_message.Message):
    __slots__ = ("event_id", "reason", "reference", "dice_thrown")
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REFERENCE_FIELD_NUMBER: _ClassVar[int]
    DICE_THROWN_FIELD_NUMBER: _ClassVar[int]
    event_id: str
    reason: str
    reference: str
    dice_thrown: _devices_pb2.DiceThrown
    def __init__(self, event_id: _Optional[str] = ..., reason: _Optional[str] = ..., reference: _Optional[str] = ..., dice_thrown: _Optional[_Union[_devices_pb2.DiceThrown, _Mapping]] = ...) -> None: ...

class RoundVoided(_message.Message):
    __slots__ = ("reason", "reference")
    REASON_FIELD_NUMBER: _ClassVar[int]
    REFERENCE_FIELD_NUMBER: _ClassVar[int]
    reason: str
    reference: str
    def __init__(self, reason: _Optional[str] = ..., reference: _Optional[str] = ...) -> None: ...

class SettledRoundVoided(_message.Message):
    __slots__ = ("round_id", "reason", "reference")
    ROUND_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REFERENCE_FIELD_NUMBER: _ClassVar[int]
    round_id: str
    reason: str
    reference: str
    def __init__(self, round_id: _Optional[str] = ..., reason: _Optional[str] = ..., reference: _Optional[str] = ...) -> None: ...

class SettledRoundCorrected(_message.Message):
    __slots__ = ("round_id", "reason", "reference", "thirteen_cards", "pai_kau", "mahjong")
    ROUND_ID_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    REFERENCE_FIELD_NUMBER: _ClassVar[int]
    THIRTEEN_CARDS_FIELD_NUMBER: _ClassVar[int]
    PAI_KAU_FIELD_NUMBER: _ClassVar[int]
    MAHJONG_FIELD_NUMBER: _ClassVar[int]
    round_id: str
    reason: str
    reference: str
    thirteen_cards: _thirteen_cards_pb2.ThirteenCardsCorrection
    pai_kau: _pai_kau_pb2.PaiKauCorrection
    mahjong: _mahjong_pb2.MahjongCorrection
    def __init__(self, round_id: _Optional[str] = ..., reason: _Optional[str] = ..., reference: _Optional[str] = ..., thirteen_cards: _Optional[_Union[_thirteen_cards_pb2.ThirteenCardsCorrection, _Mapping]] = ..., pai_kau: _Optional[_Union[_pai_kau_pb2.PaiKauCorrection, _Mapping]] = ..., mahjong: _Optional[_Union[_mahjong_pb2.MahjongCorrection, _Mapping]] = ...) -> None: ...

class RoundEvaluated(_message.Message):
    __slots__ = ("rule_set", "rules_version", "result", "explanation")
    RULE_SET_FIELD_NUMBER: _ClassVar[int]
    RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
    RESULT_FIELD_NUMBER: _ClassVar[int]
    EXPLANATION_FIELD_NUMBER: _ClassVar[int]
    rule_set: str
    rules_version: str
    result: str
    explanation: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, rule_set: _Optional[str] = ..., rules_version: _Optional[str] = ..., result: _Optional[str] = ..., explanation: _Optional[_Iterable[str]] = ...) -> None: ...

class EvaluationRefused(_message.Message):
    __slots__ = ("code", "detail")
    CODE_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    code: str
    detail: str
    def __init__(self, code: _Optional[str] = ..., detail: _Optional[str] = ...) -> None: ...

class TimerExpired(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...
