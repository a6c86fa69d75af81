"""Builds the context before every decision and has the reference scorer say whether the call's arguments stand there.

In: a set with decisions. Out: the scorer's object per budget, for the memory and for its baselines (`last`, `dump`, `full`).
The context is what an agent would have: the last turns word for word in a share of the budget, and what recall brings for the
last two turns in the rest. It is made of the turns before the call alone; the call is never looked at.
"""

from __future__ import annotations

import importlib.util
import json
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import zip_longest
from pathlib import Path
from types import ModuleType
from typing import Any

from bench import data, retrieval
from bench.data import Turn, rows, turn_of
from bench.memories import Filled
from zeromem.ports import Embedder
from zeromem.text.tokens import count

SETS = ("tau_bench", "bfcl_long", "acebench_zh", "vehiclemembench")
BUDGETS = (125, 250, 500, 1000)
RECENT = 0.5  # of the budget that the last turns may take
_START = datetime(2025, 1, 1, tzinfo=UTC)  # of turns that bear no time: one a minute
_TOGETHER = 8  # dialogues of acebench_zh that run side by side


@dataclass(frozen=True, slots=True)
class Point:
    """A decision: its stream's turns before it, and the own dialogue's last two, which are the query."""

    id: str
    stream: str
    before: int  # turns of the stream that come before the call
    query: str


def measure(folder: Path, name: str, embedder: Embedder | None, limit: int | None, out: Path | None) -> dict[str, Any]:
    """Contexts written to `out` (or a temporary folder) and scored."""
    if name == "vehiclemembench":
        # Most argument values stand in no turn, so the set's protocol asks for the evidence instead.
        return retrieval.measure(data.load(folder, name, limit), embedder)
    scorer = _scorer(folder)
    scored = scorer.load(str(folder / name))
    if name == "acebench_zh":
        streams, points, scored = _interleaved(folder, scorer, scored)
    else:
        streams, points = _alone(scored)
    wanted = {point.id for point in points[:limit]}
    scored = [row for row in scored if row[0]["decision_id"] in wanted]
    points = [point for point in points if point.id in wanted]
    with tempfile.TemporaryDirectory() as temporary:
        path = (out or Path(temporary)) / "contexts.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8") as file:
            for line in _contexts(streams, points, embedder):
                file.write(json.dumps(line, ensure_ascii=False) + "\n")
        ours = _scores(scorer, scored, path)
    return {
        "dataset": f"decisions/{name}",
        "n": len(points),
        "embedder": embedder.name if embedder else "none",
        "budgets": ours,
        "baselines": _baselines(scorer, scored, streams, points),
    }


# -- what is decided when


def _alone(scored: Sequence[Any]) -> tuple[dict[str, list[Turn]], list[Point]]:
    """Every conversation is a stream of its own."""
    streams: dict[str, list[Turn]] = {}
    points = []
    for decision, prior, _ in scored:
        id_, before = decision["conversation_id"], decision["n_prior_turns"]
        streams.setdefault(id_, [])
        if len(prior) > len(streams[id_]):
            streams[id_] = _timed(turn_of(row) for row in prior)
        points.append(Point(decision["decision_id"], id_, before, _last_two([row["text"] for row in prior])))
    return streams, points


def _interleaved(
    folder: Path, scorer: ModuleType, scored: Sequence[Any]
) -> tuple[dict[str, list[Turn]], list[Point], list[Any]]:
    """acebench_zh: families merged, eight dialogues side by side, one turn each in turn, nothing to tell them apart by.

    Only arguments that do not stand in the last user turn count.
    """
    left_out = {row["conversation_id"] for row in rows(folder, "acebench_zh", "decisions")
                if row["category"] == "normal_preference"}  # fmt: skip
    dialogues = data.grouped(turn_of(row) for row in rows(folder, "acebench_zh", "turns"))
    families: dict[str, list[Turn]] = {}
    reached: dict[str, tuple[str, int]] = {}  # dialogue → its family and how much of it had been said at its end
    for id_, turns in dialogues.items():
        if id_ in left_out:
            continue
        family, held = id_.rsplit("_", 1)[0], families.setdefault(id_.rsplit("_", 1)[0], [])
        said = {turn.text for turn in held}
        held += [turn for turn in turns if turn.text not in said]
        reached[id_] = family, len(held)
    names = list(families)
    streams: dict[str, list[Turn]] = {}
    place: dict[tuple[str, int], tuple[str, int]] = {}  # (family, turn) → stream and position after it
    for start in range(0, len(names), _TOGETHER):
        together = names[start : start + _TOGETHER]
        stream = f"stream{start // _TOGETHER}"
        mixed: list[Turn] = []
        for step in zip_longest(*(enumerate(families[name]) for name in together)):
            for name, pair in zip(together, step, strict=True):
                if pair is not None:
                    mixed.append(replace(pair[1], id=f"{name}:{pair[0]}", conversation=stream, session=stream))
                    place[name, pair[0]] = stream, len(mixed)
        streams[stream] = _timed(mixed)
    points, kept = [], []
    for decision, prior, arguments in scored:
        if decision["conversation_id"] in left_out:
            continue
        asked = scorer.norm(next(row["text"] for row in reversed(prior) if row["role"] == "user"))
        open_ = [(path, value) for path, value in arguments if next(scorer.find(asked, value), None) is None]
        if not open_:
            continue
        family, said = reached[decision["conversation_id"]]
        stream, before = place[family, said - 1]
        points.append(Point(decision["decision_id"], stream, before, _last_two([row["text"] for row in prior])))
        kept.append((decision, prior, open_))
    return streams, points, kept


