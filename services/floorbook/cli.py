"""Decides which service or tool a command line means, and hands over to it.

`floorbook` is the one program of the distribution. Nothing of a service is imported before it is chosen, so
the evaluator runs without Kafka and a tool starts at once.
"""

import argparse
import json
import os
import signal
import sys
from collections.abc import Callable
from importlib import import_module, metadata

from floorbook import logs, settings, spans, topics
from floorbook.settings import EXIT_BAD_SETTINGS, Settings

EXIT_USAGE = 2
EXIT_INTERRUPTED = 130

_HELP = """\
floorbook: table games, from the devices on the floor to the double-entry ledger.

usage: floorbook COMMAND [ARGUMENT ...]

services (each runs until it gets SIGTERM):
  gateway           take facts from devices and floor clients into the event log
  table             fold each table's events; say who owes whom
  evaluator         apply the rules of the games
  ledger serve      book what the tables want booked, and publish it for finance
  metrics           measure the business from the streams

tools:
  topics create     make the Kafka topics (harmless if they are there)
  topics check      compare the Kafka topics with what they should be
  ledger migrate    make or upgrade the ledger's database schema
  ledger balance    show the balance of accounts
  ledger entries    show journal entries
  ledger conflicts  show movements that were not booked
  registry check    name every fault of a gateway's registry file
  registry token    make a token for a floor client
  suspended         show the suspended tables, why, and what they owe
  quarantine        show what could not be read, where it lies and why
  rebuild           fold the event log again and compare; with --every again and again
  conformance       check an evaluator against the rules' vector files
  settings          show every setting, its value and what it means (--json for machines)
  demo              run everything on this machine and reconcile it to the cent
  simulate          let simulated tables play on services that run elsewhere
  drill             make a fault in a demo, show its alert, heal it and reconcile

Each has --help. Settings are environment variables; `floorbook settings` lists them.

exit codes:
    0  all is well; a service was told to stop, and did
    1  a named fault
    2  wrong arguments
   70  a service cannot go on: start it again
   75  a table processor's share of its group is of no use: start it again after the session timeout
   78  settings or registry cannot be used: starting again does not help
  130  a tool was interrupted
"""


_SERVICES = {
    "gateway": "floorbook.gateway.service",
    "table": "floorbook.table.service",
    "evaluator": "floorbook.evaluator.service",
    "metrics": "floorbook.metrics.service",
}
_TOOLS = {
    "rebuild": "floorbook.table.rebuild",
    "conformance": "floorbook.evaluator.conformance",
    "quarantine": "floorbook.tools.quarantine",
    "suspended": "floorbook.tools.suspended",
}


def main(argv: list[str] | None = None) -> int:
    """Return the exit code of the command that `argv` names."""
    arguments = sys.argv[1:] if argv is None else argv
    command, rest = (arguments[0], arguments[1:]) if arguments else ("", [])
    if os.getpid() == 1:
        # The kernel keeps SIGTERM from a container's first process while that has no handler: tools never
        # have one, services have theirs after a second or two, and nothing is under way before.
        signal.signal(signal.SIGTERM, lambda *_: os._exit(128 + signal.SIGTERM))
    try:
        code = _run(command, rest)
        sys.stdout.flush()
        return code
    except KeyboardInterrupt:
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        # The reader has seen enough, as in `floorbook settings | head`; the interpreter's last flush must not
        # fail over it again.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _run(command: str, rest: list[str]) -> int:
    match command:
        case "-h" | "--help" | "help":
            print(_HELP, end="")
            return 0
        case "--version":
            print(metadata.version("floorbook"))
            return 0
        case "gateway" | "table" | "evaluator" | "metrics":
            argparse.ArgumentParser(prog=f"floorbook {command}").parse_args(rest)
            return _serve(command, _SERVICES[command])
        case "ledger":
            return _ledger(rest)
        case "rebuild" | "conformance" | "quarantine" | "suspended":
            return _tool(command, _TOOLS[command], rest)
        case "registry":
            return int(import_module("floorbook.gateway.command").main(rest))
        case "demo":
            return int(import_module("floorbook.demo.command").main(rest))
        case "simulate":
            return int(import_module("floorbook.demo.simulate").main(rest))
        case "drill":
            return int(import_module("floorbook.demo.drill").main(rest))
        case "topics":
            return _topics(rest)
        case "settings":
            return _settings(rest)
        case _:
            fault = f"there is no command {command!r}" if command else "a command is missing"
            print(f"floorbook: {fault}; see floorbook --help", file=sys.stderr)
            return EXIT_USAGE


