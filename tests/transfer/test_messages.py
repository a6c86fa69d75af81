"""JSON Lines and JSON files of messages: every accepted shape, and what is refused with its line."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path
from typing import Any

import pytest

from zeromem.errors import InvalidInput
from zeromem.transfer import Batch, read_file


def lines(*records: Any) -> str:
    return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)


def said(text: str, **more: Any) -> dict[str, Any]:
    return {"role": "user", "content": text, **more}


def one(path: Path, **options: Any) -> Batch:
    (batch,) = read_file(path, **options)
    return batch


# JSONL


def test_jsonl_messages_with_session_time_and_speaker(write: Any) -> None:
    """Consecutive lines of a session are one batch; the several names for session, time and speaker are understood."""
    path = write(
        "a.JSONL",
        lines(
            said("hi", session="s1", at="2026-01-03T10:00:00+08:00", name="Ana"),
            {"role": "assistant", "content": "你好", "session_id": "s1", "timestamp": 1767405660, "user": "ana"},
            said("later", conversation_id="s2", created_at="2026-01-04 09:00", speaker="Ana", mood="good"),
            said("no session", time="2026-01-05", user="ana"),
        ),
    )
    batches = list(read_file(path))
    assert [(batch.session, batch.at, batch.content) for batch in batches] == [
        (
            "s1",
            "2026-01-03T10:00:00+08:00",
            [
                {"role": "user", "content": "hi", "name": "Ana", "at": "2026-01-03T10:00:00+08:00"},
                {"role": "assistant", "content": "你好", "user": "ana", "at": "2026-01-03T02:01:00+00:00"},
            ],
        ),
        (
            "s2",
            "2026-01-04T09:00:00+00:00",
            [
                {
                    "role": "user",
                    "content": "later",
                    "speaker": "Ana",
                    "mood": "good",
                    "at": "2026-01-04T09:00:00+00:00",
                    "name": "Ana",
                }
            ],
        ),
        (
            None,
            "2026-01-05T00:00:00+00:00",
            [
                {
                    "role": "user",
                    "content": "no session",
                    "user": "ana",
                    "at": "2026-01-05T00:00:00+00:00",
                    "name": "ana",
                }
            ],
        ),
    ]


def test_jsonl_after_4_kb_of_ascii_comes_chinese(write: Any) -> None:
    path = write("a.JSONL", b"\xef\xbb\xbf" + lines(*[said("x" * 200)] * 20, said("中文 😀 \u2028 end")).encode())
    batch = one(path)
    assert isinstance(batch.content, list)
    assert (len(batch.content), batch.content[-1]["content"]) == (21, "中文 😀 \u2028 end")


@pytest.mark.parametrize("codec", ["utf-16", "utf-8-sig", "utf-32"])
def test_jsonl_in_other_encodings_has_the_same_ids(write: Any, codec: str) -> None:
    content = lines(said("杏仁过敏", session="s"), said("two", session="t"))
    plain = list(read_file(write("plain.jsonl", content)))
    assert list(read_file(write("other.jsonl", content, codec))) == plain


def test_jsonl_in_gbk_names_its_line(write: Any) -> None:
    path = write("a.jsonl", lines(said("ascii"), said("杏仁过敏，不能吃杏仁豆腐")), "gbk")
    with pytest.raises(InvalidInput, match=r"a\.jsonl, line 2: not UTF-8; .*encoding='gb18030'"):
        list(read_file(path))
    batch = one(path, encoding="gbk")
    assert isinstance(batch.content, list)
    assert batch.content[1]["content"] == "杏仁过敏，不能吃杏仁豆腐"


def test_broken_line_7(write: Any) -> None:
    """The message names file, line, column and cure; blank lines count, and the sessions before it have been given."""
    good = lines(said("one", session="s"), said("two", session="t"), said("three", session="t"))
    path = write("log.jsonl", good + "\n\n" + lines(said("six", session="t")) + '{"role": "user", "content": "hal\n')
    batches = read_file(path)
    assert next(batches).session == "s"
    with pytest.raises(
        InvalidInput, match=r"log\.jsonl, line 7: not valid JSON at column \d+ .*; repair or remove the line"
    ):
        next(batches)


@pytest.mark.parametrize(
    ("record", "words"),
    [
        ([1], "line 1: expected an object with a message, found list"),
        ({"text": "x"}, r'line 1: a message needs a "role".*text'),
        ({"role": 1, "content": "x"}, 'a message needs a "role"'),
        ({"role": "user"}, 'neither "content" nor "tool_calls"'),
        ({"role": "user", "content": "x", "at": "noon"}, 'line 1: "at": not a time'),
        ({"role": "user", "content": "x", "session": " "}, '"session" must be a string'),
        ({"role": "user", "content": "x", "metadata": "m"}, '"metadata" must be an object'),
        ({"messages": [said("x"), "y"]}, "line 1, message 2: expected an object"),
    ],
)
def test_lines_that_are_no_messages(write: Any, record: Any, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        list(read_file(write("a.jsonl", lines(record)), format="jsonl"))


def test_deep_json_is_refused(write: Any) -> None:
    with pytest.raises(InvalidInput, match="line 1: "):
        list(read_file(write("a.jsonl", '{"a":' * 100_000)))


def test_jsonl_conversations(write: Any) -> None:
    """A `{"messages"}` line is a conversation: it keeps tools as metadata and never flows into its neighbour."""
    path = write(
        "train.jsonl",
        lines(
            {"messages": [said("a"), {"role": "assistant", "content": "b"}], "tools": [{"name": "t"}]},
            {"messages": [said("a")], "session": "named", "at": "2026-01-01", "metadata": {"lang": "zh"}},
            {"messages": [said("c")]},
        ),
    )
    first, second, third = read_file(path)
    assert (first.content, first.metadata) == (
        [said("a"), {"role": "assistant", "content": "b"}],
        {"tools": [{"name": "t"}]},
    )
    assert (second.session, second.at, second.metadata) == ("named", "2026-01-01T00:00:00+00:00", {"lang": "zh"})
    assert first.session is not None
    assert first.session.startswith("import-")
    assert first.session != third.session


def test_metadata_of_lines_is_metadata_of_the_batch(write: Any) -> None:
    path = write("a.jsonl", lines(*[said(text, metadata={"n": n}) for text, n in (("a", 1), ("b", 1), ("c", 2))]))
    assert [(len(batch.content), batch.metadata) for batch in read_file(path)] == [(2, {"n": 1}), (1, {"n": 2})]


def test_batches_hold_500_messages(write: Any) -> None:
    sizes = [len(batch.content) for batch in read_file(write("a.jsonl", lines(*[said(str(n)) for n in range(1201)])))]
    assert sizes == [500, 500, 201]
    whole = {"messages": [said(str(n)) for n in range(501)]}
    batches = list(read_file(write("a.json", json.dumps(whole))))
    assert [len(batch.content) for batch in batches] == [500, 1]
    assert batches[0].session == batches[1].session


def test_source_ids_are_stable_and_distinct(write: Any) -> None:
    """The same content under another name has the same ids; a log that grows keeps those of its full batches."""
    records = [said("again", session=f"s{n // 2 % 2}") for n in range(8)]
    ids = [batch.source_id for batch in read_file(write("a.jsonl", lines(*records)))]
    assert len(set(ids)) == len(ids) == 4
    assert [batch.source_id for batch in read_file(write("b.jsonl", lines(*records)))] == ids
    grown = [batch.source_id for batch in read_file(write("c.jsonl", lines(*records, said("new", session="s9"))))]
    assert (grown[:4], len(grown)) == (ids, 5)


def test_jsonl_streams(write: Any) -> None:
    """A file of 30 MB is read in the memory of one batch."""
    line = lines(said("x" * 3000, session="s")).encode()
    path = write("big.jsonl", line * 10_000)
    tracemalloc.start()
    count = sum(len(batch.content) for batch in read_file(path))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert count == 10_000
    assert peak < 8_000_000


# OpenAI JSON


@pytest.mark.parametrize(
    ("value", "contents"),
    [
        ({"messages": [said("a"), said("b")]}, [[said("a"), said("b")]]),
        ([{"messages": [said("a")]}, {"messages": [said("b")]}], [[said("a")], [said("b")]]),
        ([said("a"), said("b")], [[said("a"), said("b")]]),
        ([said("a", session="s"), said("b", session="t")], [[said("a")], [said("b")]]),
    ],
)
@pytest.mark.parametrize("indent", [None, 2])
def test_openai_shapes(write: Any, value: Any, contents: list[Any], indent: int | None) -> None:
    path = write("Chat.JSON", json.dumps(value, indent=indent))
    assert [batch.content for batch in read_file(path)] == contents


def test_openai_tool_calls_pass_unchanged(write: Any) -> None:
    call = {"id": "c1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "里斯本"}'}}
    messages = [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "晴"},
    ]
    assert one(write("a.json", json.dumps({"messages": messages}))).content == messages


def test_equal_conversations_in_a_list_have_their_own_ids(write: Any) -> None:
    first, second = read_file(write("a.json", json.dumps([{"messages": [said("a")]}] * 2)))
    assert first.source_id != second.source_id


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('{"a": 1}', r'a\.json, item 1: no "messages" list.*found keys'),
        ('[{"messages": []}, 3]', r"a\.json, item 2: expected an object"),
        ('{\n "messages": [\n', r"a\.json: not valid JSON at line 3"),
    ],
)
def test_openai_refusals(write: Any, text: str, words: str) -> None:
    with pytest.raises(InvalidInput, match=words):
        list(read_file(write("a.json", text), format="openai"))
