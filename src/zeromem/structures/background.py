"""What an embedder's cosines mean: how near a question and a card are beyond what is usual for each of them.

Raw cosines of small multilingual models hardly tell related from unrelated (e5: .79 to .86), and texts of one language lie nearer
to each other than to any other language. So every cosine is compared with two backgrounds, fixed texts of the training sets in two
language groups: the question's cosines with background passages of the card's group, and the card's with background questions of
the question's group (score normalisation on both sides, as in speaker verification: Auckenthaler, Carey and Lloyd-Thomas 2000).

In: vectors. Out: relevance in standard deviations, about 0 for unrelated texts, comparable across scopes, languages and models.
The groups are found by the vectors themselves. Trained by `python -m bench train`; holds no text.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from zeromem.ports import Vectors

Floats = npt.NDArray[np.float32]
Groups = npt.NDArray[np.int8]
SELDOM, RARE = 0.02, 0.005  # shares of unrelated pairs


@dataclass(frozen=True, slots=True)
class Background:
    """Vectors of unrelated passages and questions, by language group (0: alphabets, 1: Han)."""

    passages: tuple[Vectors, ...]  # one matrix a group
    questions: tuple[Vectors, ...]
    spread: tuple[float, ...]  # usual deviation of a card's cosines with the questions of a group
    seldom: float  # relevance that 2 % of unrelated pairs reach
    rare: float  # relevance that .5 % of them reach

    def level(self, chance: float) -> float:
        """The relevance that this share of unrelated pairs reaches; beyond what was sampled the tail goes on as it falls."""
        return self.seldom + (self.rare - self.seldom) * math.log(SELDOM / chance) / math.log(SELDOM / RARE)

    def card_side(self, matrix: Vectors) -> tuple[Groups, Floats]:
        """Of each card: its group [n], and its mean cosine with the questions of each group [n, groups]."""
        return _group(matrix, self.passages), _cosines(matrix, [questions.mean(axis=0) for questions in self.questions])

    def question_side(self, vector: Vectors) -> tuple[int, Floats, Floats]:
        """Of a question: its group, and mean and deviation of its cosines with the passages of each group."""
        cosines = [passages @ vector for passages in self.passages]
        means = np.array([found.mean() for found in cosines], np.float32)
        deviations = np.array([found.std() for found in cosines], np.float32)
        return int(_group(vector[None, :], self.questions)[0]), means, deviations


def _group(matrix: Vectors, groups: tuple[Vectors, ...]) -> Groups:
    """The group whose centre is nearest."""
    centres = np.stack([group.mean(axis=0) for group in groups])
    nearness = _cosines(matrix, list(centres)) - (centres**2).sum(axis=1) / 2
    return np.asarray(np.argmax(nearness, axis=1), np.int8)


def _cosines(matrix: Vectors, directions: list[Vectors]) -> Floats:
    """Products with a few vectors, shape (n, directions); einsum by one vector is fast and stays on this thread."""
    return np.stack([np.einsum("ij,j->i", matrix, direction) for direction in directions], axis=1).astype(np.float32)


def make(passages: tuple[Vectors, ...], questions: tuple[Vectors, ...]) -> Background:
    """A background from its vectors; spread and chance levels follow from them, and are kept with the vectors when it is trained."""
    everything = np.concatenate(passages)
    spread = tuple(float((everything @ found.T).std(axis=1).mean()) for found in questions)
    pairs = []
    for deviation, asked in zip(spread, questions, strict=True):
        for told in passages:
            cosines = told @ asked.T
            own = (cosines - cosines.mean(axis=0)) / cosines.std(axis=0)
            pairs.append((own + (cosines - cosines.mean(axis=1, keepdims=True)) / deviation).ravel())
    chance = np.quantile(np.concatenate(pairs), [1 - SELDOM, 1 - RARE])
    return Background(passages, questions, spread, float(chance[0]), float(chance[1]))
