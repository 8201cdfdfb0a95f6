-- query: check_space_counts
-- A space's counter says what its rows say.
SELECT 'space ' || s.space || ' counts ' || s.entries || ' entries and has '
       || (SELECT count(*) FROM entries AS e WHERE e.space = s.space) AS problem
FROM spaces AS s WHERE s.entries <> (SELECT count(*) FROM entries AS e WHERE e.space = s.space) LIMIT 20;

-- query: check_entry_spaces
-- Each entry's space is known.
SELECT 'entry ' || e.id || ' is in the unknown space ' || e.space AS problem FROM entries AS e
WHERE NOT EXISTS (SELECT 1 FROM spaces AS s WHERE s.space = e.space) LIMIT 20;

-- query: check_names
-- Each name belongs to an entry.
SELECT 'the name ' || n.name || ' in ' || n.space || ' belongs to no entry' AS problem FROM names AS n
WHERE NOT EXISTS (SELECT 1 FROM entries AS e WHERE e.space = n.space AND e.id = n.entry_id) LIMIT 20;

-- query: check_tags
-- Each tag belongs to an entry.
SELECT 'the tag ' || t.tag || ' in ' || t.space || ' belongs to no entry' AS problem FROM tags AS t
WHERE NOT EXISTS (SELECT 1 FROM entries AS e WHERE e.space = t.space AND e.id = t.entry_id) LIMIT 20;

-- query: check_edges
-- Each link has both its ends, and joins two entries.
SELECT 'the link ' || g.from_id || ' ' || g.relation || ' ' || g.to_id || ' has lost an end' AS problem
FROM edges AS g
WHERE NOT EXISTS (SELECT 1 FROM entries AS e WHERE e.space = g.space AND e.id = g.from_id)
   OR NOT EXISTS (SELECT 1 FROM entries AS e WHERE e.space = g.to_space AND e.id = g.to_id)
   OR (g.from_id = g.to_id) LIMIT 20;

-- query: check_superseded
-- A successor is really one, and says so by a link.
SELECT 'entry ' || e.id || ' names a successor ' || e.superseded_by || ' that has no such link' AS problem
FROM entries AS e
WHERE e.superseded_by IS NOT NULL
  AND (e.superseded_at IS NULL OR NOT EXISTS (
       SELECT 1 FROM edges AS g WHERE g.to_space = e.space AND g.to_id = e.id AND g.from_id = e.superseded_by
       AND g.relation = 'supersedes')) LIMIT 20;

-- query: check_history
-- The newest change of an entry is the one that its revision names.
SELECT 'entry ' || e.id || ' is at revision ' || e.revision || ', its history ends elsewhere' AS problem
FROM entries AS e
WHERE e.revision <> COALESCE((SELECT max(h.revision) FROM history AS h
                              WHERE h.space = e.space AND h.entry_id = e.id), 0) LIMIT 20;

-- query: check_completed
-- What is done has a time at which it was, and nothing else has.
SELECT 'entry ' || e.id || ' is ' || e.status || ' and its completion time disagrees' AS problem
FROM entries AS e WHERE (e.status = 'open') <> (e.completed_at IS NULL) LIMIT 20;

-- query: check_channel_owners
-- An agent's space and its channels name the agent; a shared space names nobody.
SELECT 'space ' || space || ' has the wrong owner' AS problem FROM spaces
WHERE (space LIKE 'agent/%' AND (agent_id IS NULL OR space <> 'agent/' || agent_id))
   OR (space LIKE 'channel/%' AND (agent_id IS NULL OR space NOT LIKE 'channel/agent:%'))
   OR (space LIKE 'project/%' AND agent_id IS NOT NULL)
   OR (space LIKE 'global/%' AND agent_id IS NOT NULL) LIMIT 20;

-- query: check_chunk_counts
-- A space's counter of pieces says what its rows say.
SELECT 'space ' || s.space || ' counts ' || s.chunks || ' pieces and has '
       || (SELECT count(*) FROM chunks AS c WHERE c.space = s.space) AS problem
FROM spaces AS s WHERE s.chunks <> (SELECT count(*) FROM chunks AS c WHERE c.space = s.space) LIMIT 20;

-- query: check_chunk_owners
-- Each piece belongs to an entry.
SELECT 'piece ' || c.number || ' in ' || c.space || ' belongs to no entry' AS problem FROM chunks AS c
WHERE NOT EXISTS (SELECT 1 FROM entries AS e WHERE e.space = c.space AND e.id = c.owner) LIMIT 20;

-- query: check_chunk_versions
-- No piece is newer than its space.
SELECT 'piece ' || c.number || ' in ' || c.space || ' is newer than its space' AS problem
FROM chunks AS c JOIN spaces AS s ON s.space = c.space WHERE c.version > s.version LIMIT 20;

-- query: check_vectors
-- Each vector is of a piece that is there, and as long as its model makes them.
SELECT 'the vector of piece ' || v.chunk || ' in ' || v.space || ' does not fit its model or its piece' AS problem
FROM vectors AS v JOIN models AS m ON m.number = v.model
WHERE length(v.vector) <> 4 * m.dimensions
   OR NOT EXISTS (SELECT 1 FROM chunks AS c WHERE c.space = v.space AND c.number = v.chunk) LIMIT 20;

-- query: check_recall_events
-- What was recalled is there.
SELECT 'a recall event in ' || r.space || ' is of no entry' AS problem FROM recall_events AS r
WHERE NOT EXISTS (SELECT 1 FROM entries AS e WHERE e.space = r.space AND e.id = r.entry_id) LIMIT 20;

-- query: check_outbox
-- What is still to be done is to be done to an entry that is there.
SELECT 'the outbox of ' || o.space || ' names an entry that is gone' AS problem FROM outbox AS o
WHERE NOT EXISTS (SELECT 1 FROM entries AS e WHERE e.space = o.space AND e.id = o.subject) LIMIT 20;
