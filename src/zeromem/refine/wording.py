"""Writes the words of a text that stay, so that they read as they did: in order, with marks where borders hold something.

In: a reading and the units that stay. Out: the text. Between Han characters no space comes in, and no two that were apart become a word.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from zeromem.refine.reading import Reading, cut
from zeromem.text.words import HAN

_HAN = re.compile(f"[{HAN}]")
_STOPS = re.compile(r"[.!?。！？…\n]")
_MARKS = re.compile(r"[,;:，；：、—()（）]")


@dataclass(frozen=True, slots=True)
class Unit:
    """Words that stay or go together: one, or those of an atom, from the clause `clause` to the clause `after`.

    `value` orders them; below zero stand those that say nothing by themselves.
    """

    start: int
    end: int
    key: str
    clause: int
    after: int
    sentence: int
    value: float
    needed: bool

    @property
    def cost(self) -> int:
        return self.end - self.start + 1


def render(reading: Reading, kept: Sequence[Unit]) -> str:
    """The kept units in order, sentences and clauses parted by marks, and `…` where words of a clause were left out that say something."""
    if not kept:
        return ""
    text = reading.text
    out = [text[kept[0].start : kept[0].end]]
    for before, unit in pairwise(kept):
        between = text[before.end : unit.start]
        if before.sentence != unit.sentence:
            mark = " " if out[-1][-1] in ".!?。！？" else _stop(between, reading.asks[before.sentence])
        elif before.after != unit.clause:
            mark = _comma(between)
        elif _says(reading, before.end, unit.start):
            mark = _LEFT_OUT
        else:
            mark = between if len(between) <= 1 and "\n" not in between else " "
        out += [_tight(mark, text[before.end - 1], text[unit.start]), text[unit.start : unit.end]]
    if reading.asks[kept[-1].sentence]:
        out.append("？" if _HAN.match(out[-1][-1]) else "?")
    return _HAN_RUN.sub(_apart, "".join(out)).replace(_SEAM, "")


_SEAM = "\0"  # stands where words between two Han characters were left out, until it is known how the rest is read
_HAN_RUN = re.compile(f"[{HAN}]+\0[{HAN}\0]+")


def _apart(match: re.Match[str]) -> str:
    """Where what is left would be read as another word, an ellipsis holds it apart: 新…店, not 新店."""
    run, bare = match[0], match[0].replace(_SEAM, "")
    borders, place = set(), 0
    for word in cut(bare):
        place += len(word)
        borders.add(place)
    out, place = [], 0
    for piece in run.split(_SEAM):
        out.append(piece)
        place += len(piece)
        out.append("" if place in borders else "…")
    return "".join(out[:-1])


_LEFT_OUT = (
    "… "  # stands where words were left out that say something, so that nobody joins what stands on either side of it
)


def _says(reading: Reading, start: int, end: int) -> bool:
    """Whether a word between two places says something."""
    first = bisect_left(reading.tokens, start, key=lambda token: token.start)
    for token in reading.tokens[first:]:
        if token.start >= end:
            return False
        if token.sort in ("word", "person", "relation") and not token.filler:
            return True
    return False


def _stop(between: str, asks: bool) -> str:
    if asks:
        return "？" if "？" in between else "? "
    found = _STOPS.search(between)
    if found is None or found[0] == "…":
        return ". "
    return found[0] if found[0] in "。！？\n" else ". "


def _comma(between: str) -> str:
    found = _MARKS.search(between)
    if found is None:
        return ", "
    return found[0] if found[0] in "，；：、" else ", "


def _tight(mark: str, left: str, right: str) -> str:
    """No space beside Han characters, and their own marks between them."""
    if _HAN.match(left) and _HAN.match(right):
        return {" ": _SEAM, ". ": "。", ", ": "，", "? ": "？", _LEFT_OUT: "…"}.get(mark, mark)
    if _HAN.match(left) or _HAN.match(right):
        return {" ": "", _LEFT_OUT: "…"}.get(mark, mark)
    return mark
