"""Decides what a webhook of Alertmanager's is: who is told what, and when, during a drill."""

import asyncio
import time
from collections.abc import Callable
from http import HTTPStatus
from types import TracebackType
from typing import Final, Self

import msgspec
from msgspec import Struct

_HOST: Final = "127.0.0.1"
_PATIENCE_SECONDS: Final = 10.0
_MOST_BYTES: Final = 4 * 1024 * 1024


class Alert(Struct, frozen=True):
    """One alert of a message."""

    status: str
    labels: dict[str, str] = {}
    annotations: dict[str, str] = {}


class Message(Struct, frozen=True, rename="camel"):
    """What Alertmanager sends, as far as it is used here; it groups by the alert's name."""

    status: str
    receiver: str
    group_labels: dict[str, str] = {}
    alerts: tuple[Alert, ...] = ()

    @property
    def name(self) -> str:
        """Return the alert's name."""
        return self.group_labels.get("alertname", "")

    @property
    def firing(self) -> bool:
        """Return whether at least one alert of the group still fires."""
        return self.status == "firing"

    def line(self) -> str:
        """Return the message as somebody on call reads it."""
        said = [
            each.annotations.get("summary", "no summary")
            for each in self.alerts
            if not self.firing or each.status == "firing"
        ]
        more = f" (and {len(said) - 1} more)" if len(said) > 1 else ""
        return f"{self.name}, to the {self.receiver}: {said[0] if said else 'no alert'}{more}"


class Webhook:
    """A receiver on the loopback address while the block lasts; it remembers who fires."""

    def __init__(self, told: Callable[[Message], None] = lambda message: None) -> None:
        """Return a receiver that does not listen yet; `told` gets every message."""
        self.firing_since: dict[str, float] = {}
        """Alerts that fire now, with the monotonic time at which the first message came."""
        self.resolved_at: dict[str, float] = {}
        """Alerts that fire no more, with the time at which that was told last."""
        self._told = told
        self._server: asyncio.Server | None = None

    @property
    def url(self) -> str:
        """Return where messages are taken."""
        assert self._server is not None, "entered"
        return f"http://{_HOST}:{self._server.sockets[0].getsockname()[1]}/"

    async def __aenter__(self) -> Self:
        """Return the receiver, which listens now."""
        self._server = await asyncio.start_server(self._answer, _HOST, 0)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Return when nothing is taken any more."""
        assert self._server is not None, "entered"
        self._server.close()

    def take(self, message: Message) -> None:
        """Return after noting a message."""
        if message.firing:
            self.firing_since.setdefault(message.name, time.monotonic())
            self.resolved_at.pop(message.name, None)
        else:
            self.firing_since.pop(message.name, None)
            self.resolved_at[message.name] = time.monotonic()
        self._told(message)

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_PATIENCE_SECONDS):
                status = await self._read(reader)
                writer.write(
                    f"HTTP/1.1 {status.value} {status.phrase}\r\n"
                    "Content-Length: 0\r\nConnection: close\r\n\r\n".encode()
                )
                await writer.drain()
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass  # Alertmanager sends again what was not answered
        finally:
            writer.close()

    async def _read(self, reader: asyncio.StreamReader) -> HTTPStatus:
        """Return the answer to one request, after noting what it holds."""
        head = await reader.readuntil(b"\r\n\r\n")
        length = 0
        for line in head.split(b"\r\n"):
            name, _, value = line.partition(b":")
            if name.strip().lower() == b"content-length" and value.strip().isdigit():
                length = int(value)
        if not 0 < length <= _MOST_BYTES:
            return HTTPStatus.BAD_REQUEST
        try:
            message = msgspec.json.decode(await reader.readexactly(length), type=Message)
        except msgspec.DecodeError:
            return HTTPStatus.BAD_REQUEST
        self.take(message)
        return HTTPStatus.OK
