"""Asks every arm for its scores; an arm that fails is named, and the others go on.

In: the understood question. Out: `arms`, one score array each.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from zeromem.recall.state import Recall, Scores
from zeromem.structures.linear import dense, keyword


def propose(recall: Recall) -> Recall:
    """Keyword scores, and cosines where there is an embedder and the question has words."""
    question = recall.question
    if question is None or not question.terms:
        return replace(recall, arms={}, note="the question has no words")
    arms: dict[str, Scores] = {}
    degraded = list(recall.degraded)
    if "keyword" in recall.wanted:
        arms["keyword"] = keyword(recall.snapshot, question.hashes, question.weights)
    if "dense" in recall.wanted and recall.embed is not None:
        try:
            vector = np.asarray(recall.embed(question.text), np.float32)
            if recall.snapshot.vectors and vector.shape == (recall.snapshot.vectors[0].matrix.shape[1],):
                arms["dense"] = dense(recall.snapshot, vector)
        except Exception as error:  # a foreign model may fail in any way; the keyword arm answers
            degraded.append(f"dense: {type(error).__name__}: {error}")
    found = {name: int(np.count_nonzero(np.nan_to_num(scores) > 0)) for name, scores in arms.items()}
    note = ", ".join(f"{name} {count}" for name, count in found.items())
    return replace(recall, arms=arms, degraded=tuple(degraded), note=note, detail=found)
