-- query: get_entries
-- Whole rows by id, within the spaces that the caller may see.
SELECT space, id, number, agent_id, kind, class, class_given, category, content, summary, importance, confidence,
       pinned, status, seen, source_type, source_id, session_id, metadata, context, created_at, updated_at,
       expires_at, expiry_given, completed_at, superseded_at, superseded_by, revision
FROM entries
WHERE space IN (SELECT value FROM json_each(CAST(:spaces AS TEXT)))
  AND id IN (SELECT value FROM json_each(CAST(:ids AS TEXT)));

-- query: get_names
-- The names and aliases of entries, in the order in which they were given.
SELECT space, entry_id, name, canonical FROM names
WHERE space IN (SELECT value FROM json_each(CAST(:spaces AS TEXT)))
  AND entry_id IN (SELECT value FROM json_each(CAST(:ids AS TEXT)))
ORDER BY space, entry_id, position, name;

-- query: get_tags
-- The tags of entries, in the order in which they were given.
SELECT space, entry_id, tag, origin FROM tags
WHERE space IN (SELECT value FROM json_each(CAST(:spaces AS TEXT)))
  AND entry_id IN (SELECT value FROM json_each(CAST(:ids AS TEXT)))
ORDER BY space, entry_id, position, tag;

-- query: find_by_name
-- Which entries a name or alias means, one a space at most.
SELECT space, entry_id AS id FROM names
WHERE name = CAST(:name AS TEXT) AND space IN (SELECT value FROM json_each(CAST(:spaces AS TEXT)));

-- query: find_by_id
-- Where the entry of an id lives, if it is in sight.
SELECT space, id FROM entries
WHERE id = CAST(:id AS TEXT) AND space IN (SELECT value FROM json_each(CAST(:spaces AS TEXT)));

-- query: find_by_number
-- Where the entry of a number lives, if it is in sight.
SELECT space, id FROM entries
WHERE number = CAST(:number AS BIGINT) AND space IN (SELECT value FROM json_each(CAST(:spaces AS TEXT)));

-- query: find_by_fingerprint
-- The entry that says the same thing already.
SELECT space, id FROM entries WHERE space = CAST(:space AS TEXT) AND fingerprint = CAST(:fingerprint AS TEXT);

-- query: list_names
-- Names in sight, for a hint to somebody who mistyped one.
SELECT name FROM names
WHERE space IN (SELECT value FROM json_each(CAST(:spaces AS TEXT))) ORDER BY name LIMIT 2000;

-- query: list_entries
-- One page, newest first, after the entry that the page before ended with. A filter that is NULL lets all through.
SELECT e.space, e.id, e.created_at, e.number
FROM entries AS e
WHERE e.space IN (SELECT value FROM json_each(CAST(:spaces AS TEXT)))
  AND (e.created_at, e.number) < (CAST(:before_time AS BIGINT), CAST(:before_number AS BIGINT))
  AND (CAST(:hidden AS BIGINT) = 1
       OR (e.superseded_at IS NULL AND (e.expires_at IS NULL OR e.expires_at > CAST(:now AS BIGINT))))
  AND (CAST(:kinds AS TEXT) IS NULL OR e.kind IN (SELECT value FROM json_each(CAST(:kinds AS TEXT))))
  AND (CAST(:classes AS TEXT) IS NULL OR e.class IN (SELECT value FROM json_each(CAST(:classes AS TEXT))))
  AND (CAST(:category AS TEXT) IS NULL OR e.category = CAST(:category AS TEXT))
  AND (CAST(:status AS TEXT) IS NULL OR e.status = CAST(:status AS TEXT))
  AND (CAST(:source_type AS TEXT) IS NULL OR e.source_type = CAST(:source_type AS TEXT))
  AND (CAST(:source_id AS TEXT) IS NULL OR e.source_id = CAST(:source_id AS TEXT))
  AND (CAST(:session_id AS TEXT) IS NULL OR e.session_id = CAST(:session_id AS TEXT))
  AND (CAST(:since AS BIGINT) IS NULL OR e.created_at >= CAST(:since AS BIGINT))
  AND (CAST(:until AS BIGINT) IS NULL OR e.created_at < CAST(:until AS BIGINT))
  AND (CAST(:text AS TEXT) IS NULL OR strpos(lower(e.content), CAST(:text AS TEXT)) > 0
       OR strpos(lower(e.summary), CAST(:text AS TEXT)) > 0
       OR EXISTS (SELECT 1 FROM names AS n WHERE n.space = e.space AND n.entry_id = e.id AND n.canonical = 1
                  AND strpos(lower(n.name), CAST(:text AS TEXT)) > 0))
  AND (CAST(:tag_count AS BIGINT) = 0
       OR (SELECT count(*) FROM tags AS t
           WHERE t.space = e.space AND t.entry_id = e.id AND t.origin = 'user'
             AND t.tag IN (SELECT value FROM json_each(CAST(:tags AS TEXT)))) = CAST(:tag_count AS BIGINT))
ORDER BY e.created_at DESC, e.number DESC
LIMIT CAST(:limit AS BIGINT);

