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
