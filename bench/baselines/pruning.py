"""Ways to make a store smaller that a refined memory must beat: they get the same characters and no questions.

In: the texts of one scope in order, the characters that may stay, and vectors (a function, called only if needed; None without an embedder).
Out: the texts, shortened or empty. None of them looks at what an atom binds.
"""

from __future__ import annotations

import math
import random as chance
import re
from collections import Counter
from collections.abc import Callable, Iterable, Sequence

import numpy as np

from zeromem.ports import Vectors
from zeromem.text.segment import sentences
from zeromem.text.words import is_stop, terms

Embed = Callable[[], Vectors] | None
_WORD = re.compile(r"\w[\w'’.:/-]*\w|\w")
_NEAR = 8  # neighbours of a turn in the graph of PageRank


def _whole(texts: Sequence[str], room: float, order: Iterable[int]) -> list[str]:
    """The texts of an order that fit whole."""
    kept = [""] * len(texts)
    for i in order:
        if len(texts[i]) <= room:
            kept[i] = texts[i]
            room -= len(texts[i])
    return kept


def at_random(texts: Sequence[str], room: float, embed: Embed) -> list[str]:
    """Turns by lot."""
    return _whole(texts, room, chance.Random(7).sample(range(len(texts)), len(texts)))


def recency(texts: Sequence[str], room: float, embed: Embed) -> list[str]:
    """The newest turns."""
    return _whole(texts, room, reversed(range(len(texts))))


def _rarity(texts: Sequence[str]) -> dict[str, float]:
    counts = Counter(word for text in texts for word in set(terms(text)))
    return {word: math.log1p((len(texts) - n + 0.5) / (n + 0.5)) for word, n in counts.items()}


def value(texts: Sequence[str], room: float, embed: Embed) -> list[str]:
    """Whole turns by the rarity of their words for their length."""
    rare = _rarity(texts)
    worth = [sum(rare[w] for w in set(terms(text)) if not is_stop(w)) / max(1, len(text)) ** 0.5 for text in texts]
    return _whole(texts, room, sorted(range(len(texts)), key=lambda i: -worth[i]))


def by_sentence(texts: Sequence[str], room: float, embed: Embed) -> list[str]:
    """Whole sentences by the rarity of their words for their length."""
    rare = _rarity(texts)
    rows = []
    for i, text in enumerate(texts):
        for start, end in sentences(text):
            worth = sum(rare[w] for w in set(terms(text[start:end])) if not is_stop(w) and w in rare)
            rows.append((-worth / max(1, end - start) ** 0.5, i, start, end))
    kept: dict[int, list[tuple[int, int]]] = {}
    for _, i, start, end in sorted(rows):
        if end - start + 1 <= room:
            kept.setdefault(i, []).append((start, end))
            room -= end - start + 1
    return [" ".join(text[start:end] for start, end in sorted(kept.get(i, ()))) for i, text in enumerate(texts)]


def words(texts: Sequence[str], room: float, embed: Embed) -> list[str]:
    """Rare words of every turn, each once, the rarest of the whole scope first; stop words last."""
    rare = _rarity(texts)
    rows = []
    for i, text in enumerate(texts):
        seen: set[str] = set()
        for match in _WORD.finditer(text):
            found = terms(match[0])
            if not found:
                continue
            worth = (
                max(rare.get(word, 0.0) for word in found) - 100 * all(map(is_stop, found)) - 50 * (found[0] in seen)
            )
            seen.add(found[0])
            rows.append((-worth, i, match.start(), match[0]))
    kept: dict[int, list[tuple[int, str]]] = {}
    for _, i, start, word in sorted(rows, key=lambda row: row[0]):
        if len(word) + 1 <= room:
            kept.setdefault(i, []).append((start, word))
            room -= len(word) + 1
    return [" ".join(word for _, word in sorted(kept.get(i, ()))) for i in range(len(texts))]


def _cosines(embed: Embed) -> np.ndarray:
    vectors = np.asarray(embed(), np.float32) if embed else np.empty((0, 0), np.float32)
    return np.einsum("id,jd->ij", vectors, vectors)


def similar(texts: Sequence[str], room: float, embed: Embed) -> list[str]:
    """The shorter one of the most similar pair goes, again and again: a threshold that is as low as the characters ask for."""
    cosines = _cosines(embed)
    if not len(cosines):
        return list(texts)
    left, right = np.triu_indices(len(texts), 1)
    order = np.argsort(-cosines[left, right], kind="stable")
    kept, size = list(texts), sum(map(len, texts))
    for n in order:
        one, two = int(left[n]), int(right[n])
        if size <= room:
            break
        if kept[one] and kept[two]:
            goes = one if len(kept[one]) <= len(kept[two]) else two
            size -= len(kept[goes])
            kept[goes] = ""
    return kept


def pagerank(texts: Sequence[str], room: float, embed: Embed) -> list[str]:
    """The turns that are most central among their nearest neighbours."""
    cosines = _cosines(embed)
    if not len(cosines):
        return list(texts)
    np.fill_diagonal(cosines, -1)
    links = np.zeros_like(cosines)
    nearest = np.argpartition(-cosines, _NEAR, axis=1)[:, :_NEAR]
    np.put_along_axis(links, nearest, np.clip(np.take_along_axis(cosines, nearest, 1), 0, None), 1)
    links /= np.maximum(links.sum(1, keepdims=True), 1e-9)
    rank = np.full(len(texts), 1 / len(texts))
    for _ in range(50):
        rank = 0.15 / len(texts) + 0.85 * np.einsum("i,ij->j", rank, links)
    return _whole(texts, room, (int(i) for i in np.argsort(-rank, kind="stable")))


PRUNERS: dict[str, Callable[[Sequence[str], float, Embed], list[str]]] = {
    "random": at_random,
    "recency": recency,
    "similarity": similar,
    "pagerank": pagerank,
    "turns": value,
    "sentences": by_sentence,
    "words": words,
}
