"""The linear structure: cards in the order of time, found by their words and vectors, with their neighbours in the session.

In: a snapshot and a question's term hashes or vector. Out: score arrays over all positions, vectorised. Sources: BM25
(Robertson and Zaragoza 2009).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from zeromem.ports import Vectors
from zeromem.structures.snapshot import NO_SESSION, Snapshot

Scores = npt.NDArray[np.float32]
K1, B = 1.2, 0.75


def matches(snapshot: Snapshot, number: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.uint16]]:
    """Living cards that hold a term, and how often."""
    found = [block.find(number) for block in snapshot.postings]
    cards = np.concatenate([cards for cards, _ in found]) if found else np.empty(0, np.int32)
    counts = np.concatenate([counts for _, counts in found]) if found else np.empty(0, np.uint16)
    living = snapshot.alive[cards]
    return cards[living], counts[living]


def rarity(snapshot: Snapshot, numbers: npt.NDArray[np.uint32]) -> Scores:
    """Inverse document frequency of each term in this scope; 0 for a term that no card holds."""
    held = np.array([len(matches(snapshot, int(number))[0]) for number in numbers], np.float32)
    idf = np.log1p((snapshot.living - held + 0.5) / (held + 0.5))
    return np.where(held > 0, idf, 0.0).astype(np.float32)


def keyword(snapshot: Snapshot, numbers: Sequence[int], weights: Sequence[float]) -> Scores:
    """BM25 of every card; 0 where no term occurs."""
    scores = np.zeros(len(snapshot), np.float32)
    length = snapshot.columns.length
    mean = float(length[snapshot.alive].mean()) if snapshot.living else 1.0
    norm = (K1 * (1 - B + B * length / max(mean, 1.0))).astype(np.float32)
    for number, weight in zip(numbers, weights, strict=True):
        cards, counts = matches(snapshot, number)
        tf = counts.astype(np.float32)
        scores[cards] += weight * tf * (K1 + 1) / (tf + norm[cards])
    return scores


def dense(snapshot: Snapshot, vector: Vectors) -> Scores:
    """Cosine of every card with the question; NaN where a card has no vector yet."""
    scores = np.full(len(snapshot), np.nan, np.float32)
    for block in snapshot.vectors:
        scores[block.cards] = block.matrix @ vector
    return scores


def neighbours(snapshot: Snapshot, scores: Scores, weights: Sequence[float]) -> Scores:
    """What the cards around each one in its session add: `weights[d - 1]` times the score at distance d."""
    order, session = snapshot.order, snapshot.columns.session[snapshot.order]
    line = np.where(session == NO_SESSION, 0.0, scores[order])
    added = np.zeros(len(order), np.float32)
    for distance, weight in enumerate(weights, 1):
        same = (session[distance:] == session[:-distance]) & (session[distance:] != NO_SESSION)
        added[distance:] += np.where(same, weight * line[:-distance], 0.0)
        added[:-distance] += np.where(same, weight * line[distance:], 0.0)
    out = np.zeros(len(snapshot), np.float32)
    out[order] = added
    return out
