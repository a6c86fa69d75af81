-- The whole schema as it stands after every migration (tests/store/test_migrate.py proves it).
-- Times are microseconds since 1970 in UTC; `at_offset` is the offset that `at` was given with, in minutes east of UTC. A scope id that was not given is NULL.

-- What happened. Rows are never changed; `content` is UTF-8 (lone surrogates passed through), so any text survives.
CREATE TABLE events (
    seq       INTEGER PRIMARY KEY,
    id        TEXT NOT NULL UNIQUE,
    tenant    TEXT,
    user      TEXT,
    agent     TEXT,
    session   TEXT,
    kind      TEXT NOT NULL,
    role      TEXT NOT NULL,
    speaker   TEXT,
    content   BLOB NOT NULL,
    raw       BLOB,
    at        INTEGER NOT NULL,
    stored_at INTEGER NOT NULL,
    source_id TEXT,
    metadata  TEXT,
    at_offset INTEGER NOT NULL DEFAULT 0
) STRICT;
-- Sessions and sources of many owners bear the same names ("main", "notes.md"): each index leads to one owner's.
CREATE INDEX events_session_user ON events (session, user, seq) WHERE session IS NOT NULL AND user IS NOT NULL;
CREATE INDEX events_session_agent ON events (session, agent, seq) WHERE session IS NOT NULL AND agent IS NOT NULL;
CREATE INDEX events_source_user ON events (source_id, user, seq) WHERE source_id IS NOT NULL AND user IS NOT NULL;
CREATE INDEX events_source_agent ON events (source_id, agent, seq) WHERE source_id IS NOT NULL AND agent IS NOT NULL;

-- Events that their source no longer says (`replace`, `delete_source`), and until when: `restore` ends a retirement. The event stays.
CREATE TABLE retirements (
    seq      INTEGER NOT NULL REFERENCES events (seq),
    at       INTEGER NOT NULL,
    reason   TEXT NOT NULL,
    returned INTEGER,
    PRIMARY KEY (seq, at)
) STRICT, WITHOUT ROWID;
CREATE VIEW retired AS
SELECT seq, at, reason FROM retirements WHERE returned IS NULL;

-- Card versions: a row is a version, never changed. `previous` is the row it replaces, `born` the row of version 1.
CREATE TABLE cards (
    row         INTEGER PRIMARY KEY,
    id          TEXT NOT NULL,
    version     INTEGER NOT NULL,
    previous    INTEGER REFERENCES cards (row),
    born        INTEGER NOT NULL,
    op          TEXT NOT NULL CHECK (op IN ('add', 'update', 'delete', 'restore')),
    reason      TEXT NOT NULL,
    pointer     TEXT NOT NULL,
    tenant      TEXT,
    user        TEXT,
    agent       TEXT,
    session     TEXT,
    kind        TEXT NOT NULL,
    role        TEXT NOT NULL,
    speaker     TEXT,
    text        TEXT NOT NULL,
    hash        BLOB NOT NULL,
    at          INTEGER NOT NULL,
    created_at  INTEGER NOT NULL,
    stored_at   INTEGER NOT NULL,
    source_id   TEXT,
    metadata    TEXT,
    made_by     TEXT NOT NULL,
    tokens      INTEGER NOT NULL,
    head_tokens INTEGER NOT NULL,
    parts       BLOB,
    at_offset   INTEGER NOT NULL DEFAULT 0,
    UNIQUE (id, version)
) STRICT;
CREATE INDEX cards_user ON cards (user, row) WHERE user IS NOT NULL;
CREATE INDEX cards_agent ON cards (agent, row) WHERE agent IS NOT NULL;
CREATE INDEX cards_same ON cards (hash, user, agent, tenant);  -- many owners say the same words
CREATE INDEX cards_previous ON cards (previous) WHERE previous IS NOT NULL;

-- "Current" is a view: the versions that nothing replaces and that are no tombstone.
CREATE VIEW current_cards AS
SELECT * FROM cards AS c
WHERE c.op <> 'delete' AND NOT EXISTS (SELECT 1 FROM cards AS n WHERE n.previous = c.row);

-- Where a card comes from: character spans of events, half open. `again`: said at another time than the card that holds its words.
CREATE TABLE links (
    card_id TEXT NOT NULL,
    seq     INTEGER NOT NULL REFERENCES events (seq),
    start   INTEGER NOT NULL,
    stop    INTEGER NOT NULL,
    again   INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (card_id, seq, start)
) STRICT, WITHOUT ROWID;
CREATE INDEX links_event ON links (seq);
CREATE INDEX links_again ON links (seq) WHERE again = 1;

