"""Finds where a message may be put into a conversation without parting a tool call from its result.

In: messages in OpenAI or Anthropic shape. Out: an index. Providers refuse a call whose result does not follow at once, so the memory
goes before the last user turn, or further up before the calls that stand there. Reads shapes alone, changes nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any


def place(messages: Sequence[Mapping[str, Any]]) -> int:
    """Where to insert: before the last message in which a user speaks, moved up until no call and result are parted."""
    spoken = [i for i, message in enumerate(messages) if message.get("role") == "user" and not _only_results(message)]
    at = spoken[-1] if spoken else len(messages)
    while at > 0 and ((at < len(messages) and _has_result(messages[at])) or _has_call(messages[at - 1])):
        at -= 1
    return at


def _types(message: Mapping[str, Any]) -> list[str]:
    content = message.get("content")
    parts = content if isinstance(content, Sequence) and not isinstance(content, str) else ()
    return [str(part.get("type", "text")) if isinstance(part, Mapping) else "text" for part in parts]


def _only_results(message: Mapping[str, Any]) -> bool:
    types = _types(message)
    return bool(types) and set(types) == {"tool_result"}


def _has_result(message: Mapping[str, Any]) -> bool:
    named = message.get("role") in ("tool", "function") or str(message.get("type")).endswith("_call_output")
    return named or "tool_result" in _types(message)


def _has_call(message: Mapping[str, Any]) -> bool:
    named = message.get("tool_calls") or message.get("function_call") or str(message.get("type")).endswith("_call")
    return bool(named) or "tool_use" in _types(message)
