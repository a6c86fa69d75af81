"""What refinement means for a recall: when summaries may answer, which card stands for which, and where a danger is named.

In: a recall under way. Out: masks and places for `fuse` and `select`.
"""

from __future__ import annotations

import numpy as np

from zeromem.kinds import SUMMARY
from zeromem.recall.propose import relevant
from zeromem.recall.state import Danger, Recall, Scores
from zeromem.structures.snapshot import Bools
from zeromem.types import Card

_SUMMARY = 2.3  # what a summary is worth to a question that asks for one: ten turns


def summed_up(recall: Recall, total: Scores) -> Bools:
    """Where summaries may be shown: where the question asks what something comes to (there they lead), or the caller named the kind."""
    kinds, question = recall.snapshot.columns.kind[recall.snapshot.line.order], recall.question
    summary = kinds == recall.snapshot.code(SUMMARY)
    if question is not None and question.overview:
        total += _SUMMARY * summary
        return np.ones(len(kinds), np.bool_)
    return np.asarray(~summary | recall.filtered, np.bool_)


def standing_in(recall: Recall, ranked: tuple[int, ...], scores: Scores) -> tuple[int, ...]:
    """For each card whose words another one says too, that one, at the better of their places."""
    out: dict[int, None] = {}
    for position in ranked:
        shown = recall.snapshot.standing_in(position)
        if not recall.allowed[shown]:
            shown = position
        scores[shown] = max(scores[shown], scores[position])
        out.setdefault(shown)
    return tuple(out)


def clause(card: Card, danger: Danger) -> tuple[int, int]:
    """The characters of a card that name a danger; of one in other words than its own, all of them if need be."""
    if not card.full:
        return danger.clause
    start = card.text.casefold().find(danger.value.casefold())
    return (start, start + len(danger.value)) if start >= 0 else (0, len(card.text))


def answered(recall: Recall) -> bool:
    """Whether a memory that was found shares a word with the question, states what it asks for, or is near enough by itself."""
    line = recall.snapshot.line
    for position in recall.ranked:
        place = line.place[position]
        found = [("keyword", "hit", 0.0), ("facts", "now", 0.0), ("dense", "relevance", relevant(recall))]
        if any(arm in recall.arms and recall.arms[arm][name][place] > least for arm, name, least in found):
            return True
    return False
