-- Named queries about what a model read and proposed. See queries.sql.

-- name: unread_events
-- Messages that a current card of their own words stands for, so that what was deleted, retired or not wanted is shown to nobody; those of
-- a session together. `tries` is how often reading one failed.
SELECT e.*, coalesce(r.tries, 0) FROM events AS e LEFT JOIN readings AS r ON r.seq = e.seq AND r.reader = :reader
WHERE e.kind = 'message' AND e.seq > :after AND {scope} AND (r.state IS NULL OR r.state = 'failed')
  AND NOT EXISTS (SELECT 1 FROM retired AS t WHERE t.seq = e.seq)
  AND EXISTS (SELECT 1 FROM links AS l JOIN current_cards AS c ON c.id = l.card_id
              WHERE l.seq = e.seq AND instr(c.made_by, '@') = 0)
ORDER BY e.seq LIMIT :limit;

-- name: put_reading
INSERT INTO readings (seq, reader, state, tries, at) SELECT seq, ?1, ?2, ?2 <> 'read', ?3 FROM events WHERE id = ?4
ON CONFLICT (seq, reader) DO UPDATE SET state = excluded.state, tries = tries + excluded.tries, at = excluded.at;

-- name: drop_readings
-- What was derived of these events went; if their words come back, they are read again.
DELETE FROM readings WHERE seq IN (SELECT l.seq FROM links AS l WHERE l.card_id IN ({ids}));

-- name: put_quarantined
INSERT INTO quarantine (id, tenant, user, agent, session, text, reason, made_by, role, speaker, at, verdict)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'waiting');

-- name: put_quarantine_link
INSERT OR IGNORE INTO quarantine_links (id, seq, main) SELECT ?1, seq, ?3 FROM events WHERE id = ?2;

-- name: quarantined
-- Entries of which the model was shown something that still stands.
SELECT c.* FROM quarantine AS c
WHERE {scope} AND (:verdict IS NULL OR c.verdict = :verdict) AND EXISTS (
    SELECT 1 FROM quarantine_links AS q JOIN links AS l ON l.seq = q.seq JOIN current_cards AS k ON k.id = l.card_id
    WHERE q.id = c.id AND NOT EXISTS (SELECT 1 FROM retired AS t WHERE t.seq = q.seq)
)
ORDER BY c.id;

-- name: quarantine_events
SELECT q.id, e.id, q.main FROM quarantine_links AS q JOIN events AS e ON e.seq = q.seq WHERE q.id IN ({ids}) ORDER BY e.seq;

-- name: decide
UPDATE quarantine SET verdict = ?, decided = ? WHERE id = ?;

-- name: derived_alone
-- Cards that a model proposed from the words of this one, and that no other current card of those words supports.
SELECT DISTINCT d.* FROM links AS l
JOIN links AS o ON o.seq = l.seq AND o.card_id <> l.card_id AND o.start < l.stop AND l.start < o.stop
JOIN current_cards AS d ON d.id = o.card_id
WHERE l.card_id = :id AND instr(d.made_by, '@') > 0 AND NOT EXISTS (
    SELECT 1 FROM links AS mine JOIN links AS s ON s.seq = mine.seq AND s.start < mine.stop AND mine.start < s.stop
    JOIN current_cards AS c ON c.id = s.card_id
    WHERE mine.card_id = d.id AND c.id <> :id AND instr(c.made_by, '@') = 0
);

-- name: stands_on
-- The current cards of the words that derived ones were made of.
SELECT mine.card_id, c.row FROM links AS mine JOIN links AS s ON s.seq = mine.seq AND s.start < mine.stop AND mine.start < s.stop
JOIN current_cards AS c ON c.id = s.card_id
WHERE mine.card_id IN ({ids}) AND instr(c.made_by, '@') = 0
GROUP BY mine.card_id, c.row;

-- name: erase_readings
DELETE FROM readings WHERE seq IN (SELECT seq FROM events WHERE id IN ({ids}));

-- name: erase_quarantine
-- Entries of which the model was shown one of these events; their links go with them.
DELETE FROM quarantine WHERE id IN (SELECT q.id FROM quarantine_links AS q JOIN events AS e ON e.seq = q.seq WHERE e.id IN ({ids}));
