-- query: index_state
-- What the index is made with: the language of its terms and the model of its vectors.
SELECT (SELECT value FROM store_meta WHERE name = 'language') AS language, m.number AS model, m.identity, m.dimensions
FROM (SELECT 1 AS one) AS here LEFT JOIN models AS m ON m.active = 1;

-- query: set_language
-- Writes down in which language texts were stemmed.
INSERT INTO store_meta (name, value) VALUES ('language', CAST(:language AS TEXT))
ON CONFLICT (name) DO UPDATE SET value = excluded.value;

-- query: add_model
-- A model that vectors are to be made with; one that is known keeps its number.
INSERT INTO models (number, identity, dimensions, active)
VALUES (CAST(:number AS BIGINT), CAST(:identity AS TEXT), CAST(:dimensions AS BIGINT), CAST(:active AS BIGINT))
ON CONFLICT (identity) DO UPDATE SET identity = excluded.identity
RETURNING number, dimensions, active;

-- query: find_model
-- The number of a model, if vectors were ever made with it.
SELECT number, dimensions, active FROM models WHERE identity = CAST(:identity AS TEXT);

-- query: retire_models
-- No model answers until one is made active again.
UPDATE models SET active = 0 WHERE active = 1;

-- query: activate_model
-- From now on this model's vectors answer.
UPDATE models SET active = 1, wanted = 0 WHERE number = CAST(:model AS BIGINT);

-- query: want_model
-- This model's vectors are being made, and no other's; 0 is no model.
UPDATE models SET wanted = CASE WHEN number = CAST(:model AS BIGINT) THEN 1 ELSE 0 END
WHERE wanted = 1 OR number = CAST(:model AS BIGINT);

-- query: wanted_model
-- The model whose vectors are being made.
SELECT number, identity, dimensions FROM models WHERE wanted = 1;

-- query: set_dimensions
-- How long a model's vectors are, once that is known.
UPDATE models SET dimensions = CAST(:dimensions AS BIGINT) WHERE number = CAST(:model AS BIGINT);

-- query: remove_model
-- A model that has no vectors left.
DELETE FROM models WHERE number = CAST(:model AS BIGINT);

-- query: list_models
-- Every model that the store has or had vectors of.
SELECT number, identity, dimensions, active, wanted FROM models ORDER BY number;

-- query: add_chunk
-- A new piece of a text; its version is the space's, which the writer holds.
INSERT INTO chunks (space, number, owner, owner_kind, ordinal, start, stop, length, terms, counts, speaker,
                    asks, version)
SELECT CAST(:space AS TEXT), CAST(:number AS BIGINT), CAST(:owner AS TEXT), 'entry', CAST(:ordinal AS BIGINT),
       CAST(:start AS BIGINT), CAST(:stop AS BIGINT), CAST(:length AS BIGINT), :terms, :counts,
       CAST(:speaker AS TEXT), CAST(:asks AS BIGINT), s.version
FROM spaces AS s WHERE s.space = CAST(:space AS TEXT);

-- query: replace_chunk
-- A piece whose text is another now. Its vector is replaced or taken away by the same writer.
UPDATE chunks
SET start = CAST(:start AS BIGINT), stop = CAST(:stop AS BIGINT), length = CAST(:length AS BIGINT),
    terms = :terms, counts = :counts, speaker = CAST(:speaker AS TEXT),
    asks = CAST(:asks AS BIGINT), version = (SELECT s.version FROM spaces AS s WHERE s.space = CAST(:space AS TEXT))
WHERE space = CAST(:space AS TEXT) AND number = CAST(:number AS BIGINT);

-- query: touch_chunks
-- Something of the owner has changed that the index keeps beside the text.
UPDATE chunks SET version = (SELECT s.version FROM spaces AS s WHERE s.space = CAST(:space AS TEXT))
WHERE space = CAST(:space AS TEXT) AND owner = CAST(:owner AS TEXT);

-- query: chunks_of
-- The pieces of one text, in order.
SELECT number, ordinal, start, stop, length, terms, counts, speaker, asks, version FROM chunks
WHERE space = CAST(:space AS TEXT) AND owner = CAST(:owner AS TEXT) ORDER BY ordinal;

-- query: remove_chunks
-- The pieces of a text from one on; their vectors go with them.
DELETE FROM chunks
WHERE space = CAST(:space AS TEXT) AND owner = CAST(:owner AS TEXT) AND ordinal >= CAST(:first AS BIGINT)
RETURNING number;

-- query: count_chunks
-- Keeps the counter of a space's pieces.
UPDATE spaces SET chunks = chunks + CAST(:added AS BIGINT) WHERE space = CAST(:space AS TEXT);

-- query: put_vector
-- The vector of a piece by one model.
INSERT INTO vectors (space, chunk, model, vector)
VALUES (CAST(:space AS TEXT), CAST(:chunk AS BIGINT), CAST(:model AS BIGINT), :vector)
ON CONFLICT (space, chunk, model) DO UPDATE SET vector = excluded.vector;

-- query: put_vector_if_same
-- The vector of a piece, if the piece is still what it was when the vector was made.
INSERT INTO vectors (space, chunk, model, vector)
SELECT c.space, c.number, CAST(:model AS BIGINT), :vector FROM chunks AS c
WHERE c.space = CAST(:space AS TEXT) AND c.number = CAST(:chunk AS BIGINT) AND c.version = CAST(:version AS BIGINT)
ON CONFLICT (space, chunk, model) DO UPDATE SET vector = excluded.vector
RETURNING chunk;

