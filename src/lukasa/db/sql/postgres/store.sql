-- query: ledger_exists
-- Whether the schema itself has our two first tables; another one on the search path does not count.
SELECT 1 AS found FROM pg_tables
WHERE schemaname = CAST(:schema AS TEXT) AND tablename IN ('migrations', 'store_meta') HAVING count(*) = 2;

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

-- query: schema_exists
-- Whether the schema is there, empty, made for us by somebody who may make one.
SELECT 1 AS found FROM pg_namespace WHERE nspname = CAST(:schema AS TEXT);

-- query: next_chunk
-- The number of a new piece; never given twice.
SELECT nextval('chunk_number') AS number;

-- query: next_model
-- The number of a new model; never given twice.
SELECT nextval('model_number') AS number;
