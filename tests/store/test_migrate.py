"""The schema: what the migrations make is what `schema.sql` shows, and files that are not ours are refused by name."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from zeromem import ForeignFile, Memory, NewerSchema, Settings, StoreError
from zeromem.store.migrate import APPLICATION_ID, migrate, migrations

QUICK = Settings(busy_timeout=0.2)


def objects(connection: sqlite3.Connection) -> dict[tuple[str, str], str]:
    """Every table, view, index and trigger with its SQL, comments gone and white space folded."""
    rows = connection.execute("SELECT type, name, sql FROM sqlite_master WHERE sql IS NOT NULL").fetchall()
    return {(kind, name): _folded(re.sub(r"--[^\n]*", "", sql)) for kind, name, sql in rows}


def _folded(sql: str) -> str:
    """One line; a column that was added to a table stands as one that was written with it."""
    return re.sub(r" ?([(),]) ?", r"\1", " ".join(sql.split()))


def test_schema_equals_migrations() -> None:
    """A database made by the migrations and one made by schema.sql are the same, rows of `meta` too."""
    schema = (files("zeromem.store") / "sql/sqlite/schema.sql").read_text(encoding="utf-8")
    with (
        closing(sqlite3.connect(":memory:", isolation_level=None)) as migrated,
        closing(sqlite3.connect(":memory:")) as written,
    ):
        assert migrate(migrated, "memory") == len(migrations())
        written.executescript(schema)
        assert objects(migrated) == objects(written)
        assert migrated.execute("SELECT * FROM meta").fetchall() == written.execute("SELECT * FROM meta").fetchall()


def test_migrations_are_numbered_without_gap() -> None:
    """0001, 0002 … each once."""
    folder = files("zeromem.store") / "sql/sqlite/migrations"
    names = sorted(item.name for item in folder.iterdir() if item.name.endswith(".sql"))
    assert [int(name[:4]) for name in names] == list(range(1, len(names) + 1))


def test_migrating_again_changes_nothing(tmp_path: Path) -> None:
    """Opening twice leaves version, mark and content."""
    path = tmp_path / "m.db"
    for _ in range(2):
        with Memory.open(path, embedder="none", background=False) as memory:
            memory.add("one kettle", user="u")
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA user_version").fetchone() == (len(migrations()),)
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert connection.execute("SELECT count(*) FROM cards").fetchone() == (1,)


def test_an_older_file_is_brought_up(tmp_path: Path) -> None:
    """A file of the first schema, with content, opens, keeps everything, and has the newest schema."""
    path = tmp_path / "m.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as connection:
        connection.executescript(migrations()[0])
        connection.execute("PRAGMA user_version = 1")
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(
            "INSERT INTO events (id, user, session, kind, role, content, at, stored_at) "
            "VALUES ('e1', 'u', 's', 'message', 'user', CAST('one kettle' AS BLOB), 0, 0)"
        )
    with Memory.open(path, embedder="none", background=False) as memory:
        assert [event.text for event in memory.messages(user="u", session="s")] == ["one kettle"]
        memory.add("another kettle", user="u")
    with (
        closing(sqlite3.connect(path)) as connection,
        closing(sqlite3.connect(":memory:", isolation_level=None)) as new,
    ):
        migrate(new, "memory")
        assert objects(connection) == objects(new)


def test_retirements_are_brought_over(older: Any, tmp_path: Path) -> None:
    """What a source no longer said before retirements had an end, it does not say after."""
    path = tmp_path / "m.db"
    with older(3) as connection:
        connection.execute(
            "INSERT INTO events (seq, id, user, kind, role, content, at, stored_at, source_id) "
            "VALUES (7, 'e1', 'u', 'message', 'user', CAST('one kettle' AS BLOB), 0, 0, 'd')"
        )
        connection.execute("INSERT INTO retired (seq, at, reason) VALUES (7, 0, 'source d was replaced')")
    with Memory.open(path, embedder="none", background=False) as memory:
        store = memory._store
        assert store.retired(None) == [("e1", "1970-01-01T00:00:00+00:00", "source d was replaced")]
        assert [one.returned for one in store.retirements(None)] == [None]
        assert memory.add("one kettle", user="u", source_id="d").items[0].status == "stored"


def test_a_newer_schema_is_refused_by_name(tmp_path: Path) -> None:
    """The message names the file, both versions and the cure; the file is not touched."""
    path = tmp_path / "m.db"
    Memory.open(path, embedder="none", background=False).close()
    with closing(sqlite3.connect(path)) as connection:
        connection.execute("PRAGMA user_version = 99")
    before = path.read_bytes()
    with pytest.raises(NewerSchema, match=rf"m\.db has schema 99, .* up to {len(migrations())}: upgrade"):
        Memory.open(path, embedder="none", background=False)
    assert path.read_bytes() == before


def test_a_foreign_database_is_refused(tmp_path: Path) -> None:
    """Another program's SQLite file is refused, with or without its own mark, and keeps every byte."""
    for name, mark in (("plain.db", 0), ("marked.db", 77)):
        path = tmp_path / name
        with closing(sqlite3.connect(path)) as connection:
            connection.execute("CREATE TABLE notes (text)")
            connection.execute(f"PRAGMA application_id = {mark}")
            connection.commit()
        before = path.read_bytes()
        with pytest.raises(ForeignFile, match="another program"):
            Memory.open(path, embedder="none", background=False)
        assert path.read_bytes()[100:] == before[100:]
        with closing(sqlite3.connect(path)) as connection:
            assert objects(connection) == {("table", "notes"): "CREATE TABLE notes(text)"}
            assert connection.execute("PRAGMA application_id").fetchone() == (mark,)


