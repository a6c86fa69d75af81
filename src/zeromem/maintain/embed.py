"""Embeds cards after they were stored: in bulk, a few before a recall, or by a thread in the background.

In: the store, the embedder and the settings. Out: vectors in the store. `Embedding` also knows whether the dense arm may be
used at all: an embedder that fails, or that did not make the stored vectors, is named in `problem`, and the keyword arm goes on.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence

import numpy as np

from zeromem.errors import EmbedderFailed, EmbedderMismatch, StoreBusy, ZeromemError
from zeromem.forks import calls, watch
from zeromem.ports import Embedder, EmbedderInfo, Progress, Store, Vectors
from zeromem.settings import Settings
from zeromem.types import Card, Scope

_PATIENCE, _LOOK = 3.0, 0.01  # seconds that a recall waits for a small batch of another thread, and between looks
PROBE = ("a copper pot", "the harbour at night", "七点的火车")


class Embedding:
    """The embedder of one open memory and its standing with the stored vectors."""

    def __init__(self, store: Store, embedder: Embedder | None, settings: Settings) -> None:
        self.embedder = embedder
        self.problem = ""  # why the last attempt failed, in words; empty while all is well
        self._store = store
        self._settings = settings
        self._lock = threading.Lock()  # of the embedder, for one batch
        self._at_work = 0  # texts of the batch at hand
        watch(self, Embedding._renew)

    def _renew(self) -> None:
        self._lock, self._at_work = threading.Lock(), 0

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
        if stored is None or ours is None or _made_by(stored, ours):
            return ""
        return (
            f"the stored vectors are by {stored.name} {stored.version} ({stored.dimension} dimensions), this is "
            f"{ours.name} {ours.version} ({ours.dimension}); `reindex` embeds everything anew"
        )

    def id(self) -> int:
        """The store's number for this embedder; 0 where it has none, or where the stored vectors are another's.

        Asked anew each time: another process may have reset or re-indexed the file.
        """
        stored = self._store.embedder()
        return stored.id if stored and self.embedder and _made_by(stored, self.embedder) else 0

    def degraded(self) -> tuple[str, ...]:
        """Why the dense arm is out of use, as receipts and results say it."""
        reason = self.mismatch() or self.problem
        return (f"dense: {reason}",) if reason else ()

    def run(self, scope: Scope | None, limit: int | None, progress: Progress | None = None) -> int:
        """Embed pending cards, newest first, and return how many.

        Raises EmbedderFailed where the embedder fails (also named in `problem`; what was done is kept), EmbedderMismatch where
        the stored vectors are another embedder's.
        """
        if self.embedder is None:
            return 0
        total = self._store.count_pending(scope) if progress else 0
        total = min(total, limit) if limit is not None else total
        done = 0
        while limit is None or done < limit:
            most = self._settings.embed_batch if limit is None else min(self._settings.embed_batch, limit - done)
            try:
                with calls.inside(), self._lock:
                    step = self._step(scope, most)
            except EmbedderFailed as error:
                left = self._store.count_pending(scope)
                told = f"{error}; {done:,} cards were embedded, {left:,} wait for it: mend it and call `embed_pending`"
                raise EmbedderFailed(told) from error
            if not step:
                break
            done += step
            if progress:
                progress(done, max(total, done))
        return done

    def some(self, scope: Scope | None, limit: int) -> bool:
        """Embed at most `limit` pending cards for a caller who waits; False where the embedder is busy with more than that.

        A batch of another thread that is no larger than the caller's own would be is waited for; a long run never.
        """
        end = time.monotonic() + _PATIENCE
        while not self._lock.acquire(timeout=_LOOK):
            if self._at_work > limit or time.monotonic() > end:
                return False
        try:
            self._step(scope, limit)
        except EmbedderFailed:  # `problem` names it
            pass
        finally:
            self._lock.release()
        return True

    def _step(self, scope: Scope | None, most: int) -> int:
        """Embed one batch and return its size; 0 where nothing is pending."""
        if reason := self.mismatch():
            raise EmbedderMismatch(reason)
        epoch = self._store.marker()[2]
        cards = self._store.pending(scope, most)
        # Alike lengths side by side: a batch costs what its longest text costs.
        cards.sort(key=lambda card: len(card.text))
        if not cards or self.embedder is None:
            return 0
        vectors = self._vectors(self.embedder, [dressed(card) for card in cards])
        with self._store.write():
            # Reset or re-indexed meanwhile: a row may be another card's now. The vectors are left, the cards stay pending.
            if self._store.marker()[2] == epoch:
                self._store.put_vectors(self._made_id(), [card.row for card in cards], vectors)
        return len(cards)

    def _vectors(self, embedder: Embedder, texts: Sequence[str]) -> Vectors:
        self._at_work = len(texts)
        try:
            vectors = _embedded(embedder, texts)
        except Exception as error:  # any failure of a foreign model: the keyword arm serves the cards meanwhile
            self.problem = _named(embedder, error)
            raise EmbedderFailed(self.problem) from error
        finally:
            self._at_work = 0
        self.problem = ""
        return vectors

    def _made_id(self) -> int:
        """The number of this embedder, given to it now if the file has no vectors yet."""
        ours = self.embedder
        if ours is not None and self._store.embedder() is None:
            self._store.add_embedder(ours.name, ours.version, ours.dimension)
        if number := self.id():
            return number
        raise EmbedderMismatch(self.mismatch())


def _made_by(stored: EmbedderInfo, embedder: Embedder) -> bool:
    ours = (embedder.name, embedder.version, embedder.dimension)
    return (stored.name, stored.version, stored.dimension) == ours


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
        watch(self, Behind._renew)

    def _renew(self) -> None:
        """The child has no such thread; the next `wake` starts one."""
        self._thread, self._lock, self._wake = None, threading.Lock(), threading.Event()

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
