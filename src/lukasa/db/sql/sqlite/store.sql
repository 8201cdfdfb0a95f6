-- query: ledger_exists
-- Whether the file has a ledger of migrations.
SELECT 1 AS found FROM sqlite_schema WHERE type = 'table' AND name = 'migrations';

-- query: next_number
-- The store's next entry number; never given twice, also after the entry is gone.
UPDATE counters SET value = value + 1 WHERE name = 'entry' RETURNING value AS number;

-- query: next_space
-- The next number of a space; never given twice.
UPDATE counters SET value = value + 1 WHERE name = 'space' RETURNING value AS number;

-- query: last_number
-- The highest entry number ever given.
SELECT value AS number FROM counters WHERE name = 'entry';

-- query: raise_number
-- Takes the counter up to a number that an import brought along.
UPDATE counters SET value = MAX(value, CAST(:number AS BIGINT)) WHERE name = 'entry';

-- query: next_chunk
-- The number of a new piece; never given twice.
UPDATE counters SET value = value + 1 WHERE name = 'chunk' RETURNING value AS number;

-- query: next_model
-- The number of a new model; never given twice.
UPDATE counters SET value = value + 1 WHERE name = 'model' RETURNING value AS number;

-- query: claim_index
-- Nobody else writes: a transaction that writes is alone already.
SELECT 1 AS claimed;
