-- Recall: the pieces of a text with their terms and vectors, what was recalled, and what is still to be done.
CREATE TABLE models (
    number BIGINT PRIMARY KEY,
    identity TEXT COLLATE "C" NOT NULL UNIQUE,
    dimensions BIGINT NOT NULL CHECK (dimensions >= 0),
    active BIGINT NOT NULL CHECK (active IN (0, 1)),
    wanted BIGINT NOT NULL DEFAULT 0 CHECK (wanted IN (0, 1))
);
CREATE UNIQUE INDEX models_active ON models (active) WHERE active = 1;

CREATE SEQUENCE chunk_number;
CREATE SEQUENCE model_number;
ALTER TABLE spaces ADD COLUMN chunks BIGINT NOT NULL DEFAULT 0 CHECK (chunks >= 0);

CREATE TABLE chunks (
    space TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    owner TEXT COLLATE "C" NOT NULL,
    owner_kind TEXT COLLATE "C" NOT NULL CHECK (owner_kind IN ('entry')),
    ordinal BIGINT NOT NULL,
    start BIGINT NOT NULL,
    stop BIGINT NOT NULL,
    length BIGINT NOT NULL,
    terms BYTEA NOT NULL,
    counts BYTEA NOT NULL,
    speaker TEXT,
    asks BIGINT NOT NULL CHECK (asks IN (0, 1)),
    version BIGINT NOT NULL,
    PRIMARY KEY (space, number)
);
CREATE UNIQUE INDEX chunks_owner ON chunks (space, owner, ordinal);
CREATE INDEX chunks_version ON chunks (space, version, number);

CREATE TABLE vectors (
    space TEXT COLLATE "C" NOT NULL,
    chunk BIGINT NOT NULL,
    model BIGINT NOT NULL REFERENCES models (number),
    vector BYTEA NOT NULL,
    PRIMARY KEY (space, chunk, model),
    FOREIGN KEY (space, chunk) REFERENCES chunks (space, number) ON DELETE CASCADE
);
CREATE INDEX vectors_model ON vectors (model);

CREATE TABLE recall_events (
    space TEXT COLLATE "C" NOT NULL,
    id TEXT COLLATE "C" NOT NULL,
    entry_id TEXT COLLATE "C" NOT NULL,
    agent_id TEXT COLLATE "C" NOT NULL,
    query TEXT NOT NULL,
    score DOUBLE PRECISION NOT NULL,
    at BIGINT NOT NULL,
    PRIMARY KEY (space, id),
    FOREIGN KEY (space, entry_id) REFERENCES entries (space, id) ON DELETE CASCADE
);
CREATE INDEX recall_events_entry ON recall_events (space, entry_id, at);

CREATE TABLE outbox (
    space TEXT COLLATE "C" NOT NULL,
    operation TEXT COLLATE "C" NOT NULL CHECK (operation IN ('embed')),
    subject TEXT COLLATE "C" NOT NULL,
    attempts BIGINT NOT NULL,
    due_at BIGINT NOT NULL,
    error TEXT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (space, operation, subject)
);
CREATE INDEX outbox_due ON outbox (due_at);
