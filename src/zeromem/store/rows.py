"""Between table rows and our values: column order, times, JSON, and packed sentence parts.

In: tuples as SQLite returns them. Out: Event and Card, and the tuples to insert; StoreError for a row that was damaged. Pure;
knows the column order of the schema.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from zeromem.clock import instant, iso, micros
from zeromem.errors import StoreError
from zeromem.types import Card, Event, Parts, Scope

# What the values of a damaged row raise: no UTF-8, no JSON, no time, numbers cut short.
_DAMAGE = (ValueError, TypeError, OverflowError, RecursionError)
_BLOBS = {"events": (9, 10), "cards": (16, 25)}  # the places of the columns that hold bytes


def dump(metadata: Mapping[str, Any]) -> str | None:
    return json.dumps(metadata, ensure_ascii=True, separators=(",", ":")) if metadata else None


def load(text: str | None) -> dict[str, Any]:
    found = json.loads(text) if text else {}
    if not isinstance(found, dict):
        raise ValueError("its metadata is no object")
    return found


def pack(parts: Parts) -> bytes | None:
    return array("i", [number for part in parts for number in part]).tobytes() if parts else None


def unpack(blob: bytes | None) -> Parts:
    if not blob:
        return ()
    numbers = array("i")
    numbers.frombytes(blob)
    return tuple(zip(numbers[0::3], numbers[1::3], numbers[2::3], strict=True))


def encode(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def decode(blob: bytes) -> str:
    return blob.decode("utf-8", "surrogatepass")


def event_values(event: Event) -> tuple[Any, ...]:
    scope = event.scope
    raw = None if event.raw is None else encode(event.raw)
    at, offset = instant(event.at)
    return (
        event.id, scope.tenant, scope.user, scope.agent, scope.session, event.kind, event.role, event.speaker,
        encode(event.text), raw, at, micros(event.stored_at), event.source_id, dump(event.metadata), offset,
    )  # fmt: skip


def event_of(row: tuple[Any, ...]) -> Event:
    with _whole("events", row):
        return _event(row)


def card_of(row: tuple[Any, ...]) -> Card:
    with _whole("cards", row):
        return _card(row)


def mendable_card_of(row: tuple[Any, ...]) -> Card:
    """As `card_of`; where the three columns that derive from the text are damaged, they are -1, -1 and ()."""
    try:
        return card_of(row)
    except StoreError:
        return card_of((*row[:23], -1, -1, None, *row[26:]))


def lenient_text(data: bytes) -> Any:
    """A text as SQLite holds it; what is no UTF-8 stays bytes, which `refuse_bytes` finds."""
    try:
        return data.decode()
    except UnicodeDecodeError:
        return data


def refuse_bytes(table: str, row: tuple[Any, ...]) -> None:
    with _whole(table, row):
        if any(isinstance(value, bytes) and place not in _BLOBS[table] for place, value in enumerate(row)):
            raise ValueError("a text is no UTF-8")


@contextmanager
def _whole(table: str, row: tuple[Any, ...]) -> Iterator[None]:
    try:
        yield
    except _DAMAGE as error:
        raise damaged(table, row[0], error) from error


def damaged(table: str, row: int | str, why: object) -> StoreError:
    return StoreError(
        f"row {row} of the table {table} is damaged ({why}); run `zeromem verify --repair` on a copy, "
        "and restore from a backup what it cannot repair"
    )


def _event(row: tuple[Any, ...]) -> Event:
    (_, id_, tenant, user, agent, session, kind, role, speaker, content, raw, at, stored_at, source_id, metadata,
     offset) = row  # fmt: skip
    return Event(
        id_, Scope(tenant, user, agent, session), kind, role, speaker, decode(content), iso(at, offset), iso(stored_at),
        source_id, None if raw is None else decode(raw), load(metadata),
    )  # fmt: skip


def card_values(card: Card, previous: int | None, op: str, reason: str, digest: bytes) -> tuple[Any, ...]:
    scope = card.scope
    at, offset = instant(card.at)
    return (
        card.row, card.id, card.version, previous, card.born, op, reason, card.pointer, scope.tenant, scope.user, scope.agent,
        scope.session, card.kind, card.role, card.speaker, card.text, digest, at, micros(card.created_at),
        micros(card.updated_at), card.source_id, dump(card.metadata), card.made_by, card.tokens, card.head_tokens,
        pack(card.parts), offset,
    )  # fmt: skip


def _card(row: tuple[Any, ...]) -> Card:
    (number, id_, version, _, born, _, _, pointer, tenant, user, agent, session, kind, role, speaker, text, _, at,
     created_at, stored_at, source_id, metadata, made_by, tokens, head_tokens, parts, offset) = row  # fmt: skip
    return Card(
        id_, pointer, version, Scope(tenant, user, agent, session), kind, role, speaker, text, iso(at, offset),
        iso(created_at), iso(stored_at), source_id, load(metadata), made_by, tokens, head_tokens, unpack(parts),
        number, born,
    )  # fmt: skip
