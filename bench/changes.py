"""Measures facts that change: does what holds now stand above what held before, and is the latter marked?

In: the data folder and an embedder. Out: for `facts` (factconsolidation, pairs whose gold fact is newer than the stale one) the share where
the gold fact is ranked and the stale one stands below it, is absent, or is marked superseded, and the share of stale facts that are marked;
for `updates` (longmemeval knowledge update) the share where the newest evidence ranks above the older. BM25 with the newest among
scores within 30 % stands beside both.
"""

from __future__ import annotations

import random
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from statistics import fmean
from typing import Any

from bench import data
from bench.baselines.rankings import Rankings
from bench.data import Question, Turn
from bench.memories import Filled, message
from zeromem import Hits
from zeromem.ports import Embedder

K = 100  # hits that are looked at
_BATCH = 500
_STRANGERS = 200  # turns of other speakers around a question's own
_NEAR = 0.7  # share of the best BM25 score from which the baseline takes the newest
_START = datetime(2026, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Pair:
    """A question with the turns that say what holds now, and those that say what held before."""

    question: Question
    now: frozenset[str]
    before: frozenset[str]


def facts(folder: Path, embedder: Embedder | None, limit: int | None) -> dict[str, Any]:
    """factconsolidation; a fact's number is its order, so it is its minute too."""
    turns = {
        conversation: [replace(turn, time=_START + timedelta(minutes=i)) for i, turn in enumerate(held)]
        for conversation, held in data.grouped(
            data.turn_of(row) for row in data.rows(folder, "factconsolidation", "turns")
        ).items()
    }
    pairs = _pairs(folder, turns)[:limit]
    needed = {pair.question.conversation for pair in pairs}
    rows: list[dict[str, bool]] = []
    marked: list[bool] = []
    with Filled(embedder) as memory:
        for conversation in needed:
            _fill(memory, turns[conversation])
        memory.memory.embed_pending()
        for pair in pairs:
            places, old = _places(memory, memory.search(pair.question, K))
            rows.append({"right": _right(places, old, pair)})
            marked += [id_ in _superseded(memory, pair, turns) for id_ in pair.before]
    baseline = {c: Rankings(turns[c], None) for c in needed}
    plain = [_right(_newest_near(baseline[pair.question.conversation], pair.question), set(), pair) for pair in pairs]
    return {
        "dataset": "factconsolidation", "n": len(pairs), "embedder": embedder.name if embedder else "none",
        "current_above_stale": round(fmean(row["right"] for row in rows), 4),
        "stale_superseded": round(fmean(marked), 4), "stale": len(marked),
        "baselines": {"bm25_newest": {"current_above_stale": round(fmean(plain), 4)}},
    }  # fmt: skip


def _pairs(folder: Path, turns: Mapping[str, Sequence[Turn]]) -> list[Pair]:
    order = {c: {turn.id: i for i, turn in enumerate(held)} for c, held in turns.items()}
    out = []
    for row in data.rows(folder, "factconsolidation", "questions"):
        places = order[row["conversation_id"]]
        now, before = (frozenset(str(id_) for id_ in row[key]) for key in ("evidence", "stale"))
        if now and before and min(places[id_] for id_ in now) > max(places[id_] for id_ in before):
            question = Question(
                row["question_id"], row["conversation_id"], row["question"], row["category"], now, frozenset(), False,
                _START + timedelta(days=400),
            )  # fmt: skip
            out.append(Pair(question, now, before))
    return out


def _fill(memory: Filled, turns: Sequence[Turn]) -> None:
    for start in range(0, len(turns), _BATCH):
        batch = [
            {**message(turn), "timestamp": turn.time.isoformat() if turn.time else None, "name": None}
            for turn in turns[start : start + _BATCH]
        ]
        receipt = memory.memory.add(batch, user=turns[0].conversation, session=turns[0].conversation)
        _ids.update(
            (item.id or "", turn.id)
            for turn, item in zip(turns[start:], (i for i in receipt.items if i.event_id), strict=False)
        )
    print(f"  {len(turns)} facts of {turns[0].conversation}", file=sys.stderr)


_ids: dict[str, str] = {}  # card to turn


def _places(memory: Filled, hits: Hits) -> tuple[dict[str, int], set[str]]:
    """The rank of each turn, and those whose card is marked as superseded."""
    places = {_ids[hit.id]: rank for rank, hit in enumerate(hits) if hit.id in _ids}
    return places, {_ids[hit.id] for hit in hits if hit.superseded_by and hit.id in _ids}


def _superseded(memory: Filled, pair: Pair, turns: Mapping[str, Sequence[Turn]]) -> set[str]:
    """Of the stale turns those that are marked, looked up by their own words."""
    texts = {turn.id: turn.text for turn in turns[pair.question.conversation] if turn.id in pair.before}
    found: set[str] = set()
    for id_, text in texts.items():
        hits = memory.memory.search(text, k=K, user=pair.question.conversation)
        found |= {id_ for hit in hits if hit.text == text and hit.superseded_by}
    return found


def _right(places: Mapping[str, int], superseded: set[str], pair: Pair) -> bool:
    best = min((places[id_] for id_ in pair.now if id_ in places), default=None)
    stale = [places[id_] for id_ in pair.before if id_ in places and id_ not in superseded]
    return best is not None and all(place > best for place in stale)


def _newest_near(rankings: Rankings, question: Question) -> dict[str, int]:
    """BM25, with the newest of those within 30 % of the best in front."""
    scores = rankings.scores("bm25", question.text)
    order = rankings.order("bm25", question)[:K]
    near = sorted((i for i in order if scores[i] >= _NEAR * scores[order[0]]), reverse=True)
    ranked = [*near, *(i for i in order if i not in near)]
    return {rankings.turns[i].id: rank for rank, i in enumerate(ranked)}


def updates(folder: Path, embedder: Embedder | None, limit: int | None) -> dict[str, Any]:
    """longmemeval, knowledge update: the question's turns among 200 turns of other named speakers."""
    held = data.load(folder, "longmemeval")
    own = {row["turn_id"]: row["conversation_id"] for row in data.rows(folder, "longmemeval", "turns")}
    by_id = {turn.id: turn for turns in held.turns.values() for turn in turns}
    questions = [q for q in held.questions if q.category == "knowledge-update" and len(q.turns) > 1][:limit]
    right, plain = [], []
    for question in questions:
        turns = _among(question, by_id, own)
        newest = max((by_id[id_] for id_ in question.turns), key=lambda turn: (turn.time or _START, turn.id)).id
        pair = Pair(replace(question, conversation=question.id), frozenset([newest]), question.turns - {newest})
        with Filled(embedder) as memory:
            memory.add_all({question.id: turns})
            hits = memory.memory.search(question.text, k=K, user=question.id, at=question.asked)
            places = {place: i for i, hit in enumerate(hits) for place in memory.sources(hit.card)}
        right.append(_right(places, set(), pair))
        plain.append(_right(_newest_near(Rankings(turns, None), question), set(), pair))
    return {
        "dataset": "updates", "n": len(questions), "embedder": embedder.name if embedder else "none",
        "newest_first": sum(right), "wrong": [q.text for q, good in zip(questions, right, strict=True) if not good],
        "baselines": {"bm25_newest": {"newest_first": sum(plain)}},
    }  # fmt: skip


def _among(question: Question, by_id: Mapping[str, Turn], own: Mapping[str, str]) -> list[Turn]:
    rng = random.Random(question.id)
    mine = own[next(iter(question.turns))]
    others = rng.sample(sorted(id_ for id_, owner in own.items() if owner != mine), _STRANGERS)
    strangers = [replace(by_id[id_], speaker=f"Person {own[id_][-6:]}") for id_ in others]
    turns = [*strangers, *(by_id[id_] for id_ in sorted(question.turns))]
    return sorted((replace(turn, conversation=question.id) for turn in turns), key=lambda turn: turn.time or _START)
