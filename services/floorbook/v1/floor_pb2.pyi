from floorbook.v1 import devices_pb2 as _devices_pb2
from floorbook.v1 import event_pb2 as _event_pb2
from floorbook.v1 import mahjong_pb2 as _mahjong_pb2
from floorbook.v1 import pai_kau_pb2 as _pai_kau_pb2
from floorbook.v1 import table_pb2 as _table_pb2
from floorbook.v1 import thirteen_cards_pb2 as _thirteen_cards_pb2
from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Outcome(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    OUTCOME_UNSPECIFIED: _ClassVar[Outcome]
    OUTCOME_APPLIED: _ClassVar[Outcome]
    OUTCOME_REFUSED: _ClassVar[Outcome]
    OUTCOME_KNOWN: _ClassVar[Outcome]

class AudienceKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    AUDIENCE_KIND_UNSPECIFIED: _ClassVar[AudienceKind]
    AUDIENCE_KIND_EVERYBODY: _ClassVar[AudienceKind]
    AUDIENCE_KIND_DEALER: _ClassVar[AudienceKind]
    AUDIENCE_KIND_SUPERVISOR: _ClassVar[AudienceKind]
    AUDIENCE_KIND_PLAYER: _ClassVar[AudienceKind]
OUTCOME_UNSPECIFIED: Outcome
OUTCOME_APPLIED: Outcome
OUTCOME_REFUSED: Outcome
OUTCOME_KNOWN: Outcome
AUDIENCE_KIND_UNSPECIFIED: AudienceKind
AUDIENCE_KIND_EVERYBODY: AudienceKind
AUDIENCE_KIND_DEALER: AudienceKind
AUDIENCE_KIND_SUPERVISOR: AudienceKind
AUDIENCE_KIND_PLAYER: AudienceKind

class Verdict(_message.Message):
    __slots__ = ("outcome", "reason", "rules", "known")
    OUTCOME_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    KNOWN_FIELD_NUMBER: _ClassVar[int]
    outcome: Outcome
    reason: str
    rules: _containers.RepeatedScalarFieldContainer[str]
    known: bool
    def __init__(self, outcome: _Optional[_Union[Outcome, str]] = ..., reason: _Optional[str] = ..., rules: _Optional[_Iterable[str]] = ..., known: _Optional[bool] = ...) -> None: ...

class Audience(_message.Message):
    __slots__ = ("kind", "player_id")
    KIND_FIELD_NUMBER: _ClassVar[int]
    PLAYER_ID_FIELD_NUMBER: _ClassVar[int]
    kind: AudienceKind
    player_id: str
    def __init__(self, kind: _Optional[_Union[AudienceKind, str]] = ..., player_id: _Optional[str] = ...) -> None: ...

class RoundOpened(_message.Message):
    __slots__ = ("round_id", "gaming_day")
    ROUND_ID_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    round_id: str
    gaming_day: str
    def __init__(self, round_id: _Optional[str] = ..., gaming_day: _Optional[str] = ...) -> None: ...

class Suspended(_message.Message):
    __slots__ = ("cause_id",)
    CAUSE_ID_FIELD_NUMBER: _ClassVar[int]
    cause_id: str
    def __init__(self, cause_id: _Optional[str] = ...) -> None: ...

class Resumed(_message.Message):
    __slots__ = ("cause_id",)
    CAUSE_ID_FIELD_NUMBER: _ClassVar[int]
    cause_id: str
    def __init__(self, cause_id: _Optional[str] = ...) -> None: ...

class Disclosure(_message.Message):
    __slots__ = ("audiences", "state", "table_opened", "table_closed", "round_opened", "round_voided", "settled_round_voided", "settled_round_corrected", "suspended", "resumed", "dice_thrown", "throw_void", "shuffle_sealed", "deck_cut", "deck_faulty", "evaluation_refused", "thirteen_cards", "pai_kau", "mahjong")
    AUDIENCES_FIELD_NUMBER: _ClassVar[int]
    STATE_FIELD_NUMBER: _ClassVar[int]
    TABLE_OPENED_FIELD_NUMBER: _ClassVar[int]
    TABLE_CLOSED_FIELD_NUMBER: _ClassVar[int]
    ROUND_OPENED_FIELD_NUMBER: _ClassVar[int]
    ROUND_VOIDED_FIELD_NUMBER: _ClassVar[int]
    SETTLED_ROUND_VOIDED_FIELD_NUMBER: _ClassVar[int]
    SETTLED_ROUND_CORRECTED_FIELD_NUMBER: _ClassVar[int]
    SUSPENDED_FIELD_NUMBER: _ClassVar[int]
    RESUMED_FIELD_NUMBER: _ClassVar[int]
    DICE_THROWN_FIELD_NUMBER: _ClassVar[int]
    THROW_VOID_FIELD_NUMBER: _ClassVar[int]
    SHUFFLE_SEALED_FIELD_NUMBER: _ClassVar[int]
    DECK_CUT_FIELD_NUMBER: _ClassVar[int]
    DECK_FAULTY_FIELD_NUMBER: _ClassVar[int]
    EVALUATION_REFUSED_FIELD_NUMBER: _ClassVar[int]
    THIRTEEN_CARDS_FIELD_NUMBER: _ClassVar[int]
    PAI_KAU_FIELD_NUMBER: _ClassVar[int]
    MAHJONG_FIELD_NUMBER: _ClassVar[int]
    audiences: _containers.RepeatedCompositeFieldContainer[Audience]
    state: TableState
    table_opened: _table_pb2.TableOpened
    table_closed: _table_pb2.TableClosed
    round_opened: RoundOpened
    round_voided: _table_pb2.RoundVoided
    settled_round_voided: _table_pb2.SettledRoundVoided
    settled_round_corrected: _table_pb2.SettledRoundCorrected
    suspended: Suspended
    resumed: Resumed
    dice_thrown: _devices_pb2.DiceThrown
    throw_void: _devices_pb2.ThrowVoid
    shuffle_sealed: _devices_pb2.ShuffleSealed
    deck_cut: _devices_pb2.DeckCut
    deck_faulty: _devices_pb2.DeckFaulty
    evaluation_refused: _table_pb2.EvaluationRefused
    thirteen_cards: _thirteen_cards_pb2.ThirteenCardsShown
    pai_kau: _pai_kau_pb2.PaiKauShown
    mahjong: _mahjong_pb2.MahjongShown
    def __init__(self, audiences: _Optional[_Iterable[_Union[Audience, _Mapping]]] = ..., state: _Optional[_Union[TableState, _Mapping]] = ..., table_opened: _Optional[_Union[_table_pb2.TableOpened, _Mapping]] = ..., table_closed: _Optional[_Union[_table_pb2.TableClosed, _Mapping]] = ..., round_opened: _Optional[_Union[RoundOpened, _Mapping]] = ..., round_voided: _Optional[_Union[_table_pb2.RoundVoided, _Mapping]] = ..., settled_round_voided: _Optional[_Union[_table_pb2.SettledRoundVoided, _Mapping]] = ..., settled_round_corrected: _Optional[_Union[_table_pb2.SettledRoundCorrected, _Mapping]] = ..., suspended: _Optional[_Union[Suspended, _Mapping]] = ..., resumed: _Optional[_Union[Resumed, _Mapping]] = ..., dice_thrown: _Optional[_Union[_devices_pb2.DiceThrown, _Mapping]] = ..., throw_void: _Optional[_Union[_devices_pb2.ThrowVoid, _Mapping]] = ..., shuffle_sealed: _Optional[_Union[_devices_pb2.ShuffleSealed, _Mapping]] = ..., deck_cut: _Optional[_Union[_devices_pb2.DeckCut, _Mapping]] = ..., deck_faulty: _Optional[_Union[_devices_pb2.DeckFaulty, _Mapping]] = ..., evaluation_refused: _Optional[_Union[_table_pb2.EvaluationRefused, _Mapping]] = ..., thirteen_cards: _Optional[_Union[_thirteen_cards_pb2.ThirteenCardsShown, _Mapping]] = ..., pai_kau: _Optional[_Union[_pai_kau_pb2.PaiKauShown, _Mapping]] = ..., mahjong: _Optional[_Union[_mahjong_pb2.MahjongShown, _Mapping]] = ...) -> None: ...

class TableState(_message.Message):
    __slots__ = ("table_id", "phase", "round_id", "rule_set", "rules_version", "currency", "causes", "owed", "table_time_ms", "thirteen_cards", "pai_kau", "mahjong")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    ROUND_ID_FIELD_NUMBER: _ClassVar[int]
    RULE_SET_FIELD_NUMBER: _ClassVar[int]
    RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    CAUSES_FIELD_NUMBER: _ClassVar[int]
    OWED_FIELD_NUMBER: _ClassVar[int]
    TABLE_TIME_MS_FIELD_NUMBER: _ClassVar[int]
    THIRTEEN_CARDS_FIELD_NUMBER: _ClassVar[int]
    PAI_KAU_FIELD_NUMBER: _ClassVar[int]
    MAHJONG_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    phase: str
    round_id: str
    rule_set: str
    rules_version: str
    currency: str
    causes: _containers.RepeatedScalarFieldContainer[str]
    owed: _containers.RepeatedScalarFieldContainer[str]
    table_time_ms: int
    thirteen_cards: _thirteen_cards_pb2.ThirteenCardsState
    pai_kau: _pai_kau_pb2.PaiKauState
    mahjong: _mahjong_pb2.MahjongState
    def __init__(self, table_id: _Optional[str] = ..., phase: _Optional[str] = ..., round_id: _Optional[str] = ..., rule_set: _Optional[str] = ..., rules_version: _Optional[str] = ..., currency: _Optional[str] = ..., causes: _Optional[_Iterable[str]] = ..., owed: _Optional[_Iterable[str]] = ..., table_time_ms: _Optional[int] = ..., thirteen_cards: _Optional[_Union[_thirteen_cards_pb2.ThirteenCardsState, _Mapping]] = ..., pai_kau: _Optional[_Union[_pai_kau_pb2.PaiKauState, _Mapping]] = ..., mahjong: _Optional[_Union[_mahjong_pb2.MahjongState, _Mapping]] = ...) -> None: ...

class EventFolded(_message.Message):
    __slots__ = ("event_id", "fact", "verdict", "round_id", "phase", "table_time_ms", "rule_set", "disclosures", "secret")
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    FACT_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    ROUND_ID_FIELD_NUMBER: _ClassVar[int]
    PHASE_FIELD_NUMBER: _ClassVar[int]
    TABLE_TIME_MS_FIELD_NUMBER: _ClassVar[int]
    RULE_SET_FIELD_NUMBER: _ClassVar[int]
    DISCLOSURES_FIELD_NUMBER: _ClassVar[int]
    SECRET_FIELD_NUMBER: _ClassVar[int]
    event_id: str
    fact: str
    verdict: Verdict
    round_id: str
    phase: str
    table_time_ms: int
    rule_set: str
    disclosures: _containers.RepeatedCompositeFieldContainer[Disclosure]
    secret: bool
    def __init__(self, event_id: _Optional[str] = ..., fact: _Optional[str] = ..., verdict: _Optional[_Union[Verdict, _Mapping]] = ..., round_id: _Optional[str] = ..., phase: _Optional[str] = ..., table_time_ms: _Optional[int] = ..., rule_set: _Optional[str] = ..., disclosures: _Optional[_Iterable[_Union[Disclosure, _Mapping]]] = ..., secret: _Optional[bool] = ...) -> None: ...

class FoldAnnounced(_message.Message):
    __slots__ = ()
    def __init__(self) -> None: ...

class FloorRecord(_message.Message):
    __slots__ = ("table_id", "partition", "offset", "fold_schema", "folded", "announced")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    PARTITION_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    FOLD_SCHEMA_FIELD_NUMBER: _ClassVar[int]
    FOLDED_FIELD_NUMBER: _ClassVar[int]
    ANNOUNCED_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    partition: int
    offset: int
    fold_schema: int
    folded: EventFolded
    announced: FoldAnnounced
    def __init__(self, table_id: _Optional[str] = ..., partition: _Optional[int] = ..., offset: _Optional[int] = ..., fold_schema: _Optional[int] = ..., folded: _Optional[_Union[EventFolded, _Mapping]] = ..., announced: _Optional[_Union[FoldAnnounced, _Mapping]] = ...) -> None: ...

class Act(_message.Message):
    __slots__ = ("table_id", "equipment_id", "boot", "sequence", "person_id", "role", "device_time_ms", "source_started", "table_opened", "table_closed", "equipment_changed", "table_suspended", "suspension_resolved", "reading_corrected", "round_voided", "settled_round_voided", "settled_round_corrected", "dice_thrown", "throw_void", "thirteen_cards", "pai_kau", "mahjong")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    EQUIPMENT_ID_FIELD_NUMBER: _ClassVar[int]
    BOOT_FIELD_NUMBER: _ClassVar[int]
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    PERSON_ID_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    DEVICE_TIME_MS_FIELD_NUMBER: _ClassVar[int]
    SOURCE_STARTED_FIELD_NUMBER: _ClassVar[int]
    TABLE_OPENED_FIELD_NUMBER: _ClassVar[int]
    TABLE_CLOSED_FIELD_NUMBER: _ClassVar[int]
    EQUIPMENT_CHANGED_FIELD_NUMBER: _ClassVar[int]
    TABLE_SUSPENDED_FIELD_NUMBER: _ClassVar[int]
    SUSPENSION_RESOLVED_FIELD_NUMBER: _ClassVar[int]
    READING_CORRECTED_FIELD_NUMBER: _ClassVar[int]
    ROUND_VOIDED_FIELD_NUMBER: _ClassVar[int]
    SETTLED_ROUND_VOIDED_FIELD_NUMBER: _ClassVar[int]
    SETTLED_ROUND_CORRECTED_FIELD_NUMBER: _ClassVar[int]
    DICE_THROWN_FIELD_NUMBER: _ClassVar[int]
    THROW_VOID_FIELD_NUMBER: _ClassVar[int]
    THIRTEEN_CARDS_FIELD_NUMBER: _ClassVar[int]
    PAI_KAU_FIELD_NUMBER: _ClassVar[int]
    MAHJONG_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    equipment_id: str
    boot: int
    sequence: int
    person_id: str
    role: _event_pb2.Role
    device_time_ms: int
    source_started: _table_pb2.SourceStarted
    table_opened: _table_pb2.TableOpened
    table_closed: _table_pb2.TableClosed
    equipment_changed: _table_pb2.EquipmentChanged
    table_suspended: _table_pb2.TableSuspended
    suspension_resolved: _table_pb2.SuspensionResolved
    reading_corrected: _table_pb2.ReadingCorrected
    round_voided: _table_pb2.RoundVoided
    settled_round_voided: _table_pb2.SettledRoundVoided
    settled_round_corrected: _table_pb2.SettledRoundCorrected
    dice_thrown: _devices_pb2.DiceThrown
    throw_void: _devices_pb2.ThrowVoid
    thirteen_cards: _thirteen_cards_pb2.ThirteenCardsFact
    pai_kau: _pai_kau_pb2.PaiKauFact
    mahjong: _mahjong_pb2.MahjongFact
    def __init__(self, table_id: _Optional[str] = ..., equipment_id: _Optional[str] = ..., boot: _Optional[int] = ..., sequence: _Optional[int] = ..., person_id: _Optional[str] = ..., role: _Optional[_Union[_event_pb2.Role, str]] = ..., device_time_ms: _Optional[int] = ..., source_started: _Optional[_Union[_table_pb2.SourceStarted, _Mapping]] = ..., table_opened: _Optional[_Union[_table_pb2.TableOpened, _Mapping]] = ..., table_closed: _Optional[_Union[_table_pb2.TableClosed, _Mapping]] = ..., equipment_changed: _Optional[_Union[_table_pb2.EquipmentChanged, _Mapping]] = ..., table_suspended: _Optional[_Union[_table_pb2.TableSuspended, _Mapping]] = ..., suspension_resolved: _Optional[_Union[_table_pb2.SuspensionResolved, _Mapping]] = ..., reading_corrected: _Optional[_Union[_table_pb2.ReadingCorrected, _Mapping]] = ..., round_voided: _Optional[_Union[_table_pb2.RoundVoided, _Mapping]] = ..., settled_round_voided: _Optional[_Union[_table_pb2.SettledRoundVoided, _Mapping]] = ..., settled_round_corrected: _Optional[_Union[_table_pb2.SettledRoundCorrected, _Mapping]] = ..., dice_thrown: _Optional[_Union[_devices_pb2.DiceThrown, _Mapping]] = ..., throw_void: _Optional[_Union[_devices_pb2.ThrowVoid, _Mapping]] = ..., thirteen_cards: _Optional[_Union[_thirteen_cards_pb2.ThirteenCardsFact, _Mapping]] = ..., pai_kau: _Optional[_Union[_pai_kau_pb2.PaiKauFact, _Mapping]] = ..., mahjong: _Optional[_Union[_mahjong_pb2.MahjongFact, _Mapping]] = ...) -> None: ...

class ActResult(_message.Message):
    __slots__ = ("sequence", "table_id", "equipment_id", "event_id", "partition", "offset", "verdict", "gateway_reason", "gateway_detail")
    SEQUENCE_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    EQUIPMENT_ID_FIELD_NUMBER: _ClassVar[int]
    EVENT_ID_FIELD_NUMBER: _ClassVar[int]
    PARTITION_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    VERDICT_FIELD_NUMBER: _ClassVar[int]
    GATEWAY_REASON_FIELD_NUMBER: _ClassVar[int]
    GATEWAY_DETAIL_FIELD_NUMBER: _ClassVar[int]
    sequence: int
    table_id: str
    equipment_id: str
    event_id: str
    partition: int
    offset: int
    verdict: Verdict
    gateway_reason: str
    gateway_detail: str
    def __init__(self, sequence: _Optional[int] = ..., table_id: _Optional[str] = ..., equipment_id: _Optional[str] = ..., event_id: _Optional[str] = ..., partition: _Optional[int] = ..., offset: _Optional[int] = ..., verdict: _Optional[_Union[Verdict, _Mapping]] = ..., gateway_reason: _Optional[str] = ..., gateway_detail: _Optional[str] = ...) -> None: ...

class SubmitRequest(_message.Message):
    __slots__ = ("act",)
    ACT_FIELD_NUMBER: _ClassVar[int]
    act: Act
    def __init__(self, act: _Optional[_Union[Act, _Mapping]] = ...) -> None: ...

class SubmitResponse(_message.Message):
    __slots__ = ("result",)
    RESULT_FIELD_NUMBER: _ClassVar[int]
    result: ActResult
    def __init__(self, result: _Optional[_Union[ActResult, _Mapping]] = ...) -> None: ...

class SubmitStreamRequest(_message.Message):
    __slots__ = ("acts",)
    ACTS_FIELD_NUMBER: _ClassVar[int]
    acts: _containers.RepeatedCompositeFieldContainer[Act]
    def __init__(self, acts: _Optional[_Iterable[_Union[Act, _Mapping]]] = ...) -> None: ...

class SubmitStreamResponse(_message.Message):
    __slots__ = ("results",)
    RESULTS_FIELD_NUMBER: _ClassVar[int]
    results: _containers.RepeatedCompositeFieldContainer[ActResult]
    def __init__(self, results: _Optional[_Iterable[_Union[ActResult, _Mapping]]] = ...) -> None: ...

class WatchTableRequest(_message.Message):
    __slots__ = ("table_id", "person_id", "role", "cursor")
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    PERSON_ID_FIELD_NUMBER: _ClassVar[int]
    ROLE_FIELD_NUMBER: _ClassVar[int]
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    table_id: str
    person_id: str
    role: _event_pb2.Role
    cursor: int
    def __init__(self, table_id: _Optional[str] = ..., person_id: _Optional[str] = ..., role: _Optional[_Union[_event_pb2.Role, str]] = ..., cursor: _Optional[int] = ...) -> None: ...

class WatchTableResponse(_message.Message):
    __slots__ = ("cursor", "offset", "folded")
    CURSOR_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    FOLDED_FIELD_NUMBER: _ClassVar[int]
    cursor: int
    offset: int
    folded: EventFolded
    def __init__(self, cursor: _Optional[int] = ..., offset: _Optional[int] = ..., folded: _Optional[_Union[EventFolded, _Mapping]] = ...) -> None: ...
