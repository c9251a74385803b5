"""Decides which settings exist, what each means, and whether the given values can be used.

Every setting is an environment variable `FLOORBOOK_…`, declared once as a field of `Settings`:
the field `submit_deadline_seconds` is the variable `FLOORBOOK_SUBMIT_DEADLINE_SECONDS`. The rest of
the code gets one `Settings` value and never looks at the environment.
"""

# ruff: noqa: RUF009 -- _setting() returns a dataclass field, which the rule cannot see

import math
import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from floorbook.login import Login

PREFIX = "FLOORBOOK_"
SERVICES = ("gateway", "table", "evaluator", "ledger", "metrics")
_OF_KAFKA = (
    *("gateway", "table", "ledger", "metrics"),
    *("topics", "rebuild", "quarantine", "suspended"),
)
_SERVICES_OF_ROUNDS = ("gateway", "table", "evaluator", "ledger")
EXIT_BAD_SETTINGS = 78  # EX_CONFIG of sysexits.h: restarting will not help

_SLOT = re.compile(r"[A-Za-z0-9_.-]{1,40}")
_CRASH_POINT = re.compile(r"[a-z][a-z0-9_.-]*(:[1-9][0-9]*)?")


@dataclass(frozen=True, slots=True)
class Address:
    """A host and a port, to listen on or to call; port 0 asks the system for a free one."""

    host: str
    port: int

    def __str__(self) -> str:
        """Return `host:port`, with the brackets that an IPv6 address needs."""
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class Setting:
    """What is known about one setting apart from its value."""

    variable: str
    kind: str
    parse: Callable[[str], Any]
    default: str
    unit: str
    meaning: str
    used_by: tuple[str, ...]
    required_by: tuple[str, ...]
    secret: bool


def _setting(
    kind: str,
    parse: Callable[[str], Any],
    default: str,
    meaning: str,
    used_by: tuple[str, ...],
    *,
    unit: str = "",
    required_by: tuple[str, ...] = (),
    secret: bool = False,
) -> Any:
    # A secret stays out of the repr too: a Settings value ends up in tracebacks and test output.
    about = (kind, parse, default, unit, meaning, used_by, required_by, secret)
    return field(repr=not secret, metadata={"about": about})


def _text(value: str) -> str:
    return value


def _address(value: str) -> Address:
    host, colon, port = value.rpartition(":")
    if host.startswith("[") and host.endswith("]"):
        host = host[1:-1]
    elif ":" in host:
        raise ValueError("write an IPv6 address in brackets, as in [::1]:7001")
    if not colon or not host:
        raise ValueError("must be host:port, as in 127.0.0.1:7001")
    if not (port.isascii() and port.isdigit()) or int(port) > 65535:
        raise ValueError(f"its port {port!r} must be a number from 0 to 65535")
    return Address(host, int(port))


def _servers(value: str) -> tuple[str, ...]:
    if not value:
        return ()
    addresses = [_address(part.strip()) for part in value.split(",")]
    if any(address.port == 0 for address in addresses):
        raise ValueError("port 0 is no server's port")
    return tuple(str(address) for address in addresses)


def _target(value: str) -> Address:
    address = _address(value)
    if address.port == 0:
        raise ValueError("port 0 is no server's port")
    return address


def _whole_number(least: int, most: int) -> Callable[[str], int]:
    def parse(value: str) -> int:
        if not (value.isascii() and value.isdigit()) or not least <= int(value) <= most:
            raise ValueError(f"must be a whole number from {least} to {most}")
        return int(value)

    return parse


def _seconds(value: str) -> float:
    try:
        seconds = float(value)
    except ValueError:
        seconds = math.nan
    if not (math.isfinite(seconds) and seconds > 0):
        raise ValueError("must be a number of seconds above 0")
    return seconds


def _ratio(value: str) -> float:
    try:
        ratio = float(value)
    except ValueError:
        ratio = math.nan
    if not 0 <= ratio <= 1:
        raise ValueError("must be a number from 0 to 1")
    return ratio


def _collector(value: str) -> str:
    if not value:
        return ""
    scheme, _, address = value.partition("://")
    if scheme not in ("http", "https"):
        raise ValueError("must begin with http:// or https://, as in http://127.0.0.1:4317")
    _target(address)
    return value


def _one_of(*choices: str) -> Callable[[str], str]:
    def parse(value: str) -> str:
        if value not in choices:
            raise ValueError(f"must be one of {', '.join(choices)}")
        return value

    return parse


def _slot(value: str) -> str:
    if not _SLOT.fullmatch(value):
        raise ValueError("must be 1 to 40 letters, digits, '_', '.' or '-'")
    return value


