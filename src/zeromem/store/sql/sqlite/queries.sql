-- Named queries of the SQLite store. `{scope}` is replaced by the equality tests of the given scope ids.

-- name: add_event
INSERT INTO events (id, tenant, user, agent, session, kind, role, speaker, content, raw, at, stored_at, source_id, metadata,
                    at_offset)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: events_by_id
SELECT e.* FROM events AS e WHERE e.id IN ({ids});

-- name: events_after
SELECT e.* FROM events AS e WHERE e.seq > :after AND {scope} ORDER BY e.seq LIMIT :limit;

-- name: session_events
SELECT * FROM (
    SELECT e.* FROM events AS e
    WHERE e.session = :session AND e.kind <> 'edit' AND {scope} ORDER BY e.seq DESC LIMIT :limit
) ORDER BY seq;

-- name: source_events
SELECT e.* FROM events AS e
WHERE e.source_id = :source_id AND e.kind <> 'edit' AND {scope}
  AND NOT EXISTS (SELECT 1 FROM retired AS r WHERE r.seq = e.seq)
ORDER BY e.seq;

-- name: retire_event
INSERT INTO retirements (seq, at, reason) SELECT e.seq, ?1, ?2 FROM events AS e
WHERE e.id = ?3 AND NOT EXISTS (SELECT 1 FROM retired AS r WHERE r.seq = e.seq)
ON CONFLICT (seq, at) DO UPDATE SET returned = NULL, reason = excluded.reason;

-- name: return_event
UPDATE retirements SET returned = ? WHERE returned IS NULL AND seq = (SELECT seq FROM events WHERE id = ?);

-- name: retirements
SELECT e.id, r.at, r.reason, r.returned FROM retirements AS r JOIN events AS e ON e.seq = r.seq
WHERE {scope} ORDER BY r.seq, r.at;

-- name: last_retirement
SELECT max(r.at), max(r.returned) FROM retirements AS r JOIN events AS e ON e.seq = r.seq WHERE {scope};

-- name: events_stored
SELECT e.id FROM events AS e WHERE e.stored_at BETWEEN :first AND :last AND e.kind <> 'edit' AND {scope};

-- name: changed_cards
SELECT DISTINCT c.id FROM cards AS c
WHERE c.stored_at BETWEEN :first AND :last AND {scope} AND {told} ORDER BY c.born;

-- name: linked_in_session
-- As `told_in_session`, retired events counted too; `{told}` above is this test.
c.id IN (SELECT l.card_id FROM events AS s JOIN links AS l ON l.seq = s.seq WHERE s.session = :session);

-- name: last_change
-- What was done to cards that were there: more than adding, or saying again.
SELECT c.stored_at FROM cards AS c
WHERE c.op <> 'add' AND c.reason <> 'said again' AND NOT instr(c.made_by, ':') AND {scope} AND {told} ORDER BY c.row DESC LIMIT 1;

-- name: last_moment
SELECT stored_at FROM cards ORDER BY row DESC LIMIT 1;

-- name: orphaned_cards
-- An edit by hand changes what a source said; it does not say it in its place.
SELECT DISTINCT c.* FROM links AS l
JOIN events AS e ON e.seq = l.seq
JOIN current_cards AS c ON c.id = l.card_id
WHERE e.id IN ({ids}) AND NOT EXISTS (
    SELECT 1 FROM links AS live JOIN events AS said ON said.seq = live.seq
    WHERE live.card_id = c.id AND said.kind <> 'edit'
    AND NOT EXISTS (SELECT 1 FROM retired AS r WHERE r.seq = live.seq)
)
ORDER BY c.row;

-- name: deleted_hashes
-- What deleted cards of these events said, in any version.
SELECT DISTINCT v.hash FROM events AS e JOIN links AS l ON l.seq = e.seq JOIN cards AS v ON v.id = l.card_id
WHERE e.id IN ({ids}) AND v.op <> 'delete' AND NOT EXISTS (SELECT 1 FROM current_cards AS c WHERE c.id = v.id);

-- name: withdrawn_cards
-- Deleted cards that said these words to the last, and whether a hand deleted them; the newest last.
SELECT v.hash, v.id, d.made_by = 'hand' FROM cards AS v JOIN cards AS d ON d.previous = v.row AND d.op = 'delete'
WHERE v.hash IN ({ids}) AND v.user IS ? AND v.agent IS ? AND v.tenant IS ?
  AND NOT EXISTS (SELECT 1 FROM cards AS n WHERE n.previous = d.row)
