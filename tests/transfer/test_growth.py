"""Foreign files imported again, or grown, or both: only what is new is added, exactly once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zeromem import Document, InvalidInput, Memory
from zeromem.transfer import Batch, read_file


def take(memory: Memory, path: Path, **options: Any) -> tuple[int, int]:
    """Import a file; how many messages were new, and how many were known."""
    taken = [memory.import_batch(batch, user="u", **options) for batch in read_file(path)]
    return sum(one.messages - one.known for one in taken), sum(one.known for one in taken)


def texts(memory: Memory) -> list[str]:
    return [event.text for event in memory.messages(user="u")]


def log(path: Path, *said: Any, **more: Any) -> Path:
    records = [{"role": "user", "content": one, **more} if isinstance(one, str) else one for one in said]
    path.write_text("".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records), encoding="utf-8")
    return path


@pytest.mark.parametrize("more", [{}, {"session": "s"}, {"session": "s", "at": "2026-01-02"}])
def test_a_grown_log_adds_what_is_new(plain: Memory, tmp_path: Path, more: dict[str, str]) -> None:
    """Line after line, whatever the step; the same words said again in the log are said again in the memory."""
    said = ["I live in Lyon.", "ok", "我喜欢龙井茶。", "ok", "The lamp is green.", "I live in Lyon."]
    path = tmp_path / "chat.jsonl"
    for end in (1, 2, 2, 4, 6, 6):
        new = end - len(plain.messages(user="u"))
        assert take(plain, log(path, *said[:end], **more)) == (new, end - new)
        assert texts(plain) == said[:end]


def test_a_shorter_copy_takes_nothing_away(plain: Memory, tmp_path: Path) -> None:
    """An older copy of the log adds nothing and deletes nothing."""
    take(plain, log(tmp_path / "a.jsonl", "one lamp", "two lamps", "three lamps"))
    assert take(plain, log(tmp_path / "b.jsonl", "one lamp", "two lamps")) == (0, 2)
    assert len(plain.list(user="u")) == 3


def test_what_was_deleted_stays_deleted(plain: Memory, tmp_path: Path) -> None:
    """Deleting a memory and importing the same or the grown file does not bring it back."""
    take(plain, log(tmp_path / "chat.jsonl", "I live in Lyon.", "The lamp is green."))
    plain.delete(plain.search("Lyon", user="u")[0].card.id, user="u")
    assert take(plain, log(tmp_path / "chat.jsonl", "I live in Lyon.", "The lamp is green.")) == (0, 2)
    assert take(plain, log(tmp_path / "chat.jsonl", "I live in Lyon.", "The lamp is green.", "Tea at four.")) == (1, 2)
    assert [card.text for card in plain.list(user="u")] == ["The lamp is green.", "Tea at four."]


def test_logs_that_begin_alike_are_two(plain: Memory, tmp_path: Path) -> None:
    """Two logs with the same first line both come in whole, and both can grow."""
    a, b = tmp_path / "a.jsonl", tmp_path / "b.jsonl"
    assert take(plain, log(a, "hi there", "I live in Lyon.", "fine")) == (3, 0)
    assert take(plain, log(b, "hi there", "I live in Porto.", "fine")) == (3, 0)
    assert take(plain, log(a, "hi there", "I live in Lyon.", "fine", "Tea at four.")) == (1, 3)
    assert take(plain, log(b, "hi there", "I live in Porto.", "fine", "The lamp is green.")) == (1, 3)
    assert take(plain, a) == take(plain, b) == (0, 4)
    assert texts(plain).count("fine") == 2


def test_beyond_one_batch(plain: Memory, tmp_path: Path) -> None:
    """A log of 1,300 messages that grew to 1,700 keeps its batches."""
    said = [f"message number {n} about shelf {n % 7}" for n in range(1700)]
    assert take(plain, log(tmp_path / "a.jsonl", *said[:1300])) == (1300, 0)
    assert take(plain, log(tmp_path / "a.jsonl", *said)) == (400, 1300)
    assert sorted(texts(plain)) == sorted(said)


def test_two_conversations_that_take_turns(plain: Memory, tmp_path: Path) -> None:
    """Lines of two sessions in turn: every stretch is known again."""
    said: list[Any] = [
        {"role": "user", "content": text, "session": session}
        for text, session in (("tea?", "a"), ("lamp?", "b"), ("tea?", "a"), ("lamp?", "b"), ("tea at four", "a"))
    ]
    for end in (3, 5, 5):
        take(plain, log(tmp_path / "a.jsonl", *said[:end]))
        assert len(texts(plain)) == end


def test_a_named_conversation_grows(plain: Memory, tmp_path: Path) -> None:
    """`{"session", "messages"}` and a ChatGPT conversation that went on add the new turns to the same session."""
    path = tmp_path / "talk.json"
    for end in (1, 3, 3):
        messages = [{"role": "user", "content": text} for text in ("one lamp", "two lamps", "three lamps")[:end]]
        path.write_text(json.dumps([{"session": "talk", "messages": messages}]), encoding="utf-8")
        take(plain, path)
        assert [event.text for event in plain.messages(user="u", session="talk")] == [m["content"] for m in messages]


def test_tool_calls_and_empty_messages(plain: Memory, tmp_path: Path) -> None:
    """A call and its result are known together; what is no event does not come back as new."""
    call = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "里斯本"}'}}
    said: list[Any] = [
        {"role": "user", "content": "How is the weather in 里斯本?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "晴"},
        {"role": "user", "content": "  "},
        {"role": "assistant", "content": "Sunny."},
    ]
    path = log(tmp_path / "a.jsonl", *said)
    assert take(plain, path) == (5, 0)
    before = list(plain.export())
    assert take(plain, path) == (0, 5)
    assert list(plain.export()) == before
    assert take(plain, log(path, *said, "Thanks, I take the umbrella anyway.")) == (1, 5)


HOUSE = "# House\n\n## Lamp\n\nThe lamp is {lamp}.\n\n## Kettle\n\nThe kettle is red.\n\n## Door\n\nThe door is blue.\n"


def test_a_changed_document_says_only_what_it_says_now(plain: Memory, tmp_path: Path, monkeypatch: Any) -> None:
    """The file is the source: unchanged sections stay as they are, changed ones are superseded, whatever the path looks like."""
    path = tmp_path / "note.md"
    path.write_text(HOUSE.format(lamp="green"), encoding="utf-8")
    assert (take(plain, path), take(plain, path)) == ((1, 0), (0, 1))
    before = {card.pointer: card for card in plain.list(user="u")}
    path.write_text(HOUSE.format(lamp="yellow"), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    (batch,) = read_file("../" + tmp_path.name + "/note.md")
    items = plain.import_batch(batch, user="u").receipt.items
    told = [(item.status, item.reason.partition(" in ")[0], item.text.split()[-1]) for item in items]
    assert [one for one in told if one[0] != "superseded"][-3:] == [
        ("stored", "new document", "yellow."), ("duplicate", "unchanged", "red."), ("duplicate", "unchanged", "blue."),
    ]  # fmt: skip
    assert [one[2] for one in told if one[0] == "superseded"] == ["green."]
    after = {card.pointer: card for card in plain.list(user="u")}
    assert {name for name in before if name in after and before[name] == after[name]} >= {
        name for name, card in before.items() if "lamp" not in card.text
    }
    assert [card.text for card in after.values() if "lamp is" in card.text] == ["House > Lamp\nThe lamp is yellow."]
    assert plain.verify().ok


def test_a_section_deleted_by_hand_stays_deleted(plain: Memory, tmp_path: Path) -> None:
    """A change elsewhere in the file does not bring it back; a section edited by hand follows the file."""
    path = tmp_path / "note.md"
    path.write_text(HOUSE.format(lamp="green"), encoding="utf-8")
    take(plain, path)
    plain.delete(plain.search("kettle", user="u")[0].id, user="u")
    assert take(plain, path) == (0, 1)
    path.write_text(HOUSE.format(lamp="yellow"), encoding="utf-8")
    (batch,) = read_file(path)
    items = plain.import_batch(batch, user="u").receipt.items
    assert [item.reason for item in items if item.status == "ignored"] == ["deleted by hand before"]
    assert not [card for card in plain.list(user="u") if "kettle" in card.text]


def test_two_documents_are_two_sources(plain: Memory, tmp_path: Path) -> None:
    """A file of another name replaces nothing; a copy (standard input) is known by its text; a source can be deleted by its path."""
    one, two = tmp_path / "one.txt", tmp_path / "two.txt"
    one.write_text("The lamp is green.", encoding="utf-8")
    two.write_text("The kettle is red.", encoding="utf-8")
    assert (take(plain, one), take(plain, two)) == ((1, 0), (1, 0))
    assert len(plain.list(user="u")) == 2
    (copied,) = read_file(two, name="standard input")
    assert (copied.replaces, copied.title) == (False, None)
    assert plain.delete_source(f"file:{one.resolve()}", user="u") == 1


def test_walls_hold(plain: Memory, tmp_path: Path) -> None:
    """What one user imported is new for another."""
    path = log(tmp_path / "a.jsonl", "The lamp is green.")
    take(plain, path)
    (batch,) = read_file(path)
    assert plain.import_batch(batch, user="v").known == 0
    assert plain.import_batch(batch, user="u", agent="x").known == 0


def test_time_and_session_for_what_has_none(plain: Memory, tmp_path: Path) -> None:
    """`at` and `session` hold where the file says nothing; what the file says wins."""
    path = log(
        tmp_path / "a.jsonl", "one lamp", {"role": "user", "content": "two lamps", "at": "2020-02-02", "session": "own"}
    )
    for batch in read_file(path):
        plain.import_batch(batch, at="2021-01-01", user="u", session="given")
    assert [(e.text, e.at[:10], e.scope.session) for e in plain.messages(user="u")] == [
        ("one lamp", "2021-01-01", "given"),
        ("two lamps", "2020-02-02", "own"),
    ]


def test_only_batches(plain: Memory) -> None:
    """Anything else is named."""
    with pytest.raises(InvalidInput, match="read_file"):
        plain.import_batch(Document("x"), user="u")  # type: ignore[arg-type]
    assert plain.import_batch(Batch([{"role": "user", "content": "no source id"}]), user="u").events == 1


@given(st.lists(st.sampled_from(["tea", "lamp?", "ok", " ", "龙井", "I live in Lyon."]), max_size=9), st.data())
def test_any_growth_ends_in_the_same_memory(said: list[str], data: st.DataObject) -> None:
    """Imported in any steps, a log gives the events that it gives at once."""
    with Memory.open(":memory:", embedder="none", background=False) as memory:
        ends = sorted(data.draw(st.lists(st.integers(0, len(said)), max_size=4)))
        for end in [*ends, len(said)]:
            content = [{"role": "user", "content": text} for text in said[:end]]
            if content:
                memory.import_batch(Batch(content, "s", source_id="file:1"), user="u")
        assert texts(memory) == [text for text in said if text.strip()]


def test_a_grown_source_goes_whole(plain: Memory, tmp_path: Path) -> None:
    """`delete_source` and `forget` reach what a log that grew said later; another source whose name begins alike stays."""
    told, path = [f"note {n} about the shelf" for n in range(6)], tmp_path / "chat.jsonl"
    for count in (2, 3, 6):
        take(plain, log(path, *told[:count], session="s1"))
    (source,) = {batch.source_id for batch in read_file(path)}
    parts = {card.source_id for card in plain.list(user="u")}
    assert parts == {source, f"{source}+2", f"{source}+3"}
    for name, session in (
        (f"{source}+9", "s1"),
        (f"{source}+1", "elsewhere"),
        (f"{source}+1x", "s1"),
        (f"{source}~2", "s1"),
    ):
        plain.add(f"the lamp of {name}", user="u", session=session, source_id=name)
    plain.add("the lamp of another", user="v", session="s1", source_id=f"{source}+2")
    assert plain.forget(source_id=str(source), user="u", dry_run=True).events == 6
    assert plain.delete_source(str(source), user="u") == 6
    assert [card.text.split()[1] for card in plain.list(user="u")] == ["lamp"] * 4
    plain.undo(user="u")
    assert len(plain.list(user="u")) == 10
    assert plain.forget(source_id=str(source), user="u").events == 6 and len(plain.list(user="v")) == 1