def _crash_point(value: str) -> str:
    if value and not _CRASH_POINT.fullmatch(value):
        raise ValueError("must be the name of a point, or name:count for its count-th time")
    return value


@dataclass(frozen=True, slots=True)
class Settings:
    """Every setting of every service, read and checked; what is not set and has no default is empty."""

    kafka: tuple[str, ...] = _setting(
        "list of host:port",
        _servers,
        "",
        "Kafka's bootstrap servers, separated by commas.",
        (*_OF_KAFKA, "demo"),
        required_by=_OF_KAFKA,
    )
    kafka_user: str = _setting(
        "text",
        _text,
        "",
        "The user as which Kafka knows this service (SCRAM-SHA-512); empty: it asks nobody.",
        _OF_KAFKA,
    )
    kafka_password: str = _setting(
        "text",
        _text,
        "",
        "The password of FLOORBOOK_KAFKA_USER.",
        _OF_KAFKA,
        secret=True,
    )
    kafka_ca: str = _setting(
        "path",
        _text,
        "",
        "The file of the certificates by which Kafka's brokers are known; empty: no TLS.",
        _OF_KAFKA,
    )
    database: str = _setting(
        "libpq connection string",
        _text,
        "",
        "The ledger's PostgreSQL database, as a URL or as key=value words.",
        ("ledger", "ledger-tools", "demo"),
        required_by=("ledger", "ledger-tools"),
        secret=True,
    )
    partitions: int = _setting(
        "whole number",
        _whole_number(1, 1000),
        "12",
        "Partitions of every topic, used once, when the topics are made; it never changes afterwards.",
        ("topics",),
        unit="partitions",
    )
    replication: int = _setting(
        "whole number",
        _whole_number(1, 9),
        "3",
        "Copies of every partition, used once, when the topics are made; 3 or more lets one broker fail.",
        ("topics",),
        unit="copies",
    )
    registry: str = _setting(
        "path",
        _text,
        "",
        "The file that names the devices, the floor clients and the keys and tokens they show.",
        ("gateway",),
        required_by=("gateway",),
    )
    evaluator: Address = _setting(
        "host:port",
        _target,
        "127.0.0.1:7003",
        "Where the table processor finds the evaluator.",
        ("table",),
    )
    gateway_listen: Address = _setting(
        "host:port",
        _address,
        "127.0.0.1:7001",
        "Where the gateway listens for floor clients (gRPC).",
        ("gateway",),
    )
    device_listen: Address = _setting(
        "host:port",
        _address,
        "127.0.0.1:7002",
        "Where the gateway listens for devices (TCP).",
        ("gateway",),
    )
    evaluator_listen: Address = _setting(
        "host:port",
        _address,
        "127.0.0.1:7003",
        "Where the evaluator listens (gRPC).",
        ("evaluator",),
    )
    probes_listen: Address = _setting(
        "host:port",
        _address,
        "127.0.0.1:9100",
        "Where a service answers /metrics, /healthz and /readyz.",
        (*SERVICES, "rebuild"),
    )
    datadir: str = _setting(
        "path",
        _text,
        "/var/lib/floorbook",
        "A folder of the service's own for files that it can make again; made if it is missing.",
        ("table",),
    )
    slot: str = _setting(
        "text",
        _slot,
        "0",
        "This replica's lasting name in its consumer group: a restart under the same name is quick.",
        ("gateway", "table", "ledger", "metrics"),
    )
    listen_without_tls: str = _setting(
        "loopback or anywhere",
        _one_of("loopback", "anywhere"),
        "loopback",
        "Where a gateway may listen without TLS: anywhere only behind what encrypts for it.",
        ("gateway",),
    )
    submit_deadline_seconds: float = _setting(
        "number",
        _seconds,
        "5",
        "How long a floor client's request may wait for its verdict before the client must repeat it.",
        ("gateway",),
        unit="seconds",
    )
    evaluate_deadline_seconds: float = _setting(
        "number",
        _seconds,
        "2",
        "How long one call of the evaluator may take before it is tried again.",
        ("table",),
        unit="seconds",
    )
    quarantine_limit_per_minute: int = _setting(
        "whole number",
        _whole_number(1, 1_000_000),
        "60",
        "Records sent to quarantine within a minute above which table, ledger and metrics stop "
        "themselves and a gateway writes no more of them.",
        ("gateway", "table", "ledger", "metrics"),
        unit="records per minute",
    )
    log_format: str = _setting(
        "json or terminal",
        _one_of("json", "terminal"),
        "json",
        "How log lines look: JSON for machines, or text for people.",
        (*SERVICES, "rebuild", "demo"),
    )
    log_level: str = _setting(
        "level",
        _one_of("debug", "info", "warning", "error"),
        "info",
        "The least important log lines that are written.",
        (*SERVICES, "rebuild", "demo"),
    )
    traces: str = _setting(
        "http://host:port or https://host:port",
        _collector,
        "",
        "Where spans are sent, a collector that takes OTLP over gRPC; empty: none are made.",
        (*_SERVICES_OF_ROUNDS, "demo"),
    )
    traces_ratio: float = _setting(
        "number from 0 to 1",
        _ratio,
        "0.01",
        "The share of rounds whose spans are made; give all services the same.",
        (*_SERVICES_OF_ROUNDS, "demo"),
    )
    request_bytes: int = _setting(
        "whole number",
        _whole_number(1, 10_000_000),
        "500000",
        "Bytes of states or effects that the table processor puts into one Kafka batch; the brokers' "
        "message.max.bytes must be twice that.",
        ("table",),
        unit="bytes",
    )
    session_timeout_seconds: float = _setting(
        "number",
        _seconds,
        "6",
        "How long a silent replica keeps its partitions before Kafka gives them to another.",
        ("table", "ledger", "metrics"),
        unit="seconds",
    )
    crash_at: str = _setting(
        "text",
        _crash_point,
        "",
        "For tests only: the point, or point:count, at which the process kills itself.",
        SERVICES,
    )
    crash_file: str = _setting(
        "path",
        _text,
        "",
        "For tests only: the file that the crash writes; while it exists the crash is disarmed.",
        SERVICES,
    )

    @property
    def login(self) -> Login:
        """Return how this process shows itself to Kafka."""
        return Login(self.kafka_user, self.kafka_password, self.kafka_ca)


