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
CREATE INDEX uses_card ON uses (card_id) WHERE card_id IS NOT NULL;

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
