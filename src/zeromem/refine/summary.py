"""What a session comes to: the sentences that say most of it, in fewer of their own words, under what it was about.

In: what was said, in order, with what it states. Out: a `Summary`: its text, at most a fifth of the characters, and which sayings it is made
of. Sentences are taken greedily by what they add to those already taken (submodular coverage, Lin and Bilmes, ACL 2011); those of people weigh
twice as much as an assistant's. Each is shortened by rules and checked against its source, or stays whole; every word stands in a saying that the
summary names, so nothing in it is invented.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

from zeromem.refine.shorten import shorten
from zeromem.refine.verify import verify
from zeromem.rules import weighing
from zeromem.text.atoms import atoms
from zeromem.text.segment import Span, sentences
from zeromem.text.words import content, terms

SHARE = 0.2  # of the characters that were said
_WIDER = 1.6  # so many times as much is read, for it is said more briefly and not all of it fits
_FACT, _ATOM, _AGAIN, _ONCE = 3.0, 1.5, 1.0, 0.4  # what a fact, an atom, a word said again and one said once are worth
_ANSWERS = 0.5  # what the same is worth in an assistant's mouth
_PLAIN = ("date", "negation", "modal")  # atoms that small talk is full of
_SCALE = 0.7  # power of the length that a sentence pays
_LITTLE = 1.5  # a sentence that adds less is not worth a line
_TOPICS, _OFTEN = 5, 3  # words at the head, each in so many sayings
_LEAST = 2  # characters of such a word
_WORD = re.compile(r"\w+")


@dataclass(frozen=True, slots=True)
class Saying:
    """One thing that was said: by whom, whether an assistant said it, the words, and where they state a fact."""

    who: str
    answers: bool
    text: str
    told: Sequence[Span] = ()


@dataclass(frozen=True, slots=True)
class Summary:
    """Lines of text, and the numbers of the sayings that they are made of."""

    text: str
    made_of: tuple[int, ...]


def summarise(said: Sequence[Saying], share: float = SHARE) -> Summary | None:
    """The summary of what was said; None where nothing of it fits."""
    spans = [(n, start, end) for n, one in enumerate(said) for start, end in sentences(one.text)]
    most = share * sum(len(one.text) for one in said)
    taken = _greedy(_worth(said, spans), [end - start for _, start, end in spans], _WIDER * most)
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


def _worth(said: Sequence[Saying], spans: Sequence[tuple[int, int, int]]) -> list[dict[object, float]]:
    """What each sentence holds, and what each of these is worth."""
    courtesy = weighing("courtesy", "policy")
    words = [set(content(terms(said[n].text[start:end]))) for n, start, end in spans]
    often = Counter(word for some in words for word in some)
    marks: dict[int, list[tuple[int, object]]] = {}
    for n, saying in enumerate(said):
        marks[n] = [(atom.span[0], (atom.kind, atom.text)) for atom in atoms(saying.text) if atom.kind not in _PLAIN]
    held: list[dict[object, float]] = []
    for (n, start, end), some in zip(spans, words, strict=True):
        if courtesy.search(said[n].text, start, end):
            held.append({})
            continue
        weight = _ANSWERS if said[n].answers else 1.0
        one: dict[object, float] = {word: weight * (_AGAIN if often[word] > 1 else _ONCE) for word in some}
        one |= {mark: weight * _ATOM for place, mark in marks[n] if start <= place < end}
        one |= {(n, fact): weight * _FACT for fact in said[n].told if fact[0] < end and start < fact[1]}
        held.append(one)
    return held


def _greedy(held: Sequence[dict[object, float]], lengths: Sequence[int], room: float) -> list[int]:
    """The best sentence for its length, again and again, of those that still fit."""
    taken: list[int] = []
    covered: set[object] = set()
    left = {n for n, some in enumerate(held) if some}
    gains = {n: sum(held[n].values()) for n in left}
    while left := {n for n in left if lengths[n] <= room and gains[n] >= _LITTLE}:
        best = max(left, key=lambda n: (gains[n] / max(1, lengths[n]) ** _SCALE, -n))
        left.discard(best)
        taken.append(best)
        room -= lengths[best]
        new = held[best].keys() - covered
        covered |= new
        for n in left:
            gains[n] -= sum(held[n][thing] for thing in new & held[n].keys())
    return taken


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
