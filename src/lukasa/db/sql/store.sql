-- query: list_migrations
-- The ledger, oldest first.
SELECT version, name, checksum, applied_at FROM migrations ORDER BY version;

-- query: add_migration
-- The ledger row of a migration, in the migration's own transaction.
INSERT INTO migrations (version, name, checksum, applied_at)
VALUES (CAST(:version AS BIGINT), :name, :checksum, CAST(:now AS BIGINT));

-- query: touch_space
-- Locks a space for this transaction and moves its version, so that every cache of it is seen to be old. A time
-- that lies before its last write, such as 0, leaves that as it is.
UPDATE spaces
SET version = version + 1, entries = entries + CAST(:added AS BIGINT),
    updated_at = CASE WHEN CAST(:now AS BIGINT) > updated_at THEN CAST(:now AS BIGINT) ELSE updated_at END
WHERE space = CAST(:space AS TEXT)
RETURNING number, version, entries;

-- query: add_space
-- A space's first row; a second writer that comes at the same moment only touches it.
INSERT INTO spaces (space, number, agent_id, version, entries, created_at, updated_at)
VALUES (CAST(:space AS TEXT), CAST(:number AS BIGINT), CAST(:owner AS TEXT), 1, CAST(:added AS BIGINT),
        CAST(:now AS BIGINT), CAST(:now AS BIGINT))
ON CONFLICT (space) DO UPDATE SET version = spaces.version + 1, entries = spaces.entries + excluded.entries,
                                  updated_at = excluded.updated_at
RETURNING number, version, entries;

-- query: own_channels
-- The channels that belong to an agent.
SELECT space FROM spaces WHERE agent_id = CAST(:agent AS TEXT) AND space LIKE 'channel/%' ORDER BY space;

-- query: list_spaces
-- Every space of the store, for its operator.
SELECT space, number, agent_id, version, entries, created_at, updated_at FROM spaces
WHERE space > CAST(:after AS TEXT) ORDER BY space LIMIT CAST(:limit AS BIGINT);

-- query: remove_space
-- Takes the row of an emptied space away; its number is not given again.
DELETE FROM spaces WHERE space = CAST(:space AS TEXT);
