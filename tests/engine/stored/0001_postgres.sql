-- A store of schema 0001, as its release left it. It stays as it is: newer releases must open it.

-- The store itself: what it is, its ledger of migrations, its counters, and its spaces.
CREATE TABLE store_meta (
    name TEXT COLLATE "C" PRIMARY KEY,
    value TEXT NOT NULL
);
INSERT INTO store_meta (name, value) VALUES ('format', 'lukasa');

CREATE TABLE migrations (
    version BIGINT PRIMARY KEY,
    name TEXT NOT NULL,
    checksum TEXT NOT NULL,
    applied_at BIGINT NOT NULL
);

CREATE SEQUENCE entry_number;
CREATE SEQUENCE space_number;

CREATE TABLE spaces (
    space TEXT COLLATE "C" PRIMARY KEY,
    number BIGINT NOT NULL UNIQUE,
    agent_id TEXT COLLATE "C",
    version BIGINT NOT NULL,
    entries BIGINT NOT NULL CHECK (entries >= 0),
    created_at BIGINT NOT NULL,
    updated_at BIGINT NOT NULL
);
CREATE INDEX spaces_agent ON spaces (agent_id, space);

-- SQLite's table function of this name, over a JSON list, so that both engines read the same queries.
CREATE FUNCTION json_each(list TEXT) RETURNS TABLE (key BIGINT, value TEXT)
LANGUAGE sql IMMUTABLE PARALLEL SAFE ROWS 20
AS $$
    SELECT item.ordinality - 1, item.value
    FROM json_array_elements_text(CAST(list AS json)) WITH ORDINALITY AS item (value, ordinality)
$$;

INSERT INTO migrations (version, name, checksum, applied_at)
VALUES (1, 'store', 'c750d3cac5522cd3ff2bf8a9088c91102c85612dee6b65137086d439d5655687', 1767225600000);
INSERT INTO spaces (space, number, agent_id, version, entries, created_at, updated_at) VALUES
    ('agent/ana', 1, 'ana', 7, 0, 1767225600000, 1767225700000),
    ('project/apollo', 3, NULL, 2, 0, 1767225600000, 1767225600000);
SELECT setval('entry_number', 41), setval('space_number', 3);
