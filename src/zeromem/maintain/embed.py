"""Embeds cards after they were stored: in bulk, a few before a recall, or by a thread in the background.

In: the store, the embedder and the settings. Out: vectors in the store. `Embedding` also knows whether the dense arm may be
used at all: an embedder that fails, or that did not make the stored vectors, is named in `problem`, and the keyword arm goes on.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

import numpy as np

from zeromem.errors import EmbedderMismatch, StoreBusy, ZeromemError
from zeromem.ports import Embedder, Progress, Store, Vectors
from zeromem.settings import Settings
from zeromem.types import Card, Scope

PROBE = ("a copper pot", "the harbour at night", "七点的火车")


class Embedding:
    """The embedder of one open memory and its standing with the stored vectors."""

    def __init__(self, store: Store, embedder: Embedder | None, settings: Settings) -> None:
        self.embedder = embedder
        self.problem = ""  # why the last attempt failed, in words; empty while all is well
        self._store = store
        self._settings = settings
        self._id = 0
        self._lock = threading.Lock()

    def check(self) -> None:
        """Try an embedder that is not ours on three texts, so that a broken one is known before it matters."""
        if self.embedder is None:
            return
        try:
            _embedded(self.embedder, PROBE)
        except Exception as error:  # any failure of a foreign model only closes the dense arm
            self.problem = _named(self.embedder, error)

    def mismatch(self) -> str:
        """What is wrong between this embedder and the stored vectors; empty if nothing is."""
        stored = self._store.embedder()
        ours = self.embedder
        if stored is None or ours is None:
            return ""
        if (stored.name, stored.version, stored.dimension) == (ours.name, ours.version, ours.dimension):
            return ""
        return (
            f"the stored vectors are by {stored.name} {stored.version} ({stored.dimension} dimensions), this is "
            f"{ours.name} {ours.version} ({ours.dimension}); `reindex` embeds everything anew"
        )

    def id(self, *, create: bool = False) -> int:
        """The store's number for this embedder; 0 where it has none, or where the stored vectors are another's."""
        if self._id or self.embedder is None or self.mismatch():
            return self._id
        stored = self._store.embedder()
        if stored is None and create:
            with self._store.write():
                stored = self._store.embedder() or self._store.add_embedder(
                    self.embedder.name, self.embedder.version, self.embedder.dimension
                )
        self._id = stored.id if stored else 0
        return self._id

    def forget_id(self) -> None:
        self._id = 0

    def degraded(self) -> tuple[str, ...]:
        """Why the dense arm is out of use, as receipts and results say it."""
        reason = self.mismatch() or self.problem
        return (f"dense: {reason}",) if reason else ()

    def run(self, scope: Scope | None, limit: int | None, progress: Progress | None = None) -> int:
        """Embed pending cards, newest first, and return how many. A failing embedder ends it and is named in `problem`.

        Raises EmbedderMismatch where the stored vectors are another embedder's.
        """
        if self.embedder is None:
            return 0
        if reason := self.mismatch():
            raise EmbedderMismatch(reason)
        total = self._store.count_pending(scope) if progress else 0
        total = min(total, limit) if limit is not None else total
        done = 0
        with self._lock:
            while limit is None or done < limit:
                batch = self._settings.embed_batch if limit is None else min(self._settings.embed_batch, limit - done)
                cards = self._store.pending(scope, batch)
                if not cards or not self._embed(cards):
                    break
                done += len(cards)
                if progress:
                    progress(done, max(total, done))
        return done

    def _embed(self, cards: Sequence[Card]) -> bool:
        if self.embedder is None:
            return False
        try:
            # Alike lengths side by side: a batch costs what its longest text costs.
            ordered = sorted(cards, key=lambda card: len(card.text))
            vectors = _embedded(self.embedder, [dressed(card) for card in ordered])
        except Exception as error:  # the cards stay pending; the keyword arm serves them meanwhile
            self.problem = _named(self.embedder, error)
            return False
        with self._store.write():
            self._store.put_vectors(self.id(create=True), [card.row for card in ordered], vectors)
        self.problem = ""
        return True


def dressed(card: Card) -> str:
    """The text that stands for a card in the vector space: who said it, and what."""
    return f"{card.speaker}: {card.text}" if card.speaker else card.text


def _embedded(embedder: Embedder, texts: Sequence[str]) -> Vectors:
    vectors = np.asarray(embedder.passages(texts), np.float32)
    if vectors.shape != (len(texts), embedder.dimension):
        # A vector too few would pair every later text with its neighbour's: none is used.
        raise ValueError(f"returned {vectors.shape[0] if vectors.ndim else 0} vectors for {len(texts)} texts")
    if not np.isfinite(vectors).all():
        raise ValueError("returned a vector that is not finite")
    return vectors


def _named(embedder: Embedder, error: Exception) -> str:
    return f"embedder {embedder.name} failed: {type(error).__name__}: {error}"


class Behind:
    """A daemon thread that embeds what adds leave pending, in small steps, only while no call is in flight."""

    def __init__(self, run: Callable[[], int], busy: Callable[[], bool]) -> None:
        self._run = run
        self._busy = busy
        self._wake = threading.Event()
        self._stop = threading.Event()
        self._thread: threading.Thread | None = None
        self._lock = threading.Lock()

    def wake(self) -> None:
        self._wake.set()
        with self._lock:
            if self._thread is None and not self._stop.is_set():
                self._thread = threading.Thread(target=self._loop, name="zeromem-embed", daemon=True)
                self._thread.start()

    def close(self) -> None:
        """Stop after the step at hand; what is pending stays pending in the file."""
        self._stop.set()
        self._wake.set()
        if self._thread is not None:
            self._thread.join(timeout=30)

    def _loop(self) -> None:
        while not self._stop.is_set():
            self._wake.wait()
            self._wake.clear()
            while not self._stop.is_set():
                if self._busy():
                    time.sleep(0.005)
                    continue
                try:
                    if not self._run():
                        break
                except StoreBusy:
                    time.sleep(0.2)
                except ZeromemError:
                    break  # the next call meets the same error and reports it to its caller
