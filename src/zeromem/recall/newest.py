"""Puts the newest of several statements on one matter first.

In: `ranked`, `scores` and the cards that were read. Out: the same cards, some in another order. What is said changes in ways that no
rule reads as a fact ("three Korean restaurants", later "four"). Two kinds of cards of one speaker count as on one matter: those that say
nearly the same words and match the same words of the question; and, where somebody asks about themselves as they are now, those that match
much the same words of the question. They stand newest first, in the places that they hold together. A question that names a time or asks
how things were is left alone: of events the nearest in words is meant, not the last. Where all values of a slot are asked for, what states
one changes places only with what does.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import numpy.typing as npt

from zeromem.plural import counted
from zeromem.recall.state import Question, Recall
from zeromem.structures.linear import holding
from zeromem.text.words import content, terms

HEAD = 20  # cards that are looked at, and read for it
# Chosen on longmemeval's knowledge updates (29 of 31 right; half the distance 22) and own everyday questions (1.8 points of the first
# rank, none of what is shown).
_FAR = 4.0  # log odds between two cards that may change places
_ALIKE = 0.4  # share of the question's weight in either that both match
_LEAST = 0.25  # share of the question's weight that a card must match
_SAME = 0.6  # share of the words in either of two cards that are in both, from which they say nearly the same
_READ = 600  # characters of a card


def newest(recall: Recall) -> Recall:
    """Reorder the head of the ranking."""
    question = recall.question
    if (
        question is None
        or recall.scores is None
        or question.past
        or question.lists
        or question.times
        or len(recall.ranked) < 2
    ):
        return replace(recall, note="in the order of the ranking")
    head = np.array(recall.ranked[:HEAD])
    groups = _groups(recall, question, head)
    order, scores, moved = head.copy(), recall.scores.copy(), 0
    for group in groups:
        at = recall.snapshot.columns.at[head[group]]
        newer = [group[i] for i in np.argsort(-at, kind="stable")]
        moved += newer != group
        order[group] = head[newer]
        scores[head[newer]] = recall.scores[head[group]]
    note = f"{counted(moved, 'group')} of alike cards put newest first" if moved else "in the order of the ranking"
    ranked = (*(int(i) for i in order), *recall.ranked[HEAD:])
    return replace(recall, ranked=ranked, scores=scores, note=note)


def _groups(recall: Recall, question: Question, head: npt.NDArray[np.int64]) -> list[list[int]]:
    """Places in the head that hold statements on one matter, best first."""
    line, size = recall.snapshot.line, len(head)
    scores = recall.scores[head] if recall.scores is not None else np.zeros(size)
    speaker = line.speaker[line.place[head]]
    said: dict[int, set[str]] = {}  # words of the cards that have to be looked at

    def words(i: int) -> set[str]:
        if i not in said:
            card = recall.cards.get(int(head[i]))
            said[i] = set(content(terms(card.source[:_READ]))) if card else set()
        return said[i]

    matched = _matched(recall, question, head)
    least = _LEAST * (sum(question.weights) or 1.0)
    lists = question.lists and "facts" in recall.arms
    stated = recall.arms["facts"]["now"][line.place[head]] > 0 if lists else None
    out: list[list[int]] = []
    free = set(range(size))
    for i in range(size):
        if i not in free:
            continue
        both, either = np.minimum(matched, matched[i]).sum(axis=1), np.maximum(matched, matched[i]).sum(axis=1)
        alike = (both >= _ALIKE * either) & (matched[i].sum() >= least) & question.personal
        close = (scores[i] - scores <= _FAR) & (speaker == speaker[i])
        if stated is not None:
            close &= stated == stated[i]
        matching = (matched == matched[i]).all(axis=1)
        group = [
            j
            for j in (int(j) for j in np.flatnonzero(close) if j >= i and int(j) in free)
            if j == i
            or alike[j]
            or (matching[j] and len(words(i) & words(j)) >= _SAME * max(1, len(words(i) | words(j))))
        ]
        free -= set(group)
        if len(group) > 1:
            out.append(group)
    return out


def _matched(recall: Recall, question: Question, head: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """The weight of each word of the question in each card of the head; 0 where it is not in it."""
    places = recall.snapshot.line.place[head]
    out = np.zeros((len(head), len(question.hashes)))
    for column, (number, weight) in enumerate(zip(question.hashes, question.weights, strict=True)):
        out[holding(recall.snapshot, number, places), column] = weight
    return out
