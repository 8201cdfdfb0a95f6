-- query: ledger_exists
-- Whether the schema has a ledger of migrations.
SELECT 1 AS found WHERE to_regclass('migrations') IS NOT NULL;

-- query: next_number
-- The store's next entry number; a sequence, so that writers of different spaces do not wait for one row.
SELECT nextval('entry_number') AS number;

-- query: next_space
-- The next number of a space; never given twice.
SELECT nextval('space_number') AS number;

-- query: last_number
-- The highest entry number ever given.
SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS number FROM entry_number;

-- query: raise_number
-- Takes the sequence up to a number that an import brought along.
SELECT setval('entry_number', GREATEST(CAST(:number AS BIGINT), last_value)) AS number FROM entry_number;

-- query: schema_tables
-- A table that something else put into the schema which is to become ours.
SELECT tablename AS name FROM pg_tables WHERE schemaname = CAST(:schema AS TEXT) LIMIT 1;

-- query: lock_schema
-- One migrating process at a time for the schema, until its transaction ends.
SELECT 1 AS locked FROM pg_advisory_xact_lock(hashtext('lukasa ' || CAST(:schema AS TEXT)));
