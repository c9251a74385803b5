"""Becomes another program whose life is tied to the process that asked for it.

The supervisor runs this file by path: it is a program of its own, which imports nothing but the
standard library. Doing this between fork and exec inside the supervisor would not be safe there,
because its other threads may hold locks at that moment.
"""

import ctypes
import os
import signal
import sys

_PR_SET_PDEATHSIG = 1
_CANNOT_START = 127


def main(arguments: list[str]) -> int:
    """Return only if the program cannot be started; else the process has become that program.

    `arguments`: the parent's pid, the signal to get when it dies, the account as `uid:gid` (or
    `-` to stay as one is), how much nicer to be, and then the program with its own arguments.
    """
    parent, death_signal, account, niceness, *command = arguments
    os.nice(int(niceness))
    if account != "-":
        uid, gid = (int(number) for number in account.split(":"))
        os.setgroups([])
        os.setgid(gid)
        os.setuid(uid)
    # After the change of account: that change clears the signal.
    if ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, int(death_signal)) != 0:
        return _cannot_start(command, OSError(ctypes.get_errno(), "prctl"))
    if os.getppid() != int(parent):
        # The parent died before the signal was set, so nobody would ever send it.
        return _CANNOT_START
    # Python ignores this one and an exec would pass that on.
    signal.signal(signal.SIGPIPE, signal.SIG_DFL)
    try:
        os.execvp(command[0], command)  # noqa: S606 - the point of this program
    except OSError as error:
        return _cannot_start(command, error)


def _cannot_start(command: list[str], error: OSError) -> int:
    """Return the exit code of a program that could not be started, after saying why."""
    sys.stderr.write(f"cannot start {command[0]}: {error}\n")
    return _CANNOT_START


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
