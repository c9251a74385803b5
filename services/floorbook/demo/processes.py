"""Decides when the demo's local processes start, start again and stop.

One small supervisor, used by the demo, the tests and the drills; in production it is Kubernetes.
It signals only what it started itself, and what it started never outlives it: each child is told
by the kernel when its parent dies. It needs Linux for that.
"""

import asyncio
import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from signal import Signals
from types import FrameType, TracebackType
from typing import Final, Self

import psutil

from floorbook.settings import EXIT_BAD_SETTINGS

# What a table processor exits with when it has to wait until Kafka has forgotten its membership:
# a static member that comes back sooner gets its old, wrong assignment again.
EXIT_AFTER_SESSION: Final = 75

# Everybody waits for the table processor, and it has one thread: on few processors it comes first.
AFTER_THE_FOLD: Final = 5
AFTER_EVERYTHING: Final = 10
"""Nobody waits for figures."""

_LAUNCHER: Final = Path(__file__).with_name("launch.py")


class ProgramNotFound(Exception):
    """A program that is to be started is not on this machine."""


class ProgramFailed(Exception):
    """A program ended, or did not become ready, when it should have done its work."""


class UnsupportedMachine(Exception):
    """This machine lacks what the supervisor needs."""


@dataclass(frozen=True, slots=True)
class Restarts:
    """When a child that ended is started again."""

    first_pause_seconds: float = 0.2
    longest_pause_seconds: float = 5.0
    # Longer than Kafka's session timeout of six seconds.
    session_pause_seconds: float = 7.0
    # Who ran that long is not in a crash loop: its pauses begin anew.
    steady_seconds: float = 10.0
    most_in_a_row: int = 20

    def pause_seconds(self, in_a_row: int, code: int) -> float:
        """Return how long to wait before start number `in_a_row` after exit `code`.

        >>> [Restarts().pause_seconds(n, 1) for n in (1, 2, 3, 9)]
        [0.2, 0.4, 0.8, 5.0]
        """
        # The exponent is limited because 2.0 ** 1024 is an error.
        grown = self.first_pause_seconds * 2.0 ** min(in_a_row - 1, 30)
        pause = min(grown, self.longest_pause_seconds)
        return max(pause, self.session_pause_seconds) if code == EXIT_AFTER_SESSION else pause


@dataclass(frozen=True, slots=True)
class Account:
    """The user and group a child runs as."""

    uid: int
    gid: int


@dataclass(frozen=True, slots=True)
class Program:
    """What to run and how to treat it; `restarts` is None for what ends by itself."""

    name: str
    arguments: tuple[str, ...]
    environment: Mapping[str, str] = field(default_factory=dict)  # added to the supervisor's own
    folder: Path | None = None
    restarts: Restarts | None = None
    server: bool = False  # servers stop after everybody who may still use them
    stop_signal: Signals = Signals.SIGTERM
    stop_seconds: float = 10.0
    death_signal: Signals = Signals.SIGKILL
    account: Account | None = None
    niceness: int = 0  # where processors are few, who has more gets less of them


@dataclass(frozen=True, slots=True)
class Exit:
    """How one run of a child ended; a negative code is the signal that ended it."""

    code: int
    ran_seconds: float
    cpu_seconds: float

    def __str__(self) -> str:
        """Return the end in words, for progress lines and errors."""
        return Signals(-self.code).name if self.code < 0 else f"exit code {self.code}"