ORDER BY d.row;

-- name: said_spans
-- The parts of events that current cards were made of, other than through other cards.
SELECT e.id, l.start, l.stop FROM events AS e JOIN links AS l ON l.seq = e.seq JOIN current_cards AS c ON c.id = l.card_id
WHERE e.id IN ({ids}) AND NOT instr(c.made_by, ':');

-- name: add_card
INSERT INTO cards (row, id, version, previous, born, op, reason, pointer, tenant, user, agent, session, kind, role, speaker,
                   text, hash, at, created_at, stored_at, source_id, metadata, made_by, tokens, head_tokens, parts,
                   at_offset)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: next_card_row
SELECT max(coalesce((SELECT max(row) FROM cards), 0), coalesce((SELECT value FROM meta WHERE key = 'rows'), 0)) + 1;

-- name: card_by_id
SELECT c.* FROM cards AS c WHERE c.id = :id ORDER BY c.version DESC LIMIT 1;

-- name: versions
SELECT c.* FROM cards AS c WHERE c.id = :id ORDER BY c.version;

-- name: cards_by_row
SELECT c.* FROM cards AS c WHERE c.row IN ({ids});

-- name: same_cards
SELECT c.* FROM current_cards AS c
WHERE c.hash IN ({ids}) AND c.user IS ? AND c.agent IS ? AND c.tenant IS ? ORDER BY c.row;

-- name: cards_by_time
SELECT c.* FROM current_cards AS c
WHERE (c.at, c.born) > (:at, :after) AND {scope} AND {told} ORDER BY c.at, c.born LIMIT :limit;

-- name: cards_by_birth
SELECT c.* FROM current_cards AS c
WHERE c.born > :after AND {scope} AND {told} ORDER BY c.born LIMIT :limit;

-- name: told_in_session
-- A card is told in every session that says its words; `{told}` above is this test.
c.id IN (
    SELECT l.card_id FROM events AS s JOIN links AS l ON l.seq = s.seq
    WHERE s.session = :session AND NOT EXISTS (SELECT 1 FROM retired AS r WHERE r.seq = s.seq)
);

-- name: session_rows
SELECT c.row FROM current_cards AS c WHERE {scope} AND {told};

-- name: said_in
-- The events that say each card, and their sessions.
SELECT l.card_id, e.id, e.session FROM links AS l JOIN events AS e ON e.seq = l.seq
WHERE l.card_id IN ({ids}) AND e.kind <> 'edit' AND NOT EXISTS (SELECT 1 FROM retired AS r WHERE r.seq = e.seq);

-- name: versions_after
SELECT c.* FROM cards AS c WHERE c.row > :after AND {scope} ORDER BY c.row LIMIT :limit;

-- name: index_rows
SELECT c.row, c.previous, c.born, c.session, c.role, c.speaker, c.kind, c.at, c.tokens, c.head_tokens, t.hashes
FROM cards AS c LEFT JOIN terms AS t ON t.row = c.row
WHERE c.row > :after AND {scope} ORDER BY c.row;

-- name: vector_ids
SELECT v.id FROM vectors AS v JOIN cards AS c ON c.row = v.row
WHERE v.id > :after AND v.embedder = :embedder AND {scope} ORDER BY v.id;

-- name: vectors_by_id
SELECT v.id, v.row, v.vector FROM vectors AS v WHERE v.id IN ({ids}) ORDER BY v.id;

-- name: add_link
INSERT OR IGNORE INTO links (card_id, seq, start, stop, again) SELECT ?1, seq, ?2, ?3, kind <> 'edit' AND coalesce(
    at <> (SELECT c.at FROM cards AS c WHERE c.id = ?1 ORDER BY c.version DESC LIMIT 1), 0)
FROM events WHERE id = ?4;

-- name: card_links
SELECT e.id, l.start, l.stop FROM links AS l JOIN events AS e ON e.seq = l.seq
WHERE l.card_id = :id ORDER BY e.seq, l.start;

-- name: links_after
SELECT l.card_id, e.id, l.start, l.stop FROM links AS l JOIN events AS e ON e.seq = l.seq
WHERE {scope} ORDER BY e.seq, l.card_id, l.start;

