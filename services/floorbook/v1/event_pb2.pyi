from floorbook.v1 import devices_pb2 as _devices_pb2
from floorbook.v1 import mahjong_pb2 as _mahjong_pb2
from floorbook.v1 import pai_kau_pb2 as _pai_kau_pb2
from floorbook.v1 import table_pb2 as _table_pb2
from floorbook.v1 import thirteen_cards_pb2 as _thirteen_cards_pb2
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Role(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ROLE_UNSPECIFIED: _ClassVar[Role]
    ROLE_DEVICE: _ClassVar[Role]
    ROLE_PLAYER: _ClassVar[Role]
    ROLE_DEALER: _ClassVar[Role]
    ROLE_SUPERVISOR: _ClassVar[Role]
    ROLE_PROCESSOR: _ClassVar[Role]
ROLE_UNSPECIFIED: Role
ROLE_DEVICE: Role
ROLE_PLAYER: Role
ROLE_DEALER: Role
ROLE_SUPERVISOR: Role
ROLE_PROCESSOR: Role

class Event(_message.Message):
    __slots__ = ("table_id", "equipment_id", "equipment_kind", "boot", "sequence", "fingerprint", "obligation_id", "client_id", "person_id", "role", "device_time_ms", "observe_time_ms", "trace_id", "schema", "source_started", "table_opened", "table_closed", "equipment_changed", "view_asked", "table_suspended", "suspension_resolved", "reading_corrected", "round_voided", "settled_round_voided", "settled_round_corrected", "round_evaluated", "evaluation_refused", "timer_expired", "shuffle_sealed", "deck_cut", "deck_opened", "deck_faulty", "dice_thrown", "throw_void", "thirteen_cards", "pai_kau", "mahjong")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    EQUIPMENT_ID_FIELD_NUMBER: _ClassVar[int]
    EQUIPMENT_KIND_FIELD_NUMBER: _ClassVar[int]
    BOOT_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    FINGERPRINT_FIELD_NUMBER: _ClassVar[int]
    OBLIGATION_ID_FIELD_NUMBER: _ClassVar[int]
    CLIENT_ID_FIELD_NUMBER: _ClassVar[int]
    PERSON_ID_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    DEVICE_TIME_MS_FIELD_NUMBER: _ClassVar[int]
    OBSERVE_TIME_MS_FIELD_NUMBER: _ClassVar[int]
    TRACE_ID_FIELD_NUMBER: _ClassVar[int]
    SCHEMA_FIELD_NUMBER: _ClassVar[int]
    SOURCE_STARTED_FIELD_NUMBER: _ClassVar[int]
    TABLE_OPENED_FIELD_NUMBER: _ClassVar[int]
    TABLE_CLOSED_FIELD_NUMBER: _ClassVar[int]
    EQUIPMENT_CHANGED_FIELD_NUMBER: _ClassVar[int]
    VIEW_ASKED_FIELD_NUMBER: _ClassVar[int]
    TABLE_SUSPENDED_FIELD_NUMBER: _ClassVar[int]
    SUSPENSION_RESOLVED_FIELD_NUMBER: _ClassVar[int]
    READING_CORRECTED_FIELD_NUMBER: _ClassVar[int]
    ROUND_VOIDED_FIELD_NUMBER: _ClassVar[int]
    SETTLED_ROUND_VOIDED_FIELD_NUMBER: _ClassVar[int]
    SETTLED_ROUND_CORRECTED_FIELD_NUMBER: _ClassVar[int]
    ROUND_EVALUATED_FIELD_NUMBER: _ClassVar[int]
    EVALUATION_REFUSED_FIELD_NUMBER: _ClassVar[int]
    TIMER_EXPIRED_FIELD_NUMBER: _ClassVar[int]
    SHUFFLE_SEALED_FIELD_NUMBER: _ClassVar[int]
    DECK_CUT_FIELD_NUMBER: _ClassVar[int]
    DECK_OPENED_FIELD_NUMBER: _ClassVar[int]
    DECK_FAULTY_FIELD_NUMBER: _ClassVar[int]
    DICE_THROWN_FIELD_NUMBER: _ClassVar[int]
    THROW_VOID_FIELD_NUMBER: _ClassVar[int]
    THIRTEEN_CARDS_FIELD_NUMBER: _ClassVar[int]
    PAI_KAU_FIELD_NUMBER: _ClassVar[int]
    MAHJONG_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    equipment_id: str
    equipment_kind: _table_pb2.EquipmentKind
    boot: int
    sequence: int
    fingerprint: bytes
    obligation_id: str
    client_id: str
    person_id: str
    role: Role
    device_time_ms: int
    observe_time_ms: int
    trace_id: bytes
    schema: int
    source_started: _table_pb2.SourceStarted
    table_opened: _table_pb2.TableOpened
    table_closed: _table_pb2.TableClosed
    equipment_changed: _table_pb2.EquipmentChanged
    view_asked: _table_pb2.ViewAsked
    table_suspended: _table_pb2.TableSuspended
    suspension_resolved: _table_pb2.SuspensionResolved
    reading_corrected: _table_pb2.ReadingCorrected
    round_voided: _table_pb2.RoundVoided
    settled_round_voided: _table_pb2.SettledRoundVoided
    settled_round_corrected: _table_pb2.SettledRoundCorrected
    round_evaluated: _table_pb2.RoundEvaluated
    evaluation_refused: _table_pb2.EvaluationRefused
    timer_expired: _table_pb2.TimerExpired
    shuffle_sealed: _devices_pb2.ShuffleSealed
    deck_cut: _devices_pb2.DeckCut
    deck_opened: _devices_pb2.DeckOpened
    deck_faulty: _devices_pb2.DeckFaulty
    dice_thrown: _devices_pb2.DiceThrown
    throw_void: _devices_pb2.ThrowVoid
    thirteen_cards: _thirteen_cards_pb2.ThirteenCardsFact
    pai_kau: _pai_kau_pb2.PaiKauFact
    mahjong: _mahjong_pb2.MahjongFact
    def __init__(self, table_id: _Optional[str] = ..., equipment_id: _Optional[str] = ..., equipment_kind: _Optional[_Union[_table_pb2.EquipmentKind, str]] = ..., boot: _Optional[int] = ..., sequence: _Optional[int] = ..., fingerprint: _Optional[bytes] = ..., obligation_id: _Optional[str] = ..., client_id: _Optional[str] = ..., person_id: _Optional[str] = ..., role: _Optional[_Union[Role, str]] = ..., device_time_ms: _Optional[int] = ..., observe_time_ms: _Optional[int] = ..., trace_id: _Optional[bytes] = ..., schema: _Optional[int] = ..., source_started: _Optional[_Union[_table_pb2.SourceStarted, _Mapping]] = ..., table_opened: _Optional[_Union[_table_pb2.TableOpened, _Mapping]] = ..., table_closed: _Optional[_Union[_table_pb2.TableClosed, _Mapping]] = ..., equipment_changed: _Optional[_Union[_table_pb2.EquipmentChanged, _Mapping]] = ..., view_asked: _Optional[_Union[_table_pb2.ViewAsked, _Mapping]] = ..., table_suspended: _Optional[_Union[_table_pb2.TableSuspended, _Mapping]] = ..., suspension_resolved: _Optional[_Union[_table_pb2.SuspensionResolved, _Mapping]] = ..., reading_corrected: _Optional[_Union[_table_pb2.ReadingCorrected, _Mapping]] = ..., round_voided: _Optional[_Union[_table_pb2.RoundVoided, _Mapping]] = ..., settled_round_voided: _Optional[_Union[_table_pb2.SettledRoundVoided, _Mapping]] = ..., settled_round_corrected: _Optional[_Union[_table_pb2.SettledRoundCorrected, _Mapping]] = ..., round_evaluated: _Optional[_Union[_table_pb2.RoundEvaluated, _Mapping]] = ..., evaluation_refused: _Optional[_Union[_table_pb2.EvaluationRefused, _Mapping]] = ..., timer_expired: _Optional[_Union[_table_pb2.TimerExpired, _Mapping]] = ..., shuffle_sealed: _Optional[_Union[_devices_pb2.ShuffleSealed, _Mapping]] = ..., deck_cut: _Optional[_Union[_devices_pb2.DeckCut, _Mapping]] = ..., deck_opened: _Optional[_Union[_devices_pb2.DeckOpened, _Mapping]] = ..., deck_faulty: _Optional[_Union[_devices_pb2.DeckFaulty, _Mapping]] = ..., dice_thrown: _Optional[_Union[_devices_pb2.DiceThrown, _Mapping]] = ..., throw_void: _Optional[_Union[_devices_pb2.ThrowVoid, _Mapping]] = ..., thirteen_cards: _Optional[_Union[_thirteen_cards_pb2.ThirteenCardsFact, _Mapping]] = ..., pai_kau: _Optional[_Union[_pai_kau_pb2.PaiKauFact, _Mapping]] = ..., mahjong: _Optional[_Union[_mahjong_pb2.MahjongFact, _Mapping]] = ...) -> None: ...
