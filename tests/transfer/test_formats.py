"""Which format a file has, the documents among them, and that nothing but batches or InvalidInput comes out."""

from __future__ import annotations

import io
import json
import os
import sys
import threading
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from zeromem.errors import InvalidInput
from zeromem.transfer import Batch, detect, read_file


def lines(*records: Any) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def said(text: str, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, **more}


def one(path: Path, **options: Any) -> Batch:
    (batch,) = read_file(path, **options)
    return batch


# Detection, standard input, the sample


@pytest.mark.parametrize(
    ("name", "content", "kind"),
    [
        ("NOTE.TXT", '{"role": "user"}', "text"),
        ("a.MarkDown", "x", "markdown"),
        ("a.NDJSON", lines(said("x")), "jsonl"),
        ("a.jsonl", json.dumps([said("x")]), "openai"),
        ("a.json", json.dumps([{"title": "T", "mapping": {}}]), "chatgpt"),
        ("a.json", json.dumps({"messages": [said('look: "mapping": {')]}), "openai"),
        ("a.json", lines(said("x"), said("y")), "jsonl"),
        ("dump", lines({"messages": []}, {"messages": []}), "jsonl"),
        ("dump", json.dumps({"messages": []}, indent=1), "openai"),
        ("dump", "[12:30] Ana: hello", "text"),
        ("dump", "{draft} not JSON", "text"),
        ("dump.rst", "中文", "text"),
        ("dump.jsonl", lines({"type": "header", "zeromem": 1}), "zeromem"),
    ],
)
def test_detect(write: Any, name: str, content: str, kind: str) -> None:
    assert detect(write(name, content)) == kind


def test_our_own_export_is_sent_to_import(write: Any) -> None:
    with pytest.raises(InvalidInput, match=r"Memory\.import_"):
        read_file(write("a.jsonl", lines({"type": "header", "zeromem": 1})))


@pytest.mark.parametrize(
    ("data", "content"),
    [(lines(said("杏仁")).encode(), [said("杏仁")]), ("只是文字".encode(), "只是文字"), (b"\xef\xbb\xbfhi", "hi")],
)
def test_standard_input(monkeypatch: pytest.MonkeyPatch, data: bytes, content: Any) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data), encoding="ascii"))
    (batch,) = read_file("-")
    assert (batch.content, batch.title) == (content, None)


def test_a_pipe_is_read_once(tmp_path: Path) -> None:
    """A named pipe, as the shell makes for `<(…)`, is detected and read although it cannot be rewound."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(lines(said("杏仁")).encode(),))
    writer.start()
    assert one(pipe).content == [said("杏仁")]
    writer.join()


def test_standard_input_is_not_consumed_by_detect() -> None:
    with pytest.raises(InvalidInput, match="only once"):
        detect("-")


def test_the_demo_sample() -> None:
    """The sample is read session by session, and every expected answer stands in the session that is its evidence."""
    folder = Path(__file__).parents[2] / "src" / "zeromem" / "demo"
    batches = list(read_file(folder / "sample.jsonl"))
    sessions = {batch.session: json.dumps(batch.content, ensure_ascii=False) for batch in batches}
    assert len(sessions) == len(batches) == 8
    assert 48 <= sum(len(batch.content) for batch in batches) <= 60
    times = [message["at"] for batch in batches for message in batch.content if isinstance(message, dict)]
    assert all(time.startswith("2026-0") for time in times)
    asked = json.loads((folder / "questions.json").read_text(encoding="utf-8"))
    assert [question["lang"] for question in asked["questions"]].count("zh") == 2
    assert len(asked["questions"]) == 5
    assert len(asked["silent"]) == 2
    for question in asked["questions"]:
        evidence = "".join(sessions[name] for name in question["evidence"])
        assert [words for words in question["expect"] if words not in evidence] == []


# Markdown


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("# 里斯本 #\n\nText", "里斯本"),
        ('---\r\ntitle: "Trip notes"\r\n---\r\n# Other\r\n', "Trip notes"),
        ("---\ntags: [a]\n---\nIntro\n# Heading\n", "Heading"),
        ("## Only a smaller one\n", "A.MD"),
    ],
)
def test_markdown_is_one_document_with_a_title(write: Any, text: str, title: str) -> None:
    """Front matter and marks stay in the text; the title is taken from them, or from the file name."""
    batch = one(write("A.MD", text))
    assert (batch.content, batch.title) == (text, title)


# Anything at all

WORDS = """role content messages message mapping current_node at session metadata name a author parts content_type
parent children recipient create_time tool_calls title id"""
KEYS = st.sampled_from(WORDS.split())
ANY_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["user", "a", "text", "好的", "\ud800", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=5),
    max_leaves=25,
)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow])
@given(value=ANY_JSON, format=st.sampled_from(["auto", "jsonl", "openai", "chatgpt"]))
def test_any_json_is_read_or_refused(tmp_path: Path, value: Any, format: str) -> None:
    """Whatever JSON a file holds, reading gives batches or an InvalidInput, never another error."""
    path = tmp_path / "a.json"
    path.write_text(json.dumps({"mapping": {"a": value}} if format == "chatgpt" else value), encoding="utf-8")
    try:
        batches = list(read_file(path, format=format))
    except InvalidInput as error:
        assert "a.json" in str(error)
    else:
        assert all(batch.source_id for batch in batches)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.binary(max_size=200), name=st.sampled_from(["a.txt", "a.md", "a.jsonl", "a.json", "a"]))
def test_any_bytes_are_read_or_refused(tmp_path: Path, data: bytes, name: str) -> None:
    """Bytes become exactly the text that they are in UTF-8 (or by their mark), or an InvalidInput."""
    path = tmp_path / name
    path.write_bytes(data)
    try:
        batches = list(read_file(path))
    except InvalidInput as error:
        assert name in str(error)
    else:
        texts = [batch.content for batch in batches if isinstance(batch.content, str)]
        marked = data.startswith((b"\xff\xfe", b"\xfe\xff"))
        assert marked or [text.encode() for text in texts] in ([], [data], [data.removeprefix(b"\xef\xbb\xbf")])