-- name: event_cards
-- What an event says itself; cards that were made of others are not meant.
SELECT c.* FROM links AS l JOIN events AS e ON e.seq = l.seq JOIN current_cards AS c ON c.id = l.card_id
WHERE e.id = :id AND NOT instr(c.made_by, ':') ORDER BY l.start;

-- name: add_fact
INSERT INTO facts (row, start, stop, subject, slot, value, polarity, modality, about, matter, sense, sign, single, change,
                   time_words, valid_from, valid_to, share, made_by)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: facts_after
SELECT f.*, c.at, coalesce(c.user, ''),
       (SELECT group_concat(r.at) FROM retold AS r WHERE r.card_id = c.id AND r.hash = c.hash)
FROM facts AS f JOIN cards AS c ON c.row = f.row
WHERE f.row > :after AND {scope} ORDER BY f.id;

-- name: facts_on
-- Facts of current cards about one subject, on one matter.
SELECT f.*, c.at, coalesce(c.user, ''),
       (SELECT group_concat(r.at) FROM retold AS r WHERE r.card_id = c.id AND r.hash = c.hash)
FROM facts AS f JOIN current_cards AS c ON c.row = f.row
WHERE f.matter = :matter AND f.about = :about AND {scope} ORDER BY f.id;

-- name: facts_on_matter
-- The same, about anybody.
SELECT f.*, c.at, coalesce(c.user, ''),
       (SELECT group_concat(r.at) FROM retold AS r WHERE r.card_id = c.id AND r.hash = c.hash)
FROM facts AS f JOIN current_cards AS c ON c.row = f.row
WHERE f.matter = :matter AND {scope} ORDER BY f.id;

-- name: facts_under
-- The same, about one subject, on the matters between two.
SELECT f.*, c.at, coalesce(c.user, ''),
       (SELECT group_concat(r.at) FROM retold AS r WHERE r.card_id = c.id AND r.hash = c.hash)
FROM facts AS f JOIN current_cards AS c ON c.row = f.row
WHERE f.matter > :low AND f.matter < :high AND f.about = :about AND {scope} ORDER BY f.id;

-- name: facts_of_rows
WITH wanted AS (SELECT row, id, hash, at, user FROM cards WHERE row IN ({ids}))
SELECT f.*, c.at, coalesce(c.user, ''),
       (SELECT group_concat(r.at) FROM retold AS r WHERE r.card_id = c.id AND r.hash = c.hash AND r.stored_at <= ?)
FROM wanted AS c JOIN facts AS f ON f.row = c.row ORDER BY f.id;

-- name: retold_rows
-- The newest versions of cards that were said at another time since.
SELECT DISTINCT (SELECT max(c.row) FROM cards AS c WHERE c.id = l.card_id)
FROM links AS l INDEXED BY links_again CROSS JOIN events AS e ON e.seq = l.seq
WHERE l.again = 1 AND l.seq > :after AND {scope};

-- name: retold_by
-- Whether a card of these events was said at another time too.
SELECT 1 FROM events AS e JOIN links AS l ON l.seq = e.seq JOIN links AS o ON o.card_id = l.card_id
WHERE e.id IN ({ids}) AND o.again = 1 LIMIT 1;

-- name: known_rows
SELECT c.row FROM cards AS c
WHERE c.stored_at <= :at AND c.op <> 'delete' AND {scope}
  AND NOT EXISTS (SELECT 1 FROM cards AS n WHERE n.previous = c.row AND n.stored_at <= :at)
ORDER BY c.row;

-- name: drop_facts
DELETE FROM facts WHERE row = ?;

-- name: highest_numbers
SELECT stem, max(number) FROM pointers WHERE owner = ? AND tenant = ? AND stem IN ({ids}) GROUP BY stem;

-- name: free_number
SELECT min(p.number) + 1 FROM (SELECT :spent AS number UNION ALL
    SELECT number FROM pointers WHERE stem = :stem AND owner = :owner AND tenant = :tenant) AS p
WHERE p.number >= :spent AND NOT EXISTS (
    SELECT 1 FROM pointers AS n
    WHERE n.stem = :stem AND n.owner = :owner AND n.tenant = :tenant AND n.number = p.number + 1
);

-- name: add_pointer
INSERT INTO pointers (stem, owner, tenant, number, card_id) VALUES (?, ?, ?, ?, ?);

-- name: pointer_taken
SELECT 1 FROM pointers WHERE stem = ? AND owner = ? AND tenant = ? AND number = ?;

