"""Finds secrets in tables: in the column, or beside the cell, that names one. Markdown, and rows parted by commas, semicolons or tabs.

In: a text. Out: kind, start and length of each cell that holds a secret. A word of letters counts only where another column tells whose it is
(a user, a site), a cell with blanks only in Markdown. Pure; linear: a line is read once.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import pairwise

from zeromem.text.credentials import NAMES, compiled, secret_name, strong

Found = tuple[str, int, int]  # kind, start, length
_Span = tuple[int, int]

_MARKS = "|\t,;"
_LONGEST = 400  # characters of a line with headings
_HEADING = 40  # characters of one
_WORDS = 3  # of one
_DRESS = " \t\"'`*_"  # what stands around a cell's words
_RULER = re.compile(r"[\s|:+-]+")


def columns(text: str) -> Iterator[Found]:
    """What stands under a heading such as `password`, or in the cell behind such a word."""
    read = 0
    for start, end in _lines(text):
        mark = next((mark for mark in _MARKS if text.find(mark, start, end) >= 0), "")
        if start < read or not mark:
            continue
        head = _cells(text, start, end, mark)
        beside = list(_beside(text, head)) if mark in "|\t" else []
        yield from beside
        if not beside and (named := _named(text, head)):
            for found, last in _below(text, end + 1, mark, (head, named)):
                read = last
                yield from found


def _lines(text: str) -> list[_Span]:
    """The lines, short enough for headings, in which something names a secret."""
    lowered, out = text.lower(), set()
    lowered = lowered if len(lowered) == len(text) else text
    for word in NAMES:
        place = lowered.find(word)
        while place >= 0:
            start, end = _line(text, place)
            if end - start <= _LONGEST:
                out.add((start, end))
            place = lowered.find(word, end)
    return sorted(out)


def _line(text: str, place: int) -> _Span:
    end = text.find("\n", place)
    return text.rfind("\n", 0, place) + 1, len(text) if end < 0 else end


@cache
def _pattern(mark: str) -> re.Pattern[str]:
    mark = re.escape(mark)
    return re.compile(
        rf'(?:^|(?<={mark}))[ \t]*(?:"(?:[^"\n]|"")*"(?=[ \t]*(?:{mark}|\r?$))|[^{mark}\n]*)', re.MULTILINE
    )


def _cells(text: str, start: int, end: int, mark: str) -> list[_Span]:
    """Where the cells of a line stand, without quotes and emphasis around them."""
    out = []
    for match in _pattern(mark).finditer(text, start, end):
        words = match[0].rstrip().rstrip(_DRESS)
        first = len(words) - len(words.lstrip(_DRESS))
        out.append((match.start() + first, match.start() + max(first, len(words))))
    return out


def _is_name(cell: str) -> bool:
    return len(cell.split()) <= _WORDS and compiled("(?i)(?:{name_any})s?$").search(cell) is not None


def _named(text: str, head: list[_Span]) -> list[int]:
    """The columns whose headings name a secret; none where the line is no row of headings."""
    cells = [text[start:end] for start, end in head]
    told = [cell for cell in cells if cell]
    if len(told) < 2 or any(
        len(cell) > _HEADING or len(cell.split()) > _WORDS or cell[-1] in ".!?。！？" for cell in told
    ):
        return []
    return [place for place, cell in enumerate(cells) if _is_name(cell)]


def _beside(text: str, head: list[_Span]) -> Iterator[Found]:
    """`| password | hunter22 |`: a name, and in the next cell what looks like a password."""
    for (start, end), (first, last) in pairwise(head):
        value = text[first:last]
        named = end - start <= _HEADING and _is_name(text[start:end]) and strong(value)
        if named and any(map(str.isdigit, value)) and (kind := secret_name(text[start:end], value)):
            yield kind, first, last - first


def _below(
    text: str, place: int, mark: str, headings: tuple[list[_Span], list[int]]
) -> Iterator[tuple[list[Found], int]]:
    """The secrets of each row below, and where the row ends."""
    head, named = headings
    names = [text[start:end] for start, end in head]
    holder = any(compiled("(?i){holder}").search(name) for column, name in enumerate(names) if column not in named)
    loose = mark != "|" and f"{mark} " in text[head[0][0] : head[-1][1]]
    while place < len(text):
        _, end = _line(text, place)
        cells = _cells(text, place, end, mark)
        if len(cells) != len(head):
            return
        found: list[Found] = []
        for column in () if _RULER.fullmatch(text, place, end) else named:
            first, last = cells[column]
            beside = " ".join(text[a:b] for number, (a, b) in enumerate(cells) if number != column)
            value = text[first:last]
            if _held(value, mark, loose, holder) and (kind := secret_name(f"{beside} {names[column]}", value)):
                found.append((kind, first, last - first))
        yield found, end
        place = end + 1


def _held(value: str, mark: str, loose: bool, holder: bool) -> bool:
    """Whether a cell may hold a secret at all."""
    if len(value) < 4 or compiled("(?i){placeholder}").match(value):
        return False
    if mark != "|" and any(map(str.isspace, value)):
        return False
    plain = not any(map(str.isdigit, value)) and not strong(value)
    return strong(value) or (not loose and (holder or not plain))
