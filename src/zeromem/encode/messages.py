"""Reads what `add` and `recall` are given: a string, one message, a list of messages, or a document.

In: content in OpenAI chat, OpenAI responses or Anthropic shape, or plain text. Out: `Item`s in order, each one future event:
role, speaker, text, and the original as JSON where it was more than a role and a text. Never changes the caller's objects;
what cannot be a message is an InvalidInput that names its place. Decides nothing about what is worth a card.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from zeromem.errors import InvalidInput

Kind = Literal["message", "tool_call", "tool_result", "document"]
_TEXT_PARTS = ("text", "input_text", "output_text", "refusal")
_SILENT_PARTS = ("thinking", "redacted_thinking", "reasoning")
_TIME_KEYS = ("at", "timestamp", "created_at", "time", "create_time")


@dataclass(frozen=True, slots=True)
class Document:
    """A text that nobody said: an article, a note, a file. Its parts become cards of kind `document`."""

    text: str
    title: str | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that happened, before it has an id: `text` is what a reader would see, `raw` the original as JSON."""

    kind: Kind
    role: str
    speaker: str | None
    text: str
    raw: str | None = None
    at: Any = None
    call_id: str | None = None  # joins a tool call and its result
    tool: str | None = None
    attachments: int = 0


def parse(content: object) -> list[Item]:
    """All items of `content` in order. Raises InvalidInput for anything that is not text or a message."""
    if isinstance(content, str):
        return [Item("message", "user", None, content)]
    if isinstance(content, Document):
        return [_document(content.text, content.title, None)]
    if isinstance(content, Mapping):
        return list(_message(content, "content"))
    if isinstance(content, Sequence) and not isinstance(content, bytes | bytearray):
        return [item for i, entry in enumerate(content) for item in _entry(entry, f"content[{i}]")]
    raise InvalidInput(
        f"content must be a string, a message, a list of messages or a Document, not {type(content).__name__}"
    )


def _entry(entry: object, place: str) -> Iterator[Item]:
    if isinstance(entry, str):
        yield Item("message", "user", None, entry)
    elif isinstance(entry, Document):
        yield _document(entry.text, entry.title, None)
    elif isinstance(entry, Mapping):
        yield from _message(entry, place)
    else:
        raise InvalidInput(f"{place} must be a message or a string, not {type(entry).__name__}")


def _document(text: object, title: str | None, at: Any) -> Item:
    if not isinstance(text, str):
        raise InvalidInput(f"a document's text must be a string, not {type(text).__name__}")
    return Item("document", "document", title, text, at=at)


def _message(message: Mapping[str, Any], place: str) -> Iterator[Item]:
    """One message may be several items: its text, its tool calls, its tool results."""
    kind = message.get("type")
    at = next((message[key] for key in _TIME_KEYS if message.get(key) is not None), None)
    if kind == "document":
        title = message.get("title")
        yield _document(message.get("text"), title if isinstance(title, str) else None, at)
        return
    if kind in ("function_call", "function_call_output") and "role" not in message:
        yield _responses_item(message, at)
        return
    role = message.get("role", "user" if "content" in message else None)
    if not isinstance(role, str) or not role.strip():
        raise InvalidInput(f"{place} has no role; a message looks like {{'role': 'user', 'content': '…'}}")
    name = message.get("name")
    speaker = name if isinstance(name, str) and name.strip() else None
    if role in ("tool", "function"):
        text, attachments = _text(message.get("content"), place)
        yield Item(
            "tool_result", role, speaker, text, _raw(message), at, _id(message, "tool_call_id"), speaker, attachments
        )
        return
    yield from _spoken(message, role, speaker, at, place)


def _spoken(message: Mapping[str, Any], role: str, speaker: str | None, at: Any, place: str) -> Iterator[Item]:
    content = message.get("content")
    text, attachments = _text(content, place)
    calls = [*_openai_calls(message), *_anthropic_parts(content, "tool_use")]
    results = _anthropic_parts(content, "tool_result")
    plain = isinstance(content, str) and not calls and set(message) <= {"role", "content", "name", *_TIME_KEYS}
    raw = None if plain else _raw(message)
    if text.strip() or not (calls or results):
        yield Item("message", role, speaker, text, raw, at, attachments=attachments)
        raw = None  # once is enough: the message's other items share its event order
    for part in results:
        body, found = _text(part.get("content"), place)
        yield Item("tool_result", "tool", None, body, raw or _raw(part), at, _id(part, "tool_use_id"), None, found)
        raw = None
    for call in calls:
        yield Item("tool_call", role, speaker, _call_text(call["name"], call["arguments"]), raw or _raw(call), at,
                   call["id"], call["name"])  # fmt: skip
        raw = None