def declared() -> Iterator[tuple[str, Setting]]:
    """Yield each setting's field name and what is known about it, in the order of declaration."""
    for each in fields(Settings):
        kind, parse, default, unit, meaning, used_by, required_by, secret = each.metadata["about"]
        variable = PREFIX + each.name.upper()
        yield (
            each.name,
            Setting(variable, kind, parse, default, unit, meaning, used_by, required_by, secret),
        )


def read(environ: Mapping[str, str], service: str | None = None) -> Settings | list[str]:
    """Return the settings in `environ`, or every fault in them, one sentence each.

    With a `service` (or tool), what that one cannot do without must be there too.
    No fault repeats a secret's value.
    """
    values: dict[str, Any] = {}
    faults: list[str] = []
    for name, setting in declared():
        given = environ.get(setting.variable, "").strip()
        if not given and service in setting.required_by:
            faults.append(f"{setting.variable} is not set: {setting.meaning}")
        try:
            values[name] = setting.parse(given or setting.default)
        except ValueError as fault:
            shown = "(secret)" if setting.secret else repr(given)
            faults.append(f"{setting.variable} is {shown}: {fault}.")
    if values.get("crash_at") and not values.get("crash_file"):
        faults.append(
            f"{PREFIX}CRASH_AT needs {PREFIX}CRASH_FILE: without it every restart would crash."
        )
    if not faults:
        made = Settings(**values)
        return made.login.faults() or made
    return faults


def from_environment(service: str | None = None) -> Settings | list[str]:
    """Return the settings of this process, or every fault in them."""
    return read(os.environ, service)


def unknown(environ: Mapping[str, str] = os.environ) -> list[str]:
    """Return the names in `environ` (this process's) that look like settings and are none.

    They are no fault: Kubernetes puts `FLOORBOOK_GATEWAY_SERVICE_HOST` and the like into every pod.
    """
    known = {setting.variable for _, setting in declared()}
    return sorted(name for name in environ if name.startswith(PREFIX) and name not in known)


def describe(settings: Settings) -> list[dict[str, Any]]:
    """Return one record for each setting: its value as text and all that is known about it.

    A secret's value is masked, so that the result may be shown to anybody.
    """
    return [
        {
            "variable": setting.variable,
            "value": _shown(getattr(settings, name), setting),
            "default": setting.default,
            "kind": setting.kind,
            "unit": setting.unit,
            "meaning": setting.meaning,
            "used_by": list(setting.used_by),
            "required_by": list(setting.required_by),
            "secret": setting.secret,
        }
        for name, setting in declared()
    ]


def _shown(value: Any, setting: Setting) -> str:
    if setting.secret:
        return "(set)" if value else ""
    if isinstance(value, tuple):
        return ",".join(value)
    return f"{value:g}" if isinstance(value, float) else str(value)
