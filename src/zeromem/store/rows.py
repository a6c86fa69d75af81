"""Between table rows and our values: column order, times, JSON, and packed sentence parts.

In: tuples as SQLite returns them. Out: Event and Card, and the tuples to insert. Pure; knows the column order of the schema.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Mapping
from typing import Any

from zeromem.clock import instant, iso, micros
from zeromem.types import Card, Event, Parts, Scope


def dump(metadata: Mapping[str, Any]) -> str | None:
    return json.dumps(metadata, ensure_ascii=True, separators=(",", ":")) if metadata else None


def load(text: str | None) -> dict[str, Any]:
    return json.loads(text) if text else {}


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
    (
        _,
        id_,
        tenant,
        user,
        agent,
        session,
        kind,
        role,
        speaker,
        content,
        raw,
        at,
        stored_at,
        source_id,
        metadata,
        offset,
    ) = row
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


def card_of(row: tuple[Any, ...]) -> Card:
    (number, id_, version, _, born, _, _, pointer, tenant, user, agent, session, kind, role, speaker, text, _, at,
     created_at, stored_at, source_id, metadata, made_by, tokens, head_tokens, parts, offset) = row  # fmt: skip
    return Card(
        id_, pointer, version, Scope(tenant, user, agent, session), kind, role, speaker, text, iso(at, offset),
        iso(created_at), iso(stored_at), source_id, load(metadata), made_by, tokens, head_tokens, unpack(parts),
        number, born,
    )  # fmt: skip