def _openai_calls(message: Mapping[str, Any]) -> list[dict[str, Any]]:
    calls = []
    entries = message.get("tool_calls")
    legacy = message.get("function_call")
    if isinstance(entries, Sequence) and not isinstance(entries, str):
        for entry in entries:
            function = entry.get("function", entry) if isinstance(entry, Mapping) else {}
            if isinstance(function, Mapping) and function.get("name"):
                calls.append(_call(function["name"], function.get("arguments"), _id(entry, "id")))
    if isinstance(legacy, Mapping) and legacy.get("name"):
        calls.append(_call(legacy["name"], legacy.get("arguments"), None))
    return calls


def _anthropic_parts(content: object, kind: str) -> list[dict[str, Any]]:
    if not isinstance(content, Sequence) or isinstance(content, str):
        return []
    parts = [part for part in content if isinstance(part, Mapping) and part.get("type") == kind]
    if kind == "tool_use":
        return [_call(part.get("name", "tool"), part.get("input"), _id(part, "id")) for part in parts]
    return [dict(part) for part in parts]


def _responses_item(message: Mapping[str, Any], at: Any) -> Item:
    call_id = _id(message, "call_id")
    if message["type"] == "function_call_output":
        text, attachments = _text(message.get("output"), "output")
        return Item("tool_result", "tool", None, text, _raw(message), at, call_id, None, attachments)
    call = _call(message.get("name", "tool"), message.get("arguments"), call_id)
    return Item("tool_call", "assistant", None, _call_text(call["name"], call["arguments"]), _raw(message), at,
                call_id, call["name"])  # fmt: skip


def _call(name: object, arguments: object, id_: str | None) -> dict[str, Any]:
    if isinstance(arguments, str):
        with contextlib.suppress(ValueError, RecursionError):  # kept as the text it is
            arguments = json.loads(arguments)
    return {"name": str(name), "arguments": arguments, "id": id_}


def _call_text(name: str, arguments: object) -> str:
    """`search_flights(from: "LIS", seats: 2)`: each value beside its key, in the words of the call."""
    if isinstance(arguments, Mapping):
        return f"{name}({', '.join(f'{key}: {compact(value)}' for key, value in arguments.items())})"
    return f"{name}({'' if arguments in (None, '') else compact(arguments)})"


def compact(value: object) -> str:
    """JSON without escapes or needless quotes around nothing; any other object by its text."""
    return _json(value)


def _text(content: object, place: str) -> tuple[str, int]:
    """The words of a content field, and how many attachments stand beside them."""
    if content is None:
        return "", 0
    if isinstance(content, str):
        return content, 0
    if isinstance(content, Mapping):
        return (_text([content], place)) if "type" in content else (compact(content), 0)
    if not isinstance(content, Sequence) or isinstance(content, bytes | bytearray):
        raise InvalidInput(f"{place}: content must be a string, a list of parts or null, not {type(content).__name__}")
    words, attachments = [], 0
    for part in content:
        if isinstance(part, str):
            words.append(part)
        elif (
            isinstance(part, Mapping) and isinstance(part.get("text"), str) and part.get("type", "text") in _TEXT_PARTS
        ):
            words.append(part["text"])
        elif isinstance(part, Mapping) and part.get("type") in ("tool_use", "tool_result", *_SILENT_PARTS):
            continue
        elif isinstance(part, Mapping):
            attachments += 1
            words.append(f"[{_attachment(part)}]")
        else:
            raise InvalidInput(f"{place}: a content part must be an object, not {type(part).__name__}")
    return "\n".join(words), attachments


def _attachment(part: Mapping[str, Any]) -> str:
    kind = str(part.get("type") or "attachment")
    for word in ("image", "audio", "video", "file", "document"):
        if word in kind:
            return word
    return kind if kind.isascii() and len(kind) <= 24 else "attachment"


def _id(message: object, key: str) -> str | None:
    value = message.get(key) if isinstance(message, Mapping) else None
    return value if isinstance(value, str) else None


def _raw(message: Mapping[str, Any]) -> str:
    return _json(message)


def _json(value: object) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"a message holds plain JSON values, not too deep and not itself: {error}") from None
