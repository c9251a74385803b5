"""Decides in which connection and transaction migrations run; read by Alembic, imported by nobody."""

import psycopg
from alembic import context
from sqlalchemy import create_engine, pool, text

# Any number that nothing else in this database uses as an advisory lock.
_LOCK = 7_345_120_991


def _run() -> None:
    dsn: str = context.config.attributes["dsn"]
    engine = create_engine(
        "postgresql+psycopg://",
        creator=lambda: psycopg.connect(dsn, application_name="floorbook-migrate"),
        poolclass=pool.NullPool,
    )
    with engine.connect() as connection, connection.begin():
        # Several replicas may start the migration at once; the others wait and find it done.
        connection.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _LOCK})
        connection.execute(text("CREATE SCHEMA IF NOT EXISTS ledger"))
        context.configure(
            connection=connection, version_table="schema_version", version_table_schema="ledger"
        )
        with context.begin_transaction():
            context.run_migrations()


_run()
