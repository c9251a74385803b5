"""Decides what a log line looks like and what may never be in one.

All lines go one way, whoever wrote them (our services, Faust, aiokafka, gRPC, Alembic): through `_mask`, which
takes out people, faces, keys and tokens, whatever a caller hands in. Lines carry `service` and, where there is
one, `table`, `round_id` with its `trace_id`, and `event_id`. What Kafka's clients repeat during an outage is held back to one line in
ten seconds, with how many were `left_out`.
"""

import logging
import re
import sys
import threading
from collections.abc import Mapping
from types import TracebackType
from typing import Any, TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

from floorbook import trace

MASK = "***"

# Words of a field's name, split at underscores and without a plural's s; any of them masks the field.
_PEOPLE = ("player", "person", "guest", "croupier", "supervisor")
_FACES = (
    *("card", "face", "tile", "dice", "die", "hand", "deck", "wall", "dealt"),
    *("opening", "salt", "leaf", "arrangement", "discard"),
)
_KEYS = (
    *("token", "password", "passwd", "secret", "dsn", "credential", "authorization", "cookie"),
    "payload",
)
_FORBIDDEN = frozenset((*_PEOPLE, *_FACES, *_KEYS))
_SECRET_KEY = re.compile(r"(device|api|private|signing|access|registry)_?key")
_WORD = re.compile(r"[a-z0-9]+")

# Inside free text, which is mostly what libraries and exceptions say: `word=value`, whatever the value.
_VALUE = r"\[[^\]]*\]|\([^)]*\)|\{[^}]*\}|'[^']*'|\"[^\"]*\"|(?:bearer\s+)?[^\s,;)}\]]+"
_NAMED = re.compile(
    rf"(?i)\b((?:\w*_)?(?:{'|'.join(sorted(_FORBIDDEN))})s?(?:_ids?)?['\"]?\s*[=:]\s*)(?:{_VALUE})"
)
# A card, a mahjong tile or a domino as Python and JSON quote it: 'As', "5s", '65'.
_QUOTED_FACE = re.compile(r"(['\"])(?:[AKQJT2-9][shcd]|[1-9][smp]|[1-6]{2})\1")
_IN_TEXT = (
    (_QUOTED_FACE, f"'{MASK}'"),
    (re.compile(r"\bplayer/[A-Za-z0-9_.-]+"), "player/" + MASK),
    (re.compile(r"(\w+://)[^/\s@]*@"), r"\1" + MASK + "@"),
    (_NAMED, r"\1" + MASK),
)

# A broker, or a collector of spans, that is gone makes its clients say the same several times a second, for as long as it is gone.
_REPEATING = ("kafka", "aiokafka", "opentelemetry")
_HELD_BACK_SECONDS = 10.0
_MOST_HELD_BACK = 1000
# "backoff 0.38 secs" is the same every time; the numbers of nodes, hosts and ports are not.
_COUNTED = re.compile(r"(?<![\w.:=-])\d+(\.\d+)?(?= ?(secs?|seconds|ms|s)\b)")

_LOUD_LIBRARIES = (
    *("aiokafka", "kafka", "alembic", "grpc", "asyncio", "faust", "mode"),
    "opentelemetry",
)


def configure(
    service: str, *, form: str = "json", level: str = "info", stream: TextIO | None = None
) -> None:
    """Return with every logger of the process writing masked lines to `stream` (standard error).

    `form` is `json` or `terminal`. An exception that nobody caught is a line too.
    """
    to = stream or sys.stderr
    least = logging.getLevelNamesMapping()[level.upper()]
    shared: list[Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="time"),
        _Stamp(service),
        _exception_text,
        _traced,
        _mask,
    ]
    handler = logging.StreamHandler(to)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.add_logger_name, _left_out, *shared],
            processors=[
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                _form(form, to),
            ],
        )
    )
    handler.addFilter(_HoldBack())
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(least)
    for library in _LOUD_LIBRARIES:
        logger = logging.getLogger(library)
        logger.handlers.clear()
        logger.propagate = True
        logger.setLevel(max(least, _least_of(library)))
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(least),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )
    logging.captureWarnings(True)
    sys.excepthook = _uncaught
    threading.excepthook = _uncaught_in_thread


def logger() -> structlog.typing.FilteringBoundLogger:
    """Return a logger for a shell: `logger().info("round settled", table=…, round_id=…)`."""
    bound: structlog.typing.FilteringBoundLogger = structlog.get_logger("floorbook")
    return bound


