"""Runs the first stages of recall for training: the questions of a set on its memory, up to the features.

In: a set and an embedder. Out: for each question the state after `propose`, over the scope as it stood when it was asked.
Everything is the product's own code; only what comes after the features is trained.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from bench import everyday
from bench.data import Question, Set, load
from bench.memories import Filled, times
from zeromem.asking import ask_options
from zeromem.ports import Embedder
from zeromem.recall.pipeline import begin
from zeromem.recall.propose import propose
from zeromem.recall.state import Recall, run
from zeromem.recall.understand import understand

# What ships is trained on the MIT and Apache-2.0 sets and on the repository's own; LoCoMo (CC BY-NC) is only measured. e5 takes
# some 25 passages a second, so it is trained on the sets that it embeds within minutes.
SETS = {
    "e5": ("everyday", "longmemeval", "madial"),
    "fast": ("everyday", "vehiclemembench", "longmemeval", "madial", "realmem", "lifebench_zh", "longmemeval_s"),
    "none": ("everyday", "vehiclemembench", "longmemeval", "madial", "realmem", "lifebench_zh", "longmemeval_s"),
}


@dataclass(frozen=True, slots=True)
class Asked:
    """A question, the state after `propose`, and the places of its gold cards on the line."""

    question: Question
    state: Recall
    gold: tuple[int, ...]


def load_set(folder: Path, name: str) -> Set:
    """A training set: of the data folder, or the repository's own."""
    return everyday.load("train") if name == "everyday" else load(folder, name)


def ask(memory: Filled, question: Question, scope: str) -> Recall:
    """The state after `propose` of a question put to a scope."""
    options = ask_options({"user": scope, **times(question)}, memory.memory._clock)
    return run([understand, propose], begin(memory.memory._sources(), question.text, options, most=1))


def asked(folder: Path, name: str, embedder: Embedder | None) -> Iterator[Asked]:
    """Every question of a set, put to its own scope."""
    data = load_set(folder, name)
    with Filled(embedder) as memory:
        memory.add_all(data.turns)
        places = Places(memory)
        for question in data.questions:
            state = ask(memory, question, question.conversation)
            yield Asked(question, state, places.of(state, question.turns))


class Places:
    """Finds the cards of turns: a card is gold when it was made of a gold turn alone."""

    def __init__(self, memory: Filled) -> None:
        self._memory = memory
        self._turn_of: dict[tuple[str, int], str | None] = {}

    def of(self, state: Recall, turns: frozenset[str]) -> tuple[int, ...]:
        line = state.snapshot.line
        found = []
        scope = state.snapshot.scope.user or ""
        unknown = [int(p) for p in line.order if (scope, int(state.snapshot.columns.rows[p])) not in self._turn_of]
        for position, card in state.fetch(unknown).items():
            sources = self._memory.sources(card)
            row = int(state.snapshot.columns.rows[position])
            self._turn_of[scope, row] = next(iter(sources)) if len(sources) == 1 else None
        for place, position in enumerate(line.order):
            turn = self._turn_of.get((scope, int(state.snapshot.columns.rows[position])))
            if turn in turns and state.allowed[position]:
                found.append(place)
        return tuple(found)


def matrix(state: Recall, names: Sequence[str], rows: np.ndarray) -> np.ndarray:
    """Features `arm.feature` of the cards at these places, shape (rows, names); 0 where the question has no such arm."""
    columns = []
    for name in names:
        arm, _, feature = name.partition(".")
        columns.append(state.arms[arm][feature][rows] if arm in state.arms else np.zeros(len(rows)))
    return np.stack(columns, axis=1)
