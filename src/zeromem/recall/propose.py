"""Asks every arm for its features; an arm that fails is named, and the others go on.

In: the understood question. Out: `arms`: keyword, dense, time and shape, each a few arrays over the snapshot's line.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from zeromem.clock import micros
from zeromem.recall.state import OUTDATED, Question, Recall, Scores
from zeromem.structures.facts import Answers, Asked
from zeromem.structures.linear import dense, keyword, near_times, shape

# What a fact counts that was told once, and what a sure one gains and a doubtful one loses at most: a fifth of it.
_PLAIN, _SURE = 1.0, 0.4
_SELDOM, _RARE = 0.1, 0.005  # shares of unrelated cards that pass the bar; .005 where the question is one word
_RELEVANT, _RELEVANT_TO_ONE_WORD = 2.5, 4.5  # the bars where the embedder has no background to tell


def propose(recall: Recall) -> Recall:
    """Keyword features, and dense ones where there is an embedder; time and shape where there is anything to rank."""
    question = recall.question
    if question is None or not question.words or not recall.snapshot.living:
        return replace(
            recall, arms={}, note="the question has no words" if recall.snapshot.living else "no memories yet"
        )
    arms: dict[str, Mapping[str, Scores]] = {}
    degraded = recall.degraded
    if "keyword" in recall.wanted:
        arms["keyword"] = keyword(recall.snapshot, question.hashes)
    if "dense" in recall.wanted and recall.embed is not None:
        try:
            arms["dense"] = _dense(recall, question)
        except Exception as error:  # a foreign model may fail in any way; the keyword arm answers
            degraded = (*degraded, f"dense: {type(error).__name__}: {error}")
    if question.times:
        spans = [(micros(span.start), micros(span.end)) for span in question.times]
        arms["time"] = {"near": near_times(recall.snapshot.line, spans)}
    asked = Asked(question.whom, question.words)
    stated = recall.facts.answers(asked, micros(recall.now))
    if stated.now or stated.before or recall.outdated.any():
        arms["facts"] = _facts(recall, stated)
    arms["shape"] = shape(recall.snapshot, question.words)
    found = {
        "keyword": int(np.count_nonzero(arms["keyword"]["hit"])) if "keyword" in arms else 0,
        "dense": int(np.count_nonzero(arms["dense"]["relevance"] >= relevant(recall))) if "dense" in arms else 0,
    }
    note = ", ".join(f"{name} {count}" for name, count in found.items())
    living = recall.snapshot.alive
    if "dense" in arms and (pending := int(np.count_nonzero(living & ~recall.snapshot.embedded))):
        found["pending"] = pending
        note += f"; {pending} cards have no vector yet"
    return replace(recall, arms=arms, degraded=degraded, note=note, detail=found)


def _facts(recall: Recall, stated: Answers) -> Mapping[str, Scores]:
    """`now`: states what the question asks for, the more the surer it is; `single`: as the one value of a slot; `stale`: states only what
    no longer holds; `before`: states beside other things what was asked for, as it was."""
    line = recall.snapshot.line
    out = {"stale": (recall.outdated[line.order] >= OUTDATED).astype(np.float32)}
    now = {row: _PLAIN + _SURE * (sure - 0.5) for row, sure in stated.now.items()}
    for name, some in (
        ("now", now),
        ("single", dict.fromkeys(stated.single, 1.0)),
        ("before", dict.fromkeys(stated.before, 1.0)),
    ):
        mask, rows = np.zeros(len(recall.snapshot), np.float32), sorted(some)
        mask[recall.snapshot.positions(rows)] = [some[row] for row in rows]
        out[name] = mask[line.order]
    return out


def _dense(recall: Recall, question: Question) -> Mapping[str, Scores]:
    if recall.embed is None:
        return {}
    vector = np.asarray(recall.embed(question.text), np.float32)
    width = recall.snapshot.vectors[0].matrix.shape[1] if recall.snapshot.vectors else len(vector)
    if vector.shape != (width,) or not np.isfinite(vector).all():
        raise ValueError(f"the question's vector has shape {vector.shape}, the cards' have {width} dimensions")
    return dense(recall.snapshot, vector, recall.usual, recall.background)


def relevant(recall: Recall) -> float:
    """The relevance from which a vector alone is a reason: 10 % of unrelated cards reach it, for a question of one word .5 %.

    It only makes a candidate: ranking and gate decide. A lone word asks for itself more than for its kin.
    """
    single = recall.question is not None and len(recall.question.words) == 1
    if recall.background is None:
        return _RELEVANT_TO_ONE_WORD if single else _RELEVANT
    return recall.background.level(_RARE if single else _SELDOM)
