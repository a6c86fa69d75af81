"""Trains the ranking: a linear listwise softmax over the features of `recall/propose.py`.

In: the MIT and Apache sets. Out: weights by feature name. A question is one list of candidates; a set counts by the square root of its
size. Embedders are trained together: what does not depend on the vectors has one weight for all of them, since e5 alone sees too few sets,
and each has dense weights of its own. `shape.named` is fixed by reasoning: the training sets hardly name speakers. Weights that would
turn a reason against a card are held at zero, but for `shape.question`. The ridge is the strongest that costs nothing in training.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from bench.train.states import SETS, Asked, asked, matrix
from zeromem.ports import Embedder

SHARED = (
    "keyword.card", "keyword.window", "keyword.session", "time.near",
    "shape.length", "shape.person", "shape.question", "shape.named",
)  # fmt: skip
DENSE = ("dense.card", "dense.near", "dense.session_best")
FIXED = {"shape.named": 1.1}  # ln 3: three of four memories of a person come from that person's mouth
_FREE_SIGN = ("shape.question",)
_POOL = 120  # best cards of each arm that stand against the gold ones
_RIDGE = 0.1

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


def train(folder: Path, embedders: Mapping[str, Embedder | None]) -> dict[str, dict[str, float]]:
    """A table for each embedder: those with vectors trained together, "none" by itself."""
    made = {
        name: [lists(asked(folder, one, model), (*SHARED, *DENSE) if model else SHARED) for one in SETS[name]]
        for name, model in embedders.items()
    }
    return together(made)


def together(made: Mapping[str, Sequence[Sequence[List]]]) -> dict[str, dict[str, float]]:
    """The tables of lists by embedder and set."""
    out = {}
    if "none" in made:
        out["none"] = fit(made["none"], SHARED)
    dense = [name for name in made if name != "none"]
    names = [*SHARED, *(f"{feature}@{name}" for name in dense for feature in DENSE)]
    wide = [
        [(_widened(x, i, len(dense)), gold) for x, gold in some] for i, name in enumerate(dense) for some in made[name]
    ]
    found = fit(wide, names) if dense else {}
    for name in dense:
        own = {feature: found[f"{feature}@{name}"] for feature in DENSE}
        out[name] = {**{feature: found[feature] for feature in SHARED}, **own}
    return out


def _widened(x: np.ndarray, place: int, count: int) -> np.ndarray:
    """Features with the dense ones in the columns of their embedder, zero in those of the others."""
    out = np.zeros((len(x), len(SHARED) + count * len(DENSE)), np.float32)
    out[:, : len(SHARED)] = x[:, : len(SHARED)]
    start = len(SHARED) + place * len(DENSE)
    out[:, start : start + len(DENSE)] = x[:, len(SHARED) :]
    return out
