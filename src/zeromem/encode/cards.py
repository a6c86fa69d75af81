"""Turns items into pieces: what becomes an event, what becomes a card, and why the rest does not.

In: `Item`s from `messages.py`. Out: `Piece`s in order; each names its events and, if it is worth one, a card draft for every
segment. System prompts, acknowledgements, heartbeats and upkeep orders are events without a card, and so are thinking and
attachments without a word; empty text and injected memory blocks are not even events. A tool call and its result make one card;
a section of a document is found by its headings. Pure, but for remembering where long texts were cut.
"""

from __future__ import annotations

import hashlib
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from zeromem.encode.digests import digest
from zeromem.encode.messages import Item
from zeromem.encode.unwanted import unwanted
from zeromem.text.noise import classify
from zeromem.text.sections import sections
from zeromem.text.segment import Span, count_words, segments

_MUTE_ROLES = ("system", "developer")
_SEPARATOR = " → "
UNWANTED = "asked not to be remembered"
_SURROGATE = re.compile("[\ud800-\udfff]")
# Titles of files where a line that begins with # is a comment, no heading.
_HASH_COMMENTS = re.compile(
    r"(?:\.(?:py|pyi|sh|bash|zsh|toml|ya?ml|ini|cfg|conf|rb|pl|r|jl|ps1|env|csv|tsv)|(?:Make|Docker)file)$",
    re.IGNORECASE,
)
_CALL_SHOWN = 120  # characters of a call that are repeated beside each further part of its result


@dataclass(frozen=True, slots=True)
class Draft:
    """A candidate card: its text and the spans (item index, start, end) that it was made of. `head` is how the text begins that only
    says where it belongs: the call before a result, the headings above a section."""

    kind: str
    role: str
    speaker: str | None
    text: str
    spans: tuple[tuple[int, int, int], ...]
    head: str = ""


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


_REMEMBERED = 256  # long texts whose cuts are kept
_remembered: dict[tuple[Cut, bytes], Sequence[Span]] = {}


def clean(items: Sequence[Item]) -> list[Item]:
    """The items with names that every file can carry."""
    return [_named(item) for item in items]


def _named(item: Item) -> Item:
    names = (item.role, item.speaker, item.tool)
    if not any(name and _SURROGATE.search(name) for name in names):
        return item
    role, speaker, tool = (name and printable(name) for name in names)
    return replace(item, role=role or item.role, speaker=speaker, tool=tool)


def pieces(items: Sequence[Item], cut: Cut) -> list[Piece]:
    """Decide item by item. `items` have been through `clean`; the originals are not needed."""
    results = _answers(items)
    told = set(results.values())
    out = []
    for i, item in enumerate(items):
        if i in told:
            continue
        if item.kind == "tool_call":
            answer = results.get(i)
            drafts = tuple(_tool(items, i, answer, cut))
            out.append(Piece((i,) if answer is None else (i, answer), drafts))
        else:
            reason = _unworthy(item)
            drafts = () if reason else tuple(_spoken(item, i, cut))
            out.append(Piece((i,), drafts, reason, event=not item.empty))
    return out


def window_digests(items: Sequence[Item], cut: Cut) -> list[bytes]:
    """Digests of every card that these items may have made, whether a call and its result were added together or one by one."""
    results = _answers(items)
    drafts: list[Draft] = []
    for i, item in enumerate(items):
        if item.kind == "tool_call":
            drafts += _tool(items, i, None, cut)
            if i in results:
                drafts += _tool(items, i, results[i], cut)
        elif item.role not in _MUTE_ROLES and item.text.strip():
            drafts += _spoken(item, i, cut)
    return list(dict.fromkeys(digest(draft.kind, draft.role, draft.speaker, draft.text) for draft in drafts))


