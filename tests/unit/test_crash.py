"""That the crash hook kills at its point, leaves its proof, and never kills twice."""

import os
import signal
import subprocess
import sys
from pathlib import Path

PROGRAM = """
from floorbook import crash
for turn in range(5):
    print("before", turn, flush=True)
    crash.point("other")
    crash.point("gap")
print("done", flush=True)
"""


def run(at: str | None, file: Path) -> subprocess.CompletedProcess[str]:
    environ = {k: v for k, v in os.environ.items() if not k.startswith("FLOORBOOK_")}
    environ["FLOORBOOK_CRASH_FILE"] = str(file)
    if at is not None:
        environ["FLOORBOOK_CRASH_AT"] = at
    return subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environ, capture_output=True, text=True, check=False
    )


def test_it_kills_the_first_time_and_only_once(tmp_path: Path) -> None:
    file = tmp_path / "crashed"
    first = run("gap", file)
    assert first.returncode == -signal.SIGKILL
    assert first.stdout.splitlines() == ["before 0"]
    assert file.read_text().startswith("gap:1 ")
    again = run("gap", file)
    assert again.returncode == 0
    assert again.stdout.endswith("done\n")


def test_it_counts_the_passes(tmp_path: Path) -> None:
    third = run("gap:3", tmp_path / "crashed")
    assert third.returncode == -signal.SIGKILL
    assert third.stdout.splitlines() == ["before 0", "before 1", "before 2"]


def test_without_the_setting_nothing_happens(tmp_path: Path) -> None:
    file = tmp_path / "crashed"
    assert run(None, file).returncode == 0
    assert run("elsewhere", file).returncode == 0
    assert not file.exists()
