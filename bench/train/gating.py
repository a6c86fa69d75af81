"""Trains the score gate: a logistic regression on questions put to the scope that answers them and to one that does not.

In: the MIT and Apache sets, this repository's own everyday set, and requests that need no memory. Out: weights by signal, bias
and threshold: a missing memory counts as much as five needless ones. Sets whose foreign scopes share templates,
associations or a life with the question (realmem, madial, lifebench_zh) are left out: their foreign pairs are no sure negatives.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
from scipy.optimize import minimize

from bench import everyday
from bench.data import Question, Set
from bench.memories import Filled
from bench.train.states import SETS, ask, load_set
from zeromem.ports import Embedder
from zeromem.recall.fuse import fuse
from zeromem.recall.gate import signals
from zeromem.recall.state import Recall

_LEFT_OUT = ("realmem", "madial", "lifebench_zh")
_POOLED = ("longmemeval", "lifebench_zh")  # one scope; made many
_SIGNS = {
    "best": 1,
    "top3": 1,
    "scope": 1,
    "known": 1,
    "personal": 1,
    "near": 1,
    "unknown": -1,
    "absent": -1,
}  # 1: speaks for an answer
_RIDGE = 0.005
_WORTH = 5  # needless contexts that a missing one outweighs
_TURNS = 400  # of a scope made of a pooled set
_SCOPES = 6  # small talk is put to so many scopes of a set
TEMPERATURE, MASS = 1.0, 0.9  # of the number of cards, see recall/gate.py
Row = tuple[str, float, dict[str, float]]  # set, label, signals


def rows(folder: Path, name: str, embedder: Embedder | None) -> Iterator[Row]:
    """Own and foreign pairs of one set, and small talk."""
    chance = np.random.default_rng(7)
    data = _data(folder, name, chance)
    talk = [line for line in (Path(__file__).parent / "talk.txt").read_text("utf-8").splitlines() if line.strip()]
    talk += everyday.world("train")
    with Filled(embedder) as memory:
        memory.add_all(data.turns)
        scopes = list(data.turns)
        held = {
            scope: {turn.session for turn in turns} if name in _POOLED else set() for scope, turns in data.turns.items()
        }
        for question in data.questions:
            yield name, 1.0, _signals(ask(memory, question, question.conversation))
            others = [
                scope for scope in scopes if scope != question.conversation and not held[scope] & question.sessions
            ]
            if others:
                other = str(chance.choice(others))
                yield name, 0.0, _signals(ask(memory, replace(question, before=None), other))
        for question in data.unanswerable if name == "everyday" else ():
            yield name, 0.0, _signals(ask(memory, question, question.conversation))
        for line in talk:
            for scope in chance.choice(scopes, min(_SCOPES, len(scopes)), replace=False):
                said = Question(line, str(scope), line, "talk", frozenset(), frozenset(), False)
                yield "talk", 0.0, _signals(ask(memory, said, str(scope)))


def _data(folder: Path, name: str, chance: np.random.Generator) -> Set:
    data = load_set(folder, name)
    return _split(data, chance) if name in _POOLED else data


def _signals(state: Recall) -> dict[str, float]:
    state = fuse(state)
    return signals(state, state.question) if state.ranked and state.question else {}


def _split(data: Set, chance: np.random.Generator) -> Set:
    """A pooled set as many scopes of 1 to 300 sessions: each question with its own sessions among others."""
    pool = next(iter(data.turns.values()))
    sessions: dict[str, list[int]] = {}
    for i, turn in enumerate(pool):
        sessions.setdefault(turn.session, []).append(i)
    names = list(sessions)
    turns, questions = {}, []
    for number, question in enumerate(data.questions[:120]):
        count = min(len(names), int(np.exp(chance.uniform(0, np.log(300)))))
        picked = {*map(str, chance.choice(names, count, replace=False)), *question.sessions}
        scope = f"split-{number}"
        held = sorted(i for name in picked if name in sessions for i in sessions[name])
        if len(held) > _TURNS:  # sessions of a day's records are long; the question's own ones stay
            own = {i for name in question.sessions for i in sessions.get(name, ())}
            others = [i for i in held if i not in own]
            held = sorted({*own, *chance.choice(others, min(_TURNS, len(others)), replace=False).tolist()})
        turns[scope] = [replace(pool[i], conversation=scope) for i in held]
        questions.append(replace(question, conversation=scope))
    return replace(data, turns=turns, questions=questions)


def fit(found: list[Row]) -> dict[str, float]:
    """Weights, bias and threshold; sets and labels count by the square root of their size."""
    found = [row for row in found if row[2]]
    names = sorted({name for _, _, values in found for name in values})
    x = np.array([[values.get(name, 0.0) for name in names] for _, _, values in found])
    y = np.array([label for _, label, _ in found])
    kinds = [(name, label) for name, label, _ in found]
    weight = np.array([kinds.count(kind) ** -0.5 for kind in kinds])
    scale = x.std(axis=0) + 1e-6
    z = np.c_[x / scale, np.ones(len(x))]

    def loss(w: np.ndarray) -> tuple[float, np.ndarray]:
        scores = z @ w
        chance = 1 / (1 + np.exp(-scores))
        value = (weight * (np.logaddexp(0, scores) - y * scores)).sum() / weight.sum()
        slope = z.T @ (weight * (chance - y)) / weight.sum()
        return value + _RIDGE * float(w[:-1] @ w[:-1]) / 2, slope + _RIDGE * np.r_[w[:-1], 0]

    bounds = [{1: (0, None), -1: (None, 0)}.get(_SIGNS.get(name, 0), (None, None)) for name in (*names, "bias")]
    best = minimize(loss, np.zeros(z.shape[1]), jac=True, method="L-BFGS-B", bounds=bounds).x
    table = {name: round(float(value), 4) for name, value in zip(names, best[:-1] / scale, strict=True)}
    return {**table, "bias": round(float(best[-1]), 4), "threshold": round(1 / (1 + _WORTH), 4),
            "temperature": TEMPERATURE, "mass": MASS}  # fmt: skip


def train(folder: Path, embedder: Embedder | None, name: str) -> dict[str, float]:
    """The gate of one embedder."""
    return fit([row for one in SETS[name] if one not in _LEFT_OUT for row in rows(folder, one, embedder)])
