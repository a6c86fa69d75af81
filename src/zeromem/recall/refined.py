"""What refinement means for a recall: when summaries may answer, which card stands for which, and where a danger is named.

In: a recall under way. Out: masks and places for `fuse` and `select`.
"""

from __future__ import annotations

import numpy as np

from zeromem.kinds import SUMMARY
from zeromem.recall.propose import relevant
from zeromem.recall.state import Danger, Recall, Scores
from zeromem.structures.snapshot import NO_SESSION, Bools
from zeromem.types import Card

_DAY = 86_400_000_000  # microseconds
_SUMMARY = 2.3  # what a summary is worth to a question that asks for one: ten turns


def summed_up(recall: Recall, total: Scores) -> Bools:
    """Where summaries may be shown: where the question asks what something comes to (there they lead), or the caller named the kind."""
    kinds, question = recall.snapshot.columns.kind[recall.snapshot.line.order], recall.question
    summary = kinds == recall.snapshot.code(SUMMARY)
    if question is not None and question.overview:
        total += _SUMMARY * summary
        return np.ones(len(kinds), np.bool_)
    return np.asarray(~summary | recall.filtered, np.bool_)


def recapped(recall: Recall) -> Bools:
    """What an overview without a topic is of, along the line: what people said in the newest session before the caller's own, or in the
    time that is named; in place of a session's turns its summary, where it has one."""
    snapshot, question = recall.snapshot, recall.question
    line, session = snapshot.line, snapshot.columns.session[snapshot.line.order]
    is_summary = snapshot.columns.kind[line.order] == snapshot.code(SUMMARY)
    allowed = recall.allowed[line.order]
    told = allowed & ~is_summary
    if question is not None and question.times:
        told &= recall.arms["time"]["near"] >= 1
    else:
        here = [code for code in (snapshot.sessions.get(recall.session or ""),) if code is not None]
        own = {*here, *(code for code in session[recall.held[line.order]].tolist() if code != NO_SESSION)}
        told &= ~np.isin(session, sorted(own))
        if told.any():
            last = int(np.flatnonzero(told)[np.argmax(line.at[told])])
            day = line.at // _DAY == line.at[last] // _DAY  # of cards without a session
            told &= (session == session[last]) & (day | (session[last] != NO_SESSION))
    codes = set(session[told].tolist()) - {NO_SESSION}
    told &= line.answers > 0
    near = np.flatnonzero(is_summary & allowed) if codes else np.zeros(0, np.int64)
    cards = recall.fetch([int(line.order[place]) for place in near])
    for place in near.tolist():
        card = cards.get(int(line.order[place]))
        code = snapshot.sessions.get(card.session or "") if card else None
        if code in codes:
            told &= session != code
            told[place] = True
    return np.asarray(told, np.bool_)


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
