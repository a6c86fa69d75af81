-- Links of what was said at another time than the card that holds its words: few, and found without looking through all.
ALTER TABLE links ADD COLUMN again INTEGER NOT NULL DEFAULT 0;
UPDATE links SET again = 1 WHERE EXISTS (
    SELECT 1 FROM events AS e JOIN cards AS c ON c.id = links.card_id
    WHERE e.seq = links.seq AND e.kind <> 'edit' AND c.version = 1 AND e.at <> c.at
);
CREATE INDEX links_again ON links (seq) WHERE again = 1;

-- When else cards were said, with the digest of the words that they had then.
CREATE VIEW retold AS
SELECT l.card_id, l.seq, e.at, e.stored_at, (
    SELECT v.hash FROM cards AS v
    WHERE v.id = l.card_id AND v.op <> 'delete' AND v.stored_at <= e.stored_at ORDER BY v.version DESC LIMIT 1
) AS hash
FROM links AS l JOIN events AS e ON e.seq = l.seq
WHERE l.again = 1 AND NOT EXISTS (SELECT 1 FROM retired AS r WHERE r.seq = l.seq);
