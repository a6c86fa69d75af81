"""forget: events, cards, versions, indexes, pointers, logs and bytes go; what others say stays; the receipt proves it."""

from __future__ import annotations

import dataclasses
import json
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from zeromem import Ambiguous, Document, InvalidInput, Memory, NotFound, Settings
from zeromem.models.scripted import ScriptedEmbedder

SECRET = "The vault of Zanzibar opens with marzipan 77310."


def texts(found: Any) -> list[str]:
    return [item.text for item in found]


def data(folder: Path) -> bytes:
    """All bytes of the memory's file and of those beside it, read by a process that drops none of our locks."""
    names = map(str, sorted(folder.glob("memory.db*")))
    return subprocess.run(["cat", *names], capture_output=True, check=True).stdout


def tables(path: Path) -> dict[str, int]:
    with closing(sqlite3.connect(path)) as connection:
        names = [name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return {name: connection.execute(f"SELECT count(*) FROM {name}").fetchone()[0] for name in names}


def test_everything_of_an_event_goes(open_memory: Callable[..., Memory], tmp_path: Path) -> None:
    """Event, raw form, every version, tombstone, edits, index, vector, pointer, links, uses and their words; the proof says so."""
    memory = open_memory(embedder=ScriptedEmbedder())
    memory.add("The kettle is on shelf 4.", user="u")
    memory.embed_pending()
    before = tables(tmp_path / "memory.db")
    said = {
        "role": "user",
        "content": [{"type": "text", "text": SECRET}, {"type": "image_url", "image_url": {"url": "data:zanzibar"}}],
    }
    id_ = str(memory.add(said, user="u", metadata={"关于": "桑给巴尔岛的金库"}).id)
    memory.update(id_, "The vault of Zanzibar opens with pistachio 4471.")
    context = memory.recall("how does the vault of Zanzibar open?", user="u")
    memory.feedback(context.id, answer="With pistachio 4471, for the vault of Zanzibar.", outcome=True)
    memory.delete(id_)
    memory.restore(id_)
    memory.embed_pending()
    words = ("Zanzibar", "zanzibar", "marzipan", "77310", "pistachio", "4471", "桑给巴尔", json.dumps("桑给巴尔")[1:-1])
    assert b"marzipan" in data(tmp_path)

    told = memory.forget(id_)

    assert (told.events, told.cards, told.kept, told.done) == (2, 1, (), True)
    assert told.proof and (told.proof.left, told.proof.reasons) == (0, ())
    assert told.proof.shared <= 2  # "content", which is the name of a column too
    assert told.proof.searched > 10 and told.proof.files[0] == "memory.db"
    assert [word for word in words if word.encode() in data(tmp_path)] == []
    after = tables(tmp_path / "memory.db")
    left = {name for name in after if after[name] != before[name]}
    assert left <= {"forgotten", "erased", "spent", "recalls", "uses", "meta", "sqlite_sequence"}
    assert after["uses"] == 1  # the outcome of the recall, which names no card
    assert texts(memory.list(user="u")) == ["The kettle is on shelf 4."]
    assert (
        memory.search("vault Zanzibar", user="u") == [] or texts(memory.search("vault", user="u", arms="keyword")) == []
    )
    assert [event.text for event in memory.messages(user="u")] == ["The kettle is on shelf 4."]


def test_nothing_brings_it_back(open_memory: Callable[..., Memory]) -> None:
    """No reindex, verify, restore to any moment, or undo."""
    memory = open_memory(embedder="none")
    memory.add("The kettle is on shelf 4.", user="u")
    id_ = str(memory.add(SECRET, user="u").id)
    memory.update(id_, SECRET + " Still.")
    moment = memory.history(id_)[-1].at
    memory.forget(id_)
    memory.reindex()
    assert memory.verify(repair=True).ok
    memory.restore(at=moment, user="u")
    with pytest.raises(NotFound):
        memory.restore(id_, user="u")
    with pytest.raises(NotFound, match="nothing was changed"):
        memory.undo(user="u")
    assert texts(memory.list(user="u")) == ["The kettle is on shelf 4."]
    assert "Zanzibar" not in json.dumps(list(memory.export()))


def test_history_of_a_forgotten_card_has_no_word(plain: Memory) -> None:
    """By its id: that it was forgotten, and when; its pointer is unknown, and another owner hears nothing."""
    receipt = plain.add(SECRET, user="u")
    plain.forget(str(receipt.pointer), user="u")
    (change,) = plain.history(str(receipt.id), user="u")
    assert (change.event, change.what, change.old, change.new, change.reason) == (
        "FORGET",
        "forgotten",
        None,
        None,
        "forgotten",
    )
    with pytest.raises(NotFound):
        plain.history(str(receipt.pointer), user="u")
    with pytest.raises(NotFound):
        plain.history(str(receipt.id), user="v")


def test_text_added_again_is_stored(plain: Memory) -> None:
    """What was forgotten may be said anew, and gets a pointer that nothing had before."""
    first = plain.add(SECRET, user="u", source_id="s")
    plain.forget(source_id="s", user="u")
    again = plain.add(SECRET, user="u", source_id="s")
    assert (again.items[0].status, again.pointer, first.pointer) == ("stored", "zanzibar2", "zanzibar")
    assert again.id != first.id


# -- what others say


def test_a_card_that_others_say_stays(plain: Memory) -> None:
    """Only the link, the session, the source, the time and the metadata of the forgotten event leave the card."""
    words = "The ferry leaves at nine."
    first = plain.add(
        words, user="u", session="secret-session", source_id="diary", at="2026-01-01", metadata={"mood": "gloomy"}
    )
    plain.add(words, user="u", session="trip", at="2026-02-02", metadata={"topic": "ferry"})
    told = plain.forget(session="secret-session", user="u")
    assert (told.events, told.cards, told.kept) == (1, 0, (first.pointer,))
    card = plain.get(str(first.id))
    assert (card.text, card.session, card.source_id, card.at[:10]) == (words, "trip", None, "2026-02-02")
    assert dict(card.metadata) == {"topic": "ferry"}
    assert [span.event.scope.session for span in plain.expand(card.id).spans] == ["trip"]
    assert "gloomy" not in json.dumps(list(plain.export())) and "diary" not in json.dumps(list(plain.export()))
    assert plain.verify().problems == ()
    assert texts(plain.search("ferry", user="u")) == [words]


def test_a_version_that_quotes_it_goes(plain: Memory) -> None:
    """A card that began with other words, and came to be said by a kept event, keeps only the words of that one; its pointer too."""
    first = plain.add("My cat is called Beelzebub.", user="u")
    plain.update(str(first.id), "My dog is called Rex.")
    plain.add("My dog is called Rex.", user="u")
    event = plain.expand(str(first.id)).events[0]
    assert event.text == "My cat is called Beelzebub."
    told = plain.forget(event.id)
    assert (told.cards, told.done) == (0, True)
    assert [(c.event, c.version, c.old, c.new) for c in plain.history(str(first.id))] == [
        ("ADD", 1, None, "My dog is called Rex.")
    ]
    assert first.pointer == "cat"
    assert plain.get(str(first.id)).pointer == told.kept[0] != "cat"
    with pytest.raises(NotFound):
        plain.get("cat", user="u")
    assert texts(plain.search("dog", user="u")) == ["My dog is called Rex."]
    assert plain.verify().problems == ()


def test_a_forgotten_edit_gives_the_words_before_it_back(plain: Memory) -> None:
    """The event of an update is an event too."""
    id_ = str(plain.add("The gate code is 1111.", user="u").id)
    plain.update(id_, "The gate code is 2222.")
    plain.forget(plain.expand(id_).events[-1].id)
    assert plain.get(id_).text == "The gate code is 1111."
    assert texts(plain.search("1111", user="u")) == ["The gate code is 1111."]
    assert plain.search("2222", user="u") == []
    assert plain.verify().problems == ()


def test_the_other_half_of_a_tool_call_is_still_found(plain: Memory) -> None:
    """A call is forgotten: its result, an event of its own, gets a card of its own."""
    plain.add(
        [
            {"role": "assistant", "content": None, "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "look", "arguments": '{"shelf": "zanzibar"}'}}]},
            {"role": "tool", "tool_call_id": "c1", "content": "a copper pot and two lids"},
        ],
        user="u",
    )  # fmt: skip
    call = plain.messages(user="u")[0]
    told = plain.forget(call.id, user="u")
    assert (told.events, told.cards) == (1, 1)
    assert texts(plain.search("copper pot", user="u")) == ["a copper pot and two lids"]
    assert "zanzibar" not in json.dumps(list(plain.export()))
    assert plain.verify().problems == ()


def test_the_event_goes_whole(plain: Memory) -> None:
    """One section of a document is named: the document is the event, so all its cards go, and a dry run says so before."""
    plain.add(
        Document("# Keys\n\nThe spare key is under the mat.\n\n# Bins\n\nBlue bins on Monday.", "house.md"), user="u"
    )
    (key, _) = plain.list(user="u")
    shown = plain.forget(key.pointer, user="u", dry_run=True)
    assert (shown.events, shown.cards, shown.proof, len(shown.texts)) == (1, 2, None, 1)
    assert len(plain.list(user="u")) == 2
    assert plain.forget(key.pointer, user="u").cards == 2
    assert plain.list(user="u") == []


def test_what_kept_memories_say_too_is_no_proof(plain: Memory) -> None:
    """Words that stand elsewhere are counted apart, and a text that stands elsewhere whole is not proved."""
    plain.add("The ferry leaves at nine.", user="u")
    plain.add("The ferry leaves at nine.", user="v")
    told = plain.forget("ferry", user="u")
    assert told.proof and (told.proof.left, told.done) == (0, False)
    assert told.proof.shared == told.proof.searched
    assert "kept" in told.proof.reasons[0]
    assert texts(plain.list(user="v")) == ["The ferry leaves at nine."]


def test_a_text_too_short_is_not_proved(plain: Memory) -> None:
    """`tea` would be found by chance; the receipt says that it was not looked for."""
    plain.add("tea", user="u")
    told = plain.forget("tea", user="u")
    assert told.proof and (told.proof.searched, told.done) == (0, False) and "too short" in told.proof.reasons[0]
    assert plain.list(user="u") == []


# -- what is meant


def test_words_must_fit_one_memory(plain: Memory) -> None:
    """Words of two memories name both, words of none name what is near, and nothing is erased."""
    plain.add(["The red kettle is on shelf 4.", "The blue kettle leaks.", "Bread is at the baker's."], user="u")
    with pytest.raises(Ambiguous, match=r"fits 2 memories.*\[m:.*\[m:"):
        plain.forget("the kettle", user="u")
    with pytest.raises(NotFound, match="no memory of this scope holds the words"):
        plain.forget("kettle in the attic", user="u")
    with pytest.raises(NotFound):
        plain.forget("[m:attic]", user="u")
    with pytest.raises(NotFound):
        plain.forget("kettle", user="v")
    assert len(plain.list(user="u")) == 3
    assert plain.forget("red kettle", user="u").cards == 1
    assert len(plain.list(user="u")) == 2


def test_selectors(plain: Memory) -> None:
    """Several pointers and ids, a source with what it said before, a filter, a session, everything of a scope."""
    ids = plain.add(["alpha one note", "beta two note", "gamma three note"], user="u", session="s").ids
    assert plain.forget([ids[0], plain.get(ids[1]).pointer], user="u").cards == 2
    plain.add("delta four note", user="u", source_id="d")
    plain.add("epsilon five note", user="u", source_id="d", mode="replace")
    assert plain.forget(source_id="d", user="u").events == 2
    plain.add("zeta six note", user="u", metadata={"n": 6})
    assert plain.forget(filters={"n": 6}, user="u").cards == 1
    plain.add("thanks!", user="u", session="s")
    assert plain.forget(session="s", user="u").events == 2
    plain.add("eta seven note", user="u")
    plain.add("theta eight note", user="v")
    assert plain.forget(everything=True, user="u").events == 1
    assert (plain.stats(user="u").events, plain.stats(user="v").events) == (0, 1)
    assert plain.verify().problems == ()


@pytest.mark.parametrize(
    "given",
    [{}, {"selector": []}, {"selector": "x", "source_id": "d"}, {"everything": True, "filters": {"n": 1}}, {"selector": 7},
     {"source_id": " "}, {"selector": " "}],
)  # fmt: skip
def test_what_is_unclear_is_refused(plain: Memory, given: Any) -> None:
    """No selector, two, or none of a usable type: an InvalidInput, and nothing is erased."""
    plain.add("alpha one note", user="u")
    with pytest.raises(InvalidInput):
        plain.forget(**given, user="u")
    assert plain.stats().events == 1


@pytest.mark.parametrize(
    "given", [{"source_id": "d"}, {"session": "s"}, {"filters": {"n": 1}}, {"selector": "e" + "0" * 26}]
)
def test_what_is_not_there_is_not_found(plain: Memory, given: Any) -> None:
    """Also what only another owner has."""
    plain.add("alpha one note", user="v", session="s", source_id="d", metadata={"n": 1})
    with pytest.raises(NotFound):
        plain.forget(**given, user="u")
    assert plain.stats().events == 1


def test_another_owner_cannot_forget_mine(plain: Memory) -> None:
    """Ids do not cross scopes, of cards or of events."""
    id_ = str(plain.add("alpha one note", user="v").id)
    event = plain.expand(id_).events[0].id
    for name in (id_, event):
        with pytest.raises(NotFound):
            plain.forget(name, user="u")
    assert texts(plain.list(user="v")) == ["alpha one note"]


# -- readers, crashes, other processes

_READER = (
    "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None); c.execute('BEGIN');"
    "c.execute('SELECT count(*) FROM cards').fetchall(); print('reading', flush=True); sys.stdin.read()"
)


def test_under_a_reader_it_is_pending_not_proved(open_memory: Callable[..., Memory], tmp_path: Path) -> None:
    """While another process reads the old content the receipt claims nothing; the next open ends the work."""
    memory = open_memory(embedder="none", settings=Settings(busy_timeout=0.3))
    memory.add([SECRET, "The kettle is on shelf 4."], user="u")
    command = [sys.executable, "-c", _READER, str(tmp_path / "memory.db")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as reader:
        assert reader.stdout and reader.stdout.readline()
        told = memory.forget("Zanzibar", user="u")
        assert told.proof and not told.done and "open the memory again" in told.proof.reasons[0]
        assert memory.search("Zanzibar", user="u") == []
        assert any("erased bytes" in problem for problem in memory.verify().problems)
        with Memory.open(tmp_path / "memory.db", embedder="none", background=False) as second:
            assert any("bytes of it stay" in warning for warning in second.warnings)
        reader.communicate()
    assert b"Zanzibar" in data(tmp_path)
    with Memory.open(tmp_path / "memory.db", embedder="none", background=False) as third:
        assert third.warnings == ()
        assert third.verify().problems == ()
    assert b"Zanzibar" not in data(tmp_path)


def test_verify_with_repair_ends_the_work(open_memory: Callable[..., Memory], tmp_path: Path) -> None:
    """In the process that forgot, too, once the reader is gone."""
    memory = open_memory(embedder="none", settings=Settings(busy_timeout=0.2))
    memory.add([SECRET, "The kettle is on shelf 4."], user="u")
    with closing(sqlite3.connect(tmp_path / "memory.db", isolation_level=None)) as reader:
        reader.execute("BEGIN")
        reader.execute("SELECT count(*) FROM cards").fetchall()
        assert not memory.forget("Zanzibar", user="u").done
    assert memory.verify(repair=True).problems == ()
    assert b"Zanzibar" not in data(tmp_path)


def test_other_open_memories_forget_too(open_memory: Callable[..., Memory]) -> None:
    """A memory that holds the scope in RAM drops it; a card added after is never taken for the forgotten one."""
    reader, writer = open_memory(embedder=ScriptedEmbedder()), open_memory(embedder=ScriptedEmbedder())
    id_ = str(writer.add(SECRET, user="u").id)
    row = writer.get(id_).row
    assert len(reader.search("Zanzibar", user="u")) == 1
    writer.forget(id_)
    writer.add("Somebody else's words.", user="v")
    assert writer.list(user="v")[0].row > row
    assert reader.search("Zanzibar", user="u") == []
    assert reader.embed_pending() == 1


def test_an_export_made_before_brings_nothing_back(open_memory: Callable[..., Memory]) -> None:
    """Into the same file: its records of what was forgotten are left out, and counted. Another file takes it all."""
    memory = open_memory(embedder="none")
    id_ = str(memory.add(SECRET, user="u").id)
    memory.update(id_, SECRET + " Or with nougat.")
    memory.add("The lamp stands in the hall.", user="u")
    records = list(memory.export())
    memory.forget(id_)
    told = memory.import_(records)
    assert (told.added, told.forgotten) == (0, 6)  # two events, two versions, two links
    assert memory.search("Zanzibar marzipan nougat", user="u") == [] and memory.verify().problems == ()
    assert [change.event for change in memory.history(id_)] == ["FORGET"]
    other = open_memory(":memory:", embedder="none")
    assert other.import_(records).forgotten == 0 and other.get(id_).text.startswith(SECRET)


@pytest.fixture
def parted(open_memory: Callable[..., Memory]) -> tuple[Memory, Memory, str]:
    """A memory, a copy of it elsewhere, and the id of the secret that both hold."""
    memory, copy = open_memory(embedder="none"), open_memory("copy.db", embedder="none")
    id_ = str(memory.add(SECRET, user="u").id)
    memory.add("The lamp stands in the hall.", user="u")
    copy.import_(memory.export())
    return memory, copy, id_


def test_an_edit_made_elsewhere_stays_away_with_its_card(parted: tuple[Memory, Memory, str]) -> None:
    """A copy edited before the forget, imported after: nothing of the edit comes in, into no table and no byte of the file."""
    memory, copy, id_ = parted
    copy.update(id_, SECRET + " Or with quinces.")
    memory.forget(id_)
    before = list(memory.export())
    told = memory.import_(copy.export())
    assert (told.added, told.new["events"], told.new["versions"]) == (0, 0, 0)
    assert list(memory.export()) == before and memory.verify().problems == ()
    assert b"quinces" not in b"".join(memory._store.images().values())
    assert memory.import_(copy.export()).added == 0 and list(memory.export()) == before


def test_a_card_made_elsewhere_of_a_forgotten_event_stays_away(parted: tuple[Memory, Memory, str]) -> None:
    """Deleted there and stored anew, even edited: it stands on the forgotten event alone."""
    memory, copy, id_ = parted
    with copy._store.write():
        store = copy._store
        old, (span,) = store.card(id_)[0], store.spans(id_)  # type: ignore[index]
        new = store.add_version(
            dataclasses.replace(old, id="c" + "0" * 26, pointer="vault9", born=0), "add", "added", b"1"
        )
        assert store.keep_pointer("vault9", new.scope, new.id)
        store.link(new.id, span.event.id, span.start, span.end)
    copy.update(new.id, SECRET + " Or with quinces.")
    memory.forget(id_)
    before = list(memory.export())
    assert memory.import_(copy.export()).added == 0
    assert list(memory.export()) == before and memory.verify().problems == ()
    assert memory.import_(copy.export()).added == 0


def test_what_was_said_again_elsewhere_comes_in_and_can_be_reached(parted: tuple[Memory, Memory, str]) -> None:
    """A new saying is no part of what was forgotten: it is a message, has a card of its own, and is forgotten by words."""
    memory, copy, id_ = parted
    copy.add(SECRET, user="u")
    memory.forget(id_)
    assert memory.import_(copy.export()).new["events"] == 1
    assert [event.text for event in memory.messages(user="u")] == ["The lamp stands in the hall.", SECRET]
    (card,) = [card for card in memory.list(user="u") if card.text == SECRET]
    assert card.id != id_ and memory.import_(copy.export()).added == 0 and memory.verify().problems == ()
    assert memory.forget(SECRET, user="u").done
    assert memory.import_(copy.export()).added == 0 and len(memory.list(user="u")) == 1


def test_what_was_deleted_elsewhere_comes_in_without_a_card(parted: tuple[Memory, Memory, str]) -> None:
    memory, copy, id_ = parted
    copy.add(SECRET, user="u")
    copy.delete(id_)
    memory.forget(id_)
    memory.import_(copy.export())
    assert [card.text for card in memory.list(user="u")] == ["The lamp stands in the hall."]
    assert memory.messages(user="u")[-1].text == SECRET


def test_an_export_gives_no_version_back(plain: Memory) -> None:
    """A card that a kept event says too lost the version of the forgotten one: an older export does not bring that again."""
    id_ = str(plain.add("The vault opens with marzipan.", user="u", session="a").id)
    plain.add("The vault opens with marzipan.", user="u", session="b")
    plain.update(id_, "The vault opens with nougat.")
    records = list(plain.export())
    plain.forget(session="b", user="u")
    (edit,) = [event.id for event in plain._store.all_events(None) if event.kind == "edit"]
    plain.forget(edit, user="u")
    before = list(plain.export())
    plain.import_(records)
    assert list(plain.export()) == before and plain.search("nougat", user="u") == []


def test_a_forgotten_pointer_never_means_another_card(open_memory: Callable[..., Memory], tmp_path: Path) -> None:
    """An old `[m:coffee]` in a transcript leads nowhere for good, whatever is said later, also after opening and importing."""
    path, words = tmp_path / "m.db", "I drink coffee at nine."
    memory = open_memory(path, embedder="none")
    (gone,) = [item.pointer for item in memory.add(words, user="u").items]
    other = memory.add(words, user="v").items[0].pointer
    records = list(memory.export(user="v"))
    memory.forget(gone, user="u")
    again = [memory.add(text, user="u").items[0].pointer for text in (words, "Coffee, coffee.", "I like coffee.")]
    assert gone == other == "coffee" and gone not in again and len(set(again)) == 3
    memory.forget(again[0], user="u")
    memory.close()
    memory = open_memory(path, embedder="none")
    assert memory.add(words, user="u").items[0].pointer not in {gone, *again}
    assert memory.get(other, user="v").text == words  # another owner's own
    assert memory.import_(records).added == 0 and memory.verify(repair=True).ok
    with pytest.raises(NotFound):
        memory.expand("[m:coffee]", user="u")


def test_a_pointer_of_an_import_is_not_a_forgotten_one(open_memory: Callable[..., Memory]) -> None:
    """A card that comes from another file with the name of a forgotten one gets another name."""
    memory, other = open_memory(embedder="none"), open_memory(":memory:", embedder="none")
    gone = memory.add("I drink coffee at nine.", user="u").items[0].pointer
    memory.forget(str(gone), user="u")
    id_ = str(other.add("I drink coffee at ten.", user="u").id)
    other.add("The lamp stands in the hall.", user="u")
    assert other.get(id_).pointer == gone == "coffee"
    memory.import_(list(other.export()))
    assert memory.get(id_).pointer != gone and memory.verify().problems == ()


def test_what_is_kept_of_pointers_tells_no_word(plain: Memory) -> None:
    """One of 64 groups and a number: every 64th word there is would have left the same."""
    plain.forget(str(plain.add("I drink coffee at nine.", user="u").id))
    (row,) = plain._store._rows("spent", ("u:u", ""))
    assert 0 <= row[0] < 64 and row[1] == 1


def test_words_of_a_deleted_memory_forget_it(plain: Memory) -> None:
    """Deleted, or changed since: the words are still in the file, so they name what is to go."""
    plain.add("The lamp stands in the hall.", user="u")
    deleted = str(plain.add("The vault opens with marzipan.", user="u").id)
    plain.delete(deleted)
    edited = str(plain.add("我的旧地址是青山路五号。", user="u").id)
    plain.update(edited, "我的地址是河边路九号。")
    assert plain.forget("vault marzipan", user="u", dry_run=True).texts == ("The vault opens with marzipan.",)
    assert plain.forget("vault marzipan", user="u").done
    assert plain.forget("旧地址 青山路", user="u").events == 2
    assert [card.text for card in plain.list(user="u")] == ["The lamp stands in the hall."]
    with pytest.raises(NotFound):
        plain.forget("vault marzipan", user="u")


def test_words_of_a_deleted_and_a_current_memory_are_not_clear(plain: Memory) -> None:
    """Both hold them: the error names both, so that none stays unseen; another user's does not count."""
    first = str(plain.add("My locker code was 3345 in the gym.", user="u").id)
    plain.add("My locker code is for the gym.", user="v")
    plain.delete(first)
    second = str(plain.add("My locker code is 8812 in the gym.", user="u").id)
    with pytest.raises(Ambiguous, match="deleted ones too") as error:
        plain.forget("locker code gym", user="u")
    assert first in str(error.value) and second in str(error.value)
    assert plain.forget([first, second], user="u").cards == 2


def test_in_memory_too(open_memory: Callable[..., Memory]) -> None:
    """A memory in RAM is searched as SQLite holds it."""
    memory = open_memory(":memory:", embedder="none")
    memory.add([SECRET, "The kettle is on shelf 4."], user="u")
    told = memory.forget("Zanzibar", user="u")
    assert told.done and told.proof and told.proof.files == (":memory:",)


def test_the_proof_can_fail(open_memory: Callable[..., Memory], tmp_path: Path) -> None:
    """A copy that lies in the file outside of every row is found: the receipt does not claim what is not so."""
    memory = open_memory(embedder="none")
    memory.add([SECRET, "The kettle is on shelf 4."], user="u")
    scrub = memory._store.scrub

    def spoil(*given: Any) -> bool:
        done = scrub(*given)
        with (tmp_path / "memory.db-journal").open("wb") as file:  # a journal that another program left
            file.write(b"\0" * 100 + SECRET.encode())
        return done

    memory._store.scrub = spoil  # type: ignore[method-assign]
    told = memory.forget("Zanzibar", user="u")
    assert told.proof and told.proof.left > 3 and not told.done
    (tmp_path / "memory.db-journal").unlink()


def test_a_file_that_may_only_be_read_opens(open_memory: Callable[..., Memory], tmp_path: Path) -> None:
    """Bytes that wait to be taken out do not keep a reader from opening; the warning says that they are there."""
    memory = open_memory(embedder="none")
    memory.add([SECRET, "The kettle is on shelf 4."], user="u")
    store = memory._store
    with store.write():
        store.erase_cards([memory.search("Zanzibar", user="u")[0].id])
    store.scrub = lambda *_: False  # type: ignore[method-assign]
    memory.close()
    path = tmp_path / "memory.db"

    def refused(*_: object) -> None:
        raise sqlite3.OperationalError("attempt to write a readonly database")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("zeromem.store.sqlite_history.scrub", _translated(refused, str(path)))
        with Memory.open(path, embedder="none", background=False) as reader:
            assert len(reader.list(user="u")) == 1
            assert any("forgotten may still be in the file" in warning for warning in reader.warnings)
    with Memory.open(path, embedder="none", background=False) as whole:
        assert whole.warnings == ()


def _translated(call: Callable[..., None], path: str) -> Callable[..., None]:
    from zeromem.store.connection import translated

    def run(*given: object) -> None:
        with translated(path):
            call(*given)

    return run


def test_what_followed_from_it_goes_too(plain: Memory, tmp_path: Path) -> None:
    """A death ends a home that another memory tells; with that memory the word goes from the facts of the death as well, but not where
    it is still told."""
    told = plain.add("My uncle Bartholomew lives in Zanzibarville.", user="u", at="2026-01-01")
    plain.add("Bartholomew died last month.", user="u", at="2026-02-01")
    assert [f.polarity for f in plain.facts("Bartholomew", "home", user="u", include_superseded=True)] == ["+", "-"]
    gone = plain.forget(str(told.pointer), user="u")
    assert gone.proof is not None and gone.proof.left == 0
    assert plain.facts("Bartholomew", "home", user="u", include_superseded=True) == []
    assert b"anzibarville" not in data(tmp_path)
    again = plain.add("My uncle Bartholomew lives in Leeds.", user="u", at="2026-01-01")
    plain.add("So, Bartholomew lives in Leeds.", user="u", at="2026-01-02")
    plain.add("Bartholomew died yesterday.", user="u", at="2026-02-02")
    plain.forget(str(again.pointer), user="u")
    assert {f.polarity for f in plain.facts("Bartholomew", "home", user="u")} == {"-"}
