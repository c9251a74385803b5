"""The books as PostgreSQL keeps them: once, balanced, never altered, by one writer at a time."""

import uuid
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import psycopg
import pytest
from psycopg import sql

from floorbook import settings
from floorbook.demo.servers import Server
from floorbook.ledger import command, report, schema
from floorbook.ledger.booking import Received
from floorbook.ledger.journal import journalise
from floorbook.ledger.report import Selection
from floorbook.ledger.store import Batch, Fenced, Outcome, Position, Store, WrongSchema, connect
from floorbook.money import Movement, Transfer
from floorbook.wire import movement as movement_wire
from tests.unit.ledger.movements import hold, release, reversal, sealed, settlement

pytestmark = pytest.mark.system


@contextmanager
def own_database(server_dsn: str) -> Iterator[str]:
    """The DSN of a database that only this test uses."""
    name = f"ledger_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(server_dsn, autocommit=True) as connection:
        connection.execute(sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
        try:
            yield psycopg.conninfo.make_conninfo(server_dsn, dbname=name)
        finally:
            drop = sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(name))
            connection.execute(drop)


@pytest.fixture
def dsn(database: Server) -> Iterator[str]:
    """The superuser's DSN of a database with empty books."""
    with own_database(database.address) as own:
        schema.migrate(own)
        yield own


@pytest.fixture
def store(dsn: str) -> Iterator[Store]:
    """A store on empty books, with partition 0 at offset 0."""
    opened = Store.open(dsn)
    assert opened.positions([0]) == {0: Position(0, 0)}
    yield opened
    opened.close()


def batch(*movements: Movement, at: int = 0, partition: int = 0) -> Batch:
    received = [
        Received(movement, partition, offset, movement_wire.encode(movement))
        for offset, movement in enumerate(movements, at)
    ]
    return Batch(received, {partition: (at, at + len(received))})


def ids_of(outcome: Outcome) -> list[str]:
    return [each.entry.entry_id for each in outcome.posted]


def reasons(outcome: Outcome) -> list[str]:
    return [conflict.reason for conflict in outcome.conflicts]


def as_writer(dsn: str) -> psycopg.Connection[Any]:
    connection = psycopg.connect(dsn)
    connection.execute("SET ROLE floorbook_writer")
    return connection


ENTRY = (
    "INSERT INTO ledger.entries (entry_id, kind, table_id, round_id, game, rule_set, rules_version, "
    "gaming_day, own_gaming_day, table_time_ms, number, currency, fingerprint, completed_time_ms, "
    "event_partition, event_offset, event_index, movement_partition, movement_offset, parts) VALUES "
    "('T9/1/hold', 'hold', 'T9', 'T9/1', 'pai_kau', 'pai_kau', '1', '2026-03-01', '2026-03-01', 1, 1, "
    "'MOP', decode(repeat('00', 32), 'hex'), 0, 0, 0, 0, 0, 99, 2)"
)
POSTINGS = "INSERT INTO ledger.postings (entry_id, index, account, amount, subject, rules) VALUES "


def test_booked_movements_come_back_whole_and_in_order(store: Store, dsn: str) -> None:
    outcome = store.post(batch(hold(), settlement()))

    assert ids_of(outcome) == ["T1/1/hold", "T1/1/settlement/1"]
    found = list(report.entries(dsn))
    assert [each.entry_id for each in found] == ["T1/1/hold", "T1/1/settlement/1"]
    assert found[1].postings == journalise(settlement()).postings
    assert all(each.booked_time_us > 0 for each in found)
    assert report.balances(dsn) == {
        ("MOP", "house/commission/thirteen_cards"): 15,
        ("MOP", "player/p1"): 285,
        ("MOP", "player/p2"): -100,
        ("MOP", "table/T1/bank"): -200,
        ("MOP", "table/T1/layout"): 0,
    }


def test_a_round_in_which_nobody_bet_has_an_entry_without_postings(store: Store, dsn: str) -> None:
    nothing = sealed(settlement(), transfers=())

    outcome = store.post(batch(nothing, reversal(nothing)))

    assert ids_of(outcome) == ["T1/1/settlement/1", "T1/1/settlement/1/reversal"]
    assert [each.postings for each in report.entries(dsn)] == [(), ()]


def test_a_repeat_is_booked_once_also_within_one_batch(store: Store, dsn: str) -> None:
    store.post(batch(hold(), settlement()))
    before = report.balances(dsn)

    outcome = store.post(batch(settlement(), hold(), settlement(), at=2))

    assert (outcome.posted, outcome.duplicates, outcome.conflicts) == ((), 3, ())
    assert report.balances(dsn) == before


