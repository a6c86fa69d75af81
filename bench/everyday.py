"""Measures memory in daily use: short questions in both languages put to scopes of six to seventy turns, written for this repository.

In: an embedder; the sets are `bench/sets/everyday_{train,test}.jsonl` and requests that need no memory, `world_{train,test}.txt`.
Out: shares. Of answerable questions by language pair: the answer first, among the first three, and shown by `recall`; of questions
whose answer the scope does not hold and of requests to the world: silent. The gate is trained on `train`; only `test` is measured.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from statistics import fmean
from typing import Any, Literal

from bench.data import Question, Set, Turn, moment
from bench.memories import Filled
from bench.metrics import any_at, ranks
from zeromem.ports import Embedder

Split = Literal["train", "test"]
_HERE = Path(__file__).parent / "sets"
_WORLD_SCOPES = 4  # each request to the world is put to so many scopes


def load(split: Split) -> Set:
    """One half: answerable questions, and the others as `unanswerable`. A question is asked a day after the last turn."""
    turns: dict[str, list[Turn]] = {}
    asked: list[Question] = []
    for line in (_HERE / f"everyday_{split}.jsonl").read_text("utf-8").splitlines():
        scope = json.loads(line)
        held = turns[scope["scope"]] = [_turn(scope["scope"], i, turn) for i, turn in enumerate(scope["turns"])]
        for i, question in enumerate(scope["questions"]):
            asked.append(_question(scope, i, question, held))
    return Set(
        "everyday",
        turns,
        tuple(question for question in asked if question.answerable),
        tuple(question for question in asked if not question.answerable),
    )


def files(split: Split) -> list[Path]:
    """What one half is made of."""
    return [_HERE / f"everyday_{split}.jsonl", _HERE / f"world_{split}.txt"]


def world(split: Split) -> list[str]:
    """Requests that need no memory."""
    return [line for line in (_HERE / f"world_{split}.txt").read_text("utf-8").splitlines() if line.strip()]


def _turn(scope: str, number: int, turn: Mapping[str, Any]) -> Turn:
    return Turn(str(number), scope, turn["session"], None, turn["role"], turn["text"], moment(turn["at"]))


def _question(scope: Mapping[str, Any], number: int, row: Mapping[str, Any], held: list[Turn]) -> Question:
    gold = frozenset(str(i) for i in row["gold"])
    when = max(turn.time for turn in held if turn.time) + timedelta(days=1)
    return Question(
        f"{scope['scope']}-{number}", scope["scope"], row["text"], _category(row, scope["lang"]), gold,
        frozenset(turn.session for turn in held if turn.id in gold), False, when, None, bool(gold),
    )  # fmt: skip


def _category(row: Mapping[str, Any], language: str) -> str:
    if row["kind"] != "same":
        return str(row["kind"])
    asked = "zh" if any("\u4e00" <= letter <= "\u9fff" for letter in row["text"]) else "en"
    return asked if language != "mixed" else f"{asked}, mixed scope"


def measure(embedder: Embedder | None, limit: int | None = None) -> dict[str, Any]:
    """The shares of the test half."""
    data, requests = load("test"), world("test")[:limit]
    with Filled(embedder) as memory:
        memory.add_all(data.turns)
        rows = [(question.category, _row(memory, question)) for question in data.questions[:limit]]
        absent = [not memory.recall(question, None) for question in data.unanswerable[:limit]]
        scopes = list(data.turns)
        alone = [
            not memory.memory.recall(text, user=scopes[(i + k) % len(scopes)])
            for i, text in enumerate(requests)
            for k in range(_WORLD_SCOPES)
        ]
    kinds = {"all": rows, **{kind: [r for r in rows if r[0] == kind] for kind in sorted({kind for kind, _ in rows})}}
    by = {
        kind: {"n": len(some), **{key: round(fmean(row[key] for _, row in some), 4) for key in some[0][1]}}
        for kind, some in kinds.items()
        if some
    }
    return {
        "dataset": "everyday",
        "embedder": embedder.name if embedder else "none",
        **by.pop("all"),
        "absent_silent": round(fmean(absent), 4),
        "world_silent": round(fmean(alone), 4),
        "by_kind": by,
    }


def _row(memory: Filled, question: Question) -> dict[str, float]:
    found = ranks(memory.places(memory.search(question, 10)))
    context = memory.recall(question, None)
    return {
        "any@1": any_at(found, question.turns, 1),
        "any@3": any_at(found, question.turns, 3),
        "shown": float(bool(memory.turns_shown(context) & question.turns)),
        "silent": float(not context),
        "cards": float(len(context.cards)),
        "tokens": float(context.tokens),
    }
