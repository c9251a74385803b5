"""Decides what a service tells those who watch it: /metrics, /healthz and /readyz over HTTP.

The server runs in threads of its own, so it still answers when the service's loop hangs: that is the
moment in which somebody asks. Healthy means that the loop beats; ready means that every named condition holds.
"""

import time
from collections.abc import Callable
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from socket import AF_INET, AF_INET6
from threading import Lock, Thread

from prometheus_client import CollectorRegistry
from prometheus_client.exposition import choose_encoder

from floorbook.settings import Address

_PLAIN = "text/plain; charset=utf-8"
_NOT_YET = "not yet"


class Condition:
    """One thing that must hold for the service to be ready; it fails until it is first held."""

    def __init__(self, name: str) -> None:
        """Return a condition that fails."""
        self.name = name
        self._reason: str | None = _NOT_YET

    def hold(self) -> None:
        """Return after noting that the condition holds."""
        self._reason = None

    def fail(self, reason: str) -> None:
        """Return after noting that the condition fails, and the `reason` that /readyz shows."""
        self._reason = reason or "no reason given"

    @property
    def reason(self) -> str | None:
        """Return why the condition fails; None if it holds."""
        return self._reason


class Probes:
    """The HTTP server of one service; made with its registry, started once, stopped once."""

    def __init__(
        self,
        registry: CollectorRegistry,
        listen: Address,
        *,
        heartbeat_limit_seconds: float = 10.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Return probes that do not listen yet."""
        self._registry = registry
        self._listen = listen
        self._limit_seconds = heartbeat_limit_seconds
        self._clock = clock
        self._last_beat = clock()
        self._conditions: dict[str, Condition] = {}
        self._lock = Lock()
        self._server: ThreadingHTTPServer | None = None
        self._thread: Thread | None = None

    def start(self) -> None:
        """Return once the server listens; starting counts as the first beat."""
        assert self._server is None, "probes are started once"
        self._last_beat = self._clock()
        self._server = _server(self._listen, self._answer)
        self._thread = Thread(target=self._server.serve_forever, name="probes", daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """Return once nothing listens any more; harmless if nothing did."""
        server, thread = self._server, self._thread
        self._server = self._thread = None
        if server is not None and thread is not None:
            server.shutdown()
            server.server_close()
            thread.join()

    @property
    def address(self) -> Address:
        """Return where the server really listens, with the port that port 0 became."""
        assert self._server is not None, "probes have an address after start()"
        host, port = self._server.server_address[:2]
        return Address(str(host), int(port))

    def beat(self) -> None:
        """Return after noting that the service's loop is alive."""
        self._last_beat = self._clock()

    def condition(self, name: str) -> Condition:
        """Return the condition `name`, made on first use."""
        with self._lock:
            return self._conditions.setdefault(name, Condition(name))

    def _answer(self, path: str, accept: str) -> tuple[HTTPStatus, str, bytes]:
        match path:
            case "/metrics":
                encode, content_type = choose_encoder(accept)
                return HTTPStatus.OK, content_type, encode(self._registry)
            case "/healthz":
                return self._health()
            case "/readyz":
                return self._readiness()
            case _:
                known = b"not found: there are /metrics, /healthz and /readyz\n"
                return HTTPStatus.NOT_FOUND, _PLAIN, known

    def _health(self) -> tuple[HTTPStatus, str, bytes]:
        silent_seconds = self._clock() - self._last_beat
        if silent_seconds <= self._limit_seconds:
            return HTTPStatus.OK, _PLAIN, b"ok\n"
        body = f"no beat for {silent_seconds:.1f} s, allowed are {self._limit_seconds:g} s\n"
        return HTTPStatus.SERVICE_UNAVAILABLE, _PLAIN, body.encode()

    def _readiness(self) -> tuple[HTTPStatus, str, bytes]:
        with self._lock:
            conditions = [(each.name, each.reason) for each in self._conditions.values()]
        lines = [f"{name}: {reason or 'ok'}" for name, reason in conditions]
        ready = all(reason is None for _, reason in conditions)
        lines.insert(0, "ready" if ready else "not ready")
        status = HTTPStatus.OK if ready else HTTPStatus.SERVICE_UNAVAILABLE
        return status, _PLAIN, ("\n".join(lines) + "\n").encode()


def _server(
    listen: Address, answer: Callable[[str, str], tuple[HTTPStatus, str, bytes]]
) -> ThreadingHTTPServer:
    class Handler(BaseHTTPRequestHandler):
        timeout = 10  # a client that says nothing does not hold a thread for ever

        def do_GET(self) -> None:
            status, content_type, body = answer(
                self.path.partition("?")[0], self.headers.get("Accept", "")
            )
            self.send_response(status)
            self.send_header("Content-Type", content_type)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            """Return at once: a probe every few seconds is no news."""

    class Server(ThreadingHTTPServer):
        address_family = AF_INET6 if ":" in listen.host else AF_INET
        daemon_threads = True

    return Server((listen.host, listen.port), Handler)
