from google.protobuf.internal import containers as _containers
from google.protobuf import descriptor as _descriptor
from google.protobuf import message as _message
from collections.abc import Iterable as _Iterable, Mapping as _Mapping
from typing import ClassVar as _ClassVar, Optional as _Optional, Union as _Union

DESCRIPTOR: _descriptor.FileDescriptor

class EvaluateRequest(_message.Message):
    __slots__ = ("rule_set", "rules_version", "input")
    RULE_SET_FIELD_NUMBER: _ClassVar[int]
    RULES_VERSION_FIELD_NUMBER: _ClassVar[int]
    INPUT_FIELD_NUMBER: _ClassVar[int]
    rule_set: str
    rules_version: str
    input: str
    def __init__(self, rule_set: _Optional[str] = ..., rules_version: _Optional[str] = ..., input: _Optional[str] = ...) -> None: ...

class EvaluateResponse(_message.Message):
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

class EvaluateRefusal(_message.Message):
    __slots__ = ("code", "detail")
    CODE_FIELD_NUMBER: _ClassVar[int]
    DETAIL_FIELD_NUMBER: _ClassVar[int]
    code: str
    detail: str
    def __init__(self, code: _Optional[str] = ..., detail: _Optional[str] = ...) -> None: ...

class EvaluateBatchRequest(_message.Message):
    __slots__ = ("requests",)
    REQUESTS_FIELD_NUMBER: _ClassVar[int]
    requests: _containers.RepeatedCompositeFieldContainer[EvaluateRequest]
    def __init__(self, requests: _Optional[_Iterable[_Union[EvaluateRequest, _Mapping]]] = ...) -> None: ...

class EvaluateBatchAnswer(_message.Message):
    __slots__ = ("response", "refusal")
    RESPONSE_FIELD_NUMBER: _ClassVar[int]
    REFUSAL_FIELD_NUMBER: _ClassVar[int]
    response: EvaluateResponse
    refusal: EvaluateRefusal
    def __init__(self, response: _Optional[_Union[EvaluateResponse, _Mapping]] = ..., refusal: _Optional[_Union[EvaluateRefusal, _Mapping]] = ...) -> None: ...

class EvaluateBatchResponse(_message.Message):
    __slots__ = ("answers",)
    ANSWERS_FIELD_NUMBER: _ClassVar[int]
    answers: _containers.RepeatedCompositeFieldContainer[EvaluateBatchAnswer]
    def __init__(self, answers: _Optional[_Iterable[_Union[EvaluateBatchAnswer, _Mapping]]] = ...) -> None: ...