-- name: pointer_cards
SELECT p.card_id FROM pointers AS p WHERE p.stem = :stem AND p.number = :number;

-- name: pointer_cards_of_owner
SELECT p.card_id FROM pointers AS p WHERE p.stem = :stem AND p.number = :number AND p.owner = :owner;

-- name: put_terms
INSERT OR REPLACE INTO terms (row, hashes) VALUES (?, ?);

-- name: drop_terms
DELETE FROM terms WHERE row = ?;

-- name: put_vector
INSERT OR REPLACE INTO vectors (row, embedder, vector)
SELECT row, ?2, ?3 FROM terms WHERE row = ?1;

-- name: copy_vector
INSERT OR REPLACE INTO vectors (row, embedder, vector) SELECT ?2, embedder, vector FROM vectors WHERE row = ?1;

-- name: drop_vector
DELETE FROM vectors WHERE row = ?;

-- name: drop_all_vectors
DELETE FROM vectors;

-- name: pending_cards
SELECT c.* FROM terms AS t CROSS JOIN cards AS c ON c.row = t.row
WHERE NOT EXISTS (SELECT 1 FROM vectors AS v WHERE v.row = t.row) AND {scope}
ORDER BY t.row DESC LIMIT :limit;

-- name: count_pending
SELECT count(*) FROM terms AS t CROSS JOIN cards AS c ON c.row = t.row
WHERE NOT EXISTS (SELECT 1 FROM vectors AS v WHERE v.row = t.row) AND {scope};

-- name: embedder
SELECT id, name, version, dimension FROM embedders ORDER BY id DESC LIMIT 1;

-- name: add_embedder
INSERT INTO embedders (name, version, dimension) VALUES (?, ?, ?);

-- name: add_recall
INSERT OR IGNORE INTO recalls (id, tenant, user, agent, session, at, tokens, full_tokens, cards, reason)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: add_use
INSERT INTO uses (recall_id, card_id, version, event, value, why, at) VALUES (?, ?, ?, ?, ?, ?, ?);

-- name: recall
SELECT c.* FROM recalls AS c WHERE c.id = :id AND {scope};

-- name: confirmed
--- How many recalls used a version of each card and turned out well.
SELECT u.card_id, u.version, count(DISTINCT u.recall_id) FROM uses AS u JOIN uses AS o ON o.recall_id = u.recall_id
WHERE u.card_id IN ({ids}) AND u.event = 'used' AND u.value > 0 AND o.event = 'outcome' AND o.value > 0
GROUP BY u.card_id, u.version;

-- name: recall_uses
SELECT card_id, version, event, value, why FROM uses WHERE recall_id = :id ORDER BY id;

-- name: recall_stats
SELECT count(*), sum(c.cards > 0), avg(CASE WHEN c.cards > 0 THEN c.tokens END),
       sum(CASE WHEN c.cards > 0 AND c.full_tokens > c.tokens THEN c.full_tokens - c.tokens ELSE 0 END)
FROM recalls AS c WHERE {scope};

-- name: use_stats
-- A card counts once for a recall, however often it is told to be used.
SELECT sum(u.event = 'shown'), count(DISTINCT CASE WHEN u.event = 'used' THEN u.recall_id || ' ' || u.card_id END),
       sum(u.event = 'outcome')
FROM uses AS u JOIN recalls AS c ON c.id = u.recall_id
WHERE {scope} AND u.recall_id IN (SELECT recall_id FROM uses WHERE event <> 'shown');

-- name: event_stats
SELECT count(*), count(DISTINCT e.session) FROM events AS e WHERE {scope};

-- name: card_stats
SELECT count(*), coalesce(sum(c.tokens), 0) FROM current_cards AS c WHERE {scope};

-- name: event_bytes
SELECT coalesce(sum(length(e.content) + coalesce(length(e.raw), 0)), 0) FROM events AS e WHERE {scope};

-- name: card_bytes
SELECT coalesce(sum(length(CAST(c.text AS BLOB))), 0) FROM cards AS c WHERE {scope};

-- name: scopes
SELECT DISTINCT tenant, user, agent FROM events ORDER BY tenant, user, agent;

-- name: marker
SELECT (SELECT max(row) FROM cards), (SELECT max(id) FROM vectors), (SELECT value FROM meta WHERE key = 'epoch'),
       (SELECT max(id) FROM marks), (SELECT max(seq) FROM links WHERE again = 1), (SELECT max(id) FROM refinements);

