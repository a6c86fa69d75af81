"""Message files in OpenAI shape: JSON Lines, read line by line, and whole JSON files.

A JSONL line is a message (`role`, `content`, with optional session, time, speaker, metadata), a conversation
(`{"messages": [...]}`), or a message with its surroundings (`{"session", "at", "message"}`). A JSON file is one
conversation, a list of conversations, or a list of messages. Out come batches; a line or item that is none of these is
an `InvalidInput` with its number. Extra keys of a message stay in the message. Nothing is decoded or stored here.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from zeromem.errors import InvalidInput
from zeromem.transfer.batch import (
    MAX_MESSAGES,
    SESSION_KEYS,
    TIME_KEYS,
    Batch,
    Message,
    conversation,
    digest,
    first_time,
    source_id,
    take_message,
    take_metadata,
    take_session,
)

_Record = tuple[str, dict[str, Any]]  # where it stands (for messages), and the object


def read_jsonl(lines: Iterable[tuple[int, str]], name: str) -> Iterator[Batch]:
    """The batches of a JSONL file, given as numbered lines. Only the messages of one batch are held in memory."""
    return _grouped(_records(lines, name))


def read_openai(text: str, name: str) -> Iterator[Batch]:
    """Batches of a JSON file: `{"messages": [...]}`, a list of such conversations, or a list of messages."""
    value = parse_json(text, name, "repair the file, or pass format='jsonl' if it holds one object a line")
    items = value if isinstance(value, list) else [value]
    if items and all(isinstance(item, dict) and "role" in item for item in items):
        yield from _grouped((f"{name}, message {number}", item) for number, item in enumerate(items, 1))
        return
    seen: Counter[str] = Counter()
    for number, item in enumerate(items, 1):
        where = f"{name}, item {number}"
        record = _object(item, where)
        if not isinstance(record.get("messages"), list):
            raise InvalidInput(
                f'{where}: no "messages" list; a JSON file holds {{"messages": [...]}}, a list of these, or a list of '
                f"messages with role and content; found keys {sorted(record)[:8]}"
            )
        yield from _conversation(record, where, seen)


def _records(lines: Iterable[tuple[int, str]], name: str) -> Iterator[_Record]:
    for number, line in lines:
        if line.strip():
            where = f"{name}, line {number}"
            yield where, _object(parse_json(line, where, "repair or remove the line"), where)


def _grouped(records: Iterable[_Record]) -> Iterator[Batch]:
    """Consecutive messages of one session (and equal metadata) together, in the order of the file.

    A batch's `source_id` is made of its session, metadata and first message (and of how many before it in the file are like it):
    when a log has grown, every batch keeps its id, and the last one has more messages.
    """
    group: list[Message] = []
    key: tuple[str | None, dict[str, Any]] = (None, {})
    groups: Counter[str] = Counter()
    conversations: Counter[str] = Counter()
    for where, record in records:
        outer = _message_of(record)
        line_key = (take_session(record, where), take_metadata(record, where))
        if group and (outer is None or line_key != key or len(group) == MAX_MESSAGES):
            yield _group(group, *key, groups)
            group = []
        if outer is None:
            yield from _conversation(record, where, conversations)
            continue
        key = line_key
        group.append(take_message(outer, record, where))
    if group:
        yield _group(group, *key, groups)


def parse_json(text: str, where: str, cure: str) -> Any:
    """The JSON value of a text; raises `InvalidInput` with the place, the fault and the cure."""
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}" if "\n" in text.strip() else f"column {error.colno}"
        raise InvalidInput(f"{where}: not valid JSON at {place} ({error.msg}); {cure}") from error
    except (ValueError, RecursionError) as error:
        raise InvalidInput(f"{where}: JSON that cannot be read ({error}); {cure}") from error


def _message_of(record: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The message that a line holds or is; None when the line is a whole conversation."""
    if isinstance(record.get("messages"), list):
        return None
    inner = record.get("message")
    if isinstance(inner, dict) and "role" not in record:
        return inner
    return {key: value for key, value in record.items() if key != "metadata"}


def _conversation(record: Mapping[str, Any], where: str, seen: Counter[str]) -> Iterator[Batch]:
    """A `{"messages": [...]}` object; what else it holds (`tools`, `model`, `user`) is kept as metadata."""
    messages = [
        take_message(_object(item, f"{where}, message {i}"), record, f"{where}, message {i}")
        for i, item in enumerate(record["messages"], 1)
    ]
    known = {"messages", "metadata", "title", *SESSION_KEYS, *TIME_KEYS}
    metadata = take_metadata(record, where) | {key: value for key, value in record.items() if key not in known}
    title = record.get("title")
    yield from conversation(
        messages,
        session=take_session(record, where),
        seen=seen,
        metadata=metadata,
        title=title if isinstance(title, str) else None,
    )


def _group(messages: list[Message], session: str | None, metadata: dict[str, Any], seen: Counter[str]) -> Batch:
    begins = digest(session, metadata, messages[0])
    ordinal = seen[begins]
    seen[begins] += 1
    return Batch(messages, session, first_time(messages), source_id(begins, ordinal), metadata)


def _object(value: Any, where: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InvalidInput(f"{where}: expected an object with a message, found {type(value).__name__}: {value!r:.60}")
    return value
