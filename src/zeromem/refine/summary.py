"""What a session comes to: the sentences that say most of it, in fewer of their own words, under what it was about.

In: what was said, in order, with what it states. Out: a `Summary`: its text, at most a fifth of the characters, and which sayings it is made
of. Sentences are taken by what they add to those already taken (`coverage.py`); those of people weigh twice as much as an assistant's. Each is
shortened by rules and checked against its source, or stays whole; every word stands in a saying that the summary names, so nothing in it is
invented.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from zeromem.refine.coverage import Saying, Worth, chosen, worth
from zeromem.refine.shorten import shorten
from zeromem.refine.verify import verify
from zeromem.text.segment import sentences
from zeromem.text.words import content, terms

SHARE = 0.2  # of the characters that were said
_WIDER = 1.6  # so many times as much is read, for it is said more briefly and not all of it fits
_WORTH = Worth(fact=3.0, atom=1.5, again=1.0, once=0.4, answers=0.5)
_LITTLE = 1.5  # a sentence that adds less is not worth a line
_TOPICS, _OFTEN = 5, 3  # words at the head, each in so many sayings
_LEAST = 2  # characters of such a word
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Summary:
    """Lines of text, and the numbers of the sayings that they are made of."""

    text: str
    made_of: tuple[int, ...]


def summarise(said: Sequence[Saying], share: float = SHARE) -> Summary | None:
    """The summary of what was said; None where nothing of it fits."""
    spans = [(n, start, end) for n, one in enumerate(said) for start, end in sentences(one.text)]
    most = share * sum(len(one.text) for one in said)
    taken = chosen(worth(said, spans, _WORTH), [end - start for _, start, end in spans], _WIDER * most, least=_LITTLE)
    whole = [" ".join(said[n].text[start:end].split()) for n, start, end in (spans[i] for i in taken)]
    brief = _briefer(whole)
    kept: dict[int, str] = {}
    text = ""
    often = Counter(word for one in said for word in set(content(terms(one.text))))
    for i, words in zip(taken, brief, strict=True):  # what says most first
        longer = _written(said, {j: (spans[j][0], {**kept, i: words}[j]) for j in sorted((*kept, i))}, often)
        if len(longer) <= most:
            kept[i], text = words, longer
    return Summary(text, tuple(sorted({spans[i][0] for i in kept}))) if kept else None


def _written(said: Sequence[Saying], kept: Mapping[int, tuple[int, str]], often: Counter[str]) -> str:
    """Lines of who said what, under a line of topics."""
    lines: list[str] = []
    before = -1
    for n, text in kept.values():
        if n == before:
            lines[-1] += " " + text
        else:
            lines.append(f"{said[n].who}: {text}")
        before = n
    topics = _topics(often, [text for _, text in kept.values()])
    return "\n".join([*([f"# {', '.join(topics)}"] if topics else []), *lines])


def _briefer(texts: Sequence[str]) -> list[str]:
    """The sentences without what pads and what weighs nothing; one that would lose more stays as it is."""
    brief = [shorten(text, 0, light=True) for text in texts]
    return [short if verify(text, short).ok else text for text, short in zip(texts, brief, strict=True)]


def _topics(often: Counter[str], picked: Sequence[str]) -> list[str]:
    """The words that most sayings come back to (`often` counts them), as they are written in the sentences that were picked."""
    written: dict[str, str] = {}
    for piece in (piece for text in picked for piece in _WORD.findall(text)):
        for word in found if len(found := _words(piece)) == 1 else ():
            written.setdefault(word, piece)
    there = dict.fromkeys(word for text in picked for word in _words(text))
    common = [word for word in there if often[word] >= _OFTEN and len(word) >= _LEAST and not word.isdigit()]
    return [written.get(word, word) for word in sorted(common, key=lambda word: -often[word])[:_TOPICS]]


@lru_cache(4096)
def _words(text: str) -> tuple[str, ...]:
    return tuple(content(terms(text)))
