"""The data export of ChatGPT (`conversations.json`): the branch of each conversation that its reader saw last.

A conversation is a tree (`mapping`), because edited and regenerated messages branch; the path from `current_node` to
the root is read, other branches are not. Calls of tools (a `recipient` other than "all") and their answers become tool
calls and tool results. Left out: system messages, hidden ones, profile contexts, and the model's thoughts. Images and
files become parts that name them: this file of the export holds no bytes of them.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from zeromem.errors import InvalidInput
from zeromem.transfer.batch import Batch, Message, conversation, take_time
from zeromem.transfer.messages import parse_json

_NOT_SAID = {"user_editable_context", "model_editable_context", "thoughts", "reasoning_recap"}


def read_chatgpt(text: str, name: str) -> Iterator[Batch]:
    """Batches of an export, a conversation after the other, in the order of the file (which is newest first)."""
    value = parse_json(text, name, "export the data again, or repair the file")
    seen: Counter[str] = Counter()
    for number, item in enumerate(value if isinstance(value, list) else [value], 1):
        where = f"{name}, conversation {number}"
        if not isinstance(item, dict) or not isinstance(item.get("mapping"), dict):
            raise InvalidInput(f'{where}: no "mapping" object; for a plain list of messages pass format="openai"')
        messages = _messages(item, where)
        session = item.get("conversation_id") or item.get("id")
        title = item.get("title") if isinstance(item.get("title"), str) else None
        yield from conversation(
            messages,
            session=session if isinstance(session, str) else None,
            seen=seen,
            metadata={"title": title} if title else {},
            title=title,
        )


def _messages(item: Mapping[str, Any], where: str) -> list[Message]:
    found: list[Message] = []
    call_id = None
    for node in _branch(item["mapping"], item.get("current_node")):
        raw = node.get("message")
        if not isinstance(raw, dict) or _hidden(raw):
            continue
        message = _message(raw, call_id)
        if message is None:
            continue
        if "tool_calls" in message:
            call_id = message["tool_calls"][0]["id"]
        moment = take_time({"create_time": raw.get("create_time") or item.get("create_time")}, where)
        found.append(message | {"at": moment} if moment else message)
    return found


def _branch(mapping: Mapping[str, Any], current: Any) -> list[Mapping[str, Any]]:
    """The nodes from the root to `current`, or to the newest leaf where the export names none."""
    nodes = {key: node for key, node in mapping.items() if isinstance(node, dict)}
    at: Any = (
        current
        if isinstance(current, str) and current in nodes
        else max(nodes, key=lambda key: _newest(nodes[key]), default=None)
    )
    path: dict[str, Mapping[str, Any]] = {}
    while isinstance(at, str) and at in nodes and at not in path:
        path[at] = nodes[at]
        at = nodes[at].get("parent")
    return list(path.values())[::-1]


def _newest(node: Mapping[str, Any]) -> tuple[bool, float]:
    created = _dict(node.get("message")).get("create_time")
    return not node.get("children"), created if isinstance(created, int | float) else 0.0


def _hidden(raw: Mapping[str, Any]) -> bool:
    hidden = _dict(raw.get("metadata")).get("is_visually_hidden_from_conversation")
    kind = _dict(raw.get("content")).get("content_type")
    return bool(hidden) or str(kind) in _NOT_SAID or _dict(raw.get("author")).get("role") == "system"


def _message(raw: Mapping[str, Any], call_id: str | None) -> Message | None:
    """A message in OpenAI shape, or None where there is nothing in it."""
    author = _dict(raw.get("author"))
    content = _content(_dict(raw.get("content")))
    role = author.get("role")
    if not content or not isinstance(role, str):
        return None
    recipient = str(raw.get("recipient") or "all")
    if role == "assistant" and recipient != "all":
        function = {"name": recipient, "arguments": _arguments(content)}
        return {"role": role, "content": None, "tool_calls": [_call(str(raw.get("id")), function)]}
    if role == "tool":
        return {"role": role, "tool_call_id": call_id or "", "name": author.get("name") or "tool", "content": content}
    name = author.get("name")
    return {"role": role, "content": content} | ({"name": name} if isinstance(name, str) and name.strip() else {})


def _call(identity: str, function: dict[str, str]) -> dict[str, Any]:
    return {"id": identity, "type": "function", "function": function}


def _arguments(content: str | list[Any]) -> str:
    """Arguments are a JSON object by contract; code and queries, which are not, are put into one."""
    text = content if isinstance(content, str) else json.dumps(content, ensure_ascii=False)
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    return text if isinstance(value, dict) else json.dumps({"input": text}, ensure_ascii=False)


def _content(content: Mapping[str, Any]) -> str | list[dict[str, Any]]:
    """Text where all is text, else OpenAI content parts; "" where there is none."""
    parts = content.get("parts")
    if isinstance(parts, list):
        made = [part for raw in parts if (part := _part(raw))]
        if all(part["type"] == "text" for part in made):
            return "\n".join(part["text"] for part in made)
        return made
    # code, execution_output and system_error have "text"; browsing has "result"; a quote has "title", "url" and "text".
    lines = [content[key] for key in ("title", "url", "text", "result", "summary") if _said(content.get(key))]
    return "\n".join(lines)


def _part(raw: Any) -> dict[str, Any] | None:
    if isinstance(raw, str):
        return {"type": "text", "text": raw} if raw.strip() else None
    if not isinstance(raw, dict):
        return None
    if _said(raw.get("text")):  # the transcription of something spoken
        return {"type": "text", "text": raw["text"]}
    pointer = raw.get("asset_pointer")
    if raw.get("content_type") == "image_asset_pointer" and isinstance(pointer, str):
        return {"type": "image_url", "image_url": {"url": pointer}}
    return {**raw, "type": str(raw.get("content_type") or "unknown")}


def _dict(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _said(value: Any) -> bool:
    return isinstance(value, str) and bool(value.strip())