def _serve(service: str, module: str) -> int:
    def run(read: Settings) -> int:
        if fault := spans.missing(read):
            print(f"floorbook: {fault}", file=sys.stderr)
            return EXIT_BAD_SETTINGS
        logs.configure(service, form=read.log_format, level=read.log_level)
        code = int(import_module(module).main(read))
        if os.getpid() == 1:
            # All is done. The interpreter would wait for libraries' threads, and a container has a grace period only.
            sys.stderr.flush()
            os._exit(code)
        return code

    return _with_settings(service, run)


def _ledger(rest: list[str]) -> int:
    if rest[:1] == ["serve"]:
        argparse.ArgumentParser(prog="floorbook ledger serve").parse_args(rest[1:])
        return _serve("ledger", "floorbook.ledger.service")
    # Its tools need the database and no broker.
    return _tool("ledger-tools", "floorbook.ledger.command", rest)


def _tool(user: str, module: str, rest: list[str]) -> int:
    def run(read: Settings) -> int:
        return int(import_module(module).main(rest, read))

    if {"-h", "--help"} & set(rest):
        # The tool's parser ends the process with its help, whatever is set.
        defaults = settings.read({})
        assert isinstance(defaults, Settings), "every default can be used"
        return run(defaults)
    return _with_settings(user, run)


def _with_settings(user: str, run: Callable[[Settings], int]) -> int:
    read = settings.from_environment(user)
    if isinstance(read, Settings):
        return run(read)
    for fault in read:
        print(f"floorbook: {fault}", file=sys.stderr)
    return EXIT_BAD_SETTINGS


def _topics(rest: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="floorbook topics",
        description="Make the Kafka topics, or compare them with the declarations.",
    )
    parser.add_argument("act", choices=("create", "check"))
    act = parser.parse_args(rest).act

    def run(read: Settings) -> int:
        try:
            if act == "create":
                topics.create(read.kafka, read.partitions, read.replication, read.login)
            partitions = topics.check(read.kafka, read.login)
        except topics.TopicsError as error:
            for fault in error.faults:
                print(f"floorbook: {fault}", file=sys.stderr)
            return 1
        print(f"{len(topics.ALL)} topics with {partitions} partitions each are as they should be")
        return 0

    return _with_settings("topics", run)


def _settings(rest: list[str]) -> int:
    parser = argparse.ArgumentParser(
        prog="floorbook settings", description="Show every setting, its value and what it means."
    )
    parser.add_argument("--json", action="store_true", help="one JSON list instead of text")
    as_json = parser.parse_args(rest).json

    def run(read: Settings) -> int:
        records = settings.describe(read)
        if as_json:
            print(json.dumps(records, indent=2))
            return 0
        for name in settings.unknown():
            print(f"floorbook: {name} is no setting and has no effect", file=sys.stderr)
        for record in records:
            unit = f" ({record['unit']})" if record["unit"] else ""
            print(f"{record['variable']}={record['value']}")
            print(f"    {record['meaning']}")
            print(
                f"    {record['kind']}{unit}; default {record['default'] or 'none'}; "
                f"used by {', '.join(record['used_by'])}"
            )
        return 0

    return _with_settings("settings", run)


if __name__ == "__main__":
    sys.exit(main())
