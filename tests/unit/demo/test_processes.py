"""The supervisor restarts, stops and never leaves a child behind, tried on tiny real processes."""

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import AsyncIterator
from contextlib import suppress
from pathlib import Path
from signal import Signals

import psutil
import pytest

from floorbook.demo.processes import (
    EXIT_AFTER_SESSION,
    Child,
    Exit,
    Program,
    ProgramFailed,
    ProgramNotFound,
    Restarts,
    Supervisor,
    private_folder,
)
from floorbook.settings import EXIT_BAD_SETTINGS

QUICK = Restarts(first_pause_seconds=0.001, longest_pause_seconds=0.01, session_pause_seconds=0.02)


class Recorder:
    """What the supervisor reported, in order."""

    def __init__(self) -> None:
        self.ends: list[tuple[str, Exit]] = []
        self.lines: list[str] = []

    def on_exit(self, child: Child, end: Exit) -> None:
        self.ends.append((child.name, end))

    @property
    def names(self) -> list[str]:
        return [name for name, _ in self.ends]


@pytest.fixture
def recorder() -> Recorder:
    return Recorder()


@pytest.fixture
async def supervisor(tmp_path: Path, recorder: Recorder) -> AsyncIterator[Supervisor]:
    async with Supervisor(
        tmp_path, on_exit=recorder.on_exit, progress=recorder.lines.append
    ) as started:
        yield started


def shell(name: str, script: str, restarts: Restarts | None = None, **more: object) -> Program:
    """A child that runs a line of shell: quick to start."""
    return Program(name, ("/bin/sh", "-c", script), restarts=restarts, **more)  # type: ignore[arg-type]


def sleeper(name: str, restarts: Restarts | None = None, **more: object) -> Program:
    return shell(name, "echo ready; exec sleep 600", restarts, **more)


async def says(child: Child, word: str) -> None:
    """Return once the child has printed `word`."""
    while word not in child.log_tail(50):  # noqa: ASYNC110 - a file has no event to wait for
        await asyncio.sleep(0.005)


def assert_ends(pid: int) -> None:
    """The process ends; who is no parent of ours may be a zombie for a while."""
    deadline = time.monotonic() + 30
    while psutil.pid_exists(pid):
        with suppress(psutil.NoSuchProcess):
            if psutil.Process(pid).status() == psutil.STATUS_ZOMBIE:
                return
        assert time.monotonic() < deadline, f"process {pid} still runs"
        time.sleep(0.005)


async def test_killed_child_is_started_again_as_another_process(
    supervisor: Supervisor, recorder: Recorder
) -> None:
    child = await supervisor.start(sleeper("table-1", QUICK))
    first = child.pid

    assert child.kill(Signals.SIGKILL)
    end = await child.exited(1)
    await child.started(2)

    assert end.code == -Signals.SIGKILL
    assert str(end) == "SIGKILL"
    assert child.restarts == 1
    assert child.running
    assert child.pid not in (None, first)
    assert recorder.names == ["table-1"]


async def test_a_nicer_child_shares_the_session_in_which_that_counts(
    supervisor: Supervisor,
) -> None:
    child = await supervisor.start(sleeper("metrics", niceness=7))
    await says(child, "ready")

    assert child.pid is not None
    assert psutil.Process(child.pid).nice() == min(os.nice(0) + 7, 19)
    # A Ctrl-C must not reach it all the same.
    assert (os.getsid(child.pid), os.getpgid(child.pid)) == (os.getsid(0), child.pid)


def test_pauses_grow_to_a_limit_and_begin_at_the_first() -> None:
    restarts = Restarts(first_pause_seconds=0.5, longest_pause_seconds=3.0)
    pauses = [restarts.pause_seconds(in_a_row, 1) for in_a_row in (1, 2, 3, 4, 5000)]
    assert pauses == [0.5, 1.0, 2.0, 3.0, 3.0]


