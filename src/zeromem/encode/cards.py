"""Turns items into pieces: what becomes an event, what becomes a card, and why the rest does not.

In: `Item`s from `messages.py`. Out: `Piece`s in order; each names its events and, if it is worth one, a card draft for every
segment. System prompts, acknowledgements, heartbeats and upkeep orders are events without a card; empty text and injected
memory blocks are not even events. A tool call and its result make one card. Pure.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from zeromem.encode.messages import Item
from zeromem.text.noise import classify, strip_injected
from zeromem.text.segment import segments

_MUTE_ROLES = ("system", "developer")
_SEPARATOR = " → "
_SURROGATE = re.compile("[\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class Draft:
    """A candidate card: its text and the spans (item index, start, end) that it was made of."""

    kind: str
    role: str
    speaker: str | None
    text: str
    spans: tuple[tuple[int, int, int], ...]


@dataclass(frozen=True, slots=True)
class Piece:
    """What one item comes to: kept as event (`events`: indexes of items), its drafts, or the reason for none."""

    items: tuple[int, ...]
    drafts: tuple[Draft, ...] = ()
    ignored: str = ""
    event: bool = True


@dataclass(frozen=True, slots=True)
class Cut:
    """How long texts are cut, in words."""

    low: int = 200
    high: int = 500
    overlap: int = 40


def clean(items: Sequence[Item]) -> list[Item]:
    """The items with injected memory blocks taken out of their text, and with names that every file can carry."""
    return [_named(_without_blocks(item)) for item in items]


def _named(item: Item) -> Item:
    names = (item.role, item.speaker, item.tool)
    if not any(name and _SURROGATE.search(name) for name in names):
        return item
    role, speaker, tool = (name and printable(name) for name in names)
    return replace(item, role=role or item.role, speaker=speaker, tool=tool)


def _without_blocks(item: Item) -> Item:
    if "<" not in item.text and "#" not in item.text:
        return item
    text, blocks = strip_injected(item.text)
    # What is left may be nothing but the white space around the block.
    return replace(item, text=text, raw=None) if blocks else item


def pieces(items: Sequence[Item], cut: Cut) -> list[Piece]:
    """Decide item by item. `items` have been through `clean`; the originals are not needed."""
    results = {item.call_id: i for i, item in enumerate(items) if item.kind == "tool_result" and item.call_id}
    calls = {item.call_id for item in items if item.kind == "tool_call" and item.call_id}
    out = []
    for i, item in enumerate(items):
        if item.kind == "tool_result" and item.call_id in calls and results[item.call_id] == i:
            continue  # told by its call
        if item.kind == "tool_call":
            out.append(_tool(items, i, results.get(item.call_id) if item.call_id else None, cut))
        else:
            out.append(_spoken(item, i, cut))
    return out


def _spoken(item: Item, i: int, cut: Cut) -> Piece:
    if not item.text.strip():
        return Piece((i,), ignored="empty text", event=False)
    if item.role in _MUTE_ROLES:
        return Piece((i,), ignored=f"{item.role} prompts are not memories")
    noise = classify(item.text) if item.kind == "message" else None
    if noise is not None:
        return Piece((i,), ignored=noise.reason)
    kind = {"document": "document", "tool_result": "tool"}.get(item.kind, "message")
    drafts = [
        Draft(kind, item.role, item.speaker, text, ((i, start, end),)) for start, end, text in _cut(item.text, cut)
    ]
    return Piece((i,), tuple(drafts))


def _tool(items: Sequence[Item], i: int, result: int | None, cut: Cut) -> Piece:
    call = items[i]
    told = printable(call.text)
    if result is None:
        draft = Draft("tool", "tool", call.tool, told, ((i, 0, len(call.text)),))
        return Piece((i,), (draft,))
    answer = items[result]
    drafts = [
        Draft("tool", "tool", call.tool, told + _SEPARATOR + text,
              ((i, 0, len(call.text)), (result, start, end)))
        for start, end, text in _cut(answer.text, cut)
    ]  # fmt: skip
    return Piece((i, result), tuple(drafts) or (Draft("tool", "tool", call.tool, told, ((i, 0, len(call.text)),)),))


def _cut(text: str, cut: Cut) -> Iterator[tuple[int, int, str]]:
    for start, end in segments(text, low=cut.low, high=cut.high, overlap=cut.overlap):
        yield start, end, printable(text[start:end])


def printable(text: str) -> str:
    """Card text always encodes to UTF-8: lone surrogates become U+FFFD (the event keeps them)."""
    return _SURROGATE.sub("\ufffd", text)


def digest(kind: str, role: str, speaker: str | None, text: str) -> bytes:
    """Equal for the same words of the same speaker: after NFKC and white-space folding. 16 bytes."""
    words = " ".join(unicodedata.normalize("NFKC", text).split())
    # Lengths in front keep the fields apart, whatever characters they hold.
    fields = (kind, role, speaker or "", words)
    key = "".join(f"{len(field)}:{field}" for field in fields) + ("" if speaker is None else "+")
    return hashlib.blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).digest()
