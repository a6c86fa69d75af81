"""Reads what `add` and `recall` are given: a string, one message, a list of messages, or a document.

In: content in OpenAI chat, OpenAI responses or Anthropic shape, or plain text. Out: `Item`s in order, each one future event:
role, speaker, text, and the original as JSON where it was more than a role and a text. Injected memory blocks are cut out of both
first, secrets masked, and both counted. Never changes the caller's objects; what cannot be a message is an InvalidInput that names its place.
Decides nothing about what is worth a card; what the parts of a message say is told by `parts.py`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal

from zeromem.encode.masking import masked
from zeromem.encode.parts import (
    Call,
    Words,
    anthropic_calls,
    as_call,
    beside,
    call_text,
    has_more,
    json_text,
    openai_calls,
    parts_of,
    words_of,
)
from zeromem.errors import InvalidInput
from zeromem.text.injected import strip_injected
from zeromem.text.redact import Level

Kind = Literal["message", "tool_call", "tool_result", "document"]
_TIME_KEYS = ("at", "timestamp", "created_at", "time", "create_time")
_FRAME = frozenset(("role", "content", "name", "type", *_TIME_KEYS))  # keys that say nothing by themselves
_TEXT_KEYS = ("content", "text", "output", "refusal")  # where a message holds its words


@dataclass(frozen=True, slots=True)
class Document:
    """A text that nobody said: an article, a note, a file. Its parts become cards of kind `document`."""

    text: str
    title: str | None = None


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that happened, before it has an id: `text` is what a reader would see, `raw` the original as JSON.

    `spoken` says whether the text holds anybody's words, not only the names of attachments; `cut` counts the characters of
    injected memory blocks that were taken out, `masked` names the kinds of the secrets that were masked.
    """

    kind: Kind
    role: str
    speaker: str | None
    text: str
    raw: str | None = None
    at: Any = None
    call_id: str | None = None  # joins a tool call and its result
    tool: str | None = None
    attachments: int = 0
    spoken: bool = True
    cut: int = 0
    masked: tuple[str, ...] = ()

    @property
    def empty(self) -> bool:
        """Whether there is nothing to keep: no visible text, and nothing beside it."""
        return not self.text.strip() and self.raw is None


def parse(content: object, redact: Level = "off") -> list[Item]:
    """All items of `content` in order, masked as `redact` says. Raises InvalidInput for anything that is not text or a message."""
    return [item for items in parse_each(content, redact) for item in items]


def parse_each(content: object, redact: Level = "off") -> list[list[Item]]:
    """The items of `content`, by entry. Raises as `parse` does."""
    if isinstance(content, str | Mapping | Document):
        return [list(_entry(content, "content", redact))]
    if isinstance(content, Sequence) and not isinstance(content, bytes | bytearray):
        return [list(_entry(entry, f"content[{i}]", redact)) for i, entry in enumerate(content)]
    raise InvalidInput(
        f"content must be a string, a message, a list of messages or a Document, not {type(content).__name__}"
    )


def _entry(entry: object, place: str, redact: Level) -> Iterator[Item]:
    if isinstance(entry, str):
        text, cut = strip_injected(entry)
        text, kinds = masked(text, redact)
        yield Item("message", "user", None, text, cut=cut, masked=kinds)
    elif isinstance(entry, Document):
        (text, title), kinds = masked((entry.text, entry.title), redact)
        yield replace(_document(text, title, None), masked=kinds)
    elif isinstance(entry, Mapping):
        if entry.get("type") == "document":  # never searched for blocks: its text is nobody's prompt
            message, cut, read = entry, 0, _document_message
        else:
            (message, cut), read = _without_blocks(entry), _message
        message, kinds = masked(message, redact)
        for item in read(message, place):
            yield replace(item, cut=cut, masked=kinds) if cut or kinds else item
            cut, kinds = 0, ()
    else:
        raise InvalidInput(f"{place} must be a message or a string, not {type(entry).__name__}")


def _without_blocks(message: Mapping[str, Any], depth: int = 3) -> tuple[Mapping[str, Any], int]:
    """The message with the memory blocks cut out of its texts, and how many characters went; without any, the same object."""
    changed: dict[str, Any] = {}
    total = 0
    for key in _TEXT_KEYS:
        value = message.get(key)
        new: object
        if isinstance(value, str):
            new, cut = strip_injected(value)
        elif depth and isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
            new, cut = _parts_without_blocks(value, depth - 1)
        else:
            continue
        if cut:
            changed[key] = new
            total += cut
    return ({**message, **changed}, total) if total else (message, 0)


