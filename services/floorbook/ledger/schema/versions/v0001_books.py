"""Makes the books: entries, postings, conflicts, positions, and the two roles that may use them.

What the database itself guarantees, whatever a client does: an entry has the postings that it
says it has, and they sum to zero; all of them come in one statement, so none can be added later; nothing of an entry is ever altered; a
settlement is reversed at most once; a table's numbers are used once.
"""

from alembic import op

revision = "0001"
down_revision = None

_TABLES = """
CREATE TABLE ledger.entries (
    entry_id text COLLATE "C" PRIMARY KEY,
    kind text NOT NULL CHECK (kind IN ('hold', 'settlement', 'release', 'reversal')),
    table_id text COLLATE "C" NOT NULL,
    round_id text COLLATE "C" NOT NULL,
    game text NOT NULL,
    rule_set text NOT NULL,
    rules_version text NOT NULL,
    gaming_day date NOT NULL,
    own_gaming_day date NOT NULL,
    table_time_ms bigint NOT NULL,
    number bigint NOT NULL CHECK (number > 0),
    currency text NOT NULL CHECK (currency ~ '^[A-Z]{3}$'),
    fingerprint bytea NOT NULL CHECK (octet_length(fingerprint) = 32),
    reverses text COLLATE "C" REFERENCES ledger.entries,
    completed_time_ms bigint NOT NULL,
    event_partition integer NOT NULL,
    event_offset bigint NOT NULL,
    event_index integer NOT NULL,
    movement_partition integer NOT NULL,
    movement_offset bigint NOT NULL,
    parts integer NOT NULL CHECK (parts >= 0),
    booked_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CHECK ((kind = 'reversal') = (reverses IS NOT NULL)),
    -- Nobody bet: the round is settled all the same, and its entry says so.
    CHECK (parts > 0 OR kind IN ('settlement', 'reversal')),
    CONSTRAINT number_used_once UNIQUE (table_id, number),
    CONSTRAINT one_entry_for_each_record UNIQUE (movement_partition, movement_offset)
);
CREATE UNIQUE INDEX reversed_once ON ledger.entries (reverses) WHERE reverses IS NOT NULL;

CREATE TABLE ledger.postings (
    entry_id text COLLATE "C" NOT NULL,
    index integer NOT NULL CHECK (index >= 0),
    account text COLLATE "C" NOT NULL CHECK (account <> ''),
    amount bigint NOT NULL CHECK (amount <> 0),
    subject text NOT NULL,
    rules text[] NOT NULL,
    PRIMARY KEY (entry_id, index)
);

CREATE TABLE ledger.conflicts (
    conflict_id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    movement_id text NOT NULL,
    reason text NOT NULL,
    detail text NOT NULL,
    fingerprint bytea NOT NULL,
    movement bytea NOT NULL,
    movement_partition integer NOT NULL,
    movement_offset bigint NOT NULL,
    noticed_at timestamptz NOT NULL DEFAULT clock_timestamp(),
    CONSTRAINT noticed_once UNIQUE (movement_id, fingerprint, reason)
);

CREATE TABLE ledger.positions (
    partition integer PRIMARY KEY CHECK (partition >= 0),
    next_offset bigint NOT NULL DEFAULT 0 CHECK (next_offset >= 0),
    published_offset bigint NOT NULL DEFAULT 0 CHECK (published_offset BETWEEN 0 AND next_offset)
);

CREATE VIEW ledger.journal AS
    SELECT p.entry_id || '/' || p.index AS posting_id, p.account, e.currency, p.amount, p.subject, p.rules,
           e.entry_id, e.kind, e.table_id, e.round_id, e.game, e.rule_set, e.gaming_day, e.own_gaming_day,
           e.number, e.reverses, e.booked_at
    FROM ledger.entries e JOIN ledger.postings p USING (entry_id);

COMMENT ON TABLE ledger.entries IS 'Journal entries: one for each movement, never altered.';
COMMENT ON COLUMN ledger.entries.movement_offset IS
    'Offset of the movement''s first record in its topic: the order in which entries are published.';
COMMENT ON COLUMN ledger.entries.parts IS 'How many postings the entry has; checked at commit.';
COMMENT ON TABLE ledger.postings IS
    'Signed minor units in the currency of the entry; positive is into the account.';
COMMENT ON TABLE ledger.conflicts IS 'Movements that were not booked: somebody must look at each.';
COMMENT ON TABLE ledger.positions IS
    'For each partition of the movements: what is read next, and up to where entries are published.';
COMMENT ON VIEW ledger.journal IS 'Every posting with its entry, for reports.';
"""

