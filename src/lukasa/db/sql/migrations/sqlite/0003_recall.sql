-- Recall: the pieces of a text with their terms and vectors, what was recalled, and what is still to be done.
CREATE TABLE models (
    number INTEGER PRIMARY KEY NOT NULL,
    identity TEXT NOT NULL UNIQUE,
    dimensions INTEGER NOT NULL CHECK (dimensions >= 0),
    active INTEGER NOT NULL CHECK (active IN (0, 1)),
    wanted INTEGER NOT NULL DEFAULT 0 CHECK (wanted IN (0, 1))
) STRICT;
CREATE UNIQUE INDEX models_active ON models (active) WHERE active = 1;

INSERT INTO counters (name, value) VALUES ('chunk', 0), ('model', 0);
ALTER TABLE spaces ADD COLUMN chunks INTEGER NOT NULL DEFAULT 0 CHECK (chunks >= 0);

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

CREATE TABLE vectors (
    space TEXT NOT NULL,
    chunk INTEGER NOT NULL,
    model INTEGER NOT NULL REFERENCES models (number),
    vector BLOB NOT NULL,
    PRIMARY KEY (space, chunk, model),
    FOREIGN KEY (space, chunk) REFERENCES chunks (space, number) ON DELETE CASCADE
) STRICT;
CREATE INDEX vectors_model ON vectors (model);

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
