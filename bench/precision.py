"""Measures what comes back and what must not: precisionmembench, 71 cases over 35 beliefs.

In: the data folder and an embedder. Out: `must_include` (share of cases whose required beliefs are all among the first eight, or pinned),
`must_exclude` (share of cases with forbidden beliefs where none of them comes back), and the precision of what comes back where something
is required. Scopes are metadata filters; beliefs that are marked superseded or resolved in the set say so as metadata too, and are
left out by the same filter, as an application would; `plain` is without that.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import fmean
from typing import Any

from bench import data
from zeromem import Memory
from zeromem.ports import Embedder

K = 8
_USER = "test-user"


def measure(folder: Path, embedder: Embedder | None, limit: int | None) -> dict[str, Any]:
    """All cases, with and without the set's own status as a filter."""
    beliefs, cases = (data.rows(folder, "precisionmembench", name) for name in ("turns", "questions"))
    with Memory.open(":memory:", embedder=embedder or "none", background=False) as memory:
        ids = _fill(memory, beliefs)
        memory.embed_pending()
        pinned = {row["turn_id"] for row in beliefs if row["pinned"]}
        found = {
            name: [_case(memory, case, ids, pinned, status=status) for case in cases[:limit]]
            for name, status in (("marked", True), ("plain", False))
        }
    return {"dataset": "precisionmembench", "n": len(cases[:limit]), "embedder": embedder.name if embedder else "none",
            **_figures(found["marked"]), "plain": _figures(found["plain"])}  # fmt: skip


def _fill(memory: Memory, beliefs: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    ids = {}
    for row in beliefs:
        over = row["status"] == "superseded" or row["resolved_at"] is not None
        receipt = memory.add(
            row["text"], at=row["time"], user=row["speaker"], metadata={"scope": row["scope"], "over": over}
        )
        ids[receipt.id or ""] = row["turn_id"]
    return ids


def _case(
    memory: Memory, case: Mapping[str, Any], ids: Mapping[str, str], pinned: set[str], *, status: bool
) -> dict[str, float | None]:
    filters: dict[str, Any] = {"scope": {"in": [*case["scope"], "user:universal"]}}
    if status:
        filters["over"] = {"ne": True}
    most = (case["budget"] or {}).get("maxBeliefs", K)
    context = memory.recall(
        case["question"], user=case["user"] or _USER, filters=filters, budget=4000, most=min(K, most), current=True
    )
    shown = [ids[card.id] for card in context.cards]
    needed, barred = set(case["evidence"]), set(case["forbidden"])
    kept = {*shown, *pinned}
    return {
        "include": float(needed | set(case["evidence_pinned"]) <= kept) if needed or case["evidence_pinned"] else None,
        "exclude": float(not barred & set(shown)) if barred else None,
        "precision": len(needed & set(shown)) / len(shown) if needed and shown else None,
        "silent": float(not shown) if not needed else None,
        "shown": float(len(shown)),
    }


def _figures(rows: Sequence[Mapping[str, float | None]]) -> dict[str, float]:
    names = {"include": "must_include", "exclude": "must_exclude", "precision": "precision", "silent": "silent_when_nothing",
             "shown": "shown_mean"}  # fmt: skip
    return {
        name: round(fmean(value for row in rows if (value := row[key]) is not None), 4) for key, name in names.items()
    }