def test_other_money_under_a_known_id_is_noted_once_and_stops_nothing(
    store: Store, dsn: str
) -> None:
    other = sealed(hold(), transfers=(Transfer("player/p1", "layout", 999),))
    store.post(batch(hold()))

    outcome = store.post(batch(other, settlement(), at=1))
    again = store.post(batch(other, at=3))

    assert reasons(outcome) == ["OTHER_MONEY"]
    assert ids_of(outcome) == ["T1/1/settlement/1"]
    assert again.conflicts == ()
    (noted,) = report.conflicts(dsn)
    assert (noted.movement_id, noted.partition, noted.offset) == ("T1/1/hold", 0, 1)


def test_other_money_under_an_id_of_the_same_batch_is_a_conflict(store: Store) -> None:
    other = sealed(hold(), transfers=(Transfer("player/p1", "layout", 999),))

    outcome = store.post(batch(hold(), other))

    assert (ids_of(outcome), reasons(outcome)) == (["T1/1/hold"], ["OTHER_MONEY"])


def test_what_the_database_refuses_is_a_conflict_and_the_rest_is_booked(store: Store) -> None:
    number_taken = release("T1", round_=7, number=1)

    outcome = store.post(batch(hold(), number_taken, hold("T2"), settlement()))

    assert ids_of(outcome) == ["T1/1/hold", "T2/1/hold", "T1/1/settlement/1"]
    assert reasons(outcome) == ["REFUSED_BY_DATABASE"]
    assert outcome.conflicts[0].detail == "number_used_once"
    assert store.positions([0])[0].next_offset == 4


def test_a_reversal_takes_back_its_settlement_once(store: Store, dsn: str) -> None:
    back = reversal(settlement())

    first = store.post(batch(hold(), settlement(), back))
    again = store.post(batch(back, at=3))

    assert ids_of(first)[-1] == "T1/1/settlement/1/reversal"
    assert (again.posted, again.duplicates) == ((), 1)
    assert report.balances(dsn)["MOP", "player/p1"] == -300
    assert report.balances(dsn)["MOP", "table/T1/layout"] == 400


def test_a_correction_in_one_batch_is_booked_in_its_order(store: Store, dsn: str) -> None:
    back, corrected = reversal(settlement(), number=3), settlement(number=4, n=2)

    outcome = store.post(batch(hold(), settlement(), back, corrected, hold(round_=2, number=5)))

    assert ids_of(outcome) == [
        *("T1/1/hold", "T1/1/settlement/1", "T1/1/settlement/1/reversal", "T1/1/settlement/2"),
        "T1/2/hold",
    ]
    with psycopg.connect(dsn) as connection:
        rows = connection.execute(
            "SELECT entry_id, booked_at FROM ledger.entries ORDER BY movement_offset"
        ).fetchall()
    assert [entry_id for entry_id, _ in rows] == ids_of(outcome)
    assert [at for _, at in rows] == sorted(at for _, at in rows)


def test_a_repeat_behind_a_reversal_of_the_same_batch_is_known(store: Store) -> None:
    other = sealed(hold(), transfers=(Transfer("player/p1", "layout", 999),))

    outcome = store.post(batch(hold(), settlement(), reversal(settlement()), hold(), other))

    assert len(outcome.posted) == 3
    assert (outcome.duplicates, reasons(outcome)) == (1, ["OTHER_MONEY"])


@pytest.mark.parametrize(
    ("movement", "reason"),
    [
        (reversal(settlement("T5")), "ORIGINAL_ABSENT"),
        (reversal(settlement(), reversed_fingerprint=b"\1" * 32), "ORIGINAL_DIFFERS"),
    ],
)
def test_a_reversal_that_does_not_fit_is_a_conflict(
    store: Store, movement: Movement, reason: str
) -> None:
    outcome = store.post(batch(hold(), settlement(), movement, reversal(settlement())))

    assert reasons(outcome) == [reason]
    assert ids_of(outcome)[-1] == "T1/1/settlement/1/reversal"


