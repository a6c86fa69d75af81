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
