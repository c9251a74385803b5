"""A real broker and a real database, started once for all system tests."""

import os
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from shutil import rmtree

import pytest
import pytest_asyncio

from floorbook.demo.processes import Supervisor, private_folder
from floorbook.demo.servers import Server, choose_broker, choose_database


@pytest.fixture(scope="session")
def servers_folder() -> Iterator[Path]:
    """The private folder of the servers that all tests share."""
    folder = private_folder("floorbook-tests-")
    yield folder
    rmtree(folder)


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def broker(servers_folder: Path) -> AsyncIterator[Server]:
    """Kafka at `broker.address`; who needs to kill a broker starts one of its own."""
    async with Supervisor(servers_folder) as supervisor:
        server = choose_broker(os.environ.get("FLOORBOOK_KAFKA"), supervisor)
        await server.start()
        yield server


@pytest_asyncio.fixture(scope="session", loop_scope="session")
async def database(servers_folder: Path) -> AsyncIterator[Server]:
    """PostgreSQL at `database.address`, the superuser's connection URL."""
    async with Supervisor(servers_folder) as supervisor:
        server = choose_database(os.environ.get("FLOORBOOK_DATABASE"), supervisor)
        await server.start()
        yield server
