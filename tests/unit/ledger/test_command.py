"""What `floorbook ledger entries` prints of what is in the books."""

import csv
import io
from collections.abc import Iterator
from typing import Any

import pytest

from floorbook import settings
from floorbook.ledger import command, report
from floorbook.ledger.journal import Entry, journalise
from floorbook.settings import Settings
from tests.unit.ledger.movements import hold, sealed, settlement

NOBODY_BET = sealed(settlement(round_=2, number=3), transfers=())


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> Settings:
    """Settings whose database holds a hold, its settlement and that of a round where nobody bet."""
    entries = [journalise(each) for each in (hold(), settlement(), NOBODY_BET)]

    def booked(*_: Any) -> Iterator[Entry]:
        yield from entries

    monkeypatch.setattr(report, "entries", booked)
    made = settings.read({"FLOORBOOK_DATABASE": "dbname=books"})
    assert isinstance(made, Settings)
    return made


def test_an_entry_without_postings_is_shown(
    read: Settings, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["entries"], read) == 0
    *_, entry, below = capsys.readouterr().out.splitlines()
    assert entry.startswith("T1/2/settlement/1  no. 3")
    assert below == "    no postings"


def test_every_entry_has_a_line_of_csv(read: Settings, capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["entries", "--csv"], read) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert {row["entry_id"] for row in rows} == {
        "T1/1/hold",
        "T1/1/settlement/1",
        "T1/2/settlement/1",
    }
    (empty,) = [row for row in rows if row["round"] == "T1/2"]
    assert (empty["kind"], empty["number"], empty["currency"]) == ("settlement", "3", "MOP")
    told = ("posting_id", "account", "minor_units", "subject", "rules")
    assert [empty[column] for column in told] == ["", "", "", "", ""]
