"""Cases of the kind "message shapes": every shape that clients send is read, and never changed."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from zeromem import InvalidInput, Memory

GATEWAY = pytest.mark.xfail(strict=True, raises=ImportError, reason="waits for the gateway")

TOOL_TURN: list[dict[str, Any]] = [
    {"role": "user", "content": "weather in Lima?"},
    {
        "role": "assistant",
        "tool_calls": [{"id": "c1", "type": "function", "function": {"name": "w", "arguments": "{}"}}],
    },
    {"role": "assistant", "content": None, "tool_calls": []},
    {"role": "tool", "tool_call_id": "c1", "content": [{"type": "text", "text": "19C"}]},
    {"role": "assistant", "content": "19C in Lima"},
]


def test_c078_tool_call_without_content(mem: Memory) -> None:
    """A tool call and its result make one card; no Python representation is stored; the caller's objects are unchanged."""
    said = copy.deepcopy(TOOL_TURN)
    mem.add(said, user="u")
    assert said == TOOL_TURN
    assert [card.text for card in mem.list(user="u")] == ["weather in Lima?", "w() → 19C", "19C in Lima"]
    stored = [event.text for event in mem.messages(user="u")]
    assert not [text for text in stored if "{'type'" in text]
    assert any("Lima" in hit.text for hit in mem.search("Lima", user="u"))


def test_c078_anthropic_shape(plain: Memory) -> None:
    """The same turn in Anthropic shape gives the same cards."""
    plain.add(
        [
            {"role": "user", "content": "weather in Lima?"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "c1", "name": "w", "input": {}}]},
            {
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "c1", "content": [{"type": "text", "text": "19C"}]}],
            },
            {"role": "assistant", "content": [{"type": "text", "text": "19C in Lima"}]},
        ],
        user="u",
    )
    assert [card.text for card in plain.list(user="u")] == ["weather in Lima?", "w() → 19C", "19C in Lima"]


def test_c079_parts_with_images(mem: Memory) -> None:
    """Text parts are kept, attachments are counted by a mark each, and no base64 is indexed."""
    parts = [
        {"type": "text", "text": "I love hiking"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,AAAA"}},
        {"type": "image_url"},
        {"type": "input_audio", "input_audio": {}},
    ]
    id_ = str(mem.add([{"role": "user", "content": parts}], user="u").id)
    assert mem.get(id_).text == "I love hiking\n[image]\n[image]\n[audio]"
    assert [hit.id for hit in mem.search("hiking", user="u")] == [id_]


def test_c081_string_dict_and_list(mem: Memory) -> None:
    """One text in three shapes is one card; None and numbers are refused by type."""
    for content in ("fig", {"role": "user", "content": "fig"}, [{"role": "user", "content": "fig"}]):
        mem.add(content, user="u")
    assert [card.text for card in mem.list(user="u")] == ["fig"]
    for bad in (None, 7, 7.5, True, b"fig", object(), {1, 2}):
        with pytest.raises(InvalidInput):
            mem.add(bad, user="u")


@pytest.mark.parametrize(
    "content",
    [{}, {"content": 7}, [None], [7], [["nested"]], {"role": 7, "content": "x"}, {"role": "", "content": "x"},
     {"role": "user", "content": [7]}, {"role": "user", "content": b"x"}, {"type": "document", "text": None}],
)  # fmt: skip
def test_c081_what_is_no_message_is_refused(plain: Memory, content: Any) -> None:
    """Everything that is no message is an InvalidInput, and nothing of the call is stored."""
    with pytest.raises(InvalidInput):
        plain.add(["first", content], user="u")
    assert (plain.list(user="u"), plain.messages(user="u")) == ([], [])


@GATEWAY
def test_c082_streamed_tool_calls(gateway: Any) -> None:
    """Tool call fragments and usage pass through byte for byte and in order."""
    fragments = [f'{{"part":{i}}}' * 12 for i in range(40)]
    gateway.upstream.stream_tool_call(fragments, usage={"total_tokens": 9})
    events = gateway.stream([{"role": "user", "content": "go"}], user="u", include_usage=True)
    assert "".join(event.arguments for event in events if event.arguments) == "".join(fragments)
    assert [event.data for event in events].count("[DONE]") == 1
    assert events[-2].json["choices"] == [] and events[-2].json["usage"] == {"total_tokens": 9}


@GATEWAY
def test_c083_recall_and_write_behind_the_gateway(gateway: Any) -> None:
    """A plain client gets memory in, the assistant's text is recorded, its own messages stay as they are."""
    gateway.chat([{"role": "user", "content": "my locker is 31"}], user="u")
    gateway.chat([{"role": "user", "content": "which locker?"}], user="u", stream=True)
    prompt = gateway.upstream.requests[1]["messages"]
    assert "31" in "".join(message["content"] for message in prompt)
    assert prompt[-1] == {"role": "user", "content": "which locker?"}
    assert "assistant" in [event.role for event in gateway.memory.messages(user="u")]


@pytest.mark.xfail(strict=True, raises=AttributeError, reason="waits for the window verb")
def test_c085_window_keeps_tool_pairs(mem: Any) -> None:
    """The newest question is last and verbatim, no tool message stands alone, the budget holds."""
    from zeromem.text.tokens import count

    call = {"id": "c9", "type": "function", "function": {"name": "find", "arguments": "{}"}}
    said = [{"role": "user" if i % 2 else "assistant", "content": f"turn {i} about flights"} for i in range(60)]
    said += [
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c9", "content": "big " * 3000},
        {"role": "user", "content": "so which flight did we pick?"},
    ]
    window = mem.window(said, budget=500)
    assert window.messages[-1] == said[-1]
    roles = [message["role"] for message in window.messages]
    assert ("tool" in roles) == any(message.get("tool_calls") for message in window.messages)
    assert sum(count(str(message.get("content") or "")) for message in window.messages) <= 500
