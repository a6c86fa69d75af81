"""Values as JSON: one renderer for everything that the verbs return, one writer that never fails, one map of errors.

In: the values of `types.py` and `facts.py` (and what else the verbs give). Out: plain dicts and lists, JSON text in UTF-8 without escapes, an
exit code for an error. Scopes are flattened to `user, agent, session, tenant`; what only the engine needs (row numbers,
sentence offsets) is left out. Opens nothing and decides nothing.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Any

from zeromem.changes import Change, Forgotten, Proof
from zeromem.errors import BudgetSpent, ChatFailed, InvalidInput, NoChat, NotFound, StoreBusy, ZeromemError
from zeromem.facts import Fact
from zeromem.types import (
    Card,
    Context,
    Expansion,
    Hit,
    Hits,
    Page,
    Receipt,
    Scope,
    Span,
    Verification,
)
from zeromem.upkeep import Upkeep

IDS = ("user", "agent", "session", "tenant")
NOT_FOUND, BAD_INPUT, STORE, BUSY, INTERRUPTED = 1, 2, 3, 4, 130

_HIDDEN: Mapping[type, tuple[str, ...]] = {Card: ("parts", "row", "born", "head_tokens")}
_IF_ANY = ("full",)  # told only where upkeep left other words than were said
# What stands first; the rest follows in the order of the fields.
_FIRST: Mapping[type, tuple[str, ...]] = {Context: ("id", "tokens", "saved", "budget", "text", "cards")}
_DERIVED: Mapping[type, tuple[str, ...]] = {
    Receipt: ("id", "pointer", "ids"),
    Verification: ("ok",),
    Change: ("what",),
    Forgotten: ("done",),
    Proof: ("proved",),
    Fact: ("current",),
    Upkeep: ("facts", "reason"),
}


def record(value: object) -> Any:
    """A value as JSON knows it: dataclasses become dicts with their scope flattened, numbers that JSON lacks become null."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Hits):
        return {
            "hits": [record(hit) for hit in list(value)],
            "degraded": list(value.degraded),
            "times": list(value.times),
            "time_match": value.time_match,
            "trace": record(value.trace),
        }
    if isinstance(value, Page):
        return {"cards": [record(card) for card in list(value)], "cursor": value.cursor}
    if isinstance(value, Hit):
        more = {name: record(getattr(value, name)) for name in ("score", "arms", "superseded_by")}
        return {**record(value.card), **more}
    if isinstance(value, Span):
        return {"event_id": value.event.id, "start": value.start, "end": value.end, "text": value.text}
    if isinstance(value, Expansion):
        parts = {"card": value.card, "text": value.text, "events": value.events, "spans": value.spans}
        return record(parts)
    return _plain(value)


def _plain(value: object) -> Any:
    if isinstance(value, Mapping):
        return {str(key): record(item) for key, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return _dataclass(value)
    if isinstance(value, Iterable) and not isinstance(value, bytes | bytearray):
        return [record(item) for item in value]
    item = getattr(value, "item", None)  # a number of numpy
    return record(item()) if callable(item) else str(value)


def _dataclass(value: Any) -> dict[str, Any]:
    first = {name: record(getattr(value, name)) for name in _FIRST.get(type(value), _DERIVED.get(type(value), ()))}
    out: dict[str, Any] = {}
    for field in fields(value):
        item = getattr(value, field.name)
        if field.name in _HIDDEN.get(type(value), ()) or (field.name in _IF_ANY and not item):
            continue
        if isinstance(item, Scope):
            out.update({name: getattr(item, name) for name in IDS})
        else:
            out[field.name] = record(item)
    return {**first, **out}


def dump(value: object) -> str:
    """One line of JSON. Text stays as it is; only a value with a lone surrogate, which UTF-8 cannot hold, is escaped."""
    plain = record(value)
    text = json.dumps(plain, ensure_ascii=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(plain)
    return text


def failure(error: BaseException) -> tuple[int, dict[str, Any]]:
    """The exit code of an error, and the error as JSON: `{"error": {"type", "message"}}`."""
    return exit_code(error), {"error": {"type": type(error).__name__, "message": str(error)}}


def exit_code(error: BaseException) -> int:
    if isinstance(error, NotFound):
        return NOT_FOUND
    if isinstance(error, StoreBusy | ChatFailed | BudgetSpent):
        return BUSY
    if isinstance(error, InvalidInput | NoChat) or (isinstance(error, ZeromemError) and isinstance(error, LookupError)):
        return BAD_INPUT
    return STORE
