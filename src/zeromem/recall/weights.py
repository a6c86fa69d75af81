"""Loads learned numbers: one JSON file a kind of weight, with the hash of the data it was trained on.

In: files of `weights/`. Out: name → number, per embedder; one that nothing was trained for takes the figures of "other".
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def _file(name: str) -> Mapping[str, Any]:
    loaded: Mapping[str, Any] = json.loads((files("zeromem.weights") / f"{name}.json").read_text(encoding="utf-8"))
    return loaded


def weights(embedder: str, name: str = "fusion") -> Mapping[str, float]:
    """The weights for one embedder ("e5", "fast", "none")."""
    tables = _file(name)["weights"]
    table: Mapping[str, float] = tables.get(embedder, tables["other"])
    return table