def test_nothing_is_paid_beside_a_settlement_that_could_not_be_reversed(
    store: Store, dsn: str
) -> None:
    misfit = reversal(settlement(), reversed_fingerprint=b"\1" * 32)
    second, third = settlement(number=4, n=2), settlement(number=6, n=3)

    first = store.post(batch(hold(), settlement(), misfit, second))
    later = store.post(batch(reversal(second, number=5), third, release(number=7), at=4))
    healed = store.post(batch(reversal(settlement()), third, at=7))
    again = store.post(batch(third, release(number=7), at=9))

    assert reasons(first) == ["ORIGINAL_DIFFERS", "STILL_IN_FORCE"]
    assert reasons(later) == ["ORIGINAL_ABSENT", "STILL_IN_FORCE", "STILL_IN_FORCE"]
    assert later.posted == ()
    assert ids_of(healed) == ["T1/1/settlement/1/reversal", "T1/1/settlement/3"]
    assert (again.posted, again.duplicates, reasons(again)) == ((), 1, [])
    assert report.balances(dsn)["MOP", "table/T1/layout"] == 0


def test_bets_go_back_once_nothing_is_in_force(store: Store, dsn: str) -> None:
    back = reversal(settlement())

    outcome = store.post(batch(hold(), settlement(), back, release(number=4)))
    again = store.post(batch(release(number=4), hold("T2"), release("T2", number=2), at=4))

    assert ids_of(outcome)[-1] == "T1/1/release"
    assert (ids_of(again), again.duplicates) == (["T2/1/hold", "T2/1/release"], 1)
    assert report.balances(dsn)["MOP", "table/T1/layout"] == 0


def test_a_writer_that_is_behind_is_fenced_and_books_nothing(store: Store, dsn: str) -> None:
    behind = Store.open(dsn)
    store.post(batch(hold()))

    with pytest.raises(Fenced):
        behind.post(batch(hold("T2")))

    assert [each.entry_id for each in report.entries(dsn)] == ["T1/1/hold"]
    behind.close()


def test_what_is_posted_is_what_the_database_holds_of_it(store: Store) -> None:
    first = store.post(batch(hold(), settlement()))
    taken_back = store.post(batch(settlement(), reversal(settlement()), at=2))

    posted = [*first.posted, *taken_back.posted]
    assert [each.offset for each in posted] == [0, 1, 3]
    assert all(each.entry.booked_time_us > 0 for each in posted)
    assert posted == store.unpublished(0, 10)


def test_no_query_of_the_ledger_is_compiled(dsn: str) -> None:
    with closing(connect(dsn, schema.WRITER)) as connection:
        connection.execute("SET jit_above_cost = 0")
        plan = connection.execute("EXPLAIN ANALYZE SELECT count(*) FROM ledger.entries").fetchall()

    assert not [line for (line,) in plan if "JIT" in line]


def test_entries_are_published_from_the_database_after_the_last_confirmed(store: Store) -> None:
    store.post(batch(hold(), hold(), settlement()))

    first = store.unpublished(0, 1)
    store.published({0: (0, first[-1].offset + 1)})
    rest = store.unpublished(0, 10)

    assert [each.entry.entry_id for each in first + rest] == ["T1/1/hold", "T1/1/settlement/1"]
    assert store.backlog([0])[0] == 1
    with pytest.raises(Fenced):
        store.published({0: (0, 1)})


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE ledger.entries SET number = 5",
        "DELETE FROM ledger.entries",
        "TRUNCATE ledger.entries",
        "UPDATE ledger.postings SET amount = amount * 2",
        "DELETE FROM ledger.postings",
        "TRUNCATE ledger.postings",
        "DELETE FROM ledger.conflicts",
        "DELETE FROM ledger.positions",
        "UPDATE ledger.positions SET partition = 7",
        "DROP TABLE ledger.postings",
        "ALTER TABLE ledger.postings DISABLE TRIGGER ALL",
        "INSERT INTO ledger.positions (partition, next_offset) VALUES (9, 5)",
        ENTRY.replace("entry_id,", "booked_at, entry_id,").replace("('T9", "(now(), 'T9"),
    ],
)
def test_the_writer_may_only_add(store: Store, dsn: str, statement: str) -> None:
    store.post(batch(hold()))

    with as_writer(dsn) as writer, pytest.raises(psycopg.errors.InsufficientPrivilege):
        writer.execute(statement)


@pytest.mark.parametrize("table", ["entries", "postings"])
@pytest.mark.parametrize("act", ["DELETE FROM", "TRUNCATE"])
def test_not_even_the_owner_alters_what_is_booked(
    store: Store, dsn: str, act: str, table: str
) -> None:
    store.post(batch(hold()))

    with psycopg.connect(dsn) as owner, pytest.raises(psycopg.errors.RestrictViolation):
        owner.execute(
            f"{act} ledger.{table} CASCADE" if act == "TRUNCATE" else f"{act} ledger.{table}"
        )


