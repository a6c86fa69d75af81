"""Ranking depends on the scope's own text alone, and not on how its snapshot came to be."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zeromem import Memory
from zeromem.models.scripted import ScriptedEmbedder

WORDS = ["pump", "valve", "kettle", "shelf", "blue", "red", "水泵", "仓库", "4471", "the", "leaks", "Tuesday"]
SAID = st.lists(st.sampled_from(WORDS), min_size=1, max_size=8).map(" ".join)
QUERY = st.lists(st.sampled_from(WORDS), min_size=1, max_size=4).map(" ".join)


@pytest.fixture(autouse=True)
def still(clock: Any) -> Any:
    """Nearness in time is part of a score, so two memories are compared at one moment: a look moves this clock by nothing."""
    clock.step = 0
    return clock


def ranking(memory: Memory, query: str, digits: int = 4, **ids: str) -> list[tuple[str, float]]:
    hits = memory.search(query, k=100, **ids)  # type: ignore[arg-type]
    return [(hit.text, round(hit.score, digits)) for hit in hits]


@settings(max_examples=40)
@given(
    mine=st.lists(SAID, min_size=1, max_size=8),
    others=st.lists(st.tuples(st.integers(0, 4), SAID), max_size=12),
    query=QUERY,
)
def test_another_scope_never_changes_my_ranking(fresh: Any, mine: list[str], others: Any, query: str) -> None:
    """The same hits with the same scores, and the same context, whatever stands in other scopes of the file."""
    strangers: list[dict[str, str]] = [
        {"user": "v"}, {"agent": "u"}, {"user": "u ", "session": "s"}, {"user": "U"}, {"user": "v", "agent": "bot"},
    ]  # fmt: skip
    with fresh() as alone, fresh() as crowded:
        pending = list(others)
        for day, text in enumerate(mine, 1):
            alone.add(text, user="u", session="s", at=f"2026-07-{day:02}")
            if pending:
                who, said = pending.pop()
                crowded.add(said, **strangers[who])
            crowded.add(text, user="u", session="s", at=f"2026-07-{day:02}")
        for who, said in pending:
            crowded.add(said, **strangers[who])
        assert ranking(alone, query, 6, user="u") == ranking(crowded, query, 6, user="u")
        assert alone.recall(query, user="u").text == crowded.recall(query, user="u").text


STEPS = st.lists(
    st.tuples(st.sampled_from(["add", "add", "add", "update", "delete", "embed", "search"]), st.integers(0, 30), SAID),
    min_size=2, max_size=25,
)  # fmt: skip


@settings(max_examples=40)
@given(steps=STEPS, query=QUERY)
def test_a_refreshed_snapshot_equals_a_fresh_one(still: Any, tmp_path_factory: Any, steps: Any, query: str) -> None:
    """After any sequence of writes, with searches between them, a memory that followed along ranks as one just opened."""
    path: Path = tmp_path_factory.mktemp("snapshot") / "m.db"
    with Memory.open(path, embedder=ScriptedEmbedder(), clock=still, background=False) as memory:
        ids: list[str] = []
        for op, which, text in steps:
            if op == "add" or not ids:
                ids += memory.add(text, user="u", session=f"s{which % 3}", at=f"2026-01-{which % 28 + 1:02}").ids
            elif op == "embed":
                memory.embed_pending(which % 4 + 1)
            elif op == "search":
                memory.search(query, user="u")
            else:
                try:
                    if op == "update":
                        memory.update(ids[which % len(ids)], text)
                    else:
                        memory.delete(ids[which % len(ids)])
                except LookupError:
                    continue
        memory.embed_pending()
        followed = ranking(memory, query, user="u")
        with Memory.open(path, embedder=ScriptedEmbedder(), clock=still, background=False) as opened:
            assert ranking(opened, query, user="u") == followed
        assert memory.verify().problems == ()


@settings(max_examples=20)
@given(batches=st.lists(st.lists(SAID, min_size=1, max_size=4), min_size=1, max_size=5), query=QUERY)
def test_two_open_memories_agree(still: Any, tmp_path_factory: Any, batches: list[list[str]], query: str) -> None:
    """A reader that stays open sees what another connection writes, after each write."""
    path: Path = tmp_path_factory.mktemp("agree") / "m.db"
    with (
        Memory.open(path, embedder="none", clock=still, background=False) as writer,
        Memory.open(path, embedder="none", clock=still, background=False) as reader,
    ):
        for batch in batches:
            writer.add(batch, user="u")
            assert ranking(reader, query, user="u") == ranking(writer, query, user="u")