def _last_two(texts: Sequence[str]) -> str:
    return "\n".join(texts[-2:])


def _timed(turns: Iterable[Turn]) -> list[Turn]:
    """Turns with times: where a set has none, one a minute."""
    return [turn if turn.time else replace(turn, time=_START + timedelta(minutes=i)) for i, turn in enumerate(turns)]


# -- contexts


def _contexts(
    streams: Mapping[str, Sequence[Turn]], points: Sequence[Point], embedder: Embedder | None
) -> Iterator[dict[str, Any]]:
    """One context a decision and budget; turns are added as time goes on, so a decision sees only what came before it."""
    waiting: dict[str, list[Point]] = defaultdict(list)
    for point in points:
        waiting[point.stream].append(point)
    with Filled(embedder) as memory:
        for done, (stream, asked) in enumerate(waiting.items(), 1):
            added = 0
            for point in sorted(asked, key=lambda point: point.before):
                memory.add(streams[stream][added : point.before])
                added = point.before
                memory.memory.embed_pending(user=stream)
                for budget in BUDGETS:
                    text = context(memory, streams[stream][: point.before], point.query, budget)
                    yield {"decision_id": point.id, "budget": budget, "context": text}
            if done % 10 == 0:
                print(f"  {done}/{len(waiting)} streams", file=sys.stderr)


def context(memory: Filled, prior: Sequence[Turn], query: str, budget: int) -> str:
    """Memory first, then the last turns; together at most `budget` tokens."""
    lines = [_line(turn) for turn in prior]
    costs = [count(line) for line in lines]
    if sum(costs) <= budget:
        return "".join(lines)
    taken, left = 0, int(RECENT * budget)
    while taken < len(lines) and costs[-1 - taken] <= left:
        left -= costs[-1 - taken]
        taken += 1
    recent = "".join(lines[len(lines) - taken :])
    spent = sum(costs[len(lines) - taken :])
    if taken < len(lines):  # the rest of the share goes to the end of the turn that does not fit whole
        tail = _tail(lines[-1 - taken], left)
        recent, spent = tail + recent, spent + count(tail)
    found = memory.memory.recall(
        query, budget=max(0, budget - spent), user=prior[-1].conversation, session=prior[-1].session, window=taken
    )
    return found.text + recent


def _line(turn: Turn) -> str:
    return f"{turn.speaker or turn.role}: {turn.text}\n"


def _tail(line: str, budget: int) -> str:
    """The end of a line in at most `budget` tokens."""
    low, high = 0, len(line)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if count(line[middle:]) <= budget else (middle + 1, high)
    return line[low:]


# -- scores


def _scorer(folder: Path) -> ModuleType:
    """The reference scorer that stands beside the data."""
    path = folder.parent / "tools" / "decision_score.py"
    spec = importlib.util.spec_from_file_location("decision_score", path)
    if spec is None or spec.loader is None or not path.exists():
        raise SystemExit(f"{path} is missing: it scores the contexts")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _scores(scorer: ModuleType, scored: Sequence[Any], path: Path) -> dict[str, Any]:
    by_budget: dict[int, dict[str, str]] = defaultdict(dict)
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row = json.loads(line)
            by_budget[row["budget"]][row["decision_id"]] = row["context"]
    return {str(budget): scorer.score(scored, held, budget) for budget, held in sorted(by_budget.items())}


def _baselines(
    scorer: ModuleType, scored: Sequence[Any], streams: Mapping[str, Sequence[Turn]], points: Sequence[Point]
) -> dict[str, Any]:
    prior = {
        point.id: [{"speaker": turn.speaker, "text": turn.text} for turn in streams[point.stream][: point.before]]
        for point in points
    }
    out: dict[str, Any] = {}
    for name, make in (("last", scorer.last), ("dump", scorer.dump)):
        out[name] = {
            str(budget): scorer.score(scored, {id_: make(turns, budget) for id_, turns in prior.items()}, budget)
            for budget in BUDGETS
        }
    whole = {id_: "\n".join(turn["text"] for turn in turns) for id_, turns in prior.items()}
    return {**out, "full": scorer.score(scored, whole, 0)}
