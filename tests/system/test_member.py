"""Members of groups on a real broker: each is given its share at its first start, and asks again if none comes."""

import asyncio
import time
from collections.abc import AsyncIterator
from pathlib import Path
from shutil import rmtree

import pytest
import pytest_asyncio

from floorbook import settings, topics
from floorbook.demo.broker import Broker
from floorbook.demo.processes import Supervisor, private_folder
from floorbook.member import Member, Unassigned, passes
from floorbook.settings import Settings

pytestmark = [pytest.mark.system, pytest.mark.asyncio(loop_scope="module")]

PARTITIONS = 4
READ = (topics.FLOOR, topics.MOVEMENTS)
SHARE = {(topic.name, partition) for topic in READ for partition in range(PARTITIONS)}
POLL_SECONDS = 0.05


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def read() -> AsyncIterator[Settings]:
    """Settings for a broker of these tests' own, with the topics made."""
    folder: Path = private_folder("floorbook-member-")
    async with Supervisor(folder) as supervisor:
        broker = Broker(supervisor)
        await broker.start()
        topics.create([broker.address], PARTITIONS, 1)
        found = settings.read({"FLOORBOOK_KAFKA": broker.address})
        assert isinstance(found, Settings)
        yield found
    rmtree(folder)


def given(member: Member, seconds: float = 20) -> None:
    """Return once the member has its share."""
    end = time.monotonic() + seconds
    while not member.is_assigned:
        assert time.monotonic() < end, "no share"
        member.poll(POLL_SECONDS)


async def test_a_first_start_is_given_its_share_and_joins_once(read: Settings) -> None:
    for number in range(30):
        await asyncio.to_thread(start_and_end, read, f"first-start-{number}")


def start_and_end(read: Settings, group: str) -> None:
    member = Member(read, group, READ, auto_offset_reset="earliest")
    try:
        given(member)
        assert member.assigned() == SHARE
        first = member.generation
        end = time.monotonic() + 3 * POLL_SECONDS
        while time.monotonic() < end:
            member.poll(POLL_SECONDS)
        assert member.generation == first
    finally:
        member.close()


async def test_a_share_that_never_comes_is_an_outage_and_the_next_member_has_it(
    read: Settings,
) -> None:
    await asyncio.to_thread(stand_still, read, "still")


def stand_still(read: Settings, group: str) -> None:
    member = Member(read, group, READ, auto_offset_reset="earliest")
    try:
        given(member)
        # As when the topics seem to change: the leader joins again, and the answer comes while nobody polls.
        coordinator = member._consumer._coordinator
        coordinator._assignment_snapshot = {}
        while member.is_assigned:
            member.poll(0.0)
        time.sleep(0.5)
        assert member.assigned() == set()
        with pytest.raises(Unassigned, match="no share of the partitions within 12 s") as raised:
            given(member)
        assert passes(raised.value)
    finally:
        member.close()
    member = Member(read, group, READ, auto_offset_reset="earliest")
    try:
        given(member)
        assert member.assigned() == SHARE
    finally:
        member.close()
