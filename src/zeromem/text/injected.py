"""Takes out of a message what a memory system put into it: blocks, not words that only speak of memory.

In: one message's text. Out: the text without the blocks, and how many characters went. A block is ours, exactly as `render` writes it
(opened by its tag, holding `[m:…]` lines), or one of a few tags that other products use, opened and closed on lines of their own.
Blocks in code, unclosed ones, tags within a line and lists that a user writes are the author's own words and stay. Linear.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

# `<memory>` alone is too common a word: such a block is taken for ours only if a line of it opens with a pointer.
_OURS = re.compile(r"<memory(?: [a-z]+=\"[^\"<>\n]{0,200}\")?>[ \t]{0,8}\r?\n")
_POINTED = re.compile(r"^[ \t]{0,8}\[m:[^\]\s]{1,64}\]", re.MULTILINE)
# mem0, Supermemory, LangMem, MemOS, Hermes and plug-ins of coding agents.
_NAMES = (
    r"(?:relevant|retrieved|recalled|related|injected|user|long[_-]term|mem0|memos|agent|past)[_-](?:memory|memories)(?:[_-]context)?"
    r"|memories|memory[_-](?:context|block|blocks)|supermemory(?:[_-]context)?|(?:super)?memory[_-]search[_-]results"
)
_OTHERS = re.compile(
    rf"^[ \t]{{0,8}}<({_NAMES})(?:[ \t][^<>\n]{{0,400}})?>[ \t]{{0,8}}\r?$", re.IGNORECASE | re.MULTILINE
)
_CLOSING = re.compile(rf"^[ \t]{{0,8}}</(memory|{_NAMES})>(?:([ \t]{{0,8}}\r?$))?", re.IGNORECASE | re.MULTILINE)
_FENCE = re.compile(r"^[ \t]{0,8}(?:```|~~~)", re.MULTILINE)
_BREAKS = re.compile(r"[\r\n]*")


def strip_injected(text: str) -> tuple[str, int]:
    """`text` without injected memory blocks, and how many characters were cut; without any block, the very same text.

    The line breaks that set a block apart go with it; all else stays as it was.
    """
    if "</" not in text or "emor" not in text.lower():
        return text, 0
    kept: list[str] = []
    position, last = 0, len(text.rstrip())
    for start, end in _blocks(text):
        before = text[position:start] if end < last else text[position:start].rstrip()
        kept.append(before if before.strip() else "")
        breaks = _BREAKS.match(text, end)
        position = len(text) if end >= last or breaks is None else breaks.end()
    if not position:
        return text, 0
    rest = "".join([*kept, text[position:]])
    return rest, len(text) - len(rest)


def _blocks(text: str) -> Iterator[tuple[int, int]]:
    """Spans of the blocks in order: from a closing tag back to the last opening one of its name, outside code."""
    marks = [(match.start(), match.end(), "memory", "open") for match in _OURS.finditer(text)]
    marks += [(match.start(), match.end(), match[1].lower(), "open") for match in _OTHERS.finditer(text)]
    if not marks:
        return
    marks += [
        (match.start(), match.end(), match[1].lower(), "close")
        for match in _CLOSING.finditer(text)
        if match[2] is not None or match[1] == "memory"
    ]
    marks += [(match.start(), match.end(), "", "fence") for match in _FENCE.finditer(text)]
    pointed = [match.start() for match in _POINTED.finditer(text)]
    opened: dict[str, tuple[int, int]] = {}
    fenced = False
    for start, end, name, what in sorted(marks):
        if what == "fence":
            fenced = not fenced
        elif what == "open":
            if not fenced and text[start - 1 : start] != "`":
                opened[name] = start, end
        elif name in opened:
            first, inside = opened[name]
            if name != "memory" or bisect_left(pointed, inside) < bisect_left(pointed, start):
                yield first, end
                opened.clear()
                fenced = False  # a fence within the block says nothing of what follows
