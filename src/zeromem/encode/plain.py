"""Texts made plain, and cut into sentences: what somebody else says or wrote is taken out before clauses are read.

In: one text. Out: the text with typographic signs and traditional characters made plain, without code and pasted texts; its quotes, each with
the words for who says it; its sentences as spans. Every offset stays that of the original.
"""

import re
from collections.abc import Iterator
from functools import cache

from zeromem.encode.grammar import Span, grammar
from zeromem.rules import LANGUAGES, words

LONGEST = 1000  # characters of a sentence; longer ones are data, and every pattern below may then be quadratic in it
HAN = re.compile(r"[\u3400-\u9fff]")
_SAME_LENGTH: dict[int, str] = str.maketrans({"’": "'", "‘": "'", "\u00a0": " ", "\t": " ", "＇": "'"})
_FENCE = re.compile(r"^(?:```|~~~).*?(?:^(?:```|~~~)|\Z)", re.MULTILINE | re.DOTALL)
_QUOTE = re.compile(
    r"\"[^\"\n]{1,400}\"|“[^”\n]{1,400}”|「[^」\n]{1,400}」|『[^』\n]{1,400}』|(?<!\w)'(?:[^'\n]|(?<=\w)'(?=\w)){2,400}'(?!\w)"
)
_QUOTED = re.compile(r"[\"“「『]|(?<!\w)'")
_END = re.compile(r"[.!?]+[\"')\]]*(?=\s|$)|[。！？!?]+|…+|\n+|[;；]")
CODE = re.compile(
    r"^.{0,60}\b(?:INFO|DEBUG|WARN(?:ING)?|ERROR|TRACE|FATAL)\b|"
    r"^\s*(?:[<>{}\[\]|$@]|npm |Traceback|File \""
    r"|//|def |class |return |import |from \S+ import|const |let |var |function )"
    r"|[{}]\s*;?\s*$|\);\s*$|\w\([\"'].*[\"']\)|=>|==|(?<=\S) = [\"'{\[]"
)
_WRAP = re.compile(r"(?<=[a-z,])\n(?=[a-z])")
_WORD = re.compile(r"[A-Za-z]+\.?$")
_HALF = re.compile(
    r"(?<=[\u3400-\u9fff”」》）]),|,(?=[\u3400-\u9fff“「《（])"
)  # a comma typed narrow between Chinese words
_LATIN = re.compile("[A-Za-z]")
_SHORT = 8  # characters; a shorter text pastes nothing


def plain(text: str) -> str:
    """`text` with typographic apostrophes and blanks made plain, traditional characters simplified, and wrapped lines joined; of the
    same length, so that what is found in it is read from the original."""
    if text.isascii():
        return _WRAP.sub(" ", text.translate(_SAME_LENGTH))
    return _WRAP.sub(" ", _HALF.sub("，", text.translate(_folds())))


@cache
def _folds() -> dict[int, str]:
    """Plain characters, and the pairs of `rules/zh/traditional.txt`: traditional ones and the small words of Cantonese."""
    return {**_SAME_LENGTH, **{ord(pair[0]): pair[1] for pair in words("zh", "traditional").split()}}


def own(text: str) -> str:
    """The plain text, with code and pasted texts blanked: what one is asked to mend, translate or sum up speaks for nobody here."""
    text = plain(text)
    if "```" in text or "~~~" in text:
        text = _FENCE.sub(_blank, text)
    for rules in map(grammar, _spoken(text)) if len(text) > _SHORT else ():
        for pattern in rules.pasted.values():
            if "pasted" in pattern.groupindex:
                text = pattern.sub(_without_pasted, text)
            elif (match := pattern.search(text)) is not None:
                text = _blank_of(text[: match.start()]) + text[match.start() :]
    return text


def _spoken(text: str) -> tuple[str, ...]:
    """The languages whose script stands in a text: a table takes a second to compile, so the other's is left alone."""
    han = HAN.search(text) is not None
    return ("zh",) if han and _LATIN.search(text) is None else LANGUAGES if han else ("en",)


def _without_pasted(match: re.Match[str]) -> str:
    start, end = (place - match.start() for place in match.span("pasted"))
    return match[0][:start] + _blank_of(match[0][start:end]) + match[0][end:]


def _blank_of(text: str) -> str:
    return re.sub(r"[^\n]", " ", text)


def _blank(match: re.Match[str]) -> str:
    return _blank_of(match[0])


def quotes(text: str) -> tuple[str, list[tuple[str, Span, Span]]]:
    """The text with its quotes blanked, and the quotes that have a speaker; short ones that name something stay."""
    found: list[tuple[str, Span, Span]] = []
    pieces: list[str] = []
    last = 0
    if _QUOTED.search(text) is None:
        return text, found
    for match in _QUOTE.finditer(text):
        start, end = match.span()
        rules = grammar("zh" if HAN.search(text, max(0, start - 20), end) else "en")
        before, behind = max(0, start - 80), min(len(text), end + 60)
        if rules.named.search(text, before, start):
            pieces += [text[last:start], " ", text[start + 1 : end - 1], " "]
            last = end
            continue
        said = rules.said_before.search(text, before, start) or rules.said_after.match(text, end, behind)
        if said is not None and said["who"]:
            found.append((text, (start + 1, end - 1), said.span("who")))
        elif end - start < 30 and not re.search(r"\w\s+\w+\s+\w|[\u3400-\u9fff]{5}", match[0]):
            continue
        pieces += [text[last : start + 1], " " * (end - start - 2), text[end - 1 : end]]
        last = end
    return "".join([*pieces, text[last:]]), found


def spans_of(text: str, start: int = 0, stop: int | None = None) -> Iterator[Span]:
    stop = len(text) if stop is None else stop
    # Without Latin letters the English table, a second's work to compile, is left alone.
    latin = _LATIN.search(text, start, stop) is not None
    for match in _END.finditer(text, start, stop):
        end = match.end()
        if match[0] == "." and latin:
            word = _WORD.search(text, max(start, match.start() - 12), end)
            if word is not None and end < stop:
                letters = word[0].rstrip(".")
                # "Dr.", "e.g.", and initials: "L. Ron", "F.C. is"
                if letters.casefold() in grammar("en").abbreviations or (
                    len(letters) == 1 and letters.isupper() and letters != "I"
                ):
                    continue
        if match[0] == "?" and latin and grammar("en").answered.match(text, start, stop):
            continue
        if match.start() > start:
            yield start, end
        start = end
    if start < stop:
        yield start, stop
