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
INSERT INTO erased (id) SELECT id FROM forgotten;