-- When else cards were said, with the digest of the words that they had then.
CREATE VIEW retold AS
SELECT l.card_id, l.seq, e.at, e.stored_at, (
    SELECT v.hash FROM cards AS v
    WHERE v.id = l.card_id AND v.op <> 'delete' AND v.stored_at <= e.stored_at ORDER BY v.version DESC LIMIT 1
) AS hash
FROM links AS l JOIN events AS e ON e.seq = l.seq
WHERE l.again = 1 AND NOT EXISTS (SELECT 1 FROM retired AS r WHERE r.seq = l.seq);

-- What the words of a card version state. Rows are never changed; whether a fact still holds follows from the facts beside it.
CREATE TABLE facts (
    id         INTEGER PRIMARY KEY,
    row        INTEGER NOT NULL REFERENCES cards (row),
    start      INTEGER NOT NULL,
    stop       INTEGER NOT NULL,
    subject    TEXT NOT NULL,
    slot       TEXT NOT NULL,
    value      TEXT NOT NULL,
    polarity   TEXT NOT NULL CHECK (polarity IN ('+', '-')),
    modality   TEXT NOT NULL,
    about      TEXT NOT NULL,
    matter     TEXT NOT NULL,
    sense      TEXT NOT NULL,
    sign       INTEGER NOT NULL,
    single     INTEGER NOT NULL,
    change     INTEGER NOT NULL,
    time_words TEXT,
    valid_from INTEGER,
    valid_to   INTEGER,
    share      REAL NOT NULL,
    made_by    TEXT NOT NULL
) STRICT;
CREATE INDEX facts_row ON facts (row);
CREATE INDEX facts_matter ON facts (matter, about);

-- Readable handles: stem and number make the pointer, unique for an owner (`u:user`, or `a:agent`) of a tenant.
CREATE TABLE pointers (
    stem    TEXT NOT NULL,
    owner   TEXT NOT NULL,
    tenant  TEXT NOT NULL,
    number  INTEGER NOT NULL,
    card_id TEXT NOT NULL,
    PRIMARY KEY (stem, owner, tenant, number)
) STRICT, WITHOUT ROWID;

-- The keyword index, forward: the terms of each current card in text order, 4 bytes each. Derived; `reindex` rebuilds.
CREATE TABLE terms (
    row    INTEGER PRIMARY KEY REFERENCES cards (row),
    hashes BLOB NOT NULL
) STRICT;

-- Vectors of current cards, float16; `id` grows, so that readers see what is new. Derived; `reindex` rebuilds.
CREATE TABLE embedders (
    id        INTEGER PRIMARY KEY,
    name      TEXT NOT NULL,
    version   TEXT NOT NULL,
    dimension INTEGER NOT NULL
) STRICT;
CREATE TABLE vectors (
    id       INTEGER PRIMARY KEY AUTOINCREMENT,
    row      INTEGER NOT NULL UNIQUE REFERENCES cards (row),
    embedder INTEGER NOT NULL REFERENCES embedders (id),
    vector   BLOB NOT NULL
) STRICT;

