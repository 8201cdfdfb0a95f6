-- Entries, and what hangs on one: names, tags, links, history. Each row begins with its space.
CREATE TABLE entries (
    space TEXT COLLATE "C" NOT NULL REFERENCES spaces (space),
    id TEXT COLLATE "C" NOT NULL,
    number BIGINT NOT NULL,
    agent_id TEXT COLLATE "C" NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    class TEXT COLLATE "C" NOT NULL,
    class_given BIGINT NOT NULL CHECK (class_given IN (0, 1)),
    category TEXT COLLATE "C" NOT NULL,
    content TEXT NOT NULL,
    summary TEXT,
    fingerprint TEXT COLLATE "C" NOT NULL,
    importance DOUBLE PRECISION NOT NULL CHECK (importance BETWEEN 0 AND 1),
    confidence DOUBLE PRECISION NOT NULL CHECK (confidence BETWEEN 0 AND 1),
    pinned BIGINT NOT NULL CHECK (pinned IN (0, 1)),
    status TEXT COLLATE "C" NOT NULL,
    seen BIGINT NOT NULL CHECK (seen >= 1),
    source_type TEXT COLLATE "C",
    source_id TEXT COLLATE "C",
    session_id TEXT COLLATE "C",
    metadata TEXT NOT NULL,
    context TEXT,
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL,
    expires_at BIGINT,
    expiry_given BIGINT NOT NULL CHECK (expiry_given IN (0, 1)),
    completed_at BIGINT,
    superseded_at BIGINT,
    superseded_by TEXT COLLATE "C",
    revision BIGINT NOT NULL CHECK (revision >= 1),
    PRIMARY KEY (space, id),
    UNIQUE (space, number)
);
CREATE UNIQUE INDEX entries_fingerprint ON entries (space, fingerprint);
CREATE INDEX entries_newest ON entries (space, created_at, number);
CREATE INDEX entries_expiring ON entries (expires_at) WHERE expires_at IS NOT NULL;
CREATE INDEX entries_superseded ON entries (superseded_by) WHERE superseded_by IS NOT NULL;

CREATE TABLE names (
    space TEXT COLLATE "C" NOT NULL,
    name TEXT NOT NULL,
    entry_id TEXT COLLATE "C" NOT NULL,
    canonical BIGINT NOT NULL CHECK (canonical IN (0, 1)),
    position BIGINT NOT NULL,
    PRIMARY KEY (space, name),
    FOREIGN KEY (space, entry_id) REFERENCES entries (space, id) ON DELETE CASCADE
);
CREATE INDEX names_entry ON names (space, entry_id);
CREATE UNIQUE INDEX names_canonical ON names (space, entry_id) WHERE canonical = 1;

CREATE TABLE tags (
    space TEXT COLLATE "C" NOT NULL,
    entry_id TEXT COLLATE "C" NOT NULL,
    tag TEXT COLLATE "C" NOT NULL,
    origin TEXT COLLATE "C" NOT NULL CHECK (origin IN ('user', 'concept')),
    position BIGINT NOT NULL,
    PRIMARY KEY (space, entry_id, tag),
    FOREIGN KEY (space, entry_id) REFERENCES entries (space, id) ON DELETE CASCADE
);
CREATE INDEX tags_user ON tags (space, tag, entry_id) WHERE origin = 'user';

CREATE TABLE edges (
    space TEXT COLLATE "C" NOT NULL,
    from_id TEXT COLLATE "C" NOT NULL,
    to_id TEXT COLLATE "C" NOT NULL,
    relation TEXT COLLATE "C" NOT NULL,
    to_space TEXT COLLATE "C" NOT NULL,
    weight DOUBLE PRECISION NOT NULL CHECK (weight BETWEEN 0 AND 1),
    provenance TEXT,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (space, from_id, to_id, relation),
    FOREIGN KEY (space, from_id) REFERENCES entries (space, id) ON DELETE CASCADE
);
CREATE INDEX edges_to ON edges (to_space, to_id);

CREATE TABLE history (
    space TEXT COLLATE "C" NOT NULL,
    entry_id TEXT COLLATE "C" NOT NULL,
    revision BIGINT NOT NULL,
    operation TEXT COLLATE "C" NOT NULL,
    actor TEXT COLLATE "C" NOT NULL,
    at BIGINT NOT NULL,
    before TEXT,
    undoes BIGINT,
    PRIMARY KEY (space, entry_id, revision),
    FOREIGN KEY (space, entry_id) REFERENCES entries (space, id) ON DELETE CASCADE
);
