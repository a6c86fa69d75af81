"""Cutting text: sentences, and pieces of a few hundred words that overlap a little.

In: any text in English or Chinese (other scripts work too). Out: half-open character spans in order; together they hold every
character that is not white space. Words are counted in units: a word of an alphabet is 1, a Han character (or kana, Hangul,
Thai letter) 1/2, a run without spaces longer than 16 characters 1 for each 16, so that text without any space is cut as well.
Pure, deterministic and linear in the length of the text. Where cuts fall depends on the words around them, not on their distance
from the start, so an edit in one paragraph moves only the cuts near it.
"""

import re
from bisect import bisect_left
from collections.abc import Iterator
from zlib import crc32

Span = tuple[int, int]

_LINE = re.compile(r"[^\n\r\u2028\u2029]+")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
_DENSE = f"{_HAN}\u3040-\u30ff\uac00-\ud7af\u0e00-\u0eff"
_CLOSERS = "\"'”’」』）)\\]》】*_"
_STOP = re.compile(rf"(?:[。！？；｡]+|…+|[.!?]+)(?:[{_CLOSERS}]*[。！？；.!?…]*)*")
_BEFORE_STOP = re.compile(r"(?:^|[\s(\[\"'“‘])([A-Za-z]+(?:\.[A-Za-z]+)*)$")
# Words whose full stop does not end a sentence; single letters (initials) and dotted ones (e.g., U.S.) need no entry.
_ABBREVIATIONS = frozenset(
    ("mr", "mrs", "ms", "dr", "prof", "st", "jr", "sr", "vs", "etc", "fig", "figs", "no", "nos", "vol", "pp", "ed", "eds",
     "al", "cf", "approx", "inc", "ltd", "co", "corp", "dept", "est", "gen", "col", "sgt", "capt", "lt", "rev", "hon",
     "jan", "feb", "mar", "apr", "jun", "jul", "aug", "sep", "sept", "oct", "nov", "dec", "mon", "tue", "wed", "thu",
     "fri", "min", "max", "ext", "tel", "eq", "sec", "ch", "art", "ave", "blvd", "rd", "mt", "ft", "viz", "incl")
)  # fmt: skip
_SOMETIMES_LAST = frozenset(("etc", "inc", "ltd", "co", "corp", "jr", "sr", "al", "est", "no", "min", "max", "sec", "ed",
                             "u.s", "u.k", "a.m", "p.m", "ph.d", "e.u", "u.n"))  # fmt: skip
_STARTER = re.compile(r"\s+[\"'“‘(]*(?:The|A|An|He|She|It|We|They|I|You|This|That|There|These|In|On|At|But|And|So|My|Our"
                      r"|His|Her|If|When|What|Why|How|As|For|No|Yes|Then)\b")  # fmt: skip
_LIST_NUMBER = 24  # characters of a list number with its indentation
_WORD = re.compile(rf"[{_DENSE}]|[^\W{_DENSE}]{{1,16}}|[^\w\s]{{16}}")
_DENSE_CHARACTER = re.compile(f"[{_DENSE}]")
# Up to some forty words with what stands between them: the parts of a sentence too long for one piece.
_CHOP = re.compile(rf"(?:[^\w]{{0,64}}(?:[{_DENSE}]{{1,2}}|[^\W{_DENSE}]{{1,16}})){{1,40}}[^\w\s]{{0,64}}|\S{{1,640}}")


def sentences(text: str) -> list[Span]:
    """Spans of the sentences, without the white space around them; a line break always ends one, inside code only that does."""
    found: list[Span] = []
    fenced = False
    for line in _LINE.finditer(text):
        start, end = line.span()
        fence = _FENCE.match(text, start, end) is not None
        fenced = fenced != fence
        borders = () if fenced or fence else _borders(text, start, end)
        for border in (*borders, end):
            span = _trimmed(text, start, border)
            if span is not None:
                found.append(span)
            start = border
    return found


def _borders(text: str, start: int, end: int) -> Iterator[int]:
    """Where sentences end within one line."""
    for stop in _STOP.finditer(text, start, end):
        after = stop.end()
        if after >= end:
            return
        signs, following = stop[0], text[after]
        if any(sign in signs for sign in "。！？；｡"):
            yield after
        elif "…" in signs or signs.startswith(".."):
            if _begins_anew(text, after, end):
                yield after
        elif not following.isspace():
            # "吗?好" has no space; "a.b", "3.5", "file.py?x" are no borders.
            if _DENSE_CHARACTER.match(following) and _DENSE_CHARACTER.match(text[stop.start() - 1 : stop.start()]):
                yield after
        elif signs[0] == "." and _abbreviated(text, start, stop.start(), after, end):
            continue
        elif not (_lower_follows(text, after, end) and (signs[0] == "." or len(signs) > 1)):
            yield after


