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
