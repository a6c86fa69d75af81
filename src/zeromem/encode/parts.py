"""What the parts of a message say: words, names of attachments, tool calls; in the shapes of OpenAI and Anthropic.

In: content fields and whole messages as JSON values. Out: `Words` and `Call`s. A part that is not known is named like an attachment,
so that nothing vanishes; thinking says nothing aloud and stays in the original alone. Changes nothing; raises InvalidInput for
what JSON cannot hold.
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from zeromem.errors import InvalidInput

_SILENT = ("thinking", "redacted_thinking", "reasoning", "tool_use", "tool_result")
# Where a part keeps words that were said, in order of preference: a refusal is {"type": "refusal", "refusal": "…"}.
_SPEAKING = ("text", "refusal", "transcript")
_TEXTS = ("text", "input_text", "output_text")


@dataclass(frozen=True, slots=True)
class Words:
    """The text of a content field, how many attachments stand in it, and whether it holds more than their names."""

    text: str = ""
    attachments: int = 0
    spoken: bool = False


@dataclass(frozen=True, slots=True)
class Call:
    """A tool call: its name, its arguments as values where they are JSON, the id its result bears, and what it was read from."""

    name: str
    arguments: object
    id: str | None
    original: object


def words_of(content: object, place: str) -> Words:
    """The words of a content field."""
    if content is None:
        return Words()
    if isinstance(content, str):
        return Words(content, 0, bool(content.strip()))
    if isinstance(content, Mapping):
        return words_of([content], place) if "type" in content else Words(json_text(content), 0, True)
    if not isinstance(content, Sequence) or isinstance(content, bytes | bytearray):
        raise InvalidInput(f"{place}: content must be a string, a list of parts or null, not {type(content).__name__}")
    words, attachments, spoken = [], 0, False
    for part in content:
        if isinstance(part, Mapping) and part.get("type") in _SILENT:
            continue
        if not isinstance(part, str | Mapping):
            raise InvalidInput(f"{place}: a content part must be an object, not {type(part).__name__}")
        type_ = "" if isinstance(part, str) else part.get("type")
        said = part if isinstance(part, str) else _said(part)
        attachments += said is None or "audio" in str(type_)
        words.append(said if said is not None else f"[{_attachment(type_)}]")
        spoken = spoken or bool(said and said.strip())
    return Words("\n".join(words), attachments, spoken)


def _said(part: Mapping[str, Any]) -> str | None:
    """The words of a part; None for an attachment."""
    for key in _SPEAKING:
        if isinstance(part.get(key), str) and part[key].strip():
            return str(part[key])
    if isinstance(part.get("input_audio"), Mapping):
        return _said(part["input_audio"])
    blank = part.get("text") if part.get("type", "text") in _TEXTS else None
    return blank if isinstance(blank, str) else None


def beside(message: Mapping[str, Any], words: Words) -> Words:
    """The words with those that stand outside the content: a refusal, what was said in a sound."""
    audio, refusal = message.get("audio"), message.get("refusal")
    transcript = audio.get("transcript") if isinstance(audio, Mapping) else None
    more = [text for text in (transcript, refusal) if isinstance(text, str) and text.strip()]
    sounds = words.attachments + isinstance(audio, Mapping)
    if not more:
        return Words(words.text, sounds, words.spoken)
    return Words("\n".join([*([words.text] if words.text.strip() else ()), *more]), sounds, True)


def has_more(message: Mapping[str, Any], frame: frozenset[str]) -> bool:
    """Whether a message without words holds anything: a field beyond its `frame`, or a part that is not blank text."""
    if any(value not in (None, "", [], {}, False) for key, value in message.items() if key not in frame):
        return True
    content = message.get("content")
    if isinstance(content, str) or not isinstance(content, Sequence | Mapping):
        return False
    parts = [content] if isinstance(content, Mapping) else content
    return any(
        isinstance(part, Mapping)
        and any(value not in (None, "", [], {}) for key, value in part.items() if key not in ("type", "text"))
        for part in parts
    )


def parts_of(content: object, kind: str) -> list[Mapping[str, Any]]:
    """The parts of one type."""
    if not isinstance(content, Sequence) or isinstance(content, str):
        return []
    return [part for part in content if isinstance(part, Mapping) and part.get("type") == kind]


def openai_calls(message: Mapping[str, Any]) -> Iterator[Call]:
    """Calls in `tool_calls` (functions and custom tools) and in the older `function_call`."""
    entries = message.get("tool_calls")
    for entry in entries if isinstance(entries, Sequence) and not isinstance(entries, str) else ():
        if not isinstance(entry, Mapping):
            continue
        call = next((entry[key] for key in ("function", "custom") if isinstance(entry.get(key), Mapping)), entry)
        if call.get("name"):
            yield as_call(call, "tool", _id(entry), entry)
    legacy = message.get("function_call")
    if isinstance(legacy, Mapping) and legacy.get("name"):
        yield as_call(legacy, "tool", None)


def anthropic_calls(content: object) -> Iterator[Call]:
    """Calls in `tool_use` parts."""
    for part in parts_of(content, "tool_use"):
        yield as_call(part, "tool", _id(part))


def as_call(call: Mapping[str, Any], name: str, id_: str | None, original: object = None) -> Call:
    """A call in any shape; what it is called with is read as JSON if it can be."""
    arguments = next((call[key] for key in ("arguments", "input", "action") if call.get(key) is not None), None)
    if isinstance(arguments, str) and "arguments" in call:
        with contextlib.suppress(ValueError, RecursionError):  # kept as the text it is
            arguments = json.loads(arguments)
    return Call(str(call.get("name") or name), arguments, id_, call if original is None else original)


def call_text(call: Call) -> str:
    """`search_flights(from: "LIS", seats: 2)`: each value beside its key, in the words of the call."""
    if isinstance(call.arguments, Mapping):
        return f"{call.name}({', '.join(f'{key}: {json_text(value)}' for key, value in call.arguments.items())})"
    return f"{call.name}({'' if call.arguments in (None, '') else json_text(call.arguments)})"


def json_text(value: object) -> str:
    """JSON with its characters as they are; any other object by its text. Raises InvalidInput for circles and bottomless nesting."""
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError) as error:
        raise InvalidInput(f"a message holds plain JSON values, not too deep and not itself: {error}") from None


def _attachment(type_: object) -> str:
    kind = str(type_ or "attachment")
    for word in ("image", "audio", "video", "file", "document"):
        if word in kind:
            return word
    return kind if kind.isascii() and len(kind) <= 24 else "attachment"


def _id(message: Mapping[str, Any]) -> str | None:
    value = message.get("id")
    return value if isinstance(value, str) else None
