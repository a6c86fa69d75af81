"""What every accepted shape of content becomes, and what is refused."""

from __future__ import annotations

import copy
import json

import pytest

from zeromem import Document, InvalidInput, Memory
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
    with_more = {"type": "document", "text": "Text.", "title": "Title", "url": "https://ex.org/a", "page": 7}
    assert json.loads(parse(with_more)[0].raw or "") == with_more
    assert parse(Document("Text.", "Title")) == parse({"type": "document", "text": "Text.", "title": "Title"})
    assert brief(parse(Document("Text.", "Title"))) == [("document", "document", "Title", "Text.")]


AUDIO = {"type": "input_audio", "transcript": "the Lima ferry", "audio": "AAAA"}
LOST: list[tuple[dict[str, object], str, bool]] = [
    # message, text, whether it makes a card
    ({"role": "assistant", "content": None, "refusal": "I can't help with the ferry."}, "I can't help with the ferry.", True),
    ({"role": "assistant", "content": [{"type": "refusal", "refusal": "No ferry today."}]}, "No ferry today.", True),
    ({"role": "assistant", "content": None, "audio": {"id": "a", "data": "AAAA", "transcript": "The ferry is late."}},
     "The ferry is late.", True),
    ({"role": "user", "content": [AUDIO]}, "the Lima ferry", True),
    ({"role": "user", "content": [{"type": "input_audio", "input_audio": {"data": "AA", "transcript": "the Oslo ferry"}}]},
     "the Oslo ferry", True),
    ({"role": "assistant", "tool_calls": [{"id": "c", "type": "custom", "custom": {"name": "sql", "input": "SELECT ferry"}}]},
     'sql("SELECT ferry")', True),
    ({"role": "assistant", "content": [{"type": "thinking", "thinking": "hm", "signature": "s"}]}, "", False),
    ({"role": "assistant", "content": "", "reasoning_content": "hm"}, "", False),
    ({"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": "hm"}]}, "", False),
    ({"role": "user", "content": [{"type": "hologram", "data": "AAAA"}]}, "[hologram]", False),
    ({"role": "user", "content": "", "id": "msg_1"}, "", False),
    ({"role": "tool", "tool_call_id": "c", "content": ""}, "", False),
    ({"type": "custom_tool_call", "call_id": "c", "name": "sql", "input": "SELECT 1"}, 'sql("SELECT 1")', True),
    ({"type": "web_search_call", "id": "w", "action": {"query": "ferry"}}, 'web_search_call(query: "ferry")', True),
]  # fmt: skip


@pytest.mark.parametrize(("message", "text", "card"), LOST)
def test_no_message_is_lost(plain: Memory, message: dict[str, object], text: str, card: bool) -> None:
    """Whatever holds anything is an event with its original; a card is made where there are words."""
    (item,) = plain.add([message], user="u").items
    assert (item.status == "stored") is card
    (event,) = plain.messages(user="u")
    assert (event.text, json.loads(event.raw or "")) == (text, message)


@pytest.mark.parametrize(
    "message",
    [{"role": "user", "content": " "}, {"role": "user", "content": []}, {"role": "user", "content": [{"type": "text", "text": ""}]},
     {"role": "assistant", "content": None, "refusal": None, "tool_calls": [], "annotations": []}],
)  # fmt: skip
def test_nothing_is_no_event(plain: Memory, message: dict[str, object]) -> None:
    """A message with nothing in any of its fields is ignored, and not kept."""
    (item,) = plain.add([message], user="u").items
    assert (item.status, item.reason, item.event_id) == ("ignored", "empty text", None)
    assert plain.messages(user="u") == []


def test_a_block_is_cut_out_of_the_original_and_the_rest_stays(plain: Memory) -> None:
    """Image and id stay in the original, the block does not, and the receipt counts what went."""
    block = '<memory note="x">\n[m:tea] Ana: tea\n</memory>\n'
    image = {"type": "image_url", "image_url": {"url": "https://ex.org/a.png"}}
    message = {"role": "user", "id": "m1", "content": [{"type": "text", "text": block + "Which ferry is this?"}, image]}
    (item,) = plain.add([message], user="u").items
    assert item.reason == f"new message; {len(block)} characters of injected memory cut out"
    (event,) = plain.messages(user="u")
    assert event.text == "Which ferry is this?\n[image]"
    assert json.loads(event.raw or "") == {
        **message,
        "content": [{"type": "text", "text": "Which ferry is this?"}, image],
    }
    (ignored,) = plain.add(block, user="u").items
    assert ignored.reason == f"empty text; {len(block)} characters of injected memory cut out"


def test_documents_keep_what_looks_like_a_block(plain: Memory) -> None:
    """A document's text is never searched for injected memory."""
    text = '<memory note="x">\n[m:tea] Ana: tea\n</memory>\nThis is how a block looks.'
    plain.add(Document(text), user="u")
    assert plain.messages(user="u")[0].text == text


def test_a_source_of_silent_messages_is_known_again(plain: Memory) -> None:
    """Messages without words are told apart by their originals when a source is added again or replaced."""
    thoughts = [{"role": "assistant", "content": "", "reasoning_content": thought} for thought in ("one", "two")]
    plain.add(thoughts[:1], user="u", source_id="s")
    (known,) = plain.add(thoughts[:1], user="u", source_id="s").items
    assert known.reason == "source 's' is already stored"
    assert "other content" in plain.add(thoughts[1:], user="u", source_id="s").items[0].reason


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