-- query: walk_entries
-- Every entry of one space in the order of their numbers, for exports and checks.
SELECT space, id, number FROM entries
WHERE space = CAST(:space AS TEXT) AND number > CAST(:after AS BIGINT)
ORDER BY number LIMIT CAST(:limit AS BIGINT);

-- query: count_kinds
-- How many entries of each kind are in sight, and how many of them are answers now.
SELECT kind, count(*) AS entries,
       CAST(sum(CASE WHEN superseded_at IS NULL AND (expires_at IS NULL OR expires_at > CAST(:now AS BIGINT))
                THEN 1 ELSE 0 END) AS BIGINT) AS live
FROM entries WHERE space IN (SELECT value FROM json_each(CAST(:spaces AS TEXT)))
GROUP BY kind ORDER BY kind;

-- query: add_entry
-- A new entry's row.
INSERT INTO entries (space, id, number, agent_id, kind, class, class_given, category, content, summary, fingerprint,
                     importance, confidence, pinned, status, seen, source_type, source_id, session_id, metadata,
                     context, created_at, updated_at, expires_at, expiry_given, completed_at, superseded_at,
                     superseded_by, revision)
VALUES (:space, :id, :number, :agent_id, :kind, :class, :class_given, :category, :content, :summary, :fingerprint,
        :importance, :confidence, :pinned, :status, :seen, :source_type, :source_id, :session_id, :metadata,
        :context, :created_at, :updated_at, :expires_at, :expiry_given, :completed_at, :superseded_at,
        :superseded_by, :revision);

-- query: update_entry
-- The changed row, if nobody else has changed it since revision `:was`.
UPDATE entries
SET kind = :kind, class = :class, class_given = :class_given, category = :category, content = :content,
    summary = :summary, fingerprint = :fingerprint, importance = :importance, confidence = :confidence,
    pinned = :pinned, status = :status, seen = :seen, source_type = :source_type, source_id = :source_id,
    session_id = :session_id, metadata = :metadata, context = :context, updated_at = :updated_at,
    expires_at = :expires_at, expiry_given = :expiry_given, completed_at = :completed_at,
    superseded_at = :superseded_at, superseded_by = :superseded_by, revision = :revision
WHERE space = :space AND id = :id AND revision = CAST(:was AS BIGINT)
RETURNING revision;

-- query: see_entry
-- The same thing was said again: counted, and its life begun anew; nothing of it has changed.
UPDATE entries
SET seen = seen + 1, updated_at = CAST(:now AS BIGINT), expires_at = CAST(:expires_at AS BIGINT)
WHERE space = CAST(:space AS TEXT) AND id = CAST(:id AS TEXT);

-- query: add_tags
-- Tags of one origin, in their order; one that is there already stays as it is.
INSERT INTO tags (space, entry_id, tag, origin, position)
SELECT CAST(:space AS TEXT), CAST(:id AS TEXT), value, CAST(:origin AS TEXT), key
FROM json_each(CAST(:tags AS TEXT)) WHERE true
ON CONFLICT (space, entry_id, tag) DO NOTHING;

-- query: remove_tags
-- All tags of an entry, before its new ones are written.
DELETE FROM tags WHERE space = CAST(:space AS TEXT) AND entry_id = CAST(:id AS TEXT);

-- query: add_names
-- Names of one entry in their order: the first is the canonical one where `:canonical` is 1.
INSERT INTO names (space, name, entry_id, canonical, position)
SELECT CAST(:space AS TEXT), value, CAST(:id AS TEXT),
       CASE WHEN key = 0 THEN CAST(:canonical AS BIGINT) ELSE 0 END, key
FROM json_each(CAST(:names AS TEXT));

-- query: remove_names
-- All names of an entry, before its new ones are written.
DELETE FROM names WHERE space = CAST(:space AS TEXT) AND entry_id = CAST(:id AS TEXT);

-- query: add_history
-- What an entry was before a change, and who changed it.
INSERT INTO history (space, entry_id, revision, operation, actor, at, before, undoes)
VALUES (:space, :id, :revision, :operation, :actor, :at, :before, :undoes);

-- query: list_history
-- All changes of one entry, oldest first.
SELECT revision, operation, actor, at, before, undoes FROM history
WHERE space = CAST(:space AS TEXT) AND entry_id = CAST(:id AS TEXT) ORDER BY revision;

-- query: state_as_of
-- What the entry was at a moment: the state that the first change after it replaced.
SELECT before FROM history
WHERE space = CAST(:space AS TEXT) AND entry_id = CAST(:id AS TEXT) AND at > CAST(:moment AS BIGINT)
ORDER BY revision LIMIT 1;

-- query: least_worth
-- The entries that a capped space can best do without: expired first, then the least important, the oldest.
SELECT id FROM entries
WHERE space = CAST(:space AS TEXT) AND pinned = 0 AND kind NOT IN ('identity', 'archive')
  AND id <> CAST(:keep AS TEXT)
ORDER BY CASE WHEN superseded_at IS NOT NULL OR expires_at <= CAST(:now AS BIGINT) THEN 0 ELSE 1 END,
         importance, created_at, number
LIMIT CAST(:limit AS BIGINT);