_GUARDS = """
-- Amounts are never zero, so those that sum to zero are at least two. Also in place of a foreign key, which would look up and lock the entry once for each posting.
CREATE FUNCTION ledger.check_postings() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    entry text;
BEGIN
    SELECT g.entry_id INTO entry
    FROM (SELECT entry_id, sum(amount) AS total, count(*) AS parts FROM given GROUP BY entry_id) g
    WHERE g.total <> 0
        OR NOT EXISTS (SELECT FROM ledger.entries e WHERE e.entry_id = g.entry_id)
        OR g.parts <> (SELECT count(*) FROM ledger.postings p WHERE p.entry_id = g.entry_id)
    LIMIT 1;
    IF FOUND THEN
        RAISE EXCEPTION 'entry %: it must exist, and its postings must come in one statement and sum to zero', entry
            USING ERRCODE = 'check_violation', CONSTRAINT = 'postings_complete';
    END IF;
    RETURN NULL;
END $$;

CREATE TRIGGER postings_complete AFTER INSERT ON ledger.postings
    REFERENCING NEW TABLE AS given FOR EACH STATEMENT EXECUTE FUNCTION ledger.check_postings();

-- Together: at commit an entry has as many postings as it says, and they sum to zero.
CREATE FUNCTION ledger.check_entry() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF NEW.parts <> (SELECT count(*) FROM ledger.postings WHERE entry_id = NEW.entry_id) THEN
        RAISE EXCEPTION 'entry % does not have its % postings', NEW.entry_id, NEW.parts
            USING ERRCODE = 'check_violation', CONSTRAINT = 'entry_has_postings';
    END IF;
    RETURN NULL;
END $$;

CREATE CONSTRAINT TRIGGER entry_has_postings AFTER INSERT ON ledger.entries
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION ledger.check_entry();

CREATE FUNCTION ledger.refuse_change() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION 'ledger.% is never altered: book a reversal', TG_TABLE_NAME
        USING ERRCODE = 'restrict_violation';
END $$;

CREATE TRIGGER never_altered BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.entries
    FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
CREATE TRIGGER never_altered BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger.postings
    FOR EACH STATEMENT EXECUTE FUNCTION ledger.refuse_change();
"""

# Roles belong to the whole cluster: another database, or another migration at this moment, may have made them.
_ROLES = """
DO $$
DECLARE
    role text;
BEGIN
    FOREACH role IN ARRAY ARRAY['floorbook_writer', 'floorbook_reader'] LOOP
        BEGIN
            IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = role) THEN
                EXECUTE format('CREATE ROLE %I NOLOGIN', role);
            END IF;
        EXCEPTION WHEN duplicate_object OR unique_violation THEN
            NULL;
        END;
        IF NOT pg_has_role(current_user, role, 'MEMBER') THEN
            EXECUTE format('GRANT %I TO CURRENT_USER', role);
        END IF;
    END LOOP;
END $$;

GRANT USAGE ON SCHEMA ledger TO floorbook_writer, floorbook_reader;
GRANT SELECT ON ALL TABLES IN SCHEMA ledger TO floorbook_writer, floorbook_reader;
-- Without booked_at and noticed_at: the database's clock and no other.
GRANT INSERT (entry_id, kind, table_id, round_id, game, rule_set, rules_version, gaming_day, own_gaming_day,
              table_time_ms, number, currency, fingerprint, reverses, completed_time_ms, event_partition,
              event_offset, event_index, movement_partition, movement_offset, parts)
    ON ledger.entries TO floorbook_writer;
GRANT INSERT ON ledger.postings TO floorbook_writer;
GRANT INSERT (movement_id, reason, detail, fingerprint, movement, movement_partition, movement_offset)
    ON ledger.conflicts TO floorbook_writer;
GRANT INSERT (partition) ON ledger.positions TO floorbook_writer;
GRANT UPDATE (next_offset, published_offset) ON ledger.positions TO floorbook_writer;
"""


def upgrade() -> None:
    """Return once the books are there."""
    op.execute(_TABLES)
    op.execute(_GUARDS)
    op.execute(_ROLES)


def downgrade() -> None:
    """Never return: what is booked is never taken away."""
    raise NotImplementedError("there is no way back from the first migration")
