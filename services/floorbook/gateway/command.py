"""Decides what `floorbook registry …` does: look for faults in a registry file, make tokens for it.

The check is the gateway's own: what passes here is what a gateway takes when it starts or gets SIGHUP.
"""

import argparse
import hashlib
import secrets
import sys

from floorbook.gateway.registry import Registry
from floorbook.gateway.service import load

_FAULT = 1
_TOKEN_BYTES = 32


def main(argv: list[str]) -> int:
    """Return the exit code of `floorbook registry` with the arguments `argv`: 1 for a file with faults."""
    parser = argparse.ArgumentParser(
        prog="floorbook registry", description="Tools for the file that says who may speak."
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    check = commands.add_parser("check", help="name every fault of a registry file")
    check.add_argument("file", metavar="FILE", help="the file, as FLOORBOOK_REGISTRY would name it")
    commands.add_parser(
        "token",
        help="make a token for a floor client: it gets the first line, the file the second",
    )
    given = parser.parse_args(argv)
    return _check(given.file) if given.command == "check" else _token()


def _check(file: str) -> int:
    found = load(file)
    if not isinstance(found, Registry):
        for fault in found:
            sys.stderr.write(f"floorbook registry: {fault}\n")
        sys.stderr.write(f"floorbook registry: {len(found)} faults: a gateway does not take it\n")
        return _FAULT
    of_devices = {table for device in found.devices.values() for table in device.tables}
    of_clients = {table for client in found.clients.values() for table in client.tables or ()}
    sys.stdout.write(
        f"{file} can be used: {len(found.devices)} devices, {len(found.clients)} clients, "
        f"{len(of_devices | of_clients)} tables named\n"
    )
    return 0


def _token() -> int:
    """Return 0 after printing the one copy of a token that there is, and what the registry keeps of it."""
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    digest = hashlib.sha256(token.encode()).hexdigest()
    sys.stdout.write(f'{token}\n"token": "{digest}"\n')
    return 0
