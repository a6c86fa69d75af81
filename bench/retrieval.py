"""Runs a question set through a memory and through the baselines, and measures both alike.

In: a set, an embedder. Out: one object with the keys of `bench/README.md`. Rankings come from `search`, gold@B from
`recall(budget=B)`; query vectors are made before the clock runs.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Mapping, Sequence
from statistics import fmean
from typing import Any

from bench.baselines import Rankings, filled, token_counts
from bench.data import Question, Set, Turn
from bench.memories import Filled
from bench.metrics import Place, at_depths, idf, mean_of, percentiles, ranks, session_ranks
from zeromem.ports import Embedder

BUDGETS = (400, 800, 1600)
DEFAULT = 800  # the budget that tokens_mean, recall_ms and `answered` are taken at
DEEP = 200  # hits that are read, so that five distinct sessions are among them
Row = dict[str, float]


def measure(data: Set, embedder: Embedder | None) -> dict[str, Any]:
    """Every figure of one set."""
    with Filled(embedder) as filled_memory:
        without = filled_memory.add_all(data.turns)
        rows, took = _memory_rows(filled_memory, data)
        degraded = filled_memory.memory.warnings
    ours = mean_of(rows)
    named = [question.category for question in data.questions]
    return {
        "dataset": data.name,
        "n": len(rows),
        "embedder": embedder.name if embedder else "none",
        "turns": sum(map(len, data.turns.values())),
        "turns_without_card": without,
        "gold_below_200": round(1 - ours.get("found", 0.0), 4),
        **{key: value for key, value in ours.items() if key != "found"},
        "recall_ms": percentiles(took),
        "by_category": {name: _of_category(rows, named, name) for name in sorted(set(named))},
        "baselines": _baselines(data, embedder),
        **({"degraded": list(degraded)} if degraded else {}),
    }


def _of_category(rows: Sequence[Row], named: Sequence[str], name: str) -> dict[str, Any]:
    held = [row for row, category in zip(rows, named, strict=True) if category == name]
    means = mean_of(held)
    keys = [key for key in means if key.endswith("@10") or (key.endswith("@5") and "session" in key) or "gold" in key]
    return {"n": len(held), **{key: means[key] for key in keys}, "answered": means["answered"]}


def _memory_rows(memory: Filled, data: Set) -> tuple[list[Row], list[float]]:
    rows: list[Row] = []
    took: list[float] = []
    asked = dict.fromkeys(question.conversation for question in data.questions)
    scopes = {conversation: _Scope(data.turns[conversation]) for conversation in asked}
    started = time.monotonic()
    for i, question in enumerate(data.questions):
        scope = scopes[question.conversation]
        row = _ranked(memory.places(memory.search(question, DEEP)), question, scope)
        for budget in BUDGETS:
            begun = time.perf_counter()
            context = memory.recall(question, budget)
            if budget == DEFAULT:
                took.append((time.perf_counter() - begun) * 1000)
                row |= {"tokens_mean": context.tokens, "answered": float(bool(context))}
            if question.turns:
                row[f"gold@{budget}"] = fmean(memory.gold_shown(context, question.turns, scope.texts, scope.weights))
        row |= _as_it_likes(memory, question, scope)
        rows.append(row)
        if (i + 1) % 100 == 0:
            print(f"  asked {i + 1}/{len(data.questions)}, {time.monotonic() - started:.0f} s", file=sys.stderr)
    return rows, took


def _as_it_likes(memory: Filled, question: Question, scope: _Scope) -> Row:
    """Without a budget named the memory shows as much as it thinks the question needs."""
    context = memory.recall(question, None)
    row: Row = {"default_tokens": context.tokens, "default_cards": len(context.cards)}
    if question.turns:
        row["default_gold"] = fmean(memory.gold_shown(context, question.turns, scope.texts, scope.weights))
    return row


class _Scope:
    """What the measures need to know of one conversation."""

    def __init__(self, turns: Sequence[Turn]) -> None:
        self.texts = {turn.id: turn.text for turn in turns}
        self.sessions = {turn.id: turn.session for turn in turns}
        self.weights = idf(self.texts.values())


def _ranked(places: Sequence[Place], question: Question, scope: _Scope) -> Row:
    turns, sessions = ranks(places), session_ranks(places, scope.sessions)
    row: Row = {}
    if question.by_session:
        row |= at_depths(sessions, question.sessions)
        if question.turns:
            row |= at_depths(turns, question.turns, "turn_")
    else:
        row |= at_depths(turns, question.turns)
    row |= {key: value for key, value in at_depths(sessions, question.sessions, "session_").items()
            if key in ("session_any@5", "session_all@5")}  # fmt: skip
    row["found"] = fmean(id_ in turns for id_ in question.turns) if question.turns else 1.0
    return row


def _baselines(data: Set, embedder: Embedder | None) -> dict[str, Any]:
    rows: dict[str, list[Row]] = {}
    by_conversation: dict[str, list[Question]] = {}
    for question in data.questions:
        by_conversation.setdefault(question.conversation, []).append(question)
    for conversation, questions in by_conversation.items():
        turns = data.turns[conversation]
        rankings, costs, scope = Rankings(turns, embedder), token_counts(turns), _Scope(turns)
        for question in questions:
            for name in rankings.names:
                order = rankings.order(name, question)
                rows.setdefault(name, []).append(_baseline_row(order, turns, costs, question, scope))
            rows.setdefault("full", []).append(_full_row(turns, costs, question))
    return {name: mean_of(held) for name, held in rows.items()}


def _baseline_row(
    order: Sequence[int], turns: Sequence[Turn], costs: Sequence[int], question: Question, scope: _Scope
) -> Row:
    row = _ranked([Place((turns[i].id,)) for i in order], question, scope)
    del row["found"]
    for budget in BUDGETS:
        shown = filled(order, costs, budget)
        if question.turns:
            held = {turns[i].id for i in shown}
            row[f"gold@{budget}"] = fmean(id_ in held for id_ in question.turns)
        if budget == DEFAULT:
            row["tokens_mean"] = sum(costs[i] for i in shown)
    return row


def _full_row(turns: Sequence[Turn], costs: Sequence[int], question: Question) -> Row:
    known = [i for i, turn in enumerate(turns)
             if question.before is None or turn.time is None or turn.time < question.before]  # fmt: skip
    row: Row = {"tokens_mean": sum(costs[i] for i in known)}
    if question.turns:
        ids = {turns[i].id for i in known}
        row["gold"] = fmean(id_ in ids for id_ in question.turns)
    return row


def table(result: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    """Rows for the readable table: the memory, its categories, the baselines."""
    head = {key: value for key, value in result.items() if not isinstance(value, dict | list)}
    named = [("zeromem", head)]
    named += [(f"  {name}", row) for name, row in result["by_category"].items()]
    return named + list(result["baselines"].items())
