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

-- query: claim_outbox
-- What is due in a space, kept from others until a moment: what failed least often first, then the oldest.
UPDATE outbox SET due_at = CAST(:until AS BIGINT)
WHERE space = CAST(:space AS TEXT) AND operation = CAST(:operation AS TEXT) AND due_at <= CAST(:now AS BIGINT)
  AND subject IN (SELECT o.subject FROM outbox AS o
                  WHERE o.space = CAST(:space AS TEXT) AND o.operation = CAST(:operation AS TEXT)
                    AND o.due_at <= CAST(:now AS BIGINT) AND o.attempts < CAST(:tries AS BIGINT)
                  ORDER BY o.attempts, o.created_at, o.subject LIMIT CAST(:limit AS BIGINT))
RETURNING subject, attempts, created_at;

-- query: finish_outbox
-- Done, unless it was wanted anew meanwhile.
DELETE FROM outbox
WHERE space = CAST(:space AS TEXT) AND operation = CAST(:operation AS TEXT) AND subject = CAST(:subject AS TEXT)
  AND due_at = CAST(:until AS BIGINT);

-- query: spaces_due
-- Those of the spaces in which something is due.
SELECT DISTINCT space FROM outbox
WHERE space IN (SELECT value FROM json_each(CAST(:spaces AS TEXT))) AND operation = CAST(:operation AS TEXT)
  AND due_at <= CAST(:now AS BIGINT) AND attempts < CAST(:tries AS BIGINT)
ORDER BY space;

-- query: count_outbox
-- How much is still to be done in these spaces, how much was given up, and why the last of it failed.
SELECT count(*) AS pending,
       CAST(COALESCE(sum(CASE WHEN attempts >= CAST(:tries AS BIGINT) THEN 1 ELSE 0 END), 0) AS BIGINT) AS dead,
       max(error) AS error
FROM outbox
WHERE space IN (SELECT value FROM json_each(CAST(:spaces AS TEXT))) AND operation = CAST(:operation AS TEXT);

-- query: remove_done_outbox
-- What is to be done to entries whose pieces all have a vector by a model; without a model, to all.
DELETE FROM outbox
WHERE space = CAST(:space AS TEXT) AND operation = CAST(:operation AS TEXT)
  AND (CAST(:model AS BIGINT) IS NULL
       OR NOT EXISTS (SELECT 1 FROM chunks AS c
                      WHERE c.space = outbox.space AND c.owner = outbox.subject
                        AND NOT EXISTS (SELECT 1 FROM vectors AS v
                                        WHERE v.space = c.space AND v.chunk = c.number
                                          AND v.model = CAST(:model AS BIGINT))));

-- query: remove_lost_outbox
-- What was to be done to an entry that is gone.
DELETE FROM outbox
WHERE space = CAST(:space AS TEXT)
  AND NOT EXISTS (SELECT 1 FROM entries AS e WHERE e.space = outbox.space AND e.id = outbox.subject);

-- query: put_off_outbox
-- It failed: tried again later, with the reason kept.
UPDATE outbox SET attempts = attempts + 1, due_at = CAST(:due AS BIGINT), error = CAST(:error AS TEXT)
WHERE space = CAST(:space AS TEXT) AND operation = CAST(:operation AS TEXT) AND subject = CAST(:subject AS TEXT)
  AND due_at = CAST(:until AS BIGINT);

-- query: remove_outbox
-- Done, or no longer wanted.
DELETE FROM outbox
WHERE space = CAST(:space AS TEXT) AND operation = CAST(:operation AS TEXT) AND subject = CAST(:subject AS TEXT);

-- query: list_standing
-- What is worth knowing before anything is asked: what is pinned, then the more important, then the newer.
SELECT space, id FROM entries
WHERE space IN (SELECT value FROM json_each(CAST(:spaces AS TEXT)))
  AND superseded_at IS NULL AND (expires_at IS NULL OR expires_at > CAST(:now AS BIGINT)) AND status = 'open'
ORDER BY pinned DESC, importance DESC, created_at DESC, number DESC LIMIT CAST(:limit AS BIGINT);

-- query: list_newest
-- What is new and not yet done, for the beginning of a conversation.
SELECT space, id FROM entries
WHERE space IN (SELECT value FROM json_each(CAST(:spaces AS TEXT)))
  AND superseded_at IS NULL AND (expires_at IS NULL OR expires_at > CAST(:now AS BIGINT)) AND status = 'open'
ORDER BY created_at DESC, number DESC LIMIT CAST(:limit AS BIGINT);