class Child:
    """One supervised process, over all its restarts.

    To be used in the event loop that started it. Made by `Supervisor.start`.
    """

    def __init__(
        self, program: Program, log: Path, on_exit: Callable[["Child", Exit], None]
    ) -> None:
        """Return the child, not yet started."""
        self.program = program
        self.log = log
        self.starts = 0
        self.exits: list[Exit] = []
        self.gave_up = False
        self._on_exit = on_exit
        self._process: subprocess.Popen[bytes] | None = None
        self._wanted = False
        self._watcher: asyncio.Task[None] | None = None
        self._waiters: list[asyncio.Future[None]] = []
        # Held while a pid is signalled or given back, so that a signal never hits another
        # process that got the same pid.
        self._pid_lock = threading.Lock()

    @property
    def name(self) -> str:
        """Return the name that the program was given, such as `table-1`."""
        return self.program.name

    @property
    def running(self) -> bool:
        """Return whether the process is there now."""
        return self.starts > len(self.exits)

    @property
    def pid(self) -> int | None:
        """Return the process id, or None while nothing runs."""
        return self._process.pid if self._process is not None and self.running else None

    @property
    def restarts(self) -> int:
        """Return how often the program was started again."""
        return max(0, self.starts - 1)

    def start(self) -> None:
        """Start the program and keep it running as its `restarts` say."""
        if self._wanted and self._watcher is not None and not self._watcher.done():
            return
        self._wanted = True
        self.gave_up = False
        self._spawn()
        self._watcher = asyncio.create_task(self._watch(), name=f"watch {self.name}")

    def kill(self, signum: Signals = Signals.SIGKILL) -> bool:
        """Return whether there was a process to send `signum` to; it may be started again."""
        with self._pid_lock:
            process = self._process
            if process is None or process.returncode is not None:
                return False
            os.kill(process.pid, signum)
            return True

    async def stop(self, signum: Signals | None = None) -> None:
        """End the process, by force after the program's deadline, and leave it ended.

        A server's crash is `stop(SIGKILL)`: then `start` decides when it is back.
        """
        self._wanted = False
        if self.kill(signum or self.program.stop_signal):
            try:
                async with asyncio.timeout(self.program.stop_seconds):
                    await self.exited(self.starts)
            except TimeoutError:
                self._kill_group()
        if self.running:
            await self.exited(self.starts)
        if self._watcher is not None:
            self._watcher.cancel()
            await asyncio.gather(self._watcher, return_exceptions=True)

    def kill_for_good(self) -> None:
        """Send SIGKILL to all that the child started, without waiting, and never restart it."""
        self._wanted = False
        self._kill_group()

    async def exited(self, times: int | None = None) -> Exit:
        """Return how run number `times` ended, as soon as it has (None: the next to end)."""
        number = len(self.exits) + 1 if times is None else times
        while len(self.exits) < number:
            await self._change()
        return self.exits[number - 1]

    async def started(self, times: int) -> None:
        """Return as soon as the program has been started `times` times."""
        while self.starts < times:
            if self.gave_up:
                raise ProgramFailed(self.explain("is not started again"))
            await self._change()

    def cpu_seconds(self) -> float:
        """Return the processor time of all runs so far, descendants included."""
        with self._pid_lock:
            ended = sum(end.cpu_seconds for end in self.exits)
            pid = self.pid
            return ended if pid is None else ended + _cpu_seconds_of(pid)

    def explain(self, fault: str, lines: int = 15) -> str:
        """Return a message with the `fault`, the last exit and the end of the log."""
        end = f" ({self.exits[-1]})" if self.exits else ""
        tail = "\n".join(self.log_tail(lines))
        return f"{self.name} {fault}{end}; its log {self.log} ends with:\n{tail}"

    def log_tail(self, lines: int) -> list[str]:
        """Return the last `lines` of what the program printed."""
        with self.log.open("rb") as file:
            file.seek(max(0, self.log.stat().st_size - 64 * 1024))
            return file.read().decode(errors="replace").splitlines()[-lines:]

    def _spawn(self) -> None:
        """Start one run of the program and a thread that waits for its end."""
        program = self.program
        if shutil.which(program.arguments[0]) is None:
            raise ProgramNotFound(f"{self.name}: there is no program {program.arguments[0]}")
        account = "-" if program.account is None else f"{program.account.uid}:{program.account.gid}"
        launcher = [sys.executable, "-I", "-S", str(_LAUNCHER), str(os.getpid())]
        with open(self.log, "ab", opener=_open_private) as log:
            process = subprocess.Popen(
                [
                    *launcher,
                    str(int(program.death_signal)),
                    account,
                    str(program.niceness),
                    *program.arguments,
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env={**os.environ, **program.environment},
                cwd=program.folder,
                # A Ctrl-C at the terminal reaches the supervisor alone. No session of its own: Linux
                # gives each session the same share of the processors, whatever is nice in it.
                process_group=0,
            )
        self._process = process
        self.starts += 1
        self._changed()
        threading.Thread(
            target=self._reap,
            args=(process, asyncio.get_running_loop(), time.monotonic()),
            name=f"reap {self.name}",
            daemon=True,
        ).start()

    def _reap(
        self, process: subprocess.Popen[bytes], loop: asyncio.AbstractEventLoop, began: float
    ) -> None:
        """Wait in a thread of its own for the end of `process` and note it."""
        os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
        with self._pid_lock:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            cpu_seconds = usage.ru_utime + usage.ru_stime
            self.exits.append(Exit(process.returncode, time.monotonic() - began, cpu_seconds))
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(self._changed)

    async def _watch(self) -> None:
        """Start the program again each time it ends, until it is not wanted any more."""
        in_a_row = 0
        while True:
            end = await self.exited(self.starts)
            self._on_exit(self, end)
            restarts = self.program.restarts
            if not self._wanted or restarts is None:
                return
            in_a_row = 1 if end.ran_seconds >= restarts.steady_seconds else in_a_row + 1
            if in_a_row > restarts.most_in_a_row or end.code == EXIT_BAD_SETTINGS:
                self.gave_up = True
                self._changed()
                return
            await asyncio.sleep(restarts.pause_seconds(in_a_row, end.code))
            self._spawn()

    def _kill_group(self) -> None:
        """Send SIGKILL to the process and to those that it left in its group."""
        with self._pid_lock:
            if self._process is not None and self._process.returncode is None:
                os.killpg(self._process.pid, signal.SIGKILL)

    def _changed(self) -> None:
        """Wake everybody who waits for a start or an end."""
        waiters, self._waiters = self._waiters, []
        for waiter in waiters:
            if not waiter.done():
                waiter.set_result(None)

    async def _change(self) -> None:
        """Return after the next start, end or giving up."""
        waiter = asyncio.get_running_loop().create_future()
        self._waiters.append(waiter)
        await waiter


class Supervisor:
    """Starts children and guarantees that none is left when the block ends.

    With `handle_signals` SIGINT and SIGTERM cancel the task that entered the block, which then
    stops everything in order and leaves by `SystemExit` with 128 + signal; a second signal kills
    at once, and once nothing runs any more further ones are ignored.

    To be entered in a thread that lives as long as the children: the kernel takes the end of the
    thread that started a child for the death of its parent.
    """

    def __init__(
        self,
        folder: Path,
        *,
        progress: Callable[[str], None] = lambda line: None,
        on_exit: Callable[[Child, Exit], None] = lambda child, end: None,
        handle_signals: bool = False,
    ) -> None:
        """Return a supervisor that keeps logs and servers' data in the private `folder`."""
        if sys.platform != "linux":
            raise UnsupportedMachine("local processes are supervised on Linux only")
        self.folder = folder
        self.progress = progress
        self.children: dict[str, Child] = {}
        self._on_exit = on_exit
        self._handle_signals = handle_signals
        self._handlers_before: dict[Signals, signal._HANDLER] = {}
        self._signal: Signals | None = None
        self._gave_up = asyncio.Event()

    async def __aenter__(self) -> Self:
        """Return the supervisor, which now answers signals if it was told to."""
        task = asyncio.current_task()
        assert task is not None, "a supervisor is entered inside a task"
        if self._handle_signals:
            loop = asyncio.get_running_loop()

            def interrupt(number: int, frame: FrameType | None) -> None:
                loop.call_soon_threadsafe(self._interrupt, Signals(number), task)

            # Not by the loop, which puts back the default for a moment when it lets go of a signal.
            for signum in (Signals.SIGINT, Signals.SIGTERM):
                self._handlers_before[signum] = signal.signal(signum, interrupt)
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Stop every child, then leave as the signal demands if there was one."""
        try:
            await self.stop()
        finally:
            for signum, handler in self._handlers_before.items():
                # Nothing runs that a further signal could end sooner: it must not change the exit code.
                signal.signal(signum, handler if self._signal is None else signal.SIG_IGN)
        if self._signal is not None and (error is None or kind is asyncio.CancelledError):
            raise SystemExit(128 + self._signal)

    async def start(self, program: Program) -> Child:
        """Return the running child; a name can be used again once its child has ended."""
        before = self.children.get(program.name)
        assert before is None or not before.running, f"{program.name} is running already"
        log = self.folder / f"{program.name}.log"
        child = Child(program, log, self._ended)
        self.children[program.name] = child
        child.start()
        return child

    async def run(self, program: Program) -> Child:
        """Return the child after it has ended well; `ProgramFailed` if it did not."""
        child = await self.start(program)
        try:
            end = await child.exited(1)
        except asyncio.CancelledError:
            await child.stop(Signals.SIGKILL)
            raise
        if end.code != 0:
            raise ProgramFailed(child.explain("failed"))
        return child

    async def gives_up(self) -> Child:
        """Return the first child that ended and is not started again: too often, or hopeless."""
        while True:
            for child in self.children.values():
                if child.gave_up:
                    return child
            self._gave_up.clear()
            await self._gave_up.wait()

    async def stop(self) -> None:
        """Stop all children, those that are servers last; what resists is killed."""
        try:
            await _stop_all(c for c in self.children.values() if not c.program.server)
            await _stop_all(c for c in self.children.values() if c.program.server)
        except BaseException:
            self._kill_all()
            raise

    def _interrupt(self, signum: Signals, task: asyncio.Task[object]) -> None:
        """Begin to stop at the first signal, kill everything at the second."""
        if self._signal is not None:
            self.progress(f"{signum.name} again: killing what still runs")
            self._kill_all()
            return
        self._signal = signum
        self.progress(f"{signum.name}: stopping (once more to kill)")
        task.cancel()

    def _kill_all(self) -> None:
        for child in self.children.values():
            child.kill_for_good()

    def _ended(self, child: Child, end: Exit) -> None:
        self._on_exit(child, end)
        # The child decides only after this call whether it gives up.
        asyncio.get_running_loop().call_soon(self._gave_up.set)


def private_folder(prefix: str = "floorbook-") -> Path:
    """Return a new folder that only this user can read.

    Others may pass through it: PostgreSQL, which refuses to run as root, keeps its own private
    folder inside.
    """
    folder = Path(tempfile.mkdtemp(prefix=prefix))
    folder.chmod(0o711)
    return folder


def _open_private(path: str, flags: int) -> int:
    """Return a descriptor of a log that only this user can read."""
    return os.open(path, flags, 0o600)


async def _stop_all(children: Iterable[Child]) -> None:
    async with asyncio.TaskGroup() as group:
        for child in children:
            group.create_task(child.stop())


def _cpu_seconds_of(pid: int) -> float:
    """Return the processor time of a live process, its descendants' included."""
    total = 0.0
    with contextlib.suppress(psutil.NoSuchProcess):
        process = psutil.Process(pid)
        for one in (process, *process.children(recursive=True)):
            with contextlib.suppress(psutil.NoSuchProcess):
                used = one.cpu_times()
                total += used.user + used.system + used.children_user + used.children_system
    return total
