"""Puts the newest of several statements first, where somebody asks about themselves as they are now.

In: `ranked` and `scores`. Out: the same cards, some in another order. What people say of themselves changes in ways that no rule reads as a
fact ("three Korean restaurants", later "four"). So among the best cards those that one speaker said, and that match the same words of the
question, stand newest first, in the places that they hold together. A question that names a time, asks how things were, or is
about other people is left alone: of events the nearest in words is meant, not the last.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from zeromem.plural import counted
from zeromem.recall.state import Question, Recall
from zeromem.structures.linear import matches

_HEAD = 20  # cards that are looked at
# Chosen on longmemeval's knowledge updates (29 of 31 right; half the distance 22) and own everyday questions (1.8 points of the first
# rank, none of what is shown).
_FAR = 4.0  # log odds between two cards that may change places
_ALIKE = 0.4  # share of the question's weight in either that both match
_LEAST = 0.25  # share of the question's weight that a card must match


def newest(recall: Recall) -> Recall:
    """Reorder the head of the ranking."""
    question = recall.question
    if question is None or recall.scores is None or not _of_now(question) or len(recall.ranked) < 2:
        return replace(recall, note="in the order of the ranking")
    head = np.array(recall.ranked[:_HEAD])
    groups = _groups(recall, question, head)
    order, scores, moved = head.copy(), recall.scores.copy(), 0
    for group in groups:
        at = recall.snapshot.columns.at[head[group]]
        newer = [group[i] for i in np.argsort(-at, kind="stable")]
        moved += newer != group
        order[group] = head[newer]
        scores[head[newer]] = recall.scores[head[group]]
    note = f"{counted(moved, 'group')} of alike cards put newest first" if moved else "in the order of the ranking"
    ranked = (*(int(i) for i in order), *recall.ranked[_HEAD:])
    return replace(recall, ranked=ranked, scores=scores, note=note)


def _of_now(question: Question) -> bool:
    return question.personal and not question.past and not question.times


def _groups(recall: Recall, question: Question, head: npt.NDArray[np.int64]) -> list[list[int]]:
    """Places in the head that hold statements on one matter, best first."""
    line = recall.snapshot.line
    places = line.place[head]
    matched = np.zeros((len(head), len(question.hashes)))
    for column, (number, weight) in enumerate(zip(question.hashes, question.weights, strict=True)):
        found, _ = matches(recall.snapshot, number)
        matched[np.isin(places, found), column] = weight
    least = _LEAST * (sum(question.weights) or 1.0)
    scores = recall.scores[head] if recall.scores is not None else np.zeros(len(head))
    out: list[list[int]] = []
    free = set(range(len(head)))
    for i in range(len(head)):
        if i not in free or matched[i].sum() < least:
            continue
        both = np.minimum(matched, matched[i]).sum(axis=1)
        either = np.maximum(matched, matched[i]).sum(axis=1)
        alike = (
            (both >= _ALIKE * either) & (scores[i] - scores <= _FAR) & (line.speaker[places] == line.speaker[places[i]])
        )
        group = [j for j in range(i, len(head)) if j in free and alike[j]]
        free -= set(group)
        if len(group) > 1:
            out.append(group)
    return out
