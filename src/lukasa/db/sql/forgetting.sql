-- query: count_parts
-- How many rows hang on an entry: what a receipt says was erased. A link from one of the spaces that go as a
-- whole is counted where it begins.
SELECT (SELECT count(*) FROM names WHERE space = CAST(:space AS TEXT) AND entry_id = CAST(:id AS TEXT)) AS names,
       (SELECT count(*) FROM tags WHERE space = CAST(:space AS TEXT) AND entry_id = CAST(:id AS TEXT)) AS tags,
       (SELECT count(*) FROM history WHERE space = CAST(:space AS TEXT) AND entry_id = CAST(:id AS TEXT)) AS history,
       (SELECT count(*) FROM chunks WHERE space = CAST(:space AS TEXT) AND owner = CAST(:id AS TEXT)) AS chunks,
       (SELECT count(*) FROM vectors AS v JOIN chunks AS c ON c.space = v.space AND c.number = v.chunk
        WHERE c.space = CAST(:space AS TEXT) AND c.owner = CAST(:id AS TEXT)) AS vectors,
       (SELECT count(*) FROM recall_events
        WHERE space = CAST(:space AS TEXT) AND entry_id = CAST(:id AS TEXT)) AS recalls,
       (SELECT count(*) FROM edges WHERE space = CAST(:space AS TEXT) AND from_id = CAST(:id AS TEXT))
       + (SELECT count(*) FROM edges WHERE to_space = CAST(:space AS TEXT) AND to_id = CAST(:id AS TEXT)
          AND space NOT IN (SELECT value FROM json_each(CAST(:whole AS TEXT)))) AS links;

-- query: remove_entry
-- The entry's row; names, tags, history and outgoing links go with it.
DELETE FROM entries WHERE space = CAST(:space AS TEXT) AND id = CAST(:id AS TEXT);

-- query: release_superseded
-- What the entry had superseded stays out of date; it names the successor that is left, or none.
UPDATE entries
SET superseded_by = (SELECT g.from_id FROM edges AS g
                     WHERE g.to_space = entries.space AND g.to_id = entries.id AND g.relation = 'supersedes'
                       AND g.from_id <> CAST(:id AS TEXT)
                     ORDER BY g.created_at DESC, g.from_id DESC LIMIT 1)
WHERE superseded_by = CAST(:id AS TEXT)
  AND EXISTS (SELECT 1 FROM edges WHERE edges.space = CAST(:space AS TEXT) AND edges.from_id = CAST(:id AS TEXT)
              AND edges.relation = 'supersedes' AND edges.to_space = entries.space AND edges.to_id = entries.id);

-- query: release_without_link
-- After an import: what names a successor that did not come along stays out of date, but names nobody.
UPDATE entries SET superseded_by = NULL
WHERE space = CAST(:space AS TEXT) AND superseded_by IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM edges WHERE edges.to_space = entries.space AND edges.to_id = entries.id
                  AND edges.from_id = entries.superseded_by AND edges.relation = 'supersedes');

-- query: agent_spaces
-- The spaces that are an agent's own: its memory and its channels.
SELECT space, entries FROM spaces WHERE agent_id = CAST(:agent AS TEXT) ORDER BY space;

-- query: remains_elsewhere
-- What an agent wrote into spaces that are not its own.
SELECT e.space, count(*) AS entries FROM entries AS e JOIN spaces AS s ON s.space = e.space
WHERE e.agent_id = CAST(:agent AS TEXT) AND (s.agent_id IS NULL OR s.agent_id <> CAST(:agent AS TEXT))
GROUP BY e.space ORDER BY e.space;

-- query: list_agents
-- Every agent that has something, with how much and since when.
SELECT agent_id AS agent, count(*) AS spaces, CAST(sum(entries) AS BIGINT) AS entries,
       min(created_at) AS created_at, max(updated_at) AS updated_at
FROM spaces WHERE agent_id IS NOT NULL GROUP BY agent_id ORDER BY agent_id;
