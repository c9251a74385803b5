"""Decides how the ledger's database comes to the schema that this version needs.

The migrations in `versions/` are numbered and only go forward: there is no way back that keeps every cent.
"""

from pathlib import Path

import psycopg

NEEDED = "0001"  # the last migration
WRITER = "floorbook_writer"
READER = "floorbook_reader"


def migrate(dsn: str) -> str:
    """Return the version of the schema after bringing the database `dsn` to it; harmless if it is there.

    The role of `dsn` owns what is made, and must be able to create roles unless they exist.
    """
    # Only here: the service needs neither Alembic nor the seconds and log lines that it costs.
    from alembic import command
    from alembic.config import Config
    from alembic.script import ScriptDirectory
    from sqlalchemy.exc import DBAPIError

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent))
    config.set_main_option("path_separator", "os")
    config.attributes["dsn"] = dsn
    try:
        command.upgrade(config, "head")
    except DBAPIError as error:
        if isinstance(error.orig, psycopg.Error):
            raise error.orig from None  # who calls knows psycopg and has never heard of SQLAlchemy
        raise
    head = ScriptDirectory.from_config(config).get_current_head()
    assert head == NEEDED, "the program's version of the schema is that of the last migration"
    return head


def found(connection: psycopg.Connection[tuple[object, ...]]) -> str | None:
    """Return the version that the database has; None if it has none."""
    there = connection.execute("SELECT to_regclass('ledger.schema_version')").fetchone()
    if there is None or there[0] is None:
        return None
    row = connection.execute("SELECT version_num FROM ledger.schema_version").fetchone()
    return None if row is None else str(row[0])
