from google.protobuf.internal import containers as _containers
from google.protobuf.internal import enum_type_wrapper as _enum_type_wrapper
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class EntryKind(int, metaclass=_enum_type_wrapper.EnumTypeWrapper):
    __slots__ = ()
    ENTRY_KIND_UNSPECIFIED: _ClassVar[EntryKind]
    ENTRY_KIND_HOLD: _ClassVar[EntryKind]
    ENTRY_KIND_SETTLEMENT: _ClassVar[EntryKind]
    ENTRY_KIND_RELEASE: _ClassVar[EntryKind]
    ENTRY_KIND_REVERSAL: _ClassVar[EntryKind]
ENTRY_KIND_UNSPECIFIED: EntryKind
ENTRY_KIND_HOLD: EntryKind
ENTRY_KIND_SETTLEMENT: EntryKind
ENTRY_KIND_RELEASE: EntryKind
ENTRY_KIND_REVERSAL: EntryKind

class Posting(_message.Message):
    __slots__ = ("posting_id", "account", "amount", "subject", "rules")
    POSTING_ID_FIELD_NUMBER: _ClassVar[int]
    ACCOUNT_FIELD_NUMBER: _ClassVar[int]
    AMOUNT_FIELD_NUMBER: _ClassVar[int]
    SUBJECT_FIELD_NUMBER: _ClassVar[int]
    RULES_FIELD_NUMBER: _ClassVar[int]
    posting_id: str
    account: str
    amount: int
    subject: str
    rules: _containers.RepeatedScalarFieldContainer[str]
    def __init__(self, posting_id: _Optional[str] = ..., account: _Optional[str] = ..., amount: _Optional[int] = ..., subject: _Optional[str] = ..., rules: _Optional[_Iterable[str]] = ...) -> None: ...

class LedgerEntry(_message.Message):
    __slots__ = ("entry_id", "kind", "table_id", "round_id", "game", "rule_set", "rules_version", "gaming_day", "own_gaming_day", "table_time_ms", "number", "currency", "reverses", "fingerprint", "postings", "booked_time_us", "completed_time_ms", "partition", "offset", "index")
    ENTRY_ID_FIELD_NUMBER: _ClassVar[int]
    KIND_FIELD_NUMBER: _ClassVar[int]
    TABLE_ID_FIELD_NUMBER: _ClassVar[int]
    ROUND_ID_FIELD_NUMBER: _ClassVar[int]
    GAME_FIELD_NUMBER: _ClassVar[int]
    RULE_SET_FIELD_NUMBER: _ClassVar[int]
    RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
    GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    OWN_GAMING_DAY_FIELD_NUMBER: _ClassVar[int]
    TABLE_TIME_MS_FIELD_NUMBER: _ClassVar[int]
    NUMBER_FIELD_NUMBER: _ClassVar[int]
    CURRENCY_FIELD_NUMBER: _ClassVar[int]
    REVERSES_FIELD_NUMBER: _ClassVar[int]
    FINGERPRINT_FIELD_NUMBER: _ClassVar[int]
    POSTINGS_FIELD_NUMBER: _ClassVar[int]
    BOOKED_TIME_US_FIELD_NUMBER: _ClassVar[int]
    COMPLETED_TIME_MS_FIELD_NUMBER: _ClassVar[int]
    PARTITION_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    INDEX_FIELD_NUMBER: _ClassVar[int]
    entry_id: str
    kind: EntryKind
    table_id: str
    round_id: str
    game: str
    rule_set: str
    rules_version: str
    gaming_day: str
    own_gaming_day: str
    table_time_ms: int
    number: int
    currency: str
    reverses: str
    fingerprint: bytes
    postings: _containers.RepeatedCompositeFieldContainer[Posting]
    booked_time_us: int
    completed_time_ms: int
    partition: int
    offset: int
    index: int
    def __init__(self, entry_id: _Optional[str] = ..., kind: _Optional[_Union[EntryKind, str]] = ..., table_id: _Optional[str] = ..., round_id: _Optional[str] = ..., game: _Optional[str] = ..., rule_set: _Optional[str] = ..., rules_version: _Optional[str] = ..., gaming_day: _Optional[str] = ..., own_gaming_day: _Optional[str] = ..., table_time_ms: _Optional[int] = ..., number: _Optional[int] = ..., currency: _Optional[str] = ..., reverses: _Optional[str] = ..., fingerprint: _Optional[bytes] = ..., postings: _Optional[_Iterable[_Union[Posting, _Mapping]]] = ..., booked_time_us: _Optional[int] = ..., completed_time_ms: _Optional[int] = ..., partition: _Optional[int] = ..., offset: _Optional[int] = ..., index: _Optional[int] = ...) -> None: ...