def _begins_anew(text: str, after: int, end: int) -> bool:
    """Whether what follows an ellipsis is a new sentence."""
    if _DENSE_CHARACTER.match(text[after]):
        return text[after - 1] == "…" and text[after - 2 : after - 1] == "…"
    return text[after].isspace() and not _lower_follows(text, after, end)


def _lower_follows(text: str, after: int, end: int) -> bool:
    following = text[after : min(end, after + 8)].lstrip()
    return following[:1].islower()


def _abbreviated(text: str, start: int, stop: int, after: int, end: int) -> bool:
    match = _BEFORE_STOP.search(text[max(start, stop - 16) : stop])
    if match is None:
        # A number before the stop at the start of a line is a list number: "1. Buy milk".
        return stop - start <= _LIST_NUMBER and text[start:stop].strip().isdecimal()
    word = match[1].lower()
    if len(word) == 1 and word != "i":
        return True
    if word in _SOMETIMES_LAST or "." in word:
        return _STARTER.match(text, after, end) is None
    return word in _ABBREVIATIONS


def _trimmed(text: str, start: int, end: int) -> Span | None:
    part = text[start:end]
    left = len(part) - len(part.lstrip())
    return (start + left, start + len(part.rstrip())) if left < len(part) else None


def count_words(text: str) -> float:
    """The length of a text in words, as this module counts them."""
    return _halves(text) / 2


def _halves(text: str) -> int:
    return 2 * len(_WORD.findall(text)) - len(_DENSE_CHARACTER.findall(text))


def segments(text: str, *, low: int = 200, high: int = 500, overlap: int = 40) -> list[Span]:
    """Spans of `low` to `high` words, cut at paragraphs, else sentences, else words; a short text is one span.

    Each span but the first opens with the last whole sentences of the one before, up to `overlap` words. Only a last span, or one
    beside an indivisible part, may have fewer words than `low`. Raises `ValueError` for sizes that cannot work.
    """
    if not 0 < low <= high or not 0 <= overlap <= low or high - overlap < low:
        raise ValueError(f"need 0 <= overlap <= low and low + overlap <= high, not {low=} {high=} {overlap=}")
    whole = _trimmed(text, 0, len(text))
    if whole is None:
        return []
    # The cheap test first: a text has no more words than characters.
    if len(text) <= high or _halves(text) <= 2 * high:
        return [whole]
    parts = _parts(text, 2 * high)
    sizes = [max(1, _halves(text[a:b])) for a, b in parts]
    ends = [0]
    for size in sizes:
        ends.append(ends[-1] + size)
    spans: list[Span] = []
    first, begun = 0, -1
    while first < len(parts):
        cut = _cut(text, parts, ends, first, 2 * low, 2 * (high - overlap))
        opening = first
        # Each piece begins after the one before began, however short that was.
        while spans and opening - 1 > begun and ends[first] - ends[opening - 1] <= 2 * overlap:
            opening -= 1
        spans.append((parts[opening][0], parts[cut - 1][1]))
        first, begun = cut, opening
    return spans


def _parts(text: str, longest: int) -> list[Span]:
    """Sentences, those longer than `longest` half words chopped at word borders."""
    parts: list[Span] = []
    for start, end in sentences(text):
        if end - start <= longest // 2 or _halves(text[start:end]) <= longest // 4:
            parts.append((start, end))
            continue
        for piece in _CHOP.finditer(text, start, end):
            span = _trimmed(text, *piece.span())
            if span is not None:
                parts.append(span)
    return parts


def _cut(text: str, parts: list[Span], ends: list[int], first: int, low: int, most: int) -> int:
    """The part at which the piece that begins at `first` ends (exclusive).

    Among the borders between `low` and `most` half words a paragraph beats a sentence beats a word border; among equals the
    words around the border decide by their hash, not their place. Then the same text is cut alike wherever it stands.
    """
    left = ends[-1] - ends[first]
    if left <= most:
        return len(parts)
    lowest = bisect_left(ends, ends[first] + low, first + 1)
    highest = bisect_left(ends, ends[first] + most + 1, first + 1) - 1
    # Leave no small rest: the last piece should have `low` words as well.
    tail = bisect_left(ends, ends[-1] - low + 1) - 1
    if lowest <= tail:
        highest = min(highest, tail)
    if highest < lowest:
        return max(first + 1, highest)
    return min(range(lowest, highest + 1), key=lambda border: (-_rank(text, parts, border), _hash(text, parts, border)))


def _rank(text: str, parts: list[Span], border: int) -> int:
    gap = text[parts[border - 1][1] : parts[border][0]]
    if gap.count("\n") > 1:
        return 3
    if "\n" in gap:
        return 2
    return 1 if gap or text[parts[border - 1][1] - 1] in "。！？；…" else 0


def _hash(text: str, parts: list[Span], border: int) -> int:
    before, after = parts[border - 1][1], parts[border][0]
    around = text[max(0, before - 24) : before] + text[after : after + 24]
    return crc32(around.encode("utf-8", "surrogatepass"))
