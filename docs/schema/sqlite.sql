-- Made by `make docs` from the migrations: the schema of a store of this release on SQLite.

CREATE TABLE chunks (
    space TEXT NOT NULL,
    number INTEGER NOT NULL,
    owner TEXT NOT NULL,
    owner_kind TEXT NOT NULL CHECK (owner_kind IN ('entry')),
    ordinal INTEGER NOT NULL,
    start INTEGER NOT NULL,
    stop INTEGER NOT NULL,
    length INTEGER NOT NULL,
    terms BLOB NOT NULL,
    counts BLOB NOT NULL,
    speaker TEXT,
    asks INTEGER NOT NULL CHECK (asks IN (0, 1)),
    version INTEGER NOT NULL,
    PRIMARY KEY (space, number)
) STRICT;

CREATE UNIQUE INDEX chunks_owner ON chunks (space, owner, ordinal);

CREATE INDEX chunks_version ON chunks (space, version, number);

CREATE TABLE counters (
    name TEXT PRIMARY KEY NOT NULL,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE edges (
    space TEXT NOT NULL,
    from_id TEXT NOT NULL,
    to_id TEXT NOT NULL,
    relation TEXT NOT NULL,
    to_space TEXT NOT NULL,
    weight REAL NOT NULL CHECK (weight BETWEEN 0 AND 1),
    provenance TEXT,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (space, from_id, to_id, relation),
    FOREIGN KEY (space, from_id) REFERENCES entries (space, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX edges_to ON edges (to_space, to_id);

CREATE TABLE entries (
    space TEXT NOT NULL REFERENCES spaces (space),
    id TEXT NOT NULL,
    number INTEGER NOT NULL,
    agent_id TEXT NOT NULL,
    kind TEXT NOT NULL,
    class TEXT NOT NULL,
    class_given INTEGER NOT NULL CHECK (class_given IN (0, 1)),
    category TEXT NOT NULL,
    content TEXT NOT NULL,
    summary TEXT,
    fingerprint TEXT NOT NULL,
    importance REAL NOT NULL CHECK (importance BETWEEN 0 AND 1),
    confidence REAL NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    pinned INTEGER NOT NULL CHECK (pinned IN (0, 1)),
    status TEXT NOT NULL,
    seen INTEGER NOT NULL CHECK (seen >= 1),
    source_type TEXT,
    source_id TEXT,
    session_id TEXT,
    metadata TEXT NOT NULL,
    context TEXT,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    expires_at INTEGER,
    expiry_given INTEGER NOT NULL CHECK (expiry_given IN (0, 1)),
    completed_at INTEGER,
    superseded_at INTEGER,
    superseded_by TEXT,
    revision INTEGER NOT NULL CHECK (revision >= 1),
    PRIMARY KEY (space, id),
    UNIQUE (space, number)
) STRICT;

CREATE INDEX entries_expiring ON entries (expires_at) WHERE expires_at IS NOT NULL;

CREATE UNIQUE INDEX entries_fingerprint ON entries (space, fingerprint);

CREATE INDEX entries_newest ON entries (space, created_at, number);

CREATE INDEX entries_superseded ON entries (superseded_by) WHERE superseded_by IS NOT NULL;

CREATE TABLE history (
    space TEXT NOT NULL,
    entry_id TEXT NOT NULL,
    revision INTEGER NOT NULL,
    operation TEXT NOT NULL,
    actor TEXT NOT NULL,
    at INTEGER NOT NULL,
    before TEXT,
    undoes INTEGER,
    PRIMARY KEY (space, entry_id, revision),
    FOREIGN KEY (space, entry_id) REFERENCES entries (space, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE TABLE migrations (
    version INTEGER PRIMARY KEY NOT NULL,
    name TEXT NOT NULL,
    checksum TEXT NOT NULL,
    applied_at INTEGER NOT NULL
) STRICT;

CREATE TABLE models (
    number INTEGER PRIMARY KEY NOT NULL,
    identity TEXT NOT NULL UNIQUE,
    dimensions INTEGER NOT NULL CHECK (dimensions >= 0),
    active INTEGER NOT NULL CHECK (active IN (0, 1)),
    wanted INTEGER NOT NULL DEFAULT 0 CHECK (wanted IN (0, 1))
) STRICT;

CREATE UNIQUE INDEX models_active ON models (active) WHERE active = 1;

CREATE TABLE names (
    space TEXT NOT NULL,
    name TEXT NOT NULL,
    entry_id TEXT NOT NULL,
    canonical INTEGER NOT NULL CHECK (canonical IN (0, 1)),
    position INTEGER NOT NULL,
    PRIMARY KEY (space, name),
    FOREIGN KEY (space, entry_id) REFERENCES entries (space, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE UNIQUE INDEX names_canonical ON names (space, entry_id) WHERE canonical = 1;

CREATE INDEX names_entry ON names (space, entry_id);

CREATE TABLE outbox (
    space TEXT NOT NULL,
    operation TEXT NOT NULL CHECK (operation IN ('embed')),
    subject TEXT NOT NULL,
    attempts INTEGER NOT NULL,
    due_at INTEGER NOT NULL,
    error TEXT,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (space, operation, subject)
) STRICT, WITHOUT ROWID;

CREATE INDEX outbox_due ON outbox (due_at);

CREATE TABLE recall_events (
    space TEXT NOT NULL,
    id TEXT NOT NULL,
    entry_id TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    query TEXT NOT NULL,
    score REAL NOT NULL,
    at INTEGER NOT NULL,
    PRIMARY KEY (space, id),
    FOREIGN KEY (space, entry_id) REFERENCES entries (space, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX recall_events_entry ON recall_events (space, entry_id, at);

CREATE TABLE spaces (
    space TEXT PRIMARY KEY NOT NULL,
    number INTEGER NOT NULL UNIQUE,
    agent_id TEXT,
    version INTEGER NOT NULL,
    entries INTEGER NOT NULL CHECK (entries >= 0),
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL
, chunks INTEGER NOT NULL DEFAULT 0 CHECK (chunks >= 0)) STRICT, WITHOUT ROWID;

CREATE INDEX spaces_agent ON spaces (agent_id, space);

CREATE TABLE store_meta (
    name TEXT PRIMARY KEY NOT NULL,
    value TEXT NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE tags (
    space TEXT NOT NULL,
    entry_id TEXT NOT NULL,
    tag TEXT NOT NULL,
    origin TEXT NOT NULL CHECK (origin IN ('user', 'concept')),
    position INTEGER NOT NULL,
    PRIMARY KEY (space, entry_id, tag),
    FOREIGN KEY (space, entry_id) REFERENCES entries (space, id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;

CREATE INDEX tags_user ON tags (space, tag, entry_id) WHERE origin = 'user';

CREATE TABLE vectors (
    space TEXT NOT NULL,
    chunk INTEGER NOT NULL,
    model INTEGER NOT NULL REFERENCES models (number),
    vector BLOB NOT NULL,
    PRIMARY KEY (space, chunk, model),
    FOREIGN KEY (space, chunk) REFERENCES chunks (space, number) ON DELETE CASCADE
) STRICT;

CREATE INDEX vectors_model ON vectors (model);
