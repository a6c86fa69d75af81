"""What every accepted shape of content becomes, and what is refused."""

from __future__ import annotations

import copy
import json

import pytest

from zeromem import Document, InvalidInput
from zeromem.encode.messages import Item, parse


def brief(items: list[Item]) -> list[tuple[str, str, str | None, str]]:
    return [(item.kind, item.role, item.speaker, item.text) for item in items]


def test_text_message_and_list_are_the_same_item() -> None:
    """A string is a user message; so are its dict and its list of one."""
    expected = [("message", "user", None, "fig")]
    for content in ("fig", {"role": "user", "content": "fig"}, [{"role": "user", "content": "fig"}], ["fig"]):
        assert brief(parse(content)) == expected


def test_openai_tool_call_and_result() -> None:
    """A call becomes its name with arguments beside their keys; the result keeps its call's id."""
    items = parse(
        [
            {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "c1",
                        "type": "function",
                        "function": {"name": "find", "arguments": '{"city": "里斯本", "n": 2}'},
                    }
                ],
            },
            {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "19C"}]},
        ]
    )
    assert brief(items) == [
        ("tool_call", "assistant", None, 'find(city: "里斯本", n: 2)'),
        ("tool_result", "tool", None, "19C"),
    ]
    assert [item.call_id for item in items] == ["c1", "c1"]
    assert json.loads(items[0].raw or "")["tool_calls"][0]["function"]["name"] == "find"


def test_anthropic_parts() -> None:
    """Text, tool use and tool result parts of one message become items of their own; thinking is no text."""
    items = parse(
        [
            {
                "role": "assistant",
                "content": [
                    {"type": "thinking", "thinking": "hm"},
                    {"type": "text", "text": "Let me look."},
                    {"type": "tool_use", "id": "t1", "name": "look", "input": {"q": "tea"}},
                ],
            },
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "green tea"}]},
        ]
    )
    assert brief(items) == [
        ("message", "assistant", None, "Let me look."),
        ("tool_call", "assistant", None, 'look(q: "tea")'),
        ("tool_result", "tool", None, "green tea"),
    ]


def test_responses_shape() -> None:
    """OpenAI responses: input_text parts, function_call and function_call_output items."""
    items = parse(
        [
            {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "hi there, Lima?"}]},
            {"type": "function_call", "call_id": "f1", "name": "w", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "f1", "output": "ok"},
        ]
    )
    assert brief(items) == [
        ("message", "user", None, "hi there, Lima?"),
        ("tool_call", "assistant", None, "w()"),
        ("tool_result", "tool", None, "ok"),
    ]


def test_attachments_are_named_and_counted_not_copied() -> None:
    """Images and sounds leave a marker in the text; their bytes stay in the original."""
    (item,) = parse(
        {
            "role": "user",
            "content": [
                {"type": "text", "text": "look"},
                {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
                {"type": "input_audio", "input_audio": {}},
            ],
        }
    )
    assert (item.text, item.attachments) == ("look\n[image]\n[audio]", 2)
    assert "AAAA" in (item.raw or "")


def test_documents() -> None:
    """A Document and a document message are the same; the title stands as the speaker."""
    assert parse(Document("Text.", "Title")) == parse({"type": "document", "text": "Text.", "title": "Title"})
    assert brief(parse(Document("Text.", "Title"))) == [("document", "document", "Title", "Text.")]


@pytest.mark.parametrize(
    "content",
    [None, 7, 1.5, b"x", object(), [None], [7], [{"role": "user", "content": 7}], [{"role": ""}], [{"role": 3}], {"x": 1},
     [{"role": "user", "content": [7]}], {"type": "document"}],
)  # fmt: skip
def test_what_is_no_message_is_refused(content: object) -> None:
    """Anything else is an InvalidInput, never an AttributeError."""
    with pytest.raises(InvalidInput):
        parse(content)


def test_the_callers_objects_are_not_changed() -> None:
    """Parsing reads only."""
    message = {"role": "user", "content": [{"type": "text", "text": "a"}], "x": {"y": [1]}}
    before = copy.deepcopy(message)
    parse([message])
    assert message == before