@pytest.mark.parametrize(
    "statements",
    [
        (ENTRY,),
        (
            ENTRY,
            POSTINGS + "('T9/1/hold', 0, 'a', 5, '', '{}'), ('T9/1/hold', 1, 'b', -4, '', '{}')",
        ),
        (ENTRY, POSTINGS + "('T9/1/hold', 0, 'a', 5, '', '{}')"),
        (
            ENTRY,
            POSTINGS + "('T9/1/hold', 0, 'a', 0, '', '{}'), ('T9/1/hold', 1, 'b', 0, '', '{}')",
        ),
        (POSTINGS + "('T8/1/hold', 0, 'a', 5, '', '{}'), ('T8/1/hold', 1, 'b', -5, '', '{}')",),
    ],
)
def test_the_database_refuses_what_is_not_balanced(dsn: str, statements: tuple[str, ...]) -> None:
    with as_writer(dsn) as writer:
        with pytest.raises(psycopg.errors.CheckViolation):  # noqa: PT012 -- or at the commit
            for statement in statements:
                writer.execute(statement)
            writer.commit()
        writer.rollback()

    assert list(report.entries(dsn)) == []


@pytest.mark.parametrize("same_transaction", [True, False])
def test_nothing_is_posted_to_an_entry_later(dsn: str, same_transaction: bool) -> None:
    with as_writer(dsn) as writer:
        writer.execute(ENTRY)
        writer.execute(
            POSTINGS + "('T9/1/hold', 0, 'a', 5, '', '{}'), ('T9/1/hold', 1, 'b', -5, '', '{}')"
        )
        if not same_transaction:
            writer.commit()
        with pytest.raises(psycopg.errors.CheckViolation):
            writer.execute(
                POSTINGS + "('T9/1/hold', 2, 'a', 7, '', '{}'), ('T9/1/hold', 3, 'b', -7, '', '{}')"
            )
        writer.rollback()


def test_migrating_again_changes_nothing(store: Store, dsn: str) -> None:
    store.post(batch(hold()))

    assert schema.migrate(dsn) == schema.NEEDED

    assert [each.entry_id for each in report.entries(dsn)] == ["T1/1/hold"]


def test_a_database_without_books_is_named(database: Server) -> None:
    with own_database(database.address) as empty, pytest.raises(WrongSchema, match="migrate"):
        Store.open(empty)


def test_reports_select_and_the_trial_balance_is_zero(
    store: Store, dsn: str, capsys: pytest.CaptureFixture[str]
) -> None:
    store.post(batch(hold(), settlement(), hold("T2"), reversal(settlement())))

    def printed(*arguments: str) -> list[str]:
        read = settings.read({"FLOORBOOK_DATABASE": dsn})
        assert isinstance(read, settings.Settings)
        assert command.main(arguments, read) == 0
        return capsys.readouterr().out.splitlines()

    assert printed("balance")[-1].split() == ["MOP", "trial", "balance", "0"]
    assert printed("balance", "--csv", "--account", "table/T2") == [
        "currency,account,minor_units",
        "MOP,table/T2/layout,400",
    ]
    assert "player/p1" in "".join(printed("balance", "--own-day", "2026-03-02"))
    assert len(printed("balance", "--csv", "--day", "2026-03-02")) == 1
    assert len(printed("entries", "--csv", "--round", "T1/1")) == 1 + 4 + 8 + 8
    assert printed("entries", "--table", "T2")[0].startswith("T2/1/hold  no. 1")
    assert next(iter(report.entries(dsn, Selection(round_id="T2/1")))).entry_id == "T2/1/hold"


def test_a_service_needs_no_more_than_membership_in_the_writers_role(
    database: Server, dsn: str
) -> None:
    login = f"ledger_{uuid.uuid4().hex[:12]}"
    with psycopg.connect(database.address, autocommit=True) as owner:
        role = sql.Identifier(login)
        owner.execute(
            sql.SQL("CREATE ROLE {} LOGIN PASSWORD 'x' IN ROLE floorbook_writer").format(role)
        )
        try:
            opened = Store.open(psycopg.conninfo.make_conninfo(dsn, user=login, password="x"))
            opened.positions([0])
            outcome = opened.post(batch(hold()))
            opened.close()
        finally:
            owner.execute(sql.SQL("DROP ROLE {}").format(role))

    assert ids_of(outcome) == ["T1/1/hold"]
