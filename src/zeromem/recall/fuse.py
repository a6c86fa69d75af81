"""Makes one ranking of the arms' scores: a standardised weighted sum, with what neighbouring turns add.

In: `arms`. Out: `scores` and `ranked`. A card is a candidate only if an arm has a reason for it: a shared word, or a cosine above
the embedder's floor; a session neighbour alone is no reason for `search`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from zeromem.recall.state import Recall, Scores
from zeromem.structures.linear import neighbours

NEAR = (0.35, 0.15)
_POOL = 200  # candidates that are ranked; no context holds more


def fuse(recall: Recall) -> Recall:
    """Rank the candidates by fused score."""
    keyword, dense = recall.arms.get("keyword"), recall.arms.get("dense")
    if keyword is None and dense is None:
        return replace(recall, scores=None, ranked=(), note="no arm answered")
    living = recall.snapshot.alive
    size = len(recall.snapshot)
    total = np.zeros(size, np.float32)
    reason = np.zeros(size, np.bool_)
    if keyword is not None:
        total += _standard(keyword, living)
        reason |= keyword > 0
    if dense is not None:
        cosine = np.nan_to_num(dense, nan=float(np.nanmean(dense)) if np.isfinite(dense).any() else 0.0)
        total += _standard(cosine, living)
        reason |= np.nan_to_num(dense) >= recall.floor
    total += neighbours(recall.snapshot, total, NEAR)
    candidates = recall.allowed & reason
    scores = np.where(candidates, total, -np.inf).astype(np.float32)
    ranked = top(scores, min(_POOL, int(candidates.sum())))
    return replace(recall, scores=scores, ranked=ranked, note=f"{int(candidates.sum())} candidates")


def _standard(scores: Scores, living: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> Scores:
    held = scores[living]
    if not len(held):
        return scores
    return np.asarray((scores - held.mean()) / (held.std() + 1e-6), np.float32)


def top(scores: Scores, count: int) -> tuple[int, ...]:
    """Positions of the `count` highest finite scores, best first; equal scores in row order."""
    if count <= 0:
        return ()
    part = np.argpartition(-scores, count - 1)[:count] if count < len(scores) else np.arange(len(scores))
    order = part[np.lexsort((part, -scores[part]))]
    return tuple(int(i) for i in order if np.isfinite(scores[i]))