-- `epoch` grows when the file is reset or re-indexed or something is forgotten, so that readers drop what they hold in memory.
-- `erasing` is the epoch of an erasure whose bytes are still in the file or its log; `rows` the highest card row ever erased, for a
-- reader may hold it.
CREATE TABLE meta (
    key   TEXT PRIMARY KEY,
    value INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO meta (key, value) VALUES ('epoch', 0);

-- Cards that were forgotten: that there was one, and nothing of what it said.
CREATE TABLE forgotten (
    id     TEXT PRIMARY KEY,
    tenant TEXT,
    user   TEXT,
    agent  TEXT,
    at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

-- What recall showed and what answers used: append-only, folded later.
CREATE TABLE recalls (
    id          TEXT PRIMARY KEY,
    tenant      TEXT,
    user        TEXT,
    agent       TEXT,
    session     TEXT,
    at          INTEGER NOT NULL,
    tokens      INTEGER NOT NULL,
    full_tokens INTEGER NOT NULL,
    cards       INTEGER NOT NULL,
    reason      TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE uses (
    id        INTEGER PRIMARY KEY,
    recall_id TEXT NOT NULL REFERENCES recalls (id),
    card_id   TEXT,
    version   INTEGER,
    event     TEXT NOT NULL CHECK (event IN ('shown', 'used', 'outcome')),
    value     REAL NOT NULL,
    why       TEXT NOT NULL,
    at        INTEGER NOT NULL
) STRICT;
CREATE INDEX uses_recall ON uses (recall_id);
CREATE INDEX uses_card ON uses (card_id) WHERE card_id IS NOT NULL;

-- What was decided of a card beside its words, and when: append-only, the last of a sort counts ("pinned"/"unpinned"; the tiers).
CREATE TABLE marks (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    card_id TEXT NOT NULL,
    mark    TEXT NOT NULL CHECK (mark IN ('pinned', 'unpinned', 'short', 'long', 'archive')),
    at      INTEGER NOT NULL,
    why     TEXT NOT NULL,
    who     TEXT NOT NULL
) STRICT;
CREATE INDEX marks_card ON marks (card_id);

-- How long memories of a kind are kept, and what becomes of them then.
CREATE TABLE retentions (
    tenant TEXT NOT NULL,
    user   TEXT NOT NULL,
    agent  TEXT NOT NULL,
    kind   TEXT NOT NULL,
    days   REAL NOT NULL,
    action TEXT NOT NULL CHECK (action IN ('archive', 'delete', 'forget')),
    PRIMARY KEY (tenant, user, agent, kind)
) STRICT, WITHOUT ROWID;

-- Ids of events and cards of which something was forgotten: what an older export may not bring back. They are drawn, and hold no word.
CREATE TABLE erased (
    id TEXT PRIMARY KEY
) STRICT, WITHOUT ROWID;

-- The highest number of a pointer that was forgotten, by one of 64 groups of stems: a new pointer of that group begins above it, so that
-- an old one never means another card, and no stem is kept.
CREATE TABLE spent (
    owner  TEXT NOT NULL,
    tenant TEXT NOT NULL,
    stems  INTEGER NOT NULL,
    number INTEGER NOT NULL,
    PRIMARY KEY (owner, tenant, stems)
) STRICT, WITHOUT ROWID;

-- What upkeep made of card versions: append-only, the last row of a version counts. Search shows `text` in place of its words; where that is
-- NULL the version `inside` says them too and is shown in its place, or there is none and it rests: search leaves it out while anything else
-- answers. After an 'undo' it stands as it was said. `change`: the id of the first of those made together.
CREATE TABLE refinements (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    change  INTEGER NOT NULL,
    row     INTEGER NOT NULL REFERENCES cards (row),
    op      TEXT NOT NULL CHECK (op IN ('shorten', 'merge', 'inside', 'rest', 'undo')),
    text    TEXT,
    inside  INTEGER REFERENCES cards (row),
    tokens  INTEGER NOT NULL,
    parts   BLOB,
    at      INTEGER NOT NULL,
    why     TEXT NOT NULL,
    made_by TEXT NOT NULL,
    lost    TEXT
) STRICT;
CREATE INDEX refinements_row ON refinements (row, id);
CREATE INDEX refinements_inside ON refinements (inside) WHERE inside IS NOT NULL;
CREATE INDEX refinements_change ON refinements (change);
CREATE VIEW refined AS
SELECT * FROM refinements AS r
WHERE r.op <> 'undo' AND NOT EXISTS (SELECT 1 FROM refinements AS n WHERE n.row = r.row AND n.id > r.id);

-- Which events a model was shown with a prompt (`reader` is the prompt, its hash and the model), and how that went: "read"; "failed", so
-- that it is tried again, `tries` times so far; or "left", which is not tried any more.
CREATE TABLE readings (
    seq    INTEGER NOT NULL REFERENCES events (seq),
    reader TEXT NOT NULL,
    state  TEXT NOT NULL CHECK (state IN ('read', 'failed', 'left')),
    tries  INTEGER NOT NULL,
    at     INTEGER NOT NULL,
    PRIMARY KEY (seq, reader)
) STRICT, WITHOUT ROWID;

-- Memories that a model proposed and the words of the source do not support; never recalled. `decided` is when somebody judged one.
CREATE TABLE quarantine (
    id      TEXT PRIMARY KEY,
    tenant  TEXT,
    user    TEXT,
    agent   TEXT,
    session TEXT,
    text    TEXT NOT NULL,
    reason  TEXT NOT NULL,
    made_by TEXT NOT NULL,
    role    TEXT NOT NULL,
    speaker TEXT,
    at      INTEGER NOT NULL,
    verdict TEXT NOT NULL CHECK (verdict IN ('waiting', 'accepted', 'rejected')),
    decided INTEGER
) STRICT, WITHOUT ROWID;

-- The events that the model was shown, and which of them (`main`) it says an entry is from. An entry goes with any of them, for nobody
-- knows whose words are in it.
CREATE TABLE quarantine_links (
    id   TEXT NOT NULL REFERENCES quarantine (id) ON DELETE CASCADE,
    seq  INTEGER NOT NULL REFERENCES events (seq),
    main INTEGER NOT NULL,
    PRIMARY KEY (id, seq)
) STRICT, WITHOUT ROWID;
CREATE INDEX quarantine_links_event ON quarantine_links (seq);
