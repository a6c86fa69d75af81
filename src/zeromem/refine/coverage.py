"""Which sentences say most: taken greedily by what they add to those already taken, for their length.

In: what was said, where its sentences stand, and what each thing in them is worth: words that it comes back to, numbers, names and codes,
facts. Out: numbers of sentences, the best first (submodular coverage under a budget, Lin and Bilmes, ACL 2011). A gist of one text and the
summary of a session share this.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from zeromem.rules import weighing
from zeromem.text.atoms import atoms
from zeromem.text.segment import Span
from zeromem.text.words import content, terms

_PLAIN = ("date", "negation", "modal")  # atoms that small talk is full of
_SCALE = 0.7  # power of the length that a sentence pays


@dataclass(frozen=True, slots=True)
class Saying:
    """One thing that was said: by whom, whether an assistant said it, the words, and where they state a fact."""

    who: str
    answers: bool
    text: str
    told: Sequence[Span] = ()


@dataclass(frozen=True, slots=True)
class Worth:
    """What a fact, an atom, a word that is said again and one that is said once are worth; `answers`: the share of it in an assistant's mouth."""

    fact: float
    atom: float
    again: float
    once: float
    answers: float = 1.0


def worth(said: Sequence[Saying], spans: Sequence[tuple[int, int, int]], how: Worth) -> list[dict[object, float]]:
    """What each sentence (number of its saying, start, end) holds, and what each of these is worth; a courtesy holds nothing."""
    courtesy = weighing("courtesy", "policy")
    words = [set(content(terms(said[n].text[start:end]))) for n, start, end in spans]
    often = Counter(word for some in words for word in some)
    marks = [[(a.span[0], (a.kind, a.text)) for a in atoms(one.text) if a.kind not in _PLAIN] for one in said]
    held: list[dict[object, float]] = []
    for (n, start, end), some in zip(spans, words, strict=True):
        if courtesy.search(said[n].text, start, end):
            held.append({})
            continue
        weight = how.answers if said[n].answers else 1.0
        one: dict[object, float] = {word: weight * (how.again if often[word] > 1 else how.once) for word in some}
        one |= {mark: weight * how.atom for place, mark in marks[n] if start <= place < end}
        one |= {(n, fact): weight * how.fact for fact in said[n].told if fact[0] < end and start < fact[1]}
        held.append(one)
    return held


def chosen(
    held: Sequence[dict[object, float]], lengths: Sequence[float], room: float, *, least: float | None = None
) -> list[int]:
    """The best sentence for its length, again and again. With `least`, only those that fit and add so much; without, until the room is filled."""
    taken: list[int] = []
    covered: set[object] = set()
    left = set(range(len(held)))
    gains = [sum(some.values()) for some in held]
    while room > 0:
        left = left if least is None else {n for n in left if lengths[n] <= room and gains[n] >= least}
        if not left:
            break
        best = max(left, key=lambda n: (gains[n] / max(1, lengths[n]) ** _SCALE, -n))
        left.discard(best)
        taken.append(best)
        room -= lengths[best]
        new = held[best].keys() - covered
        covered |= new
        for n in left:
            gains[n] -= sum(held[n][thing] for thing in new & held[n].keys())
    return taken
