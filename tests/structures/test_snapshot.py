"""The in-memory index: right postings, and refreshed ones equal to fresh ones."""

from __future__ import annotations

import numpy as np
import pytest

from zeromem import Memory, Scope
from zeromem.structures import linear
from zeromem.structures.linear import K1, SCALE, B, around, keyword, rarity
from zeromem.structures.postings import build, merge
from zeromem.structures.snapshot import Space, load
from zeromem.text.words import hashes


def test_postings_find_and_merge() -> None:
    """A term's cards come back ascending with their counts; merging two blocks is building one."""
    texts = [hashes(["a", "b", "a"]), hashes(["b"]), hashes(["c", "a"])]
    whole = build(texts, 0)
    cards, counts = whole.find(int(hashes(["a"])[0]))
    assert (cards.tolist(), counts.tolist()) == ([0, 2], [2, 1])
    assert whole.find(int(hashes(["z"])[0]))[0].tolist() == []
    both = merge(build(texts[:2], 0), build(texts[2:], 2))
    for term in "abc":
        left, right = whole.find(int(hashes([term])[0])), both.find(int(hashes([term])[0]))
        assert left[0].tolist() == right[0].tolist()
        assert left[1].tolist() == right[1].tolist()


def test_bm25_by_hand() -> None:
    """One term in one of two cards: its weight, the scaled best card, and the neighbour's share of the window."""
    with Memory.open(":memory:", embedder="none") as memory:
        memory.add(["kiwi plum", "fig lime mango"], user="u", session="s")
        snapshot = load(memory._store, Scope(user="u"), Space(), None)
        number = [int(hashes(["kiwi"])[0])]
        assert np.allclose(rarity(snapshot, number), [np.log1p((2 - 1 + 0.5) / 1.5)])
        found = keyword(snapshot, number)
        assert np.allclose(found["card"], [SCALE, 0.0])
        assert found["hit"].tolist() == [1.0, 0.0]
        norms = [K1 * (1 - B + B * length / 2.5) for length in (2, 3)]
        first, second = (tf / (tf + norm) for tf, norm in zip((1.0, 0.35), norms, strict=True))
        assert np.allclose(found["window"], [SCALE, SCALE * second / first])
        assert np.allclose(found["session"], [SCALE, SCALE])


def test_neighbours_stay_in_their_session() -> None:
    """A card's score reaches the cards beside it in its session, by distance, and no other session."""
    with Memory.open(":memory:", embedder="none") as memory:
        memory.add(["one", "two", "three"], user="u", session="a", at="2026-01-01")
        memory.add(["four"], user="u", session="b", at="2026-01-02")
        memory.add(["five", "six"], user="u", at="2026-01-03")
        snapshot = load(memory._store, Scope(user="u"), Space(), None)
        alone = snapshot.line.place[4:].tolist()
        scores = np.zeros(6, np.float32)
        scores[snapshot.line.place[2]] = scores[alone[0]] = 1.0
        spread = around(snapshot.line, scores)[snapshot.line.place]
        assert np.allclose(spread, [0.15, 0.35, 0.0, 0.0, 0.0, 0.0])
        assert snapshot.line.groups == 4


def test_rare_terms_reach_their_neighbours_as_frequent_ones_do(monkeypatch: pytest.MonkeyPatch) -> None:
    """Looking only around a term's cards gives what looking at all of them gives, also at the ends of the line and of sessions."""
    with Memory.open(":memory:", embedder="none") as memory:
        for n in range(30):
            memory.add(
                [f"word{n % 7} thing{m}" for m in range(n % 4 + 1)],
                user="u",
                session=f"s{n}",
                at=1_767_225_600 + n * 60,
            )
        snapshot = load(memory._store, Scope(user="u"), Space(), None)
        terms = [f"word{n}" for n in range(7)] + [f"thing{n}" for n in range(4)]
        for term in [*terms, "absent"]:
            number = [int(hashes([term])[0])]
            told = []
            for few in (0.0, 1.0):
                monkeypatch.setattr(linear, "_FEW", few)
                told.append(keyword(snapshot, number))
            assert all(np.allclose(told[0][name], told[1][name]) for name in told[0])


def test_a_refreshed_snapshot_equals_a_fresh_one() -> None:
    """After adds, updates and deletes the kept snapshot ranks and counts as one read anew."""
    with Memory.open(":memory:", embedder="none") as memory:
        scope = Scope(user="u")
        old = None
        first = memory.add([f"apple {i}" for i in range(20)], user="u", session="s")
        for step in range(4):
            old = load(memory._store, scope, Space(), old)
            memory.add([f"pear {step} {i}" for i in range(7)], user="u", session=f"s{step}")
            memory.update(first.ids[step], text=f"quince {step}", user="u")
            memory.delete(first.ids[step + 10], user="u")
        kept, fresh = load(memory._store, scope, Space(), old), load(memory._store, scope, Space(), None)
        assert kept.living == fresh.living == 44
        assert kept.total_tokens == fresh.total_tokens
        number = [int(value) for value in hashes(["pear", "quince", "apple"])]
        assert np.allclose(rarity(kept, number), rarity(fresh, number))
        ours, theirs = keyword(kept, number), keyword(fresh, number)
        for name in ours:
            assert np.allclose(ours[name], theirs[name]), name
