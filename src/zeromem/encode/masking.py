"""Masks secrets in whatever a caller hands in: strings, messages, documents, metadata, JSON.

In: a value and the level of `text/redact.py`. Out: the same object where there was nothing to mask, else a copy with the masks, and their
kinds. A field named like a secret is masked whole (`{"password": "…"}`); what a field is called also tells an order number from a card.
Numbers count as their digits, any other object as its text, as it will be stored.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from zeromem.errors import InvalidInput
from zeromem.text.credentials import secret_name
from zeromem.text.redact import Level, Mask, redact

# Fields that hold prose: their names say nothing of what is in it, so that a message and a string are masked alike.
_PROSE = frozenset(("content", "text", "output", "input", "refusal", "title", "arguments"))
_FIXED = frozenset(("role", "type"))  # fields whose values are words of a protocol
# A name and its value as two fields: {"key": "password", "value": "…"}.
_CALLS = ("key", "name", "field", "header", "param", "parameter", "variable")
_CALLED = frozenset(("value", "val", "default"))
_MASKED = re.compile(r"\[redacted:[a-z-]+\]")
_LONG_LIST = 20_000  # characters; what is longer is no command, and no message in pieces
_LONG_NAME = 10  # characters; a shorter name of a field is no secret
_TOO_LARGE = 10**24  # nor is a larger one, and one of 5,000 digits cannot even be written
_LARGE = 10**8  # a smaller number is no card, phone or identity number


def masked(value: Any, level: Level) -> tuple[Any, tuple[str, ...]]:
    """The value without its secrets, and the kind of each that was masked. Raises InvalidInput for what is nested without end."""
    if level == "off" or not value:
        return value, ()
    kinds: list[str] = []
    try:
        out = _value(value, level, kinds)
    except RecursionError:
        raise InvalidInput("a message holds plain JSON values, not too deep and not itself") from None
    return (out, tuple(kinds)) if kinds else (value, ())


def masked_json(text: str, level: Level) -> tuple[str, tuple[str, ...]]:
    """A JSON text without its secrets; what is no JSON is masked as a text."""
    try:
        value, kinds = masked(json.loads(text), level)
    except (ValueError, RecursionError, InvalidInput):
        return masked(text, level)
    return (json.dumps(value, ensure_ascii=False), kinds) if kinds else (text, ())


def told(kinds: Sequence[str]) -> str:
    """`1 api-key masked`, `2 password, 1 token masked`; empty where nothing was."""
    counts = [f"{kinds.count(kind)} {kind}" for kind in dict.fromkeys(kinds)]
    return f"{', '.join(counts)} masked" if counts else ""


def _value(value: Any, level: Level, kinds: list[str], name: str = "") -> Any:
    if isinstance(value, str):
        return _text(value, level, kinds, name)
    if value is None or isinstance(value, bool | float):
        return value
    if isinstance(value, Mapping):
        out: dict[Any, Any] = {}
        called = next((value[key] for key in _CALLS if isinstance(value.get(key), str)), "")
        for key, item in value.items():
            known = called if key in _CALLED and called else key if isinstance(key, str) else ""
            held = item if key in _FIXED and isinstance(item, str) else _value(item, level, kinds, known)
            name = _name(key, level, kinds)
            while name in out:  # two secrets of a kind
                name += " "
            out[name] = held
        return out
    if isinstance(value, Sequence) and not isinstance(value, bytes | bytearray):
        return _across([_value(item, level, kinds, name) for item in value], level, kinds)
    if isinstance(value, int) and (abs(value) >= _TOO_LARGE or (abs(value) < _LARGE and not name)):
        return value
    before = len(kinds)
    text = _text(str(value), level, kinds, name)
    return text if len(kinds) > before else value


def _across(items: list[Any], level: Level, kinds: list[str]) -> list[Any]:
    """A list of words or of text parts, without the secrets that only show when they are read one behind the other."""
    read = [item.get("text") if isinstance(item, Mapping) else item for item in items]
    texts: list[str] = [text if isinstance(text, str) else "" for text in read]
    places = [place for place, text in enumerate(texts) if text]
    if len(places) < 2 or sum(len(texts[place]) for place in places) > _LONG_LIST:
        return items
    for joint in ("", "\n") if isinstance(items[places[0]], Mapping) else (" ",):
        masks = redact(joint.join(texts[place] for place in places), level)[1]
        start = 0
        for place in places if masks else ():
            text, end = texts[place], start + len(texts[place])
            for mask in reversed(masks):
                first, last = max(mask.start, start) - start, min(mask.start + mask.length, end) - start
                if first < last:
                    texts[place] = f"{texts[place][:first]}{mask.shown}{texts[place][last:]}"
            if texts[place] != text:
                held = items[place]
                items[place] = {**held, "text": texts[place]} if isinstance(held, Mapping) else texts[place]
            start = end + len(joint)
        kinds.extend(mask.kind for mask in masks)
    return items


def _name(key: Any, level: Level, kinds: list[str]) -> Any:
    return _text(key, level, kinds, "") if isinstance(key, str) and len(key) >= _LONG_NAME else key


def _text(text: str, level: Level, kinds: list[str], name: str) -> str:
    if not name or name in _PROSE:
        out, masks = redact(text, level)
        if name == "arguments" and "[" in text:  # what stands in lists shows only when they are read
            out, more = masked_json(out, level)
            kinds.extend(more)
    elif _MASKED.fullmatch(text):
        return text
    elif (kind := secret_name(name, text)) is not None:
        out, masks = Mask(kind, 0, len(text)).shown, (Mask(kind, 0, len(text)),)
    else:
        lead = f"{name}: "
        out, masks = redact(lead + text, level)
        if not masks:
            return text
        if out.startswith(lead):
            out = out[len(lead) :]
        else:
            out, masks = redact(text, level)
    kinds.extend(mask.kind for mask in masks)
    return out
