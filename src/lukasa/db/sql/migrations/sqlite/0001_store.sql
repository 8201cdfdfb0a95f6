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
