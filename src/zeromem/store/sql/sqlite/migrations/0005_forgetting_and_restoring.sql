-- A retirement may end (`restore`), and begin again; both moments stay known, so that a restore can itself be taken back.
CREATE TABLE retirements (
    seq      INTEGER NOT NULL REFERENCES events (seq),
    at       INTEGER NOT NULL,
    reason   TEXT NOT NULL,
    returned INTEGER,
    PRIMARY KEY (seq, at)
) STRICT, WITHOUT ROWID;
INSERT INTO retirements (seq, at, reason) SELECT seq, at, reason FROM retired;
DROP TABLE retired;
CREATE VIEW retired AS
SELECT seq, at, reason FROM retirements WHERE returned IS NULL;

-- Cards that were forgotten: that there was one, and nothing of what it said.
CREATE TABLE forgotten (
    id     TEXT PRIMARY KEY,
    tenant TEXT,
    user   TEXT,
    agent  TEXT,
    at     INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