-- name: next_epoch
INSERT INTO meta (key, value) VALUES ('epoch', 1) ON CONFLICT (key) DO UPDATE SET value = value + 1;

-- name: unindexed_cards
SELECT c.* FROM current_cards AS c WHERE NOT EXISTS (SELECT 1 FROM terms AS t WHERE t.row = c.row);

-- name: stale_terms
SELECT t.row FROM terms AS t WHERE NOT EXISTS (SELECT 1 FROM current_cards AS c WHERE c.row = t.row);

-- name: stale_vectors
SELECT v.row FROM vectors AS v WHERE NOT EXISTS (SELECT 1 FROM current_cards AS c WHERE c.row = v.row);

-- name: terms_of
SELECT hashes FROM terms WHERE row = ?;

-- name: unlinked_cards
SELECT c.id FROM current_cards AS c WHERE NOT EXISTS (SELECT 1 FROM links AS l WHERE l.card_id = c.id);

-- name: cardless_links
SELECT DISTINCT l.card_id FROM links AS l WHERE NOT EXISTS (SELECT 1 FROM cards AS c WHERE c.id = l.card_id);

-- name: set_derived
UPDATE cards SET hash = ?, tokens = ?, head_tokens = ?, parts = ? WHERE row = ?;

-- name: all_pointers
SELECT stem, owner, tenant, number, card_id FROM pointers;

-- name: drop_pointer
DELETE FROM pointers WHERE stem = ? AND owner = ? AND tenant = ? AND number = ?;

-- name: vector_sizes
SELECT v.row FROM vectors AS v JOIN embedders AS e ON e.id = v.embedder WHERE length(v.vector) <> 2 * e.dimension;

-- name: foreign_vectors
SELECT v.row FROM vectors AS v WHERE v.embedder IS NOT (SELECT max(id) FROM embedders);

-- name: foreign_key_check
PRAGMA foreign_key_check;

-- name: integrity_check
PRAGMA integrity_check(20);

-- name: page_count
PRAGMA page_count;

-- name: page_size
PRAGMA page_size;

-- name: source_story
-- Everything that a source ever said, retired or edited.
SELECT e.id FROM events AS e WHERE e.source_id = :source_id AND {scope} ORDER BY e.seq;

-- name: source_parts
-- Sources whose ids begin alike: what stands between "x+" and "x,", the next sign.
SELECT e.source_id, e.session, count(*) FROM events AS e
WHERE (e.source_id = :source_id OR (e.source_id >= :first AND e.source_id < :after)) AND e.kind <> 'edit' AND {scope}
GROUP BY e.source_id, e.session;

-- name: linked_cards
-- Cards of these events, deleted ones too.
SELECT DISTINCT l.card_id FROM links AS l JOIN events AS e ON e.seq = l.seq WHERE e.id IN ({ids});

-- name: erase_uses
DELETE FROM uses WHERE card_id IN ({ids});

-- name: erase_vectors
DELETE FROM vectors WHERE row IN (SELECT row FROM cards WHERE id IN ({ids}));

-- name: erase_terms
DELETE FROM terms WHERE row IN (SELECT row FROM cards WHERE id IN ({ids}));

-- name: erase_facts
DELETE FROM facts WHERE row IN (SELECT row FROM cards WHERE id IN ({ids}));

-- name: erase_followed
-- Facts that followed from others, none of which is left to the owner.
DELETE FROM facts WHERE made_by = 'follows' AND NOT EXISTS (
    SELECT 1 FROM facts AS f JOIN cards AS c ON c.row = f.row JOIN cards AS own ON own.row = facts.row
    WHERE f.matter = facts.matter AND f.about = facts.about AND f.sense = facts.sense AND f.made_by <> 'follows'
      AND c.tenant IS own.tenant AND c.user IS own.user AND c.agent IS own.agent);

-- name: erase_versions
DELETE FROM cards WHERE id IN ({ids});

-- name: erase_marks
DELETE FROM marks WHERE card_id IN ({ids});

-- name: erase_links
DELETE FROM links WHERE card_id IN ({ids});

-- name: pointers_of
SELECT stem, owner, tenant, number FROM pointers WHERE card_id IN ({ids});

-- name: spend
INSERT INTO spent (owner, tenant, stems, number) VALUES (?, ?, ?, ?)
ON CONFLICT (owner, tenant, stems) DO UPDATE SET number = max(number, excluded.number);

