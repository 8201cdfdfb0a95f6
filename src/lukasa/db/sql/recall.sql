-- query: add_recall_event
-- An entry was given as an answer to a question.
INSERT INTO recall_events (space, id, entry_id, agent_id, query, score, at)
SELECT e.space, CAST(:id AS TEXT), e.id, CAST(:agent AS TEXT), CAST(:query AS TEXT), CAST(:score AS DOUBLE PRECISION),
       CAST(:now AS BIGINT)
FROM entries AS e WHERE e.space = CAST(:space AS TEXT) AND e.id = CAST(:entry AS TEXT);

-- query: recall_signals
-- What the recalls of an entry amount to: how many, by how many questions, on how many days, how good, how lately.
SELECT count(*) AS recalls, count(DISTINCT query) AS queries, count(DISTINCT at / 86400000) AS days,
       COALESCE(avg(score), 0) AS mean_score, max(at) AS last_at
FROM recall_events WHERE space = CAST(:space AS TEXT) AND entry_id = CAST(:id AS TEXT);

-- query: put_outbox
-- Something to be done to an entry, once; what is there already is begun anew.
INSERT INTO outbox (space, operation, subject, attempts, due_at, error, created_at)
VALUES (CAST(:space AS TEXT), CAST(:operation AS TEXT), CAST(:subject AS TEXT), 0, CAST(:now AS BIGINT), NULL,
        CAST(:now AS BIGINT))
ON CONFLICT (space, operation, subject) DO UPDATE SET attempts = 0, due_at = excluded.due_at, error = NULL;

-- query: due_outbox
-- What is due in a space, the oldest first.
SELECT space, operation, subject, attempts FROM outbox
WHERE space = CAST(:space AS TEXT) AND operation = CAST(:operation AS TEXT) AND due_at <= CAST(:now AS BIGINT)
ORDER BY created_at, subject LIMIT CAST(:limit AS BIGINT);

-- query: spaces_due
-- The spaces in which something is due.
SELECT space, count(*) AS due FROM outbox
WHERE space > CAST(:after_space AS TEXT) AND operation = CAST(:operation AS TEXT) AND due_at <= CAST(:now AS BIGINT)
GROUP BY space ORDER BY space;

-- query: put_off_outbox
-- It failed: tried again later, with the reason kept.
UPDATE outbox SET attempts = attempts + 1, due_at = CAST(:due AS BIGINT), error = CAST(:error AS TEXT)
WHERE space = CAST(:space AS TEXT) AND operation = CAST(:operation AS TEXT) AND subject = CAST(:subject AS TEXT);

-- query: remove_outbox
-- Done, or no longer wanted.
DELETE FROM outbox
WHERE space = CAST(:space AS TEXT) AND operation = CAST(:operation AS TEXT) AND subject = CAST(:subject AS TEXT);