-- query: remove_vectors
-- Every vector of the pieces of a text, before those of its new text are made.
DELETE FROM vectors
WHERE space = CAST(:space AS TEXT)
  AND chunk IN (SELECT c.number FROM chunks AS c
                WHERE c.space = CAST(:space AS TEXT) AND c.owner = CAST(:owner AS TEXT));

-- query: remove_model_vectors
-- Some vectors of a model that answers no more.
DELETE FROM vectors
WHERE space = CAST(:space AS TEXT) AND model = CAST(:model AS BIGINT)
  AND chunk IN (SELECT v.chunk FROM vectors AS v
                WHERE v.space = CAST(:space AS TEXT) AND v.model = CAST(:model AS BIGINT)
                ORDER BY v.chunk LIMIT CAST(:limit AS BIGINT))
RETURNING chunk;

-- query: space_versions
-- How far each space in sight has come, how many pieces it has, and whether a link starts in it.
SELECT s.space, s.number, s.version, s.chunks,
       CASE WHEN EXISTS (SELECT 1 FROM edges AS d WHERE d.space = s.space) THEN 1 ELSE 0 END AS has_links
FROM spaces AS s WHERE s.space IN (SELECT value FROM json_each(CAST(:spaces AS TEXT)));

-- query: load_chunks
-- Pieces that changed after a version, page by page, with what their entry says of them and their vector.
SELECT c.number, c.version, c.ordinal, c.length, c.terms, c.counts, v.vector, e.number AS entry, e.session_id,
       c.speaker, c.asks, e.class, e.created_at,
       COALESCE(e.expires_at, 4611686018427387904) AS expires_at,
       COALESCE(e.superseded_at, 4611686018427387904) AS superseded_at, e.importance, e.pinned
FROM chunks AS c
JOIN entries AS e ON e.space = c.space AND e.id = c.owner
LEFT JOIN vectors AS v ON v.space = c.space AND v.chunk = c.number AND v.model = CAST(:model AS BIGINT)
WHERE c.space = CAST(:space AS TEXT)
  AND (c.version, c.number) > (CAST(:version AS BIGINT), CAST(:number AS BIGINT))
ORDER BY c.version, c.number LIMIT CAST(:limit AS BIGINT);

-- query: chunk_numbers
-- Every piece that a space has.
SELECT number FROM chunks WHERE space = CAST(:space AS TEXT);

-- query: without_vector
-- Pieces that a model has made no vector of yet, in order, with the entry whose they are.
SELECT c.number, c.owner, c.ordinal, c.version FROM chunks AS c
WHERE c.space = CAST(:space AS TEXT) AND c.number > CAST(:after AS BIGINT)
  AND NOT EXISTS (SELECT 1 FROM vectors AS v
                  WHERE v.space = c.space AND v.chunk = c.number AND v.model = CAST(:model AS BIGINT))
ORDER BY c.number LIMIT CAST(:limit AS BIGINT);

-- query: count_without_vector
-- How many pieces in sight a model has made no vector of.
SELECT count(*) AS chunks FROM chunks AS c
WHERE c.space IN (SELECT value FROM json_each(CAST(:spaces AS TEXT)))
  AND NOT EXISTS (SELECT 1 FROM vectors AS v
                  WHERE v.space = c.space AND v.chunk = c.number AND v.model = CAST(:model AS BIGINT));

-- query: remove_lost_chunks
-- Pieces that belong to no entry.
DELETE FROM chunks
WHERE space = CAST(:space AS TEXT)
  AND NOT EXISTS (SELECT 1 FROM entries AS e WHERE e.space = chunks.space AND e.id = chunks.owner)
RETURNING number;

-- query: remove_unfit_vectors
-- Vectors that are not as long as their model makes them.
DELETE FROM vectors
WHERE space = CAST(:space AS TEXT)
  AND length(vector) <> 4 * (SELECT m.dimensions FROM models AS m WHERE m.number = vectors.model)
RETURNING chunk;

-- query: recount_chunks
-- The counter of a space's pieces, if it is not what its rows say.
UPDATE spaces SET chunks = (SELECT count(*) FROM chunks AS c WHERE c.space = spaces.space)
WHERE space = CAST(:space AS TEXT)
  AND chunks <> (SELECT count(*) FROM chunks AS c WHERE c.space = spaces.space)
RETURNING chunks;

-- query: settle_chunks
-- Pieces that are newer than their space.
UPDATE chunks SET version = (SELECT s.version FROM spaces AS s WHERE s.space = chunks.space)
WHERE space = CAST(:space AS TEXT)
  AND version > (SELECT s.version FROM spaces AS s WHERE s.space = chunks.space)
RETURNING number;

-- query: chunk_places
-- Of which entry pieces are, and where in its text.
SELECT space, number, owner AS id, start, stop FROM chunks
WHERE space IN (SELECT value FROM json_each(CAST(:spaces AS TEXT)))
  AND number IN (SELECT CAST(value AS BIGINT) FROM json_each(CAST(:numbers AS TEXT)));

-- query: numbers_of_ids
-- The numbers of entries.
SELECT space, id, number FROM entries
WHERE space IN (SELECT value FROM json_each(CAST(:spaces AS TEXT)))
  AND id IN (SELECT value FROM json_each(CAST(:ids AS TEXT)));

-- query: changed_since
-- What has changed since a moment, and what it was then; nothing if it was not there yet.
SELECT e.id, e.number, h.before FROM history AS h JOIN entries AS e ON e.space = h.space AND e.id = h.entry_id
WHERE h.space = CAST(:space AS TEXT) AND h.at > CAST(:moment AS BIGINT)
  AND NOT EXISTS (SELECT 1 FROM history AS o
                  WHERE o.space = h.space AND o.entry_id = h.entry_id AND o.at > CAST(:moment AS BIGINT)
                    AND o.revision < h.revision);