def _parts_without_blocks(parts: Sequence[Any], depth: int) -> tuple[list[Any], int]:
    out, total = [], 0
    for part in parts:
        new, cut = part, 0
        if isinstance(part, str):
            new, cut = strip_injected(part)
        elif isinstance(part, Mapping):
            new, cut = _without_blocks(part, depth)
        out.append(new)
        total += cut
    return out, total


def _document(text: object, title: str | None, at: Any, raw: str | None = None) -> Item:
    if not isinstance(text, str):
        raise InvalidInput(f"a document's text must be a string, not {type(text).__name__}")
    if not isinstance(title, str | None):
        raise InvalidInput(f"a document's title must be a string, not {type(title).__name__}")
    return Item("document", "document", title, text, raw, at=at)


def _document_message(message: Mapping[str, Any], place: str) -> Iterator[Item]:
    title = message.get("title")
    plain = set(message) <= {"type", "text", "title", *_TIME_KEYS} and isinstance(title, str | None)
    raw = None if plain else json_text(message)
    yield _document(message.get("text"), title if isinstance(title, str) else None, _time(message), raw)


def _time(message: Mapping[str, Any]) -> Any:
    return next((message[key] for key in _TIME_KEYS if message.get(key) is not None), None)


def _message(message: Mapping[str, Any], place: str) -> Iterator[Item]:
    """One message may be several items: its text, its tool calls, its tool results."""
    kind = message.get("type")
    if "role" not in message and isinstance(kind, str):
        item = _responses_item(message, kind)
        if item is not None:
            yield item
            return
    role = message.get("role", "user" if "content" in message else None)
    if not isinstance(role, str) or not role.strip():
        raise InvalidInput(f"{place} has no role; a message looks like {{'role': 'user', 'content': '…'}}")
    name = message.get("name")
    speaker = name if isinstance(name, str) and name.strip() else None
    if role in ("tool", "function"):
        words = words_of(message.get("content"), place)
        yield Item("tool_result", role, speaker, words.text, json_text(message), _time(message),
                   _id(message, "tool_call_id"), speaker, words.attachments, words.spoken)  # fmt: skip
        return
    yield from _said(message, role, speaker, place)


def _said(message: Mapping[str, Any], role: str, speaker: str | None, place: str) -> Iterator[Item]:
    content, at = message.get("content"), _time(message)
    words = beside(message, words_of(content, place))
    calls = [*openai_calls(message), *anthropic_calls(content)]
    results = parts_of(content, "tool_result")
    plain = isinstance(content, str) and not calls and set(message) <= {"role", "content", "name", *_TIME_KEYS}
    raw = None if plain or not (words.text.strip() or has_more(message, _FRAME)) else json_text(message)
    if words.text.strip() or not (calls or results):
        yield Item("message", role, speaker, words.text, raw, at, None, None, words.attachments, words.spoken)
        raw = None  # once is enough: the message's other items share its event order
    for part in results:
        body = words_of(part.get("content"), place)
        yield Item("tool_result", "tool", None, body.text, raw or json_text(part), at, _id(part, "tool_use_id"), None,
                   body.attachments, body.spoken)  # fmt: skip
        raw = None
    for call in calls:
        yield _call_item(call, role, speaker, raw or json_text(call.original), at)
        raw = None


def _responses_item(message: Mapping[str, Any], kind: str) -> Item | None:
    """An item of the OpenAI Responses API that bears no role: a call of any tool, its output, or reasoning; else None."""
    call_id, at, raw = _id(message, "call_id"), _time(message), json_text(message)
    if kind.endswith("_call_output"):
        words: Words = words_of(message.get("output"), "output")
        return Item("tool_result", "tool", None, words.text, raw, at, call_id, None, words.attachments, words.spoken)
    if kind.endswith("_call"):
        return _call_item(as_call(message, kind, call_id), "assistant", None, raw, at)
    return Item("message", "assistant", None, "", raw, at) if kind == "reasoning" else None


def _call_item(call: Call, role: str, speaker: str | None, raw: str, at: Any) -> Item:
    return Item("tool_call", role, speaker, call_text(call), raw, at, call.id, call.name)


def _id(message: Mapping[str, Any], key: str) -> str | None:
    value = message.get(key)
    return value if isinstance(value, str) else None
