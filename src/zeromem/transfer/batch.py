"""The unit that a foreign file is read into: some messages of one conversation, or one document.

In go messages as the file gives them, out come `Batch`es with a stable `source_id`. No file is opened here.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hashlib import blake2b
from typing import Any

from zeromem.checks import checked_metadata
from zeromem.errors import InvalidInput
from zeromem.text.times import iso, parse_time

Message = dict[str, Any]

# One `add` is one transaction: large enough to be fast, small enough that progress shows and a lock is short.
MAX_MESSAGES = 500
SESSION_KEYS = ("session", "session_id", "conversation_id")
# Items of the OpenAI Responses API that have a type in place of a role.
_WITHOUT_ROLE = ("function_call", "function_call_output")
TIME_KEYS = ("at", "timestamp", "created_at", "create_time", "time")


MADE_UP = "import-"  # what session names begin with that the reader gives to conversations without one


@dataclass(frozen=True, slots=True)
class Batch:
    """What one call of `import_batch` (or of `add`) takes.

    `content` is a list of messages (each with its own time under "at", where the file knows it) or the text of a
    document; `at` is the time of the first message. `source_id` is made of how the batch begins and where it belongs, so that the
    same file gives the same ids, also after it has grown at its end. A document's source is its file: `replaces` says that it now
    says this and no longer the rest.
    """

    content: list[Message] | str
    session: str | None = None
    at: str | None = None
    source_id: str | None = None
    metadata: Mapping[str, Any] = field(default_factory=dict)
    title: str | None = None
    replaces: bool = False


def digest(*parts: Any) -> str:
    """A hash of JSON values that is the same on every machine and for every encoding or key order of the file."""
    return blake2b(json.dumps(parts, sort_keys=True).encode(), digest_size=12).hexdigest()


def source_id(*parts: Any) -> str:
    """The stable id of a batch that these values tell from others."""
    return f"file:{digest(*parts)}"


def conversation(
    messages: Sequence[Message],
    *,
    session: str | None,
    seen: Counter[str],
    metadata: Mapping[str, Any] | None = None,
    title: str | None = None,
) -> Iterator[Batch]:
    """One conversation as batches of at most `MAX_MESSAGES`. `seen` counts the conversations of the file that begin alike.

    A conversation without a name of its own is named after its content, so that two of them never flow into each other.
    """
    begins = digest(session, list(messages[:1] if session else messages))
    ordinal = seen[begins]
    seen[begins] += 1
    name = session or MADE_UP + digest(begins, ordinal)[:12]
    for start in range(0, len(messages), MAX_MESSAGES):
        part = list(messages[start : start + MAX_MESSAGES])
        yield Batch(part, name, first_time(part), source_id(begins, ordinal, start), dict(metadata or {}), title)


def first_time(messages: Sequence[Message]) -> str | None:
    return next((message["at"] for message in messages if "at" in message), None)


def take_message(record: Mapping[str, Any], outer: Mapping[str, Any], where: str) -> Message:
    """A message as `add` takes it: the record's keys as they are, its time under "at", its speaker under "name".

    `outer` are defaults from around the message, such as the line's "at". Session keys belong to the batch and are
    left out.
    """
    if not isinstance(record.get("role"), str) and record.get("type") not in _WITHOUT_ROLE:
        raise InvalidInput(
            f'{where}: a message needs a "role" that is a string; found keys {sorted(map(str, record))[:8]}. '
            'Accepted: {"role", "content"}, {"messages": [...]} or {"session", "at", "message"}'
        )
    message = {key: value for key, value in record.items() if key not in SESSION_KEYS}
    if not {"content", "tool_calls", "function_call", "type"} & message.keys():
        raise InvalidInput(
            f'{where}: the message has neither "content" nor "tool_calls"; found keys {sorted(message)[:8]}'
        )
    moment = take_time(message, where) or take_time(dict(outer), where)
    if moment:
        message["at"] = moment
    speaker = next((value for key in ("name", "speaker", "user") if (value := _words(message.get(key)))), None)
    if speaker and "name" not in message and message.get("role") == "user":
        message["name"] = speaker
    return message


def take_time(record: Message, where: str) -> str | None:
    """Remove the first time key that has a value and give it back, as the file wrote it (numbers as ISO 8601 UTC)."""
    for key in TIME_KEYS:
        value = record.get(key)
        if value is None or value == "":
            continue
        try:
            moment = parse_time(value)
        except ValueError as error:
            raise InvalidInput(f'{where}: "{key}": {error}') from error
        del record[key]
        return value.strip() if isinstance(value, str) and _has_offset(value) else iso(moment)
    return None


def take_session(record: Mapping[str, Any], where: str) -> str | None:
    """The session that a record names, or None; numbers are accepted, as some exports count their conversations."""
    for key in SESSION_KEYS:
        value = record.get(key)
        if isinstance(value, int) and not isinstance(value, bool):
            return str(value)
        if isinstance(value, str) and value.strip():
            return value
        if value is not None:
            raise InvalidInput(f'{where}: "{key}" must be a string that is not blank, not {value!r:.60}')
    return None


def take_metadata(record: Mapping[str, Any], where: str) -> dict[str, Any]:
    value = record.get("metadata")
    if value is not None and not isinstance(value, dict):
        raise InvalidInput(f'{where}: "metadata" must be an object, not {value!r:.60}')
    try:
        return checked_metadata(value)
    except InvalidInput as error:
        raise InvalidInput(f"{where}: {error}") from None


def _words(value: Any) -> str | None:
    return value if isinstance(value, str) and value.strip() else None


def _has_offset(value: str) -> bool:
    """Whether the text is ISO 8601 with an offset: such a time is kept, for "tomorrow" is a matter of the local day."""
    try:
        return datetime.fromisoformat(value.strip()).utcoffset() is not None
    except ValueError:
        return False
