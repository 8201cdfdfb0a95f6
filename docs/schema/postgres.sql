-- Made by `make docs` from the migrations: the schema of a store of this release on PostgreSQL.

CREATE SEQUENCE chunk_number;

CREATE SEQUENCE entry_number;

CREATE SEQUENCE model_number;

CREATE SEQUENCE space_number;

CREATE OR REPLACE FUNCTION json_each(list text)
 RETURNS TABLE(key bigint, value text)
 LANGUAGE sql
 IMMUTABLE PARALLEL SAFE ROWS 20
AS $function$
    SELECT item.ordinality - 1, item.value
    FROM json_array_elements_text(CAST(list AS json)) WITH ORDINALITY AS item (value, ordinality)
$function$;

CREATE TABLE chunks (
    space text COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    owner text COLLATE "C" NOT NULL,
    owner_kind text COLLATE "C" NOT NULL,
    ordinal bigint NOT NULL,
    start bigint NOT NULL,
    stop bigint NOT NULL,
    length bigint NOT NULL,
    terms bytea NOT NULL,
    counts bytea NOT NULL,
    speaker text,
    asks bigint NOT NULL,
    version bigint NOT NULL,
    PRIMARY KEY (space, number),
    CHECK (asks = ANY (ARRAY[0::bigint, 1::bigint])),
    CHECK (owner_kind = 'entry'::text)
);

CREATE UNIQUE INDEX chunks_owner ON chunks USING btree (space, owner, ordinal);

CREATE INDEX chunks_version ON chunks USING btree (space, version, number);

CREATE TABLE edges (
    space text COLLATE "C" NOT NULL,
    from_id text COLLATE "C" NOT NULL,
    to_id text COLLATE "C" NOT NULL,
    relation text COLLATE "C" NOT NULL,
    to_space text COLLATE "C" NOT NULL,
    weight double precision NOT NULL,
    provenance text,
    created_at bigint NOT NULL,
    PRIMARY KEY (space, from_id, to_id, relation),
    FOREIGN KEY (space, from_id) REFERENCES entries(space, id) ON DELETE CASCADE,
    CHECK (weight >= 0::double precision AND weight <= 1::double precision)
);

CREATE INDEX edges_to ON edges USING btree (to_space, to_id);

CREATE TABLE entries (
    space text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    agent_id text COLLATE "C" NOT NULL,
    kind text COLLATE "C" NOT NULL,
    class text COLLATE "C" NOT NULL,
    class_given bigint NOT NULL,
    category text COLLATE "C" NOT NULL,
    content text NOT NULL,
    summary text,
    fingerprint text COLLATE "C" NOT NULL,
    importance double precision NOT NULL,
    confidence double precision NOT NULL,
    pinned bigint NOT NULL,
    status text COLLATE "C" NOT NULL,
    seen bigint NOT NULL,
    source_type text COLLATE "C",
    source_id text COLLATE "C",
    session_id text COLLATE "C",
    metadata text NOT NULL,
    context text,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    expires_at bigint,
    expiry_given bigint NOT NULL,
    completed_at bigint,
    superseded_at bigint,
    superseded_by text COLLATE "C",
    revision bigint NOT NULL,
    PRIMARY KEY (space, id),
    UNIQUE (space, number),
    FOREIGN KEY (space) REFERENCES spaces(space),
    CHECK (class_given = ANY (ARRAY[0::bigint, 1::bigint])),
    CHECK (confidence >= 0::double precision AND confidence <= 1::double precision),
    CHECK (expiry_given = ANY (ARRAY[0::bigint, 1::bigint])),
    CHECK (importance >= 0::double precision AND importance <= 1::double precision),
    CHECK (pinned = ANY (ARRAY[0::bigint, 1::bigint])),
    CHECK (revision >= 1),
    CHECK (seen >= 1)
);

CREATE INDEX entries_expiring ON entries USING btree (expires_at) WHERE expires_at IS NOT NULL;

CREATE UNIQUE INDEX entries_fingerprint ON entries USING btree (space, fingerprint);

CREATE INDEX entries_newest ON entries USING btree (space, created_at, number);

CREATE INDEX entries_superseded ON entries USING btree (superseded_by) WHERE superseded_by IS NOT NULL;

CREATE TABLE history (
    space text COLLATE "C" NOT NULL,
    entry_id text COLLATE "C" NOT NULL,
    revision bigint NOT NULL,
    operation text COLLATE "C" NOT NULL,
    actor text COLLATE "C" NOT NULL,
    at bigint NOT NULL,
    before text,
    undoes bigint,
    PRIMARY KEY (space, entry_id, revision),
    FOREIGN KEY (space, entry_id) REFERENCES entries(space, id) ON DELETE CASCADE
);

