#!/bin/sh
# Run by the PostgreSQL image when it makes its database: the logins that are not the owner. The roles are those to which the
# ledger's migrations give rights, once they have made something.
set -eu
psql --set ON_ERROR_STOP=1 --username "$POSTGRES_USER" --dbname "$POSTGRES_DB" \
    --set bookkeeper="$BOOKKEEPER_PASSWORD" --set reader="$READER_PASSWORD" <<'SQL'
CREATE ROLE floorbook_writer NOLOGIN;
CREATE ROLE floorbook_reader NOLOGIN;
CREATE ROLE bookkeeper LOGIN PASSWORD :'bookkeeper' IN ROLE floorbook_writer;
CREATE ROLE reader LOGIN PASSWORD :'reader' IN ROLE floorbook_reader;
SQL
