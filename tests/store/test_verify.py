"""`verify` finds what does not agree and repairs what is derived; `reset` and deletion leave nothing where it could be found."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from zeromem import Document, Event, Memory, Settings, StoreBusy, StoreError
from zeromem.models.scripted import ScriptedEmbedder
from zeromem.store.rows import event_of
from zeromem.text.tokens import count

TEXTS = ("the red kettle is on shelf 4", "the blue valve leaks", "水泵在三号仓库")


@pytest.fixture
def filled(open_memory: Callable[..., Memory]) -> Memory:
    memory = open_memory(embedder=ScriptedEmbedder())
    memory.add(list(TEXTS), user="u", session="s")
    changed = memory.add("the old text of a card", user="u")
    memory.update(str(changed.id), "the new text of a card")
    memory.delete(str(memory.add("to be deleted soon", user="u").id))
    memory.embed_pending()
    assert memory.verify().problems == ()
    return memory


def break_(folder: Path, sql: str) -> int:
    with closing(sqlite3.connect(folder / "memory.db")) as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        changed = connection.execute(sql).rowcount
        connection.commit()
    return changed


REPAIRABLE = {
    "terms lost": "DELETE FROM terms WHERE row = 1",
    "all terms lost": "DELETE FROM terms",
    "terms of another text": "UPDATE terms SET hashes = x'01000000' WHERE row = 2",
    "terms of a replaced version": "INSERT INTO terms VALUES (4, x'01000000')",
    "terms of a deleted card": "INSERT INTO terms SELECT max(row), x'01000000' FROM cards",
    "vector of a replaced version": "INSERT INTO vectors (row, embedder, vector) VALUES (4, 1, zeroblob(512))",
    "vectors of another embedder": "INSERT INTO embedders (name, version, dimension) VALUES ('scripted', '1', 256)",
    "vector cut short": "UPDATE vectors SET vector = x'0000' WHERE row = 2",
    "no embedder": "DELETE FROM embedders",
    "token counts": "UPDATE cards SET tokens = 1",
    "tokens of headings": "UPDATE cards SET head_tokens = 0",
    "tokens of sentences cut short": "UPDATE cards SET parts = x'0102' WHERE row = 1",
    "tokens of sentences that are not there": "UPDATE cards SET parts = x'000000000100000001000000' WHERE row = 1",
    "fingerprints": "UPDATE cards SET hash = x'00' WHERE row = 1",
    "pointers lost": "DELETE FROM pointers",
    "pointers of other numbers": "UPDATE pointers SET number = number + 7",
    "pointer of another card": "UPDATE pointers SET card_id = (SELECT id FROM cards WHERE row = 2)",
    "name of another pointer": "UPDATE cards SET pointer = 'zebra' WHERE row = 1",
    "epoch lost": "DELETE FROM meta",
}


@pytest.mark.parametrize("fault", list(REPAIRABLE))
def test_derived_tables_are_repaired(filled: Memory, tmp_path: Path, fault: str) -> None:
    """The fault is reported; a repair removes it; search is as before."""
    queries = ("red kettle", "valve", "水泵", "new text")
    before = [[hit.text for hit in filled.search(query, user="u")] for query in queries]
    assert break_(tmp_path, REPAIRABLE[fault]) >= 1
    found = filled.verify()
    assert (found.ok, found.repaired, bool(found.problems)) == (False, 0, True)
    repaired = filled.verify(repair=True)
    assert (repaired.ok, repaired.repaired) == (True, len(repaired.problems))
    assert filled.verify().problems == ()
    filled.embed_pending()
    assert [[hit.text for hit in filled.search(query, user="u")] for query in queries] == before


REPORTED = {
    "card text changed": "UPDATE cards SET text = 'the red kettle is on shelf 9' WHERE row = 1",
    "links lost": "DELETE FROM links WHERE card_id = (SELECT id FROM cards WHERE row = 1)",
    "link outside its event": "UPDATE links SET stop = 9999 WHERE card_id = (SELECT id FROM cards WHERE row = 1)",
    "link to no card": "UPDATE links SET card_id = 'c0' WHERE card_id = (SELECT id FROM cards WHERE row = 1)",
    "event lost": "DELETE FROM events WHERE seq = 1",
    "event of another owner": "UPDATE events SET user = 'v' WHERE seq = 1",
    "event that is no text": "UPDATE events SET content = x'ff' WHERE seq = 1",
    "name that is no text": "UPDATE events SET role = CAST(x'ff41' AS TEXT) WHERE seq = 1",
    "card that is no text": "UPDATE cards SET text = CAST(x'ff41' AS TEXT) WHERE row = 1",
    "metadata that is no JSON": "UPDATE cards SET metadata = '{' WHERE row = 1",
    "metadata that is no object": "UPDATE events SET metadata = '[1]' WHERE seq = 1",
    "time that is none": "UPDATE cards SET at = 9223372036854775807 WHERE row = 1",
    "version of the wrong number": "UPDATE cards SET version = version + 5 WHERE previous IS NOT NULL",
    "version of another birth": "UPDATE cards SET born = 1 WHERE row = 3",
    "pointer of two cards": "UPDATE cards SET pointer = (SELECT pointer FROM cards WHERE row = 2) WHERE row = 1",
    "pointer that is none": "UPDATE cards SET pointer = 'a b' WHERE row = 1",
}


@pytest.mark.parametrize("fault", list(REPORTED))
def test_what_cannot_be_rebuilt_is_reported(filled: Memory, tmp_path: Path, fault: str) -> None:
    """What was said cannot be made up again: the fault is named, and a repair does not pretend."""
    assert break_(tmp_path, REPORTED[fault]) >= 1
    assert not filled.verify().ok
    result = filled.verify(repair=True)
    assert result.ok is (not filled.verify().problems)


@pytest.mark.parametrize("fault", [*REPORTED, *REPAIRABLE])
def test_a_damaged_file_raises_our_errors_alone(filled: Memory, tmp_path: Path, fault: str) -> None:
    """Whatever the rows hold, every verb answers or raises a StoreError that leads to `verify`."""
    assert break_(tmp_path, {**REPORTED, **REPAIRABLE}[fault]) >= 1
    with filled._store.write():
        filled._store.next_epoch()
    verbs: tuple[Callable[[], object], ...] = (
        lambda: filled.list(user="u"), lambda: filled.messages(user="u"), lambda: filled.messages(user="u", session="s"),
        lambda: filled.search("kettle valve", user="u"), lambda: filled.recall("Which red kettle?", user="u", budget=200),
        lambda: list(filled.export()), filled.stats, filled.scopes, filled.verify, filled.reindex,
        lambda: filled.add("something new", user="u"),
    )  # fmt: skip
    for verb in verbs:
        try:
            verb()
        except StoreError as error:
            assert "verify" in str(error)


def test_budgets_are_exact_after_a_repair(open_memory: Callable[..., Memory], tmp_path: Path) -> None:
    """Token counts that were changed in the file break budgets; after a repair they are what the text takes."""
    memory = open_memory(embedder="none")
    memory.add([f"the {word} kettle is on shelf {word}. " * 12 for word in ("red", "blue", "green")], user="u")
    break_(tmp_path, "UPDATE cards SET tokens = 1, head_tokens = 0, parts = NULL")
    memory.verify(repair=True)
    for budget in (60, 100, 200, 400):
        context = memory.recall("Which red kettle?", user="u", budget=budget)
        assert context.tokens == count(context.text) <= budget


def test_another_counter_measures_anew(open_memory: Callable[..., Memory]) -> None:
    """A memory that is opened with another counter keeps its budgets after `reindex` or a repair."""
    open_memory(embedder="none").add("I love espresso from the bar in Rome.", user="u")
    memory = open_memory(embedder="none", count=len)
    assert not memory.verify().ok
    assert "`reindex` measures anew" in memory.warnings[0]
    memory.reindex()
    assert memory.verify().ok
    assert memory.warnings == ()
    context = memory.recall("What espresso do I love?", user="u", budget=300)
    assert context.text
    assert context.tokens == len(context.text) <= 300


@pytest.mark.parametrize(
    "fault",
    ["DELETE FROM facts", "UPDATE facts SET value = 'Hull'", "UPDATE facts SET polarity = '-', modality = 'past'"],
)
def test_facts_are_read_anew(open_memory: Callable[..., Memory], tmp_path: Path, fault: str) -> None:
    """Facts that are not what the words say are found; a repair and a reindex read them again, also in files that never had any."""
    for name, mend in (
        ("repair", lambda memory: memory.verify(repair=True)),
        ("reindex", lambda memory: memory.reindex()),
    ):
        (tmp_path / "memory.db").unlink(missing_ok=True)
        memory = open_memory(embedder="none")
        memory.add("I live in Leeds.", user="u", at="2026-01-01")
        memory.add("I moved to York.", user="u", at="2026-02-01")
        right = memory.facts(user="u", include_superseded=True)
        assert [(fact.value, fact.standing) for fact in right] == [("Leeds", "superseded"), ("York", "current")]
        assert break_(tmp_path, fault) == 2
        found = memory.verify()
        assert (name, [text.split(":")[0] for text in found.problems]) == (name, ["facts differ from the text"] * 2)
        mend(memory)
        assert memory.verify().problems == ()
        assert memory.facts(user="u", include_superseded=True) == right
        memory.close()


def test_verify_counts_what_it_looked_at(filled: Memory) -> None:
    """The figures name events, current cards and links."""
    checked = filled.verify().checked
    assert (checked["events"], checked["cards"]) == (6, 4)


def test_verify_reports_progress(filled: Memory) -> None:
    """The last report says that all is done."""
    seen: list[tuple[int, int]] = []
    filled.verify(progress=lambda done, total: seen.append((done, total)))
    assert seen[-1] == (4, 4)


def test_verify_reads_each_event_once(plain: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    """A document of many cards is read once, not once a card (5 MB would be read thousands of times)."""
    plain.add(Document(" ".join(f"sentence {i} is about shelf {i * 7}." for i in range(8000))), user="u")
    read: list[str] = []

    def counted(row: tuple[Any, ...]) -> Event:
        event = event_of(row)
        read.append(event.id)
        return event

    monkeypatch.setattr("zeromem.store.sqlite.event_of", counted)
    checked = plain.verify().checked
    assert checked["cards"] > 50
    assert len(read) == checked["events"] == 1


def test_a_repair_reaches_other_open_memories(open_memory: Callable[..., Memory], tmp_path: Path) -> None:
    """A memory that holds words or vectors in RAM reads them anew after another one repaired or re-indexed the file."""
    reader, writer = open_memory(embedder="none"), open_memory(embedder="none")
    writer.add(list(TEXTS), user="u")
    for mend in (lambda: writer.verify(repair=True), writer.reindex):
        assert break_(tmp_path, "UPDATE terms SET hashes = x'01000000' WHERE row = 1") == 1
        with writer._store.write():
            writer._store.next_epoch()
        assert [hit.text for hit in reader.search("kettle", user="u")] == []
        mend()
        assert [hit.text for hit in reader.search("kettle", user="u")] == [TEXTS[0]]


def test_deleted_text_leaves_the_index_tables(filled: Memory, tmp_path: Path) -> None:
    """Only current cards have terms and vectors."""
    with closing(sqlite3.connect(tmp_path / "memory.db")) as connection:
        current = {row for (row,) in connection.execute("SELECT row FROM current_cards")}
        assert {row for (row,) in connection.execute("SELECT row FROM terms")} == current
        assert {row for (row,) in connection.execute("SELECT row FROM vectors")} == current


def test_reset_leaves_no_old_bytes(open_memory: Callable[..., Memory], tmp_path: Path) -> None:
    """After a reset no byte of the old texts is in the file or its log, also while another connection is open."""
    memory = open_memory(embedder=ScriptedEmbedder())
    words = [f"zanzibar-{i}-quokka 秘密口令{i}" for i in range(200)]
    memory.add(words, user="secret-user-id", session="secret-session-id", metadata={"k": "secret-metadata"})
    memory.embed_pending()
    memory.recall("which zanzibar?", user="secret-user-id")
    memory.stats()
    memory.reset()
    data = b"".join(file.read_bytes() for file in tmp_path.glob("memory.db*"))
    for word in ("zanzibar", "quokka", "秘密口令", "secret-user-id", "secret-session-id", "secret-metadata"):
        assert word.encode() not in data
    assert memory.verify().problems == ()
    assert (memory.stats().events, memory.stats().cards, memory.scopes()) == (0, 0, [])
    memory.add("a fresh start", user="u")
    assert [hit.text for hit in memory.search("fresh", user="u")] == ["a fresh start"]


def test_reset_under_a_reader_says_that_bytes_stay(open_memory: Callable[..., Memory], tmp_path: Path) -> None:
    """While another process reads the old content a reset is StoreBusy and says what stays; called again, it leaves nothing."""
    memory = open_memory(embedder="none", settings=Settings(busy_timeout=0.3))
    memory.add([f"zanzibar-{i}" for i in range(50)], user="u")
    script = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None); c.execute('BEGIN');"
        "c.execute('SELECT count(*) FROM cards').fetchall(); print('reading', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", script, str(tmp_path / "memory.db")], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    ) as reader:
        assert reader.stdout and reader.stdout.readline()
        with pytest.raises(StoreBusy, match=r"everything is deleted, but bytes of it stay .* reset again"):
            memory.reset()
        assert (memory.stats().events, memory.search("zanzibar", user="u")) == (0, [])
        reader.communicate()
    memory.reset()
    data = b"".join(file.read_bytes() for file in tmp_path.glob("memory.db*"))
    assert b"zanzibar" not in data


def test_reset_reaches_other_open_memories(open_memory: Callable[..., Memory]) -> None:
    """A memory that holds the scope in RAM forgets it when another one resets the file."""
    reader, writer = open_memory(embedder="none"), open_memory(embedder="none")
    writer.add("the red kettle", user="u")
    assert len(reader.search("kettle", user="u")) == 1
    writer.reset()
    assert reader.search("kettle", user="u") == []
    writer.add("a green kettle", user="u")
    assert [hit.text for hit in reader.search("kettle", user="u")] == ["a green kettle"]


def test_reindex_equals_fresh(filled: Memory) -> None:
    """Re-indexing changes no answer and says how many cards it wrote."""
    before = [(hit.text, round(hit.score, 4)) for hit in filled.search("red kettle valve text", user="u")]
    assert filled.reindex() == 4
    assert [(hit.text, round(hit.score, 4)) for hit in filled.search("red kettle valve text", user="u")] == before
