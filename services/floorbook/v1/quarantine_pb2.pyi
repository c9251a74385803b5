from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from typing import ClassVar as _ClassVar, Optional as _Optional

DESCRIPTOR: _descriptor.FileDescriptor

class Quarantined(_message.Message):
    __slots__ = ("topic", "partition", "offset", "reason", "detail", "service", "source", "payload", "time_ms")
    TOPIC_FIELD_NUMBER: _ClassVar[int]
    PARTITION_FIELD_NUMBER: _ClassVar[int]
    OFFSET_FIELD_NUMBER: _ClassVar[int]
    REASON_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    SERVICE_FIELD_NUMBER: _ClassVar[int]
    SOURCE_FIELD_NUMBER: _ClassVar[int]
    PAYLOAD_FIELD_NUMBER: _ClassVar[int]
    TIME_MS_FIELD_NUMBER: _ClassVar[int]
    topic: str
    partition: int
    offset: int
    reason: str
    detail: str
    service: str
    source: str
    payload: bytes
    time_ms: int
    def __init__(self, topic: _Optional[str] = ..., partition: _Optional[int] = ..., offset: _Optional[int] = ..., reason: _Optional[str] = ..., detail: _Optional[str] = ..., service: _Optional[str] = ..., source: _Optional[str] = ..., payload: _Optional[bytes] = ..., time_ms: _Optional[int] = ...) -> None: ...
