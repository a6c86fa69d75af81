"""Trains the ranking: a linear listwise softmax over the features of `recall/propose.py`, one table an embedder.

In: the MIT and Apache sets. Out: weights by feature name, and what they were trained on. A question is one list of candidates; a set
counts by the square root of its size. `shape.named` is fixed by reasoning: the training sets hardly name speakers. Weights that
would turn a reason against a card are held at zero, but for `shape.question`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from bench.train.states import SETS, Asked, asked, matrix
from zeromem.ports import Embedder

FEATURES = (
    "keyword.card", "keyword.window", "keyword.session", "dense.card", "dense.near", "dense.session_best",
    "time.near", "shape.length", "shape.person", "shape.question", "shape.named",
)  # fmt: skip
FIXED = {"shape.named": 1.1}  # ln 3: three of four memories of a person come from that person's mouth
_FREE_SIGN = ("shape.question",)
_POOL = 120  # best cards of each arm that stand against the gold ones
_RIDGE = 0.01

List = tuple[np.ndarray, np.ndarray]  # features of the candidates, indexes of the gold ones


def lists(found: Iterable[Asked], names: Sequence[str]) -> list[List]:
    """The candidates of each question that has gold cards."""
    out = []
    for one in found:
        if not one.gold or "shape" not in one.state.arms:
            continue
        allowed = one.state.allowed[one.state.snapshot.line.order]
        rows = set(one.gold)
        for arm, feature in (("keyword", "card"), ("keyword", "window"), ("dense", "card")):
            if arm in one.state.arms:
                values = np.where(allowed, one.state.arms[arm][feature], -np.inf)
                rows.update(np.argpartition(-values, min(_POOL, len(values) - 1))[:_POOL].tolist())
        picked = np.array(sorted(row for row in rows if allowed[row]))
        out.append((matrix(one.state, names, picked), np.searchsorted(picked, one.gold)))
    return out


def fit(sets: Sequence[Sequence[List]], names: Sequence[str]) -> dict[str, float]:
    """Weights that make the gold cards likely under a softmax over each list."""
    scale = np.sqrt(np.mean([x.var(axis=0) for some in sets for x, _ in some], axis=0)) + 1e-6
    start = np.array([FIXED.get(name, 0.0) for name in names]) * scale
    shares = [len(some) ** -0.5 for some in sets]
    total = sum(len(some) ** 0.5 for some in sets)

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        value, slope = 0.0, np.zeros_like(w)
        for share, some in zip(shares, sets, strict=True):
            for x, gold in some:
                scores = (x / scale) @ w
                scores -= scores.max()
                odds = np.exp(scores)
                value += share * (np.log(odds.sum()) - scores[gold].mean())
                slope += share * ((odds / odds.sum()) @ (x / scale) - (x[gold] / scale).mean(axis=0))
        return value / total + _RIDGE * float(w @ w) / 2, slope / total + _RIDGE * w

    bounds = [
        (v, v) if name in FIXED else (None, None) if name in _FREE_SIGN else (0, None)
        for name, v in zip(names, start, strict=True)
    ]
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 80}).x / scale
    return {name: round(float(value), 4) for name, value in zip(names, found, strict=True)}


def train(folder: Path, embedder: Embedder | None, name: str) -> dict[str, float]:
    """The weights of one embedder ("e5", "fast", "none")."""
    names = [feature for feature in FEATURES if embedder or not feature.startswith("dense")]
    return fit([lists(asked(folder, one, embedder), names) for one in SETS[name]], names)