def _answers(items: Sequence[Item]) -> dict[int, int]:
    """Which result answers which call, by their places: the next unclaimed one with its id.

    Ids may come again in later turns: calls that are still open when a later turn calls with their id will not be answered.
    """
    found: dict[int, int] = {}
    waiting: defaultdict[str, list[int]] = defaultdict(list)
    turn = 0  # where the run of calls began that is going on
    for i, item in enumerate(items):
        if item.kind != "tool_call":
            turn = i + 1
        if item.call_id is None:
            continue
        calls = waiting[item.call_id]
        if item.kind == "tool_call":
            if calls and calls[-1] < turn:
                calls.clear()
            calls.append(i)
        elif item.kind == "tool_result" and calls:
            found[calls.pop(0)] = i
    return found


def _unworthy(item: Item) -> str:
    """Why an item makes no card; empty if it makes one."""
    if not item.text.strip():
        return "empty text" if item.empty else "nothing said aloud"
    if item.role in _MUTE_ROLES:
        return f"{item.role} prompts are not memories"
    if not item.spoken:
        return "attachments without a word"
    if item.kind != "message":
        return ""
    if item.role == "user" and unwanted(item.text):
        return UNWANTED
    noise = classify(item.text)
    return noise.reason if noise else ""


def _spoken(item: Item, i: int, cut: Cut) -> Iterator[Draft]:
    kind = {"document": "document", "tool_result": "tool"}.get(item.kind, "message")
    headed = item.kind == "document" and not _HASH_COMMENTS.search(item.speaker or "")
    parts = _sections(item.text, cut) if headed else ((*part, "") for part in _cut(item.text, cut))
    for start, end, text, head in parts:
        yield Draft(kind, item.role, item.speaker, head + text, ((i, start, end),), head)


def _sections(text: str, cut: Cut) -> Iterator[tuple[int, int, str, str]]:
    """The parts of a document; where it has headings, each section by itself under the path of its headings."""
    for section in sections(text):
        if not section.path:
            yield from ((*part, "") for part in _cut(text, cut, section.start, section.end))
            continue
        path = printable(" > ".join(section.path))
        body = list(_cut(text, cut, section.body, section.end))
        for number, (start, end, words) in enumerate(body):
            # The first part leads back to the heading too.
            yield (start if number else section.start), end, words, f"{path}\n"
        if not body:
            yield section.start, section.body, path, ""


def _tool(items: Sequence[Item], i: int, result: int | None, cut: Cut) -> Iterator[Draft]:
    """The call with its result; what is long stands in parts, each beside the call's name and how its arguments begin."""
    call = items[i]
    whole = printable(call.text)
    short = whole if len(whole) <= _CALL_SHOWN else whole[:_CALL_SHOWN] + "…"
    span = (i, 0, len(call.text))
    answer = [] if result is None else list(_cut(items[result].text, cut))
    beside = whole
    if count_words(whole) > cut.high or not answer:
        for start, end, text in _cut(call.text, cut):
            head = f"{short} " if start else ""
            yield Draft("tool", "tool", call.tool, head + text, ((i, start, end),), head)
        beside = short
    for start, end, text in answer:
        head = beside + _SEPARATOR
        yield Draft("tool", "tool", call.tool, head + text, (span, (result or 0, start, end)), head)
        beside = short


def _cut(text: str, cut: Cut, begin: int = 0, stop: int | None = None) -> Iterator[tuple[int, int, str]]:
    part = text[begin:stop]
    for start, end in _spans(part, cut):
        yield begin + start, begin + end, printable(part[start:end])


def _spans(text: str, cut: Cut) -> Sequence[Span]:
    """`segments`, remembered for long texts by their hash: a recall meets those of the conversation turn after turn."""
    if len(text) <= cut.high:
        return segments(text, low=cut.low, high=cut.high, overlap=cut.overlap)
    key = (cut, hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest())
    found = _remembered.get(key)
    if found is None:
        if len(_remembered) >= _REMEMBERED:
            _remembered.clear()
        found = _remembered[key] = segments(text, low=cut.low, high=cut.high, overlap=cut.overlap)
    return found


def printable(text: str) -> str:
    """Card text always encodes to UTF-8: lone surrogates become U+FFFD (the event keeps them)."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)