CREATE TABLE migrations (
    version bigint NOT NULL,
    name text NOT NULL,
    checksum text NOT NULL,
    applied_at bigint NOT NULL,
    PRIMARY KEY (version)
);

CREATE TABLE models (
    number bigint NOT NULL,
    identity text COLLATE "C" NOT NULL,
    dimensions bigint NOT NULL,
    active bigint NOT NULL,
    wanted bigint DEFAULT 0 NOT NULL,
    PRIMARY KEY (number),
    UNIQUE (identity),
    CHECK (active = ANY (ARRAY[0::bigint, 1::bigint])),
    CHECK (dimensions >= 0),
    CHECK (wanted = ANY (ARRAY[0::bigint, 1::bigint]))
);

CREATE UNIQUE INDEX models_active ON models USING btree (active) WHERE active = 1;

CREATE TABLE names (
    space text COLLATE "C" NOT NULL,
    name text NOT NULL,
    entry_id text COLLATE "C" NOT NULL,
    canonical bigint NOT NULL,
    position bigint NOT NULL,
    PRIMARY KEY (space, name),
    FOREIGN KEY (space, entry_id) REFERENCES entries(space, id) ON DELETE CASCADE,
    CHECK (canonical = ANY (ARRAY[0::bigint, 1::bigint]))
);

CREATE UNIQUE INDEX names_canonical ON names USING btree (space, entry_id) WHERE canonical = 1;

CREATE INDEX names_entry ON names USING btree (space, entry_id);

CREATE TABLE outbox (
    space text COLLATE "C" NOT NULL,
    operation text COLLATE "C" NOT NULL,
    subject text COLLATE "C" NOT NULL,
    attempts bigint NOT NULL,
    due_at bigint NOT NULL,
    error text,
    created_at bigint NOT NULL,
    PRIMARY KEY (space, operation, subject),
    CHECK (operation = 'embed'::text)
);

CREATE INDEX outbox_due ON outbox USING btree (due_at);

CREATE TABLE recall_events (
    space text COLLATE "C" NOT NULL,
    id text COLLATE "C" NOT NULL,
    entry_id text COLLATE "C" NOT NULL,
    agent_id text COLLATE "C" NOT NULL,
    query text NOT NULL,
    score double precision NOT NULL,
    at bigint NOT NULL,
    PRIMARY KEY (space, id),
    FOREIGN KEY (space, entry_id) REFERENCES entries(space, id) ON DELETE CASCADE
);

CREATE INDEX recall_events_entry ON recall_events USING btree (space, entry_id, at);

CREATE TABLE spaces (
    space text COLLATE "C" NOT NULL,
    number bigint NOT NULL,
    agent_id text COLLATE "C",
    version bigint NOT NULL,
    entries bigint NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    chunks bigint DEFAULT 0 NOT NULL,
    PRIMARY KEY (space),
    UNIQUE (number),
    CHECK (chunks >= 0),
    CHECK (entries >= 0)
);

CREATE INDEX spaces_agent ON spaces USING btree (agent_id, space);

CREATE TABLE store_meta (
    name text COLLATE "C" NOT NULL,
    value text NOT NULL,
    PRIMARY KEY (name)
);

CREATE TABLE tags (
    space text COLLATE "C" NOT NULL,
    entry_id text COLLATE "C" NOT NULL,
    tag text COLLATE "C" NOT NULL,
    origin text COLLATE "C" NOT NULL,
    position bigint NOT NULL,
    PRIMARY KEY (space, entry_id, tag),
    FOREIGN KEY (space, entry_id) REFERENCES entries(space, id) ON DELETE CASCADE,
    CHECK (origin = ANY (ARRAY['user'::text, 'concept'::text]))
);

CREATE INDEX tags_user ON tags USING btree (space, tag, entry_id) WHERE origin = 'user'::text;

CREATE TABLE vectors (
    space text COLLATE "C" NOT NULL,
    chunk bigint NOT NULL,
    model bigint NOT NULL,
    vector bytea NOT NULL,
    PRIMARY KEY (space, chunk, model),
    FOREIGN KEY (model) REFERENCES models(number),
    FOREIGN KEY (space, chunk) REFERENCES chunks(space, number) ON DELETE CASCADE
);

CREATE INDEX vectors_model ON vectors USING btree (model);
