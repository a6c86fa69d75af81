"""The line's features: the ways that are taken for speed give what the plain way gives."""

from __future__ import annotations

import numpy as np
import pytest

from zeromem import Memory
from zeromem.structures import linear
from zeromem.structures.postings import build, merge
from zeromem.structures.snapshot import Snapshot, Space, load
from zeromem.text.words import hashes, terms
from zeromem.types import Scope

WORDS = "kola milo tesa 茶 ring boat tower seven"


@pytest.fixture
def snapshot(plain: Memory) -> Snapshot:
    """Forty sessions in which words stand in every card, in many, in few, in one; some cards deleted."""
    memory = plain
    chance = np.random.default_rng(3)
    for session in range(40):
        told = [
            " ".join(word for i, word in enumerate(WORDS.split()) if chance.random() < 2.0**-i or session == i == 7)
            for _ in range(12)
        ]
        memory.add([f"{session} {n} {text}" for n, text in enumerate(told)], user="u", session=f"s{session}")
    for hit in memory.search("tesa ring", user="u", k=30):  # dead cards
        memory.delete(hit.pointer, user="u")
    return load(memory._store, Scope(user="u"), Space(), None)


def test_a_term_is_weighed_alike_whichever_way_is_taken(snapshot: Snapshot, monkeypatch: pytest.MonkeyPatch) -> None:
    numbers = [int(number) for number in hashes(terms(WORDS))]
    found = []
    for few in (0.0, 1 / 16, 2.0):  # the whole line for every term, for frequent ones, for none
        monkeypatch.setattr(linear, "_FEW", few)
        found.append(linear.keyword(snapshot, numbers))
    for other in found[1:]:
        for name, values in found[0].items():
            assert np.allclose(values, other[name], atol=1e-5), name
    held = np.zeros(len(snapshot.line), bool)
    for number in numbers:
        held[linear.matches(snapshot, number)[0]] = True
    assert (found[1]["hit"] == held).all() and held.sum() > 0


def test_what_holds_a_term_is_what_matches_it(snapshot: Snapshot) -> None:
    everywhere = np.arange(len(snapshot.line))
    for number in [*hashes(terms(WORDS)), *hashes(["unknown"])]:
        places = set(linear.matches(snapshot, int(number))[0].tolist())
        assert set(np.flatnonzero(linear.holding(snapshot, int(number), everywhere)).tolist()) == places
    assert linear.holding(snapshot, int(hashes(["kola"])[0]), np.empty(0, np.int32)).tolist() == []


def test_products_are_those_of_every_row(monkeypatch: pytest.MonkeyPatch) -> None:
    chance = np.random.default_rng(1)
    matrix, vector = chance.standard_normal((300, 384), np.float32), chance.standard_normal(384, np.float32)
    plain = np.array([float(row.astype(float) @ vector.astype(float)) for row in matrix])
    for rowwise in {linear._ROWWISE, False}:
        monkeypatch.setattr(linear, "_ROWWISE", rowwise)
        found = linear.products(matrix, vector)
        assert found.dtype == np.float32 and np.allclose(found, plain, atol=1e-4)


def test_postings_count_every_term_of_every_card() -> None:
    chance = np.random.default_rng(2)
    cards = [chance.integers(0, 9, length).astype(np.uint32) for length in (5, 0, 40, 1, 7)]
    for block in (build(cards, 3), merge(build(cards[:2], 3), build(cards[2:], 5))):
        for term in range(10):
            counted = [(3 + i, int((card == term).sum())) for i, card in enumerate(cards) if (card == term).any()]
            places, counts = block.find(term)
            assert list(zip(places.tolist(), counts.tolist(), strict=True)) == counted
    assert len(build([], 0)) == 0 and build([], 0).find(1)[0].tolist() == []