-- name: spent
SELECT stems, number FROM spent WHERE owner = ? AND tenant = ?;

-- name: add_erased
INSERT OR IGNORE INTO erased (id) VALUES (?);

-- name: erased
SELECT id FROM erased WHERE id IN ({ids});

-- name: erase_pointers
DELETE FROM pointers WHERE card_id IN ({ids});

-- name: erase_links_of_events
DELETE FROM links WHERE seq IN (SELECT seq FROM events WHERE id IN ({ids}));

-- name: erase_retirements
DELETE FROM retirements WHERE seq IN (SELECT seq FROM events WHERE id IN ({ids}));

-- name: erase_events
DELETE FROM events WHERE id IN ({ids});

-- name: erase_session_uses
DELETE FROM uses WHERE recall_id IN (SELECT c.id FROM recalls AS c WHERE {scope});

-- name: erase_recalls
DELETE FROM recalls AS c WHERE {scope};

-- name: keep_rows
INSERT INTO meta (key, value) SELECT 'rows', coalesce(max(row), 0) FROM cards WHERE TRUE
ON CONFLICT (key) DO UPDATE SET value = max(value, excluded.value);

-- name: begin_erasing
INSERT INTO meta (key, value) SELECT 'erasing', value FROM meta WHERE key = 'epoch'
ON CONFLICT (key) DO UPDATE SET value = excluded.value;

-- name: erasing
SELECT value FROM meta WHERE key = 'erasing';

-- name: end_erasing
DELETE FROM meta WHERE key = 'erasing' AND value = ?;

-- name: add_forgotten
INSERT INTO forgotten (id, tenant, user, agent, at) VALUES (?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET at = excluded.at;

-- name: forgotten
SELECT tenant, user, agent, at FROM forgotten WHERE id = ?;

-- name: tables
SELECT name FROM sqlite_master WHERE type = 'table' AND name <> 'sqlite_sequence';

-- name: schema_texts
SELECT type, name, tbl_name, sql FROM sqlite_master;

-- name: everything_of
SELECT * FROM {table};

-- name: add_mark
INSERT INTO marks (card_id, mark, at, why, who) SELECT ?1, ?2, ?3, ?4, ?5 WHERE EXISTS (SELECT 1 FROM cards WHERE id = ?1);

-- name: marks_of
SELECT m.card_id, m.mark, m.at, m.why, m.who FROM marks AS m WHERE m.card_id IN ({ids}) ORDER BY m.at, m.id;

-- name: marks_after
-- Of every card that got one since: all of its marks, for an import may bring older ones.
SELECT c.born, m.mark FROM marks AS m JOIN cards AS c ON c.id = m.card_id AND c.version = 1
WHERE m.card_id IN (SELECT card_id FROM marks WHERE id > :after) AND {scope} ORDER BY m.at, m.id;

-- name: sayings
-- How often the cards were said, and when last.
SELECT l.card_id, count(DISTINCT l.seq), max(e.at) FROM links AS l JOIN events AS e ON e.seq = l.seq
WHERE l.card_id IN ({ids}) AND e.kind <> 'edit' GROUP BY l.card_id;

-- name: uses_of
SELECT u.card_id, sum(u.event = 'shown'), count(DISTINCT CASE WHEN u.event = 'used' THEN u.recall_id END),
       max(CASE WHEN u.event = 'used' THEN u.at END)
FROM uses AS u WHERE u.card_id IN ({ids}) GROUP BY u.card_id;

-- name: set_retention
INSERT INTO retentions (tenant, user, agent, kind, days, action) VALUES (?, ?, ?, ?, ?, ?)
ON CONFLICT (tenant, user, agent, kind) DO UPDATE SET days = excluded.days, action = excluded.action;

-- name: drop_retention
DELETE FROM retentions WHERE tenant = ? AND user = ? AND agent = ? AND kind = ?;

-- name: retentions
SELECT tenant, user, agent, kind, days, action FROM retentions ORDER BY tenant, user, agent, kind;

-- name: next_change
SELECT coalesce(max(id), 0) + 1 FROM refinements;

-- name: add_refinement
INSERT INTO refinements (change, row, op, text, inside, tokens, parts, at, why, made_by, lost)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?);

-- name: refined
SELECT r.* FROM refined AS r WHERE r.row IN ({ids});

