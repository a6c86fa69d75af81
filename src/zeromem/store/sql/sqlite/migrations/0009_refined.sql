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
