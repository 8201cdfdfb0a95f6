-- A store of schema 0001, as its release left it. It stays as it is: newer releases must open it.
PRAGMA auto_vacuum = incremental;
PRAGMA application_id = 0x4C554B41;
PRAGMA journal_mode = wal;

-- The store itself: what it is, its ledger of migrations, its counters, and its spaces.
CREATE TABLE store_meta (
    name TEXT PRIMARY KEY NOT NULL,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO store_meta (name, value) VALUES ('format', 'lukasa');

CREATE TABLE migrations (
    version INTEGER PRIMARY KEY NOT NULL,
    name TEXT NOT NULL,
    checksum TEXT NOT NULL,
    applied_at INTEGER NOT NULL
) STRICT;

CREATE TABLE counters (
    name TEXT PRIMARY KEY NOT NULL,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO counters (name, value) VALUES ('entry', 0), ('space', 0);

CREATE TABLE spaces (
    space TEXT PRIMARY KEY NOT NULL,
    number INTEGER NOT NULL UNIQUE,
    agent_id TEXT,
    version INTEGER NOT NULL,
    entries INTEGER NOT NULL CHECK (entries >= 0),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX spaces_agent ON spaces (agent_id, space);

INSERT INTO migrations (version, name, checksum, applied_at)
VALUES (1, 'store', '67794b8e8c6cec68af3d28f9dc8208f70a5ebf168cd67f0ceced4a0ae9f01e82', 1767225600000);
INSERT INTO spaces (space, number, agent_id, version, entries, created_at, updated_at) VALUES
    ('agent/ana', 1, 'ana', 7, 0, 1767225600000, 1767225700000),
    ('project/apollo', 3, NULL, 2, 0, 1767225600000, 1767225600000);
UPDATE counters SET value = 41 WHERE name = 'entry';
UPDATE counters SET value = 3 WHERE name = 'space';
