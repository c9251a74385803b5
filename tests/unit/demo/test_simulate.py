"""A casino that is kept in a folder for those who play elsewhere, and how it is asked for."""

from pathlib import Path

import pytest

from floorbook.demo.simulate import Furnished, NotFurnished, furnish, furnished, main
from floorbook.gateway import registry
from floorbook.gateway.registry import Registry


def test_who_plays_shows_what_the_gateways_registry_knows(tmp_path: Path) -> None:
    said = furnish(tmp_path / "casino", 3, 1, "thirteen_cards")
    assert "3 tables" in said
    found = furnished(tmp_path / "casino")
    assert isinstance(found, Furnished)
    known = registry.read((tmp_path / "casino" / "registry.json").read_bytes())
    assert isinstance(known, Registry), known
    assert all(known.client(person.token) for person in found.casino.people)
    assert {each.equipment_id for each in found.casino.instruments} == set(known.devices)


def test_nobody_else_can_read_the_keys(tmp_path: Path) -> None:
    folder = tmp_path / "casino"
    furnish(folder, 1, 1, "thirteen_cards")
    assert {path.stat().st_mode & 0o077 for path in (folder, *folder.iterdir())} == {0}


def test_furnished_again_it_stays_until_it_was_played_or_another_is_wanted(tmp_path: Path) -> None:
    def token() -> str:
        return furnished(tmp_path).casino.people[0].token

    furnish(tmp_path, 1, 1, "thirteen_cards")
    first = token()
    furnish(tmp_path, 1, 1, "thirteen_cards")
    assert token() == first
    (tmp_path / "played").touch()
    with pytest.raises(NotFurnished, match="was played"):
        furnished(tmp_path)
    furnish(tmp_path, 1, 1, "thirteen_cards")
    second = token()
    assert second != first
    furnish(tmp_path, 2, 1, "thirteen_cards")
    assert token() != second


def test_a_folder_without_a_casino_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["play", str(tmp_path)]) == 1
    assert "floorbook simulate furnish" in capsys.readouterr().err
    (tmp_path / "casino.json").write_text("{}")
    with pytest.raises(NotFurnished, match="not as this version makes it"):
        furnished(tmp_path)


@pytest.mark.parametrize(
    ("environment", "argv", "said"),
    [
        ({"FLOORBOOK_KAFKA": "kafka:9092"}, [], "name the books together"),
        ({}, ["--gateway", "a:1", "b:1"], "as often the one as the other"),
    ],
)
def test_what_does_not_go_together_is_named(
    environment: dict[str, str],
    argv: list[str],
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert main(["play", str(tmp_path), *argv]) == 78
    assert said in capsys.readouterr().err


@pytest.mark.parametrize(
    ("argv", "said"),
    [
        ([], "required: act"),
        (["furnish", "x", "--tables", "0"], "must be from 1"),
        (["furnish", "x", "--rule-set", "poker"], "invalid choice: 'poker'"),
        (["play", "x", "--gateway", "gateway"], "must be host:port"),
        (["play", "x", "--misbehave", "2"], "must be from 0 to 1"),
    ],
)
def test_wrong_options_are_named(
    argv: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(argv)
    assert stopped.value.code == 2
    assert said in capsys.readouterr().err
