"""An embedder that remembers: vectors on disk by model and content, so that a set is embedded once and not at every run.

In: any `Embedder`. Out: the same vectors, bit for bit. The file grows with what was embedded and may be deleted at any time.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from zeromem.models.local import embedder as embedder_of
from zeromem.ports import Embedder, Vectors

_BATCH = 64


def folder() -> Path:
    """Where caches live: `bench/cache` in the repository, or `zeromem-bench` below XDG_CACHE_HOME where that is set."""
    base = os.environ.get("XDG_CACHE_HOME")
    path = Path(base) / "zeromem-bench" if base else Path(__file__).parent / "cache"
    path.mkdir(parents=True, exist_ok=True)
    return path


class CachedEmbedder:
    """An `Embedder` over another one, with its name, version and every other trait."""

    def __init__(self, inner: Embedder, path: Path | None = None) -> None:
        self._inner = inner
        self._lock = threading.Lock()
        path = path or folder() / f"{inner.name}-{inner.version}.db"
        self._file = sqlite3.connect(path, timeout=60, isolation_level=None, check_same_thread=False)
        self._file.execute("PRAGMA journal_mode = WAL")
        self._file.execute("PRAGMA synchronous = OFF")
        self._file.execute("CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB) WITHOUT ROWID")
        self.misses = 0

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def passages(self, texts: Sequence[str]) -> Vectors:
        keys = [_key("passage", text) for text in texts]
        with self._lock:
            found = dict(self._read(keys))
        missing = list({key: text for key, text in zip(keys, texts, strict=True) if key not in found}.items())
        missing.sort(key=lambda pair: len(pair[1]))  # alike lengths side by side: a batch costs what its longest costs
        started, told = time.monotonic(), time.monotonic()
        for start in range(0, len(missing), _BATCH):
            batch = missing[start : start + _BATCH]
            vectors = np.asarray(self._inner.passages([text for _, text in batch]), np.float32)
            found.update(self._write([key for key, _ in batch], vectors))
            if time.monotonic() - told > 10:
                told = time.monotonic()
                print(f"  embedded {start + len(batch)} of {len(missing)}, {told - started:.0f} s", file=sys.stderr)
        if not texts:
            return np.empty((0, self.dimension), np.float32)
        return np.stack([np.frombuffer(found[key], np.float32) for key in keys])

    def query(self, text: str) -> Vectors:
        key = _key("query", text)
        with self._lock:
            found = dict(self._read([key]))
        if key not in found:
            found.update(self._write([key], np.asarray(self._inner.query(text), np.float32)[None]))
        return np.frombuffer(found[key], np.float32)

    def _read(self, keys: Sequence[bytes]) -> Iterator[tuple[bytes, bytes]]:
        for start in range(0, len(keys), 500):
            part = keys[start : start + 500]
            marks = ",".join("?" * len(part))
            yield from self._file.execute(f"SELECT key, vector FROM vectors WHERE key IN ({marks})", part)

    def _write(self, keys: Sequence[bytes], vectors: Vectors) -> list[tuple[bytes, bytes]]:
        pairs = [(key, vector.tobytes()) for key, vector in zip(keys, vectors, strict=True)]
        self.misses += len(pairs)
        with self._lock:
            self._file.execute("BEGIN")
            self._file.executemany("INSERT OR IGNORE INTO vectors VALUES (?, ?)", pairs)
            self._file.execute("COMMIT")
        return pairs


def _key(kind: str, text: str) -> bytes:
    return hashlib.blake2b(f"{kind}\0{text}".encode("utf-8", "surrogatepass"), digest_size=16).digest()


def cached(choice: str) -> CachedEmbedder | None:
    """The named embedder with its cache; None for "none"."""
    inner = embedder_of(choice)
    return CachedEmbedder(inner) if inner else None
