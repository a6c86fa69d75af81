"""The export of ChatGPT: the branch that was seen, in order, with tools, images and speech."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from zeromem.errors import InvalidInput
from zeromem.transfer import Batch, read_file


def one(path: Path, **options: Any) -> Batch:
    (batch,) = read_file(path, **options)
    return batch


def node(key: str, parent: str | None, message: Any = None, children: tuple[str, ...] = ()) -> dict[str, Any]:
    return {"id": key, "parent": parent, "children": list(children), "message": message}


def turn(role: str, *parts: Any, at: float | None = None, **more: Any) -> dict[str, Any]:
    content = more.pop("content", {"content_type": "text", "parts": list(parts)})
    return {
        "id": "m",
        "author": {"role": role, **more.pop("author", {})},
        "create_time": at,
        "content": content,
        **more,
    }


def chat(*nodes: dict[str, Any], **more: Any) -> dict[str, Any]:
    base = {"title": "Trip", "create_time": 1767405600.5, "mapping": {item["id"]: item for item in nodes}}
    return base | {"conversation_id": "conv-1", "current_node": nodes[-1]["id"]} | more


def test_chatgpt_reads_the_current_branch(write: Any) -> None:
    """An edited question and its answers branch; only the branch that ends in current_node is read, root first."""
    value = [
        chat(
            node("root", None, None, ("sys",)),
            node("sys", "root", turn("system", ""), ("q1", "q2")),
            node("q1", "sys", turn("user", "old question", at=1767405601.0), ("a1",)),
            node("a1", "q1", turn("assistant", "old answer", at=1767405602.0)),
            node("q2", "sys", turn("user", "去里斯本要签证吗？", at=1767405603.25), ("a2",)),
            node("a2", "q2", turn("assistant", "要的。", at=None)),
        )
    ]
    batch = one(write("conversations.json", json.dumps(value)))
    assert batch.content == [
        {"role": "user", "content": "去里斯本要签证吗？", "at": "2026-01-03T02:00:03.250000+00:00"},
        {"role": "assistant", "content": "要的。", "at": "2026-01-03T02:00:00.500000+00:00"},
    ]
    assert (batch.session, batch.title, batch.metadata) == ("conv-1", "Trip", {"title": "Trip"})
    assert batch.at == "2026-01-03T02:00:03.250000+00:00"


def test_chatgpt_without_current_node_takes_the_newest_leaf(write: Any) -> None:
    value = chat(
        node("r", None, turn("user", "q", at=1.0), ("a", "b")),
        node("b", "r", turn("assistant", "newer", at=3.0)),
        node("a", "r", turn("assistant", "older", at=2.0)),
        current_node=None,
    )
    batch = one(write("c.json", json.dumps(value)))
    assert [message["content"] for message in batch.content if isinstance(message, dict)] == ["q", "newer"]


def test_chatgpt_skips_what_was_not_said(write: Any) -> None:
    """System prompts, hidden messages, profile contexts, thoughts and empty parts leave nothing."""
    hidden = turn("user", "hidden", metadata={"is_visually_hidden_from_conversation": True})
    profile = turn("user", content={"content_type": "user_editable_context", "user_profile": "x"})
    thoughts = turn("assistant", content={"content_type": "thoughts", "thoughts": [{"content": "hm"}]})
    said_here = [turn("system", "s"), hidden, profile, thoughts, turn("assistant", "", None), turn("user", "kept")]
    nodes = [node(str(n), str(n - 1) if n else None, message) for n, message in enumerate(said_here)]
    (message,) = one(write("c.json", json.dumps([chat(*nodes)]))).content
    assert isinstance(message, dict)
    assert message["content"] == "kept"


def test_chatgpt_parts_and_tools(write: Any) -> None:
    """Images become parts, speech its transcription, code a tool call, and its output the result of that call."""
    image = {"content_type": "image_asset_pointer", "asset_pointer": "file-service://f1", "width": 10}
    speech = {"content_type": "audio_transcription", "text": "好的"}
    code = {"content_type": "code", "language": "python", "text": "print(1)"}
    output = {"content_type": "execution_output", "text": "1"}
    quote = {"content_type": "tether_quote", "title": "T", "url": "https://example.org", "text": "quoted"}
    messages = [
        turn("user", "look", image, content={"content_type": "multimodal_text", "parts": ["look", image]}),
        turn("user", content={"content_type": "multimodal_text", "parts": [speech]}),
        turn("assistant", content=code, recipient="python") | {"id": "m3"},
        turn("tool", content=output, author={"name": "python"}),
        turn("tool", content=quote, author={"name": "browser"}),
        turn("assistant", "two", "parts"),
    ]
    nodes = [node(str(n), str(n - 1) if n else None, message) for n, message in enumerate(messages)]
    content = one(write("c.json", json.dumps([chat(*nodes)]))).content
    assert isinstance(content, list)
    assert [{key: value for key, value in message.items() if key != "at"} for message in content] == [
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "look"},
                {"type": "image_url", "image_url": {"url": "file-service://f1"}},
            ],
        },
        {"role": "user", "content": "好的"},
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "m3", "type": "function", "function": {"name": "python", "arguments": '{"input": "print(1)"}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "m3", "name": "python", "content": "1"},
        {"role": "tool", "tool_call_id": "m3", "name": "browser", "content": "T\nhttps://example.org\nquoted"},
        {"role": "assistant", "content": "two\nparts"},
    ]


def test_chatgpt_ids_do_not_move_with_new_conversations(write: Any) -> None:
    """The next export has newer conversations in front; the old ones keep their ids."""
    old = chat(node("q", None, turn("user", "old", at=1.0)))
    new = chat(node("q", None, turn("user", "new", at=2.0)), conversation_id="conv-2")
    (before,) = read_file(write("a.json", json.dumps([old])))
    assert [batch.source_id for batch in read_file(write("b.json", json.dumps([new, old])))][1] == before.source_id


def test_chatgpt_survives_a_loop_and_refuses_another_shape(write: Any) -> None:
    loop = chat(node("a", "b", turn("user", "x")), node("b", "a", turn("assistant", "y")))
    assert len(one(write("a.json", json.dumps([loop]))).content) == 2
    with pytest.raises(InvalidInput, match='conversation 1: no "mapping" object'):
        list(read_file(write("b.json", json.dumps([{"messages": []}])), format="chatgpt"))
