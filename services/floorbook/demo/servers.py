"""Decides what the demo and the tests may ask of a broker or a database, whoever runs it."""

from typing import Protocol

from floorbook.demo.broker import Broker
from floorbook.demo.database import Database
from floorbook.demo.processes import Supervisor


class Server(Protocol):
    """A broker or database that is there between `start` and `stop`."""

    @property
    def address(self) -> str:
        """Return where clients find the server."""
        ...

    async def start(self) -> None:
        """Return when the server answers."""
        ...

    async def stop(self) -> None:
        """Return when the server is gone, if it is ours to stop."""
        ...


class ExternalServer:
    """A server that somebody else runs: it is used and never started or stopped."""

    def __init__(self, address: str) -> None:
        """Return the server at `address`."""
        self._address = address

    @property
    def address(self) -> str:
        """Return where clients find the server."""
        return self._address

    async def start(self) -> None:
        """Return at once: the server runs already, its clients say if it does not."""

    async def stop(self) -> None:
        """Return at once: the server is not ours."""


def choose_broker(address: str | None, supervisor: Supervisor) -> Server:
    """Return the existing broker at `address`, or a local one if there is none."""
    return ExternalServer(address) if address else Broker(supervisor)


def choose_database(address: str | None, supervisor: Supervisor) -> Server:
    """Return the existing database at `address`, or a local one if there is none."""
    return ExternalServer(address) if address else Database(supervisor)