-- name: left_alone
SELECT r.row FROM refinements AS r WHERE r.row IN ({ids}) AND r.op = 'undo' AND r.made_by = 'hand'
AND NOT EXISTS (SELECT 1 FROM refinements AS n WHERE n.row = r.row AND n.id > r.id);

-- name: refinements_of
-- All that was made of the versions of a card, oldest first.
SELECT r.* FROM refinements AS r JOIN cards AS c ON c.row = r.row WHERE c.id = :id ORDER BY r.id;

-- name: refinements_after
-- How each version that something was made of since stands now: the version that says its words too, if one does; 0 for one that rests.
SELECT r.row, CASE r.op WHEN 'rest' THEN 0 ELSE r.inside END FROM refinements AS r JOIN cards AS c ON c.row = r.row
WHERE r.id > :after AND {scope} AND NOT EXISTS (SELECT 1 FROM refinements AS n WHERE n.row = r.row AND n.id > r.id)
ORDER BY r.id;

-- name: change_rows
-- The versions of which a change is the last that was made.
SELECT r.row FROM refined AS r JOIN cards AS c ON c.row = r.row WHERE r.change = :change AND {scope} ORDER BY r.row;

-- name: changed_once
SELECT 1 FROM refinements AS r JOIN cards AS c ON c.row = r.row WHERE r.change = :change AND {scope} LIMIT 1;

-- name: refined_with
-- The versions whose refined words may be those of another one, from one on: what it stands inside of, and what stands inside of it.
WITH RECURSIVE met(row) AS (
    VALUES (:row)
    UNION SELECT r.inside FROM met JOIN refinements AS r ON r.row = met.row WHERE r.inside IS NOT NULL
    UNION SELECT r.row FROM met JOIN refinements AS r ON r.inside = met.row
)
SELECT DISTINCT r.row, r.op = 'undo' FROM met JOIN refinements AS r ON r.row = met.row
WHERE NOT EXISTS (SELECT 1 FROM refinements AS n WHERE n.row = r.row AND n.id > r.id);

-- name: erase_refinements
-- Of what goes, and of all whose refined words may hold its.
DELETE FROM refinements WHERE row IN (
    WITH RECURSIVE met(row) AS (
        SELECT row FROM cards WHERE id IN ({ids})
        UNION SELECT r.inside FROM met JOIN refinements AS r ON r.row = met.row WHERE r.inside IS NOT NULL
        UNION SELECT r.row FROM met JOIN refinements AS r ON r.inside = met.row
    )
    SELECT row FROM met
);

-- name: derived
-- Cards that rules made of other cards, of what this one was made of too.
SELECT DISTINCT c.* FROM links AS l
JOIN links AS d ON d.seq = l.seq AND d.card_id <> l.card_id AND d.start < l.stop AND l.start < d.stop
JOIN current_cards AS c ON c.id = d.card_id
WHERE l.card_id = :id AND instr(c.made_by, ':') AND NOT instr(c.made_by, '@') ORDER BY c.row;

-- name: sessions_of
-- Of each session: how many cards it says first, their tokens, the sum of their rows, and when it was last heard. What was made of others
-- does not count.
SELECT c.session, count(*), sum(c.tokens), sum(c.row), max(c.at) FROM current_cards AS c
WHERE c.session IS NOT NULL AND NOT instr(c.made_by, ':') AND {scope} GROUP BY c.session ORDER BY max(c.at);

-- name: cards_of_kind
SELECT c.* FROM current_cards AS c WHERE c.kind = :kind AND {scope} ORDER BY c.row;

-- name: deleted_of_kind
-- Sessions whose card of a kind was deleted by hand.
SELECT DISTINCT c.session FROM cards AS c
WHERE c.kind = :kind AND c.op = 'delete' AND c.made_by = 'hand' AND (c.reason LIKE 'deleted%' OR c.reason LIKE 'kept for %') AND {scope}
  AND NOT EXISTS (SELECT 1 FROM cards AS n WHERE n.previous = c.row);

-- name: storage
-- Characters of the current cards as they were said, and as search shows them.
SELECT coalesce(sum(length(c.text)), 0),
       coalesce(sum(CASE WHEN r.row IS NULL THEN length(c.text) ELSE coalesce(length(r.text), 0) END), 0)
FROM current_cards AS c LEFT JOIN refined AS r ON r.row = c.row WHERE {scope};
