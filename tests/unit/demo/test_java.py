"""A broker's jar is used only if it is exactly the file this version was made with."""

import hashlib
from pathlib import Path

import pytest

from floorbook.demo.java import JavaMissing, find_fault, find_java
from floorbook.demo.kafka_jars import KAFKA_JARS, KAFKA_VERSION

EXPECTED = {"a.jar": hashlib.sha256(b"a").hexdigest(), "b.jar": hashlib.sha256(b"b").hexdigest()}


@pytest.fixture
def jars(tmp_path: Path) -> Path:
    (tmp_path / "a.jar").write_bytes(b"a")
    (tmp_path / "b.jar").write_bytes(b"b")
    return tmp_path


def fake_java(folder: Path, version: str) -> Path:
    """A `java` that says it has `version`."""
    program = folder / "bin" / "java"
    program.parent.mkdir(parents=True)
    program.write_text(f"#!/bin/sh\necho 'openjdk version \"{version}\" 2025-04-15' >&2\n")
    program.chmod(0o755)
    return program


def test_the_right_jars_are_accepted(jars: Path) -> None:
    assert find_fault(jars, EXPECTED) is None


def test_changed_jar_is_named(jars: Path) -> None:
    (jars / "b.jar").write_bytes(b"B")
    assert find_fault(jars, EXPECTED) == "b.jar is not the file this version was made with"


def test_missing_jar_is_named(jars: Path) -> None:
    (jars / "a.jar").unlink()
    assert find_fault(jars, EXPECTED) == "a.jar is missing"


def test_additional_jar_is_named(jars: Path) -> None:
    (jars / "evil.jar").write_bytes(b"")
    assert find_fault(jars, EXPECTED) == "evil.jar does not belong there"


def test_missing_folder_is_a_fault(tmp_path: Path) -> None:
    assert find_fault(tmp_path / "nothing", EXPECTED) == "there are none"


def test_the_broker_itself_is_in_the_list() -> None:
    assert f"kafka_2.13-{KAFKA_VERSION}.jar" in KAFKA_JARS
    assert all(len(digest) == 64 for digest in KAFKA_JARS.values())


async def test_java_home_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    program = fake_java(tmp_path / "home", "21.0.2")
    other = fake_java(tmp_path / "other", "17.0.1")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(other.parent), prepend=":")
    java = await find_java()
    assert (java.program, java.version) == (program, "21.0.2")


async def test_old_java_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake_java(tmp_path / "home", "1.8.0")
    new = fake_java(tmp_path / "new", "17.0.1")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(new.parent), prepend=":")
    assert (await find_java()).program == new


async def test_without_a_java_the_error_names_what_was_found_and_the_remedy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = fake_java(tmp_path / "home", "11.0.2")
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(JavaMissing, match=r"11\.0\.2.*FLOORBOOK_KAFKA") as caught:
        await find_java()
    assert str(old) in str(caught.value)