def test_exit_75_waits_until_kafka_has_forgotten_the_member() -> None:
    restarts = Restarts(first_pause_seconds=0.5, session_pause_seconds=7.0)
    assert restarts.pause_seconds(1, EXIT_AFTER_SESSION) == 7.0
    assert restarts.pause_seconds(1, 70) == 0.5


async def test_crash_loop_is_given_up_and_reported(supervisor: Supervisor) -> None:
    limited = Restarts(first_pause_seconds=0.001, longest_pause_seconds=0.001, most_in_a_row=2)
    await supervisor.start(sleeper("healthy", limited))
    child = await supervisor.start(shell("ledger", "echo cannot work; exit 3", limited))

    assert await supervisor.gives_up() is child
    assert [end.code for end in child.exits] == [3, 3, 3]
    with pytest.raises(ProgramFailed, match=r"(?s)ledger.*exit code 3.*cannot work"):
        await child.started(9)


async def test_child_that_ran_long_enough_is_not_in_a_crash_loop(supervisor: Supervisor) -> None:
    steady = Restarts(first_pause_seconds=0.001, steady_seconds=0.0, most_in_a_row=1)
    child = await supervisor.start(shell("gateway", "exit 1", steady))
    await child.started(5)
    assert not child.gave_up


async def test_bad_settings_are_not_tried_again(supervisor: Supervisor) -> None:
    child = await supervisor.start(shell("metrics", f"exit {EXIT_BAD_SETTINGS}", QUICK))
    assert await supervisor.gives_up() is child
    assert child.starts == 1


async def test_services_stop_before_servers(supervisor: Supervisor, recorder: Recorder) -> None:
    await supervisor.start(sleeper("kafka", QUICK, server=True))
    await supervisor.start(sleeper("table-1", QUICK))
    await supervisor.start(sleeper("table-2", QUICK))

    await supervisor.stop()

    assert set(recorder.names[:2]) == {"table-1", "table-2"}
    assert recorder.names[2:] == ["kafka"]
    assert {end.code for _, end in recorder.ends} == {-Signals.SIGTERM}
    assert not any(child.running for child in supervisor.children.values())


async def test_stopped_child_stays_stopped_until_it_is_started(supervisor: Supervisor) -> None:
    child = await supervisor.start(sleeper("kafka", QUICK))
    await child.stop(Signals.SIGKILL)
    await asyncio.sleep(5 * QUICK.longest_pause_seconds)
    assert not child.running
    assert not child.kill()

    child.start()
    assert child.running
    assert child.starts == 2


async def test_child_is_stopped_while_it_waits_for_its_restart(supervisor: Supervisor) -> None:
    child = await supervisor.start(shell("table-1", "exit 1", Restarts(first_pause_seconds=600)))
    await child.exited(1)
    await supervisor.stop()
    assert child.starts == 1


async def test_stubborn_child_and_its_own_children_are_killed_after_the_deadline(
    supervisor: Supervisor,
) -> None:
    deaf = "trap '' TERM; sleep 600 & echo $!; echo ready; wait; wait"
    child = await supervisor.start(shell("deaf", deaf, QUICK, stop_seconds=0.05))
    await says(child, "ready")
    grandchild = int(child.log_tail(2)[0])

    await child.stop()

    assert [end.code for end in child.exits] == [-Signals.SIGKILL]
    assert_ends(grandchild)


async def test_frozen_child_is_stopped_too(supervisor: Supervisor) -> None:
    child = await supervisor.start(sleeper("zombie", QUICK, stop_seconds=0.05))
    child.kill(Signals.SIGSTOP)
    await child.stop()
    assert not child.running


async def test_cpu_seconds_are_counted_over_restarts(supervisor: Supervisor) -> None:
    burn = "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done; echo burnt; exec sleep 600"
    child = await supervisor.start(shell("busy", burn, QUICK))
    await says(child, "burnt")
    live = child.cpu_seconds()
    child.kill()
    ended = (await child.exited(1)).cpu_seconds
    await child.started(2)

    assert live > 0
    assert ended >= live - 0.02  # the live figure counts in hundredths, each part rounded
    assert child.cpu_seconds() >= ended


