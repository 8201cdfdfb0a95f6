-- query: add_edge
-- A link; the same one again changes only its weight and provenance.
INSERT INTO edges (space, from_id, to_id, relation, to_space, weight, provenance, created_at)
VALUES (:space, :from_id, :to_id, :relation, :to_space, :weight, :provenance, :now)
ON CONFLICT (space, from_id, to_id, relation) DO UPDATE SET weight = excluded.weight, provenance = excluded.provenance
RETURNING space, from_id, to_id, relation, to_space, weight, provenance, created_at;

-- query: find_edge
-- One link by what makes it unique.
SELECT space, from_id, to_id, relation, to_space, weight, provenance, created_at FROM edges
WHERE space = CAST(:space AS TEXT) AND from_id = CAST(:from_id AS TEXT) AND to_id = CAST(:to_id AS TEXT)
  AND relation = CAST(:relation AS TEXT);

-- query: remove_edge
-- Takes one link away.
DELETE FROM edges
WHERE space = CAST(:space AS TEXT) AND from_id = CAST(:from_id AS TEXT) AND to_id = CAST(:to_id AS TEXT)
  AND relation = CAST(:relation AS TEXT);

-- query: edges_of
-- The links at entries, both ends in sight.
SELECT space, from_id, to_id, relation, to_space, weight, provenance, created_at FROM edges
WHERE space IN (SELECT value FROM json_each(CAST(:spaces AS TEXT)))
  AND to_space IN (SELECT value FROM json_each(CAST(:spaces AS TEXT)))
  AND from_id IN (SELECT value FROM json_each(CAST(:ids AS TEXT)))
UNION
SELECT space, from_id, to_id, relation, to_space, weight, provenance, created_at FROM edges
WHERE space IN (SELECT value FROM json_each(CAST(:spaces AS TEXT)))
  AND to_space IN (SELECT value FROM json_each(CAST(:spaces AS TEXT)))
  AND to_id IN (SELECT value FROM json_each(CAST(:ids AS TEXT)))
ORDER BY created_at, relation, from_id, to_id;

-- query: successors
-- The entries that say they supersede an entry, wherever they live in sight, the last to say so last.
SELECT space, from_id AS id FROM edges
WHERE to_space = CAST(:space AS TEXT) AND to_id = CAST(:id AS TEXT) AND relation = 'supersedes'
ORDER BY created_at, from_id;

-- query: remove_edges_to
-- Links that end at an entry which is about to go.
DELETE FROM edges WHERE to_space = CAST(:space AS TEXT) AND to_id = CAST(:id AS TEXT) RETURNING from_id;