def test_a_file_that_is_no_database(tmp_path: Path) -> None:
    """A text file is refused by name and keeps every byte."""
    path = tmp_path / "notes.txt"
    path.write_bytes("shopping list: 牛奶\n".encode() * 100)
    before = path.read_bytes()
    with pytest.raises(ForeignFile, match=r"notes\.txt is not an SQLite database"):
        Memory.open(path, embedder="none", background=False)
    assert path.read_bytes() == before


def test_a_folder_and_a_missing_folder(tmp_path: Path) -> None:
    """Both are StoreErrors that name the path."""
    with pytest.raises(StoreError, match="is a folder"):
        Memory.open(tmp_path, embedder="none", background=False)
    with pytest.raises(StoreError, match="cannot be opened"):
        Memory.open(tmp_path / "no" / "such" / "m.db", embedder="none", background=False)


def test_an_empty_file_becomes_a_memory(tmp_path: Path) -> None:
    """An empty file is nobody's yet."""
    path = tmp_path / "m.db"
    path.touch()
    with Memory.open(path, embedder="none", background=False) as memory:
        assert memory.add("one kettle", user="u").count("stored") == 1


def test_a_migration_waits_for_no_one_forever(tmp_path: Path) -> None:
    """Two processes that open a fresh file at once both succeed: the second looks again after the lock."""
    path = tmp_path / "m.db"
    with closing(sqlite3.connect(path, isolation_level=None)) as first:
        first.execute("PRAGMA journal_mode = WAL")
        migrate(first, "m.db")
    with Memory.open(path, embedder="none", settings=QUICK, background=False) as memory:
        assert memory.verify().ok


def test_repeats_are_brought_over(older: Any, tmp_path: Path) -> None:
    """What was said at another time before such sayings were marked stands at each time after."""
    path = tmp_path / "m.db"
    with older(7) as connection:
        for seq, at in ((1, 0), (2, 60_000_000)):
            connection.execute(
                "INSERT INTO events (seq, id, user, kind, role, content, at, stored_at) "
                "VALUES (?, 'e' || ?, 'u', 'message', 'user', CAST('one kettle' AS BLOB), ?, ?)",
                (seq, seq, at, at),
            )
        connection.execute(
            "INSERT INTO cards (row, id, version, born, op, reason, pointer, user, kind, role, text, hash, at, created_at, stored_at,"
            " made_by, tokens, head_tokens) VALUES (1, 'c1', 1, 1, 'add', 'added', 'kettle', 'u', 'message', 'user', 'one kettle',"
            " x'00', 0, 0, 0, 'rule', 0, 0)"
        )
        connection.execute("INSERT INTO links (card_id, seq, start, stop) VALUES ('c1', 1, 0, 10), ('c1', 2, 0, 10)")
    Memory.open(path, embedder="none", background=False).close()
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT seq, again FROM links ORDER BY seq").fetchall() == [(1, 0), (2, 1)]
        assert connection.execute("SELECT card_id, seq, at FROM retold").fetchall() == [("c1", 2, 60_000_000)]
