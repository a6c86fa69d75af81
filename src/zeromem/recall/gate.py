"""Decides whether memory speaks at all, and how much.

Two steps. The word gate looks at the words before any search: acknowledgements, greetings and the like inject nothing. The
score gate, after ranking, asks whether this scope holds an answer (a calibrated probability from signals that mean the same in a
scope of one card and of 100,000), and how many cards it takes until the answer is likely among them. Weights are trained by
`python -m bench train` on questions put to their own and to foreign scopes.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from zeromem.plural import counted
from zeromem.recall.state import Question, Recall
from zeromem.recall.together import together
from zeromem.recall.weights import gate
from zeromem.structures.linear import holding, matches
from zeromem.text.noise import silent
from zeromem.text.words import content, hashes, terms

_TOP = 3
_OTHERS = 2  # cards beside those that state what is asked for
# Cards said since, and the share of the question's weight, or of its words, that each must match.
_LATER, _MATCHED, _HALF = 2, 0.4, 0.5
_BESIDE = 2  # cards where one fact answers and nothing else is asked for
_LEAN = 8  # cards without a budget named
_HELD = "what matches stands in the last turns, which the caller holds already (window=0 shows it)"
_PRIOR = 50  # cards without the word that stand beside the scope: a word's weight is sane in a scope of one card


def word_gate(recall: Recall) -> Recall:
    """Silent for messages that ask for nothing, or hold no words at all: an image, a blank line."""
    if not recall.query.strip():
        return replace(recall, silent="nothing is asked: no user text", note="no user text")
    noise = silent(recall.query)
    if noise is not None:
        return replace(recall, silent=noise.reason, note=noise.reason)
    return replace(recall, note="the message may need memory")


def score_gate(recall: Recall) -> Recall:
    """Silent when the scope is unlikely to hold an answer; else as many cards as are worth showing.

    Where the question names what the asker must not have, that is said in any case, alone.
    """
    out = _judged(recall)
    if not out.silent or not recall.urgent:
        return out
    note = f"{out.note}; but the question names what is a danger"
    return replace(out, silent="", ranked=tuple(danger.position for danger in recall.urgent), note=note)


def _judged(recall: Recall) -> Recall:
    if not recall.ranked or recall.question is None:
        reason = _HELD if recall.hidden else "nothing in memory matches"
        return replace(recall, silent=reason, note="below threshold: no candidate")
    if recall.question.open or recall.question.recap:
        return replace(recall, note="a question without a topic: everything of its time")
    learned = gate(recall.embedder if "dense" in recall.arms else "none")
    found = signals(recall, recall.question)
    likely = _sigmoid(learned["bias"] + sum(learned.get(name, 0.0) * value for name, value in found.items()))
    detail = {"probability": round(likely, 3), **{name: round(value, 3) for name, value in found.items()}}
    if likely < learned["threshold"]:
        reason = f"below threshold: an answer is {likely:.2f} likely here, {learned['threshold']:.2f} is needed"
        return replace(recall, silent=reason, note=reason, detail=detail)
    recall = _listed(recall)
    most = min(recall.most, enough(recall, learned))
    since = _since(recall, recall.question, most) if recall.question else ()
    if since:  # they count among the eight
        most = min(most, _LEAN - len(since))
    ranked = (*recall.ranked[:most], *since, *(position for position in recall.ranked[most:] if position not in since))
    recall, most = replace(recall, ranked=ranked), most + len(since)
    if recall.lean and recall.question and not recall.question.wide:
        recall = together(recall, most, min(_LEAN, recall.limit))
    else:
        recall = replace(recall, most=most)
    return replace(
        recall,
        note=f"an answer is {likely:.2f} likely; up to {counted(recall.most, 'card')}",
        detail=detail,
    )


def _listed(recall: Recall) -> Recall:
    """Where all that is asked for are values that facts state: the cards that state them, and of the others the best few."""
    if not recall.lean or recall.question is None or not recall.question.lists or "facts" not in recall.arms:
        return recall
    stated = recall.arms["facts"]["now"][recall.snapshot.line.place[list(recall.ranked)]] > 0
    kept = np.array(recall.ranked)[stated | (np.cumsum(~stated) <= _OTHERS)]
    listed = replace(recall.question, wide=True)
    return replace(recall, ranked=tuple(kept.tolist()), question=listed) if stated.any() else recall


def enough(recall: Recall, learned: Mapping[str, float]) -> int:
    """Cards until the answer is likely among them. The ranking is trained as a softmax over cards, so its scores are log odds.

    At most eight: more likely ones mean that none stands out. A question that asks for many, or a budget that the caller named, is
    filled as far as it goes.
    """
    if recall.scores is None or not recall.lean or (recall.question and recall.question.wide):
        return len(recall.ranked)
    if recall.led:  # how it was, and how it is
        return recall.led + (0 if recall.question and recall.question.bare else _OTHERS)
    ranked = list(recall.ranked)
    # A fact that answers stands first, but what else is asked for still counts.
    lifted = recall.lifted[ranked] if recall.lifted is not None else 0.0
    scores = (recall.scores[ranked] - lifted) / learned["temperature"]
    odds = np.exp(scores - scores.max())
    count = int(np.searchsorted(np.cumsum(odds / odds.sum()), learned["mass"])) + 1
    if recall.question is not None and recall.question.bare and not _stated(recall):
        count = min(
            count, _TOP
        )  # values of a slot of which nothing is known: a rule may have missed it, eight cards do not say it better
    if "facts" not in recall.arms or not recall.arms["facts"]["single"].any():
        # Who Ana's brother is, and what he ordered; but where he lives is one fact.
        return min(_LEAN, count + (recall.question.steps if recall.question else 0))
    # All that claim to be the one value stand first: what holds, what is planned, what contradicts it. Where nothing else is asked for,
    # one other stands behind it, for a rule may have read amiss.
    if recall.question is not None and recall.question.bare:
        count = min(count, _BESIDE)
    single = recall.arms["facts"]["single"][recall.snapshot.line.place[ranked[:_LEAN]]] > 0
    return min(_LEAN, max(count, int(np.flatnonzero(single).max(initial=0)) + 1))


def _stated(recall: Recall) -> bool:
    """Whether a fact says what is asked for, as it is or was."""
    return "facts" in recall.arms and bool((recall.arms["facts"]["now"] + recall.arms["facts"]["before"]).any())


def _since(recall: Recall, question: Question, shown: int) -> tuple[int, ...]:
    """Positions behind the `shown` first of what a person said of the matter after what answers best: a correction that no rule reads
    must not be left out ("Sorry, the plumber is Thursday, not Friday")."""
    if not recall.lean or question.past or question.wide or question.times:
        return ()
    line, arms = recall.snapshot.line, recall.arms
    places = line.place[list(recall.ranked)]
    best = arms["facts"]["single"][places] > 0 if "facts" in arms else np.zeros(len(places), bool)
    if not best.any():
        best[:shown] = line.answers[places[:shown]] > 0
    if not best.any():
        return ()
    # A share of the question's words, or of their weight: in a scope of few cards what both say weighs little.
    own = [
        (number, weight)
        for term, number, weight in zip(question.terms, question.hashes, question.weights, strict=True)
        if term in question.words
    ]
    held = np.array([holding(recall.snapshot, number, places) for number, _ in own]).reshape(len(own), len(places))
    weights = np.array([weight for _, weight in own])
    matched = (weights @ held >= _MATCHED * weights.sum()) | (held.sum(axis=0) >= _HALF * len(own))
    later = (
        matched
        & held.any(axis=0)
        & (line.at[places] > int(line.at[places[best]].max()))
        & (line.answers[places] > 0)
        & (arms["shape"]["question"][places] == 0)
    )
    if "facts" in arms:  # what is stale is here only where the question names it
        stale = arms["facts"]["stale"][places] > 0
        later = (later & ~stale) | (stale & (np.arange(len(places)) < _LEAN))
    later[:shown] = False
    return tuple(recall.ranked[i] for i in np.flatnonzero(later)[:_LATER])


def signals(recall: Recall, question: Question) -> dict[str, float]:
    """What tells a scope that holds the answer from one that does not; comparable across scopes of any size."""
    snapshot = recall.snapshot
    size = len(snapshot.line)
    in_time = {term for span in question.times for term in terms(span.text)}
    asked = [number for term, number in zip(question.terms, question.hashes, strict=True) if term not in in_time]
    asked = asked or list(question.hashes)
    held = [matches(snapshot, number)[0] for number in asked]
    frequency = np.array([len(places) for places in held], np.float64)
    weight = np.log((size + _PRIOR) / (frequency + 1))
    total = float(weight.sum()) or 1.0
    cover = np.zeros(size)
    for value, places in zip(weight, held, strict=True):
        cover[places] += value
    top = snapshot.line.place[list(recall.ranked[:_TOP])]
    together = sum(value for value, number in zip(weight, asked, strict=True) if holding(snapshot, number, top).any())
    named = [_is_known(recall, name) for name in question.names]
    out = {
        "best": float(cover.max(initial=0.0)) / total,
        "top3": float(together) / total,
        "scope": float(weight[frequency > 0].sum()) / total,
        "unknown": float((frequency == 0).mean()) if len(frequency) else 1.0,
        "absent": float(False in named),
        "known": float(True in named),
        "personal": float(question.personal),
        "size": math.log(size + 1),
    }
    if "dense" in recall.arms:
        out["near"] = float(np.nan_to_num(recall.arms["dense"]["relevance"], nan=-9.0).max())
    return out


def _is_known(recall: Recall, name: str) -> bool:
    """Whether anybody of this name speaks or is spoken of in the scope."""
    words = set(content(terms(name)))
    spoken = {term for speaker in recall.snapshot.names for term in terms(speaker)}
    return bool(words & spoken) or any(
        len(matches(recall.snapshot, int(number))[0]) for number in hashes(sorted(words))
    )


def _sigmoid(value: float) -> float:
    return 1.0 / (1.0 + math.exp(-max(-60.0, min(60.0, value))))
