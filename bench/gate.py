"""Measures the gate: does memory stay silent when it should, and speak when it should?

In: the data folder, an embedder. Out: shares. `acks_silent` of 200 acknowledgements (`acks.txt`), each in a LoCoMo conversation;
`offtopic_silent` of LoCoMo questions asked in every other conversation; `answerable_kept` of the same questions asked in their own.
`others` holds the same two shares on further sets, and there are questions that their own set calls unanswerable.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from statistics import fmean
from typing import Any

from bench import data
from bench.data import Question
from bench.memories import Filled
from zeromem.ports import Embedder

BUDGET = 800
OTHERS = ("realmem", "longmemeval", "madial")


def acknowledgements() -> list[str]:
    """The 200 acknowledgements, half of them Chinese."""
    return (Path(__file__).parent / "acks.txt").read_text("utf-8").splitlines()


def measure(
    folder: Path, embedder: Embedder | None, limit: int | None, others: Sequence[str] = OTHERS
) -> dict[str, Any]:
    """The three shares on LoCoMo, and the last two on `others`."""
    locomo = data.load(folder, "locomo")
    conversations = list(locomo.turns)
    questions = locomo.questions[:limit]
    acks = acknowledgements()[:limit]
    with Filled(embedder) as memory:
        memory.add_all(locomo.turns)
        heard = [
            bool(memory.memory.recall(text, budget=BUDGET, user=conversations[i % len(conversations)]))
            for i, text in enumerate(acks)
        ]
        off, kept, reasons = _shares(memory, questions, conversations)
    return {
        "dataset": "gate",
        "n": {"acks": len(acks), "offtopic": len(questions), "answerable": len(questions)},
        "embedder": embedder.name if embedder else "none",
        "acks_silent": round(1 - fmean(heard), 4),
        "offtopic_silent": off,
        "answerable_kept": kept,
        "acks_answered": [text for text, spoke in zip(acks, heard, strict=True) if spoke],
        "silent_reasons": reasons,
        "others": {name: _other(folder, name, embedder, limit) for name in others},
    }


def _other(folder: Path, name: str, embedder: Embedder | None, limit: int | None) -> dict[str, Any]:
    held = data.load(folder, name)
    conversations = list(held.turns)
    questions = held.questions[:limit]
    with Filled(embedder) as memory:
        memory.add_all(held.turns)
        off, kept, _ = _shares(memory, questions, conversations)
        refused = [_answered(memory, question) for question in held.unanswerable[:limit]]
    out = {"n": len(questions), "answerable_kept": kept}
    if len(conversations) > 1:
        out["offtopic_silent"] = off
    if refused:
        out |= {"unanswerable": len(refused), "unanswerable_silent": round(1 - fmean(refused), 4)}
    return out


def _shares(
    memory: Filled, questions: Sequence[Question], conversations: Sequence[str]
) -> tuple[float, float, dict[str, int]]:
    """Silent on the questions of every other conversation, kept on their own, and why the latter were silent."""
    strangers = (
        replace(question, conversation=other, before=None)
        for question in questions
        for other in conversations
        if other != question.conversation
    )
    off = _share(memory, strangers) if len(conversations) > 1 else 1.0
    contexts = [memory.recall(question, BUDGET) for question in questions]
    reasons = Counter(context.reason for context in contexts if not context)
    print(f"  {len(questions)} questions asked twice", file=sys.stderr)
    return round(1 - off, 4), round(fmean(map(bool, contexts)), 4), dict(reasons.most_common(8))


def _share(memory: Filled, questions: Iterable[Question]) -> float:
    return fmean(_answered(memory, question) for question in questions)


def _answered(memory: Filled, question: Question) -> bool:
    return bool(memory.recall(question, BUDGET))
