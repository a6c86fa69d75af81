"""Loads learned numbers: one JSON file a kind of weight, with the hash of the data it was trained on.

In: files of `weights/`. Out: name → number.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from zeromem.structures.background import Background

_OURS = ("e5", "fast")  # names an embedder of ours alone may bear


@cache
def _file(name: str) -> Mapping[str, Any]:
    loaded: Mapping[str, Any] = json.loads((files("zeromem.weights") / f"{name}.json").read_text(encoding="utf-8"))
    return loaded


def fusion(embedder: str) -> Mapping[str, float]:
    """Weights of the ranking's features (`arm.feature`) for "e5", "fast", "none", or any other embedder."""
    tables = _file("fusion")["weights"]
    table: Mapping[str, float] = tables.get(embedder, tables["other"])
    return table


def gate(embedder: str) -> Mapping[str, float]:
    """Weights of the gate's signals, its bias and threshold, and `temperature` and `mass` of the number of cards."""
    tables = _file("gate")["weights"]
    table: Mapping[str, float] = tables.get(embedder, tables["other"])
    return table


@cache
def background(embedder: str) -> Background | None:
    """The background of one embedder; None for one that is not ours."""
    file = files("zeromem.weights") / f"background_{embedder}.npz"
    if embedder not in _OURS or not file.is_file():
        return None
    with file.open("rb") as stream, np.load(stream) as arrays:
        groups = range(sum(name.startswith("passages") for name in arrays.files))
        passages = tuple(arrays[f"passages{i}"].astype(np.float32) for i in groups)
        questions = tuple(arrays[f"questions{i}"].astype(np.float32) for i in groups)
        # What `make` finds of these vectors: 50 ms that every process would spend anew.
        return Background(passages, questions, tuple(arrays["spread"].tolist()), *arrays["levels"].tolist())
