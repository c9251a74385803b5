"""A process that was told to end is gone in time, whatever it waits for."""

import subprocess
import sys

HANGS = """
import time
from floorbook import ending, logs
logs.configure("ledger")
ending.limit(0.1)
time.sleep(60)
"""
IN_TIME = """
from floorbook import ending
ending.limit(60)
print("done")
"""


def run(program: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, timeout=30, check=False
    )


def test_who_hangs_is_ended_and_says_so() -> None:
    ended = run(HANGS)
    assert ended.returncode == 0
    assert "something unfinished" in ended.stderr


def test_who_is_done_is_not_kept() -> None:
    ended = run(IN_TIME)
    assert (ended.returncode, ended.stdout) == (0, "done\n")
