"""What `floorbook registry` says of a file, and the tokens it makes."""

import json
from pathlib import Path

import pytest

from floorbook.gateway import command, registry
from floorbook.gateway.registry import Registry

GOOD: dict[str, list[dict[str, object]]] = {
    "devices": [{"id": "dice-1", "kind": "dice", "tables": ["T1", "T2"], "key": "k" * 16}],
    "clients": [
        {
            "id": "pit-1",
            "token": "0" * 64,
            "tables": "*",
            "roles": ["supervisor"],
            "person": None,
            "equipment": [{"id": "pit-1", "kind": "pit_terminal"}],
        }
    ],
}


def written(folder: Path, content: object) -> str:
    file = folder / "registry.json"
    file.write_text(json.dumps(content))
    return str(file)


def test_a_good_file_is_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = written(tmp_path, GOOD)
    assert command.main(["check", file]) == 0
    shown = capsys.readouterr()
    assert shown.out == f"{file} can be used: 1 devices, 1 clients, 2 tables named\n"
    assert shown.err == ""


def test_every_fault_is_named_and_no_key(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (device,) = GOOD["devices"]
    devices = [{**device, "kind": "die"}, {**device, "id": "d 2", "key": "needle"}]
    file = written(tmp_path, {**GOOD, "devices": devices})
    assert command.main(["check", file]) == 1
    shown = capsys.readouterr()
    assert shown.out == ""
    for fault in ("'die'", "'d 2'", "key must be"):
        assert fault in shown.err
    assert "3 faults" in shown.err
    assert "needle" not in shown.err


def test_a_file_that_is_not_there_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command.main(["check", str(tmp_path / "none.json")]) == 1
    assert "none.json cannot be read: No such file" in capsys.readouterr().err


def test_a_token_is_known_by_the_line_that_is_printed_with_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert command.main(["token"]) == 0
    token, line = capsys.readouterr().out.splitlines()
    client = {**GOOD["clients"][0], **json.loads("{" + line + "}")}
    known = registry.read(json.dumps({**GOOD, "clients": [client]}).encode())
    assert isinstance(known, Registry), known
    found = known.client(token)
    assert found is not None
    assert found.client_id == "pit-1"


def test_no_token_is_made_twice(capsys: pytest.CaptureFixture[str]) -> None:
    for _ in range(20):
        command.main(["token"])
    lines = capsys.readouterr().out.splitlines()
    assert len(set(lines)) == 40
    assert all(len(token) >= 43 for token in lines[::2])
