"""Which PostgreSQL a machine's database uses, and who may reach it."""

import os
from pathlib import Path

import pytest

from floorbook.demo.database import (
    PostgresMissing,
    can_reach,
    copy_installation,
    find_binaries,
)
from floorbook.demo.processes import Account

STRANGER = Account(uid=60_001, gid=60_001)


def fake_installation(folder: Path) -> Path:
    """A folder with the programs that are looked for; returns their folder."""
    binaries = folder / "bin"
    binaries.mkdir(parents=True)
    for name in ("initdb", "postgres"):
        (binaries / name).write_text("#!/bin/sh\n")
        (binaries / name).chmod(0o755)
    return binaries


def test_binaries_on_the_path_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    binaries = fake_installation(tmp_path)
    monkeypatch.setenv("PATH", str(binaries), prepend=":")
    assert find_binaries() == binaries


def test_link_on_the_path_leads_to_the_whole_installation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    binaries = fake_installation(tmp_path / "real")
    (tmp_path / "links").mkdir()
    (tmp_path / "links" / "initdb").symlink_to(binaries / "initdb")
    monkeypatch.setenv("PATH", str(tmp_path / "links"), prepend=":")
    assert find_binaries() == binaries


def test_without_binaries_the_error_names_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    monkeypatch.setattr(Path, "glob", lambda self, pattern: iter(()))
    with pytest.raises(PostgresMissing, match="FLOORBOOK_DATABASE"):
        find_binaries()


def test_closed_folder_above_is_out_of_reach(tmp_path: Path) -> None:
    binaries = fake_installation(tmp_path / "home" / "wheel")
    os.chmod(tmp_path / "home", 0o700)
    assert not can_reach(binaries, STRANGER)


def test_copied_wheel_keeps_its_libraries_at_the_same_relative_path(tmp_path: Path) -> None:
    binaries = fake_installation(tmp_path / "site" / "package" / "pginstall18")
    library = tmp_path / "site" / "package.libs" / "libpq.so"
    library.parent.mkdir()
    library.write_text("library")
    from_binaries = Path(os.path.relpath(library, binaries))

    copied = copy_installation(binaries, tmp_path / "copy")

    assert (copied / "initdb").stat().st_mode & 0o111
    assert (copied / from_binaries).read_text() == "library"
