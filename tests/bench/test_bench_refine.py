"""The baselines of `bench refine` keep to their room, and its figures say what they mean."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest
from bench.baselines.pruning import PRUNERS
from bench.refine import fidelity, rare

TEXTS = [
    "Hey, that is so great!",
    "The heron nests at the mill pond near Leeds. It came in May.",
    "We saw it again.",
    "The kiln throws error E14.",
] * 4


def vectors() -> np.ndarray:
    return np.random.default_rng(3).normal(size=(len(TEXTS), 8)).astype(np.float32)


@pytest.mark.parametrize("name", PRUNERS)
@pytest.mark.parametrize("share", [0.7, 0.3])
def test_pruners_keep_to_their_room(name: str, share: float) -> None:
    """One text for each, none longer than before, all together within the characters given."""
    room = share * sum(map(len, TEXTS))
    kept = PRUNERS[name](TEXTS, room, vectors)
    assert len(kept) == len(TEXTS)
    assert all(len(short) <= len(text) for short, text in zip(kept, TEXTS, strict=True))
    assert 0 < sum(map(len, kept)) <= room


def test_words_keeps_the_rare_ones() -> None:
    kept = PRUNERS["words"](["the heron and the dog", "the dog", "a dog"], 6, None)
    assert kept == ["heron", "", ""]


def test_rarity_is_between_one_and_its_floor() -> None:
    held = rare(["heron dog", "dog", "dog cat"])
    assert held["heron"] > held["dog"] >= 0.02
    assert max(held.values()) <= 1


def test_fidelity_counts_rewritten_texts_only() -> None:
    """Hard and soft atoms by their words in the text; what stays as it was does not count."""
    store = SimpleNamespace(texts={"a": "I don't eat meat in Rome", "b": "never in Leeds, Ana"})
    assert fidelity(store, {"a": "don't eat meat", "b": "never in Leeds, Ana"}) == {
        "hard": 1.0, "soft": 0.0, "demoted": 0.5, "hard_n": 1, "soft_n": 1,
    }  # fmt: skip
