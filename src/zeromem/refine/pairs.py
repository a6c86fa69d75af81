"""Which of many texts are alike, by the words they share, most alike first.

In: texts. Out: pairs of numbers. A text is compared with those that share one of its rarest words and no others, so this stays near linear.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from math import log1p

from zeromem.text.words import content, terms

RARE = 3  # words of a text by which others are looked for
CROWD = 40  # texts that may share such a word
ALIKE = 0.5  # share of the weight of the shorter text's words that the other must hold


def similar(texts: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Pairs (smaller number first) whose words mostly agree, the most alike first."""
    words = [set(content(terms(text))) for text in texts]
    holders: dict[str, list[int]] = defaultdict(list)
    for n, some in enumerate(words):
        for word in some:
            holders[word].append(n)
    weight = {word: log1p(len(texts) / len(found)) for word, found in holders.items()}
    sums = [sum(weight[word] for word in some) for some in words]
    found: dict[tuple[int, int], float] = {}
    for n, some in enumerate(words):
        for word in sorted(some, key=lambda word: (len(holders[word]), word))[:RARE]:
            for other in holders[word] if len(holders[word]) <= CROWD else ():
                pair = (min(n, other), max(n, other))
                if other != n and pair not in found:
                    shared = sum(weight[word] for word in some & words[other])
                    if shared >= ALIKE * min(sums[n], sums[other]):
                        found[pair] = shared / max(1e-9, sums[n] + sums[other] - shared)
    yield from sorted(found, key=lambda pair: (-found[pair], pair))
