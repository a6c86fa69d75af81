"""Cuts a Markdown document at its headings.

In: a document's text. Out: `Section`s in order that together hold all of it but its front matter (settings between `---` or `+++` lines,
which are of the file, not of what it tells), each with the path of headings above it. Text without headings is one section without a path.
Headings are lines of one to six `#` after a blank line, or lines underlined with `===` or `---`; what stands in fenced code or in front
matter is none. One pass over the lines; it reads no other Markdown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_LINE = re.compile(r"[^\n]*+(?:\n|\Z)")
_FRONT = re.compile(
    r"(-{3}|\+{3})[ \t]*+\r?\n(?:(?!\1[ \t]*+\r?$)[^\n]*+\n){0,200}?\1[ \t]*+\r?(?:\n|\Z)", re.MULTILINE
)
_FRONT_ALONE = re.compile(r"\s*+")
# What stands in it: a setting, an item or a part of one, a comment.
_SETTING = re.compile(r"[a-z_][\w.-]{0,63}+[ \t]*+[:=].*+")
_SETTINGS = re.compile(_SETTING.pattern + r"|[ \t]++\S.*+|-[ \t].*+|#.*+|[ \t]*+")
_FENCE = re.compile(r" {0,3}(`{3,}+|~{3,}+)(.*+)")
_HASHES = re.compile(r" {0,3}(#{1,6})[ \t]++(\S.{0,500}+)$")
_CLOSING_HASHES = re.compile(r"(?<=[ \t])#{1,500}$")
_UNDERLINE = re.compile(r" {0,3}(?:=++|-{2,}+)[ \t]*+$")
_NO_TITLE = re.compile(r" {0,3}(?:[-*+>|#]|\d{1,9}[.)])|(?: {4}|\t)")  # a list, quote, table or code: never underlined


@dataclass(frozen=True, slots=True)
class Section:
    """A heading with its text: characters `start` to `end`, the text from `body` on; `path` is the headings from the top down."""

    start: int
    body: int
    end: int
    path: tuple[str, ...]


def sections(text: str) -> list[Section]:
    """The sections of `text`. A heading with nothing below it but deeper headings has no section: it stands in their paths."""
    found: list[Section] = []
    path: list[tuple[int, str]] = []
    start = body = 0 if _FRONT_ALONE.fullmatch(text, front := _front_matter(text)) else front
    for place, after, level, title in [*_headings(text), (len(text), len(text), 0, "")]:
        hollow = not text[body:place].strip()
        if not hollow or (path and level <= path[-1][0]):
            found.append(Section(start, body, place, tuple(name for _, name in path)))
        start, body = place, after
        path = [*(step for step in path if step[0] < level), (level, title)]
    return found


def _headings(text: str) -> Iterator[tuple[int, int, int, str]]:
    """Start, end, level and words of each heading."""
    fence = ""
    before, above = "", 0  # the line before this one and where it begins
    blank_before = True  # whether the line before the title-to-be was blank
    for match in _LINE.finditer(text, _front_matter(text)):
        line = match[0].rstrip()
        mark = _FENCE.match(line)
        if fence:
            if mark and mark[1].startswith(fence) and not mark[2].strip():
                fence = ""
            before, blank_before = "", True
            continue
        if mark and not (mark[1][0] == "`" and "`" in mark[2]):
            fence, before = mark[1], ""
            continue
        hashes = _HASHES.match(line) if not before else None
        if hashes:
            yield match.start(), match.end(), len(hashes[1]), _CLOSING_HASHES.sub("", hashes[2]).strip()
            before, blank_before = "", True
        elif before and blank_before and _UNDERLINE.match(line) and not _NO_TITLE.match(before):
            yield above, match.end(), 1 if "=" in line else 2, before.strip()
            before, blank_before = "", True
        else:
            blank_before = not before
            before, above = line, match.start()


def _front_matter(text: str) -> int:
    """Where the text begins after a block of settings between `---` or `+++` lines."""
    match = _FRONT.match(text)
    lines = match[0].splitlines()[1:-1] if match else []
    settings = any(map(_SETTING.fullmatch, lines)) and all(
        map(_SETTINGS.fullmatch, lines)
    )  # headings alone are no settings
    return match.end() if match and settings else 0
