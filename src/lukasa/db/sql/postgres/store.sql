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

-- query: touch_space
-- Locks a space for this transaction and moves its version. Before it, and shared with other writers, the lock
-- that a change of the model takes for itself: a writer must not go on with the model from before.
UPDATE spaces
SET version = spaces.version + 1, entries = spaces.entries + CAST(:added AS BIGINT),
    updated_at = GREATEST(spaces.updated_at, CAST(:now AS BIGINT))
FROM pg_advisory_xact_lock_shared(hashtext('lukasa index ' || current_schema())) AS held
WHERE spaces.space = CAST(:space AS TEXT)
RETURNING spaces.number, spaces.version, spaces.entries;

-- query: add_space
-- A space's first row, under the same lock; a second writer that comes at the same moment only touches it.
INSERT INTO spaces (space, number, agent_id, version, entries, created_at, updated_at)
SELECT CAST(:space AS TEXT), CAST(:number AS BIGINT), CAST(:owner AS TEXT), 1, CAST(:added AS BIGINT),
       CAST(:now AS BIGINT), CAST(:now AS BIGINT)
FROM pg_advisory_xact_lock_shared(hashtext('lukasa index ' || current_schema())) AS held
ON CONFLICT (space) DO UPDATE SET version = spaces.version + 1, entries = spaces.entries + excluded.entries,
                                  updated_at = excluded.updated_at
RETURNING number, version, entries;

-- query: claim_index
-- Waits for every writer, and keeps them waiting until the transaction ends.
SELECT 1 AS claimed FROM pg_advisory_xact_lock(hashtext('lukasa index ' || current_schema()));
