"""Decides what `floorbook ledger …` prints: balances with their trial balance, journal entries.

Amounts are whole minor units. With `--csv` every line is data with the same columns, for other programs;
without, a table for people and the trial balance below it, which must be zero.
"""

import argparse
import csv
import sys
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime

import psycopg

from floorbook.arguments import moment
from floorbook.ledger import report, schema
from floorbook.ledger.journal import Entry
from floorbook.ledger.report import Selection
from floorbook.settings import Settings

_FAULT = 1
_BALANCE_COLUMNS = ("currency", "account", "minor_units")
_ENTRY_COLUMNS = (
    "entry_id",
    "kind",
    "table",
    "round",
    "number",
    "gaming_day",
    "own_gaming_day",
    "booked_at",
    "reverses",
    "posting_id",
    "account",
    "currency",
    "minor_units",
    "subject",
    "rules",
)


def main(argv: Sequence[str], settings: Settings) -> int:
    """Return the exit code of `floorbook ledger` with the arguments `argv`: 1 after a named fault."""
    arguments = _parser().parse_args(argv)
    try:
        match arguments.command:
            case "migrate":
                _say(f"the ledger's schema is at version {schema.migrate(settings.database)}")
                return 0
            case "serve":
                from floorbook.ledger import service

                return service.main(settings)
            case "balance":
                return _balance(settings.database, _selection(arguments), arguments.csv)
            case "entries":
                return _entries(settings.database, _selection(arguments), arguments.csv)
            case _:
                return _conflicts(settings.database, arguments.csv)
    except psycopg.OperationalError:
        return _fail("the database does not answer: see FLOORBOOK_DATABASE")
    except (psycopg.errors.UndefinedTable, psycopg.errors.InvalidSchemaName):
        return _fail("the database has no ledger: run `floorbook ledger migrate`")
    except (psycopg.errors.InvalidParameterValue, psycopg.errors.UndefinedObject):
        return _fail(f"the role {schema.READER} is missing: run `floorbook ledger migrate`")
    except psycopg.errors.InsufficientPrivilege as error:
        return _fail(f"the database forbids it: {error.diag.message_primary}")


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="floorbook ledger", description="The ledger's tools.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    commands.add_parser(
        "migrate", help="make or upgrade the database schema; harmless if it is done"
    )
    commands.add_parser("serve", help="book what the tables want booked, until SIGTERM")
    balance = commands.add_parser("balance", help="show balances and the trial balance")
    balance.add_argument(
        "--account", default="", metavar="PREFIX", help="only accounts that begin so"
    )
    entries = commands.add_parser("entries", help="show journal entries with their postings")
    entries.add_argument("--round", default="", help="only this round, as T1/17")
    entries.add_argument(
        "--since", type=moment, help="only what was booked since then, as 2026-03-01T06:00 (UTC)"
    )
    conflicts = commands.add_parser("conflicts", help="show movements that were not booked")
    for each in (balance, entries):
        each.add_argument("--table", default="", help="only entries of this table")
        each.add_argument("--day", type=_day, help="only rounds of this gaming day")
        each.add_argument("--own-day", type=_day, help="only movements made on this gaming day")
    for each in (balance, entries, conflicts):
        each.add_argument("--csv", action="store_true", help="comma-separated values")
    return parser


def _selection(arguments: argparse.Namespace) -> Selection:
    return Selection(
        table_id=arguments.table,
        round_id=getattr(arguments, "round", ""),
        account_prefix=getattr(arguments, "account", ""),
        gaming_day=arguments.day or "",
        own_gaming_day=arguments.own_day or "",
        since=getattr(arguments, "since", None),
    )


def _balance(dsn: str, selection: Selection, as_csv: bool) -> int:
    """Return 1 if all accounts together are not zero, which the database makes impossible."""
    balances = report.balances(dsn, selection)
    rows = [(currency, account, str(total)) for (currency, account), total in balances.items()]
    totals: dict[str, int] = {}
    for (currency, _), total in balances.items():
        totals[currency] = totals.get(currency, 0) + total
    label = "sum of these accounts" if selection.account_prefix else "trial balance"
    if as_csv:
        _write_csv(_BALANCE_COLUMNS, rows)
    else:
        below = [(currency, label, str(total)) for currency, total in totals.items()]
        _write_table(_BALANCE_COLUMNS, [*rows, *below])
    if not selection.account_prefix and any(totals.values()):
        return _fail(f"the trial balance is not zero: {totals}")
    return 0


def _entries(dsn: str, selection: Selection, as_csv: bool) -> int:
    entries = report.entries(dsn, selection)
    if as_csv:
        _write_csv(_ENTRY_COLUMNS, (row for entry in entries for row in _rows(entry)))
        return 0
    for entry in entries:
        reverses = f" reverses {entry.reverses}" if entry.reverses else ""
        _say(
            f"{entry.entry_id}  no. {entry.number}  gaming day {entry.gaming_day}"
            f"  booked {_booked_at(entry)}{reverses}"
        )
        if not entry.postings:
            _say("    no postings")  # nobody had bet
        width = max((len(posting.account) for posting in entry.postings), default=0)
        for posting in entry.postings:
            why = " ".join((posting.subject, *posting.rules))
            _say(
                f"    {posting.account:{width}}  {posting.amount:>14} {entry.currency}  {why}".rstrip()
            )
    return 0


def _conflicts(dsn: str, as_csv: bool) -> int:
    columns = ("noticed_at", "movement_id", "reason", "partition", "offset", "detail")
    rows = [
        (
            each.noticed_at.isoformat(),
            each.movement_id,
            each.reason,
            str(each.partition),
            str(each.offset),
            each.detail,
        )
        for each in report.conflicts(dsn)
    ]
    if as_csv:
        _write_csv(columns, rows)
    else:
        _write_table(columns, rows)
    return 0


def _rows(entry: Entry) -> Iterable[tuple[str, ...]]:
    """Yield one row for each posting, with its entry's columns repeated; one if it has none."""
    about = (
        entry.entry_id,
        entry.kind.value,
        entry.table_id,
        entry.round_id,
        str(entry.number),
        entry.gaming_day,
        entry.own_gaming_day,
        _booked_at(entry),
        entry.reverses,
    )
    for posting in entry.postings:
        rules = " ".join(posting.rules)
        amount = str(posting.amount)
        yield (
            *about,
            *(posting.posting_id, posting.account, entry.currency, amount, posting.subject, rules),
        )
    if not entry.postings:
        yield (*about, "", "", entry.currency, "", "", "")


def _booked_at(entry: Entry) -> str:
    return datetime.fromtimestamp(entry.booked_time_us / 1_000_000, UTC).isoformat()


def _write_csv(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> None:
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(rows)


def _write_table(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    lines = [columns, *rows]
    widths = [max(len(line[index]) for line in lines) for index in range(len(columns))]
    for line in lines:
        # Amounts to the right: their digits stand below one another.
        cells = [
            cell.rjust(width) if name == "minor_units" else cell.ljust(width)
            for cell, width, name in zip(line, widths, columns, strict=True)
        ]
        _say("  ".join(cells).rstrip())


def _say(line: str) -> None:
    sys.stdout.write(line + "\n")


def _fail(fault: str) -> int:
    sys.stderr.write(f"floorbook: {fault}\n")
    return _FAULT


def _day(text: str) -> str:
    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no day YYYY-MM-DD") from None
