"""The demo's options, its report and what it says while it runs."""

import json
from pathlib import Path

import pytest

from floorbook.demo.casino import build
from floorbook.demo.command import main
from floorbook.demo.evidence import Settled, percentile
from floorbook.demo.progress import Figures, PlainDisplay
from floorbook.demo.reconcile import Booked, Quarantine, Recomputed, compare
from floorbook.demo.report import Report, floor_faults, report
from floorbook.demo.tally import Tally
from floorbook.gateway import registry
from floorbook.gateway.registry import Registry
from floorbook.table.events import Role


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        (["--tables", "0"], "must be from 1"),
        (["--misbehave", "1.5"], "must be from 0 to 1"),
        (["--rule-set", "poker"], "invalid choice: 'poker'"),
        (["--rounds", "many"], "invalid"),
    ],
)
def test_wrong_options_are_named(
    argv: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(argv)
    assert stopped.value.code == 2
    assert said in capsys.readouterr().err


def test_wrong_settings_are_named_before_anything_is_started(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("FLOORBOOK_KAFKA", "nowhere")
    assert main([]) == 78
    assert "FLOORBOOK_KAFKA" in capsys.readouterr().err


def test_gateways_can_read_the_registry_of_a_casino() -> None:
    casino = build(9, seed=1)
    found = registry.read(casino.registry())
    assert isinstance(found, Registry), found
    assert len(found.devices) == 18
    for person in casino.people:
        client = found.client(person.token)
        assert client is not None
        assert client.person_id == person.person_id
        assert client.roles == {person.role}
        assert all(map(client.serves, person.tables))
    assert {each.own_line for each in casino.instruments} == {True, False}
    pits = [person for person in casino.people if person.role is Role.SUPERVISOR]
    assert [len(pit.tables) for pit in pits] == [4, 4, 1]


def test_keys_and_tokens_are_made_anew_and_ids_are_not() -> None:
    one, other = build(2, seed=1), build(2, seed=1)
    assert one.table_ids == other.table_ids
    assert [p.person_id for p in one.people] == [p.person_id for p in other.people]
    assert not {p.token for p in one.people} & {p.token for p in other.people}
    assert all(table_id.startswith("x-") for table_id in build(2, 1, "x-").table_ids)


def made_report(faults: list[str]) -> Report:
    found = Recomputed()
    booked = Booked([], {})
    return report(
        found,
        booked,
        compare(found, booked, Quarantine()),
        Quarantine(),
        Settled(0, 0, 0.1, 0.25),
        Tally(),
        seed=3,
        tables=2,
        rule_set="all",
        rule_sets={"T001": "thirteen_cards", "T002": "declare"},
        misbehave=0.0,
        more_faults=faults,
    )


def test_a_report_is_reconciled_only_without_faults() -> None:
    good, bad = made_report([]), made_report(["a cent is missing"])
    assert json.loads(good.json())["reconciled"] is True
    read = json.loads(bad.json())
    assert (read["reconciled"], read["faults"]) == (False, ["a cent is missing"])
    assert {
        "rounds_opened", "rounds_settled", "rounds_void", "settlements_posted", "differences",
        "trial_balance", "quarantined", "refusals", "events", "events_per_second",
        "settle_seconds_p50", "settle_seconds_p99", "seed", "tables", "rule_set",
    } <= read.keys()  # fmt: skip
    assert any("a cent is missing" in line for line in bad.lines())
    assert "settling    100 ms (p50), 250 ms (p99)" in "\n".join(good.lines())


def test_a_floor_that_counted_otherwise_is_a_fault() -> None:
    tally = Tally()
    tally.rounds_settled = 2
    assert floor_faults(Recomputed(), tally) == ["2 rounds were seen settled, the log has 0"]


def test_percentiles_are_values_that_were_measured() -> None:
    assert percentile([], 99) == 0.0
    assert percentile([1.0], 99) == 1.0
    assert percentile([float(n) for n in range(1, 101)], 99) == 99.0


def test_plain_progress_is_a_line_every_few_seconds() -> None:
    lines: list[str] = []
    shown = PlainDisplay(lines.append)
    shown.say("begins")
    for second in range(1, 13):
        shown.show(Figures(float(second), 10, second, second, second, 100, 20.0, 0.1, 0.2))
    assert len(lines) == 3
    assert "rounds 5/10 played" in lines[1]


def test_the_folder_of_a_run_that_cannot_start_is_kept_and_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    folder.mkdir()
    monkeypatch.setattr("floorbook.demo.command.private_folder", lambda prefix: folder)
    monkeypatch.setattr("floorbook.demo.database.find_binaries", _no_binaries)
    monkeypatch.setattr("floorbook.demo.broker.find_java", _no_java)
    assert main(["--tables", "1"]) == 1
    said = capsys.readouterr()
    assert "floorbook: no " in said.err
    assert str(folder) in said.out
    assert folder.exists()


def _no_binaries() -> Path:
    from floorbook.demo.database import PostgresMissing

    raise PostgresMissing("no PostgreSQL")


async def _no_java() -> object:
    from floorbook.demo.java import JavaMissing

    raise JavaMissing("no Java")