def is_debug() -> bool:
    """Return whether lines of the level debug are written, for whoever would have one for each event."""
    return logging.getLogger().isEnabledFor(logging.DEBUG)


def masked(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Return `fields` as they may be shown: forbidden ones masked, objects reduced to their type's name."""
    return {key: MASK if _is_forbidden(key) else _masked(value) for key, value in fields.items()}


def _least_of(library: str) -> int:
    # aiokafka builds a debug record for every fetch, which costs a tenth of the fold.
    return logging.WARNING if library in ("aiokafka", "kafka", "asyncio") else logging.INFO


def _form(form: str, stream: TextIO) -> Processor:
    if form == "terminal":
        return structlog.dev.ConsoleRenderer(
            colors=stream.isatty(),
            timestamp_key="time",
            exception_formatter=structlog.dev.plain_traceback,  # a richer one shows local variables
        )
    return structlog.processors.JSONRenderer(ensure_ascii=False)


class _Stamp:
    def __init__(self, service: str) -> None:
        self._service = service

    def __call__(self, logger: WrappedLogger, method: str, line: EventDict) -> EventDict:
        line.setdefault("service", self._service)
        return line


class _HoldBack(logging.Filter):
    """Lets what one of these clients says pass once in ten seconds.

    Filters run outside of the handler's lock: two threads that say the same at one moment may both pass.
    """

    def __init__(self) -> None:
        super().__init__()
        # Of each logger and text: when a line passed, and how many were left out since.
        self._seen: dict[tuple[str, str], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        if record.name.partition(".")[0] not in _REPEATING:
            return True
        key = (record.name, _COUNTED.sub("", record.getMessage()))
        before = self._seen.get(key)
        # The clock may have been set back: then nothing is known of how long ago it was.
        if before is not None and 0 <= record.created - before[0] < _HELD_BACK_SECONDS:
            self._seen[key] = (before[0], before[1] + 1)
            return False
        record.left_out = 0 if before is None else before[1]
        if len(self._seen) >= _MOST_HELD_BACK:
            self._seen.clear()
        self._seen[key] = (record.created, 0)
        return True


def _left_out(logger: WrappedLogger, method: str, line: EventDict) -> EventDict:
    count = getattr(line["_record"], "left_out", 0)
    return {**line, "left_out": count} if count else line


def _exception_text(logger: WrappedLogger, method: str, line: EventDict) -> EventDict:
    return structlog.processors.format_exc_info(logger, method, line)


def _traced(logger: WrappedLogger, method: str, line: EventDict) -> EventDict:
    """Return the line with the trace id of its round, if it names one."""
    round_id = line.get("round_id")
    if isinstance(round_id, str) and round_id:
        line.setdefault("trace_id", trace.trace_id(round_id))
    return line


# What the processors themselves put into a line, and `_mask` must leave alone.
_OURS = frozenset({"_record", "_from_structlog", "level", "time", "service", "logger"})


def _mask(logger: WrappedLogger, method: str, line: EventDict) -> EventDict:
    ours = {key: value for key, value in line.items() if key in _OURS}
    return masked({key: value for key, value in line.items() if key not in _OURS}) | ours


def _is_forbidden(key: str) -> bool:
    lower = re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", str(key)).lower()
    words = {word.removesuffix("s") for word in _WORD.findall(lower)}
    return bool(words & _FORBIDDEN) or _SECRET_KEY.search(lower) is not None


def _masked(value: Any) -> Any:
    match value:
        case None | bool() | int() | float():
            return value
        case str():
            return _masked_text(value)
        case BaseException():
            return _masked_text(f"{type(value).__name__}: {value}")
        case Mapping():
            return masked({str(key): each for key, each in value.items()})
        case list() | tuple() | set() | frozenset():
            return [_masked(each) for each in value]
        case _:
            # Its repr might hold a hand or a key, and nobody would see that in a review.
            return f"<{type(value).__name__}>"


def _masked_text(text: str) -> str:
    for pattern, replacement in _IN_TEXT:
        text = pattern.sub(replacement, text)
    return text


def _uncaught(kind: type[BaseException], fault: BaseException, trace: TracebackType | None) -> None:
    if issubclass(kind, KeyboardInterrupt):
        sys.__excepthook__(kind, fault, trace)
        return
    logger().critical("not caught", exc_info=(kind, fault, trace))


def _uncaught_in_thread(about: threading.ExceptHookArgs) -> None:
    if about.exc_value is not None:
        _uncaught(about.exc_type, about.exc_value, about.exc_traceback)
