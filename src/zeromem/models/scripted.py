"""Deterministic models for tests, shipped so that users can test their own code without a model.

In: texts. Out: vectors that depend on the words alone, or the failure that a test asks for.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from zeromem.ports import Vectors
from zeromem.text.words import content, hashes, terms


class ScriptedEmbedder:
    """A bag of words as a unit vector: texts that share words are close, all others orthogonal.

    `fails` is raised by every call; `drop_last` returns one vector too few, as a broken server would.
    """

    usual = (0.02, 0.05)

    def __init__(
        self,
        dimension: int = 256,
        *,
        name: str = "scripted",
        version: str = "1",
        fails: Exception | None = None,
        drop_last: bool = False,
    ) -> None:
        self.dimension = dimension
        self.name = name
        self.version = version
        self.fails = fails
        self.drop_last = drop_last
        self.calls = 0

    def passages(self, texts: Sequence[str]) -> Vectors:
        self.calls += 1
        if self.fails is not None:
            raise self.fails
        vectors = np.stack([self._vector(text) for text in texts])
        return vectors[:-1] if self.drop_last else vectors

    def query(self, text: str) -> Vectors:
        self.calls += 1
        if self.fails is not None:
            raise self.fails
        return self._vector(text)

    def _vector(self, text: str) -> Vectors:
        vector = np.zeros(self.dimension, np.float32)
        found = terms(text)
        for number in hashes(content(found) or found):
            vector[int(number) % self.dimension] += 1.0
        length = float(np.linalg.norm(vector))
        return vector / length if length else vector
