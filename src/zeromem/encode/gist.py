"""The sentences that say most of a text, for kinds of which only a gist is kept.

In: a text, and where it states facts. Out: spans of sentences in order, about a third of its words. Sentences are taken greedily by what they
add to those already taken, for their length: words that the text comes back to, numbers, names, code and the like, facts (submodular coverage
under a budget, after Lin and Bilmes, ACL 2011). Every span is literal, so a gist says nothing that the text does not.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from zeromem.rules import weighing
from zeromem.text.atoms import atoms
from zeromem.text.segment import Span, count_words, sentences
from zeromem.text.words import content, terms

SHARE = 1 / 3  # of the words of a text
SHORT = 60  # words up to which a text is its own gist
# What a fact, an atom, a word that is said again, and one that is said once are worth.
_FACT, _ATOM, _AGAIN, _ONCE = 5.0, 1.5, 1.0, 0.1
_PLAIN = ("date", "negation", "modal")  # atoms that small talk is full of
_SCALE = 0.7  # power of the length that a sentence pays


def gist(text: str, told: Sequence[Span] = ()) -> list[Span]:
    """The spans of the gist; the whole text where it is short."""
    spans = sentences(text)
    if len(spans) < 2 or count_words(text) <= SHORT:
        return [(0, len(text))] if text.strip() else []
    words = [set(content(terms(text[start:end]))) for start, end in spans]
    often = Counter(word for some in words for word in some)
    held: list[dict[object, float]] = [{w: _AGAIN if often[w] > 1 else _ONCE for w in some} for some in words]
    for atom in (atom for atom in atoms(text) if atom.kind not in _PLAIN):
        for n, (start, end) in enumerate(spans):
            if start <= atom.span[0] < end:
                held[n][atom.kind, atom.text] = _ATOM
    for fact in told:
        for n, (start, end) in enumerate(spans):
            if fact[0] < end and start < fact[1]:
                held[n][fact] = _FACT
    courtesy = weighing("courtesy", "policy")
    held = [{} if courtesy.search(text, *span) else some for span, some in zip(spans, held, strict=True)]
    lengths = [max(1.0, count_words(text[start:end])) for start, end in spans]
    return [spans[n] for n in sorted(_greedy(held, lengths, SHARE * sum(lengths)))]


def _greedy(held: Sequence[dict[object, float]], lengths: Sequence[float], room: float) -> list[int]:
    """The best sentence for its length, again and again until the room is filled."""
    taken: list[int] = []
    covered: set[object] = set()
    left = set(range(len(held)))
    while left and room > 0:
        gains = {n: sum(worth for thing, worth in held[n].items() if thing not in covered) for n in left}
        best = max(left, key=lambda n: (gains[n] / lengths[n] ** _SCALE, -n))
        left.discard(best)
        taken.append(best)
        covered |= held[best].keys()
        room -= lengths[best]
    return taken
