from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class Transfer(_message.Message):
    __slots__ = ("payer", "payee", "amount", "subject", "rules")
    PAYER_FIELD_NUMBER: _ClassVar[int]
    PAYEE_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    payer: str
    payee: str
    amount: int
    subject: str
    rules: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, payer: _Optional[str] = ..., payee: _Optional[str] = ..., amount: _Optional[int] = ..., subject: _Optional[str] = ..., rules: _Optional[_Iterable[str]] = ...) -> None: ...

class Hold(_message.Message):
    __slots__ = ("transfers",)
    TRANSFERS_FIELD_NUMBER: _ClassVar[int]
    transfers: _containers.RepeatedCompositeFieldContainer[Transfer]
    def __init__(self, transfers: _Optional[_Iterable[_Union[Transfer, _Mapping]]] = ...) -> None: ...

class Settlement(_message.Message):
    __slots__ = ("transfers",)
    TRANSFERS_FIELD_NUMBER: _ClassVar[int]
    transfers: _containers.RepeatedCompositeFieldContainer[Transfer]
    def __init__(self, transfers: _Optional[_Iterable[_Union[Transfer, _Mapping]]] = ...) -> None: ...

class Release(_message.Message):
    __slots__ = ("transfers",)
    TRANSFERS_FIELD_NUMBER: _ClassVar[int]
    transfers: _containers.RepeatedCompositeFieldContainer[Transfer]
    def __init__(self, transfers: _Optional[_Iterable[_Union[Transfer, _Mapping]]] = ...) -> None: ...

class Reversal(_message.Message):
    __slots__ = ("movement_id", "fingerprint")
    MOVEMENT_ID_FIELD_NUMBER: _ClassVar[int]
    FINGERPRINT_FIELD_NUMBER: _ClassVar[int]
    movement_id: str
    fingerprint: bytes
    def __init__(self, movement_id: _Optional[str] = ..., fingerprint: _Optional[bytes] = ...) -> None: ...

class Movement(_message.Message):
    __slots__ = ("movement_id", "table_id", "partition", "offset", "index", "round_id", "game", "rule_set", "rules_version", "gaming_day", "own_gaming_day", "table_time_ms", "number", "currency", "fingerprint", "completed_time_ms", "hold", "settlement", "release", "reversal")
    MOVEMENT_ID_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    PARTITION_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    ROUND_ID_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    RULE_SET_FIELD_NUMBER: _ClassVar[int]
    RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    OWN_GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    TABLE_TIME_MS_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    FINGERPRINT_FIELD_NUMBER: _ClassVar[int]
    COMPLETED_TIME_MS_FIELD_NUMBER: _ClassVar[int]
    HOLD_FIELD_NUMBER: _ClassVar[int]
    SETTLEMENT_FIELD_NUMBER: _ClassVar[int]
    RELEASE_FIELD_NUMBER: _ClassVar[int]
    REVERSAL_FIELD_NUMBER: _ClassVar[int]
    movement_id: str
    table_id: str
    partition: int
    offset: int
    index: int
    round_id: str
    game: str
    rule_set: str
    rules_version: str
    gaming_day: str
    own_gaming_day: str
    table_time_ms: int
    number: int
    currency: str
    fingerprint: bytes
    completed_time_ms: int
    hold: Hold
    settlement: Settlement
    release: Release
    reversal: Reversal
    def __init__(self, movement_id: _Optional[str] = ..., table_id: _Optional[str] = ..., partition: _Optional[int] = ..., offset: _Optional[int] = ..., index: _Optional[int] = ..., round_id: _Optional[str] = ..., game: _Optional[str] = ..., rule_set: _Optional[str] = ..., rules_version: _Optional[str] = ..., gaming_day: _Optional[str] = ..., own_gaming_day: _Optional[str] = ..., table_time_ms: _Optional[int] = ..., number: _Optional[int] = ..., currency: _Optional[str] = ..., fingerprint: _Optional[bytes] = ..., completed_time_ms: _Optional[int] = ..., hold: _Optional[_Union[Hold, _Mapping]] = ..., settlement: _Optional[_Union[Settlement, _Mapping]] = ..., release: _Optional[_Union[Release, _Mapping]] = ..., reversal: _Optional[_Union[Reversal, _Mapping]] = ...) -> None: ...
