"""A table processor's most talkative log names no tile and no player of a hand that it folds."""

import io
import logging
import re
from collections.abc import Iterator
from types import SimpleNamespace

import pytest
import structlog

from floorbook import logs
from floorbook.table.tracing import Tracing
from floorbook.wire import envelope
from tests.unit.table.mahjong_playing import MahjongTable
from tests.unit.table.playing import SEATS

TILE = re.compile(r"(?<![A-Za-z0-9])[1-9][smp](?![A-Za-z0-9])")
PLAYER = re.compile(rf'"(?:{"|".join(SEATS)})"')


@pytest.fixture
def said() -> Iterator[io.StringIO]:
    """What a process logs at the level debug."""
    root = logging.getLogger()
    handlers, level = root.handlers[:], root.level
    stream = io.StringIO()
    logs.configure("table", level="debug", stream=stream)
    yield stream
    root.handlers[:] = handlers
    root.setLevel(level)
    logging.captureWarnings(False)
    structlog.reset_defaults()


def told_hand() -> int:
    """Return of how many events a whole hand was told."""
    table = MahjongTable(seed=1).open()
    table.chance_hand()
    tracing = Tracing(None)
    assert tracing.is_on
    for event, taken in zip(table.log, table.steps, strict=True):
        record = SimpleNamespace(
            key=event.table_id.encode(),
            value=envelope.encode(event),
            partition=event.partition,
            offset=event.offset,
            headers=[],
        )
        tracing.folded(record, taken, 0)
    return len(table.log)


def test_a_whole_hand_leaves_no_tile_and_no_player_in_the_log(said: io.StringIO) -> None:
    events = told_hand()

    text = said.getvalue()
    assert text.count("event folded") == events > 100
    assert TILE.search(text) is None
    assert PLAYER.search(text) is None


def test_a_tile_in_the_log_would_be_noticed(
    said: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(envelope, "name_of", lambda fact: f"{type(fact).__name__} 5p of p1")
    told_hand()

    assert TILE.search(said.getvalue()) is not None
