"""Makes one ranking of the arms' features: a weighted sum with learned weights.

In: `arms`. Out: `scores` and `ranked`. A card is a candidate only if there is a reason for it: a shared word, a vector nearer
than unrelated texts are, or such a card beside it in its session. Weights are trained by
`python -m bench train` on the MIT and Apache sets; where an arm is missing its features are, nothing else changes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np

from zeromem.plural import counted
from zeromem.recall.propose import relevant
from zeromem.recall.refined import recapped, standing_in, summed_up
from zeromem.recall.state import Recall, Scores
from zeromem.recall.weights import fusion
from zeromem.structures.linear import around
from zeromem.structures.snapshot import Bools

_POOL = 200  # candidates that are ranked at least
# Log odds, as all weights here: a fact in the slot that is asked for is as likely the answer as ten other cards, one that no longer
# holds a twentieth. By reasoning, for no training set marks them.
_NOW, _STALE = 2.3, 3.0
_RESTS, _PINNED = 0.3, 0.7  # a memory in the archive comes after its equals, a pinned one before them
_FIRST = 0.1  # above the best other card
_SHORT = 5  # words of topic in an answer that its question must find


def fuse(recall: Recall) -> Recall:
    """Rank the candidates by fused score."""
    line = recall.snapshot.line
    if not any(name in recall.arms for name in ("keyword", "dense")):
        return replace(recall, scores=None, ranked=(), note=recall.note or "no arm answered")
    learned = fusion(recall.embedder if "dense" in recall.arms else "none")
    total = np.zeros(len(line), np.float32)
    for arm, features in recall.arms.items():
        for name, values in features.items():
            weight = learned.get(f"{arm}.{name}", 0.0)
            if weight:
                total += weight * values
    reasons = _reasons(recall)
    candidates = reasons & recall.allowed[line.order] & summed_up(recall, total)
    if marks := recall.snapshot.marks:
        total += _PINNED * marks["pinned"][line.order] - _RESTS * marks["archive"][line.order]
    lifted = np.zeros(len(recall.snapshot), np.float32)
    if "facts" in recall.arms:
        lifted[line.order] = _lift(recall, total, candidates)
        candidates = _overtake(recall, total, candidates, reasons & ~recall.held[line.order])
    scores = np.full(len(recall.snapshot), -np.inf, np.float32)
    scores[line.order] = np.where(candidates, total, -np.inf)
    count = int(candidates.sum())
    pool = min(max(_POOL, recall.pool), count)
    ranked = _with_answers(recall, top(scores, pool), scores)
    if recall.snapshot.inside:
        ranked = standing_in(recall, ranked, scores)
    hidden = int((reasons & recall.held[line.order]).sum())
    return replace(recall, scores=scores, lifted=lifted, ranked=ranked, hidden=hidden, note=counted(count, "candidate"))


def _lift(recall: Recall, total: Scores, candidates: Bools) -> Scores:
    """Add to `total` what a card gains by stating what is asked for; where a slot holds one value, or all of them are asked for, that comes
    first, whatever the words say. Returns what was added."""
    arm, before = recall.arms["facts"], total.copy()
    total += _NOW * arm["now"]
    first = arm["now" if recall.question is not None and recall.question.lists else "single"] > 0
    if first.any():
        best = total[candidates].max(initial=0.0)
        total[:] = np.where(first & (arm["stale"] == 0), np.maximum(total, best + _FIRST * arm["now"]), total)
    return total - before


def _overtake(recall: Recall, total: Scores, candidates: Bools, reasons: Bools) -> Bools:
    """Take off what a card loses by stating what no longer holds; the candidates anew.

    What overtook a card that there is a reason for takes its place, whatever the words say, also where only what holds is asked for; the
    card comes behind it. It is left out, unless the question asks how things were, or names what it says ("Does she still play tennis?").
    """
    line, arm = recall.snapshot.line, recall.arms["facts"]
    total -= _STALE * arm["before"] * (arm["stale"] == 0)
    over = np.flatnonzero(reasons & (arm["stale"] > 0))
    stale = over[np.argsort(-total[over], kind="stable")[:_POOL]]  # further down nobody looks
    rows = recall.snapshot.columns.rows[line.order[stale]].tolist()
    by = [_now(recall, row) for row in rows]
    positions = recall.snapshot.positions(sorted({row for row in by if row is not None}))
    found = {int(recall.snapshot.columns.rows[position]): int(position) for position in positions}
    for place, row in zip(stale, by, strict=True):
        if row in found:
            newer = line.place[found[row]]
            total[newer] = max(total[newer], total[place])
            total[place] = total[newer]
            candidates[newer] |= recall.allowed[found[row]]
    total[over] -= _STALE
    if not recall.hide or recall.question is None or recall.question.past:
        return candidates
    named = np.zeros(len(line), np.bool_)
    words = set(recall.question.words)
    for place, row in zip(stale, rows, strict=True):
        named[place] = any(words.issuperset(fact.sense.split()) for fact in recall.facts.superseded(row))
    return np.asarray(candidates & ((arm["stale"] == 0) | named), np.bool_)


def _now(recall: Recall, row: int) -> int | None:
    """The row of the card that took the place of one that is stale: the last of those that overtook each other."""
    seen = {row}
    while (by := recall.facts.overtaken_by(row)) is not None and by not in seen:
        seen.add(by)
        row = by
        if recall.facts.outdated(row) == 0:
            return row
    return row if len(seen) > 1 else None


def _with_answers(recall: Recall, ranked: tuple[int, ...], scores: Scores) -> tuple[int, ...]:
    """A question that was asked before is followed by its answer, where that is too short to be found by its own words ("43")."""
    line = recall.snapshot.line
    out: dict[int, None] = {}
    for position in ranked:
        out.setdefault(position)
        place = int(line.place[position])
        after = place + 1
        if recall.arms["shape"]["question"][place] == 0 or after >= len(line) or line.group[after] != line.group[place]:
            continue
        answer = int(line.order[after])
        told = line.content[after] <= _SHORT and line.speaker[after] != line.speaker[place]
        if told and answer not in out and recall.allowed[answer]:
            out.setdefault(answer)
            scores[answer] = scores[position]
    return tuple(out)


def _reasons(recall: Recall) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Cards with a shared word, or a vector near enough. Codes and numbers are near only to themselves, and one word alone asks
    for itself more than for its kin. A question without a topic has all of its time, or all that people said."""
    line, question = recall.snapshot.line, recall.question
    if question is not None and question.recap:
        return recapped(recall)
    if question is not None and question.open:
        return recall.arms["time"]["near"] >= 1 if question.times else line.answers > 0
    out = np.zeros(len(line), np.bool_)
    if "keyword" in recall.arms:
        out |= recall.arms["keyword"]["hit"] > 0
    exact = question is not None and bool(question.terms) and set(question.terms) <= set(question.identifiers)
    if "dense" in recall.arms and not exact:
        out |= recall.arms["dense"]["relevance"] >= relevant(recall)
    if "facts" in recall.arms:
        out |= recall.arms["facts"]["now"] > 0
    # The turn beside a good one may be its answer ("Which one?" "The blue one."), so it may be found through it.
    return out | (around(line, out.astype(np.float32)) > 0)


def arm_scores(recall: Recall, position: int) -> Mapping[str, float]:
    """What each arm says of a card, for hits and traces."""
    place = int(recall.snapshot.line.place[position])
    shown = {"keyword": "card", "dense": "relevance", "time": "near", "facts": "now"}
    return {arm: float(recall.arms[arm][name][place]) for arm, name in shown.items() if arm in recall.arms}


def top(scores: Scores, count: int) -> tuple[int, ...]:
    """Positions of the `count` highest finite scores, best first; equal scores in row order."""
    if count <= 0:
        return ()
    part = np.argpartition(-scores, count - 1)[:count] if count < len(scores) else np.arange(len(scores))
    order = part[np.lexsort((part, -scores[part]))]
    return tuple(int(i) for i in order if np.isfinite(scores[i]))