async def test_environment_folder_and_log_are_the_childs_own(
    supervisor: Supervisor, tmp_path: Path
) -> None:
    script = "echo $FLOORBOOK_SLOT; pwd; echo to-stderr >&2"
    folder = tmp_path / "own"
    folder.mkdir()
    program = shell("slot", script, folder=folder, environment={"FLOORBOOK_SLOT": "slot-7"})
    child = await supervisor.run(program)
    assert child.log == tmp_path / "slot.log"
    assert child.log_tail(9) == ["slot-7", str(folder), "to-stderr"]
    assert child.log.stat().st_mode & 0o077 == 0


async def test_failed_run_says_what_the_program_said(supervisor: Supervisor) -> None:
    with pytest.raises(ProgramFailed, match=r"(?s)initdb failed.*exit code 5.*no space"):
        await supervisor.run(shell("initdb", "echo no space; exit 5"))


async def test_missing_program_is_named(supervisor: Supervisor) -> None:
    with pytest.raises(ProgramNotFound, match="no-such-program-here"):
        await supervisor.start(Program("x", ("no-such-program-here",)))


async def test_block_left_by_an_error_leaves_nothing_running(tmp_path: Path) -> None:
    supervisor = Supervisor(tmp_path)

    async def fail() -> None:
        async with supervisor:
            await supervisor.start(sleeper("table-1", QUICK))
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        await fail()
    assert not supervisor.children["table-1"].running


PARENT = """
import asyncio, sys
from pathlib import Path
from floorbook.demo.processes import Program, Restarts, Supervisor

async def main():
    folder = Path(sys.argv[1])
    async with Supervisor(folder, handle_signals=True) as supervisor:
        deaf = ("/bin/sh", "-c", "trap '' TERM; echo ready; while :; do sleep 600; done")
        restarts = Restarts()
        child = await supervisor.start(
            Program("child", deaf, restarts=restarts, stop_seconds=float(sys.argv[2]))
        )
        while "ready" not in child.log_tail(1):
            await asyncio.sleep(0.005)
        print(child.pid, flush=True)
        await asyncio.sleep(600)

asyncio.run(main())
"""


def parent_with_child(folder: Path, stop_seconds: float) -> tuple[subprocess.Popen[str], int]:
    """A supervising process of its own, and the pid of its child that ignores SIGTERM."""
    command = [sys.executable, "-c", PARENT, str(folder), str(stop_seconds)]
    parent = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert parent.stdout is not None
    return parent, int(parent.stdout.readline())


def test_no_child_outlives_a_killed_parent(tmp_path: Path) -> None:
    parent, child = parent_with_child(tmp_path, 600)
    with parent:
        parent.kill()
    assert_ends(child)


@pytest.mark.parametrize("signum", [Signals.SIGINT, Signals.SIGTERM])
def test_signal_to_the_parent_stops_the_children_and_is_its_exit_code(
    tmp_path: Path, signum: Signals
) -> None:
    parent, child = parent_with_child(tmp_path, 0.05)
    with parent:
        parent.send_signal(signum)
        assert parent.wait(timeout=30) == 128 + signum
    assert not psutil.pid_exists(child)


def test_second_signal_kills_what_would_take_long(tmp_path: Path) -> None:
    parent, child = parent_with_child(tmp_path, 600)
    with parent:
        # Repeated, because two at nearly the same time may arrive as one.
        while parent.poll() is None and psutil.pid_exists(parent.pid):
            os.kill(parent.pid, signal.SIGINT)
            with suppress(subprocess.TimeoutExpired):
                parent.wait(timeout=0.05)
        assert parent.returncode == 128 + signal.SIGINT
    assert not psutil.pid_exists(child)


def test_private_folder_is_closed_to_others_but_can_be_passed() -> None:
    folder = private_folder()
    assert folder.stat().st_mode & 0o777 == 0o711
    folder.rmdir()
